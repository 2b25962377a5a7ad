"""The networks are those of the authors' experiments, to the parameter, and a seed makes them."""

import math
from itertools import product

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from shufflekit.learning.models import PAPER_SIZE, paper_network  # noqa: E402

OWN = (nn.Conv2d, nn.Linear)


def size(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())


def test_the_papers_network_has_its_parameters() -> None:
    assert size(paper_network(0)) == PAPER_SIZE == 13_706
    parts = [size(layer) for layer in paper_network(0) if isinstance(layer, OWN)]
    assert parts == [8 * 8 * 16 + 16, 16 * 4 * 4 * 16 + 16, 256 * 32 + 32, 32 * 10 + 10]


def test_the_papers_network_has_its_shapes() -> None:
    x, shapes = torch.rand(3, 1, 28, 28), []
    for layer in paper_network(0):
        x = layer(x)
        shapes.append((type(layer).__name__, *x.shape[1:]))
    assert shapes == [
        ("ZeroPad2d", 1, 34, 34),
        ("Conv2d", 16, 14, 14),  # "same": 28 / 2
        ("Tanh", 16, 14, 14),
        ("MaxPool2d", 16, 13, 13),
        ("Conv2d", 16, 5, 5),  # "valid": (13 - 4) // 2 + 1
        ("Tanh", 16, 5, 5),
        ("MaxPool2d", 16, 4, 4),
        ("Flatten", 256),
        ("Linear", 32),
        ("Tanh", 32),
        ("Linear", 10),
    ]


def test_no_reading_of_table_1_has_the_parameters_it_prints() -> None:
    """Convolutions 8 x 8 and 4 x 4 and two 2 x 2 pools, however padded, with any strides up to 2, with and without
    biases, whether the second convolution has 16 or 32 channels."""

    def after(side: int, window: int, stride: int, same: bool) -> int:
        return -(-side // stride) if same else (side - window) // stride + 1

    counts = {}
    steps = [(8,), (2,), (4,), (2,)]
    for strides in product((1, 2), repeat=4):
        for same in product((True, False), repeat=4):
            side = 28
            for (window,), stride, padded in zip(steps, strides, same, strict=True):
                side = after(side, window, stride, padded)
            for channels, *biases in product((16, 32), (0, 1), (0, 1), (0, 1), (0, 1)):
                layers = [(64, 16), (256, channels), (side**2 * channels, 32), (32, 10)]
                count = sum((inputs + bias) * out for (inputs, out), bias in zip(layers, biases, strict=True))
                counts[channels, strides, same, *biases] = count
    everywhere = (1, 1, 1, 1)
    assert counts[16, (2, 1, 2, 1), (True, False, False, False), *everywhere] == PAPER_SIZE
    assert counts[32, (2, 2, 2, 2), (True, True, True, True), *everywhere] == 13_722  # the plain reading
    assert 13_170 not in counts.values()


def test_weights_are_glorot_uniform_and_biases_zero() -> None:
    for layer in paper_network(5):
        if not isinstance(layer, OWN):
            continue
        assert not layer.bias.any()
        window = math.prod(layer.weight.shape[2:])
        limit = math.sqrt(6 / (window * sum(layer.weight.shape[:2])))
        share = layer.weight.flatten() / limit
        assert share.abs().max() <= 1
        n = len(share)
        assert share.abs().max() > 1 - 14 / n  # fails for less than one seed in a million: e^-14
        # Kolmogorov and Smirnov, with the bound of Dvoretzky, Kiefer, Wolfowitz, Massart: a false alarm in a million.
        rank = torch.arange(n + 1) / n
        law = (share.sort().values + 1) / 2
        distance = torch.maximum((law - rank[:-1]).max(), (rank[1:] - law).max())
        assert distance < math.sqrt(math.log(2e6) / 2 / n)


def test_a_seed_makes_a_network_and_nothing_else_does() -> None:
    torch.manual_seed(0)
    one = paper_network(7)
    torch.manual_seed(1)
    again, other = paper_network(7), paper_network(8)
    for first, second, third in zip(one.parameters(), again.parameters(), other.parameters(), strict=True):
        assert torch.equal(first, second)
        assert first.ndim == 1 or not torch.equal(first, third)


def test_channels_are_last_and_no_gradient_is_kept() -> None:
    model = paper_network(0)
    weights = [layer.weight for layer in model if isinstance(layer, nn.Conv2d)]
    assert all(weight.is_contiguous(memory_format=torch.channels_last) for weight in weights)
    inside = model[:5](torch.rand(2, 1, 28, 28))
    assert inside.is_contiguous(memory_format=torch.channels_last)
    assert not inside.is_contiguous()
    assert not any(parameter.requires_grad for parameter in model.parameters())


@pytest.mark.parametrize(("seed", "error"), [(-1, ValueError), (1.5, TypeError), ("1", TypeError), (None, TypeError)])
def test_a_seed_is_a_number_from_0(seed: object, error: type) -> None:
    with pytest.raises((error, ValueError), match="seed"):
        paper_network(seed)
