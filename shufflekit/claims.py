"""The ledger: what each paper claims, what the kit found, and the two calls by which a claim is settled.

``data/claims.toml`` holds one entry a claim with the verdict that is expected. ``verify`` and ``refute``
compute a verdict from numbers and raise ``VerdictError`` when it is not the ledger's, so that no verdict can
go stale.

The verdicts: ``holds`` (true, and within 10 % of the truth somewhere on the grid), ``holds, loose`` (true,
nowhere that near), ``typo`` and ``false`` (refuted as printed; a corrected statement is verified instead),
``cited`` (rests on a theorem from elsewhere that is not proved again; checked by example). Of what a training
experiment reaches: ``within margin``, ``not within margin``, ``cannot be told`` (see ``equivalence``).
"""

import html
import math
import numbers
import tomllib
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
from numpy.typing import NDArray

from shufflekit import _validate, equivalence
from shufflekit.equivalence import Difference

RELATIONS = ("<=", "==")
VERDICTS = ("holds", "holds, loose", "typo", "false", "cited", *equivalence.VERDICTS)
TIGHT = 0.9  # a bound counts as tight when it comes this near to the truth somewhere
ROUND_OFF = 1e-10  # what floating-point sides may be off by; exact sides may not
RESTORE = "restore the file, or install shufflekit anew"
COLOURS = {
    "holds": "#2e7d32",
    "holds, loose": "#00838f",
    "typo": "#ef6c00",
    "false": "#c62828",
    "cited": "#5e35b1",
    equivalence.WITHIN: "#1565c0",
    equivalence.NOT_WITHIN: "#ad1457",
    equivalence.CANNOT_TELL: "#616161",
}


class VerdictError(AssertionError):
    """The numbers do not say what the ledger says."""


@dataclass(frozen=True)
class Claim:
    """One entry of the ledger."""

    id: str
    title: str
    statement: str
    notebook: str
    verdict: str
    finding: str = ""
    corrected: str = ""
    decided: str = ""  # what decided it: by which routes, on which grid

    @property
    def paper(self) -> str:
        return self.id.split(":")[0]


@dataclass(frozen=True)
class Settled:
    """What one check found, as a row to read."""

    claim: Claim
    verdict: str
    findings: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        rows = "".join(f"\n  {name}: {text}" for name, text in self.findings)
        return f"{self.claim.id} -- {self.claim.title}: {self.verdict}{rows}"

    def _repr_html_(self) -> str:
        badge = (
            f'<span style="background:{COLOURS[self.verdict]};color:white;padding:1px 8px;border-radius:8px">'
            f"{self.verdict}</span>"
        )
        rows = "".join(
            f'<tr><td style="text-align:left">{html.escape(name)}</td>'
            f'<td style="text-align:left">{html.escape(text)}</td></tr>'
            for name, text in self.findings
        )
        title = f"<b>{html.escape(self.claim.id)}</b> &nbsp;{html.escape(self.claim.title)}"
        return f"<div>{badge} &nbsp;{title}<table>{rows}</table></div>"


def load() -> dict[str, Claim]:
    """All claims of the ledger, by id."""
    here = Path(__file__).parent
    # In an installed package the ledger lies inside it, in a checkout beside it.
    inside, beside = here / "data" / "claims.toml", here.parent / "data" / "claims.toml"
    entries = _entries(inside if inside.exists() else beside)
    claims = {entry["id"]: Claim(**entry) for entry in entries}
    if len(claims) < len(entries):
        raise ValueError("two entries of data/claims.toml share an id")
    for claim in claims.values():
        if claim.verdict not in VERDICTS:
            raise ValueError(f"verdict of {claim.id} must be one of {VERDICTS}, got {claim.verdict!r}")
    return claims


def _entries(path: Path) -> list[dict[str, str]]:
    """The entries of a ledger file: each has the fields of a claim, and all of them are texts."""
    try:
        entries: Any = tomllib.loads(path.read_text(encoding="utf-8")).get("claim")
    except OSError as reason:
        raise OSError(f"cannot read the ledger {path}: {reason.strerror}; {RESTORE}") from reason
    except ValueError as reason:
        raise ValueError(f"the ledger {path} must be TOML: {reason}; {RESTORE}") from reason
    known = {field.name: field.default is MISSING for field in fields(Claim)}
    needed = {name for name, is_needed in known.items() if is_needed}
    for entry in entries if isinstance(entries, list) and entries else [entries]:
        whole = isinstance(entry, dict) and needed <= entry.keys() <= known.keys()
        if not whole or not all(isinstance(text, str) for text in entry.values()):
            allowed = f"must hold entries [[claim]] with the texts {', '.join(known)}"
            raise ValueError(f"the ledger {path} {allowed}, got {entry!r:.60}; {RESTORE}")
    return list(entries)


def verify(
    claim_id: str,
    lhs: Any,
    rhs: Any,
    over: dict[str, Any] | None = None,
    *,
    relation: str = "<=",
    corrected: bool = False,
    decides: Any = True,
) -> Settled:
    """Settle a claim that ``lhs <= rhs`` (or ``lhs == rhs``) at every point of the grid ``over``.

    Exact sides (``Fraction``, ``int``) are compared exactly, others up to a relative ``ROUND_OFF``. With
    ``corrected``, it is the corrected statement that is checked, beside a ``refute`` of the printed one. ``decides``
    says which points decide whether a bound is loose: not those where it is trivial, one client or order 1, say.
    """
    claim, relation = _claim(claim_id), _validate.choice(RELATIONS, relation=relation)
    left, right = np.broadcast_arrays(_points(lhs=lhs), _points(rhs=rhs))
    over = {name: _labels(name, values, len(left)) for name, values in (over or {}).items()}
    holds = [_compare(a, b, relation) for a, b in zip(left, right, strict=True)]
    if not all(holds):
        at = holds.index(False)
        raise VerdictError(
            f"{claim_id}: {_show(left[at])} {relation} {_show(right[at])} fails{_point(over, at, ' at ')}"
        )
    findings, computed = [("checked", f"{len(left):,} points, {relation} at each")], "holds"
    if relation == "<=":
        found, computed = _tightness(left, right, over, decides)
        findings += found
    if corrected:
        if claim.verdict not in ("typo", "false") or not claim.corrected:
            raise VerdictError(f"{claim_id}: the ledger has no corrected statement to verify")
        return Settled(claim, computed, (("corrected", claim.corrected), *findings))
    if claim.verdict == "cited":
        return Settled(claim, "cited", tuple(findings))
    if computed != claim.verdict:
        raise VerdictError(f"{claim_id}: the numbers say {computed!r} ({findings[1:]}), the ledger {claim.verdict!r}")
    return Settled(claim, computed, tuple(findings))


def _tightness(
    left: NDArray[Any], right: NDArray[Any], over: dict[str, list[Any]], decides: Any
) -> tuple[list[tuple[str, str]], str]:
    """How near the bound is to the truth at the points that decide, and the verdict that follows."""
    deciding = np.broadcast_to(np.asarray(decides, dtype=bool).ravel(), len(left))
    sides = zip(left, right, deciding, strict=True)
    # A side of 0 (twice the same data, say) says nothing about how much the bound gives away.
    shares = {i: _share(a, b) for i, (a, b, own) in enumerate(sides) if own and a != 0 and b != 0}
    findings = list(_extremes(shares, over))
    if not deciding.all():
        findings = [("decided by", f"{deciding.sum():,} points that are not degenerate"), *findings]
    return findings, "holds" if max(shares.values(), default=0.0) >= TIGHT else "holds, loose"


def refute(claim_id: str, lhs: Any, rhs: Any, at: dict[str, Any], *, relation: str = "<=") -> Settled:
    """Settle that ``lhs <= rhs`` (or ``==``), as printed, fails at the point ``at``: a counterexample."""
    claim, relation = _claim(claim_id), _validate.choice(RELATIONS, relation=relation)
    (left,), (right,) = _points(lhs=lhs), _points(rhs=rhs)
    if _compare(left, right, relation):
        raise VerdictError(
            f"{claim_id}: {_show(left)} {relation} {_show(right)} holds at {_point(at)}: no counterexample"
        )
    if claim.verdict not in ("typo", "false"):
        raise VerdictError(f"{claim_id}: refuted at {_point(at)}, but the ledger says {claim.verdict!r}")
    finding = f"{_show(left)} {relation} {_show(right)} fails at {_point(at)}"
    return Settled(claim, claim.verdict, (("as printed", finding),))


def compare_runs(claim_id: str, differences: dict[str, Difference]) -> Settled:
    """Settle what a training experiment is said to reach, by how far our runs are from it."""
    claim = _claim(claim_id)
    if not differences:
        raise ValueError("differences must hold at least one, got none")
    computed = equivalence.together(list(differences.values()))
    findings = tuple((name, str(one)) for name, one in differences.items())
    if computed != claim.verdict:
        raise VerdictError(f"{claim_id}: the runs say {computed!r} ({findings}), the ledger {claim.verdict!r}")
    return Settled(claim, computed, findings)


def table(paper: str | None = None) -> str:
    """The ledger as a Markdown table, the notebook of each claim linked."""
    claims = [claim for claim in load().values() if paper in (None, claim.paper)]
    if not claims:
        papers = sorted({claim.paper for claim in load().values()})
        raise ValueError(f"paper must be one of {', '.join(papers)}, got {paper!r}")

    def cell(text: str) -> str:
        return text.replace("|", r"\|")  # a bar would end the cell

    rows = [
        "| claim | what it says | verdict | what we found | what decided it | notebook |",
        "|---|---|---|---|---|---|",
    ]
    for claim in claims:
        link = f"[{claim.notebook.partition('_')[0]}](notebooks/{claim.notebook}.ipynb)"
        texts = (claim.title, f"**{claim.verdict}**", claim.finding, claim.decided)
        rows.append(f"| `{claim.id}` | {' | '.join(map(cell, texts))} | {link} |")
    return "\n".join(rows)


def _claim(claim_id: str) -> Claim:
    claims = load()
    if claim_id not in claims:
        raise ValueError(f"claim_id must be an id of data/claims.toml, got {claim_id!r}")
    return claims[claim_id]


def _points(**named: Any) -> NDArray[Any]:
    ((name, side),) = named.items()
    values = np.array(side, dtype=object).ravel()
    values[:] = [value.item() if isinstance(value, np.ndarray) else value for value in values]
    if values.size == 0:
        raise ValueError(f"{name} must hold at least one number, got none")
    for value in values:
        real = isinstance(value, numbers.Real) and not isinstance(value, bool)
        if not real:
            raise TypeError(f"{name} must hold real numbers, got {value!r}")
        # An infinite bound would bound anything: a check that cannot fail is none.
        if not (-math.inf < value < math.inf or (name == "lhs" and value > 0)):
            raise ValueError(f"{name} must hold finite numbers, got {value!r}")
    return values


def _labels(name: str, values: Any, count: int) -> list[Any]:
    labels = list(values.ravel() if isinstance(values, np.ndarray) else values)
    if len(labels) != count:
        raise ValueError(f"over[{name!r}] must hold one value a point, {count:,} in all, got {len(labels):,}")
    return labels


def _exact(value: Any) -> bool:
    return isinstance(value, numbers.Rational)


def _compare(a: Any, b: Any, relation: str) -> bool:
    if a == math.inf:
        return False
    slack: Any = 0  # a whole number: adding 0.0 would turn exact sides into floats
    if not (_exact(a) and _exact(b)):
        a, b = (mpmath.mpmathify(x) if isinstance(x, Fraction) else x for x in (a, b))
        slack = ROUND_OFF * max(abs(a), abs(b))
    return bool(a <= b + slack) if relation == "<=" else bool(abs(a - b) <= slack)


def _share(a: Any, b: Any) -> float:
    """How much of the bound is used: 1 when the sides are equal, whatever their sign."""
    return float(min(a / b, b / a))


def _extremes(shares: dict[int, float], over: dict[str, list[Any]]) -> Iterator[tuple[str, str]]:
    """Where the most of the bound is used, and where the least, in words."""
    for name, pick in (("closest", max), ("loosest", min)) if shares else ():
        at = pick(shares, key=lambda i: shares[i])
        yield name, f"{_percent(shares[at])} of the bound{_point(over, at, ' at ')}"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"


def _show(value: Any) -> str:
    inexact = isinstance(value, numbers.Real) and not _exact(value)
    return f"{float(value):.6g}" if inexact else str(value)


def _point(over: dict[str, Any], index: int | None = None, lead: str = "") -> str:
    values = over.items() if index is None else ((name, labels[index]) for name, labels in over.items())
    point = ", ".join(f"{name} = {_show(value)}" for name, value in values)
    return lead + point if point else ""
