"""CIFAR-10 with all but the last layer learnt elsewhere: what [liew2022] Figure 6 trains.

The pictures of Alex Krizhevsky's CIFAR-10 and CIFAR-100, in their binary version, are read from a folder; they are not
fetched. A network learns CIFAR-100, which is taken for public, and what its last hidden layer makes of CIFAR-10 is all
that the private training sees: a linear layer learns the classes from it.
"""

from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from tqdm import tqdm

from shufflekit import _validate
from shufflekit.learning.data import DataSet, Images

SIDE, COLOURS = 32, 3
WIDTH = 64  # of the last hidden layer
TEN = ([f"cifar-10-batches-bin/data_batch_{i}.bin" for i in range(1, 6)], ["cifar-10-batches-bin/test_batch.bin"])
HUNDRED = (["cifar-100-binary/train.bin"], ["cifar-100-binary/test.bin"])
BATCH = 100


def cifar10(folder: Path | str) -> DataSet:
    """50,000 pictures to learn from and 10,000 to test with, of ten classes."""
    return DataSet(*(_read(Path(folder), names, labels=1, classes=10) for names in TEN))


def cifar100(folder: Path | str) -> DataSet:
    """As many, of a hundred classes."""
    return DataSet(*(_read(Path(folder), names, labels=2, classes=100) for names in HUNDRED))


def feature_network(classes: int, seed: int) -> nn.Sequential:
    """Three convolutions and a hidden layer of 64, whose outputs are the features, then a layer for the classes."""
    widths = (COLOURS, 32, 64, 64)
    layers: list[nn.Module] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(_validate.count(seed=seed, at_least=0))
        for before, after in pairwise(widths):
            layers += [nn.Conv2d(before, after, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        layers += [nn.Flatten(), nn.Linear(widths[-1] * (SIDE // 8) ** 2, WIDTH), nn.ReLU()]
        return nn.Sequential(*layers, nn.Linear(WIDTH, _validate.count(classes=classes)))


def learn(model: nn.Sequential, images: Images, epochs: int, seed: int, rate: float = 1e-3) -> None:
    """Without privacy: Adam on batches of 100, all pictures once an epoch."""
    generator = torch.Generator().manual_seed(_validate.count(seed=seed, at_least=0))
    optimizer = torch.optim.Adam(model.parameters(), lr=_validate.positive(rate=rate))
    for _ in tqdm(range(_validate.count(epochs=epochs)), unit=" epochs"):
        for some in torch.randperm(len(images.y), generator=generator).split(BATCH):
            optimizer.zero_grad()
            F.cross_entropy(model(images.x[some]), images.y[some]).backward()
            optimizer.step()
    model.requires_grad_(False)


def features(model: nn.Sequential, images: DataSet) -> DataSet:
    """What the layers before the last make of the pictures."""
    body = model[:-1]
    with torch.no_grad():
        found = [torch.cat([body(x) for x in part.x.split(1_000)]) for part in images]
    return DataSet(*(Images(x, part.y) for x, part in zip(found, images, strict=True)))


def material(folder: Path | str, seed: int, epochs: int) -> DataSet:
    """CIFAR-10 as a network sees it that has learnt CIFAR-100."""
    public = cifar100(folder)
    model = feature_network(100, seed)
    learn(model, public.train, epochs, seed)
    return features(model, cifar10(folder))


def last_layer(seed: int) -> nn.Sequential:
    """What is learnt under privacy: 650 parameters."""
    layer = nn.Linear(WIDTH, 10)
    generator = torch.Generator().manual_seed(_validate.count(seed=seed, at_least=0))
    nn.init.xavier_uniform_(layer.weight, generator=generator)
    nn.init.zeros_(layer.bias)
    return nn.Sequential(layer).requires_grad_(False)


def _read(folder: Path, names: list[str], labels: int, classes: int) -> Images:
    """Records of one or two labels, of which the last is the class, and 3 x 32 x 32 bytes."""
    pieces = []
    for name in names:
        content = np.frombuffer((folder / name).read_bytes(), np.uint8)
        size = labels + COLOURS * SIDE**2
        if not len(content) or len(content) % size:
            raise OSError(f"{folder / name} should hold pictures of {size} bytes each and does not")
        pieces.append(content.reshape(-1, size))
    table = np.concatenate(pieces)
    y = table[:, labels - 1].astype(np.int64)
    if (y >= classes).any():
        raise OSError(f"{folder / names[0]} should hold labels below {classes} and does not")
    x = table[:, labels:].reshape(-1, COLOURS, SIDE, SIDE).astype(np.float32)
    return Images(torch.from_numpy(x / 255), torch.from_numpy(y))
