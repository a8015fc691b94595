"""A world as a MuJoCo model: bodies, joints, geoms and the pairs of them that may touch.

Frames and axes are those of the engine's evaluation at the joints' zero, so that they are the same
whichever file a robot is from: link frames ``T``, and ``S`` with the twist of each joint, from
which a hinge is at ``w x v / |w|^2``. Inertias are those of the merged links. A contact point is a
sphere of 0.1 mm that touches where its centre does (``margin = -RADIUS``). Pairs are listed one by
one: no other geoms touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import mujoco
import numpy as np

from footfall import Assembly
from footfall.api.errors import SceneError, reason
from footfall.api.geometry import HalfSpace, Pose
from footfall.api.plugin import Floats, Ints
from footfall.api.visualizer import Ground
from footfall_mujoco.settings import MujocoConfig

RADIUS = 1e-4
"""Of the spheres that stand for points, and half the thickness of rims, [m]."""
LEAST = 1e-12
"""Mass [kg] and inertia [kg m^2] of links that have less: MuJoCo takes none without."""
POINT, SPHERE, RIM = range(3)
"""Kinds of declared contacts."""
G = mujoco.mjtGeom


@dataclass(frozen=True)
class Translation:
    """A MuJoCo model of a world, and where what is in the one is in the other.

    Attributes:
        model: MuJoCo's.
        q: shape (nq,), of each of MuJoCo's positions the place among ours.
        v: shape (nv,), of each of MuJoCo's velocities the place among ours.
        pair: shape (geoms, geoms), the model's pair of two geoms, -1 if there is none.
        declared: shape (pairs,), of a pair the declared contact (first of a rim's), -1: of shapes.
        numbers: shape (pairs, 2), of a pair of shapes their numbers, what is fixed first.
        links: shape (pairs, 2), their global links.
        first: shape (pairs,), MuJoCo's geom that is the first of the pair.
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
    """What may touch: names of the two geoms, declared contact, numbers and links of shapes."""

    geoms: list[tuple[str, str]] = field(default_factory=list)
    declared: list[int] = field(default_factory=list)
    numbers: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)


def translate(made: Assembly, config: MujocoConfig) -> Translation:
    """Translate a world.

    Raises:
        SceneError: if MuJoCo does not compile it; says why.
    """
    spec, world = mujoco.MjSpec(), made.world
    _options(spec, made, config)
    links = [body for k in range(len(world.bodies)) for body in _tree(spec, world, k, config)]
    pairs = _Pairs()
    for one, other, *more in (*_declared(spec, made, links), *_shapes(spec, made, links)):
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
            condim=3,
            margin=shift,
            solref=config.solref,
            solimp=config.solimp,
        )
    try:
        model = spec.compile()
    except ValueError as error:
        raise made.scene.error(f"MuJoCo takes no such scene: {reason(error)}", "backend") from error
    return _places(model, world, pairs)


def _options(spec: Any, made: Assembly, config: MujocoConfig) -> None:
    option, scene = spec.option, made.scene
    option.timestep, option.gravity = scene.simulation.part, scene.world.gravity
    for name in ("iterations", "tolerance", "ls_iterations", "noslip_iterations", "impratio"):
        setattr(option, name, getattr(config, name))
    option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{config.integrator.upper()}")
    option.solver = getattr(mujoco.mjtSolver, f"mjSOL_{config.solver.upper()}")
    option.cone = getattr(mujoco.mjtCone, f"mjCONE_{config.cone.upper()}")
    option.jacobian = getattr(mujoco.mjtJacobian, f"mjJAC_{config.jacobian.upper()}")
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_AUTORESET


def frames(world: Any, index: int) -> tuple[Floats, Floats]:
    """Return link frames and twists of a body with its joints at zero.

    Returns:
        Poses of the links in the axes of the base, shape (links, 12), of a fixed one in the world;
        twists S of the dofs there, shape (nv, 6).
    """
    body = world.bodies[index]
    if body.tree is None:
        return np.append(np.eye(3).ravel(), np.zeros(3)).reshape(1, 12), np.zeros((6, 6))
    q = np.zeros(body.model.nq)
    q[6 : 7 if body.model.base == "floating" else 6] = 1.0
    body.tree.evaluate(q, np.zeros(body.model.nv))
    return body.tree.pose.copy(), body.tree.S.copy()


def _tree(spec: Any, world: Any, index: int, config: MujocoConfig) -> Iterator[Any]:
    """Add the links of a body, and yield MuJoCo's body of each."""
    body, (poses, S) = world.bodies[index], frames(world, index)
    model, first = body.model, body.joint_offset
    of_dof: dict[int, tuple[Any, int]] = {}
    for link, pose in enumerate(poses):
        dof = int(model.link_dof[link])
        parent, outer = spec.worldbody, np.append(np.eye(3).ravel(), np.zeros(3))
        if link > 0:
            parent, at = of_dof[int(model.dof_parent[dof])]
            outer = poses[at]
        R, p = _in(outer, pose)
        added = parent.add_body(name=f"{index}/{link}", pos=p, quat=_quaternion(R))
        _inertia(added, model, link)
        of_dof[dof] = added, link
        if link > 0:
            _joint(added, world, index, dof - first, pose, S[dof], config)
        elif first:
            added.add_freejoint(name=f"{index}/base")
        yield added


def _in(outer: Floats, pose: Floats) -> tuple[Floats, Floats]:
    """Return rotation and origin of a frame in another one, of their poses in the world."""
    A, B = outer[:9].reshape(3, 3).T, pose[:9].reshape(3, 3).T
    return A.T @ B, A.T @ (pose[9:] - outer[9:])


def _quaternion(R: Floats) -> Floats:
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(R).ravel())
    return found


def _inertia(added: Any, model: Any, link: int) -> None:
    inertia = model.link_inertia[link]
    more = LEAST if np.linalg.eigvalsh(inertia)[0] < LEAST else 0.0
    xx, yy, zz = np.diag(inertia) + more
    added.explicitinertial = True
    added.mass, added.ipos = max(float(model.link_mass[link]), LEAST), model.link_com[link]
    added.fullinertia = [xx, yy, zz, inertia[0, 1], inertia[0, 2], inertia[1, 2]]


def _joint(
    added: Any, world: Any, index: int, joint: int, pose: Floats, twist: Floats, config: Any
) -> None:
    """Add the joint that carries a link; positions count from where the link is now."""
    body, R = world.bodies[index], pose[:9].reshape(3, 3).T
    linear, angular = twist[:3], twist[3:]
    hinge = float(angular @ angular) > 0.0
    made = added.add_joint(name=f"{index}/{joint}")
    made.type = mujoco.mjtJoint.mjJNT_HINGE if hinge else mujoco.mjtJoint.mjJNT_SLIDE
    made.axis = R.T @ (angular if hinge else linear)
    if hinge:
        made.pos = R.T @ (np.cross(angular, linear) / (angular @ angular) - pose[9:])
        made.pos -= (made.pos @ made.axis) * made.axis
    dof = int(world.topology.tree_v[index]) + body.joint_offset + joint
    made.armature = world.joints.armature[dof]
    made.limited = mujoco.mjtLimited.mjLIMITED_FALSE
    if len(body.position_limits) and np.isfinite(body.position_limits[joint]).any():
        made.limited = mujoco.mjtLimited.mjLIMITED_TRUE
        made.range = np.clip(body.position_limits[joint], -FAR, FAR)
    if len(body.joint_friction):
        made.frictionloss = body.joint_friction[joint]
    made.solref_limit, made.solimp_limit = config.solref_limit, config.solimp_limit
    made.solref_friction, made.solimp_friction = config.solref_friction, config.solimp_friction


FAR = 1e6
"""A limit that nothing reaches, of a joint that has but one, [rad or m]."""


def _declared(spec: Any, made: Assembly, links: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Add geoms of the ground and of declared contacts; yield what may touch."""
    candidates, world = made.world.candidates, made.world
    if not world.n_contacts:
        return
    grounds = _ground(spec, made)
    for c, name in enumerate(world.contact_names):
        kind, radius = int(candidates.kind[c]), float(candidates.radius[c])
        if kind == RIM and name.rpartition("/")[2] != "0":
            continue
        shape = {"type": G.mjGEOM_SPHERE, "size": [RADIUS if kind == POINT else radius, 0.0, 0.0]}
        if kind == RIM:
            axis = candidates.axis[c]
            shape = {
                "type": G.mjGEOM_CYLINDER,
                "size": [radius, RADIUS, 0.0],
                "quat": _quaternion(_turned_to(axis)),
            }
        called = f"contact/{c}/{'point' if kind == POINT else 'round'}"
        _geom(links[int(candidates.link[c])], called, pos=candidates.local[c], **shape)
        for ground in grounds:
            yield called, ground, c, (0, 0), (-1, int(candidates.link[c]))


def _turned_to(axis: Floats) -> Floats:
    """Return a rotation whose third column is a unit vector, shape (3, 3)."""
    across = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(across, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])


def _ground(spec: Any, made: Assembly) -> list[str]:
    """Add the ground for declared contacts: its solids, or a plane if it is one; name them."""
    terrain = made.physics.terrain
    solids = [(solid.geometry, solid.pose) for solid in terrain.solids()]
    if not solids:
        plane = terrain.grounds()[0]
        if not isinstance(plane, Ground):
            title = f'the ground "{made.scene.world.terrain.plugin}" has no shape for MuJoCo'
            raise made.scene.error(f"{title} (patches of friction?)", "world", "terrain", "plugin")
        solids = [(HalfSpace(), Pose(_turned_to(plane.normal), plane.offset * plane.normal))]
    names = [f"ground/{k}" for k in range(len(solids))]
    for name, solid in zip(names, solids, strict=True):
        _solid(spec, spec.worldbody, name, *solid)
    return names


def _shapes(spec: Any, made: Assembly, links: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Add the shapes that touch each other; yield the pairs that may."""
    collider = made.world.collider
    if collider is None:
        return
    shapes: Any = collider.detector.shapes  # type: ignore[attr-defined]
    for shape in shapes:
        body = spec.worldbody if shape.link < 0 else links[shape.link]
        _solid(spec, body, f"shape/{shape.number}", shape.geometry, shape.pose)
    for a, b in tested(shapes, collider.detector):
        names = f"shape/{a.number}", f"shape/{b.number}"
        yield *names, -1, (a.number, b.number), (a.link, b.link)


def tested(shapes: Sequence[Any], detector: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the pairs of shapes that Footfall's detector looks at, what is fixed first."""
    excluded, group = set(detector.excluded.tolist()), detector.groups
    for i, j in combinations(range(len(shapes)), 2):
        same = group[i] == group[j] and group[i] >= 0
        if same or shapes[i].link == shapes[j].link or i * len(shapes) + j in excluded:
            continue
        yield (shapes[j], shapes[i]) if shapes[j].link < 0 else (shapes[i], shapes[j])


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
            raise SceneError(f'backend "mujoco" knows no {other}')
    _geom(body, name, pos=p, quat=_quaternion(R), **fields)


def _heights(spec: Any, name: str, field: Any, pose: Pose) -> tuple[dict[str, Any], Floats]:
    """Add a field of heights; return its geom, and where that is.

    Rows that lie far outside, as of a ground that goes on beyond its grid, are left out.

    Raises:
        SceneError: if its grid is not even.
    """
    x, y, heights = field.x, field.y, field.heights
    if len(x) > 4 and x[1] - x[0] > 10.0 * (x[2] - x[1]):
        x, y, heights = x[1:-1], y[1:-1], heights[1:-1, 1:-1]
    if np.ptp(np.diff(x)) > 1e-6 * np.ptp(x) or np.ptp(np.diff(y)) > 1e-6 * np.ptp(y):
        raise SceneError('backend "mujoco" knows heights on even grids only')
    low, high = float(heights.min()), float(heights.max())
    rise = max(high - low, 1e-6)
    size = [0.5 * np.ptp(x), 0.5 * np.ptp(y), rise, 1.0]
    data = ((heights - low) / rise).T.ravel().tolist()
    spec.add_hfield(name=name, size=size, nrow=len(y), ncol=len(x), userdata=data)
    middle = np.array([0.5 * (x[0] + x[-1]), 0.5 * (y[0] + y[-1]), low])
    at = pose.rotation @ middle + pose.translation
    return {"type": G.mjGEOM_HFIELD, "hfieldname": name}, at


def _places(model: Any, world: Any, pairs: _Pairs) -> Translation:
    """Find what is where, by the names that joints and geoms were given."""
    q, v = np.zeros(world.nq, np.int64), np.zeros(world.nv, np.int64)
    for index, body in enumerate(world.bodies):
        at, dof = int(world.topology.tree_q[index]), int(world.topology.tree_v[index])
        if body.joint_offset:
            base = model.joint(f"{index}/base")
            p, d = int(base.qposadr[0]), int(base.dofadr[0])
            q[p : p + 7], v[d : d + 6] = at + np.array([0, 1, 2, 6, 3, 4, 5]), dof + np.arange(6)
            at, dof = at + 7, dof + 6
        for joint in range(len(body.model.joint_names)):
            found = model.joint(f"{index}/{joint}")
            q[int(found.qposadr[0])], v[int(found.dofadr[0])] = at + joint, dof + joint
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
