"""The bounds of the papers on rounds of shuffled eps0-LDP reports: loaded, they register themselves for comparisons."""

import math
from collections.abc import Callable, Sequence

from shufflekit._validate import Array
from shufflekit.loss_distribution import Composition, Part
from shufflekit.papers import balle2019, comparisons, feldman2021, girgis2021
from shufflekit.papers.koskela2023.sampling_accountant import Lemma7Pair
from shufflekit.protocols.answers import RTOL
from shufflekit.protocols.bounds import Bound, Reports, TooSlow, register
from shufflekit.protocols.run import Run
from shufflekit.protocols.shuffle import REDUCTIONS, Shuffle
from shufflekit.renyi import RenyiCurve, best_order, epsilon_at_order

# Beyond these a bound takes seconds, or minutes.
SLOW_N, SLOW_ROUNDS, RENYI_N = 10**7, 10**7, 1_000
MOST_START = 1e6  # of an order less 1

Rounds = Sequence[Reports]

PAIRS = {
    "corners": ("corner pair", "beyond"),
    "clones": ("clone pair", "beyond"),
    "clones2021": ("clones2021 pair", "feldman2021"),
}


def _reduced(reduction: str) -> Callable[[Rounds, float], float]:
    def bound(rounds: Rounds, delta: float) -> float:
        return _shuffles(rounds, reduction).guarantee(delta).upper

    return bound


def _shuffles(rounds: Rounds, reduction: str) -> Run:
    return Run((Shuffle(one.eps0, one.n, one.population, reduction=reduction), one.rounds) for one in rounds)


def _lemma7(rounds: Rounds, delta: float) -> float:
    if all(one.n == one.population for one in rounds):
        raise ValueError("nothing is sampled")
    parts = [Part(Lemma7Pair(one.eps0, one.population, one.n), one.rounds) for one in rounds]
    return Composition(parts).epsilon(delta, RTOL).upper


def _renyi(rounds: Rounds, delta: float) -> float:
    """The clone pair's Renyi divergence and Lemma 1, from the best order of a Gaussian with the same eps on."""
    if any(one.n > RENYI_N for one in rounds):
        raise TooSlow(f"takes long beyond n = {RENYI_N:,}")
    run = _shuffles(rounds, "clones")
    eps, log_delta = run.guarantee(delta, rtol=0.01).upper, -math.log(delta)
    if eps == 0:
        return 0.0
    spread = eps / (math.sqrt(log_delta + eps) + math.sqrt(log_delta))
    start = 1 + min(math.sqrt(log_delta) / spread, MOST_START)

    def at(order: Array) -> Array:
        return epsilon_at_order(run.rdp(order), order, delta)

    return min(max(best_order(at, start=start, patience=1, precision=1e-3).value, 0.0), run.pure_epsilon)


def _theorem1(rounds: Rounds, delta: float) -> float:
    def curve(one: Reports) -> RenyiCurve:
        eps0, n, population, own = one
        cap = math.log1p(n / population * math.expm1(eps0))
        return RenyiCurve(lambda order: girgis2021.thm1_real_order(order, eps0, population, n, cap=cap), cap) * own

    total = curve(rounds[0])
    for one in rounds[1:]:
        total = total + curve(one)
    return total.epsilon(delta).value


def _equal(bound: Callable[[Reports, float], float]) -> Callable[[Rounds, float], float]:
    def equal(rounds: Rounds, delta: float) -> float:
        if len(rounds) > 1:
            raise ValueError("is stated for equal rounds only")
        return bound(rounds[0], delta)

    return equal


def _strong_composition(amplification: str) -> Callable[[Rounds, float], float]:
    def bound(one: Reports, delta: float) -> float:
        if one.rounds > SLOW_ROUNDS:
            raise TooSlow(f"takes long beyond {SLOW_ROUNDS:,} rounds")
        if amplification == "numerical" and one.n > SLOW_N:
            raise TooSlow(f"takes long beyond n = {SLOW_N:,}")
        setting = (one.eps0, one.population, one.n, one.rounds, delta)
        return comparisons.clones_strong_composition(*setting, amplification, "optimal")

    return _equal(bound)


def _shuffled_then_sampled(one: Reports, delta: float) -> float:
    return max(0.0, comparisons.shuffle_then_sample(one.eps0, one.population, one.n, one.rounds, delta).value)


def _once(bound: Callable[[float, float, int], float]) -> Callable[[Rounds, float], float]:
    def once(one: Reports, delta: float) -> float:
        if one.rounds > 1 or one.population > one.n:
            raise ValueError("is about one round without sampling")
        return bound(delta, one.eps0, one.n)

    return _equal(once)


def _clones_once(delta: float, eps0: float, n: int) -> float:
    if n > SLOW_N:
        raise TooSlow(f"takes long beyond n = {SLOW_N:,}; the composed clones2021 pair says the same")
    return feldman2021.epsilon(delta, eps0, n)


def _closed_form_once(delta: float, eps0: float, n: int) -> float:
    return feldman2021.closed_form(eps0, n, delta)


for _bound in (
    *(Bound(f"{PAIRS[name][0]}, composed numerically", PAIRS[name][1], _reduced(name)) for name in REDUCTIONS),
    Bound("clone pair, sampled by Lemma 7, composed numerically", "koskela2023", _lemma7),
    Bound("clone pair by Renyi and Lemma 1, best order", "beyond, girgis2021", _renyi),
    Bound("Theorem 1 and Lemma 1, best order", "girgis2021", _theorem1),
    Bound("clones, numerical", "feldman2021", _once(_clones_once)),
    Bound("clones, closed form", "feldman2021", _once(_closed_form_once)),
    Bound("blanket, Bennett", "balle2019", _once(balle2019.epsilon)),
    Bound("clones, numerical; optimal composition", "feldman2021, kairouz2015", _strong_composition("numerical")),
    Bound("clones, closed form; optimal composition", "feldman2021, kairouz2015", _strong_composition("closed")),
    Bound("no shuffling; optimal composition", "kairouz2015", _strong_composition("none")),
    Bound("Renyi of the shuffle, then sampled", "girgis2021ccs, wang2019", _equal(_shuffled_then_sampled)),
):
    register(_bound)
