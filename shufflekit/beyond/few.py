"""The game watched at work: held against the truth for a few users, played on a grid, and below a normal law.

``compared`` and ``in_turn`` are the truth that the game of [beyond] 8 to 13 has to stay above, all data sets gone
through in fractions. ``played`` plays the game at one alpha on a grid, for pictures and for a thousand messages;
``normal_bound`` is what [beyond] 12 proves about any number of them.

Why the game is below a normal law. Let V be the largest variance of a corner's score, R its largest third absolute
moment, Psi_m(x) = E(x + sqrt(V (m + 1)) Z)_+, s^2 = V m the variance in Psi_{m-1}. For a score g of mean 0, by Taylor,

    E Psi_{m-1}(x + g) <= Psi_{m-1}(x) + (V/2) Psi_{m-1}''(x) + R phi(1)/(6 s^2),
    Psi_m(x)           >= Psi_{m-1}(x) + (V/2) Psi_{m-1}''(x) - V^2 phi(0)/(8 s^3):

the first as Psi'' >= 0 and the third derivative is at most phi(1)/s^2, the second as the fourth is at most phi(0)/s^3,
by the heat equation: one half of Psi'' is the derivative by the variance. So each message adds at most
``R phi(1)/(6 V m) + sqrt(V) phi(0)/(8 m^1.5)`` to the excess of the game over Psi.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr

from shufflekit import _validate, convex_order, definitions, exact
from shufflekit._validate import Array
from shufflekit.beyond import attack_search, check_ins, dominance, game, scores
from shufflekit.beyond.views import View, add, aligned
from shufflekit.definitions import Game, ScoreLaw, corners
from shufflekit.divergences import hockey_stick
from shufflekit.exact import TwoLaws
from shufflekit.loss_distribution import Composition, Part
from shufflekit.randomizers import Channel, HadamardResponse, RandomizedResponse, random_channel

ZETA = 2.6123753486854883  # the sum of all m^-1.5
Row = tuple[Any, Any, str]  # the truth, the bound, and where


def bench(seed: int = 0) -> list[Channel]:
    """Randomizers in fractions: on the edge of their eps0, corners of the hexagon among them, and one inside it."""
    rng, some = np.random.default_rng(seed), Fraction(3, 2)
    known = [RandomizedResponse(k, ratio=E) for k in (2, 3) for E in (some, 3)] + [HadamardResponse(3, ratio=3)]
    found = [random_channel(3, outputs, ratio=2, rng=rng) for outputs in (3, 2)]
    inside = (found[0].probs + found[0].probs.mean(axis=0)) / 2
    return [*known, *found, *corner_channels(3)[:1], Channel(inside, "inside " + found[0].name)]


def corner_channels(ratio: Any) -> list[Channel]:
    """The five corner laws as channels, the inputs being x0, x1 and another user's."""
    return [attack_search.channel_of(ratio, weights) for weights in attack_search.extreme_weights(ratio)]


def alphas(ratio: Any) -> tuple[Fraction, ...]:
    """Some alphas between 1/E and E, where neither side of a comparison is trivial."""
    E = Fraction(ratio)
    return Fraction(1), (E + 3) / 4, (E + 1) / 2, 4 / (E + 3)


def compared(channel: Channel, k: int, N: int, rate: Any = 1, known: bool = False) -> list[Row]:
    """Truth and bound for all data sets of N users, k of them drawn; or each by her own coin, and k = N.

    A ``known`` channel plays with its own rows, [beyond] 13; else the five corners play.
    """
    shown, found = channel if rate == 1 else check_ins.silent(channel, rate), []
    for data in exact.neighbours(shown, N, k):
        moves = definitions.rows(channel, data.x0, data.x1) if known else corners(channel.ratio - 1)
        for a in alphas(channel.ratio):
            where = f"{channel.name}, {k} of {N}, a = {a}"
            found.append((hockey_stick(data.p, data.q, a), _profile(Game(k, N, (moves,), rate), a), where))
    return found


def corner_bound(ratio: Any, k: int, N: int, alpha: Any) -> Any:
    """The bound for every randomizer. [beyond] 8, 10"""
    return _profile(Game(k, N, (corners(ratio - 1),)), alpha)


def clone_bound(ratio: Any, k: int, N: int, alpha: Any) -> Any:
    """The clone pair's, [beyond] 3."""
    return hockey_stick(*scores.score_pair(scores.clone_scores(ratio), k, N), alpha)


def against_corners(channel: Channel) -> list[Row]:
    """Lemma 1 of [beyond] 9: the mean of ``(c + g)_+`` for a channel's scores, and the largest of the five corners'."""
    found = []
    shifts = [Fraction(i, 2) for i in range(-5, 6)]
    for x2, a, c in itertools.product(range(channel.inputs), alphas(channel.ratio), shifts):
        own = dominance.stop_loss(definitions.equal_others(channel, 0, 1, x2), a, c)
        five = [dominance.stop_loss(law, a, c) for law in corners(channel.ratio - 1).laws]
        found.append((own, max(five), f"{channel.name}, others at {x2}, a = {a}, c = {c}"))
    return found


def turns(k: int, N: int, seed: int) -> list[Row]:
    """Truth and bound for all data sets of three values where each place picks one of four randomizers with E = 3.

    It picks by the messages so far; how is drawn at random, and so are two of the four.
    """
    rng, E = np.random.default_rng(seed), Fraction(3)
    tools = [RandomizedResponse(3, ratio=3), *corner_channels(3)[:1]]
    tools += [random_channel(3, 3, ratio=3, rng=rng) for _ in range(2)]
    choose = cache(lambda sent: tools[rng.integers(len(tools))])
    found = []
    for others in itertools.combinations_with_replacement(range(3), N - 1):
        laws = in_turn(choose, others, 0, 1, k)
        for a in alphas(E):
            found.append((hockey_stick(*laws, a), corner_bound(E, k, N, a), f"in turn, {k} of {N}, a = {a}"))
    return found


def second_moments(ratio: Any, m: int) -> list[Row]:
    """[beyond] 5 for m equal others: both sides of each equality either way round, and a randomizer below."""
    E = Fraction(ratio)
    V = max((E - 1) ** 2 / E, 2 * (E - 1) ** 2 / (E + 2))
    corner = max(exact.ternary(channel, m, 2) for channel in corner_channels(E))
    balls = exact.histogram_law([[1 / (E + 1), 1 / (E + 1), (E - 1) / (E + 1)]] * m)
    moved = sum(p * ((E - 1) * Fraction(b - w, m)) ** 2 for (b, w), p in np.ndenumerate(balls))
    equal = [
        (corner, V / m, "the best corner, message by message"),
        (attack_search.worst_chi_square(E), V, "the linear programme"),
        (moved, 2 * (E - 1) ** 2 / ((E + 1) * m), "the clone pair"),
    ]
    other = exact.ternary(RandomizedResponse(4, ratio=E), m, 2), V / m, "4-ary randomized response"
    return [*equal, *((b, a, where) for a, b, where in equal), other]


def game_rows(channels: Sequence[Channel], samples: Sequence[tuple[int, int]]) -> list[Row]:
    """[beyond] 9 in three parts: Lemma 1, places that answer in turn below the game, and the game below the clones."""
    found = [row for channel in channels for row in against_corners(channel)]
    found += [row for k, seed in itertools.product((1, 2), range(4)) for row in turns(k, 3, seed)]
    for E, (k, N) in itertools.product((Fraction(3, 2), Fraction(3), Fraction(7)), samples):
        for a in alphas(E):
            found.append((corner_bound(E, k, N, a), clone_bound(E, k, N, a), f"clones, E = {E}, {k} of {N}, a = {a}"))
    return found


def few_users(ratio: Any, n: int) -> list[Row]:
    """[beyond] 19: binary randomized response with all others at x0, and the clone pair, against the closed form."""
    E, rows = Fraction(ratio), RandomizedResponse(2, ratio=ratio).probs
    alike, changed = (exact.histogram_law(rows[data]) for data in ([0] * n, [0] * (n - 1) + [1]))
    least, found = ((n - 1) * E + 1) / (n - 1 + E), []
    for a in (least, (2 * least + E) / 3, (least + 2 * E) / 3):
        formula, where = (E / (E + 1)) ** (n - 1) * (E - a) / (E + 1), f"E = {E}, n = {n}, a = {a}"
        found += [(hockey_stick(alike, changed, a), formula, where), (clone_bound(E, n, n, a), formula, where)]
    return found


def against_clones(ratio: Any, n: int, a: Sequence[Any]) -> dict[str, Array]:
    """Everybody reports: the bound, what one is tempted to write instead, and the worst data found, over the clones'.

    Worst of binary randomized response and the corner channels.
    """
    channels = [RandomizedResponse(2, ratio=ratio), *corner_channels(ratio)]
    real = [hockey_stick(data.p, data.q, exact.law(a)) for c in channels for data in exact.neighbours(c, n)]
    clones = np.array([clone_bound(ratio, n, n, x) for x in a], dtype=float)
    curves = {
        "the bound": [corner_bound(ratio, n, n, x) for x in a],
        "$F_n(0)/n$: false": [game.value(corners(ratio - 1).laws, n, x) / n for x in a],
        "worst data found": np.max(real, axis=0),
    }
    return {name: np.array(values, dtype=float) / clones for name, values in curves.items()}


def composed_epsilon(eps: Array, h: Array, rounds: int, delta: float) -> float:
    """The upper end of epsilon of so many rounds of a symmetric pair, its profile h known at some eps from 0 on."""
    return Composition([Part(convex_order.connected(eps, h, h), rounds)]).epsilon(delta, 1e-4).upper


@cache
def _profile(played_game: Game, alpha: Any) -> Any:
    return game.profile(played_game, alpha)


def in_turn(
    choose: Callable[[tuple[int, ...]], Channel], others: Sequence[int], x0: int, x1: int, k: int | None = None
) -> TwoLaws:
    """The laws of all messages in their order: data are shuffled, then each place answers by the channel that
    ``choose`` picks after the earlier messages. ``k`` of the users get a place; all of them, when it is not given.
    """
    places = _validate.count(k=len(others) + 1 if k is None else k, at_most=len(others) + 1)
    views: tuple[View, View] = ({}, {})
    for view, own in zip(views, (x0, x1), strict=True):
        orders = Counter(itertools.permutations([*others, own], places))
        for data, ways in orders.items():
            for messages, chance in _answers(choose, data, ()):
                add(view, messages, chance * Fraction(ways, orders.total()))
    return aligned(*views)


def _answers(
    choose: Callable[[tuple[int, ...]], Channel], data: Sequence[int], sent: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Any]]:
    if len(sent) == len(data):
        yield sent, 1
        return
    for message, chance in enumerate(choose(sent).probs[data[len(sent)]]):
        for messages, later in _answers(choose, data, (*sent, message)):
            yield messages, chance * later


class Board(NamedTuple):
    """The game on a grid: ``value[m]`` is F_m at the sums ``x``, ``move[m]`` the number of the law played there."""

    x: Array
    value: Array
    move: Any


def played(laws: Sequence[ScoreLaw], messages: int, step: float, reach: float, alpha: float = 1.0) -> Board:
    """The game with *centred* scores ``(t0 - 1) - alpha (t1 - 1)``, from 0 to so many messages. [beyond] 9

    A score between two points of the grid is divided between them, its mean kept, and beyond ``reach`` what the
    messages add to ``x_+`` is taken to be what they add at its end, although it falls: both can only raise a value.
    """
    step, reach = _validate.positive(step=step), _validate.positive(reach=reach)
    half = math.ceil(reach / step)
    x = step * np.arange(-half, half + 1.0)
    games = [_on_grid(law, _validate.real(alpha=alpha), step) for law in laws]
    edge = max(abs(place) for game in games for place in game)
    tops = [sum(chance * np.maximum(x + step * place, 0.0) for place, chance in game.items()) for game in games]
    added, moves = [np.zeros_like(x)], [np.zeros(len(x), dtype=int)]
    for _ in range(_validate.count(messages=messages, at_least=0)):
        wide = np.pad(added[-1], edge, mode="edge")
        rolled = [
            sum(chance * wide[edge + place : edge + place + len(x)] for place, chance in game.items()) for game in games
        ]
        choices = np.array([top + more for top, more in zip(tops, rolled, strict=True)])
        moves.append(choices.argmax(axis=0))
        added.append(choices.max(axis=0) - np.maximum(x, 0.0))
    return Board(x, np.asarray(np.array(added) + np.maximum(x, 0.0)), np.array(moves))


def _on_grid(law: ScoreLaw, alpha: float, step: float) -> dict[int, float]:
    """The chances of the places, as multiples of ``step``, of a law's centred scores."""
    places: dict[int, float] = {}
    for one in law:
        score = float(one.u0 - alpha * one.u1) / step
        low = math.floor(score + 1e-9)
        share = max(score - low, 0.0) if score - low > 1e-9 else 0.0
        for place, part in ((low, 1 - share), (low + 1, share)):
            if part > 0:
                places[place] = places.get(place, 0.0) + float(one.chance) * part
    return places


def normal_bound(ratio: float, m: int, alpha: float = 1.0, x: float = 0.0) -> float:
    """Above the game of m messages with centred scores, at x. [beyond] 12

    Formal guarantee: at least ``F_m`` with centred scores, for the five corner laws, any m, alpha and x.
    """
    laws, m = definitions.corners(float(_validate.ratio(ratio=ratio)) - 1).laws, _validate.count(m=m)
    a = _validate.real(alpha=alpha)
    V, R = (max(sum(one.chance * abs(one.u0 - a * one.u1) ** r for one in law) for law in laws) for r in (2, 3))
    per_log, once = math.exp(-0.5) / (6 * math.sqrt(2 * math.pi)) * R / V, ZETA / (8 * math.sqrt(2 * math.pi))
    return float(normal_call(float(x), math.sqrt(V * (m + 1))) + per_log * (1 + math.log(m)) + once * math.sqrt(V))


def normal_call(x: float, deviation: float) -> float:
    """``E(x + deviation Z)_+`` for a standard normal Z."""
    z = x / deviation
    return float(x * ndtr(z) + deviation * math.exp(-z * z / 2) / math.sqrt(2 * math.pi))


def at_centre(laws: Sequence[ScoreLaw], messages: int, alpha: float = 1.0) -> float:
    """``F_m(0)`` with centred scores, played on a grid wide enough for nothing to be seen of its ends."""
    sizes = [abs(float(one.u0 - alpha * one.u1)) for law in laws for one in law]
    step = min(float(abs(one.u0 - one.u1)) for law in laws for one in law if one.u0 != one.u1) / 2
    variance = max(sum(float(one.chance) * float(one.u0 - alpha * one.u1) ** 2 for one in law) for law in laws)
    reach = 9 * math.sqrt(variance * messages) + max(sizes)
    board = played(laws, messages, step, reach, alpha)
    return float(board.value[-1][len(board.x) // 2])
