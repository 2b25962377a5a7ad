"""What all settings came to: a line for each that is not as it should be, and a table."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tools.fuzz.asking import PATIENCE
from tools.fuzz.judging import RTOL, Verdict

SECONDS, MOST_SECONDS, MEGABYTES, KEPT = 2.0, 10.0, 500.0, 50.0
FEW = 0.01  # of all settings may be wide, and as many slow or large
WARNING = "WideAnswer"  # says that an answer is wider than was asked for
HEAD = (
    f"{'':28}{'':15}{'asked':>6}{'seconds':>9}{'99 %':>7}{'most':>7}{'MB':>6}{'99 %':>6}{'most':>6}{'kept':>6}"
    f"{'slow':>6}{'none':>6}{'wide':>6}{'silent':>8}{'wrong':>7}{'known':>7}"
)


def none(one: Verdict) -> bool:
    """Whether there was no answer, which is a slow one or an exception."""
    return one["ends"] is None


def late(one: Verdict) -> bool:
    return none(one) and one["error"].startswith("no answer within")


def slow(one: Verdict) -> bool:
    return late(one) or one["seconds"] > SECONDS


def wide(one: Verdict) -> bool:
    return one["width"] > RTOL


def silent(one: Verdict) -> bool:
    """Wide, and not a word of it."""
    return wide(one) and WARNING not in one["warned"]


def findings(one: Verdict) -> Iterator[str]:
    """What is to be mended, the worst first."""
    yield from (f"wrong: {fault}" for fault in one["wrong"])
    if none(one):
        yield "none: " + one["error"]
    if wide(one):
        ends = ", ".join(f"{name} [{low!r}, {high!r}]" for name, (low, high) in one["parts"].items())
        yield f"wide {'without a warning' if silent(one) else 'with a warning'}: {one['width']:.2g}, {ends}"
    if slow(one):
        yield f"slow: {one['seconds']:.2f} s"
    if one["megabytes"] > MEGABYTES:
        yield f"large: {one['megabytes']:.0f} MB"
    if one["kept"] > KEPT:
        yield f"keeps: {one['kept']:.0f} MB after another question"


def lines(number: int, one: Verdict) -> Iterator[str]:
    """A setting's findings, each on a line."""
    yield from (f"{number}: {finding} | {one['asked']}" for finding in findings(one))


def table(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Per kind and question, then all."""
    yield HEAD
    for kind in sorted({one["kind"] for one in verdicts}):
        mine = [one for one in verdicts if one["kind"] == kind]
        for question in sorted({one["question"] for one in mine}):
            yield _row(kind, question, [one for one in mine if one["question"] == question])
    for rounds in sorted({one["rounds"] for one in verdicts}):
        yield _row("all", rounds, [one for one in verdicts if one["rounds"] == rounds])
    yield _row("all", "", verdicts)


def _row(kind: str, what: str, mine: Sequence[Verdict]) -> str:
    seconds, megabytes = (np.quantile([one[key] for one in mine], [0.5, 0.99, 1]) for key in ("seconds", "megabytes"))
    counts = [sum(bool(is_so(one)) for one in mine) for is_so in (slow, none, wide, silent)]
    wrong, known = (sum(bool(one[key]) for one in mine) for key in ("wrong", "references"))
    return (
        f"{kind:28}{what:15}{len(mine):6,}{seconds[0]:9.2f}{seconds[1]:7.2f}{seconds[2]:7.2f}{megabytes[0]:6.0f}"
        f"{megabytes[1]:6.0f}{megabytes[2]:6.0f}{max(one['kept'] for one in mine):6.0f}{counts[0]:6,}{counts[1]:6,}"
        f"{counts[2]:6,}{counts[3]:8,}{wrong:7,}{known:7,}"
    )


def summary(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """What the columns are, how many had a reference, and what a process keeps that is asked again and again."""
    yield (
        f"slow: above {SECONDS:g} s of CPU or not within {PATIENCE:g} s; none: no answer; wide: a pair's ends more "
        f"than {RTOL:g} apart, relative; silent: without a {WARNING}; known: held against a reference"
    )
    names = [name for one in verdicts for name in one["references"]]
    yield "references: " + ", ".join(f"{name} {names.count(name):,}" for name in sorted(set(names)))
    young, old = (
        [one["resident"] for one in verdicts if low <= one["age"] < high] for low, high in ((5, 25), (150, 200))
    )
    if young and old:
        held = f"{np.median(young):.0f} MB after 5 to 25 questions, {np.median(old):.0f} after 150 to 200"
        yield f"a process holds {held}"


def broken(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """The promises that are not kept."""
    counts: dict[str, Any] = {
        "wrong": sum(bool(one["wrong"]) for one in verdicts),
        "exceptions": sum(none(one) and not late(one) for one in verdicts),
        "wide without a warning": sum(map(silent, verdicts)),
        f"above {MOST_SECONDS:g} s": sum(late(one) or one["seconds"] > MOST_SECONDS for one in verdicts),
    }
    yield from (f"{count:,} {name}" for name, count in counts.items() if count)
    shares = {
        "wide": np.mean([wide(one) for one in verdicts]),
        f"above {SECONDS:g} s": np.mean([slow(one) for one in verdicts]),
        f"above {MEGABYTES:g} MB": np.mean([one["megabytes"] > MEGABYTES for one in verdicts]),
    }
    yield from (f"{share:.1%} {name}, at most {FEW:.0%} may be" for name, share in shares.items() if share > FEW)
