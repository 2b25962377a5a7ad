"""Every public function rejects what it cannot mean, with a message that names the argument."""

import importlib
import inspect
import math
import pkgutil
import re
from fractions import Fraction

import numpy as np
import pytest

import shufflekit.beyond
import shufflekit.papers
from shufflekit import bracket, claims, definitions, divergences, exact, explore, figures, randomizers
from shufflekit.beyond import attack_search, swaps
from shufflekit.papers import (
    balle2019,
    comparisons,
    dwork2010,
    feldman2021,
    girgis2021,
    girgis2021ccs,
    kairouz2015,
    ullman2017,
    wang2019,
)
from shufflekit.papers.girgis2021 import renyi

RR = randomizers.RandomizedResponse
P, Q, R = [0.5, 0.5], [0.25, 0.75], [0.4, 0.6]
ROWS = [[0.5, 0.5], [0.25, 0.75]]
RNG = np.random.default_rng(0)
NAN, INF, NEAR = math.nan, math.inf, 1e-9

# What a kind of argument cannot be.
WRONG_TYPES = ["3", None, True, 1j]
NUMBERS = [NAN, INF, -INF, -1, *WRONG_TYPES, [1.0], {}]
KINDS = {
    "positive": [*NUMBERS, 0],
    "nonnegative": [*NUMBERS, -NEAR],
    "eps0": [*NUMBERS, 0, 301],
    "unit": [*NUMBERS, 0, 1, 1.5],
    "probability": [*NUMBERS, -NEAR, 1 + NEAR],
    "probability below 1": [*NUMBERS, -NEAR, 1],
    "rate": [*NUMBERS, 0, 1 + NEAR],
    "mass": [NAN, INF, -1, 0, 1.5, 1e-9, "3", True, 1j],
    "count": [*NUMBERS, 0, 1.5, 2.0],
    "count from 2": [*NUMBERS, 0, 1, 2.5],
    "count up to 10": [*NUMBERS, 0, 11],
    "whole order": [NAN, INF, -1, 0, 1, 2.5, 1e12, *WRONG_TYPES, [], [2, NAN], [2, 1], ["2"], [[2], [3, 4]]],
    "order": [NAN, INF, -1, 0, 1, *WRONG_TYPES, [], [2, NAN], [2, 1], ["2"], [[2], [3, 4]]],
    "one order from 1": [NAN, -1, 0, 1 - NEAR, *WRONG_TYPES, [2.0]],
    "orders from 1": [NAN, INF, -1, 0, 1 - NEAR, *WRONG_TYPES, [], [2, NAN], ["2"]],
    "counts from 1": [NAN, INF, -1, 0, 1 - NEAR, *WRONG_TYPES, [], [2, NAN]],
    "nonnegative array": [NAN, INF, -1, -NEAR, *WRONG_TYPES, [], [1, NAN], [1, -NEAR]],
    "logarithms": [NAN, *WRONG_TYPES, [], [0, NAN], ["0"]],
    "law": [NAN, INF, -1, 0.5, *WRONG_TYPES, [], [NAN, 1], [INF, 0], [-1, 2], [0.5, 0.6], [[1], [0.5, 0.5]]],
    "rows": [NAN, -1, 0.5, *WRONG_TYPES, [], [0.5, 0.5], [[NAN, 1]], [[2, -1]], [[0.5, 0.6]], [["a", "b"]]],
    "norm": [NAN, -1, 0, 1 - NEAR, "3", None, True, 1j],
    "ratio": [NAN, INF, -1, 0, 1, 2.5, 10**200, Fraction(1, 2), "3", True, 1j],
    "odds": [NAN, INF, -1, 0, 1, 10**200, "3", None, True, 1j],
    "index": [NAN, INF, -1, 2, 0.5, "3", None, True, 1j],
    "channel": [NAN, "3", None, True, ROWS],
    "definition": [NAN, "3", None, True, (2, 2, ()), definitions.Definition(2, 2, ())],
    "function": [NAN, 3, "3", None],
    "rng": [NAN, 3, "3", None, np.random],
    "word": [NAN, 3, "3", None, True],
    "inputs": [NAN, INF, -1, 2, "3", None, True, 1j, [0, -1], [0.5]],
    "histogram": [NAN, INF, -1, *WRONG_TYPES, [1], [1, -1], [1, NAN], [0, 0]],
    "finite": [NAN, INF, -INF, *WRONG_TYPES],
    "words": ["3", 3, None, [], [3]],
    "id": ["x:none", "", None, 3],
    "side": [NAN, -INF, *WRONG_TYPES, [], [1, NAN], ["a"]],
    "bound": [NAN, INF, *WRONG_TYPES, [], [1, NAN]],
    "free": [],  # names, labels, switches, and what other tests are about
}

HEXAGON = (0, Fraction(1, 4), 0, 0, Fraction(3, 4), 0)  # binary randomized response at E = 3
CLAIM, FALSE_CLAIM = "girgis2021:thm6", "girgis2021:eq36"
EPS0_N_K = {"eps0": (1.0, "eps0"), "n": (10, "count"), "k": (5, "count up to 10")}
COUNTS = {"eps0": (1.0, "eps0"), "n": (10, "count")}
NORM = {"p": (2, "norm"), "d": (3, "count"), "L": (1.0, "positive"), "eps0": (1.0, "eps0")}
LEVEL = {"eps0": (1.0, "eps0"), "ratio": (None, "free")}
BALLE = {"eps": (0.5, "nonnegative"), **COUNTS, "mass": (0.5, "mass")}

# Every public function and class: a call that is fine, and of what kind each argument is.
TABLE = {
    bracket.bracket: {"lower": (0.0, "free"), "upper": (1.0, "free")},  # see test_bracket
    claims.verify: {
        "claim_id": (CLAIM, "id"),
        "lhs": (1, "side"),
        "rhs": (2, "bound"),
        "over": (None, "free"),
        "relation": ("<=", "word"),
        "corrected": (False, "free"),
        "decides": (True, "free"),  # see test_claims
    },
    claims.refute: {
        "claim_id": (FALSE_CLAIM, "id"),
        "lhs": (2, "side"),
        "rhs": (1, "bound"),
        "at": ({}, "free"),
        "relation": ("<=", "word"),
    },
    claims.table: {"paper": ("girgis2021", "free")},
    divergences.hockey_stick: {"p": (P, "law"), "q": (Q, "law"), "alpha": (1.5, "nonnegative array")},
    divergences.total_variation: {"p": (P, "law"), "q": (Q, "law")},
    divergences.renyi_moment: {"p": (P, "law"), "q": (Q, "law"), "order": (2, "order")},
    divergences.log_renyi_moment: {
        "loss": ([0.1, -0.1], "logarithms"),
        "log_q": ([-0.7, -0.7], "logarithms"),
        "order": (2, "order"),
    },
    divergences.renyi: {"p": (P, "law"), "q": (Q, "law"), "order": (2, "one order from 1")},
    divergences.ternary: {"p": (P, "law"), "q": (Q, "law"), "r": (R, "law"), "order": (2, "one order from 1")},
    divergences.pearson_vajda: {"p": (P, "law"), "r": (R, "law"), "order": (2, "one order from 1")},
    exact.histogram_law: {"rows": (ROWS, "rows")},
    exact.sampled_law: {"rows": (ROWS * 5, "rows"), "k": (2, "count up to 10")},
    exact.neighbours: {"channel": (RR(2, 1.0), "channel"), "n": (10, "count"), "k": (2, "free")},
    exact.triples: {"channel": (RR(2, 1.0), "channel"), "n": (10, "count"), "k": (2, "free")},
    exact.pair: {"definition": (definitions.Definition(2, 3, (definitions.clones(2.0),)), "definition")},
    exact.law: {"numbers": ([1, 2], "free")},
    exact.ternary: {"channel": (RR(2, 1.0), "channel"), "clones": (2, "count"), "order": (2, "one order from 1")},
    explore.linear: {
        "low": (0, "finite"),
        "high": (4, "finite"),
        "start": (2, "finite"),
        "step": (0.5, "positive"),
        "label": ("", "free"),
    },
    explore.log10: {"low": (0, "finite"), "high": (4, "finite"), "start": (2, "positive"), "label": ("", "free")},
    explore.whole: {"low": (0, "finite"), "high": (4, "finite"), "start": (2, "finite"), "label": ("", "free")},
    explore.choice: {"options": (["a"], "words"), "label": ("", "free")},
    explore.Explorer: {"draw": (lambda: None, "function"), "controls": ({}, "free")},
    figures.panels: {"count": (2, "count"), "width": (4.2, "free"), "height": (3.6, "free")},
    randomizers.Channel: {"probs": (ROWS, "rows"), "name": ("", "free")},
    randomizers.Channel.sample: {"self": (RR(2, 1.0), "free"), "x": (1, "inputs"), "rng": (RNG, "rng")},
    randomizers.Channel.estimate: {"self": (RR(2, 1.0), "free"), "histogram": ([1, 2], "histogram")},
    randomizers.checked_channel: {"named": ({"channel": RR(2, 1.0)}, "free")},  # see test_randomizers
    randomizers.checked_input: {"channel": (RR(2, 1.0), "channel"), "named": ({"x": 1}, "free")},
    randomizers.RandomizedResponse: {"k": (3, "count from 2"), **LEVEL},
    randomizers.HadamardResponse: {"k": (3, "count from 2"), **LEVEL},
    randomizers.DiscretizedLaplace: {"k": (3, "count from 2"), "eps0": (1.0, "eps0")},
    randomizers.random_channel: {
        "inputs": (3, "count from 2"),
        "outputs": (3, "count from 2"),
        **LEVEL,
        "rng": (RNG, "rng"),
    },
    attack_search.vertices: {"ratio": (3, "odds")},
    attack_search.extreme_weights: {"ratio": (3, "odds")},
    attack_search.chi_square: {"ratio": (3, "odds"), "weights": (HEXAGON, "law")},
    attack_search.worst_chi_square: {"ratio": (3, "odds")},
    attack_search.clone_chi_square: {"ratio": (3, "odds")},
    attack_search.limit_ratio: {"ratio": (3, "odds")},
    attack_search.channel_of: {"ratio": (3, "odds"), "weights": (HEXAGON, "law")},
    attack_search.limit_chi_square: {
        "channel": (RR(2, 1.0), "channel"),
        "x0": (0, "index"),
        "x1": (1, "index"),
        "shares": ([0.5, 0.5], "law"),
    },
    attack_search.attack_epsilon: {
        "ratio": (3, "odds"),
        "weights": (HEXAGON, "law"),
        "n": (10, "count"),
        "population": (10_000, "count"),
        "rounds": (1, "count"),
        "delta": (0.1, "unit"),
        "rtol": (0.1, "positive"),
    },
    attack_search.estimated_epsilon: {
        "ratio": (3, "odds"),
        "weights": (HEXAGON, "law"),
        "n": (10, "count"),
        "population": (10_000, "count"),
        "rounds": (100, "count"),
        "delta": (0.1, "unit"),
    },
    swaps.swapped_view: {
        "channel": (RR(2, 1.0), "channel"),
        "others": ([0, 1, 1], "free"),
        "k": (2, "count from 2"),
        "x0": (0, "index"),
        "x1": (1, "index"),
    },
    swaps.order_two_bound: {"ratio": (3, "odds"), "k": (2, "count from 2"), "population": (10, "count")},
    balle2019.condition: {"n": (10, "count"), "delta": (0.1, "unit")},
    balle2019.hoeffding: BALLE,
    balle2019.bennett: BALLE,
    balle2019.epsilon: {"delta": (0.1, "unit"), **COUNTS, "mass": (0.5, "mass"), "inequality": ("bennett", "word")},
    comparisons.clones_strong_composition: {
        **EPS0_N_K,
        "T": (3, "count"),
        "delta": (0.1, "unit"),
        "amplification": ("numerical", "word"),
        "composition": ("simplified", "word"),
    },
    comparisons.shuffle_then_sample_rdp: {
        "order": (2, "whole order"),
        **EPS0_N_K,
        "weak": (False, "free"),
        "simplified": (False, "free"),
    },
    comparisons.shuffle_then_sample: {
        **EPS0_N_K,
        "T": (3, "count"),
        "delta": (0.1, "unit"),
        "weak": (False, "free"),
        "simplified": (False, "free"),
    },
    dwork2010.advanced: {"eps": (0.1, "nonnegative"), "T": (3, "count"), "delta_slack": (0.1, "unit")},
    feldman2021.condition: {"n": (10, "count"), "delta": (0.1, "unit")},
    feldman2021.condition_corrected: {"n": (10, "count"), "delta": (0.1, "unit")},
    feldman2021.closed_form: {"eps0": (0.1, "eps0"), "n": (10_000, "count"), "delta": (0.1, "unit")},
    feldman2021.delta: {"eps": (0.1, "nonnegative"), **COUNTS},
    feldman2021.epsilon: {"delta": (0.1, "unit"), **COUNTS},
    girgis2021ccs.general: {"order": (2, "whole order"), **COUNTS},
    girgis2021ccs.simplified: {"order": (2, "whole order"), **COUNTS},
    kairouz2015.optimal: {
        "eps": (0.1, "nonnegative"),
        "delta": (0.0, "probability below 1"),
        "T": (3, "count"),
        "delta_total": (0.1, "unit"),
    },
    kairouz2015.simplified: {"eps": (0.1, "nonnegative"), "T": (3, "count"), "delta_slack": (0.1, "unit")},
    ullman2017.subsample: {"eps": (0.1, "nonnegative"), "delta": (0.1, "probability"), "gamma": (0.1, "rate")},
    wang2019.thm9: {
        "order": (2, "whole order"),
        "eps_of_order": (lambda j: 0.1 * j, "function"),
        "eps_inf": (1.0, "positive"),
        "gamma": (0.1, "rate"),
    },
    wang2019.thm9_weak: {
        "order": (2, "whole order"),
        "eps_of_order": (lambda j: 0.1 * j, "function"),
        "gamma": (0.1, "rate"),
    },
    girgis2021.lemma1: {
        "eps_of_order": (0.1, "nonnegative array"),
        "order": (2.5, "order"),
        "delta": (0.1, "unit"),
    },
    girgis2021.lemma1_delta: {
        "eps_of_order": (0.1, "nonnegative array"),
        "order": (2.5, "order"),
        "eps": (0.1, "nonnegative"),
    },
    girgis2021.lemma2: {
        "order": (2, "whole order"),
        "log_zeta": (lambda j: 0.0 * j, "function"),
        "gamma": (0.1, "rate"),
    },
    girgis2021.thm1: {"order": (2, "whole order"), **EPS0_N_K},
    girgis2021.thm1_terms: {"order": (2, "whole order"), **EPS0_N_K},
    girgis2021.thm1_real_order: {"order": (2.5, "order"), **EPS0_N_K, "cap": (1.0, "free")},
    renyi.thm1_at_least: {"order": (2, "whole order"), **EPS0_N_K},
    girgis2021.thm2: {"order": (2.5, "order"), **EPS0_N_K},
    girgis2021.thm3_privacy: {**EPS0_N_K, "T": (3, "count"), "delta": (0.1, "unit")},
    girgis2021.kbar: {"eps0": (1.0, "eps0"), "k": (5, "count")},
    girgis2021.lemma7: {"m": (3, "counts from 1"), "order": (2, "orders from 1"), "eps0": (1.0, "eps0")},
    girgis2021.thm6: {"m": (3, "counts from 1"), "order": (2, "orders from 1"), "eps0": (1.0, "eps0")},
    girgis2021.thm4: {"order": (2, "orders from 1"), "eps0": (1.0, "eps0"), "k": (5, "count")},
    girgis2021.thm4_averaged: {"order": (2, "orders from 1"), "eps0": (1.0, "eps0"), "k": (5, "count")},
    girgis2021.eq36_tail: {"order": (2, "orders from 1"), "eps0": (1.0, "eps0")},
    girgis2021.eq36_tail_middle: {"order": (2, "orders from 1"), "eps0": (1.0, "eps0")},
    girgis2021.eq36_tail_corrected: {"order": (2, "orders from 1"), "eps0": (1.0, "eps0")},
    girgis2021.remark1_second_moment: NORM,
    girgis2021.lemma9_step_b: {**NORM, "k": (5, "count")},
    girgis2021.eq48: {**NORM, "n": (5, "count")},
    girgis2021.eq48_corrected: {**NORM, "k": (5, "count")},
    girgis2021.thm3_gradient_bound: {**NORM, "k": (5, "count")},
    girgis2021.eq49: {"T": ([1, 2], "counts from 1"), "diameter": (1.0, "positive"), "G": (1.0, "positive")},
    girgis2021.thm3_convergence: {
        "T": ([1, 2], "counts from 1"),
        "diameter": (1.0, "positive"),
        **NORM,
        "k": (5, "count"),
    },
}
# A ratio stands in for eps0, and takes its place.
RATIOS = [
    (randomizers.RandomizedResponse, {"k": 3}),
    (randomizers.HadamardResponse, {"k": 3}),
    (randomizers.random_channel, {"inputs": 3, "outputs": 3, "rng": RNG}),
]
# Read and shown, never computed with; or what a check returns, made by the package alone.
ELSEWHERE = {
    "figures": {"style", "lines", "bound_and_truth", "guaranteed_and_reached", "regions", "bars"},
    "claims": {"load", "Claim", "Settled", "VerdictError", "compare_runs"},  # the last: see test_claims
    "bracket": {"Bracket", "Ends", "Reached", "WideAnswer", "between", "said"},
    "exact": {
        *("Neighbours", "Triple", "TwoLaws", "View", "add", "aligned"),
        # Of random check-ins: their arguments are data sets in fractions, and tested where their laws are.
        *("averaged_updates", "bins", "fixed_window", "neighbours_of", "one_replacement", "one_swap"),
        *("shuffled_data", "sliding_window", "transcript"),
    },
    "girgis2021": {"GradientBound", "PrivacyAtOrder"},
    "swaps": {"SwappedView"},
    # Exact laws and formulas with arguments of many kinds, and the settings of a paper's figures: tested where their
    # numbers are.
    **dict.fromkeys(("balle2020", "koskela2023", "liew2022", "figures_girgis2021")),
    **dict.fromkeys(("check_ins", "clone_search", "clone_sequences", "dominance", "few", "game", "scores", "views")),
    **dict.fromkeys(("few_slots", "slots", "windows", "rows")),
    **dict.fromkeys(("few_bench", "figures_bench", "experiments_girgis2021", "printed")),
}


def call(function, values):
    """The function, its ``**controls`` or ``**named`` spread out."""
    spread = values.pop("controls", {}) | values.pop("named", {})
    return function(**values, **spread)


CASES = [
    pytest.param(function, argument, bad, id=f"{function.__module__}.{function.__qualname__}-{argument}-{bad!r:.40}")
    for function, arguments in TABLE.items()
    for argument, (_, kind) in arguments.items()
    for bad in KINDS[kind]
]


@pytest.mark.parametrize("function", TABLE, ids=lambda f: f"{f.__module__}.{f.__qualname__}")
def test_the_table_knows_every_argument_and_its_calls_are_fine(function, capsys):
    arguments = TABLE[function]
    assert list(arguments) == list(inspect.signature(function).parameters)
    call(function, {name: good for name, (good, _) in arguments.items()})
    capsys.readouterr()


@pytest.mark.parametrize(("function", "argument", "bad"), CASES)
def test_bad_input_is_named(function, argument, bad):
    values = {name: good for name, (good, _) in TABLE[function].items()}
    with pytest.raises((ValueError, TypeError)) as error:
        call(function, {**values, argument: bad})
    assert re.search(rf"\b{argument}\b", str(error.value)), str(error.value)


@pytest.mark.parametrize(("function", "values"), RATIOS)
@pytest.mark.parametrize("bad", KINDS["ratio"], ids=lambda bad: f"{bad!r:.20}")
def test_bad_ratios_are_named(function, values, bad):
    function(**values, ratio=3)
    with pytest.raises((ValueError, TypeError), match="ratio must be a whole number or a Fraction above 1"):
        function(**values, ratio=bad)


@pytest.mark.parametrize("call", [exact.neighbours, exact.triples])
@pytest.mark.parametrize("bad", [value for value in KINDS["count up to 10"] if value is not None])
def test_the_sample_may_be_left_out_but_not_wrong(call, bad):
    with pytest.raises((ValueError, TypeError), match="k must be a whole number of at least 1 and at most 10"):
        call(RR(2, 1.0), 10, bad)


@pytest.mark.parametrize("bad", [NAN, -1, 0, "3", None, True, 1j])
def test_a_cap_may_be_infinite_but_not_wrong(bad):
    with pytest.raises((ValueError, TypeError), match="cap must be positive"):
        girgis2021.thm1_real_order(2.5, 1.0, 10, 5, cap=bad)


def public(module):
    """The functions and classes that a module offers."""
    own = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    offered = {name: getattr(module, name) for name in own}
    return {
        name: thing
        for name, thing in offered.items()
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and thing.__module__.startswith(module.__name__)
    }


MODULES = [
    *(bracket, claims, divergences, exact, explore, figures, randomizers),
    *(
        importlib.import_module(f"{room.__name__}.{info.name}")
        for room in (shufflekit.beyond, shufflekit.papers)
        for info in pkgutil.iter_modules(room.__path__)
        if not info.name.startswith("_")
    ),
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_nothing_public_is_missing_from_the_table(module):
    short = module.__name__.rsplit(".", 1)[1]
    elsewhere = ELSEWHERE.get(short, set())
    if elsewhere is None:
        return
    missing = {name for name, thing in public(module).items() if thing not in TABLE}
    assert missing <= elsewhere
