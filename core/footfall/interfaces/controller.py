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
    """What a controller sees: views of one body's state at the start of the step.

    One object serves the whole run; its values change from step to step.

    Attributes:
        time: [s].
        q: shape (nq,), positions.
        v: shape (nv,), velocities.
        sensors: readings of the body's sensors by name: objects whose fields are the signals, as
            they have arrived by the start of the step.
        signals: dynamics and kinematics of the body, evaluated when they are asked for.
        state: what the controller itself keeps, its ``state_parts`` by name, shape (rows, width)
            each, zero at the start: to be read and written, saved and restored with the rest.
    """

    time: float
    q: Floats
    v: Floats
    sensors: Mapping[str, Any] = field(default_factory=dict)
    signals: BodySignals = field(default_factory=no_signals)
    state: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Command:
    """What a controller asks of the joints, overwritten in place.

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
        """Make a command that asks nothing of n joints."""
        return cls(np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))


class Controller(Plugin):
    """Drives the joints of one body.

    What it keeps from one call to the next belongs into ``state_parts`` (``"global"``, or one row a
    ``"joint"`` or ``"dof"`` of its body) and is found in ``observation.state``.
    """

    @abstractmethod
    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Prepare for a body whose starting joint positions are ``posture`` (n_joints,).

        Its joints have the order of ``model.joint_names``, here and in commands.
        """

    def start(self, signals: BodySignals) -> None:
        """Learn how the body stands when the simulation is made; called once, after ``setup``.

        What is kept from it is no state, since a restored run is made from the same scene. Copy
        arrays that are kept.
        """

    def figures(self, state: Mapping[str, Floats]) -> tuple[tuple[str, str], ...]:
        """Return what a user should see of its work: pairs for the summary of a run.

        Args:
            state: what it keeps, as in ``Observation.state``.
        """
        return ()

    def bound(self, observation: Observation, command: Command) -> Callable[[float], object]:
        """Return a call ``f(time)`` that does what ``command`` does, for arrays that never move.

        A controller that is one kernel may override it: what ``footfall.api.kernels.bind`` returns
        is called by the compiled step itself, without Python in between. Called after ``setup``.
        """

        def call(time: float) -> None:
            observation.time = time
            self.command(observation, command)

        return call

    @abstractmethod
    def command(self, observation: Observation, command: Command) -> None:
        """Overwrite the command; called before the dynamics, every step or at the scene's rate."""
