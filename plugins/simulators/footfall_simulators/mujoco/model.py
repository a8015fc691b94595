"""A world as a MuJoCo model: bodies, joints, geoms and pairs that may touch.

A contact point is a sphere of radius 0.1 mm that touches when its centre does
(``margin = -RADIUS``). Only the listed pairs of geoms can touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import Floats, Ints, SceneError, error_line
from footfall_simulators.mujoco.settings import MujocoConfig
from footfall_simulators.skeleton import (
    XX_TO_YZ,
    Joint,
    bases_and_joints,
    declared,
    grounds,
    links,
    tested,
    turned_to,
)
from footfall_stepper.api import Assembly, CandidateKind

RADIUS = 1e-4
"""Radius of the spheres that stand for points, and half the thickness of rims, [m]."""
G = mujoco.mjtGeom


@dataclass(frozen=True)
class Translation:
    """A MuJoCo model of a world, with the correspondence between both.

    Attributes:
        model: MuJoCo's model.
        q: shape (nq,), index in Footfall's positions of each of MuJoCo's.
        v: shape (nv,), index in Footfall's velocities of each of MuJoCo's.
        pair: shape (geoms, geoms), the model's pair of two geoms, -1 if there is none.
        declared: shape (pairs,), declared contact of a pair (the first of a rim's), -1 for shapes.
        numbers: shape (pairs, 2), numbers of the two shapes of a pair; a fixed one comes first.
        links: shape (pairs, 2), their global links.
        first: shape (pairs,), MuJoCo's first geom of each pair.
    """

    model: Any
    q: Ints
    v: Ints
    pair: Ints
    declared: Ints
    numbers: Ints
    links: Ints
    first: Ints


@dataclass
class _Pairs:
    """Pairs that may touch: names of both geoms, declared contact, numbers and links of shapes."""

    geoms: list[tuple[str, str]] = field(default_factory=list)
    declared: list[int] = field(default_factory=list)
    numbers: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)


def translate(made: Assembly, config: MujocoConfig) -> Translation:
    """Translate a world.

    Raises:
        SceneError: if MuJoCo does not compile it; with MuJoCo's reason.
    """
    spec, world = mujoco.MjSpec(), made.world
    _options(spec, made, config)
    bodies = [body for k in range(len(world.bodies)) for body in _tree(spec, world, k, config)]
    pairs = _Pairs()
    for one, other, *more in (*_declared(spec, made, bodies), *_shapes(spec, made, bodies)):
        declared, numbers, of_links = more
        pairs.geoms.append((one, other))
        pairs.declared.append(declared)
        pairs.numbers.append(numbers)
        pairs.links.append(of_links)
    for k, (one, other) in enumerate(pairs.geoms):
        shift = -RADIUS if pairs.declared[k] >= 0 and one.endswith("/point") else 0.0
        spec.add_pair(
            geomname1=one,
            geomname2=other,
            condim=6 if world.moments else 3,
            margin=shift,
            solref=config.solref,
            solimp=config.solimp,
        )
    try:
        model = spec.compile()
    except ValueError as error:
        raise made.scene.error(
            f"MuJoCo rejects this scene: {error_line(error)}", "simulator"
        ) from error
    return _places(model, world, pairs)


def _options(spec: Any, made: Assembly, config: MujocoConfig) -> None:
    option, scene = spec.option, made.scene
    spec.compiler.degree = False
    option.timestep, option.gravity = scene.simulation.part, scene.world.gravity
    for name in ("iterations", "tolerance", "ls_iterations", "noslip_iterations", "impratio"):
        setattr(option, name, getattr(config, name))
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{config.integrator.upper()}")
    option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{config.solver.upper()}")
    option.cone = getattr(mujoco.mjtCone, f"mjCONE_{config.cone.upper()}")
    option.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{config.jacobian.upper()}")
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET


def _tree(spec: Any, world: Any, index: int, config: MujocoConfig) -> Iterator[Any]:
    """Add the links of a body, and yield MuJoCo's body of each."""
    made: list[Any] = []
    for link in links(world, index):
        parent = made[link.parent] if link.parent >= 0 else spec.worldbody
        quat = _quaternion(link.rotation)
        added = parent.add_body(name=link.name, pos=link.position, quat=quat)
        made.append(added)
        added.explicitinertial, added.mass, added.ipos = True, link.mass, link.com
        added.fullinertia = link.inertia[XX_TO_YZ]
        if link.joint is not None:
            _joint(added, f"{index}/{link.joint.number}", link.joint, world, config)
        elif link.free:
            added.add_freejoint(name=f"{index}/base")
        yield added


def _quaternion(R: Floats) -> Floats:
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(R).ravel())
    return found


def _joint(added: Any, name: str, joint: Joint, world: Any, config: MujocoConfig) -> None:
    """Add the joint that carries a link."""
    made = added.add_joint(name=name)
    made.type = mujoco.mjtJoint.mjJNT_HINGE if joint.hinge else mujoco.mjtJoint.mjJNT_SLIDE
    made.axis, made.pos = joint.axis, joint.anchor
    made.armature = world.joints.armature[joint.dof]
    made.limited = mujoco.mjtLimited.mjLIMITED_FALSE
    if np.isfinite(joint.limits).any():
        made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        made.range = np.clip(joint.limits, -FAR, FAR)
    made.frictionloss = joint.friction
    made.solref_limit, made.solimp_limit = config.solref_limit, config.solimp_limit
    made.solref_friction, made.solimp_friction = config.solref_friction, config.solimp_friction


FAR = 1e6
"""Unreachable second limit of a joint that has only one, [rad or m]."""


def _declared(spec: Any, made: Assembly, bodies: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Add geoms of the ground and of declared contacts; yield the pairs that may touch."""
    candidates, world = made.world.candidates, made.world
    if not world.n_contacts:
        return
    ground = []
    for k, solid in enumerate(grounds(made, "MuJoCo")):
        ground.append(f"ground/{k}")
        _solid(spec, spec.worldbody, ground[-1], *solid)
    for c, kind in declared(world):
        radius = float(candidates.radius[c])
        shape = {
            "type": G.mjGEOM_SPHERE,
            "size": [RADIUS if kind == CandidateKind.POINT else radius, 0.0, 0.0],
        }
        if kind == CandidateKind.RIM:
            shape = {
                "type": G.mjGEOM_CYLINDER,
                "size": [radius, RADIUS, 0.0],
                "quat": _quaternion(turned_to(candidates.axis[c])),
            }
        called = f"contact/{c}/{'point' if kind == CandidateKind.POINT else 'round'}"
        _geom(bodies[int(candidates.link[c])], called, pos=candidates.local[c], **shape)
        for name in ground:
            yield called, name, c, (0, 0), (-1, int(candidates.link[c]))


def _shapes(spec: Any, made: Assembly, bodies: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Add the shapes that touch each other; yield the pairs that may touch."""
    collider = made.world.collider
    if collider is None:
        return
    shapes: Any = collider.detector.shapes  # type: ignore[attr-defined]
    for shape in shapes:
        body = spec.worldbody if shape.link < 0 else bodies[shape.link]
        _solid(spec, body, f"shape/{shape.number}", shape.geometry, shape.pose)
    for a, b in tested(shapes, collider.detector):
        names = f"shape/{a.number}", f"shape/{b.number}"
        yield *names, -1, (a.number, b.number), (a.link, b.link)


def _geom(body: Any, name: str, **fields: Any) -> None:
    body.add_geom(name=name, contype=0, conaffinity=0, mass=0.0, **fields)


def _solid(spec: Any, body: Any, name: str, geometry: Any, pose: Pose) -> None:
    """Add a geom of a shape.

    Raises:
        SceneError: if MuJoCo has no such shape.
    """
    R, p = pose.rotation, pose.translation
    fields: dict[str, Any] = {}
    match type(geometry).__name__:
        case "Sphere":
            fields = {"type": G.mjGEOM_SPHERE, "size": [geometry.radius, 0.0, 0.0]}
        case "Box":
            fields = {"type": G.mjGEOM_BOX, "size": [0.5 * x for x in geometry.size]}
        case "Capsule" | "Cylinder" as kind:
            code = G.mjGEOM_CAPSULE if kind == "Capsule" else G.mjGEOM_CYLINDER
            fields = {"type": code, "size": [geometry.radius, 0.5 * geometry.length, 0.0]}
        case "HalfSpace":
            fields = {"type": G.mjGEOM_PLANE, "size": [0.0, 0.0, 1.0]}
        case "Convex" | "TriangleMesh":
            spec.add_mesh(name=name, uservert=geometry.vertices.ravel().tolist())
            fields = {"type": G.mjGEOM_MESH, "meshname": name}
        case "HeightField":
            fields, p = _heights(spec, name, geometry, pose)
        case other:
            raise SceneError(f'simulator "mujoco" has no shape {other}')
    _geom(body, name, pos=p, quat=_quaternion(R), **fields)


def _heights(spec: Any, name: str, field: Any, pose: Pose) -> tuple[dict[str, Any], Floats]:
    """Add a height field; return its geom and its position.

    Rows that lie far outside are left out, as of a ground that continues beyond its grid.

    Raises:
        SceneError: if the grid is not evenly spaced.
    """
    x, y, heights = field.x, field.y, field.heights
    if len(x) > 4 and x[1] - x[0] > 10.0 * (x[2] - x[1]):
        x, y, heights = x[1:-1], y[1:-1], heights[1:-1, 1:-1]
    if np.ptp(np.diff(x)) > 1e-6 * np.ptp(x) or np.ptp(np.diff(y)) > 1e-6 * np.ptp(y):
        raise SceneError('simulator "mujoco" needs an evenly spaced height grid')
    low, high = float(heights.min()), float(heights.max())
    rise = max(high - low, 1e-6)
    size = [0.5 * np.ptp(x), 0.5 * np.ptp(y), rise, 1.0]
    data = ((heights - low) / rise).T.ravel().tolist()
    spec.add_hfield(name=name, size=size, nrow=len(y), ncol=len(x), userdata=data)
    middle = np.array([0.5 * (x[0] + x[-1]), 0.5 * (y[0] + y[-1]), low])
    at = pose.rotation @ middle + pose.translation
    return {"type": G.mjGEOM_HFIELD, "hfieldname": name}, at


def _places(model: Any, world: Any, pairs: _Pairs) -> Translation:
    """Find the indices of positions, velocities and pairs, by the names of joints and geoms."""
    q, v = np.zeros(world.nq, np.int64), np.zeros(world.nv, np.int64)
    for name, at, dof in bases_and_joints(world):
        found = model.joint(name)
        p, d = int(found.qposadr[0]), int(found.dofadr[0])
        if name.endswith("/base"):
            q[p : p + 7], v[d : d + 6] = at + np.array([0, 1, 2, 6, 3, 4, 5]), dof + np.arange(6)
        else:
            q[p], v[d] = at, dof
    listed = {names: k for k, names in enumerate(pairs.geoms)}
    pair, order = np.full((model.ngeom, model.ngeom), -1), np.zeros(model.npair, np.int64)
    first = np.zeros(model.npair, np.int64)
    for p, (a, b) in enumerate(zip(model.pair_geom1, model.pair_geom2, strict=True)):
        one, other = (model.geom(int(g)).name for g in (a, b))
        pair[a, b] = pair[b, a] = p
        order[p] = listed[one, other] if (one, other) in listed else listed[other, one]
        first[p] = a if (one, other) in listed else b
    return Translation(
        model,
        q,
        v,
        pair,
        np.array(pairs.declared, np.int64)[order],
        np.array(pairs.numbers, np.int64).reshape(-1, 2)[order],
        np.array(pairs.links, np.int64).reshape(-1, 2)[order],
        first,
    )
