"""The command line: ``shufflekit epsilon``, ``shufflekit delta``, ``shufflekit claims``."""

import argparse
import json
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, NoReturn

from shufflekit import claims
from shufflekit.bracket import Bracket
from shufflekit.protocols import Run, Shuffle

EXAMPLES = """examples:
  1,000 of a million phones report each round, each 2-LDP, for 100,000 rounds:
    shufflekit epsilon --eps0 2 --n 1000 --population 1e6 --rounds 1e5 --delta 1e-8
  one round of 10,000 clients, beside every published bound:
    shufflekit epsilon --eps0 1 --n 10000 --delta 1e-6 --compare
  the other way round, for a script:
    shufflekit delta --eps0 1 --n 10000 --eps 0.5 --json
"""


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose errors are one line in words and exit code 2."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\n")


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


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except (ValueError, TypeError) as reason:
        print(f"shufflekit {options.command}: {reason}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader (head, say) has seen enough; a second error at exit would only confuse.
        sys.stderr.close()
    return 0


def _parser() -> Parser:
    parser = Parser(prog="shufflekit", description="Privacy in the shuffle model of differential privacy.")
    parser.add_argument("--version", action="version", version=version("shufflekit"))
    commands = parser.add_subparsers(dest="command", required=True, metavar="epsilon | delta | claims")

    epsilon = _protocol_command(commands, "epsilon", "the epsilon at a delta: guaranteed, and reached by an attack")
    epsilon.add_argument("--delta", type=number, required=True, help="strictly between 0 and 1")
    epsilon.add_argument("--compare", action="store_true", help="also every published bound that applies")
    epsilon.set_defaults(run=_epsilon)

    delta = _protocol_command(commands, "delta", "the delta at an epsilon: guaranteed, and reached by an attack")
    delta.add_argument("--eps", type=number, required=True, help="0 or positive")
    delta.set_defaults(run=_delta)

    ledger = commands.add_parser("claims", help="the ledger: every claim of the papers and its verdict")
    ledger.add_argument("--paper", help="only this paper's claims, by its key: girgis2021, ...")
    ledger.add_argument("--json", action="store_true", help="for programs")
    ledger.set_defaults(run=_claims)
    return parser


def _protocol_command(commands: Any, name: str, about: str) -> argparse.ArgumentParser:
    formatter = argparse.RawDescriptionHelpFormatter
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about, epilog=EXAMPLES, formatter_class=formatter
    )
    command.add_argument("--eps0", type=number, required=True, help="privacy of each report: every report is eps0-LDP")
    command.add_argument("--n", type=whole, required=True, help="clients that report in a round")
    command.add_argument("--population", type=whole, help="draw the n from this many each round (default: n)")
    command.add_argument("--rounds", type=whole, default=1, help="rounds, adaptively chosen (default: 1)")
    command.add_argument("--json", action="store_true", help="for programs")
    return command


def _run(options: argparse.Namespace) -> Run:
    one: Shuffle = Shuffle(eps0=options.eps0, n=options.n, population=options.population)
    rounds: int = options.rounds
    return one * rounds


def _epsilon(options: argparse.Namespace) -> None:
    run = _run(options)
    answer = run.epsilon(options.delta)
    table = run.compare(options.delta) if options.compare else None
    if options.json:
        rows = {"comparison": [row._asdict() for row in table.rows]} if table else {}
        _print_json(options, {"delta": options.delta, "epsilon": answer._asdict(), **rows})
        return
    _print_answer("epsilon", answer, f"at delta = {options.delta:g}", run)
    if table:
        print(f"\n{table}")


def _delta(options: argparse.Namespace) -> None:
    run = _run(options)
    answer = run.delta(options.eps)
    if options.json:
        _print_json(options, {"eps": options.eps, "delta": answer._asdict()})
        return
    _print_answer("delta", answer, f"at epsilon = {options.eps:g}", run)


def _print_answer(name: str, answer: Bracket, condition: str, run: Run) -> None:
    print(f"{run} {condition}")
    print(f"  {name} <= {answer.upper:<12.6g} guaranteed, whatever the randomizer and the data")
    print(f"  {name} >= {answer.lower:<12.6g} reached by randomized response: no analysis can go below")


def _print_json(options: argparse.Namespace, answer: dict[str, Any]) -> None:
    protocol = {name: getattr(options, name) for name in ("eps0", "n", "population", "rounds")}
    print(json.dumps(protocol | answer))


def _claims(options: argparse.Namespace) -> None:
    table = claims.table(options.paper)  # also checks the paper's key
    if options.json:
        entries = [vars(claim) for claim in claims.load().values() if options.paper in (None, claim.paper)]
        print(json.dumps(entries))
    else:
        print(table)
