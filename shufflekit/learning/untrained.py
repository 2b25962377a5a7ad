"""[liew2022] What notebook 20 looks at before it learns: readings of Table 2, signal and noise, the law of a sum."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import stats
from torch import nn

from shufflekit.learning import check_in_plans, cifar, data, gradients, models, training
from shufflekit.learning.crowds import R2Sum
from shufflekit.learning.randomizers import R2
from shufflekit.learning.streams import Draws

PROTOCOLS = ("ldp-sgd", "federated", "distributed")
CLIENTS = 60_000


# Table 2: pixels that each of the four layers of windows adds as a frame; how far apart the windows of a pooling are.


class Frames(NamedTuple):
    """A reading of Table 2."""

    frames: tuple[int, int, int, int]
    apart: int


READINGS = (
    Frames((0, 0, 0, 0), 2),
    Frames((6, 0, 0, 0), 2),
    Frames((6, 0, 3, 0), 2),
    Frames((0, 0, 0, 0), 1),
    Frames((6, 0, 0, 0), 1),
)
CHOSEN = READINGS[1]


def side(reading: Frames, pixels: int = 28) -> int:
    """How many places are left in a row."""
    strides = (2, reading.apart, 2, reading.apart)
    for frame, size, stride in zip(reading.frames, (8, 2, 4, 2), strides, strict=True):
        pixels = (pixels + frame - size) // stride + 1
    return pixels


def parameters(reading: Frames) -> int:
    """Of the whole network; none where nothing is left."""
    left = side(reading)
    fixed = 16 * (8 * 8 + 1) + 32 * (16 * 4 * 4 + 1) + 10 * (32 + 1)
    return fixed + 32 * (32 * left**2 + 1) if left else 0


def network() -> nn.Sequential:
    """The one that is trained, before its training."""
    return models.check_in_network(seed=0)


def rows_of(network: nn.Sequential) -> list[int]:
    """The numbers of Table 2, as a network has them."""
    rows: list[int] = []
    for layer in network:
        if isinstance(layer, nn.Conv2d):
            rows += [layer.out_channels, *map(int, layer.kernel_size), *map(int, layer.stride)]
        if isinstance(layer, nn.MaxPool2d):
            rows.append(int(layer.kernel_size))
        if isinstance(layer, nn.Linear):
            rows.append(layer.out_features)
    return rows


# Signal and noise.


class Heard(NamedTuple):
    """The length of one report, of the mean clipped gradient, and of the noise in the mean of a round's reports."""

    report: float
    signal: float
    noise: float


def heard(network: nn.Module, images: data.Images, z: float) -> Mapping[str, Heard]:
    """By each protocol, at a network before training; z is the noise of the federated one's reports."""
    rows = gradients.per_example(network.double(), images.x.double(), images.y)
    length, d = torch.linalg.vector_norm(rows, dim=1), rows.shape[1]
    found = {}
    for name in PROTOCOLS:
        plan = check_in_plans.FIGURES[name]
        clipped = rows * (plan.radius / length).clamp(max=1)[:, None]
        law = getattr(plan.make_randomizer(d), "law", None)  # of a hemisphere report
        report = law.second_moment**0.5 if law else (plan.sigma or z) * plan.radius * d**0.5
        noise = report / (plan.size(CLIENTS) * plan.check_in) ** 0.5
        found[name] = Heard(report, float(clipped.mean(dim=0).norm()), noise)
    return found


# Is the sum that is drawn at once of the same law as the sum of reports drawn one by one?


def same_law() -> dict[str, float]:
    """By the test of Kolmogorov and Smirnov: p-values of three looks at the sums, and of a wrong law's length."""
    rows = torch.randn(19, 64, generator=torch.Generator().manual_seed(1))
    rows = torch.cat([rows, rows[:1]])  # two clients have the same gradient
    at_once, one_by_one, along = _sums(R2Sum, rows), _sums(R2, rows), rows.double().numpy()
    across = np.ones(64) - np.linalg.pinv(along) @ (along @ np.ones(64))
    wrong = np.random.default_rng(0).normal(0, (2 / 64) ** 0.5, (1000, 64))  # a Gaussian of the right covariance
    pairs = {
        "length": _lengths(at_once, one_by_one),
        "along a gradient": (at_once @ along[0], one_by_one @ along[0]),
        "across all gradients": (at_once @ across, one_by_one @ across),
        "a wrong law's length": _lengths(_sums(R2Sum, rows[:2]), wrong),
    }
    return {name: float(stats.ks_2samp(*pair).pvalue) for name, pair in pairs.items()}


def _sums(kind: type[R2], rows: torch.Tensor) -> NDArray[np.float64]:
    randomizer, who, table = kind(64, eps0=1.5), torch.arange(len(rows)), gradients.Table(rows)
    return np.array([randomizer.tally(table, Draws(7, step, who)).numpy() for step in range(1000)])


def _lengths(*drawn: NDArray[np.float64]) -> Sequence[NDArray[np.float64]]:
    return [np.linalg.norm(sums, axis=1) for sums in drawn]


# CIFAR-10's path, on made pictures.


def made_pictures() -> float:
    """The accuracy of a last layer on pictures of coloured blocks, seen by a network that has learnt nothing."""
    rng = np.random.default_rng(0)
    blocks = rng.normal(size=(10, 3, 4, 4)).repeat(8, axis=2).repeat(8, axis=3)
    labels = rng.integers(0, 10, 1_500)
    pixels = 2 * blocks[labels] + rng.normal(size=(1_500, 3, cifar.SIDE, cifar.SIDE))
    x, y = torch.tensor(pixels, dtype=torch.float32).split(1_000), torch.tensor(labels).split(1_000)
    made = data.DataSet(*(data.Images(*part) for part in zip(x, y, strict=True)))
    body = cifar.feature_network(100, seed=0).requires_grad_(False)
    plan = check_in_plans.CheckInPlan(0.5, 0.3, ((10, 8.0),), eps0=8.0, look=5)
    run = training.Training(plan, cifar.features(body, made), model=cifar.last_layer(0))
    run.run()
    return run.accuracy[-1]
