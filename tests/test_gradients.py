"""Per-example gradients: the fast path and vmap(grad) say the same, and what neither can take is refused in words."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

from shufflekit.learning import gradients  # noqa: E402
from shufflekit.learning.gradients import Factored, NoRule, Table, per_example, reference  # noqa: E402
from shufflekit.learning.models import paper_network  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PRECISION = {torch.float32: 1e-5, torch.float64: 1e-12}
ACTIVATIONS = [nn.ELU, nn.GELU, nn.Identity, nn.LeakyReLU, nn.ReLU, nn.Sigmoid, nn.SiLU, nn.Softplus, nn.Tanh]


def close(found: torch.Tensor, truth: torch.Tensor) -> None:
    """Every client's row, relative to its largest entry."""
    assert found.shape == truth.shape
    assert found.dtype == truth.dtype
    assert truth.abs().amax() > 0
    error = (found - truth).abs().flatten(1).amax(dim=1)
    assert (error <= PRECISION[truth.dtype] * truth.abs().flatten(1).amax(dim=1)).all()


def one_by_one(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The definition: a backward pass for every example."""
    parameters = [parameter.requires_grad_() for parameter in model.parameters()]
    rows = []
    for i in range(len(x)):
        found = torch.autograd.grad(F.cross_entropy(model(x[i : i + 1]), y[i : i + 1]), parameters)
        rows.append(torch.cat([part.flatten() for part in found]))
    return torch.stack(rows)


def examples(n: int, *shape: int, classes: int = 3, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, *shape, generator=generator), torch.randint(classes, (n,), generator=generator)


def seeded(*layers: nn.Module) -> nn.Sequential:
    """The layers, with parameters drawn anew, so that they depend on nothing but their shapes; no bias is 0."""
    model = nn.Sequential(*layers)
    generator = torch.Generator().manual_seed(1)
    for parameter in model.parameters():
        nn.init.uniform_(parameter, -0.5, 0.5, generator=generator)
    return model


@st.composite
def problems(draw: st.DrawFn) -> tuple[nn.Module, torch.Tensor, torch.Tensor]:
    """A random stack of layers that can be factored, and a batch for it."""
    sizes, small = st.tuples(st.integers(4, 9), st.integers(4, 9)), st.integers(1, 3)
    pairs = st.tuples(small, small)
    shape = [draw(small), *draw(sizes)]
    x, y = examples(draw(st.integers(1, 5)), *shape, classes=draw(small), seed=draw(st.integers(0, 99)))
    layers: list[nn.Module] = []

    def add(layer: nn.Module) -> None:
        layers.append(layer)
        shape[:] = nn.Sequential(*layers)(x[:1]).shape[1:]

    for _ in range(draw(st.integers(0, 2))):
        if draw(st.booleans()):
            add(nn.ZeroPad2d(draw(st.tuples(*4 * [st.integers(0, 2)]))))
        kernel = tuple(min(side, k) for side, k in zip(shape[1:], draw(pairs), strict=True))
        add(nn.Conv2d(shape[0], draw(small), kernel, stride=draw(pairs), bias=draw(st.booleans())))
        add(draw(st.sampled_from(ACTIVATIONS))())
        if min(shape[1:]) >= 2 and draw(st.booleans()):
            add(draw(st.sampled_from([nn.MaxPool2d, nn.AvgPool2d]))(2, stride=draw(st.integers(1, 2))))
    add(nn.Flatten())
    for _ in range(draw(st.integers(0, 2))):
        add(nn.Linear(shape[0], draw(st.integers(1, 5)), bias=draw(st.booleans())))
        add(draw(st.sampled_from(ACTIVATIONS))())
    add(nn.Linear(shape[0], int(y.max()) + draw(small), bias=draw(st.booleans())))
    cut = draw(st.integers(0, len(layers)))
    model = seeded(*layers[:cut], nn.Sequential(nn.Sequential(*layers[cut:])))
    layout = draw(st.sampled_from([torch.contiguous_format, torch.channels_last]))
    dtype = draw(st.sampled_from(list(PRECISION)))
    return model.to(dtype=dtype, memory_format=layout), x.to(dtype=dtype, memory_format=layout), y


@given(problems())
@settings(max_examples=150)
def test_fast_path_agrees_with_vmap(problem: tuple[nn.Module, torch.Tensor, torch.Tensor]) -> None:
    model, x, y = problem
    truth, found = reference(model, x, y), Factored(model, x, y)
    if truth.full().abs().amax() == 0:  # a single class, or ReLU lets nothing through
        assert not found.full().any()
        return
    close(found.full(), truth.full())
    close(found.largest()[:, None], truth.largest()[:, None])
    assert (found.largest() == found.full().abs().amax(dim=1)).all()
    d = gradients.parameter_count(model)
    for numbers in torch.arange(d).split(97) if d < 400 else [torch.randint(d, (97,))]:
        table = [torch.stack([g.entries(j.expand(len(x))) for j in numbers], dim=1) for g in (found, truth)]
        assert (table[1] == truth.full()[:, numbers]).all()
        assert ((table[0] - table[1]).abs().amax(1) <= PRECISION[x.dtype] * truth.largest()).all()


def test_the_papers_network() -> None:
    model = paper_network(0)
    x, y = examples(200, 1, 28, 28, classes=10)  # more than one chunk
    truth = one_by_one(model, x, y)
    assert isinstance(gradients.gradients(model, x, y), Factored)
    close(reference(model, x, y).full(), truth)
    close(per_example(model, x, y), truth)
    rows = torch.randint(13_706, (200,), generator=torch.Generator().manual_seed(2))
    entries = Factored(model, x, y).entries(rows)
    assert torch.allclose(entries, truth.gather(1, rows[:, None])[:, 0], rtol=1e-4, atol=1e-7)


def test_each_client_has_an_entry_of_its_own() -> None:
    model = seeded(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(18, 3))
    x, y = examples(95, 1, 5, 5)
    d = gradients.parameter_count(model)
    rows = torch.arange(95) * 8 % d  # d = 77 numbers, every one of them taken, out of order
    assert set(rows.tolist()) == set(range(d))
    expected = one_by_one(model, x, y)[torch.arange(95), rows]
    assert torch.allclose(Factored(model, x, y).entries(rows), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("clients", [1, 7, 50])
@pytest.mark.parametrize("windows", [1, 3])
def test_chunks_do_not_matter(monkeypatch: pytest.MonkeyPatch, clients: int, windows: int) -> None:
    model = paper_network(3)
    x, y = examples(50, 1, 28, 28, classes=10)
    whole = per_example(model, x, y)
    monkeypatch.setattr(gradients, "CHUNK_BYTES", 4 * 13_706 * clients)
    monkeypatch.setattr(gradients, "PATCH_BYTES", 4 * 64 * 14 * 14 * windows)
    pieces = [piece.full() for piece in gradients.chunks(model, x, y)]
    assert {len(piece) for piece in pieces[:-1]} <= {clients}
    close(torch.cat(pieces), whole)
    close(per_example(model, x, y), whole)


class Residual(nn.Module):
    """A module of one's own."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(36, 36)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.tanh(self.inner(x))


def twice() -> nn.Sequential:
    layer = nn.Linear(36, 36)
    return seeded(nn.Flatten(), layer, nn.Tanh(), layer, nn.Linear(36, 3))


def tied() -> nn.Sequential:
    model = seeded(nn.Flatten(), nn.Linear(36, 36), nn.Tanh(), nn.Linear(36, 36), nn.Linear(36, 3))
    model[3].weight = model[1].weight
    return model


WITHOUT_RULE = {
    "a padded convolution": lambda: seeded(nn.Conv2d(1, 2, 3, padding=1), nn.Flatten(), nn.Linear(72, 3)),
    "padding in words": lambda: seeded(nn.Conv2d(1, 2, 3, padding="same"), nn.Flatten(), nn.Linear(72, 3)),
    "a dilated convolution": lambda: seeded(nn.Conv2d(1, 2, 3, dilation=2), nn.Flatten(), nn.Linear(8, 3)),
    "a grouped convolution": lambda: seeded(
        nn.Conv2d(1, 2, 1), nn.Conv2d(2, 4, 3, groups=2), nn.Flatten(), nn.Linear(64, 3)
    ),
    "a layer used twice": twice,
    "weights used twice": tied,
    "a module of one's own": lambda: seeded(nn.Flatten(), Residual(), nn.Linear(36, 3)),
    "GroupNorm": lambda: seeded(nn.Conv2d(1, 2, 3), nn.GroupNorm(1, 2), nn.Flatten(), nn.Linear(32, 3)),
    "BatchNorm that has learnt": lambda: seeded(
        nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(32, 3)
    ).eval(),
    "in place": lambda: seeded(
        nn.Conv2d(1, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(32, 9), nn.ReLU(inplace=True), nn.Linear(9, 3)
    ),
    "a linear layer along an image's rows": lambda: seeded(nn.Linear(6, 4), nn.Tanh(), nn.Flatten(), nn.Linear(24, 3)),
}


@pytest.mark.parametrize("name", WITHOUT_RULE)
def test_what_has_no_rule_goes_to_vmap(name: str) -> None:
    model = WITHOUT_RULE[name]()
    x, y = examples(6, 1, 6, 6)
    with pytest.raises(NoRule, match="no rule for"):
        Factored(model, x, y)
    found = gradients.gradients(model, x, y)
    assert isinstance(found, Table)
    assert all(type(parameter) is nn.Parameter for parameter in model.parameters())
    close(found.full(), one_by_one(model, x, y))


@pytest.mark.parametrize(
    "norm",
    [
        nn.BatchNorm2d(2),
        nn.BatchNorm2d(2, track_running_stats=False),
        nn.BatchNorm2d(2, track_running_stats=False).eval(),
    ],
)
def test_layers_that_mix_examples_are_refused(norm: nn.Module) -> None:
    model = nn.Sequential(nn.Conv2d(1, 2, 3), norm, nn.Flatten(), nn.Linear(32, 3))
    with pytest.raises(ValueError, match="model must treat examples one by one, but its BatchNorm2d averages"):
        gradients.gradients(model, *examples(6, 1, 6, 6))


def test_layers_that_draw_are_refused() -> None:
    model = nn.Sequential(nn.Flatten(), nn.Dropout(), nn.Linear(36, 3))
    with pytest.raises(RuntimeError, match="random"):
        gradients.gradients(model, *examples(6, 1, 6, 6))
    assert isinstance(gradients.gradients(model.eval(), *examples(6, 1, 6, 6)), Table)


@pytest.mark.parametrize("compute", [Factored, reference], ids=["fast path", "vmap"])
def test_nothing_is_left_behind(compute: type) -> None:
    model = seeded(nn.Flatten(), nn.Linear(36, 4), nn.Tanh(), nn.Linear(4, 3))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    x, y = examples(6, 1, 6, 6)
    plain = compute(model, x, y).full()
    with torch.no_grad():
        assert torch.equal(compute(model, x, y).full(), plain)
    assert torch.equal(compute(model.requires_grad_(False), x, y).full(), plain)
    leaf = x.clone().requires_grad_()
    found = compute(model.requires_grad_(True), leaf, y).full()
    assert torch.equal(found, plain)
    assert not found.requires_grad
    assert leaf.grad is None
    assert all(parameter.grad is None for parameter in model.parameters())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert torch.equal(x, examples(6, 1, 6, 6)[0])


MODEL = seeded(nn.Flatten(), nn.Linear(36, 3))
X, Y = examples(6, 1, 6, 6)
WRONG = [
    (TypeError, "model must be", (lambda x: x, X, Y)),
    (TypeError, "model must be .* with parameters", (nn.Flatten(), X, Y)),
    (TypeError, "x must be a tensor", (MODEL, X.numpy(), Y)),
    (TypeError, "y must be a tensor", (MODEL, X, Y.tolist())),
    (ValueError, "x must hold .*int64", (MODEL, X.long(), Y)),
    (ValueError, "x must hold one or more", (MODEL, X[:0], Y[:0])),
    (ValueError, "x must hold", (MODEL, torch.tensor(1.0), Y)),
    (ValueError, "y must hold .* each of the 6 examples", (MODEL, X, Y[:5])),
    (ValueError, "y must hold .* each of the 6 examples", (MODEL, X, Y[:, None])),
    (ValueError, "y must hold .* int64", (MODEL, X, Y.float())),
    (ValueError, "y must hold .* from 0 on", (MODEL, X, Y - 100)),  # which torch would take for "do not count"
    (ValueError, "model must give .* 4 or more classes", (MODEL, X, Y.clamp(max=0) + 3)),
    (ValueError, "model must give each example a row of scores", (seeded(nn.Conv2d(1, 3, 3)), X, Y)),
]


@pytest.mark.parametrize(
    "compute", [gradients.gradients, reference, per_example, lambda *a: next(gradients.chunks(*a))]
)
@pytest.mark.parametrize(("error", "told", "arguments"), WRONG)
def test_bad_input_is_told_in_words(compute, error: type, told: str, arguments: tuple) -> None:
    with pytest.raises(error, match=told):
        compute(*arguments)


@pytest.mark.parametrize("rows", [Y - 1, Y + 111, Y[:5], Y.float(), Y[:, None], [0] * 6, None], ids=repr)
@pytest.mark.parametrize("compute", [Factored, reference], ids=["fast path", "vmap"])
def test_entries_that_are_not_there_are_told_in_words(compute: type, rows: object) -> None:
    found = compute(MODEL, X, torch.tensor([0, 1, 2, 0, 1, 2]))
    with pytest.raises(ValueError, match=re.escape("rows must hold an int64 from 0 to 110 for each of the 6 clients")):
        found.entries(rows)


@pytest.mark.parametrize("rows", [torch.zeros(3), torch.zeros(0, 3), torch.zeros(2, 3).long()], ids=repr)
def test_a_table_is_one(rows: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="rows must be a table"):
        Table(rows)
    with pytest.raises(TypeError, match="rows must be a tensor"):
        Table(rows.tolist())


def test_ten_thousand_clients_take_less_than_a_gigabyte() -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("this system does not tell the peak memory of a process alone")
    code = """
import torch
from shufflekit.learning import gradients, models
torch.set_num_threads(1)
x, y, done = torch.rand(10_000, 1, 28, 28), torch.randint(10, (10_000,)), 0
for piece in gradients.chunks(models.paper_network(0), x, y):
    done += len(piece.full())
print(done)
print(open("/proc/self/status").read())
"""
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True)
    assert ended.stdout.startswith("10000\n")
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", ended.stdout)[1]) / 1e6
    assert 0.1 < peak < 1  # all gradients at once would be 0.55 GB more than what a process needs anyway
