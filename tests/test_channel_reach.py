"""How far out a known channel's list reaches, and what is said beyond: by Chernoff's bound of rows and of blankets."""

import math

import numpy as np
import pytest

from shufflekit.definitions import row_game
from shufflekit.dominating_pairs import channel_worth
from shufflekit.dominating_pairs.board import Scores
from shufflekit.dominating_pairs.channel_game import ChannelPair
from shufflekit.dominating_pairs.channel_worth import ChannelWorth
from shufflekit.dominating_pairs.few_sums import Outcomes
from shufflekit.dominating_pairs.few_sums import ways as orders
from shufflekit.dominating_pairs.quick_sums import quick_worths
from shufflekit.protocols import Shuffle
from shufflekit.randomizers import DiscretizedLaplace, HadamardResponse, random_channel

RNG = np.random.default_rng(3)
CHANNELS = [
    DiscretizedLaplace(4, 1.5),
    HadamardResponse(5, 1.0),
    random_channel(3, 4, 0.4, rng=RNG),
    random_channel(2, 5, 3.0, rng=RNG),
]


def pair_of_channel(channel, n, population):
    return ChannelPair(row_game(channel, n, population))


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.name)
@pytest.mark.parametrize(("n", "population"), [(9, 9), (12, 40), (40, 41)])
def test_beyond_is_never_below_the_blankets(channel, n, population):
    """Nor is the whole profile below what is really looked at, wherever the rough part begins."""
    pair = pair_of_channel(channel, n, population)
    eps = np.linspace(0.0, 0.9, 10) * pair.largest_loss
    blankets = pair.fallback.delta(eps, 1e-5)
    assert (pair._worth.beyond(eps) >= blankets.lower).all()
    for near in (float(eps[1]), float(eps[4])):
        rough = pair.profile(eps, near)
        assert (rough[-3:] >= pair.delta(eps[-3:]).upper * (1 - 1e-3)).all()
        assert (rough <= 1).all()


@pytest.mark.parametrize("channel", CHANNELS[:3], ids=lambda channel: channel.name)
def test_what_is_left_beyond_the_reach(channel):
    pair = pair_of_channel(channel, 3000, 3000)
    for log_cut in (-40.0, -100.0):
        deviation, near, top = pair.reach(log_cut)
        assert 4 * deviation < near <= top
        assert math.log(pair._worth.beyond(np.array([top]))[0]) <= log_cut + 1e-6
        atoms = pair.listed(log_cut).upper
        assert atoms.missing <= math.exp(log_cut)
        assert float(atoms.loss[-1]) <= top


def test_no_game_is_played_beyond_the_reach_of_rows(monkeypatch):
    played, real = [], ChannelWorth._worst
    monkeypatch.setattr(
        channel_worth.ChannelWorth, "_worst", lambda own, eps, *more: played.append(eps) or real(own, eps, *more)
    )
    pair = pair_of_channel(CHANNELS[0], 3000, 3000)
    _, near, top = pair.reach(-96.0)
    pair.listed(-96.0)
    assert played and max(played) <= near < top


@pytest.mark.parametrize("far", [0.3, 0.7, 0.95])
def test_quick_sums_far_out(far):
    """Never too small, and no worse than Chernoff's bound where the noise is loud and scores are skew."""
    law, n = Scores(np.array([9.0, 0.5, -0.6]), np.array([0.02, 0.35, 0.0])), 40
    law = Scores(law.value, np.append(law.chance[:2], 1 - law.chance[:2].sum()))
    law = Scores(law.value - float(law.chance @ law.value), law.chance)
    times, log_ways = orders(n, 3)
    outcomes = Outcomes(times @ law.value, np.exp(log_ways + times @ np.log(law.chance)), 1e-9, 1e-9)
    start = -far * n * float(law.value.max())
    exact = outcomes.stop_loss(np.array([-start]))
    found = float(quick_worths([law], n, np.array([start])).worth[0, 0])
    tilts = np.geomspace(1e-2, 5.0, 400)
    chernoff = float(np.min(n * law.log_moments(tilts) + start * tilts - 1 - np.log(tilts)))
    assert exact.lower[0] <= found <= math.exp(chernoff + 1)


def test_of_deltas_that_nobody_asks_for_only_a_bound_is_looked_for():
    run = Shuffle(n=400, randomizer=CHANNELS[0]) * 50
    small = run.delta(20.0)
    assert 0 <= small.lower < small.upper < 1e-60
