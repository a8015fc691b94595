"""Closed loops in a part of a step: their rows, and the change of the velocity that keeps them.

The stepper solves ``M x = p + J' r + C' l`` with ``C x = -k dt Cdot v``, in impacts ``C x = C v``.
With ``K = M^-1 C' (C M^-1 C')^+`` of its rank, b the right side, the loops add

    dx = K (db - dC x) at a fixed momentum, and dC' l to the momentum,

and the inverse inertia becomes ``(1 - K C) M^-1``. A step begins with positions moved by
``-K gap``: a change dq of them counts as ``(1 - K C) dq``.

The row of a point is that of a contact between both ends, whose frame turns with the first one.
Those of a weld's rotation are differences of three such points, 1 m apart.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from footfall.api.kernels import bind
from footfall.api.plugin import Floats, SimulationError
from footfall_gradients.kernels.answer import AnswerSize
from footfall_gradients.kernels.inertia import invert
from footfall_gradients.kernels.part import PartKind
from footfall_gradients.manifold import skew
from footfall_gradients.rooms import Rooms
from footfall_gradients.tables import Answer, Motion, PartArrays, contacts_of
from footfall_stepper.api import World

TURNING = np.zeros((6, 9))
"""Rows of a weld by those of points at its origin and 1 m along its first and second axis."""
TURNING[[0, 1, 2, 3, 4, 4, 5], [0, 1, 2, 8, 2, 5, 4]] = 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0
TURNING[[3, 5], [2, 1]] = -1.0
OPEN = 1e-4
"""Largest gap whose closing is differentiated, [m, rad]; errors are of second order."""
AWAY = {"point": np.zeros((1, 3)), "weld": np.eye(3)[[2, 0, 1]] * [1.0, 1.0, 0.0]}
"""Points of a loop, [m], along the axes of its first end."""


class ClosedLoops:
    """The loops of a world in the parts of its steps.

    Attributes:
        rows: shape (m, nv), C; inverse: shape (nv, m), K; impulse: shape (m,), that of the loops
            in the last part, [N s, N m s].
        kept: shape (nv, columns), change of a velocity at a fixed momentum; columns of ``balance``.
    """

    def __init__(
        self,
        world: World,
        rooms: Rooms,
        part: PartArrays,
        motion: Motion,
        table: object,
        chord: float,
    ) -> None:
        """Prepare the arrays.

        Args:
            world: world with loops.
            rooms: its rooms.
            part: the arrays of a part.
            motion: motion with S and pose of the part.
            table: table of the part.
            chord: k, 1/2 with the new velocity or from a midpoint, else 3/2 - theta of the step.
        """
        self._chord = chord
        self._loops, self._rooms, self._part, self._motion = world.loops, rooms, part, motion
        self._kinds = [loop.kind for body in world.bodies for loop in body.loops]
        self._starts = world.topology.tree_v, world.loops.tree_row, world.loops.tree_R
        m, nv, row, start = int(world.loops.row[-1]), world.nv, world.loops.row, 0
        owner = [i for i, kind in enumerate(self._kinds) for _ in AWAY.get(kind, ())]
        self._owner, n = np.array(owner, np.int64), len(owner)
        self._away = np.vstack([np.zeros((0, 3)), *(AWAY[k] for k in self._kinds if k in AWAY)])
        self._mix, self._fixed = np.zeros((m, 3 * n)), np.zeros((m, nv))
        for i, kind in enumerate(self._kinds):
            if kind == "coupling":
                joint, other = world.loops.link[i]
                self._fixed[row[i], joint] += 1.0
                self._fixed[row[i], other] -= world.loops.ratio[i]
            else:
                mix = TURNING if kind == "weld" else np.eye(3)
                at = start, start + mix.shape[1]
                self._mix[row[i] : row[i + 1], slice(*at)], start = mix, at[1]
        self._points = contacts_of(n, varies=np.ones(n, np.int64))
        self._points.link[:] = world.loops.link[self._owner]
        self._invert = bind(invert, table)
        self._gram, self._free, self.impulse = np.zeros((m, m)), np.zeros(m), np.zeros(m)
        self.rows, self.inverse = np.zeros((m, nv)), np.zeros((nv, m))
        self.kept = np.zeros_like(part.balance)

    def take(self) -> None:
        """Copy the loops as the stepper has just evaluated them."""
        loops, (_, rows, starts) = self._loops, self._starts
        for tree, (first, end) in enumerate(itertools.pairwise(rows)):
            m, r, at = int(end - first), int(loops.rank[tree]), int(starts[tree])
            R = loops.R[at : at + r * m].reshape(r, m)
            inverse, own = np.linalg.pinv(R), slice(first, end)
            self._gram[own, own] = inverse @ inverse.T
            self._free[own] = R.T @ loops.free[first : first + r]

    def begin(self, dt: float) -> None:
        """Write the rows, and how they hold the part, for ``kernels.part.differentiate``."""
        a = self._part
        self._invert()
        self._place()
        self.rows, *_ = self._changes(a.x, np.zeros(len(self._free)))
        self.inverse = a.inverse @ self.rows.T @ self._gram
        a.along[:] = self.rows.T @ self.inverse.T
        self.impulse = self._gram @ (self.rows @ (a.x - a.v if dt == 0.0 else a.x))
        self.impulse -= 0.0 if dt == 0.0 else self._gram @ self._free
        a.closing[:] = self.rows.T @ self.impulse

    def keep(self, dt: float, load: Floats) -> None:
        """Write ``kept`` for the velocity x, and add the loops' impulse to ``balance``.

        Args:
            dt: length of the part, [s]; 0: an impact.
            load: shape (nv,), ``J' r`` of the contacts.
        """
        a, nv = self._part, len(load)
        self.impulse = self.impulse - self.inverse.T @ load
        self._keep(a.x - a.v if dt == 0.0 else a.x, self.impulse)
        if dt == 0.0:
            self.kept[:, nv : 2 * nv] = self.inverse @ self.rows
            return
        bias, change = self._bias(a.v)
        self.kept[:, : 2 * nv] -= self._chord * dt * self.inverse @ change
        self.kept[:, 2 * nv] = -self._chord * self.inverse @ bias

    def keep_still(self, speed: Floats, load: Floats) -> None:
        """Write ``kept`` for the velocity by split impulses, ``C speed = 0``; see ``keep``."""
        self._keep(speed, -self.inverse.T @ load)

    def _keep(self, speed: Floats, impulse: Floats) -> None:
        """Write the change of a velocity with q, and add that of the loops' impulse."""
        _, change, push = self._changes(speed, impulse)
        self._part.balance[:, : len(speed)] += push
        self.kept[:] = 0.0
        self.kept[:, : len(speed)] = -self.inverse @ change

    def closed(self, columns: int) -> Floats:
        """Return the derivative of the state after gaps are closed, shape (2 nv, columns).

        Positions go by ``y = M^-1 C' l``, ``l = -(C M^-1 C')^+ gap``, to where ``C dq = 0``.

        Raises:
            SimulationError: if they were so far open that this is not exact.
        """
        a, nv, opened = self._part, len(self._part.v), self._loops.opened
        if (wide := float(abs(opened).max())) > OPEN:
            raise SimulationError(f"derivatives: loops were open by {wide:.1e} m or rad")
        along = np.eye(nv) - self.inverse @ self.rows
        y, pull = -self.inverse @ opened, -self._gram @ opened
        load = self._rooms.inverse_dynamics(y, 0.0 * y, np.zeros(3)).dq
        moved = along @ a.inverse @ (self._changes(y, pull)[2] - load) @ along
        moved -= self.inverse @ self.rows
        found = np.eye(2 * nv, columns)
        found[:nv, :nv] += moved
        for i in self._bases():
            for k in (i, i + 3):  # velocities keep their direction in the world
                found[nv + k : nv + k + 3, :nv] = skew(a.v[k : k + 3]) @ moved[i + 3 : i + 6]
        return found

    def respond(self, z: Answer, J: Floats) -> None:
        """Add ``kept``, and the response of the contacts with rows J to it, to ``z.change``."""
        n, nv = int(z.size[AnswerSize.UNKNOWNS]), len(self._part.v)
        independent = int(z.size[AnswerSize.INDEPENDENT])
        at = z.first[:n, None] + np.arange(3)
        used = np.where(np.arange(3) < z.width[:n, None], z.equation[:n], 0.0)
        seen = np.einsum("ks,ksj->kj", used, J[np.minimum(at, len(J) - 1)]) if n else J[:0]
        right = seen @ self.kept
        replaced = z.pivot[0, independent:n]
        right[replaced] = 0.0
        if z.size[AnswerSize.SLIPPING] > 0 and len(replaced):
            rates = z.left[:n].T @ z.rate[:n, 0]
            _, change, _ = self._changes(rates, np.zeros_like(self.impulse))
            right[replaced, :nv] = -z.tie[replaced, :n] @ seen @ self.inverse @ change
        z.change[:] += self.kept + z.between[:n].T @ right

    def _bases(self) -> list[int]:
        """Return the first dofs of all floating bases."""
        starts = self._starts[0][:-1]
        return [int(i) for i in starts[self._part.kind == PartKind.FLOATING]]

    def _end(self, i: int, side: int) -> tuple[Floats, Floats]:
        """Return an end's axes, row by row, and its place, world."""
        frame, link = self._loops.frame[i, side], int(self._loops.link[i, side])
        if link < 0:
            return frame[:9].reshape(3, 3), frame[9:]
        pose = self._motion.pose[link]
        R = pose[:9].reshape(3, 3)
        return frame[:9].reshape(3, 3) @ R, frame[9:] @ R + pose[9:]

    def _place(self) -> None:
        """Write the points of all loops."""
        points, rooms = self._points, self._rooms.motion
        rooms.S[:], rooms.pose[:] = self._motion.S, self._motion.pose
        for k, (i, away) in enumerate(zip(self._owner, self._away, strict=True)):
            (axes, one), (_, other) = self._end(int(i), 0), self._end(int(i), 1)
            points.frame[k] = axes.ravel()
            points.position[k] = points.centre[k] = 0.5 * (one + other) + away @ axes
            to_end = 0.5 * (other - one) - away @ axes
            half = np.hstack([np.eye(3), -skew(to_end)])  # of the motion of the second end
            points.slope[k, :18] = 0.5 * half.ravel()

    def _changes(self, speed: Floats, impulse: Floats) -> tuple[Floats, Floats, Floats]:
        """Return C, the change of ``C speed`` with q, and that of ``C' impulse``."""
        self._points.impulse[:] = (self._mix.T @ impulse).reshape(-1, 3)
        found = self._rooms.contact_changes(self._points, speed)
        return self._mix @ found.J + self._fixed, self._mix @ found.dJv, found.push

    def _bias(self, v: Floats) -> tuple[Floats, Floats]:
        """Return ``Cdot v`` as the stepper has it, and its change with q and v, (m, 2 nv).

        Accelerations are zero, those of bases in the world's axes: ``-w x v`` in their own.
        """
        nv, row = len(v), self._loops.row
        bias, change, still = np.zeros(int(row[-1])), np.zeros((int(row[-1]), 2 * nv)), np.zeros(nv)
        for i in self._bases():
            still[i : i + 3] = -skew(v[i + 3 : i + 6]) @ v[i : i + 3]
        self._rooms.inverse_dynamics(still, v, np.zeros(3))
        for i, kind in enumerate(self._kinds):
            if kind == "coupling":
                continue
            ends = [self._acceleration(int(self._loops.link[i, side]), i) for side in range(2)]
            y, dy = (one - other for other, one in zip(*ends, strict=True))
            turn, axes = self._turning(int(self._loops.link[i, 0])), self._end(i, 0)[0]
            for half in range((row[i + 1] - row[i]) // 3):
                at, own = slice(row[i] + 3 * half, row[i] + 3 * half + 3), slice(3 * half, None)
                part = y[own][:3]
                bias[at] = axes @ part
                change[at] = axes @ dy[:, own][:, :3].T
                change[at, :nv] += axes @ skew(part) @ turn.T
        for i in self._bases():
            by = np.hstack([-skew(v[i + 3 : i + 6]), skew(v[i : i + 3])])
            change[:, nv + i : nv + i + 6] += self.rows[:, i : i + 3] @ by
        return bias, change

    def _turning(self, link: int) -> Floats:
        """Return the rotations of a link with all dofs, shape (nv, 3)."""
        found = self._rooms.motion.S[:, 3:].copy()
        found[~self._chain(link)] = 0.0
        return found

    def _chain(self, link: int) -> npt.NDArray[np.bool_]:
        """Return which dofs move a link."""
        tree = self._rooms.tree
        found, j = np.zeros(len(tree.parent), bool), int(tree.link_dof[link]) if link >= 0 else -1
        while j >= 0:
            found[tree.first[j] : j + 1], j = True, int(tree.parent[j])
        return found

    def _acceleration(self, link: int, i: int) -> tuple[Floats, Floats]:
        """Return a link's acceleration at loop i's second end, and its changes, (2 nv, 6).

        It is the classical one, linear and angular. With dof j, before which the twist is ``V_j``:
        ``dV = S_j x V + V_j x S_j`` by q, and so on.
        """
        nv, chain = len(self._part.v), self._chain(link)
        if not chain.any():
            return np.zeros(6), np.zeros((2 * nv, 6))
        work, S, (_, p) = self._rooms.work, self._rooms.motion.S, self._end(i, 1)
        e = int(self._rooms.tree.link_dof[link])
        V, A = work.V[e], work.A[e]
        by_V, by_A = right_product(V), right_product(A)
        dV = np.vstack([S @ by_V + work.rate, S])
        dA = np.vstack([S @ by_A + work.rate @ by_V + work.second, work.turn + S @ by_V])
        for changes in (dV, dA):
            changes[~np.tile(chain, 2)] = 0.0
        moved = np.vstack([S[:, :3] + S[:, 3:] @ skew(p), np.zeros((nv, 3))])
        moved[:nv][~self._chain(int(self._loops.link[i, 1]))] = 0.0
        w, u = V[3:], V[:3] + skew(V[3:]) @ p
        du = dV[:, :3] + dV[:, 3:] @ skew(p) - moved @ skew(w)
        a = np.append(A[:3] + skew(A[3:]) @ p + skew(w) @ u, A[3:])
        da = dA[:, :3] + dA[:, 3:] @ skew(p) - moved @ skew(A[3:]) + dV[:, 3:] @ skew(u)
        return a, np.hstack([da - du @ skew(w), dA[:, 3:]])


def right_product(y: Floats) -> Floats:
    """Return N with ``x N = x x y`` for motions x, one a row."""
    return np.block([[skew(y[3:]), np.zeros((3, 3))], [skew(y[:3]), skew(y[3:])]])
