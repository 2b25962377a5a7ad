"""The front door: brackets hold the truth, are narrow and monotone, and bad input is refused in words."""

import itertools
import math
import tomllib
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflekit import (
    Bracket,
    Channel,
    GaussianShuffle,
    HadamardResponse,
    RandomizedResponse,
    RandomizedResponseShuffle,
    Run,
    Shuffle,
    ShuffledCheckIn,
    certify,
    exact,
)
from shufflekit.divergences import hockey_stick, renyi
from shufflekit.dominating_pairs import ScorePair
from shufflekit.protocols import MAX_ROUNDS
from shufflekit.randomizers import random_channel
from tests import truth
from tests.pairs import delta_of_pair

GOLDEN = tomllib.loads((Path(__file__).parent / "golden" / "composed.toml").read_text(encoding="utf-8"))
EIGHT_DIGITS = 6e-8

small = st.tuples(st.integers(1, 400), st.integers(0, 10**6), st.integers(1, 300))


def channels(ratio):
    rng = np.random.default_rng(0)
    named = [RandomizedResponse(2, ratio=ratio), RandomizedResponse(3, ratio=ratio), HadamardResponse(3, ratio=ratio)]
    return [*named, *(random_channel(3, 3, ratio=ratio, rng=rng) for _ in range(2))]


def worst(pairs, eps):
    return max(float(hockey_stick(pair.p, pair.q, math.exp(eps))) for pair in pairs)


# The truth, by enumeration.


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize("ratio", [2, 7])
@pytest.mark.parametrize(("n", "population"), [(1, 1), (2, 2), (3, 3), (1, 3), (2, 4), (4, 5)])
def test_no_channel_and_no_data_are_worse(ratio, n, population):
    """All neighbouring data sets of several channels, and the known channel's own, tighter answer.

    What is said to be reached is reached by one of them: a known channel's attack by that channel.
    """
    general = Shuffle(math.log(ratio), n, population)
    for channel in (c for c in channels(ratio) if c.outputs < 4 or population < 5):
        pairs = list(exact.neighbours(channel, population, n))
        known = Shuffle(randomizer=channel, n=n, population=population)
        for eps in (0.0, 0.2, 1.0):
            true, bound, own = worst(pairs, eps), general.delta(eps), known.delta(eps)
            assert own.lower * (1 - 1e-9) - 1e-15 <= true <= own.upper * (1 + 1e-9) + 1e-15
            assert own.lower <= bound.upper * (1 + 1e-9) + 1e-15
            assert true <= bound.upper * (1 + 1e-9) + 1e-15
        for order in (2, 3.5):
            found = max(renyi(pair.p.astype(float), pair.q.astype(float), order) for pair in pairs)
            assert found <= general.rdp(order) * (1 + 1e-9)
            if not isinstance(known.pair, ScorePair):  # which is listed slowly
                assert found <= known.rdp(order) * (1 + 1e-9)


@pytest.mark.parametrize("n", [6, 12])
def test_twelve_clients(n):
    channel = RandomizedResponse(2, ratio=3)
    pairs, run = list(exact.neighbours(channel, n)), Shuffle(math.log(3), n)
    for eps in (0.0, 0.1, 0.5, 0.9):
        assert worst(pairs, eps) <= run.delta(eps).upper
    # For n = 12 the attack is one of these data sets.
    target = worst(pairs, 0.4)
    assert run.attack_epsilon(target).lower <= 0.4 * (1 + 1e-9)


@pytest.mark.parametrize("rounds", [2, 3])
@pytest.mark.parametrize("channel", channels(3), ids=lambda channel: channel.name)
def test_composed_rounds_of_real_channels(channel, rounds):
    """The same data in every round: each neighbouring pair composed with itself, in fractions."""
    n = 2 if channel.outputs > 3 else 3
    run = Shuffle(math.log(3), n) * rounds
    own = Shuffle(randomizer=channel, n=n)
    # A channel that does not vote is composed slowly.
    fast = not isinstance(own.pair, ScorePair)
    for eps in (0.1, 0.6):
        bound, known = run.delta(eps), (own * rounds if fast else run).delta(eps)
        for pair in itertools.islice(exact.neighbours(channel, n), 0, None, 1 if rounds == 2 else 3):
            composed = certify.composition([(pair.p.ravel(), pair.q.ravel())] * rounds, eps)
            assert composed.lower <= bound.upper * (1 + 1e-11)
            assert composed.lower <= known.upper * (1 + 1e-9)


@pytest.mark.parametrize("rounds", [1, 2, 3])
@pytest.mark.parametrize(("E", "n", "population"), [(2, 1, 1), (3, 5, 5), (7, 3, 3), (3, 3, 20), (2, 4, 6)])
def test_brackets_hold_the_clone_pair(E, n, population, rounds):
    laws = truth.clone_pair(E, n, population)
    run = Shuffle(math.log(E), n, population, reduction="clones") * rounds
    for share in (0.0, 0.02, 0.3):
        eps = share * run.pure_epsilon
        true, ends = certify.composition([(laws.p, laws.q)] * rounds, eps), delta_of_pair(run, eps)
        assert run.delta(eps).upper == ends.upper
        assert ends.lower <= true.upper * (1 + 1e-11)
        assert true.lower * (1 - 1e-11) <= ends.upper
        assert ends.width <= 1e-4


def test_different_protocols_in_one_run():
    """Parts composed in fractions, in either order."""
    first, second = truth.clone_pair(3, 3), truth.clone_pair(2, 2, 6)
    a, b = (Shuffle(math.log(E), n, N, reduction="clones") for E, n, N in ((3, 3, 3), (2, 2, 6)))
    for eps in (0.0, 0.3, 1.2):
        true = certify.composition([(first.p, first.q)] * 2 + [(second.p, second.q)] * 2, eps)
        for run in (a * 2 + b * 2, b * 2 + a * 2, (a + b) * 2, a + b + a + b):
            ends = delta_of_pair(run, eps)
            assert ends.lower <= true.upper * (1 + 1e-11)
            assert true.lower * (1 - 1e-11) <= ends.upper
            assert ends.width <= 1e-4


# Golden numbers.


@pytest.mark.parametrize("row", GOLDEN["clones"]["rows"], ids=str)
def test_a_hundred_thousand_sampled_rounds(row):
    golden = GOLDEN["clones"]
    run = Shuffle(row["eps0"], golden["k"], golden["n"], reduction="clones") * golden["rounds"]
    ends = run.guarantee(golden["delta"])
    assert ends.width <= 1e-4
    assert ends.lower * (1 - EIGHT_DIGITS) <= row["eps"] <= ends.upper * (1 + EIGHT_DIGITS)
    assert run.epsilon(golden["delta"]) == (run.attack_epsilon(golden["delta"]).lower, ends.upper)


@pytest.mark.parametrize("row", GOLDEN["two_rounds"]["rows"], ids=str)
def test_two_rounds_down_to_a_delta_beyond_any_plain_fft(row):
    """A plain FFT makes 1.15375 of the last one."""
    run = Shuffle(GOLDEN["two_rounds"]["eps0"], GOLDEN["two_rounds"]["n"], reduction="clones") * 2
    ends = run.guarantee(row["delta"])
    assert ends.width <= 1e-4
    assert ends.lower * (1 - EIGHT_DIGITS) <= row["eps"] <= ends.upper * (1 + EIGHT_DIGITS)


@pytest.mark.parametrize(
    ("run", "delta"),
    [
        (Shuffle(4.0, 10**4) * 16, 1e-40),
        (Shuffle(2.0, 1000, 10**6) * 10**6, 1e-8),
        (Shuffle(2.0, 1000, 10**6) * 10**6, 1e-60),
        (Shuffle(2.0, 10**6) * 3, 1e-12),
    ],
    ids=str,
)
def test_as_narrow_as_promised(run, delta):
    for ends, delta_at in (
        (run.guarantee(delta), partial(delta_of_pair, run)),
        (run.attack_epsilon(delta), run.attack_delta),
    ):
        assert 0 < ends.lower <= ends.upper
        assert ends.width <= 1e-4
        assert delta_at(ends.lower * (1 - 1e-5), rtol=1e-2).upper >= delta
        assert delta_at(ends.upper * (1 + 1e-5), rtol=1e-2).lower <= delta


def test_a_finer_tolerance():
    run = Shuffle(2.0, 1000, 10**6, reduction="clones") * 1000
    for question, width in ((run.guarantee, 1e-6), (run.attack_epsilon, 1.1e-6)):  # of the attack, floating point's
        coarse, fine = (question(1e-8, rtol=rtol) for rtol in (1e-3, 1e-6))
        assert coarse.lower <= fine.lower <= fine.upper <= coarse.upper
        assert fine.width <= width
        assert coarse.width <= 1e-3
    both = [run.epsilon(1e-8, rtol=rtol) for rtol in (1e-3, 1e-6)]
    assert both[0].lower <= both[1].lower < both[1].upper <= both[0].upper


# What must be larger than what.


@settings(max_examples=10)
@given(st.floats(0.05, 6), small, st.sampled_from([1e-3, 1e-8, 1e-30]))
def test_ends_are_ordered_and_above_the_attack(eps0, sizes, delta):
    n, unsampled, rounds = sizes
    run = Shuffle(eps0, n, n + unsampled) * rounds
    attack, ends = run.attack_epsilon(delta, rtol=0.01), run.epsilon(delta, rtol=0.01)
    assert 0 <= attack.lower <= attack.upper < math.inf
    assert 0 <= ends.lower <= ends.upper <= run.pure_epsilon * (1 + 1e-12)
    assert ends.lower == attack.lower <= ends.upper
    assert float(ends) == ends.upper == run.guarantee(delta, rtol=0.01).upper
    assert (
        ends.lower <= (Shuffle(eps0, n, n + unsampled, reduction="clones2021") * rounds).epsilon(delta, rtol=0.01).upper
    )


@settings(max_examples=10)
@given(st.floats(0.05, 5), small, st.sampled_from([1e-3, 1e-8, 1e-30]))
def test_monotone(eps0, sizes, delta):
    n, unsampled, rounds = sizes
    population = n + unsampled

    def eps(eps0=eps0, n=n, population=population, rounds=rounds, delta=delta):
        return (Shuffle(eps0, n, population) * rounds).guarantee(delta, rtol=0.01)

    here = eps()
    for more in (eps(eps0=eps0 * 1.3), eps(rounds=2 * rounds), eps(delta=delta / 100)):
        assert here.lower <= more.upper
    assert eps(population=3 * population).lower <= here.upper
    assert eps(n=n, population=n).upper >= here.lower
    assert here.lower <= (Shuffle(eps0, n, population) * rounds + Shuffle(eps0, n)).guarantee(delta, rtol=0.01).upper


def test_more_clients_hide_more():
    for rounds in (1, 3):
        answers = [(Shuffle(2.0, n) * rounds).guarantee(1e-6, rtol=1e-3) for n in (1, 2, 5, 30, 300, 3000)]
        for before, after in pairwise(answers):
            assert after.lower <= before.upper
        assert answers[-1].upper < 0.5 * answers[0].lower


def test_monotone_in_eps():
    run = Shuffle(2.0, 20, 1000) * 20
    for question in (partial(delta_of_pair, run), run.attack_delta):
        values = [question(eps, rtol=1e-3) for eps in (0.0, 0.1, 0.4, 100.0)]
        for before, after in pairwise(values):
            assert after.lower <= before.upper
        assert values[-1].upper == 0


@settings(max_examples=10)
@given(st.floats(0.05, 6), st.integers(1, 1000), st.integers(0, 10**7), st.integers(1, 10**5), st.floats(1.01, 500))
def test_renyi_divergences_are_monotone(eps0, n, unsampled, rounds, order):
    run = Shuffle(eps0, n, n + unsampled) * rounds
    rdp, slack = run.rdp(order), 1 + 1e-5
    assert 0 < rdp <= run.pure_epsilon
    assert rdp <= (Shuffle(eps0 * 1.1, n, n + unsampled) * rounds).rdp(order) * slack
    assert (Shuffle(eps0, n, n + 2 * unsampled + 1) * rounds).rdp(order) <= rdp * slack
    assert rdp <= run.rdp(order * 1.3) * slack
    assert rdp <= (run + Shuffle(eps0, n)).rdp(order) * slack


@pytest.mark.parametrize("delta", [1e-2, 1e-9])
@pytest.mark.parametrize("rounds", [1, 4])
def test_the_same_protocol_by_two_names(delta, rounds):
    plain = (Shuffle(1.5, 40, reduction="clones") * rounds).guarantee(delta)
    assert (Shuffle(1.5, 40, 40, reduction="clones") * rounds).guarantee(delta) == plain
    assert (ShuffledCheckIn(1.5, 40, 1.0, reduction="clones") * rounds).guarantee(delta) == plain
    assert (RandomizedResponseShuffle(7, 1.5, 40, view="clones") * rounds).guarantee(delta) == plain
    weak = (RandomizedResponseShuffle(2, 1.5, 40, view="weak") * rounds).guarantee(delta)
    assert weak.lower <= plain.upper and plain.lower <= weak.upper
    binary = (Shuffle(randomizer=RandomizedResponse(2, 1.5), n=40) * rounds).guarantee(delta)
    assert binary.upper <= plain.upper * (1 + 1e-9)  # its own rows are played, which is tighter


def test_check_ins_lie_near_the_fixed_size():
    fixed = (Shuffle(2.0, 50, 5000) * 20).epsilon(1e-6, rtol=1e-3)
    coins = (ShuffledCheckIn(2.0, 5000, 0.01) * 20).epsilon(1e-6, rtol=1e-3)
    assert coins.upper == pytest.approx(fixed.upper, rel=0.05)
    assert (ShuffledCheckIn(2.0, 5000, 0.01) * 20).attack_epsilon(1e-6, rtol=1e-2).lower <= coins.upper


@pytest.mark.parametrize(
    "protocol",
    [
        Shuffle(1.0, 30),
        Shuffle(1.0, 30, reduction="clones2021"),
        ShuffledCheckIn(2.0, 50, 0.3),
        RandomizedResponseShuffle(4, 1.0, 30),
        RandomizedResponseShuffle(2, 1.0, 30),
        GaussianShuffle(2.0, 20),
        Shuffle(randomizer=HadamardResponse(3, 1.0), n=5),
    ],
    ids=str,
)
def test_no_attack_is_above_the_pair(protocol):
    for delta in (0.05, 1e-4):
        attack, bound = protocol.attack_epsilon(delta, rtol=1e-3), protocol.epsilon(delta, rtol=1e-3)
        assert attack.lower <= bound.upper
        assert attack.upper > 0 or delta > 0.01
        assert attack.name in {one.name for one in protocol.attacks}


@pytest.mark.parametrize(
    "protocol",
    [
        GaussianShuffle(2.0, 20),
        RandomizedResponseShuffle(4, 1.0, 30),
        RandomizedResponseShuffle(3, 1.0, 30, view="strong"),
    ],
    ids=str,
)
def test_where_a_pair_is_exact_both_ends_are_its_own(protocol):
    for run in (protocol * 1, protocol * 3):
        assert run.epsilon(0.05) == run.guarantee(0.05) == run.attack_epsilon(0.05)
        assert run.epsilon(0.05).width <= 1e-4
        assert run.delta(0.2) == delta_of_pair(run, 0.2) == run.attack_delta(0.2)
    with_others = protocol + Shuffle(1.0, 30)
    assert with_others.epsilon(0.05).width > 1e-3


def test_the_worst_attack_is_named():
    """Binary randomized response among few and where eps0 is small, 3-ary elsewhere."""
    for run, delta, name in (
        (Shuffle(1.0, 100), 1e-6, "binary randomized response, all others equal"),
        (Shuffle(2.0, 1000), 1e-6, "3-ary randomized response, all others at the third value"),
        (Shuffle(0.3, 1000) * 10, 1e-6, "binary randomized response, all others equal"),
    ):
        found = run.attack_epsilon(delta)
        assert found.name == run.attack_delta(found.lower).name == name
        assert run.attack_delta(found.lower).upper >= delta * (1 - 1e-3)
        reached = {row.name: row.eps for row in run.compare(delta).rows if row.kind == "lower"}
        assert max(reached, key=reached.get) == name
    mixed = Shuffle(2.0, 1000) + GaussianShuffle(2.0, 100)
    assert mixed.attack_epsilon(1e-6).name == (
        "3-ary randomized response, all others at the third value; the mechanism itself, all records but one equal"
    )


# What can be done with runs.


def test_composition_is_addition():
    a, b = Shuffle(1.0, 100), Shuffle(2.0, 50, 5000)
    assert repr(a * 3 + b) == "Shuffle(eps0=1, n=100) * 3 + Shuffle(eps0=2, n=50, population=5_000) * 1"
    assert (a + a).parts == (a * 2).parts == (2 * a).parts
    assert ((a + b) * 4).parts == (b * 4 + a * 4).parts[::-1]
    assert (a + a).epsilon(1e-6) == (2 * a).epsilon(1e-6) == (a * 2).epsilon(1e-6)
    assert (a * 3 + b).rdp(7) == pytest.approx(3 * a.rdp(7) + b.rdp(7), rel=1e-12)
    assert (a * 3 + b).pure_epsilon == pytest.approx(3 * a.pure_epsilon + b.pure_epsilon)
    one, both = (a * 3).attack_epsilon(1e-5), (a * 3 + b).attack_epsilon(1e-5)
    assert one.lower <= both.upper
    swapped = (b + a * 3).epsilon(1e-5), (a * 3 + b).epsilon(1e-5)
    assert swapped[0].lower <= swapped[1].upper and swapped[1].lower <= swapped[0].upper
    with pytest.raises(TypeError):
        a + 3


def test_a_run_of_one_round_is_the_round():
    one = Shuffle(1.0, 100)
    for question in ("epsilon", "guarantee", "attack_epsilon"):
        assert getattr(one, question)(1e-6) == getattr(one * 1, question)(1e-6)
    for question in ("delta", "attack_delta"):
        assert getattr(one, question)(0.3) == getattr(one * 1, question)(0.3)
    assert one.rdp(3) == (one * 1).rdp(3)


def test_rdp_of_one_order_and_of_many():
    protocol = Shuffle(2.0, 1000, 10**6)
    orders = np.array([1.5, 2.0, 10.0])
    assert isinstance(protocol.rdp(2), float)
    assert protocol.rdp(orders).shape == (3,)
    assert [protocol.rdp(order) for order in orders] == list(protocol.rdp(orders))
    assert Shuffle(1.0, 1, 10).pure_epsilon == pytest.approx(math.log1p(0.1 * math.expm1(1)))


def test_protocols_are_equal_by_what_they_are():
    assert Shuffle(1.0, 10) == Shuffle(1, 10, 10) != Shuffle(1.0, 10, 11)
    assert Shuffle(1.0, 10) != Shuffle(1.0, 10, reduction="clones2021")
    assert ShuffledCheckIn(1.0, 10, 1.0) != Shuffle(1.0, 10)
    assert len({Shuffle(1.0, 10), Shuffle(1.0, 10), GaussianShuffle(1.0, 10), GaussianShuffle(1.0, 10)}) == 2
    channel = RandomizedResponse(2, 1.0)
    assert Shuffle(randomizer=channel, n=3) == Shuffle(randomizer=channel, n=3)
    names = [
        Shuffle(1.0, 10, 20, reduction="clones2021"),
        ShuffledCheckIn(1.5, 2000, 0.25),
        RandomizedResponseShuffle(4, gamma=0.25, n=1000),
        GaussianShuffle(2.0, 1000),
        Shuffle(randomizer=channel, n=3),
    ]
    assert [repr(name) for name in names] == [
        "Shuffle(eps0=1, n=10, population=20, reduction='clones2021')",
        "ShuffledCheckIn(eps0=1.5, population=2_000, rate=0.25)",
        "RandomizedResponseShuffle(k=4, gamma=0.25, n=1_000, view='weak')",
        "GaussianShuffle(sigma=2, n=1_000)",
        f"Shuffle(randomizer={channel!r}, n=3)",
    ]


@pytest.mark.parametrize("gamma", [0.1, 0.7])
def test_gamma_and_eps0_are_two_names_of_one_thing(gamma):
    by_gamma = RandomizedResponseShuffle(5, gamma=gamma, n=30)
    by_eps0 = RandomizedResponseShuffle(5, by_gamma.eps0, 30)
    assert by_gamma.eps0 == pytest.approx(math.log((5 * (1 - gamma) + gamma) / gamma))
    assert by_eps0.gamma == pytest.approx(gamma, rel=1e-12)
    assert by_gamma == by_eps0


# The ends of the range.


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
def test_corners():
    assert Shuffle(1.0, 10).delta(1.0001) == (0.0, 0.0)
    assert Shuffle(1.0, 10).delta(1e300) == (0.0, 0.0)
    assert (Shuffle(1.0, 1) * 10).epsilon(1e-6).lower == pytest.approx(10, rel=1e-4)
    assert Shuffle(1e-9, 10**9).epsilon(0.5) == (0.0, 0.0)
    far = (Shuffle(1.0, 1000) * 4).guarantee(1e-60)
    assert 0 < far.lower <= far.upper < 4
    all_lost = (Shuffle(20.0, 100) * 10).delta(0.0)
    assert 0.99 < all_lost.lower <= all_lost.upper <= 1


EXTREMES = [
    *itertools.product([5e-324, 1e-300], [(1, 1), (3, 3), (10**12, 10**12), (1, 10**12)], [1, 2, 10**12]),
    *itertools.product([300.0], [(1, 1), (3, 3), (10**12, 10**12), (1, 10**12)], [1, 2]),
    *itertools.product([1.0], [(1, 1), (1, 10**12)], [1, 2]),
    (300.0, (3, 3), 10**12),
]


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize(("eps0", "sizes", "rounds"), EXTREMES)
def test_extremes(eps0, sizes, rounds):
    """No nan, no warning, no overflow, no end on the wrong side of another."""
    run = Shuffle(eps0, *sizes) * rounds
    most = run.pure_epsilon
    for delta in (0.999999, 1e-6, 5e-324):
        for ends in (run.epsilon(delta), run.attack_epsilon(delta)):
            assert 0 <= ends.lower <= ends.upper <= max(most, rounds * 3e-308) * (1 + 1e-9)
    for eps in (0.0, 1.0, 1e300):
        ends = run.delta(eps)
        assert 0 <= ends.lower <= ends.upper <= 1
        assert eps < most or ends.upper == 0 or eps == 0


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize("eps0", [5e-324, 1e-300, 1e-3, 300.0])
def test_extremes_of_the_other_protocols(eps0):
    protocols = [
        ShuffledCheckIn(eps0, 10, 0.5),
        ShuffledCheckIn(eps0, 10, 1e-300),
        Shuffle(eps0, 5, 5, reduction="clones2021"),
    ]
    protocols += [RandomizedResponseShuffle(5, eps0, 4, view=view) for view in ("weak", "strong", "clones")]
    for protocol, rounds in itertools.product(protocols, (1, 2) if eps0 > 1 else (1, 2, 50)):
        for delta in (0.999999, 1e-6, 5e-324):
            ends = (protocol * rounds).epsilon(delta, rtol=1e-2)
            assert 0 <= ends.lower <= ends.upper
        for eps in (0.0, 1.0, 1e300):
            ends = (protocol * rounds).delta(eps, rtol=1e-2)
            assert 0 <= ends.lower <= ends.upper <= 1


# Bad input.


GOOD = {
    Shuffle: {"eps0": 1.0, "n": 10, "population": 100, "reduction": "clones"},
    ShuffledCheckIn: {"eps0": 1.0, "population": 100, "rate": 0.5, "reduction": "clones"},
    RandomizedResponseShuffle: {"k": 3, "eps0": 1.0, "n": 10, "view": "weak"},
    GaussianShuffle: {"sigma": 1.0, "n": 10},
}
BAD_FLOATS = [0, -1, math.nan, math.inf, "1", True, 1j, [1.0]]
BAD_COUNTS = [0, -1, math.nan, math.inf, 1.5, 10.0, "1", True, 1j, 10**13]
BAD = {
    "eps0": [*BAD_FLOATS, 301.0],
    "n": [*BAD_COUNTS, None],
    "population": BAD_COUNTS,
    "k": [*BAD_COUNTS, 1, None],
    "rate": [*BAD_FLOATS, 1.5, None],
    "sigma": [*BAD_FLOATS, None],
    "reduction": ["clone", None, 3],
    "view": ["other", None, 3],
}


@pytest.mark.parametrize(
    ("made", "name", "value"),
    [(made, name, value) for made, good in GOOD.items() for name in good for value in BAD[name]],
)
def test_bad_protocols_are_refused_at_construction(made, name, value):
    with pytest.raises((ValueError, TypeError), match=rf"{name} must be|got {name}="):
        made(**(GOOD[made] | {name: value}))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Shuffle(n=10), "exactly one of eps0 and randomizer"),
        (lambda: Shuffle(1.0, 10, randomizer=RandomizedResponse(2, 1.0)), "exactly one of eps0 and randomizer"),
        (lambda: Shuffle(n=10, randomizer="rr"), "randomizer must be a shufflekit.randomizers.Channel"),
        (lambda: Shuffle(n=10, randomizer=Channel([[1.0, 0.0], [0.5, 0.5]])), "positive"),
        (
            lambda: Shuffle(n=10, randomizer=RandomizedResponse(2, 1.0), reduction="clones2021"),
            "reduction must be left out",
        ),
        (lambda: Shuffle(1.0, 101, 100), "n must be at most the population of 100"),
        (lambda: Shuffle(1.0, None, 100), "n must be a whole number"),
        (lambda: RandomizedResponseShuffle(3, 1.0, 10, gamma=0.5), "exactly one of eps0 and gamma"),
        (lambda: RandomizedResponseShuffle(3, n=10), "exactly one of eps0 and gamma"),
        (lambda: RandomizedResponseShuffle(3, n=10, gamma=1.0), "gamma must be strictly between 0 and 1"),
        (lambda: RandomizedResponseShuffle(3, n=10, gamma=math.nan), "gamma must be strictly between 0 and 1"),
        (lambda: GaussianShuffle(0.01, 10), "sigma must be between"),
    ],
)
def test_bad_combinations(make, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make()


@pytest.mark.parametrize("value", [0, 1, -0.1, math.nan, math.inf, "0.1", None, True])
def test_bad_deltas(value):
    for question in ("epsilon", "guarantee", "attack_epsilon", "compare"):
        with pytest.raises((ValueError, TypeError), match="delta"):
            getattr(Shuffle(1.0, 10), question)(value)


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, "0.1", None, True])
def test_bad_eps(value):
    for question in ("delta", "attack_delta"):
        with pytest.raises((ValueError, TypeError), match="eps"):
            getattr(Shuffle(1.0, 10), question)(value)


@pytest.mark.parametrize("value", [1, 0.5, -2, math.nan, math.inf, "2", None])
def test_bad_orders(value):
    with pytest.raises((ValueError, TypeError), match="order"):
        Shuffle(1.0, 10).rdp(value)


@pytest.mark.parametrize("value", [0, -1, 2, 1e-9, math.nan, math.inf, "1e-4", None])
def test_bad_tolerance(value):
    questions = ("epsilon", 1e-6), ("guarantee", 1e-6), ("attack_epsilon", 1e-6), ("delta", 0.1), ("attack_delta", 0.1)
    for question, argument in questions:
        with pytest.raises((ValueError, TypeError), match="rtol"):
            getattr(Shuffle(1.0, 10), question)(argument, rtol=value)


@pytest.mark.parametrize("value", [0, -1, 2.0, "3", True, None])
def test_bad_rounds(value):
    for made in (Shuffle(1.0, 10), Shuffle(1.0, 10) * 2):
        with pytest.raises((ValueError, TypeError), match="rounds"):
            made * value


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
def test_too_many_rounds():
    with pytest.raises(ValueError, match="rounds must be a whole number of at least 1 and at most"):
        Shuffle(1.0, 10) * 10**400
    with pytest.raises(ValueError, match="rounds"):
        Shuffle(1.0, 10) * MAX_ROUNDS + Shuffle(1.0, 10)
    ends = (Shuffle(1.0, 10) * MAX_ROUNDS).attack_epsilon(1e-6, rtol=0.5)
    assert isinstance(ends, Bracket) and 0 <= ends.lower <= ends.upper
    assert isinstance(Shuffle(1.0, 10) * 3, Run)
