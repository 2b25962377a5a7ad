"""How crowded the slots are: the exact law of the loads' 2-norm, squared. [balle2020] Lemma A.6"""

import math
from fractions import Fraction

from shufflekit import _validate
from shufflekit.exact.outcomes import View, add


def squared_loads(n: int, m: int) -> dict[int, Fraction]:
    """The law of ``L_1^2 + ... + L_m^2`` when each of n clients comes to one of m slots, in fractions.

    Slot after slot, with how many clients have come: ``n! / (L_1! ... L_m!)`` of m^n ways have these loads.
    """
    n, m = _validate.count(n=n), _validate.count(m=m)
    states: View = {(0, 0): Fraction(1)}
    for slot in range(m):
        following: View = {}
        for (came, squares), ways in states.items():
            last = slot == m - 1  # takes all who are left
            for load in range(n - came if last else 0, n - came + 1):
                add(following, (came + load, squares + load**2), ways / math.factorial(load))
        states = following
    scale = Fraction(math.factorial(n), m**n)
    return {squares: ways * scale for (_, squares), ways in sorted(states.items())}
