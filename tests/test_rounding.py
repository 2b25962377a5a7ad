"""Masses divided between two places and put together, by hand in fractions of two."""

import math

import numpy as np
import pytest

from shufflekit.atoms import Atoms
from shufflekit.convex_order import cells, divided, divided_in_order, put_together

NODES = np.array([0.0, 1.0, 4.0])


def test_cells_and_shares_of_the_upper_end() -> None:
    """A place at a node is in the cell above it, but for the last; a place outside is in the nearest cell."""
    cell, share = cells(np.array([0.0, 0.25, 1.0, 2.5, 4.0]), NODES)
    assert cell.tolist() == [0, 0, 1, 1, 1]
    assert share.tolist() == [0.0, 0.25, 0.0, 0.5, 1.0]
    cell, share = cells(np.array([-1.0, 7.0]), NODES)
    assert cell.tolist() == [0, 1]
    assert share.tolist() == [-1.0, 2.0]


def test_masses_divided_add_up_at_the_nodes() -> None:
    cell, share, mass = np.array([0, 0, 1]), np.array([0.25, 1.0, 0.5]), np.array([0.5, 0.125, 0.25])
    assert divided(cell, share, mass, 4).tolist() == [0.375, 0.125 + 0.125 + 0.125, 0.125, 0.0]


def test_in_order_every_cell_has_one_mass() -> None:
    share, mass = np.array([[0.25, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.25], [0.5, 0.5]])
    found = divided_in_order(share, mass)
    assert found.tolist() == [[0.375, 0.25, 0.125], [0.0, 1.0, 0.0]]
    assert found[0].tolist() == divided(np.array([0, 1]), share[0], mass[0], 3).tolist()


ATOMS = Atoms(np.log([0.25, 0.5, 1.0, 1.999, 2.0, 4.0]), np.log([0.25, 0.125, 0.25, 0.125, 0.125, 0.125]), 0.0625)


def masses(atoms: Atoms) -> tuple[float, float]:
    return math.fsum(np.exp(atoms.log_q)), math.fsum(np.exp(atoms.log_q + atoms.loss))


def test_put_together_both_masses_are_kept() -> None:
    found = put_together(ATOMS, np.array([0, 0, 1, 2, 2, 3]))
    assert np.exp(found.log_q) == pytest.approx([0.375, 0.25, 0.25, 0.125])
    assert np.exp(found.loss) == pytest.approx([(0.25 * 0.25 + 0.5 * 0.125) / 0.375, 1.0, 1.9995, 4.0])
    assert masses(found) == pytest.approx(masses(ATOMS), rel=1e-14)
    assert found.missing == ATOMS.missing
