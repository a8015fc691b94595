"""Findings of an import: masses, inertias, limits, friction, loops and conditioning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from footfall.api.advanced import Joint, ModelCoupling, ModelJoining, Urdf, odd_inertias

Level = Literal["note", "warning", "error"]
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, shown as one line.

    Attributes:
        level: ``error``: no folder is written; ``warning``: something is left out or looks wrong;
            ``note``: a choice that was made, or information.
        subject: the part of the model, e.g. ``joint "l_knee"``.
        text: the finding itself.
        lost: True if the robot differs from the file because of it; ``--strict`` rejects it.
    """

    level: Level
    subject: str
    text: str
    lost: bool = False


def warned(message: str) -> Finding:
    """Return a warning from the robot's reader as a finding."""
    return Finding("warning", "model", message)


def worst_first(findings: list[Finding]) -> list[Finding]:
    """Return the distinct findings sorted by level; the order within a level is kept."""
    distinct = list(dict.fromkeys(findings))
    return sorted(distinct, key=lambda finding: LEVELS.index(finding.level))


ILL_CONDITIONED = 1e8
"""Condition number of the inertia matrix from which Footfall warns."""
PLACEHOLDER = 10.0
"""Ratio of effort limit to robot weight at arm's length above which a limit is a placeholder."""


def check_masses(urdf: Urdf, *, root_moves: bool) -> list[Finding]:
    """Return errors for moving bodies with impossible inertia, and findings for odd links."""
    odd = list(odd_inertias(urdf, urdf.movable, root_moves=root_moves))
    found = [
        Finding("error", f'link "{each.link}"', f"{each.problem} (--repair-inertia corrects it)")
        for each in odd
        if not each.allowed
    ]
    for each in odd:
        if each.allowed and "no inertia" not in each.problem:
            text = f"{each.problem}; used, because its body as a whole is sound"
            found.append(Finding("warning", f'link "{each.link}"', text))
    points = [each.link for each in odd if each.allowed and "no inertia" in each.problem]
    if points:
        text = f"mass without inertia, used as point masses of their bodies: {points[0]}"
        more = f" and {len(points) - 1} more" if len(points) > 1 else ""
        found.append(Finding("note", f"{len(points)} links", text + more))
    for joint in massless_joints(urdf):
        shaped = (
            "--density takes it from its shapes, " if urdf.links[joint.child].collisions else ""
        )
        ways = f"{shaped}--repair-inertia welds it"
        text = f'link "{joint.child}" that it moves has no mass ({ways})'
        found.append(Finding("error", f'joint "{joint.name}"', text))
    if root_moves and not any(_mass_of(urdf, name) for name in urdf.links):
        text = "it and its children have no mass (--base fixed makes it part of the world)"
        found.append(Finding("error", f'link "{urdf.root}"', text))
    return found


def massless_joints(urdf: Urdf) -> list[Joint]:
    """Return the movable joints that move no mass, ends of chains first."""
    carried = {name: _mass_of(urdf, name) for name in urdf.links}
    found = []
    for joint in reversed(list(urdf.depth_first())):
        carried[joint.parent] += carried[joint.child]
        if joint.name in urdf.movable and carried[joint.child] == 0.0:
            found.append(joint)
    return found


def _mass_of(urdf: Urdf, link: str) -> float:
    inertial = urdf.links[link].inertial
    return inertial.mass if inertial is not None else 0.0


def check_joints(urdf: Urdf) -> list[Finding]:
    """Return a warning for each movable joint whose limits look wrong."""
    return [
        Finding("warning", f'joint "{joint.name}"', text)
        for joint in urdf.joints.values()
        if joint.type != "fixed"
        for text in _odd_limits(joint)
    ]


def check_friction(urdf: Urdf) -> list[Finding]:
    """Return a note if the model file gives Coulomb friction."""
    rubbing = [j for j in urdf.joints.values() if j.type != "fixed" and j.friction > 0.0]
    if not rubbing:
        return []
    text = f"Coulomb friction of the model file acts ({rubbing[0].name}: {rubbing[0].friction:g})"
    return [Finding("note", f"{len(rubbing)} joints", text)]


def check_efforts(urdf: Urdf, needed: float) -> list[Finding]:
    """Return a note if effort limits look like placeholders.

    Args:
        urdf: the model.
        needed: torque that would hold the whole robot at arm's length, [N m].
    """
    odd = [
        joint.name
        for joint in urdf.joints.values()
        if joint.type in ("revolute", "continuous")
        and takes_effort(joint)
        and joint.limits.effort > PLACEHOLDER * needed
    ]
    if not odd:
        return []
    text = f"above {PLACEHOLDER:g} times the robot's weight at arm's length: a placeholder?"
    return [Finding("note", f"effort limits of {len(odd)} joints", f"{text} ({odd[0]}, ...)")]


def check_loops(loops: Sequence[ModelJoining | ModelCoupling]) -> list[Finding]:
    """Return notes that list the loops of the model."""
    followers = [loop.joint for loop in loops if isinstance(loop, ModelCoupling)]
    found = []
    if followers:
        text = f"follow others, as the model file says ({followers[0]}, ...)"
        found.append(Finding("note", f"{len(followers)} joints", text))
    for loop in loops:
        if not isinstance(loop, ModelCoupling):
            ends = " and ".join(loop.frames)
            found.append(Finding("note", f'loop "{loop.name}"', f"{loop.kind} of {ends}"))
    return found


def check_condition(condition: float) -> list[Finding]:
    """Return a warning if masses differ so much that the dynamics lose digits."""
    if condition < ILL_CONDITIONED:
        return []
    digits = int(np.log10(condition))
    text = f"condition number {condition:.1e}: about {digits} of 16 digits are lost"
    return [Finding("warning", "inertia matrix", f"{text} (rotors or armature would help)")]


def takes_limits(joint: Joint) -> bool:
    """Whether a joint's position limits can be taken as stops."""
    lower, upper = joint.limits.lower, joint.limits.upper
    return bool(np.isfinite(lower) or np.isfinite(upper)) and lower < upper


def takes_effort(joint: Joint) -> bool:
    """Whether a joint's effort limit can be taken as that of its drive."""
    return bool(np.isfinite(joint.limits.effort)) and joint.limits.effort > 0.0


def _odd_limits(joint: Joint) -> list[str]:
    limits, found = joint.limits, []
    if joint.type != "continuous" and limits.lower >= limits.upper:
        found.append(f"position limits are both {limits.lower:g}: not taken")
    if limits.effort == 0.0:
        found.append("effort limit is 0: not taken")
    return found
