"""Files that are either whole or not there."""

import contextlib
import hashlib
import os
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
