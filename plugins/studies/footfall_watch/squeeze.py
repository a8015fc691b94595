"""Bodies between immovable things that touch them from opposite sides, with a squeeze of none."""

from __future__ import annotations

import numpy as np

from footfall_stepper.api import PRESCRIBED, StepperSimulator
from footfall_watch.places import found_name

CLOSED = 1e-5
"""Gap up to which a contact touches, [m]."""
OPPOSITE = -0.99
"""Cosine of the angle between two normals from which they are opposite."""
NOTHING = 1e-6
"""Normal impulse that counts as none, relative to the weight of all bodies over a step, [-]."""


def loose_squeeze(sim: StepperSimulator) -> str:
    """Return the two contacts between which a body is neither pressed nor held; "" if none.

    Both are with immovable things, have friction, slip, and push from opposite sides; nothing else
    carries the body. How hard they press is then not determined, and the law takes it as zero.
    """
    detected, collisions, topology = sim.world.detected, sim.stepper.collisions, sim.world.topology
    count = 0 if collisions is None else int(collisions.count)
    if count == 0:
        return ""
    weight = sim.world.mass * float(np.linalg.norm(topology.gravity)) * sim.time_step
    loaded = detected.impulse[:count, 2] > NOTHING * weight
    close, rubs = detected.gap[:count] <= CLOSED * sim.world.metre, detected.friction[:count] > 0.0
    touching = close & rubs
    links, free = detected.link[:count], topology.free[topology.link_tree]
    immovable = (links < 0) | (free[links] == PRESCRIBED)
    for body in np.unique(links[~immovable]).tolist():
        own = np.flatnonzero((links == body).any(axis=1))
        held = own[touching[own] & immovable[own].any(axis=1)]
        if loaded[own].any() or len(held) < 2:
            continue
        normals = detected.normal[held] * np.where(links[held, 1:] == body, 1.0, -1.0)
        i, j = np.unravel_index(int(np.argmin(normals @ normals.T)), (len(held), len(held)))
        moving = np.abs(sim.world.dynamics.twist[body]).max() > 0.0
        if normals[i] @ normals[j] < OPPOSITE and moving:
            return " and ".join(f'"{found_name(sim, int(held[k]))}"' for k in (i, j))
    return ""
