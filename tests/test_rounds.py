"""The judge's lattices: how fine each is, by hand; and what is refused."""

import importlib
import math

import pytest

from shufflekit import certify, definitions
from shufflekit.definitions import Definition, Game, growth
from tests import pairs

module = importlib.import_module("shufflekit.certify.rounds")  # the package has a function of that name
Size = module._Size


def corners(eps0, slots, n):
    return lambda number: Game(slots, n, (definitions.corners(growth(number(eps0))),))


def test_no_parts_are_refused():
    with pytest.raises(
        ValueError, match="parts must hold one or more pairs of a definition and a number of rounds, got"
    ):
        certify.rounds([], 0.1)


@pytest.mark.parametrize("least", [0.0, 1.0, -1.0, math.nan])
def test_a_least_delta_out_of_range_is_named(least):
    with pytest.raises(ValueError, match="least must be"):
        certify.rounds([(pairs.clones(1.0, 2, 2).define, 1)], least)


@pytest.mark.parametrize("rounds", [0, 10**7 + 1])
def test_too_many_or_no_rounds_are_named(rounds):
    with pytest.raises(ValueError, match=r"rounds must be a whole number of at least 1 and at most 10,000,000"):
        certify.rounds([(pairs.clones(1.0, 2, 2).define, rounds)], 0.1)


def test_a_size_is_a_deviation_and_the_largest_loss():
    """One client: delta(0) = tanh(eps0/2), and the loss is eps0."""
    deviation, largest = module._size(pairs.clones(1.0, 1, 1).define)
    assert deviation == pytest.approx(math.sqrt(2 * math.pi) * math.tanh(0.5), rel=1e-12)
    assert largest == pytest.approx(1.0, rel=1e-12)


def test_the_size_of_a_game_is_that_of_its_clones():
    assert module._size(corners(1.0, 3, 7)) == module._size(pairs.clones(1.0, 3, 7).define)


def test_one_part_has_so_many_losses_as_are_allowed():
    """Two rounds: the span of all losses, 2 * 2 * 1, in 2^17 steps, or 3e-5 of the deviation if that is more."""
    assert module._spacings([Size(0.5, 1.0)], [2], 1e-30) == [pytest.approx(1 / 32768)]
    # Of a larger deviation a part 3e-5/2 of that of both rounds, which is more.
    deviation = 10 * math.sqrt(2)
    (found,) = module._spacings([Size(10.0, 1.0)], [2], 1e-30)
    assert found == pytest.approx(1 / math.ceil(1 / (3e-5 * deviation / 2)))


def test_many_rounds_span_some_deviations():
    """Not all losses: 3 + sqrt(2 log(1/least)) deviations on either side."""
    (found,) = module._spacings([Size(0.01, 0.5)], [1], 1e-8)
    span = 2 * 0.01 * (3 + math.sqrt(-2 * math.log(1e-8)))
    assert found == pytest.approx(0.5 / math.ceil(0.5 / (span / 2**17)))
    # One round of a part is FINE of its deviation at most.
    (found,) = module._spacings([Size(1e-3, 1.0)], [10**6], 1e-8)
    assert found == pytest.approx(1 / math.ceil(1 / (3e-4 * 1e-3 * 1e3 / 1e3)))


def test_a_part_without_finite_losses_has_any_spacing():
    assert module._spacings([Size(0.5, 0.0)], [1], 1e-8) == [pytest.approx(3e-5 * 0.5)]


def test_other_parts_fit_to_the_first():
    """Each is a power of two times as coarse, or as fine, and no coarser than it asks for."""
    sizes, counts = [Size(0.1, 0.3), Size(0.01, 0.2), Size(0.5, 2.0)], [10, 1_000, 2]
    first, *others = module._spacings(sizes, counts, 1e-8)
    assert 0.3 / first == pytest.approx(round(0.3 / first), rel=1e-12)
    for own in others:
        assert math.log2(own / first) == int(math.log2(own / first))
    deviation = math.sqrt(10 * 0.1**2 + 1_000 * 0.01**2 + 2 * 0.5**2)
    reach = 10 * 0.3 + 1_000 * 0.2 + 2 * 2.0
    span = 2 * min(reach, deviation * (3 + math.sqrt(-2 * math.log(1e-8))))
    finest = max(3e-5 * deviation / 1_012, span / 2**17)
    for own, count in zip([first, *others], counts, strict=True):
        asked = min(3e-4 * deviation / math.sqrt(3 * count), finest)
        assert asked / 2 < own <= asked * (1 + 1e-12)


def test_rounds_of_two_definitions_are_those_of_one():
    """Said twice, or in one part: the same law, and ends that meet."""
    define = pairs.clones(1.0, 3, 5).define
    one, two = certify.rounds([(define, 4)], 1e-6), certify.rounds([(define, 1), (define, 3)], 1e-6)
    for eps in (0.0, 0.5, 1.5):
        first, second = one.delta(eps), two.delta(eps)
        assert first.lower <= second.upper
        assert second.lower <= first.upper
        assert second.upper <= first.upper * 1.001 + 1e-7


def test_a_definition_in_place_of_a_pair():
    with pytest.raises(TypeError, match="define must give a Definition with finite laws, or a Game, got"):
        certify.rounds([(lambda number: "clones", 1)], 0.1)
    with pytest.raises(ValueError, match="a Definition of one law, got 2"):
        law = definitions.clones(1.0)
        certify.rounds([(lambda number: Definition(2, 2, (law, law)), 1)], 0.1)
