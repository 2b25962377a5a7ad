"""Drawings of pairs and losses say what is computed elsewhere."""

from fractions import Fraction

import matplotlib.pyplot as plt
import numpy as np
import pytest

from shufflekit.pictures import pairs as pair_pictures
from shufflekit.randomizers import RandomizedResponse


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def faces(ax):
    return [line.get_markerfacecolor() for line in ax.lines if line.get_marker() == "o"]


def test_the_bag_of_clones_holds_what_is_counted():
    ax = pair_pictures.clone_coin()
    bag = faces(ax)[2:]  # the first two are the clone's choice
    assert "what is counted:\n3 black, 2 white" in texts(ax)
    assert [bag.count(face) for face in (pair_pictures.BLACK, pair_pictures.WHITE)] == [3, 2]


def test_who_stayed_is_in_the_bag_with_you():
    ax = pair_pictures.leavers()
    said = texts(ax)
    assert (said.count("stays"), said.count("left:\nnamed"), said.count("you")) == (3, 2, 1)
    assert faces(ax).count(pair_pictures.PALE) == said.count("stays") + 1


def test_the_tree_has_the_laws_of_randomized_response():
    ax = pair_pictures.two_rounds()
    said = texts(ax)
    P, Q = RandomizedResponse(2, ratio=3).probs
    for first in (0, 1):
        for second in (0, 1):
            p, q = P[first] * P[second], Q[first] * Q[second]
            assert f"{p * 16}/16" in said
            assert str(p / q) in said
    assert said.count("3/16") == 4
    assert Fraction(9, 16) == P.max() ** 2


def test_the_sum_has_all_of_the_mass():
    heights = [np.array([bar.get_height() for bar in ax.patches]) for ax in pair_pictures.convolution()]
    assert [sum(law) for law in heights] == pytest.approx([1, 1, 1])
    means = [
        law @ np.array([bar.get_x() + bar.get_width() / 2 for bar in ax.patches])
        for law, ax in zip(heights, plt.gcf().axes, strict=True)
    ]
    assert means[2] == pytest.approx(means[0] + means[1])


def test_tilting_brings_what_is_asked_for_above_the_floor():
    plain, tilted = pair_pictures.tilting()
    for ax, above in ((plain, False), (tilted, True)):
        bars = [bar.get_height() for bar in ax.patches[: pair_pictures.ROUNDS + 1]]
        assert (bars[18] > pair_pictures.FLOOR * max(bars)) == above
