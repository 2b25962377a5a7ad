"""Shuffles and shuffled check-ins: which law stands behind which, which attacks are known, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from shufflekit import HadamardResponse, RandomizedResponse, Shuffle, ShuffledCheckIn, definitions
from shufflekit.definitions import Definition, Game, growth
from shufflekit.protocols import shuffle
from shufflekit.protocols.bounds import Reports, ShuffledCheckIns

X = math.expm1(1.0)
KNOWN = RandomizedResponse(3, eps0=1.0)
LAWS = {"clones": definitions.clones, "clones2021": definitions.clones2021}


@pytest.mark.parametrize("reduction", LAWS)
def test_a_reduction_to_clones_is_one_law(reduction: str) -> None:
    law = LAWS[reduction](X)
    assert Shuffle(1.0, 5, 9, reduction=reduction).define() == Definition(5, 9, (law,))
    assert ShuffledCheckIn(1.0, 9, 1.0, reduction=reduction).define() == Definition(9, 9, (law,))
    by_coin = Definition(9, 9, (definitions.check_in(law, 0.25),))
    assert ShuffledCheckIn(1.0, 9, 0.25, reduction=reduction).define() == by_coin


def test_the_corners_are_a_game() -> None:
    moves = (definitions.corners(X),)
    assert Shuffle(1.0, 5, 9).define() == Game(5, 9, moves)
    assert Shuffle(1.0, 5).define() == Game(5, 5, moves)
    assert ShuffledCheckIn(1.0, 9, 0.25).define() == Game(9, 9, moves, 0.25)
    assert ShuffledCheckIn(1.0, 9, 1.0).define() == Game(9, 9, moves, 1)


def test_a_known_channel_has_a_definition_of_its_own() -> None:
    run, worst = Shuffle(randomizer=KNOWN, n=20), Shuffle(1.0, 20)
    assert run.eps0 == pytest.approx(1.0, rel=1e-15)
    assert run.delta(0.1).upper < worst.delta(0.1).upper
    chance = run.define(Fraction).moves[0].laws[0][0].chance  # type: ignore[union-attr]
    assert isinstance(chance, Fraction)
    assert run.origin is not None
    assert worst.origin is None
    come = ShuffledCheckIn(randomizer=KNOWN, population=20, rate=1.0)
    assert come.delta(0.1).upper == pytest.approx(run.delta(0.1).upper, rel=1e-6)


def test_origins_are_those_of_the_clones() -> None:
    assert ShuffledCheckIn(1.0, 9, 0.5, reduction="clones2021").origin.source == "feldman2021"
    assert ShuffledCheckIn(1.0, 9, 0.5).origin.source == ShuffledCheckIn(1.0, 9, 0.5, reduction="clones").origin.source
    assert ShuffledCheckIn(1.0, 9, 0.5).origin.source == "beyond"


def names(protocol: Shuffle | ShuffledCheckIn) -> list[str]:
    return [one.name for one in protocol.attacks]


BINARY, TERNARY, TOLD = (name for name, *_ in (shuffle.BINARY, shuffle.TERNARY, shuffle.TOLD))


def test_a_coin_that_is_told_is_an_attack_on_neither_few_nor_many() -> None:
    """Between 16 and 100 answers that are not the others', of 2 n/(e^eps0 + 2), nobody being away."""
    few, many = (next(n for n in range(1, 2_000) if 2 * n / (math.exp(2) + 2) >= most) for most in (16, 100))
    for n, three in ((few - 1, False), (few, True), (many - 1, True), (many, False)):
        assert names(Shuffle(2.0, n)) == ([BINARY, TOLD, TERNARY] if three else [BINARY, TERNARY])
    assert names(Shuffle(2.0, few, few + 1)) == [BINARY, TERNARY]
    assert names(Shuffle(0.999, 60)) == [BINARY, TERNARY]
    assert names(Shuffle(1.0, 60)) == [BINARY, TOLD, TERNARY]
    for n in (5_000, 5_001):
        assert (TOLD in names(Shuffle(6.0, n))) == (n == 5_000)
    assert [one.once for one in Shuffle(2.0, few).attacks] == [False, True, False]


def test_attacks_are_the_definitions_of_their_mechanisms() -> None:
    binary, told, ternary = (one.define(float) for one in Shuffle(2.0, 100).attacks)
    x = growth(2.0)
    assert binary == Definition(100, 100, (definitions.response(x, 2),))
    assert ternary == Definition(100, 100, (definitions.response(x, 3),))
    assert told == Definition(100, 100, (definitions.told(x, 0.3125),))


def test_two_values_of_check_ins_are_attacked_up_to_e0_of_2() -> None:
    assert names(ShuffledCheckIn(math.log(2), 100, 0.5)) == [BINARY, TERNARY]
    assert names(ShuffledCheckIn(math.nextafter(math.log(2), 1), 100, 0.5)) == [TERNARY]
    assert names(ShuffledCheckIn(0.5, 10**7, 0.5)) == [BINARY, TERNARY]
    assert names(ShuffledCheckIn(0.5, 10**7 + 1, 0.5)) == [TERNARY]
    (one,) = ShuffledCheckIn(1.0, 100, 0.5).attacks
    assert one.define(float) == Definition(100, 100, (definitions.check_in(definitions.response(X, 3), 0.5),))


def test_what_papers_are_asked_about() -> None:
    assert Shuffle(1.0, 5, 9).reports() == Reports(1.0, 5, 9)
    assert ShuffledCheckIn(1.0, 9, 0.5).reports() == ShuffledCheckIns(1.0, 9, 0.5)
    assert ShuffledCheckIn(1.0, 9, 0.5).local_limit == 1.0
    assert Shuffle(1.0, 5).local_limit == 1.0


@pytest.mark.parametrize(
    ("protocol", "text"),
    [
        (Shuffle(1.0, 5_000), "Shuffle(eps0=1, n=5_000)"),
        (Shuffle(0.1 + 0.2, 5, 9), "Shuffle(eps0=0.30000000000000004, n=5, population=9)"),
        (Shuffle(1.0, 5, 5, reduction="clones"), "Shuffle(eps0=1, n=5, reduction='clones')"),
        (Shuffle(randomizer=KNOWN, n=5), f"Shuffle(randomizer={KNOWN!r}, n=5)"),
        (ShuffledCheckIn(1.0, 9_000, 0.5), "ShuffledCheckIn(eps0=1, population=9_000, rate=0.5)"),
        (
            ShuffledCheckIn(1.0, 9, 0.5, reduction="clones2021"),
            "ShuffledCheckIn(eps0=1, population=9, rate=0.5, reduction='clones2021')",
        ),
    ],
)
def test_a_protocol_is_shown_as_it_is_made(protocol: object, text: str) -> None:
    assert repr(protocol) == text


def test_a_channel_or_silence_is_a_channel() -> None:
    """A fraction stays one."""
    exact = RandomizedResponse(3, ratio=3)
    for channel in (KNOWN, exact):
        share = Fraction(1, 4) if channel is exact else 0.25
        found = shuffle._or_silent(channel, 0.25)
        assert found.probs.dtype == channel.probs.dtype
        assert np.array_equal(found.probs[:, :-1], share * channel.probs)
        assert (found.probs[:, -1] == 1 - share).all()
        assert found.name == f"{channel.name}, or nothing"
        assert np.array_equal(shuffle._or_silent(channel, 1.0).probs, channel.probs)


@pytest.mark.parametrize(
    "make", [lambda **given: Shuffle(n=5, **given), lambda **given: ShuffledCheckIn(population=5, rate=0.5, **given)]
)
def test_what_is_given_twice_or_not_at_all_is_named(make) -> None:  # type: ignore[no-untyped-def]
    for given in ({}, {"eps0": 1.0, "randomizer": KNOWN}):
        with pytest.raises(ValueError, match=r"give exactly one of eps0 and randomizer, got eps0=\S+, randomizer="):
            make(**given)
    with pytest.raises(TypeError, match=r"randomizer must be a shufflekit\.randomizers\.Channel, got 'Hadamard'"):
        make(randomizer="Hadamard")
    with pytest.raises(ValueError, match="reduction must be left out where a randomizer is given, got 'clones'"):
        make(randomizer=KNOWN, reduction="clones")
    with pytest.raises(ValueError, match="reduction must be one of 'corners', 'clones', 'clones2021', got 'stripes'"):
        make(eps0=1.0, reduction="stripes")
    assert make(randomizer=KNOWN, reduction="corners").randomizer is KNOWN


def test_sizes_out_of_range_are_named() -> None:
    with pytest.raises(ValueError, match="n must be at most the population of 9, got 10"):
        Shuffle(1.0, 10, 9)
    for n in (0, 10**12 + 1):
        with pytest.raises(ValueError, match="n must be a whole number of at least 1 and at most 1,000,000,000,000"):
            Shuffle(1.0, n)
        with pytest.raises(ValueError, match="population must be a whole number of at least 1"):
            Shuffle(1.0, 1, n)
        with pytest.raises(ValueError, match="population must be a whole number of at least 1"):
            ShuffledCheckIn(1.0, n, 0.5)
    for rate in (0.0, 1.01):
        with pytest.raises(ValueError, match="rate must be above 0 and at most 1"):
            ShuffledCheckIn(1.0, 5, rate)


def test_a_channel_with_too_many_clients_says_so_at_once() -> None:
    with pytest.raises(ValueError, match="n must be a whole number"):
        Shuffle(randomizer=HadamardResponse(5, 1.0), n=10**11)
