"""The game of a channel's own rows for a few reports, term by term: at many alphas at once, on no grid.

With F_0(x) = x_+ and F_m(x) = max over the laws of E F_{m-1}(x + g), k of N sampled are worth F_k(-N (a - 1))/N
[beyond] 8, and all of them W_k/k, where the first message from the blanket makes room:    [beyond] 10

    W_k = E_B F_{k-1}(t0 - a t1 - (k - 1)(a - 1)) + (1 - |B|) W_{k-1},        W_0 = 0.

The blanket's own law in every place is never worth less: a move that it shows to be no worse than another is not looked
at. What is left depends on how often each score came, and not in which order. Each difference is taken for larger by
more than its round-off, so that no term is too small.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from shufflekit._validate import Array
from shufflekit.accuracy import TINY, UNIT
from shufflekit.definitions import Game, Kind, Moves, ScoreLaw

MOST_REPORTS = 8
MOST_TERMS, AT_ONCE = 2.5e8, 2**20  # in all, and at once
FEW_OF_TWO = 20  # alphas, at which there may be so many of two reports
MOST_SUMS = 20_000  # of scores, where bends are looked for
MOST_BENDS, LEAST_BENDS, NEAREST = 600, 50, 1e-4  # alphas; and of the top, the nearest to either end
LOOKS, FAR = 3, 1e-4  # for more of them; and relative, that a chord may lie above the profile
EVEN, MOST_EVEN = 60, 200  # others, where another move or law may take over
OPEN = 1 / 10  # of all moves and alphas, about, are looked at by more than their blankets; and one at each alpha
ROUND_OFF = 64 * UNIT  # of a start and all scores that are added to it, some units each
DIGITS = 12  # scores that agree to so many differ by round-off

Numbers = NDArray[np.intp]


class Terms(NamedTuple):
    """Scores that are told apart, and laws side by side: which of the scores each may take, with which chances."""

    u0: Array
    u1: Array
    laws: list[tuple[Numbers, Array]]

    @property
    def rows(self) -> int:
        return sum(len(chance) for _, chance in self.laws)

    def price(self, reports: int) -> float:
        """Terms of one start at one alpha."""
        kinds = len(self.u0)
        played = sum(math.comb(kinds + j - 1, j) for j in range(reports))
        return float(math.comb(kinds + reports - 1, reports) + self.rows * played)


def serves(game: Game) -> bool:
    """Whether there are so few reports, and so few terms: of two there hardly ever are more."""
    if game.slots > MOST_REPORTS or game.rate != 1 or game.replaced:
        return False
    alphas = FEW_OF_TWO if game.slots <= 2 else LEAST_BENDS + 3 * EVEN
    return alphas * _price(game) <= MOST_TERMS


def _price(game: Game) -> float:
    """Terms of one alpha, about."""
    k, everybody, total = game.slots, game.slots == game.population, 0.0
    open_ = max(OPEN, 1 / len(game.moves))
    for moves, (blanket, rows) in zip(game.moves, _terms(game), strict=True):
        starts, others = (len(moves.spares[0]), k - 1) if everybody else (1, k)
        total += starts * (blanket.price(others) + open_ * rows.price(others))
    return total


def few_worths(game: Game, eps: Array) -> Array:
    """The worst move's worth over N at each eps, never too small."""
    everybody, N = game.slots == game.population, float(game.population)
    if not len(eps):
        return eps

    def of(terms: Terms, moves: Moves, some: Array) -> Array:
        return _spared(terms, moves.spares[0], game.slots, some) if everybody else _played(terms, game.slots, N, some)

    terms = _terms(game)
    bounds = [of(blanket, moves, eps) for moves, (blanket, _) in zip(game.moves, terms, strict=True)]
    worst = np.zeros(len(eps))
    for i in sorted(range(len(bounds)), key=lambda i: -float(bounds[i][0])):
        open_ = bounds[i] > worst
        if open_.any():
            own = np.minimum(of(terms[i][1], game.moves[i], eps[open_]), bounds[i][open_])
            worst[open_] = np.maximum(worst[open_], own)
    return np.asarray(worst / N * (1 + 256 * UNIT * game.slots))  # each sum is of some hundred terms at most


def _played(terms: Terms, reports: int, N: float, eps: Array) -> Array:
    """``F_k(-N (alpha - 1))``."""
    return _worth(terms, reports, np.exp(eps), -N * np.expm1(eps)[:, None])[:, 0]


def _spared(terms: Terms, blanket: ScoreLaw, reports: int, eps: Array) -> Array:
    """``W_k``; the blanket's last kind is what is not in it."""
    kinds, alpha = blanket[:-1], np.exp(eps)
    chance, t0, t1 = (np.array([float(getattr(one, name)) for one in kinds]) for name in ("chance", "t0", "t1"))
    first, total = np.asarray(t0 - alpha[:, None] * t1), np.zeros(len(eps))
    for others in range(reports):
        shown = (chance * _worth(terms, others, alpha, first - others * np.expm1(eps)[:, None])).sum(axis=1)
        total = shown + float(blanket[-1].chance) * total
    return total


def _worth(terms: Terms, m: int, alpha: Array, x: Array) -> Array:
    """``F_m`` at starts x, by alphas: in which order scores came does not matter to what is left."""
    steps, u0, u1 = _steps(len(terms.u0), m), np.zeros(1), np.zeros(1)
    for after in steps:
        u0, u1 = (_moved(total, own, after) for total, own in ((u0, terms.u0), (u1, terms.u1)))
    size = m * np.abs(terms.u0).max() + np.abs(x).max(axis=1, initial=0.0) + alpha * (1 + m * np.abs(terms.u1).max())
    parts, laws = [], [_expected(terms, after) for after in reversed(steps)]
    for some, at in _pieces(x.shape[1] * len(u0), alpha, x + ROUND_OFF * size[:, None]):
        left = np.maximum(u0[:, None, None] - some[:, None] * u1[:, None, None] + at, 0.0).reshape(len(u0), -1)
        for step in laws:
            left = _best(step, left)
        parts.append(left[0].reshape(at.shape))
    return np.concatenate(parts)


def _moved(total: Array, own: Array, after: Numbers) -> Array:
    """All sums of one score more."""
    found = np.empty(int(after.max()) + 1)
    found[after] = total[:, None] + own
    return found


def _expected(terms: Terms, after: Numbers) -> list[Any]:
    """Each law's chances to go on from each multiset to another, as a matrix."""
    found = []
    for columns, chance in terms.laws:
        first = len(columns) * np.arange(len(after) + 1)
        sent = np.tile(chance, len(after)), after[:, columns].ravel(), first
        found.append(csr_array(sent, shape=(len(after), int(after.max()) + 1)))
    return found


def _best(laws: Sequence[Any], left: Array) -> Array:
    """By the best law for the next score."""
    best = np.zeros((laws[0].shape[0], left.shape[1]))
    for law in laws:
        np.maximum(best, law @ left, out=best)
    return best


def _pieces(starts: int, alpha: Array, at: Array) -> list[tuple[Array, Array]]:
    count = min(max(1, -(-len(alpha) * starts // AT_ONCE)), max(len(alpha), 1))
    return list(zip(np.array_split(alpha, count), np.array_split(at, count), strict=True))


@lru_cache(maxsize=16)  # many moves have equally many scores
def _steps(kinds: int, number: int) -> list[Numbers]:
    """For each number of scores that have come, from 0 on: for their multisets and the next score, the multiset then.

    Multisets ``a_1 <= a_2 <= ...`` are numbered ``sum C(a_i + i - 1, i)``.
    """
    found, sets, own = [], np.zeros((1, 0), dtype=np.intp), np.arange(kinds)
    for size in range(1, number + 1):
        shape = len(sets), kinds, 1
        before = np.broadcast_to(sets[:, None], (len(sets), kinds, size - 1))
        more = np.sort(np.append(before, np.broadcast_to(own[:, None], shape), axis=2), axis=2)
        ways = np.array([[math.comb(a + i, i + 1) for a in range(kinds)] for i in range(size)], dtype=np.intp)
        found.append(ways[np.arange(size), more].sum(axis=2))
        sets = np.zeros((math.comb(kinds + size - 1, size), size), dtype=np.intp)
        sets[found[-1]] = more
    return found


@lru_cache(maxsize=4)  # both directions are asked about again and again
def _terms(game: Game) -> list[tuple[Terms, Terms]]:
    """Of each move, those of its first blanket, and those of its rows."""
    return [(_side_by_side(moves.spares[:1]), _side_by_side(moves.laws)) for moves in game.moves]


def _side_by_side(laws: Sequence[ScoreLaw]) -> Terms:
    """Scores that differ by round-off are one, with the largest u0 and the smallest u1: it is worth no less."""
    kinds = np.array([(one.chance, one.u0, one.u1) for law in laws for one in law], dtype=np.float64)
    number = np.repeat(np.arange(len(laws)), list(map(len, laws)))[kinds[:, 0] > 0]
    chance, u0, u1 = kinds[kinds[:, 0] > 0].T
    code = np.unique([_rounded(u0), _rounded(u1)], axis=1, return_inverse=True)[1].ravel()
    most, least = np.full(code.max() + 1, -np.inf), np.full(code.max() + 1, np.inf)
    np.maximum.at(most, code, u0)
    np.minimum.at(least, code, u1)
    return Terms(most, least, [(code[number == i], chance[number == i]) for i in range(len(laws))])


def _rounded(values: Array) -> Array:
    scale = 10.0 ** np.ceil(np.log10(np.maximum(np.abs(values), TINY)))
    return np.asarray(np.round(values / scale, DIGITS) * scale)


def bends(game: Game, top: float) -> Array:
    """Eps from 0 to ``top`` between which the worst profile hardly bends, if they can be had.

    It is convex in alpha, and of straight pieces: where a chord may lie far above it, two of them meet about where the
    chords on both sides do.
    """
    afford = MOST_TERMS / _price(game)
    others, most = int(np.clip(afford / 12, EVEN, MOST_EVEN)), int(np.clip(afford - 3 * EVEN, LEAST_BENDS, MOST_BENDS))
    close = np.geomspace(NEAREST, 1.0, others)  # to either end
    even = top * np.unique(np.concatenate([np.linspace(0.0, 1.0, others), close, 1 - close]))
    eps = np.unique(np.append(_thinned(_kinks(game), top, most), even))
    worth = few_worths(game, eps) if afford > LOOKS * len(eps) else np.zeros(len(eps))
    for _ in range(LOOKS):
        more = _meetings(eps, worth)
        if not len(more):
            break
        eps, worth = np.append(eps, more), np.append(worth, few_worths(game, more))
        order = np.argsort(eps)
        eps, worth = eps[order], worth[order]
    return eps


def _meetings(eps: Array, worth: Array) -> Array:
    """Where the chords on both sides of one meet, if that is far enough below it."""
    x = np.expm1(eps)
    slope = np.diff(worth) / np.diff(x)
    left, right, width = slope[:-2], slope[2:], np.diff(x)[1:-1]
    first, last = worth[1:-2], worth[2:-1]
    bent = right - left > 0
    way = np.where(bent, (first - last + right * width) / np.where(bent, right - left, 1.0), 0.0)
    chord = first + slope[1:-1] * way
    found = bent & (way > 0) & (way < width) & (chord - first - left * way > FAR * chord)
    return np.asarray(np.setdiff1d(np.log1p((x[1:-2] + way)[found]), eps))


def _kinks(game: Game) -> Array:
    """Where sums of scores are 0 for some moves of each slot, of very many some."""
    N, found = float(game.population), np.zeros(0)
    for moves in game.moves:
        rows = _scores([one for law in moves.laws for one in law])
        up, down = _scores(moves.spares[0][:-1]) if game.slots == game.population else rows
        for _ in range(game.slots - 1):
            up, down = (np.add.outer(total, own).ravel() for total, own in zip((up, down), rows, strict=True))
            up, down = (total[:: max(1, -(-len(total) // MOST_SUMS))] for total in (up, down))
        known = (N + down > 0) & (up > down)
        found = np.append(found, np.log1p((up - down)[known] / (N + down)[known]))
    return found


def _scores(kinds: Sequence[Kind]) -> tuple[Array, Array]:
    return np.array([float(one.u0) for one in kinds]), np.array([float(one.u1) for one in kinds])


def _thinned(eps: Array, top: float, most: int) -> Array:
    """Those below the top that are told apart, of very many some."""
    eps = np.unique(np.round(eps[(eps > 0) & (eps < top)] / top, 12)) * top
    return np.asarray(eps[:: max(1, -(-len(eps) // most))])
