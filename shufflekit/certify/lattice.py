"""Laws of losses on a lattice, composed in whole numbers: no mass is ever too large, and what is lost is known.

A law has the masses under P of losses that are multiples of ``spacing``, in units of ``2^-bits``. Products are rounded
down and the ends of a law cut off; so all that was lost, for whatever reason, is 1 less the sum of the masses.

Losses come onto a lattice, and from one to the next, which is twice as coarse, by division between the two neighbours
that keeps the mean of ``P/Q`` under Q. With ``n_i`` for what this adds to a loss, ``E_Q[e^n_i | before] = 1`` and
``|n_i| <= h_i``: ``Noise`` keeps count of these ``h_i``.
"""

from typing import TYPE_CHECKING, NamedTuple

from shufflekit.certify.balls import ball, flint, whole

if TYPE_CHECKING:
    from flint import arb, fmpz, fmpz_poly

MOST = 2**17  # losses; beyond, a law is put on a coarser lattice
SAME = 2.0**-29  # of the distance of two losses: nearer ones may be taken for one
CUT_BITS = 30  # of the mass that matters, what may be cut off at a time


class Law(NamedTuple):
    """The masses of the losses ``(first + i) spacing``, in units of ``2^-bits``."""

    first: int
    masses: "fmpz_poly"
    spacing: float
    bits: int


class Noise(NamedTuple):
    """Of what roundings have added to a loss: the sum of all ``h_i``, and that of their squares."""

    reach: "arb"
    variance: "arb"

    def more(self, steps: int, h: float) -> "Noise":
        """With so many more, each of at most h."""
        return Noise(self.reach + steps * ball(h), self.variance + steps * ball(h) ** 2)


def law_of(masses: dict[int, "arb"], spacing: float, bits: int) -> Law:
    """The law of these masses at multiples of the spacing, each rounded down."""
    first, unit = min(masses), ball(2) ** bits
    whole_masses = [0] * (max(masses) + 1 - first)
    for k, mass in masses.items():
        whole_masses[k - first] = whole((unit * mass).lower().nonnegative_part())
    return Law(first, flint().fmpz_poly(whole_masses), spacing, bits)


def times(one: Law, other: Law, uses: int, most_lost: "arb") -> Law:
    """The law of a loss of each, which is composed ``uses`` times: together these lose about ``most_lost`` by cuts."""
    masses = [mass >> one.bits for mass in (one.masses * other.masses).coeffs()]
    spare = whole(most_lost * ball(2) ** (one.bits - CUT_BITS) / uses)
    return _cut(one.first + other.first, masses, one, spare)


def coarser(law: Law) -> Law:
    """On every other loss: what is between two is divided with the mean of P/Q kept."""
    h, unit = ball(law.spacing), ball(2) ** law.bits
    down = whole((unit / (1 + h.exp())).lower())  # of the mass under P; of that under Q, more
    up = whole((unit / (1 + (-h).exp())).lower())
    first, polynomial = law.first // 2, flint().fmpz_poly
    masses = [0] * (law.first % 2) + law.masses.coeffs()  # from the even number 2 first on
    between = masses[1::2]
    found = polynomial(masses[::2])
    found += polynomial([mass * down >> law.bits for mass in between])
    found += polynomial([0, *(mass * up >> law.bits for mass in between)])
    return law._replace(first=first, masses=found, spacing=2 * law.spacing)


def power(law: Law, rounds: int, noise: Noise, most_lost: "arb") -> tuple[Law, Noise]:
    """The law of so many independent losses, and the noise with that of all coarser lattices on the way."""
    result: Law | None = None
    square, left = law, rounds
    while True:
        if left % 2:
            result = square if result is None else times(result, square, 1, most_lost)
        left //= 2
        if not left and result is not None:
            return result, noise
        square = times(square, square, left, most_lost)
        while len(square.masses) > MOST:
            # The square serves so many times yet, and the result so far once.
            noise = noise.more(left + (result is not None), square.spacing)
            square, result = coarser(square), coarser(result) if result else None


def _cut(first: int, masses: "list[fmpz]", like: Law, spare: int) -> Law:
    """Without the ends that have no more than ``spare`` each."""
    start, stop, lost = 0, len(masses), 0
    while start < stop - 1 and lost + masses[start] <= spare:
        lost, start = lost + masses[start], start + 1
    lost = 0
    while start < stop - 1 and lost + masses[stop - 1] <= spare:
        lost, stop = lost + masses[stop - 1], stop - 1
    return like._replace(first=first + start, masses=flint().fmpz_poly(masses[start:stop]))
