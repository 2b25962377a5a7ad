"""The ledger as pages of the course: from a claim to the cell that settles it, and lists and tables in Markdown."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from shufflekit import claims
from shufflekit.claims import Claim

PAPERS = {
    "girgis2021": "Girgis et al. 2021",
    "koskela2023": "Koskela et al. 2023",
    "balle2020": "Balle et al. 2020",
    "liew2022": "Liew et al. 2022",
    "beyond": "beyond the papers",
}
OWN = "beyond"  # [beyond] 17 is a false friend of our own
# By hand: what is surprising, and why it matters.
SURPRISING = {
    "girgis2021:open": "The question the paper leaves open has an answer.",
    "girgis2021:lower-curve": "What is drawn as reached by an attack is not.",
    "girgis2021:fig2": "The headline is won against a weakened rival.",
    "girgis2021:fig3-printed": "What the text describes hardly learns.",
    "girgis2021:fig3-rival": "With its privacy goes the advantage in accuracy.",
    "girgis2021:table1": "No network fits the table that describes it.",
    "koskela2023:eq4.2": "It is called a bound, and used as one.",
    "koskela2023:section5": "Said to be impossible; it takes one line.",
    "koskela2023:lemma8": "Right, although the proof it cites is not.",
    "balle2020:thm3.2-proof": "Copied from the proof, it promises too much.",
    "balle2020:thm4.3-delta0": "The case of Gaussian noise has no proof.",
    "liew2022:quoted": "The paper's own formula does not give its number.",
    f"{OWN}:17": "Our own: it looked right, and a careless test passed.",
}
CALL = re.compile(r'claims\.(?:verify|refute|compare_runs)\(\s*"([^"]+)"')
Off = Mapping[str, tuple[str, Any, Any]]


class Pages:
    """The entries of the ledger, and the cells of a folder's notebooks that settle them."""

    def __init__(self, folder: Path) -> None:
        self.ledger = claims.load()
        self._places: dict[tuple[str, str], list[tuple[str, str]]] = {}  # heading and code
        for path in sorted(folder.glob("*.ipynb")):
            heading = path.stem
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
                text = "".join(cell["source"])
                if cell["cell_type"] == "markdown":
                    heading = [heading, *re.findall("^##+ (.+)$", text, re.MULTILINE)][-1]
                else:
                    for name in CALL.findall(text):
                        self._places.setdefault((path.stem, name), []).append((heading, text))

    def found_in(self, claim: Claim) -> list[tuple[str, str]]:
        """Headings and cells, in the order of the notebook."""
        return self._places.get((claim.notebook, claim.id), [])

    def waiting(self) -> list[Claim]:
        """Those that no cell settles."""
        return [claim for claim in self.ledger.values() if not self.found_in(claim)]

    def link(self, claim: Claim) -> str:
        """To the section of the cell."""
        if not self.found_in(claim):
            return f"notebook {claim.notebook[:2]}, not here yet"
        heading = self.found_in(claim)[0][0]
        anchor = quote(heading.replace(" ", "-"), safe="?/:@!$&'()*+,;=")
        anchor = anchor.replace("$", "&#36;")  # a dollar would start a formula
        return f"[{heading}]({claim.notebook}.ipynb#{anchor})"

    def look_up(self, claim_id: str) -> str:
        """An entry, and the code that settles it."""
        claim = self.ledger[claim_id]
        said = {"The paper": claim.statement, "Found": claim.finding}
        said |= {"Right": claim.corrected, "By": claim.decided, "In": self.link(claim)}
        lines = [f"**{claim.title}: {claim.verdict}**"]
        lines += [f"*{name}:* {text}" for name, text in said.items() if text]
        lines += [f"```python\n{code}\n```" for _, code in self.found_in(claim)[:1]]
        return "\n\n".join(lines)

    def count(self, paper: str, verdict: str) -> int:
        return sum((claim.paper, claim.verdict) == (paper, verdict) for claim in self.ledger.values())

    def counts(self) -> str:
        """A table: by paper and verdict, and which share is wrong as printed."""
        rows = []
        for paper, name in PAPERS.items():
            row = [self.count(paper, verdict) for verdict in claims.VERDICTS]
            wrong = self.count(paper, "typo") + self.count(paper, "false")
            rows.append([name, *row, sum(row), f"{100 * wrong / max(sum(row), 1):.0f} %"])
        return _table(["", *claims.VERDICTS, "all", "typo or false"], rows)

    def items(self, chosen: Iterable[Claim]) -> str:
        """A list: what is said, the verdict, the finding."""
        texts = (f"`{one.id}` **{one.title}: {one.verdict}.** {one.finding} {self.link(one)}" for one in chosen)
        return "\n".join(f"* {text}" for text in texts)

    def surprises(self) -> str:
        """The list that was made by hand."""
        lines = []
        for name, why in SURPRISING.items():
            claim = self.ledger[name]
            lines.append(f"* `{name}` **{claim.title}: {claim.verdict}.** {why}")
            lines.append(f"  *Found:* {claim.finding} {self.link(claim)}")
        return "\n".join(lines)

    def entries(self, chosen: Iterable[Claim]) -> str:
        """A table: all that an entry says."""
        rows = []
        for claim in chosen:
            right = f" *Right:* {claim.corrected}" if claim.corrected else ""
            texts = [text.replace("|", r"\|") for text in (claim.title, claim.finding + right)]
            rows.append([f"`{claim.id}`", texts[0], f"**{claim.verdict}**", texts[1], self.link(claim)])
        return _table(["claim", "what it says", "verdict", "what we found", "shown in"], rows)

    def off(self, found: Off) -> str:
        """A table: printed and right values of claims, by kind."""
        rows = []
        for name, (kind, wrong, right) in found.items():
            claim = self.ledger[name]
            values = [f"{float(one):.4g}" for one in (wrong, right)]
            rows.append([f"`{name}`", kind, *values, claim.verdict, self.link(claim)])
        return _table(["claim", "of", "printed", "right", "verdict", "shown in"], rows)


def ask(settle: Callable[..., Any], claim_id: str, *numbers: Any, **where: Any) -> None:
    """Settle a claim, or say why it was refused."""
    try:
        print(settle(claim_id, *numbers, **where))
    except claims.VerdictError as refusal:
        print("refused:", refusal)


def _table(head: list[str], rows: list[list[Any]]) -> str:
    lines = [f"| {' | '.join(map(str, row))} |" for row in (head, *rows)]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])
