"""Processes that judge one setting after the other: each asks many, so that what they keep shows, and may die."""

import multiprocessing
import os
import resource
from collections.abc import Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from tools.fuzz.asking import ask
from tools.fuzz.judging import Verdict, judged
from tools.fuzz.settings import draw_setting

LIFE = 200  # settings, after which a fresh process takes the place of one
MOST_BYTES = 6 * 2**30  # a question that needs more fails, and the machine does not
# What is loaded when it is first needed is not charged to whoever needs it first.
WARM_UP = (
    "(Shuffle(1.0, 10) * 20).epsilon(1e-3)",
    "Shuffle(1.0, 10).rdp(2.5)",
    "Shuffle(randomizer=HadamardResponse(4, 1.0), n=10).delta(0.1)",
    "(RandomCheckIn(1.0, 4, 4) + GaussianShuffle(1.0, 10)).guarantee(1e-3)",
    "DistributedCheckIn(1.0, 10, 0.5).attack_epsilon(1e-3)",
)
FORKED = multiprocessing.get_context("fork")  # what is imported is there already


class Worker:
    """A process, the number of the setting that it works on, and how many it was given."""

    def __init__(self, seed: int) -> None:
        self.connection, other = FORKED.Pipe()
        self.number, self.age = -1, 0
        self.process = FORKED.Process(target=_serve, args=(other, seed), daemon=True)
        self.process.start()
        other.close()

    def give(self, number: int) -> None:
        self.number, self.age = number, self.age + 1
        self.connection.send(number)

    def verdict(self) -> Verdict | None:
        """What came of it; None where the process died of it."""
        try:
            found: Verdict = self.connection.recv() | {"age": self.age}
            return found
        except (EOFError, ConnectionResetError):
            return None

    def end(self) -> None:
        with suppress(BrokenPipeError):
            self.connection.send(None)
        self.connection.close()
        self.process.join()


def verdicts_of(seed: int, numbers: Sequence[int], jobs: int) -> Iterator[tuple[int, Verdict]]:
    """Each setting's verdict, as it comes."""
    left, busy = list(reversed(numbers)), dict[Connection, Worker]()
    while left or busy:
        while left and len(busy) < jobs:
            worker = Worker(seed)
            worker.give(left.pop())
            busy[worker.connection] = worker
        for ready in wait(list(busy)):
            worker = busy.pop(ready)
            number, found = worker.number, worker.verdict()
            if found is not None and left and worker.age < LIFE:
                worker.give(left.pop())
                busy[ready] = worker
            else:
                worker.end()
            yield number, found or _died(seed, number)


def _serve(connection: Connection, seed: int) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    for text in WARM_UP:
        ask(text)
    parent = os.getppid()
    while os.getppid() == parent:
        if connection.poll(1.0):
            number = connection.recv()
            if number is None:
                return
            connection.send(judged(draw_setting(seed, number)))


def _died(seed: int, number: int) -> Verdict:
    """The verdict on a setting of which the process died: as little as can be said."""
    one = draw_setting(seed, number)
    said = {"kind": one.kind, "rounds": one.rounds, "question": one.question, "asked": str(one), "ends": None}
    numbers = {"seconds": 0.0, "megabytes": 0.0, "kept": 0.0, "resident": 0.0, "width": 0.0, "age": 0}
    return said | numbers | {"warned": [], "error": "the process died", "wrong": [], "references": [], "parts": {}}
