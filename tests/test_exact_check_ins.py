"""Random check-ins enumerated in fractions, against lists of everything that can happen."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import exact
from shufflekit.beyond import check_ins, clone_sequences, dominance
from shufflekit.divergences import hockey_stick
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
RR = RandomizedResponse(2, ratio=3)
POOL = [
    RR,
    random_channel(2, 3, ratio=3, rng=np.random.default_rng(1)),
    RandomizedResponse(2, ratio=2),
    random_channel(2, 2, ratio=3, rng=np.random.default_rng(2)),
]


def adaptive(history):
    """Another randomizer for other answers, other empty slots and other times."""
    said = [0 if shown is None else 1 + sum(np.atleast_1d(shown)) if shown != () else 3 for shown in history]
    return POOL[int(2 * len(history) + 3 * sum(said)) % len(POOL)]


def listed(lineups, choose=adaptive):
    """The law of what is seen: every lineup, and all answers of all who are in it."""
    view = {}
    for slots, weight in lineups:
        for history, chance in answered(choose, (), slots):
            view[history] = view.get(history, 0) + weight * chance
    return {history: chance for history, chance in view.items() if chance}


def answered(choose, history, slots):
    if not slots:
        yield history, Fraction(1)
        return
    probs = choose(history).probs
    slot, rest = slots[0], slots[1:]
    who = () if slot is None else slot if isinstance(slot, tuple) else (slot,)
    for outputs in itertools.product(range(probs.shape[1]), repeat=len(who)):
        shown = None if slot is None else tuple(sorted(outputs)) if isinstance(slot, tuple) else outputs[0]
        chance = math.prod((probs[x, o] for x, o in zip(who, outputs, strict=True)), start=Fraction(1))
        for whole, other in answered(choose, (*history, shown), rest):
            yield whole, chance * other


def arrivals(places):
    """Whom each slot has, client j being in a slot with the chance ``places[j][slot]``, with the chances."""
    slots = len(places[0])
    for where in itertools.product(range(slots + 1), repeat=len(places)):
        chance = math.prod((*one, 1 - sum(one))[i] for one, i in zip(places, where, strict=True))
        if chance:
            yield [[j for j, i in enumerate(where) if i == slot] for slot in range(slots)], chance


def one_of_each(places, records, dummy):
    """The lineups where every slot takes one of those who came."""
    for came, weight in arrivals(places):
        for taken in itertools.product(*(who or [None] for who in came)):
            lineup = tuple(dummy if who is None else records[who] for who in taken)
            yield lineup, weight / math.prod(max(1, len(who)) for who in came)


def window(n, m):
    return [[Fraction(int(j <= i < j + m), m) for i in range(n + m - 1)] for j in range(n)]


# Against the lists.


@pytest.mark.parametrize("dummy", [None, 0, 1])
@pytest.mark.parametrize(
    ("records", "m", "rate"), [((0,), 2, THIRD), ((0, 1), 2, 1), ((1, 0, 1), 3, 1), ((0, 1, 1), 2, HALF)]
)
def test_fixed_window(records, m, rate, dummy):
    places = [[Fraction(rate) / m] * m] * len(records)
    view = exact.fixed_window(adaptive, records, m, rate, dummy)
    assert view == listed(one_of_each(places, records, dummy))
    assert sum(view.values()) == 1


@pytest.mark.parametrize("dummy", [None, 0])
@pytest.mark.parametrize(("records", "m"), [((0,), 2), ((0, 1), 2), ((1, 0, 1), 2), ((0, 1), 3), ((0, 1, 1), 1)])
def test_sliding_window(records, m, dummy):
    view = exact.sliding_window(adaptive, records, m, dummy)
    assert view == listed(one_of_each(window(len(records), m), records, dummy))
    assert sum(view.values()) == 1


@pytest.mark.parametrize(("records", "m", "rate"), [((0, 1), 2, 1), ((1, 0, 1), 2, HALF), ((0, 1, 1), 3, 1)])
def test_averaged_updates(records, m, rate):
    places = [[Fraction(rate) / m] * m] * len(records)
    lineups = [(tuple(tuple(records[j] for j in who) for who in came), weight) for came, weight in arrivals(places)]
    view = exact.averaged_updates(adaptive, records, m, rate)
    assert view == listed(lineups)
    assert sum(view.values()) == 1


@pytest.mark.parametrize("weights", [(1, 1, 1), (HALF, THIRD, 0), (0, 1, Fraction(1, 4))])
@pytest.mark.parametrize("other", [0, 1])
def test_one_replacement(weights, other):
    records, before = (1, 0, 1), (other, 0, 1)
    after = [(*before[:i], records[0], *before[i + 1 :]) for i in range(3)]
    lineups = [(after[i], Fraction(w) * THIRD) for i, w in enumerate(weights)]
    lineups += [(before, (1 - Fraction(w)) * THIRD) for w in weights]
    view = exact.one_replacement(adaptive, records, weights, other)
    assert view == listed(lineups)
    assert sum(view.values()) == 1


SWAPPED = [(0, 1, 1, 0), (1, 0, 1, 0), (1, 1, 0, 0), (0, 1, 1, 0)]


def test_one_swap():
    assert exact.one_swap(adaptive, (0, 1, 1, 0)) == listed([(one, Fraction(1, 4)) for one in SWAPPED])


def test_bins():
    cut = [((one[:1], (), one[1:]), Fraction(1, 4)) for one in SWAPPED]
    assert exact.bins(adaptive, (0, 1, 1, 0), (1, 0, 3)) == listed(cut)


@pytest.mark.parametrize("others", [(), (0,), (0, 1), (1, 1, 0)])
def test_shuffled_data(others):
    for x in (0, 1):
        view = exact.shuffled_data(adaptive, (x, *others))
        assert view == clone_sequences.in_order_view(adaptive, others, x)


def test_a_channel_is_the_same_for_all_slots():
    assert exact.fixed_window(RR, (0, 1), 3) == exact.fixed_window(lambda history: RR, (0, 1), 3)


# What the paper says of them.


@pytest.mark.parametrize(("n", "m", "rate"), [(3, 2, HALF), (4, 3, Fraction(7, 10)), (3, 3, 1)])
def test_empty_slots(n, m, rate):
    """[balle2020] Prop 3.4: m (1 - p0/m)^n of them are expected."""
    view = exact.fixed_window(RR, (0,) * n, m, rate)
    assert sum(chance * seen.count(None) for seen, chance in view.items()) == m * (1 - Fraction(rate) / m) ** n


def test_empty_slots_of_a_sliding_window():
    """[balle2020] Prop 4.4, as corrected: slots m to n are those which m clients may come to."""
    n, m = 5, 2
    view = exact.sliding_window(RR, (0,) * n, m)
    empty = [sum(chance for seen, chance in view.items() if seen[i] is None) for i in range(n + m - 1)]
    assert empty[m - 1 : n] == [(1 - Fraction(1, m)) ** m] * (n - m + 1)
    assert empty[0] == empty[-1] == 1 - Fraction(1, m)


@pytest.mark.parametrize("rate", [1, HALF])
def test_fixed_window_is_a_mixture_of_replacements(rate):
    """The proof of [balle2020] Thm 3.2: all others come, then A_rep; the weight is 1/(L + 1), not 1/L as printed."""
    x, others, m, dummy = 0, (0, 1), 2, 1
    right, printed = {}, {}
    for came, chance in arrivals([[Fraction(rate) / m] * m] * len(others)):
        for taken in itertools.product(*(who or [None] for who in came)):
            F = [dummy if who is None else others[who] for who in taken]
            share = chance / math.prod(max(1, len(who)) for who in came)
            for view, weights in (
                (right, [Fraction(rate) / (len(who) + 1) for who in came]),
                (printed, [Fraction(rate) / max(1, len(who)) for who in came]),
            ):
                for seen, mass in exact.one_replacement(adaptive, (x, *F[1:]), weights, F[0]).items():
                    view[seen] = view.get(seen, 0) + share * mass
    assert right == exact.fixed_window(adaptive, (x, *others), m, rate, dummy) != printed


@pytest.mark.parametrize("dummy", [0, 1])
def test_dummies_are_made_of_what_skipping_shows(dummy):
    """Where the randomizers do not look at what was empty: an empty slot answers for the dummy afterwards."""
    view = exact.fixed_window(RR, (0, 1, 1), 3)
    filled = {}
    for seen, chance in view.items():
        for answers in itertools.product(*([0, 1] if one is None else [one] for one in seen)):
            empty = [o for o, one in zip(answers, seen, strict=True) if one is None]
            filled[answers] = filled.get(answers, 0) + chance * math.prod(RR.probs[dummy, o] for o in empty)
    assert filled == exact.fixed_window(RR, (0, 1, 1), 3, dummy=dummy)


def cut(order, came):
    """The answers, cut into the slots' multisets."""
    ends = list(itertools.accumulate(map(len, came), initial=0))
    return tuple(tuple(sorted(order[start:end])) for start, end in itertools.pairwise(ends))


@pytest.mark.parametrize(("records", "m"), [((0, 1), 2), ((0, 1, 1), 2), ((0, 0, 1), 3)])
def test_averaging_is_made_of_what_shuffled_data_show(records, m):
    """[beyond] 18: draw how many come to each slot, let the places of a slot answer alike, and forget their order."""
    made = {}
    for came, weight in arrivals([[Fraction(1, m)] * m] * len(records)):
        sizes = [len(who) for who in came]
        ends = list(itertools.accumulate(sizes, initial=0))

        def of_slot(answers, came=came, ends=ends):
            # The slot that the next place belongs to, and what the slots before it have shown.
            slot = next(i for i in range(m) if ends[i] <= len(answers) < ends[i + 1])
            return adaptive(cut(answers[: ends[slot]], came[:slot]))

        for order, chance in exact.shuffled_data(of_slot, records).items():
            made[cut(order, came)] = made.get(cut(order, came), 0) + weight * chance
    assert made == exact.averaged_updates(adaptive, records, m)


@pytest.mark.parametrize("channel", [RR, RandomizedResponse(3, ratio=2)], ids=str)
@pytest.mark.parametrize(("n", "m", "rate"), [(2, 2, 1), (3, 2, HALF), (3, 3, 1), (2, 3, THIRD)])
def test_averaging_shows_what_check_ins_before_a_shuffler_show(channel, n, m, rate):
    """[beyond] 18: at every alpha, for all data; here with one randomizer."""
    quiet = check_ins.silent(channel, rate) if rate < 1 else channel
    averaged = exact.neighbours_of(
        lambda records: exact.averaged_updates(channel, records, m, rate), channel.inputs, n, alike=True
    )
    for one, other in zip(averaged, exact.neighbours(quiet, n), strict=True):
        assert one[:3] == other[:3]
        can = other.p > 0
        points = dominance.kinks(exact.TwoLaws(other.p[can], other.q[can]))
        assert (hockey_stick(one.p, one.q, points) == hockey_stick(other.p, other.q, points)).all()


@pytest.mark.parametrize(("n", "m"), [(4, 2), (4, 3)])
@pytest.mark.parametrize("alpha", [Fraction(1), Fraction(3, 2)])
def test_the_first_and_the_last_clients_of_a_sliding_window_are_worse_off(n, m, alpha):
    """[beyond] 18: who has fewer neighbours hides among fewer."""
    worst = [
        max(
            hockey_stick(one.p, one.q, alpha)
            for one in exact.neighbours_of(lambda records: exact.sliding_window(RR, records, m, 0), 2, n, client)
        )
        for client in range(n)
    ]
    assert worst == worst[::-1]
    assert worst[0] == worst[-1] > max(worst[1:-1])


# All data sets.


def test_neighbours_of_a_client():
    seen = []

    def view(records):
        seen.append(records)
        return exact.one_swap(RR, records)

    found = list(exact.neighbours_of(view, 2, 3, client=1))
    assert [one[:3] for one in found] == [
        (others, *pair) for others in itertools.product((0, 1), repeat=2) for pair in ((0, 1), (1, 0))
    ]
    assert set(seen) == set(itertools.product((0, 1), repeat=3))
    others, x0, x1, p, q = found[2]
    laws = exact.aligned(*(exact.one_swap(RR, (others[0], x, others[1])) for x in (x0, x1)))
    assert (laws.p == p).all()
    assert (laws.q == q).all()


def test_clients_who_are_alike_are_gone_through_once():
    found = list(exact.neighbours_of(lambda records: exact.shuffled_data(RR, records), 2, 4, alike=True))
    everything = list(exact.neighbours_of(lambda records: exact.shuffled_data(RR, records), 2, 4))
    assert [one.others for one in found[::2]] == [(0, 0, 0), (0, 0, 1), (0, 1, 1), (1, 1, 1)]
    alpha = Fraction(6, 5)
    assert Counter(hockey_stick(one.p, one.q, alpha) for one in found).keys() == {
        hockey_stick(one.p, one.q, alpha) for one in everything
    }


@pytest.mark.parametrize("channel", [RR, HadamardResponse(2, ratio=2)], ids=str)
def test_laws_are_in_fractions(channel):
    floats = Channel(channel.probs.astype(float))
    for one in (channel, floats):
        view = exact.fixed_window(one, (0, 1), 2, 1, 0)
        assert all(isinstance(chance, Fraction) for chance in view.values())
    assert sum(exact.fixed_window(channel, (0, 1), 2, 0.25).values()) == 1


# Bad input.


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: exact.fixed_window(RR, (), 2), "records must"),
        (lambda: exact.fixed_window(RR, (0, 2), 2), "records must"),
        (lambda: exact.fixed_window(RR, (0, 1), 0), "slots must"),
        (lambda: exact.fixed_window(RR, (0, 1), 2, 2), "rate must"),
        (lambda: exact.fixed_window(RR, (0, 1), 2, 1, 2), "dummy must"),
        (lambda: exact.fixed_window(None, (0, 1), 2), "choose must"),
        (lambda: exact.fixed_window(lambda history: history, (0, 1), 2), "must be a shufflekit.randomizers.Channel"),
        (lambda: exact.sliding_window(RR, (0, 1), 0), "window must"),
        (lambda: exact.averaged_updates(RR, (0, 1), 2, 0), "rate must"),
        (lambda: exact.one_replacement(RR, (0, 1), (1,), 0), "weights must"),
        (lambda: exact.one_replacement(RR, (0, 1), (1, 2), 0), "weights must"),
        (lambda: exact.one_replacement(RR, (0, 1), (1, 1), 2), "replacement must"),
        (lambda: exact.bins(RR, (0, 1), (1, 2)), "sizes must"),
        (lambda: exact.bins(RR, (0, 1), (3, -1)), "sizes must"),
        (lambda: next(exact.neighbours_of(None, 1, 2)), "inputs must"),
        (lambda: next(exact.neighbours_of(None, 2, 2, 2)), "client must"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()
