"""Definition -> pair, by the fastest way that applies."""

from functools import lru_cache

from shufflekit.definitions import Definition, Game, Least, Lognormal, Lottery, Mixture, NoisyMean
from shufflekit.dominating_pairs.channel_game import ChannelPair
from shufflekit.dominating_pairs.game_pair import GamePair
from shufflekit.dominating_pairs.gaussian import GaussianPair
from shufflekit.dominating_pairs.least import LeastPair
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.dominating_pairs.mixture import MixturePair
from shufflekit.dominating_pairs.noisy_mean import EitherWay, NoisyMeanPair
from shufflekit.dominating_pairs.pair import Pair
from shufflekit.dominating_pairs.pair_of_law import pair_of_law


@lru_cache(maxsize=100)  # a run asks for the pairs of its protocols again and again
def pair_of(definition: Definition | Game | Lottery | Least | Mixture | Lognormal | NoisyMean) -> Pair:
    """The pair of a definition in floats: the worst of its laws or of its games, at every alpha."""
    if isinstance(definition, Lognormal):
        return GaussianPair(definition.sigma, definition.slots)
    if isinstance(definition, NoisyMean):
        law = NoisyMeanPair(definition._replace(either=False))
        return EitherWay(law) if definition.either else law
    if isinstance(definition, Least):
        return LeastPair(tuple(pair_of(one) for one in definition.bounds))
    if isinstance(definition, Mixture):
        return MixturePair(tuple(map(pair_of_law, definition.parts)), tuple(map(float, definition.chances)))
    if isinstance(definition, Lottery):
        return LotteryPair(definition)
    if isinstance(definition, Game):
        any_channel = definition.rate < 1 or all(moves.monotone for moves in definition.moves)
        if not any_channel:
            return ChannelPair(definition)
        pair = GamePair(definition)
        return pair.fallback if pair.settled else pair
    return pair_of_law(definition)
