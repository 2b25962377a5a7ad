"""Write the ledger's table into README.md, between its two markers.

python tools/ledger.py
"""

from pathlib import Path

from shufflekit import claims

README = Path(__file__).resolve().parents[1] / "README.md"
BEGIN, END = "<!-- ledger:begin -->", "<!-- ledger:end -->"


def with_table(text: str, table: str) -> str:
    """The text with the table between the markers, whatever was there before."""
    if not (text.count(BEGIN) == text.count(END) == 1 and text.index(BEGIN) < text.index(END)):
        raise ValueError(f"README.md must hold {BEGIN} and, after it, {END}, once each")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.split(END)[1]}"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    README.write_text(with_table(text, claims.table()), encoding="utf-8")


if __name__ == "__main__":
    main()
