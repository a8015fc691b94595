"""Model files as MuJoCo reads them, as sides of a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from footfall.api.plugin import Floats, RobotError, error_line
from footfall_compare.twin.facts import Facts, mujoco_facts
from footfall_compare.twin.side import BASE, Side

POSE = "x", "y", "z", "qw", "qx", "qy", "qz"
"""Positions of a free joint in MuJoCo's order."""
ELSEWHERE = "timestep", "gravity"
"""Options compared as layers of their own."""
REST = "eq_", "tendon_", "wrap_", "pair_", "exclude_", "jnt_s", "jnt_margin", "qpos_spring"
"""Beginnings of the names of other arrays of a model that decide its motion."""


def file_side(path: Path, *, floats: bool = False) -> Side:
    """Return a model file as MuJoCo reads it.

    Args:
        path: URDF or MJCF file. A URDF gives no options: their tables are left out.
        floats: adds a free joint if the base has no joint.

    Raises:
        RobotError: if MuJoCo cannot load the file; holds MuJoCo's message.
    """
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        root = spec.worldbody.first_body()
        if floats and root is not None and root.first_joint() is None:
            root.add_freejoint()
        model = spec.compile()
    except ValueError as error:
        raise RobotError(f"{path}: MuJoCo cannot load it: {error_line(error)}") from error
    data = mujoco.MjData(model)
    positions, dofs = _names(model)
    if model.nkey:
        data.qpos[:] = model.key_qpos[0]
    start = dict(zip(positions, data.qpos.tolist(), strict=True))
    mujoco.mj_forward(model, data)
    moved = np.flatnonzero(model.body_dofnum)
    free = model.jnt_dofadr[model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)].tolist()

    def at(q: Mapping[str, float], v: Mapping[str, float]) -> Facts:
        data.qpos[:] = [q.get(name, start[name]) for name in positions]
        mujoco.mj_normalizeQuat(model, data.qpos)
        data.qvel[:] = [v.get(name, 0.0) for name in dofs]
        mujoco.mj_kinematics(model, data)
        for dof in free:
            R = data.xmat[model.dof_bodyid[dof]].reshape(3, 3)
            data.qvel[dof : dof + 3] = R @ data.qvel[dof : dof + 3]
        mujoco.mj_forward(model, data)
        return mujoco_facts(model, data, moved.tolist(), np.arange(model.nv), free)

    tables: dict[str, Mapping[str, Any]] = {
        "start posture": start,
        "limits of torque": dict(_torques(model, dofs)),
        **_geoms(model, data, dofs),
        "other settings": {
            name: getattr(model, name) for name in dir(model) if name.startswith(REST)
        },
    }
    if model.nu:
        tables["gains"] = dict(zip(dofs, _gains(model), strict=True))
        tables["actuators"] = dict(_actuators(model))
    if path.suffix.lower() != ".urdf":
        options = {name: getattr(model.opt, name) for name in dir(model.opt) if name[0] != "_"}
        tables |= {
            "time step": {"time step": model.opt.timestep},
            "gravity": {"gravity": model.opt.gravity.copy()},
            "solver": {name: options[name] for name in options if name not in ELSEWHERE},
        }
    last = model.body_dofadr[moved] + model.body_dofnum[moved] - 1
    links = tuple(model.body(k).name for k in moved)
    return Side(dofs, model.dof_parentid.astype(np.int64), links, last, start, at, tables)


def _names(model: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names of positions and velocities; those of the first floating base are bare."""
    positions: list[str] = []
    dofs: list[str] = []
    for j in range(model.njnt):
        body = model.body(model.jnt_bodyid[j]).name
        name = model.joint(j).name or f"{body} joint {j - model.body_jntadr[model.jnt_bodyid[j]]}"
        match mujoco.mjtJoint(model.jnt_type[j]):
            case mujoco.mjtJoint.mjJNT_FREE:
                before = f"{body}/" if "x" in positions else ""
                positions += [before + part for part in POSE]
                dofs += [before + part for part in BASE]
            case mujoco.mjtJoint.mjJNT_BALL:
                positions += [f"{name}.{part}" for part in POSE[3:]]
                dofs += [f"{name}.{part}" for part in "xyz"]
            case _:
                positions.append(name)
                dofs.append(name)
    return tuple(positions), tuple(dofs)


def _geoms(model: Any, data: Any, dofs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return shape, friction and softness of geoms that touch, by their link's last joint."""
    geometry: dict[str, Any] = {}
    friction: dict[str, Any] = {}
    softness: dict[str, Any] = {}
    count: dict[int, int] = {}
    for k in np.flatnonzero(model.geom_contype | model.geom_conaffinity).tolist():
        body = int(model.body_weldid[model.geom_bodyid[k]])
        count[body] = count.get(body, -1) + 1
        last = int(model.body_dofadr[body] + model.body_dofnum[body] - 1)
        owner = "world" if body == 0 else f"link of {BASE.get(dofs[last], dofs[last])}"
        name, R = f"{owner}, geom {count[body]}", data.xmat[body].reshape(3, 3)
        plane = model.geom_type[k] == int(mujoco.mjtGeom.mjGEOM_PLANE)
        geometry[f"{name} type"] = int(model.geom_type[k])
        geometry[f"{name} size"] = 0.0 * model.geom_size[k] if plane else model.geom_size[k]
        geometry[f"{name} place"] = R.T @ (data.geom_xpos[k] - data.xpos[body])
        geometry[f"{name} rotation"] = R.T @ data.geom_xmat[k].reshape(3, 3)
        friction[name] = *model.geom_friction[k].tolist(), int(model.geom_condim[k])
        softness[f"{name} solref"] = model.geom_solref[k]
        softness[f"{name} solimp"] = model.geom_solimp[k]
        softness[f"{name} margin"] = model.geom_margin[k]
    names = "contact geometry", "friction of contacts", "softness of contacts"
    return dict(zip(names, (geometry, friction, softness), strict=True))


def _of_joints(model: Any) -> Iterator[tuple[int, int]]:
    """Yield the actuators of single joints, and their dofs."""
    for k in np.flatnonzero(model.actuator_trntype == int(mujoco.mjtTrn.mjTRN_JOINT)).tolist():
        yield k, int(model.jnt_dofadr[model.actuator_trnid[k, 0]])


def _torques(model: Any, dofs: tuple[str, ...]) -> Iterator[tuple[str, float]]:
    """Yield the greatest torque of each joint, [N m or N]: of its actuators, or its own limit."""
    most: dict[int, float] = {}
    for k, dof in _of_joints(model):
        limit = float(abs(model.actuator_forcerange[k]).max()) or np.inf
        if not model.actuator_biastype[k] and model.actuator_ctrllimited[k]:
            control = float(abs(model.actuator_ctrlrange[k]).max())
            limit = min(limit, control * float(model.actuator_gainprm[k, 0]))
        most[dof] = most.get(dof, 0.0) + limit * abs(float(model.actuator_gear[k, 0]))
    for joint in np.flatnonzero(model.jnt_type >= int(mujoco.mjtJoint.mjJNT_SLIDE)).tolist():
        dof, limit = int(model.jnt_dofadr[joint]), most.get(int(model.jnt_dofadr[joint]), np.inf)
        if model.jnt_actfrclimited[joint]:
            limit = min(limit, float(abs(model.jnt_actfrcrange[joint]).max()))
        yield dofs[dof], limit


def _gains(model: Any) -> Floats:
    """Return position [N m/rad] and velocity [N m s/rad] gains of the joints, shape (nv, 2)."""
    found = np.zeros((model.nv, 2))
    for k, dof in _of_joints(model):
        found[dof] -= model.actuator_gear[k, 0] ** 2 * model.actuator_biasprm[k, 1:3]
    return found


def _actuators(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield the other numbers of actuators by name."""
    for k in range(model.nu):
        name = model.actuator(k).name or f"actuator {k}"
        yield f"{name} joint", model.actuator_trnid[k]
        for part in ("gear", "gainprm", "biasprm", "dynprm", "ctrlrange"):
            yield f"{name} {part}", getattr(model, f"actuator_{part}")[k]
