"""Read a tree's constants from a ``pinocchio.Model``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from footfall.api.engine import LinkFrame, ModelSource, TreeModel
from footfall.api.plugin import Floats, Ints
from footfall_pinocchio.parse import is_floating

NO_LIMIT = 1e10
"""Limits beyond this size count as no limit, [rad, m and their rates, N m, N]."""


def tree_model(model: Any, source: ModelSource, armature: Floats) -> TreeModel:
    """Return the constants of a model of one-dof joints, base first, in Pinocchio's order.

    Args:
        model: the ``pinocchio.Model``.
        source: the source of the model.
        armature: shape (nv,), values removed from ``model.armature``, [kg m^2 or kg].
    """
    first = 1 if is_floating(model) else 0
    joints = range(first + 1, model.njoints)
    bodies = range(first, model.njoints)
    rows_q = [model.idx_qs[j] for j in joints]
    rows_v = [model.idx_vs[j] for j in joints]
    inertias = [model.inertias[j] for j in bodies]
    if first == 0:
        # Links welded to the ground have no effect on the motion.
        inertias[0] = pin.Inertia.Zero()
    return TreeModel(
        base=source.base,
        joint_names=tuple(model.names[j] for j in joints),
        dof_parent=_dof_parents(model),
        link_dof=np.array([_last_dof(model, j) for j in bodies], dtype=np.int64),
        link_names=_link_names(model, first),
        link_mass=np.array([inertia.mass for inertia in inertias]),
        link_com=np.array([inertia.lever for inertia in inertias]),
        link_inertia=np.array([inertia.inertia for inertia in inertias]),
        position_lower=_limits(model.lowerPositionLimit, rows_q),
        position_upper=_limits(model.upperPositionLimit, rows_q),
        velocity_limit=_limits(model.velocityLimit, rows_v),
        effort_limit=_limits(model.effortLimit, rows_v),
        damping=np.array(model.damping)[rows_v],
        friction=np.array(model.upperDryFrictionLimit)[rows_v],
        armature=armature[rows_v],
        frames=_frames(model, first),
    )


def _last_dof(model: Any, joint: int) -> int:
    return model.idx_vs[joint] + model.nvs[joint] - 1 if joint else -1


def _dof_parents(model: Any) -> Ints:
    parents = np.empty(model.nv, dtype=np.int64)
    for j in range(1, model.njoints):
        start = model.idx_vs[j]
        parents[start] = _last_dof(model, model.parents[j])
        parents[start + 1 : start + model.nvs[j]] = range(start, start + model.nvs[j] - 1)
    return parents


def _link_names(model: Any, first: int) -> tuple[str, ...]:
    """Name each link after the first body on its joint; the other bodies are welded to it."""
    names: dict[int, str] = {}
    for frame in model.frames:
        if frame.type == pin.FrameType.BODY:
            names.setdefault(frame.parentJoint, frame.name)
    return tuple(names.get(j, model.names[j]) for j in range(first, model.njoints))


def _limits(values: Floats, rows: list[int]) -> Floats:
    limits = np.array(values, dtype=np.float64)[rows]
    return np.where(np.abs(limits) > NO_LIMIT, np.copysign(np.inf, limits), limits)


def _frames(model: Any, first: int) -> dict[str, LinkFrame]:
    """Map names to placements; a body takes precedence over a joint of the same name."""
    frames: dict[str, LinkFrame] = {}
    ordered = sorted(model.frames, key=lambda frame: frame.type == pin.FrameType.BODY)
    for frame in ordered:
        if frame.type == pin.FrameType.JOINT and frame.parentJoint <= first:
            continue  # the free-flyer's own frame
        if frame.name == "universe" or frame.parentJoint < first:
            continue
        placement = frame.placement
        frames[frame.name] = LinkFrame(
            frame.parentJoint - first, placement.rotation.copy(), placement.translation.copy()
        )
    return frames
