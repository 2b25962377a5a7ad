"""A progress bar for what takes long."""

import os
import sys
import time


class Bar:
    """A progress bar on stderr, with the time left, and a note."""

    def __init__(self, total: int, done: int = 0) -> None:
        self.total, self._from, self._start, self._shown = total, done, time.monotonic(), -1.0

    def show(self, done: int, note: str = "") -> None:
        """Draw the bar anew, at most ten times a second, and at the end."""
        now = time.monotonic()
        if now - self._shown < 0.1 and done < self.total:
            return
        self._shown = now
        left = (now - self._start) * (self.total - done) / max(done - self._from, 1)
        text, width = f"{done:,} of {self.total:,}, {left:.0f} s left  {note}", _width()
        cells = max(1, min(40, width - len(text) - 3))
        bar = "#" * (cells * done // self.total)
        line = f"[{bar:{cells}}] {text}"[:width]
        print(f"\r{line:{width}}", end="\n" if done == self.total else "", file=sys.stderr, flush=True)


def _width() -> int:
    """The room for a line; one that wraps could not be drawn over."""
    columns = os.get_terminal_size(sys.stderr.fileno()).columns if sys.stderr.isatty() else 0
    return columns - 1 if columns > 1 else 110
