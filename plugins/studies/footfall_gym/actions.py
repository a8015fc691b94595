"""Actions of an agent: torques, or offsets of a controller's targets, and their ranges."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from footfall.api.device import BodySignals, Command, Controller, Observation, values_by_name
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, Ints, PluginError, RobotError, SettingError
from footfall_stepper.api import StepperSimulator


def meaning(action: Floats, low: Floats, high: Floats) -> Floats:
    """Return the physical values of actions in [-1, 1], shape (..., n): -low at -1, high at 1."""
    meant: Floats = action * np.where(action < 0.0, -low, high)
    return meant


class Steered(Controller):
    """The controller that a scene gives a body, with some joints moved by an agent.

    The scene's controller, ``inner``, keeps the other joints. An action a in [-1, 1] means
    ``a high`` if it is positive and ``-a low`` if it is negative.

    Attributes:
        inner: the scene's controller.
        joints: shape (n,), joints of the body that actions move.
        low: shape (n,), value of the action -1; high: value of the action 1.
    """

    name = "steered"

    def __init__(self, inner: Controller, joints: Ints, low: Floats, high: Floats) -> None:
        self.inner, self.joints, self.low, self.high = inner, joints, low, high
        self.state_parts = inner.state_parts

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Prepare the scene's controller."""
        self.model = model
        self.inner.setup(model, posture)

    def start(self, signals: BodySignals) -> None:
        """Start the scene's controller from the body's state."""
        self.inner.start(signals)

    def figures(self, state: Mapping[str, Floats]) -> tuple[tuple[str, str], ...]:
        """Return the figures of the scene's controller."""
        return self.inner.figures(state)

    @abstractmethod
    def take(self, action: Floats) -> None:
        """Apply an action, shape (n,), from the next step on."""

    def meaning(self, action: Floats) -> Floats:
        """Return the values of an action, shape (n,): [N m or N] or [rad or m]."""
        return meaning(action, self.low, self.high)


class TorqueAction(Steered):
    """Actions are joint torques [N m or N]; they replace the scene's controller."""

    name = "torque"

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Note whether the scene's controller keeps any joint."""
        super().setup(model, posture)
        self._alone = len(self.joints) == len(posture)
        self._torque = np.zeros(len(self.joints))

    def take(self, action: Floats) -> None:
        """Apply an action, shape (n,), from the next step on."""
        self._torque = self.meaning(action)

    def command(self, observation: Observation, command: Command) -> None:
        """Command the torques; call the scene's controller only if it keeps a joint."""
        if not self._alone:
            self.inner.command(observation, command)
        command.tau[self.joints] = self._torque
        command.stiffness[self.joints] = 0.0
        command.damping[self.joints] = 0.0


class TargetAction(Steered):
    """Actions are offsets [rad or m] of the positions that the scene's controller aims at.

    Its gains stay: the torque is ``-K (s+ - target - offset) - D s_dot+``, see ``Command``.
    """

    name = "posture"

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Make room for the offsets."""
        super().setup(model, posture)
        self._offset = np.zeros(len(posture))
        self._inner_command: Command | None = None

    def take(self, action: Floats) -> None:
        """Apply an action, shape (n,), from the next step on."""
        self._offset[self.joints] = self.meaning(action)

    def command(self, observation: Observation, command: Command) -> None:
        """Command as the scene's controller does, with its targets offset.

        Raises:
            PluginError: if the scene's controller commands no gain for a joint.
        """
        mine = self._inner_command
        if mine is None:
            # A copy: a target that the controller does not write again keeps its value.
            mine = self._inner_command = replace(command, target=command.target.copy())
            self.inner.command(observation, mine)
            self._check(mine)
        else:
            self.inner.command(observation, mine)
        np.add(mine.target, self._offset, out=command.target)

    def _check(self, command: Command) -> None:
        without = self.joints[command.stiffness[self.joints] <= 0.0]
        if len(without):
            raise PluginError(
                f'action "posture" moves targets of implicit gains, but controller '
                f'"{self.inner.name}" commands none for {self.model.joint_names[without[0]]}: '
                'use the controller "posture" with method "implicit", leave the joint out '
                'of joints, or choose action "torque"'
            )


Given = float | Mapping[str, float] | None


def torque_bounds(sim: StepperSimulator, given: Given) -> tuple[Floats, Floats]:
    """Return the torques of the actions -1 and 1 for all joints of the world, NaN if unknown.

    A given bound comes first; else the smaller of the model's effort limit and the drives' limit.
    For joints coupled by T, the drives' limit is ``|T^-T| limit``: all motors together.
    """
    bounds = [_effort(sim, body.name, body.model) for body in sim.world.bodies]
    high = _replaced(np.concatenate([np.zeros(0), *bounds]), given, sim.labels.joint)
    return -high, high


def target_bounds(sim: StepperSimulator, given: Given) -> tuple[Floats, Floats]:
    """Return the target offsets of the actions -1 and 1 for all joints, NaN if unknown.

    A given bound comes first; else the distance from the starting posture to the model's limits.
    """
    low, high = [np.zeros(0)], [np.zeros(0)]
    for body in sim.world.bodies:
        start = body.q[body.model.nq - len(body.model.joint_names) :]
        for limit, out in ((body.model.position_lower, low), (body.model.position_upper, high)):
            out.append(np.where(np.isfinite(limit), limit - start, np.nan))
    names = sim.labels.joint
    below = -_replaced(-np.minimum(np.concatenate(low), 0.0), given, names)
    return below, _replaced(np.maximum(np.concatenate(high), 0.0), given, names)


def _effort(sim: StepperSimulator, name: str, model: TreeModel) -> Floats:
    limit = model.effort_limit.astype(float)
    limit[limit <= 0.0] = np.inf
    for drives in sim.participants.drives:
        if drives.body == name:
            T, at = drives.transmission.coupling, drives.transmission.joints
            own = drives.limit
            if T is not None and np.isfinite(own).all():
                own = np.abs(np.linalg.inv(T).T) @ own
            elif T is not None:
                own = np.full(len(at), np.inf)
            limit[at] = np.minimum(limit[at], own)
    limit[np.isinf(limit)] = np.nan
    return limit


def _replaced(bounds: Floats, given: Given, names: Sequence[str]) -> Floats:
    """Return bounds with the given ones put in: one for all joints, or by pattern."""
    if given is None:
        return bounds
    table = given if isinstance(given, Mapping) else {"*": given}
    try:
        chosen = values_by_name(table, names, "bound")
    except RobotError as error:
        raise SettingError(str(error).removeprefix("bound: "), "bound") from error
    for name, value in chosen.items():
        if not (np.isfinite(value) and value > 0.0):
            raise SettingError(f"{name} got {value!r}, allowed is a number above 0", "bound")
        bounds[names.index(name)] = value
    return bounds
