"""What an action does to joints: torques of its own, or offsets of a controller's targets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from footfall.errors import PluginError
from footfall.interfaces.controller import Command, Controller, Observation
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.signals import BodySignals
from footfall.typing import Floats, Ints


class Steered(Controller):
    """The controller that a scene gives a body, with some joints in the hands of an agent.

    The other joints stay with the scene's controller, ``inner``. An action a in [-1, 1] means
    ``a high`` where it is positive and ``-a low`` where it is negative.

    Attributes:
        inner: the scene's controller.
        joints: shape (n,), joints of the body that actions move.
        low: shape (n,), what -1 means; high: what 1 means.
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
        """Let the scene's controller learn how the body stands."""
        self.inner.start(signals)

    def figures(self, state: Mapping[str, Floats]) -> tuple[tuple[str, str], ...]:
        """Return what the scene's controller tells."""
        return self.inner.figures(state)

    @abstractmethod
    def take(self, action: Floats) -> None:
        """Let an action, shape (n,), act from the next step on."""

    def meaning(self, action: Floats) -> Floats:
        """Return what an action, shape (n,), means: [N m or N] or [rad or m]."""
        meant: Floats = action * np.where(action < 0.0, -self.low, self.high)
        return meant


class TorqueAction(Steered):
    """Actions are torques of the joints [N m or N]; the scene's controller is out of them."""

    name = "torque"

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Note whether any joint is left to the scene's controller."""
        super().setup(model, posture)
        self._alone = len(self.joints) == len(posture)
        self._torque = np.zeros(len(self.joints))

    def take(self, action: Floats) -> None:
        """Let an action, shape (n,), act from the next step on."""
        self._torque = self.meaning(action)

    def command(self, observation: Observation, command: Command) -> None:
        """Command the torques; ask the scene's controller only if a joint is left to it."""
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
        """Let an action, shape (n,), act from the next step on."""
        self._offset[self.joints] = self.meaning(action)

    def command(self, observation: Observation, command: Command) -> None:
        """Command what the scene's controller does, with its targets moved.

        Raises:
            PluginError: if the scene's controller commands no gain of a joint.
        """
        mine = self._inner_command
        if mine is None:
            # Targets are its own: what it does not write again must not move again.
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
                f'action "posture" moves targets of implicit gains, and controller '
                f'"{self.inner.name}" commands none of {self.model.joint_names[without[0]]}: '
                'give it some by the controller "posture" with its method "implicit", leave it out '
                'of joints, or choose action "torque"'
            )
