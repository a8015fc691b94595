"""The blocks of a contact problem as Pinocchio's constraints.

Its solvers use only a constraint's set and number of rows: placements, joints and the model, which
its constructor requires, have no effect.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pinocchio

from footfall.api.contact import BlockKind

KEPT = 4096
"""Number of constraints kept for reuse: creating one costs more than solving for it."""

Block = tuple[int, float, float, float]
"""Kind, friction coefficient, lower and upper bound of the scaled impulse."""


def constraints(blocks: tuple[Block, ...]) -> tuple[Any, Any]:
    """Return the constraints of some blocks and their data, as Pinocchio's vectors."""
    models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for block in blocks:
        model, data = _constraint(*block)
        models.append(model)
        datas.append(data)
    return models, datas


@lru_cache(maxsize=KEPT)
def _constraint(kind: int, mu: float, lower: float, upper: float) -> tuple[Any, Any]:
    """Return the constraint of a block and its data; solvers write to neither."""
    if kind == BlockKind.CONE:
        contact = pinocchio.PointContactConstraintModel(_model(), 1)
        contact.setFriction(mu)
        model = pinocchio.ConstraintModel(contact)
    else:
        low, high = (lower, upper) if kind == BlockKind.BOX else (0.0, np.inf)
        bounds = np.array([low]), np.array([high])
        friction = pinocchio.JointFrictionConstraintModel(_model(), _joints(), *bounds)
        model = pinocchio.ConstraintModel(friction)
    return model, model.createData()


@lru_cache(maxsize=1)
def _model() -> Any:
    """Return a model of one joint with one degree of freedom, for creating constraints."""
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelRX(), pinocchio.SE3.Identity(), "joint")
    return model


@lru_cache(maxsize=1)
def _joints() -> Any:
    joints = pinocchio.StdVec_Index()
    joints.append(1)
    return joints
