"""The vector randomizers of ``shufflekit.vector_randomizers``, on torch tensors, for thousands of clients at once.

Formal guarantee: ``RInf``, ``R1``, ``R2`` and ``PrivUnit`` are unbiased on their ball and eps0-LDP for every input, as
they clip first: by scaling the whole gradient into the ball [girgis2021] Alg 1, or, ``RInf`` only, by clamping the one
entry that is sent, as the authors' experiments do. ``tally`` adds up what clients send; ``mean`` makes the average
report of it. So the tallies of chunks, or of processes, add up, and those of ``RInf`` and ``R1`` exactly.

Privacy is exact in real numbers. A computer's have a grain: the chance of a sign is a multiple of 2^-53, which moves
the lesser chance 1/(E+1) by a share of up to 2^-53 (E+1): 1e-7 at eps0 = 20, and all of it from eps0 = 37 on.
"""

from abc import ABC, abstractmethod

import torch
from scipy.linalg import hadamard
from scipy.special import betaincinv
from torch.nn.functional import normalize, pad

from shufflekit import _validate, vector_randomizers
from shufflekit.learning.gradients import Gradients
from shufflekit.learning.streams import Draws

CLIPS = ("scale", "clamp")


class Randomizer(ABC):
    """Randomizes the gradients of many clients."""

    together = 1  # how many clients' draws hang together: what is tallied at once is a multiple of it, but for the last

    def __init__(self, d: int, radius: float) -> None:
        self.d, self.radius = _validate.count(d=d), _validate.positive(radius=radius)
        self.size = self.d  # of a tally
        if not 1e-30 <= self.radius <= 1e30:
            raise ValueError(f"radius must be from 1e-30 to 1e30, as single precision is not for more, got {radius!r}")

    @abstractmethod
    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        """The sum of the clients' messages, in double precision."""

    @abstractmethod
    def mean(self, tally: torch.Tensor, k: int) -> torch.Tensor:
        """The average of the reports of the k clients whose tallies were added up: d numbers."""

    @abstractmethod
    def reports(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        """Each client's report, clients x d: for a look at few clients."""

    def _full(self, gradients: Gradients, clients: int) -> torch.Tensor:
        table = gradients.full()
        if table.shape != (clients, self.d):
            raise ValueError(f"gradients must be {clients:,} rows of {self.d:,} entries, got {tuple(table.shape)}")
        return table


class _Sign(Randomizer):
    """Sends a row number, uniform, and a sign: binary randomized response to <g, row> / radius."""

    law: vector_randomizers.RInf | vector_randomizers.R1

    def __init__(self, d: int, law: vector_randomizers.RInf | vector_randomizers.R1) -> None:
        super().__init__(d, law.radius)
        self.eps0, self.law, self.size = law.eps0, law, law.size

    @abstractmethod
    def _products(self, gradients: Gradients, rows: torch.Tensor) -> torch.Tensor:
        """The clipped gradients' products with the rows, over the radius: in [-1, 1]."""

    @abstractmethod
    def _combine(self, weights: torch.Tensor) -> torch.Tensor:
        """sum_j weights_j row_j, along the last axis."""

    def plus_probability(self, products: torch.Tensor) -> torch.Tensor:
        """How likely the sign is +1: in [1/(E+1), E/(E+1)]."""
        return (1 + products.clamp(-1, 1) / self.law.s) / 2

    def messages(self, gradients: Gradients, draws: Draws) -> tuple[torch.Tensor, torch.Tensor]:
        """Each client's row number, and its sign as +1 or -1."""
        row, sign, *_ = draws.uniforms().unbind(1)
        rows = (row * self.law.size).long()
        products = _finite(self._products(gradients, rows).double())
        return rows, torch.where(sign < self.plus_probability(products), 1.0, -1.0).double()

    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        rows, signs = self.messages(gradients, draws)
        return torch.bincount(rows, weights=signs, minlength=self.law.size)

    def mean(self, tally: torch.Tensor, k: int) -> torch.Tensor:
        scale = self.radius * self.law.stretch * self.law.s  # [girgis2021] Remark 1
        return scale / _validate.count(k=k) * self._combine(tally)

    def reports(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        rows, signs = self.messages(gradients, draws)
        single = torch.zeros(len(rows), self.law.size, dtype=torch.float64, device=rows.device)
        return self.mean(single.scatter_(1, rows[:, None], signs[:, None]), 1)


class RInf(_Sign):
    """One entry of a gradient of the l_inf ball: a report is +- radius d s e_j [girgis2021] Remark 1.

    With ``clip="clamp"`` only the entry that is sent is clipped, and only it need be computed. The report is unbiased
    for the gradient with every entry clamped, which is not a multiple of the gradient.
    """

    def __init__(self, d: int, eps0: float, radius: float = 1.0, clip: str = "scale") -> None:
        super().__init__(d, vector_randomizers.RInf(d, eps0, radius))
        self.clip = _validate.choice(CLIPS, clip=clip)

    def _products(self, gradients: Gradients, rows: torch.Tensor) -> torch.Tensor:
        entries = gradients.entries(rows)
        if self.clip == "clamp":
            return entries / self.radius
        return entries / _finite(gradients.largest()).clamp(min=self.radius)  # line 6: g / max(1, |g|_inf / C)

    def _combine(self, weights: torch.Tensor) -> torch.Tensor:
        return weights


class R1(_Sign):
    """One Hadamard coefficient of a gradient of the l_1 ball: a report is +- radius s H_j [girgis2021] Remark 1."""

    def __init__(self, d: int, eps0: float, radius: float = 1.0) -> None:
        super().__init__(d, vector_randomizers.R1(d, eps0, radius))
        # H of size 2^(a+b) is the Kronecker product of those of size 2^a and 2^b.
        bits = self.law.size.bit_length() - 1
        self._high, self._low = (torch.from_numpy(hadamard(1 << part)).double() for part in (bits // 2, -(-bits // 2)))

    def _products(self, gradients: Gradients, rows: torch.Tensor) -> torch.Tensor:
        table = self._full(gradients, len(rows))
        table = table / _finite(table.abs().sum(dim=1, keepdim=True)).clamp(min=self.radius)
        high, low = self._high.to(table), self._low.to(table)
        square = self._square(table)
        products = torch.bmm(square, low[rows % len(low)][:, :, None])[:, :, 0]
        return (products * high[rows // len(low)]).sum(dim=1)

    def _combine(self, weights: torch.Tensor) -> torch.Tensor:
        square = self._square(weights)
        return (self._high.to(weights) @ square @ self._low.to(weights)).flatten(-2)[..., : self.d]

    def _square(self, table: torch.Tensor) -> torch.Tensor:
        return pad(table, (0, self.law.size - table.shape[-1])).unflatten(-1, (len(self._high), len(self._low)))


class Sphere(Randomizer):
    """A report of fixed length, given by weights on the client's own direction u and on a Gaussian vector z."""

    law: vector_randomizers.R2 | vector_randomizers.PrivUnit

    def __init__(self, law: vector_randomizers.R2 | vector_randomizers.PrivUnit) -> None:
        super().__init__(law.d, law.radius)
        self.eps0, self.law = law.eps0, law

    def log_density(self, reports: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        """Each report's log-density given the vector, of the ball, in its row, with respect to the uniform law."""
        density = self.law.log_density(reports.double().cpu().numpy(), vectors.double().cpu().numpy())
        return torch.from_numpy(density).to(reports.device)

    @abstractmethod
    def _weights(
        self, share: torch.Tensor, along: torch.Tensor, square: torch.Tensor, uniforms: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The weights of u and of z in V, a point of the sphere, given |g| / radius, <z, u> and |z|^2."""

    def _noise(self, g: torch.Tensor, norm: torch.Tensor, draws: Draws) -> tuple[torch.Tensor, ...]:
        """z, <z, u> and |z|^2."""
        z = draws.normals(self.d)
        length = torch.linalg.vector_norm(z, dim=1).double()
        z[:, 0] += length == 0  # happens in one or two dimensions
        along = (g * z).sum(dim=1).double() / torch.where(norm > 0, norm, 1.0)
        return z, along, torch.where(length > 0, length, 1.0) ** 2

    def _parts(self, gradients: Gradients, draws: Draws) -> tuple[torch.Tensor, ...]:
        g, norm, unit = measured(self._full(gradients, len(draws)))
        z, along, square = self._noise(g, norm, draws)
        share = (norm * unit / self.radius).clamp(max=1)
        on_u, on_z = self._weights(share, along, square, draws.uniforms())
        return torch.where(norm > 0, on_u / norm, 0.0), g, on_z, z

    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        on_g, g, on_z, z = self._parts(gradients, draws)
        total = weighted_sum(on_z, z)
        return total + weighted_sum(on_g, g) if on_g.any() else total

    def mean(self, tally: torch.Tensor, k: int) -> torch.Tensor:
        return self.radius / self.law.alignment / _validate.count(k=k) * tally

    def reports(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        on_g, g, on_z, z = self._parts(gradients, draws)
        return self.mean(on_g[:, None] * g + on_z[:, None] * z, 1)


class R2(Sphere):
    """The hemisphere mechanism [duchi2018], l_2 ball: a uniform point, on the side of g with probability E/(E+1)."""

    def __init__(self, d: int, eps0: float, radius: float = 1.0) -> None:
        super().__init__(vector_randomizers.R2(d, eps0, radius))

    def _weights(
        self, share: torch.Tensor, along: torch.Tensor, square: torch.Tensor, uniforms: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        side = torch.where((along >= 0) == self._wanted(share, uniforms), 1.0, -1.0)
        return torch.zeros_like(share), side / square.sqrt()

    def _wanted(self, share: torch.Tensor, uniforms: torch.Tensor) -> torch.Tensor:
        """Whether the report is to be on g's side."""
        return uniforms[:, 0] < (1 + share / self.law.s) / 2


class PrivUnit(Sphere):
    """PrivUnit [bhowmick2018], l_2 ball, with the cap that makes the reports shortest."""

    def __init__(self, d: int, eps0: float, radius: float = 1.0) -> None:
        super().__init__(vector_randomizers.PrivUnit(d, eps0, radius))

    def _noise(self, g: torch.Tensor, norm: torch.Tensor, draws: Draws) -> tuple[torch.Tensor, ...]:
        z, along, square = super()._noise(g, norm, draws)
        # |z|^2 - <z, u>^2 loses its digits where z is nearly parallel to u. In high dimension it never is.
        near = (square - along**2 < square / 4).nonzero()[:, 0]
        u, w = normalize(g[near].double(), eps=0), z[near].double()
        w[torch.arange(len(near), device=w.device), u.abs().argmin(dim=1)] += 1e-9  # so that something is left
        w -= (w * u).sum(dim=1, keepdim=True) * u
        z[near] = normalize(w, eps=0).to(z.dtype)
        along[near], square[near] = 0.0, 1.0
        return z, along, square

    def _weights(
        self, share: torch.Tensor, along: torch.Tensor, square: torch.Tensor, uniforms: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        direction, cap, level, _ = uniforms.unbind(1)
        side = torch.where(direction < (1 + share) / 2, 1.0, -1.0)
        c, half = self.law.cap_area, (self.d - 1) / 2
        area = torch.where(cap < self.law.cap_probability, c * level, c + (1 - c) * level)
        # On the whole sphere (1 - <V, u>) / 2 is Beta(half, half); the cap is its lower c.
        t = side * (1 - 2 * torch.from_numpy(betaincinv(half, half, area.cpu().numpy())).to(area))
        on_z = (1 - t**2).sqrt() / (square - along**2).sqrt()
        # Without a direction of its own a client reports a uniform point.
        return t - on_z * along, torch.where(share > 0, on_z, 1 / square.sqrt())


class Gaussian(Randomizer):
    """Adds noise N(0, (sigma radius)^2) to every entry of a gradient clipped to the l_2 ball.

    Formal guarantee: two gradients of the ball are at most 2 radius apart, so a report is as private as one value of
    N(0, (sigma / 2)^2) against the same moved by 1.
    """

    def __init__(self, d: int, sigma: float, radius: float = 1.0) -> None:
        super().__init__(d, radius)
        self.sigma = _validate.positive(sigma=sigma)

    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        noise = self._noise(draws).sum(dim=0)
        return weighted_sum(*self._clipped(gradients, draws)) + noise

    def mean(self, tally: torch.Tensor, k: int) -> torch.Tensor:
        return tally / _validate.count(k=k)

    def reports(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        factor, g = self._clipped(gradients, draws)
        return factor[:, None] * g + self._noise(draws)

    def _noise(self, draws: Draws) -> torch.Tensor:
        # In double precision: noise that ends at 5.8 sigma would tell gradients apart by what lies beyond.
        return self.sigma * self.radius * draws.normals(self.d, torch.float64)

    def _clipped(self, gradients: Gradients, draws: Draws) -> tuple[torch.Tensor, torch.Tensor]:
        g, norm, unit = measured(self._full(gradients, len(draws)))
        return torch.minimum(unit, self.radius / norm), g


def measured(g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The rows, their lengths, and what rows were divided by whose squares would over- or underflow."""
    norm = torch.linalg.vector_norm(g, dim=1).double()
    unit = torch.ones_like(norm)
    odd = ((norm < 1e-16) | (norm > 1e16)).nonzero()[:, 0]
    if len(odd):
        top = g[odd].abs().amax(dim=1)
        top = torch.where(top > 0, top, 1.0)
        g = g.index_copy(0, odd, g[odd] / top[:, None])
        norm[odd], unit[odd] = torch.linalg.vector_norm(g[odd], dim=1).double(), top.double()
    return g, _finite(norm), unit


def weighted_sum(weights: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """weights @ table; in double precision where single precision would lose digits, from hundreds of rows on."""
    pieces = zip(weights.to(table.dtype).split(256), table.split(256), strict=True)
    return torch.stack([(some @ rows).double() for some, rows in pieces]).sum(dim=0)


def _finite(numbers: torch.Tensor) -> torch.Tensor:
    if not torch.isfinite(numbers).all():
        raise ValueError(
            "gradients must be finite, and so must be their sums and their multiples of 1 / radius, got one that is "
            "not: the model has diverged, try a smaller step"
        )
    return numbers
