"""Compile what a run needs before it begins."""

from __future__ import annotations

import copy
from typing import Any

from footfall.assembly.edit import from_tables
from footfall.errors import FootfallError
from footfall.simulation.simulator import Simulator


def warm_up(sim: Simulator) -> None:
    """Make two steps of the same scene elsewhere, the second while something is held.

    Kernels are compiled, or loaded, when they are first called: seconds to a minute in which
    nothing moves and no hand is felt. Whoever is going to reach into a run should wait before it is
    shown, not after. ``sim`` stays as it is, and devices of hands are left alone.

    Args:
        sim: that is going to run; nothing is done for one that was not made from a scene.
    """
    if not sim.about.resolved:
        return
    tables: dict[str, Any] = copy.deepcopy(dict(sim.about.resolved["scene"]))
    tables.pop("hands", None)
    try:
        other = from_tables(sim, tables)
        other.step()
        other.grab(other.hands.links[0])
        other.step()
    except FootfallError:
        return  # the run itself will say what is wrong
