"""A world as a discrete plant of Drake: bodies, joints, geometries and which of them may touch.

A contact point is a sphere of 1 um, so that it touches that much before its centre does. All pairs
of geometries are filtered out but those that are listed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddRigidHydroelasticProperties,
    Box,
    Capsule,
    CollisionFilterDeclaration,
    Convex,
    Cylinder,
    GeometrySet,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import AddMultibodyPlant, CoulombFriction, MultibodyPlantConfig
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    PrismaticJoint,
    QuaternionFloatingJoint,
    RevoluteJoint,
    RotationalInertia,
    SpatialInertia,
)
from pydrake.systems.framework import DiagramBuilder

from footfall.api.errors import SceneError, reason
from footfall.api.geometry import Pose
from footfall.api.plugin import Floats, Ints
from footfall_simulators.drake.settings import DrakeConfig
from footfall_simulators.skeleton import (
    POINT,
    RIM,
    XX_TO_YZ,
    bases_and_joints,
    declared,
    grounds,
    links,
    tested,
    turned_to,
)
from footfall_stepper.api import Assembly

RADIUS = 1e-6
"""Of the spheres that stand for points, and half the thickness of rims, [m]."""
ROUGH = 1e12
"""Friction of the ground for declared points: the pair's, a harmonic mean, is twice the point's."""


class Touching(NamedTuple):
    """Two geometries that may touch.

    Attributes:
        declared: the declared contact (first of a rim's), -1: shapes.
        first: number of Drake's geometry that is the first, what is fixed.
        second: of the other.
        numbers: of the two shapes, what is fixed first.
        links: their global links.
    """

    declared: int
    first: int
    second: int
    numbers: tuple[int, int] = (0, 0)
    links: tuple[int, int] = (-1, -1)


@dataclass
class Translation:
    """A plant of a world, and where what is in the one is in the other.

    Attributes:
        plant: Drake's.
        graph: Drake's scene graph.
        q: shape (nq,), of each of Drake's positions the place among ours.
        v: shape (nv,), of each of Drake's velocities the place among ours.
        joints: Drake's, and the dof of each.
        pairs: by the numbers of two of Drake's geometries, in either order.
        geometry: Drake's identifiers by their numbers.
        shape: Drake's geometry of each shape's number, as a number.
        point: Drake's geometry of each declared contact, as a number.
    """

    plant: Any
    graph: Any
    q: Ints
    v: Ints
    joints: list[tuple[Any, int]] = field(default_factory=list)
    pairs: dict[tuple[int, int], Touching] = field(default_factory=dict)
    geometry: dict[int, Any] = field(default_factory=dict)
    shape: dict[int, int] = field(default_factory=dict)
    point: dict[int, int] = field(default_factory=dict)

    def may_touch(self, touching: Touching) -> None:
        """Note a pair."""
        a, b = touching.first, touching.second
        self.pairs[a, b] = self.pairs[b, a] = touching


def translate(made: Assembly, config: DrakeConfig) -> tuple[Translation, Any]:
    """Translate a world.

    Returns:
        The translation, and the diagram of plant and scene graph.

    Raises:
        SceneError: if Drake does not take it; says why.
    """
    builder, world = DiagramBuilder(), made.world
    known = {field.name for field in MultibodyPlantConfig.__fields__}
    options = {name: x for name, x in config.model_dump().items() if name in known}
    with quiet():
        try:
            options |= {"time_step": made.scene.simulation.part, "use_sampled_output_ports": False}
            plant, graph = AddMultibodyPlant(MultibodyPlantConfig(**options), builder)
            plant.mutable_gravity_field().set_gravity_vector(made.scene.world.gravity)
            here = Translation(plant, graph, np.zeros(world.nq, int), np.zeros(world.nv, int))
            bodies = [b for k in range(len(world.bodies)) for b in _tree(plant, world, k)]
            _declared(here, made, bodies, config)
            _shapes(here, made, bodies, config)
            plant.Finalize()
            _places(here, world)
            _filter(here)
            return here, builder.Build()
        except (RuntimeError, ValueError) as error:
            title = f"Drake takes no such scene: {reason(error)}"
            raise made.scene.error(title, "simulator") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep Drake's log from saying what has no effect here."""
    log = logging.getLogger("drake")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _transform(rotation: Floats, position: Floats) -> Any:
    return RigidTransform(RotationMatrix.ProjectToRotationMatrix(rotation), position)


def _tree(plant: Any, world: Any, index: int) -> Iterator[Any]:
    """Add the links of a body, and yield Drake's body of each."""
    made: list[Any] = []
    for link in links(world, index):
        inertia = RotationalInertia(*link.inertia[XX_TO_YZ])
        spatial = SpatialInertia.MakeFromCentralInertia(link.mass, link.com, inertia)
        added = plant.AddRigidBody(link.name, spatial)
        made.append(added)
        place = _transform(link.rotation, link.position)
        if link.joint is not None:
            parent = made[link.parent].body_frame()
            _joint(plant, f"{index}/{link.joint.number}", link.joint, parent, place, added, world)
        elif link.free:
            frames = plant.world_frame(), added.body_frame()
            plant.AddJoint(QuaternionFloatingJoint(f"{index}/base", *frames))
        else:
            plant.WeldFrames(plant.world_frame(), added.body_frame(), place)
        yield added


def _joint(
    plant: Any, name: str, joint: Any, parent: Any, place: Any, child: Any, world: Any
) -> None:
    """Add the joint that carries a link."""
    anchor = RigidTransform(joint.anchor)
    frames = [
        plant.AddFrame(FixedOffsetFrame(f"{name}/{side}", frame, at))
        for side, frame, at in (
            ("outer", parent, place @ anchor),
            ("inner", child.body_frame(), anchor),
        )
    ]
    kind = RevoluteJoint if joint.hinge else PrismaticJoint
    lower, upper = joint.limits
    made = plant.AddJoint(kind(name, *frames, joint.axis, lower, upper, 0.0))
    armature = float(world.joints.armature[joint.dof])
    if armature > 0.0:
        motor = plant.AddJointActuator(name, made)
        motor.set_default_rotor_inertia(armature)
        motor.set_default_gear_ratio(1.0)


def _add(here: Translation, body: Any, pose: Any, shape: Any, name: str, properties: Any) -> int:
    """Register a geometry, and return its number."""
    made = here.plant.RegisterCollisionGeometry(body, pose, shape, name, properties)
    number = int(made.get_value())
    here.geometry[number] = made
    return number


def _declared(here: Translation, made: Assembly, bodies: Sequence[Any], config: Any) -> None:
    """Add the ground and declared contacts, and note what may touch."""
    candidates, world = made.world.candidates, made.world
    if not world.n_contacts:
        return
    of_world = here.plant.world_body()
    ground = [
        _add(here, of_world, *_solid(*solid), f"ground/{k}", _properties(config, ROUGH))
        for k, solid in enumerate(grounds(made, "Drake"))
    ]
    for c, kind in declared(world):
        radius, link = float(candidates.radius[c]), int(candidates.link[c])
        shape: Any = Sphere(RADIUS if kind == POINT else radius)
        turned = np.eye(3)
        if kind == RIM:
            shape, turned = Cylinder(radius, 2.0 * RADIUS), turned_to(candidates.axis[c])
        pose = _transform(turned, candidates.local[c])
        point = _add(here, bodies[link], pose, shape, f"contact/{c}", _properties(config, 0.0))
        here.point[c] = point
        for other in ground:
            here.may_touch(Touching(c, other, point))


def _shapes(here: Translation, made: Assembly, bodies: Sequence[Any], config: Any) -> None:
    """Add the shapes that touch each other, and note which may."""
    collider = made.world.collider
    if collider is None:
        return
    shapes: Any = collider.detector.shapes  # type: ignore[attr-defined]
    for shape in shapes:
        fixed = shape.link < 0
        body = here.plant.world_body() if fixed else bodies[shape.link]
        properties = _properties(config, 0.0)
        if config.hydroelastic_modulus > 0.0 and fixed:
            AddRigidHydroelasticProperties(config.resolution_hint, properties)
        elif config.hydroelastic_modulus > 0.0:
            AddCompliantHydroelasticProperties(
                config.resolution_hint, config.hydroelastic_modulus, properties
            )
        placed = _solid(shape.geometry, shape.pose)
        here.shape[shape.number] = _add(here, body, *placed, f"shape/{shape.number}", properties)
    for a, b in tested(shapes, collider.detector):
        numbers, two = (a.number, b.number), (a.link, b.link)
        here.may_touch(Touching(-1, here.shape[a.number], here.shape[b.number], numbers, two))


def _properties(config: DrakeConfig, mu: float) -> Any:
    """Return properties of a geometry, with what is given of how hard it is."""
    made = ProximityProperties()
    made.AddProperty("material", "coulomb_friction", CoulombFriction(mu, mu))
    for name, value in (
        ("point_contact_stiffness", config.point_stiffness),
        ("hunt_crossley_dissipation", config.hunt_crossley_dissipation),
        ("relaxation_time", config.relaxation_time),
    ):
        if value is not None:
            made.AddProperty("material", name, float(value))
    return made


def _solid(geometry: Any, pose: Pose) -> tuple[Any, Any]:
    """Return where a shape is, and Drake's shape.

    Raises:
        SceneError: if Drake has no such shape.
    """
    match type(geometry).__name__:
        case "Sphere":
            shape: Any = Sphere(geometry.radius)
        case "Box":
            shape = Box(*geometry.size)
        case "Capsule":
            shape = Capsule(geometry.radius, geometry.length)
        case "Cylinder":
            shape = Cylinder(geometry.radius, geometry.length)
        case "HalfSpace":
            shape = HalfSpace()
        case "Convex" | "TriangleMesh":
            shape = Convex(np.ascontiguousarray(geometry.vertices.T), "hull")
        case other:
            raise SceneError(f'simulator "drake" knows no {other}')
    return _transform(pose.rotation, pose.translation), shape


def _places(here: Translation, world: Any) -> None:
    """Find what is where, by the names that joints were given."""
    for name, at, dof in bases_and_joints(world):
        joint = here.plant.GetJointByName(name)
        p, d = joint.position_start(), joint.velocity_start()
        if name.endswith("/base"):
            here.q[p : p + 7] = at + np.array([6, 3, 4, 5, 0, 1, 2])
            here.v[d : d + 6] = dof + np.array([3, 4, 5, 0, 1, 2])
        else:
            here.q[p], here.v[d] = at, dof
            here.joints.append((joint, dof))


def _filter(here: Translation) -> None:
    """Let no geometries touch but those that are noted."""
    if not here.geometry:
        return
    every = GeometrySet(list(here.geometry.values()))
    chosen = CollisionFilterDeclaration().ExcludeWithin(every)
    with_first: dict[int, list[Any]] = {}
    for (a, _), touching in here.pairs.items():
        if a == touching.first:
            with_first.setdefault(a, []).append(here.geometry[touching.second])
    for a, others in with_first.items():
        chosen.AllowBetween(GeometrySet(here.geometry[a]), GeometrySet(others))
    here.graph.collision_filter_manager().Apply(chosen)
