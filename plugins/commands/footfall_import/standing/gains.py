"""Proposed gains of a posture controller, from effort limits, natural frequencies and stability."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh, null_space

from footfall.api.advanced import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.stance import Stance
from footfall_import.standing.holding import contact_jacobian, ground_forces

YIELD = 0.5
"""Deflection at which a joint's effort limit is reached, [rad]. Robots of 20 to 80 kg typically
have effort limits of 45 to 140 N m and stiffnesses of 60 to 250 N m/rad."""
SLIDE = 0.05
"""The same for a prismatic joint, [m]."""
SLOWEST, USUAL, FASTEST = 2.0 * np.pi * np.array([1.0, 3.0, 10.0])
"""Natural frequency of a joint: least, default without effort limit, greatest, [rad/s]."""
STIFFER, STIFFEST = 0.3, 1e3
"""Relative increase of gains per iteration, and greatest total factor, [-]."""
STEP = 1e-6
"""Step of the difference quotients, [m or rad]."""


@dataclass(frozen=True, slots=True)
class Joints:
    """Joint data for the gains.

    Attributes:
        prismatic: names of the prismatic joints.
        rotors: shape (joints,), reflected inertia, [kg m^2 or kg].
        efforts: effort limit by joint, if known, [N m or N].
        loops: couplings; following joints have no gains.
    """

    prismatic: Collection[str]
    rotors: Floats
    efforts: Mapping[str, float]
    loops: tuple[ModelCoupling, ...] = ()


def propose_gains(stance: Stance, feet: Sequence[Foot], joints: Joints) -> tuple[Floats, Floats]:
    """Return stiffness and damping of each joint, shape (joints,) each.

    A joint that carries the inertia I has ``K = effort / YIELD``, but at least ``I SLOWEST^2`` and
    at most ``I FASTEST^2``; without effort limit ``K = I USUAL^2``. Then the joints that bend in
    the slowest motion of the robot on its feet are stiffened until this motion has a frequency of
    at least ``SLOWEST``. Damping is critical, ``D = 2 sqrt(K I)``.

    Args:
        stance: the robot in its posture.
        feet: feet of the robot.
        joints: joint data.
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
    if names and (feet or not stance.base_dofs):
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

    This is the inertia of the links that it moves. For a joint of a standing leg it is the inertia
    of the rest of the robot, divided by the number of feet, if that is larger.
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
    """Return stiffnesses (joints,) for which all motions on the feet are at least ``SLOWEST``.

    If no stiffness achieves this (e.g. a robot on two points), return ``K`` unchanged.
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
    """Small motions of a standing robot about its posture, with fixed contact points.

    ``M x'' + (diag(K) + G) x = 0`` for motions x that move no contact. G is the change of gravity
    and ground forces with the posture: ``d(h - J' f) / dx`` at constant f.
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
        """Return the least squared natural frequency [1/s^2], and that motion's joint deflections.

        Args:
            K: shape (joints,), stiffness.

        Returns:
            the squared frequency, infinity if no motion is possible; the squared deflections,
            shape (joints,), scaled to a largest value of 1.
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
    """Return one row per coupling: ``x_joint - ratio x_of = 0``."""
    names, rows = stance.model.joint_names, [np.zeros((0, stance.model.nv))]
    for loop in joints.loops:
        if {loop.joint, loop.of} <= set(names):
            row = np.zeros((1, stance.model.nv))
            row[0, stance.first + names.index(loop.joint)] = 1.0
            row[0, stance.first + names.index(loop.of)] = -loop.ratio
            rows.append(row)
    return np.concatenate(rows)
