"""The inverse questions of shuffled check-ins: what may they be like, if they are to be (eps, delta)-private?

shuffled_check_in_calibrate.rate(eps=0.5, delta=1e-6, eps0=2.0, population=10_000, rounds=100)

Answers are as those of ``calibrate``: 5 digits, on the safe side. Which way epsilon goes, of the worst case:

    eps0         rises: what is eps0-LDP is also eps0'-LDP, for a larger eps0';
    rounds       rises: one more can be left unread;
    rate         rises: throw each message away with the chance 1 - s, and it is as if all came with the chance s rate;
    population   falls: whoever knows the record of one client more can toss her coin, and add her message.

So all four are proved. What is guaranteed is rounded up, by a part in 10,000 or so, and more where few come; the search
does not rely on it: that all is monotone says where to look, and what is returned has been asked for its own guarantee.
"""

from shufflekit import _validate
from shufflekit.inverse import Search
from shufflekit.protocols import MAX_ROUNDS, Run, ShuffledCheckIn
from shufflekit.protocols.shuffle import REDUCTION


def eps0(
    eps: float, delta: float, population: int, rate: float, rounds: int = 1, *, reduction: str = REDUCTION
) -> float:
    """The largest eps0 of the reports; at most 300."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda eps0: ShuffledCheckIn(eps0, population, rate, reduction=reduction) * rounds)
    return search.largest_eps0(rounds)


def rate(
    eps: float, delta: float, eps0: float, population: int, rounds: int = 1, *, reduction: str = REDUCTION
) -> float:
    """The largest chance with which each client comes to a round."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda rate: ShuffledCheckIn(eps0, population, rate, reduction=reduction) * rounds)
    # With no more than delta she comes to any of the rounds: else all is as it would be without her.
    return float(search.largest(0.999 * search.delta / rounds, 1.0, f"rate = {search.delta / rounds:g}"))


def population(
    eps: float, delta: float, eps0: float, rate: float, rounds: int = 1, *, reduction: str = REDUCTION
) -> int:
    """The smallest population, each of which comes with the chance ``rate``."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)

    def run(population: int) -> Run:
        return ShuffledCheckIn(eps0, population, rate, reduction=reduction) * rounds

    return Search(eps, delta, run).smallest(1, "population")


def rounds(eps: float, delta: float, eps0: float, population: int, rate: float, *, reduction: str = REDUCTION) -> int:
    """The most rounds."""
    one = ShuffledCheckIn(eps0, population, rate, reduction=reduction)
    return int(Search(eps, delta, lambda rounds: one * rounds).largest(1, MAX_ROUNDS, "rounds = 1"))
