"""The judge: one round of any definition, its parameters taken as they are, in interval arithmetic."""

import math
from collections.abc import Callable
from typing import Any

from shufflekit import _validate
from shufflekit.bracket import Bracket
from shufflekit.certify import counts, games, outcomes, votes
from shufflekit.certify.balls import Estimate, ball, certified
from shufflekit.definitions import Definition, Game, checked, one_kind, voting_kinds

Define = Callable[[Callable[[float], Any]], Definition | Game]


def delta(define: Define, eps: float, *, reverse: bool = False) -> Bracket:
    """Delta at ``eps``, to the last digits of a float; ``reverse``: of (Q, P).

    Of a game: the bound on delta that it proves.

    Args:
        define: gives the definition in one kind of number, as ``define`` of a protocol or of an attack does.

    Raises:
        ValueError: where there are too many messages for what interval arithmetic costs.
    """
    eps, given = _validate.nonnegative(eps=eps), define(float)
    if isinstance(given, Game):
        games.checked_game(given)
        return _of_game(define, eps, reverse)
    rough = checked(_way(given, reverse))
    law = rough.laws[0]
    voting, one = (voting_kinds(law), one_kind(law)) if len(rough.laws) == 1 else (None, None)
    # More than that takes minutes.
    most = counts.MOST if voting is None or voting.third is None else votes.MOST_THIRD
    if not voting and not one and outcomes.how_many(rough) > outcomes.MOST:
        raise ValueError(f"define must have at most {outcomes.MOST:,} outcomes, got {outcomes.how_many(rough):,}")
    _validate.count(n=rough.slots, at_most=most)
    near = min(eps, _beyond(rough))

    def estimate(depth: float) -> Estimate:
        definition, alpha = _way(define(ball), reverse).mapped(games.as_ball), ball(near).exp()
        if _never_above(definition, alpha):
            found = Estimate(ball(0), ball(0))
        elif voting:
            found = votes.estimate(votes.votes(definition, voting), alpha, depth)
        elif one:
            found = counts.estimate(definition, one, alpha, depth)
        else:
            found = outcomes.estimate(definition, alpha)
        return Estimate(definition.shown * found.taken, definition.shown * found.left)

    return certified(estimate)


def _of_game(define: Callable[..., Any], eps: float, reverse: bool) -> Bracket:
    def estimate(depth: float) -> Estimate:
        game: Game = define(ball)
        return games.estimate(game.reversed() if reverse else game, ball(eps).exp())

    return certified(estimate)


def _way(definition: Any, reverse: bool) -> Definition:
    if not isinstance(definition, Definition):
        raise TypeError(f"define must give a Definition with finite laws, got {definition!r}")
    return definition.reversed() if reverse else definition


def _beyond(definition: Definition) -> float:
    """An eps beyond all finite losses: from there on delta falls no more."""
    away, population = definition.population - definition.slots, definition.population
    most = max(away + definition.slots * one.t0 for law in definition.laws for one in law)
    least = away or min(one.t1 for law in definition.laws for one in law if one.t1 > 0)
    return 1 + math.log(most / population) - math.log(least / population)


def _never_above(definition: Definition, alpha: Any) -> bool:
    """Whether no message speaks for P by more than alpha: then no mean of such ratios does."""
    g = ball(definition.slots) / definition.population
    return all(bool(1 + g * one.u0 <= alpha * (1 + g * one.u1)) for law in definition.laws for one in law)
