"""Model files as MuJoCo reads them, as sides of a comparison."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from footfall.api.plugin import RobotError, error_line
from footfall_compare.twin.facts import Facts, mujoco_facts
from footfall_compare.twin.side import BASE, Side

POSE = "x", "y", "z", "qw", "qx", "qy", "qz"
"""Positions of a free joint in MuJoCo's order."""
FREE, BALL = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL)
PARTS: Mapping[int, tuple[Iterable[str], Iterable[str]]] = {
    FREE: (POSE, BASE),
    BALL: ([f".{part}" for part in POSE[3:]], (".x", ".y", ".z")),
}
"""Ends of the names of a joint's positions and velocities by its type, if they are several."""
REST = (
    *("eq_", "tendon_", "wrap_", "pair_", "exclude_", "jnt_s", "jnt_actg", "jnt_margin"),
    *("qpos_spring", "dof_sol", "body_gravcomp", "geom_fluid"),
)
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
    free = model.jnt_dofadr[model.jnt_type == FREE].tolist()

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

    single = np.flatnonzero(model.jnt_type > BALL)
    torques = np.where(model.jnt_actfrclimited, model.jnt_actfrcrange[:, 1], np.inf)
    tables: dict[str, Mapping[str, Any]] = {
        "limits of torque": {dofs[model.jnt_dofadr[joint]]: torques[joint] for joint in single},
        **_geoms(model, data, dofs),
        "other settings": {
            n: x for n in dir(model) if n.startswith(REST) and (x := getattr(model, n)).size
        },
    }
    if model.nu:
        tables |= _actuators(model, dofs)
    if path.suffix.lower() != ".urdf":
        options = {name: getattr(model.opt, name) for name in dir(model.opt) if name[0] != "_"}
        tables |= {
            "start posture": start,
            "time step": {"step": options.pop("timestep")},
            "gravity": {"gravity": options.pop("gravity")},
            "solver": options,
        }
    last = model.body_dofadr[moved] + model.body_dofnum[moved] - 1
    links = tuple(model.body(k).name for k in moved)
    return Side(dofs, model.dof_parentid.astype(np.int64), links, last, start, at, tables)


def _names(model: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names of positions and velocities; those of the first tree are without a prefix."""
    positions: list[str] = []
    dofs: list[str] = []
    bodies = [model.body(k).name or f"body {k}" for k in model.jnt_bodyid.tolist()]
    trees = [f"{body.partition('/')[0]}/" for body in bodies]
    for j, kind in enumerate(model.jnt_type.tolist()):
        name = model.joint(j).name or f"{bodies[j]} joint {j}"
        before = (trees[j] if j else "") if kind == FREE else name.removeprefix(trees[0])
        of_q, of_v = PARTS.get(kind, (("",), ("",)))
        positions += [before + part for part in of_q]
        dofs += [before + part for part in of_v]
    return tuple(positions), tuple(dofs)


def _geoms(model: Any, data: Any, dofs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return shape, friction and softness of geoms that touch, by their link's last joint."""
    geometry: dict[str, Any] = {"geoms": True}
    friction: dict[str, Any] = {}
    softness: dict[str, Any] = {}
    count: Counter[int] = Counter()
    for k in np.flatnonzero(model.geom_contype | model.geom_conaffinity).tolist():
        body, kind = int(model.body_weldid[model.geom_bodyid[k]]), int(model.geom_type[k])
        last = dofs[model.body_dofadr[body] + model.body_dofnum[body] - 1] if body else ""
        owner = f"link of {BASE.get(last, last)}" if body else "world"
        name, R = f"{owner}, geom {count[body]}", data.xmat[body].reshape(3, 3)
        count[body] += 1
        geometry |= {
            f"{name} type": kind,
            f"{name} touches": (int(model.geom_contype[k]), int(model.geom_conaffinity[k])),
            f"{name} size": model.geom_size[k] * (kind != int(mujoco.mjtGeom.mjGEOM_PLANE)),
            f"{name} place": R.T @ (data.geom_xpos[k] - data.xpos[body]),
            f"{name} rotation": R.T @ data.geom_xmat[k].reshape(3, 3),
        }
        friction[name] = *model.geom_friction[k].tolist(), int(model.geom_condim[k])
        for part in ("solref", "solimp", "solmix", "priority", "margin", "gap"):
            softness[f"{name} {part}"] = getattr(model, f"geom_{part}")[k]
    names = "contact geometry", "friction of contacts", "softness of contacts"
    return dict(zip(names, (geometry, friction, softness), strict=True))


def _actuators(model: Any, dofs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return gains of the joints [N m/rad and N m s/rad] and limits of the actuators by name."""
    gains, limits = np.zeros((model.nv, 2)), {}
    for k in range(model.nu):
        name = model.actuator(k).name or f"actuator {k}"
        if model.actuator_trntype[k] == int(mujoco.mjtTrn.mjTRN_JOINT):
            dof, gear = model.jnt_dofadr[model.actuator_trnid[k, 0]], model.actuator_gear[k, 0]
            gains[dof] -= gear**2 * model.actuator_biasprm[k, 1:3]
        for part in ("forcerange", "ctrlrange"):
            limited = getattr(model, f"actuator_{part.replace('range', 'limited')}")[k]
            both = getattr(model, f"actuator_{part}")[k] if limited else (-np.inf, np.inf)
            limits[f"{name} {part}"] = both
    kinds = "trntype", "trnid", "gear", "gaintype", "gainprm", "biastype", "biasprm", "dyntype"
    names = [f"actuator_{kind}" for kind in (*kinds, "dynprm")]
    return {
        "gains": dict(zip(dofs, gains, strict=True)),
        "limits of actuators": limits,
        "actuators": {name: getattr(model, name) for name in names},
    }
