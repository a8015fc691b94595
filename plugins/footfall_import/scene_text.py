"""The text of a proposed scene in which the robot stands."""

from __future__ import annotations

from collections.abc import Mapping

from footfall_import.gains import FREQUENCY, SAG
from footfall_import.proposal import Proposal
from footfall_import.toml_text import comment, key, number, text


def scene_text(proposal: Proposal) -> str:
    """Return the text of ``scenes/standing.toml``."""
    does = "stands, held by position gains" if proposal.stiffness else "lies on the ground"
    body = f"bodies.{key(proposal.name)}"
    parts = [
        f"description = {text(f'{proposal.name} {does}')}",
        "[simulation]\nduration = 5.0\ntime_step = 1e-3",
        '[world.terrain]\nplugin = "plane"\nfriction = 0.6',
        f'[{body}]\nrobot = "../robot.toml"',
    ]
    if proposal.stiffness:
        parts += [f'[{body}.controller]\nplugin = "posture"', *_gains(body, proposal)]
    return "\n\n".join(parts) + "\n"


def _gains(body: str, proposal: Proposal) -> list[str]:
    rule = (
        f"[N m/rad]: each joint gives way by {SAG} rad at most under the weight that it can have "
        f"to hold, and swings at {FREQUENCY:g} rad/s at least. Between base and feet, that is the "
        "part of the robot that does not stand on the ground."
    )
    return [
        comment(rule) + "\n" + _table(f"{body}.controller.stiffness", proposal.stiffness),
        comment("[N m s/rad]: critical damping, 2 sqrt(stiffness * inertia).")
        + "\n"
        + _table(f"{body}.controller.damping", proposal.damping),
    ]


def _table(name: str, values: Mapping[str, float]) -> str:
    lines = [f"{key(joint)} = {number(value)}" for joint, value in values.items()]
    return "\n".join([f"[{name}]", *lines])
