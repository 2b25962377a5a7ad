"""The inverse questions of random check-ins: what may they be like, if they are to be (eps, delta)-private?

check_in_calibrate.clients(eps=0.05, delta=1e-6, eps0=1.0, slots=10_000)

Answers are as those of ``calibrate``: 5 digits, on the safe side. Which way epsilon goes:

    eps0            rises: what is eps0-LDP is also eps0'-LDP, for a larger eps0';
    rounds          rises: one more can be left unread; rounds are epochs with fresh check-ins;
    participation   rises;
    clients         falls: the more others there are, the less likely a slot is hers;
    slots           rises and then falls, if empty ones answer for a dummy. With l clients for each of m slots, one is
                    hers with the chance (1 - e^-l)/(l m). While slots are few, each shows a client, and one slot more
                    shows one more: epsilon grows as sqrt(m). When they are many, each is hers with the chance p0/m:
                    epsilon falls as 1/sqrt(m). The attack turns at l = 1.256, that is at 0.8 slots for each client who
                    comes, the guarantee at 0.7 to 0.85. Empty slots that are skipped hide nobody: there epsilon rises.

So there are two questions about slots, ``most_slots`` and ``fewest_slots``, on either side of ``TURN`` slots for each
client who comes. That the attack's epsilon does all this was measured, and the guarantee's but for a few percent: it is
the least of several bounds, and where one takes over from another it may go the other way (with 1,000 slots and
eps0 = 1 it is 0.127 for 100 clients, 0.130 for 300 and 0.108 for 600). So the answer is one of few where there are
several; but it has been asked for its own guarantee, and the next number of 5 digits does not meet the target.
"""

import math

from shufflekit import _validate
from shufflekit.inverse import Search
from shufflekit.protocols import MAX_N, MAX_ROUNDS, MAX_SLOTS, RandomCheckIn
from shufflekit.protocols.check_ins import EMPTY

TURN = 0.75  # slots for each client who comes, where epsilon is about as large as for any number of slots
LEAST_PARTICIPATION = 1e-12


def eps0(
    eps: float,
    delta: float,
    slots: int,
    clients: int | None = None,
    participation: float = 1.0,
    rounds: int = 1,
    *,
    empty: str = EMPTY[0],
) -> float:
    """The largest eps0 of the answers; at most 300."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda eps0: RandomCheckIn(eps0, slots, clients, participation, empty) * rounds)
    return search.largest_eps0(rounds)


def rounds(
    eps: float,
    delta: float,
    eps0: float,
    slots: int,
    clients: int | None = None,
    participation: float = 1.0,
    *,
    empty: str = EMPTY[0],
) -> int:
    """The most epochs."""
    one = RandomCheckIn(eps0, slots, clients, participation, empty)
    return int(Search(eps, delta, lambda rounds: one * rounds).largest(1, MAX_ROUNDS, "rounds = 1"))


def clients(
    eps: float,
    delta: float,
    eps0: float,
    slots: int,
    participation: float = 1.0,
    rounds: int = 1,
    *,
    empty: str = EMPTY[0],
) -> int:
    """The fewest clients who may come to an epoch."""
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda clients: RandomCheckIn(eps0, slots, clients, participation, empty) * rounds)
    return search.smallest(1, "clients")


def participation(
    eps: float,
    delta: float,
    eps0: float,
    slots: int,
    clients: int | None = None,
    rounds: int = 1,
    *,
    empty: str = EMPTY[0],
) -> float:
    """The largest chance with which each client comes, by a coin of her own."""
    rounds, eps0 = _validate.count(rounds=rounds, at_most=MAX_ROUNDS), _validate.local_eps(eps0=eps0)
    search = Search(eps, delta, lambda rate: RandomCheckIn(eps0, slots, clients, rate, empty) * rounds)
    # Whoever comes with this chance is eps/rounds-private even if it is seen which slot would be hers.
    enough = 0.999 * math.expm1(min(search.eps / rounds, eps0)) / math.expm1(eps0)
    least = max(enough, LEAST_PARTICIPATION)
    return float(search.largest(least, 1.0, f"participation = {least:g}"))


def most_slots(
    eps: float,
    delta: float,
    eps0: float,
    clients: int,
    participation: float = 1.0,
    rounds: int = 1,
    *,
    empty: str = EMPTY[0],
) -> int:
    """The most slots, of those so few that all are crowded: up to ``TURN`` for each client who comes.

    Where that many meet the target, they are the answer, and more may do so, too: see ``fewest_slots``. Where empty
    slots are skipped there is no such turn, and the answer is at most MAX_SLOTS.
    """
    rounds, clients = (
        _validate.count(rounds=rounds, at_most=MAX_ROUNDS),
        _validate.count(clients=clients, at_most=MAX_N),
    )
    search = Search(eps, delta, lambda slots: RandomCheckIn(eps0, slots, clients, participation, empty) * rounds)
    turn = _turn(clients, participation) if _validate.choice(EMPTY, empty=empty) == EMPTY[0] else MAX_SLOTS
    return int(search.largest(1, turn, "slots = 1"))


def fewest_slots(
    eps: float,
    delta: float,
    eps0: float,
    clients: int | None = None,
    participation: float = 1.0,
    rounds: int = 1,
) -> int:
    """The fewest slots, of those so many that a client is mostly alone: from ``TURN`` for each client who comes.

    Where that many meet the target, they are the answer, and fewer may do so, too: see ``most_slots``. Empty slots
    answer for a dummy; without ``clients`` nothing is assumed of how many there are, and any number of slots may do.
    """
    rounds = _validate.count(rounds=rounds, at_most=MAX_ROUNDS)
    search = Search(eps, delta, lambda slots: RandomCheckIn(eps0, slots, clients, participation) * rounds)
    least = 1 if clients is None else _turn(_validate.count(clients=clients, at_most=MAX_N), participation)
    return search.smallest(least, "slots", MAX_SLOTS)


def _turn(clients: int, participation: float) -> int:
    """How many slots show most."""
    turn = round(TURN * clients * _validate.rate(participation=participation))
    return min(max(turn, 1), MAX_SLOTS)
