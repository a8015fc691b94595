"""The test bodies of controllers, and the test joints of drives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from footfall.api.advanced import DriveArrays, allocated
from footfall.api.device import Actuator, BodySignals, Command, Controller, Drive, Observation
from footfall.api.engine import Pose, Tree, TreeModel
from footfall.api.plugin import Floats
from footfall.testing.check import Subject
from footfall.testing.linkage import GRAVITY, Linkage, Member
from footfall.testing.reference import reference
from footfall_stepper.api import (
    Body,
    ContactFeature,
    Foot,
    Part,
    Signals,
    State,
    StepperSimulator,
    World,
    own_parts,
    stepped,
)

JOINTS = 3
LENGTH = 0.3
"""Distance from joint to joint, [m]."""
MASS, INERTIA = 1.0, 0.01
"""Mass and inertia of every link, [kg], [kg m^2]."""
CORNERS = np.array(
    [[0.1, 0.05, -0.05], [0.1, -0.05, -0.05], [-0.1, 0.05, -0.05], [-0.1, -0.05, -0.05]]
)


def chain_model(base: Literal["floating", "fixed"]) -> TreeModel:
    """Return the constants of the chain."""
    first = 6 if base == "floating" else 0
    nv, n = first + JOINTS, JOINTS
    names = tuple(f"joint{i}" for i in range(n))
    wide = np.full(n, 3.0)
    return TreeModel(
        base=base,
        joint_names=names,
        dof_parent=np.arange(-1, nv - 1, dtype=np.int64),
        link_dof=np.arange(first - 1, nv, dtype=np.int64),
        link_names=("trunk", *names),
        link_mass=np.full(n + 1, MASS),
        link_com=np.zeros((n + 1, 3)),
        link_inertia=np.tile(INERTIA * np.eye(3), (n + 1, 1, 1)),
        position_lower=-wide,
        position_upper=wide,
        velocity_limit=wide,
        effort_limit=10.0 * wide,
        damping=np.zeros(n),
        friction=np.zeros(n),
        armature=np.zeros(n),
        frames={},
    )


def _linkage() -> Linkage:
    still, down = np.zeros(3), np.array([0.0, 0.0, -LENGTH])
    inertial = (MASS, still, INERTIA * np.eye(3))
    axes = (np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]))
    joints = (
        Member(f"joint{i}", "revolute", i, down, still, axis, *inertial)
        for i, axis in enumerate(axes)
    )
    return (Member("", "root", -1, still, still, still, *inertial), *joints)


class ChainTree(Tree):
    """The chain, evaluated in plain numpy."""

    name = "chain"

    def __init__(self, model: TreeModel) -> None:
        self.model, nv = model, model.nv
        self.M, self.h, self.S = np.zeros((nv, nv)), np.zeros(nv), np.zeros((nv, 6))
        self.pose = np.zeros((model.n_links, 12))

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose."""
        found = reference(_linkage(), self.model.base, np.array(q), np.array(v), GRAVITY)
        self.M[:], self.h[:], self.S[:], self.pose[:] = found.M, found.h, found.S, found.pose

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h."""
        self.h[:] = reference(_linkage(), self.model.base, np.array(q), np.array(v), GRAVITY).h


def chain_signals(model: TreeModel, q: Floats, v: Floats) -> BodySignals:
    """Return the signals of a chain that stands on its foot at a state."""
    foot = Foot("foot", JOINTS, Pose.identity())
    features = [
        ContactFeature(f"foot/{i}", JOINTS, "point", at, np.zeros(3), 0.0, 0.5, np.nan, foot)
        for i, at in enumerate(CORNERS)
    ]
    none = np.zeros(JOINTS)
    body = Body("chain", model, ChainTree(model), q, v, features, none, none)
    world = World([body], GRAVITY)
    state = State(
        (
            *(Part("q", (model.nq,)), Part("v", (model.nv,)), Part("nudot", (model.nv,))),
            *(Part("touching", (len(CORNERS),)), Part("foot_wrench", (1, 6))),
        )
    )
    state["q"][:], state["v"][:], own_parts(state)["touching"][:] = q, v, 1.0
    own_parts(state)["foot_wrench"][:, :3] = -model.mass * GRAVITY
    return Signals(world, state, (), {}).of("chain")


POSTURE = np.array([0.3, -0.2, 0.5])
LOOKS = 8
"""Instants of a scene at which a controller is called."""
APART = 0.09
"""Time between them, [s]."""


class Stage(ABC):
    """A body, and its observations for controllers.

    Attributes:
        title: description of the body.
        joints: number of its joints.
    """

    title: str
    joints: int

    @abstractmethod
    def set_up(self, controller: Controller) -> None:
        """Set up a controller for the body."""

    @abstractmethod
    def observe(self, controller: Controller, seed: int) -> Observation:
        """Return a controller's observation, a different one for each seed from 0 to 7.

        It invalidates the one before. A controller's own state is the same for the same seed.
        """

    def spoil(self) -> bool:
        """Overwrite the arrays of the set-up; return whether no controller had changed them."""
        return True

    def ready(self, subject: Subject) -> Controller:
        """Return a fresh controller, set up for the body."""
        controller: Controller = subject.make()
        self.set_up(controller)
        return controller

    def command(self, controller: Controller, seed: int, into: Command | None = None) -> Command:
        """Return a controller's command; by default written into an empty command."""
        command = Command.allocate(self.joints) if into is None else into
        controller.command(self.observe(controller, seed), command)
        return command


class Chain(Stage):
    """Three links in a row, at states of order one."""

    def __init__(self, base: Literal["floating", "fixed"], posture: Floats = POSTURE) -> None:
        self.title, self.joints = f"{base} base", JOINTS
        self._model = chain_model(base)
        self._given, self._posture = posture.copy(), posture.copy()

    def set_up(self, controller: Controller) -> None:
        """Set up a controller; the chain stands still, its trunk upright."""
        model = self._model
        controller.setup(model, self._posture)
        root = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] if model.base == "floating" else []
        q = np.concatenate([root, self._given])
        controller.start(chain_signals(model, q, np.zeros(model.nv)))

    def observe(self, controller: Controller, seed: int) -> Observation:
        """Return a random state; the controller's own state is that of the start."""
        rng, model = np.random.default_rng(seed), self._model
        q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
        if model.base == "floating":
            q[3:7] /= np.linalg.norm(q[3:7])
        rows = {"global": 1, "dof": model.nv, "joint": JOINTS}
        parts = controller.state_parts
        kept = {part.name: np.zeros((rows[part.per], part.width)) for part in parts}
        return Observation(0.01 * seed, q, v, signals=chain_signals(model, q, v), state=kept)

    def spoil(self) -> bool:
        """Overwrite the posture; return whether it was unchanged."""
        same = bool((self._posture == self._given).all())
        self._posture[:] = 7.0
        return same


class OnScene(Stage):
    """A body of a scene, at instants of the scene's own run."""

    def __init__(self, scene: str, controller: str) -> None:
        from footfall import load, load_scene

        bodies = load_scene(scene).bodies
        self._body = next(name for name in bodies if bodies[name].controller.plugin == controller)
        self._sim: StepperSimulator = stepped(load(scene, {"visualizer.plugin": "none"}))
        model = self._sim.world.bodies[self._sim.world.index(self._body)].model
        self.title, self.joints = scene, len(model.joint_names)
        self._states = [self._sim.state.copy()]
        for _ in range(LOOKS - 1):
            for _ in range(round(APART / self._sim.time_step)):
                self._sim.step()
            self._states.append(self._sim.state.copy())

    def set_up(self, controller: Controller) -> None:
        """Set up a controller as a simulator does, at the start of the scene."""
        sim = self._sim
        sim.state.restore(self._states[0])
        controllers = {**sim.participants.controllers, self._body: controller}
        sim.participants = replace(sim.participants, controllers=controllers, rates={})
        sim.connect_controllers()

    def observe(self, controller: Controller, seed: int) -> Observation:
        """Return one of the instants, with the scene's controller state at that time."""
        sim = self._sim
        sim.state.restore(self._states[seed])
        observation = sim.driving.observation(self._body)
        observation.time = sim.time
        return observation


def stages(subject: Subject) -> Sequence[Stage]:
    """Return the test bodies of a controller: its scene, if it has one."""
    if subject.scene is not None:
        return (OnScene(subject.scene, subject.cls.name),)
    return (Chain("floating"), Chain("fixed"))


def drive_at_rest(actuator: Actuator, inertia: float, dt: float) -> Drive:
    """Return the started drive of three joints of a floating body at rest, without commands.

    ``inertia``: of each rotor behind its gear, [kg m^2]; ``dt``: of a step, [s].
    """
    n, nv = 3, 9
    drive = Drive(
        tuple(f"joint{i}" for i in range(n)),
        False,
        allocated(
            DriveArrays,
            nv,
            dof=np.arange(6, nv),
            coordinate=np.arange(7, nv + 1),
            q=np.concatenate([np.zeros(6), [1.0], [0.3, -0.2, 0.5]]),
            dt=np.array([dt]),
            inertia=np.full(n, inertia),
            damping=n,
            limit=np.full(n, np.inf),
            speed=np.full(n, np.inf),
            to_motor=(0, 0),
            to_joint=(0, 0),
            torque=n,
            motor_torque=n,
        ),
        {part.name: np.zeros((n, part.width)) for part in actuator.state_parts},
    )
    actuator.start(drive)
    return drive
