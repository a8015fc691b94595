"""The longest step that a law which gives way is stable with, for the masses at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING

import numpy as np

from footfall.api.integrator import Integrator, OneStep
from footfall.api.plugin import Floats, Ints

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


FIXED = -1
LEVEL = 0.05
"""Points of a body that are higher than its lowest one by less than this part of their spread
touch with it."""


@dataclass(frozen=True, slots=True)
class Touches:
    """Contacts that there are at the start, or will be as soon as bodies come down.

    Attributes:
        link: shape (n, 2), global links of both sides, -1: fixed.
        position: shape (n, 3), world, [m].
        normal: shape (n, 3), unit, world, towards the second side.
        speed: shape (n,), at which they land, [m/s].
    """

    link: Ints
    position: Floats
    normal: Floats
    speed: Floats


def longest_step(sim: StepperSimulator, *, landing: bool = False) -> float:
    """Return the longest step with which the law's contacts are stable, [s].

    Small motions x of the bodies, in coordinates where their inertia is one, obey
    ``x'' = -K x - D x'`` with ``K = Y k Y'`` and ``D = Y d Y'``, ``Y' Y`` being the Delassus matrix
    ``J M^-1 J'`` of the contacts and k, d the law's stiffness and damping of each row. A scheme
    that holds the force of the start of a step, ``v+ = v - h (K x + D v)``, and moves on with
    ``x+ = x + h (theta v+ + (1 - theta) v)`` has for each of its eigenvectors the polynomial
    ``z^2 - (2 - a - theta b) z + 1 - a + (1 - theta) b`` with ``a = h d`` and ``b = h^2 k``, d and
    k now between zero and the largest eigenvalues of D and K. Its roots are in the unit circle
    (Jury 1964) if ``(1 - theta) b < a`` and ``2 a + (2 theta - 1) b < 4``.

    Both largest eigenvalues are taken of each heap of bodies that touch each other; together they
    bound the mode that both would belong to.

    Args:
        sim: at its start.
        landing: whether bodies that fall count with the depth that they land with, not that of
            their rest.

    Returns:
        inf if the law is stable at any step, nothing can touch, or the integrator has no fixed
        steps.
    """
    law, theta = sim.stepper.law, theta_of(sim)
    touchable = len(sim.world.candidates.link) or sim.stepper.collisions is not None
    if theta is None or not touchable:
        return inf
    touches = touches_of(sim)
    trees = Trees(sim)
    mobility = trees.mobility(touches)
    speed = touches.speed if landing else np.zeros(len(mobility))
    soft = law.softness(trees.loads(touches), speed, mobility)
    if soft is None:
        return inf
    *rows, own = soft
    stiff, damp = (trees.largest(touches, each) for each in rows)
    return min([own, *(longest_of(k, d, theta) for k, d in zip(stiff, damp, strict=True))])


def scheme_of(sim: StepperSimulator) -> OneStep | None:
    """Return a simulator's scheme of fixed steps; None of other schemes."""
    registry, scene = sim.provenance.registry, sim.provenance.resolved.get("scene")
    if registry is None or scene is None:
        return None
    table = dict(scene["integrator"])
    scheme: type[Integrator] = registry.find("integrator", table.pop("plugin")).load()
    made = scheme(scheme.Config(**table))  # type: ignore[call-arg]
    return made if isinstance(made, OneStep) else None


def theta_of(sim: StepperSimulator) -> float | None:
    """Return the weight of the new velocity in a scheme of fixed steps; None of other schemes.

    By way of the middle of a step it is 1: positions go from middle to middle by the new velocity.
    """
    scheme = scheme_of(sim)
    if scheme is None:
        return None
    return 1.0 if scheme.by_middle else scheme.theta


def longest_of(k: float, d: float, theta: float) -> float:
    """Return the longest stable step of ``x'' = -k x - d x'``; see ``longest_step``, [s]."""
    steps = [inf]
    curve = (2.0 * theta - 1.0) * k
    if curve > 0.0:
        steps.append((sqrt(d * d + 4.0 * curve) - d) / curve)
    elif d > 0.0:
        steps.append(2.0 / d)
    if theta < 1.0 and k > 0.0:
        steps.append(d / ((1.0 - theta) * k))
    return min(steps)


def touches_of(sim: StepperSimulator) -> Touches:
    """Return the contacts of the start: found ones, and each body's lowest declared points."""
    world, declared = sim.world, sim.world.candidates
    chosen = np.flatnonzero(_lowest(sim))
    gravity = float(np.linalg.norm(world.topology.gravity))
    speed = np.sqrt(2.0 * gravity * np.maximum(declared.gap[chosen], 0.0))
    link = np.stack([np.full(len(chosen), FIXED), declared.link[chosen]], axis=1)
    found = sim.stepper.collisions.count if sim.stepper.collisions is not None else 0
    detected = world.detected
    return Touches(
        np.concatenate([link, detected.link[:found]]).astype(np.int64),
        np.concatenate([declared.position[chosen], detected.position[:found]]),
        np.concatenate([world.sample.normal[chosen], detected.normal[:found]]),
        np.concatenate([speed, np.zeros(found)]),
    )


def _lowest(sim: StepperSimulator) -> Floats:
    """Whether each declared point touches first of its body, or is level with the one that does."""
    declared, topology = sim.world.candidates, sim.world.topology
    tree, lowest = topology.link_tree[declared.link], np.zeros(len(declared.link), bool)
    for one in np.unique(tree):
        mine = tree == one
        spread = np.ptp(declared.position[mine], axis=0).max(initial=0.0)
        lowest |= mine & (declared.gap <= declared.gap[mine].min() + LEVEL * spread)
    return lowest


class Trees:
    """Inertia of the trees of a world at the state that was evaluated last."""

    def __init__(self, sim: StepperSimulator) -> None:
        self._topology, self._dynamics = sim.world.topology, sim.world.dynamics
        self._factor: dict[int, Floats] = {}

    def largest(self, touches: Touches, rows: Floats) -> list[float]:
        """Return the largest eigenvalue of ``Y diag(rows) Y'`` of each heap.

        Args:
            touches: the contacts.
            rows: shape (n, 3), along tangent, tangent, normal.
        """
        heap, found = self.heaps(touches), []
        moved = list(self._each(touches))
        for one in np.unique(heap):
            parts = []
            for tree, mine, Y in moved:
                if heap[tree] == one:
                    wide = np.zeros((len(Y), *rows.shape))
                    wide[:, mine] = Y.reshape(len(Y), -1, 3) * np.sqrt(rows[mine])
                    parts.append(wide.reshape(len(Y), -1))
            if parts:
                together = np.concatenate(parts)
                found.append(float(np.linalg.eigvalsh(together @ together.T)[-1]))
        return found

    def heaps(self, touches: Touches) -> Ints:
        """Return the heap of each tree: those that touch each other have the same number."""
        topology = self._topology
        heap = np.arange(len(topology.free))
        for one, other in self._trees(touches):
            if one >= 0 and other >= 0:
                heap[heap == heap[other]] = heap[one]
        return heap

    def _trees(self, touches: Touches) -> Ints:
        return np.where(touches.link < 0, FIXED, self._topology.link_tree[touches.link])

    def mobility(self, touches: Touches) -> Floats:
        """Return the speed that a unit impulse along each normal gives, [1/kg]."""
        total = np.zeros(len(touches.speed))
        for _, mine, Y in self._each(touches):
            total[mine] += (Y[:, 2::3] ** 2).sum(axis=0)
        return total

    def loads(self, touches: Touches) -> Floats:
        """Return what each contact carries at rest, [N].

        Bodies that touch each other are one heap; each of its contacts carries the weight of the
        heap over the number of its contacts with what is fixed.
        """
        topology, heap, trees = self._topology, self.heaps(touches), self._trees(touches)
        mass = np.bincount(heap[topology.link_tree], topology.mass, minlength=len(heap))
        grounded = (touches.link < 0).any(axis=1)
        mine = heap[trees.max(axis=1)] if len(trees) else np.zeros(0, np.int64)
        feet = np.maximum(np.bincount(mine[grounded], minlength=len(heap)), 1)
        load: Floats = np.linalg.norm(topology.gravity) * (mass / feet)[mine]
        return load

    def _each(self, touches: Touches) -> Iterator[tuple[int, Ints, Floats]]:
        """Yield each tree that is touched, its contacts, and ``Y = L^-1 J'`` of their rows."""
        topology = self._topology
        for tree in range(len(topology.free)):
            side = (touches.link >= 0) & (topology.link_tree[touches.link] == tree)
            mine = np.flatnonzero(side.any(axis=1))
            if len(mine) == 0:
                continue
            J = np.concatenate([self._jacobian(tree, touches, int(k), side[k]) for k in mine])
            yield tree, mine, np.linalg.solve(self._cholesky(tree), J.T)

    def _cholesky(self, tree: int) -> Floats:
        topology = self._topology
        n = int(topology.tree_v[tree + 1] - topology.tree_v[tree])
        at = int(topology.tree_M[tree])
        if tree not in self._factor:
            M = self._dynamics.M[at : at + n * n].reshape(n, n)
            self._factor[tree] = np.asarray(np.linalg.cholesky(M), np.float64)
        return self._factor[tree]

    def _jacobian(self, tree: int, touches: Touches, contact: int, sides: Floats) -> Floats:
        """Return how a tree moves the rows of a contact, shape (3, nv of the tree)."""
        topology, S = self._topology, self._dynamics.S
        first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
        motion = np.zeros((3, end - first))
        for side in np.flatnonzero(sides):
            link = touches.link[contact, side]
            dofs = topology.chain[topology.chain_start[link] : topology.chain_start[link + 1]]
            twist, point = S[first + dofs], touches.position[contact]
            sign = 1.0 if side == 1 else -1.0
            motion[:, dofs] += sign * (twist[:, :3] + np.cross(twist[:, 3:], point)).T
        return _frame(touches.normal[contact]) @ motion


def _frame(normal: Floats) -> Floats:
    """Return two tangents and the normal as rows."""
    axis = np.eye(3)[np.argmin(np.abs(normal))]
    first = np.cross(normal, axis)
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first), normal])
