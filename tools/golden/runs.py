"""tests/golden/composed.toml: eps of many rounds, from atoms that no grid has touched."""

from tools.golden import composed

SAMPLED = (1_000, 1_000_000)  # k of n
CROWD = (4.0, 10_000)
ROUNDS, DELTA = 100_000, 1e-8
START = 0.01  # an eps below all of the clones'
HEAD = """\
# Reference numbers for rounds that are composed, made by `python -m tools.golden.write`, which shares no code with the
# package. The atoms of one round are listed one by one, and nothing is put on a grid.
"""


def two_rounds(delta: float) -> float:
    """Two rounds of the clones of 10,000 clients, eps0 = 4."""
    eps0, n = CROWD
    return composed.epsilon(composed.two_rounds(composed.clones(eps0, n, n)), delta, START)


def attack(eps0: float) -> float:
    """The rounds of Section 4 of [girgis2021], binary randomized response: the larger of both ways."""
    law = composed.randomized_response(eps0, *SAMPLED)
    return max(composed.epsilon(composed.many_rounds(one, ROUNDS), DELTA) for one in (law, law.reversed()))


def clones(eps0: float) -> float:
    """The same rounds, the clone pair, whose two ways are the same."""
    law = composed.clones(eps0, *SAMPLED)
    return composed.epsilon(composed.many_rounds(law, ROUNDS), DELTA, START)


def text() -> str:
    """The file."""
    k, n = SAMPLED
    lines = [HEAD, "[two_rounds]", 'source = "a direct double sum over the atoms of both rounds: the clone pair"']
    lines += [f"eps0 = {CROWD[0]}", f"n = {CROWD[1]:_}", "rows = ["]
    lines += [f"    {{ delta = {delta}, eps = {two_rounds(delta):.8g} }}," for delta in (1e-6, 1e-10, 1e-20)]
    lines += ["]"]
    for name, eps_of, pair in (
        ("attack", attack, "binary randomized response, all others equal"),
        ("clones", clones, "the clone pair"),
    ):
        lines += ["", f"[{name}]", f'source = "a contour integral through the saddle point: {pair}"']
        lines += [f"k = {k:_}", f"n = {n:_}", f"rounds = {ROUNDS:_}", f"delta = {DELTA}", "rows = ["]
        lines += [f"    {{ eps0 = {eps0}, eps = {eps_of(eps0):.8g} }}," for eps0 in (1.0, 2.0, 3.0)]
        lines += ["]"]
    return "\n".join(lines) + "\n"
