"""Random check-ins at the front door: the numbers of the claims, and what is refused in words."""

import math

import numpy as np
import pytest

from shufflekit import RandomCheckIn, Run, SlidingCheckIn, certify
from shufflekit.beyond import slots
from shufflekit.definitions import Definition, corners
from shufflekit.protocols import MAX_N, MAX_SLOTS

CASES = [
    (RandomCheckIn(1.0, 10_000, 10_000) * 1, 0.0257, 0.023158),
    (RandomCheckIn(1.0, 10_000, 10_000, empty="skipped") * 1, 0.0302, 0.029657),
    (RandomCheckIn(1.0, 10_000) * 1, 0.0432, 0.037998),
    (RandomCheckIn(1.0, 10_000, 10_000) * 100, 0.305, 0.274030),
    (RandomCheckIn(1.0, 10_000, 100_000) * 1, 0.00309, 0.00307865),
    (RandomCheckIn(2.0, 20_000, 5_000, 0.5) * 1, 0.0337, 0.032945),
    (SlidingCheckIn(1.0, 10_000, 10_000) * 1, 0.0432, 0.023158),
]


@pytest.mark.parametrize(("run", "most", "reached"), CASES, ids=lambda value: str(value))
def test_golden_numbers(run: Run, most: float, reached: float) -> None:
    """[beyond] 14 to 16: what the clones' forms and the game by value iteration had, found beforehand."""
    ends = run.epsilon(1e-6)
    assert reached * (1 - 1e-4) <= ends.lower <= ends.upper <= most
    attack = run.attack_epsilon(1e-6)
    assert attack.lower == ends.lower
    if run.parts[0][0] != CASES[-1][0].parts[0][0]:  # at the edges of a window an attack may yet be better
        assert attack.lower == pytest.approx(reached, rel=1e-4)


def test_epsilon_and_delta_agree() -> None:
    for one in (RandomCheckIn(1.0, 1_000), SlidingCheckIn(1.0, 1_000, 5_000)):
        eps = one.guarantee(1e-6).upper
        assert one.delta(eps).upper == pytest.approx(1e-6, rel=1e-2)


def test_a_window_is_no_worse_than_as_many_slots_of_which_nothing_is_known() -> None:
    slots, window = RandomCheckIn(1.0, 1_000), SlidingCheckIn(1.0, 1_000, 5_000)
    assert slots.guarantee(1e-6) == window.guarantee(1e-6)


BAD_COUNTS = [0, -1, 1.5, math.nan, math.inf, "3", True]
GOOD = {"eps0": 1.0, "slots": 100, "clients": 200, "participation": 0.5, "empty": "skipped"}
BAD = {
    "eps0": [0, -1, math.nan, math.inf, 301, "1", None, True],
    "slots": [*BAD_COUNTS, None, MAX_SLOTS + 1],
    "clients": [*BAD_COUNTS, MAX_N + 1],
    "participation": [0, -1, 1.5, math.nan, math.inf, "1", None, True],
    "empty": ["Dummy", "", None, True, 3, ["skipped"]],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_arguments_are_named_with_what_is_allowed(name: str, value: object) -> None:
    RandomCheckIn(**GOOD)
    with pytest.raises((ValueError, TypeError), match=rf"^{name} must be .*, got") as error:
        RandomCheckIn(**GOOD | {name: value})
    assert repr(value) in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"), [(n, v) for n in ("window", "clients") for v in [*BAD["slots"][:8], 10**13]]
)
def test_bad_windows_are_named(name: str, value: object) -> None:
    good = {"eps0": 1.0, "window": 100, "clients": 200}
    with pytest.raises((ValueError, TypeError), match=rf"^{name} must be a whole number .*, got"):
        SlidingCheckIn(**good | {name: value})
    with pytest.raises((ValueError, TypeError), match=r"^eps0 must be positive"):
        SlidingCheckIn(**good | {"eps0": -1})


def test_skipping_needs_to_know_how_many_come() -> None:
    with pytest.raises(ValueError, match="clients must be given where empty slots are skipped"):
        RandomCheckIn(1.0, 100, empty="skipped")


@pytest.mark.parametrize("one", [RandomCheckIn(1.0, 1_000), SlidingCheckIn(1.0, 1_000, 5_000)], ids=str)
def test_bad_questions_are_named(one: RandomCheckIn | SlidingCheckIn) -> None:
    for bad in (0, 1, -1e-6, math.nan, "1", None, True):
        for ask in (one.epsilon, one.guarantee, one.attack_epsilon, one.compare):
            with pytest.raises((ValueError, TypeError), match="delta must be strictly between 0 and 1"):
                ask(bad)
    for bad in (-1, math.nan, "1", None, True):
        with pytest.raises((ValueError, TypeError), match="eps must be 0 or positive"):
            one.delta(bad)
    for bad in (0, -1, 1.5, "1", None, True):
        with pytest.raises((ValueError, TypeError), match="rounds must be a whole number"):
            one * bad


@pytest.mark.parametrize(("eps0", "slots"), [(0.5, 200), (1.0, 200), (0.5, 1000), (1.0, 1000), (2.0, 1000)])
def test_one_replacement_is_nearly_randomized_response(eps0: float, slots: int) -> None:
    """She alone, or A_rep: the game is what adaptive randomizers reach, and two parts in 1,000 above a fixed one."""
    found = RandomCheckIn(eps0, slots).epsilon(1e-6)
    assert found.lower <= found.upper <= 1.002 * found.lower


def test_of_few_slots_two_values_reveal_more() -> None:
    assert RandomCheckIn(1.0, 200).attack_epsilon(1e-6).name.startswith("binary")
    assert RandomCheckIn(1.0, 1000).attack_epsilon(1e-6).name.startswith("3-ary")


@pytest.mark.parametrize("participation", [1.0, 0.5])
def test_the_judge_plays_the_same_replacement(participation: float) -> None:
    """In interval arithmetic, in plain floats slot by slot, and by the engine: one number."""
    protocol, eps = RandomCheckIn(1.0, 4, participation=participation), 0.1
    judged = certify.delta(protocol.define, eps)
    by_slots = slots.replaced(corners(math.expm1(1.0)).laws, 4, participation, math.exp(eps))
    assert judged.upper == pytest.approx(by_slots, rel=1e-9)
    assert judged.lower * (1 - 1e-9) <= protocol.pair.delta(np.array([eps])).upper[0] <= judged.upper * 1.01


def test_the_judge_says_what_it_does_not_judge() -> None:
    with pytest.raises(TypeError, match="define must give a Definition with finite laws, got Least"):
        certify.delta(RandomCheckIn(1.0, 4, 3).define, 0.1)


@pytest.mark.parametrize("window", [1, 2, 3, 4, 7, 50, 1234])
@pytest.mark.parametrize("clients", [1, 2, 3, 40, 1234, 10**6])
def test_no_other_number_of_slots_shows_more_of_the_first_client(window: int, clients: int) -> None:
    """Looked for among all of them, which took 900 MB for a window of 3e7."""
    i = np.arange(1.0, window + 1)
    come = np.minimum(i, clients)
    own = -np.expm1(come * np.log1p(-1 / window)) / come if window > 1 else np.ones(1)
    for attack in SlidingCheckIn(1.0, window, clients).attacks:
        known = attack.define(float)
        assert isinstance(known, Definition)
        assert known.slots == window == 1 + int(np.argmax(i * own**2))
        assert known.population == pytest.approx(1 / own[-1], rel=1e-15)
