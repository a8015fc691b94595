"""What frames show of a simulator: its shapes, where they are, and the forces of its contacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from footfall.interfaces.plugin import Capability
from footfall.interfaces.visualizer import SceneGraph
from footfall.jit.compiling import bind
from footfall.kernels.dynamics.frames import link_poses
from footfall.typing import Floats

if TYPE_CHECKING:
    from footfall.simulation.simulator import Simulator

MOST = 128
"""Detected contacts that are shown at once."""


class Drawing:
    """What frames show of a simulator.

    Poses are those of the links, then of what never moves (one row, if it is drawn), then of a
    ground that moves. Forces are those at declared points, then the strongest between bodies.

    Attributes:
        poses: shape (n_links of the graph, 7), world position [m] and quaternion x, y, z, w.
        position: shape (n_contacts of the graph, 3), world, [m].
        force: likewise, world, [N]; of a contact between two bodies that on the second.
    """

    def __init__(self, sim: Simulator) -> None:
        self._sim, world = sim, sim.world
        nodes = sim.provenance.nodes
        self._fixed = bool(nodes) and nodes[-1].link == world.n_links
        self._moves = Capability.MOVING_GROUND in sim.stepper.terrain.capabilities
        self.poses: Floats = np.zeros((world.n_links + self._fixed + self._moves, 7))
        self._write_poses = bind(link_poses, like=(world.dynamics.pose, self.poses))
        if self._fixed:
            self.poses[world.n_links, 6] = 1.0
        declared, detects = world.candidates, world.collider is not None
        shape = world.n_contacts + (MOST if detects else 0), 3
        self.position = np.zeros(shape) if detects else declared.position
        self.force = np.zeros(shape) if detects else declared.force

    def graph(self) -> SceneGraph:
        """Return what a visualizer needs before the first frame."""
        sim, world = self._sim, self._sim.world
        weight = world.mass * float(np.linalg.norm(world.topology.gravity))
        spread = np.ptp(world.dynamics.pose[:, 9:], axis=0).max() if world.n_links else 1.0
        links, points = world.topology, world.candidates
        tracks = [(b.name, int(links.root_link[i])) for i, b in enumerate(world.bodies)]
        about = links.inertia.reshape(-1, 9)[:, [0, 4, 8, 1, 2, 5]]
        frictions = points.friction, world.ground.friction, points.pair_friction
        return SceneGraph(
            title=sim.provenance.name,
            nodes=sim.provenance.nodes,
            n_links=len(self.poses),
            grounds=sim.stepper.terrain.grounds(),
            n_contacts=len(self.force),
            weight=weight,
            radius=float(np.clip(spread, 0.3, 5.0)),
            tracks=tuple(tracks),
            ground_link=len(self.poses) - 1 if self._moves else None,
            links=(*world.link_names, *[""] * (self._fixed + self._moves)),
            inertias=np.column_stack([links.mass, links.com, about]),
            joints=tuple(self._joints()),
            points=tuple(zip(world.contact_names, *(f.tolist() for f in frictions), strict=True)),
        )

    def _joints(self) -> Iterator[tuple[str, int, tuple[float, ...]]]:
        """Yield what ``SceneGraph.joints`` holds."""
        world = self._sim.world
        for k, body in enumerate(world.bodies):
            first, dof = int(world.topology.tree_link[k]), int(world.topology.tree_v[k])
            for j, name in enumerate(body.model.joint_names, body.joint_offset):
                link = first + int(np.argmax(body.model.link_dof == j))
                R, p = world.dynamics.pose[link, :9].reshape(3, 3).T, world.dynamics.pose[link, 9:]
                v, w = world.dynamics.S[dof + j].reshape(2, 3)
                twist = np.concatenate([(v + np.cross(w, p)) @ R, w @ R])
                yield f"{body.name}/{name}", link, tuple(twist.tolist())

    def place(self, time: float) -> None:
        """Take the poses as they were last evaluated, and of a moving ground at ``time`` [s]."""
        self._write_poses(self._sim.world.dynamics.pose, self.poses)
        if self._moves:
            self._sim.stepper.terrain.pose(time, self.poses[-1])

    def update(self, time: float) -> None:
        """Take the poses, and the forces of the last step."""
        self.place(time)
        collisions = self._sim.stepper.collisions
        if collisions is None:
            return
        declared, detected = self._sim.world.candidates, self._sim.world.detected
        count = collisions.count
        force, position = detected.force[:count], detected.position[:count]
        self.show(declared.position, declared.force, position, force)

    def show(
        self, position: Floats, force: Floats, between_position: Floats, between_force: Floats
    ) -> None:
        """Show forces at declared points, and the strongest of those between bodies."""
        n = len(position)
        self.position[:n], self.force[:n], self.force[n:] = position, force, 0.0
        strongest = np.argsort(-np.square(between_force).sum(axis=1), kind="stable")[:MOST]
        self.position[n : n + len(strongest)] = between_position[strongest]
        self.force[n : n + len(strongest)] = between_force[strongest]
