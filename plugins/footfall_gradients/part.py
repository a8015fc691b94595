"""A part of a step as the simulator has left it: what was solved, and the arrays around it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import footfall
from footfall.api.contact import REPORT, SIZE, BlockKind
from footfall.api.errors import SimulationError
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, Ints
from footfall_gradients.kernels import (
    Changes,
    Contacts,
    Motion,
    Slopes,
    Tree,
    Work,
    contact_changes,
    inverse_dynamics,
)

SAME = 1e-9
"""Relative difference within which a matrix counts as the one that the step was solved with."""


def dense(world: Any, flat: Floats) -> Floats:
    """Return the matrix of a world, shape (nv, nv), whose trees' blocks are in flat storage."""
    topology, out = world.topology, np.zeros((world.nv, world.nv))
    for tree in range(len(topology.free)):
        at = slice(topology.tree_v[tree], topology.tree_v[tree + 1])
        n = at.stop - at.start
        out[at, at] = flat[topology.tree_M[tree] : topology.tree_M[tree] + n * n].reshape(n, n)
    return out


def tree_of(world: Any) -> Tree:
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
    of_link = topology.link_dof + topology.tree_v[topology.link_tree]
    return Tree(
        parent=np.array(parent, np.int64),
        first=np.array(first, np.int64),
        last=np.array(last, np.int64),
        link_dof=np.where(topology.link_dof >= 0, of_link, -1).astype(np.int64),
        mass=topology.mass,
        com=topology.com,
        inertia=topology.inertia.reshape(-1, 9),
    )


class Rooms:
    """Arrays that the kernels write to, made once for a world.

    Attributes:
        tree: dofs and links; motion, slopes: of ``inverse_dynamics``.
        free: shape (bodies,), trees that carry their momentum.
    """

    def __init__(self, world: Any) -> None:
        nv, topology = world.nv, world.topology
        self.tree = tree_of(world)
        room = np.zeros((nv, 6)), np.zeros((len(topology.mass), 12))
        numbers = np.zeros(nv), np.zeros(nv), np.zeros(3), np.zeros(nv)
        self.motion = Motion(*room, *numbers)
        wide = {"inertia": (nv, 36), "Q": (nv, 36), "six": (6, 6)}
        self.work = Work(*(np.zeros(wide.get(name, (nv, 6))) for name in Work._fields))
        self.slopes = Slopes(np.zeros(nv), np.zeros((nv, nv)), np.zeros((nv, nv)))
        self._of_dynamics = table_of(self.tree, self.motion, self.work, self.slopes)
        self._dynamics = bind(inverse_dynamics, self._of_dynamics)

    def inverse_dynamics(self, acceleration: Floats, velocity: Floats, gravity: Floats) -> Slopes:
        """Return ``ID`` and its derivatives at the place of ``motion``; overwritten by the next."""
        self.motion.acceleration[:], self.motion.velocity[:] = acceleration, velocity
        self.motion.gravity[:] = gravity
        self._dynamics()
        return self.slopes

    def contact_changes(self, points: Contacts, speed: Floats) -> Changes:
        """Return what changes of contacts with the configuration, for a velocity."""
        n, nv = len(points.link), len(speed)
        rows = np.zeros((3 * n, nv)), np.zeros((3 * n, nv))
        found = Changes(*rows, np.zeros((n, nv)), np.zeros((nv, nv)))
        self.motion.speed[:] = speed
        contact_changes(table_of(self.tree, self.motion, self.work, points, found))
        return found


@dataclass(frozen=True)
class Part:
    """A part of a step: dynamics at its start, the contact problem and its answer.

    Attributes:
        sim: the simulator; rooms: its arrays for derivatives.
        q, v: at its start; dt: its length, [s]; 0: an impact.
        x: shape (nv,), the velocity that the law has solved for, axes of the start.
        M: shape (nv, nv), inertia with armature; factored: that with gains and damping.
        stiffness, damping: shape (nv,), of the joints in this step.
        S, pose: twists of dofs, poses of links.
    """

    sim: footfall.Simulator
    rooms: Rooms
    q: Floats
    v: Floats
    dt: float
    x: Floats
    M: Floats
    factored: Floats
    stiffness: Floats
    damping: Floats
    S: Floats
    pose: Floats

    @classmethod
    def of(
        cls,
        sim: footfall.Simulator,
        rooms: Rooms,
        start: tuple[Floats, Floats],
        dt: float,
        x: Floats | None = None,
    ) -> Part:
        """Take over what the simulator has just solved.

        Args:
            sim: the simulator.
            rooms: of its world.
            start: q and v at the start of the part.
            dt: its length, [s].
            x: the velocity at its end, in the axes of the start; None: that of a step.

        Raises:
            SimulationError: if gains are no more what they were in the step.
        """
        world, joints = sim.world, sim.world.joints
        M, lower = dense(world, world.dynamics.M), dense(world, world.dynamics.L)
        M = np.tril(M) + np.tril(M, -1).T
        pivots, lower = np.diagonal(lower).copy(), np.tril(lower, -1) + np.eye(world.nv)
        factored = lower.T @ (pivots[:, None] * lower)
        added, stiffness = np.diagonal(factored - M), joints.stiffness.copy()
        damping, enough = joints.damping + joints.rate_gain, SAME * np.diagonal(factored)
        if (abs(added - dt * (damping + dt * stiffness)) > enough).any():
            stiffness, damping = np.zeros(world.nv), joints.damping.copy()
            if (abs(added - dt * damping) > enough).any():
                raise SimulationError("derivatives: gains have changed since the step was made")
        S, pose = world.dynamics.S.copy(), world.dynamics.pose.copy()
        end = (world.dynamics.v_new if x is None else x).copy()
        return cls(sim, rooms, *start, dt, end, M, factored, stiffness, damping, S, pose)

    @cached_property
    def inverse(self) -> Floats:
        """Inverse of ``factored``."""
        return np.asarray(np.linalg.inv(self.factored), float)

    @cached_property
    def trees(self) -> list[tuple[int, slice]]:
        """Trees and their velocity dofs."""
        start = self.sim.world.topology.tree_v
        return [(tree, slice(start[tree], start[tree + 1])) for tree in range(len(start) - 1)]

    @property
    def position_rule(self) -> tuple[float, float]:
        """Part of the depth beyond a slop that a step removes, [-], and the slop, [m]."""
        config: Any = self.sim.stepper.law.__dict__["config"]
        return float(config.position_gain), float(config.position_slop)

    def carries_momentum(self, tree: int) -> bool:
        """Whether a tree is a rigid body without joints."""
        topology = self.sim.world.topology
        return bool(topology.free[tree] and not topology.closed[tree])

    def place(self) -> None:
        """Let the rooms be those of this configuration."""
        self.rooms.motion.S[:], self.rooms.motion.pose[:] = self.S, self.pose

    def pushes(self) -> Contacts:
        """Return the wrenches that push links, as contacts whose impulse is the force."""
        pushes = self.sim.world.pushes
        n = int(pushes.acting[0]) if pushes.acting[1] else 0
        link, turning = pushes.link[:n], pushes.frame[:n].astype(np.int64)
        R = self.pose[link, :9].reshape(n, 3, 3).transpose(0, 2, 1)
        axes = np.where(turning[:, None, None] == 1, R, np.eye(3))
        force = np.einsum("nij,nj->ni", axes, pushes.wrench[:n, :3])
        moment = np.einsum("nij,nj->ni", axes, pushes.wrench[:n, 3:])
        point = np.einsum("nij,nj->ni", R, pushes.point[:n]) + self.pose[link, 9:]
        sides = np.stack([np.full(n, -1), link], axis=1).astype(np.int64)
        frame = np.tile(np.eye(3).reshape(9), (n, 1))
        return Contacts(sides, frame, point, point.copy(), force, moment, turning)

    @cached_property
    def problem(self) -> Problem:
        """The contact problem and its answer."""
        return Problem.of(self.sim)


@dataclass(frozen=True)
class Problem:
    """The contact problem of a part, its arrays trimmed.

    Attributes:
        kind: shape (blocks,), of ``BlockKind``; row: shape (blocks + 1,), first row of each.
        candidate: shape (blocks,), contact of each block.
        mu, gap, restitution, lower, upper: shape (blocks,).
        impulse, correction, offset, velocity, target: shape (rows,); target is ``W r + free +
            offset``, the velocity that the law has chosen.
        joint: shape (blocks,), joint row of each.
        points: contacts as the kernels take them, of ``cones``.
        corrects: whether positions are corrected; impulsive: whether it is an impact.
    """

    kind: Ints
    row: Ints
    candidate: Ints
    mu: Floats
    gap: Floats
    restitution: Floats
    lower: Floats
    upper: Floats
    impulse: Floats
    correction: Floats
    offset: Floats
    velocity: Floats
    joint: Ints
    points: Contacts
    corrects: bool
    impulsive: bool

    @classmethod
    def of(cls, sim: footfall.Simulator) -> Problem:
        """Copy the problem of a simulator."""
        arrays, sides = sim.stepper.problem.arrays, sim.world.sides
        n, rows = int(arrays.size[SIZE.blocks]), int(arrays.size[SIZE.rows])
        cones = np.flatnonzero(arrays.kind[:n] == BlockKind.CONE)
        first = arrays.row[cones]
        which = first[:, None] + np.arange(3)
        contact = arrays.candidate[cones]
        points = Contacts(
            link=sides.link[cones].astype(np.int64),
            frame=arrays.frame[cones].reshape(-1, 9),
            position=arrays.position[cones],
            centre=sim.world.candidates.query[contact],
            impulse=arrays.impulse[which].reshape(-1, 3),
            moment=np.zeros((len(cones), 3)),
            follows=np.zeros(len(cones), np.int64),
        )
        impulsive = bool(arrays.size[SIZE.impulsive])
        return cls(
            kind=arrays.kind[:n].copy(),
            row=arrays.row[: n + 1].copy(),
            candidate=arrays.candidate[:n].copy(),
            mu=arrays.mu[:n].copy(),
            gap=arrays.gap[:n].copy(),
            restitution=arrays.restitution[:n].copy(),
            lower=arrays.lower[:n].copy(),
            upper=arrays.upper[:n].copy(),
            impulse=arrays.impulse[:rows].copy(),
            correction=arrays.correction[:rows].copy(),
            offset=arrays.offset[:rows].copy(),
            velocity=arrays.velocity[:rows].copy(),
            joint=sides.joint[:n].copy(),
            points=points,
            corrects=bool(arrays.report[REPORT.corrects]) and not impulsive,
            impulsive=impulsive,
        )
