"""[koskela2023] The clone pair held against the truth: Definitions 1 to 3, Theorem 4, Lemma 8, Corollary 10.

A row is a left side, a right side and where: what ``claims.verify`` compares. All is in fractions. A row is trivial,
and says so, where the pair has only what every pair has, 0 or ``1 - alpha``, or where there is one client.
"""

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from shufflekit import exact
from shufflekit.beyond import clone_sequences, dominance, views
from shufflekit.divergences import Law, hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.papers.koskela2023.losses import eq31
from shufflekit.papers.rows import Row
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

TRIVIAL = "trivial"
SEED = 0
ALPHAS = (Fraction(1), Fraction(3, 2), Fraction(2))
MOST_OUTCOMES = 9  # of laws all events of which are tried


def bench() -> list[Channel]:
    """Fifteen randomizers in fractions: most on the very edge of eps0-LDP, the last two well inside."""
    rng, ratios = np.random.default_rng(SEED), (Fraction(3, 2), Fraction(3), Fraction(7))
    found: list[Channel] = [RandomizedResponse(k, ratio=ratio) for k in (2, 3) for ratio in ratios]
    found.append(HadamardResponse(3, ratio=3))
    shapes = itertools.product(((2, 3), (3, 2), (3, 3)), (2, 5))
    found += [random_channel(*shape, ratio=ratio, rng=rng) for shape, ratio in shapes]
    return found + [Channel((one.probs + one.probs.mean(axis=0)) / 2, f"inside {one.name}") for one in found[-2:]]


def below(lower: TwoLaws, upper: TwoLaws, where: str, *, decides: bool) -> Iterator[Row]:
    """Both profiles at the corners of the upper one: finitely many rows, which settle every alpha."""
    for low, high, alpha in zip(*dominance.profiles(lower, upper), strict=True):
        own = decides and high > max(0, 1 - alpha)
        yield low, high, where if own else f"{where}, {TRIVIAL}"


def worst_event(p: Law, q: Law, alpha: Any) -> Any:
    """The largest ``P(S) - alpha Q(S)`` of all events S, which are tried one by one."""
    gains = [x - alpha * y for x, y in zip(p.flat, q.flat, strict=True)]
    sizes = range(len(gains) + 1)
    return max(sum(chosen, Fraction(0)) for size in sizes for chosen in itertools.combinations(gains, size))


def events() -> list[Row]:
    """[koskela2023] Definitions 1 and 2: the worst event against the divergence, all data of two clients."""
    rows: list[Row] = []
    for channel in bench()[:7]:
        small = [data for data in exact.neighbours(channel, 2) if data.p.size <= MOST_OUTCOMES]
        for data, alpha in itertools.product(small, ALPHAS):
            laws, where = (data.p, data.q), f"{channel.name}, alpha = {alpha}"
            rows.append((worst_event(*laws, alpha), hockey_stick(*laws, alpha), where))
    return rows


def shuffles() -> list[Row]:
    """[koskela2023] Lemma 8: all data of up to four clients, against the clone pair."""
    rows: list[Row] = []
    for channel, n in itertools.product(bench(), (1, 2, 3, 4)):
        pair, where = eq31(n, channel.ratio), f"{channel.name}, n = {n}"
        for data in exact.neighbours(channel, n):
            rows += below(TwoLaws(data.p, data.q), pair, where, decides=n > 1)
    return rows


def in_order() -> list[Row]:
    """[koskela2023] Lemma 8: records in a random order, each place with a channel chosen by the earlier messages.

    By all permutations: what is seen, against what is seen with the leavers told, against the clone pair.
    """
    rng, rows, known = np.random.default_rng(SEED), list[Row](), bench()
    pool = [random_channel(3, 2, ratio=3, rng=rng) for _ in range(4)] + [known[4], known[9]]

    def moody(history: Sequence[int]) -> Channel:
        return pool[(2 * len(history) + 3 * sum(history)) % len(pool)]

    for others in [(0,), (1,), (2,), *itertools.combinations_with_replacement(range(3), 2)]:
        n = len(others) + 1
        pair, where = eq31(n, 3), f"in order, n = {n}"
        seen = [clone_sequences.in_order_view(moody, others, x) for x in range(3)]
        for x0, x1 in itertools.permutations(range(3), 2):
            told = clone_sequences.in_order_revealed(moody, others, x0, x1, 3)
            alphas = dominance.kinks(pair)
            less, more = (hockey_stick(*laws, alphas) for laws in (views.aligned(seen[x0], seen[x1]), told))
            rows += [(low, high, f"{where}, {TRIVIAL}") for low, high in zip(less, more, strict=True)]
            rows += below(told, pair, where, decides=True)
    return rows


def two_rounds() -> list[Row]:
    """[koskela2023] Theorem 4: randomized response, then one of two channels, chosen by the histogram seen."""
    rng, rows = np.random.default_rng(SEED), list[Row]()
    ratios = ((Fraction(2), Fraction(4)), (Fraction(3), Fraction(3)), (Fraction(3, 2), Fraction(6)))
    for (first, second), n in itertools.product(ratios, (2, 3, 4)):
        channels = RandomizedResponse(2, ratio=second), random_channel(2, 2, ratio=second, rng=rng)
        bound = clone_sequences.product_pair(eq31(n, first), eq31(n, second))
        for data in exact.neighbours(RandomizedResponse(2, ratio=first), n):
            later = [views.shuffled_view(one, *data[:3]) for one in channels]
            both = _followed(TwoLaws(data.p, data.q), later)
            rows += below(both, bound, f"E = {first}, then {second}, n = {n}", decides=True)
    return rows


def unlike_rounds() -> list[Row]:
    """[koskela2023] after Corollary 10: a second round with another E and another number of clients."""
    rng, rows = np.random.default_rng(SEED), list[Row]()
    firsts, seconds = ((2, 3), (3, 2), (2, 7)), ((3, Fraction(3, 2)), (4, Fraction(2)))
    for (n, E), (m, F), other in itertools.product(firsts, seconds, (0, 1)):
        bound = clone_sequences.product_pair(eq31(n, E), eq31(m, F))
        channels = RandomizedResponse(2, ratio=F), random_channel(2, 2, ratio=F, rng=rng)
        for data in exact.neighbours(RandomizedResponse(2, ratio=E), n):
            others = [other, *[1] * (m - 2)]
            later = [views.shuffled_view(one, others, data.x0, data.x1) for one in channels]
            both = _followed(TwoLaws(data.p, data.q), later)
            rows += below(both, bound, f"n = {n}, E = {E}, then n = {m}, E = {F}", decides=True)
    return rows


def many_rounds() -> list[Row]:
    """[koskela2023] Corollary 10: each outcome of a round has its own random channel in the next.

    Two rounds of two and three clients, and a third of two.
    """
    rng, rows = np.random.default_rng(SEED), list[Row]()
    channels = bench()[4], random_channel(3, 2, ratio=3, rng=rng)
    for n, channel in itertools.product((2, 3), channels):
        pair = eq31(n, 3)
        for data in exact.neighbours(channel, n):
            real, bound = TwoLaws(data.p, data.q), pair
            for rounds in (2, 3) if n == 2 else (2,):
                chosen = [random_channel(3, 2, ratio=3, rng=rng) for _ in real.p.flat]
                later = [views.shuffled_view(one, *data[:3]) for one in chosen]
                real = clone_sequences.compose(real, later.__getitem__)
                bound = clone_sequences.product_pair(bound, pair)
                rows += below(real, bound, f"{channel.name}, n = {n}, {rounds} rounds", decides=True)
    return rows


def _followed(first: TwoLaws, later: Sequence[TwoLaws]) -> TwoLaws:
    """A first round, and one of two others after it, by whether the outcome's number is odd."""
    return clone_sequences.compose(first, lambda seen: later[seen % 2])


def difference(law: Law) -> tuple[Law, Law]:
    """The law of black less white balls, for a law with the entry [b, w]: values, and their chances."""
    n = len(law) - 1
    values = np.arange(-n, n + 1)
    # Black less white is the same along a diagonal.
    return values, np.array([np.trace(law, offset=-value) for value in values])


def attained(ratio: int, n: int) -> tuple[Law, Law]:
    """The largest divergence of binary randomized response over the clone pair's, alpha by alpha, all data tried."""
    low, channel = Fraction(1, ratio), RandomizedResponse(2, ratio=ratio)
    alphas = exact.law(low + Fraction(i, 24) * (ratio - low) for i in range(1, 24))
    real = [hockey_stick(data.p, data.q, alphas) for data in exact.neighbours(channel, n)]
    return alphas, np.max(real, axis=0) / hockey_stick(*eq31(n, ratio), alphas)
