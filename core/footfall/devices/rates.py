"""Times as whole numbers of steps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from footfall.errors import SettingError
from footfall.interfaces.controller import Command, Controller, Observation
from footfall.jit.compiling import bind
from footfall.jit.tables import table_of
from footfall.kernels.joints import drives as kernels
from footfall.world.arrays import HoldArrays
from footfall.world.state import Part, State

WHOLE = 1e-6
"""How far from a whole number of steps a period or a delay may be, in steps."""


def whole_ticks(seconds: float, time_step: float, key: str) -> int:
    """Return a time as a number of steps.

    Raises:
        SettingError: if it is no whole number of them; names the nearest that are.
    """
    steps = seconds / time_step
    ticks = round(steps)
    if abs(steps - ticks) > WHOLE or (seconds > 0.0 and ticks == 0):
        around = sorted({math.floor(steps), math.ceil(steps)})
        near = " or ".join(f"{n * time_step:.6g}" for n in around)
        raise SettingError(
            f"{key} {seconds:g} is no whole number of time steps of {time_step:g} s: {near} s is",
            key,
        )
    return ticks


def period_of(rate: float, time_step: float) -> int:
    """Return how many steps pass from one time to the next, at so many a second.

    Raises:
        SettingError: if it is no whole number of them; names the nearest rates that are.
    """
    steps = 1.0 / (rate * time_step)
    ticks = round(steps)
    if abs(steps - ticks) > WHOLE or ticks == 0:
        around = sorted({max(math.floor(steps), 1), max(math.ceil(steps), 1)}, reverse=True)
        near = " or ".join(f"{1.0 / (n * time_step):.9g}" for n in around)
        raise SettingError(
            f"rate {rate:g}: its period is no whole number of time steps of {time_step:g} s: "
            f"{near} Hz is",
            "rate",
        )
    return ticks


FIELDS = 5
"""Numbers of a joint's command: torque, stiffness, damping, target, target rate."""


@dataclass(frozen=True, slots=True)
class ControllerRate:
    """A controller's pace in steps.

    Attributes:
        period: from one command to the next.
        delay: from what a controller sees to the first step in which its command acts.
    """

    period: int = 1
    delay: int = 0

    @property
    def holds(self) -> bool:
        """Whether commands are kept beyond the step in which they are given."""
        return self.period > 1 or self.delay > 0

    def parts(self, body: str, n: int) -> tuple[Part, ...]:
        """List the parts of the state: the last command given, and those not yet replaced."""
        if not (self.holds and n):
            return ()
        samples = -(-self.delay // self.period) + 1
        return (
            Part(f"{_title(body)}.command", (FIELDS, n)),
            Part(f"{_title(body)}.line", (samples, FIELDS * n)),
        )


def _title(body: str) -> str:
    return f"hold.{body}"


class PacedDriver:
    """Calls a controller at its pace, and lets what it has commanded act.

    Args:
        controller: what commands.
        observation: what it sees.
        state: that holds ``ticks.parts``.
        body: name.
        ticks: the pace.
        out: where what acts is written.
    """

    __slots__ = ("_arrive", "_command", "_mine", "_period", "_seen", "_send")

    def __init__(
        self,
        controller: Controller,
        observation: Observation,
        state: State,
        body: str,
        ticks: ControllerRate,
        out: Command,
    ) -> None:
        self._command, self._seen, self._period = controller.command, observation, ticks.period
        given = state[f"{_title(body)}.command"]
        self._mine = Command(*given)
        table = table_of(
            HoldArrays(
                np.array([ticks.period, ticks.delay], np.int64),
                given.reshape(-1),
                state[f"{_title(body)}.line"],
                *(out.tau, out.stiffness, out.damping, out.target, out.target_rate),
            )
        )
        self._send = bind(kernels.send, table, like=(0,))
        self._arrive = bind(kernels.arrive, table, like=(0,))

    def act(self, time: float, tick: int) -> None:
        """Drive the step ``tick`` that starts at ``time`` [s]."""
        if tick % self._period == 0:
            self._seen.time = time
            self._command(self._seen, self._mine)
            self._send(tick)
        self._arrive(tick)
