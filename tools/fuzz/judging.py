"""What is to be said of one setting's answer: whether it is wrong, wide, slow, large, or none at all."""

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

from shufflekit.bracket import LEAST_DELTA, LEAST_EPS, Bracket
from shufflekit.definitions import Game, Least, Lottery
from shufflekit.protocols import answers
from shufflekit.protocols.answers import guaranteed_delta, guaranteed_epsilon, reached_delta, reached_epsilon
from shufflekit.protocols.run import Questions
from tools.fuzz import moments
from tools.fuzz.asking import PATIENCE, Answer, Failed, aside, ask, eps_of, memory, run_of, text_of
from tools.fuzz.references import Reference, references
from tools.fuzz.settings import Setting

LOOKS = 3  # of so many numbers of a setting's look, each is a way to ask a second question
RTOL = 1e-4  # the width that is asked for
ROUND_OFF = 1e-9  # by which a delta may be off its eps, which is a float
FAR = 500.0  # where an infinite eps is looked at
# Of eps: games are played from above only, for each question as closely as it asks, those of known channels less
# closely (docs/accuracy.md).
FROM_ABOVE, FROM_ABOVE_OF_CHANNELS = RTOL, 1e-3
AFFORDABLE = 5.0  # CPU seconds, of one reference
# Which references a part's lower end may not be above, and its upper end not below.
ABOVE = {"guarantee": ("guarantee",), "attack": ("attack", "guarantee", "bound")}
BELOW = {"guarantee": ("guarantee", "attack", "reached"), "attack": ("attack",)}
Verdict = dict[str, Any]
Parts = dict[str, Bracket]


def judged(setting: Setting) -> Verdict:
    """Ask, measure, and hold the answer against all that is known."""
    eps = eps_of(setting) if setting.question == "delta" else 0.0
    text = text_of(setting, eps)
    answer = ask(text)
    found: Verdict = {"kind": setting.kind, "rounds": setting.rounds, "question": setting.question, "asked": text}
    found |= answer._asdict() | {"wrong": [], "references": [], "parts": {}, "width": 0.0, "resident": memory("VmRSS")}
    if answer.ends is None:
        return found
    parts, failed = _aside(lambda: parts_of(setting, eps, answer), {})
    wrong = [*failed, *_strange(setting, answer, parts)]
    for name, faults in _held(setting, eps, answer, parts):
        found["references"].append(name)
        wrong += [f"{name}: {fault}" for fault in faults]
    again, failed = _aside(lambda: list(_second(setting, eps, answer, parts)), []) if setting.look < LOOKS else ([], [])
    return found | {
        "wrong": [*wrong, *again, *failed],
        "width": max((_width(setting, part) for part in parts.values()), default=0.0),
        "parts": {name: tuple(part) for name, part in parts.items()},
    }


def _aside(work: Callable[[], Any], otherwise: Any) -> tuple[Any, list[str]]:
    """What comes of it, and what went wrong: nothing does where it only takes long."""
    try:
        return aside(work, PATIENCE), []
    except TimeoutError:
        return otherwise, []
    except Failed as reason:
        return otherwise, [f"another question failed: {reason}"]


def parts_of(setting: Setting, eps: float, answer: Answer) -> Parts:
    """The brackets that are about one pair each: of the guarantee, and of what attacks reach."""
    run, given = run_of(setting), Bracket(*(answer.ends or (math.nan, math.nan)))
    if setting.question in ("guarantee", "attack_epsilon"):
        return {"guarantee" if setting.question == "guarantee" else "attack": given}
    if setting.question == "epsilon":
        return {"guarantee": guaranteed_epsilon(run, setting.delta), "attack": reached_epsilon(run, setting.delta)}
    if setting.question == "delta":
        # Where attacks reach nearly 1, that and 1 are the guarantee, and it is not looked at more closely.
        return {"guarantee": answers.delta(run, eps, RTOL).guaranteed, "attack": reached_delta(run, eps)}
    return {}


def _width(setting: Setting, part: Bracket) -> float:
    return 0.0 if part.upper <= (LEAST_DELTA if setting.question == "delta" else LEAST_EPS) else part.width


def _strange(setting: Setting, answer: Answer, parts: Parts) -> Iterator[str]:
    """What no answer may be, whatever the truth is."""
    ends = answer.ends or (0.0, 0.0)
    most = 1.0 if setting.question == "delta" else math.inf
    if not 0 <= ends[0] <= ends[1] <= most:
        yield f"{ends} are no ends"
    if len(parts) == 2:
        if parts["attack"].lower > parts["guarantee"].upper * (1 + ROUND_OFF):
            yield f"an attack reaches {parts['attack'].lower!r}, above the guarantee {parts['guarantee'].upper!r}"
        if not math.isclose(ends[1], parts["guarantee"].upper, rel_tol=RTOL):
            yield f"the upper end is not the guarantee's, {parts['guarantee'].upper!r}"
        if not min(part.lower for part in parts.values()) * (1 - RTOL) <= ends[0]:
            yield f"the lower end is below {parts['attack'].lower!r}, which is reached"


# References.


def _held(setting: Setting, eps: float, answer: Answer, parts: Parts) -> Iterator[tuple[str, list[str]]]:
    """The answer against each reference that could be had in time."""
    run = run_of(setting)
    ways = {"moments": lambda: moments.faults(run, setting.order, answer.ends[0])}
    if setting.question != "rdp":
        least = setting.delta if setting.question != "delta" else max(LEAST_DELTA, answer.ends[1])
        found = references(run, least)
        ways = {f"{one.name}, {one.of}": partial(_against, one, setting, eps, parts) for one in found}
    for name, way in ways.items():
        with suppress(TimeoutError, Failed):  # what cannot be had
            faults = aside(way, AFFORDABLE)
            if faults is not None:
                yield name, faults


def _against(reference: Reference, setting: Setting, eps: float, parts: Parts) -> list[str] | None:
    """What is wrong; None where the reference knows nothing of it."""
    delta, faults, knows = reference.prepare(), list[str](), False
    for name, part in parts.items():
        low, high = reference.of in ABOVE[name], reference.of in BELOW[name]
        if setting.question == "delta":
            truth = delta(eps)
            below, above = truth, truth
            wrong_low, wrong_high = (
                part.lower > truth.upper * (1 + ROUND_OFF),
                part.upper < truth.lower * (1 - ROUND_OFF),
            )
        else:
            below, above = (delta(end if end < math.inf else FAR) for end in part)
            wrong_low = part.lower > 0 and below.upper < setting.delta * (1 - ROUND_OFF)
            wrong_high = above.lower > setting.delta * (1 + ROUND_OFF) and part.upper < math.inf
        knows |= (low and below.upper < 1) or (high and above.lower > 0)
        faults += [f"{name}'s lower end {part.lower!r} is too large: {below}"] if low and wrong_low else []
        faults += [f"{name}'s upper end {part.upper!r} is too small: {above}"] if high and wrong_high else []
    return faults if knows else None


# A second question.


def _second(setting: Setting, eps: float, answer: Answer, parts: Parts) -> Iterator[str]:
    """Another question whose answer must fit."""
    run, delta, ends = run_of(setting), setting.delta, answer.ends or (0.0, 0.0)
    if setting.question == "rdp":
        # [mironov2017] Prop 3, at any delta.
        most, least = ends[0] - math.log(delta) / (setting.order - 1), reached_epsilon(run, delta).lower
        yield from [f"rdp proves {most!r} at {delta!r}, and an attack reaches {least!r}"] if least > most else []
        return
    part = parts.get("guarantee") or parts["attack"]
    ask_again, what = (SECOND_DELTA if setting.question == "delta" else SECOND_EPSILON)[setting.look]
    fits = ask_again(run, eps if setting.question == "delta" else delta, part, "guarantee" in parts)
    yield from [] if fits else [f"{what}: the answers do not fit"]


def _more_rounds(run: Questions, delta: float, part: Bracket, _: bool) -> bool:
    return (run * 2).guarantee(delta).upper >= part.lower


def _smaller_delta(run: Questions, delta: float, part: Bracket, _: bool) -> bool:
    return guaranteed_epsilon(run, delta / 10).upper >= part.lower


def _back_to_delta(run: Questions, delta: float, part: Bracket, guaranteed: bool) -> bool:
    """At the guarantee's upper end delta is met; at what is reached it is not below."""
    if guaranteed and part.upper < math.inf:
        return guaranteed_delta(run, part.upper * (1 + _from_above(run))).lower <= delta * (1 + ROUND_OFF)
    reached = min(part.lower, FAR)
    return reached == 0 or guaranteed_delta(run, reached).upper >= delta * (1 - ROUND_OFF)


def _rounds_at_eps(run: Questions, eps: float, part: Bracket, _: bool) -> bool:
    return guaranteed_delta(run * 2, eps).upper >= part.lower


def _larger_eps(run: Questions, eps: float, part: Bracket, _: bool) -> bool:
    return guaranteed_delta(run, 1.1 * eps).lower <= part.upper


def _back_to_eps(run: Questions, eps: float, part: Bracket, _: bool) -> bool:
    most = eps * (1 + ROUND_OFF + _from_above(run))
    return not 1e-300 < part.upper < 1 or guaranteed_epsilon(run, part.upper).lower <= most


def _from_above(run: Questions) -> float:
    """By what part of eps two guarantees of the same run may differ."""
    if any(getattr(protocol, "randomizer", None) for protocol, _ in run.parts):
        return FROM_ABOVE_OF_CHANNELS
    games = any(isinstance(protocol.define(), Game | Lottery | Least) for protocol, _ in run.parts)
    return FROM_ABOVE if games else 0.0


SECOND_EPSILON = (
    (_more_rounds, "twice as many rounds"),
    (_smaller_delta, "a tenth of delta"),
    (_back_to_delta, "back to delta"),
)
SECOND_DELTA = ((_rounds_at_eps, "twice as many rounds"), (_larger_eps, "a larger eps"), (_back_to_eps, "back to eps"))
