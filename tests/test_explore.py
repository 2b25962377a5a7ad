"""Explorers: the picture follows the controls."""

import math

import matplotlib
import matplotlib.pyplot as plt
import pytest

from shufflekit import explore


@pytest.fixture(autouse=True)
def canvas():
    with matplotlib.rc_context({"backend": "Agg"}):
        yield
        plt.close("all")


def test_sliders():
    number = explore.linear(0, 4, 2, step=0.5, label="eps0")
    assert (number.min, number.max, number.value, number.step, number.description) == (0, 4, 2, 0.5, "eps0")
    scale = explore.log10(2, 9, 1e6, label="n")
    assert (scale.base, scale.min, scale.max, scale.value) == (10, 2, 9, 1e6)
    count = explore.whole(2, 8, 3)
    assert (count.min, count.max, count.value) == (2, 8, 3)
    words = explore.choice(["2", "3"], label="inputs")
    assert (words.options, words.value, words.description) == (("2", "3"), "2", "inputs")
    # Only when a slider comes to rest: a picture takes a while.
    assert not any(slider.continuous_update for slider in (number, scale, count))


def test_the_picture_follows_the_controls(capsys):
    seen = []

    def draw(**values):
        seen.append(values)

    explorer = explore.Explorer(draw, eps0=explore.linear(0, 4, 2), order=explore.whole(2, 8, 3, label="lambda"))
    assert seen == [{"eps0": 2, "order": 3}]
    eps0, order, picture = explorer.children
    assert picture is explorer.picture
    assert (eps0.description, order.description) == ("eps0", "lambda")
    eps0.value = 3
    order.value = 5
    assert seen[1:] == [{"eps0": 3, "order": 3}, {"eps0": 3, "order": 5}]
    eps0.value = 3
    assert len(seen) == 3
    capsys.readouterr()


def test_a_saved_page_says_what_would_be_there(capsys):
    explorer = explore.Explorer(lambda **_: None, eps0=explore.linear(0, 4, 2), k=explore.whole(2, 8, 3))
    shown = explorer._repr_mimebundle_()["text/plain"]
    assert shown == "[sliders: eps0, k -- run this notebook to move them]"
    capsys.readouterr()


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_ends_must_be_finite(value):
    for call, name in (
        (lambda: explore.linear(value, 4, 2), "low"),
        (lambda: explore.linear(0, value, 2), "high"),
        (lambda: explore.linear(0, 4, value), "start"),
        (lambda: explore.log10(value, 4, 10), "low"),
        (lambda: explore.log10(0, 4, value), "start"),
        (lambda: explore.linear(0, 4, 2, step=value), "step"),
    ):
        with pytest.raises(ValueError, match=f"{name} must be"):
            call()


def test_the_start_must_be_on_the_slider():
    for call in (
        lambda: explore.linear(0, 4, 5),
        lambda: explore.linear(4, 0, 2),
        lambda: explore.log10(2, 9, 10),
        lambda: explore.whole(2, 8, 1),
    ):
        with pytest.raises(ValueError, match="start must be from"):
            call()


def test_wrong_types():
    for options in ("23", [2, 3], [], [None]):
        with pytest.raises(TypeError, match="options must be a list of words"):
            explore.choice(options)
    with pytest.raises(TypeError, match="draw must be a function, got 3"):
        explore.Explorer(3)
    with pytest.raises(TypeError, match="start must be"):
        explore.whole(2, 8, "3")
