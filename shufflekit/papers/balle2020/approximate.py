"""[balle2020] Local randomizers that are only (eps0, delta0)-DP: Lemma A.3, and what a surrogate costs.

Lemma A.3 finds an 8 eps0-DP randomizer within total variation delta1 of the given one. A theorem for pure local privacy
then holds with 8 eps0 in the place of eps0, and a delta that is larger by (e^eps' + 1) delta1 for each call of the
randomizer.
"""

import math

import numpy as np

from shufflekit import _validate
from shufflekit.papers.balle2020.composition import Guarantee


def eightfold(eps0: float) -> float:
    """``8 eps0``, the surrogate's local privacy, which must itself be a local privacy parameter of the kit."""
    eps0 = _validate.local_eps(eps0=eps0)
    if 8 * eps0 > 300:
        raise ValueError(f"eps0 must be at most 37.5, since 8 eps0 must be at most 300, got {eps0!r}")
    return 8 * eps0


def lemma_a3(eps0: float, delta1: float) -> float:
    """Lemma A.3: the largest delta0 for which the surrogate is within total variation delta1.

    As printed, and right for delta1 up to 2/e. Its T is no whole number; with T rounded up, ``lemma_a3_distance``
    is at most delta1 while T + 2 >= e^{5 eps0}, which delta1 <= 2/e ensures. Above 2/e it may be more by 1e-7 or so.
    """
    return _largest_delta0(eps0, delta1, -_log_argument(eps0))  # [balle2020] Lemma A.3


def lemma_a3_corrected(eps0: float, delta1: float) -> float:
    """Lemma A.3 for any delta1: with the whole number of steps that its proof needs.

    Changed: T is rounded up, and delta0 is what then makes the proof's distance delta1, if that is less than printed.
    """
    T = lemma_a3_steps_corrected(eps0, delta1)
    left = _validate.open_unit(delta1=delta1) - math.exp(T * _log_argument(eps0))
    # (T+2) 2 delta0 e^eps0 / (1 - e^-eps0) is all that may be added to the power   # [balle2020] Lemma A.3, corrected
    return min(lemma_a3(eps0, delta1), left * -math.expm1(-eps0) / (2 * math.exp(eps0) * (T + 2)))


def lemma_a3_argument(eps0: float) -> float:
    """``1 - e^{5 eps0}``, of which Lemma A.3's proof takes a logarithm to set T: it is negative, so there is no T."""
    eightfold(eps0)
    return -math.expm1(5 * eps0)  # [balle2020] proof of Lemma A.3


def lemma_a3_argument_corrected(eps0: float) -> float:
    """``1 - e^{-5 eps0}``: the sign of the exponent as in the lemma itself, and as ``k = 2 e^{-3 eps0}`` makes it."""
    eightfold(eps0)
    return -math.expm1(-5 * eps0)  # [balle2020] proof of Lemma A.3, corrected


def lemma_a3_steps_corrected(eps0: float, delta1: float) -> int:
    """T, with the argument of its logarithm corrected, and rounded up to a whole number."""
    T = math.log(2 / _validate.open_unit(delta1=delta1)) / -_log_argument(eps0)
    return math.ceil(T)  # [balle2020] proof of Lemma A.3, corrected


def lemma_a3_distance(eps0: float, delta0: float, T: int) -> float:
    """The total variation distance of the surrogate that T steps make, with the proof's ``k = 2 e^{-3 eps0}``.

    Formal guarantee: for a delta0 below ``(1 - e^-eps0) / (4 e^eps0)``.
    """
    log_argument, T = _log_argument(eps0), _validate.count(T=T)
    delta0, gap = _validate.nonnegative(delta0=delta0), -math.expm1(-eps0) * math.exp(-eps0)
    if delta0 >= gap / 4:
        raise ValueError(f"delta0 must be below (1 - e^-eps0) / (4 e^eps0) = {gap / 4:.6g}, got {delta0!r}")
    # [cheu2019] Claims D.2, D.5
    return math.exp(T * log_argument) + (T + 2) * 2 * delta0 / gap


def thm_a4_condition(eps0: float, delta0: float, delta1: float) -> float:
    """What Theorem A.4 wants delta0 to be at most, as printed: with ``1 - e^-delta0`` in the place of 1 - e^{-5 eps0}.

    With that slip it allows nearly ``delta1 (1 - e^-eps0) / (8 e^eps0)``, as if no steps were needed to make the
    surrogate. Corrected: ``lemma_a3``, as in Theorems A.5 and A.7.
    """
    shrink = -math.log(-math.expm1(-_validate.open_unit(delta0=delta0)))
    return _largest_delta0(eps0, delta1, shrink)  # [balle2020] Thm A.4


def with_surrogate(eps: float, calls: int, delta: float, delta1: float) -> Guarantee:
    """The guarantee of ``calls`` randomizers, each within delta1 of a surrogate with which all is (eps, delta)-DP.

    ``P(S) <= P~(S) + t <= e^eps Q~(S) + delta + t <= e^eps Q(S) + delta + (e^eps + 1) t``, t = calls delta1. From a
    delta of 1 on it says nothing; then 1 is returned.
    """
    eps = eps if eps == math.inf else _validate.nonnegative(eps=eps)
    calls = _validate.count(calls=calls)
    delta, delta1 = _validate.open_unit(delta=delta), _validate.open_unit(delta1=delta1)
    with np.errstate(over="ignore"):
        total = delta + calls * (float(np.exp(eps)) + 1) * delta1  # [balle2020] Thm A.4, after eq (12)
    return Guarantee(eps, min(total, 1.0))


def check_delta0(eps0: float, delta0: float, delta1: float) -> None:
    """Raise in words if a theorem's (eps0, delta0) half does not speak of this delta0."""
    delta0, largest = _validate.nonnegative(delta0=delta0), lemma_a3_corrected(eps0, delta1)
    if delta0 > largest:
        raise ValueError(
            f"delta0 must be at most {largest:.6g} for eps0 = {eps0:g} and delta1 = {delta1:g}, got {delta0!r}"
        )


def _largest_delta0(eps0: float, delta1: float, shrink: float) -> float:
    """``(1 - e^-eps0) delta1 / (4 e^eps0 (2 + log(2/delta1) / shrink))``."""
    eps0, delta1 = _validate.local_eps(eps0=eps0), _validate.open_unit(delta1=delta1)
    steps = 2 + math.log(2 / delta1) / shrink
    return -math.expm1(-eps0) * delta1 / (4 * math.exp(eps0) * steps)


def _log_argument(eps0: float) -> float:
    """``log(1 - e^{-5 eps0})``, below 0, by whichever form keeps the digits."""
    x = 5 * eightfold(eps0) / 8
    return math.log(-math.expm1(-x)) if x < math.log(2) else math.log1p(-math.exp(-x))
