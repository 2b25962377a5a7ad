"""What the commands share: options in full, numbers in words, and how answers are printed."""

import argparse
import contextlib
import json
import sys
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from shufflekit._digits import rounded
from shufflekit.bracket import Bracket, Reached
from shufflekit.inverse import DIGITS
from shufflekit.protocols import Run, answers
from shufflekit.protocols.answers import RTOL
from shufflekit.protocols.shuffle import REDUCTION, REDUCTIONS

PAIRS = {
    "corners": "proved in notebook 18",
    "clones": "proved in notebook 09b",
    "clones2021": "the earlier published one",
}

LONGEST_LINE = 1_000  # characters; who types a number of thousands of digits need not read them


class Parser(argparse.ArgumentParser):
    """An ArgumentParser that wants options in full, and whose errors are one line in words and exit code 2."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, allow_abbrev=False)  # --eps would be taken for --eps0

    def error(self, message: str) -> NoReturn:
        complain(self.prog, message)
        sys.exit(2)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Of help and the version, which argparse would not miss where they cannot be written."""
        print(message, end="")


def complain(name: str, reason: object) -> None:
    """One line in words on standard error; if that is closed or full, nobody can be told."""
    line = textwrap.shorten(f"{name}: {reason}", LONGEST_LINE, placeholder=" ...")
    with contextlib.suppress(AttributeError, OSError):
        sys.stderr.write(f"{line}\n")


def whole(text: str) -> int:
    """A whole number, written as 1000000, 1_000_000 or 1e6."""
    try:
        number = float(text)
        if number != int(number):
            raise ValueError
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
    # Digits beyond 2^53 would be lost by way of float.
    return int(text) if text.replace("_", "").lstrip("+-").isdigit() else int(number)


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None


Asked = Callable[[argparse.Namespace], None]
Printed = Callable[[argparse.Namespace, dict[str, Any]], None]


def add_command(commands: Any, name: str, about: str, run: Asked, examples: str) -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, epilog=examples, formatter_class=formatter
    )
    command.set_defaults(run=run)
    return command


def add_epsilon_and_delta(
    commands: Any, asked: tuple[Asked, Asked], examples: str, compared: str
) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Both questions about a protocol, which is still to be said; ``compared`` says what --compare adds."""
    about = "the epsilon at a delta: guaranteed, and reached by an attack"
    epsilon = add_command(commands, "epsilon", about, asked[0], examples)
    add_delta(epsilon)
    epsilon.add_argument("--compare", action="store_true", help=compared)
    delta = add_command(commands, "delta", "the delta at an epsilon", asked[1], examples)
    delta.add_argument("--eps", type=number, required=True, help="0 or positive")
    return epsilon, delta


def add_question(questions: Any, name: str, what: str, run: Asked, examples: str) -> argparse.ArgumentParser:
    """An inverse question: what it finds, for a target that is still to be met by some protocol."""
    question = add_command(questions, name, f"{what} with epsilon <= EPS at delta = DELTA", run, examples)
    question.add_argument("--eps", type=number, required=True, help="the target, positive")
    add_delta(question)
    return question


def add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="for programs")


def add_delta(command: argparse.ArgumentParser) -> None:
    command.add_argument("--delta", type=number, required=True, help="strictly between 0 and 1")


def add_reduction(command: argparse.ArgumentParser) -> None:
    about = "; ".join(f"{name}, {PAIRS[name]}{' (default)' if name == REDUCTION else ''}" for name in REDUCTIONS)
    command.add_argument(
        "--reduction", default=REDUCTION, metavar="|".join(REDUCTIONS), help=f"the dominating pair: {about}"
    )


def ends(name: str, answer: Bracket, attack: Reached) -> dict[str, Any]:
    """Both, for programs."""
    return {name: answer._asdict(), f"attack_{name}": attack._asdict(), "attack": attack.name}


def print_ends(name: str, answer: Bracket, attack: Reached, assumed: str) -> None:
    upper, lower = _shown(answer.upper, up=True), _shown(answer.lower, up=False)
    print(f"  {name + ' <=':11} {upper}  guaranteed, for every eps0-LDP randomizer and all data")
    print(f"  {name + ' >=':11} {lower}  reached, by {attack.name}")
    print(f"  assumed: {assumed}")


def print_found(name: str, found: float, which: str, eps: float) -> None:
    """What was calibrated, and how far its digits go."""
    shown = f"{found:,}" if isinstance(found, int) else f"{found:g}"
    digits = "" if isinstance(found, int) and found < 10**DIGITS else f", to {DIGITS} digits,"
    print(f"{name} = {shown} is the {which}{digits} with epsilon <= {eps:g}")


def print_json(options: argparse.Namespace, names: Iterable[str], answer: dict[str, Any]) -> None:
    """What was asked about, by its names, and the answer."""
    print(json.dumps({name: getattr(options, name) for name in names} | answer))


def _shown(value: float, *, up: bool) -> str:
    return f"{rounded(value, up=up):<11g}"


def _epsilon(run: Run, delta: float) -> tuple[Bracket, Reached]:
    sides = answers.epsilon(run, delta, RTOL)
    return sides.answer(RTOL), sides.reached


def ask_epsilon(options: argparse.Namespace, run: Run, assumed: str, as_json: Printed) -> None:
    """The epsilon at a delta, and every published bound where they are asked for."""
    answer, attack = _epsilon(run, options.delta)
    table = run.compare(options.delta) if options.compare else None
    if options.json:
        rows = {"comparison": [row._asdict() for row in table.rows]} if table else {}
        as_json(options, {"delta": options.delta, **ends("epsilon", answer, attack), **rows})
        return
    print(f"{run} at delta = {options.delta:g}")
    print_ends("epsilon", answer, attack, assumed)
    if table:
        print(f"\n{table}")


def ask_delta(options: argparse.Namespace, run: Run, assumed: str, as_json: Printed) -> None:
    """The delta at an epsilon."""
    sides = answers.delta(run, options.eps, RTOL)
    answer, attack = sides.answer(RTOL), sides.reached
    if options.json:
        as_json(options, {"eps": options.eps, **ends("delta", answer, attack)})
        return
    print(f"{run} at epsilon = {options.eps:g}")
    print_ends("delta", answer, attack, assumed)


def tell_found(
    options: argparse.Namespace, run: Run, found: tuple[str, float, str], assumed: str, as_json: Printed
) -> None:
    """What was calibrated, its name, its value and which end it is of; and what the run with it costs."""
    name, value, which = found
    answer, attack = _epsilon(run, options.delta)
    if options.json:
        target = {"eps": options.eps, "delta": options.delta, "solved": name, "is": which}
        as_json(options, {**target, **ends("epsilon", answer, attack)})
        return
    print_found(name, value, which, options.eps)
    print(f"{run} at delta = {options.delta:g}")
    print_ends("epsilon", answer, attack, assumed)
