"""Protocols and runs are values: they never change, equal ones are equal, their text makes them again."""

import copy
import math
import pickle
from dataclasses import FrozenInstanceError
from fractions import Fraction

import numpy as np
import pytest

import shufflekit
from shufflekit import (
    Bracket,
    Channel,
    DiscretizedLaplace,
    DistributedCheckIn,
    GaussianShuffle,
    HadamardResponse,
    RandomAllocation,
    RandomCheckIn,
    RandomizedResponse,
    RandomizedResponseShuffle,
    Run,
    Shuffle,
    ShuffledCheckIn,
    SlidingCheckIn,
)
from shufflekit.protocols import Protocol

PROTOCOLS = [
    Shuffle(1.0, 100),
    Shuffle(1 / 3, 100, 5_000),
    Shuffle(2.0, 10, reduction="clones2021"),
    Shuffle(randomizer=RandomizedResponse(3, 1.0), n=7),
    Shuffle(randomizer=RandomizedResponse(3, ratio=Fraction(7, 3)), n=7),
    Shuffle(randomizer=HadamardResponse(5, eps0=0.7), n=7, population=9),
    Shuffle(randomizer=DiscretizedLaplace(4, 1.5), n=7),
    Shuffle(randomizer=Channel([[0.5, 0.3, 0.2], [0.1, 0.4, 0.5]]), n=7),
    ShuffledCheckIn(1.0, 500, 1 / 7),
    ShuffledCheckIn(1.0, 500, 0.1, reduction="clones"),
    ShuffledCheckIn(randomizer=RandomizedResponse(3, ratio=Fraction(7, 3)), population=7, rate=0.25),
    RandomizedResponseShuffle(4, gamma=0.25, n=1000, view="strong"),
    RandomizedResponseShuffle(4, 0.1, 1000),
    RandomizedResponseShuffle(3, 1 / 3, 1000, view="clones"),
    GaussianShuffle(math.pi, 30),
    RandomCheckIn(1 / 3, 1_000),
    RandomCheckIn(1.0, 1_000, 5_000, 1 / 7),
    RandomCheckIn(1.0, 1_000, 5_000, empty="skipped"),
    RandomCheckIn(1.0, 1_000, participation=0.1),
    SlidingCheckIn(2.0, 100, 5_000),
    DistributedCheckIn(2 / 3, 5_000, 0.01),
    DistributedCheckIn(2 / 3, 5_000, 0.01, "remove"),
    DistributedCheckIn(1.0, 5_000, 0.01, "remove", 1 / 3),
    RandomAllocation(math.pi, 30),
]
NAMES = {name: getattr(shufflekit, name) for name in shufflekit.__all__} | {"Fraction": Fraction}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_text_copies_and_pickles_give_the_same_protocol(protocol):
    for again in (eval(repr(protocol), NAMES), pickle.loads(pickle.dumps(protocol)), copy.deepcopy(protocol)):
        assert again == protocol
        assert hash(again) == hash(protocol)
        assert repr(again) == repr(protocol)
        assert again.pair == protocol.pair


def test_every_protocol_is_tried():
    public = {one for one in NAMES.values() if isinstance(one, type) and issubclass(one, Protocol)}
    assert public == {type(protocol) for protocol in PROTOCOLS}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=str)
def test_nothing_can_be_changed(protocol):
    for name in ("eps0", "n", "population", "view", "sigma", "slots", "clients", "window", "anything"):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(protocol, name, 5.0)
    assert protocol == eval(repr(protocol), NAMES)


def test_a_channel_under_a_protocol_cannot_be_changed():
    channel = Channel([[0.5, 0.3, 0.2], [0.1, 0.4, 0.5]])
    protocol = Shuffle(randomizer=channel, n=7)
    before = protocol.delta(0.1)
    with pytest.raises(ValueError, match="read-only"):
        channel.probs[0, 0] = 0.9
    with pytest.raises(AttributeError):
        channel.probs = np.eye(2)
    assert protocol.delta(0.1) == before


def test_equal_runs_are_equal():
    a, b = Shuffle(1.0, 100), Shuffle(2.0, 50, 5000)
    run = a * 3 + b
    assert run == b + 3 * a == (a + a + a) + b
    assert hash(run) == hash(b + a * 3)
    assert run != a * 3 and run != a + b and a * 1 != a
    for again in (eval(repr(run), NAMES), pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        assert again == run and hash(again) == hash(run)
    with pytest.raises(AttributeError, match="cannot be changed"):
        run.parts = ()
    assert isinstance(run.parts, tuple)


@pytest.mark.parametrize(
    ("parts", "error", "words"),
    [
        ([], ValueError, "parts must hold at least one protocol, got none"),
        ([(Shuffle(1.0, 5), True)], TypeError, "rounds must be a whole number of at least 1, got True"),
        ([(Shuffle(1.0, 5), 0)], ValueError, "rounds must be a whole number of at least 1, got 0"),
        ([("a shuffle", 3)], TypeError, "parts must hold pairs of a protocol and a number of rounds, got 'a shuffle'"),
        ([(Shuffle(1.0, 5), 10**12), (Shuffle(1.0, 5), 1)], ValueError, "rounds must be .* at most 1,000,000,000,000"),
    ],
)
def test_runs_of_nothing_are_refused_in_words(parts, error, words):
    with pytest.raises(error, match=words):
        Run(parts)


@pytest.mark.parametrize("view", [np.array(["strong"]), ["strong"], b"strong", None, "Strong"])
def test_a_view_is_one_of_three_words(view):
    """An array of one word was once taken, and gave the weak adversary."""
    with pytest.raises(ValueError, match="view must be one of 'strong', 'weak', 'clones', got"):
        RandomizedResponseShuffle(4, 1.0, 10, view=view)


def test_no_epsilon_is_infinite_and_says_so_at_both_ends():
    """The strong adversary sees some clients for certain: with few of them the lower end was 600 once."""
    strong = RandomizedResponseShuffle(4, gamma=0.25, n=10, view="strong")
    caught = 0.75 * (1 - 0.25 / 4) ** 9  # she told the truth, and no other message is like hers
    for run, certain in ((strong, caught), (strong * 3, 1 - (1 - caught) ** 3)):
        assert run.epsilon(0.99 * certain) == Bracket(math.inf, math.inf)
        assert run.epsilon(0.5 + certain / 2).upper < math.inf
    assert strong.epsilon(1.01 * caught).upper < 10


@pytest.mark.filterwarnings("ignore::shufflekit.bracket.WideAnswer")
@pytest.mark.parametrize(
    ("sigma", "n", "rounds"),
    [(0.1, 1000, 1), (0.05, 10**6, 1), (0.19, 10, 1), (0.1, 2, 1), (0.1, 1000, 3), (0.25, 2, 3)],
)
def test_little_noise_has_an_answer(sigma, n, rounds):
    """An IndexError once; wide, but on the right sides of the Gaussian mechanism alone and of nothing."""
    run = GaussianShuffle(sigma, n) * rounds
    ends, alone = run.epsilon(1e-6, rtol=0.1), (GaussianShuffle(sigma, 1) * rounds).epsilon(1e-6, rtol=0.1)
    assert 0 <= ends.lower <= ends.upper < math.inf
    assert ends.lower <= alone.upper
    if rounds == 1:
        assert ends.upper <= 1.1 * alone.upper  # as near as the search was asked to go
        assert run.delta(1.0).upper <= GaussianShuffle(sigma, 1).delta(1.0).upper * (1 + 1e-6)
