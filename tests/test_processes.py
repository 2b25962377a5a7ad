"""A process that torchrun has started joins the others, and leaves them whatever happens."""

import socket

import pytest

torch = pytest.importorskip("torch")

from torch import distributed  # noqa: E402

from shufflekit.learning import processes  # noqa: E402


@pytest.fixture
def started_by_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The only one of its run."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    for name, value in (("RANK", "0"), ("WORLD_SIZE", "1"), ("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", str(port))):
        monkeypatch.setenv(name, value)


def test_it_joins_and_leaves(started_by_torchrun: None) -> None:
    with processes.started():
        assert distributed.is_initialized()
        assert (processes.count(), processes.rank()) == (1, 0)
        assert processes.from_first(lambda: 7) == 7
        assert processes.add_up(torch.tensor([1.0, 2.0])).tolist() == [1.0, 2.0]
    assert not distributed.is_initialized()


def test_alone_it_joins_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANK", raising=False)
    with processes.started():
        assert not distributed.is_initialized()
        assert (processes.count(), processes.rank()) == (1, 0)
