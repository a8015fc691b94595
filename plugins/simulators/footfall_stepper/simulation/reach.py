"""The view of a simulator for the hands that reach into it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import RobotError
from footfall.geometry.shapes import Shape
from footfall.interfaces.interaction import HandsWorld, Interaction
from footfall.model.collision_shapes import geometry_of
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.scene.scene import HAND
from footfall.scene.schema import TERRAIN
from footfall.spatial.pose import Pose
from footfall.typing import Floats
from footfall_stepper.collision.coal_pairs import coal_geometry
from footfall_stepper.collision.shape import CollisionShape
from footfall_stepper.devices.external_forces import find_frame
from footfall_stepper.devices.participants import hand_part
from footfall_stepper.stepping.time_stepping import TimeStepping
from footfall_stepper.world.state import own_parts
from footfall_stepper.world.step_arrays import PRESCRIBED

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator


class SimulatorReach(HandsWorld):
    """The interface of a simulator for an interaction; see ``HandsWorld``."""

    def __init__(self, sim: StepperSimulator, pull: Callable[[float], None]) -> None:
        self._sim, self._pull, self._stepper = sim, pull, sim.stepper
        self.layout, self.links = sim.layout, sim.world.link_names
        self.poses, self.time_step = sim.world.dynamics.pose, sim.time_step
        self.terrain = sim.stepper.terrain
        self.makes_steps = isinstance(sim.stepper, TimeStepping)

    @property
    def time(self) -> float:
        """Simulated time, [s]."""
        return self._sim.time

    def memory(self, hand: str) -> Floats | None:
        """Return a hand's part of the state."""
        part = hand_part(hand)
        return own_parts(self._sim.state)[part] if part in self._sim.state else None

    def shapes(self) -> Iterator[tuple[int, Pose, Any]]:
        """Yield the shapes that can be touched."""
        sim = self._sim
        collider = sim.world.collider
        done: set[int] = set()
        for shape in collider.shapes if collider is not None else ():
            assert isinstance(shape, CollisionShape)
            if shape.body != TERRAIN:
                done.add(shape.link)
                link = shape.link if shape.link >= 0 else self.FIXED
                yield link, shape.pose, coal_geometry(shape.geometry)
        for layer in ("collision", "visual"):
            nodes = [node for node in sim.provenance.nodes if node.layer == layer]
            for node in nodes:
                if node.link not in done and node.link < sim.world.n_links:
                    made = _drawn(node.shape, node.name)
                    if made is not None:
                        yield node.link, Pose(node.rotation, node.translation), made
            done |= {node.link for node in nodes}

    def body_mass(self, link: int) -> float:
        """Return the mass of the whole body of a link."""
        world = self._sim.world
        trees = world.topology.link_tree
        if link < 0 or world.topology.free[trees[link]] == PRESCRIBED:
            return world.mass
        return float(world.topology.mass[trees == trees[link]].sum())

    def find_link(self, path: str) -> tuple[int, Pose]:
        """Return the link that carries a frame, and the frame's pose in it."""
        return find_frame(self._sim.world, path)

    @cached_property
    def point_motion(self) -> Callable[[int, Floats, Floats], None]:
        """Return a function that writes the motion of a point."""
        assert isinstance(self._stepper, TimeStepping)
        mobility, jacobian = self._stepper.point_mobility(), np.zeros((6, self._sim.world.nv))

        def point_motion(link: int, point: Floats, out: Floats) -> None:
            mobility(link, point, jacobian, out)

        return point_motion

    def act(self, link: int, point: Floats, wrench: Floats, dt: float) -> None:
        """Apply a wrench over the step that has begun, and evaluate its effect."""
        assert isinstance(self._stepper, TimeStepping)
        self._sim.pushes.act_now(link, point, wrench)
        self._stepper.settle(dt)

    def carry(self, link: int, twist: Floats) -> bool:
        """Set the velocity of a body that only hands move, before its contacts are found."""
        world = self._sim.world
        index = int(world.topology.link_tree[link])
        name, at, motions = world.bodies[index].name, world.v_slice(index), self._sim.motions
        rests = motions.rests(name)
        if rests:
            speed, turn = np.linalg.norm(twist.reshape(2, 3), axis=1).tolist()
            motions.check(name, self._sim.time, self._sim.time_step, speed, turn)
            turned = twist.reshape(2, 3) @ self.poses[link, :9].reshape(3, 3).T
            self._sim.v[at] = self._stepper.world.dynamics.v_free[at] = turned.ravel()
        return rests

    def hold(self, count: int) -> None:
        """Reserve room for ``count`` wrenches per step."""
        stepper = self._stepper
        if isinstance(stepper, TimeStepping):
            stepper.world.pushes.held[:] = 0
            stepper.pull = self._pull if count else None


def default_interaction(registry: Registry | None) -> Interaction:
    """Return the default interaction of scenes, without hands.

    Raises:
        PluginError: if it is not installed.
    """
    registry = registry if registry is not None else discover()
    cls: Any = registry.find(HAND.role, str(HAND.default)).load()
    interaction: Interaction = cls(())
    return interaction


def connect(sim: StepperSimulator, interaction: Interaction) -> None:
    """Connect an interaction to a simulator.

    Raises:
        SimulationError: if it cannot act in this simulator.
    """
    interaction.connect(SimulatorReach(sim, interaction.pull))


def _drawn(shape: Shape, name: str) -> Any | None:
    """Return Coal's object of a drawn shape; None for a mesh that is flat or cannot be read."""
    solid = replace(shape, kind="mesh") if shape.kind == "hull" else shape
    with warnings.catch_warnings(action="ignore"):  # hulls of meshes are documented elsewhere
        try:
            return coal_geometry(geometry_of(solid, name))
        except RobotError:
            return None
