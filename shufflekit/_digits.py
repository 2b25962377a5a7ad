"""Numbers shortened to a few digits, to the side that keeps them true."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context


def rounded(number: float, *, up: bool, digits: int = 6) -> float:
    """The next number of so many decimal digits, from the number up or down; infinities as they are."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    return float(context.create_decimal_from_float(number))
