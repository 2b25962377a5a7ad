"""Explorers: the picture follows the controls."""

import asyncio
import base64
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


def controls_of(explorer):
    """The controls of an explorer, which stand in a column with what says that the picture is old."""
    column, picture = explorer.children
    assert picture is explorer.picture
    *controls, state = column.children
    assert state is explorer.state
    return controls


def shown(explorer, kind):
    """The data of this kind in what an explorer shows."""
    return [output["data"][kind] for output in explorer.picture.outputs if kind in output.get("data", {})]


def test_the_picture_follows_the_controls():
    """Where nothing else can happen meanwhile, as in a script, each change is worked out at once."""
    seen = []

    def draw(**values):
        seen.append(values)

    explorer = explore.Explorer(draw, eps0=explore.linear(0, 4, 2), order=explore.whole(2, 8, 3, label="lambda"))
    assert seen == [{"eps0": 2, "order": 3}]
    eps0, order = controls_of(explorer)
    assert (eps0.description, order.description) == ("eps0", "lambda")
    eps0.value = 3
    order.value = 5
    assert seen[1:] == [{"eps0": 3, "order": 3}, {"eps0": 3, "order": 5}]
    eps0.value = 3
    assert len(seen) == 3
    assert explorer.state.value == ""


def test_only_the_newest_values_are_worked_out_and_the_old_picture_says_so():
    seen = []

    async def move():
        explorer = explore.Explorer(lambda k: seen.append(k), k=explore.whole(0, 100, 0))
        (k,) = controls_of(explorer)
        states = [explorer.state.value]
        for value in range(1, 50):
            k.value = value
        states.append(explorer.state.value)
        assert seen == [0]
        await asyncio.sleep(3 * explore.PAUSE)
        states.append(explorer.state.value)
        k.value = 70
        await asyncio.sleep(3 * explore.PAUSE)
        return states

    assert asyncio.run(move()) == ["", explore.COMPUTING, ""]
    assert seen == [0, 49, 70]


def test_the_answer_is_the_title_of_the_only_panel():
    def draw(k):
        plt.plot([0, k])
        plt.title(f"between\n{k} and {k + 1}")

    explorer = explore.Explorer(draw, k=explore.whole(0, 9, 2))
    answer, picture = explorer.picture.outputs
    assert answer["data"]["text/plain"] == "between\n2 and 3"
    assert "between<br>2 and 3" in answer["data"]["text/markdown"]
    assert "font-size" in answer["data"]["text/markdown"]
    assert base64.b64decode(picture["data"]["image/png"]).startswith(b"\x89PNG")
    assert not plt.get_fignums()
    (k,) = controls_of(explorer)
    before = shown(explorer, "image/png")
    k.value = 5
    assert shown(explorer, "text/plain")[0] == "between\n5 and 6"
    assert shown(explorer, "image/png") != before
    assert len(shown(explorer, "image/png")) == 1


def test_titles_of_several_panels_stay_where_they_are():
    taken = []

    def draw(k):
        _, axes = plt.subplots(1, 2)
        for ax in axes:
            ax.set_title("panel")
        taken.extend(axes)

    explorer = explore.Explorer(draw, k=explore.whole(0, 9, 2))
    assert len(explorer.picture.outputs) == 1
    assert [ax.get_title() for ax in taken] == ["panel", "panel"]


def test_a_text_that_is_returned_is_the_answer():
    def draw(k):
        plt.title("the title of the picture")
        return f"epsilon = {k}"

    explorer = explore.Explorer(draw, k=explore.whole(0, 9, 2))
    assert shown(explorer, "text/plain")[0] == "epsilon = 2"
    assert len(explorer.picture.outputs) == 2


def test_what_is_printed_is_shown():
    explorer = explore.Explorer(lambda k: print("k is", k), k=explore.whole(0, 9, 2))
    assert explorer.picture.outputs == ({"output_type": "stream", "name": "stdout", "text": "k is 2\n"},)


def test_an_error_is_shown_and_the_next_change_is_worked_out():
    def draw(k):
        plt.plot([0, 1])
        if k == 5:
            raise ValueError("k must not be 5")
        return f"k is {k}"

    explorer = explore.Explorer(draw, k=explore.whole(0, 9, 2))
    (k,) = controls_of(explorer)
    k.value = 5
    (error,) = explorer.picture.outputs
    assert (error["output_type"], error["ename"], error["evalue"]) == ("error", "ValueError", "k must not be 5")
    assert explorer.state.value == ""
    assert not plt.get_fignums()
    k.value = 6
    assert shown(explorer, "text/plain")[0] == "k is 6"
    assert len(explorer.picture.outputs) == 2
    with pytest.raises(ValueError, match="k must not be 5"):
        explore.Explorer(draw, k=explore.whole(0, 9, 5))


def test_a_saved_page_says_what_would_be_there():
    explorer = explore.Explorer(lambda **_: None, eps0=explore.linear(0, 4, 2), k=explore.whole(2, 8, 3))
    text = explorer._repr_mimebundle_()["text/plain"]
    assert text == "[sliders: eps0, k -- run this notebook to move them]"


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
