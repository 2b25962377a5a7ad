"""One step of CLDP-SGD taken apart: gradients of an untrained network, reports, signal and noise. [girgis2021]"""

from collections.abc import Iterable
from typing import NamedTuple

import torch

from shufflekit.learning import gradients, models, streams
from shufflekit.learning.data import Images
from shufflekit.learning.randomizers import R1, R2, PrivUnit, Randomizer, RInf

CHUNK = 500  # clients whose reports are drawn together
MEASURED = 1000  # clients whose reports' noise is measured


class Way(NamedTuple):
    """A way to clip and to report: the noise in the average report, what is to be learnt, and its direction."""

    noise: float
    measured: float
    signal: float
    cosine: float

    @property
    def ratio(self) -> float:
        return self.signal / self.noise


def first_gradients(images: Images) -> torch.Tensor:
    """A row for each picture: its gradient at the network before training."""
    return gradients.per_example(models.paper_network(seed=0).double(), images.x.double(), images.y)


def message(randomizer: RInf, rows: torch.Tensor) -> tuple[int, float]:
    """What the first client sends: the number of an entry, and a sign."""
    number, sign = randomizer.messages(gradients.Table(rows[:1]), streams.Draws(0, 0, torch.arange(1)))
    return int(number.item()), float(sign.item())


def average(randomizer: Randomizer, rows: torch.Tensor, k: int) -> torch.Tensor:
    """The average report of k clients; where there are fewer rows they are used again, each time with new noise."""
    parts = (
        randomizer.tally(gradients.Table(rows[clients % len(rows)]), streams.Draws(0, 0, clients))
        for clients in torch.arange(k).split(CHUNK)
    )
    return randomizer.mean(sum(parts, torch.zeros(())), k)


def angles(randomizer: Randomizer, rows: torch.Tensor, sizes: Iterable[int]) -> tuple[list[float], list[float]]:
    """Of clamped entries: the lengths of average reports, and the cosines of their angles to the truth."""
    signal = clamped(rows, randomizer.radius).mean(dim=0)
    reports = [average(randomizer, rows, k) for k in sizes]
    return [float(report.norm()) for report in reports], [_cosine(report, signal) for report in reports]


def clamped(rows: torch.Tensor, radius: float) -> torch.Tensor:
    """Each entry cut off at the radius, either way."""
    return rows.clamp(-radius, radius)


def scaled(rows: torch.Tensor, p: float, radius: float) -> torch.Tensor:
    """Each row scaled into the ball of the p-norm."""
    return rows * (radius / torch.linalg.vector_norm(rows, ord=p, dim=1, keepdim=True)).clamp(max=1)


def ways(rows: torch.Tensor, eps0: float, radius: float, k: int) -> dict[str, Way]:
    """Five ways to report, k clients: noise by the exact second moment, and measured on fewer."""
    d, gradient = rows.shape[1], rows.mean(dim=0)
    kinds: dict[str, tuple[RInf | R1 | R2 | PrivUnit, torch.Tensor]] = {
        "R_inf, scale": (RInf(d, eps0, radius), scaled(rows, torch.inf, radius)),
        "R_inf, clamp": (RInf(d, eps0, radius, clip="clamp"), clamped(rows, radius)),
        "R_1": (R1(d, eps0, radius), scaled(rows, 1, radius)),
        "R_2": (R2(d, eps0, radius), scaled(rows, 2, radius)),
        "PrivUnit": (PrivUnit(d, eps0, radius), scaled(rows, 2, radius)),
    }
    found = {}
    for name, (kind, vectors) in kinds.items():
        mean = vectors.mean(dim=0)
        far = (average(kind, rows, MEASURED) - vectors[:MEASURED].mean(dim=0)).norm()
        noise, measured = (kind.law.second_moment / k) ** 0.5, float(far) * (MEASURED / k) ** 0.5
        found[name] = Way(noise, measured, float(mean.norm()), _cosine(mean, gradient))
    return found


def _cosine(a: torch.Tensor, b: torch.Tensor) -> float:
    return float(a @ b / a.norm() / b.norm())
