"""Time learning: gradients beside those of vmap(grad) and Opacus, a step, an epoch; CPU seconds, on one thread.

Who computes per-example gradients goes through the same 10,000 clients, a chunk at a time, and drops a chunk's
gradients before the next. The kit leaves them in one table, its peers parameter by parameter, as they do by nature.
Each peer gets the chunk size and the layout that are best for it. All take turns, so that what else runs on the
machine slows all alike.

python tools/bench_learning.py
"""

import os

os.environ["OMP_NUM_THREADS"] = "1"  # before torch starts

import re
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional as F

from shufflekit.learning import gradients
from shufflekit.learning.data import DataSet, Images
from shufflekit.learning.models import PAPER_SIZE, paper_network
from shufflekit.learning.plans import FIGURES
from shufflekit.learning.training import Training

CLIENTS = 10_000
TRIAL = 600  # clients that a peer's best setting is found with
CHUNKS = (50, 150, 600)
LAYOUTS = {"contiguous": torch.contiguous_format, "channels last": torch.channels_last}
ROUNDS = 3
Chunks = Iterator[list[torch.Tensor]]


def images(n: int) -> Images:
    """Random pictures of MNIST's size: what they show does not matter for the time."""
    generator = torch.Generator().manual_seed(0)
    return Images(torch.rand(n, 1, 28, 28, generator=generator), torch.randint(10, (n,), generator=generator))


def ours(batch: Images) -> Chunks:
    """Every gradient whole."""
    for found in gradients.chunks(paper_network(0), *batch):
        yield [found.full()]


def sent(batch: Images) -> Chunks:
    """Of every gradient the one entry that R_inf with clamping needs."""
    model, rows = paper_network(0), torch.arange(len(batch.y)) * 7_919 % PAPER_SIZE
    for x, y, some in zip(*(part.split(gradients.chunk_size(model)) for part in (*batch, rows)), strict=True):
        yield [gradients.gradients(model, x, y).entries(some)]


def by_vmap(batch: Images, size: int = CLIENTS, layout: str = "contiguous") -> Chunks:
    """vmap(grad), as torch's documentation has it."""
    model = paper_network(0).to(memory_format=LAYOUTS[layout])
    parameters = {name: parameter.detach() for name, parameter in model.named_parameters()}

    def loss(parameters: dict[str, torch.Tensor], x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(functional_call(model, parameters, x[None]), y[None])

    each = vmap(grad(loss), in_dims=(None, 0, 0))
    for x, y in zip(batch.x.split(size), batch.y.split(size), strict=True):
        yield list(each(parameters, x, y).values())


def by_opacus(batch: Images, size: int, layout: str) -> Chunks:
    """Opacus, with the hooks and rules for layers that it uses by default."""
    from opacus.grad_sample import GradSampleModule

    model = paper_network(0).to(memory_format=LAYOUTS[layout]).requires_grad_()
    wrapped: nn.Module = GradSampleModule(model, loss_reduction="sum")
    for x, y in zip(batch.x.split(size), batch.y.split(size), strict=True):
        wrapped.zero_grad(set_to_none=True)
        F.cross_entropy(wrapped(x), y, reduction="sum").backward()
        yield [parameter.grad_sample for parameter in wrapped.parameters()]


def right(way: Callable[[Images], Chunks]) -> bool:
    """Whether these are the gradients that ours are."""
    few = images(20)
    table, expected = (
        torch.cat([torch.cat([part.flatten(1) for part in some], dim=1) for some in each(few)]) for each in (way, ours)
    )
    return torch.allclose(table, expected, rtol=1e-4, atol=1e-6)


def seconds(call: Callable[[], object]) -> float:
    """Of CPU."""
    start = time.process_time()
    call()
    return time.process_time() - start


def through(way: Callable[[Images], Chunks], batch: Images) -> Callable[[], None]:
    """Go through the whole batch."""

    def go() -> None:
        for _ in way(batch):
            pass

    return go


def best(way: Callable[..., Chunks]) -> tuple[str, Callable[[Images], Chunks]]:
    """The chunk size and layout that take a peer the least time, in words, and the peer with them.

    Only where its gradients are right: Opacus 1.6 takes channels last for channels first, without a word.
    """
    few, times = images(TRIAL), {}
    for size, layout in product(CHUNKS, LAYOUTS):
        setting = partial(way, size=size, layout=layout)
        if right(setting):
            times[size, layout] = min(seconds(through(setting, few)) for _ in range(3))
    size, layout = min(times, key=times.__getitem__)
    return f"chunks of {size}, {layout}", partial(way, size=size, layout=layout)


def row(name: str, value: float, note: str = "") -> None:
    """One line of the table."""
    print(f"{name:66} {value:10.3f} s  {note}", flush=True)


def side_by_side() -> None:
    """Gradients of all clients: ours and the peers'."""
    (vmap_setting, vmap_best), (opacus_setting, opacus_best) = best(by_vmap), best(by_opacus)
    ways = {
        f"gradients of {CLIENTS:,} clients": ours,
        "  one entry of each, as R_inf with clamping needs": sent,
        f"  vmap(grad), {vmap_setting}": vmap_best,
        "  vmap(grad), chunks of 150, layout as torch makes it": partial(by_vmap, size=150),
        f"  Opacus, {opacus_setting}": opacus_best,
    }
    batch = images(CLIENTS)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name].append(seconds(through(way, batch)))
    medians = {name: statistics.median(some) for name, some in times.items()}
    first = next(iter(medians.values()))
    for name, median in medians.items():
        row(name, median, f"{median / first:5.2f} times ours")


def at_once() -> None:
    """vmap(grad) without chunks."""
    row("  vmap(grad), all at once, layout as torch makes it", seconds(through(by_vmap, images(CLIENTS))))


def training() -> None:
    """Figure 3, with 60,000 clients, of which 10,000 report a step."""
    run = Training(FIGURES["figure3"], DataSet(images(60_000), images(10_000)))
    run.advance()
    step = statistics.median(seconds(run.advance) for _ in range(3))
    row("a step of Figure 3: R_inf, 10,000 of 60,000 clients", step)
    while run.step % run.per_epoch:
        run.advance()
    row("an epoch of Figure 3: 6 steps, and 10,000 test images", seconds(lambda: [run.advance() for _ in range(6)]))


def apart(name: str) -> None:
    """Do this in a process of its own, and tell the most memory that it used."""
    code = f"import bench_learning; bench_learning.{name}(); print(bench_learning.peak())"
    command = [sys.executable, "-c", code]
    folder = Path(__file__).parent
    ended = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True)
    print(ended.stdout, end="" if ended.returncode == 0 else f"  {name}: broke off, out of memory?\n", flush=True)


def peak() -> str:
    """The most memory that this process used, where the system tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return "  peak memory: this system does not tell"
    kilobytes = int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1])
    return f"{'  peak memory of a process that does this, interpreter and all':66} {kilobytes / 1024:10.0f} MB"


def main() -> None:
    warnings.filterwarnings("ignore", "Full backward hook is firing")  # of Opacus, for the first layer
    print(f"{'learning':66} {'CPU time':>10}", flush=True)
    side_by_side()
    apart("at_once")
    apart("training")


if __name__ == "__main__":
    main()
