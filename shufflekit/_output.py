"""Standard output that cannot be written: a full disk, or a reader that has gone."""

import os
import sys


def finish() -> None:
    """Write out what was printed, now: at its exit, where Python does it, an error could not be caught."""
    if sys.stdout is None:  # closed before Python started
        return
    try:
        sys.stdout.flush()
    except OSError:
        # What is left goes nowhere, or Python would try again at its exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
        raise
