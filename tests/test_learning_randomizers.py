"""Randomizers on torch tensors, against their exact laws, by hand from the same random numbers, and at the edges.

Every statistical test below fails by chance for at most one seed in a million; the seeds are fixed.
"""

import math
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import betainc, betaincinv
from scipy.stats import binomtest, chi2, chisquare, ks_2samp, kstest, norm

torch = pytest.importorskip("torch")

from shufflekit import vector_randomizers  # noqa: E402
from shufflekit.dominating_pairs import GaussianPair  # noqa: E402
from shufflekit.learning.gradients import Table  # noqa: E402
from shufflekit.learning.randomizers import R1, R2, Gaussian, PrivUnit, RInf  # noqa: E402
from shufflekit.learning.streams import Draws  # noqa: E402
from shufflekit.vector_randomizers import Messages  # noqa: E402

FALSE_ALARM = 1e-6
GRAIN = Fraction(1, 2**53)  # of the uniform numbers


def clamping(d, eps0, radius=1.0):
    return RInf(d, eps0, radius, "clamp")


SIGNS = [RInf, clamping, R1]
SPHERES = [R2, PrivUnit]
ALL = [*SIGNS, *SPHERES, Gaussian]
BALLS = {RInf: math.inf, clamping: math.inf, R1: 1, R2: 2, PrivUnit: 2, Gaussian: 2}
FLOATS = [torch.float32, torch.float64]


def draws(n, seed=0):
    return Draws(seed, 3, torch.arange(n))


def repeated(x, n, dtype=torch.float32):
    return Table(torch.as_tensor(np.tile(x, (n, 1)), dtype=dtype))


def point(kind, d, share, radius, seed=0):
    """A vector in no special direction, whose norm is a share of the radius; in single precision."""
    x = np.random.default_rng(seed).normal(size=d)
    return (x * share * radius / np.linalg.norm(x, ord=BALLS[kind])).astype(np.float32)


def varied(d, radius, n=60, seed=0):
    """Gradients of all sizes: zero, inside, on the border and beyond, tiny, huge, along an axis."""
    x = np.random.default_rng(seed).normal(size=(n, d))
    sizes = np.resize([0, 1e-40, 1e-23, 1e-12, 0.02, 0.3, 0.9995, 1, 3, 1e9, 1e30], n)
    x *= (sizes * radius / abs(x).max(axis=1))[:, None]
    x[-1], x[-2] = radius * (np.arange(d) == 0), -radius * (np.arange(d) == d - 1)
    return x.astype(np.float32)


def clip(kind, x, radius):
    """Each row, clipped, in double precision."""
    x = x.astype(np.float64)
    if kind is clamping:
        return np.clip(x, -radius, radius)
    return x / np.maximum(1, np.linalg.norm(x, ord=BALLS[kind], axis=1, keepdims=True) / radius)


def uniforms(seed, step, clients):
    """The four uniform numbers of each client, straight from numpy."""
    key = np.array([seed, step], dtype=np.uint64)
    return np.array([np.random.Generator(np.random.Philox(key=key, counter=[i, 0, 1, 0])).random(4) for i in clients])


def sign_rows(kind, d):
    """All rows that a client may be asked about, by their definition."""
    if kind is not R1:
        return np.eye(d)
    size = 1 << (d - 1).bit_length()
    return np.array([[(-1) ** (i & j).bit_count() for i in range(d)] for j in range(size)])


def corners(kind, d, radius):
    """The extreme points of the ball, and its centre."""
    if BALLS[kind] == 1:
        points = [radius * sign * row for row in np.eye(d) for sign in (1, -1)]
    else:
        points = [radius * np.array(signs) for signs in product((1, -1), repeat=d)]
    return np.array([*points, np.zeros(d)])


def drawn(p):
    """The exact chance that one of the uniform numbers, multiples of the grain, is below p."""
    return math.ceil(Fraction(p) / GRAIN) * GRAIN


# The laws of RInf and R1, exactly.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("ratio", [Fraction(3, 2), Fraction(20), Fraction(10**6)])
@pytest.mark.parametrize("kind", SIGNS)
def test_the_law_of_a_message_is_the_exact_law_but_for_the_grain(kind, ratio, d, dtype):
    radius = 0.75
    randomizer = kind(d, math.log(ratio), radius)
    reference = (R1 if kind is R1 else RInf).__name__
    x, size = corners(kind, d, radius), randomizer.law.size
    law = getattr(vector_randomizers, reference)(d, radius=radius, ratio=ratio).law(x)
    rows = torch.arange(size).repeat(len(x))
    gradients = Table(torch.as_tensor(x, dtype=dtype).repeat_interleave(size, dim=0))
    plus = randomizer.plus_probability(randomizer._products(gradients, rows).double())
    plus = np.array([drawn(p) for p in plus.tolist()]).reshape(len(x), size)
    table = np.hstack([plus, 1 - plus])
    assert abs(table - law.channel.probs * size).max() <= 2 * GRAIN
    # Whatever the row, no sign is more than E times as likely for one input as for another; and E is reached.
    largest = (table.max(axis=0) / table.min(axis=0)).max()
    assert abs(largest / ratio - 1) <= 2 * GRAIN * (ratio + 1)


@given(st.floats(1e-6, 20), st.lists(st.floats(-2, 2) | st.sampled_from([1e300, -1e300]), min_size=2, max_size=9))
def test_no_products_make_a_sign_more_than_e_to_the_eps0_times_as_likely(eps0, products):
    plus = RInf(3, eps0).plus_probability(torch.tensor(products, dtype=torch.float64)).tolist()
    chances = [drawn(p) for p in plus]
    with_slack = Fraction(math.exp(eps0)) * (1 + 4 * GRAIN * Fraction(math.exp(eps0) + 1))
    for signs in (chances, [1 - p for p in chances]):
        assert max(signs) <= with_slack * min(signs)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("d", [1, 2, 3, 5, 8, 100])
@pytest.mark.parametrize("kind", SIGNS)
def test_messages_by_hand(kind, d, dtype):
    seed, step, eps0, radius = 2**63 + 5, 7, 1.3, 0.01
    x = varied(d, radius)
    clients = [(i * 7919) % 60_000 + (2**40 if i % 3 == 0 else 0) for i in range(len(x))]
    randomizer = kind(d, eps0, radius)
    gradients = Table(torch.as_tensor(x, dtype=dtype))
    found = randomizer.messages(gradients, Draws(seed, step, torch.tensor(clients)))
    table, u = sign_rows(kind, d), uniforms(seed, step, clients)
    rows = np.floor(u[:, 0] * len(table)).astype(int)
    shares = (clip(kind, x, radius) * table[rows]).sum(axis=1) / radius
    signs = np.where(u[:, 1] < (1 + shares * math.tanh(eps0 / 2)) / 2, 1, -1)
    assert found[0].tolist() == rows.tolist()
    assert found[1].tolist() == signs.tolist()
    products = randomizer._products(gradients, torch.tensor(rows)).clamp(-1, 1)
    assert products.numpy() == pytest.approx(shares, abs=2e-6)
    # What the server makes of them is what the reference makes of them, and what the single reports average to.
    tally = randomizer.tally(Table(torch.as_tensor(x)), Draws(seed, step, torch.tensor(clients)))
    assert tally.dtype == torch.float64 and len(tally) == len(table)
    mean = randomizer.mean(tally, len(x)).numpy()
    assert mean == pytest.approx(randomizer.law.mean(Messages(rows, signs)), rel=1e-12, abs=1e-14)
    reports = randomizer.reports(Table(torch.as_tensor(x)), Draws(seed, step, torch.tensor(clients)))
    stretch = 1 if kind is R1 else d
    assert reports.numpy() == pytest.approx(
        radius * stretch / math.tanh(eps0 / 2) * signs[:, None] * table[rows], rel=1e-12, abs=1e-14
    )
    assert reports.mean(dim=0).numpy() == pytest.approx(mean, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("kind", SIGNS)
def test_messages_follow_the_law_of_the_reference(kind):
    d, radius, n = 3, 0.01, 20_000
    randomizer = kind(d, 1.5, radius)
    x = np.array([point(kind, d, 0.6, radius), point(kind, d, 5, radius)])
    probs = randomizer.law.law(clip(kind, x, radius)).channel.probs
    for row, chances in zip(x, probs, strict=True):
        rows, signs = randomizer.messages(repeated(row, n), draws(n))
        counts = np.bincount((rows + randomizer.law.size * (signs < 0)).numpy(), minlength=len(chances))
        assert chisquare(counts, n * chances).pvalue > FALSE_ALARM / len(x)


# All reports: unbiased, and as long as Remark 1 says.


@pytest.mark.parametrize("share", [0.0, 0.5, 20.0])
@pytest.mark.parametrize("d, eps0, radius", [(2, 0.5, 7.0), (3, 4.0, 0.01), (30, 2.0, 1.0)])
@pytest.mark.parametrize("kind", ALL)
def test_reports_are_unbiased_for_the_clipped_gradient(kind, d, eps0, radius, share):
    n, randomizer = 20_000, kind(d, eps0, radius)
    x = point(kind, d, share, radius)
    truth = clip(kind, x[None], radius)[0]
    reports = randomizer.reports(repeated(x, n), draws(n)).numpy()
    assert reports.dtype == np.float64 and reports.shape == (n, d)
    off = (reports.mean(axis=0) - truth) / (reports.std(axis=0) / math.sqrt(n))
    assert abs(off).max() < norm.isf(FALSE_ALARM / 2 / d)
    # A direction in which all entries count; for a clipped gradient, its own.
    w = truth if share else np.ones(d)
    along = reports @ w
    assert abs(along.mean() - truth @ w) < norm.isf(FALSE_ALARM / 2) * along.std() / math.sqrt(n)


@pytest.mark.parametrize("d", [1, 2, 3, 5, 100])
def test_the_second_moment_is_that_of_remark_1(d):
    eps0, radius, n = 1.5, 0.01, 44
    s = (math.exp(eps0) + 1) / (math.exp(eps0) - 1)
    # [girgis2021] Remark 1; for R2, M^2 of the hemisphere mechanism; for PrivUnit, what no other cap improves.
    hemisphere = math.sqrt(math.pi) / 2 * d * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2 + 1)) * s
    moments = {RInf: d**2 * s**2, clamping: d**2 * s**2, R1: d * s**2, R2: hemisphere**2}
    if d > 1:
        moments[PrivUnit] = vector_randomizers.PrivUnit(d, eps0).second_moment
        assert moments[PrivUnit] <= moments[R2] * (1 + 1e-12)
    for kind, moment in moments.items():
        reports = kind(d, eps0, radius).reports(Table(torch.as_tensor(varied(d, radius, n))), draws(n))
        # Every report has this length, whatever the gradient: the variance is this less |x|^2.
        slack = 1e-12 if kind in SIGNS else 3e-6
        assert (reports**2).sum(dim=1).numpy() == pytest.approx(radius**2 * moment, rel=slack)


# R2 and PrivUnit.


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("d", [1, 2, 3, 30, 1001])
@pytest.mark.parametrize("kind", SPHERES)
def test_reports_by_hand(kind, d, dtype):
    if kind is PrivUnit and d == 1:
        return
    eps0, radius, n = 1.3, 0.01, 66
    randomizer, x = kind(d, eps0, radius), varied(d, radius, n)
    found = randomizer.reports(Table(torch.as_tensor(x, dtype=dtype)), draws(n)).numpy()
    z, uniform = draws(n).normals(d).double().numpy(), uniforms(0, 3, range(n))
    norms = np.linalg.norm(x.astype(np.float64), axis=1)
    share = np.minimum(norms / radius, 1)
    u = x.astype(np.float64) / np.where(norms > 0, norms, 1)[:, None]
    if kind is R2:
        wanted = uniform[:, 0] < (1 + share * math.tanh(eps0 / 2)) / 2
        V = unit(z) * np.where(((z * u).sum(axis=1) >= 0) == wanted, 1, -1)[:, None]
    else:
        side, c, half = np.where(uniform[:, 0] < (1 + share) / 2, 1, -1), randomizer.law.cap_area, (d - 1) / 2
        in_cap = uniform[:, 1] < randomizer.law.cap_probability
        area = np.where(in_cap, c * uniform[:, 2], c + (1 - c) * uniform[:, 2])
        t = (side * (1 - 2 * betaincinv(half, half, area)))[:, None]
        w = unit(z - (z * u).sum(axis=1, keepdims=True) * u)
        V = np.where(norms[:, None] > 0, t * u + np.sqrt(1 - t**2) * w, unit(z))
    assert found * randomizer.law.alignment / radius == pytest.approx(V, abs=2e-6)
    # The tally, without the single reports.
    mean = randomizer.mean(randomizer.tally(Table(torch.as_tensor(x, dtype=dtype)), draws(n)), n).numpy()
    assert mean * randomizer.law.alignment / radius == pytest.approx(V.mean(axis=0), abs=1e-6)


def area_below(d, t):
    """The share of the sphere with <V, u> <= t."""
    return betainc((d - 1) / 2, (d - 1) / 2, (1 + t) / 2)


def chance_below(law, share, t):
    """P(<V, u> <= t), from the definition: on the cap or on the rest of the sphere, about u or about -u."""

    def about(t):
        base, c, P = area_below(law.d, t), law.cap_area, law.cap_probability
        return (1 - P) * np.minimum(base / (1 - c), 1) + P * np.maximum(base - (1 - c), 0) / c

    if share == 0:  # without a direction of its own, a uniform point
        return area_below(law.d, t)
    return (1 + share) / 2 * about(t) + (1 - share) / 2 * (1 - about(-t))


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("d", [2, 3, 30])
@pytest.mark.parametrize("kind", SPHERES)
def test_reports_are_spread_over_the_sphere_as_they_should_be(kind, d, share):
    eps0, radius, n = 1.5, 3.0, 20_000
    randomizer = kind(d, eps0, radius)
    law, x = randomizer.law, point(kind, d, share, radius)
    u = unit(point(kind, d, 1, radius)[None].astype(np.float64))[0]
    V = randomizer.reports(repeated(x, n), draws(n)).numpy() * law.alignment / radius
    t = np.clip(V @ u, -1, 1)
    assert kstest(t, lambda t: chance_below(law, share, t)).pvalue > FALSE_ALARM / 4
    other = law.sample(np.tile(clip(kind, x[None], radius), (n, 1)), np.random.default_rng(0)) @ u
    assert ks_2samp(t, other * law.alignment / radius).pvalue > FALSE_ALARM / 4
    # Across u, all directions are as likely as each other, on either side.
    v = unit(np.eye(d)[:1] - u[0] * u)[0]
    across = np.clip((V @ v) / np.sqrt(np.maximum(1 - t**2, 1e-12)), -1, 1)
    for part in (across[t > 0], across[t < 0]):
        if d == 2:
            assert binomtest(int((part > 0).sum()), part.size).pvalue > FALSE_ALARM / 4
        else:
            assert kstest(part, lambda t: area_below(d - 1, t)).pvalue > FALSE_ALARM / 4


@pytest.mark.parametrize("share", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("kind", SPHERES)
def test_log_density_is_that_of_the_law(kind, share):
    randomizer = kind(4, 1.2, 2.0)
    law, u = randomizer.law, np.eye(4)[0]
    edges = np.unique([-1, -law.cap, 0, law.cap, 0.9, 1])
    for low, high in pairwise(edges):
        t = (low + high) / 2
        report = torch.tensor([[t, math.sqrt(1 - t * t), 0, 0]])
        density = math.exp(randomizer.log_density(report, torch.tensor(share * 2.0 * u[None])).item())
        mass = chance_below(law, share, high) - chance_below(law, share, low)
        assert mass == pytest.approx(density * (area_below(4, high) - area_below(4, low)), rel=1e-9)


@pytest.mark.parametrize("d", [2, 3, 50])
@pytest.mark.parametrize("kind", SPHERES)
def test_log_densities_of_two_gradients_are_never_more_than_eps0_apart(kind, d):
    eps0, radius, n = 1.2, 0.01, 66
    randomizer = kind(d, eps0, radius)
    clipped = torch.as_tensor(clip(kind, varied(d, radius, n), radius))
    reports = torch.cat([randomizer.reports(Table(clipped), draws(n, seed)) for seed in range(5)])
    table = torch.stack([randomizer.log_density(reports, x.expand(len(reports), d)) for x in clipped])
    gap = float((table.amax(dim=0) - table.amin(dim=0)).max())
    assert gap <= eps0 * (1 + 1e-12)
    assert gap == pytest.approx(eps0, rel=1e-12)


class Fixed(Draws):
    """Clients whose Gaussian vectors are given."""

    def __init__(self, table):
        super().__init__(0, 0, torch.arange(len(table)))
        self.table = table

    def normals(self, d, dtype=torch.float32):
        return self.table.to(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("d", [2, 3, 7])
@pytest.mark.parametrize("kind", SPHERES)
def test_a_gaussian_vector_along_the_gradient_or_zero_makes_a_proper_report(kind, d, dtype):
    # The sphere is thin in low dimension: z was as good as parallel to u for one in 400 clients at d = 2.
    rng, n = np.random.default_rng(0), 400
    x = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 3, size=(n, 1))
    x[::4] = np.eye(d)[0]
    tilt = 10.0 ** -rng.integers(0, 12, size=(n, 1))
    z = rng.choice([-1, 1], size=(n, 1)) * (unit(x) + tilt * rng.normal(size=(n, d)))
    z[::8], z[1::16] = np.eye(d)[0], 0
    randomizer = kind(d, 1.0, 2.0)
    fixed = Fixed(torch.as_tensor(z, dtype=torch.float32))
    gradients = Table(torch.as_tensor(x, dtype=dtype))
    V = randomizer.reports(gradients, fixed).numpy() * randomizer.law.alignment / 2
    assert (V**2).sum(axis=1) == pytest.approx(1, abs=3e-6)
    if kind is PrivUnit:
        straight = randomizer.reports(gradients, draws(n)).numpy() * randomizer.law.alignment / 2
        t = [(V * unit(x)).sum(axis=1), (straight * unit(x)).sum(axis=1)]
        uniform = [uniforms(0, step, range(n)) for step in (0, 3)]
        for found, u in zip(t, uniform, strict=True):
            c, half, share = randomizer.law.cap_area, (d - 1) / 2, np.minimum(np.linalg.norm(x, axis=1) / 2, 1)
            in_cap = u[:, 1] < randomizer.law.cap_probability
            area = np.where(in_cap, c * u[:, 2], c + (1 - c) * u[:, 2])
            wanted = np.where(u[:, 0] < (1 + share) / 2, 1, -1) * (1 - 2 * betaincinv(half, half, area))
            assert found == pytest.approx(wanted, abs=3e-6)


# The Gaussian mechanism.


@pytest.mark.parametrize("dtype", FLOATS)
def test_gaussian_reports_are_clipped_gradients_and_noise(dtype):
    d, n, sigma, radius = 7, 3_000, 0.4, 0.01
    randomizer, x = Gaussian(d, sigma, radius), varied(7, 0.01, 3_000)
    reports = randomizer.reports(Table(torch.as_tensor(x, dtype=dtype)), draws(n)).numpy()
    clipped = clip(Gaussian, x, radius)
    noise = (reports - clipped) / (sigma * radius)
    assert noise == pytest.approx(draws(n).normals(d, torch.float64).numpy(), abs=1e-5)
    assert kstest(noise.ravel(), "norm").pvalue > FALSE_ALARM / 3
    low, high = chi2(noise.size).ppf([FALSE_ALARM / 6, 1 - FALSE_ALARM / 6])
    assert low < (noise**2).sum() < high
    mean = randomizer.mean(randomizer.tally(Table(torch.as_tensor(x, dtype=dtype)), draws(n)), n).numpy()
    assert mean == pytest.approx(reports.mean(axis=0), abs=1e-7 * radius)


def test_clipping_leaves_no_gradient_outside_the_ball():
    d, n, radius = 7, 220, 0.01
    x = torch.as_tensor(varied(d, radius, n))
    # All but the noise: what is left with noise as good as zero.
    clipped = Gaussian(d, 1e-300, radius).reports(Table(x), draws(n))
    lengths = torch.linalg.vector_norm(clipped, dim=1).numpy()
    assert lengths.max() <= radius * (1 + 1e-6)
    assert (lengths > radius * (1 - 1e-6)).sum() > n / 3  # many are on the border
    inside = x.double().norm(dim=1) < radius
    assert clipped[inside].numpy() == pytest.approx(x[inside].double().numpy(), rel=1e-6, abs=1e-300)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
def test_a_gaussian_report_is_as_private_as_its_docstring_says(sigma):
    radius = 3.0
    # The two gradients of the ball that are farthest apart, and the divergence of their reports by quadrature.
    p, q = norm(radius, sigma * radius), norm(-radius, sigma * radius)
    for eps in (0.0, 0.3, 2.0):
        edge = eps * sigma**2 * radius / 2  # where the densities differ by e^eps
        assert p.logpdf(edge) - q.logpdf(edge) == pytest.approx(eps, abs=1e-9)
        delta, _ = quad(lambda y, eps=eps: p.pdf(y) - math.exp(eps) * q.pdf(y), edge, edge + 40 * sigma * radius)
        ends = GaussianPair(sigma / 2, 1).delta(np.array([eps]))
        assert delta == pytest.approx(ends.upper[0], rel=1e-6)
        # Gradients nearer to each other are less apart.
        nearer = norm.sf(edge, radius / 2, sigma * radius) - math.exp(eps) * norm.sf(edge, -radius / 2, sigma * radius)
        assert nearer < delta


# Chunks, orders, precision.


@pytest.mark.parametrize("kind", ALL)
@settings(max_examples=25)
@given(st.permutations(range(24)), st.sets(st.integers(1, 23), max_size=5))
def test_tallies_of_chunks_add_up_whatever_the_order(kind, order, cuts):
    d, n = 5, 24
    randomizer, x = kind(d, 1.0, 0.5), torch.as_tensor(varied(d, 0.5, n))
    whole = randomizer.tally(Table(x), draws(n))
    chunks = torch.tensor(order).tensor_split(sorted(cuts))
    tally = sum(randomizer.tally(Table(x[chunk]), Draws(0, 3, chunk)) for chunk in chunks)
    if kind in SIGNS:
        assert tally.equal(whole)
    else:  # sums in single precision
        assert tally.numpy() == pytest.approx(whole.numpy(), abs=1e-5)


@pytest.mark.parametrize("kind", ALL)
def test_thousands_of_clients_at_once(kind):
    d, n = 300, 5_000
    randomizer, x = kind(d, 1.0, 0.5), torch.as_tensor(varied(d, 0.5, n))
    mean = randomizer.mean(randomizer.tally(Table(x), draws(n)), n)
    assert mean.dtype == torch.float64 and mean.shape == (d,)
    reports = randomizer.reports(Table(x), draws(n))
    assert mean.numpy() == pytest.approx(reports.mean(dim=0).numpy(), abs=1e-7 * float(reports.abs().max()))


@pytest.mark.parametrize("kind", ALL)
def test_one_client_and_one_entry(kind):
    for d in (1, 2):
        if kind is PrivUnit and d == 1:
            continue
        randomizer = kind(d, 1.0, 2.0)
        report = randomizer.reports(Table(torch.ones(1, d)), draws(1))
        assert report.shape == (1, d)
        mean = randomizer.mean(randomizer.tally(Table(torch.ones(1, d)), draws(1)), 1)
        assert mean.numpy() == pytest.approx(report[0].numpy(), rel=1e-5)


@pytest.mark.parametrize("kind", ALL)
def test_beyond_the_ball_only_the_direction_counts(kind):
    d, n = 6, 200
    randomizer, x = kind(d, 1.0, 0.5), varied(d, 0.5, n)
    x[abs(x).max(axis=1) > 1e20] /= 1e20
    beyond = np.linalg.norm(x, ord=BALLS[kind], axis=1) > 0.5
    for dtype, factor in [(torch.float32, 2.0**60), (torch.float64, 2.0**900)]:
        if kind is clamping:
            continue
        reports = [randomizer.reports(Table(torch.as_tensor(x, dtype=dtype) * f), draws(n)) for f in (1, factor)]
        assert reports[1][beyond].numpy() == pytest.approx(reports[0][beyond].numpy(), rel=1e-5, abs=1e-5)


# Only what is needed is computed.


class Watched(Table):
    """Gradients that note what is asked of them."""

    def __init__(self, rows):
        super().__init__(rows)
        self.asked = []

    def full(self):
        self.asked.append("full")
        return super().full()

    def largest(self):
        self.asked.append("largest")
        return super().largest()

    def entries(self, rows):
        self.asked.append("entries")
        return super().entries(rows)


@pytest.mark.parametrize(
    "kind, needed",
    [(clamping, ["entries"]), (RInf, ["entries", "largest"]), *[(kind, ["full"]) for kind in (R1, *SPHERES, Gaussian)]],
)
def test_no_more_is_asked_for_than_is_needed(kind, needed):
    randomizer, rows = kind(4, 1.0), torch.as_tensor(varied(4, 1.0, 8))
    for use in (randomizer.tally, randomizer.reports):
        gradients = Watched(rows)
        use(gradients, draws(8))
        assert sorted(gradients.asked) == needed


def test_a_clamped_message_depends_on_no_other_entry():
    n, d = 500, 5
    randomizer, x = clamping(d, 1.0, 0.1), torch.as_tensor(varied(d, 0.1, 500))
    rows, signs = randomizer.messages(Table(x), draws(n))
    spoilt = torch.full_like(x, math.nan)
    spoilt[torch.arange(n), rows] = x[torch.arange(n), rows]
    assert randomizer.messages(Table(spoilt), draws(n))[1].equal(signs)


# Bad input.


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("kind", ALL)
def test_gradients_must_be_finite(kind, bad, dtype):
    n, d = 3, 4
    randomizer = kind(d, 1.0)
    sent = randomizer.messages(Table(torch.zeros(n, d)), draws(n))[0] if kind is clamping else torch.tensor([0, 1, 2])
    for place in range(d):
        x = torch.zeros(n, d, dtype=dtype)
        x[1, int(sent[1]) if kind is clamping else place] = bad
        for use in (randomizer.tally, randomizer.reports):
            with pytest.raises(ValueError, match="gradients must be finite"):
                use(Table(x), draws(n))


def test_what_adds_up_to_more_than_the_precision_holds_is_refused_by_r1_alone():
    x = torch.full((2, 4), 3e38)
    with pytest.raises(ValueError, match="gradients must be finite, and so must be their sums"):
        R1(4, 1.0).tally(Table(x), draws(2))
    for kind in (RInf, clamping, *SPHERES, Gaussian):
        assert kind(4, 1.0).tally(Table(x), draws(2)).isfinite().all()


@pytest.mark.parametrize("kind", [R1, *SPHERES, Gaussian])
def test_gradients_must_be_one_row_a_client_and_of_the_right_length(kind):
    randomizer = kind(4, 1.0)
    for shape in [(3, 4), (1, 4), (2, 3), (2, 5), (2, 1)]:
        for use in (randomizer.tally, randomizer.reports):
            with pytest.raises(ValueError, match=r"gradients must be 2 rows of 4 entries, got \("):
                use(Table(torch.zeros(*shape)), draws(2))


@pytest.mark.parametrize("kind", ALL)
def test_parameters_must_make_sense(kind):
    for bad, message in [
        ((0, 1.0, 1.0), "d must be a whole number"),
        ((3, 0.0, 1.0), r"(eps0|sigma) must be"),
        ((3, math.nan, 1.0), r"(eps0|sigma) must be"),
        ((3, 1.0, 0.0), "radius must be positive"),
        ((3, 1.0, math.inf), "radius must be positive"),
        ((3, 1.0, 1e-40), "radius must be from 1e-30 to 1e30"),
        ((3, 1.0, 1e40), "radius must be from 1e-30 to 1e30"),
    ]:
        with pytest.raises(ValueError, match=message):
            kind(*bad)
    for bad in ((2.5, 1.0), (3, "1"), (3, 1.0, None), (3, True)):
        with pytest.raises(TypeError, match=r"(d|eps0|sigma|radius) must be"):
            kind(*bad)
    with pytest.raises(ValueError, match="k must be a whole number of at least 1"):
        kind(3, 1.0).mean(torch.zeros(4, dtype=torch.float64), 0)


def test_clips_have_names_and_privunit_needs_two_dimensions():
    with pytest.raises(ValueError, match="clip must be one of 'scale', 'clamp', got 'cut'"):
        RInf(3, 1.0, clip="cut")
    with pytest.raises(ValueError, match="d must be a whole number of at least 2"):
        PrivUnit(1, 1.0)


@pytest.mark.parametrize("radius", [1e-30, 1e-3, 1e30])
@pytest.mark.parametrize("kind", ALL)
def test_any_radius_does_for_gradients_of_its_size(kind, radius):
    x = torch.as_tensor(varied(4, radius, 9, seed=1)[[0, 5, 6, 7]])
    assert kind(4, 1.0, radius).reports(Table(x), draws(4)).isfinite().all()
