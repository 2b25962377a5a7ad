"""The part of a Markdown file that a tool writes: what stands between two markers."""

from pathlib import Path


def filled(path: Path, name: str, part: str) -> str:
    """The text of the file with ``part`` between the markers of this name, whatever was there before."""
    text = path.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if not (text.count(begin) == text.count(end) == 1 and text.index(begin) < text.index(end)):
        raise ValueError(f"{path.name} must hold {begin} and, after it, {end}, once each")
    before, rest = text.split(begin)
    return f"{before}{begin}\n{part}\n{end}{rest.split(end)[1]}"
