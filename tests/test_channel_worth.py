"""Which games of a known channel are played, and what the others come to: against all of them, played closely."""

import numpy as np
import pytest

from shufflekit.definitions import row_game
from shufflekit.dominating_pairs.channel_game import ChannelPair
from shufflekit.dominating_pairs.channel_worth import CLOSELY, ChannelWorth
from shufflekit.dominating_pairs.long_game import LongGame
from shufflekit.dominating_pairs.spare import NO_SHIFT
from shufflekit.randomizers import DiscretizedLaplace, random_channel

CHANNELS = [random_channel(6, 4, 2.0, rng=np.random.default_rng(4)), DiscretizedLaplace(9, 1.0)]


def worth_of(channel, n: int) -> ChannelWorth:
    return ChannelPair(row_game(channel, n, 4 * n).mapped(float))._worth


@pytest.mark.parametrize("channel", CHANNELS, ids=str)
@pytest.mark.parametrize(("n", "eps"), [(400, 0.003), (400, 0.02), (5_000, 0.001), (5_000, 0.008)])
def test_the_worst_is_not_below_any_game(channel, n, eps):
    """However few are played: not below all plays of one law, and about the largest of all."""
    worth = worth_of(channel, n)
    contenders, _ = worth.field.contenders(np.exp(eps))
    start = worth._start(eps, NO_SHIFT)
    plain = max(float(LongGame([law]).worth(n, start)[0]) for one in contenders for law in one.laws)
    blanket = max(float(worth.of_blanket(one, eps, NO_SHIFT)[0]) for one in contenders)
    close = max(float(worth.of(one, eps, CLOSELY)[0]) for one in contenders)
    for games in (1, 2, 24):
        found = float(worth.worst(contenders, eps, NO_SHIFT, games, worth._spare)[0])
        assert plain * (1 - 1e-9) <= found
        assert close * (1 - 2e-3) <= found <= blanket * (1 + 3e-3)
    assert found == pytest.approx(close, rel=2e-3)


def test_what_is_not_looked_at_is_worth_the_least():
    """No other choice of as many leaves less to be counted by what its blankets are worth."""
    worth = worth_of(CHANNELS[0], 400)
    contenders = worth.field.contenders(np.exp(0.01))[0] * 3
    quick = np.random.default_rng(1).permutation(len(contenders)) + 1.0
    looked, rest = worth._looked_at(contenders, quick, games=1)
    assert sorted([*looked, *rest]) == list(range(len(contenders)))
    assert rest
    assert quick[looked].min() > quick[rest].max()
    assert quick[looked[0]] == quick.max()


def test_games_that_say_nothing_are_not_played_again(monkeypatch):
    """One says that its blanket says more: the others are looked at by theirs, which are what comes out."""
    worth, eps = worth_of(CHANNELS[0], 400), 0.01
    contenders, _ = worth.field.contenders(np.exp(eps))
    played = []
    monkeypatch.setattr(
        ChannelWorth, "_closely", lambda self, one, eps, moved: played.append(one.number) or np.full(1, np.inf)
    )
    monkeypatch.setattr(ChannelWorth, "_by", None)
    found = float(worth.worst(contenders, eps, NO_SHIFT, 24, worth._spare)[0])
    blankets = [float(worth.of_blanket(one, eps, NO_SHIFT)[0]) for one in contenders]
    assert len(played) == 1 < len(contenders)
    assert max(blankets) * (1 - 1e-9) <= found <= max(blankets) * (1 + 1e-3)
