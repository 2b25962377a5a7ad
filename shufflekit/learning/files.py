"""Files that are either whole or not there, and a progress bar for what takes long."""

import contextlib
import hashlib
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
        kept = "what was there before is whole" if os.path.exists(path) else "nothing was written"
        raise OSError(f"cannot write {path}: {reason.strerror or reason}; {kept}") from reason
    finally:
        # Also after an interrupt. What cannot be removed could not be written either, and has been reported on.
        with contextlib.suppress(OSError):
            unfinished.unlink()


def write_sealed(path: Path, content: bytes) -> None:
    """Write a file as ``write`` does, under its SHA-256, so that ``read_sealed`` can tell whether it was harmed."""
    write(path, hashlib.sha256(content).digest() + content)


def read_sealed(path: Path) -> bytes:
    """The content that ``write_sealed`` was given, every bit of it, or an ``OSError`` in words."""
    try:
        sealed = path.read_bytes()
    except OSError as reason:
        raise OSError(f"cannot read {path}: {reason.strerror or reason}") from reason
    size = hashlib.sha256().digest_size
    seal, content = sealed[:size], sealed[size:]
    if hashlib.sha256(content).digest() != seal:
        raise OSError(f"{path} was cut off or changed after it was written: remove it to begin anew")
    return content


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
