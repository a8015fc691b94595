"""Checks of actuators."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from footfall.api.device import Drive
from footfall.api.plugin import Floats, PluginError
from footfall.testing.check import Finding, Subject, checks_of, worst
from footfall.testing.declarations import declarations
from footfall_check.kit.stage import drive_at_rest

DT = 1e-3
PATIENCE = 20000
"""Steps after which a drive must have settled, with its joint held."""
SETTLED = 1e-6
"""Allowed relative error of the torque after them."""
INERTIA = 0.05
"""Inertia of each rotor behind its gear, [kg m^2]."""


def started(subject: Subject) -> Drive:
    """Return a group for an actuator, with rotor inertia if the actuator uses it."""
    try:
        return drive_at_rest(subject.make(), INERTIA, DT)
    except PluginError:
        return drive_at_rest(subject.make(), 0.0, DT)


def commands(drive: Drive, seed: int) -> Floats:
    """Write a command of order one into a group; return its torques."""
    return command(drive, np.random.default_rng(seed).normal(size=len(drive.arrays.dof)))


def command(drive: Drive, torques: Floats) -> Floats:
    """Write commanded torques into a group; return them."""
    a = drive.arrays
    a.tau[:] = a.stiffness[:] = a.rate_gain[:] = 0.0
    a.tau[a.dof] = torques
    return torques


def delivered(drive: Drive) -> Floats:
    """Return the torque on joints that do not move."""
    a = drive.arrays
    error = a.q[a.coordinate] - a.target[a.dof]
    torque: Floats = a.tau[a.dof] - a.stiffness[a.dof] * error
    return torque + a.rate_gain[a.dof] * a.target_rate[a.dof]


def stepped(subject: Subject, drive: Drive, seeds: Iterable[int]) -> list[Floats]:
    """Return the torques of a fresh actuator for a series of commands, with the joints held."""
    return called(subject.make().bound(drive), drive, seeds)


def called(call: Callable[[], None] | None, drive: Drive, seeds: Iterable[int]) -> list[Floats]:
    """Return the torques for a series of commands, with the joints held."""
    found = []
    for seed in seeds:
        commands(drive, seed)
        if call:
            call()
        found.append(delivered(drive))
    return found


def steady_state(subject: Subject) -> Finding:
    """Check that the torque of a held joint approaches the commanded plus the passive torque."""
    drive, beside, error = started(subject), unasked(subject), np.inf
    call, asked = subject.make().bound(drive), commands(drive, 0)
    for _ in range(PATIENCE if call else 1):
        command(drive, asked)
        if call:
            call()
        error = float(np.abs(delivered(drive) - asked - beside).max())
    return Finding(error <= SETTLED, f"error {error:.1e} after {PATIENCE * DT:g} s")


def unasked(subject: Subject) -> Floats:
    """Return the torque at the start on joints at rest, without a command."""
    drive = started(subject)
    call = subject.make().bound(drive)
    if call:
        call()
    return delivered(drive)


def no_push_at_rest(subject: Subject) -> Finding:
    """Check that without a command only passive torques act on joints at rest."""
    pushed = float(np.abs(unasked(subject)).max())
    allowed = pushed == 0.0 or subject.make().passive
    return Finding(allowed, f"delivers {pushed:.1e} N m without a command")


def finite(subject: Subject) -> Finding:
    """Check that torques are finite, and gains are not negative."""
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
    """Check that it writes only the group's commands and its own state."""
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
    """Check that another object of the actuator continues a restored state bit for bit."""
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
