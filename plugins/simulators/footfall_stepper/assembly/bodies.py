"""The bodies of a world: robots and objects, loaded and placed, with drives and sensors."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from functools import partial

import numpy as np

from footfall.errors import PluginError, RobotError
from footfall.formats.normal_form import scale_masses
from footfall.interfaces.engine import Engine, Tree
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.sensor import SensorBody as SensedBody
from footfall.model.collision_shapes import shape_of
from footfall.model.objects import make_object
from footfall.model.robot import Robot, load_robot
from footfall.registry.registry import Registry
from footfall.scene.body_parts import actuators_of, sensors_of
from footfall.scene.choose import make
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.scene.schema import TERRAIN
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall.typing import Floats
from footfall_stepper.assembly.ground import declared_features
from footfall_stepper.assembly.joint_stops import backlash_of, friction_of, stops
from footfall_stepper.assembly.loops import find_loops
from footfall_stepper.assembly.start import start
from footfall_stepper.assembly.surfaces import feature_names, given_by, side_of
from footfall_stepper.devices.joint_torques import DriveGroup
from footfall_stepper.devices.sensors import Sensing, sensing
from footfall_stepper.stepping.settings import Physics
from footfall_stepper.world.body import Body

MOST_JOINTS = 1000
"""Largest number of moving joints of a robot."""
MOST_POINTS = 5000
"""Largest number of contact points, spheres and rims of a body."""


def robots_of(scene: Scene, registry: Registry) -> dict[str, Robot]:
    """Return the robot of every body by the body's name; a file is read once for all copies.

    Raises:
        RobotError: if a robot cannot be loaded.
        SceneError: if ``npoly`` has no effect on a robot.
    """
    loaded: dict[str, Robot] = {}
    robots = {}
    for name, body in scene.bodies.items():
        if body.shape is not None:
            robots[name] = _object(scene, body)
            continue
        assert body.robot is not None
        if body.robot not in loaded:
            loaded[body.robot] = _robot(scene, body, body.robot, registry)
        robots[name] = robot = _with_npoly(scene, body, loaded[body.robot])
        if (joints := len(robot.kept)) > MOST_JOINTS:
            message = f"must have at most {MOST_JOINTS} moving joints, got {joints}"
            raise scene.error(message, "bodies", name, "robot")
    return robots


def _robot(scene: Scene, body: SceneBody, reference: str, registry: Registry) -> Robot:
    try:
        return load_robot(reference, scene.folder if scene.file else None, registry)
    except RobotError as error:
        where = scene.error(str(error), "bodies", body.name, "robot")
        raise RobotError(str(where)) from error


def _with_npoly(scene: Scene, body: SceneBody, robot: Robot) -> Robot:
    try:
        return robot if body.npoly is None else robot.with_npoly(body.npoly)
    except RobotError as error:
        raise scene.error(f"has no effect: {error}", "bodies", body.name, "npoly") from error


def _object(scene: Scene, body: SceneBody) -> Robot:
    """Return the object defined by a body's shape."""
    table = body.shape
    assert table is not None
    color = None if body.color is None else (*body.color, 1.0)
    try:
        of_mass = body.mass, body.density, body.center_of_mass
        return make_object(shape_of(table), *of_mass, color=color, fixed=body.fixed)
    except RobotError as error:
        raise RobotError(str(scene.error(str(error), "bodies", body.name, "shape"))) from error


def base_pose(scene_body: SceneBody, robot: Robot) -> Pose:
    """Return the start pose of a body's root."""
    given, default = scene_body, robot.spec
    position = given.base_position if given.base_position is not None else default.base_position
    rpy = given.base_orientation
    if rpy is None:
        rpy = default.base_orientation
    return Pose(rotation_from_rpy(rpy), np.array(position, float))


def load_body(
    scene: Scene,
    scene_body: SceneBody,
    robot: Robot,
    engine: Engine,
    gravity: Floats,
    registry: Registry,
    shaped: Collection[str] = (),
) -> Body:
    """Load a robot, place it as in the scene, and set its joint parameters.

    ``shaped``: names of the bodies that touch the ground with shapes.
    """
    name, base, prescribed = scene_body.name, scene_body.base or robot.base, bool(scene_body.motion)
    scale = 0.0 if prescribed else scene_body.mass_scale
    pose = base_pose(scene_body, robot)
    model = robot.rigid_body(base)
    tree: Tree | None = None
    if model is None:
        source = robot.source(name, gravity, base, None if base == "floating" else pose)
        if scale != 1.0:
            source = replace(source, xml=scale_masses(source.xml, scale))
        tree = engine.load(source)
        model = tree.model
    else:
        inertia = scale * model.link_inertia
        model = replace(model, link_mass=scale * model.link_mass, link_inertia=inertia)
    _check_tree(scene, tree)
    damping, armature, friction = robot.joint_parameters(model)
    features = []
    for feature in declared_features(scene_body, robot, model, shaped):
        side = side_of(scene_body, feature_names(feature, model.link_names))
        mu, e = side.get("friction", feature.friction), side.get("restitution", feature.restitution)
        pair = given_by(scene.pair(name, TERRAIN)).get("friction", mu)
        if not (isinstance(mu, float) and isinstance(pair, float)):
            mu = pair  # an axis of the pair is one of the contact, and replaces the contact's
        features.append(replace(feature, friction=mu, restitution=e))
    if len(features) > MOST_POINTS:
        message = f"must have at most {MOST_POINTS} contact points, got {len(features)}"
        raise scene.error(message, "bodies", name)
    q, v, s = start(scene, scene_body, robot, model, pose)
    root = model.frames.get(robot.urdf.root) if robot.urdf else None
    limits = stops(scene, scene_body, robot, model, s)
    coulomb_friction = friction_of(scene, name, robot, model, friction, registry)
    loops = find_loops(robot, tree, q, v) if tree is not None and robot.has_loops else ()
    backlash = backlash_of(loops, name, s)
    return Body(
        name,
        model,
        tree,
        q,
        v,
        tuple(features),
        armature,
        damping,
        root,
        backlash=backlash,
        loops=tuple(loop for loop in loops if loop not in backlash),
        position_limits=limits,
        limit_restitution=robot.limit_restitution(model),
        joint_friction=coulomb_friction,
        prescribed=prescribed,
        planar=base == "planar",
    )


def drives_of(scene: Scene, body: Body, robot: Robot, registry: Registry) -> list[DriveGroup]:
    """Return a body's groups of joints with actuators."""
    return [
        DriveGroup(
            body.name,
            make(group.choice, registry),
            group.joints,
            group.transmission,
            group.limit,
            group.speed,
            partial(group.where.error, path=group.path),
        )
        for group in actuators_of(scene, body.name, robot, body.model, registry)
    ]


def sensors_of_body(scene: Scene, body: Body, robot: Robot, registry: Registry) -> list[Sensing]:
    """Return a body's sensors."""
    feet = dict.fromkeys(f.foot.name for f in body.features if f.foot is not None)
    what = SensedBody(body.name, body.model, tuple(feet))
    found = []
    for chosen in sensors_of(scene, body.name, robot, registry):
        sensor, table = make(chosen.choice, registry), scene.simulation
        try:
            found.append(sensing(what, sensor, chosen.spec, table.part, table.parts))
        except PluginError as error:
            raise chosen.where.error(str(error), chosen.path) from error
    return found


def check_drives(scene: Scene, physics: Physics, drives: list[DriveGroup]) -> None:
    """Reject actuators defined for one time step if the integrator has no fixed step."""
    for group in drives:
        if group.actuator.held_step and isinstance(physics.integrator, Continuous):
            raise scene.error(
                f'actuator "{group.actuator.name}" of {group.body} is stated for time steps: '
                "choose a one-step integrator",
                *("integrator", "plugin"),
            )


def _check_tree(scene: Scene, tree: Tree | None) -> None:
    """Reject an engine that returns arrays of the wrong shape or layout."""
    if tree is None:
        return
    nv, links = tree.model.nv, tree.model.n_links
    for field, shape in (("M", (nv, nv)), ("h", (nv,)), ("S", (nv, 6)), ("pose", (links, 12))):
        array: object = getattr(tree, field, None)
        got = f"a {type(array).__name__}, not an array"
        if isinstance(array, np.ndarray):
            got = f"{array.dtype} {array.shape}"
            if array.shape == shape and array.dtype == np.float64 and array.flags.c_contiguous:
                continue
        raise PluginError(
            f'engine "{scene.engine.plugin}": {field} is {got}, expected C-ordered float64 {shape}'
        )
