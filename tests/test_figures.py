"""What is drawn: the data, the labels and the scales that were asked for."""

from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from shufflekit import figures
from shufflekit.bracket import bracket


@pytest.fixture(autouse=True)
def canvas():
    with matplotlib.rc_context({"backend": "Agg"}):
        figures.style()
        yield
        plt.close("all")


def drawn(ax):
    """The curves of a panel: label to y values."""
    return {line.get_label(): line.get_ydata() for line in ax.get_lines()}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_lines():
    curves = {"one": [1.0, 2.0, 3.0], "two": [Fraction(1, 2), 2, np.nan]}
    ax = figures.lines([1.0, 2.0, 3.0], curves, xlabel="eps0", ylabel="eps", title="both", logx=True, logy=True)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("eps0", "eps", "both")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert legend(ax) == ["one", "two"]
    np.testing.assert_array_equal(drawn(ax)["one"], [1, 2, 3])
    np.testing.assert_array_equal(drawn(ax)["two"], [0.5, 2, np.nan])
    for line in ax.get_lines():
        np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3])
    first, second = ax.get_lines()
    assert first.get_color() != second.get_color()
    assert first.get_marker() != second.get_marker()


def test_lines_on_a_given_panel():
    left, right = figures.panels(2)
    assert figures.lines([1, 2], {"_hidden": [3, 4]}, xlabel="m", ylabel="y", ax=right) is right
    assert right.get_legend() is None
    assert not left.get_lines()
    assert right.get_xscale() == "linear"


def test_whole_numbers_get_whole_ticks():
    ax = figures.lines(np.arange(1, 4), {"a": [1, 2, 3]}, xlabel="m", ylabel="y")
    assert all(tick == round(tick) for tick in ax.get_xticks())


def test_many_points_have_no_markers():
    ax = figures.lines(np.arange(100.0), {"a": np.arange(100.0)}, xlabel="x", ylabel="y")
    assert ax.get_lines()[0].get_marker() in (None, "None")


@pytest.mark.parametrize("count", [1, 3])
def test_panels(count):
    axes = figures.panels(count, width=2, height=3)
    assert len(axes) == count
    assert tuple(axes[0].figure.get_size_inches()) == (2 * count, 3)


def test_bound_and_truth():
    figures.bound_and_truth(
        [1, 2],
        [1, Fraction(1, 2)],
        [2.0, 3.0],
        xlabel="m",
        ylabel="E",
        bound_label="Thm 6",
        truth_label="exact",
    )
    left, right = plt.gcf().axes
    assert left.get_yscale() == "log"
    np.testing.assert_array_equal(drawn(left)["Thm 6"], [2, 3])
    np.testing.assert_array_equal(drawn(left)["exact"], [1, 0.5])
    np.testing.assert_array_equal(right.get_lines()[0].get_ydata(), [2, 6])
    assert right.get_ylabel() == "Thm 6 / exact"
    assert list(right.get_lines()[1].get_ydata()) == [1, 1]


@pytest.mark.parametrize(("bound", "scale"), [([2, 200], "linear"), ([2, 201], "log")])
def test_what_is_lost_over_more_than_two_decades_is_drawn_logarithmically(bound, scale):
    figures.bound_and_truth([1, 2], [1, 1], bound, xlabel="m", ylabel="E")
    assert plt.gcf().axes[1].get_yscale() == scale


def test_regions():
    x, y = np.array([1.0, 10.0, 100.0]), np.array([1.0, 2.0])
    winner = np.array([[0, 1, 1], [2, 2, 0]])
    ax = figures.regions(x, y, winner, ["a", "b", "c"], xlabel="k", ylabel="eps0", title="who wins")
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("k", "eps0", "who wins")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert legend(ax) == ["a", "b", "c"]
    mesh = ax.collections[0]
    np.testing.assert_array_equal(mesh.get_array(), winner)
    # Each name's patch has the colour of its region.
    colours = [line.get_color() for line in ax.get_lines()]
    for index, colour in enumerate(colours):
        assert mesh.cmap(mesh.norm(index)) == matplotlib.colors.to_rgba(colour)


def test_bars():
    ax = figures.bars(["a", "b"], [1, Fraction(5, 2)], ylabel="eps", title="two")
    assert [bar.get_height() for bar in ax.patches] == [1, 2.5]
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["a", "b"]
    assert [text.get_text() for text in ax.texts] == ["1", "2.5"]
    assert (ax.get_ylabel(), ax.get_title()) == ("eps", "two")


def test_bars_in_the_colours_asked_for_leave_room_for_the_values():
    ax = figures.bars(["a", "b", "c"], [1, 2, 3], ylabel="eps", colours=[figures.TRUTH, figures.LOWER])
    colours = [matplotlib.colors.to_hex(bar.get_facecolor(), keep_alpha=False).upper() for bar in ax.patches]
    assert colours == [figures.TRUTH, figures.LOWER, figures.TRUTH]
    assert ax.get_ylim()[1] > 1.1 * 3


def test_style_tells_curves_apart():
    assert len(set(figures.CYCLE)) == len(figures.CYCLE)
    assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == list(figures.CYCLE)


def test_guaranteed_and_reached():
    ends = {"a": [bracket(1.0, 2.0), bracket(2.0, 3.0)], "b": [bracket(4.0, 4.0), bracket(5.0, 5.0)]}
    figures.guaranteed_and_reached([1, 10], ends, xlabel="load", titles=["both", "how far apart"])
    left, right = plt.gcf().axes
    heights = [line.get_ydata().tolist() for line in left.get_lines()]
    assert heights == [[2, 3], [1, 2], [4, 5], [4, 5]]
    assert [line.get_ydata().tolist() for line in right.get_lines()] == [[2, 1.5], [1, 1]]
    assert (legend(left), left.get_title(), right.get_title()) == (["a", "b"], "both", "how far apart")
    assert (left.get_xscale(), left.get_yscale(), right.get_xscale()) == ("log", "log", "log")
