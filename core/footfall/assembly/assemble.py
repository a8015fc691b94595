"""The robots and objects that the bodies of a scene are.

Controllers are for bodies with joints.

The one composition root: from a validated scene to a simulator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from footfall.assembly.collision import collider_of, collision_needs
from footfall.assembly.ground import check_kinds, declared_features, ground_needs, ground_shapes
from footfall.assembly.joint_stops import check_joint_rows, friction_of, joint_needs, stops
from footfall.assembly.loops import close_at_start, find_loops
from footfall.assembly.origin import about_of
from footfall.assembly.shapes import body_shapes, split
from footfall.assembly.start import start, tell_deep_starts
from footfall.devices.controllers import controller_rates
from footfall.devices.drives import Drives
from footfall.devices.external_forces import pushes_of
from footfall.devices.participants import Participants
from footfall.devices.recorded_signals import recorded_signals
from footfall.devices.reflected_inertia import add_reflected_inertia
from footfall.devices.sensors import Sensing, sensing
from footfall.errors import PluginError, RobotError, SettingError
from footfall.interfaces.engine import Engine, Tree
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Capability, Plugin
from footfall.interfaces.sensor import Body as SensedBody
from footfall.interfaces.terrain import Terrain
from footfall.model.collision_shapes import shape_of
from footfall.model.objects import make_object
from footfall.model.robot import Robot, load_robot
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene.body_parts import actuators_of, sensors_of
from footfall.scene.choose import CONTROLLER
from footfall.scene.needs import TIME_STEPPING_KEYS, Need, base_need, check_needs
from footfall.scene.scene import Body, Choice, Scene
from footfall.scene.scene import Body as SceneBody
from footfall.scene.schema import TERRAIN
from footfall.simulation.simulator import Simulator
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall.stepping.settings import Physics
from footfall.stepping.time_stepping import StepSettings
from footfall.typing import Floats
from footfall.world.body import Body as Body_assemble
from footfall.world.body import Body as Body_driven
from footfall.world.world import World, in_order
from footfall_hands.hands import hands_of


def robots_of(scene: Scene) -> dict[str, Robot]:
    """Return the robot of every body by the body's name; a file is read once for all its copies.

    Raises:
        RobotError: if a robot cannot be loaded.
        SceneError: if ``npoly`` has no effect on a robot.
    """
    loaded: dict[str, Robot] = {}
    robots = {}
    for name, body in scene.bodies.items():
        if body.shape is not None:
            robots[name] = _object(body)
            continue
        assert body.robot is not None
        if body.robot not in loaded:
            loaded[body.robot] = _robot(scene, body, body.robot)
        robots[name] = _with_npoly(scene, body, loaded[body.robot])
    return robots


def _robot(scene: Scene, body: Body, reference: str) -> Robot:
    try:
        return load_robot(reference, scene.folder if scene.file else None)
    except RobotError as error:
        where = scene.error(str(error), "bodies", body.name, "robot")
        raise RobotError(str(where)) from error


def _with_npoly(scene: Scene, body: Body, robot: Robot) -> Robot:
    try:
        return robot if body.npoly is None else robot.with_npoly(body.npoly)
    except RobotError as error:
        raise scene.error(f"has no effect: {error}", "bodies", body.name, "npoly") from error


def _object(body: Body) -> Robot:
    """Return the object that a body is by its shape."""
    table = body.shape
    assert table is not None
    color = None if body.color is None else (*body.color, 1.0)
    shape = shape_of(table)
    return make_object(shape, mass=body.mass, density=body.density, color=color)


def check_controllers(scene: Scene, bodies: Iterable[Body_driven]) -> None:
    """Refuse controllers of bodies that have nothing to be driven.

    Raises:
        SceneError: for the first one.
    """
    for body in bodies:
        given = scene.bodies[body.name]
        chosen = given.controller.plugin != CONTROLLER.default or given.pace.model_fields_set
        if chosen and not body.model.joint_names:
            raise scene.error(
                f"has no effect: {body.name} has no joints", *("bodies", body.name, "controller")
            )


def assemble(scene: Scene, registry: Registry | None = None) -> Simulator:
    """Make a simulator of a scene, and warn of bodies that start inside each other.

    Args:
        scene: validated, from ``load_scene``.
        registry: the plugins that the scene was validated with; by default those installed.

    Raises:
        SceneError: if the chosen plugins cannot honour what the scene needs, or names of robots,
            joints or pairs in it do not exist.
        RobotError: if a robot cannot be loaded.
        PluginError: if a plugin cannot be loaded or constructed.
    """
    sim = assembled(scene, registry if registry is not None else discover())
    tell_deep_starts(sim, sim.stepper.law)
    return sim


def assembled(scene: Scene, registry: Registry) -> Simulator:
    """Make a simulator of a scene as ``assemble`` does, without a look at how bodies lie."""
    gravity = np.array(scene.world.gravity)
    robots = robots_of(scene)
    moving, fixed = split(scene, robots, _pose)
    physics = _physics(scene, registry)
    engine = make(scene.engine, registry)
    bodies = [
        _body(scene, scene.bodies[name], robots[name], engine, gravity, registry) for name in moving
    ]
    check_controllers(scene, bodies)
    drives = [d for body in bodies for d in _drives(scene, body, robots[body.name], registry)]
    _check_drives(scene, physics, drives)
    bodies = [add_reflected_inertia(body, drives) for body in bodies]
    shapes = tuple(body_shapes(scene, in_order(bodies), robots, fixed))
    solids = ground_shapes(scene, physics.terrain)
    world = World(bodies, gravity, collider_of(scene, bodies, robots, shapes, solids))
    _set_pairs(scene, world)
    physics.terrain.prepare(world.sample)
    check_needs(scene, _needs(scene, registry, robots, world, physics.terrain), registry)
    check_kinds(scene, world, physics.terrain)
    check_joint_rows(scene, world, physics.integrator)
    _check_friction(scene, world)
    participants = _participants(scene, registry, world, moving, robots, drives)
    without = TIME_STEPPING_KEYS if isinstance(physics.integrator, Continuous) else ()
    about = about_of(scene, world, robots, fixed, shapes, without)
    about = replace(about, registry=registry)
    try:
        sim = Simulator(world, physics, _settings(scene), participants, about)
    except SettingError as error:
        raise scene.error(error.reason, *error.path) from error
    close_at_start(sim)
    return sim


def _physics(scene: Scene, registry: Registry) -> Physics:
    """Construct laws, integrator and terrain."""
    return Physics(
        contact=make(scene.contact, registry),
        impact=make(scene.impact, registry),
        integrator=make(scene.integrator, registry),
        terrain=_made(scene, scene.world.terrain, registry, "world", "terrain"),
    )


def _participants(
    scene: Scene,
    registry: Registry,
    world: World,
    moving: list[str],
    robots: dict[str, Robot],
    drives: list[Drives],
) -> Participants:
    """Construct what looks at the world and acts on it."""
    controllers = {
        name: _made(scene, scene.bodies[name].controller, registry, "bodies", name, "controller")
        for name in moving
    }
    return Participants(
        controllers,
        visualizer=make(scene.visualizer, registry),
        rates=controller_rates(scene, world),
        signals=recorded_signals(scene, world),
        drives=drives,
        pushes=tuple(pushes_of(scene, world)),
        hands=hands_of(scene, world, registry, make),
        sensors=[
            s for body in world.bodies for s in _sensors(scene, body, robots[body.name], registry)
        ],
        seed=scene.simulation.seed,
    )


def make(choice: Choice, registry: Registry) -> Any:
    """Construct a chosen plugin with its settings, and with its QP solver if it takes one.

    Raises:
        PluginError: if the constructor fails.
    """
    cls: Any = registry.find(choice.role, choice.plugin).load()
    arguments = [choice.config]
    if choice.solver is not None:
        arguments.append(make(choice.solver, registry))
    try:
        plugin: Plugin = cls(*arguments)
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(
            f'{choice.role} "{choice.plugin}" cannot be made: {type(error).__name__}: {error}'
        ) from error
    return plugin


def _made(scene: Scene, choice: Choice, registry: Registry, *path: str) -> Any:
    """Construct a chosen plugin; an error in one of its settings names the key in the scene."""
    try:
        return make(choice, registry)
    except SettingError as error:
        raise scene.error(error.reason, *path, *error.path) from error


def _settings(scene: Scene) -> StepSettings:
    table = scene.simulation
    return StepSettings(
        time_step=table.time_step,
        max_impact_splits=table.max_impact_splits,
        impact_order=table.impact_order,
        restitution_threshold=table.restitution_threshold,
        max_correction_speed=table.max_correction_speed,
        delassus=table.delassus,
    )


def _pose(scene_body: SceneBody, robot: Robot) -> Pose:
    """Return where a body's root starts."""
    given, default = scene_body, robot.spec
    position = given.base_position if given.base_position is not None else default.base_position
    rpy = given.base_orientation
    if rpy is None:
        rpy = default.base_orientation
    return Pose(rotation_from_rpy(rpy), np.array(position, float))


def _body(
    scene: Scene,
    scene_body: SceneBody,
    robot: Robot,
    engine: Engine,
    gravity: Floats,
    registry: Registry,
) -> Body_assemble:
    """Load a robot, put it where the scene says, and set what acts in its joints."""
    name, base = scene_body.name, scene_body.base or robot.base
    pose = _pose(scene_body, robot)
    model = robot.rigid_body(base)
    tree: Tree | None = None
    if model is None:
        placed = None if base == "floating" else pose
        tree = engine.load(robot.source(name, gravity, base, placed))
        model = tree.model
    _check_tree(scene, tree)
    damping, armature, friction = robot.joint_parameters(model)
    features = [
        replace(
            feature,
            friction=_chosen(scene_body.friction, feature.friction),
            restitution=_chosen(scene_body.restitution, feature.restitution),
        )
        for feature in declared_features(scene, scene_body, robot, model)
    ]
    q, v, s = start(scene, scene_body, robot, model, pose)
    root = model.frames.get(robot.urdf.root) if robot.urdf else None
    limits = stops(scene, scene_body, robot, model, s)
    rubbing = friction_of(scene, name, robot, model, friction, registry)
    loops = find_loops(robot, tree, q, v) if tree is not None and robot.has_loops else ()
    return Body_assemble(
        name,
        model,
        tree,
        q,
        v,
        tuple(features),
        armature,
        damping,
        root,
        loops=loops,
        position_limits=limits,
        joint_friction=rubbing,
    )


def _drives(scene: Scene, body: Body_assemble, robot: Robot, registry: Registry) -> list[Drives]:
    """Return a body's groups of joints with actuators."""
    return [
        Drives(
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


def _sensors(scene: Scene, body: Body_assemble, robot: Robot, registry: Registry) -> list[Sensing]:
    """Return a body's sensors."""
    feet = dict.fromkeys(f.foot.name for f in body.features if f.foot is not None)
    what = SensedBody(body.name, body.model, tuple(feet))
    found = []
    for chosen in sensors_of(scene, body.name, robot, registry):
        sensor, time_step = make(chosen.choice, registry), scene.simulation.time_step
        try:
            found.append(sensing(what, sensor, chosen.spec, time_step))
        except PluginError as error:
            raise chosen.where.error(str(error), chosen.path) from error
    return found


def _check_drives(scene: Scene, physics: Physics, drives: list[Drives]) -> None:
    """Refuse actuators that are stated for one time step where there is none."""
    for group in drives:
        if group.actuator.held_step and isinstance(physics.integrator, Continuous):
            raise scene.error(
                f'actuator "{group.actuator.name}" of {group.body} is stated for time steps: '
                "choose a one-step integrator",
                *("integrator", "plugin"),
            )


def _check_tree(scene: Scene, tree: Tree | None) -> None:
    """Refuse an engine that returns arrays of the wrong shape or layout."""
    if tree is None:
        return
    nv, links = tree.model.nv, tree.model.n_links
    for field, shape in (("M", (nv, nv)), ("h", (nv,)), ("S", (nv, 6)), ("pose", (links, 12))):
        array: object = getattr(tree, field, None)
        got = f"no array but {type(array).__name__}"
        if isinstance(array, np.ndarray):
            got = f"{array.dtype} {array.shape}"
            if array.shape == shape and array.dtype == np.float64 and array.flags.c_contiguous:
                continue
        raise PluginError(
            f'engine "{scene.engine.plugin}": {field} is {got}, expected C-ordered float64 {shape}'
        )


def _chosen(given: float | None, otherwise: float) -> float:
    return otherwise if given is None else given


def _set_pairs(scene: Scene, world: World) -> None:
    friction: dict[str, float] = {}
    restitution: dict[str, float] = {}
    for name in scene.bodies:
        pair = scene.pair(name, TERRAIN)
        if pair is not None and pair.friction is not None:
            friction[name] = pair.friction
        if pair is not None and pair.restitution is not None:
            restitution[name] = pair.restitution
    world.set_pairs(friction, restitution)


def _needs(
    scene: Scene, registry: Registry, robots: dict[str, Robot], world: World, terrain: Terrain
) -> Iterator[Need]:
    """Yield what robots and ground need beyond what the scene file itself says."""
    yield from joint_needs(world)
    yield from collision_needs(scene, registry, world.collider)
    for name, robot in robots.items():
        if scene.bodies[name].fixed:
            continue
        base = scene.bodies[name].base or robot.base
        if world.bodies[world.index(name)].tree is not None:
            yield base_need(name, base)
            kind = Capability.URDF if robot.urdf else Capability.MJCF
            yield Need(kind, "engine", f"the model of {name} is {kind.value}")
    yield from ground_needs(scene, registry, terrain, world)


def _check_friction(scene: Scene, world: World) -> None:
    """Refuse contacts for which no side gives a coefficient of friction."""
    c = world.candidates
    missing = np.isnan(c.friction) & np.isnan(world.sample.friction) & np.isnan(c.pair_friction)
    if missing.any():
        name = world.contact_names[int(np.argmax(missing))].split("/")[0]
        raise scene.error(
            f"no coefficient of friction of {name} with the ground: give world.terrain.friction, "
            f"bodies.{name}.friction or pairs",
            *("world", "terrain"),
        )
