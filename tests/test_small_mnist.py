"""The 1,000 pictures in the repository are MNIST's, and the runs on them come out again, bit for bit."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from shufflekit.learning import data, plans, records  # noqa: E402
from shufflekit.learning.plans import Plan  # noqa: E402
from shufflekit.learning.training import Training  # noqa: E402

FOLDER = data.ROOT / "data" / "mnist_1000"
RUNS = {run["figure"]: run for run in records.runs(data.ROOT / "data" / "runs") if run["figure"] in plans.SMALL}


def test_pictures_are_digits_to_the_eye_of_statistics() -> None:
    small = data.mnist_1000()
    assert [tuple(part.x.shape) for part in small] == [(800, 1, 28, 28), (200, 1, 28, 28)]
    for part in small:
        assert part.x.dtype == torch.float32
        assert float(part.x.min()) == 0.0
        assert float(part.x.max()) == 1.0
        assert part.y.bincount(minlength=10).min() > 0.04 * len(part.y)
        frame, middle = part.x[:, :, [0, -1]].mean(), part.x[:, :, 9:19, 9:19].mean()
        assert float(frame) < 0.01 < 0.2 < float(middle)


def test_they_are_the_first_of_the_whole() -> None:
    try:
        whole = data.mnist(download=False)
    except OSError as reason:
        pytest.skip(f"the whole of MNIST is not at hand, to compare the subset with: {reason.__class__.__name__}")
    for part, of in zip(data.mnist_1000(), whole, strict=True):
        assert torch.equal(part.x, of.x[: len(part.x)])
        assert torch.equal(part.y, of.y[: len(part.y)])


@pytest.mark.parametrize("name", data.FIRST)
def test_another_picture_is_refused(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "data" / "mnist_1000"
    place.mkdir(parents=True)
    for path in FOLDER.glob("*.gz"):
        content = bytearray(gzip.decompress(path.read_bytes()))
        content[-1] ^= path.name == f"{name}.gz"
        (place / path.name).write_bytes(gzip.compress(content))
    monkeypatch.setattr(data, "ROOT", tmp_path)
    with pytest.raises(OSError, match=f"{name} is not the original file"):
        data.mnist_1000()
    (place / f"{name}.gz").write_bytes(b"no archive")
    with pytest.raises(OSError, match=f"cannot read .*{name}"):
        data.mnist_1000()


@pytest.mark.parametrize("figure", plans.SMALL)
def test_run_comes_out_again(figure: str) -> None:
    run, plan = RUNS[figure], plans.SMALL[figure]
    assert Plan(**{**run["plan"], "rates": tuple(map(tuple, run["plan"]["rates"]))}) == plan
    training = Training(plan, data.mnist_1000())
    training.run()
    assert training.accuracy == run["accuracy"]
    here = {"torch": torch.__version__, "numpy": np.__version__, "cpu": torch.backends.cpu.get_cpu_capability()}
    there = {"torch": run["versions"]["torch"], "numpy": run["versions"]["numpy"], "cpu": run["cpu"]}
    if here == there:
        parameters = hashlib.sha256(training.theta.numpy().tobytes()).hexdigest()
        assert parameters == run["parameters_sha256"]


def test_accuracies_would_show_a_change() -> None:
    """They move by many pictures from epoch to epoch, and with the seed."""
    for run in RUNS.values():
        assert len(set(run["accuracy"])) > len(run["accuracy"]) / 3
    other = Training(Plan(**vars(plans.SMALL["figure6-small"]) | {"seed": 1}), data.mnist_1000())
    other.run()
    assert other.accuracy != RUNS["figure6-small"]["accuracy"]
