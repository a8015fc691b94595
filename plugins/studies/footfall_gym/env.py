"""The environment: a scene, stepped by an agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt

from footfall import load
from footfall.api.plugin import SettingError, SimulationError, nearest
from footfall_gym.actions import Given
from footfall_gym.observation import Layout, Observation, Observer
from footfall_gym.start import Randomize
from footfall_gym.steering import Action, Steering
from footfall_stepper.api import State, StepperSimulator, stepped

Reward = Callable[[StepperSimulator, npt.NDArray[Any]], float]
Terminated = Callable[[StepperSimulator], bool]
SEEDS = 2**32
"""Number of different seeds that sensors get at a reset."""


def time_survived(sim: StepperSimulator, action: npt.NDArray[Any]) -> float:
    """Return 1; the sum is the number of steps of the episode."""
    return 1.0


def duration_only(sim: StepperSimulator) -> bool:
    """Return False; an episode ends only after its duration."""
    return False


class SceneEnv(gymnasium.Env[Observation, npt.NDArray[Any]]):
    """A scene as a Gymnasium environment.

    Actions are numbers in [-1, 1], one per joint (``action_names``). They are shares of the joint's
    greatest torque, or of the range of its posture target. Observations are positions and
    velocities of all bodies and the readings of all sensors (``observation_names``), in SI units,
    quaternions x y z w. An episode is truncated after its duration. The same seed and actions give
    the same episode bit for bit, in any process.

    Attributes:
        sim: the simulator, with all its data.
        action_names: joints, in the order of the action.
        steering: conversion of actions, see ``Steering``.
        observation_names: one name per entry of the flat observation.
        dt: length of a step of the environment, [s].
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}  # type: ignore[misc]

    def __init__(
        self,
        scene: str | Path,
        *,
        overrides: Mapping[str, Any] | None = None,
        action: Action = "torque",
        bound: Given = None,
        joints: Sequence[str] | None = None,
        observe: Sequence[str] = ("*",),
        layout: Layout = "flat",
        frame_skip: int = 10,
        duration: float | None = None,
        start: str | Path | State | None = None,
        randomize: Randomize | None = None,
        reward: Reward = time_survived,
        terminated: Terminated = duration_only,
        render_mode: str | None = None,
    ) -> None:
        """Make an environment of a scene.

        Args:
            scene: ``robot/scene`` of a bundled scene, or path of a scene file.
            overrides: values that replace the scene's, as in ``footfall.load``.
            action: ``torque``, or ``posture``: offsets of the targets of the scene's controller.
            bound: value of the action 1, one number or by joint or pattern, [N m or N] or
                [rad or m]; by default the robot's limits.
            joints: names or patterns of the joints that actions move, by default all. The scene's
                controller keeps the others.
            observe: names or patterns of the observed groups, e.g. ``"*/imu/*"``; also contact
                forces, e.g. ``"contact_force(l_foot, terrain)"``, see ``Simulator.contact_force``.
            layout: one ``flat`` array, or a ``dict`` of the groups.
            frame_skip: simulation steps per step of the environment.
            duration: length of an episode, [s]; by default the scene's duration.
            start: saved state that episodes start from; by default the scene's start.
            randomize: function that changes the start of each episode, e.g. ``PostureNoise``.
            reward: function of simulator and action, called after the step.
            terminated: function of the simulator; True ends the episode.
            render_mode: must be None; an environment draws no pictures.

        Raises:
            FootfallError: if an argument, the scene or the saved state is not valid.
        """
        no_pictures(render_mode)
        self.render_mode, self.frame_skip = None, whole_skip(frame_skip)
        self.sim = sim = stepped(load(scene, overrides))
        self._observer = Observer(sim, observe, layout)
        self.steering = Steering(sim, action, bound, joints)
        self.action_space = self.steering.space
        self.observation_space = self._observer.space
        self.action_names, self.observation_names = self.steering.names, self._observer.names
        self.dt = frame_skip * sim.time_step
        self._length = episode_steps(sim, duration, self.dt)
        self._reward, self._terminated, self._randomize = reward, terminated, randomize
        self._try_a_step()
        self._start = sim.state.copy() if start is None else self._saved(start)
        self._left = self._length

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        The generator of random numbers seeds the sensors and serves ``randomize``.

        Args:
            seed: seed of the generator; None: the generator continues.
            options: ``{"state": ...}``, a saved state or its file, for this episode.

        Raises:
            FootfallError: if an option is unknown, or the state belongs to another scene.
        """
        super().reset(seed=seed)
        sim, state = self.sim, self._start
        for key, value in (options or {}).items():
            if key != "state":
                raise SettingError(f"no option {key!r}{nearest(key, ['state'])}", "options")
            state = self._saved(value)
        sim.state.restore(state)
        if sim.participants.sensors:
            sim.seed_sensors(int(self.np_random.integers(SEEDS)))
        if self._randomize is None:
            sim.stepper.observe(sim.time)
        else:
            self._randomize(sim, self.np_random)
            sim.observe_start()
        self._left = self._length
        return self._observer.read(self.sim), {"time": sim.time, "alarms": 0}

    def step(
        self, action: npt.NDArray[Any]
    ) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply an action for ``frame_skip`` steps of the simulation.

        Raises:
            SimulationError: if the action has the wrong shape, the action or the reward is not
                finite, or the simulation fails.
        """
        sim = self.sim
        self.steering.take(action)
        for _ in range(self.frame_skip):
            sim.step()
        self._left -= 1
        return (
            self._observer.read(self.sim),
            self._rewarded(action),
            bool(self._terminated(sim)),
            self._left <= 0,
            {"time": sim.time, "alarms": len(sim.listener.alarms)},
        )

    def _rewarded(self, action: npt.NDArray[Any]) -> float:
        value = self._reward(self.sim, action)
        if not (np.ndim(value) == 0 and np.isreal(value) and np.isfinite(np.float64(value))):
            raise SimulationError(f"reward returned {value!r}, not a finite number")
        return float(value)

    def _try_a_step(self) -> None:
        """Make a step without action and undo it, so that errors show at once."""
        start = self.sim.state.copy()
        self.steering.take(np.zeros(len(self.action_names)))
        self.sim.step()
        self.sim.state.restore(start)

    def _saved(self, given: str | Path | State) -> State:
        """Return a saved state, read from its file if a path is given; changes the simulator."""
        if isinstance(given, State):
            self.sim.state.restore(given)
        else:
            self.sim.resume(given)
        return self.sim.state.copy()


def no_pictures(render_mode: str | None) -> None:
    """Reject every render mode.

    Raises:
        SettingError: if a render mode is given.
    """
    if render_mode is not None:
        raise SettingError(
            f"got {render_mode!r}, allowed is None: there are no pictures", "render_mode"
        )


def whole_skip(frame_skip: int) -> int:
    """Return the number of simulation steps, checked.

    Raises:
        SettingError: if it is not a whole number of 1 or more.
    """
    if isinstance(frame_skip, bool) or not isinstance(frame_skip, int) or frame_skip < 1:
        raise SettingError(f"got {frame_skip!r}, allowed is 1 or more", "frame_skip")
    return frame_skip


def episode_steps(sim: StepperSimulator, duration: float | None, dt: float) -> int:
    """Return the number of steps of length dt in an episode; default: the scene's duration.

    Raises:
        SettingError: if there are fewer than two.
    """
    duration = sim.provenance.duration if duration is None else duration
    steps = round(duration / dt) if np.isfinite(duration) else 0
    if steps < 2:
        raise SettingError(
            f"got {duration:g} s, allowed is two steps of {dt:g} s or more", "duration"
        )
    return steps
