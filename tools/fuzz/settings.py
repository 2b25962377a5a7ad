"""What is tried: a distribution over all that can be asked, drawn by a seed. A setting is text that Python reads."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import shufflekit
from shufflekit.randomizers import random_channel

# What a setting's text is made of.
NAMES: dict[str, Any] = {name: getattr(shufflekit, name) for name in shufflekit.__all__}
NAMES |= {"random_channel": random_channel, "default_rng": np.random.default_rng}

ROUNDS = {"one round": 0.4, "composed": 0.4, "sum": 0.2}  # a sum is one of two or three unlike protocols
QUESTIONS = {"guarantee": 0.3, "delta": 0.25, "epsilon": 0.15, "attack_epsilon": 0.15, "rdp": 0.15}
SMALL = 0.25  # of all settings have few clients and rounds, so that references are affordable
FEW_CLIENTS, FEW_ROUNDS = 8, 50
MOST_ROUNDS, MOST_IN_SUM = 10**6, 10**5  # of each protocol
LOCAL = (0.05, 8.0)  # eps0
NOISE = (0.2, 10.0)  # sigma
EXPONENTS = (4.0, 40.0)  # delta is 10 to minus these
SHARES = (0.3, 2.0)  # delta is asked at the guarantee's eps for the delta drawn, times these
ORDERS = (1.05, 128.0)
ALL_LOOKS = 9  # a third of the answers are held against that to a second question
RATES = (1e-4, 1.0)
MOST_CLIENTS, MOST_POPULATION, MOST_KNOWN, MOST_ALIKE, MOST_SLOTS = 10**9, 10**12, 10**7, 10**7, 10**8


class Setting(NamedTuple):
    """A run, as text, and what is asked of it. Not every question has use for all numbers."""

    kind: str
    rounds: str
    question: str
    run: str
    delta: float
    share: float
    order: float
    look: int  # which second question is to fit, if any


class Draw:
    """Random numbers of all orders of magnitude."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.small = bool(rng.random() < SMALL)

    def spread(self, low: float, high: float) -> float:
        return float(f"{math.exp(self.rng.uniform(math.log(low), math.log(high))):.4g}")

    def whole(self, low: float, high: float) -> int:
        """A whole number; of clients or slots few, where the setting is a small one."""
        return round(self.spread(low, min(high, FEW_CLIENTS) if self.small else high))

    def rounds(self, low: int, high: int) -> int:
        return round(self.spread(low, FEW_ROUNDS if self.small else high))

    def coin(self, chance: float = 0.5) -> bool:
        return bool(self.rng.random() < chance)

    def one_of(self, shares: dict[str, float]) -> str:
        return str(self.rng.choice(list(shares), p=list(shares.values())))

    def rate(self) -> float:
        return 1.0 if self.coin(0.1) else self.spread(*RATES)

    def local(self) -> str:
        return f"eps0={self.spread(*LOCAL)}"


def _sampled(draw: Draw, most: int) -> str:
    """How many report, of a population that is larger in half of the settings."""
    n = draw.whole(1, most)
    larger = min(MOST_POPULATION, round(n * draw.spread(1, 30 if draw.small else 1e6)))
    return f"n={n}, population={larger}" if draw.coin() else f"n={n}"


def _channel(draw: Draw) -> str:
    name = draw.one_of({"RandomizedResponse": 0.25, "HadamardResponse": 0.25, "DiscretizedLaplace": 0.2, "random": 0.3})
    if name == "random":
        inputs, outputs = draw.rng.integers(2, 11, 2)
        return f"random_channel({inputs}, {outputs}, {draw.local()}, rng=default_rng({draw.rng.integers(1000)}))"
    k = round(draw.spread(2, {"RandomizedResponse": 100, "HadamardResponse": 64, "DiscretizedLaplace": 32}[name]))
    return f"{name}({k}, {draw.local()})"


def _reduced(draw: Draw) -> str:
    return draw.one_of({"clones": 0.6, "clones2021": 0.4})


def _random_check_in(draw: Draw, empty: str) -> str:
    known = empty == "skipped" or draw.coin(0.7)
    clients = f", clients={draw.whole(1, MOST_CLIENTS)}, participation={draw.rate()}" if known else ""
    return f"RandomCheckIn({draw.local()}, slots={draw.whole(1, MOST_SLOTS)}{clients}, empty={empty!r})"


def _views(draw: Draw) -> str:
    k, view = round(draw.spread(2, 100)), draw.one_of({"strong": 0.4, "weak": 0.4, "clones": 0.2})
    return f"RandomizedResponseShuffle({k}, {draw.local()}, n={draw.whole(1, MOST_CLIENTS)}, view={view!r})"


def _distributed(draw: Draw, neighbours: str) -> str:
    distance = draw.spread(0.1, 2) if draw.coin(0.3) else 2.0
    clients = f"population={draw.whole(1, MOST_CLIENTS)}, rate={draw.rate()}"
    return f"DistributedCheckIn({draw.spread(*NOISE)}, {clients}, neighbours={neighbours!r}, distance={distance})"


class Kind(NamedTuple):
    """A share of all protocols drawn, and the text of one."""

    share: float
    text: Callable[[Draw], str]


KINDS = {
    "shuffle": Kind(0.18, lambda d: f"Shuffle({d.local()}, {_sampled(d, MOST_CLIENTS)})"),
    "shuffle, clones": Kind(
        0.08, lambda d: f"Shuffle({d.local()}, {_sampled(d, MOST_CLIENTS)}, reduction={_reduced(d)!r})"
    ),
    "shuffle, channel": Kind(0.14, lambda d: f"Shuffle({_sampled(d, MOST_KNOWN)}, randomizer={_channel(d)})"),
    "shuffled check-in": Kind(
        0.08, lambda d: f"ShuffledCheckIn({d.local()}, population={d.whole(1, MOST_CLIENTS)}, rate={d.rate()})"
    ),
    "shuffled check-in, clones": Kind(
        0.04,
        lambda d: (
            f"ShuffledCheckIn({d.local()}, population={d.whole(1, MOST_CLIENTS)}, rate={d.rate()}, "
            f"reduction={_reduced(d)!r})"
        ),
    ),
    "shuffled check-in, channel": Kind(
        0.06,
        lambda d: f"ShuffledCheckIn(population={d.whole(1, MOST_KNOWN)}, rate={d.rate()}, randomizer={_channel(d)})",
    ),
    "random check-in, dummy": Kind(0.06, lambda d: _random_check_in(d, "dummy")),
    "random check-in, skipped": Kind(0.05, lambda d: _random_check_in(d, "skipped")),
    "sliding check-in": Kind(
        0.04,
        lambda d: f"SlidingCheckIn({d.local()}, window={d.whole(1, MOST_SLOTS)}, clients={d.whole(1, MOST_CLIENTS)})",
    ),
    "shuffled Gaussian": Kind(0.08, lambda d: f"GaussianShuffle({d.spread(*NOISE)}, {d.whole(1, MOST_ALIKE)})"),
    "response views": Kind(0.06, _views),
    "distributed, replace": Kind(0.05, lambda d: _distributed(d, "replace")),
    "distributed, remove": Kind(0.04, lambda d: _distributed(d, "remove")),
    "random allocation": Kind(0.04, lambda d: f"RandomAllocation({d.spread(*NOISE)}, {d.whole(1, MOST_ALIKE)})"),
}


def draw_setting(seed: int, number: int) -> Setting:
    """Setting ``number`` of this seed."""
    draw = Draw(np.random.default_rng([seed, number]))
    rounds, question = draw.one_of(ROUNDS), draw.one_of(QUESTIONS)
    shares = {name: kind.share for name, kind in KINDS.items()}
    chosen = [draw.one_of(shares)]
    if rounds == "sum":
        many = 2 + draw.coin()
        chosen = [str(name) for name in draw.rng.choice(list(shares), many, replace=False, p=list(shares.values()))]
    texts = [KINDS[name].text(draw) for name in chosen]
    if rounds == "composed":
        texts = [f"{texts[0]} * {draw.rounds(2, MOST_ROUNDS)}"]
    elif rounds == "sum":
        texts = [f"{text} * {draw.rounds(1, MOST_IN_SUM)}" for text in texts]
    delta = float(f"{10 ** -draw.rng.uniform(*EXPONENTS):.4g}")
    kind = chosen[0] if len(chosen) == 1 else "sum"
    share, order = draw.spread(*SHARES), draw.spread(*ORDERS)
    return Setting(kind, rounds, question, " + ".join(texts), delta, share, order, int(draw.rng.integers(ALL_LOOKS)))


def described() -> Iterator[str]:
    """The distribution in words: what a person needs to know who reads the counts."""
    for name, shares in (
        ("rounds", ROUNDS),
        ("questions", QUESTIONS),
        ("protocols", {k: v[0] for k, v in KINDS.items()}),
    ):
        yield f"{name}: {', '.join(f'{one} {share:.0%}' for one, share in shares.items())}"
    yield (
        f"log-uniform: eps0 {_range(LOCAL)}, sigma {_range(NOISE)}, clients 1 to {MOST_CLIENTS:.0e} (known channels "
        f"{MOST_KNOWN:.0e}, shuffled Gaussian {MOST_ALIKE:.0e}, slots {MOST_SLOTS:.0e}), rates {_range(RATES)} or 1, "
        f"rounds 2 to {MOST_ROUNDS:.0e} (each of a sum 1 to {MOST_IN_SUM:.0e}), order {_range(ORDERS)}, "
        f"delta 1e-{EXPONENTS[0]:g} to 1e-{EXPONENTS[1]:g}; delta(eps) at {_range(SHARES)} times the guarantee there"
    )
    yield (
        "half of the shuffles are of a population up to a million times as large; channels: randomized response up to "
        "100-ary, Hadamard response on up to 64, Laplace on up to 32, random ones up to 10 x 10"
    )
    yield f"{SMALL:.0%} are small: at most {FEW_CLIENTS} clients or slots, and {FEW_ROUNDS} rounds of each protocol"


def _range(ends: tuple[float, float]) -> str:
    return f"{ends[0]:g} to {ends[1]:g}"
