"""Torques of the joints: controllers' commands enter the world, through its drives if any."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.errors import FootfallError, PluginError
from footfall.interfaces.actuator import Actuator, Drive, DriveArrays
from footfall.interfaces.controller import Command
from footfall.interfaces.plugin import StatePart
from footfall.jit.compiling import bind
from footfall.jit.tables import table_of
from footfall.model.devices import Transmission
from footfall.typing import Floats
from footfall_stepper.kernels.joints.drives import find_loads, keep_reactions, saturate, take_over
from footfall_stepper.world.state import Part, State, own_parts
from footfall_stepper.world.world import World


@dataclass(frozen=True, slots=True)
class DriveCalls:
    """Calls of a drive in each step, in order.

    Attributes:
        command: replace the commands by what the drive delivers.
        friction: set the dry friction, once the dynamics are known.
        after: take the length of the step's last part, [s]; keep what the next step needs.
    """

    command: list[Callable[[], None]]
    friction: list[Callable[[], None]] = field(default_factory=list)
    after: list[Callable[[float], None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class DriveGroup:
    """A group of a body's joints and their drive.

    Attributes:
        body: name.
        actuator: turns commands into torques.
        joints: names.
        transmission: from motors to joints.
        limit: shape (n,), largest torque behind the gear, [N m or N].
        speed: shape (n,), no-load speed behind the gear, [rad/s or m/s].
        refusal: builds the error for a group that cannot be driven; names its declaration.
    """

    body: str
    actuator: Actuator
    joints: tuple[str, ...]
    transmission: Transmission
    limit: Floats
    speed: Floats
    refusal: Callable[[str], FootfallError] = PluginError

    @property
    def title(self) -> str:
        """Name of its part of the state: body and first joint."""
        return f"actuator.{self.body}.{self.joints[0]}"

    def parts(self) -> tuple[Part, ...]:
        """List the parts of the state that its actuator owns."""
        n = len(self.joints)
        reaction = [StatePart("reaction", per="joint")] if self.actuator.rubs else []
        return tuple(
            Part.of(part, f"{self.title}.{part.name}", (n, part.width))
            for part in (*self.actuator.state_parts, *reaction)
        )

    def connect(self, world: World, state: State, time_step: float) -> DriveCalls:
        """Start the actuator and return the functions to call in each step.

        Raises:
            FootfallError: if the actuator cannot drive the group: its ``refusal``.
        """
        drive = Drive(
            self.joints,
            self.transmission.coupling is not None,
            self._arrays(world, state, time_step),
            {p.name: own_parts(state)[f"{self.title}.{p.name}"] for p in self.actuator.state_parts},
        )
        try:
            if self.transmission.friction.any() and not self.actuator.reflects:
                raise PluginError(f'actuator "{self.actuator.name}" has no coulomb_friction')
            if self.actuator.rubs and self.transmission.coupling is not None:
                raise PluginError(f'actuator "{self.actuator.name}" takes no coupling')
            if self.actuator.rubs and not (self.transmission.friction > 0.0).all():
                raise PluginError(f'actuator "{self.actuator.name}" needs a coulomb_friction > 0')
            self.actuator.start(drive)
        except PluginError as error:
            raise self.refusal(f"drive of {self.joints[0]} of {self.body}: {error}") from error
        calls: list[Callable[[], None]] = []
        if np.isfinite(self.limit).any():
            calls.append(bind(saturate, table_of(drive.arrays)))
        own = self.actuator.bound(drive)
        calls = [*calls, own] if own else calls
        rub = self.actuator.rub(drive)
        if rub is None:
            return DriveCalls(calls)
        tables = table_of(world.topology, world.joints, world.dynamics), table_of(drive.arrays)
        after = bind(keep_reactions, *tables, own_parts(state)["joint_impulse"], like=(0.0,))
        return DriveCalls(calls, [bind(find_loads, *tables), rub], [after])

    def _arrays(self, world: World, state: State, time_step: float) -> DriveArrays:
        joints, transmission, n = world.joints, self.transmission, len(self.joints)
        dof = world.joint_slice(world.index(self.body)).start + transmission.joints
        T, rows = transmission.coupling, world.joint_rows
        names = [f"{self.body}/{joint}/friction" for joint in self.joints if self.actuator.rubs]
        dry = [world.joint_row_names.index(x) for x in names if x in world.joint_row_names]
        return DriveArrays(
            dof=np.asarray(dof, np.int64),
            coordinate=world.topology.dof_q[dof],
            tau=joints.tau,
            stiffness=joints.stiffness,
            rate_gain=joints.rate_gain,
            target=joints.target,
            target_rate=joints.target_rate,
            q=state["q"],
            v=state["v"],
            dt=np.array([time_step]),
            inertia=transmission.inertia.copy(),
            damping=transmission.damping.copy(),
            limit=self.limit.copy(),
            speed=self.speed.copy(),
            to_motor=np.zeros((0, 0)) if T is None else np.ascontiguousarray(T.T),
            to_joint=np.zeros((0, 0)) if T is None else np.ascontiguousarray(np.linalg.inv(T).T),
            torque=np.zeros(n),
            motor_torque=np.zeros(n),
            friction=rows.value[dry].copy(),
            load=np.zeros(n),
            reaction=own_parts(state).get(f"{self.title}.reaction", np.zeros((n, 1))),
            row=np.array(dry, np.int64),
            bound=rows.value,
        )


def _arrays(command: Command) -> tuple[Floats, ...]:
    """Return the arrays of a command."""
    gains = command.stiffness, command.damping
    return command.tau, *gains, command.target, command.target_rate


class JointCommands:
    """Carries a body's commands through its drives to the joints.

    Controllers write to ``command``, which belongs to them. Entries not written in a step keep the
    commanded value, not the delivered one.

    Attributes:
        command: of the body's controller.
        take_over: call that takes over the controller's command; None without drives.
        drives: calls that replace the commands of driven joints by the torques of their drives.
        friction, after: further calls of the drives, see ``DriveCalls``.
    """

    __slots__ = ("_into", "after", "command", "drives", "friction", "take_over")

    def __init__(
        self, world: World, state: State, body: str, drives: Sequence[DriveGroup], time_step: float
    ) -> None:
        at = world.joint_slice(world.index(body))
        joints = world.joints
        self._into = Command(
            tau=joints.tau[at],
            stiffness=joints.stiffness[at],
            damping=joints.rate_gain[at],
            target=joints.target[at],
            target_rate=joints.target_rate[at],
        )
        groups = [d.connect(world, state, time_step) for d in drives]
        self.drives = [call for group in groups for call in group.command]
        self.friction = [call for group in groups for call in group.friction]
        self.after = [call for group in groups for call in group.after]
        self.command = Command.allocate(at.stop - at.start) if self.drives else self._into
        self.take_over: Callable[[], object] | None = None
        if self.drives:
            self.take_over = bind(take_over, *_arrays(self.command), *_arrays(self._into))
