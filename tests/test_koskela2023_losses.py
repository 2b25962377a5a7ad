"""Losses and truncations of the clone pair in [koskela2023]: in fractions, against brute force and by hand."""

import math
from collections import defaultdict
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

from shufflekit import Shuffle, divergences
from shufflekit._binomial import pmf
from shufflekit.exact import TwoLaws
from shufflekit.papers import feldman2021
from shufflekit.papers.koskela2023 import cuts, figure1, fourier, losses, truncation
from tests.pairs import delta_of_pair

SETTINGS = [(3, Fraction(1, 4)), (3, Fraction(1, 6)), (Fraction(5, 2), Fraction(1, 9)), (8, Fraction(1, 9))]
ALPHAS = [Fraction(i, 4) for i in (0, 1, 3, 4, 5, 7, 9, 13, 40)]
HALF = Fraction(1, 2)
BOXES = [truncation.lemma11, truncation.lemma11_appendix, truncation.lemma11_corrected]


def test_theorem_6_by_hand():
    p, q = np.array([Fraction(3, 4), Fraction(1, 4)]), np.array([Fraction(1, 4), Fraction(3, 4)])
    assert losses.thm6(p, q, 2) == HALF  # whatever alpha is
    assert losses.thm6(p, q, 3) == HALF
    assert losses.thm6_corrected(p, q, 2) == Fraction(1, 4)
    # An outcome without Q counts in full; whole numbers are no reason to round.
    assert losses.thm6_corrected([1, 0], [0, 1], 7) == 1
    assert losses.thm6_corrected([HALF, HALF], [0, 1], 1) == HALF


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize(("E", "p"), [(3, Fraction(1, 4)), (3, Fraction(1, 5)), (Fraction(5, 2), Fraction(1, 9))])
def test_eq31_is_its_definition(n, E, p):
    """Read literally: C, then A, then Delta_1, then Delta_2."""

    def binomial(m, q):
        return [(i, math.comb(m, i) * q**i * (1 - q) ** (m - i)) for i in range(m + 1)]

    first, second = (defaultdict(Fraction) for _ in range(2))
    for c, weight_c in binomial(n - 1, 2 * p):
        for a, weight_a in binomial(c, HALF):
            for d1, weight_1 in binomial(1, E * p):
                for d2, weight_2 in binomial(1 - d1, p / (1 - E * p)):
                    weight = weight_c * weight_a * weight_1 * weight_2
                    first[a + d1, c - a + d2] += weight
                    second[a + d2, c - a + d1] += weight
    laws = losses.eq31(n, E, p)
    for law, literal in zip(laws, (first, second), strict=True):
        assert {index: value for index, value in np.ndenumerate(law) if value} == {
            k: v for k, v in literal.items() if v
        }
        assert law.sum() == 1


@pytest.mark.parametrize(("E", "p"), SETTINGS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_mixture_is_the_clone_pair(n, E, p):
    laws, pair = losses.section31(n, E, p), losses.eq31(n, E, p)
    assert (laws.p == pair.p).all() and (laws.q == pair.q).all()
    assert [part.sum() for part in losses.section31_parts(n, p)] == [1, 1, 1]
    pld = losses.eq34(laws)
    assert sum(pld.values()) == 1
    for alpha in ALPHAS:
        truth = divergences.hockey_stick(*laws, alpha)
        assert losses.thm6_corrected(*laws, alpha) == truth
        assert sum(mass * max(1 - alpha / ratio, 0) for ratio, mass in pld.items()) == truth


def test_an_infinite_loss_is_listed():
    assert losses.eq34(TwoLaws(np.array([HALF, HALF]), np.array([Fraction(0), Fraction(1)]))) == {
        math.inf: HALF,
        HALF: HALF,
    }


@pytest.mark.parametrize(("E", "p"), SETTINGS)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_appendix_a(n, E, p):
    laws, (P0, P1, P2) = losses.section31(n, E, p), losses.section31_parts(n, p)
    for a, b in product(range(1, n + 1), range(n)):
        if a + b > n:
            continue
        assert losses.lemma_a4_corrected(a, b, n, p) == P0[a, b]
        if p < Fraction(1, 4):  # the old letter
            assert losses.lemma_a4(a, b, n, 2 * p) == P0[a, b]
        if b > 0:
            assert losses.lemma_a1(a, b) * P1[a, b] == P0[a, b]
        if a + b < n:
            assert losses.lemma_a2_corrected(a, b, n, p) * P2[a, b] == P0[a, b]
            assert losses.lemma_a2(a, b, n, p) * P2[a, b] == 2 * P0[a, b]
        over_p0 = losses.cor_a3_corrected(a, b, n, E, p)
        assert [x * P0[a, b] for x in over_p0] == [laws.p[a, b], laws.q[a, b]]
        assert (losses.cor_a3(a, b, n, E, p) == over_p0) == ((E + 1) * p == 1 or a + b == n)


@pytest.mark.parametrize(
    ("E", "p", "error"),
    [(3, Fraction(1, 4), 0.0), (3, Fraction(1, 6), 0.0997), (Fraction(5, 2), Fraction(1, 9), 0.136)],
)
def test_what_the_printed_corollary_costs(E, p, error):
    # The errors were found beforehand by an independent enumeration.
    n, P0, truth = 6, losses.section31_parts(6, p)[0], losses.section31(6, E, p).p
    inside = [(a, b) for a in range(1, n + 1) for b in range(n + 1 - a)]
    found = sum(abs(losses.cor_a3(a, b, n, E, p)[0] * P0[a, b] - truth[a, b]) for a, b in inside)
    assert float(found) == pytest.approx(error, abs=5e-4)


def test_lemma_a4_by_hand():
    assert losses.lemma_a4(1, 0, 6, Fraction(1, 4)) == Fraction(3, 4) ** 5
    assert losses.lemma_a4_corrected(1, 0, 6, Fraction(1, 4)) == Fraction(1, 32)


def test_no_row_without_black_balls():
    law = losses.eq31(2, 3).p
    for tau in (0.5, 1e-6, 1e-300):
        assert truncation.lost_mass(truncation.lemma11(2, 3, tau), law) == Fraction(3, 16)
    assert truncation.lost_mass(truncation.lemma11_corrected(2, 3, 1e-300), law) == 0


# The masses and the count were found beforehand by an independent program.
@pytest.mark.parametrize(
    ("box", "n", "eps0", "tau", "lost"),
    [
        (truncation.lemma11, 10, 1.0, 1e-12, 0.0160),
        (truncation.lemma11, 100, 4.0, 1e-12, 2.98e-3),
        (truncation.lemma11, 1000, 4.0, 1e-12, 2.40e-10),
        (truncation.lemma11_appendix, 1000, 2.0, 1e-6, 0.991),
        (truncation.lemma11_appendix, 50, 1.0, 1e-3, 0.373),
    ],
)
def test_what_the_printed_boxes_lose(box, n, eps0, tau, lost):
    assert truncation.lost_clone_mass(box(n, math.exp(eps0), tau), n, eps0) == pytest.approx(lost, rel=5e-3)


def test_the_number_of_terms():
    kept = truncation.lemma11(10_000, math.exp(4), 1e-12)
    assert kept.terms == 101_847 <= 2 * 9999 * math.log(4e12)


@pytest.mark.parametrize(("E", "p"), SETTINGS)
@pytest.mark.parametrize("tau", [HALF, Fraction(1, 20), Fraction(1, 10**6)])
@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
def test_the_mended_box_loses_at_most_tau(n, E, p, tau):
    kept = truncation.lemma11_corrected(n, E, float(tau), p)
    assert all(0 <= truncation.lost_mass(kept, law) <= tau for law in losses.section31(n, E, p))
    assert ((kept.low >= 0) & (kept.low <= kept.high) & (kept.high <= kept.balls) & (kept.balls <= n)).all()


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize(("n", "E"), [(1, 3), (2, 3), (9, 2), (40, 5)])
@pytest.mark.parametrize("tau", [0.5, 0.01, 1e-4])
def test_lost_mass_by_tails_is_lost_mass_by_enumeration(box, n, E, tau):
    kept = box(n, E, tau)
    exact = float(truncation.lost_mass(kept, losses.eq31(n, E).p))
    assert truncation.lost_clone_mass(kept, n, math.log(E)) == pytest.approx(exact, rel=1e-10, abs=1e-300)


@pytest.mark.parametrize("box", BOXES)
@pytest.mark.parametrize(("n", "E", "tau"), [(1, 3, 0.5), (2, 3, 0.1), (9, 2, 0.3), (30, 5, 1e-3)])
def test_what_is_kept_is_listed_and_its_atoms_have_its_masses(box, n, E, tau):
    kept, laws = box(n, E, tau), losses.eq31(n, E)
    outcomes = {(int(a), int(b)) for a, b in kept.outcomes}
    assert len(outcomes) == kept.terms == len(kept.outcomes)
    low = {int(m): (int(x), int(y)) for m, x, y in zip(*kept, strict=True)}
    assert all(low[a + b][0] <= a <= low[a + b][1] for a, b in outcomes)
    atoms = truncation.kept_atoms(kept, n, math.log(E))
    for law, log_mass in ((laws.p, atoms.log_q + atoms.loss), (laws.q, atoms.log_q)):
        inside = float(sum((law[place] for place in outcomes), Fraction(0)))
        assert np.exp(log_mass).sum() == pytest.approx(inside, rel=1e-11)
    assert (np.diff(atoms.loss) >= 0).all()
    cut = cuts.cut_down(laws, kept)
    assert all(cut.q[place] == (laws.q[place] if place in outcomes else 0) for place in np.ndindex(n + 1, n + 1))
    truth = float(losses.from_losses(losses.eq34(cut), Fraction(3, 2)))
    assert fourier.profile(atoms, 1.5) == pytest.approx([truth], rel=1e-10, abs=1e-16)


def test_nothing_kept_is_no_outcome():
    none = truncation.Kept(*(np.empty(0, dtype=np.int64) for _ in range(3)))
    assert none.terms == 0 and none.outcomes.shape == (0, 2)


def test_a_box_that_forgets_the_last_row_is_no_upper_bound_in_four_rounds():
    tau, alpha = Fraction(1, 10**12), Fraction(11, 10)
    truth, found = cuts.few_users(truncation.lemma11, 8, 20, 4, alpha, tau)
    assert found < Fraction(9, 10) * truth
    power = [losses.eq34(losses.eq31(8, 20))] * 4
    assert truth == losses.from_losses(losses.added(*power), alpha)
    # In one round the row costs nothing: its loss is the smallest there is.
    one = cuts.few_users(truncation.lemma11, 8, 20, 1, alpha, tau)
    assert one.truth <= one.found <= one.truth + tau
    mended = cuts.few_users(truncation.lemma11_corrected, 8, 20, 4, alpha, tau)
    assert mended.truth == truth <= mended.found <= truth + 4 * tau


@pytest.mark.parametrize("rounds", [1, 2])
def test_many_users_are_as_few_users(rounds):
    """Floats for any number of users, against fractions where these can be had."""
    n, E, alpha, tau = 12, 5, Fraction(13, 10), Fraction(1, 100)
    box = truncation.lemma11_corrected
    exact = cuts.few_users(box, n, E, rounds, alpha, tau)
    found = cuts.many_users(box, n, math.log(E), math.log(alpha), float(tau))[rounds - 1]
    assert found == pytest.approx([float(x) for x in exact], rel=1e-9)
    if rounds == 1:
        assert found.truth == pytest.approx(float(divergences.hockey_stick(*losses.eq31(n, E), alpha)), rel=1e-9)


def test_given_clones_is_the_conditional_divergence_and_falls():
    for c, E, alpha in product((0, 1, 4, 9), (3, 8), (Fraction(1), Fraction(3, 2), Fraction(7, 2))):
        truth, m = Fraction(0), c + 1
        for a in range(m + 1):  # of m balls a are black, and one is yours
            ways = Fraction(math.comb(m, a), 2**c * m * (E + 1))
            truth += ways * max((E * a + m - a) - alpha * (a + E * (m - a)), 0)
        assert truncation.given_clones(c, E, float(alpha)) == pytest.approx(float(truth), rel=1e-12, abs=1e-15)
    values = truncation.given_clones(np.arange(2000), 20.0, 1.3)
    assert (np.diff(values) <= 1e-15).all() and values[0] > 0.5


def test_given_clones_averages_to_the_kits_delta():
    c, E = np.arange(10_000), math.exp(4)
    for eps in (0.1, 0.3, 0.5):
        ends = delta_of_pair(Shuffle(4.0, 10_000, reduction="clones"), eps)
        mine = pmf(c, 9999, 2 / (E + 1)) @ truncation.given_clones(c, E, math.exp(eps))
        assert ends.lower * (1 - 1e-9) <= mine <= ends.upper * (1 + 1e-9)


def test_given_many_clones_against_mpmath():
    c, E, alpha = 10**6, math.exp(2), math.exp(0.004)
    with mpmath.workdps(60):
        t = mpmath.floor((c + 1) * (mpmath.mpf(alpha) * E - 1) / ((mpmath.mpf(E) - 1) * (1 + mpmath.mpf(alpha)))) + 1
        point = mpmath.binomial(c, t - 1) / mpmath.mpf(2) ** c
        beyond, term, k = mpmath.mpf(0), point, t - 1
        while term > point * mpmath.mpf(10) ** -30:
            term *= (c - k) / (k + 1)
            k, beyond = k + 1, beyond + term
        truth = (E - mpmath.mpf(alpha)) / (mpmath.mpf(E) + 1) * point - (mpmath.mpf(alpha) - 1) * beyond
    assert float(truncation.given_clones(c, E, alpha)) == pytest.approx(float(truth), rel=1e-6)


def test_appendix_b():
    assert truncation.appendix_b([HALF, Fraction(1, 3)]) == (Fraction(2, 3), Fraction(5, 6))
    union, total = truncation.appendix_b([1e-20] * 16)
    assert union == pytest.approx(1.6e-19, rel=1e-12) and total == pytest.approx(1.6e-19, rel=1e-12)
    assert truncation.appendix_b([0.25, 1.0]) == (1.0, 1.25)


@pytest.mark.parametrize("bad", [[], [-0.1], [1.5], [math.nan]])
def test_masses_are_masses(bad):
    with pytest.raises(ValueError, match="taus"):
        truncation.appendix_b(bad)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: losses.thm6_corrected([0.5, 0.5], [1.0], 1), "p and q"),
        (lambda: losses.thm6_corrected([0.5, 0.6], [0.5, 0.5], 1), "p must"),
        (lambda: losses.thm6([0.5, 0.5], [0.5, 0.5], math.nan), "alpha"),
        (lambda: losses.eq31(0, 3), "n must be"),
        (lambda: losses.eq31(2, 1), "ratio must be above 1"),
        (lambda: losses.eq31(2, math.nan), "ratio must be a finite number"),
        (lambda: losses.eq31(2, 3, HALF), "p must be above 0 and at most"),
        (lambda: losses.eq31(2, 3, 0), "p must be above 0 and at most"),
        (lambda: losses.section31(0, 3), "n must"),
        (lambda: losses.section31(2, 1), "ratio"),
        (lambda: losses.section31(2, 3, HALF), "p must"),
        (lambda: losses.section31(2, 3, Fraction(1, 3)), "p must"),
        (lambda: losses.lemma_a1(1, 0), "b must"),
        (lambda: losses.lemma_a2(2, 0, 2, 0.1), "a must"),
        (lambda: losses.cor_a3(1, 2, 2, 3), "b must"),
        (lambda: losses.lemma_a4(0, 0, 2, 0.1), "a must"),
        (lambda: truncation.lemma11(2, 3, 0.0), "tau"),
        (lambda: truncation.lost_clone_mass(truncation.lemma11(2, 3, 0.1), 2, -1.0), "eps0"),
        (lambda: truncation.kept_atoms(truncation.lemma11(2, 3, 0.1), 0, 1.0), "n must"),
        (lambda: truncation.kept_atoms(truncation.lemma11(2, 3, 0.1), 2, 0.0), "eps0"),
        (lambda: cuts.few_users(truncation.lemma11, 2, 3, 0, 2, HALF), "rounds"),
        (lambda: cuts.few_users(truncation.lemma11, 2, 3, 1, 2, 1.5), "tau"),
        (lambda: cuts.few_users(truncation.lemma11, 2, 1, 1, 2, HALF), "ratio"),
        (lambda: cuts.many_users(truncation.lemma11, 0, 1.0, 0.5, 0.1), "n must"),
        (lambda: cuts.many_users(truncation.lemma11, 5, -1.0, 0.5, 0.1), "eps0"),
        (lambda: cuts.many_users(truncation.lemma11, 5, 1.0, -0.5, 0.1), "eps"),
        (lambda: truncation.given_clones(-1, 3, 2), "clones"),
        (lambda: truncation.given_clones(1, 3, 0.5), "alpha"),
    ],
)
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_a_ratio_is_a_number():
    with pytest.raises(TypeError, match="ratio must be a finite number"):
        losses.eq31(2, "3")


def test_the_story_of_the_clone_pair():
    for n, (E, p) in product((1, 2, 4), SETTINGS):
        story, pair = losses.eq32(n, E, p), losses.eq31(n, E, p)
        assert (story.p == pair.p).all() and (story.q == pair.q).all()


def test_losses_add():
    one, two = losses.eq31(2, 3), losses.eq31(3, Fraction(3, 2))
    both = [np.multiply.outer(x, y) for x, y in zip(one, two, strict=True)]
    pld = losses.added(losses.eq34(one), losses.eq34(two))
    assert sum(pld.values()) == 1
    assert all(losses.from_losses(pld, a) == divergences.hockey_stick(*both, a) for a in ALPHAS)


def test_atoms_in_digits():
    laws = losses.eq31(4, 3)
    atoms = losses.in_digits(laws, 40)
    with mpmath.workdps(40):
        p = sum(mpmath.exp(x + y) for x, y in zip(atoms.loss, atoms.log_q, strict=True))
        assert abs(p - 1) < mpmath.mpf(10) ** -38
    assert list(atoms.loss) == sorted(atoms.loss)
    with pytest.raises(ValueError, match="laws"):
        losses.in_digits(TwoLaws(np.array([HALF, HALF]), np.array([Fraction(0), Fraction(1)])), 20)


@pytest.mark.parametrize("n", [2, 300, 10**5])
def test_blocks_of_clones_hold_the_truth(n):
    eps = 0.5 / math.sqrt(n)
    ends = delta_of_pair(Shuffle(2.0, n, reduction="clones"), eps, rtol=1e-6)
    before = 1.0
    for width in (0.1, 0.01, 0.001):
        _, lower, upper = truncation.block_ends(n, 2.0, eps, width)
        assert lower <= ends.upper * (1 + 1e-9) and upper >= ends.lower * (1 - 1e-9)
        assert upper - lower <= before
        before = upper - lower
    assert before <= 1e-3 * ends.upper


def test_the_plain_accountant_is_right_where_delta_is_not_small():
    atoms = Shuffle(2.0, 300, reduction="clones").pair.listed(-80.0).upper
    ends = (Shuffle(2.0, 300, reduction="clones") * 8).guarantee(1e-6)
    found = fourier.fourier_accountant(atoms, 8, 1e-3, 2**14).least_eps(1e-6)
    assert ends.lower <= found <= ends.upper + 8 * 1e-3 + 1e-3


def test_the_tilted_accountant_is_right_far_out():
    atoms = Shuffle(2.0, 300, reduction="clones").pair.listed(-200.0).upper
    ends = (Shuffle(2.0, 300, reduction="clones") * 8).guarantee(1e-50)
    tilt = fourier.tilt_towards(atoms, 8, ends.upper)
    found = fourier.fourier_accountant(atoms, 8, 1e-3, 2**15, tilt).least_eps(1e-50, start=0.8 * ends.upper)
    assert ends.lower <= found <= ends.upper + 8 * 1e-3 + 1e-3


def test_two_rounds_term_by_term():
    pair, eps = Shuffle(1.0, 50, reduction="clones"), 0.4
    ends = delta_of_pair(pair * 2, eps)
    assert ends.lower * (1 - 1e-9) <= fourier.two_rounds(pair.pair.listed(-700.0).upper, eps) <= ends.upper * (1 + 1e-9)
    laws = losses.eq31(4, 3)
    atoms, both = losses.in_digits(laws, 20), [np.multiply.outer(law, law) for law in laws]
    floats = atoms._replace(loss=atoms.loss.astype(float), log_q=atoms.log_q.astype(float))
    truth = float(divergences.hockey_stick(*both, Fraction(5, 2)))
    assert fourier.two_rounds(floats, math.log(2.5)) == pytest.approx(truth, rel=1e-12)
    one = float(divergences.hockey_stick(*laws, Fraction(5, 2)))
    assert fourier.profile(floats, 2.5) == pytest.approx([one], rel=1e-12)


def test_figure_1():
    # Reference values, found beforehand by an independent program.
    for rounds, eps, delta in ((1, 0.1, 9.21e-3), (1, 0.5, 1.99e-8), (2, 0.4, 1.49e-4), (8, 0.8, 3.5e-4)):
        found = figure1.fig1(rounds, eps)
        assert found.accountant == pytest.approx([delta], rel=6e-3)
        assert found.accountant < found.rdp < 10 * found.accountant
    assert figure1.fig1_clones(0.3) == pytest.approx(figure1.fig1(1, 0.3).accountant, rel=1e-3)
    # Clone by clone and outcome by outcome; the pair of 2021 has half the clones.
    eps = np.array([0.0, 0.1, 0.3, 0.5])
    assert figure1.fig1_outcomes(eps) == pytest.approx(figure1.fig1_clones(eps), rel=1e-3)
    with mpmath.workdps(30):
        assert feldman2021.delta(figure1.fig1_published(1e-6), 4.0, 10_000) == pytest.approx(1e-6, rel=1e-6)
    assert figure1.fig1_published(1e-6) > 1.3 * (Shuffle(4.0, 10_000, reduction="clones")).guarantee(1e-6).upper
    assert figure1.fig1_strong_composition(1e-6) > (Shuffle(4.0, 10_000) * 2).epsilon(1e-6).upper


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda atoms: fourier.fourier_accountant(atoms, 0, 0.1, 64), "rounds"),
        (lambda atoms: fourier.fourier_accountant(atoms, 2, 0.0, 64), "step"),
        (lambda atoms: fourier.fourier_accountant(atoms, 2, 0.1, 1), "size"),
        (lambda atoms: fourier.fourier_accountant(atoms, 2, 0.1, 64, -1.0), "tilt"),
        (lambda atoms: fourier.fourier_accountant(atoms, 2, 0.1, 64).least_eps(2.0), "delta"),
        (lambda atoms: fourier.fourier_accountant(atoms, 2, 0.1, 16).least_eps(0.1, start=50.0), "delta"),
        (lambda atoms: fourier.tilt_towards(atoms, 2, 100.0), "loss"),
        (lambda atoms: fourier.two_rounds(atoms, -1.0), "eps"),
        (lambda atoms: truncation.block_ends(10, 1.0, 0.1, 0.0), "width"),
        (lambda atoms: figure1.fig1_strong_composition(1.5), "delta"),
        (lambda atoms: figure1.fig1_published(0.0), "delta"),
        (lambda atoms: figure1.fig1_outcomes(-0.1), "eps"),
    ],
)
def test_bad_input_of_the_accountants_is_named(call, named):
    with pytest.raises(ValueError, match=named):
        call(Shuffle(1.0, 5).pair.listed(-50.0).upper)


def test_the_eps_of_two_rounds_undoes_their_delta():
    atoms = Shuffle(2.0, 300, reduction="clones").pair.listed(-80.0).upper
    eps = fourier.true_eps(atoms, 1e-6)
    assert fourier.two_rounds(atoms, eps) == pytest.approx(1e-6, rel=1e-9)
    # Rounded up, and no more than two steps of the coarsest grid too large.
    assert eps <= fourier.plain_eps(atoms, 2, 1e-6) <= eps + 3 * max(fourier.GRIDS)[0]
