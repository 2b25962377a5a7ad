"""The pairs of random check-ins: never below the truth of few slots, the game of known patterns, or an attack."""

import itertools
import math
import random

import numpy as np
import pytest

from shufflekit import RandomCheckIn
from shufflekit.beyond import slots
from shufflekit.convex_order import profile
from shufflekit.definitions import Definition, Game, Lottery, Mixture, corners, empty_slots, response
from shufflekit.dominating_pairs import hulled, lottery_pair, pair_of
from shufflekit.dominating_pairs.anchors import FEW_IN_STRETCH, STRETCH
from shufflekit.dominating_pairs.game_pair import scores
from shufflekit.dominating_pairs.hulled import listed_by_knots
from shufflekit.dominating_pairs.lottery_pair import LotteryPair
from shufflekit.dominating_pairs.lottery_terms import far_out, worst

SMALL = [(1, 1), (1, 3), (2, 2), (2, 4), (3, 3), (5, 3), (4, 4), (2, 5), (5, 5)]
SHARES = (0.0, 0.1, 0.3, 0.6)  # of eps0


def delta(pair, eps):
    return float(pair.delta(np.array([eps])).upper[0])


def lottery(m, n, rate, eps0, dummies=True):
    return LotteryPair(Lottery(m, n, rate, corners(math.expm1(eps0)), dummies))


def told_which_are_empty(laws, n, m, rate, alpha):
    """As ``replaced_of``, but nobody says how many came: the mean weight given which slots are empty."""
    mass, total = {}, {}
    for one in slots.told(n, m, rate):
        mass[one.occupied] = mass.get(one.occupied, 0) + one.chance
        total[one.occupied] = total.get(one.occupied, 0) + one.chance * np.array(one.weights)
    return sum(mass[key] * slots.weighted(laws, tuple(total[key] / mass[key]), alpha) for key in mass)


# Few slots.


@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("rate", [1, 0.5, 0.1])
def test_never_below_the_game_of_few_slots(eps0, rate):
    """[beyond] 15, by enumeration: the adversary is told which slots are empty."""
    laws = corners(math.expm1(eps0)).laws
    for n, m in SMALL:
        pair = lottery(m, n, rate, eps0)
        for share in SHARES if m < 5 else SHARES[:2]:
            real = told_which_are_empty(laws, n, m, rate, math.exp(share * eps0))
            assert delta(pair, share * eps0) >= real * (1 - 1e-9), (n, m, share)


@pytest.mark.parametrize("dummies", [True, False])
def test_many_alphas_at_once_share_the_laws_at_their_ends(dummies):
    """Never below the games of few slots, whose scores are each alpha's own."""
    moves, eps = corners(math.expm1(1.0)), np.array([0.009, 0.0, 0.004, 0.0055, 0.3])
    for n, m in ((2, 2), (3, 3), (2, 4)):
        found = lottery(m, n, 1, 1.0, dummies).delta(eps).upper
        for own, e in zip(found, eps, strict=True):
            alpha = math.exp(e)
            real = told_which_are_empty(moves.laws, n, m, 1, alpha) if dummies else slots.sampled(moves, n, m, 1, alpha)
            assert own >= real * (1 - 1e-9), (n, m, e)


@pytest.mark.parametrize("dummies", [True, False])
def test_what_sharing_costs_is_little(dummies):
    """Next to each alpha alone, from the middle of the law to where 1e-12 is left."""
    pair = lottery(20_000, 20_000, 1, 1.0, dummies)
    eps = math.sqrt(pair._variance) * pair._heavy * np.array([0.0, 0.4, 1.1, 3.0, 5.0, 7.0])
    together, alone = pair.delta(eps).upper, np.array([delta(pair, e) for e in eps])
    assert np.ptp(eps) / STRETCH < len(eps) / FEW_IN_STRETCH  # one holds more than are asked by themselves
    assert (together >= alone * (1 - 1e-4)).all() and (together <= alone * (1 + 1e-3)).all()


@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
def test_never_below_the_sampled_game_of_few_slots(eps0):
    """[beyond] 16, by enumeration: everybody comes, and how many slots take a client is seen."""
    moves = corners(math.expm1(eps0))
    for n, m in SMALL:
        pair = lottery(m, n, 1, eps0, dummies=False)
        for share in SHARES:
            real = slots.sampled(moves, n, m, 1, math.exp(share * eps0))
            assert delta(pair, share * eps0) >= real * (1 - 1e-9), (n, m, share)


@pytest.mark.parametrize("eps0", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("rate", [1, 0.5, 0.1])
@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_replacement_is_close_to_the_game_of_few_slots(eps0, rate, m):
    """No number of clients: all weights the largest there are; nobody makes room."""
    moves = corners(math.expm1(eps0))
    pair = pair_of(Game(m, m / rate, (moves,), replaced=True))
    for share in SHARES:
        real = slots.replaced(moves.laws, m, rate, math.exp(share * eps0))
        assert real * (1 - 1e-9) <= delta(pair, share * eps0) <= real * 1.01 + 2e-3


# Some hundred slots: the game of a known pattern of heavy and light ones, on a grid of its own.


def played(laws, weights, x):
    """The best play, slot after slot, each of its weight: E(x + sum)_+, by chords that hardly matter."""
    variance = max(law.variance for law in laws) * math.fsum(w * w for w in weights)
    half = 9 * math.sqrt(variance) + 5 * max(float(np.abs(law.value).max()) for law in laws)
    grid = np.linspace(-half, half, 2 * math.ceil(half / 0.05) + 1)
    worth = np.maximum(grid, 0.0)
    for w in reversed(weights):
        found = []
        for law in laws:
            places = grid + w * law.value[:, None]
            found.append(law.chance @ (np.interp(places, grid, worth) + np.maximum(places - grid[-1], 0.0)))
        worth = np.max(found, axis=0)
    return float(np.interp(x, grid, worth))


def by_patterns(m, n, eps0, eps, patterns):
    """The mean over patterns, one at each of some quantiles of how many are heavy."""
    drawn, empty = np.random.default_rng(m + n), empty_slots(n - 1, m, 1.0)
    laws = [scores(law, math.exp(eps)) for law in corners(math.expm1(eps0)).laws]
    total = 0.0
    for u in (np.arange(patterns) + 0.5) / patterns:
        at = min(int(np.searchsorted(np.cumsum(empty.chance), u)), len(empty.number) - 1)
        weights = np.full(m, empty.shared[at])
        weights[drawn.permutation(m)[: int(empty.number[at])]] = 1.0
        total += played(laws, weights.tolist(), -m * math.expm1(eps))
    return total / patterns / m


@pytest.mark.parametrize("last", [None, 15, 40])
@pytest.mark.parametrize(("m", "n"), [(120, 120), (100, 300), (160, 60)])
def test_never_below_known_patterns(monkeypatch, last, m, n):
    """By the clones, and by the corners with some of the last slots set apart, whatever that costs."""
    monkeypatch.setattr(LotteryPair, "_last", last)
    monkeypatch.setattr(lottery_pair, "PART", math.inf)
    pair = LotteryPair(Lottery(m, n, 1, corners(math.expm1(1.1)), True))
    lottery_pair._late.cache_clear()
    try:
        for eps in (0.0, 0.6 / math.sqrt(m)):
            real, own = by_patterns(m, n, 1.1, eps, 4), delta(pair, eps)
            assert real * (1 - 1e-3) <= own <= real * 3
    finally:
        lottery_pair._late.cache_clear()


@pytest.mark.parametrize("dummies", [True, False])
def test_the_guide_is_like_the_pair(dummies):
    """At one alpha it has about the same delta: it says how far to look."""
    for m, n, rate, eps0 in (
        (500, 400, 0.3, 0.4),
        (500, 400, 1.0, 3.0),
        (2_000, 9_000, 0.05, 1.5),
        (300, 20, 0.5, 1.0),
    ):
        pair, eps = lottery(m, n, rate, eps0, dummies), np.zeros(1)
        assert pair.guide.delta(eps).upper == pytest.approx(pair.delta(eps).upper, rel=0.15), (m, n, rate, eps0)


@pytest.mark.parametrize("dummies", [True, False])
@pytest.mark.parametrize(("m", "n", "eps0"), [(120, 90, 1.1), (400, 3_000, 2.0)])
def test_chernoff_is_above_sums(dummies, m, n, eps0):
    """Of clones' scores, far out, too, and it is of the same size."""
    pair = lottery(m, n, 0.7, eps0, dummies)
    law = scores(pair.lottery.moves.spares[0], 1.0)
    x = math.sqrt(law.variance * pair._slots) * np.array([0.0, 1.0, 4.0, 9.0, 14.0])
    own, bound = pair._clones_at(pair._all, 0.0, x), far_out([law], pair._all, x)
    assert (bound >= own * (1 - 1e-9) - pair._all.unlikely * m).all() and (bound[2:] <= 100 * own[2:]).all()


def test_what_is_unlikely_is_never_too_small(monkeypatch):
    """By Chernoff's bound where that hardly matters, and else as it is."""
    pair = lottery(200, 150, 0.5, 1.5)
    law, x = scores(pair.lottery.moves.spares[0], 1.0), np.array([5.0, 20.0, 60.0])
    of = pair._all._replace(unlikely=1e-6)
    exact = of.unlikely * pair._clones_at(worst(pair.lottery), 0.0, x)
    rest = pair._unlikely(of, 0.0, x, np.array([1e3, 1e3, 0.0]))
    assert (rest >= exact * (1 - 1e-9)).all() and rest[2] == pytest.approx(exact[2], rel=1e-9)
    assert rest[:2] == pytest.approx(of.unlikely * far_out([law], worst(pair.lottery), x)[:2], rel=1e-9)


def test_a_list_reaches_as_far_as_it_has_to_whatever_the_guide_says(monkeypatch):
    """A guide that ends much too soon costs some looks, and one that ends too late some knots."""
    pair, cut = lottery(400, 300, 1, 1.5), -40.0
    far = hulled._known(pair, cut)[0][-1]
    for times in (0.4, 1.0, 3.0):
        with monkeypatch.context() as patch:
            guessed = hulled._guessed(pair, cut)
            patch.setattr(hulled, "_guessed", lambda *_, it=guessed, times=times: (it[0], times * it[1]))
            eps, found = hulled._known(pair, cut)
        assert found[-1] <= math.exp(cut) < found[-2]
        assert far / 1.1 <= eps[-1] <= far * 1.1
        assert (np.diff(eps) > 0).all() and len(eps) == len(found)


def test_a_list_for_a_moment_is_long_enough_at_once(monkeypatch):
    """The guide says how large the moment is, and so what may be missing: not one short list, and then a longer one."""
    cuts, known = [], hulled._known
    monkeypatch.setattr(hulled, "_known", lambda pair, log_cut: cuts.append(log_cut) or known(pair, log_cut))
    pair = lottery(2_415, 146_500, 0.1791, 4.834)
    assert 0 < float(pair.divergence(np.array([88.0]))[0]) <= pair.largest_loss
    assert len(cuts) == 1 and cuts[0] < -60


# Many slots: above the attack, below the clones.


def settings_of(number, seed):
    """Protocols of all sizes; where corners tie, not too many slots, for time."""
    drawn = random.Random(seed)

    def between(low, high):
        return math.exp(drawn.uniform(math.log(low), math.log(high)))

    while number:
        eps0, m, n = between(0.05, 5), int(between(1, 1e5)), int(between(20, 1e6))
        empty = drawn.choice(["dummy", "skipped"])
        rate = drawn.uniform(0.05, 1) if empty == "dummy" and drawn.random() < 0.5 else 1.0
        if n * rate > min(100 * m, 300 if m < 60 else math.inf) or n * rate < 20 or (eps0 < 0.8 and m > 1_000):
            continue
        number -= 1
        yield RandomCheckIn(eps0=eps0, slots=m, clients=n, participation=rate, empty=empty)


def points(protocol):
    """0, and one and two deviations of what the slots say in all."""
    m, n, E = protocol.slots, protocol.clients, math.exp(protocol.eps0)
    come = n * protocol.participation
    chance = -m / n * math.expm1(-come / m)
    deviation = (E - 1) * math.sqrt(2 / (E + 2) / min(m, come)) * min(chance, protocol.participation)
    return np.array([0.0, *(one for one in (deviation, 2 * deviation) if one < 0.3 * protocol.largest_loss)])


def test_never_below_an_attack():
    """Each of 60 random protocols, at some deviations."""
    for protocol in settings_of(60, 5):
        eps = points(protocol)
        found = protocol.pair.delta(eps).upper
        assert np.isfinite(found).all()
        for attack in protocol.attacks:
            pair = pair_of(attack.define(float))
            for way in (pair, pair.reversed()):
                assert (found >= way.delta(eps).lower * (1 - 1e-9)).all(), protocol


def test_hardly_above_the_clones():
    """Corners are followed where that is worth it: what it costs in the rest is little."""
    for protocol in settings_of(40, 6):
        for pair in getattr(protocol.pair, "pairs", [protocol.pair]):
            if isinstance(pair, LotteryPair) and pair.follows_corners:
                eps = points(protocol)
                clones = pair.of_clones(eps) + pair._crowded(eps)
                assert (pair.delta(eps).upper <= clones * 1.01).all()


@pytest.mark.parametrize("rounds", [1, 30])
@pytest.mark.parametrize("empty", ["dummy", "skipped"])
def test_many_epochs_never_below_an_attack(rounds, empty):
    """Composed: both ends are there, and close."""
    run = RandomCheckIn(eps0=1.0, slots=3_000, clients=3_000, empty=empty) * rounds
    found = run.epsilon(1e-6)
    assert 0 < run.attack_epsilon(1e-6).lower <= found.upper
    assert found.lower <= found.upper <= 1.3 * found.lower


@pytest.mark.parametrize(("eps0", "m"), [(1.0, 10_000), (3.0, 500), (0.5, 400)])
def test_more_clients_never_cost_more(eps0, m):
    """Whoever comes more hides the others: up to what a certificate costs."""
    for dummies in (True, False):
        pairs = [lottery(m, n, 1, eps0, dummies) for n in (m // 2, m, 2 * m, 5 * m)]
        for eps in (0.0, 1.5 * math.sqrt(pairs[1]._variance) * pairs[1]._heavy):
            found = [delta(pair, eps) for pair in pairs]
            assert all(more <= fewer * (1 + 1e-3) for fewer, more in itertools.pairwise(found))


def test_the_corners_are_worth_it(monkeypatch):
    """With the clones alone the answer is a tenth larger."""
    protocol = RandomCheckIn(eps0=1.0, slots=10_000, clients=10_000)
    pair = next(pair for pair in protocol.pair.pairs if isinstance(pair, LotteryPair) and pair.lottery.dummies)
    assert pair.follows_corners
    closely = protocol.guarantee(1e-6).upper
    listed_by_knots.cache_clear()
    pair_of.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(LotteryPair, "_last", None)
        clones = protocol.guarantee(1e-6).upper
    listed_by_knots.cache_clear()
    pair_of.cache_clear()
    assert closely * 1.1 <= clones
    assert protocol.attack_epsilon(1e-6).lower < closely


# The least of several, and mixtures.


@pytest.mark.parametrize(
    "protocol",
    [
        RandomCheckIn(eps0=1.0, slots=5_000, clients=5_000),
        RandomCheckIn(eps0=0.6, slots=50, clients=100),
        RandomCheckIn(eps0=2.0, slots=200, clients=100, participation=0.5),
    ],
    ids=str,
)
def test_the_least_of_several(protocol):
    """No more than any of them, falling and convex in alpha, and its own reverse."""
    pair = protocol.pair
    top = 5 * math.sqrt(2 * math.pi) * delta(pair, 0.0)
    eps = np.linspace(0, min(top, 0.4 * pair.largest_loss), 9)
    found = pair.delta(eps).upper
    assert pair.reversed() is pair
    for one in pair.pairs:
        assert (found <= one.delta(eps).upper * 1.005).all()
        assert pair.largest_loss <= one.largest_loss
    assert (np.diff(found) <= 0).all()
    slopes = np.diff(found) / np.diff(np.expm1(eps))
    assert (np.diff(slopes) >= -2e-2 * np.abs(slopes[:-1])).all()


def test_the_list_of_a_lottery_connects_the_dots():
    """Between knots it lies above the attack, and it is a law."""
    protocol = RandomCheckIn(eps0=1.0, slots=2_000, clients=2_000)
    atoms = protocol.pair.listed(-30.0).upper
    assert math.isclose(float(np.exp(atoms.log_q).sum()), 1.0, rel_tol=1e-9)
    eps = np.linspace(0, 0.12, 5)
    own = profile(atoms, eps)
    assert (own >= pair_of(protocol.attacks[0].define(float)).delta(eps).lower).all()
    assert (own <= protocol.pair.delta(eps).upper * 1.02 + math.exp(-30.0)).all()


def test_what_a_mixture_leaves_shows_nothing():
    """Half of the time: both laws have all their mass, and two rounds have what the four mixtures of them have."""
    law, eps = response(math.expm1(1.0), 3), np.array([0.0, 0.05, 0.2])
    part = Definition(5, 50, (law,))
    atoms = pair_of(Mixture((part,), (0.5,))).listed(-60.0).lower
    assert math.isclose(float(np.exp(atoms.log_q).sum()), 1.0, rel_tol=1e-9)
    assert math.isclose(float(np.exp(atoms.log_q + atoms.loss).sum()), 1.0, rel_tol=1e-9)
    one = pair_of(part).listed(-60.0).lower
    loss = np.append((one.loss[:, None] + one.loss).ravel(), np.append(one.loss, one.loss))
    mass = np.append((np.exp(one.log_q)[:, None] * np.exp(one.log_q)).ravel(), np.tile(np.exp(one.log_q), 2)) / 4
    own = [float(mass @ np.maximum(np.exp(loss) - math.exp(e), 0.0)) for e in eps]
    both = np.exp(atoms.log_q)[:, None] * np.exp(atoms.log_q), atoms.loss[:, None] + atoms.loss
    assert [float((both[0] * np.maximum(np.exp(both[1]) - math.exp(e), 0.0)).sum()) for e in eps] == pytest.approx(own)


def test_a_mixture_is_a_sum():
    """Each part with its chance; listed, the same profile; back and forth."""
    law = response(math.expm1(1.0), 3)
    parts, chances = (
        (Definition(20, 50, (law,)), Definition(5, 50, (law,)), Definition(50, 50, (law,))),
        (0.5, 0.3, 0.2),
    )
    pair, eps = pair_of(Mixture(parts, chances)), np.array([0.0, 0.05, 0.2, 0.5])
    ends = pair.delta(eps)
    own = [pair_of(part) for part in parts]
    lower, upper = (
        sum(c * getattr(p.delta(eps), end) for p, c in zip(own, chances, strict=True)) for end in ("lower", "upper")
    )
    assert ends.lower == pytest.approx(lower, rel=1e-12)
    assert ends.upper == pytest.approx(upper, rel=1e-12)
    assert pair.largest_loss == max(p.largest_loss for p in own)
    back = sum(c * p.reversed().delta(eps).upper for p, c in zip(own, chances, strict=True))
    assert pair.reversed().delta(eps).upper == pytest.approx(back, rel=1e-12)
    listed = profile(pair.listed(-30.0).upper, eps)
    assert (listed >= ends.lower * (1 - 1e-9)).all()
    assert listed == pytest.approx(ends.upper, rel=1e-3)
