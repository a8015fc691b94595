"""Controllers: no torque, a held posture, any callable."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from inspect import signature
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from footfall.api.device import Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.kernels import bind
from footfall.api.plugin import (
    Floats,
    NonNegative,
    PluginConfig,
    PluginError,
    SimulationError,
    Tunable,
    load_function,
    nearest,
)
from footfall_standard.kernels import hold, pull, rest


class Zero(Controller):
    """Zero torque: the joints are free."""

    name = "zero"

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Do nothing."""

    def command(self, observation: Observation, command: Command) -> None:
        """Do nothing: a command starts as zero."""

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind a kernel that does nothing."""
        return bind(rest, like=(0.0,))


Gains = NonNegative | dict[str, NonNegative]


class PostureConfig(PluginConfig):
    """Gains by joint name or pattern; if several patterns match, the last counts."""

    stiffness: Annotated[Gains, Tunable(1.0, 1e5, logarithmic=True)] = 1000.0
    """Proportional gain, for all joints or by pattern, [N m/rad or N/m]."""
    damping: Annotated[Gains, Tunable(0.1, 1e4, logarithmic=True)] = 30.0
    """Derivative gain, for all joints or by pattern, [N m s/rad or N s/m]."""
    target: Annotated[dict[str, float], Tunable(-3.2, 3.2, otherwise="posture")] = Field(
        default_factory=dict
    )
    """Target position by joint name or pattern, [rad or m]. Default: the starting posture."""
    feed_forward: dict[str, float] = Field(default_factory=dict)
    """Constant torque by joint name or pattern, [N m or N]."""
    method: Literal["implicit", "explicit"] = "implicit"
    """``implicit``: as in the equation, stable even with large gains; ``explicit``: with s and
    s_dot at the start of the step."""


class Posture(Controller):
    """Hold a posture: ``tau = feed_forward - K (s+ - target) - D s_dot+``."""

    name = "posture"
    Config = PostureConfig

    def __init__(self, config: PostureConfig) -> None:
        self.config = config

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Resolve the patterns against the body's joints."""
        self._joints = slice(6, None) if model.base == "floating" else slice(0, None)
        self._coordinates = slice(7, None) if model.base == "floating" else slice(0, None)
        self._names = model.joint_names
        self._stiffness, self._damping = np.zeros((2, len(self._names)))
        self._start = np.array(posture, float)
        self._target = self._start.copy()
        self._take_settings()
        self._torque = _by_pattern(self.config.feed_forward, model.joint_names, "feed_forward")

    @property
    def posture(self) -> dict[str, float]:
        """Target position of each joint, [rad or m]."""
        return dict(zip(self._names, self._target.tolist(), strict=True))

    def retune(self, config: PluginConfig) -> None:
        """Use other gains and another posture."""
        assert isinstance(config, PostureConfig)
        self.config = config
        self._take_settings()

    def _take_settings(self) -> None:
        chosen = _by_pattern(self.config.target, self._names, "target", default=np.nan)
        self._target[:] = np.where(np.isnan(chosen), self._start, chosen)
        self._stiffness[:] = _by_pattern(self.config.stiffness, self._names, "stiffness")
        self._damping[:] = _by_pattern(self.config.damping, self._names, "damping")

    def command(self, observation: Observation, command: Command) -> None:
        """Command the gains, the target and the feed-forward."""
        if self.config.method == "implicit":
            np.copyto(command.tau, self._torque)
            np.copyto(command.stiffness, self._stiffness)
            np.copyto(command.damping, self._damping)
            np.copyto(command.target, self._target)
            return
        error = observation.q[self._coordinates] - self._target
        gains = self._stiffness * error + self._damping * observation.v[self._joints]
        command.tau[:] = self._torque - gains

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Bind the kernel of ``command``."""
        own = self._stiffness, self._damping, self._target, self._torque
        if self.config.method == "implicit":
            out = command.stiffness, command.damping, command.target, command.tau
            return bind(hold, *own, *out, like=(0.0,))
        state = observation.q[self._coordinates], observation.v[self._joints]
        return bind(pull, *own, *state, command.tau, like=(0.0,))


class FunctionConfig(PluginConfig):
    """Settings of the controller: the name of the callable."""

    function: str = Field(pattern=r"^[_A-Za-z][\w.]*:[_A-Za-z]\w*$")
    """``module:function``, called as ``function(time, q, v)``. It returns one torque for each joint
    [N m or N], or a ``footfall.Command`` with gains. The module may be in the current folder."""


@dataclass(frozen=True, slots=True)
class GainCommand:
    """``footfall.Command``: the command of a function, with gains that the step takes implicitly.

    ``tau - kp (s+ - q) - kd (s_dot+ - v)`` acts, where ``+`` is the end of the step: stable however
    stiff the gains are, where torques from the state at its start chatter. Each value is one
    number, or an array (n_joints,) in the order of the joints.

    Attributes:
        q: targets, [rad or m].
        v: target rates, [rad/s or m/s].
        kp: stiffness, [N m/rad or N/m].
        kd: damping, [N m s/rad or N s/m].
        tau: torque besides the gains, [N m or N].
    """

    q: npt.ArrayLike = 0.0
    v: npt.ArrayLike = 0.0
    kp: npt.ArrayLike = 0.0
    kd: npt.ArrayLike = 0.0
    tau: npt.ArrayLike = 0.0


class Function(Controller):
    """Call your Python function."""

    name = "function"
    Config = FunctionConfig

    def __init__(self, config: FunctionConfig) -> None:
        self.config = config
        try:
            self._function = load_function(config.function)
        except ValueError as error:
            raise PluginError(f"controller function {error}") from error
        with suppress(ValueError):  # of built-in functions
            takes = signature(self._function)
            try:
                takes.bind(0.0, None, None)
            except TypeError as error:
                code = getattr(self._function, "__code__", None)
                place = f" ({Path(code.co_filename).name}:{code.co_firstlineno})" if code else ""
                raise PluginError(
                    f"controller function {config.function} takes {takes}, but is called as "
                    f"function(time, q, v){place}"
                ) from error

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Store the number of joints."""
        self._shape = (len(model.joint_names),)

    def command(self, observation: Observation, command: Command) -> None:
        """Call the function.

        Raises:
            SimulationError: if it returns no numbers, the wrong size or values that are not finite.
        """
        given, at = self._function(observation.time, observation.q, observation.v), observation.time
        if not isinstance(given, GainCommand):
            command.tau[:] = self._numbers(given, "", at, self._shape)
            command.stiffness[:] = command.damping[:] = 0.0
            return
        parts = {"q": command.target, "v": command.target_rate, "kp": command.stiffness}
        for name, out in (parts | {"kd": command.damping, "tau": command.tau}).items():
            value = getattr(given, name)
            out[:] = self._numbers(value, f" for {name}", at, self._shape if np.ndim(value) else ())

    def _numbers(self, given: object, what: str, time: float, shape: tuple[int, ...]) -> Floats:
        """Return what the function gave as an array of finite numbers."""
        told, when = f"controller {self.config.function} returned", f"at t = {time:.6g} s"
        try:
            values = np.asarray(given, float)
        except (TypeError, ValueError) as error:
            raise SimulationError(
                f"{told} {given!r}{what}, expected {self._shape[0]} numbers {when}"
            ) from error
        if values.shape != shape:
            raise SimulationError(f"{told} shape {values.shape}{what}, expected {shape} {when}")
        if not np.isfinite(values).all():
            raise SimulationError(f"{told} a value that is not finite{what} {when}")
        if what in (" for kp", " for kd") and (values < 0.0).any():
            raise SimulationError(f"{told} a negative value{what} {when}")
        return values


def _by_pattern(
    gains: float | dict[str, float], names: tuple[str, ...], key: str, default: float = 0.0
) -> Floats:
    """Return one value per joint; a pattern that matches no joint is an error."""
    if not isinstance(gains, dict):
        return np.full(len(names), float(gains))
    values = np.full(len(names), default)
    for pattern, value in gains.items():
        hits = [i for i, name in enumerate(names) if fnmatchcase(name, pattern)]
        if not hits:
            raise PluginError(
                f"controller posture: {key}: no joint matches {pattern!r}{nearest(pattern, names)}"
            )
        values[hits] = value
    return values
