"""A world as a discrete plant of Drake: bodies, joints, geometries and pairs that may touch.

A contact point is a sphere of radius 1 um, so it touches 1 um before its centre does. Only the
listed pairs of geometries can touch; all others are filtered out.
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

from footfall.api.engine import Pose
from footfall.api.plugin import Floats, Ints, SceneError, error_line
from footfall_simulators.drake.settings import DrakeConfig
from footfall_simulators.skeleton import (
    XX_TO_YZ,
    Joint,
    bases_and_joints,
    declared,
    grounds,
    links,
    placed_in,
    tested,
    turned_to,
)
from footfall_stepper.api import Assembly, CandidateKind, Geometry, World

RADIUS = 1e-6
"""Radius of the spheres that stand for points, and half the thickness of rims, [m]."""
ROUGH = 1e12
"""Friction of the ground for declared points: the harmonic mean is then twice the point's."""


class Touching(NamedTuple):
    """Two geometries that may touch.

    Attributes:
        declared: the declared contact (the first of a rim's); -1 for two shapes.
        first: number of Drake's first geometry; a fixed one comes first.
        second: number of the second geometry.
        numbers: numbers of the two shapes; a fixed one comes first.
        links: their global links.
    """

    declared: int
    first: int
    second: int
    numbers: tuple[int, int] = (0, 0)
    links: tuple[int, int] = (-1, -1)


@dataclass
class Translation:
    """A plant of a world, with the correspondence between both.

    Attributes:
        plant: Drake's plant.
        graph: Drake's scene graph.
        q: shape (nq,), index in Footfall's positions of each of Drake's.
        v: shape (nv,), index in Footfall's velocities of each of Drake's.
        joints: Drake's joints, and the dof of each.
        pairs: pairs by the numbers of two of Drake's geometries, in either order.
        geometry: Drake's identifiers of geometries, by number.
        shape: number of Drake's geometry of each shape, by the shape's number.
        point: number of Drake's geometry of each declared contact.
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
        """Add a pair that may touch."""
        a, b = touching.first, touching.second
        self.pairs[a, b] = self.pairs[b, a] = touching


def translate(made: Assembly, config: DrakeConfig) -> tuple[Translation, Any]:
    """Translate a world.

    Returns:
        The translation, and the diagram of plant and scene graph.

    Raises:
        SceneError: if Drake rejects it; with Drake's reason.
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
            title = f"Drake rejects this scene: {error_line(error)}"
            raise made.scene.error(title, "simulator") from error


@contextmanager
def quiet() -> Iterator[None]:
    """Silence Drake's log messages that do not apply here."""
    log = logging.getLogger("drake")
    before = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(before)


def _transform(rotation: Floats, position: Floats) -> Any:
    return RigidTransform(RotationMatrix.ProjectToRotationMatrix(rotation), position)


def _tree(plant: Any, world: World, index: int) -> Iterator[Any]:
    """Add the links of a body, and yield Drake's body of each."""
    made: list[Any] = []
    found = [link.with_mass() for link in links(world, index)]
    for number, link in enumerate(found):
        inertia = RotationalInertia(*link.inertia[XX_TO_YZ])
        spatial = SpatialInertia.MakeFromCentralInertia(link.mass, link.com, inertia)
        added = plant.AddRigidBody(f"{index}/{number}", spatial)
        made.append(added)
        place = placed_in(found[link.parent].pose, link.pose) if link.parent >= 0 else link.pose
        place = _transform(place.rotation, place.translation)
        if link.joint is not None:
            parent = made[link.parent].body_frame()
            _joint(plant, f"{index}/{link.joint.number}", link.joint, parent, place, added, world)
        elif world.bodies[index].joint_offset:
            frames = plant.world_frame(), added.body_frame()
            plant.AddJoint(QuaternionFloatingJoint(f"{index}/base", *frames))
        else:
            plant.WeldFrames(plant.world_frame(), added.body_frame(), place)
        yield added


def _joint(
    plant: Any, name: str, joint: Joint, parent: Any, place: Any, child: Any, world: World
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
    kind = RevoluteJoint if joint.kind == "hinge" else PrismaticJoint
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


def _declared(
    here: Translation, made: Assembly, bodies: Sequence[Any], config: DrakeConfig
) -> None:
    """Add the ground, declared contacts, and their pairs."""
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
        shape: Any = Sphere(RADIUS if kind == CandidateKind.POINT else radius)
        turned = np.eye(3)
        if kind == CandidateKind.RIM:
            shape, turned = Cylinder(radius, 2.0 * RADIUS), turned_to(candidates.axis[c])
        pose = _transform(turned, candidates.local[c])
        point = _add(here, bodies[link], pose, shape, f"contact/{c}", _properties(config, 0.0))
        here.point[c] = point
        for other in ground:
            here.may_touch(Touching(c, other, point))


def _shapes(here: Translation, made: Assembly, bodies: Sequence[Any], config: DrakeConfig) -> None:
    """Add the shapes that touch each other, and their pairs."""
    collider = made.world.collider
    if collider is None:
        return
    for shape in collider.shapes:
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
    for a, b in tested(collider):
        numbers, two = (a.number, b.number), (a.link, b.link)
        here.may_touch(Touching(-1, here.shape[a.number], here.shape[b.number], numbers, two))


def _properties(config: DrakeConfig, mu: float) -> Any:
    """Return the properties of a geometry, with the given stiffness settings."""
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


def _solid(solid: Geometry, pose: Pose) -> tuple[Any, Any]:
    """Return the pose of a shape, and Drake's shape.

    Raises:
        SceneError: if Drake has no such shape.
    """
    geometry: Any = solid
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
            raise SceneError(f'simulator "drake" has no shape {other}')
    return _transform(pose.rotation, pose.translation), shape


def _places(here: Translation, world: World) -> None:
    """Find the indices of positions and velocities, by the names of joints."""
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
    """Filter out all pairs of geometries that may not touch."""
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
