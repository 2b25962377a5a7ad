"""The last layer for CIFAR-10, on small pictures made here in the binary format of the real ones."""

import math
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from shufflekit.learning import check_in_plans, cifar  # noqa: E402
from shufflekit.learning.training import Training  # noqa: E402
from tools import train  # noqa: E402

EACH = 40


def made(folder: Path) -> dict[str, np.ndarray]:
    """Pictures whose mean colour tells their class; the labels and bytes of each file."""
    rng = np.random.default_rng(0)
    tables = {}
    for names, labels, classes in (
        ([*cifar.TEN[0], *cifar.TEN[1]], 1, 10),
        ([*cifar.HUNDRED[0], *cifar.HUNDRED[1]], 2, 100),
    ):
        for name in names:
            y = rng.integers(0, classes, EACH)
            colour = np.stack([25 * (y % 10), 255 - 25 * (y % 10), 2 * (y // 10)], axis=1)
            x = np.clip(colour[:, :, None] + rng.integers(-5, 6, (EACH, 3, cifar.SIDE**2)), 0, 255)
            head = np.stack([y // 5, y], axis=1)[:, -labels:]
            table = np.concatenate([head, x.reshape(EACH, -1)], axis=1).astype(np.uint8)
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(table.tobytes())
            tables[name] = table
    return tables


def test_pictures_are_read_as_they_lie_in_the_files(tmp_path: Path) -> None:
    tables = made(tmp_path)
    ten, hundred = cifar.cifar10(tmp_path), cifar.cifar100(tmp_path)
    assert [len(part.y) for part in (*ten, *hundred)] == [5 * EACH, EACH, EACH, EACH]
    second = tables["cifar-10-batches-bin/data_batch_2.bin"]
    picture, label = ten.train.x[EACH + 3], ten.train.y[EACH + 3]
    assert int(label) == second[3, 0]
    assert picture.shape == (3, 32, 32)
    assert torch.equal((picture * 255).round().flatten(), torch.from_numpy(second[3, 1:].astype(np.float32)))
    assert hundred.test.y.tolist() == tables["cifar-100-binary/test.bin"][:, 1].tolist()  # the fine label


def test_a_network_learns_and_its_features_are_what_is_before_the_last_layer(tmp_path: Path) -> None:
    made(tmp_path)
    public = cifar.cifar100(tmp_path)
    model = cifar.feature_network(100, seed=1)
    again = cifar.feature_network(100, seed=1)
    assert all(torch.equal(*two) for two in zip(model.parameters(), again.parameters(), strict=True))
    with torch.no_grad():
        before = float(torch.nn.functional.cross_entropy(model(public.train.x), public.train.y))
    cifar.learn(model, public.train, epochs=20, seed=1, rate=3e-3)
    after = float(torch.nn.functional.cross_entropy(model(public.train.x), public.train.y))
    assert after < 0.9 * before
    assert math.isfinite(after)
    seen = cifar.features(model, cifar.cifar10(tmp_path))
    assert seen.train.x.shape == (5 * EACH, cifar.WIDTH)
    assert torch.allclose(model[-1](seen.test.x), model(cifar.cifar10(tmp_path).test.x), atol=1e-5)


def test_the_last_layer_is_trained_under_privacy_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path)
    plan = check_in_plans.CheckInPlan(check_in=0.5, radius=1.0, rates=((2, 0.5),), eps0=8.0, look=5)
    monkeypatch.setattr(check_in_plans, "CIFAR10", plan)
    monkeypatch.setattr(train, "PUBLIC_EPOCHS", 1)
    train.main(["cifar10", "--images", str(tmp_path), "--folder", str(tmp_path / "runs")])
    assert (tmp_path / "runs" / "cifar10_seed0.json").is_file()
    assert "cifar10_seed0.json: accuracy" in capsys.readouterr().out


def test_features_of_ten_classes_can_be_learnt() -> None:
    rng = np.random.default_rng(2)
    y = torch.from_numpy(rng.integers(0, 10, 1_000))
    x = torch.nn.functional.one_hot(y, cifar.WIDTH).float() + 0.1 * torch.rand(1_000, cifar.WIDTH)
    images = cifar.DataSet(*(cifar.Images(x[part], y[part]) for part in (slice(800), slice(800, None))))
    plan = check_in_plans.CheckInPlan(check_in=0.5, radius=1.0, rates=((4, 0.5),), eps0=8.0, look=5)
    run = Training(plan, images, model=cifar.last_layer(0))
    run.run()
    assert run.accuracy[-1] > 0.6


def test_what_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path)
    (tmp_path / "cifar-100-binary/train.bin").write_bytes(b"short")
    with pytest.raises(OSError, match="should hold pictures of 3074 bytes each and does not"):
        cifar.cifar100(tmp_path)
    (tmp_path / "cifar-10-batches-bin/test_batch.bin").write_bytes(bytes([10]) + bytes(3072))
    with pytest.raises(OSError, match="should hold labels below 10 and does not"):
        cifar.cifar10(tmp_path)
    for arguments, told in (
        (["cifar10"], "images must be the folder of CIFAR-10"),
        (["cifar10", "--quick"], "with --quick, got 'cifar10'"),
        (["cifar10", "--images", str(tmp_path / "absent")], "No such file or directory"),
        (["ldp-sgd", "--clip", "clamp", "--quick"], "clip must be left out for ldp-sgd, got 'clamp'"),
    ):
        with pytest.raises(SystemExit):
            train.main([*arguments, "--folder", str(tmp_path / "runs")])
        assert told in capsys.readouterr().err
