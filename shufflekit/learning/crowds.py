"""The sum of many reports, without drawing each: its law exactly, with fewer draws.

Of Gaussian noise this is plain. A report of the hemisphere mechanism or of PrivUnit is a point V = x u + c z of the
sphere: u is the direction of the client's gradient, z is Gaussian, and the weights x and c depend on <z, u>, on |z|
and on coins. Take m clients. Their gradients span r <= m dimensions, and z_i = a_i + b_i with a_i in their span:
<z_i, u_i> depends on a_i alone, and |z_i|^2 = |a_i|^2 + |b_i|^2. The b_i are the rows of a
Gaussian matrix with d - r columns, which is T O: T lower triangular with normal entries, but on its diagonal the
lengths of Gaussian vectors of d - r, d - r - 1, ... entries, and O, independent of T, the first rows of a uniformly
random rotation [bartlett1933]. So sum_i c_i b_i = (c T) O has the length |c T| and a uniformly random direction
across the span, whatever the weights c_i: one Gaussian vector takes the place of m.
"""

import numpy as np
import torch
from torch.nn.functional import pad

from shufflekit import _validate
from shufflekit.learning.gradients import Gradients
from shufflekit.learning.randomizers import R2, Gaussian, PrivUnit, Sphere, measured, weighted_sum
from shufflekit.learning.streams import Draws

GROUP = 16  # clients; more would cost more to tell apart than they save
ALIKE = 1e-6  # of a squared length: directions nearer to those of others than this are taken for theirs


class _SphereSum(Sphere):
    """Reports of a fixed length, of clients of whose reports the sum alone is wanted."""

    together = GROUP

    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        g, norm, unit = measured(self._full(gradients, len(draws)))
        share = (norm * unit / self.radius).clamp(max=1)
        scale, there = torch.where(norm > 0, 1 / norm, 0.0), torch.ones_like(share)
        rest = -len(g) % GROUP
        rows = pad(g, (0, 0, 0, rest)) if rest else g
        scale, there = (pad(part, (0, rest)).unflatten(0, (-1, GROUP)) for part in (scale, there))
        span = _Span(rows.unflatten(0, (-1, GROUP)), scale)

        a, triangle = _gaussian(draws, span.kept, self.d)
        square = a.square().sum(dim=2) + triangle.square().sum(dim=2)  # |z|^2
        seen = (
            pad(share, (0, rest)),
            span.along(a).flatten(),
            square.flatten(),
            pad(draws.uniforms(), (0, 0, 0, rest)),
        )
        on_u, c = (there * part.unflatten(0, (-1, GROUP)) for part in self._weights(*seen))
        c = c[:, None, :]
        across = torch.linalg.vector_norm((c @ triangle)[:, 0], dim=1)

        noise = Draws(draws.seed, draws.step, draws.clients[::GROUP]).normals(self.d)
        inside = span.part_of(noise)  # of its direction only what lies across the span is wanted
        squares = torch.linalg.vector_norm(noise, dim=1).double().square() - inside.square().sum(dim=1)
        factor = across / squares.sqrt()
        weights = span.weights((c @ a)[:, 0] - factor[:, None] * inside) + on_u * scale
        return weighted_sum(weights.flatten()[: len(g)], g) + weighted_sum(factor, noise)


class R2Sum(_SphereSum, R2):
    """The hemisphere mechanism [duchi2018], summed."""

    def __init__(self, d: int, eps0: float, radius: float = 1.0) -> None:
        super().__init__(_validate.count(d=d, at_least=2 * GROUP), eps0, radius)


class PrivUnitSum(_SphereSum, PrivUnit):
    """PrivUnit [bhowmick2018], summed."""

    def __init__(self, d: int, eps0: float, radius: float = 1.0) -> None:
        super().__init__(_validate.count(d=d, at_least=2 * GROUP), eps0, radius)


class GaussianSum(Gaussian):
    """Gaussian noise of clients of whose reports the sum alone is wanted: of k of them it is sqrt(k) times as large."""

    together = GROUP

    def tally(self, gradients: Gradients, draws: Draws) -> torch.Tensor:
        clients = torch.tensor([len(group) for group in draws.clients.split(GROUP)], device=draws.clients.device)
        noise = self._noise(Draws(draws.seed, draws.step, draws.clients[::GROUP]))
        return weighted_sum(*self._clipped(gradients, draws)) + clients.double().sqrt() @ noise


class _Span:
    """Of each group of rows, the span of their directions, with an orthonormal basis: ``turn^T u / root``."""

    def __init__(self, rows: torch.Tensor, scale: torch.Tensor) -> None:
        self.rows, self.scale = rows, scale
        gram = torch.bmm(rows, rows.mT).double() * scale[:, :, None] * scale[:, None, :]
        squares, self.turn = torch.linalg.eigh(gram)
        self.kept = squares > ALIKE
        self.root = torch.where(self.kept, squares, 0.0).sqrt()
        self.inverse = torch.where(self.kept, 1 / self.root, 0.0)

    def along(self, a: torch.Tensor) -> torch.Tensor:
        """The products of each row's direction with the point that has these coordinates in its row."""
        return (a * self.turn * self.root[:, None, :]).sum(dim=2)

    def part_of(self, vectors: torch.Tensor) -> torch.Tensor:
        """The coordinates of one vector a group, as far as it lies in the span."""
        # One by one: of single columns a batch of products is slow.
        products = torch.stack([rows @ vector for rows, vector in zip(self.rows, vectors, strict=True)])
        products = (products.double() * self.scale)[:, :, None]
        return (self.turn.mT @ products)[:, :, 0] * self.inverse

    def weights(self, coordinates: torch.Tensor) -> torch.Tensor:
        """Of the rows, so that they add up to the points with these coordinates."""
        return (self.turn @ (coordinates * self.inverse)[:, :, None])[:, :, 0] * self.scale


def _gaussian(draws: Draws, kept: torch.Tensor, d: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The coordinates of a Gaussian matrix in the span, and the triangle of the rest."""
    across = d - kept.sum(dim=1).cpu().numpy()
    a, triangle = np.empty((2, len(across), GROUP, GROUP))
    for group, generator in enumerate(Draws(draws.seed, draws.step, draws.clients[::GROUP]).generators()):
        generator.standard_normal(out=a[group])
        triangle[group] = np.tril(generator.standard_normal((GROUP, GROUP)), -1)
        np.fill_diagonal(triangle[group], np.sqrt(generator.chisquare(across[group] - np.arange(GROUP))))
    return torch.from_numpy(a).to(kept.device) * kept[:, None, :], torch.from_numpy(triangle).to(kept.device)
