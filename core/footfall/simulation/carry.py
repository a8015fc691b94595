"""What drives add to the joints of a body: reflected inertia and viscous friction."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from footfall.errors import RobotError, SimulationError
from footfall.roles.engine import TreeModel
from footfall.simulation.drives import Drives
from footfall.world.body import Body
from footfall.world.drive import Coupling
from footfall.world.world import World

Floats = npt.NDArray[np.float64]


def carry(body: Body, drives: Iterable[Drives]) -> Body:
    """Return a body whose joints carry the rotors that turn with them.

    Raises:
        RobotError: if a transmission couples joints of different branches.
    """
    armature, damping = body.armature.copy(), body.damping.copy()
    couplings = list(body.couplings)
    for group in drives:
        if group.body != body.name or not group.actuator.reflects:
            continue
        transmission = group.transmission
        inertia = transmission.reflected(transmission.inertia)
        friction = transmission.reflected(transmission.damping)
        armature[transmission.joints] += np.diag(inertia)
        damping[transmission.joints] += np.diag(friction)
        for a, i in enumerate(transmission.joints):
            for b, j in enumerate(transmission.joints[:a]):
                if _nothing(inertia, a, b) and _nothing(friction, a, b):
                    continue
                row, column = max(int(i), int(j)), min(int(i), int(j))
                _check_branch(body, row, column)
                couplings.append(Coupling(row, column, float(inertia[a, b]), float(friction[a, b])))
    return replace(body, armature=armature, damping=damping, couplings=tuple(couplings))


def _nothing(matrix: Floats, a: int, b: int) -> bool:
    """Whether an entry is zero but for rounding."""
    return bool(abs(matrix[a, b]) <= 1e-14 * math.sqrt(matrix[a, a] * matrix[b, b]))


def _check_branch(body: Body, row: int, column: int) -> None:
    """Refuse a coupling that the factorisation along the tree has no place for."""
    model = body.model
    if not _is_ancestor(model, body.joint_offset + column, body.joint_offset + row):
        names = model.joint_names
        raise RobotError(
            f"{body.name}: the drives of {names[column]} and {names[row]} are coupled, but neither "
            "joint carries the other; only joints of one chain can be coupled"
        )


def _is_ancestor(model: TreeModel, ancestor: int, dof: int) -> bool:
    while dof > ancestor:
        dof = int(model.dof_parent[dof])
    return dof == ancestor


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
