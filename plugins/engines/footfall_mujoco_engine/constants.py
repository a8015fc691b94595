"""The compiled ``mujoco.MjModel`` of a tree, and the tree's constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from footfall.api.advanced import Inertial
from footfall.api.engine import LinkFrame, ModelSource, Pose, TreeModel
from footfall.api.plugin import Floats, Ints, RobotError
from footfall_mujoco_engine.specification import LINK, Specification

GENERIC = {"ipos": [0.1, 0.2, 0.3], "iquat": [0.5, 0.1, -0.7, 0.5], "inertia": [1.0, 1.1, 1.2]}
"""Mass properties for compiling bodies, chosen so that MuJoCo finds no symmetry."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A compiled tree.

    Attributes:
        model: the ``mujoco.MjModel``, without armature.
        tree: its constants.
        dofs: shape (nv,), MuJoCo's dof for each of ours; dofs of locked joints are left out.
        body: shape (links,), MuJoCo's body of each link.
        anchor: shape (links, 3), origin of the link's frame in that body's frame, [m].
        rest: shape (model.nq,), positions, with locked joints at their locked positions.
    """

    model: Any
    tree: TreeModel
    dofs: Ints
    body: Ints
    anchor: Floats
    rest: Floats


def compile_model(given: Specification, source: ModelSource) -> Compiled:
    """Compile a specification.

    Raises:
        RobotError: if MuJoCo rejects it.
    """
    model = _compile(given, source)
    kept = [j for j in range(model.njnt) if _is_kept(model, j, source)]
    floats = source.base == "floating"
    dofs = np.array([*range(6 if floats else 0), *(model.jnt_dofadr[j] for j in kept)], np.int64)
    carried = {int(model.jnt_bodyid[j]): i + 1 for i, j in enumerate(kept)}
    link_of = _links_of_bodies(model, carried)
    body = np.array([1 if floats else 0, *carried], np.int64)
    anchor = np.array([np.zeros(3), *(model.jnt_pos[j] for j in kept)])
    rest = model.qpos0.copy()
    for name, position in source.locked.items():
        rest[model.joint(name).qposadr[0]] = position
    armature = model.dof_armature.copy()
    model.dof_armature[:] = 0.0
    places = _placements(model, rest, link_of, body, anchor)
    mass, com, inertia = _weld(given, model, places, link_of, source)
    constants = TreeModel(
        base=source.base,
        joint_names=tuple(model.joint(j).name for j in kept),
        dof_parent=_parents(model, dofs),
        link_dof=np.arange(len(body), dtype=np.int64) + (5 if floats else -1),
        link_names=tuple(given.name(model.body(b)) for b in body),
        link_mass=mass,
        link_com=com,
        link_inertia=inertia,
        armature=armature[dofs[6 if floats else 0 :]],
        frames=_frames(given, model, places, link_of, source),
        **_joint_constants(given, model, kept),
    )
    return Compiled(model, constants, dofs, body, anchor, rest)


def _compile(given: Specification, source: ModelSource) -> Any:
    spec = given.spec
    spec.compiler.fusestatic = spec.compiler.balanceinertia = False
    spec.compiler.boundmass = spec.compiler.boundinertia = 0.0
    for body in spec.bodies[1:]:
        body.fullinertia[:] = np.nan
        body.explicitinertial, body.mass = True, 1.0
        body.ipos, body.iquat, body.inertia = GENERIC.values()
    try:
        model = spec.compile()
    except ValueError as error:
        raise RobotError(f"{source.path}: {' '.join(str(error).split())}") from error
    for b in range(1, model.nbody):
        _write_inertia(model, b, given.inertials.get(given.name(model.body(b))))
    model.body_subtreemass[:] = model.body_mass
    for b in range(model.nbody - 1, 0, -1):
        model.body_subtreemass[model.body_parentid[b]] += model.body_subtreemass[b]
    model.opt.gravity[:] = source.gravity
    return model


def _write_inertia(model: Any, b: int, inertial: Inertial | None) -> None:
    """Write mass properties in MuJoCo's form: principal moments, and the rotation to their axes."""
    model.body_mass[b] = 0.0 if inertial is None else inertial.mass
    model.body_ipos[b], model.body_inertia[b] = 0.0, 0.0
    if inertial is not None:
        model.body_ipos[b] = inertial.com
        if np.isfinite(inertial.inertia).all():
            model.body_inertia[b], axes = np.linalg.eigh(inertial.inertia)
            axes[:, 2] *= np.sign(np.linalg.det(axes))
            mujoco.mju_mat2Quat(model.body_iquat[b], axes.ravel())


def _is_kept(model: Any, j: int, source: ModelSource) -> bool:
    if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE:
        return False
    return source.joints is None or model.joint(j).name in source.joints


def _links_of_bodies(model: Any, carried: dict[int, int]) -> Ints:
    """Return the link of each body, shape (bodies,); the world belongs to the base."""
    link = np.zeros(model.nbody, np.int64)
    for b in range(1, model.nbody):
        link[b] = carried.get(b, link[model.body_parentid[b]])
    return link


def _parents(model: Any, dofs: Ints) -> Ints:
    """Return each dof's nearest kept dof towards the root, -1 if there is none."""
    place = {int(dof): i for i, dof in enumerate(dofs)}
    parents = np.full(len(dofs), -1, np.int64)
    for i, dof in enumerate(dofs):
        parent = int(model.dof_parentid[dof])
        while parent >= 0 and parent not in place:
            parent = int(model.dof_parentid[parent])
        parents[i] = place.get(parent, -1)
    return parents


def _placements(model: Any, rest: Floats, link_of: Ints, body: Ints, anchor: Floats) -> list[Pose]:
    """Return each body's pose in its link's frame, with locked joints at their locked positions."""
    data = mujoco.MjData(model)
    data.qpos[:] = rest
    mujoco.mj_kinematics(model, data)
    poses = [Pose(data.xmat[b].reshape(3, 3), data.xpos[b]) for b in range(model.nbody)]
    links = [poses[b] @ Pose(np.eye(3), anchor[i]) for i, b in enumerate(body)]
    return [links[link].inverse() @ pose for link, pose in zip(link_of, poses, strict=True)]


def _weld(
    given: Specification, model: Any, places: list[Pose], link_of: Ints, source: ModelSource
) -> tuple[Floats, Floats, Floats]:
    """Return mass, centre of mass and inertia of each link with all bodies welded to it."""
    links = int(link_of.max()) + 1
    mass, com, inertia = np.zeros(links), np.zeros((links, 3)), np.zeros((links, 3, 3))
    for i in range(1 if source.base == "fixed" else 0, links):  # a fixed base needs no mass
        bodies = np.flatnonzero(link_of[1:] == i) + 1  # without the world
        names = {int(b): given.name(model.body(b)) for b in bodies}
        parts = [(places[b], given.inertials[n]) for b, n in names.items() if n in given.inertials]
        if parts:
            whole = Inertial.weld(parts)
            mass[i], com[i], inertia[i] = whole.mass, whole.com, whole.inertia
    return mass, com, inertia


def _joint_constants(given: Specification, model: Any, kept: list[int]) -> dict[str, Floats]:
    """Return limits, damping and friction; MuJoCo has no velocity limits of joints."""
    if given.joints:
        joints = [given.joints[model.joint(j).name] for j in kept]
        limits = [joint.limits for joint in joints]
        return {
            "position_lower": np.array([limit.lower for limit in limits]),
            "position_upper": np.array([limit.upper for limit in limits]),
            "velocity_limit": np.array([limit.velocity for limit in limits]),
            "effort_limit": np.array([limit.effort for limit in limits]),
            "damping": np.array([joint.damping for joint in joints]),
            "friction": np.array([joint.friction for joint in joints]),
        }
    ranges = np.where(model.jnt_limited[kept, None], model.jnt_range[kept], [-np.inf, np.inf])
    efforts = np.abs(model.jnt_actfrcrange[kept]).max(axis=1, initial=0.0)
    dofs = model.jnt_dofadr[kept]
    return {
        "position_lower": ranges[:, 0],
        "position_upper": ranges[:, 1],
        "velocity_limit": np.full(len(kept), np.inf),
        "effort_limit": np.where(model.jnt_actfrclimited[kept], efforts, np.inf),
        "damping": model.dof_damping[dofs],
        "friction": model.dof_frictionloss[dofs],
    }


def _frames(
    given: Specification, model: Any, places: list[Pose], link_of: Ints, source: ModelSource
) -> dict[str, LinkFrame]:
    """Map names to placements; for equal names bodies win over joints, and joints over sites."""
    frames: dict[str, LinkFrame] = {}

    def add(name: str, b: int, inner: Pose) -> None:
        pose = places[b] @ inner
        frames[name] = LinkFrame(int(link_of[b]), pose.rotation, pose.translation)

    for s in range(model.nsite):
        turn = np.zeros(9)
        mujoco.mju_quat2Mat(turn, model.site_quat[s])
        add(model.site(s).name, model.site_bodyid[s], Pose(turn.reshape(3, 3), model.site_pos[s]))
    for j in np.flatnonzero(model.jnt_type != mujoco.mjtJoint.mjJNT_FREE):
        add(model.joint(j).name, model.jnt_bodyid[j], Pose(np.eye(3), model.jnt_pos[j]))
    for name, joint in given.joints.items():
        if joint.type == "fixed":
            add(name, model.body(LINK + joint.child).id, Pose.identity())
    for b in range(1 if source.base == "floating" else 0, model.nbody):
        add(given.name(model.body(b)), b, Pose.identity())
    return frames
