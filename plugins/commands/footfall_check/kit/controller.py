"""The checks of controllers."""

from __future__ import annotations

import numpy as np

from footfall.api.device import Command
from footfall.testing.check import Finding, Subject, checks_of, worst
from footfall.testing.declarations import declared, pace_mistakes, plugin_mistakes
from footfall_check.kit.stage import POSTURE, Chain, Stage, stages

FIELDS = ("tau", "stiffness", "damping", "target", "target_rate")


def declarations(subject: Subject) -> Finding:
    """Check that the declarations of the class are well formed."""
    return declared(plugin_mistakes(subject.cls) + pace_mistakes(subject.cls))


def finite(subject: Subject) -> Finding:
    """Check that torques, gains and targets are finite, and gains not negative."""
    return worst(_finite(subject, at, seed) for at in stages(subject) for seed in range(8))


def _finite(subject: Subject, at: Stage, seed: int) -> Finding:
    command = at.command(at.ready(subject), seed)
    for name in FIELDS:
        if not np.isfinite(getattr(command, name)).all():
            return Finding(False, f"{at.title}: {name} is not finite")
    if (command.stiffness < 0.0).any() or (command.damping < 0.0).any():
        return Finding(False, f"{at.title}: a gain is negative")
    return Finding(True, f"{at.joints} joints, {at.title}")


def inputs(subject: Subject) -> Finding:
    """Check that it neither changes nor keeps observation and posture."""
    return worst(_inputs(subject, at) for at in stages(subject))


def _inputs(subject: Subject, at: Stage) -> Finding:
    controller = at.ready(subject)
    seen, command = at.observe(controller, 1), Command.allocate(at.joints)
    before = seen.q.tobytes() + seen.v.tobytes()
    controller.command(seen, command)
    if seen.q.tobytes() + seen.v.tobytes() != before:
        return Finding(False, f"{at.title}: q or v changed")
    expected = _bits(command)
    if not at.spoil():
        return Finding(False, f"{at.title}: posture changed")
    same = _bits(at.command(controller, 1)) == expected
    return Finding(same, f"{at.title}: the command after the posture was overwritten")


def deterministic(subject: Subject) -> Finding:
    """Check that fresh controllers give the same command for the same observation, bit for bit."""
    return worst(_deterministic(subject, at) for at in stages(subject))


def _deterministic(subject: Subject, at: Stage) -> Finding:
    found = {_bits(at.command(at.ready(subject), 2)) for _ in range(3)}
    return Finding(len(found) == 1, f"{at.title}: {len(found)} different commands of 3")


def no_hidden_state(subject: Subject) -> Finding:
    """Check that the command depends on the observation alone, not on earlier calls."""
    return worst(_no_hidden_state(subject, at) for at in stages(subject))


def _no_hidden_state(subject: Subject, at: Stage) -> Finding:
    seeds = (3, 4, 5, 3, 6)
    expected = [_bits(at.command(at.ready(subject), seed)) for seed in seeds]
    used, kept = at.ready(subject), Command.allocate(at.joints)
    for seed, bits in zip(seeds, expected, strict=True):
        if _bits(at.command(used, seed, kept)) != bits:
            return Finding(False, f"{at.title}: other observations changed the command")
    same = _bits(at.command(used, 6)) == expected[-1]
    return Finding(same, f"{at.title}: into a command kept from before, and into a new one")


def set_up_again(subject: Subject) -> Finding:
    """Check that a second setup replaces the first completely."""
    last = stages(subject)[-1]
    expected = _bits(last.command(last.ready(subject), 7))
    first = Chain("floating", -POSTURE) if subject.scene is None else last
    used = first.ready(subject)
    first.command(used, 6)
    last.set_up(used)
    same = _bits(last.command(used, 7)) == expected
    return Finding(same, f"for {first.title} first, then for {last.title}")


def _bits(command: Command) -> bytes:
    return b"".join(getattr(command, name).tobytes() for name in FIELDS)


CHECKS = checks_of(
    "controller",
    declarations,
    finite,
    inputs,
    deterministic,
    no_hidden_state,
    set_up_again,
)
