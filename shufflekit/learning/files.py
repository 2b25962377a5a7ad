"""Files that are either whole or not there, and a progress bar for what takes long."""

import os
import sys
import time
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens meanwhile, its name stands for the old content or the new, both whole."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as reason:
        kept = "what was there before is whole" if path.exists() else "nothing was written"
        raise OSError(f"cannot write {path}: {reason.strerror}; {kept}") from reason
    finally:
        # also after an interrupt; a file that cannot be removed either has been reported on above
        if os.access(unfinished, os.F_OK):
            unfinished.unlink()


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
        bar = "#" * (40 * done // self.total)
        line = f"[{bar:40}] {done:,} of {self.total:,}, {left:.0f} s left  {note}"
        print(f"\r{line:100}", end="\n" if done == self.total else "", file=sys.stderr, flush=True)
