"""What is refused, and in which words, where tests/test_bad_input.py does not ask; and what just passes."""

import math
import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import RandomizedResponse, certify, divergences, sgd
from shufflekit.atoms import Atoms
from shufflekit.beyond import slots
from shufflekit.exact import check_ins, transcripts
from shufflekit.loss_distribution import contour
from shufflekit.papers import balle2019
from shufflekit.papers.girgis2021 import renyi
from shufflekit.papers.koskela2023 import fourier, sampling, truncation
from shufflekit.papers.liew2022 import lemmas

HALF, COIN = Fraction(1, 2), RandomizedResponse(2, ratio=3)
PAIR = Atoms(np.array([-1.0, 1.0]), -np.log1p(np.exp([-1.0, 1.0])))
REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: PAIR._replace(infinite=0.1).reversed(), ValueError, "a pair with infinite losses has no listed reverse"),
    (lambda: slots.strategy([COIN], [0.5], 2.0), ValueError, "channels must have 3 inputs each"),
    (
        lambda: slots.checked_weights([]),
        ValueError,
        "weights must be one or more chances that sum to at most 1, got []",
    ),
    (lambda: slots.checked_weights([0.5, 0.6]), ValueError, "weights must be one or more chances"),
    (lambda: slots.checked_weights([1.0, -0.1]), ValueError, "weights must be one or more chances"),
    (lambda: certify.composition([], 0.1), ValueError, "pairs must be one or more pairs of laws, got none"),
    (lambda: certify.composition([([1], [HALF, HALF])], 0.1), ValueError, "p and q must have the same outcomes"),
    (lambda: certify.composition([[HALF]], 0.1), TypeError, "pairs must hold pairs of laws (P, Q)"),
    (lambda: divergences.renyi([1.0], [0.5, 0.5], 2.0), ValueError, "the laws must have the same number of outcomes"),
    (lambda: check_ins.one_replacement(COIN, [0, 1], [HALF], 0), ValueError, "weights must be 2 chances from 0 to 1"),
    (
        lambda: check_ins.one_replacement(COIN, [0, 1], [HALF, 2], 0),
        ValueError,
        "weights must be 2 chances from 0 to 1",
    ),
    (lambda: transcripts.chooser(3), TypeError, "choose must be a channel, or a function from what was seen"),
    (lambda: contour.contour_delta([PAIR], 3, 0.1), TypeError, "atoms must be Atoms of a listed pair, got list"),
    (
        lambda: contour.contour_delta(Atoms(np.array([]), np.array([])), 3, 0.1),
        ValueError,
        "atoms must hold at least one loss",
    ),
    (lambda: balle2019.epsilon(1e-6, 1.0, 100, mass=0.3), ValueError, "mass must be from e^-eps0 = 0.367879 to 1"),
    (lambda: renyi.lemma2(3, 0.5, 0.1), TypeError, "log_zeta must be a function of an array of orders, got 0.5"),
    (lambda: renyi.lemma2(3, lambda j: 0.0 * j[:, None], 0.1), ValueError, "log_zeta must return a number below inf"),
    (lambda: renyi.lemma2(3, lambda j: j + np.inf, 0.1), ValueError, "log_zeta must return a number below inf"),
    (lambda: fourier.tilt_towards(PAIR, 3, 3.0), ValueError, "loss must be below the largest loss of all rounds"),
    (lambda: sampling.connect_the_dots([0, 2, 1], [1, 0, 0]), ValueError, "alpha must rise from 0"),
    (lambda: sampling.connect_the_dots([0, 1], [1, 0, 0]), ValueError, "alpha must rise from 0"),
    (lambda: sampling.connect_the_dots([1, 2], [1, 0]), ValueError, "alpha must rise from 0"),
    (lambda: sampling.connect_the_dots([0, 1, 2], [1, 1, 0]), ValueError, "profile must be convex"),
    (lambda: truncation.appendix_b([]), ValueError, "taus must be one or more masses from 0 to 1, got []"),
    (lambda: truncation.appendix_b([0.1, 1.1]), ValueError, "taus must be one or more masses"),
    (
        lambda: lemmas.lemma4_bound(lambda k: 1 / k, 10, 1.0, 0.0),
        ValueError,
        "Delta must make (1 - Delta) n gamma less",
    ),
    (lambda: COIN.sample([0.5], np.random.default_rng(0)), TypeError, "x must hold inputs from 0 to 1, got [0.5]"),
    (lambda: COIN.sample([0, 2], np.random.default_rng(0)), ValueError, "x must hold inputs from 0 to 1, got [0, 2]"),
    (lambda: COIN.sample([-1], np.random.default_rng(0)), ValueError, "x must hold inputs from 0 to 1, got [-1]"),
    (
        lambda: sgd.projected_sgd(lambda x, rng: x[:1], [0.5, 0.0], 3, radius=1.0, G=1.0, rng=np.random.default_rng(0)),
        ValueError,
        "the gradient must have the shape (2,) of start, got (1,)",
    ),
    (
        lambda: sgd.projected_sgd(lambda x, rng: x, [1.1], 3, radius=1.0, G=1.0, rng=np.random.default_rng(0)),
        ValueError,
        "start must lie in the ball of radius 1, got one of length 1.1",
    ),
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED, ids=[f"{i}" for i in range(len(REFUSED))])
def test_it_is_refused_in_these_words(call: Callable[[], object], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call()


def test_what_just_passes() -> None:
    assert PAIR.reversed().loss.tolist() == [-1.0, 1.0]
    assert slots.checked_weights([0.5, 0.5]) == (0.5, 0.5)
    assert slots.checked_weights([0]) == (0,)
    assert truncation.appendix_b([HALF, 1, 0]) == (1, Fraction(3, 2))
    assert 0 < balle2019.epsilon(1e-6, 1.0, 10**6, mass=math.exp(-1)) <= 1
    assert COIN.sample([0, 1, 1], np.random.default_rng(0)).shape == (3,)
    start = sgd.projected_sgd(lambda x, rng: 0 * x, [1.0], 1, radius=1.0, G=1.0, rng=np.random.default_rng(0))
    assert start.tolist() == [[1.0], [1.0]]
