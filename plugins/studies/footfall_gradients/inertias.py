"""Masses, centres of mass and inertias as parameters: their effect on momentum and motion.

A body's inertia is linear in its mass and in that about its centre, and quadratic in the centre c:
its derivative is that of both sides of c, to any distance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats
from footfall_gradients.kernels.inverse_dynamics import inverse_dynamics
from footfall_gradients.kernels.move import FLYING
from footfall_gradients.kernels.part import PartKind
from footfall_gradients.manifold import base_rotation, exponential_slope, rotation, skew
from footfall_gradients.rooms import Rooms
from footfall_gradients.tables import Motion, PartArrays, Slopes, Tree
from footfall_stepper.api import World


def changed_trees(
    tree: Tree, mass: Floats, com: Floats, inertia: Floats
) -> Iterator[tuple[Tree, float]]:
    """Yield links and factors: inverse dynamics of these adds up to its change.

    Args:
        tree: dofs and links.
        mass: shape (links,), change of the masses.
        com: shape (links, 3), of the centres.
        inertia: shape (links, 9), of the inertias about them.
    """
    if mass.any():
        yield tree._replace(mass=mass, inertia=inertia), 1.0
    rest = np.where(mass[:, None] == 0.0, inertia, 0.0)  # links without mass are passed over
    for sign in (1.0, -1.0) if rest.any() or com.any() else ():
        yield tree._replace(com=tree.com + sign * com, inertia=sign * rest), 0.5 * sign


class Inertias:
    """The masses, centres of mass and inertias of a world's bodies, by parameters.

    Attributes:
        any: whether they depend on parameters.
    """

    def __init__(
        self,
        world: World,
        rooms: Rooms,
        motion: Motion,
        slopes: Mapping[str, Floats],
        part: PartArrays,
        more: int,
    ) -> None:
        """Prepare the arrays.

        Args:
            world: the world.
            rooms: its rooms.
            motion: motion of the part, in the arrays of the rooms but for S and pose.
            slopes: derivatives of the world's numbers, see ``parameters.numbers``.
            part: arrays of a part.
            more: number of parameters.
        """
        self._part, self._topology, self._rooms = part, world.topology, rooms
        links, nv = len(world.topology.mass), world.nv
        shapes = {"mass": (links, more), "com": (links, 3, more), "inertia": (links, 9, more)}
        found = {name: slopes.get(name, np.zeros(shape)) for name, shape in shapes.items()}
        self._mass, self._com, self._inertia = found.values()
        self.any = any(change.any() for change in found.values())
        self._force = Slopes(np.zeros(nv), np.zeros((nv, nv)), np.zeros((nv, nv)))
        self._terms = list[tuple[int, float, Callable[[], object], Callable[[], object]]]()
        for k in range(more if self.any else 0):
            by = (found[name][..., k].copy() for name in shapes)
            for own, factor in changed_trees(rooms.tree, *by):
                here, there = (
                    bind(inverse_dynamics, table_of(own, x, rooms.work, self._force))
                    for x in (motion, rooms.motion)
                )
                self._terms.append((k, factor, here, there))
        start = world.topology.tree_link
        self._bodies = [
            (tree, int(world.topology.tree_v[tree]), int(start[tree]))
            for tree in np.flatnonzero(part.kind == PartKind.BODY).tolist()
            if any(change[start[tree] : start[tree + 1]].any() for change in found.values())
        ]

    def _of_body(self, link: int) -> Floats:
        """Return the changes of a body's inertia about its centre, shape (parameters, 3, 3)."""
        found: Floats = self._inertia[link].T.reshape(-1, 3, 3)
        return found

    def add_force(self, dt: float) -> None:
        """Subtract the change of ``M (x - v) + dt h`` at a part's motion from ``balance``.

        Args:
            dt: length of the part, [s]; 0: without the half turning of rigid bodies.
        """
        nv, balance = len(self._part.v), self._part.balance
        for k, factor, call, _ in self._terms:
            call()
            balance[:, 2 * nv + 1 + k] -= factor * self._force.force
        for _, i, link in self._bodies:
            w, at = self._part.v[i + 3 : i + 6], slice(i + 3, i + 6)
            balance[at, 2 * nv + 1 :] -= 0.5 * dt * skew(w) @ (self._of_body(link) @ w).T

    def momentum(self, v: Floats) -> Floats:
        """Return the change of ``M v`` in the configuration of the rooms, (nv, parameters)."""
        motion, found = self._rooms.motion, np.zeros((len(v), self._mass.shape[1]))
        motion.acceleration[:], motion.velocity[:], motion.gravity[:] = v, 0.0, 0.0
        for k, factor, _, call in self._terms:
            call()
            found[:, k] += factor * self._force.force
        return found

    def centre(self, tree: int, centre: Floats) -> tuple[Floats, Floats]:
        """Return the changes of a tree's mass, and of its mass centre in the axes of its base.

        Args:
            tree: its number.
            centre: shape (3,), the mass centre in the configuration of the rooms.
        """
        first, end = self._topology.tree_link[tree : tree + 2]
        base, topology = self._rooms.motion.pose[first], self._topology
        moment = np.zeros((3, self._mass.shape[1]))
        for link in range(first, end):
            pose, mass, com = self._rooms.motion.pose[link], topology.mass[link], topology.com[link]
            R = base_rotation(base).T @ base_rotation(pose)
            place = base_rotation(base).T @ (pose[9:] - base[9:]) + R @ com
            moment += np.outer(place - centre, self._mass[link]) + mass * R @ self._com[link]
        return self._mass[first:end].sum(axis=0), moment / topology.mass[first:end].sum()

    def move(self, dt: float, split: Floats) -> None:
        """Add the change of rigid bodies' new state at fixed x to ``dq`` and ``dv``.

        Of the inertia I with the momentum ``L = I x + dt w x I w / 2``: the rotation E turns by phi
        in flight, and the new angular velocity is ``s = I^-1 E' L``.

        Args:
            dt: length of the part, [s].
            split: shape (nv,), velocity by split impulses, zeros without them.
        """
        a = self._part
        for tree, i, link in self._bodies:
            turn = slice(i + 3, i + 6)
            dI, inertia = self._of_body(link), self._topology.inertia[link].reshape(3, 3)
            mean, phi, w = a.place[turn], np.zeros_like(self._com[link]), a.v[turn]
            dL = (dI @ a.x[turn]).T + 0.5 * dt * skew(w) @ (dI @ w).T
            if a.flying[tree] == FLYING:
                mean = 0.5 * (w + a.x[turn]) + split[turn]
                W = a.place[turn] - split[turn]
                F, J = rotation(dt * W), exponential_slope(-dt * skew(W))
                L = inertia @ a.x[turn] + 0.5 * dt * np.cross(w, inertia @ w)
                due = 0.5 * ((dI @ w).T + F.T @ dL) - (dI @ W).T
                dW = np.linalg.solve(inertia - 0.5 * dt * skew(F.T @ L) @ J, due)
                phi = dt * exponential_slope(-skew(a.way[turn])) @ dW
            motion = a.x[turn], dt * mean, dL, phi
            self._move_body(i, link, a.way[turn], a.new, motion, (a.dq, a.dv))

    def drift(self, time: float, new: Floats, rows: tuple[Floats, Floats]) -> None:
        """Add the change of rigid bodies that drift by their momentum alone.

        Args:
            time: of the drift, [s].
            new: shape (nv,), velocity after it; that before is of the part.
            rows: derivatives of positions and velocities after it, as ``dq`` and ``dv``.
        """
        for _, i, link in self._bodies:
            w, dL = self._part.v[i + 3 : i + 6], np.zeros_like(self._com[link])
            dL += (self._of_body(link) @ w).T
            self._move_body(i, link, time * w, new, (w, time * w, dL, 0.0 * dL), rows)

    def _move_body(
        self,
        i: int,
        link: int,
        way: Floats,
        new: Floats,
        motion: tuple[Floats, Floats, Floats, Floats],
        rows: tuple[Floats, Floats],
    ) -> None:
        """Add the change of a body that turns by ``way`` to rows of positions and velocities.

        ``motion``: angular velocity before, mean angle, dL, phi; see ``move``.
        """
        place, turn, c = slice(i, i + 3), slice(i + 3, i + 6), self._topology.com[link]
        (x, angle, dL, phi), (dq, dv), dc = motion, rows, self._com[link]
        dI, inertia = self._of_body(link), self._topology.inertia[link].reshape(3, 3)
        E, s, by = rotation(way), new[turn], slice(3 * len(self._part.v), -1)
        ds = np.linalg.solve(inertia, E.T @ dL + skew(inertia @ s) @ phi - (dI @ s).T)
        n = new[place] - np.cross(c, s)
        dv[turn, by] += ds
        dq[turn, by] += phi
        dv[place, by] += skew(n) @ phi + skew(c) @ ds + (E.T @ skew(x) - skew(s)) @ dc
        dq[place, by] += skew(c) @ phi + E.T @ (skew(angle) + np.eye(3) - E) @ dc
