"""Processes that share the work of a run, started by torchrun; a process on its own is the first of one."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import torch
from torch import distributed

T = TypeVar("T")


@contextmanager
def started() -> Iterator[None]:
    """Join the other processes for a while, if torchrun has started any."""
    shared = "RANK" in os.environ
    if shared:
        distributed.init_process_group()  # of gloo or nccl, by the device of what is sent
    yield
    if shared:  # after an error the others are left at once, so that they do not wait
        distributed.destroy_process_group()


def count() -> int:
    """How many processes there are."""
    return int(distributed.get_world_size()) if _shared() else 1


def rank() -> int:
    """The number of this process, of which the first is 0."""
    return int(distributed.get_rank()) if _shared() else 0


def from_first(action: Callable[[], T]) -> T:
    """What the first process alone finds or does, passed on to all; where it fails, all fail for its reason."""
    if count() == 1:
        return action()
    outcome: list[Any] = [None, None]
    if rank() == 0:
        try:
            outcome = [action(), None]
        except (OSError, ValueError) as reason:
            outcome = [None, reason]
    _together(lambda: distributed.broadcast_object_list(outcome))
    found, failure = outcome
    if failure is not None:
        raise failure
    return cast(T, found)


def add_up(tally: torch.Tensor) -> torch.Tensor:
    """The sum of all processes' tallies, in each of them the same."""
    if count() > 1:
        _together(lambda: distributed.all_reduce(tally))
    return tally


def _together(exchange: Callable[[], object]) -> None:
    try:
        exchange()
    except RuntimeError as reason:
        raise ConnectionError(
            f"the run's other processes cannot be reached; one of them has failed: {reason}"
        ) from reason


def _shared() -> bool:
    return bool(distributed.is_available() and distributed.is_initialized())
