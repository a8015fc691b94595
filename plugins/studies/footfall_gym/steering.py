"""Passes the flat action of an environment to the controllers of the bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from footfall.api.device import names_matching
from footfall.api.plugin import Floats, RobotError, SettingError, SimulationError, nearest
from footfall_gym.actions import (
    Given,
    Steered,
    TargetAction,
    TorqueAction,
    target_bounds,
    torque_bounds,
)
from footfall_stepper.api import StepperSimulator

Action = Literal["torque", "posture"]
KINDS: Mapping[str, type[Steered]] = {"torque": TorqueAction, "posture": TargetAction}


class Reach:
    """Joints that actions move, and the range of each.

    Attributes:
        names: joints that actions move, in the order of the action.
        joints: shape (n,), their numbers among all joints of the world.
        low: shape (n,), value of the action -1; high: of the action 1, [N m or N] or [rad or m].
        space: the action space.
    """

    def __init__(
        self, sim: StepperSimulator, action: str, bound: Given, joints: Sequence[str] | None
    ) -> None:
        if action not in KINDS:
            raise SettingError(
                f"got {action!r}, allowed is torque or posture{nearest(action, KINDS)}", "action"
            )
        everyone = sim.labels.joint
        self.names = _chosen(joints, tuple(everyone[k] for k in sim.driving.motors))
        self.joints = at = np.array([everyone.index(name) for name in self.names], np.int64)
        low, high = (torque_bounds if action == "torque" else target_bounds)(sim, bound)
        self.low, self.high, self._bounds = low[at], high[at], (low, high)
        self._check(action)
        self.space = spaces.Box(-1.0, 1.0, (len(at),), np.float32)

    def _check(self, action: str) -> None:
        unknown = np.isnan(self.low) | np.isnan(self.high)
        if unknown.any():
            what, unit = ("torque", "N m or N") if action == "torque" else ("position", "rad or m")
            raise SettingError(
                f"the robot has no {what} limit for {self.names[int(np.argmax(unknown))]}: "
                f"give the value of the action 1, one number or by joint [{unit}]",
                "bound",
            )

    def cut(self, action: npt.ArrayLike, shape: tuple[int, ...]) -> Floats:
        """Return actions of the expected shape, clipped to [-1, 1].

        Raises:
            SimulationError: if the shape differs, or a value is not finite.
        """
        values = np.asarray(action, float)
        odd = f"shape {values.shape}" if values.shape != shape else ""
        if not odd and not np.isfinite(values).all():
            odd = str(values[~np.isfinite(values)][0])
        if odd:
            expected = " x ".join(map(str, shape))
            raise SimulationError(f"action: got {odd}, expected {expected} finite numbers")
        cut: Floats = np.clip(values, -1.0, 1.0)
        return cut


class Steering(Reach):
    """Puts steered controllers into a simulator and passes actions to them."""

    def __init__(
        self, sim: StepperSimulator, action: str, bound: Given, joints: Sequence[str] | None
    ) -> None:
        super().__init__(sim, action, bound, joints)
        self._parts = _take_over(sim, KINDS[action], self.joints, self._bounds)

    def take(self, action: npt.ArrayLike) -> None:
        """Apply an action, shape (n,), from the next step on, clipped to [-1, 1].

        Raises:
            SimulationError: if the shape differs, or a value is not finite.
        """
        values = self.cut(action, (len(self.names),))
        for part, controller in self._parts:
            controller.take(values[part])


def _chosen(patterns: Sequence[str] | None, everyone: tuple[str, ...]) -> tuple[str, ...]:
    if patterns is None:
        chosen = everyone
    else:
        try:
            chosen = names_matching(patterns, everyone, "joints")
        except RobotError as error:
            raise SettingError(str(error).removeprefix("joints: "), "joints") from error
    if not chosen:
        raise SettingError("the scene has no joint that an action can move", "joints")
    return chosen


def _take_over(
    sim: StepperSimulator,
    kind: type[Steered],
    at: npt.NDArray[np.int64],
    bounds: tuple[Floats, Floats],
) -> list[tuple[slice, Steered]]:
    """Replace the controllers of bodies with chosen joints; return slices of the action and them.

    Joints of the world, and the chosen ones, are numbered through all bodies in their order.
    """
    low, high = bounds
    steered: dict[str, Steered] = {}
    parts: list[tuple[slice, Steered]] = []
    first = done = 0
    for body in sim.world.bodies:
        n = len(body.model.joint_names)
        mine = at[(at >= first) & (at < first + n)]
        if len(mine):
            inner = sim.participants.controllers[body.name]
            steered[body.name] = kind(inner, mine - first, low[mine], high[mine])
            parts.append((slice(done, done + len(mine)), steered[body.name]))
        first, done = first + n, done + len(mine)
    sim.participants = replace(
        sim.participants, controllers={**sim.participants.controllers, **steered}
    )
    sim.connect_controllers()
    return parts
