"""The samplers of the sphere mechanisms with scripted random numbers, against laws that are worked out by hand.

In three dimensions <V, u> is uniform (Archimedes), in two its angle is. With R = e^{eps0/2}, PrivUnit's best cap in
three dimensions solves (E - 1)(1 - h)^2 = 4 h: it is h = (R - 1)/(R + 1), covers 1/(R + 1) of the sphere, and is hit
with the chance R/(R + 1). All that decides privacy is a threshold of a uniform number, looked at on both its sides.
"""

import math

import numpy as np
import pytest

from shufflekit.vector_randomizers import R2, PrivUnit, VectorRandomizer

EPS0S = [0.1, 1.0, 4.0, 12.0]
RADIUS, NEAR = 0.75, 1e-9


class Scripted:
    """In place of a generator: gives these uniform numbers, one call after the other, and these normal ones."""

    def __init__(self, uniform: list[float], normal: list[float]) -> None:
        self.uniform, self.normal = uniform, normal

    def random(self, n: int) -> np.ndarray:
        return np.full(n, self.uniform.pop(0))

    def standard_normal(self, shape: tuple[int, int]) -> np.ndarray:
        return np.tile(self.normal, (shape[0], 1))


def report(randomizer: VectorRandomizer, share: float, uniform: list[float], normal: list[float]) -> np.ndarray:
    """What a vector along the last axis, of that share of the radius, is reported as; all numbers are used."""
    script = Scripted([*uniform], normal)
    vector = np.r_[np.zeros(randomizer.d - 1), share * randomizer.radius]
    (found,) = randomizer.sample(vector[None], script)
    assert not script.uniform
    return found


@pytest.mark.parametrize("eps0", EPS0S)
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(("d", "stretch"), [(1, 1.0), (2, math.pi / 2), (3, 2.0)])
def test_the_hemisphere_is_hit_as_often_and_reached_as_far_as_by_hand(d, stretch, share, eps0):
    """P[towards x] = (1 + share (E - 1)/(E + 1))/2, so E/(E + 1) on the border; E|<V, u>| is 1, 2/pi, 1/2."""
    E, randomizer = math.exp(eps0), R2(d, eps0, RADIUS)
    chance = (1 + share * (E - 1) / (E + 1)) / 2
    point = np.r_[np.zeros(d - 1), 2.0] if d == 1 else np.r_[np.zeros(d - 2), 3.0, 4.0]
    far = stretch * RADIUS * (E + 1) / (E - 1) * point / np.linalg.norm(point)
    for sign in (1, -1) if share else (1,):
        towards, away = (report(randomizer, share, [at], sign * point) for at in (chance - NEAR, chance + NEAR))
        assert towards == pytest.approx(far, rel=1e-12)
        assert away == pytest.approx(-far, rel=1e-12)


@pytest.mark.parametrize("eps0", EPS0S)
@pytest.mark.parametrize("level", [NEAR, 0.25, 0.5, 1 - NEAR])
def test_the_cap_and_the_rest_in_three_dimensions(eps0, level):
    R, randomizer = math.exp(eps0 / 2), PrivUnit(3, eps0, RADIUS)
    length, covered = RADIUS * (R + 1) / (R - 1), 1 / (R + 1)
    for hit, t in (
        (R / (R + 1) - NEAR, 1 - 2 * covered * level),
        (R / (R + 1) + NEAR, 1 - 2 * (covered + (1 - covered) * level)),
    ):
        found = report(randomizer, 1.0, [0.5, hit, level], [1.0, 0.0, 7.0])
        # The last normal number is along u, where nothing of it is kept.
        assert found == pytest.approx(length * np.array([math.sqrt(1 - t**2), 0.0, t]), rel=1e-9, abs=1e-7 * length)


@pytest.mark.parametrize("eps0", EPS0S)
@pytest.mark.parametrize("share", [0.0, 0.4, 0.9])
def test_inner_vectors_go_either_way(eps0, share):
    """Towards u with the chance (1 + share)/2; the centre takes the direction of the normal numbers for u."""
    randomizer, straight = PrivUnit(3, eps0, RADIUS), [0.0, 0.0, 1.0]
    chance = (1 + share) / 2
    normal = straight if share == 0 else [1.0, 0.0, 0.0]
    for at, sign in ((chance - NEAR, 1), (chance + NEAR, -1)):
        found = report(randomizer, share, [at, 0.0, 0.0], normal)
        assert found == pytest.approx([0.0, 0.0, sign * RADIUS / math.tanh(eps0 / 4)], rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("eps0", EPS0S)
def test_the_cap_in_two_dimensions(eps0):
    """Its angle a is where cos(a) = sin(a)/pi (E - 1)/(1 + (E - 1) a/pi): found by halving."""
    E, low, high = math.exp(eps0), 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        wide = math.cos(middle) < math.sin(middle) / math.pi * (E - 1) / (1 + (E - 1) * middle / math.pi)
        low, high = (low, middle) if wide else (middle, high)
    randomizer, share = PrivUnit(2, eps0, RADIUS), low / math.pi
    chance = E * share / (E * share + 1 - share)
    for hit, level, angle in (
        (chance - NEAR, 0.25, low / 4),
        (chance - NEAR, 1.0, low),
        (chance + NEAR, 0.0, low),
        (chance + NEAR, 0.5, (low + math.pi) / 2),
    ):
        found = report(randomizer, 1.0, [0.0, hit, level], [1.0, 0.0])
        length = RADIUS / math.cos(low)
        assert found == pytest.approx(
            length * np.array([math.sin(angle), math.cos(angle)]), rel=1e-7, abs=1e-9 * length
        )
