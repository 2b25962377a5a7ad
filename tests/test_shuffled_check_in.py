"""Shuffled check-ins: known channels against enumeration, the number who came seen or hidden, values and bad input."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import (
    Channel,
    DiscretizedLaplace,
    HadamardResponse,
    RandomizedResponse,
    Shuffle,
    ShuffledCheckIn,
    definitions,
    divergences,
    exact,
)
from shufflekit.definitions import Definition
from shufflekit.dominating_pairs import pair_of
from shufflekit.protocols.shuffle import _or_silent
from shufflekit.randomizers import random_channel

RNG = np.random.default_rng(12)
CHANNELS = [
    RandomizedResponse(2, 1.0),
    RandomizedResponse(3, 1.5),
    HadamardResponse(3, 1.0),
    DiscretizedLaplace(3, 2.0),
    random_channel(3, 3, 1.5, rng=RNG),
]
EXACT = [RandomizedResponse(2, ratio=3), RandomizedResponse(3, ratio=2), random_channel(2, 3, ratio=4, rng=RNG)]
RATES = [Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)]
ALPHAS = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(5, 2)]


class Seen(NamedTuple):
    """What is seen if k came: its chance, and the laws of the histogram for two neighbouring data sets."""

    chance: Fraction
    p: np.ndarray
    q: np.ndarray


def views(channel: Channel, n: int, rate: Fraction) -> Iterator[list[Seen]]:
    """For all neighbouring data sets: given k, those who came are a uniformly random k of n."""
    chances = [math.comb(n, k) * rate**k * (1 - rate) ** (n - k) for k in range(1, n + 1)]
    for several in zip(*(exact.neighbours(channel, n, k) for k in range(1, n + 1)), strict=True):
        assert len({(one.others, one.x0, one.x1) for one in several}) == 1
        yield [Seen(chance, one.p, one.q) for chance, one in zip(chances, several, strict=True)]


def seen(view: list[Seen], alpha: Fraction | float) -> Fraction | float:
    """The hockey-stick divergence with k seen; where nobody came both laws are the same, and alpha is 1 or more."""
    return sum(chance * divergences.hockey_stick(p, q, alpha) for chance, p, q in view)


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
@pytest.mark.parametrize(("n", "rate"), [(1, 0.3), (2, 0.9), (3, 0.4), (4, 0.2)])
def test_known_channels_hold_the_worst_data_between_their_ends(channel, n, rate):
    """Enumerated: every neighbouring pair of data sets, given each number who came."""
    protocol = ShuffledCheckIn(randomizer=channel, population=n, rate=rate)
    enumerated = list(views(channel, n, rate))
    for eps in (0.0, 0.1, 0.4, 0.9):
        truth = max(seen(view, math.exp(eps)) for view in enumerated)
        ends, attack = protocol.delta(eps), protocol.attack_delta(eps)
        assert attack.lower <= ends.lower * (1 + 1e-9)
        assert ends.lower <= truth * (1 + 1e-9)
        assert truth <= ends.upper * (1 + 1e-9)
    assert protocol.guarantee(1e-6).upper <= protocol.eps0 * (1 + 1e-9)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 3), st.floats(0.05, 0.95), st.floats(0.1, 3.0), st.floats(0.0, 1.0))
def test_any_channel_is_below_its_guarantee(seed, n, rate, eps0, part):
    channel = random_channel(3, 3, eps0, rng=np.random.default_rng(seed))
    protocol = ShuffledCheckIn(randomizer=channel, population=n, rate=rate)
    eps = part * eps0
    truth = max(seen(view, math.exp(eps)) for view in views(channel, n, rate))
    assert truth <= protocol.delta(eps).upper + 1e-15


@pytest.mark.parametrize("channel", EXACT, ids=str)
@pytest.mark.parametrize("rate", RATES)
def test_to_hide_how_many_came_never_tells_more(channel, rate):
    """In fractions, two ways of hiding: how often the first message came, and what part of all messages it was."""
    for n in (2, 3):
        none = (1 - rate) ** n
        for view in views(channel, n, rate):
            for told in (lambda ones, k: ones, lambda ones, k: Fraction(ones, k)):
                p, q = ({told(0, 1): none} for _ in range(2))
                for k, (chance, *laws) in enumerate(view, 1):
                    for hidden, law in zip((p, q), laws, strict=True):
                        for histogram, mass in np.ndenumerate(law):
                            place = told(histogram[0], k)
                            hidden[place] = hidden.get(place, 0) + chance * mass
                places = sorted(p.keys() | q.keys())
                first, second = (np.array([one.get(place, Fraction(0)) for place in places]) for one in (p, q))
                assert sum(first) == sum(second) == 1
                for alpha in ALPHAS:
                    assert divergences.hockey_stick(first, second, alpha) <= seen(view, alpha)


def test_hiding_how_many_came_can_tell_less():
    """Else there would be nothing to say about it."""
    (rate,) = RATES[:1]
    view = next(one for one in views(EXACT[0], 3, rate) if seen(one, Fraction(1)) > 0)
    ones: dict[str, dict[int, Fraction]] = {"p": {}, "q": {}}
    for chance, *laws in view:
        for name, law in zip("pq", laws, strict=True):
            for histogram, mass in np.ndenumerate(law):
                ones[name][histogram[0]] = ones[name].get(histogram[0], 0) + chance * mass
    hidden = sum(max(mass - ones["q"].get(place, 0), Fraction(0)) for place, mass in ones["p"].items())
    assert hidden < seen(view, Fraction(1))


@pytest.mark.parametrize("ratio", [2, 5])
def test_a_client_who_stays_away_sends_nothing(ratio):
    """The attack on a channel is that on its scores, checked in; in fractions: nothing is rounded."""
    rate, channel = 0.25, RandomizedResponse(3, ratio=ratio)
    protocol = ShuffledCheckIn(randomizer=channel, population=40, rate=rate)
    law = definitions.check_in(definitions.response(Fraction(ratio - 1), 3), Fraction(rate))
    ternary = pair_of(Definition(40, 40, (law,)).mapped(float))
    eps = np.array([0.0, 0.05, 0.2])
    for attack in protocol.attacks[:1]:
        assert attack.pair.delta(eps).upper == pytest.approx(ternary.delta(eps).upper, rel=1e-9)


@pytest.mark.parametrize("channel", [RandomizedResponse(3, ratio=2), RandomizedResponse(3, 1.0)], ids=str)
def test_numbers_stay_what_they_are(channel):
    """With a message for silence, a table of fractions is one, and one of floats is one."""
    protocol = ShuffledCheckIn(randomizer=channel, population=40, rate=0.25)
    rational = channel.probs.dtype == object
    (moves,) = protocol.define(Fraction if rational else float).moves
    assert all(isinstance(one.chance, Fraction if rational else float) for law in moves.laws for one in law)
    assert _or_silent(channel, 0.25).probs.dtype == channel.probs.dtype


@pytest.mark.parametrize("rate", [1e-300, 1e-100, 1e-15])
@pytest.mark.parametrize("population", [100, 10**9])
def test_rates_that_are_hardly_any(population, rate):
    """Steps of the loss's deviation were up to a loss of one chance in 1e13 more than fit any memory.

    Alone, her answer is seen with that chance: for alpha = 2, E - 2 + 1/E times it, at most. (1e-300 is rounded up.)
    """
    found = ShuffledCheckIn(1.0, population, rate).rdp(2.0)
    assert 0 < found <= max(rate, 1e-290) * (math.e - 2 + 1 / math.e)


def test_at_a_rate_of_one_everybody_reports():
    for channel in CHANNELS:
        everybody = ShuffledCheckIn(randomizer=channel, population=5, rate=1.0)
        assert everybody.pair == Shuffle(randomizer=channel, n=5).pair
        assert [one.pair for one in everybody.attacks] == [one.pair for one in Shuffle(randomizer=channel, n=5).attacks]


def test_a_known_channel_costs_less_than_the_worst_of_a_crowd():
    """At 1,000 clients: the channel's own pair is below that of any randomizer as private, and above its attacks."""
    for channel in (RandomizedResponse(4, 2.0), HadamardResponse(8, 2.0)):
        run = ShuffledCheckIn(randomizer=channel, population=1_000, rate=0.1) * 3
        ends = run.epsilon(1e-6)
        assert ends.lower == run.attack_epsilon(1e-6).lower <= ends.upper
        assert ends.upper < (ShuffledCheckIn(channel.eps0, 1_000, 0.1) * 3).guarantee(1e-6).lower
        assert ends.upper < 1.01 * ends.lower


def test_less_often_or_among_more_is_never_worse():
    """What the inverse questions rest on, in fractions: the rate rises, the population falls."""
    channel = EXACT[0]
    worst = {
        (n, rate): [max(seen(view, alpha) for view in views(channel, n, rate)) for alpha in ALPHAS]
        for n in (1, 2, 3, 4)
        for rate in RATES
    }
    for (n, rate), least in worst.items():
        for more in (one for one in RATES if one > rate):
            assert all(a <= b for a, b in zip(least, worst[n, more], strict=True))
        if n > 1:
            assert all(a <= b for a, b in zip(least, worst[n - 1, rate], strict=True))


RR = RandomizedResponse(2, 1.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ShuffledCheckIn(population=10, rate=0.5), "exactly one of eps0 and randomizer"),
        (lambda: ShuffledCheckIn(1.0, 10, 0.5, randomizer=RR), "exactly one of eps0 and randomizer"),
        (lambda: ShuffledCheckIn(population=10, rate=0.5, randomizer="rr"), "randomizer must be a shufflekit"),
        (lambda: ShuffledCheckIn(population=10, rate=0.5, randomizer=Channel(np.eye(2))), "positive"),
        (lambda: ShuffledCheckIn(randomizer=RR, population=10, rate=0.5, reduction="clones"), "must be left out"),
        (lambda: ShuffledCheckIn(1.0, rate=0.5), "population must be a whole number"),
        (lambda: ShuffledCheckIn(1.0, 10), "rate must be"),
        (lambda: ShuffledCheckIn(randomizer=RR, population=10), "rate must be"),
        (
            lambda: ShuffledCheckIn(randomizer=DiscretizedLaplace(4, 1.5), population=10**12, rate=0.5),
            "at most",
        ),
    ],
)
def test_bad_input(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make()
