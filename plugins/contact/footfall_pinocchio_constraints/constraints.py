"""The blocks of a contact problem as Pinocchio's constraints.

Its solvers look only at a constraint's set and number of rows: placements, joints and the model
that they must be made with play no part.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pinocchio

from footfall.api.contact import BlockKind

KEPT = 4096
"""Constraints that are kept to be used again: making one costs more than solving for it."""

Block = tuple[int, float, float, float]
"""Kind, friction coefficient, lower and upper bound of the impulse, as the solver scales it."""


def constraints(blocks: tuple[Block, ...]) -> tuple[Any, Any]:
    """Return vectors of the constraints of some blocks and of their data."""
    models, datas = pinocchio.StdVec_ConstraintModel(), pinocchio.StdVec_ConstraintData()
    for block in blocks:
        model, data = _constraint(*block)
        models.append(model)
        datas.append(data)
    return models, datas


@lru_cache(maxsize=KEPT)
def _constraint(kind: int, mu: float, lower: float, upper: float) -> tuple[Any, Any]:
    """Return the constraint of a block and its data, which no solver writes."""
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
    """Return a model of one joint with one degree of freedom, to make constraints with."""
    model = pinocchio.Model()
    model.addJoint(0, pinocchio.JointModelRX(), pinocchio.SE3.Identity(), "joint")
    return model


@lru_cache(maxsize=1)
def _joints() -> Any:
    joints = pinocchio.StdVec_Index()
    joints.append(1)
    return joints
