"""The controller role: torque, and gains that the step may treat implicitly."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.interfaces.engine import TreeModel
from footfall.interfaces.plugin import Plugin
from footfall.interfaces.signals import BodySignals, no_signals
from footfall.typing import Floats


@dataclass(slots=True)
class Observation:
    """The input of a controller: views of one body's state at the start of the step.

    One object serves the whole run; its values change from step to step.

    Attributes:
        time: [s].
        q: shape (nq,), positions.
        v: shape (nv,), velocities.
        sensors: readings of the body's sensors by name: objects whose fields are the signals that
            have arrived by the start of the step.
        signals: dynamics and kinematics of the body, evaluated on access.
        state: the controller's own ``state_parts`` by name, shape (rows, width) each, zero at the
            start. Read and write them; they are saved and restored with the simulation's state.
    """

    time: float
    q: Floats
    v: Floats
    sensors: Mapping[str, Any] = field(default_factory=dict)
    signals: BodySignals = field(default_factory=no_signals)
    state: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """A controller's command to the joints, overwritten in place.

    The torque that acts is ``tau - stiffness (s+ - target) - damping (s_dot+ - target_rate)``,
    where ``+`` is the end of the step: the gains go into the step's factorisation (implicitly).
    Joints are in the order of ``TreeModel.joint_names``.

    Attributes:
        tau: shape (n_joints,), [N m or N].
        stiffness: shape (n_joints,), [N m/rad or N/m].
        damping: shape (n_joints,), [N m s/rad or N s/m].
        target: shape (n_joints,), [rad or m].
        target_rate: shape (n_joints,), [rad/s or m/s].
    """

    tau: Floats
    stiffness: Floats
    damping: Floats
    target: Floats
    target_rate: Floats

    @classmethod
    def allocate(cls, n: int) -> Command:
        """Return a command of zeros for n joints."""
        return cls(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))


class Controller(Plugin):
    """Controller of the joints of one body.

    Declare values that last from one call to the next in ``state_parts`` (``"global"``, or one row
    per ``"joint"`` or ``"dof"`` of the body); find them in ``observation.state``.

    Attributes:
        rate: calls per second unless the scene gives a rate, [Hz]; None: one every step.
        delay: delay of commands unless the scene gives one, [s].
    """

    rate: float | None = None
    delay: float = 0.0

    @abstractmethod
    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Prepare for a body with initial joint positions ``posture`` (n_joints,).

        Joints are in the order of ``model.joint_names``, here and in commands.
        """

    def start(self, signals: BodySignals) -> None:
        """Read the body's signals when the simulation is built; called once, after ``setup``.

        Values kept from here need no ``state_parts``, since a restored run starts from the same
        scene. Copy arrays that you keep.
        """

    def figures(self, state: Mapping[str, Floats]) -> tuple[tuple[str, str], ...]:
        """Return figures that a user should see: pairs of texts for the summary of a run.

        Args:
            state: the controller's state, as in ``Observation.state``.
        """
        return ()

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Return a function ``f(time)`` that does the same as ``command``, for fixed arrays.

        A controller that is one kernel may override it: the compiled step itself calls the result
        of ``footfall.api.kernels.bind``, without Python in between. Called after ``setup``. The
        kernel may keep the arrays of ``observation.signals`` that are read here: the step evaluates
        them before each call.
        """

        def call(time: float) -> None:
            observation.time = time
            self.command(observation, command)

        return call

    @abstractmethod
    def command(self, observation: Observation, command: Command) -> None:
        """Overwrite the command; called before the dynamics, every step or at the scene's rate."""
