# Nothing to activate: every target sets up .venv first when it is missing or out of date. `make help` lists them.
# torch is needed by shufflekit.learning only; `export TORCH=...` saves typing it each time.

PYTHON ?= python3
TORCH ?= cpu
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
READY := .venv/.ready-$(TORCH)
TORCH_PIN := $(shell grep '^torch==' requirements-torch.txt)
REVEAL := sphinx-revealjs==3.2.1
CPU_INDEX := https://download.pytorch.org/whl/cpu
# Without torch the notebooks that train are left as they are; `make test` says so.
TRAINING := $(wildcard notebooks/19_*.ipynb notebooks/20_*.ipynb)
NOTEBOOKS := $(filter-out $(if $(filter none,$(TORCH)),$(TRAINING)),$(sort $(wildcard notebooks/*.ipynb)))

ifeq ($(filter cpu cuda none,$(TORCH)),)
$(error TORCH must be cpu, cuda or none, got '$(TORCH)')
endif

# A backend set in the user's shell would turn off the pictures in the notebooks.
unexport MPLBACKEND

.DEFAULT_GOAL := course
.PHONY: course setup site lab test properties fuzz mutants lint bench ledger handout slides house lock clean help

# A notebook that fails keeps the outputs it was saved with: the site is built from these, and make fails after it.
course: setup ## set up, run the notebooks in order, build the site (the default)
	@status=0; \
	$(BIN)/python tools/run_notebooks.py $(NOTEBOOKS) || status=$$?; \
	$(BIN)/python -m tools.build_site || status=$$?; \
	exit $$status

setup: $(READY) ## set up .venv; TORCH=cuda for a CUDA build of torch, TORCH=none for no torch

site: setup ## build the site from the notebooks as they are saved: build/site/index.html
	$(BIN)/python -m tools.build_site

# The settings beside it keep JupyterLab from asking about news when it opens.
lab: setup ## open the course in JupyterLab
	JUPYTER_CONFIG_PATH=tools/lab:$$JUPYTER_CONFIG_PATH $(BIN)/jupyter lab $(LAB_OPTIONS) notebooks/00_start_here.ipynb

test: setup ## unit tests, then every notebook run again and compared with its saved outputs
	@status=0; \
	$(BIN)/python -m pytest -n 2 --dist loadscope tests $(NOTEBOOKS) \
	    --nbval --nbval-current-env --nbval-cell-timeout 300 --nbval-sanitize-with tests/nbval_sanitize.cfg || status=$$?; \
	$(if $(filter none,$(TORCH)),echo 'SKIPPED $(TRAINING): no torch';) \
	exit $$status

# The seed is drawn where none is given; it is part of the command, and of what is printed at the end.
properties: setup ## the property tests on fresh random examples; SEED=... tries the same ones again
	$(BIN)/python -m pytest -n 2 --dist loadscope -m hypothesis --hypothesis-profile fresh \
	    --hypothesis-seed $(or $(SEED),$(shell $(PYTHON) -c 'import secrets; print(secrets.randbelow(2**32))')) tests

fuzz: setup ## 5,000 random questions, held against what is known (hours); SEED=... goes on with those, COUNT=... asks fewer
	$(BIN)/python -m tools.fuzz --count $(or $(COUNT),5000) $(if $(SEED),--seed $(SEED))

mutants: setup ## change the package in 100 places, one at a time, and count the changes that the tests notice (an hour)
	$(BIN)/python tools/mutants.py $(MUTANTS)

lint: setup ## style, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: setup ## time the package, and each notebook
	$(BIN)/python tools/bench.py

ledger: setup ## write the table of claims into docs/ledger.md, and its summary into README.md
	$(BIN)/python tools/ledger.py

handout: setup ## for a class: build/handout/student without the solutions, build/handout/instructor with them
	$(BIN)/python tools/handout.py

# reveal.js comes as files of a package; nothing of it is run, so what it needs itself is left out.
slides: setup ## the decks of the course, which need no network: build/slides
	@$(PIP) install --quiet --no-deps $(REVEAL)
	$(BIN)/python tools/slides.py

house: setup ## draw the rooms of the package into CONTRIBUTING.md, and name what does not fit
	$(BIN)/python tools/house.py

lock: ## resolve the versions anew: requirements.lock, requirements-torch.txt, environment.yml
	$(PYTHON) tools/lock.py

clean: ## remove .venv, build and caches
	rm -rf .venv build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

help: ## list the targets
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 20

# The stamp is written last and carries the kind of torch, so an interrupted set-up, or one with another torch, starts
# from nothing; a changed lock file updates what is there.
$(READY): requirements.lock requirements-torch.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo 'shufflekit needs Python 3.11 or newer: make PYTHON=python3.11' >&2; exit 1; }
	@test -e $@ || rm -rf .venv
	@rm -f .venv/.ready-*
	@echo 'Setting up .venv with torch: $(TORCH) (a minute or two, once) ...'
	@$(PYTHON) -m venv .venv
	@$(PIP) install --quiet --requirement requirements.lock
	$(install-torch-$(TORCH))
	@$(PIP) install --quiet --no-deps --editable .
	@touch $@

# The CPU build: a wheel at hand (in pip's find-links) if there is one, else from torch's own index, which is asked for
# torch alone. Without the first line, a machine that cannot reach that index would wait for it.
define install-torch-cpu
@$(PIP) install --quiet --no-deps --no-index $(TORCH_PIN) 2>/dev/null || \
    $(PIP) install --quiet --no-deps --index-url $(CPU_INDEX) $(TORCH_PIN) || \
    { echo 'No CPU build of $(TORCH_PIN) found: make TORCH=cuda or make TORCH=none' >&2; exit 1; }
@$(PIP) install --quiet --requirement requirements-torch.txt
endef

install-torch-cuda = @$(PIP) install --quiet --requirement requirements-torch.txt
install-torch-none = @echo 'Without torch: shufflekit.learning will not import.'
