"""What is meant where an argument is left out: the same by one name everywhere, but for a few that are named."""

import importlib
import inspect
import math
import pkgutil
from collections.abc import Iterator
from fractions import Fraction
from numbers import Real
from types import ModuleType
from typing import Any

import pytest

import shufflekit

# By name; a switch that is not here is off.
DEFAULTS: dict[str, Real] = {
    # One round, all of whom come, one message each, and nobody more.
    **{"rounds": 1, "n_c": 1, "shown": 1, "weight": 1, "times": 1, "rate": 1, "participation": 1.0},
    **{"more": 0, "more_rate": 0.0, "third": 0.0, "third_rate": 0.0, "spare": 0, "printed_sd": 0.0},
    # The ball is the unit ball, two of its points are at most its diameter apart, and noise is as large as it.
    **{"radius": 1.0, "R": 2.0, "distance": 2.0, "sigma": 1.0, "beta": 1.0, "d": 10, "spread": 0.3, "honest": 0.6},
    # Nothing is lost, is surely told apart, or errs.
    **{"missing": 0.0, "infinite": 0.0, "error": 0.0, "spacing": 0.0, "origin": 0.0, "delta0": 0.0, "room": 1.0},
    # No limit, and no preference.
    **{"at_most": math.inf, "high": math.inf, "low": -math.inf, "cap": math.inf, "limit": math.inf},
    **{"x": 0.0, "start": 0, "tilt": 1.0, "alpha": 1.0, "client": 0, "seed": 0, "k": 2, "at_least": 1},
    # How near, how long, how wide.
    **{"rtol": 1e-4, "interval": 1e-4, "precision": 1e-10, "log_cut": -80.0, "cells": 8192, "parts": 24, "digits": 6},
    **{"block": 2000, "depth": 10.0, "patience": 4, "look": 100, "printed_runs": 2},
    **{"step": 0.05, "width": 4.2, "height": 3.6, "place": 2},
    # The papers' own settings.
    **{"delta": 1e-8, "delta1": Fraction(1, 10)},
    # What is not asked for is not done, but for three.
    **{"dummies": True, "decides": True, "download": True},
}
OTHERS: dict[str, Real] = {
    "shufflekit.dominating_pairs.lognormal.log_laplace.centre": 1.0,
    "shufflekit.dominating_pairs.channel_game.ChannelPair.profile.near": math.inf,
    "shufflekit.dominating_pairs.line.stop_losses.finer": True,
    "shufflekit.dominating_pairs.came_remainder._spread.slope": 0.0,
    "shufflekit.papers.figures_bench.parameters.filters": 32,
    "shufflekit.papers.figures_bench.within.near": 1.05,
    "shufflekit.papers.girgis2021.learning_bench.overshoot.eps0": 6.0,
    "shufflekit.papers.girgis2021.learning_bench.overshoot.k": 1000,
    "shufflekit.papers.girgis2021.survey.Survey.radius": 2.0,
    "shufflekit.papers.girgis2021.ternary_bench.histogram_rows.clients": 4,
    "shufflekit.papers.koskela2023.gaussian_bench.cubes.seed": 1,
    "shufflekit.papers.koskela2023.gaussian_bench.in_the_plane.points": 1501,
    "shufflekit.papers.koskela2023.sampling_figures.figure3_rows.delta": 1e-6,
    "shufflekit.equivalence._sample.at_least": 2,
    "shufflekit.inverse.Search.smallest.most": 10**12,
    "shufflekit.learning.cifar.learn.rate": 1e-3,
    "shufflekit.papers.koskela2023.figure1.fig1.rtol": 1e-3,
    "shufflekit.papers.koskela2023.fourier.fourier_accountant.tilt": 0.0,
    "shufflekit.learning.untrained.side.pixels": 28,
    "shufflekit.papers.liew2022.experiments.ldp_sgd.rounds": 6800,
    "shufflekit.papers.liew2022.experiments.ldp_sgd_by_strong_composition.rounds": 6800,
    "shufflekit.papers.liew2022.noise.after.came": 60,
    "shufflekit.papers.liew2022.noise.after.seed": 17,
    "shufflekit.papers.liew2022.noise.attempts.eps": 0.1,
    "shufflekit.papers.liew2022.noise.share_by_count.most": 100,
    "shufflekit.renyi.best_order.most": 1e7,
    "shufflekit.renyi.best_order.start": 2.0,
}
MODULES = (
    "shufflekit._digits",
    "shufflekit._validate",
    "shufflekit.atoms",
    "shufflekit.beyond.few",
    "shufflekit.beyond.few_slots",
    "shufflekit.beyond.game",
    "shufflekit.beyond.slots",
    "shufflekit.calibrate",
    "shufflekit.certify.game_grid",
    "shufflekit.certify.judge",
    "shufflekit.certify.rounds",
    "shufflekit.check_in_calibrate",
    "shufflekit.check_in_cli",
    "shufflekit.check_in_sgd",
    "shufflekit.claims",
    "shufflekit.convex_order.profiles",
    "shufflekit.convex_order.tangents",
    "shufflekit.definitions.noisy_mean",
    "shufflekit.definitions.scores",
    "shufflekit.dominating_pairs.anchors",
    "shufflekit.dominating_pairs.blocks",
    "shufflekit.dominating_pairs.board",
    "shufflekit.dominating_pairs.came_remainder",
    "shufflekit.dominating_pairs.channel_game",
    "shufflekit.dominating_pairs.counts",
    "shufflekit.dominating_pairs.diluted",
    "shufflekit.dominating_pairs.game_pair",
    "shufflekit.dominating_pairs.gaussian",
    "shufflekit.dominating_pairs.knots",
    "shufflekit.dominating_pairs.least",
    "shufflekit.dominating_pairs.line",
    "shufflekit.dominating_pairs.lines",
    "shufflekit.dominating_pairs.lognormal",
    "shufflekit.dominating_pairs.lognormal_sums",
    "shufflekit.dominating_pairs.long_game",
    "shufflekit.dominating_pairs.lottery_pair",
    "shufflekit.dominating_pairs.mean",
    "shufflekit.dominating_pairs.mixture",
    "shufflekit.dominating_pairs.more_votes",
    "shufflekit.dominating_pairs.noisy_mean",
    "shufflekit.dominating_pairs.pair",
    "shufflekit.dominating_pairs.quick_sums",
    "shufflekit.dominating_pairs.rare_kinds",
    "shufflekit.dominating_pairs.score_pair",
    "shufflekit.dominating_pairs.votes",
    "shufflekit.dominating_pairs.votes_law",
    "shufflekit.equivalence",
    "shufflekit.exact.check_ins",
    "shufflekit.explore",
    "shufflekit.figures",
    "shufflekit.fourier",
    "shufflekit.interop",
    "shufflekit.inverse",
    "shufflekit.learning.check_in_plans",
    "shufflekit.learning.cifar",
    "shufflekit.learning.crowds",
    "shufflekit.learning.data",
    "shufflekit.learning.plain_plans",
    "shufflekit.learning.plans",
    "shufflekit.learning.randomizers",
    "shufflekit.learning.streams",
    "shufflekit.learning.training",
    "shufflekit.learning.untrained",
    "shufflekit.loss_distribution.listed",
    "shufflekit.loss_distribution.rare",
    "shufflekit.loss_distribution.shares",
    "shufflekit.loss_distribution.smoothed",
    "shufflekit.loss_distribution.together",
    "shufflekit.papers.balle2020.hiding_bench",
    "shufflekit.papers.balle2020.learning_bench",
    "shufflekit.papers.balle2020.replacement_bench",
    "shufflekit.papers.comparisons",
    "shufflekit.papers.figures_bench",
    "shufflekit.papers.figures_girgis2021",
    "shufflekit.papers.girgis2021.learning_bench",
    "shufflekit.papers.girgis2021.lower_bench",
    "shufflekit.papers.girgis2021.renyi",
    "shufflekit.papers.girgis2021.survey",
    "shufflekit.papers.girgis2021.ternary_bench",
    "shufflekit.papers.koskela2023.figure1",
    "shufflekit.papers.koskela2023.fourier",
    "shufflekit.papers.koskela2023.gaussian_bench",
    "shufflekit.papers.koskela2023.losses",
    "shufflekit.papers.koskela2023.sampling_accountant",
    "shufflekit.papers.koskela2023.sampling_bench",
    "shufflekit.papers.koskela2023.sampling_figures",
    "shufflekit.papers.koskela2023.views",
    "shufflekit.papers.koskela2023.views_bench",
    "shufflekit.papers.koskela2023.views_figure",
    "shufflekit.papers.liew2022.experiments",
    "shufflekit.papers.liew2022.hidden_count",
    "shufflekit.papers.liew2022.noise",
    "shufflekit.pictures.clients",
    "shufflekit.pictures.worlds",
    "shufflekit.protocols.answers",
    "shufflekit.protocols.attacks",
    "shufflekit.protocols.bounds",
    "shufflekit.protocols.check_ins",
    "shufflekit.protocols.distributed",
    "shufflekit.protocols.run",
    "shufflekit.randomizers",
    "shufflekit.renyi",
    "shufflekit.shuffled_check_in_calibrate",
    "shufflekit.vector_randomizers",
)
# Loaded by the test of each of them alone: without torch they are skipped.
LEARNING = tuple(name for name in MODULES if name.startswith("shufflekit.learning."))


def defaults(module: ModuleType) -> Iterator[tuple[str, Real]]:
    """Each argument that may be left out for a number: of the module's functions, classes and their methods."""
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", None) == module.__name__ and callable(thing):
            yield from _of(f"{module.__name__}.{name}", thing)
            for method, own in vars(thing).items() if inspect.isclass(thing) else ():
                if inspect.isfunction(own) and not method.startswith("__"):
                    yield from _of(f"{module.__name__}.{name}.{method}", own)


def _of(name: str, thing: Any) -> Iterator[tuple[str, Real]]:
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):  # a type hint, or a class of Python's own making
        return
    yield from ((f"{name}.{one.name}", one.default) for one in parameters if isinstance(one.default, Real))


@pytest.mark.parametrize("name", MODULES)
def test_what_is_meant_by_an_argument_left_out(name: str) -> None:
    if name in LEARNING:
        pytest.importorskip("torch")
    found = dict(defaults(importlib.import_module(name)))
    assert found
    for argument, default in found.items():
        wanted = OTHERS.get(argument, DEFAULTS.get(argument.rpartition(".")[2], False))
        assert default == wanted, argument


def test_no_module_with_defaults_is_missing() -> None:
    pytest.importorskip("torch")
    names = [info.name for info in pkgutil.walk_packages(shufflekit.__path__, "shufflekit.")]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    found = {module.__name__: dict(defaults(module)) for module in modules}
    assert sorted(MODULES) == sorted(name for name, own in found.items() if own)
    assert OTHERS.keys() <= {argument for own in found.values() for argument in own}
