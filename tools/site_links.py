"""An extension of Sphinx: `[girgis2021]`, `[beyond] 3` and "notebook 9" become links, and a cell has an address."""

import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

KEY = r"[a-z]+\d{4}[a-z]*|beyond"
ANCHOR = "anchor"  # in the metadata of a code cell: its address on the page
REFERENCE = "ref-"  # before the address of an entry of the references
NUMBER = r"\d{1,2}[a-z]?"
ASIDE = r"\s\([^()]*\)"  # what a notebook is needed for
AND = r"(?:,?\s(?:and|to|or)|,)\s"
MENTION = re.compile(
    rf"\[(?P<key>{KEY})\](?: (?P<own>\d+)\b)?"
    rf"|\b[Nn]otebooks\s(?P<many>{NUMBER}\b(?:(?:{ASIDE})?{AND}{NUMBER}\b)*)"
    rf"|\b[Nn]otebook\s(?P<one>{NUMBER}\b(?:{ASIDE}{AND}{NUMBER}\b)*)"
)
# Where a link would be inside another one, or would change what is printed to be typed.
LEFT_ALONE = (nodes.reference, nodes.literal, nodes.literal_block, nodes.title, nodes.raw, nodes.math, nodes.math_block)


def slug(heading: str) -> str:
    """The address of a heading: its words with hyphens between them, formulas left out."""
    words = re.sub(r"\$[^$]*\$", "", heading)
    return re.sub(r"[^\w.]+", "-", words).strip("-.")


def claim_anchor(claim: str) -> str:
    """The address of a claim on the ledger's page."""
    return "claim-" + claim.replace(":", "-")


def mentions(text: str, pages: Mapping[str, str], keys: set[str]) -> Iterator[tuple[str, str]]:
    """The text in pieces, each with the page and address that it leads to, or with nothing.

    `pages` maps a number such as 9 or 9b to a page, and `keys` are the tags that have an entry.
    """
    done = 0
    for match in MENTION.finditer(text):
        for piece, start, end in _targets(match, pages, keys):
            yield text[done:start], ""
            yield text[start:end], piece
            done = end
    yield text[done:], ""


def _targets(match: re.Match[str], pages: Mapping[str, str], keys: set[str]) -> Iterator[tuple[str, int, int]]:
    """Where the parts of a mention lead, and where they begin and end."""
    if match["key"]:
        own = match["key"] == "beyond" and match["own"]
        if own:
            yield f"ledger#{claim_anchor(f'beyond:{own}')}", *match.span()
        elif match["key"] in keys:
            yield f"references#{REFERENCE}{match['key']}", match.start(), match.end("key") + 1
        return
    group = "many" if match["many"] else "one"
    for number in re.finditer(rf"(?<![\w.]){NUMBER}\b", re.sub(r"\([^()]*\)", _blank, match[group])):
        page = pages.get(number[0].lstrip("0") or "0")
        if page:
            first = group == "one" and number.start() == 0
            start = match.start() if first else match.start(group) + number.start()
            yield page, start, match.start(group) + number.end()


def _blank(match: re.Match[str]) -> str:
    """As many blanks: a number in brackets is no notebook's."""
    return " " * len(match[0])


def link_mentions(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Turn the mentions in the running text of a page into links."""
    for text in list(doctree.findall(nodes.Text)):
        own_name = docname == "references" and isinstance(text.parent, nodes.strong)
        if own_name or any(isinstance(above, LEFT_ALONE) for above in _above(text)):
            continue
        pieces = list(mentions(str(text), app.config.course_pages, app.config.course_keys))
        if len(pieces) > 1:
            text.parent.replace(text, [_piece(app, docname, *piece) for piece in pieces])


def _above(node: nodes.Node) -> Iterator[nodes.Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def _piece(app: Sphinx, docname: str, words: str, target: str) -> nodes.Node:
    page, _, anchor = target.partition("#")
    if not target or (page == docname and not anchor):
        return nodes.Text(words)
    address = app.builder.get_relative_uri(docname, page) + (f"#{anchor}" if anchor else "")
    return nodes.reference("", words, internal=True, refuri=address)


def find_targets(app: Sphinx) -> None:
    """The pages of the notebooks by their numbers, and the tags of the references."""
    found = sorted(Path(app.srcdir).glob("notebooks/*.ipynb"))
    numbered = {path.stem.split("_")[0].lstrip("0") or "0": f"notebooks/{path.stem}" for path in found}
    references = (Path(app.srcdir) / "references.md").read_text(encoding="utf-8")
    app.config.course_pages = numbered
    app.config.course_keys = set(re.findall(rf'id="{REFERENCE}(\w+)"', references))


def address_cells(_app: Sphinx, doctree: nodes.document) -> None:
    """Give each code cell the address that its copy was marked with."""
    for cell in doctree.findall(nodes.container):
        anchor: Any = cell.get("cell_metadata", {}).get(ANCHOR)
        if anchor:
            cell["ids"].append(anchor)


def setup(app: Sphinx) -> ExtensionMetadata:
    """Called by Sphinx. All pages are read again when a notebook comes or goes, or this file changes."""
    app.add_config_value("course_pages", {}, "env")
    app.add_config_value("course_keys", set(), "env")
    app.connect("config-inited", lambda app, _config: find_targets(app))
    app.connect("doctree-read", address_cells)
    app.connect("doctree-resolved", link_mentions)
    code = zlib.crc32(Path(__file__).read_bytes())
    return {"parallel_read_safe": True, "parallel_write_safe": True, "env_version": code}
