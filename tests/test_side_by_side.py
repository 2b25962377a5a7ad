"""Threads and processes, whatever they ask at once, get the answers that are given one by one."""

import multiprocessing
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from shufflekit import (
    Bracket,
    DiscretizedLaplace,
    DistributedCheckIn,
    GaussianShuffle,
    RandomAllocation,
    RandomCheckIn,
    RandomizedResponseShuffle,
    Run,
    Shuffle,
    ShuffledCheckIn,
    SlidingCheckIn,
)
from shufflekit.protocols import Protocol

RTOL = 0.01
RUNS: list[Run | Protocol] = [
    Shuffle(1.0, 50),
    Shuffle(1.0, 20, 400) * 7,
    Shuffle(randomizer=DiscretizedLaplace(3, 1.0), n=20),
    ShuffledCheckIn(1.0, 60, 0.5) * 2,
    RandomCheckIn(1.0, 20, 30, empty="skipped"),
    SlidingCheckIn(1.0, 15, 40),
    GaussianShuffle(2.0, 20),
    RandomAllocation(1.0, 10) * 2,
    RandomizedResponseShuffle(3, 1.0, 20, view="strong"),
    DistributedCheckIn(1.0, 100, 0.1),
]
KINDS = ("epsilon", "delta", "attack", "rdp", "compare")
QUESTIONS = [(kind, i) for kind in KINDS for i in range(len(RUNS))]


Answer = tuple[list[float], list[str]]


def answer(question: tuple[str, int]) -> Answer:
    """The numbers and the names that the kit gives."""
    kind, i = question
    run = RUNS[i]
    if kind == "epsilon":
        return list(run.epsilon(1e-3, rtol=RTOL)), []
    if kind == "delta":
        return list(run.delta(0.1, rtol=RTOL)), []
    if kind == "attack":
        reached = run.attack_epsilon(1e-4, rtol=RTOL)
        return list(reached), [reached.name]
    if kind == "rdp":
        return run.rdp([1.5, 4]).tolist(), []
    rows = sorted(run.compare(1e-3).rows, key=lambda row: row.name)
    return [], [f"{row.name}: {row.value}" for row in rows]


def by_threads(questions: list[tuple[str, int]]) -> list[Answer]:
    """Asked by eight threads, each question by two of them at about the same time."""
    sys.setswitchinterval(
        1e-5
    )  # in a process of its own; seconds between turns, so that threads get in each other's way
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(answer, [question for question in questions for _ in range(2)]))


@pytest.fixture(scope="module")
def one_by_one() -> list[Answer]:
    return [answer(question) for question in QUESTIONS]


def test_the_questions_are_about_different_things(one_by_one: list[Answer]) -> None:
    assert len({repr(one) for one in one_by_one}) > 0.9 * len(QUESTIONS)


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_threads_of_another_process_get_the_same_answers(one_by_one: list[Answer], way: str) -> None:
    """A process that was spawned knows nothing yet: its threads load the bounds of the papers, and fill every cache."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(way)) as pool:
        found = pool.submit(by_threads, QUESTIONS).result()
    for i, (numbers, names) in enumerate(one_by_one):
        for others in found[2 * i : 2 * i + 2]:
            # Sums of products differ in the last digits with where an array happens to lie in memory.
            assert others[1] == names
            assert others[0] == pytest.approx(numbers, rel=1e-12, abs=0), QUESTIONS[i]


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_runs_and_answers_go_from_process_to_process(way: str) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(way)) as pool:
        found = list(pool.map(_delta, RUNS))
    for run, (same, delta, name) in zip(RUNS, found, strict=True):
        assert same == run and repr(same) == repr(run)
        assert tuple(delta) == pytest.approx(tuple(run.delta(0.1, rtol=RTOL)), rel=1e-12, abs=0)
        assert type(delta) is Bracket and name == run.attack_epsilon(1e-3, rtol=RTOL).name


def _delta(run: Run | Protocol) -> tuple[Run | Protocol, Bracket, str]:
    return run, run.delta(0.1, rtol=RTOL), run.attack_epsilon(1e-3, rtol=RTOL).name
