"""The command line: ``shufflekit epsilon``, ``delta``, ``calibrate`` and ``claims``, and both kinds of check-ins."""

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

from shufflekit import _output, calibrate, check_in_cli, shuffled_check_in_cli
from shufflekit.command import (
    Parser,
    add_epsilon_and_delta,
    add_json,
    add_question,
    add_reduction,
    ask_delta,
    ask_epsilon,
    complain,
    number,
    print_json,
    tell_found,
    whole,
)
from shufflekit.protocols import Run, Shuffle

EXAMPLES = """examples:
  1,000 of a million phones report each round, each 2-LDP, for 100,000 rounds:
    shufflekit epsilon --eps0 2 --n 1000 --population 1e6 --rounds 1e5 --delta 1e-8
  one round of 10,000 clients, beside every published bound:
    shufflekit epsilon --eps0 1 --n 10000 --delta 1e-6 --compare
  the other way round, for a script:
    shufflekit delta --eps0 1 --n 10000 --eps 0.5 --json
  how many rounds keep those phones at epsilon = 0.5?
    shufflekit calibrate rounds --eps 0.5 --delta 1e-8 --eps0 2 --n 1000 --population 1e6
"""

COMMANDS = "epsilon | delta | calibrate | check-in | shuffled-check-in | claims"
ASSUMED = "one randomizer shared by all; data sets that differ in one record; n honest reports"

# What says which protocol is meant; calibrate leaves one of them open.
OPTIONS: dict[str, dict[str, Any]] = {
    "eps0": {"help": "privacy of each report: every report is eps0-LDP"},
    "n": {"help": "clients that report in a round"},
    "population": {"help": "draw the n from this many each round (default: n)"},
    "rounds": {"default": 1, "help": "rounds, adaptively chosen (default: 1)"},
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Answer the command, and return the exit code: 2 where there is no answer, and a line in words instead."""
    name = "shufflekit"
    try:
        try:
            given = _joined(sys.argv[1:] if arguments is None else arguments)
            if not given:
                _parser().print_help()
                return 2
            options = _parser().parse_args(given)
            name = f"shufflekit {options.command}"
            with warnings.catch_warnings():
                warnings.showwarning = lambda message, *_: complain(name, message)
                options.run(options)
        finally:
            _output.finish()
    except BrokenPipeError:
        return 0  # the reader (head, say) has seen enough
    except MemoryError:
        complain(name, "there is not enough memory for this")
    except (OSError, ValueError, TypeError, Warning) as reason:
        complain(name, getattr(reason, "strerror", None) or reason)
    except Exception as reason:
        complain(name, f"a bug, please report it with what was asked: {type(reason).__name__}: {reason}")
    else:
        return 0
    return 2


def _joined(arguments: Sequence[str]) -> list[str]:
    """``--delta -1e-6`` as ``--delta=-1e-6``: argparse would take the number for an option, and miss the point."""
    joined: list[str] = []
    for argument in arguments:
        if argument.startswith("-") and _is_number(argument) and joined and joined[-1].startswith("--"):
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parser() -> Parser:
    parser = Parser(
        prog="shufflekit",
        description="Privacy in the shuffle model of differential privacy.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=version("shufflekit"))
    commands = parser.add_subparsers(dest="command", required=True, metavar=COMMANDS)

    for command in add_epsilon_and_delta(
        commands, (_epsilon, _delta), EXAMPLES, "also every published bound that applies"
    ):
        _add_protocol(command, tuple(OPTIONS))

    inverse = commands.add_parser("calibrate", help="what meets a target: the eps0, n, rounds or population")
    questions = inverse.add_subparsers(dest="question", required=True, metavar="eps0 | n | rounds | population")
    for name, about in (
        ("eps0", "the largest eps0"),
        ("n", "the fewest clients; given a population, the most of it that may report in a round"),
        ("rounds", "the most rounds"),
        ("population", "the smallest population"),
    ):
        question = add_question(questions, name, about, _calibrate, EXAMPLES)
        _add_protocol(question, tuple(option for option in OPTIONS if option != name))

    check_in_cli.add_to(commands)
    shuffled_check_in_cli.add_to(commands)

    ledger = commands.add_parser("claims", help="the ledger: every claim of the papers and its verdict")
    ledger.add_argument("--paper", help="only this paper's claims, by its key: girgis2021, ...")
    add_json(ledger)
    ledger.set_defaults(run=_claims)
    return parser


def _add_protocol(command: argparse.ArgumentParser, names: Sequence[str]) -> None:
    for name in names:
        kind = number if name == "eps0" else whole
        command.add_argument(f"--{name}", type=kind, required=name in ("eps0", "n"), **OPTIONS[name])
    add_reduction(command)
    add_json(command)


def _run(options: argparse.Namespace) -> Run:
    one = Shuffle(options.eps0, options.n, options.population, reduction=options.reduction)
    rounds: int = options.rounds
    return one * rounds


def _epsilon(options: argparse.Namespace) -> None:
    ask_epsilon(options, _run(options), ASSUMED, _print_json)


def _delta(options: argparse.Namespace) -> None:
    ask_delta(options, _run(options), ASSUMED, _print_json)


def _calibrate(options: argparse.Namespace) -> None:
    given = {name: getattr(options, name) for name in OPTIONS if getattr(options, name, None) is not None}
    name: str = options.question
    sampled = name == "n" and "population" in given
    solve: Callable[..., float] = calibrate.sampled_n if sampled else getattr(calibrate, name)
    found = solve(eps=options.eps, delta=options.delta, reduction=options.reduction, **given)
    which = "largest" if sampled or name in ("eps0", "rounds") else "smallest"
    full = argparse.Namespace(**{"population": None, **vars(options), name: found})
    tell_found(full, _run(full), (name, found, which), ASSUMED, _print_json)


def _print_json(options: argparse.Namespace, answer: dict[str, Any]) -> None:
    print_json(options, (*OPTIONS, "reduction"), answer)


def _claims(options: argparse.Namespace) -> None:
    from shufflekit import claims  # takes long to load, and no other command needs it

    table = claims.table(options.paper)  # also checks the paper's key
    if options.json:
        entries = [vars(claim) for claim in claims.load().values() if options.paper in (None, claim.paper)]
        print(json.dumps(entries))
    else:
        print(table)
