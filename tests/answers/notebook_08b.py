"""Notebook 8b: the answers by another route than the table's, and answers that fall into a trap."""

from fractions import Fraction

from shufflekit.papers import figures_bench


def first_epoch(composition):
    """From the far end down."""
    epoch = 200
    while figures_bench.cost("Figure 3", 6 * epoch) < figures_bench.cost("Figure 3", 6 * epoch, composition):
        epoch -= 1
    return epoch + 1


def inputs(biases):
    """From the count of a network whose last picture has one pixel, 32 inputs."""
    return 32 + Fraction(13_170 - figures_bench.parameters(1, biases), 32)


def convolution(filters, window, channels):
    """Weight by weight."""
    return sum(sum(1 for _ in range(channels * window * window)) + 1 for _ in range(filters))


ANSWERS = {"08b.1": first_epoch("simplified"), "08b.3": inputs((True,) * 4), "08b.2": convolution}

FALLEN = [
    ("08b.1", first_epoch("optimal"), "with the optimal [34]."),
    ("08b.1", 6 * first_epoch("simplified"), "An epoch has 6."),
    ("08b.3", inputs((True, True, False, True)), "of that layer are no inputs."),
    ("08b.3", inputs((False, False, True, False)), "The other layers have biases, too."),
    ("08b.2", lambda filters, window, channels: filters * channels * window**2, "Each filter has a bias, too."),
    ("08b.2", lambda filters, window, channels: filters * (window**2 + 1), "sees all channels of its input."),
]
