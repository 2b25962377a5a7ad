"""Random check-ins on the command line: ``shufflekit check-in epsilon``, ``delta`` and ``calibrate``."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from shufflekit import check_in_calibrate
from shufflekit.command import (
    add_epsilon_and_delta,
    add_json,
    add_question,
    ask_delta,
    ask_epsilon,
    number,
    print_json,
    tell_found,
    whole,
)
from shufflekit.protocols import RandomCheckIn, Run, SlidingCheckIn
from shufflekit.protocols.check_ins import EMPTY

EXAMPLES = """examples:
  10,000 clients pick one of 10,000 slots each, answers 1-LDP, for 100 epochs:
    shufflekit check-in epsilon --eps0 1 --slots 1e4 --clients 1e4 --rounds 100 --delta 1e-6
  each of 20,000 clients comes by her own coin, and slots to which nobody comes are skipped:
    shufflekit check-in epsilon --eps0 1 --slots 1e4 --clients 2e4 --participation 0.5 --empty skipped --delta 1e-6
  nobody knows how many clients there are; beside the paper's bounds:
    shufflekit check-in epsilon --eps0 1 --slots 1e4 --delta 1e-6 --compare
  clients come one after the other, and pick one of the next 1,000 slots:
    shufflekit check-in epsilon --eps0 1 --window 1000 --clients 1e5 --delta 1e-6
  how many clients keep 1,000 slots at epsilon = 0.05?
    shufflekit check-in calibrate clients --eps 0.05 --delta 1e-6 --eps0 1 --slots 1000

who is protected: a client, against whoever sees the models, that is all slots' answers; not against the server, which
  sees who checks in when: against it there is eps0 and no more.
dropouts: a client who stays away by a coin of her own is one of a smaller participation; one whose staying away depends
  on her data is not protected. Others who may fail to come for another reason are not to be counted as --clients.
"""

# What says which protocol is meant; calibrate leaves one of them open.
OPTIONS: dict[str, dict[str, Any]] = {
    "eps0": {"type": number, "required": True, "help": "privacy of each answer: every answer is eps0-LDP"},
    "slots": {"type": whole, "required": True, "help": "slots of an epoch, one of which each client picks"},
    "clients": {"type": whole, "help": "who may come (default: nothing is assumed)"},
    "participation": {"type": number, "default": 1.0, "help": "the chance with which each client comes (default: 1)"},
    "rounds": {"type": whole, "default": 1, "help": "epochs with fresh check-ins (default: 1)"},
    "empty": {
        "default": EMPTY[0],
        "metavar": "|".join(EMPTY),
        "help": "an empty slot answers for a dummy record (default), or is skipped, and all see it",
    },
}
WINDOW = "instead of --slots: clients come one after the other, and pick one of the next so many slots"

# Each question: the option that it leaves open, which end of it is found, what it is.
QUESTIONS = {
    "eps0": ("eps0", "largest", "the largest eps0"),
    "clients": ("clients", "smallest", "the fewest clients"),
    "participation": ("participation", "largest", "the largest chance with which each client comes"),
    "rounds": ("rounds", "largest", "the most epochs"),
    "most-slots": ("slots", "largest", "the most slots, of those so few that all are crowded"),
    "fewest-slots": ("slots", "smallest", "the fewest slots, of those so many that a client is mostly alone"),
}


def add_to(commands: Any) -> None:
    """The command ``check-in`` and what can be asked there."""
    about = "random check-ins: each client picks a slot of a training run by herself"
    parser = commands.add_parser("check-in", help=about, description=about)
    questions = parser.add_subparsers(dest="asked", required=True, metavar="epsilon | delta | calibrate")

    for command in add_epsilon_and_delta(
        questions, (_epsilon, _delta), EXAMPLES, "also the bounds one by one, and the paper's"
    ):
        _add_protocol(command, tuple(OPTIONS), window=True)

    inverse = questions.add_parser("calibrate", help=f"what meets a target: {', '.join(QUESTIONS)}")
    metavar = " | ".join(QUESTIONS)
    solved = inverse.add_subparsers(dest="question", required=True, metavar=metavar)
    for name, (option, _, what) in QUESTIONS.items():
        question = add_question(solved, name, what, _calibrate, EXAMPLES)
        left_out = (option, "empty") if name == "fewest-slots" else (option,)
        _add_protocol(question, [one for one in OPTIONS if one not in left_out], needed=name == "most-slots")


def _add_protocol(
    command: argparse.ArgumentParser, names: Sequence[str], *, window: bool = False, needed: bool = False
) -> None:
    for name in names:
        if name == "slots" and window:
            one = command.add_mutually_exclusive_group(required=True)
            one.add_argument("--slots", **{**OPTIONS["slots"], "required": False})
            one.add_argument("--window", type=whole, help=WINDOW)
        elif name == "clients" and needed:
            command.add_argument("--clients", **OPTIONS["clients"], required=True)
        else:
            command.add_argument(f"--{name}", **OPTIONS[name])
    add_json(command)


def _run(options: argparse.Namespace) -> Run:
    rounds: int = options.rounds
    if getattr(options, "window", None) is None:
        setting = (options.eps0, options.slots, options.clients, options.participation, options.empty)
        return RandomCheckIn(*setting) * rounds
    for name in ("participation", "empty"):
        given, usual = getattr(options, name), OPTIONS[name]["default"]
        if given != usual:
            raise ValueError(f"{name} must be left out, or {usual}, with a window, got {given!r}")
    if options.clients is None:
        raise ValueError("clients must be given with a window")
    return SlidingCheckIn(options.eps0, options.window, options.clients) * rounds


def _assumed(options: argparse.Namespace) -> str:
    dummies = "an empty slot answers for a dummy" if options.empty == EMPTY[0] else "which slots are empty is seen"
    honest = "any number of" if options.clients is None else f"{options.clients:,} honest"
    return (
        "against whoever sees all slots' answers, not the server, which sees who checks in when (there it is "
        f"{options.eps0:g}); one randomizer a slot; {dummies}; data sets that differ in one record; {honest} clients"
    )


def _epsilon(options: argparse.Namespace) -> None:
    ask_epsilon(options, _run(options), _assumed(options), _print_json)


def _delta(options: argparse.Namespace) -> None:
    ask_delta(options, _run(options), _assumed(options), _print_json)


def _calibrate(options: argparse.Namespace) -> None:
    name: str = options.question
    option, which, _ = QUESTIONS[name]
    given = {one: getattr(options, one) for one in OPTIONS if getattr(options, one, None) is not None}
    solve: Callable[..., float] = getattr(check_in_calibrate, name.replace("-", "_"))
    found = solve(eps=options.eps, delta=options.delta, **given)
    full = argparse.Namespace(**{"clients": None, "empty": EMPTY[0], **vars(options), option: found})
    tell_found(full, _run(full), (option, found, which), _assumed(full), _print_json)


def _print_json(options: argparse.Namespace, answer: dict[str, Any]) -> None:
    window = {} if getattr(options, "window", None) is None else {"window": options.window}
    print_json(options, OPTIONS, window | answer)
