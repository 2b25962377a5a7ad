"""Explorers: controls beside a picture that follows them, for a reader or for a teacher before a class."""

import asyncio
import base64
import io
import math
import numbers
import traceback
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import matplotlib.pyplot as plt
from IPython.utils.capture import capture_output
from matplotlib.figure import Figure

from shufflekit import _validate

SLIDER = {
    "continuous_update": False,
    "layout": widgets.Layout(width="290px"),
    "style": {"description_width": "90px"},
}
PAUSE = 0.1  # seconds without a change before a picture is made: what was asked meanwhile is skipped
COMPUTING = '<b style="background: #E69F00; color: black; padding: 0.2em 0.6em">computing ...</b>'


def linear(low: float, high: float, start: float, step: float = 0.05, label: str = "") -> widgets.FloatSlider:
    """A slider for a number."""
    _check_range(low, high, start)
    step = _validate.positive(step=step)
    return widgets.FloatSlider(value=start, min=low, max=high, step=step, description=label, **SLIDER)


def log10(low: float, high: float, start: float, label: str = "") -> widgets.FloatLogSlider:
    """A slider for a number over several orders of magnitude; ``low`` and ``high`` are exponents of 10."""
    _check_range(low, high, math.log10(_validate.positive(start=start)))
    return widgets.FloatLogSlider(
        value=start, min=low, max=high, step=0.25, readout_format=".2", description=label, **SLIDER
    )


def whole(low: int, high: int, start: int, label: str = "") -> widgets.IntSlider:
    """A slider for a whole number."""
    _check_range(low, high, start)
    return widgets.IntSlider(value=start, min=low, max=high, description=label, **SLIDER)


def choice(options: Sequence[str], label: str = "") -> widgets.Dropdown:
    """A menu of words."""
    words = isinstance(options, Sequence) and all(isinstance(option, str) for option in options)
    if isinstance(options, str) or not words or not options:
        raise TypeError(f"options must be a list of words, got {options!r}")
    return widgets.Dropdown(options=list(options), description=label, layout=SLIDER["layout"], style=SLIDER["style"])


class Explorer(widgets.HBox):  # type: ignore[misc]
    """Controls, and beside them what ``draw(**values)`` makes of their values: an answer in large type, and a picture.

    The answer is the text that ``draw`` returns. If it returns none, it is the title of the only panel, moved there.
    """

    def __init__(self, draw: Callable[..., Any], **controls: widgets.Widget) -> None:
        if not callable(draw):
            raise TypeError(f"draw must be a function, got {draw!r}")
        for name, control in controls.items():
            control.description = control.description or name
        self.picture, self.state = widgets.Output(), widgets.HTML()
        self._draw, self._controls = draw, controls
        self._planned: asyncio.TimerHandle | None = None
        self.picture.outputs = self._drawn()
        for control in controls.values():
            control.observe(self._plan, names="value")
        column = widgets.VBox([*controls.values(), self.state], layout=widgets.Layout(flex="0 0 auto"))
        self.picture.layout = widgets.Layout(flex="1 1 0", min_width="320px")
        super().__init__([column, self.picture], layout=widgets.Layout(flex_flow="row wrap"))

    def _plan(self, _change: Any) -> None:
        """Say that the picture is old, and draw it anew once no control has changed for a moment."""
        self.state.value = COMPUTING
        if self._planned:
            self._planned.cancel()
        try:
            self._planned = asyncio.get_running_loop().call_later(PAUSE, self._redraw)
        except RuntimeError:  # no loop, as in a script: nothing else can come meanwhile
            self._redraw()

    def _redraw(self) -> None:
        """Show the picture, or why there is none: nobody else would hear of an error here."""
        self._planned = None
        try:
            self.picture.outputs = self._drawn()
        except Exception as error:
            plt.close("all")
            name, lines = type(error).__name__, traceback.format_exception_only(error)
            failed = {"output_type": "error", "ename": name, "evalue": str(error), "traceback": lines}
            self.picture.outputs = (failed,)
        self.state.value = ""

    def _drawn(self) -> tuple[dict[str, Any], ...]:
        """The answer, what was printed and displayed, and the pictures, as the outputs of a cell."""
        with capture_output() as said:
            answer = self._draw(**{name: control.value for name, control in self._controls.items()})
        figures = [plt.figure(number) for number in plt.get_fignums()]
        answer = answer if isinstance(answer, str) else "".join(_title_taken_from(figure) for figure in figures)
        streams = {"stdout": said.stdout, "stderr": said.stderr}
        printed = [{"output_type": "stream", "name": name, "text": text} for name, text in streams.items() if text]
        displayed = [_display(output.data) for output in said.outputs]
        pictures = [_display(_png(figure)) for figure in figures]
        plt.close("all")
        return (*([_display(_large(answer))] if answer else []), *printed, *displayed, *pictures)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        # What a reader of a saved page sees where the sliders are on a live one.
        bundle["text/plain"] = f"[sliders: {', '.join(self._controls)} -- run this notebook to move them]"
        return bundle


def _title_taken_from(figure: Figure) -> str:
    """The title of a figure of one panel, taken away from it."""
    if len(figure.axes) != 1:
        return ""
    title = figure.axes[0].get_title()
    figure.axes[0].set_title("")
    return title


def _large(answer: str) -> dict[str, str]:
    """The answer in large type, formulas and all."""
    lines = answer.replace("\n", "<br>")
    return {"text/markdown": f'<span style="font-size: 1.5em">{lines}</span>', "text/plain": answer}


def _png(figure: Figure) -> dict[str, str]:
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return {"image/png": base64.b64encode(file.getvalue()).decode(), "text/plain": repr(figure)}


def _display(data: dict[str, Any]) -> dict[str, Any]:
    return {"output_type": "display_data", "data": data, "metadata": {}}


def _check_range(low: float, high: float, start: float) -> None:
    for name, value in (("low", low), ("high", high), ("start", start)):
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"{name} must be a finite number, got {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, got {value!r}")
    if not low <= start <= high:
        raise ValueError(f"start must be from {low:g} to {high:g}, got {start:g}")
