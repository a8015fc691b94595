"""Reflected inertia and viscous friction that drives add to the joints of a body."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from footfall.errors import SimulationError
from footfall.model.devices import Coupling, MotorFriction, Transmission
from footfall.typing import Floats
from footfall_stepper.devices.joint_torques import DriveGroup
from footfall_stepper.world.body import Body
from footfall_stepper.world.world import World

ROUNDING = 1e-14
"""Relative size up to which an entry of a transmission counts as zero."""


def add_reflected_inertia(body: Body, drives: Sequence[DriveGroup], time_step: float) -> Body:
    """Return a body whose joints include the inertia of their rotors.

    Springs along motors count as viscous friction ``dt K`` (see ``Actuator.motor_stiffness``). A
    transmission that couples joints of different branches makes the body's factor dense.
    """
    armature, damping = body.armature.copy(), body.damping.copy()
    coulomb_friction = (
        np.zeros(len(armature)) if not len(body.joint_friction) else body.joint_friction
    )
    coulomb_friction, couplings = coulomb_friction.copy(), list(body.couplings)
    motors = list(body.motor_friction)
    for group in drives:
        if group.body != body.name or not group.actuator.reflects:
            continue
        transmission = group.transmission
        inertia = transmission.reflected(transmission.inertia)
        springs = time_step * group.actuator.motor_stiffness(len(group.joints))
        viscous = transmission.reflected(transmission.damping + springs)
        armature[transmission.joints] += np.diag(inertia)
        damping[transmission.joints] += np.diag(viscous)
        couplings += _couplings(transmission, inertia, viscous)
        if transmission.coupling is None:
            coulomb_friction[transmission.joints] += transmission.friction
        else:
            motors += _motor_friction(group, transmission.coupling)
    together = [(c.row, c.column) for c in couplings] + [
        (j, i) for motor in motors for i, j in pairwise(motor.joints)
    ]
    dense = not all(_is_ancestor(body, column, row) for row, column in together)
    return replace(
        body,
        armature=armature,
        damping=damping,
        couplings=tuple(couplings),
        joint_friction=coulomb_friction,
        motor_friction=tuple(motors),
        rubbing=next((d.joints[0] for d in drives if d.body == body.name and d.actuator.rubs), ""),
        dense=dense,
    )


def _couplings(transmission: Transmission, inertia: Floats, friction: Floats) -> Iterator[Coupling]:
    """Yield the entries off the diagonal that a transmission adds."""
    for a, i in enumerate(transmission.joints):
        for b, j in enumerate(transmission.joints[:a]):
            if not (_nothing(inertia, a, b) and _nothing(friction, a, b)):
                row, column = max(int(i), int(j)), min(int(i), int(j))
                yield Coupling(row, column, float(inertia[a, b]), float(friction[a, b]))


def _motor_friction(group: DriveGroup, coupling: Floats) -> Iterator[MotorFriction]:
    """Yield the Coulomb friction of motors that move several joints, ``w = T^-1 s_dot``."""
    joints = group.transmission.joints
    for k, ratios in enumerate(np.linalg.inv(coupling)):
        value = float(group.transmission.friction[k])
        moved = [i for i in np.argsort(joints) if abs(ratios[i]) > ROUNDING * np.abs(ratios).max()]
        if value > 0.0:
            yield MotorFriction(
                group.joints[k],
                tuple(int(joints[i]) for i in moved),
                tuple(float(ratios[i]) for i in moved),
                value,
            )


def _nothing(matrix: Floats, a: int, b: int) -> bool:
    """Return whether an entry is zero up to rounding."""
    return bool(abs(matrix[a, b]) <= ROUNDING * math.sqrt(matrix[a, a] * matrix[b, b]))


def _is_ancestor(body: Body, ancestor: int, joint: int) -> bool:
    """Return whether a joint is an ancestor of another on its chain."""
    first, dof = body.joint_offset + ancestor, body.joint_offset + joint
    while dof > first:
        dof = int(body.model.dof_parent[dof])
    return dof == first


def replace_reflected_inertia(world: World, index: int, inertia: Floats) -> None:
    """Replace the reflected inertia of a body's joints; see ``Simulator.set_reflected_inertia``.

    Raises:
        SimulationError: if it does not fit the joints and their couplings.
    """
    at, name, joints = world.joint_slice(index), world.bodies[index].name, world.joints
    n = at.stop - at.start
    matrix = np.diag(inertia) if inertia.ndim == 1 else inertia
    what = f"reflected inertia of {name}"
    if matrix.shape != (n, n):
        raise SimulationError(f"{what} has shape {inertia.shape}, expected ({n},) or ({n}, {n})")
    if not np.isfinite(matrix).all() or (np.diag(matrix) < 0.0).any():
        raise SimulationError(f"{what} is negative or not finite")
    if not np.allclose(matrix, matrix.T, rtol=1e-12, atol=0.0):
        raise SimulationError(f"{what} is not symmetric")
    first = int(joints.coupling_start[index])
    end = int(joints.coupling_start[index + 1])
    pairs = joints.coupling[first:end] - world.bodies[index].joint_offset
    rest = np.tril(matrix, -1)
    rest[pairs[:, 0], pairs[:, 1]] = 0.0
    if rest.any():
        i, j = np.argwhere(rest)[0]
        of = world.bodies[index].model.joint_names
        raise SimulationError(f"{what} couples {of[j]} and {of[i]}, which its drives do not")
    joints.armature[at] = np.diag(matrix)
    joints.coupling_inertia[first:end] = matrix[pairs[:, 0], pairs[:, 1]]
