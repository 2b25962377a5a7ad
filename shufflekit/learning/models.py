"""The networks of the papers' experiments, as plain ``torch.nn.Sequential`` models."""

import torch
from torch import nn

from shufflekit import _validate

PAPER_SIZE = 13_706  # [girgis2021] Table 1 prints 13,170, which no reading of it adds up to


def paper_network(seed: int) -> nn.Sequential:
    """The network of the authors' experiments on 28 x 28 images, 13,706 parameters, Glorot initialised from a seed."""
    return _glorot(
        nn.Sequential(
            nn.ZeroPad2d(3),  # "same" for an 8 x 8 window and a stride of 2
            nn.Conv2d(1, 16, 8, stride=2),
            nn.Tanh(),
            nn.MaxPool2d(2, stride=1),
            nn.Conv2d(16, 16, 4, stride=2),
            nn.Tanh(),
            nn.MaxPool2d(2, stride=1),
            nn.Flatten(),
            nn.Linear(256, 32),
            nn.Tanh(),
            nn.Linear(32, 10),
        ),
        seed,
    )


def printed_network(seed: int) -> nn.Sequential:
    """[girgis2021] Table 1 in the reading nearest to its 13,170 parameters: 13,722.

    That is with "same" padding and poolings that do not overlap. What the table leaves out, ReLU, is as in the
    tutorials it comes from.
    """
    return _glorot(
        nn.Sequential(
            nn.ZeroPad2d(3),
            nn.Conv2d(1, 16, 8, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.ZeroPad2d((1, 2, 1, 2)),  # "same" for a 4 x 4 window and a stride of 2 on 7 x 7
            nn.Conv2d(16, 32, 4, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(128, 32),
            nn.ReLU(),
            nn.Linear(32, 10),
        ),
        seed,
    )


def check_in_network(seed: int) -> nn.Sequential:
    """[liew2022] Table 2, 10,650 parameters: windows of pooling do not overlap, as where no stride is named.

    What the table leaves out is as in the tutorials it comes from: a frame of 3, and ReLU.
    """
    return _glorot(
        nn.Sequential(
            nn.ZeroPad2d(3),
            nn.Conv2d(1, 16, 8, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 4, stride=2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(32, 32),
            nn.ReLU(),
            nn.Linear(32, 10),
        ),
        seed,
    )


def _glorot(model: nn.Sequential, seed: int) -> nn.Sequential:
    """Weights uniform in +-sqrt(6 / (fan in + fan out)), biases 0, as Keras does."""
    generator = torch.Generator().manual_seed(_validate.count(seed=seed, at_least=0))
    for layer in model:
        if isinstance(layer, nn.Conv2d | nn.Linear):
            nn.init.xavier_uniform_(layer.weight, generator=generator)
            nn.init.zeros_(layer.bias)
    # Channels last: pooling is six times as fast on a CPU. No gradient by the parameters: gradients.py forms its own.
    return model.to(memory_format=torch.channels_last).requires_grad_(False)


NETWORKS = {"code": paper_network, "printed": printed_network}  # of [girgis2021]: which one its experiments train
