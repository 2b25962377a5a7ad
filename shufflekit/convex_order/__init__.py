"""Convex order, the one idea behind every rounding of the kit: larger is told apart more easily."""

from shufflekit.convex_order.grids import Grid, contract, split
from shufflekit.convex_order.potentials import potential, profile, rise
from shufflekit.convex_order.profiles import Tails, connected, extended, hull, untold
from shufflekit.convex_order.rounding import cells, divided, divided_in_order, put_together
from shufflekit.convex_order.tangents import Known, below

__all__ = [
    "Grid",
    "Known",
    "Tails",
    "below",
    "cells",
    "connected",
    "contract",
    "divided",
    "divided_in_order",
    "extended",
    "hull",
    "potential",
    "profile",
    "put_together",
    "rise",
    "split",
    "untold",
]
