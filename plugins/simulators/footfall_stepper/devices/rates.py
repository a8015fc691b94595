"""Times as whole numbers of steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.errors import SettingError
from footfall.interfaces.controller import Command
from footfall.jit.stages import Stage, Stages, bind_calling
from footfall_stepper.kernels.joints.drives import keep_pace
from footfall_stepper.world.state import Part, State, own_parts
from footfall_stepper.world.step_arrays import HoldArrays

WHOLE = 1e-6
"""Largest deviation of a period or a delay from a whole number of steps, in steps."""
MOST = 2.0**53
"""Number of steps from which a float does not tell one from the next."""


def whole_ticks(seconds: float, time_step: float, key: str) -> int:
    """Return a time as a number of steps.

    Raises:
        SettingError: if it is not a whole number of steps; names the nearest times that are.
    """
    steps = seconds / time_step
    if not steps < MOST:
        raise SettingError(f"{key} {seconds:g} s is longer than 2^53 time steps", key)
    ticks = round(steps)
    if abs(steps - ticks) > WHOLE or (seconds > 0.0 and ticks == 0):
        around = sorted({math.floor(steps), math.ceil(steps)})
        near = " or ".join(f"{n * time_step:.6g}" for n in around)
        raise SettingError(
            f"{key} {seconds:g} s is not a multiple of the time step, {time_step:g} s: {near} s is",
            key,
        )
    return ticks


def period_of(rate: float, time_step: float) -> int:
    """Return the number of steps between two events at a rate per second.

    Raises:
        SettingError: if it is not a whole number of steps; names the nearest rates that are.
    """
    if not rate * time_step * MOST > 1.0:
        raise SettingError(f"rate {rate:g}: its period is longer than 2^53 time steps", "rate")
    steps = 1.0 / (rate * time_step)
    ticks = round(steps)
    if abs(steps - ticks) > WHOLE or ticks == 0:
        around = sorted({max(math.floor(steps), 1), max(math.ceil(steps), 1)}, reverse=True)
        near = " or ".join(f"{1.0 / (n * time_step):.9g}" for n in around)
        raise SettingError(
            f"rate {rate:g}: its period is not a multiple of the time step, {time_step:g} s: "
            f"{near} Hz is",
            "rate",
        )
    return ticks


Ask = Callable[[Command], Callable[[float], object]]
FIELDS = 5
"""Numbers of a joint's command: torque, stiffness, damping, target, target rate."""


@dataclass(frozen=True, slots=True)
class ControllerRate:
    """The period and delay of a controller, in steps.

    Attributes:
        period: from one command to the next.
        delay: from an observation to the first step in which its command acts.
    """

    period: int = 1
    delay: int = 0

    @property
    def holds(self) -> bool:
        """Whether commands are kept beyond the step in which they are given."""
        return self.period > 1 or self.delay > 0

    def parts(self, body: str, n: int) -> tuple[Part, ...]:
        """List the parts of the state: the last command given, and delayed commands."""
        if not (self.holds and n):
            return ()
        samples = -(-self.delay // self.period) + 1
        return (
            Part(f"{_title(body)}.command", (FIELDS, n)),
            Part(f"{_title(body)}.line", (samples, FIELDS * n)),
        )


def _title(body: str) -> str:
    return f"hold.{body}"


def paced_stage(
    program: Stages, ask: Ask, ticks: ControllerRate, body: str, state: State, out: Command
) -> Stage:
    """Return the stage that calls a controller when it is due, and applies its commands.

    Args:
        program: the program of the stage.
        ask: builds the call that requests a command, for a given output.
        ticks: period and delay.
        body: name.
        state: that holds ``ticks.parts``.
        out: output of the acting command.
    """
    given, line = (own_parts(state)[f"{_title(body)}.{name}"] for name in ("command", "line"))
    acting = out.tau, out.stiffness, out.damping, out.target, out.target_rate
    timing = np.array([ticks.period, ticks.delay], np.int64)
    arrays = HoldArrays(np.zeros((0, 2), np.int64), timing, given.reshape(-1), line, *acting)
    due = program.stage(ask(Command(*given)), program.time)
    return program.stage(bind_calling(keep_pace, arrays, due, like=(0.0,)), program.now)
