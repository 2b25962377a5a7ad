"""tests/golden/girgis2021.toml: the theorems of [girgis2021] in numbers."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from mpmath import binomial, exp, fsum, mpf, nstr, workdps

from tools.golden import enumerated, figures, theorems

HEAD = """\
# Reference numbers for shufflekit.papers.girgis2021, made by `python -m tools.golden.write`, which shares no code with
# the package. Numbers in quotes carry more digits than a float.
"""
TYPED = 'source = "mpmath at 50 digits, formulas typed in from the paper apart from this package"'
FLOATS = 'source = "formulas typed in from the paper apart from this package: Theorem 1 in mpmath, Theorem 2 in floats"'
COUNTED = 'source = "exact enumeration in fractions, apart from this package"'
THEOREM3 = {  # n, k, delta; eps0; rounds
    "Section 4": ((1_000_000, 1_000, "1e-8"), (1.0, 2.0, 3.0), (100_000,)),
    "Figure 3: 10, 50, 100 and 200 epochs of 6 steps": ((60_000, 10_000, "1e-5"), (1.5,), (60, 300, 600, 1_200)),
    "Figure 6: 10, 50, 100 and 200 epochs of 30 steps": ((60_000, 2_000, "1e-5"), (2.0,), (300, 1_500, 3_000, 6_000)),
}
MOMENTS = ((3, 2, 5, 2), (3, 5, 10, 4))
RATIOS = (
    *((eps0, 1_000_000, 1_000, order) for eps0 in (1.0, 2.0, 3.0) for order in (2, 32, 128)),
    *((1.5, 60_000, 10_000, order) for order in (2, 8, 32)),
    *((2.0, 60_000, 2_000, order) for order in (2, 8, 32)),
)


def theorem3(setting: str) -> Iterator[str]:
    (n, k, delta), local, rounds = THEOREM3[setting]
    yield "[[theorem3]]\n# k of n clients, T rounds: eps at delta by Theorem 1 and Lemma 1, and the best whole order."
    yield f'{TYPED}\nsetting = "{setting}"\nn = {n:_}\nk = {k:_}\ndelta = {delta}\nrows = ['
    for eps0 in local:
        for T in rounds:
            yield f"    {{ eps0 = {eps0}, T = {T:_}, {theorem3_row(eps0, n, k, T, delta)} }},"
    yield "]\n"


def theorem3_row(eps0: float, n: int, k: int, T: int, delta: str) -> str:
    with workdps(50):
        eps, order = theorems.theorem3(eps0, n, k, T, mpf(delta))
        return f'eps = "{nstr(eps, 30, strip_zeros=False)}", order = {order}'


def curves() -> Iterator[str]:
    yield "[figures]\n# Figures 2, 4 and 5 at delta = 1e-8, to six digits: Theorem 1 through Lemma 1, its best order,"
    yield f"# Theorem 2 through Lemma 1 (the red curve).\n{FLOATS}"
    yield 'columns = ["panel", "eps0", "n", "k", "T", "thm1", "order", "thm2"]\nrows = ['
    for panel, n, T in figures.points():
        yield f"    {curves_row(panel, n, T)},"
    yield "]\n"


def curves_row(panel: str, n: int, T: int) -> str:
    eps0, k = figures.PANELS[panel]
    upper, order = figures.best_of_theorem1(eps0, n, k, T)
    red = theorems.red_curve(eps0, n, k, T, figures.DELTA)
    return f'["{panel}", {eps0}, {n:_}, {k:_}, {T:_}, {digits(upper)}, {order}, {digits(red)}]'


def digits(value: float, count: int = 6) -> str:
    return repr(float(f"{float(value):.{count}g}"))


def red() -> Iterator[str]:
    yield f"[section4]\n# Theorem 2 through Lemma 1 in the setting of Section 4, T = 1e5.\n{FLOATS}"
    values = ((eps0, theorems.red_curve(eps0, 10**6, 1000, 10**5, 1e-8)) for eps0 in (1.0, 2.0, 3.0))
    yield "red = { " + ", ".join(f'"{eps0}" = {digits(value, 8)}' for eps0, value in values) + " }\n"


def moments() -> Iterator[str]:
    yield "[thm2_moment]\n# The moment e^{(order - 1) eps(order)} of sampled binary randomized response, as a fraction."
    yield f"{COUNTED}\nrows = ["
    for E, order, n, k in MOMENTS:
        found = enumerated.moment(E, order, n, k)
        yield f'    {{ E = {E}, order = {order}, n = {n}, k = {k}, moment = "{found}" }},'
    yield "]\n"


def over_supremum(eps0: float, order: int, m: int = 1_000) -> mpf:
    """Lemma 7 over ``E |(E^2 - 1)/(m E) (a - m p)|^order`` with a ~ Bin(m, p), p = 1/(E + 1)."""
    with workdps(30):
        E = exp(mpf(eps0))
        p = 1 / (E + 1)
        parts = (
            binomial(m, a) * p**a * (1 - p) ** (m - a) * abs((E**2 - 1) / (m * E) * (a - m * p)) ** order
            for a in range(m + 1)
        )
        return theorems.lemma7(eps0, order, m) / fsum(parts)


def lemma7() -> Iterator[str]:
    found = enumerated.pearson_vajda(7, 3)
    yield f"[lemma7]\n{COUNTED}\n# The Pearson-Vajda divergence of order 3 of binary randomized response, one record."
    yield f'exact = {{ E = 7, m = 1, order = 3, divergence = "{found}" }}'
    yield "# Lemma 7 over the exact supremum at m = 1000, to six digits, in mpmath: order, then eps0 = 1, 2, 3."
    yield "over_supremum = ["
    for order in (3, 8, 32):
        ratios = ", ".join(digits(over_supremum(eps0, order)) for eps0 in (1.0, 2.0, 3.0))
        yield f"    {{ order = {order}, ratio = [{ratios}] }},"
    yield "]\n"


def eq36() -> Iterator[str]:
    E, order = 7, 3
    yield "[eq36]\n# 3-ary randomized response: E_0, its bound (E-1)^order, and line (d)'s (E-1/E)^order."
    yield f"{COUNTED}\nE = {E}\norder = {order}\nE_0 = {enumerated.ternary(E, order)}"
    middle = (E - Fraction(1, E)) ** order
    yield f"corrected = {float((E - 1) ** order)}\nmiddle = {digits(float(middle), 8)}\n"


def ratio(eps0: float, n: int, k: int, order: int) -> float:
    """Theorem 1 over Theorem 2."""
    with workdps(30):
        return float(theorems.Theorem1(eps0, n, k)(order) / theorems.Theorem2(eps0, n, k)(order))


def ratios() -> Iterator[str]:
    yield f"[ratios]\n# Theorem 1 over Theorem 2, to six digits.\n{FLOATS}"
    yield 'columns = ["eps0", "n", "k", "order", "ratio"]\nrows = ['
    for eps0, n, k, order in RATIOS:
        yield f"    [{eps0}, {n:_}, {k:_}, {order}, {digits(ratio(eps0, n, k, order))}],"
    yield "]"


def text() -> str:
    """The file."""
    sections: list[Callable[[], Iterator[str]]] = [curves, red, moments, lemma7, eq36, ratios]
    lines = [HEAD, *(line for setting in THEOREM3 for line in theorem3(setting))]
    return "\n".join([*lines, *(line for section in sections for line in section())]) + "\n"
