"""The table of all arrays that the step's kernels see."""

from __future__ import annotations

from footfall.kernels.tables import Scratch, Table, table_of
from footfall.world.arrays import Monitor, StateArrays
from footfall.world.world import World


def world_table(world: World, arrays: StateArrays, monitor: Monitor, scratch: Scratch) -> Table:
    """Make the table of a world's arrays in the order of ``footfall.kernels.tables.KINDS``."""
    return table_of(
        *(world.topology, world.joints, world.dynamics, world.candidates, world.ground),
        *(world.sides, world.problem, arrays, monitor, scratch, world.loops),
        *(world.pushes, world.joint_rows, world.detected),
    )
