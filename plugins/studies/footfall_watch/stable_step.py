"""The longest stable step of a compliant law, for the masses at the start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np

from footfall.api.plugin import Floats, Ints
from footfall.api.world import Integrator, OneStep
from footfall_stepper.api import PRESCRIBED, StepperSimulator

FIXED = -1
LEVEL = 0.05
"""Level points of a body: higher than its lowest one by less than this part of their spread.
They touch together with it."""


@dataclass(frozen=True, slots=True)
class Touches:
    """Contacts at the start, and contacts that will exist once bodies have fallen.

    Attributes:
        link: shape (n, 2), global links of both sides, -1: fixed.
        position: shape (n, 3), world, [m].
        normal: shape (n, 3), unit, world, towards the second side.
        speed: shape (n,), landing speed, [m/s].
    """

    link: Ints
    position: Floats
    normal: Floats
    speed: Floats


def longest_step(sim: StepperSimulator, *, landing: bool = False, one_foot: bool = False) -> float:
    """Return the longest step with which the law's contacts are stable, [s].

    Small motions x of the bodies, in coordinates with unit inertia, obey
    ``x'' = -K x - D x'`` with ``K = Y k Y'`` and ``D = Y d Y'``, ``Y' Y`` being the Delassus matrix
    ``J M^-1 J'`` of the contacts and k, d the law's stiffness and damping of each row. A scheme
    that holds the force of the start of a step, ``v+ = v - h (K x + D v)``, and moves on with
    ``x+ = x + h (theta v+ + (1 - theta) v)`` has for each eigenvector the polynomial
    ``z^2 - (2 - a - theta b) z + 1 - a + (1 - theta) b`` with ``a = h d`` and ``b = h^2 k``. Here d
    and k lie between zero and the largest eigenvalues of D and K. The roots are in the unit circle
    (Jury 1964) if ``(1 - theta) b < a`` and ``2 a + (2 theta - 1) b < 4``.

    Both largest eigenvalues are taken for each heap of bodies that touch each other; together they
    bound every mode of the heap.

    Args:
        sim: simulator at its start.
        landing: whether falling bodies count with their depth on landing instead of at rest.
        one_foot: whether each foot in turn carries the load of all feet of its body, as in a
            stride: a stiffness that grows with the load, as of ``compliant`` with its cube root,
            is greater then. Bodies with one foot do not count.

    Returns:
        The step; inf if the law is stable at any step, nothing can touch, or the integrator has
        no fixed steps.
    """
    law, theta = sim.stepper.law, theta_of(sim)
    touchable = len(sim.world.candidates.link) or sim.stepper.collisions is not None
    if theta is None or not touchable:
        return inf
    touches = touches_of(sim)
    trees = Trees(sim)
    mobility = trees.mobility(touches)
    speed = touches.speed if landing else np.zeros(len(mobility))
    load, steps = trees.loads(touches), [inf]
    for carried in trees.on_one_foot(touches, load) if one_foot else (load,):
        soft = law.softness(carried, speed, mobility)
        if soft is None:
            return inf
        *rows, own = soft
        stiff, damp = (trees.largest(touches, each) for each in rows)
        steps += [own, *(longest_of(k, d, theta) for k, d in zip(stiff, damp, strict=True))]
    return min(steps)


def scheme_of(sim: StepperSimulator) -> OneStep | None:
    """Return a simulator's scheme of fixed steps; None if it has another scheme."""
    registry, scene = sim.provenance.registry, sim.provenance.resolved.get("scene")
    if registry is None or scene is None:
        return None
    table = dict(scene["integrator"])
    scheme: type[Integrator] = registry.find("integrator", table.pop("plugin")).load()
    made = scheme(scheme.Config(**table))
    return made if isinstance(made, OneStep) else None


def theta_of(sim: StepperSimulator) -> float | None:
    """Return the weight of the new velocity in a scheme of fixed steps; None for other schemes.

    For midpoint schemes it is 1: positions go from middle to middle by the new velocity.
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
    """Return the contacts at the start: detected ones, and each body's lowest declared points."""
    world, declared = sim.world, sim.world.candidates
    chosen = np.flatnonzero(_lowest(sim))
    gravity = float(np.linalg.norm(world.topology.gravity))
    speed = np.sqrt(2.0 * gravity * np.maximum(declared.gap[chosen], 0.0))
    link = np.stack([np.full(len(chosen), FIXED), declared.link[chosen]], axis=1)
    found = sim.stepper.collisions.count if sim.stepper.collisions is not None else 0
    detected = world.detected
    kind, between = world.topology.free[world.topology.link_tree], detected.link[:found]
    between = np.where(kind[between] == PRESCRIBED, FIXED, between)
    return Touches(
        np.concatenate([link, between]).astype(np.int64),
        np.concatenate([declared.position[chosen], detected.position[:found]]),
        np.concatenate([world.sample.normal[chosen], detected.normal[:found]]),
        np.concatenate([speed, np.zeros(found)]),
    )


def _lowest(sim: StepperSimulator) -> Floats:
    """Return a mask of declared points that touch first, or are level with their body's first."""
    declared, topology = sim.world.candidates, sim.world.topology
    tree, lowest = topology.link_tree[declared.link], np.zeros(len(declared.link), bool)
    for one in np.unique(tree):
        mine = tree == one
        spread = np.ptp(declared.position[mine], axis=0).max(initial=0.0)
        lowest |= mine & (declared.gap <= declared.gap[mine].min() + LEVEL * spread)
    return lowest


class Trees:
    """Inertia of the trees of a world at its last evaluated state."""

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
        """Return the heap number of each tree; trees that touch each other share a number."""
        topology = self._topology
        heap = np.arange(len(topology.free))
        for one, other in self._trees(touches):
            if one >= 0 and other >= 0:
                heap[heap == heap[other]] = heap[one]
        return heap

    def _trees(self, touches: Touches) -> Ints:
        return np.where(touches.link < 0, FIXED, self._topology.link_tree[touches.link])

    def mobility(self, touches: Touches) -> Floats:
        """Return the speed from a unit impulse along each normal, [1/kg]."""
        total = np.zeros(len(touches.speed))
        for _, mine, Y in self._each(touches):
            total[mine] += (Y[:, 2::3] ** 2).sum(axis=0)
        return total

    def loads(self, touches: Touches) -> Floats:
        """Return the load of each contact at rest, [N].

        Bodies that touch each other are one heap. Each of its contacts carries the heap's weight
        divided by the number of its contacts with fixed bodies.
        """
        topology, heap, trees = self._topology, self.heaps(touches), self._trees(touches)
        mass = np.bincount(heap[topology.link_tree], topology.mass, minlength=len(heap))
        grounded = (touches.link < 0).any(axis=1)
        mine = heap[trees.max(axis=1)] if len(trees) else np.zeros(0, np.int64)
        feet = np.maximum(np.bincount(mine[grounded], minlength=len(heap)), 1)
        load: Floats = np.linalg.norm(topology.gravity) * (mass / feet)[mine]
        return load

    def on_one_foot(self, touches: Touches, load: Floats) -> Iterator[Floats]:
        """Yield for each foot the loads if it carries that of all feet of its body, [N]."""
        foot, grounded = touches.link.max(axis=1), (touches.link < 0).any(axis=1)
        tree = self._topology.link_tree[foot]
        for one in np.unique(foot[grounded]):
            mine, all_feet = (
                grounded & (foot == one),
                grounded & (tree == self._topology.link_tree[one]),
            )
            if mine.sum() < all_feet.sum():
                others = np.where(all_feet, 0.0, load)
                yield np.where(mine, load[all_feet].sum() / mine.sum(), others)

    def _each(self, touches: Touches) -> Iterator[tuple[int, Ints, Floats]]:
        """Yield each touched tree, its contacts, and ``Y = L^-1 J'`` of their rows."""
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
        """Return the Jacobian of a contact's rows for a tree, shape (3, nv of the tree)."""
        topology, S = self._topology, self._dynamics.S
        first, end = topology.tree_v[tree], topology.tree_v[tree + 1]
        motion = np.zeros((3, end - first))
        for side in np.flatnonzero(sides):
            link = touches.link[contact, side]
            dofs = topology.chain[topology.chain_start[link] : topology.chain_start[link + 1]]
            twist, point = S[first + dofs], touches.position[contact]
            sign = 1.0 if side == 1 else -1.0
            motion[:, dofs] += sign * (twist[:, :3].T - _skew(point) @ twist[:, 3:].T)
        return _frame(touches.normal[contact]) @ motion


def _frame(normal: Floats) -> Floats:
    """Return two tangents and the normal as rows."""
    turn = _skew(normal)
    first = turn[:, np.argmin(np.abs(normal))]
    first = first / np.linalg.norm(first)
    return np.array([first, turn @ first, normal])


def _skew(vector: Floats) -> Floats:
    """Return the matrix of ``vector x``: NumPy's cross product takes ten times as long."""
    x, y, z = vector.tolist()
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
