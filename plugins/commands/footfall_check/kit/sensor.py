"""The checks of sensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from footfall.api.device import Signal
from footfall.api.plugin import Floats, PluginError
from footfall.testing.check import Finding, NotApplicable, Subject, checks_of, worst
from footfall.testing.declarations import declarations
from footfall_check.kit.sensed_robot import Robot

KINDS = ("vector", "quaternion", "switch")
SEEDS = range(4)


def signals_of(subject: Subject, robot: Robot) -> tuple[Signal, ...]:
    """Return the signals of a sensor.

    Raises:
        NotApplicable: if it cannot be attached to the robot with these settings.
    """
    try:
        found: tuple[Signal, ...] = subject.make().signals(robot.body)
    except PluginError as error:
        raise NotApplicable(f"does not fit the kit's robot: {error}") from error
    return found


def measuring(subject: Subject, robot: Robot) -> tuple[Callable[[Floats], None], Floats]:
    """Return a fresh sensor's measurement function and its output array."""
    width = sum(len(signal.components) for signal in signals_of(subject, robot))
    out = np.full(width, np.nan)
    return subject.make().bound(robot.mount(out)), out


def signals(subject: Subject) -> Finding:
    """Check that signals have unique names, components, units and a meaning."""
    found = signals_of(subject, Robot())
    names = [signal.name for signal in found]
    mistakes = [f"{names} are not unique"] if len(set(names)) < len(names) else []
    for signal in found:
        if not signal.name.isidentifier():
            mistakes.append(f"{signal.name!r} is not an identifier")
        if not (signal.components and signal.units and signal.long_name):
            mistakes.append(f"{signal.name} lacks components, units or a meaning")
        if signal.kind not in KINDS or (
            signal.kind == "quaternion" and len(signal.components) != 4
        ):
            mistakes.append(f"{signal.name} is not a {signal.kind}")
    return Finding(bool(found) and not mistakes, "; ".join(mistakes) or ", ".join(names))


def measurement(subject: Subject) -> Finding:
    """Check that all signals are written and finite, quaternions have length 1, switches 0 or 1."""
    return worst(_measurement(subject, seed) for seed in SEEDS)


def _measurement(subject: Subject, seed: int) -> Finding:
    robot = Robot()
    call, out = measuring(subject, robot)
    call(robot.row(seed))
    if not np.isfinite(out).all():
        return Finding(False, f"component {int(np.argmin(np.isfinite(out)))} is not finite")
    at = 0
    for signal in signals_of(subject, robot):
        values = out[at : at + len(signal.components)]
        at += len(values)
        if signal.kind == "quaternion" and abs(np.linalg.norm(values) - 1.0) > 1e-12:
            return Finding(False, f"{signal.name} is not a unit quaternion")
        if signal.kind == "switch" and not np.isin(values, (0.0, 1.0)).all():
            return Finding(False, f"{signal.name} is neither 0 nor 1")
    return Finding(True, f"{len(out)} components")


def reading(subject: Subject) -> Finding:
    """Check that a reading's fields are named views of all components."""
    robot = Robot()
    names = [signal.name for signal in signals_of(subject, robot)]
    values = np.zeros(sum(len(signal.components) for signal in signals_of(subject, robot)))
    made: Any = subject.make().reading(robot.body, values)
    missing = [name for name in names if not hasattr(made, name)]
    if missing:
        return Finding(False, f"has no field {missing[0]!r}")
    values[:] = np.arange(1.0, len(values) + 1.0)
    seen = np.concatenate([np.ravel(getattr(made, name)) for name in names])
    return Finding(np.array_equal(seen, values), f"fields {', '.join(names)}")


def inputs(subject: Subject) -> Finding:
    """Check that it only reads the row and the world."""
    robot = Robot()
    call, _ = measuring(subject, robot)
    row = robot.row(5)
    before = row.tobytes() + robot.world.dynamics.pose.tobytes() + robot.world.dynamics.S.tobytes()
    call(row)
    after = row.tobytes() + robot.world.dynamics.pose.tobytes() + robot.world.dynamics.S.tobytes()
    return Finding(before == after, "row, poses and twists")


def no_hidden_state(subject: Subject) -> Finding:
    """Check that a measurement depends on the row and the world alone."""
    robot = Robot()
    call, out = measuring(subject, robot)
    for seed in (1, 2, 3):
        call(robot.row(seed))
    call(robot.row(1))
    other = Robot()
    fresh, expected = measuring(subject, other)
    fresh(other.row(1))
    return Finding(out.tobytes() == expected.tobytes(), "after other rows, and fresh")


CHECKS = checks_of(
    "sensor",
    declarations,
    signals,
    measurement,
    reading,
    inputs,
    no_hidden_state,
)
