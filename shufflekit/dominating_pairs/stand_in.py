"""A pair that is nowhere below another one and costs hardly anything: for where little depends on it."""

from functools import lru_cache

from shufflekit.accuracy import LOSS_ERROR
from shufflekit.definitions import Definition, Game, clones
from shufflekit.dominating_pairs.channel_game import ChannelPair
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.dominating_pairs.least import LeastPair
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.pair_of_law import pair_of_law


def stand_in(pair: Pair) -> Pair | None:
    """What a game falls back on; of a known channel the clones of all channels that tell as much. None of others."""
    if isinstance(pair, ChannelPair):
        return _of_clones(pair.game)
    if isinstance(pair, GamePair | LotteryPair):
        return pair.fallback
    if isinstance(pair, LeastPair):
        return next((found for found in map(stand_in, pair.pairs) if found is not None), None)
    return None


@lru_cache(maxsize=20)  # of the same rounds it is asked for again and again
def _of_clones(game: Game) -> Pair:
    """A channel is eps0-LDP if none of its rows sends a message more than E times likelier than another. [beyond] 2"""
    ratio = max(float(max(one.t0, one.t1)) for moves in game.moves for law in moves.laws for one in law)
    return pair_of_law(Definition(game.slots, game.population, (clones(ratio * (1 + LOSS_ERROR) - 1),)))
