"""tests/golden/girgis2021_figures.json: the curves of Figures 2, 4 and 5 of [girgis2021] at delta = 1e-8."""

import json
from collections.abc import Iterator

from mpmath import mpf, workdps

from tools.golden import comparisons, composed, theorems

DELTA = 1e-8
PANELS = {  # eps0 and k
    "2a": (2.0, 1_000),
    "2b": (2.0, 10_000),
    "4a": (1.0, 1_000),
    "4b": (1.0, 10_000),
    "5a": (3.0, 1_000),
    "5b": (3.0, 1_000),
    "2c": (2.0, 1_000),
    "4c": (1.0, 10_000),
    "5c": (3.0, 1_000),
}
SOURCE = (
    "python -m tools.golden.write, which shares no code with the package: formulas typed in from the papers, Theorem 1 "
    "in mpmath, the exact law of randomized response by a contour integral; to six digits"
)
COLUMNS = (
    "panel",
    "n",
    "T",
    "Theorem 1",
    "Theorem 2 by Lemma 1",
    "[29]+[43]",
    "[29]+[43], weak",
    "[24]+[34]",
    "[24]+[34], closed",
    "(eps0,0)+[34]",
    "attack",
)


def points() -> Iterator[tuple[str, int, int]]:
    """Panel, n and T: the rounds vary in a and b, the clients in c."""
    for panel in PANELS:
        if panel.endswith("c"):
            yield from ((panel, 10**digits, 10**5) for digits in (5, 6, 7, 8))
        else:
            n = 10**6 if panel.endswith("a") else 10**7
            yield from ((panel, n, 10**digits) for digits in (2, 3, 4, 5))


def best_of_theorem1(eps0: float, n: int, k: int, rounds: int) -> tuple[mpf, int]:
    """Theorem 3's eps and its order."""
    with workdps(50):
        return theorems.theorem3(eps0, n, k, rounds, mpf("1e-8"))


def row(panel: str, n: int, rounds: int) -> list[str | int | float | None]:
    """One point of a panel, every curve to six digits; a curve has a gap where its theorem does not apply."""
    eps0, k = PANELS[panel]
    point, part = (eps0, n, k, rounds), comparisons.share(n, k, rounds, DELTA)
    closed = comparisons.closed_form(part, eps0, k)
    law = composed.randomized_response(eps0, k, n)
    values = (
        float(best_of_theorem1(*point)[0]),
        theorems.red_curve(*point, DELTA),
        comparisons.renyi(*point, DELTA),
        comparisons.renyi(*point, DELTA, weak=True),
        comparisons.strong(comparisons.amplified(part, eps0, k), n, k, rounds, DELTA / 2),
        None if closed is None else comparisons.strong(closed, n, k, rounds, DELTA / 2),
        comparisons.strong(eps0, n, k, rounds, DELTA),
        max(composed.epsilon(composed.many_rounds(one, rounds), DELTA) for one in (law, law.reversed())),
    )
    return [panel, n, rounds, *(None if value is None else float(f"{value:.6g}") for value in values)]


def text() -> str:
    """The file."""
    rows = ",\n".join(f"    {json.dumps(row(*point))}" for point in points())
    head = f'{{\n  "source": {json.dumps(SOURCE)},\n  "columns": {json.dumps(COLUMNS)},\n'
    return f'{head}  "rows": [\n{rows}\n  ]\n}}\n'
