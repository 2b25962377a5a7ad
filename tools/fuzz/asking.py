"""Ask one question in this process, and measure it: seconds, memory, warnings. (Linux: memory is read in /proc.)"""

import ctypes
import gc
import os
import pickle
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from shufflekit import Shuffle
from shufflekit.bracket import Bracket
from shufflekit.protocols.run import Questions
from tools.fuzz.settings import NAMES, Setting

PATIENCE = 20.0  # CPU seconds, after which an answer is not waited for
LOOK = 10.0  # the same for a look at how large the guarantee is
ROUGH = 0.03  # its tolerance


class Failed(Exception):
    """What was to be worked out raised an exception, which is told in words."""


class Answer(NamedTuple):
    """What a question came to; ``error`` says why there are no ends. MB are those above what was there before."""

    ends: tuple[float, float] | None
    seconds: float
    megabytes: float
    kept: float
    warned: list[str]
    error: str


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in the block once it has computed for so long."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def aside(work: Callable[[], Any], seconds: float) -> Any:
    """What a copy of this process makes of it. What the copy caches and allocates is gone with it: the next question
    finds nothing done beforehand.

    Raises:
        TimeoutError: if the copy computes for longer.
        Failed: if it comes to an exception.
    """
    read, write = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads: the copy uses none of them
        child = os.fork()
    if child == 0:
        _answer(work, seconds, write)
    os.close(write)
    with open(read, "rb") as pipe:
        told = pipe.read()
    os.waitpid(child, 0)
    if not told:
        raise TimeoutError
    found, error = pickle.loads(told)
    if error:
        raise Failed(error)
    return found


def _answer(work: Callable[[], Any], seconds: float, write: int) -> NoReturn:
    """In the copy: what comes of it, or why nothing does; the kernel ends what takes too long."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        told = pickle.dumps((work(), ""))
    except Exception as reason:
        told = pickle.dumps((None, in_words(reason)))
    with open(write, "wb") as pipe:
        pipe.write(told)
    os._exit(0)


def in_words(reason: Exception) -> str:
    return f"{type(reason).__name__}: {reason}"[:500]


def run_of(setting: Setting) -> Questions:
    run: Questions = eval(setting.run, dict(NAMES))
    return run


def eps_of(setting: Setting) -> float:
    """The eps at which delta is asked: so many times the guarantee at the setting's delta, or 1 if that takes long."""
    try:
        found = aside(lambda: run_of(setting).guarantee(setting.delta, rtol=ROUGH).upper, LOOK)
    except (TimeoutError, Failed):
        found = 0.0
    return float(f"{setting.share * found:.6g}") if 0 < found < float("inf") else setting.share


def text_of(setting: Setting, eps: float) -> str:
    """The question, as it is typed."""
    asked = {"delta": f"delta({eps})", "rdp": f"rdp({setting.order})"}
    return f"({setting.run}).{asked.get(setting.question, f'{setting.question}({setting.delta})')}"


def ask(text: str) -> Answer:
    """The question's answer. What it keeps is measured after another, cheap call, which may take its place."""
    _give_back()
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew
    before, start, ends, error = memory("VmRSS"), time.process_time(), None, ""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            with at_most(PATIENCE):
                found = eval(text, dict(NAMES))
            ends = (found.lower, found.upper) if isinstance(found, Bracket) else (float(found), float(found))
        except TimeoutError:
            error = f"no answer within {PATIENCE:g} s"
        except Exception as reason:
            error = in_words(reason)
    seconds, peak = time.process_time() - start, memory("VmHWM")
    found = None
    _ = Shuffle(eps0=1.0, n=10).guarantee(delta=1e-3)
    _give_back()
    kinds = [one.category.__name__ for one in warned]
    return Answer(ends, seconds, peak - before, memory("VmRSS") - before, kinds, error)


def _give_back() -> None:
    """What is free, so that it is neither taken for what is kept, nor used again unseen."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def memory(name: str) -> float:
    """MB of this process: ``VmRSS`` now, ``VmHWM`` at most."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) / 1024
