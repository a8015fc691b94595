"""The content of frames for a simulator: shapes, poses, and forces of contacts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from footfall.interfaces.plugin import Capability
from footfall.interfaces.visualizer import SceneGraph
from footfall.jit.compiling import bind
from footfall.recording.variables import standard_coords
from footfall.typing import Floats
from footfall_stepper.devices.sensors import sensor_variables
from footfall_stepper.kernels.dynamics.frames import link_poses

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator

MOST = 128
"""Largest number of detected contacts shown at once."""


class Drawing:
    """The content of frames for a simulator.

    Poses are those of the links, then of fixed shapes (one row, if any are drawn), then of a moving
    ground. Forces are those at declared points, then the strongest between bodies.

    Attributes:
        poses: shape (n_links of the graph, 7), world position [m] and quaternion x, y, z, w.
        position: shape (n_contacts of the graph, 3), world, [m].
        force: likewise, world, [N]; for a contact between two bodies, on the second.
        between: shape (largest number of contacts between bodies, 7), see ``Frame``.
    """

    def __init__(self, sim: StepperSimulator) -> None:
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
        self.between = np.zeros((MOST if detects else 0, 7))

    def graph(self) -> SceneGraph:
        """Return the scene graph that a visualizer needs before the first frame."""
        sim, world = self._sim, self._sim.world
        weight = world.mass * float(np.linalg.norm(world.topology.gravity))
        spread = np.ptp(world.dynamics.pose[:, 9:], axis=0).max() if world.n_links else 1.0
        links, points = world.topology, world.candidates
        tracks = [(b.name, int(links.root_link[i])) for i, b in enumerate(world.bodies)]
        about = links.inertia.reshape(-1, 9)[:, [0, 4, 8, 1, 2, 5]]
        frictions = points.friction, world.ground.friction, points.pair_friction
        measured = sensor_variables(sim.participants.sensors)
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
            rays=tuple((one.name, *signal.rays) for _, one, signal in measured if signal.rays),
        )

    def _joints(self) -> Iterator[tuple[str, int, tuple[float, ...]]]:
        """Yield the entries of ``SceneGraph.joints``."""
        world = self._sim.world
        for k, body in enumerate(world.bodies):
            first, dof = int(world.topology.tree_link[k]), int(world.topology.tree_v[k])
            for j, name in enumerate(body.model.joint_names, body.joint_offset):
                link = first + int(np.argmax(body.model.link_dof == j))
                R, p = world.dynamics.pose[link, :9].reshape(3, 3).T, world.dynamics.pose[link, 9:]
                v, w = world.dynamics.S[dof + j].reshape(2, 3)
                twist = np.concatenate([(v + np.cross(w, p)) @ R, w @ R])
                yield f"{body.name}/{name}", link, tuple(twist.tolist())

    def signals(self) -> tuple[tuple[str, str, str, tuple[tuple[str, ...], ...]], ...]:
        """Return all signals in a step's row, in the form of ``LiveStatus.signals``."""
        coords, found = standard_coords(self._sim.labels), []
        for v in self._sim.layout.variables:
            if v.width and v.name != "time":
                sizes = zip(v.dims, v.shape, strict=True)
                labels = (tuple(map(str, coords.get(dim, range(size)))) for dim, size in sizes)
                found.append((v.name, v.units, v.long_name, tuple(labels)))
        return tuple(found)

    def place(self, time: float) -> None:
        """Copy the last evaluated poses, and those of a moving ground at ``time`` [s]."""
        self._write_poses(self._sim.world.dynamics.pose, self.poses)
        if self._moves:
            self._sim.stepper.terrain.pose(time, self.poses[-1])

    def update(self, time: float) -> None:
        """Copy the poses, and the forces of the last step."""
        self.place(time)
        collisions = self._sim.stepper.collisions
        if collisions is None:
            return
        world, n = self._sim.world, collisions.count
        declared, link, d = world.candidates, world.detected.link[:n], world.detected
        each = [part[:n] for part in (d.force, d.position, d.normal, d.friction, d.status)]
        bodies = np.where(link < 0, -1, world.topology.link_tree[link])
        self.show(declared.position, declared.force, np.column_stack([*each, bodies]))

    def show(self, position: Floats, force: Floats, between: Floats) -> None:
        """Show forces at declared points, and the strongest of those between bodies.

        Args:
            position: shape (n, 3), world, [m].
            force: shape (n, 3), world, [N].
            between: shape (m, 13), for each contact between bodies force, position, and the
                fields of ``Frame.between``.
        """
        n = len(position)
        self.position[:n], self.force[:n], self.force[n:], self.between[:] = position, force, 0, 0
        strongest = np.argsort(-np.square(between[:, :3]).sum(axis=1), kind="stable")[:MOST]
        m, rows = n + len(strongest), between[strongest]
        self.force[n:m], self.position[n:m], self.between[: m - n] = np.split(rows, [3, 6], axis=1)
