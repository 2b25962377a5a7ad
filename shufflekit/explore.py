"""Explorers: sliders above a picture that follows them, for a reader or for a teacher before a class."""

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
import matplotlib.pyplot as plt

from shufflekit import _validate

SLIDER = {
    "continuous_update": False,
    "layout": widgets.Layout(width="420px"),
    "style": {"description_width": "110px"},
}


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


class Explorer(widgets.VBox):  # type: ignore[misc]
    """Controls, and the picture that ``draw(**values)`` makes of their values."""

    def __init__(self, draw: Callable[..., Any], **controls: widgets.Widget) -> None:
        if not callable(draw):
            raise TypeError(f"draw must be a function, got {draw!r}")
        for name, control in controls.items():
            control.description = control.description or name
        self.picture = widgets.Output()
        self._draw, self._controls = draw, controls
        for control in controls.values():
            control.observe(self._redraw, names="value")
        super().__init__([*controls.values(), self.picture])
        self._redraw()

    def _redraw(self, _change: Any = None) -> None:
        with self.picture:
            self.picture.clear_output(wait=True)
            self._draw(**{name: control.value for name, control in self._controls.items()})
            plt.show()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        # What a reader of a saved page sees where the sliders are on a live one.
        bundle["text/plain"] = f"[sliders: {', '.join(self._controls)} -- run this notebook to move them]"
        return bundle


def _check_range(low: float, high: float, start: float) -> None:
    for name, value in (("low", low), ("high", high), ("start", start)):
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"{name} must be a finite number, got {value!r}")
        if not math.isfinite(value):
            raise ValueError(f"{name} must be a finite number, got {value!r}")
    if not low <= start <= high:
        raise ValueError(f"start must be from {low:g} to {high:g}, got {start:g}")
