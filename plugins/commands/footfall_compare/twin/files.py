"""Comparison of a model file in Footfall's import and in MuJoCo's own."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

import footfall
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, FootfallError, RobotError, error_line
from footfall_compare.twin.facts import Facts, mujoco_facts, own_facts
from footfall_compare.twin.layer import Layer, sets
from footfall_compare.twin.layers import compared, worst
from footfall_stepper.api import StepperSimulator, stepped

STATES, SPREAD, FASTEST = 4, 0.4, 1.0


def file_layers(path: Path) -> list[Layer]:
    """Compare both imports of a file: links, joints, M and h at random states.

    Drives, ground and contacts are not compared. MuJoCo's joints are found by name; if it has
    other joints than Footfall, this is the only layer. Bodies of MuJoCo that are welded together
    are merged, as in Footfall.

    Raises:
        RobotError: if Footfall or MuJoCo cannot load the file.
    """
    sim = _loaded(path)
    body = sim.world.bodies[0]
    model = _theirs(path, floats=body.model.base == "floating")
    there = {model.joint(j).name: j for j in range(model.njnt) if model.jnt_type[j] >= 2}
    names = sets("joints", body.model.joint_names, list(there))
    if not names.agrees:
        return [names]
    dofs = np.zeros(model.nv, np.int64)
    offset = body.joint_offset
    for k, name in enumerate(body.model.joint_names):
        dofs[model.jnt_dofadr[there[name]]] = offset + k
    free = np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE)
    if len(free):
        first = int(model.jnt_dofadr[free[0]])
        dofs[first : first + 6] = np.arange(6)
    links = [int(model.jnt_bodyid[there[name]]) for name in body.model.joint_names]
    base = int(model.jnt_bodyid[free[0]]) if len(free) else 0
    data, rng = mujoco.MjData(model), np.random.default_rng(0)
    found = [_at(sim, model, data, [base, *links], dofs, there, rng) for _ in range(STATES)]
    return [names, *worst(found)]


BODY = "robot"
"""Name of the robot in the scene for the file."""


def _loaded(path: Path) -> StepperSimulator:
    """Load a file as a robot of a scene.

    Raises:
        RobotError: if the file cannot be loaded; names an alternative.
    """
    tables = {
        "simulation": {"time_step": 1e-3},
        "bodies": {BODY: {"robot": str(path.absolute())}},
    }
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*has no contact points")  # irrelevant here
            return stepped(footfall.assemble(footfall.scene_from_dict(tables)))
    except FootfallError as error:
        said = str(error).removeprefix(f"bodies.{BODY}.robot: ").removeprefix(f'robot "{BODY}": ')
        way = "import it and compare a scene of the import: footfall import FILE"
        raise RobotError(f"{said} (or {way})") from error


def _theirs(path: Path, *, floats: bool) -> Any:
    """Load a file with MuJoCo; add a free joint if the base shall float and has no joint.

    Raises:
        RobotError: if MuJoCo cannot load the file; holds MuJoCo's message.
    """
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        root = spec.worldbody.first_body()
        moves = root is not None and root.first_joint() is not None
        if floats and root is not None and not moves:
            root.add_freejoint()
        for geom in spec.geoms:
            geom.contype = geom.conaffinity = 0
        model = spec.compile()
    except ValueError as error:
        raise RobotError(f"{path}: MuJoCo cannot load it: {error_line(error)}") from error
    model.opt.gravity[:] = 0.0, 0.0, -9.81
    return model


def _at(
    sim: StepperSimulator,
    model: Any,
    data: Any,
    links: list[int],
    dofs: Any,
    there: dict[str, int],
    rng: np.random.Generator,
) -> list[Layer]:
    """Compare both at a random state."""
    world, body = sim.world, sim.world.bodies[0]
    q, v = sim.q + rng.uniform(-SPREAD, SPREAD, world.nq), rng.uniform(-FASTEST, FASTEST, world.nv)
    data.qpos[:], data.qvel[:] = model.qpos0, 0.0
    offset, floats = body.joint_offset, []
    if offset:
        q[3:7] /= np.linalg.norm(q[3:7])
        q[2] += 50.0
        at = int(model.jnt_qposadr[np.flatnonzero(model.jnt_type == 0)[0]])
        data.qpos[at : at + 7] = q[[0, 1, 2, 6, 3, 4, 5]]
        floats = [0]
    for k, name in enumerate(body.model.joint_names):
        data.qpos[model.jnt_qposadr[there[name]]] = q[(7 if offset else 0) + k]
    sim.q[:], sim.v[:] = q, v
    sim.look()
    turned = v.copy()
    if offset:
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, q[[6, 3, 4, 5]])
        turned[:3] = R.reshape(3, 3) @ v[:3]
    data.qvel[:] = turned[dofs]
    mujoco.mj_forward(model, data)
    own = body.model
    # MuJoCo has no links between several joints of one body.
    kept = [k for k, link in enumerate(links) if link not in links[k + 1 :]]
    ours = replace(
        _of_bodies(own_facts(sim, q, v), body.model, kept),
        limits=_of_dofs(offset, np.column_stack([own.position_lower, own.position_upper]), np.inf),
        armature=_of_dofs(offset, own.armature),
        damping=_of_dofs(offset, own.damping),
        friction=_of_dofs(offset, own.friction),
    )
    theirs = mujoco_facts(model, data, [links[k] for k in kept], dofs, floats)
    names = tuple(body.model.link_names[k] for k in kept)
    layers = compared(ours, theirs, names, tuple(sim.labels.velocity))
    fixed_base = () if offset else LINKS_ONLY
    return [each for each in layers if each.name not in (*DRIVES, *fixed_base)]


def _of_bodies(found: Facts, model: TreeModel, kept: list[int]) -> Facts:
    """Return the quantities of some links at the origins of the file's bodies.

    The origin of a link is on its last joint; the origin of an MJCF's body may be elsewhere.
    """
    frames = [model.frames.get(model.link_names[k]) for k in kept]
    at = np.array([np.zeros(3) if frame is None else frame.translation for frame in frames])
    pose, twist = found.pose[kept], found.twist[kept]
    away = np.einsum("nij,nj->ni", pose[:, :9].reshape(-1, 3, 3), at)
    pose[:, 9:] += away
    twist[:, :3] += np.cross(twist[:, 3:], away)
    return replace(
        found,
        mass=found.mass[kept],
        com=found.com[kept] - at,
        inertia=found.inertia[kept],
        pose=pose,
        twist=twist,
    )


def _of_dofs(offset: int, joints: Floats, base: float = 0.0) -> Floats:
    """Return joint values as rows of dofs, with rows of the base before them."""
    rows = np.full((offset, *joints.shape[1:]), base)
    if joints.ndim == 2:
        rows[:, 0] = -base
    return np.concatenate([rows, joints])


DRIVES = ("force of drives and pushes",)
LINKS_ONLY = ("total mass",)
"""Layers left out for a fixed base, whose fixed links are not compared."""
