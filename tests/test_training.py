"""A run is Algorithm 1 to the letter, and a function of its plan and data: however it is cut, stopped or shared out."""

import dataclasses
import io
import itertools
import math
import os
import pickle
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import hadamard

torch = pytest.importorskip("torch")

from shufflekit import Shuffle  # noqa: E402
from shufflekit.bracket import Bracket  # noqa: E402
from shufflekit.learning import gradients, training  # noqa: E402
from shufflekit.learning.data import DataSet, Images, digits  # noqa: E402
from shufflekit.learning.plans import FIGURES, QUICK, Plan  # noqa: E402
from shufflekit.learning.training import Training, device  # noqa: E402
from tests.test_files import full_disk  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
N, K, SIDE, CLASSES = 12, 4, 3, 3
D = CLASSES * SIDE**2 + CLASSES
SMALL = Plan("RInf", eps0=2.0, radius=0.1, k=K, rates=((2, 0.5),))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def pictures(n: int, seed: int) -> Images:
    rng = np.random.default_rng(seed)
    x = rng.random((n, 1, SIDE, SIDE), dtype=np.float32)
    return Images(torch.from_numpy(x), torch.from_numpy(rng.integers(0, CLASSES, n)))


DATA = DataSet(pictures(N, 1), pictures(5, 2))


def small_model() -> Any:
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(SIDE**2, CLASSES))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.linspace(-1, 1, parameter.numel()).view_as(parameter))
    return model.requires_grad_(False)


def small(plan: Plan = SMALL, **options: Any) -> Training:
    return Training(plan, DATA, model=small_model(), **options)


def philox(seed: int, step: int, counter: list[int]) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=np.array([seed, step], np.uint64), counter=counter))


def slow_gradient(theta: np.ndarray, client: int) -> np.ndarray:
    """Of the cross-entropy of softmax regression, by the textbook."""
    x = DATA.train.x[client].numpy().astype(float).ravel()
    weights, bias = theta[:-CLASSES].reshape(CLASSES, -1), theta[-CLASSES:]
    scores = np.exp(weights @ x + bias)
    delta = scores / scores.sum() - np.eye(CLASSES)[int(DATA.train.y[client])]
    return np.concatenate([np.outer(delta, x).ravel(), delta])


def slow_report(plan: Plan, g: np.ndarray, step: int, client: int) -> np.ndarray:
    """A client's report, written down from the papers, with the draws that are the client's own."""
    E, C = math.exp(plan.eps0), plan.radius
    s = (E + 1) / (E - 1)
    uniforms = philox(plan.seed, step, [client, 0, 1, 0]).random(4)
    if plan.randomizer == "R2":
        half = (D + 1) // 2
        u = philox(plan.seed, step, [0, client, 2, 0]).random(2 * half, dtype=np.float32).astype(float)
        length, angle = np.sqrt(-2 * np.log1p(-u[:half])), 2 * math.pi * u[half:]
        z = np.concatenate([length * np.cos(angle), length * np.sin(angle)])[:D]
        g = g / max(1, np.linalg.norm(g) / C)
        same_side = uniforms[0] < (1 + np.linalg.norm(g) / C / s) / 2
        point = z / np.linalg.norm(z) * (1 if (z @ g >= 0) == same_side else -1)
        # The mean of a uniform point of the half-sphere around u is Gamma(d/2) / (sqrt(pi) Gamma((d+1)/2)) u.
        return C * s * math.sqrt(math.pi) * math.exp(math.lgamma((D + 1) / 2) - math.lgamma(D / 2)) * point
    if plan.randomizer == "R1":
        rows = hadamard(1 << (D - 1).bit_length())[:, :D].astype(float)
        g = g / max(1, np.abs(g).sum() / C)
    else:
        rows = np.eye(D)
        g = np.clip(g, -C, C) if plan.clip == "clamp" else g / max(1, np.abs(g).max() / C)
    row = rows[int(uniforms[0] * len(rows))]
    sign = 1 if uniforms[1] < (1 + row @ g / C / s) / 2 else -1
    return C * s * sign * row * (D if plan.randomizer == "RInf" else 1)


def slow_clients(plan: Plan, step: int) -> np.ndarray:
    if plan.sampling == "independent":
        return philox(plan.seed, step, [0, 0, 0, 0]).choice(N, size=K, replace=False, shuffle=False)
    epoch, part = divmod(step, N // K)
    return philox(plan.seed, epoch, [0, 0, 0, 0]).permutation(N)[part * K : (part + 1) * K]


def slow_theta(plan: Plan, theta: np.ndarray) -> Iterator[np.ndarray]:
    """The parameters after each step of Algorithm 1."""
    step = 0
    for epochs, rate in plan.rates:
        for _ in range(epochs * N // K):
            reports = [slow_report(plan, slow_gradient(theta, c), step, c) for c in slow_clients(plan, step)]
            theta = theta - rate * np.mean(reports, axis=0)
            if plan.ball is not None:
                theta = theta / max(1, np.linalg.norm(theta) / plan.ball)
            step += 1
            yield theta


@pytest.mark.parametrize("sampling", ["independent", "walk"])
@pytest.mark.parametrize("randomizer, clip", [("RInf", "scale"), ("RInf", "clamp"), ("R1", "scale"), ("R2", "scale")])
@pytest.mark.parametrize("ball", [None, 2.5])
def test_every_step_is_that_of_algorithm_1(randomizer: str, clip: str, sampling: str, ball: float | None) -> None:
    plan = Plan(randomizer, 2.0, 0.2, K, ((2, 0.5), (1, 0.25)), clip=clip, sampling=sampling, ball=ball, seed=7)
    run = small(plan)
    expected = list(slow_theta(plan, run.theta.numpy().astype(float)))
    for theta in expected:
        run.advance()
        assert run.theta.numpy() == pytest.approx(theta, abs=1e-5)
        assert np.concatenate([p.numpy().ravel() for p in run.model.parameters()]) == pytest.approx(theta, abs=1e-5)
    assert run.step == run.steps == len(expected) == 9
    # That the steps are large, so that all this says something, and that the ball is in the way.
    assert np.linalg.norm(np.diff(expected, axis=0), axis=1).min() > 0.1
    assert (max(map(np.linalg.norm, expected)) > 2.6) == (ball is None)


def test_accuracy_is_the_share_of_test_pictures() -> None:
    run = small()
    run.run()
    weight, bias = (p.numpy() for p in run.model.parameters())
    said = (DATA.test.x.numpy().reshape(5, -1) @ weight.T + bias).argmax(axis=1)
    assert run.accuracy[-1] == (said == DATA.test.y.numpy()).mean()
    assert len(run.accuracy) == SMALL.epochs + 1
    many = Images(DATA.test.x.repeat(500, 1, 1, 1), DATA.test.y.repeat(500))  # more than are taken at once
    assert training.accuracy(run.model, many) == run.accuracy[-1]


def test_a_watcher_sees_every_step_and_its_time_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, seen = itertools.count(), []
    monkeypatch.setattr(training.time, "monotonic", lambda: next(clock))

    def watch(run: Training) -> None:
        time.monotonic()
        seen.append((run.step, len(run.accuracy)))

    run = small()
    run.run(watch)
    assert seen == [(step, 1 + step // 3) for step in range(1, 7)]
    assert run.seconds == 6
    run.run(watch)  # at the end there is nothing left to do
    assert len(seen) == run.seconds == 6


def test_a_walk_takes_each_client_once_an_epoch_and_independent_samples_do_not() -> None:
    for sampling in ("walk", "independent"):
        run = small(dataclasses.replace(SMALL, sampling=sampling, rates=((20, 0.1),)))
        epochs = []
        while run.step < run.steps:
            clients = run.plan.clients(run.step, run.n)
            assert len(clients.unique()) == K
            assert torch.equal(clients, clients.sort().values)
            epochs.append(clients)
            run.step += 1
        counts = [torch.cat(epochs[i : i + 3]).bincount(minlength=N).tolist() for i in range(0, 60, 3)]
        if sampling == "walk":
            assert counts == [[1] * N] * 20
            assert len({tuple(step.tolist()) for step in epochs[::3]}) > 15  # not the same order again
        else:
            # Three samples of 4 make up all 12 with a chance of 34,650 / 495^3, that is 0.0003.
            assert counts.count([1] * N) < 3
    assert run.plan.spent(N, 3) != dataclasses.replace(run.plan, sampling="walk").spent(N, 3)


def test_parameters_are_projected_to_the_ball() -> None:
    free = small(dataclasses.replace(SMALL, rates=((1, 0.5),)))
    free.advance()
    length = float(free.theta.double().norm())
    for ball, factor in ((length / 3, 1 / 3), (length * 1.01, 1.0)):
        held = small(dataclasses.replace(SMALL, rates=((1, 0.5),), ball=ball))
        held.advance()
        assert held.theta.numpy() == pytest.approx(factor * free.theta.numpy(), rel=1e-6)
        assert float(held.theta.double().norm()) <= ball * (1 + 1e-6)
    held.mean_report = lambda: held.theta.double() / 0.5  # type: ignore[method-assign]
    held.step = 0
    held.advance()  # to the very centre, where there is no direction
    assert not held.theta.any()


@pytest.mark.parametrize("randomizer", ["RInf", "R1", "R2", "PrivUnit"])
def test_results_do_not_depend_on_the_size_of_chunks(randomizer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = Plan(randomizer, 2.0, 0.1, K, ((2, 0.3),))
    found = []
    for size in (1, 3, 100):
        monkeypatch.setattr(gradients, "CHUNK_BYTES", size * 4 * D)
        run = small(plan)
        assert gradients.chunk_size(run.model) == size
        run.run()
        found.append(run.theta.numpy())
    # A sign would flip only where the last digit of a gradient matters: of 24 it does in none.
    assert found[0] == pytest.approx(found[2], abs=1e-6)
    assert found[1] == pytest.approx(found[2], abs=1e-6)


def test_seeds_make_different_runs_and_the_same_seed_the_same() -> None:
    runs = [Training(dataclasses.replace(SMALL, seed=seed), DATA, model=small_model()) for seed in (0, 0, 1, 2**64 - 1)]
    for run in runs:
        run.run()
    assert torch.equal(runs[0].theta, runs[1].theta)
    assert not any(torch.equal(a.theta, b.theta) for a, b in itertools.combinations(runs[1:], 2))


# What it costs


@pytest.mark.parametrize("steps, rounds", [(1, 1), (5, 1), (6, 1), (7, 2), (12, 2), (13, 3)])
def test_a_walk_costs_one_unsampled_round_for_each_epoch_begun(steps: int, rounds: int) -> None:
    plan = Plan("RInf", 1.0, 1.0, 10, ((5, 1.0),), sampling="walk")
    assert plan.spent(60, steps).parts == (Shuffle(1.0, 10) * rounds).parts
    independent = dataclasses.replace(plan, sampling="independent")
    assert independent.spent(60, steps).parts == (Shuffle(1.0, 10, 60) * steps).parts


def walk_law(bits: tuple[int, ...], eps0: float, k: int, batches: int) -> dict[tuple[int, ...], float]:
    """What a walk shows of people with these bits: of each batch, how many sent 1 by randomized response."""
    law: dict[tuple[int, ...], float] = {}
    flip = 1 / (1 + math.exp(eps0))
    orders = list(itertools.permutations(range(len(bits))))
    for order in orders:
        for sent in itertools.product((0, 1), repeat=len(bits)):
            chance = math.prod(1 - flip if sent[i] == bits[i] else flip for i in range(len(bits)))
            seen = tuple(sum(sent[i] for i in order[b * k : b * k + k]) for b in range(batches))
            law[seen] = law.get(seen, 0.0) + chance / len(orders)
    return law


def worst_delta(eps: float, eps0: float, batches: int, epochs: int) -> float:
    worst = 0.0
    for others in itertools.product((0, 1), repeat=3):
        laws = [walk_law((bit, *others), eps0, 2, batches) for bit in (0, 1)]
        for p, q in (laws, laws[::-1]):
            total = 0.0
            for seen in itertools.product(p, repeat=epochs):
                total += max(0.0, math.prod(p[x] for x in seen) - math.exp(eps) * math.prod(q[x] for x in seen))
            worst = max(worst, total)
    return worst


def test_the_price_of_a_walk_holds_by_enumeration_and_one_sampled_round_would_be_too_little() -> None:
    eps0, plan = 1.5, Plan("RInf", 1.5, 1.0, 2, ((9, 1.0),), sampling="walk")
    for eps in (0.0, 0.3, 0.8):
        for batches, epochs in ((1, 1), (2, 1), (2, 2)):
            steps = batches if epochs == 1 else 2 * epochs
            assert worst_delta(eps, eps0, batches, epochs) <= plan.spent(4, steps).delta(eps).upper
    # All of an epoch shows more than one sample of it would: the whole walk is not covered by the first batch.
    assert worst_delta(0.3, eps0, 2, 1) > 1.05 * worst_delta(0.3, eps0, 1, 1) > 0


def test_what_was_spent_grows_from_nothing() -> None:
    run = Training(dataclasses.replace(SMALL, k=4), DATA, model=small_model())
    assert run.spent(1e-5) == Bracket(0.0, 0.0)
    run.advance()
    first = run.spent(1e-5)
    run.advance()
    assert first == SMALL.spent(N, 1).epsilon(1e-5)
    assert 0 < first.upper < run.spent(1e-5).lower
    rough = run.spent(1e-5, rtol=0.1)
    assert rough.upper >= run.spent(1e-5).lower


# Checkpoints


def test_a_run_goes_on_from_its_last_epoch_to_the_same_bits(tmp_path: Path) -> None:
    plan = dataclasses.replace(SMALL, rates=((2, 0.5), (2, 0.1)), ball=2.0)
    whole = small(plan)
    whole.run()
    for stop in (1, 3, 5, 11, 12):
        run = small(plan, folder=tmp_path / str(stop))

        def watch(run: Training, stop: int = stop) -> None:
            if run.step == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run.run(watch)
        again = small(plan, folder=str(tmp_path / str(stop)))
        assert again.step == stop // 3 * 3
        assert len(again.accuracy) == 1 + again.step // 3
        assert again.seconds <= run.seconds
        assert (again.seconds > 0) == (again.step > 0)  # the time of earlier sessions counts
        again.run()
        assert torch.equal(again.theta, whole.theta)
        assert torch.equal(torch.cat([p.flatten() for p in again.model.parameters()]), whole.theta)
        assert again.accuracy == whole.accuracy
        assert os.listdir(tmp_path / str(stop)) == ["checkpoint"]


def other_data() -> DataSet:
    x = DATA.train.x.clone()
    x[7, 0, 1, 1] += 1e-6
    return DataSet(Images(x, DATA.train.y), DATA.test)


def other_labels() -> DataSet:
    return DataSet(DATA.train, Images(DATA.test.x, (DATA.test.y + 1) % CLASSES))


def test_a_checkpoint_of_another_run_is_refused_in_words(tmp_path: Path) -> None:
    run = small(folder=tmp_path)
    run.run()
    path = tmp_path / "checkpoint"
    before = path.read_bytes()
    moved = small_model()
    moved[1].bias += 1
    others = [
        ({"plan": dataclasses.replace(SMALL, eps0=3.0)}, "eps0 = 2.0, not 3.0"),
        ({"plan": dataclasses.replace(SMALL, seed=1)}, "seed = 0, not 1"),
        ({"plan": dataclasses.replace(SMALL, rates=((3, 0.5),))}, "rates = ((2, 0.5),), not ((3, 0.5),)"),
        ({"data": other_data()}, "model and data = "),
        ({"data": other_labels()}, "model and data = "),
        ({"model": moved}, "model and data = "),
        ({"model": torch.nn.Sequential(*small_model(), torch.nn.Tanh())}, "model and data = "),
    ]
    for change, told in others:
        with pytest.raises(ValueError, match=re.escape(f"{path} is of another run, with {told}")) as caught:
            Training(**{"plan": SMALL, "data": DATA, "model": small_model(), "folder": tmp_path, **change})
        assert "remove it, or choose another folder" in str(caught.value)
        assert path.read_bytes() == before
    # The same plan in other types of numbers is no other plan.
    same = Plan("RInf", np.float64(2), 0.1, np.int64(K), [[2, 0.5]])  # type: ignore[arg-type]
    assert small(same, folder=tmp_path).step == 6


def test_a_harmed_checkpoint_is_refused_in_words(tmp_path: Path) -> None:
    small(folder=tmp_path).run()
    path = tmp_path / "checkpoint"
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    cut = [whole[: int(size)] for size in (0, 1, 31, 32, 33, *rng.integers(len(whole), size=5), len(whole) - 1)]
    flipped = []
    for place in rng.integers(len(whole), size=20):
        changed = bytearray(whole)
        changed[place] ^= 1 << int(rng.integers(8))
        flipped.append(bytes(changed))
    for harmed in (*cut, *flipped, b"\x80\x02."):
        path.write_bytes(harmed)
        with pytest.raises(OSError, match=re.escape(f"{path} was cut off or changed") + ".*: remove it to begin anew"):
            small(folder=tmp_path)
        assert path.read_bytes() == harmed
    path.unlink()
    assert small(folder=tmp_path).step == 0


def test_a_folder_that_cannot_be_written_is_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"in the way")
    with pytest.raises(OSError, match=r"cannot write .*file.folder.checkpoint: .*nothing was written"):
        small(folder=tmp_path / "file" / "folder")


def test_a_full_disk_leaves_the_last_checkpoint_and_the_run_goes_on_later(tmp_path: Path) -> None:
    whole = small()
    whole.run()
    run = small(folder=tmp_path)
    path, kept = tmp_path / "checkpoint", []

    def watch(run: Training) -> None:
        if run.step == 3:
            kept.append(path.read_bytes())

    with pytest.raises(OSError, match=r"cannot write .*checkpoint: File too large; what was there before is whole"):
        with full_disk(1 << 20):
            for _ in range(3):
                run.advance()
            run._save()
            kept.append(path.read_bytes())
        with full_disk(len(kept[0]) // 2):
            run.run(watch)
    assert run.step == 6
    assert path.read_bytes() == kept[0]
    assert os.listdir(tmp_path) == ["checkpoint"]
    again = small(folder=tmp_path)
    assert again.step == 3
    again.run()
    assert torch.equal(again.theta, whole.theta)


def holding(**changes: Any) -> bytes:
    """What a checkpoint of a small run holds after its first epoch, but for these changes."""
    run = small()
    about = run._tell()
    for _ in range(run.per_epoch):
        run.advance()
    return saved({"about": about, **{name: getattr(run, name) for name in training.STATE}, **changes})


def saved(thing: Any) -> bytes:
    content = io.BytesIO()
    torch.save(thing, content)
    return content.getvalue()


JUNK = {
    "nothing": b"",
    "no archive": b"junk",
    "a cut archive": saved({})[:-40],
    "a pickle": pickle.dumps({"about": {}}),
    "code": pickle.dumps(Path("somewhere")),
    "a list": saved([1, 2, 3]),
    "nothing about it": saved({"step": 3}),
    "a number about it": saved({"about": 3}),
}


@pytest.mark.parametrize("content", JUNK.values(), ids=JUNK)
def test_junk_under_a_right_seal_is_told_in_words(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "checkpoint"
    training.files.write_sealed(path, content)
    before = path.read_bytes()
    with pytest.raises(OSError, match=f"^{re.escape(str(path))} does not hold a run: remove it to begin anew$"):
        small(folder=tmp_path)
    assert path.read_bytes() == before
    path.unlink()
    assert small(folder=tmp_path).step == 0


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"theta": [0.0] * D},
        {"theta": torch.zeros(D + 1)},
        {"theta": torch.zeros(D, dtype=torch.float64)},
        {"theta": torch.full((D,), math.nan)},
        {"step": "3"},
        {"step": 3.0},
        {"step": 2},
        {"step": -3},
        {"step": 9, "accuracy": [0.5] * 4},
        {"seconds": None},
        {"seconds": math.nan},
        {"accuracy": 0.5},
        {"accuracy": [0.5]},
        {"accuracy": [0.5, "high"]},
    ],
    ids=lambda change: " and ".join(change),
)
def test_a_state_that_no_run_was_in_is_told_in_words(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "checkpoint"
    training.files.write_sealed(path, holding())
    assert small(folder=tmp_path).step == 3
    training.files.write_sealed(path, holding(**change))
    with pytest.raises(OSError, match=re.escape(f"{path} does not hold a state of this run: remove it to begin anew")):
        small(folder=tmp_path)


# What is refused


@pytest.mark.parametrize(
    "change, kind, told",
    [
        ({"randomizer": "R3"}, ValueError, "randomizer must be one of 'RInf', 'R1', 'R2', 'PrivUnit', got 'R3'"),
        ({"eps0": 0.0}, ValueError, "eps0 must be positive"),
        ({"eps0": math.nan}, ValueError, "eps0 must be positive"),
        ({"eps0": "2"}, TypeError, "eps0 must be"),
        ({"radius": -1.0}, ValueError, "radius must be positive"),
        ({"radius": None}, TypeError, "radius must be"),
        ({"k": 0}, ValueError, "k must be"),
        ({"k": 4.0}, TypeError, "k must be"),
        ({"rates": ()}, ValueError, "rates must be one or more pairs (number of epochs, step size), got ()"),
        ({"rates": 0.1}, TypeError, "rates must be one or more pairs"),
        ({"rates": (3, 0.1)}, TypeError, "rates must be one or more pairs"),
        ({"rates": "ab"}, TypeError, "rates must be one or more pairs"),
        ({"rates": ((3, 0.1, 4),)}, ValueError, "rates must be one or more pairs"),
        ({"rates": ((0, 0.1),)}, ValueError, "epochs must be"),
        ({"rates": ((1.5, 0.1),)}, TypeError, "epochs must be"),
        ({"rates": ((1, 0.1), (1, -0.1))}, ValueError, "rate must be positive"),
        ({"rates": ((1, math.inf),)}, ValueError, "rate must be positive and finite"),
        ({"clip": "cut"}, ValueError, "clip must be one of 'scale', 'clamp', got 'cut'"),
        ({"randomizer": "R1", "clip": "clamp"}, ValueError, "clip must be 'scale' unless RInf"),
        ({"sampling": "none"}, ValueError, "sampling must be one of 'independent', 'walk', got 'none'"),
        ({"ball": 0.0}, ValueError, "ball must be positive"),
        ({"ball": "1"}, TypeError, "ball must be"),
        ({"seed": -1}, ValueError, "seed must be a whole number of at least 0"),
        ({"seed": 2**64}, ValueError, "seed must be"),
        ({"seed": 0.5}, TypeError, "seed must be"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(change: dict[str, Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=re.escape(told)):
        dataclasses.replace(SMALL, **change)


def labels(y: Any) -> DataSet:
    return DataSet(Images(DATA.train.x[: len(y)], y), DATA.test)


@pytest.mark.parametrize(
    "change, kind, told",
    [
        ({"plan": "figure3"}, TypeError, "plan must be a Plan or a CheckInPlan, got 'figure3'"),
        ({"data": "mnist"}, TypeError, "data must be a DataSet, got str"),
        ({"data": tuple(DATA)}, TypeError, "data must be a DataSet, got tuple"),
        ({"folder": 3}, TypeError, "folder must be a path, a string or None, got 3"),
        ({"on": 3}, TypeError, "device must be a name"),
        ({"on": "abacus"}, ValueError, "device must be one that torch finds here, got 'abacus'"),
        ({"on": "meta"}, ValueError, "device must be one that torch finds here, got 'meta'"),
        ({"model": "linear"}, TypeError, "model must be a torch.nn.Module, got str"),
        ({"model": torch.nn.Sequential()}, ValueError, "model must have parameters"),
        ({"plan": dataclasses.replace(SMALL, k=5)}, ValueError, "k must divide the number n = 12 of clients"),
        ({"plan": dataclasses.replace(SMALL, k=24)}, ValueError, "k must divide the number n = 12 of clients"),
        ({"data": labels(DATA.train.y[:0])}, ValueError, "train must be one or more images"),
        ({"data": DataSet(DATA.train, pictures(0, 0))}, ValueError, "test must be one or more images"),
        ({"data": DataSet(Images(DATA.train.x, DATA.train.y[:-1]), DATA.test)}, ValueError, "12 images and"),
        ({"data": labels(DATA.train.y.float())}, ValueError, "torch.float32 labels of shape (12,)"),
        ({"data": labels(DATA.train.y - 1)}, ValueError, "train must have labels from 0 to 2, got -1 to 1"),
        ({"data": labels(DATA.train.y + 1)}, ValueError, "train must have labels from 0 to 2, got 1 to 3"),
        ({"data": DataSet(*(Images(x.byte(), y) for x, y in DATA))}, ValueError, "images that the model takes"),
        (
            {"model": torch.nn.Linear(SIDE, CLASSES)},
            ValueError,
            "model must give an image a row of scores, got shape (1, 1, 3, 3)",
        ),
        ({"model": None}, ValueError, "train must be images that the model takes, got shape (1, 3, 3)"),
    ],
)
def test_a_training_that_cannot_be_is_refused(change: dict[str, Any], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=re.escape(told)):
        Training(**{"plan": SMALL, "data": DATA, "model": small_model(), **change})


@pytest.mark.parametrize(
    "arguments, kind, told",
    [
        ((SMALL, 0, 1), ValueError, "n must be"),
        ((SMALL, 3, 1), ValueError, "n must be at most the population"),
        ((SMALL, 12, 0), ValueError, "steps must be"),
        ((SMALL, 12, 1.0), TypeError, "steps must be"),
        ((dataclasses.replace(SMALL, sampling="walk"), 13, 1), ValueError, "n must be a multiple of k = 4"),
    ],
)
def test_a_price_of_nothing_is_refused(arguments: tuple[Any, ...], kind: type[Exception], told: str) -> None:
    with pytest.raises(kind, match=re.escape(told)):
        plan, *steps = arguments
        plan.spent(*steps)


def test_there_is_no_step_size_beyond_the_last_epoch() -> None:
    plan = dataclasses.replace(SMALL, rates=((2, 0.5), (1, 0.25)))
    assert [plan.rate(epoch) for epoch in range(3)] == [0.5, 0.5, 0.25]
    with pytest.raises(ValueError, match="epoch must be below 3, got 3"):
        plan.rate(3)


def test_a_run_that_diverges_ends_in_words() -> None:
    run = small(dataclasses.replace(SMALL, rates=((1, 1e300),)))
    with pytest.raises(ValueError, match="not finite after step 1: try smaller rates"):
        run.run()
    assert torch.isfinite(run.theta).all()


# The device


def test_cuda_that_is_not_there_is_told_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    for name in ("cuda", "cuda:1"):
        with pytest.raises(ValueError, match=f"device must be one that torch finds here, got '{name}': "):
            device(name)
    assert device("auto") == device("cpu") == torch.device("cpu")
    # With two GPUs each process would have taken its own.
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    for rank, asked, taken in (("0", "auto", 0), ("1", "auto", 1), ("3", "cuda", 1), ("1", "cuda:0", 0)):
        monkeypatch.setenv("LOCAL_RANK", rank)
        with pytest.raises(ValueError, match=f"got 'cuda:{taken}'"):
            device(asked)
    assert device("cpu") == torch.device("cpu")


def test_nothing_but_the_choice_of_the_device_asks_which_it_is() -> None:
    told = re.compile(r"cuda|\bmps\b|nccl|device\.type|is_cpu", re.IGNORECASE)
    for path in sorted((ROOT / "shufflekit" / "learning").glob("*.py")):
        code = path.read_text(encoding="utf-8")
        if path.name == "training.py":
            start = code.index("def device(")
            code = code[:start] + code[code.index("\nclass Training", start) :]
        lines = [line for line in code.splitlines() if told.search(line.partition("#")[0])]
        assert not lines, f"{path.name}: {lines}"


def test_quick_plans_are_of_the_kind_of_the_figures() -> None:
    assert QUICK.keys() == FIGURES.keys()
    n = len(digits().train.y)
    for name, plan in QUICK.items():
        for field in ("randomizer", "clip", "sampling", "ball", "seed"):
            assert getattr(plan, field) == getattr(FIGURES[name], field)
        assert n % plan.k == 0
