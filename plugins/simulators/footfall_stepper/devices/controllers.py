"""Controllers of a simulation: set up for their bodies, called at their rates, held and delayed.

Torques given from Python for one step replace the controllers' commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from footfall.config.fields import names_matching
from footfall.config.validate import sized
from footfall.errors import (
    FootfallError,
    RobotError,
    SettingError,
    SimulationError,
    error_line,
    nearest,
)
from footfall.interfaces.controller import Command, Controller, Observation
from footfall.interfaces.engine import TreeModel
from footfall.interfaces.plugin import bound_call
from footfall.interfaces.signals import BodySignals
from footfall.jit.compiling import bind, binding_of
from footfall.jit.native import Cell
from footfall.jit.stages import LateStage, Stage, Stages
from footfall.jit.tables import read_only
from footfall.scene.scene import Scene
from footfall.typing import Floats, Ints
from footfall_stepper.devices.joint_torques import JointCommands
from footfall_stepper.devices.participants import Participants, own_state
from footfall_stepper.devices.rates import ControllerRate, paced_stage, period_of, whole_ticks
from footfall_stepper.devices.sensors import SensorLine
from footfall_stepper.devices.signals import Signals
from footfall_stepper.kernels.joints import drives as kernels
from footfall_stepper.kernels.joints.drives import Giving
from footfall_stepper.world.state import State, own_parts
from footfall_stepper.world.world import World

FLOATS = np.dtype(np.float64)


def set_up(
    controller: Controller,
    body: str,
    model: TreeModel,
    posture: npt.NDArray[np.float64],
    signals: BodySignals,
) -> None:
    """Prepare a controller; an error for an unsuitable setting names its full key.

    Raises:
        SettingError: with the path of the setting in a scene.
    """
    try:
        controller.setup(model, posture)
        controller.start(signals)
    except SettingError as error:
        raise SettingError(error.reason, "bodies", body, "controller", *error.path) from error


class ControllerLoop:
    """The path from the observations of controllers to the commands of the joints.

    Attributes:
        torque: shape (n_joints,), torques of a step that ``Commands.GIVEN`` commands, [N m or N].
        motors: shape (nu,), joints that torques may move, see ``World.motors``.
    """

    __slots__ = (
        *("_by_body", "_give", "_giving", "_lines", "_rates", "_signals", "_state", "_take_back"),
        *("_at", "_chosen", "_moved", "_names", "_told", "_torques", "_world", "motors", "torque"),
    )

    def __init__(
        self,
        world: World,
        state: State,
        participants: Participants,
        time_step: float,
        signals: Signals,
    ) -> None:
        self._world, self._state, self._signals = world, state, signals
        self._lines = {
            body.name: JointCommands(
                world,
                state,
                body.name,
                [drives for drives in participants.drives if drives.body == body.name],
                time_step,
            )
            for body in world.bodies
        }
        joints, dof, self.motors = world.joints, world.joint_dofs, read_only(world.motors)
        self.torque, self._giving = np.zeros(len(dof)), np.zeros(1, np.int64)
        self._torques = {
            body.name: self.motors[np.isin(dof[self.motors], np.r_[world.joint_slice(i)])]
            for i, body in enumerate(world.bodies)
        }
        self._by_body, self._chosen = False, np.ones(len(dof), np.int64)
        self._names: tuple[str, ...] | None = ()
        self._moved: Ints = self.motors
        self.choose(None, ())
        commands = joints.tau, joints.stiffness, joints.rate_gain, np.zeros((3, world.nv))
        given = self._giving, dof, self.torque, self._chosen
        self._give = cache(partial(bind, kernels.give, *commands, *given))
        self._take_back = cache(partial(bind, kernels.take_back, *commands, self._giving))
        self._rates = participants.rates
        self._told: list[tuple[str, Controller, Observation]] = []

    def connect(self, participants: Participants, sensors: SensorLine | None) -> None:
        """Connect controllers to the joints, also after some were replaced."""
        told: list[tuple[str, Controller, Observation]] = []
        for name, controller in participants.controllers.items():
            index = self._world.index(name)
            at, body = self._world.joint_slice(index), self._world.bodies[index]
            if at.start == at.stop:
                continue
            seen = self._observation(name, sensors)
            posture = seen.q[body.model.nq - (at.stop - at.start) :].copy()
            set_up(controller, name, body.model, posture, seen.signals)
            told.append((name, controller, seen))
        self._told, self._rates = told, participants.rates

    def _asking(
        self, controller: Controller, seen: Observation, out: Command
    ) -> Callable[[float], object]:
        """Return a call that requests a command; if Python fails, its error names the step."""
        bound = bound_call(controller, "command", seen, out)

        def ask(time: float) -> None:
            try:
                bound(time)
            except FootfallError:
                raise
            except Exception as error:
                when = f"step {self._state.tick}, t = {time:.6g} s"
                raise SimulationError(f"{when}: controller: {error_line(error)}") from error

        return bound if binding_of(bound) else ask

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """Figures that the controllers report, for the summary of a run."""
        return tuple(
            (f"{body}: {key}", value)
            for body, controller, seen in self._told
            for key, value in controller.figures(seen.state)
        )

    def command(self, body: str) -> Command:
        """Return the command of a body's controller, before drives change it."""
        return self._lines[body].command

    def observation(self, body: str) -> Observation:
        """Return the observation of a body's controller; its time is that of its last call."""
        return next(seen for name, _, seen in self._told if name == body)

    def _observation(self, body: str, sensors: SensorLine | None) -> Observation:
        """Return the future observations of a body's controller."""
        world, state, prefix = self._world, self._state, own_state(body)
        index = world.index(body)
        kept = {
            part.name.removeprefix(prefix): own_parts(state)[part.name]
            for part in state.parts
            if part.name.startswith(prefix)
        }
        return Observation(
            0.0,
            q=read_only(state["q"][world.q_slice(index)]),
            v=read_only(state["v"][world.v_slice(index)]),
            sensors=sensors.readings.get(body, {}) if sensors else {},
            signals=self._signals.of(body),
            state=kept,
        )

    def stages(self, program: Stages) -> list[Stage]:
        """Return the stages of controllers that command a step."""
        made = []
        for name, controller, seen in self._told:
            out, pace = self._lines[name].command, self._rates.get(name)
            ask, source = partial(self._asking, controller, seen), self._signals.sources[name]
            source.used.clear()
            if pace is not None:
                call = paced_stage(program, ask, pace, name, self._state, out)
            else:
                call = program.stage(ask(out), program.time)
            made += [*source.stages(program), call]
        taken = [line.take_over for line in self._lines.values() if line.take_over is not None]
        return made + [program.stage(call) for call in taken]

    @property
    def drives(self) -> bool:
        """Whether drives change commands."""
        return any(line.drives for line in self._lines.values())

    def drive_stages(self, program: Stages) -> list[Stage]:
        """Return the stages of the drives."""
        return [program.stage(call) for line in self._lines.values() for call in line.drives]

    def given_stages(self, program: Stages) -> tuple[list[Stage], list[Stage]]:
        """Return the stages that command ``torque`` for a step, and take it back.

        Their kernels are loaded in the first such step.
        """
        give, take_back = LateStage(), LateStage()
        give.make(self._give)
        take_back.make(self._take_back)
        return [give.stage], [take_back.stage]

    def friction_stages(self, program: Stages, part: Cell) -> tuple[list[Stage], list[Stage]]:
        """Return the stages that set dry friction, and those after a step's last ``part``."""
        lines = self._lines.values()
        friction = [program.stage(call) for line in lines for call in line.friction]
        return friction, [program.stage(call, part) for line in lines for call in line.after]

    def restore(self) -> None:
        """Return the controllers' commands if a step with given torques has failed."""
        if self._giving[0] == Giving.ACTS:
            self._take_back()()

    def choose(self, joints: Sequence[str] | None, labels: Sequence[str]) -> Ints:
        """Choose the joints that given torques move; return their numbers among all joints.

        Args:
            joints: names or patterns; None: all.
            labels: shape (n_joints,), names of all joints.

        Raises:
            SimulationError: if a pattern matches no joint that a torque may move.
        """
        names = None if joints is None else tuple(joints)
        if names == self._names:
            return self._moved
        if names is not None:
            known = [labels[k] for k in self.motors]
            try:
                found = names_matching(names, known, "joints")
            except RobotError as error:
                raise SimulationError(str(error)) from error
            moved = self.motors[[known.index(name) for name in found]]
        else:
            moved = self.motors
        self._chosen[:], self.torque[:] = names is None, 0.0
        self._chosen[moved] = 1
        self._names, self._moved = names, moved
        self._at = moved if len(moved) < len(self.torque) else slice(None), len(moved)
        return moved

    def set_torque(
        self,
        tau: Floats | Mapping[str, Floats],
        joints: Sequence[str] | None,
        labels: Sequence[str],
    ) -> None:
        """Set the torques given for the next step, which refuses them if they are not finite.

        Raises:
            SimulationError: if there is no such body or joint, or tau has the wrong size.
        """
        self._by_body = False
        if joints is not None or self._names is not None:
            self.choose(joints, labels)
        if type(tau) is np.ndarray or not isinstance(tau, (dict, Mapping)):
            _copy(tau, self.torque, *self._at, "tau")
            return
        if joints is not None:
            raise SimulationError("joints: give tau as an array, or by body without joints")
        self._by_body, self.torque[:] = True, 0.0
        for name, values in tau.items():
            if name not in self._torques:
                raise SimulationError(f"tau: no body {name!r}{nearest(name, self._torques)}")
            at = self._torques[name]
            _copy(values, self.torque, at, len(at), f"tau of {name}")

    def check(self) -> None:
        """Raise the error of given torques that the step has refused."""
        if self._giving[0] == Giving.REFUSED:
            self._giving[0] = Giving.OVER
            for name, at in self._torques.items() if self._by_body else ():
                sized(self.torque[at], len(at), f"tau of {name}")
            sized(self.torque, len(self.torque), "tau")


def _copy(tau: Floats, into: Floats, at: Ints | slice, n: int, what: str) -> None:
    """Copy n torques; their type and number are checked here, their values by the step."""
    if type(tau) is not np.ndarray or tau.dtype is not FLOATS or tau.shape != (n,):
        tau = sized(tau, n, what)
    into[at] = tau


def controller_rates(
    scene: Scene, world: World, controllers: Mapping[str, Controller]
) -> dict[str, ControllerRate]:
    """Return the rates of controllers not called in every step, by body name.

    Times that the scene does not give are the controller's own.

    Raises:
        SceneError: if a time is not a whole number of steps, or the body has no joints; names the
            key.
    """
    rates: dict[str, ControllerRate] = {}
    step, parts = scene.simulation.part, scene.simulation.parts
    for name, body in scene.bodies.items():
        if body.fixed:
            continue
        table, path, own = body.pace, ("bodies", name, "controller"), controllers[name]
        rate = own.rate if table.rate is None else table.rate
        seconds = table.delay if "delay" in table.model_fields_set else own.delay
        try:
            period = parts if rate is None else period_of(rate, step)
            delay = whole_ticks(seconds, step, "delay")
        except SettingError as error:
            raise scene.error(error.reason, *path, *error.path) from error
        joints = world.bodies[world.index(name)].model.joint_names
        if not joints:
            for key in table.model_fields_set:
                raise scene.error(f"has no effect: {name} has no joints", *path, key)
        if joints and ControllerRate(period, delay).holds:
            rates[name] = ControllerRate(period, delay)
    return rates
