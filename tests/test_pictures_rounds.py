"""Drawings of rounds: who comes sends one message, and a slot is yours with the chance that is written under it."""

import matplotlib.pyplot as plt
import pytest

from shufflekit.pictures import rounds as pictures
from tests.frames import assert_texts_are_inside


@pytest.fixture(params=["shuffled_check_in", "distributed_check_in", "sampled_slots"])
def ax(request):
    axes = getattr(pictures, request.param)()
    yield axes
    plt.close(axes.figure)


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_who_comes_sends_one_message():
    ax = pictures.shuffled_check_in()
    assert words(ax).count("comes") == words(ax).count("message") == len(pictures.CAME) == 4
    assert words(ax).count("stays away") == 4
    assert sorted(pictures.CAME.values()) == list(range(4))
    plt.close(ax.figure)


def test_who_comes_brings_noise():
    ax = pictures.distributed_check_in()
    assert words(ax).count("comes") == sum("noise" in word and word.startswith("$x_") for word in words(ax)) == 4
    assert len(ax.lines) == len(pictures.CAME)
    plt.close(ax.figure)


def test_every_slot_may_be_yours():
    ax = pictures.sampled_slots()
    assert sum("yours" in word for word in words(ax)) == 4
    assert [word for word in words(ax) if word.startswith("$o_")] == [f"$o_{i}$" for i in range(1, 5)]
    assert len(ax.lines) == 4
    plt.close(ax.figure)


def test_it_is_drawn_within_its_frame(ax):
    assert_texts_are_inside(ax)


def test_three_protocols_say_who_sees_what():
    axes = pictures.three_protocols()
    assert [ax.get_title() for ax in axes] == ["LDP-SGD", "federated DP-SGD", "distributed DP-SGD"]
    assert all(len(words(ax)) == 3 + 4 for ax in axes)  # four arrows are annotations without a word
    assert "mean" in words(axes[2])[-1]
    plt.close(axes[0].figure)
