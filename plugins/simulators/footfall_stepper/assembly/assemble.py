"""The composition root: from a validated scene to a simulator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall.config.friction import largest
from footfall.errors import SettingError
from footfall.interfaces.contact import SPARSE
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.plugin import Capability
from footfall.interfaces.terrain import Terrain
from footfall.model.robot import Robot
from footfall.registry.registry import Registry
from footfall.scene.choose import make, make_at
from footfall.scene.needs import Need, base_need, check_needs, contact_needs
from footfall.scene.scene import Scene
from footfall.scene.schema import TERRAIN
from footfall_stepper.assembly.bodies import (
    base_pose,
    check_drives,
    drives_of,
    load_body,
    robots_of,
    sensors_of_body,
)
from footfall_stepper.assembly.collision import collider_of, collision_needs
from footfall_stepper.assembly.ground import ground_needs, touching_by_shapes
from footfall_stepper.assembly.interaction import interaction_of
from footfall_stepper.assembly.joint_stops import joint_needs
from footfall_stepper.assembly.loops import close_at_start
from footfall_stepper.assembly.motions import (
    motion_needs,
    moved_by_others,
    scene_motions,
    surface_arrays,
)
from footfall_stepper.assembly.provenance import provenance_of
from footfall_stepper.assembly.shapes import body_shapes, split
from footfall_stepper.assembly.surfaces import check_friction, given_by, ground_lengths
from footfall_stepper.devices.controllers import controller_rates
from footfall_stepper.devices.external_forces import pushes_of
from footfall_stepper.devices.joint_torques import DriveGroup
from footfall_stepper.devices.motions import Motion
from footfall_stepper.devices.participants import Participants
from footfall_stepper.devices.recorded_signals import recorded_signals
from footfall_stepper.devices.reflected_inertia import add_reflected_inertia
from footfall_stepper.guest import Guest, GuestImpulses
from footfall_stepper.simulation.simulator import StepperSimulator
from footfall_stepper.stepping.settings import Physics, StepSettings
from footfall_stepper.world.body import body_name
from footfall_stepper.world.world import World, in_order


@dataclass(frozen=True, slots=True)
class Assembly:
    """The parts of a simulator, for checks before anything is compiled.

    Attributes:
        scene: the scene.
        world: its bodies, ground and shapes at the start.
        physics: the chosen laws, integrator and terrain.
        registry: the plugins that it was validated with.
    """

    scene: Scene
    world: World
    physics: Physics
    registry: Registry


def assemble(
    scene: Scene,
    registry: Registry,
    *,
    tell_deep: bool = True,
    guest: Callable[[Assembly], Guest] | None = None,
) -> StepperSimulator:
    """Make the stepper's simulator of a scene.

    The checks of the catalog ``scene_check`` get its parts, an ``Assembly``, and reject settings
    that are invalid or have no effect. Then each check of the catalog ``start_check`` is called
    with the scene, its simulator at the start, and ``tell_deep``. It warns, raises an error, or
    returns the number of parts per step (None: one). The largest number is used if ``substeps``
    is ``auto``.

    Args:
        scene: validated, from ``load_scene``.
        registry: the plugins that the scene was validated with.
        tell_deep: whether to warn of bodies that start inside each other; False if another state
            replaces the start.
        guest: translates the scene for another simulator, which makes the steps; None: the scene's
            laws make them.

    Raises:
        SceneError: if it is not a Scene, the chosen plugins do not meet its needs, or names of
            robots, joints or pairs in it do not exist.
        RobotError: if a robot cannot be loaded.
        PluginError: if a plugin cannot be loaded or constructed.
    """
    sim = _simulator(_in_parts(scene, scene.simulation.parts), registry, guest)
    checks = [check for _, check in registry.start_check.loadable()]
    parts = max((check(scene, sim, tell_deep) or 1 for check in checks), default=1)
    if scene.simulation.substeps == "auto" and parts > 1:
        return _simulator(_in_parts(scene, parts), registry, guest)
    return sim


def _in_parts(scene: Scene, parts: int) -> Scene:
    """Return a scene whose steps are made in ``parts`` parts."""
    table = scene.simulation
    if table.substeps == parts:
        return scene
    return replace(scene, simulation=table.model_copy(update={"substeps": parts}))


def _simulator(
    scene: Scene, registry: Registry, guest: Callable[[Assembly], Guest] | None
) -> StepperSimulator:
    """Build the simulator of a scene."""
    gravity = np.array(scene.world.gravity)
    robots = robots_of(scene, registry)
    moving, fixed = split(scene, robots, base_pose)
    physics = _physics(scene, registry)
    engine = make(scene.engine, registry)
    shaped = touching_by_shapes(scene, physics.terrain)
    bodies = [
        load_body(scene, scene.bodies[name], robots[name], engine, gravity, registry, shaped)
        for name in moving
    ]
    drives = [d for body in bodies for d in drives_of(scene, body, robots[body.name], registry)]
    check_drives(scene, physics, drives)
    part = scene.simulation.part
    bodies = [add_reflected_inertia(body, drives, part) for body in bodies]
    shapes = tuple(body_shapes(scene, in_order(bodies), robots, fixed))
    solids = physics.terrain.solids() if shaped else ()
    collider = collider_of(scene, bodies, robots, shapes, solids, shaped)
    surfaces = surface_arrays(scene, bodies, collider, physics.terrain)
    motions = scene_motions(scene, bodies, robots, collider)
    metre = scene.units.of(1.0, "m")
    world = World(bodies, gravity, collider, ground_lengths(scene), surfaces, metre)
    _set_pairs(scene, world)
    physics.terrain.prepare(world.sample)
    check_needs(scene, _needs(scene, registry, robots, world, physics.terrain), registry)
    check_friction(scene, world)
    if guest is not None:
        for name, key in moved_by_others(scene):
            told = f'simulator "{scene.simulator.plugin}" does not support it ("footfall" does)'
            raise scene.error(told, "bodies", name, key)
        physics = hosted(Assembly(scene, world, physics, registry), guest)
    for _, check in registry.scene_check.loadable():
        check(Assembly(scene, world, physics, registry))
    participants = _participants(scene, registry, world, moving, robots, drives, motions)
    continuous = isinstance(physics.integrator, Continuous)
    without = scene.simulation.OF_TIME_STEPPING if continuous else ()
    provenance = provenance_of(scene, world, robots, fixed, shapes, without)
    provenance = replace(provenance, registry=registry)
    try:
        sim = StepperSimulator(world, physics, _settings(scene, registry), participants, provenance)
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
        terrain=make_at(scene, scene.world.terrain, registry, "world", "terrain"),
    )


def hosted(made: Assembly, translate: Callable[[Assembly], Guest]) -> Physics:
    """Return the physics of a simulation whose steps a guest makes; its own laws are set aside.

    The world gets the guest's collision detector, if it has one.
    """
    guest, registry, world = translate(made), made.registry, made.world
    if world.collider is not None and guest.detector is not None:
        world.collider = replace(world.collider, detector=guest.detector)
    impact: Any = registry.impact["none"].load()
    scheme: Any = registry.integrator[registry.default("integrator")].load()
    return replace(
        made.physics,
        contact=GuestImpulses(guest),
        impact=impact(impact.Config()),
        integrator=scheme(scheme.Config()),
        guest=guest,
    )


def _participants(
    scene: Scene,
    registry: Registry,
    world: World,
    moving: list[str],
    robots: dict[str, Robot],
    drives: list[DriveGroup],
    motions: tuple[Motion, ...],
) -> Participants:
    """Construct the participants, which observe the world and act on it."""
    controllers = {
        name: make_at(scene, scene.bodies[name].controller, registry, "bodies", name, "controller")
        for name in moving
    }
    certificates = registry.certificate.loadable() if scene.recorder.certificates else ()
    return Participants(
        controllers,
        motions=motions,
        certificates=[make(scene, world) for _, make in certificates],
        visualizer=make(scene.visualizer, registry),
        rates=controller_rates(scene, world, controllers),
        signals=recorded_signals(scene, world),
        drives=drives,
        pushes=tuple(pushes_of(scene, world)),
        interaction=interaction_of(scene, world, registry),
        sensors=[
            s
            for body in world.bodies
            for s in sensors_of_body(scene, body, robots[body.name], registry)
        ],
        seed=scene.simulation.seed,
    )


def _settings(scene: Scene, registry: Registry) -> StepSettings:
    table = scene.simulation
    method = table.delassus
    return StepSettings(
        time_step=table.part,
        max_impact_splits=table.max_impact_splits,
        impact_order=table.impact_order,
        restitution_threshold=table.restitution_threshold,
        max_correction_speed=table.max_correction_speed,
        metre=scene.units.of(1.0, "m"),
        delassus="sparse" if method == SPARSE else registry.find("delassus", method).load(),
    )


def _set_pairs(scene: Scene, world: World) -> None:
    """Set coefficients of whole pairs of a body with the terrain; they replace the sides'."""
    for c, name in enumerate(world.contact_names):
        given = given_by(scene.pair(body_name(name), TERRAIN))
        world.candidates.pair_friction[c] = largest(given.get("friction", np.nan))
        world.candidates.pair_restitution[c] = given.get("restitution", np.nan)


def _needs(
    scene: Scene, registry: Registry, robots: dict[str, Robot], world: World, terrain: Terrain
) -> Iterator[Need]:
    """Yield the needs of robots and ground beyond those of the scene file."""
    yield from joint_needs(scene, registry, world)
    if world.directed:
        because = "friction of a contact depends on the direction"
        yield from contact_needs(scene, registry, Capability.DIRECTIONAL_FRICTION, because)
    yield from collision_needs(scene, registry, world.collider)
    yield from motion_needs(scene, registry)
    for name, robot in robots.items():
        if scene.bodies[name].fixed:
            continue
        base = scene.bodies[name].base or robot.base
        if world.bodies[world.index(name)].tree is not None:
            yield base_need(name, base)
            kind = Capability.URDF if robot.urdf else Capability.MJCF
            yield Need(kind, "engine", f"the model of {name} is {kind.value}")
    yield from ground_needs(scene, registry, terrain, world)
