"""Counter-based randomness: what a client draws depends on the seed, the step and the client's number alone.

A Philox generator is a function of a key and a counter. Here the key is (seed, step), and each client owns a stretch of
counters. So a result depends neither on the order in which clients are taken, nor on how they are cut into chunks or
spread over processes, nor on the device: all uniform numbers are drawn on the CPU. Meant for experiments: who knows
the seed knows the draws, and floating-point noise leaks in its last bits.
"""

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache

import numpy as np
import torch

from shufflekit import _validate

WORDS = 4  # what Philox yields for one value of its counter, and how many uniform numbers a client may draw
SAMPLE, FEW, MANY, CROWD, HELD = range(5)  # what draws are for; each purpose has counters of its own
MOST = 2**64 - 1  # what a word can hold
GAP = 1_000  # between clients, from which on a new generator costs less time than to draw what lies between


class Draws:
    """The randomness of some clients in one step."""

    def __init__(self, seed: int, step: int, clients: torch.Tensor) -> None:
        self.seed = _validate.count(seed=seed, at_least=0, at_most=MOST)
        self.step = _validate.count(step=step, at_least=0, at_most=MOST)
        if not isinstance(clients, torch.Tensor) or clients.dtype != torch.int64:
            raise TypeError(f"clients must be a tensor of int64, got {clients!r}")
        if clients.ndim != 1 or not len(clients) or int(clients.min()) < 0 or len(clients.unique()) < len(clients):
            raise ValueError(f"clients must be one or more numbers, 0 or above, no two the same, got {clients!r}")
        self.clients = clients

    def __len__(self) -> int:
        return len(self.clients)

    def uniforms(self) -> torch.Tensor:
        """Clients x 4 numbers, uniform in [0, 1), in double precision; the same at every call."""
        numbers = self.clients.cpu().numpy()
        order, table = numbers.argsort(), np.empty((len(numbers), WORDS))
        for stretch in np.split(order, np.flatnonzero(np.diff(numbers[order]) > GAP) + 1):
            mine = numbers[stretch]
            drawn = _generator(self.seed, self.step, FEW, start=mine[0]).random((mine[-1] - mine[0] + 1, WORDS))
            table[stretch] = drawn[mine - mine[0]]
        return torch.from_numpy(table).to(self.clients.device)

    def normals(self, d: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
        """Clients x d standard normal numbers; the same at every call.

        They are up to 5.8 in absolute value in single precision, and up to 8.6 in double precision.
        """
        half = (_validate.count(d=d) + 1) // 2
        numbers = self.clients.tolist()
        uniforms = torch.empty(len(numbers), 2 * half, dtype=dtype).numpy()

        def fill(rows: range) -> None:
            for row in rows:
                generator = _generator(self.seed, self.step, MANY, client=numbers[row])
                generator.random(out=uniforms[row], dtype=uniforms.dtype)

        threads = torch.get_num_threads()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, (range(first, len(numbers), threads) for first in range(threads))))
        table = torch.from_numpy(uniforms).to(self.clients.device)
        # Box and Muller. Half a turn maps the angles that can be drawn onto each other: but for round-off, the law is
        # symmetric about 0.
        length, angle = table[:, :half].neg_().log1p_().mul_(-2).sqrt_(), table[:, half:].mul_(2 * math.pi)
        cosine = torch.cos(angle)
        angle.sin_().mul_(length)
        length.mul_(cosine)
        return table[:, :d]

    def generators(self) -> Iterator[np.random.Generator]:
        """One for each client, for draws of any kind and number; the same at every call."""
        return (_generator(self.seed, self.step, CROWD, client=client) for client in self.clients.tolist())


def sample(seed: int, step: int, n: int, k: int) -> torch.Tensor:
    """k of the n clients, without replacement, every set of k as likely as any other; their numbers, rising."""
    seed = _validate.count(seed=seed, at_least=0, at_most=MOST)
    step = _validate.count(step=step, at_least=0, at_most=MOST)
    n = _validate.count(n=n, at_most=2**63 - 1)
    k = _validate.count(k=k, at_most=n)
    chosen = _generator(seed, step, SAMPLE).choice(n, size=k, replace=False, shuffle=False)
    return torch.from_numpy(np.sort(chosen))


def check_ins(seed: int, step: int, n: int, rate: float) -> torch.Tensor:
    """Those of the n clients who come, each by her own coin with probability ``rate``; their numbers, rising."""
    seed = _validate.count(seed=seed, at_least=0, at_most=MOST)
    step = _validate.count(step=step, at_least=0, at_most=MOST)
    n, rate = _validate.count(n=n, at_most=2**63 - 1), _validate.rate(rate=rate)
    generator = _generator(seed, step, SAMPLE)
    chosen = generator.choice(n, size=int(generator.binomial(n, rate)), replace=False, shuffle=False)
    return torch.from_numpy(np.sort(chosen).astype(np.int64))


@lru_cache(maxsize=2)  # each step of a run asks
def bootstrap(seed: int, population: int, n: int) -> torch.Tensor:
    """Which of n records each of a population holds, drawn with replacement."""
    generator = _generator(_validate.count(seed=seed, at_least=0, at_most=MOST), 0, HELD)
    return torch.from_numpy(generator.integers(_validate.count(n=n), size=_validate.count(population=population)))


def permutation(seed: int, epoch: int, n: int) -> torch.Tensor:
    """The n clients in a random order."""
    seed = _validate.count(seed=seed, at_least=0, at_most=MOST)
    epoch = _validate.count(epoch=epoch, at_least=0, at_most=MOST)
    return torch.from_numpy(_generator(seed, epoch, SAMPLE).permutation(_validate.count(n=n)))


def _generator(seed: int, step: int, purpose: int, *, client: int = 0, start: int = 0) -> np.random.Generator:
    """Counters are read from the left: the first of the four runs while numbers are drawn."""
    # As a list, numpy takes numbers from 2^63 on for floating-point ones and rounds them.
    key = np.array([seed, step], dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=[start, client, purpose, 0]))
