"""A planar double pendulum in closed form, and the landing of its tip by Coulomb's law.

Two uniform rods of 1 kg and 1 m, hinged at each other and at a fixed point, swing about y. Angles
are zero in the hanging position; the second is relative to the first.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from math import cos, sin

import numpy as np

from footfall import Body
from footfall.api.engine import Tree, TreeModel
from footfall.api.plugin import Floats
from footfall_validate.lab import G
from footfall_validate.shapes import feature

MASS, LENGTH = 1.0, 1.0
"""Mass and length of each rod, [kg], [m]."""
INERTIA = MASS * LENGTH**2 / 12.0
"""Inertia of a rod about its centre, [kg m^2]."""

Pair = tuple[float, float]
Matrix = tuple[Pair, Pair]


def inertia(q: Pair) -> Matrix:
    """Return M, [kg m^2]."""
    elbow = INERTIA + MASS * (0.25 + 0.5 * cos(q[1])) * LENGTH**2
    second = INERTIA + 0.25 * MASS * LENGTH**2
    first = second + INERTIA + MASS * (1.25 + cos(q[1])) * LENGTH**2
    return (first, elbow), (elbow, second)


def bias(q: Pair, v: Pair) -> Pair:
    """Return h, from gravity and from centrifugal and Coriolis forces, [N m]."""
    turn = 0.5 * MASS * LENGTH**2 * sin(q[1])
    lower = 0.5 * MASS * G * LENGTH * sin(q[0] + q[1])
    upper = 1.5 * MASS * G * LENGTH * sin(q[0])
    return upper + lower - turn * v[1] * (2.0 * v[0] + v[1]), lower + turn * v[0] ** 2


def energy(q: Pair, v: Pair) -> float:
    """Return kinetic and potential energy, zero at rest at the height of the hinge, [J]."""
    (a, b), (_, c) = inertia(q)
    kinetic = 0.5 * (a * v[0] ** 2 + 2.0 * b * v[0] * v[1] + c * v[1] ** 2)
    return kinetic - MASS * G * LENGTH * (1.5 * cos(q[0]) + 0.5 * cos(q[0] + q[1]))


def tip(q: Pair) -> Pair:
    """Return the position of the tip relative to the hinge, along x and z, [m]."""
    lower = q[0] + q[1]
    return -LENGTH * (sin(q[0]) + sin(lower)), -LENGTH * (cos(q[0]) + cos(lower))


def jacobian(q: Pair) -> Matrix:
    """Return the Jacobian of the tip, [m]."""
    lower = q[0] + q[1]
    c, s = LENGTH * cos(lower), LENGTH * sin(lower)
    return (-LENGTH * cos(q[0]) - c, -c), (LENGTH * sin(q[0]) + s, s)


def tip_velocity(q: Pair, v: Pair) -> Pair:
    """Return the velocity of the tip, along x and z, [m/s]."""
    (a, b), (c, d) = jacobian(q)
    return a * v[0] + b * v[1], c * v[0] + d * v[1]


def solved(A: Matrix, b: Pair) -> Pair:
    """Return ``A^-1 b``."""
    det = A[0][0] * A[1][1] - A[0][1] * A[1][0]
    return (A[1][1] * b[0] - A[0][1] * b[1]) / det, (A[0][0] * b[1] - A[1][0] * b[0]) / det


def coulomb(W: Matrix, b: Pair, mu: float) -> Pair:
    """Return the impulse (tangent, normal) of one contact in a plane, ``u = W r + b``.

    Signorini's condition and Coulomb's law: tries open, stick, and slip in either direction.
    """
    if b[1] >= 0.0:
        return 0.0, 0.0
    stick = solved(W, (-b[0], -b[1]))
    if abs(stick[0]) <= mu * stick[1]:
        return stick
    for sign in (1.0, -1.0):
        per = W[1][1] - sign * mu * W[1][0]
        if per > 0.0:
            normal = -b[1] / per
            tangent = -sign * mu * normal
            if sign * (W[0][0] * tangent + W[0][1] * normal + b[0]) >= 0.0:
                return tangent, normal
    raise ArithmeticError("no mode of contact solves the problem")


def struck(q: Pair, v: Pair, down: float, mu: float) -> Pair:
    """Return the velocity after the impulse that limits the tip's downward speed.

    Args:
        q: the configuration, [rad].
        v: the velocity without the impulse, [rad/s].
        down: allowed downward speed of the tip, [m/s].
        mu: coefficient of friction.
    """
    M, J, u = inertia(q), jacobian(q), tip_velocity(q, v)
    x, z = solved(M, J[0]), solved(M, J[1])
    W = (
        (J[0][0] * x[0] + J[0][1] * x[1], J[0][0] * z[0] + J[0][1] * z[1]),
        (J[1][0] * x[0] + J[1][1] * x[1], J[1][0] * z[0] + J[1][1] * z[1]),
    )
    r = coulomb(W, (u[0], u[1] + down), mu)
    return v[0] + x[0] * r[0] + z[0] * r[1], v[1] + x[1] * r[0] + z[1] * r[1]


def acceleration(q: Pair, v: Pair) -> Pair:
    """Return the acceleration of free motion, [rad/s^2]."""
    h = bias(q, v)
    return solved(inertia(q), (-h[0], -h[1]))


def flown(q: Pair, v: Pair, t: float) -> tuple[Pair, Pair]:
    """Return the state after a short time [s] of free motion, by one Runge-Kutta step."""

    def moved(a: Pair, slope: Pair, by: float) -> Pair:
        return a[0] + by * slope[0], a[1] + by * slope[1]

    speeds, rates = [v], [acceleration(q, v)]
    for by in (0.5 * t, 0.5 * t, t):
        at, then = moved(q, speeds[-1], by), moved(v, rates[-1], by)
        speeds.append(then)
        rates.append(acceleration(at, then))

    def mean(k: list[Pair]) -> Pair:
        a, b = (sum(w * s[i] for w, s in zip((1, 2, 2, 1), k, strict=True)) / 6 for i in (0, 1))
        return a, b

    return moved(q, mean(speeds), t), moved(v, mean(rates), t)


FINE = 100
"""Number of steps in which the reference follows the tip on the ground after the impact."""


@cache
def landed(q: Pair, v: Pair, ground: float, end: float, mu: float) -> Pair:
    """Return the velocity at ``end`` of a pendulum whose tip lands, [rad/s].

    The motion is free up to a gap of zero; there the single impulse of Coulomb's law acts; then it
    continues in fine steps with the ground's forces.

    Args:
        q: angles at the start, [rad]; the tip is at the ground or above it.
        v: their rates, [rad/s].
        ground: height of the ground relative to the hinge, [m].
        end: end time, shortly after the start, [s].
        mu: coefficient of friction.
    """
    time = 0.0
    for _ in range(20):  # Newton's method; a free path of microseconds is nearly straight
        at, then = flown(q, v, time)
        change = (tip(at)[1] - ground) / tip_velocity(at, then)[1]
        time -= change
        if abs(change) < 1e-12 * end:
            break
    if time >= end:
        return flown(q, v, end)[1]
    q, v = flown(q, v, max(time, 0.0))
    v = struck(q, v, 0.0, mu)
    dt = (end - max(time, 0.0)) / FINE
    for _ in range(FINE):
        a, gap = acceleration(q, v), max(tip(q)[1] - ground, 0.0)
        v = struck(q, (v[0] + dt * a[0], v[1] + dt * a[1]), gap / dt, mu)
        q = q[0] + dt * v[0], q[1] + dt * v[1]
    return v


class DoublePendulum(Tree):
    """The pendulum's tree for a simulator, with its hinge at a height above the plane [m]."""

    def __init__(self, height: float) -> None:
        self.height = height
        none, rods = np.zeros(2), np.diag([INERTIA, INERTIA, 1e-3])
        self.model = TreeModel(
            base="fixed",
            joint_names=("shoulder", "elbow"),
            dof_parent=np.array([-1, 0], np.int64),
            link_dof=np.array([-1, 0, 1], np.int64),
            link_names=("hinge", "upper", "lower"),
            link_mass=np.array([0.0, MASS, MASS]),
            link_com=np.array([[0.0, 0.0, 0.0], [0, 0, -0.5 * LENGTH], [0, 0, -0.5 * LENGTH]]),
            link_inertia=np.array([np.zeros((3, 3)), rods, rods]),
            position_lower=np.full(2, -np.inf),
            position_upper=np.full(2, np.inf),
            velocity_limit=np.full(2, np.inf),
            effort_limit=np.full(2, np.inf),
            damping=none,
            friction=none,
            armature=none,
            frames={},
        )
        self.M, self.h, self.S, self.pose = (
            np.zeros((2, 2)),
            np.zeros(2),
            np.zeros((2, 6)),
            np.zeros((3, 12)),
        )

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose."""
        first, lower = float(q[0]), float(q[0] + q[1])
        self.M[:] = inertia((first, float(q[1])))
        elbow = np.array([-LENGTH * sin(first), 0.0, self.height - LENGTH * cos(first)])
        hinge = np.array([0.0, 0.0, self.height])
        for k, (origin, angle) in enumerate(((hinge, 0.0), (hinge, first), (elbow, lower))):
            c, s = cos(angle), sin(angle)
            self.pose[k] = [c, 0.0, -s, 0.0, 1.0, 0.0, s, 0.0, c, *origin]
        for k, origin in enumerate((hinge, elbow)):
            self.S[k] = [*np.cross(origin, [0.0, 1.0, 0.0]), 0.0, 1.0, 0.0]
        self.evaluate_bias(q, v)

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite only h."""
        self.h[:] = bias((float(q[0]), float(q[1])), (float(v[0]), float(v[1])))


def pendulum(q: Pair, v: Pair, height: float) -> Body:
    """Return a pendulum in a state; the end of the lower rod is a contact point."""
    tree, end = DoublePendulum(height), replace(feature("tip", (0.0, 0.0, -LENGTH)), link=2)
    none = np.zeros(2)
    return Body("pendulum", tree.model, tree, np.array(q), np.array(v), [end], none, none)
