"""Inverse dynamics and changes of contacts, with derivatives, in any configuration of a world."""

from __future__ import annotations

import numpy as np

from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats
from footfall_gradients.kernels.inverse_dynamics import contact_changes, inverse_dynamics
from footfall_gradients.tables import Changes, Contacts, Motion, Slopes, Tree, Work, changes_of
from footfall_stepper.api import PRESCRIBED, World


def tree_of(world: World) -> Tree:
    """Return the velocity dofs and links of a world."""
    topology, parent, first, last = world.topology, list[int](), list[int](), list[int]()
    for tree, body in enumerate(world.bodies):
        start = int(topology.tree_v[tree])
        base = 6 if topology.floating[tree] else 0
        for k, before in enumerate(body.model.dof_parent):
            in_base = k < base
            parent.append(-1 if in_base or before < 0 else start + int(before))
            first.append(start if in_base else start + k)
            last.append(start + base - 1 if in_base else start + k)
    given = np.repeat(topology.free == PRESCRIBED, np.diff(topology.tree_v))
    before = np.where(given, np.array(first) + 2, parent)
    of_link = topology.link_dof + topology.tree_v[topology.link_tree]
    return Tree(
        parent=np.array(parent, np.int64),
        before=before.astype(np.int64),
        first=np.array(first, np.int64),
        last=np.array(last, np.int64),
        link_dof=np.where(topology.link_dof >= 0, of_link, -1).astype(np.int64),
        mass=topology.mass,
        com=topology.com,
        inertia=topology.inertia.reshape(-1, 9),
    )


class Rooms:
    """Arrays for inverse dynamics and its derivatives in any configuration of a world.

    Attributes:
        tree: dofs and links; motion, slopes: arguments and results; table: table of all.
    """

    def __init__(self, world: World) -> None:
        nv, topology = world.nv, world.topology
        self.tree = tree_of(world)
        room = np.zeros((nv, 6)), np.zeros((len(topology.mass), 12))
        numbers = np.zeros(nv), np.zeros(nv), np.zeros(3), np.zeros(nv)
        self.motion = Motion(*room, *numbers)
        wide = {"inertia": (nv, 10), "Q": (nv, 12), "six": (6, 6)}
        self.work = Work(*(np.zeros(wide.get(name, (nv, 6))) for name in Work._fields))
        self.slopes = Slopes(np.zeros(nv), np.zeros((nv, nv)), np.zeros((nv, nv)))
        self.table = table_of(self.tree, self.motion, self.work, self.slopes)
        self._dynamics = bind(inverse_dynamics, self.table)

    def inverse_dynamics(self, acceleration: Floats, velocity: Floats, gravity: Floats) -> Slopes:
        """Return ``ID`` and its derivatives at ``motion``; the next call overwrites them."""
        self.motion.acceleration[:], self.motion.velocity[:] = acceleration, velocity
        self.motion.gravity[:] = gravity
        self._dynamics()
        return self.slopes

    def contact_changes(self, points: Contacts, speed: Floats) -> Changes:
        """Return the changes of contacts with the configuration, for a velocity."""
        n, nv = len(points.link), len(speed)
        found = changes_of(n, 3 * n, nv, points.course.shape[1] // 10)
        self.motion.speed[:] = speed
        contact_changes(table_of(self.tree, self.motion, self.work, points, found))
        return found
