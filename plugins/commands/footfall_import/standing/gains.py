"""Proposed gains of a posture controller: from effort limits, natural frequencies and stability."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, null_space

from footfall.api.formats import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance
from footfall_import.standing.holding import contact_jacobian, ground_forces

YIELD = 0.5
"""Deflection at which a joint's effort limit is reached, [rad]: robots of 20 to 80 kg are run with
effort limits of 45 to 140 N m and stiffnesses of 60 to 250 N m/rad."""
SLIDE = 0.05
"""The same of a prismatic joint, [m]."""
SLOWEST, USUAL, FASTEST = 2.0 * np.pi * np.array([1.0, 3.0, 10.0])
"""Natural frequencies on its gains that a joint may have, and has without effort limit, [rad/s]."""
STIFFER, STIFFEST = 0.3, 1e3
"""By how much of themselves gains are raised at once, and in all, [-]."""
STEP = 1e-6
"""Of the difference quotients, [m or rad]."""


@dataclass(frozen=True, slots=True)
class Joints:
    """What gains are made of, beside a robot in its posture.

    Attributes:
        prismatic: names of the joints that slide.
        rotors: shape (joints,), reflected inertia, [kg m^2 or kg].
        efforts: greatest torque by joint where it is known, [N m or N].
        loops: joints that follow others, and have no gains.
    """

    prismatic: Collection[str]
    rotors: Floats
    efforts: Mapping[str, float]
    loops: tuple[ModelCoupling, ...] = ()


def propose_gains(stance: Stance, feet: Sequence[Foot], joints: Joints) -> tuple[Floats, Floats]:
    """Return stiffness and damping of each joint, shape (joints,) each.

    A joint that carries the inertia I has ``K = effort / YIELD``, but at least ``I SLOWEST^2`` and
    at most ``I FASTEST^2``; without effort limit ``K = I USUAL^2``. Then the joints that the
    slowest motion of the whole robot on its feet bends are stiffened until it is not slower than
    ``SLOWEST``. Damping is critical, ``D = 2 sqrt(K I)``.

    Args:
        stance: the robot in its posture.
        feet: what it stands on.
        joints: what is known of the joints.
    """
    legs = {joint for foot in feet for joint in stance.path(foot.link)}
    names = stance.model.joint_names
    inertia = np.array([_inertia(stance, k, len(feet) if k in legs else 0) for k in _range(names)])
    inertia += joints.rotors
    least, most = inertia * SLOWEST**2, inertia * FASTEST**2
    K = inertia * USUAL**2
    for k, name in enumerate(names):
        if name in joints.efforts:
            reach = SLIDE if name in joints.prismatic else YIELD
            K[k] = np.clip(joints.efforts[name] / reach, least[k], most[k])
    followers = {loop.joint for loop in joints.loops}
    K[[k for k in _range(names) if names[k] in followers]] = 0.0
    if feet or not stance.base_dofs:
        K = stiffened(stance, feet, joints, K)
    return two_digits(K), two_digits(2.0 * np.sqrt(K * inertia))


def two_digits(values: Floats) -> Floats:
    """Return numbers rounded up to two significant digits."""
    rounded = []
    for value in values:
        unit = 10.0 ** (np.floor(np.log10(value)) - 1.0) if value > 0.0 else 1.0
        rounded.append(float(f"{np.ceil(value / unit - 1e-9) * unit:.2g}"))
    return np.array(rounded)


def _range(names: Sequence[str]) -> range:
    return range(len(names))


def _inertia(stance: Stance, k: int, feet: int) -> float:
    """Return the inertia that joint k carries, [kg m^2 or kg].

    That is what it moves; of a leg that stands the part of the robot on the other side if that is
    more, shared by so many feet.
    """
    dof = stance.first + k
    own = float(stance.tree.M[dof, dof])
    if not feet or stance.first == 0:
        return own
    # The joint's twist as one of the base, x: S_base' x = S_joint; then x' M_base x.
    x = np.linalg.solve(stance.tree.S[:6].T, stance.tree.S[dof])
    of_all = float(x @ stance.tree.M[:6, :6] @ x)
    return max(own, (of_all - own) / feet)


def stiffened(stance: Stance, feet: Sequence[Foot], joints: Joints, K: Floats) -> Floats:
    """Return stiffnesses (joints,) with which no motion on the feet is slower than ``SLOWEST``.

    Where no stiffness does that (a robot on two points), none is raised.
    """
    motions = Motions(stance, feet, joints)
    if motions.slowest(STIFFEST * K)[0] < SLOWEST**2:
        return K
    raised = K.copy()
    while True:
        rate, bends = motions.slowest(raised)
        if rate >= SLOWEST**2:
            return raised
        raised = raised * (1.0 + STIFFER * bends)
        if not bends.any() or (raised > STIFFEST * K).any():
            return K


class Motions:
    """Small motions of a robot that stands: about its posture, its feet where they touch.

    ``M x'' + (diag(K) + G) x = 0`` for motions x that move no contact, where G is how gravity and
    the forces of the ground change with the posture: ``d(h - J' f) / dx`` at constant f.
    """

    def __init__(self, stance: Stance, feet: Sequence[Foot], joints: Joints) -> None:
        self._first = stance.first
        n = stance.model.nv
        dofs = [*stance.base_dofs, *range(stance.first, n)]
        bound = np.concatenate([contact_jacobian(stance, feet), _couplings(stance, joints)])
        allowed = np.zeros((n, n))[:, : len(dofs)]
        allowed[dofs, _range(dofs)] = 1.0
        self._x: Floats = allowed @ null_space(bound @ allowed, rcond=1e-9)
        M = stance.tree.M.copy()
        M[range(self._first, n), range(self._first, n)] += joints.rotors
        self._M: Floats = self._x.T @ M @ self._x
        self._G = self._turning(stance, feet)

    def slowest(self, K: Floats) -> tuple[float, Floats]:
        """Return the least squared natural frequency [1/s^2], and how that motion bends the joints.

        Args:
            K: shape (joints,), stiffness.

        Returns:
            infinity if nothing can move; the bends, shape (joints,), squared, the largest is one.
        """
        if not self._x.shape[1]:
            return float("inf"), np.zeros_like(K)
        joints = self._x[self._first :]
        stiffness = joints.T @ (K[:, None] * joints) + self._G
        rates, motions = eigh(stiffness, self._M)
        bends = (joints @ motions[:, 0]) ** 2 * (K > 0.0)
        return float(rates[0]), bends / max(float(bends.max(initial=0.0)), 1e-300)

    def _turning(self, stance: Stance, feet: Sequence[Foot]) -> Floats:
        """Return ``x' G x`` by central differences."""
        forces = ground_forces(stance, feet)
        columns = []
        for x in self._x.T:
            ends = []
            for step in (STEP, -STEP):
                stance.displace(step * x)
                ends.append(stance.tree.h - contact_jacobian(stance, feet).T @ forces)
            columns.append((ends[0] - ends[1]) / (2.0 * STEP))
        stance.place(stance.joints)
        G = self._x.T @ np.array(columns).T if columns else np.zeros((0, 0))
        symmetric: Floats = 0.5 * (G + G.T)
        return symmetric


def _couplings(stance: Stance, joints: Joints) -> Floats:
    """Return a row for each joint that follows another: ``x_joint - ratio x_of = 0``."""
    names, rows = stance.model.joint_names, [np.zeros((0, stance.model.nv))]
    for loop in joints.loops:
        if {loop.joint, loop.of} <= set(names):
            row = np.zeros((1, stance.model.nv))
            row[0, stance.first + names.index(loop.joint)] = 1.0
            row[0, stance.first + names.index(loop.of)] = -loop.ratio
            rows.append(row)
    return np.concatenate(rows)
