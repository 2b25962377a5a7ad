"""delta just below 1, from below, against all outcomes."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from shufflekit import DistributedCheckIn, Shuffle, SlidingCheckIn
from shufflekit.atoms import Atoms
from shufflekit.loss_distribution import Composition, Part
from shufflekit.loss_distribution.nearly_all import nearly_all
from shufflekit.loss_distribution.parts import leftover
from shufflekit.protocols import answers
from shufflekit.protocols.answers import guaranteed_delta
from shufflekit.randomizers import DiscretizedLaplace


def law(loss: list[float], weight: list[float], held: float) -> Atoms:
    """Losses with these P-masses, of which so much is held."""
    p = np.array(weight[: len(loss)]) / sum(weight[: len(loss)]) * held
    order = np.argsort(loss)
    return Atoms(np.array(loss)[order], np.log(p[order]) - np.array(loss)[order])


def exact(atoms: Atoms, rounds: int, eps: float) -> float:
    p = np.exp(atoms.log_q + atoms.loss)
    return math.fsum(
        math.prod(p[list(ways)]) * -math.expm1(min(eps - atoms.loss[list(ways)].sum(), 0.0))
        for ways in itertools.product(range(len(p)), repeat=rounds)
    )


@given(
    st.lists(st.floats(-1, 6), min_size=1, max_size=4, unique=True),
    st.lists(st.floats(0.01, 1), min_size=4, max_size=4),
    st.sampled_from([1.0, 0.999, 0.5]),
    st.integers(1, 5),
    st.floats(0, 8),
)
def test_never_above_delta(loss, weight, held, rounds, eps):
    parts = [Part(law(loss, weight, held), rounds)]
    found = nearly_all(parts, leftover(parts), eps)
    assert 0 <= found <= exact(parts[0].pair, rounds, eps)


def test_close_where_nearly_all_losses_are_larger():
    """Two losses, of which the smaller one is rare: how often it comes is binomial."""
    parts = [Part(law([0.1, 3.0], [1e-3, 1.0], 1.0), 40)]
    for eps in (60.0, 90.0, 110.0):
        k = np.arange(41.0)
        rest = float(binom.pmf(k, 40, 1e-3 / 1.001) @ np.exp(np.minimum(eps - 120 + 2.9 * k, 0.0)))
        assert rest / 2 <= 1 - nearly_all(parts, leftover(parts), eps) <= 30 * rest + 1e-9
    assert nearly_all(parts, leftover(parts), 121.0) == 0


@pytest.mark.parametrize(
    ("rounds", "eps"),
    [
        (Shuffle(eps0=3.615, n=26, population=31, reduction="clones2021") * 5329, 5097.98),
        (SlidingCheckIn(eps0=2.494, window=55, clients=35) * 164_500, 24_344.0),
    ],
)
def test_where_delta_is_all_but_1(rounds, eps):
    """Ends were .36 and 1, and .62 and 1."""
    found = guaranteed_delta(rounds, eps)
    assert 1 - 1e-6 < found.lower <= found.upper == 1


def test_where_an_attack_reaches_nearly_1_no_more_is_looked_for(monkeypatch):
    """A game of few reports took two seconds, to say that delta is 1 at most."""
    run = Shuffle(n=20, randomizer=DiscretizedLaplace(3, eps0=2.0)) * 10_000
    usual = run.delta(1.0)
    monkeypatch.setattr(answers, "guaranteed_delta", None)
    assert run.delta(1.0) == (usual.lower, 1.0)
    assert usual.lower >= 1 - 1e-5
    with pytest.raises(TypeError, match="not callable"):
        run.delta(20_000.0)


def test_certain_losses_are_larger_or_not():
    always = Atoms(np.array([2.0]), np.array([-2.0]))
    assert Composition([Part(always, 3)]).delta(1.0, 1e-4).lower == pytest.approx(-math.expm1(-5.0), abs=1e-9)


@pytest.mark.parametrize("rounds", [1, 2, 87_140])
def test_what_is_told_for_certain_is_told(rounds):
    """All come, and who is removed is missed: delta is 1 at any eps. Of many rounds ends were 0 and 1."""
    found = (DistributedCheckIn(0.4975, population=2258, rate=1.0, neighbours="remove", distance=2.0) * rounds).delta(
        0.4
    )
    assert found.lower > 1 - 1e-6
    assert found.upper == 1
