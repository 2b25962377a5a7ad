import math

import pytest

from shufflekit.papers._solve import smallest_eps


@pytest.mark.parametrize("target", [0.3, 1e-8, 1e-60, 1e-200])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 50.0])
def test_finds_the_smallest(target, scale):
    def delta_of(eps):
        return math.exp(-((eps / scale) ** 2))

    eps = smallest_eps(delta_of, target, 1000 * scale)
    assert delta_of(eps) <= target
    assert eps == pytest.approx(scale * math.sqrt(-math.log(target)), rel=1e-12)


def test_ends():
    assert smallest_eps(lambda eps: 0.1, 0.2, 5.0) == 0
    assert smallest_eps(lambda eps: 0.1, 0.05, 5.0) == 5.0
    # A drop to 0 at once: the answer is on the far side of it.
    assert 2 <= smallest_eps(lambda eps: 1.0 if eps < 2 else 0.0, 0.05, 5.0) < 2 + 1e-12


def test_noise_is_on_the_safe_side():
    def noisy(eps):
        return math.exp(-eps) * (1 + 1e-7 * math.sin(1e12 * eps))

    eps = smallest_eps(noisy, 1e-3, 100.0)
    assert noisy(eps) <= 1e-3
    assert eps == pytest.approx(math.log(1e3), rel=1e-6)
