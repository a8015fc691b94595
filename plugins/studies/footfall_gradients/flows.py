"""Velocities of moving ground and of moving surfaces, and their changes.

The ground's velocity at a declared point is that at the middle of a part, where the ground has
carried the mean of the link's points by then. A surface moves along a body, in the direction of the
face that touches: ``u = V - (m . V) m`` with the outward normal m. A prescribed body adds its
``chord``, the same rigid motion at all contacts with another one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from weakref import proxy

import numpy as np

from footfall.api.plugin import Capability, Floats, Ints
from footfall.api.world import TerrainSample
from footfall_gradients.manifold import exponential_slope, rotation, skew
from footfall_gradients.tables import Contacts
from footfall_stepper.api import PRESCRIBED, TimeStepping, World, unpack_key

SHIFT = 1e-3
"""Shift of points for the change of the ground's velocity, in metres of the scene's units."""
TICK = 1e-6
"""Change of times for differences, [s]."""


def rotation_by(n: int) -> Floats:
    """Return the rotation by a motion, and by n parameters that have none, shape (3, 6 + n)."""
    return np.eye(3, 6 + n, 3)


def moved_points(world: World, local: Floats) -> Floats:
    """Return changes of declared points, world, from those along their links' axes, (n, 3)."""
    R = world.dynamics.pose[world.candidates.link, :9].reshape(-1, 3, 3)
    return np.asarray(np.einsum("nji,nj->ni", R, local))


class Flows:
    """The velocities of moving ground and surfaces of a world.

    Attributes:
        moving: whether the ground moves.
    """

    def __init__(self, stepper: TimeStepping) -> None:
        self._stepper: TimeStepping = proxy(stepper)  # it holds the world
        self.moving = Capability.MOVING_GROUND in stepper.terrain.capabilities

    def enter(
        self, candidate: Ints, out: Contacts, lowered: float, shapes: Mapping[str, Floats]
    ) -> None:
        """Write ``flow``, ``drift``, and its part of ``course``, of contacts with known slopes.

        Args:
            candidate: shape (n,), number of each one's candidate.
            out: its first n rows are written.
            lowered: see ``Candidates``; 0 in impacts.
            shapes: derivatives of the world's shapes by parameters.
        """
        world, surfaces, n = self._stepper.world, self._stepper.world.surfaces, len(candidate)
        known, declared = (
            candidate < len(x) for x in (world.ground.velocity, world.candidates.link)
        )
        out.flow[:n][known] = world.ground.velocity[candidate[known]]
        more = out.course.shape[1] // 10
        course, slope = out.course[:n].reshape(n, 10, more), out.slope[:n].reshape(n, 7, 6)
        found = np.zeros((n, 3, 7 + more))  # by the motion, parameters, and the length
        if self.moving and declared.any():
            found[declared] = self._of_ground(lowered, shapes, more)[candidate[declared]]
        for b, c in enumerate(candidate.tolist()):
            if surfaces is None:
                break
            turn, own = np.hstack([slope[b, 3:6], course[b, 3:6]]), rotation_by(more)
            if declared[b]:
                number = int(surfaces.of_link[world.candidates.link[c]])
                normal = world.sample.normal[c]
                found[b, :, :-1] -= self._of_surface(number, -normal, turn - own, own)
            else:
                self._enter_pair(c - len(world.candidates.link), turn, shapes, found[b])
        out.drift[:n] = found[:, :, [*range(6), -1]].reshape(n, 21)
        course[:, 7:] = found[:, :, 6:-1]

    def _enter_pair(self, d: int, turn: Floats, shapes: Mapping[str, Floats], out: Floats) -> None:
        """Add the changes at detected contact d, whose frame turns by ``turn``, to ``out``."""
        world = self._stepper.world
        assert world.collider is not None
        numbers = unpack_key(int(world.collider.detector.found.key[d]))
        normal, links = world.detected.normal[d], world.detected.link[d].tolist()
        own = rotation_by(turn.shape[1] - 6)
        out[:, :-1] += self._of_surface(int(numbers[0]), normal, turn, 0.0 * own)
        out[:, :-1] -= self._of_surface(int(numbers[1]), -normal, turn - own, own)
        other, link = links
        # Shapes are in the order of the world's trees, of which prescribed bodies are the last.
        if other >= 0 and world.topology.free[world.topology.link_tree[link]] == PRESCRIBED:
            self._add_chord(out, link, other, world.detected.position[d], shapes)

    def _of_surface(self, number: int, normal: Floats, turn: Floats, own: Floats) -> Floats:
        """Return the change of a surface's velocity with a motion and parameters, (3, 6 + n).

        Args:
            number: that of the shape.
            normal: outward normal, world.
            turn: shape (3, 6 + n), rotation of the normal relative to the body.
            own: shape (3, 6 + n), rotation of the body.
        """
        surfaces = self._stepper.world.surfaces
        assert surfaces is not None
        R = surfaces.pose[number, :9].reshape(3, 3).T
        here = R.T @ normal
        k = int(abs(here).argmax())
        V = R @ surfaces.face[number, k if here[k] >= 0.0 else k + 3]
        by = -skew(normal) @ turn
        u = V - (V @ normal) * normal
        found: Floats = -np.outer(normal, V @ by) - (V @ normal) * by - skew(u) @ own
        return found

    def _add_chord(
        self, out: Floats, link: int, other: int, x: Floats, shapes: Mapping[str, Floats]
    ) -> None:
        """Subtract the change of a prescribed body's chord at x from ``out``, (3, 7 + n).

        ``(exp(dt w) - 1) / dt - [w x]``, in the body's axes, times the way to the mass centre of
        the other one; see ``footfall_stepper.kernels.dynamics.prescribed.chord``.

        Args:
            out: by the motion, n parameters, and the length of the part.
            link: that of the prescribed body, body 2.
            other: link of body 1.
            x: position, world.
            shapes: see ``enter``.
        """
        world, stepper = self._stepper.world, self._stepper
        at, dt = world.topology.tree_v[world.topology.link_tree[link]], stepper.program.part
        w, h = stepper.arrays.v[at + 3 : at + 6], float(dt[0])
        if h == 0.0 or not w.any():
            return
        R, of_other = (world.dynamics.pose[k, :9].reshape(3, 3).T for k in (link, other))
        centre = of_other @ world.topology.com[other] + world.dynamics.pose[other, 9:]
        turned, way = R @ skew(w), centre - world.dynamics.pose[link, 9:]
        mean = exponential_slope(h * skew(w))
        K = turned @ (mean - np.eye(3)) @ R.T
        out[:, :6] += K @ np.hstack([np.eye(3), -skew(centre - x)])  # body 1 moves back
        out[:, 3:6] += skew(K @ way)  # and the chord turns with both
        if "com" in shapes:
            out[:, 6:-1] -= K @ of_other @ shapes["com"][other]
        out[:, -1] -= turned @ (rotation(h * w) - mean) @ R.T @ way / h

    def _of_ground(self, lowered: float, shapes: Mapping[str, Floats], more: int) -> Floats:
        """Return the changes of the ground's velocity at declared points, (contacts, 3, 7 + more).

        With the motion of the links, parameters, the time at the start as the last of these, and
        the length of the part.
        """
        world, h = self._stepper.world, SHIFT * self._stepper.world.metre
        candidates, found = world.candidates, np.zeros((len(world.candidates.link), 3, 7 + more))
        place = candidates.position - lowered * candidates.gap[:, None] * world.sample.normal
        for k, way in enumerate(np.eye(3)):
            shifts = way + 0.0 * candidates.query, candidates.query @ skew(way).T
            for j, shift in zip((k, 3 + k), shifts, strict=True):
                found[:, :, j] = self._difference(h * shift) / (2.0 * h)
        found[:, :, 3:6] += found[:, :, :3] @ np.array([skew(x) for x in place])
        for k in range(more) if "local" in shapes else ():
            shift = moved_points(world, shapes["local"][..., k])
            found[:, :, 6 + k] = self._difference(h * shift) / (2.0 * h)
        for j, times in (-2, (TICK, 0.0)), (-1, (0.0, TICK)):
            if times[0] or self._stepper.program.part[0] > 0.0:
                found[:, :, j] = self._difference(0.0 * candidates.query, times) / (2.0 * TICK)
        return found

    def _difference(self, shift: Floats, times: Sequence[float] = (0.0, 0.0)) -> Floats:
        """Return the difference of the ground's mean velocity on both sides, (contacts, 3)."""
        (start, length), found = times, list[Floats]()
        stepper, candidates = self._stepper, self._stepper.world.candidates
        for way in (1.0, -1.0):
            time = float(stepper.program.time[0]) + way * start
            part = float(stepper.program.part[0])
            half = 0.5 * (part + way * length) if part > 0.0 else 0.0
            points, sample = candidates.query + way * shift, TerrainSample.allocate(len(shift))
            stepper.terrain.sample(time, points, sample)
            for link in np.unique(candidates.link) if part > 0.0 else ():
                same = candidates.link == link
                points[same] += half * sample.velocity[same].mean(axis=0)
            if part > 0.0:
                stepper.terrain.sample(time + half, points, sample)
            found.append(sample.velocity.copy())
        return found[0] - found[1]
