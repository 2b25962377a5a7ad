"""Check-ins: the mixture over how many took part, and the channel that may be silent, in fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import RandomCheckIn, SlidingCheckIn, definitions, exact
from shufflekit.beyond import check_ins, dominance, views
from shufflekit.beyond.scores import clone_scores
from shufflekit.definitions import Definition, Game, Least, Lottery, Mixture, empty_slots
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.protocols import check_ins as protocols
from shufflekit.randomizers import RandomizedResponse
from tests import strategies

HALF = Fraction(1, 2)
RR = RandomizedResponse(2, ratio=3)
rates = st.fractions(Fraction(1, 50), 1, max_denominator=50)


def below(lower, upper):
    lhs, rhs, _ = dominance.profiles(lower, upper)
    return bool((lhs <= rhs).all())


@given(strategies.ratios, st.integers(1, 5), rates)
def test_check_ins_are_the_channel_that_may_be_silent(ratio, n, g):
    score = clone_scores(ratio)
    mixture, silence = check_ins.check_in_mixture(score, n, g), check_ins.check_in_pair(score, n, g)
    assert below(mixture, silence)
    assert below(silence, mixture)


@pytest.mark.parametrize("g", [Fraction(1, 10), HALF, Fraction(1)])
def test_check_ins_dominate(g):
    for channel in (RR, RandomizedResponse(3, ratio=2)):
        pair = check_ins.check_in_mixture(clone_scores(channel.ratio), 3, g)
        quiet = check_ins.silent(channel, g)
        assert quiet.ratio == channel.ratio
        assert all(below((d.p, d.q), pair) for d in exact.neighbours(quiet, 3))


def test_the_exact_check_in_is_a_mixture_over_the_messages_shown():
    """By coins of all users, against the channel that may be silent."""
    g, others = Fraction(1, 3), [0, 1]
    quiet = views.shuffled_view(check_ins.silent(RR, g), others, 0, 1)
    p, q = [], []
    for k in range(4):
        chance = math.comb(3, k) * g**k * (1 - g) ** (3 - k)
        rows = [[RR.probs[x] for x in (*others, own)] for own in (0, 1)]
        for side, row in zip((p, q), rows, strict=True):
            side.extend(chance * x for x in (exact.sampled_law(row, k) if k else np.ones(1, dtype=int)).flat)
    by_coins = TwoLaws(exact.law(p), exact.law(q))
    assert below(quiet, by_coins)
    assert below(by_coins, quiet)


def test_without_the_number_of_messages_it_is_false():
    score = clone_scores(3)
    hidden, shown = check_ins.uncounted_check_in(score, 2, HALF), check_ins.check_in_mixture(score, 2, HALF)
    real = views.shuffled_view(check_ins.silent(RR, HALF), [0], 0, 1)
    assert sum(hidden.p) == 1 == sum(hidden.q)
    assert [hockey_stick(*laws, 2) for laws in (real, shown, hidden)] == [
        Fraction(3, 64),
        Fraction(3, 64),
        Fraction(1, 128),
    ]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: check_ins.check_in_mixture(clone_scores(3), 0, HALF), "n must be"),
        (lambda: check_ins.check_in_mixture(clone_scores(3), 2, 0), "rate must be"),
        (lambda: check_ins.check_in_mixture(None, 2, HALF), "law must be"),
        (lambda: check_ins.check_in_pair(None, 2, HALF), "law must be"),
        (lambda: check_ins.check_in_pair(clone_scores(3), 2, 2), "rate must be"),
        (lambda: check_ins.uncounted_check_in(clone_scores(3), 0, HALF), "n must be"),
        (lambda: check_ins.uncounted_check_in(None, 2, HALF), "law must be"),
        (lambda: check_ins.silent(None, HALF), "channel must be"),
        (lambda: check_ins.silent(RR, 1.5), "rate must be"),
    ],
)
def test_bad_input_is_named(call, name):
    with pytest.raises((TypeError, ValueError), match=name):
        call()


# The protocols: which definitions stand behind them, and which attacks.

X = math.expm1(1.5)
MOVES = definitions.corners(X)


def test_the_bounds_of_a_random_check_in():
    """Any number of clients; empty slots told; and, with or without dummies, clients sampled for the slots."""
    replaced = Game(7, 14.0, (MOVES,), replaced=True)
    told, sampled = (Lottery(7, 5, 0.5, MOVES, dummies) for dummies in (True, False))
    assert RandomCheckIn(1.5, 7, 5, 0.5).define() == Least((replaced, told, sampled))
    assert RandomCheckIn(1.5, 7, participation=0.5).define() == replaced
    assert RandomCheckIn(1.5, 7, 5, 0.5, "skipped").define() == sampled
    assert SlidingCheckIn(1.5, 7, 5).define() == Game(7, 7, (MOVES,), replaced=True)


@pytest.mark.parametrize(("slots", "clients", "rate"), [(7, 5, 0.5), (1, 1, 1.0), (4, 9, 1.0)])
def test_the_attack_on_slots_with_dummies(slots, clients, rate):
    """Somebody comes to a slot with 1 - (1 - p0/m)^n, and then it is she with 1/n."""
    binary, ternary = (
        one.define(float) for one in RandomCheckIn(1.0 if slots > 1 else 0.5, slots, clients, rate).attacks
    )
    population = clients / (1 - (1 - rate / slots) ** clients)
    for k, found in ((2, binary), (3, ternary)):
        assert found.laws == (definitions.response(math.expm1(1.0 if slots > 1 else 0.5), k),)
        assert found.slots == slots
        assert found.population == pytest.approx(max(population, slots), rel=1e-12)
        assert found.population >= slots


def test_where_slots_are_skipped_some_answers_may_be_thrown_away(monkeypatch):
    """Of each stretch of numbers all but the least; no slot that none took shows anything."""
    law = definitions.response(X, 3)
    *_, attack = RandomCheckIn(1.5, 6, 4, 0.5, "skipped").attacks
    empty = empty_slots(4, 6, 0.5)
    chances = {6 - int(number): float(chance) for number, chance in zip(empty.number, empty.chance, strict=True)}
    found = attack.define(float)
    assert isinstance(found, Mixture)
    assert {part.slots: chance for part, chance in zip(found.parts, found.chances, strict=True)} == pytest.approx(
        {taken: chance for taken, chance in chances.items() if taken}
    )
    assert all(part == Definition(part.slots, 4, (law,)) for part in found.parts)
    monkeypatch.setattr(protocols, "NUMBERS", 2)
    rough = attack.define(float)
    first, second = (part.slots for part in rough.parts)
    assert first == 1 and 1 < second <= 4
    below = sum(chance for taken, chance in chances.items() if 0 < taken < second)
    above = sum(chance for taken, chance in chances.items() if taken >= second)
    assert rough.chances == pytest.approx([below, above])


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_rounds_that_show_nothing_are_rounds(rounds):
    """One slot, two clients, half of the time each: three rounds of four show an answer, and half of those hers.

    Rounds to which nobody came were left out: of many hardly a chance was left, and no attack reached anything.
    """
    protocol, eps, E = RandomCheckIn(2.0, 1, 2, 0.5, "skipped"), 0.3, math.exp(2.0)
    # By answers: what the others send with the same value, of two or of three, and she with hers, x0 or x1.
    binary = [(E / (E + 1), 1 / (E + 1)), (1 / (E + 1), E / (E + 1))]
    ternary = [(E / (E + 2), 1 / (E + 2)), (1 / (E + 2), E / (E + 2)), (1 / (E + 2), 1 / (E + 2))]
    others = [[1 / (E + 1), E / (E + 1)], [1 / (E + 2), 1 / (E + 2), E / (E + 2)]]
    reached = []
    for own, other in zip((binary, ternary), others, strict=True):
        one = [(0.25, 0.25)] + [(0.375 * (p + r), 0.375 * (q + r)) for (p, q), r in zip(own, other, strict=True)]
        both = [tuple(map(math.prod, zip(*shown, strict=True))) for shown in itertools.product(one, repeat=rounds)]
        reached.append(sum(max(p - math.exp(eps) * q, 0.0) for p, q in both))
        reached.append(sum(max(q - math.exp(eps) * p, 0.0) for p, q in both))
    assert (protocol * rounds).attack_delta(eps).lower == pytest.approx(max(reached), rel=1e-3)


def test_the_attack_on_the_first_of_a_window():
    """Slot i is hers with (1 - (1 - 1/m)^i)/i, which falls; i times its square is most at the last."""
    for window, clients in ((1, 1), (5, 3), (40, 100)):
        (_, ternary) = SlidingCheckIn(0.5, window, clients).attacks
        own = [(1 - (1 - 1 / window) ** min(i, clients)) / min(i, clients) for i in range(1, window + 1)]
        best = max(range(window), key=lambda i: (i + 1) * own[i] ** 2)
        found = ternary.define(float)
        assert found.slots == best + 1
        assert found.population == pytest.approx(1 / own[best], rel=1e-12)


def test_two_values_of_many_slots_are_attacked_up_to_e0_of_2():
    names = [name for name, *_ in (protocols.BINARY, protocols.TERNARY)]
    near = math.nextafter(math.log(2), 1)
    for slots, eps0, known in ((5_000, 3.0, 2), (5_001, math.log(2), 2), (5_001, near, 1)):
        for protocol in (RandomCheckIn(eps0, slots, 10), SlidingCheckIn(eps0, slots, 10)):
            assert [one.name for one in protocol.attacks] == names[2 - known :]


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        (RandomCheckIn(1.0, 5_000), "RandomCheckIn(eps0=1, slots=5_000)"),
        (RandomCheckIn(1.0, 5, 6_000), "RandomCheckIn(eps0=1, slots=5, clients=6_000)"),
        (
            RandomCheckIn(1.0, 5, 6, 0.5, "skipped"),
            "RandomCheckIn(eps0=1, slots=5, clients=6, participation=0.5, empty='skipped')",
        ),
        (SlidingCheckIn(1.0, 5_000, 6_000), "SlidingCheckIn(eps0=1, window=5_000, clients=6_000)"),
    ],
)
def test_check_ins_are_shown_as_they_are_made(protocol, text):
    assert repr(protocol) == text
    assert protocol.local_limit == protocol.eps0
    assert protocol.reports().protocol is protocol
    assert protocol.reports().rounds == 1


def test_without_clients_no_slot_is_skipped():
    with pytest.raises(
        ValueError, match="clients must be given where empty slots are skipped: of one client all would"
    ):
        RandomCheckIn(1.0, 5, empty="skipped")
    with pytest.raises(ValueError, match="empty must be one of 'dummy', 'skipped', got 'told'"):
        RandomCheckIn(1.0, 5, 6, empty="told")


@pytest.mark.filterwarnings("ignore::shufflekit.WideAnswer")
@pytest.mark.parametrize("empty", ["dummy", "skipped"])
@pytest.mark.parametrize(
    ("clients", "participation"), [(1, 1e-10), (5, 1e-13), (3, 1e-16), (2, 1e-100), (2, 1e-249), (10**8, 1e-160)]
)
def test_hardly_anybody_ever_comes(empty, clients, participation):
    """Her report is all that differs, and she comes so often: all are answers, and no end is on the wrong side."""
    protocol = RandomCheckIn(1.0, 100, clients, participation=participation, empty=empty)
    least = participation * math.tanh(0.5) * (1 - 1e-9)
    if empty == "skipped":
        assert protocol.delta(0.0).lower <= participation * math.tanh(0.5) * (1 + 1e-9)
        assert protocol.delta(0.0).upper >= least
    for ends in (protocol.delta(0.0), protocol.epsilon(1e-30), (protocol * 5).delta(0.1)):
        assert 0 <= ends.lower <= ends.upper < 1.01
    assert 0 <= protocol.rdp(2.0) < 1e-9


@pytest.mark.filterwarnings("ignore::shufflekit.WideAnswer")
def test_a_delta_that_is_nothing_at_all_eps():
    """One knot is no chord: the list was none, and a sum with it an IndexError."""
    protocol = RandomCheckIn(1.735e-05, 62_249, 1, participation=1.961e-13, empty="skipped")
    assert protocol.delta(0.0).lower <= 1.961e-13 * math.tanh(1.735e-05 / 2) * (1 + 1e-9)
    assert (protocol * 124).delta(0.0).upper < 1e-13
