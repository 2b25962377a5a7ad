"""Where the arguments of [balle2020], [koskela2023] and [liew2022] end: the ends are taken, and nothing beyond them.

``tests/test_bad_input.py`` asks the other papers about values that are far outside; here are the nearest ones.
"""

import inspect
import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

from shufflekit.atoms import Atoms
from shufflekit.papers.balle2020 import (
    approximate,
    composition,
    dummies,
    epochs,
    loads,
    replacement,
    shuffling,
    utility,
)
from shufflekit.papers.koskela2023 import figure1, fourier, gaussian, losses, sampling_accountant, truncation, views
from shufflekit.papers.liew2022 import (
    baseline,
    counts,
    distributed,
    gaussians,
    hidden_count,
    lemmas,
    lower,
    removal,
    response,
    upper,
)
from shufflekit.protocols import Shuffle

NEAR = 1e-9


class Range(NamedTuple):
    """A value that is fine, the ends that are taken, and the nearest values that are not."""

    fine: Any
    taken: tuple[Any, ...] = ()
    refused: tuple[Any, ...] = ()


def whole(fine: int, least: int = 1, most: int | None = None) -> Range:
    return Range(
        fine, (least,) if most is None else (least, most), (least - 1,) if most is None else (least - 1, most + 1)
    )


EPS0 = Range(0.5, (1e-3,), (0.0, -NEAR, 300.1))
UNIT = Range(0.5, (0.0, 1.0), (-NEAR, 1 + NEAR))
CHANCE = Range(0.01, (NEAR, 1 - NEAR), (0.0, 1.0))
RATE = Range(0.5, (NEAR, 1.0), (0.0, 1 + NEAR))
FROM_0 = Range(0.5, (0.0,), (-NEAR, math.inf))
FROM_0_LISTED = Range([0.5, 0.7], ([0.0, 0.5], 0.5), ([0.5, -NEAR], math.inf))
POSITIVE = Range(1.0, (1e-3,), (0.0, -NEAR, math.inf))
NUMBERS = Range(1, (1, [1, 2]), (1 - NEAR, [2, 1 - NEAR], math.inf))  # in formulas that take any number from 1 on
ORDERS = Range(3, (2, [2, 5]), (1, [2, 1], 2.5, [2, 2.5]))
EXPONENTS = Range([0.5, 0.7], ([0.0, 0.5], 0.5, 300.0), ([0.5, -NEAR], 300.1))
RATIO = Range(3, (Fraction(1001, 1000),), (1, 1 - NEAR))
LISTED = Range(Atoms(np.array([-0.5, 0.5]), -np.log1p(np.exp([-0.5, 0.5]))))
RNG = Range(np.random.default_rng(0))

# By the name of an argument, in all functions of a paper.
BALLE2020 = {
    **{"eps0": EPS0, "delta": CHANCE, "delta1": CHANCE, "delta2": CHANCE, "beta": CHANCE, "b": CHANCE},
    **{
        "eps": FROM_0,
        "eps1": FROM_0,
        "sigma": FROM_0,
        "x": Range(0.5, (0.0,), (-NEAR, 1.0)),
        "delta0": Range(0.0, (), (-NEAR,)),
    },
    **{"q": UNIT, "p0": UNIT, "w_max": UNIT, "a": POSITIVE, "c": POSITIVE, "R": POSITIVE, "L": POSITIVE},
    **{"second_moment": POSITIVE, "kappa": FROM_0, "n": whole(9), "m": whole(1), "p": whole(3), "T": whole(3)},
    **{"i": NUMBERS, "k": whole(4), "calls": whole(3), "mean": Range(1.0, (1e-300, 1e6), (0.0, 1e6 + 1))},
    "bin_sizes": Range([2, 1, 0], ([1],), ([2, -1], [0, 0], [0.5])),
}
KOSKELA2023 = {
    **{
        "eps": Range([0.5, 0.7], ([0.0, 0.5], 0.5), ([0.5, -NEAR], math.inf)),
        "eps0": EPS0,
        "delta": CHANCE,
        "gamma": CHANCE,
    },
    **{"tau": CHANCE, "sigma": POSITIVE, "L": POSITIVE, "width": POSITIVE, "step": POSITIVE, "reach": POSITIVE},
    **{
        "n": whole(4),
        "k": whole(3, 2),
        "n_c": whole(2),
        "rounds": whole(2),
        "m": Range(3, (1, 5), (0,)),
        "samples": whole(9, 2),
    },
    **{
        "a": whole(1, 1),
        "b": whole(1),
        "p": Range(None, (1 / 4,), (0, 1 / 4 + NEAR)),
        "ratio": RATIO,
        "rng": RNG,
        "size": whole(64, 2),
    },
    **{
        "clones": FROM_0_LISTED,
        "alpha": Range(1.5),
        "digits": whole(20),
        "loss": POSITIVE,
        "tilt": FROM_0,
        "rtol": Range(1e-2),
    },
    **{"pair": Range(Shuffle(0.5, 9, reduction="clones").pair), "n_alpha": Range(5, (3,), (1,))},
}
LIEW2022 = {
    **{
        "eps0": EPS0,
        "n": whole(8),
        "gamma": RATE,
        "delta": CHANCE,
        "delta_prime": CHANCE,
        "rho": CHANCE,
        "ratio": RATIO,
    },
    **{"order": ORDERS, "sigma": POSITIVE, "distance": POSITIVE, "Delta": Range(1.0, (0.0,), (-NEAR,))},
    **{"k": whole(3), "j": whole(2, 0), "rounds": whole(2), "cells": whole(64, 8), "f": Range(lambda k: 1 / k)},
    "log_cut": Range(-20.0),
}

MODULES: dict[ModuleType, dict[str, Range]] = {
    **dict.fromkeys((approximate, composition, dummies, epochs, loads, replacement, shuffling, utility), BALLE2020),
    **dict.fromkeys((figure1, fourier, gaussian, losses, sampling_accountant, truncation, views), KOSKELA2023),
    **dict.fromkeys((baseline, counts, distributed, gaussians, hidden_count, lemmas), LIEW2022),
    **dict.fromkeys((lower, removal, response, upper), LIEW2022),
}
# Where a name means something else, or an argument is bounded by another.
M_UP_TO_N = {"m": whole(2, 1, 9), "n": Range(9, (2,), (0,))}
LISTED_ORDER, ONE_OPEN = {"order": whole(3, 2)}, {"gamma": CHANCE}
MOMENT = {"order": whole(3, 0), "k": whole(2, 0)}
SHARE = {"p": Range(0.25, (NEAR, 0.5 - NEAR), (0, 0.5))}
SHORT = {"eps0": Range(0.5, (1.0,), (0.0, 1 + NEAR)), "delta": Range(0.001, (0.01,), (0.0, 0.01 + NEAR))}
# (1 + Delta) n gamma is a whole number.
MANY = {
    "Delta": Range(0.25, (0.0, 0.5), (-NEAR,)),
    "n": Range(8, (16,), (0,)),
    "gamma": Range(0.5, (0.1,), (0.0, 1 + NEAR)),
}
TWO_UP, HALF = Range(4, (2,), (0,)), Range(0.5, (0.01,), (0.0, 1.0))
OUTCOME = {"a": whole(1, 1, 4), "b": whole(0, 0, 3), "n": TWO_UP}
PAIRS: tuple[tuple[tuple[Callable[..., Any], ...], dict[str, Range]], ...] = (
    ((approximate.with_surrogate,), {"eps": Range(0.5, (0.0, math.inf), (-NEAR,))}),
    # A delta0 below what Lemma A.3 allows.
    ((approximate.thm_a4_condition,), {"delta0": CHANCE}),
    ((approximate.lemma_a3_distance,), {"delta0": Range(0.0, (0.0596,), (-NEAR, 0.0597))}),
    ((composition.eq2,), {"eps": FROM_0_LISTED}),
    ((composition.lemma_a2,), {"k": NUMBERS}),
    # Slots of no more than the clients.
    ((dummies.prop44_slot,), M_UP_TO_N | {"i": Range(1, (10, [1, 2]), (1 - NEAR, 10 + NEAR))}),
    ((dummies.prop44, dummies.prop44_corrected, dummies.prop44_bound), M_UP_TO_N),
    ((dummies.empty_chance, dummies.empty_chance_printed), {"n": NUMBERS, "m": NUMBERS}),
    ((dummies.prop34, dummies.prop34_bound), {"n": NUMBERS, "m": NUMBERS}),
    ((epochs.eq6, epochs.eq6_doubled), M_UP_TO_N),
    ((epochs.eq7, epochs.after_eq7, epochs.after_eq7_corrected), M_UP_TO_N),
    ((epochs.eq6_doubled_corrected,), M_UP_TO_N | {"beta": Range(0.01, (NEAR, 0.88249), (0.0, 0.8825, 1.0))}),
    (
        (epochs.cor33,),
        {
            "eps0": Range(0.5, (1.68,), (0.0, 1.69)),
            "n": Range(100, (17,), (0,)),
            "m": Range(1, (34,), (0,)),
            "beta": HALF,
        },
    ),
    ((replacement.thm_a4, replacement.thm43, replacement.thm32, replacement.thm32_printed), {"m": NUMBERS}),
    ((replacement.thm_a4_short, replacement.thm43_short, replacement.thm32_short), SHORT | {"m": NUMBERS}),
    ((replacement.thm_a4_line,), SHORT | {"m": NUMBERS, "delta": Range(0.01, (0.25,), (0.0, 0.25 + NEAR))}),
    ((replacement.thm32_approximate,), {"p0": RATE}),
    ((replacement.eq11,), {"m": Range(3, (1,), (0,)), "i": Range(1, (3, [1, 2]), (1 - NEAR, 3 + NEAR))}),
    ((shuffling.posterior_a7,), {"i": Range(1, (9, [1, 2]), (1 - NEAR, 9 + NEAR))}),
    ((shuffling.thm_a7, shuffling.thm51), {"n": NUMBERS}),
    ((shuffling.lemma_a6, shuffling.squared_load, shuffling.thm41), {"n": NUMBERS, "m": NUMBERS}),
    ((utility.last_iterate,), {"m": NUMBERS}),
    # 2 e^{-n p0/m} is below 1.
    (
        (utility.thm35, utility.thm35_corrected),
        {"n": Range(9, (2,), (0,)), "p0": Range(0.5, (1.0,), (-NEAR, 1 + NEAR))},
    ),
    ((utility.thm35_sharp,), {"p0": RATE}),
    ((utility.thm42_smooth,), {"m": NUMBERS, "beta": FROM_0}),
    ((utility.thm42_smooth_step,), {"beta": FROM_0, "kappa": POSITIVE}),
    (
        (fourier.fourier_accountant, fourier.tilt_towards),
        {"pair": LISTED, "loss": Range(0.3, (NEAR, 0.999), (0.0, 1.0))},
    ),
    ((gaussian.section5_orbits,), {"m": Range(3, (1, 64), (0, 65)), "eps": EXPONENTS}),
    (
        (gaussian.section5_hypercube, gaussian.section5_left_out),
        {"eps": EXPONENTS, "sigma": Range(1.0, (0.3,), (0.0, -NEAR))},
    ),
    ((views.thm13, views.thm13_corrected, views.thm16, views.thm16_corrected), {"eps": EXPONENTS}),
    (
        (views.enumerate_views,),
        {"others": Range([0, 1], ([0, 2], []), ([3], [-1])), "k": whole(3, 2), "adversary": Range("strong")},
    ),
    (
        (counts.fewer, distributed.eq11, lemmas.lemma4, lemmas.lemma4_printed, lemmas.lemma4_bound),
        {"Delta": Range(1.0, (0.0,), (-NEAR, 1 + NEAR))},
    ),
    ((upper.eq7, upper.eq7_corrected), {"Delta": Range(1.0, (0.0,), (-NEAR, 1 + NEAR))}),
    ((fourier.two_rounds,), {"pair": LISTED, "eps": FROM_0}),
    ((fourier.profile,), {"pair": LISTED, "alpha": FROM_0_LISTED}),
    # A row and a column of the table of outcomes.
    ((losses.lemma_a1,), {"a": whole(1), "b": whole(1)}),
    ((losses.lemma_a2, losses.lemma_a2_corrected), SHARE | {"a": whole(1, 1, 3), "b": whole(0, 0, 2), "n": TWO_UP}),
    ((losses.lemma_a4, losses.lemma_a4_corrected), SHARE | OUTCOME),
    ((losses.cor_a3, losses.cor_a3_corrected), OUTCOME),
    ((losses.section31_parts, losses.share), SHARE),
    ((truncation.given_clones,), {"alpha": Range(1.5, (1.0,), (1 - NEAR,))}),
    ((truncation.block_ends,), {"eps": FROM_0}),
    ((counts.more, distributed.thm4_lemma5, lemmas.lemma5, lemmas.lemma5_printed), MANY),
    ((distributed.falling_moment,), LISTED_ORDER | {"sigma": Range(1.0, (0.3,), (0.0, -NEAR))}),
    ((gaussians.alone,), {"k": whole(2, 0)}),
    ((gaussians.removed, gaussians.replaced, hidden_count.epsilon, hidden_count.listed), ONE_OPEN),
    ((removal.log_forth, removal.log_back, removal.log_printed), MOMENT),
    ((removal.thm5, removal.thm5_braces, removal.thm5_added, removal.thm5_removed), LISTED_ORDER | ONE_OPEN),
    ((response.lemma8,), LISTED_ORDER),
)
OTHERS = {function: own for functions, own in PAIRS for function in functions}
# Their arguments are laws and the like; some have limits of their own in tests/test_refusals.py.
ELSEWHERE: set[Callable[..., Any]] = {
    *(fourier.plain_eps, fourier.true_eps, gaussian.call),  # of pairs and points that the benches make
    *(losses.thm6, losses.thm6_corrected, losses.eq34, losses.added, losses.from_losses, losses.in_digits),
    *(truncation.lost_mass, truncation.kept_atoms, truncation.lost_clone_mass, truncation.appendix_b),
    *(views.thm15_readings, views.eq24, views.eq24_corrected),
    *(lemmas.average, removal.weight, removal.printed_weight, response.eq21, response.checked_in),
}


def functions() -> Iterator[Callable[..., Any]]:
    for module in MODULES:
        own = [thing for name, thing in vars(module).items() if not name.startswith("_") and inspect.isfunction(thing)]
        yield from (thing for thing in own if thing.__module__ == module.__name__ and thing not in ELSEWHERE)


def ranges(function: Callable[..., Any]) -> dict[str, Range]:
    known = MODULES[inspect.getmodule(function)] | OTHERS.get(function, {})
    return {name: known[name] for name in inspect.signature(function).parameters}


@pytest.mark.parametrize(
    "function", [*functions()], ids=lambda one: f"{one.__module__.rpartition('.')[2]}.{one.__name__}"
)
def test_the_ends_are_taken_and_nothing_beyond_them(function: Callable[..., Any]) -> None:
    own = ranges(function)
    fine = {name: one.fine for name, one in own.items()}
    function(**fine)
    for name, one in own.items():
        for value in one.taken:
            function(**fine | {name: value})
        for value in one.refused:
            with pytest.raises(ValueError, match=rf"\b{re.escape(name)} must"):
                function(**fine | {name: value})
