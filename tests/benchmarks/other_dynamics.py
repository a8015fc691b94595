"""M and h of a model file as Pinocchio or MuJoCo has them, in Footfall's order and velocities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
OtherDynamics = Callable[
    [Sequence[float] | None, Mapping[str, float], Floats, Floats], tuple[Floats, Floats]
]
"""Called with the base's position and quaternion x y z w (None: fixed), positions by joint in the
order of the velocities, velocities (the base's in its own frame), gravity; returns M and h."""


def pinocchio_dynamics(path: Path) -> OtherDynamics:
    """Return the dynamics of a URDF."""
    import pinocchio as pin

    text = path.read_text()
    models = {
        True: pin.buildModelFromXML(text, pin.JointModelFreeFlyer()),
        False: pin.buildModelFromXML(text),
    }

    def dynamics(
        base: Sequence[float] | None, joints: Mapping[str, float], v: Floats, gravity: Floats
    ) -> tuple[Floats, Floats]:
        model = models[base is not None]
        data, q, rows = model.createData(), pin.neutral(model), []
        model.gravity.linear = gravity
        if base is not None:
            q[:7], rows = base, list(range(6))
        for name, value in joints.items():
            joint = model.joints[model.getJointId(name)]
            whole_turns = joint.nq == 2
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                (np.cos(value), np.sin(value)) if whole_turns else (value,)
            )
            rows.append(joint.idx_v)
        if len(rows) != model.nv:
            raise ValueError(f"{model.nv} degrees of freedom, here {len(rows)}")
        theirs = np.zeros(model.nv)
        theirs[rows] = v
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, q, theirs)
        return M[np.ix_(rows, rows)], h[rows]

    return dynamics


def _as_hinges(spec: Any, ball: Any) -> None:
    """Replace a ball joint by hinges about x, y and z, as an import does."""
    body, name, at = ball.parent, ball.name, ball.pos.copy()
    spec.delete(ball)
    for letter, axis in zip("xyz", np.eye(3), strict=True):
        body.add_joint(name=f"{name}_{letter}", pos=at, axis=axis)
    for key in spec.keys:
        spec.delete(key)


def mujoco_dynamics(path: Path) -> OtherDynamics | None:
    """Return the dynamics of an MJCF, masses of meshes by their exact volume; None without a body.

    Raises:
        ValueError: if MuJoCo does not compile it.
    """
    import mujoco

    spec = mujoco.MjSpec.from_file(str(path))
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0  # no hull is needed
        weighs = geom.mass > 0.0 or (np.isnan(geom.mass) and geom.density > 0.0)
        if weighs and geom.meshname and not geom.parent.explicitinertial:
            spec.mesh(geom.meshname).inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_EXACT
    for joint in [joint for joint in spec.joints if joint.type == mujoco.mjtJoint.mjJNT_BALL]:
        _as_hinges(spec, joint)
    for joint in spec.joints:
        joint.armature = 0.0
    model = spec.compile()
    if model.nbody < 2:
        return None
    model.opt.disableflags = 0  # gravity acts
    taken = {joint.name for joint in spec.joints}
    free = (name for name in (f"joint_{i}" for i in count(1)) if name not in taken)
    kinds = mujoco.mjtJoint
    names = {}
    for j in range(model.njnt):
        kind = model.jnt_type[j]
        name = model.joint(j).name or ("" if kind == kinds.mjJNT_FREE else next(free))
        names["" if kind == kinds.mjJNT_FREE and model.jnt_bodyid[j] else name] = j
    data = mujoco.MjData(model)

    def root_of(joint: int) -> int:
        """Return the root body of the tree that a joint moves."""
        return int(model.body_rootid[model.jnt_bodyid[joint]])

    def dynamics(
        base: Sequence[float] | None, joints: Mapping[str, float], v: Floats, gravity: Floats
    ) -> tuple[Floats, Floats]:
        model.opt.gravity[:] = gravity
        turn, drift, rows = np.eye(len(v)), np.zeros(len(v)), []
        roots = {root_of(names[name]) for name in joints}
        if base is not None:
            free = [j for j in range(model.njnt) if model.jnt_type[j] == kinds.mjJNT_FREE]
            own = next((j for j in free if root_of(j) in roots), names[""])
            roots |= {root_of(own)}
            at = model.jnt_qposadr[own]
            data.qpos[at : at + 7] = [*base[:3], base[6], *base[3:6]]
            rows = [model.jnt_dofadr[own] + k for k in range(6)]
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, data.qpos[at + 3 : at + 7])
            turn[:3, :3] = R.reshape(3, 3)
            drift[:3] = turn[:3, :3] @ np.cross(v[3:6], v[:3])
        for name, value in joints.items():
            j = names[name]
            data.qpos[model.jnt_qposadr[j]] = value + model.qpos0[model.jnt_qposadr[j]]
            rows.append(model.jnt_dofadr[j])
        # Other bodies of the file are trees of their own: M has no entries between them.
        expected = sum(int(model.body_rootid[body] in roots) for body in model.dof_bodyid)
        if len(rows) != expected:
            raise ValueError(f"{expected} degrees of freedom, here {len(rows)}")
        data.qvel[rows] = turn @ v
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, M)
        M, h = M[np.ix_(rows, rows)], data.qfrc_bias[rows]
        return turn.T @ M @ turn, turn.T @ (h + M @ drift)

    return dynamics
