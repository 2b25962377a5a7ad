"""Rounds read off by a contour integral with a little noise: around the truth whatever is left out, and near it."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflekit import DistributedCheckIn, Shuffle
from shufflekit.atoms import Atoms, Enclosure
from shufflekit.loss_distribution import Part, listed, periods, transforms
from shufflekit.loss_distribution import smoothed as module
from shufflekit.loss_distribution.listed import Listed
from shufflekit.loss_distribution.parts import Leftover, moments
from shufflekit.loss_distribution.smoothed import integral
from shufflekit.protocols import answers
from tests.test_nodes import response, true_delta

NOTHING = Leftover(0.0, 0.0, 0.0)


def atoms(*losses: tuple[float, float]) -> Atoms:
    """Losses and Q-masses, which need not add up."""
    loss, q = np.array(sorted(losses)).T
    return Atoms(loss, np.log(q))


def enumerated(parts: list[Part[Atoms]], eps: float) -> float:
    """``E_P[(1 - e^{eps - L})_+]``, outcome by outcome."""
    with mpmath.workdps(40):
        one = [
            [
                (mpmath.mpf(x), mpmath.exp(mpmath.mpf(x) + mpmath.mpf(q)))
                for x, q in zip(pair.loss, pair.log_q, strict=True)
            ]
            for pair, own in parts
            for _ in range(own)
        ]
        total = mpmath.mpf(0)
        for outcome in itertools.product(*one):
            loss = mpmath.fsum(loss for loss, _ in outcome)
            if loss > eps:
                total += mpmath.fprod(mass for _, mass in outcome) * -mpmath.expm1(eps - loss)
        return float(total)


def ends(parts: list[Part[Atoms]], tilt: float, left: Leftover, slack: float, upper: bool) -> module.Smoothed | None:
    found = integral(parts, tilt, slack)
    return found and found.end(left, slack, upper=upper)


def both(parts: list[Part[Atoms]], eps: float, slack: float) -> list[module.Smoothed]:
    """From below and from above, tilted to that eps."""
    low, high = 0.0, 1e5
    for _ in range(60):
        tilt = (low + high) / 2
        low, high = (tilt, high) if moments(parts, tilt).mean < eps else (low, tilt)
    found = [ends(parts, high, NOTHING, slack, upper) for upper in (False, True)]
    assert None not in found
    return found


@pytest.mark.parametrize("rounds", [2, 30, 1_000, 40_000])
@pytest.mark.parametrize("deviations", [0.0, 3.0, 12.0])
@pytest.mark.parametrize("slack", [0.1, 1e-3, 1e-5])
def test_delta_is_around_the_truth_and_as_near_as_asked(rounds: int, deviations: float, slack: float) -> None:
    eps0 = 0.3
    eps = rounds * eps0 * math.tanh(eps0 / 2) + deviations * math.sqrt(rounds) * eps0
    if eps >= 0.9 * rounds * eps0:
        return
    truth = true_delta(eps0, rounds, eps)
    below, above = (one.delta(eps) for one in both([Part(response(eps0), rounds)], eps, slack))
    assert below <= truth * (1 + 1e-9)
    assert above >= truth * (1 - 1e-9)
    assert above - below <= 3 * slack * truth


@pytest.mark.parametrize("deviations", [0.5, 3.0, 8.0])
def test_epsilon_is_where_delta_is_reached(deviations: float) -> None:
    eps0, rounds = 0.3, 1_000
    eps = rounds * eps0 * math.tanh(eps0 / 2) + deviations * math.sqrt(rounds) * eps0
    delta = true_delta(eps0, rounds, eps)
    below, above = (one.epsilon(delta) for one in both([Part(response(eps0), rounds)], eps, 1e-6))
    assert below <= eps <= above
    assert above - below < 1e-6 * eps


LAWS = st.lists(
    st.tuples(st.floats(-2, 2), st.floats(0.01, 1)), min_size=2, max_size=4, unique_by=lambda one: round(one[0], 3)
)


@given(
    st.lists(st.tuples(LAWS, st.integers(1, 3)), min_size=1, max_size=2),
    st.floats(0.05, 0.95),
    st.sampled_from([0.1, 1e-4]),
)
def test_laws_of_any_losses(laws, share, slack) -> None:
    parts = [Part(atoms(*law), rounds) for law, rounds in laws]
    low, high = (sum(rounds * pair.loss[end] for pair, rounds in parts) for end in (0, -1))
    mean = moments(parts, 0.0).mean
    eps = mean + share * (high - mean)
    truth = enumerated(parts, eps)
    below, above = (one.delta(eps) for one in both(parts, eps, slack))
    assert below <= truth * (1 + 1e-9)
    assert above >= min(1.0, truth) * (1 - 1e-9)
    assert above <= truth + 30 * slack * moments(parts, 0.0).deviation or low > high


def test_what_comes_again_is_counted(monkeypatch) -> None:
    """With hardly any room the lower end is far down, and the truth between both."""
    eps0, rounds, eps = 0.3, 500, 25.0
    monkeypatch.setattr(periods, "LOG_WRAPPED", -3.0)
    truth = true_delta(eps0, rounds, eps)
    below, above = (one.delta(eps) for one in both([Part(response(eps0), rounds)], eps, 1e-4))
    assert below <= truth <= above
    assert above - below > 1e-3 * truth


@pytest.mark.parametrize(("name", "value"), [("ENDED", 12.0), ("LOG_SILENT", -16.0)])
def test_what_is_left_out_is_counted(monkeypatch, name, value) -> None:
    """Of the line's end, or where nothing is heard."""
    eps0, rounds, eps = 0.3, 500, 25.0
    parts, truth = [Part(response(eps0), rounds)], true_delta(eps0, rounds, eps)
    before = both(parts, eps, 0.01)
    for one in (module, transforms):
        monkeypatch.setattr(one, name, value)
    after = both(parts, eps, 0.01)
    assert after[0].delta(eps) <= truth <= after[1].delta(eps)
    assert min(one.error for one in after) > 1e3 * max(one.error for one in before)
    assert after[1].delta(eps) > before[1].delta(eps)
    assert after[0].delta(eps) < before[0].delta(eps)


def test_the_noise_is_counted() -> None:
    """Much of it moves delta by as much as it may."""
    eps0, rounds, eps = 0.3, 500, 25.0
    parts, truth = [Part(response(eps0), rounds)], true_delta(eps0, rounds, eps)
    below, above = (one.delta(eps) for one in both(parts, eps, 0.1))
    assert below < truth * 0.99 < truth * 1.01 < above
    less = [one.delta(eps) for one in both(parts, eps, 0.01)]
    assert below < less[0] < truth < less[1] < above


def test_nodes_that_hardly_matter_are_left_out_and_counted(monkeypatch) -> None:
    """Of many rounds hardly any node is heard: an evaluation takes some dozens of terms, not thousands."""
    parts = [Part(response(0.01), 10**6)]
    found = integral(parts, 1.0, 1e-6)
    assert found is not None
    assert found.silent > 10 * len(found.turn)
    above = found.end(NOTHING, 1e-4, upper=True)
    assert above is not None and len(above.turn) < 300
    monkeypatch.setattr(module, "LIGHT", 1e6)
    fewer = found.end(NOTHING, 1e-4, upper=True)
    assert fewer is not None and len(fewer.turn) < len(above.turn)
    left_out = abs(float(above.weight[np.isin(above.turn, fewer.turn, invert=True)].real.sum()))
    assert 0 < left_out <= fewer.error - above.error * (1 - 1e-9)


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("share", [3.0, 0.3, 1e-3])
def test_epsilon_is_found_at_few_points(upper, share, monkeypatch) -> None:
    """And at the end that is found the curve is on its side of delta."""
    looks, curve = [], module.Smoothed._curve

    def counted(self, eps):
        looks.append(len(eps))
        return curve(self, eps)

    side = both([Part(response(0.3), 1_000)], 70.0, 1e-4)[upper]
    monkeypatch.setattr(module.Smoothed, "_curve", counted)
    delta = share * side.delta(70.0)
    eps = side.epsilon(delta)
    assert sum(looks) < 60
    known = side.delta(eps)
    assert known <= delta * (1 + 1e-12) if upper else known >= delta * (1 - 1e-12)
    assert known == pytest.approx(delta, rel=1e-6)


def test_too_much_work_is_not_done(monkeypatch) -> None:
    parts = [Part(response(0.3), 100)]
    assert integral(parts, 1.0, 1e-3) is not None
    assert integral(parts, 1.0, 1e-20) is None
    assert integral(parts, 1.0, 0.0) is None
    assert integral([Part(response(1e-5), 10**12)], 1.0, 1e-4) is None
    assert integral([Part(atoms((0.5, 0.5)), 100)], 1.0, 1e-4) is None
    monkeypatch.setattr(module, "MOST_NODES", 10)
    assert integral(parts, 1.0, 1e-3) is None


@pytest.mark.parametrize("deviations", [1.0, 5.0, 12.0])
@pytest.mark.parametrize("rounds", [5, 200])
def test_more_noise_makes_the_nodes_few_enough(rounds, deviations, monkeypatch) -> None:
    """Half as many nodes take four times the noise, and a quarter more than there is room for; all is counted."""
    eps0, slack = 0.3, 1e-4
    eps = min(rounds * eps0 * math.tanh(eps0 / 2) + deviations * math.sqrt(rounds) * eps0, 0.9 * rounds * eps0)
    parts, truth = [Part(response(eps0), rounds)], true_delta(eps0, rounds, eps)
    tilts = [tilt for tilt in np.geomspace(0.1, 1e4, 500) if moments(parts, tilt).mean >= eps]
    first = integral(parts, float(tilts[0]), slack)
    number = first.silent + len(first.turn)
    monkeypatch.setattr(module, "MOST_NODES", number // 2)
    assert integral(parts, float(tilts[0]), slack) is None
    fewer = integral(parts, float(tilts[0]), slack, 8.0)
    assert fewer.silent + len(fewer.turn) <= number // 2
    assert 4.0 * first.variance <= fewer.variance <= 4.3 * first.variance
    width = []
    for one in (first, fewer):
        below, above = (one.end(NOTHING, slack, upper=upper).delta(eps) for upper in (False, True))
        assert below <= truth * (1 + 1e-9)
        assert above >= truth * (1 - 1e-9)
        width.append(above - below)
    assert width[0] <= 1.1 * width[1] <= 11 * width[0]
    monkeypatch.setattr(module, "MOST_NODES", number // 4)
    assert integral(parts, float(tilts[0]), slack, 8.0) is None


def test_what_is_mostly_round_off_is_no_answer() -> None:
    found = integral([Part(response(0.3), 100)], 1.0, 1e-4)
    assert found is not None
    assert found.end(NOTHING, 1e-4, upper=True) is not None
    assert found._replace(error=found.error + 1e-3).end(NOTHING, 1e-4, upper=True) is None


def test_what_is_not_listed_is_added_above() -> None:
    parts = [Part(response(0.3), 100)]
    least, most = (ends(parts, 1.0, Leftover(0.01, 0.02, 0.0), 1e-4, upper) for upper in (False, True))
    known = true_delta(0.3, 100, 8.0)
    assert least.delta(8.0) == pytest.approx(known + 0.01, rel=1e-3)
    assert most.delta(8.0) == pytest.approx(known + 0.03, rel=1e-3)
    assert most.delta(1e9) == pytest.approx(0.03)
    assert most.delta(-1e9) == 1.0


def test_a_tilt_that_fits_delta_need_not_fit_eps() -> None:
    """Rare large losses outweigh the others where delta is met: another tilt finds eps. The ends were 20 % apart."""
    known = (DistributedCheckIn(1.0, 1000, 0.02) * 50).attack_epsilon(1e-4, rtol=2e-3)
    assert known.width <= 2e-3
    assert known.lower <= 0.192805 <= known.upper


def test_an_eps_next_to_the_largest_loss_is_looked_for_closely() -> None:
    """There only few points of a first look have a delta from below that is not 0."""
    known = (Shuffle(2.0, 30) * 3).guarantee(1e-6, rtol=1e-3)
    assert known.width <= 1e-3
    assert 5.9 < known.lower < 6.0


@pytest.mark.parametrize("eps", [10.0, 15.0, 25.0])
def test_lists_are_read_off_with_more_noise_before_grids_are_looked_at(eps, monkeypatch) -> None:
    """If that is near enough; with no room for it the same question goes on to grids."""
    known, asked = Listed([Part(Shuffle(2.0, 100, reduction="clones").pair.listed(-80.0, 1e-6), 50)]), list[float]()
    usual, grids = known.delta(eps, 1e-3), Listed._on_grids
    first = integral(known.upper, known.tilt_at(eps), 1e-3 / listed.PART_OF_SLACK)
    monkeypatch.setattr(module, "MOST_NODES", round(0.6 * (first.silent + len(first.turn))))
    monkeypatch.setattr(Listed, "_on_grids", lambda self, *args: asked.append(args[0]) or grids(self, *args))
    found = known.delta(eps, 1e-3)
    assert not asked
    assert found.width <= 1e-3
    assert found.lower <= usual.upper
    assert usual.lower <= found.upper
    monkeypatch.setattr(listed, "ROOM", 1.0)
    known.delta(eps, 1e-3)
    assert asked


def test_rare_large_losses_do_not_move_the_line() -> None:
    """Weighed by where it lies for like losses they were all that was left, and the ends 0 and 1."""
    losses = np.append(np.linspace(-0.012, 0.01, 40), np.linspace(1.0, 29.0, 40))
    p = np.append(np.full(40, 0.998 / 40), np.full(40, 0.002 / 40))
    rare, eps = Atoms(losses, np.log(p) - losses), 1e-6
    parts = [Part(rare, 3)]
    drawn = periods.drawn_in(parts, 0.0, periods.line(0.0, moments(parts, 0.0).deviation))
    assert drawn < periods.line(0.0, moments(parts, 0.0).deviation)
    least, most = (ends(parts, 0.0, NOTHING, 1e-5, upper).delta(eps) for upper in (False, True))
    total, mass = (losses[:, None] + losses).ravel(), np.outer(p, p).ravel()
    total, mass = (total[:, None] + losses).ravel(), np.outer(mass, p).ravel()
    truth = float((mass * -np.expm1(np.minimum(eps - total, 0.0))).sum())
    assert least <= truth * (1 + 1e-9)
    assert truth <= most * (1 + 1e-9)
    assert most - least <= 0.2 * truth


def test_like_losses_leave_the_line_where_it_is() -> None:
    for rounds, tilt in ((10, 0.0), (1_000, 0.3), (10**6, 2.0)):
        parts = [Part(response(0.3), rounds)]
        c = periods.line(tilt, moments(parts, tilt).deviation)
        assert periods.drawn_in(parts, tilt, c) == c


def test_what_lists_leave_apart_is_put_on_no_grid(monkeypatch) -> None:
    """With more noise that hardly shows, of lists that are too far apart: no grid brings them nearer."""
    pair, asked = Shuffle(2.0, 100, reduction="clones").pair, list[float]()
    above, eps = pair.listed(-80.0, 1e-6).upper, 15.0
    known = Listed([Part(Enclosure(above._replace(log_q=above.log_q - 1e-3), above), 50)])
    first = integral(known.upper, known.tilt_at(eps), 1e-4 / listed.PART_OF_SLACK)
    monkeypatch.setattr(module, "MOST_NODES", round(0.6 * (first.silent + len(first.turn))))
    monkeypatch.setattr(Listed, "_on_grids", lambda self, *args: asked.append(args[0]) or args[2])
    found = known.delta(eps, 1e-4)
    assert found.width > 1e-4
    assert known.too_coarse
    assert not asked


def test_less_noise_is_looked_for_where_it_shows() -> None:
    """Few large losses leave the law denser than its tilt says: what noise took off was six times what it may."""
    rare = DistributedCheckIn(0.1203, 4801, 0.0103, neighbours="remove")
    usual = Shuffle(2.264, 3, population=25_922_838, reduction="clones")
    way = answers.composition(rare * 3 + usual * 2037).both_ways()[0]
    assert way._listed(-40.0, 1e-4, None).delta(1.455e-6, 1e-4).width <= 1e-4
