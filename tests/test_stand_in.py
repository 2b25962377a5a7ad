"""What stands in for a pair of which little depends: never below it, nor below what is really reached."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import DiscretizedLaplace, HadamardResponse, RandomCheckIn, RandomizedResponse, Shuffle, ShuffledCheckIn
from shufflekit.dominating_pairs import stand_in
from shufflekit.randomizers import random_channel

EPS = np.array([0.0, 0.01, 0.05, 0.2, 0.5, 1.0, 2.0, 3.0])
CHANNELS = [
    RandomizedResponse(3, 1.0),
    RandomizedResponse(30, 0.1),
    HadamardResponse(8, 2.0),
    DiscretizedLaplace(4, 3.0),
]
GAMES = [
    Shuffle(1.0, 40),
    Shuffle(4.0, 1_000, population=5_000),
    ShuffledCheckIn(2.0, 300, 0.2),
    RandomCheckIn(1.0, slots=200, clients=300, participation=0.5),
    RandomCheckIn(1.0, slots=200, clients=300, participation=0.5, empty="skipped"),
    RandomCheckIn(0.5, slots=5_000, clients=40, empty="skipped"),
    RandomCheckIn(3.0, slots=200),
]


def above_all_attacks(protocol, eps=EPS):
    other = stand_in(protocol.pair)
    for way in (other, other.reversed()):
        upper = way.delta(eps, 1e-4).upper
        for attack in protocol.attacks:
            for reached in (attack.pair, attack.pair.reversed()):
                assert (upper >= reached.delta(eps, 1e-4).lower * (1 - 1e-9) - 1e-12).all()


@pytest.mark.parametrize("protocol", GAMES, ids=repr)
def test_a_game_falls_back_on_what_is_nowhere_below_it(protocol):
    """Both are rounded up; where a game is worth more than clones by its own rounding, it is not by much."""
    above_all_attacks(protocol)
    one = protocol.pair.delta(EPS, 1e-4).upper
    assert (stand_in(protocol.pair).delta(EPS, 1e-4).upper >= one * (1 - 1e-3) - 1e-12).all()


@pytest.mark.parametrize("n", [1, 2, 4, 30])
@pytest.mark.parametrize("channel", CHANNELS, ids=repr)
def test_clones_are_nowhere_below_a_channel(channel, n):
    """Of few reports the channel's game is known exactly, and no game is worth more than the clones'."""
    for population in (n, 10 * n):
        protocol = Shuffle(n=n, population=population, randomizer=channel)
        above_all_attacks(protocol)
        if n <= 4:
            one = protocol.pair.delta(EPS, 1e-4).upper
            assert (stand_in(protocol.pair).delta(EPS, 1e-4).upper >= one * (1 - 1e-9) - 1e-12).all()


@given(
    seed=st.integers(0, 999),
    shape=st.tuples(st.integers(2, 5), st.integers(2, 5)),
    eps0=st.floats(0.05, 4.0),
    n=st.integers(1, 5),
    more=st.integers(0, 20),
)
def test_clones_are_nowhere_below_random_channels(seed, shape, eps0, n, more):
    channel = random_channel(*shape, eps0, rng=np.random.default_rng(seed))
    above_all_attacks(Shuffle(n=n, population=n + more, randomizer=channel), np.array([0.0, 0.1, 0.5, 1.5]))


def test_no_channel_tells_more_than_its_clones():
    """The clones of a channel are those of its eps0, and of no smaller one."""
    for eps0 in (0.1, 2.0):
        pair = stand_in(Shuffle(n=50, randomizer=RandomizedResponse(4, eps0)).pair)
        clones = Shuffle(eps0, 50, reduction="clones").pair
        assert pair.delta(EPS, 1e-6).upper == pytest.approx(clones.delta(EPS, 1e-6).upper, rel=1e-5)


def test_pairs_that_cost_little_have_none():
    assert stand_in(Shuffle(1.0, 100, reduction="clones").pair) is None


def test_a_lottery_of_few_clients_is_not_above_what_it_falls_back_on():
    """Slots that stay empty are skipped: hardly anybody is left over. 23,820 rounds were known up to 6,670 only."""
    one = RandomCheckIn(eps0=0.28, slots=61_600, clients=301, empty="skipped")
    assert (one.pair.delta(EPS).upper <= one.pair.fallback.delta(EPS, 1e-4).upper * (1 + 1e-9)).all()
    found = (one * 23_820).guarantee(2.741e-40)
    assert found.width < 1e-4
    assert found.upper < 40
