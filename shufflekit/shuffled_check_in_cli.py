"""Shuffled check-ins on the command line: ``shufflekit shuffled-check-in epsilon``, ``delta`` and ``calibrate``."""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from shufflekit import shuffled_check_in_calibrate
from shufflekit.command import (
    add_epsilon_and_delta,
    add_json,
    add_question,
    add_reduction,
    ask_delta,
    ask_epsilon,
    number,
    print_json,
    tell_found,
    whole,
)
from shufflekit.protocols import Run, ShuffledCheckIn

EXAMPLES = """examples:
  each of 60,000 clients comes with probability 0.1 to each of 6,800 rounds, reports 2-LDP and shuffled:
    shufflekit shuffled-check-in epsilon --eps0 2 --population 6e4 --rate 0.1 --rounds 6800 --delta 1e-5
  one round, beside the paper's bounds:
    shufflekit shuffled-check-in epsilon --eps0 2 --population 6e4 --rate 0.1 --delta 1e-5 --compare
  how many rounds keep those clients at epsilon = 0.5?
    shufflekit shuffled-check-in calibrate rounds --eps 0.5 --delta 1e-5 --eps0 2 --population 6e4 --rate 0.1

how many came: it is taken as seen, since the messages can be counted; where it is hidden, the same holds.
"""
ASSUMED = (
    "one randomizer shared by all; data sets that differ in one record; all of the population toss honest coins; "
    "how many came is seen"
)

# What says which protocol is meant; calibrate leaves one of them open.
OPTIONS: dict[str, dict[str, Any]] = {
    "eps0": {"type": number, "required": True, "help": "privacy of each report: every report is eps0-LDP"},
    "population": {"type": whole, "required": True, "help": "who may come to a round"},
    "rate": {"type": number, "required": True, "help": "the chance with which each of them comes, by her own coin"},
    "rounds": {"type": whole, "default": 1, "help": "rounds, adaptively chosen (default: 1)"},
}

# Each question: which end of what it leaves open is found, what it is.
QUESTIONS = {
    "eps0": ("largest", "the largest eps0"),
    "population": ("smallest", "the smallest population"),
    "rate": ("largest", "the largest chance with which each client comes"),
    "rounds": ("largest", "the most rounds"),
}


def add_to(commands: Any) -> None:
    """The command ``shuffled-check-in`` and what can be asked there."""
    about = "shuffled check-ins: each client comes to a round by her own coin, and all messages are shuffled"
    parser = commands.add_parser("shuffled-check-in", help=about, description=about)
    questions = parser.add_subparsers(dest="asked", required=True, metavar="epsilon | delta | calibrate")

    for command in add_epsilon_and_delta(
        questions, (_epsilon, _delta), EXAMPLES, "also every published bound that applies"
    ):
        _add_protocol(command, tuple(OPTIONS))

    inverse = questions.add_parser("calibrate", help=f"what meets a target: {', '.join(QUESTIONS)}")
    solved = inverse.add_subparsers(dest="question", required=True, metavar=" | ".join(QUESTIONS))
    for name, (_, what) in QUESTIONS.items():
        question = add_question(solved, name, what, _calibrate, EXAMPLES)
        _add_protocol(question, [one for one in OPTIONS if one != name])


def _add_protocol(command: argparse.ArgumentParser, names: Sequence[str]) -> None:
    for name in names:
        command.add_argument(f"--{name}", **OPTIONS[name])
    add_reduction(command)
    add_json(command)


def _run(options: argparse.Namespace) -> Run:
    one = ShuffledCheckIn(options.eps0, options.population, options.rate, reduction=options.reduction)
    rounds: int = options.rounds
    return one * rounds


def _epsilon(options: argparse.Namespace) -> None:
    ask_epsilon(options, _run(options), ASSUMED, _print_json)


def _delta(options: argparse.Namespace) -> None:
    ask_delta(options, _run(options), ASSUMED, _print_json)


def _calibrate(options: argparse.Namespace) -> None:
    name: str = options.question
    which, _ = QUESTIONS[name]
    given = {one: getattr(options, one) for one in (*OPTIONS, "reduction") if one != name}
    solve: Callable[..., float] = getattr(shuffled_check_in_calibrate, name)
    found = solve(eps=options.eps, delta=options.delta, **given)
    full = argparse.Namespace(**{**vars(options), name: found})
    tell_found(full, _run(full), (name, found, which), ASSUMED, _print_json)


def _print_json(options: argparse.Namespace, answer: dict[str, Any]) -> None:
    print_json(options, (*OPTIONS, "reduction"), answer)
