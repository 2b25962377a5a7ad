"""The judge: single-round deltas again in interval arithmetic, and small compositions in fractions.

Nothing here is shared with the fast path: each protocol is rebuilt from its parameters, and every number is a ball that
holds the truth, its precision raised until the answer is good to the last digits of a float. Needs python-flint:
``pip install shufflekit[certify]``.
"""

from shufflekit.certify.composition import compose, composition
from shufflekit.certify.randomized_response import randomized_response
from shufflekit.certify.votes import checked_in, clones, randomized_response_view, ternary_check_in, ternary_response

__all__ = [
    "checked_in",
    "clones",
    "compose",
    "composition",
    "randomized_response",
    "randomized_response_view",
    "ternary_check_in",
    "ternary_response",
]
