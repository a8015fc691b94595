"""What controllers are checked on: a body of three links, or one of a scene."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.interfaces.controller import Command, Observation
from footfall.interfaces.engine import BaseKind
from footfall.simulation.simulator import Simulator
from footfall.testing.chain import JOINTS, chain_model, chain_signals
from footfall.testing.subject import Subject
from footfall.typing import Floats

POSTURE = np.array([0.3, -0.2, 0.5])
LOOKS = 8
"""Instants of a scene at which a controller is asked."""
APART = 0.09
"""Time between them, [s]."""


class Stage(ABC):
    """A body, and what controllers see of it.

    Attributes:
        title: which body it is.
        joints: how many it has.
    """

    title: str
    joints: int

    @abstractmethod
    def set_up(self, controller: Any) -> None:
        """Set a controller up for the body."""

    @abstractmethod
    def observe(self, controller: Any, seed: int) -> Observation:
        """Return what a controller sees, something else for each seed from 0 to 7.

        What it saw before is void then. What it keeps is the same for the same seed.
        """

    def spoil(self) -> bool:
        """Overwrite what controllers were set up with; return whether none had changed it."""
        return True

    def ready(self, subject: Subject) -> Any:
        """Return a fresh controller, set up for the body."""
        controller = subject.make()
        self.set_up(controller)
        return controller

    def command(self, controller: Any, seed: int, into: Command | None = None) -> Command:
        """Return what a controller commands; by default into a command that asks nothing."""
        command = Command.allocate(self.joints) if into is None else into
        controller.command(self.observe(controller, seed), command)
        return command


class Chain(Stage):
    """Three links in a row, at states of order one."""

    def __init__(self, base: BaseKind, posture: Floats = POSTURE) -> None:
        self.title, self.joints = f"{base} base", JOINTS
        self._model = chain_model(base)
        self._given, self._posture = posture.copy(), posture.copy()

    def set_up(self, controller: Any) -> None:
        """Set a controller up; the chain stands still, its trunk upright."""
        model = self._model
        controller.setup(model, self._posture)
        root = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0] if model.base == "floating" else []
        q = np.concatenate([root, self._given])
        controller.start(chain_signals(model, q, np.zeros(model.nv)))

    def observe(self, controller: Any, seed: int) -> Observation:
        """Return a random state; what the controller keeps is as at the start."""
        rng, model = np.random.default_rng(seed), self._model
        q, v = rng.normal(size=model.nq), rng.normal(size=model.nv)
        if model.base == "floating":
            q[3:7] /= np.linalg.norm(q[3:7])
        rows = {"global": 1, "dof": model.nv, "joint": JOINTS}
        parts = controller.state_parts
        kept = {part.name: np.zeros((rows[part.per], part.width)) for part in parts}
        return Observation(0.01 * seed, q, v, signals=chain_signals(model, q, v), state=kept)

    def spoil(self) -> bool:
        """Overwrite the posture; return whether it still was as given."""
        same = bool((self._posture == self._given).all())
        self._posture[:] = 7.0
        return same


class OnScene(Stage):
    """A body of a scene, at instants of the scene's own run."""

    def __init__(self, scene: str, controller: str) -> None:
        from footfall.assembly.loading import load
        from footfall.scene.load import load_scene

        bodies = load_scene(scene).bodies
        self._body = next(name for name in bodies if bodies[name].controller.plugin == controller)
        self._sim: Simulator = load(scene, {"visualizer.plugin": "none"})
        model = self._sim.world.bodies[self._sim.world.index(self._body)].model
        self.title, self.joints = scene, len(model.joint_names)
        self._states = [self._sim.state.copy()]
        for _ in range(LOOKS - 1):
            for _ in range(round(APART / self._sim.time_step)):
                self._sim.step()
            self._states.append(self._sim.state.copy())

    def set_up(self, controller: Any) -> None:
        """Set a controller up as a simulator does, at the start of the scene."""
        sim = self._sim
        sim.state.restore(self._states[0])
        company = {**sim.company.controllers, self._body: controller}
        sim.company = replace(sim.company, controllers=company, paces={})
        sim.connect_controllers()

    def observe(self, controller: Any, seed: int) -> Observation:
        """Return one of the instants, with what the scene's own controller had kept by then."""
        sim = self._sim
        sim.state.restore(self._states[seed])
        own = sim.company.controllers[self._body]
        for command, observation, _ in sim.driving.drivers:
            if getattr(command, "__self__", None) is own:
                observation.time = sim.time
                return observation
        raise AssertionError(f"nothing drives {self._body}")


def stages(subject: Subject) -> Sequence[Stage]:
    """Return what a controller is checked on: its scene, if it has one."""
    if subject.scene is not None:
        return (OnScene(subject.scene, subject.cls.name),)
    return (Chain("floating"), Chain("fixed"))
