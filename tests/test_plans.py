"""A plan by itself: its schedule, which clients it takes, what its processes must be, and the plan without privacy."""

import re
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from shufflekit import Shuffle  # noqa: E402
from shufflekit.learning import processes  # noqa: E402
from shufflekit.learning.models import paper_network, printed_network  # noqa: E402
from shufflekit.learning.plain_plans import Plain, PlainPlan  # noqa: E402
from shufflekit.learning.plans import FIGURES, QUICK, Plan  # noqa: E402
from shufflekit.learning.plans import SMALL as SMALLER  # noqa: E402
from shufflekit.learning.randomizers import R1, R2, PrivUnit, RInf  # noqa: E402
from shufflekit.learning.schedule import checked_rates  # noqa: E402

SMALL = Plan("RInf", eps0=2.0, radius=0.1, k=4, rates=((2, 0.5), (1, 0.25)))
PLAIN = PlainPlan(k=4, rates=((2, 0.5), (3, 0.1)))
SEED = 2**64 - 1


def test_step_sizes_one_after_the_other() -> None:
    assert SMALL.epochs == 3
    assert [SMALL.rate(epoch) for epoch in range(3)] == [0.5, 0.5, 0.25]
    with pytest.raises(ValueError, match="epoch must be below 3, got 3"):
        SMALL.rate(3)
    assert SMALL.size(12) == 12
    assert SMALL.surrogate_delta(12, 3, 1.0) == 0.0


@pytest.mark.parametrize("rates", [0.1, "ab", (1, 0.1), [(1, 0.1), 3]])
def test_rates_of_another_kind(rates: Any) -> None:
    with pytest.raises(
        TypeError, match=re.escape("rates must be one or more pairs (number of epochs, step size), got")
    ):
        checked_rates(rates)


@pytest.mark.parametrize("rates", [(), [], ((1, 0.1, 2),), ((1, 0.1), (1,))])
def test_rates_that_are_no_pairs(rates: Any) -> None:
    with pytest.raises(
        ValueError, match=re.escape("rates must be one or more pairs (number of epochs, step size), got")
    ):
        checked_rates(rates)


def test_rates_become_numbers_of_pythons_own() -> None:
    assert checked_rates([[2, 1], (1, 0.5)]) == ((2, 1.0), (1, 0.5))
    with pytest.raises(ValueError, match="epochs must be"):
        checked_rates(((0, 0.1),))
    with pytest.raises(ValueError, match="rate must be positive"):
        checked_rates(((1, 0.0),))


@pytest.mark.parametrize("n", [3, 6, 13])
def test_epochs_that_do_not_come_out(n: int) -> None:
    with pytest.raises(ValueError, match=f"k must divide the number n = {n} of clients"):
        SMALL.check(n)


def test_independent_samples_are_drawn_anew() -> None:
    drawn = [SMALL.clients(step, 12).tolist() for step in range(6)]
    assert all(len(set(one)) == 4 and set(one) <= set(range(12)) for one in drawn)
    assert len({tuple(one) for one in drawn}) > 3
    assert SMALL.spent(12, 5) == Shuffle(eps0=2.0, n=4, population=12) * 5


def test_numbers_become_pythons_own() -> None:
    plan = Plan("RInf", np.float32(2), np.float64(0.5), np.int64(4), [[2, 1]], ball=np.float64(3))  # type: ignore
    kinds = [type(thing) for thing in (plan.eps0, plan.radius, plan.k, plan.rates, plan.ball, plan.summed)]
    assert kinds == [float, float, int, tuple, float, bool]
    plain = PlainPlan(np.int64(4), [[2, 1]])  # type: ignore
    assert (type(plain.k), plain.rates) == (int, ((2, 1.0),))


def test_the_plans_of_the_figures_are_as_long_as_the_papers() -> None:
    """200 epochs of 60,000 clients: 1,200 steps and 6,000."""
    assert {name: plan.epochs * plan.per_epoch(60_000) for name, plan in FIGURES.items()} == {
        **{"figure3": 1_200, "figure3-printed": 1_200, "figure6": 6_000, "figure6-printed": 6_000}
    }
    for plans, n in ((QUICK, 1_437), (SMALLER, 800)):
        for plan in plans.values():
            plan.check(n)


def test_each_process_has_a_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "count", lambda: 4)
    SMALL.check(4)
    SMALL.check(12)
    monkeypatch.setattr(processes, "count", lambda: 5)
    with pytest.raises(ValueError, match="k must be at least the number of processes, 5, got 4"):
        SMALL.check(12)


@pytest.mark.parametrize("plan", [Plan("R1", 1.0, 1.0, 4, ((2, 0.5),), sampling="walk"), PLAIN])
def test_a_walk_deals_all_out_once_an_epoch(plan: Any) -> None:
    assert plan.per_epoch(12) == 3
    epochs = [[plan.clients(3 * epoch + part, 12).tolist() for part in range(3)] for epoch in range(2)]
    for parts in epochs:
        assert all(len(part) == 4 and part == sorted(part) for part in parts)
        assert sorted(client for part in parts for client in part) == list(range(12))
    assert epochs[0] != epochs[1]
    assert plan.pictures(torch.tensor([3, 5]), 12).tolist() == [3, 5]
    assert plan.delta(12) == 1e-5


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"summed": True}, "summed must be left out unless R2 or PrivUnit is the randomizer, got RInf"),
        ({"summed": True, "randomizer": "R1"}, "summed must be left out unless R2 or PrivUnit is the randomizer"),
        ({"clip": "clamp", "randomizer": "R2"}, "clip must be 'scale' unless RInf sends a single entry, got 'clamp'"),
        ({"sampling": "none"}, "sampling must be one of"),
        ({"network": "other"}, "network must be one of"),
        ({"seed": SEED + 1}, "seed must be"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_a_plan_is_not(change: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        Plan(**{"randomizer": "RInf", "eps0": 1.0, "radius": 1.0, "k": 4, "rates": ((1, 1.0),), **change})


@pytest.mark.parametrize(("name", "kind"), [("RInf", RInf), ("R1", R1), ("R2", R2), ("PrivUnit", PrivUnit)])
def test_randomizers_by_name(name: str, kind: type) -> None:
    made = Plan(name, 1.5, 0.25, 4, ((1, 1.0),)).make_randomizer(6)
    assert type(made) is kind
    assert (made.d, made.radius, made.eps0) == (6, 0.25, 1.5)
    if name in ("R2", "PrivUnit"):
        summed = Plan(name, 1.5, 0.25, 4, ((1, 1.0),), summed=True).make_randomizer(32)
        assert isinstance(summed, kind)
        assert type(summed) is not kind
        assert (summed.d, summed.radius, summed.eps0) == (32, 0.25, 1.5)


def test_a_walk_is_priced_by_epochs_that_come_out() -> None:
    walk = Plan("RInf", 1.0, 1.0, 4, ((1, 1.0),), sampling="walk")
    assert [walk.spent(12, steps).parts[0][1] for steps in (1, 3, 4, 6, 7)] == [1, 1, 2, 2, 3]
    with pytest.raises(ValueError, match=re.escape("n must be a multiple of k = 4, so that epochs come out, got 13")):
        walk.spent(13, 1)
    for bad in ((0, 1), (12, 0)):
        with pytest.raises(ValueError, match="must be a whole number of at least 1"):
            walk.spent(*bad)


# Nothing private.


def test_a_plan_without_privacy() -> None:
    assert (PLAIN.sampling, PLAIN.seed, PLAIN.network) == ("walk", 0, "code")
    assert PLAIN.spent(12, 5) is None
    assert PlainPlan(4, ((1, 0.1),), seed=SEED).seed == SEED
    assert isinstance(PLAIN.make_randomizer(3), Plain)
    for change, told in (
        ({"k": 0}, "k must be"),
        ({"rates": ()}, "rates must be one or more pairs"),
        ({"sampling": "none"}, "sampling must be one of"),
        ({"seed": SEED + 1}, "seed must be"),
        ({"seed": -1}, "seed must be"),
        ({"network": "other"}, "network must be one of"),
    ):
        with pytest.raises(ValueError, match=re.escape(told)):
            PlainPlan(**{"k": 4, "rates": ((1, 0.1),), **change})


def test_the_network_is_that_of_the_plan() -> None:
    for name, made in (("code", paper_network), ("printed", printed_network)):
        plan = PlainPlan(4, ((1, 0.1),), seed=3, network=name)
        for own, other in zip(plan.make_model().parameters(), made(3).parameters(), strict=True):
            assert torch.equal(own, other)


def test_the_printed_network_has_its_shapes() -> None:
    x, shapes = torch.rand(3, 1, 28, 28), []
    for layer in printed_network(0):
        x = layer(x)
        shapes.append((type(layer).__name__, *x.shape[1:]))
    assert shapes == [
        ("ZeroPad2d", 1, 34, 34),
        ("Conv2d", 16, 14, 14),
        ("ReLU", 16, 14, 14),
        ("MaxPool2d", 16, 7, 7),
        ("ZeroPad2d", 16, 10, 10),
        ("Conv2d", 32, 4, 4),  # "same": 7 / 2, rounded up
        ("ReLU", 32, 4, 4),
        ("MaxPool2d", 32, 2, 2),
        ("Flatten", 128),
        ("Linear", 32),
        ("ReLU", 32),
        ("Linear", 10),
    ]
    pads = [layer.padding for layer in printed_network(0) if isinstance(layer, torch.nn.ZeroPad2d)]
    assert pads == [(3, 3, 3, 3), (1, 2, 1, 2)]


# Processes, as far as one of them can see.


class Pretended:
    """Two processes, of which this is one; the other is asked by a function."""

    def __init__(self, rank: int, exchange: Any) -> None:
        self.rank, self.exchange = rank, exchange

    def patched(self, patch: pytest.MonkeyPatch) -> None:
        distributed = processes.distributed
        patch.setattr(distributed, "is_available", lambda: True)
        patch.setattr(distributed, "is_initialized", lambda: True)
        patch.setattr(distributed, "get_world_size", lambda: 2)
        patch.setattr(distributed, "get_rank", lambda: self.rank)
        patch.setattr(distributed, "broadcast_object_list", self.exchange)
        patch.setattr(distributed, "all_reduce", self.exchange)


def test_the_first_finds_and_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    Pretended(0, lambda outcome: told.append(list(outcome))).patched(monkeypatch)
    assert (processes.count(), processes.rank()) == (2, 0)
    assert processes.from_first(lambda: 7) == 7
    reason = ValueError("no")

    def failing() -> None:
        raise reason

    with pytest.raises(ValueError, match=r"^no$"):
        processes.from_first(failing)
    assert told == [[7, None], [None, reason]]


def test_the_second_hears(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[list[Any]] = [[7, None], [None, OSError("the disk is full")]]

    def hear(outcome: list[Any]) -> None:
        outcome[:] = answers.pop(0)

    Pretended(1, hear).patched(monkeypatch)
    assert (processes.count(), processes.rank()) == (2, 1)
    assert processes.from_first(lambda: pytest.fail("only the first acts")) == 7
    with pytest.raises(OSError, match="the disk is full"):
        processes.from_first(lambda: None)


def test_tallies_of_two_are_added(monkeypatch: pytest.MonkeyPatch) -> None:
    Pretended(1, lambda tally: tally.add_(10)).patched(monkeypatch)
    assert processes.add_up(torch.tensor([1.0, 2.0])).tolist() == [11.0, 12.0]

    def broken(_: object) -> None:
        raise RuntimeError("connection closed")

    Pretended(1, broken).patched(monkeypatch)
    with pytest.raises(ConnectionError, match="other processes cannot be reached; one of them has failed: connection"):
        processes.add_up(torch.tensor([1.0]))


@pytest.mark.parametrize("available", [True, False])
def test_alone(available: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where torch was built without processes, it may not be asked more."""
    monkeypatch.setattr(processes.distributed, "is_available", lambda: available)
    monkeypatch.setattr(processes.distributed, "is_initialized", lambda: not available)
    assert (processes.count(), processes.rank()) == (1, 0)
    assert processes.from_first(lambda: 7) == 7
