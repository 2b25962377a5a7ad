"""Write the ledger's table into README.md, between its two markers.

python tools/ledger.py
"""

from pathlib import Path

from markers import filled

from shufflekit import claims

README = Path(__file__).resolve().parents[1] / "README.md"


def main() -> None:
    README.write_text(filled(README, "ledger", claims.table()), encoding="utf-8")


if __name__ == "__main__":
    main()
