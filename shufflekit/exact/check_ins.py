"""Random check-ins, and the algorithms of their proofs: the exact law of all that is seen, for any data. [balle2020]

Each function takes the randomizers (one channel, or a function from what was seen so far to the next slot's), the
records as input numbers, one a client, and gives the law of what all slots show, in fractions. Whoever is taken does
not depend on answers: these functions put down the law of the lineups, and ``transcript`` does the rest.

Where a slot takes one of those who came: if somebody comes to a slot of L who came before, she is its client with the
chance 1/(L + 1), and else nothing changes. In the end each of those who came is taken with the same chance.
"""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from shufflekit import _validate
from shufflekit.exact.histograms import Neighbours
from shufflekit.exact.outcomes import View, add, aligned
from shufflekit.exact.transcripts import Choose, chooser, transcript
from shufflekit.randomizers import Channel, checked_input

Records = tuple[int, ...]
Randomizers = Channel | Choose


def fixed_window(
    choose: Randomizers, records: Sequence[int], slots: int, rate: Any = 1, dummy: int | None = None
) -> View:
    """A_fix: with the chance ``rate`` a client comes, to any slot alike; a slot takes one of those who came.

    An empty slot answers for the record ``dummy``; if that is None, it shows None. [balle2020] Alg 1
    """
    data, slots, rate = _checked(choose, records), _validate.count(slots=slots), _exact_rate(rate)
    return _taken(choose, data, ((rate / slots,) * slots,) * len(data), dummy)


def sliding_window(choose: Randomizers, records: Sequence[int], window: int, dummy: int | None = None) -> View:
    """A_sldw: client j of n comes to one of the slots j, ..., j + window - 1; there are n + window - 1 of them.

    Empty slots as in ``fixed_window``. [balle2020] Thm 4.3
    """
    data, m = _checked(choose, records), _validate.count(window=window)
    n, share = len(data), Fraction(1, m)
    chances = tuple((*(Fraction(0),) * j, *(share,) * m, *(Fraction(0),) * (n - 1 - j)) for j in range(n))
    return _taken(choose, data, chances, dummy)


def averaged_updates(choose: Randomizers, records: Sequence[int], slots: int, rate: Any = 1) -> View:
    """A_avg: as ``fixed_window``, but all who came to a slot answer, and the multiset of the answers is shown.

    The paper shows the mean of the answers, and its rate is 1. [balle2020] Alg 2
    """
    data, slots, rate = _checked(choose, records), _validate.count(slots=slots), _exact_rate(rate)
    lineups: View = {((),) * slots: Fraction(1)}
    for record in data:
        grown: View = {}
        for bags, weight in lineups.items():
            add(grown, bags, weight * (1 - rate))
            for i, bag in enumerate(bags):
                add(grown, _put(bags, i, tuple(sorted((*bag, record)))), weight * rate / slots)
        lineups = grown
    return transcript(lineups, choose)


def one_replacement(choose: Randomizers, records: Sequence[int], weights: Sequence[Any], replacement: int) -> View:
    """A_rep: a slot a record, but the first slot's is ``replacement``. Then a random slot, slot i with the chance 1/m,
    gets the first record with the chance ``weights[i]``. [balle2020] Alg 3
    """
    data, other = _checked(choose, records), checked_input(chooser(choose)(()), replacement=replacement)
    if len(weights) != len(data) or not all(0 <= weight <= 1 for weight in weights):
        raise ValueError(f"weights must be {len(data)} chances from 0 to 1, one a record, got {weights!r}")
    first, *rest = data
    before, lineups = (other, *rest), {}  # type: Records, View
    for i, weight in enumerate(map(Fraction, weights)):
        add(lineups, _put(before, i, first), weight / len(data))
        add(lineups, before, (1 - weight) / len(data))
    return transcript(lineups, choose)


def bins(choose: Randomizers, records: Sequence[int], sizes: Sequence[int]) -> View:
    """A_bin of the data with one swap: slot i takes the next ``sizes[i]`` records, and shows the multiset of answers.

    [balle2020] Alg 4, Thm A.5
    """
    data, counts = _checked(choose, records), [_validate.count(sizes=size, at_least=0) for size in sizes]
    if sum(counts) != len(data):
        raise ValueError(f"sizes must sum to the {len(data)} records, got {sizes!r}")
    ends = list(itertools.accumulate(counts, initial=0))
    lineups: View = {}
    for swapped in _swaps(data):
        cut = tuple(tuple(sorted(swapped[start:end])) for start, end in itertools.pairwise(ends))
        add(lineups, cut, Fraction(1, len(data)))
    return transcript(lineups, choose)


def one_swap(choose: Randomizers, records: Sequence[int]) -> View:
    """A_swap: the first record changes places with a random one, itself included; then all answer in order.

    [balle2020] Alg 6
    """
    data, lineups = _checked(choose, records), {}  # type: Records, View
    for swapped in _swaps(data):
        add(lineups, swapped, Fraction(1, len(data)))
    return transcript(lineups, choose)


def shuffled_data(choose: Randomizers, records: Sequence[int]) -> View:
    """A_sl: the data are put into a random order, and answer in it. [balle2020] Alg 5"""
    orders = list(itertools.permutations(_checked(choose, records)))
    lineups: View = {}
    for order in orders:
        add(lineups, order, Fraction(1, len(orders)))
    return transcript(lineups, choose)


def neighbours_of(
    view: Callable[[Records], View], inputs: int, n: int, client: int = 0, *, alike: bool = False
) -> Iterator[Neighbours]:
    """All ordered pairs of data sets of n clients that differ in that client's record (0 is the first).

    ``view`` gives what is seen for a data set. If the others are ``alike``, one order stands for all.
    """
    inputs, n = _validate.count(inputs=inputs, at_least=2), _validate.count(n=n)
    client = _validate.count(client=client, at_least=0, at_most=n - 1)
    everything = itertools.combinations_with_replacement(range(inputs), n - 1)
    for others in everything if alike else itertools.product(range(inputs), repeat=n - 1):
        laws = [view((*others[:client], x, *others[client:])) for x in range(inputs)]
        for x0, x1 in itertools.permutations(range(inputs), 2):
            yield Neighbours(others, x0, x1, *aligned(laws[x0], laws[x1]))


def _checked(choose: Randomizers, records: Sequence[int]) -> Records:
    """The records, if the first slot's randomizer takes them."""
    channel = chooser(choose)(())
    data = tuple(checked_input(channel, records=record) for record in records)
    if not data:
        raise ValueError("records must hold at least one record, got none")
    return data


def _exact_rate(rate: Any) -> Fraction:
    return Fraction(_validate.exact_rate(rate=rate))


def _taken(choose: Randomizers, data: Records, chances: tuple[tuple[Fraction, ...], ...], dummy: int | None) -> View:
    """Each slot takes one of those who came; client j comes to slot i with the chance ``chances[j][i]``."""
    filler = None if dummy is None else checked_input(chooser(choose)(()), dummy=dummy)
    lineups: View = {}
    for clients, weight in _winners(chances).items():
        add(lineups, tuple(filler if client is None else data[client] for client in clients), weight)
    return transcript(lineups, choose)


@lru_cache(maxsize=64)
def _winners(chances: tuple[tuple[Fraction, ...], ...]) -> View:
    """The law of whom the slots take, None where nobody came: client after client, with the numbers of those before."""
    states: View = {((None, 0),) * len(chances[0]): Fraction(1)}
    for client, slots in enumerate(chances):
        following: View = {}
        for state, weight in states.items():
            add(following, state, weight * (1 - sum(slots)))
            for i, chance in enumerate(slots):
                holder, load = state[i]
                add(following, _put(state, i, (client, load + 1)), weight * chance / (load + 1))
                add(following, _put(state, i, (holder, load + 1)), weight * chance * load / (load + 1))
        states = following
    winners: View = {}
    for state, weight in states.items():
        add(winners, tuple(holder for holder, _ in state), weight)
    return winners


def _swaps(data: Records) -> Iterator[Records]:
    """The first record in the place of each, which takes its place."""
    for i, record in enumerate(data):
        yield _put(_put(data, 0, record), i, data[0])


def _put(items: tuple[Any, ...], i: int, item: Any) -> tuple[Any, ...]:
    return (*items[:i], item, *items[i + 1 :])
