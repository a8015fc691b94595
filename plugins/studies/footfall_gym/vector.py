"""Many environments of one scene at once, on ``footfall.Batch``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

import footfall
from footfall import load
from footfall.api.plugin import Floats, SettingError, SimulationError, nearest
from footfall_gym.actions import Given, meaning
from footfall_gym.curriculum import NO_CURRICULUM, Curriculum
from footfall_gym.env import episode_steps, no_pictures, whole_skip
from footfall_gym.observation import BOUND, Layout, Observation, Observer
from footfall_gym.start import Randomize
from footfall_gym.steering import Action, Reach
from footfall_stepper.api import StepperSimulator, stepped

Bools = npt.NDArray[np.bool_]
VectorReward = Callable[["SceneVectorEnv", Floats], Floats]
VectorTerminated = Callable[["SceneVectorEnv"], Bools]
Autoreset = Literal["next_step", "same_step", "disabled"]


class SceneVectorEnv(VectorEnv[Observation, Floats, Floats]):
    """n runs of a scene as one Gymnasium environment, stepped in threads without Python.

    Each run equals, bit for bit, the ``SceneEnv`` of its seed. A run whose state is no longer
    finite is terminated, with the reason in ``info["failure"]``; the others continue.
    ``info["alarms"]`` is the number of alarms of each run in its episode, 0 or 1, see ``Batch``.

    Attributes:
        batch: the runs: ``q`` (n, nq), ``v`` (n, nv), ``signal(name)`` (n, ...).
        sim: a simulator of the scene, in which episodes are started.
        action: kind of the actions; steering: their joints and ranges, see ``Reach``.
        action_names: joints, in the order of an action.
        observation_names: one name per entry of a flat observation.
        dt: length of a step of the environment, [s].
        varied: values of ``vary`` and ``curriculum`` by key, shape (n,) or (n, length).
        level: shape (n,), level of ``curriculum``; an assigned one acts from the next start on.
    """

    def __init__(
        self,
        scene: str | Path,
        num_envs: int = 1,
        *,
        overrides: Mapping[str, Any] | None = None,
        action: Action = "torque",
        bound: Given = None,
        joints: Sequence[str] | None = None,
        observe: Sequence[str] = ("*",),
        layout: Layout = "flat",
        frame_skip: int = 10,
        duration: float | None = None,
        randomize: Randomize | None = None,
        vary: Mapping[str, tuple[Any, Any]] | None = None,
        curriculum: Curriculum | None = None,
        reward: VectorReward | None = None,
        terminated: VectorTerminated | None = None,
        autoreset: Autoreset = "next_step",
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Make n environments of a scene; every part of its step must be compiled.

        Args:
            scene: as in ``SceneEnv``.
            num_envs: number of runs n.
            overrides: as in ``SceneEnv``.
            action: ``torque``, or ``posture``: offsets of the targets of the
                controller ``posture``.
            bound: as in ``SceneEnv``.
            joints: as in ``SceneEnv``.
            observe: as in ``SceneEnv``.
            layout: as in ``SceneEnv``, with n first.
            frame_skip: as in ``SceneEnv``.
            duration: as in ``SceneEnv``.
            randomize: as in ``SceneEnv``; called for one run after the other.
            vary: least and greatest value by key of the scene; each episode draws one, uniformly:
                ``{"world.terrain.friction": (0.4, 1.0)}``. Any key of ``Batch.set`` is allowed.
            curriculum: levels of keys that runs rise to and fall from, see ``Curriculum``.
            reward: function of this environment and the actions (n, joints), called after the
                step, shape (n,); by default 1 each. A run that fails in the step gets 0.
            terminated: function of this environment, shape (n,), True for episodes that end; by
                default none.
            autoreset: time at which an ended episode restarts: ``next_step``, ``same_step``
                (``info["final_obs"]`` and ``info["final_info"]`` are those of the end), or
                ``disabled`` (restart by ``reset`` with the option ``reset_mask``).
            threads: as in ``Batch``.
            render_mode: must be None; an environment draws no pictures.

        Raises:
            FootfallError: if an argument or the scene is not valid, or a part of it is Python.
        """
        no_pictures(render_mode)
        modes = {mode.name.lower(): mode for mode in AutoresetMode}
        if autoreset not in modes:
            raise SettingError(f"got {autoreset!r}{nearest(str(autoreset), modes)}", "autoreset")
        self.metadata = {"render_modes": [], "autoreset_mode": modes[autoreset]}
        self.render_mode, self._mode = None, modes[autoreset]
        self.frame_skip = whole_skip(frame_skip)
        self.action: Action = action
        self.sim = sim = stepped(load(scene, overrides))
        self._start = sim.state.copy()
        self._observer = Observer(sim, observe, layout)
        self.steering = Reach(sim, action, bound, joints)
        self.action_names, self.observation_names = self.steering.names, self._observer.names
        self.dt = self.frame_skip * sim.time_step
        self._length = episode_steps(sim, duration, self.dt)
        self.batch = footfall.Batch(scene, num_envs, threads=threads, overrides=overrides)
        self.num_envs = self.batch.n
        self.single_action_space = self.steering.space
        self.single_observation_space = self._observer.space
        self.action_space = batch_space(self.steering.space, num_envs)
        self.observation_space = batch_space(self._observer.space, num_envs)
        self._aims = _Aims(sim, self.steering) if action == "posture" else None
        self._randomize, self._vary = randomize, dict(vary or {})
        self._reward, self._terminated = reward, terminated
        self._course, self.level = curriculum or NO_CURRICULUM, np.zeros(num_envs, np.int64)
        self.varied: dict[str, Floats] = {}
        for pair in self._observer.pairs:
            self.batch.contact_force(*pair)
        self._prepare()
        self._random = [seeding.np_random()[0] for _ in range(num_envs)]
        self._left = np.full(num_envs, self._length)
        self._ended = np.zeros(num_envs, bool)

    def _prepare(self) -> None:
        """Find the numbers that differ between runs, so that nothing is loaded later."""
        for key, ends in self._vary.items():
            self._check_ends(key, ends)
            self.batch.prepare(key, ends)
            self.varied[key] = np.array(self.num_envs * [ends[0]], float)
        course = self._course
        for key, ends in course.keys.items():
            self._check_ends(key, ends, "curriculum")
            if key in self._vary:
                raise SettingError(f"{key}: vary has this key as well", "curriculum")
            self.batch.prepare(key, course.values(key, np.arange(course.levels)))
            self.varied[key] = course.values(key, self.level)
        if self._aims is not None:
            for key, values in self._aims.ends():
                self.batch.prepare(key, values)

    @staticmethod
    def _check_ends(key: str, ends: Any, what: str = "vary") -> None:
        try:
            low, high = (np.array(end, float) for end in ends)
            sound = low.shape == high.shape and low.ndim <= 1
            sound = sound and (what != "vary" or bool((low <= high).all()))
        except (TypeError, ValueError):
            sound = False
        if not sound:
            two = "a least and greatest" if what == "vary" else "an easy and hard"
            raise SettingError(f"{key}: got {ends!r}, expected {two} value", what)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Observation, dict[str, Any]]:
        """Start episodes.

        Args:
            seed: seed of the first run, the next run gets one more; or one seed per run. None: the
                generators continue.
            options: ``{"reset_mask": ...}``, shape (n,), runs to start; by default all.

        Raises:
            FootfallError: if an option is unknown or a seed is missing.
        """
        given = dict(options or {})
        mask = np.asarray(given.pop("reset_mask", np.ones(self.num_envs, bool)))
        for key in given:
            raise SettingError(f"no option {key!r}{nearest(key, ['reset_mask'])}", "options")
        if seed is not None:
            first = int(seed) if isinstance(seed, int | np.integer) else None
            seeds = seed if first is None else range(first, first + self.num_envs)
            if not isinstance(seeds, Sequence | np.ndarray) or len(seeds) != self.num_envs:
                raise SettingError(f"got {seed!r} for {self.num_envs} runs", "seed")
            for i, own in enumerate(seeds):
                if mask[i] and own is not None:
                    self._random[i] = seeding.np_random(own)[0]
        self._restart(mask)
        return self._observer.laid_out(self._seen()[0]), self._counts()

    def _counts(self) -> dict[str, Any]:
        """Return time and number of alarms of every run."""
        alarms = np.isin(np.arange(self.num_envs), list(self.batch.alarms)).astype(np.int64)
        real = np.ones(self.num_envs, bool)
        return {"time": self.batch.time, "_time": real, "alarms": alarms, "_alarms": real}

    def _restart(self, mask: Bools) -> None:
        """Start episodes of the runs in a mask."""
        runs, batch = np.flatnonzero(mask), self.batch
        q, v = batch.q[runs], batch.v[runs]
        sim = self.sim
        for k, i in enumerate(runs):
            sim.state.restore(self._start)
            if self._randomize is not None:
                self._randomize(sim, self._random[i])
            q[k], v[k] = sim.q, sim.v
            for key, (low, high) in self._vary.items():
                self.varied[key][i] = self._random[i].uniform(low, high)
        for key in self._course.keys:
            self.varied[key][runs] = self._course.values(key, self.level[runs])
        batch.reset(mask, q=q, v=v)
        for key, values in self.varied.items():
            batch.set(key, values, mask)
        self._left[runs], self._ended[runs] = self._length, False

    def step(  # type: ignore[override]  # gymnasium has one type for rewards and for flags
        self, actions: Floats
    ) -> tuple[Observation, Floats, Bools, Bools, dict[str, Any]]:
        """Apply actions for ``frame_skip`` steps of the simulation in every run.

        Raises:
            SimulationError: if the actions have the wrong shape or are not finite.
        """
        self._act(actions)
        self._left -= 1
        seen, failed = self._seen()
        reward = np.where(failed, 0.0, self._asked("reward", self._reward, 1.0, actions))
        terminated = failed | (self._asked("terminated", self._terminated, 0.0) != 0.0)
        truncated = ~terminated & (self._left <= 0)
        info: dict[str, Any] = {}
        again = np.zeros(self.num_envs, bool)
        if self._mode is AutoresetMode.NEXT_STEP:  # the step counts only for runs not ended before
            again, live = self._ended, ~self._ended
            reward = np.where(live, reward, 0.0)
            failed, terminated, truncated = failed & live, terminated & live, truncated & live
        if failed.any():
            info["failure"], info["_failure"] = self._reasons(failed), failed
        self._ended = terminated | truncated
        if self._course.keys and self._ended.any():
            success = np.where(failed, 0.0, self._asked("success", self._course.success, 0.0))
            for i in np.flatnonzero(self._ended):
                now = int(self.level[i]), float(success[i]), self._random[i]
                self.level[i] = self._course.moved(*now)
        if self._mode is AutoresetMode.SAME_STEP and self._ended.any():
            again = self._ended.copy()
            info["final_obs"], info["_final_obs"] = self._final(again, seen), again
            ended = {key: np.where(again, x, np.zeros_like(x)) for key, x in self._counts().items()}
            ended |= {key: info[key] for key in ("failure", "_failure") if key in info}
            info["final_info"], info["_final_info"] = ended, again
        if again.any():
            self._restart(again)
            seen, _ = self._seen()
        info |= self._counts()
        return self._observer.laid_out(seen), reward, terminated, truncated, info

    def _asked(
        self, name: str, function: Callable[..., Any] | None, otherwise: float, *more: Floats
    ) -> Floats:
        """Return the result of a function of the user, shape (n,).

        Raises:
            SimulationError: if the result has another shape or type.
        """
        if function is None:
            return np.full(self.num_envs, otherwise)
        given: Any = function(self, *more)
        found = np.asarray(given)
        if found.shape != (self.num_envs,) or found.dtype.kind not in "biuf":
            raise SimulationError(
                f"{name}: expected {self.num_envs} numbers, one per run; got shape {found.shape} "
                f"of {found.dtype}"
            )
        return found.astype(float)

    def _act(self, actions: Floats) -> None:
        reach, batch = self.steering, self.batch
        cut = reach.cut(actions, (self.num_envs, len(reach.names)))
        meant = meaning(cut, reach.low, reach.high)
        if self._aims is None:
            everyone = len(reach.names) == len(self.sim.labels.joint)
            batch.step(meant, self.frame_skip, joints=None if everyone else reach.names)
            return
        for key, values in self._aims.at(meant):
            batch.set(key, values)
        batch.step(substeps=self.frame_skip)

    def _seen(self) -> tuple[Floats, Bools]:
        """Return the flat observations, clipped to ``BOUND``, and a mask of failed runs."""
        values = self._observer.values(self.batch.states, self.batch)
        inside = np.abs(values) <= BOUND
        seen = np.where(inside, values, np.clip(np.nan_to_num(values), -BOUND, BOUND))
        return seen, self.batch.failed | ~inside.all(axis=1)

    def _reasons(self, failed: Bools) -> npt.NDArray[np.object_]:
        reasons, values = (
            np.full(self.num_envs, None),
            self._observer.values(self.batch.states, self.batch),
        )
        for i in np.flatnonzero(failed):
            reasons[i] = self.batch.failures.get(int(i)) or self._observer.beyond(values[i])
        return reasons

    def _final(self, ended: Bools, values: Floats) -> npt.NDArray[np.object_]:
        seen = np.full(self.num_envs, None)
        for i in np.flatnonzero(ended):
            seen[i] = self._observer.laid_out(values[i])
        return seen

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        self.batch.close()


class _Aims:
    """Targets of posture controllers, as keys of the scene."""

    def __init__(self, sim: StepperSimulator, reach: Reach) -> None:
        start, world = sim.state.copy(), sim.world
        sim.step()
        target, stiffness = world.joints.target.copy(), world.joints.stiffness.copy()
        sim.state.restore(start)
        self._low, self._high = reach.low, reach.high
        self._parts = []
        first = 0
        for index, body in enumerate(world.bodies):
            names, dofs = body.model.joint_names, world.joint_slice(index)
            mine = np.flatnonzero((reach.joints >= first) & (reach.joints < first + len(names)))
            at = reach.joints[mine] - first
            first += len(names)
            if not len(mine):
                continue
            controller = sim.participants.controllers[body.name]
            if controller.name != "posture" or (stiffness[dofs][at] <= 0.0).any():
                raise SettingError(
                    'action "posture" of a batch needs the controller "posture" with its '
                    f'method "implicit": {body.name} has the controller "{controller.name}" or a '
                    "joint without gain",
                    "action",
                )
            key = f"bodies.{body.name}.controller.target"
            self._parts.append((key, [names[k] for k in at], mine, target[dofs][at]))

    def at(self, offset: Floats) -> list[tuple[str, dict[str, Floats]]]:
        """Return keys and values for offsets, shape (n, joints), [rad or m]."""
        found = []
        for key, names, mine, target in self._parts:
            values = target + offset[:, mine]
            found.append((key, dict(zip(names, values.T, strict=True))))
        return found

    def ends(self) -> list[tuple[str, dict[str, Floats]]]:
        """Return keys with the least and the greatest of their values."""
        return self.at(np.stack([-self._low, self._high]))
