"""``python -m shufflekit``, which is what the command ``shufflekit`` runs: Ctrl-C ends it in words, early or late."""

import contextlib
import os
import signal
import sys
from typing import Any, NoReturn


def main() -> int:
    """The command line; its exit code is 130 if Ctrl-C ended it."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, in the background
        signal.signal(signal.SIGINT, _stopped)
    try:
        from shufflekit import cli  # here, because most of the time goes into it
    except (ImportError, MemoryError) as reason:
        _tell(f"cannot be loaded: {str(reason) or 'there is not enough memory'}")
        return 2
    return cli.main()


def _stopped(*_: Any) -> NoReturn:
    """At once: a KeyboardInterrupt may come up anywhere, at Python's own exit too, and the next one on its way."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _tell("stopped")
    os._exit(130)


def _tell(reason: str) -> None:
    # Where standard error is closed, full or being written to, nobody can be told.
    with contextlib.suppress(AttributeError, OSError, RuntimeError):
        sys.stderr.write(f"shufflekit: {reason}\n")


if __name__ == "__main__":
    sys.exit(main())
