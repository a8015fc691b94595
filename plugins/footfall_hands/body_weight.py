"""The weight of a body, by which gains of hands are chosen."""

from __future__ import annotations

from footfall.world.world import World

GRAVITY = 9.81
"""Whatever the scene's gravity is, [m/s^2]."""


def body_weight(world: World, link: int) -> float:
    """Return the weight of the whole body that a global link belongs to, [N].

    Of what never moves (a negative link) it is that of all bodies that do.
    """
    if link < 0:
        return GRAVITY * world.mass
    trees, masses = world.topology.link_tree, world.topology.mass
    return GRAVITY * float(masses[trees == trees[link]].sum())
