"""Where MathJax lies: its one home for the site and for the slides."""

from importlib import metadata
from pathlib import Path

# MathJax 3 in one file, which draws formulas as pictures and so needs no fonts: some browsers keep a page that is
# opened from a file from reading fonts beside it.
MATHJAX = next(
    Path(str(file.locate()))
    for file in metadata.files("sphinx-mathjax-offline") or []
    if file.name == "tex-svg-full.js"
)
