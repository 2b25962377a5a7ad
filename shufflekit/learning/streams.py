"""Counter-based randomness: what a client draws depends on the seed, the step and the client's number alone.

A Philox generator is a function of a key and a counter. Here the key is (seed, step), and each client owns a stretch of
counters. So a result depends neither on the order in which clients are taken, nor on how they are cut into chunks or
spread over processes, nor on the device: all draws are made on the CPU. Meant for experiments: who knows the seed
knows the draws, and floating-point noise leaks in its last bits.
"""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch

from shufflekit import _validate

WORDS = 4  # what Philox yields for one value of its counter, and how many uniform numbers a client may draw
SAMPLE, FEW, MANY = range(3)  # what draws are for; each purpose has counters of its own
MOST_NUMBERS = 2**64


class Draws:
    """The randomness of some clients in one step."""

    def __init__(self, seed: int, step: int, clients: torch.Tensor) -> None:
        self.seed = _validate.count(seed=seed, at_least=0, at_most=MOST_NUMBERS - 1)
        self.step = _validate.count(step=step, at_least=0, at_most=MOST_NUMBERS - 1)
        if clients.dtype != torch.int64 or clients.ndim != 1 or not len(clients) or int(clients.min()) < 0:
            raise ValueError(f"clients must be one or more numbers, 0 or above, in a row of int64, got {clients!r}")
        self.clients = clients

    def __len__(self) -> int:
        return len(self.clients)

    def uniforms(self) -> torch.Tensor:
        """Clients x 4 numbers, uniform in [0, 1), in double precision; the same at every call.

        The time grows with the largest number of a client, ten nanoseconds each.
        """
        clients = self.clients.cpu().numpy()
        table = _generator(self.seed, self.step, FEW).random((int(clients.max()) + 1, WORDS))
        return torch.from_numpy(table[clients]).to(self.clients.device)

    def normals(self, d: int) -> torch.Tensor:
        """Clients x d standard normal numbers, in single precision; the same at every call."""
        half = (_validate.count(d=d) + 1) // 2
        numbers = self.clients.tolist()
        uniforms = np.empty((len(numbers), 2 * half), dtype=np.float32)

        def fill(rows: range) -> None:
            for row in rows:
                _generator(self.seed, self.step, MANY, numbers[row]).random(out=uniforms[row], dtype=np.float32)

        threads = torch.get_num_threads()
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(fill, (range(first, len(numbers), threads) for first in range(threads))))
        table = torch.from_numpy(uniforms).to(self.clients.device)
        # Box and Muller. Half a turn maps the angles that can be drawn onto each other: the law is symmetric about 0.
        length, angle = table[:, :half].neg_().log1p_().mul_(-2).sqrt_(), table[:, half:].mul_(2 * math.pi)
        cosine = torch.cos(angle)
        angle.sin_().mul_(length)
        length.mul_(cosine)
        return table[:, :d]


def sample(seed: int, step: int, n: int, k: int) -> torch.Tensor:
    """k of the n clients, without replacement, every set of k as likely as any other; their numbers, rising."""
    n = _validate.count(n=n)
    k = _validate.count(k=k, at_most=n)
    chosen = _generator(seed, step, SAMPLE).choice(n, size=k, replace=False, shuffle=False)
    return torch.from_numpy(np.sort(chosen))


def permutation(seed: int, epoch: int, n: int) -> torch.Tensor:
    """The n clients in a random order."""
    return torch.from_numpy(_generator(seed, epoch, SAMPLE).permutation(_validate.count(n=n)))


def _generator(seed: int, step: int, purpose: int, client: int = 0) -> np.random.Generator:
    """Counters are read from the left: the first of the four runs while numbers are drawn."""
    return np.random.Generator(np.random.Philox(key=[seed, step], counter=[0, client, purpose, 0]))
