"""The choice of the sweeps' local solver, made when they are compiled.

A function cannot be handed to a kernel that is cached on disk: its address would be. A value whose
*type* stands for the function can.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from numba.extending import overload

from footfall_coulomb.kernels_local import solve_duriez, solve_enumerative, solve_hybrid
from footfall_coulomb.kernels_local_newton import solve_newton


class Hybrid(NamedTuple):
    """Enumeration of open, stick and slip; slip by Newton's method, by a scan where it fails."""


class Enumerative(NamedTuple):
    """Enumeration of open, stick and slip; slip by a scan."""


class LocalNewton(NamedTuple):
    """Newton's method on Alart and Curnier's function."""


class Duriez(NamedTuple):
    """One projected step."""


SOLVERS: dict[type, Any] = {
    Hybrid: solve_hybrid,
    Enumerative: solve_enumerative,
    LocalNewton: solve_newton,
    Duriez: solve_duriez,
}
HYBRID, ENUMERATIVE, LOCAL_NEWTON, DURIEZ = Hybrid(), Enumerative(), LocalNewton(), Duriez()


def solve_contact(way, W, w, b0, b1, b2, mu, r0, r1, r2, space):
    """Solve one contact in the way of ``SOLVERS`` (for kernels only)."""
    raise NotImplementedError


OPTIONS: Any = {"forceinline": True, "_nrt": False, "error_model": "numpy"}


@overload(solve_contact, jit_options=OPTIONS)
def _solve_contact(way, W, w, b0, b1, b2, mu, r0, r1, r2, space):
    chosen = SOLVERS[way.instance_class]

    def solve(way, W, w, b0, b1, b2, mu, r0, r1, r2, space):
        return chosen(W, w, b0, b1, b2, mu, r0, r1, r2, space)

    return solve
