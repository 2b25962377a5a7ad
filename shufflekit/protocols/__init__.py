"""The front door: say what happens, ask what it costs.

round_ = Shuffle(eps0=2.0, n=1_000, population=1_000_000)
run = round_ * 100_000
run.epsilon(delta=1e-8)
"""

from shufflekit.protocols.attacks import Attack
from shufflekit.protocols.bounds import Bound, CheckIns, Reports, ShuffledCheckIns, TooSlow, register
from shufflekit.protocols.check_ins import MAX_SLOTS, RandomCheckIn, SlidingCheckIn
from shufflekit.protocols.comparison import Comparison, Row
from shufflekit.protocols.distributed import DistributedCheckIn
from shufflekit.protocols.gaussian import LEAST_SIGMA, MOST_SIGMA, GaussianShuffle, RandomAllocation
from shufflekit.protocols.randomized_response import RandomizedResponseShuffle
from shufflekit.protocols.run import MAX_ROUNDS, Protocol, Run
from shufflekit.protocols.shuffle import MAX_N, Shuffle, ShuffledCheckIn

__all__ = [
    "LEAST_SIGMA",
    "MAX_N",
    "MAX_ROUNDS",
    "MAX_SLOTS",
    "MOST_SIGMA",
    "Attack",
    "Bound",
    "CheckIns",
    "Comparison",
    "DistributedCheckIn",
    "GaussianShuffle",
    "Protocol",
    "RandomAllocation",
    "RandomCheckIn",
    "RandomizedResponseShuffle",
    "Reports",
    "Row",
    "Run",
    "Shuffle",
    "ShuffledCheckIn",
    "ShuffledCheckIns",
    "SlidingCheckIn",
    "TooSlow",
    "register",
]
