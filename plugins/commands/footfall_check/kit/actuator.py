"""Checks of actuators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from footfall.api.actuator import Drive
from footfall.api.errors import PluginError
from footfall.api.plugin import Floats
from footfall.testing.check import Finding, Subject, checks_of, worst
from footfall.testing.declarations import declarations
from footfall_check.kit.stage import drive_at_rest

DT = 1e-3
PATIENCE = 20000
"""Steps after which a drive must have settled on a joint that is held."""
SETTLED = 1e-6
"""Torque that may then still be missing, relative."""
INERTIA = 0.05
"""Of each rotor behind its gear, [kg m^2]."""


def started(subject: Subject) -> Drive:
    """Return a group for an actuator: with inertia in its rotors if it takes one."""
    try:
        return drive_at_rest(subject.make(), INERTIA, DT)
    except PluginError:
        return drive_at_rest(subject.make(), 0.0, DT)


def commands(drive: Drive, seed: int) -> Floats:
    """Write a command of order one into a group; return torques that it asks for now."""
    rng, a = np.random.default_rng(seed), drive.arrays
    a.tau[:] = a.stiffness[:] = a.rate_gain[:] = 0.0
    a.tau[a.dof] = rng.normal(size=len(a.dof))
    return a.tau[a.dof].copy()


def delivered(drive: Drive) -> Floats:
    """Return the torque that acts in joints that do not move."""
    a = drive.arrays
    error = a.q[a.coordinate] - a.target[a.dof]
    torque: Floats = a.tau[a.dof] - a.stiffness[a.dof] * error
    return torque + a.rate_gain[a.dof] * a.target_rate[a.dof]


def stepped(subject: Subject, drive: Drive, seeds: Iterable[int]) -> list[Floats]:
    """Return what a fresh actuator delivers for a row of commands, the joints held."""
    return called(subject.make().bound(drive), drive, seeds)


def called(call: Callable[[], None] | None, drive: Drive, seeds: Iterable[int]) -> list[Floats]:
    """Return what is delivered for a row of commands, the joints held."""
    found = []
    for seed in seeds:
        commands(drive, seed)
        if call:
            call()
        found.append(delivered(drive))
    return found


def steady_state(subject: Subject) -> Finding:
    """In a joint that is held, the torque becomes the one commanded, beside what is passive."""
    drive, beside, error = started(subject), unasked(subject), np.inf
    call = subject.make().bound(drive)
    for _ in range(PATIENCE if call else 1):
        asked = commands(drive, 0)
        if call:
            call()
        error = float(np.abs(delivered(drive) - asked - beside).max())
    return Finding(error <= SETTLED, f"misses it by {error:.1e} after {PATIENCE * DT:g} s")


def unasked(subject: Subject) -> Floats:
    """Return what acts from the start, without a command, in joints at rest."""
    drive = started(subject)
    call = subject.make().bound(drive)
    if call:
        call()
    return delivered(drive)


def no_push_at_rest(subject: Subject) -> Finding:
    """From the start, without a command, nothing acts in joints at rest but what is passive."""
    pushed = float(np.abs(unasked(subject)).max())
    allowed = pushed == 0.0 or subject.make().passive
    return Finding(allowed, f"delivers {pushed:.1e} N m unasked")


def finite(subject: Subject) -> Finding:
    """What is delivered is finite, and gains are not negative."""
    return worst(_finite(subject, seed) for seed in range(4))


def _finite(subject: Subject, seed: int) -> Finding:
    drive = started(subject)
    drive.arrays.v[:] = np.random.default_rng(seed).normal(size=len(drive.arrays.v))
    torques = stepped(subject, drive, range(seed, seed + 20))
    a = drive.arrays
    if not np.isfinite(torques).all():
        return Finding(False, "a torque is not finite")
    negative = (a.stiffness < 0.0).any() or (a.rate_gain < 0.0).any()
    return Finding(not negative, "gains after 20 commands, joints moving")


def inputs(subject: Subject) -> Finding:
    """Only the group's commands and the actuator's own state are written."""
    drive = started(subject)
    a = drive.arrays
    a.tau[:6] = 7.0
    before = [np.array(x) for x in _inputs(a)]
    call = subject.make().bound(drive)
    if call:
        call()
    same = all(np.array_equal(x, y) for x, y in zip(before, _inputs(a), strict=True))
    return Finding(same, "positions, velocities, rotors and the other joints' commands")


def _inputs(a: Any) -> tuple[Any, ...]:
    others = np.arange(6)
    return (
        *(a.q, a.v, a.dt, a.inertia, a.damping, a.limit, a.speed, a.dof, a.coordinate),
        *(x[others] for x in (a.tau, a.stiffness, a.rate_gain, a.target, a.target_rate)),
    )


def no_hidden_state(subject: Subject) -> Finding:
    """A restored state goes on bit for bit, with another object of the actuator."""
    drive = started(subject)
    call = subject.make().bound(drive)
    called(call, drive, range(5))
    kept = {name: values.copy() for name, values in drive.state.items()}
    first = np.array(called(call, drive, range(5, 10)))
    other = started(subject)
    for name, values in kept.items():
        other.state[name][:] = values
    same = np.array(stepped(subject, other, range(5, 10))).tobytes() == first.tobytes()
    return Finding(same, "five commands, then five more from the saved state")


CHECKS = checks_of(
    "actuator",
    declarations,
    no_push_at_rest,
    steady_state,
    finite,
    inputs,
    no_hidden_state,
)
