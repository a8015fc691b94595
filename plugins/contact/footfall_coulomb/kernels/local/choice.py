"""The choice of the sweeps' local solver, made when they are compiled."""

from __future__ import annotations

from typing import NamedTuple

from footfall.api.advanced import by_type
from footfall_coulomb.kernels.local.newton import solve_newton
from footfall_coulomb.kernels.local.solvers import solve_duriez, solve_enumerative, solve_hybrid


class Hybrid(NamedTuple):
    """Enumeration of open, stick and slip; slip by Newton's method, by a scan if that fails."""


class Enumerative(NamedTuple):
    """Enumeration of open, stick and slip; slip by a scan."""


class LocalNewton(NamedTuple):
    """Newton's method on Alart and Curnier's function."""


class Duriez(NamedTuple):
    """One projected step."""


HYBRID, ENUMERATIVE, LOCAL_NEWTON, DURIEZ = Hybrid(), Enumerative(), LocalNewton(), Duriez()

solve_contact = by_type(
    {
        Hybrid: solve_hybrid,
        Enumerative: solve_enumerative,
        LocalNewton: solve_newton,
        Duriez: solve_duriez,
    }
)
"""Solver of one contact, ``solve_contact(way, W, w, b0, b1, b2, mu, r0, r1, r2, space)``."""
