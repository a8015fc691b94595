"""The text of a proposed robot.toml."""

from __future__ import annotations

from collections.abc import Iterator

from footfall.model.loop_spec import CouplingSpec, FrameSpec, LoopSpec
from footfall_import.proposal import DriveGroup, Proposal
from footfall_import.sole import Sole
from footfall_import.toml_text import array, comment, key, number, text, vector


def robot_text(proposal: Proposal, file: str) -> str:
    """Return the text of robot.toml.

    Args:
        proposal: what to write.
        file: the model file, relative to robot.toml, or within the package.
    """
    parts = [_head(proposal), _model(proposal, file), *_posture(proposal)]
    parts += [_feature(sole) for sole in proposal.soles]
    if proposal.model.text is not None:  # else the model file says it by itself
        parts += [_loop(loop) for loop in proposal.model.loops]
    parts += list(_joints(proposal))
    parts += [_drive(group) for group in proposal.drives]
    return "\n\n".join(parts) + "\n"


def _head(proposal: Proposal) -> str:
    facts, located = proposal.facts, proposal.located
    where = (
        f"{located.place} of the package {located.package}"
        if located.package
        else located.path.name
    )
    said = f"{proposal.name}: {facts.mass:.4g} kg, {facts.joints} joints, imported from {where}"
    lines = [
        comment(
            "Proposed by footfall import. Each value says where it comes from; edit what you know "
            "better."
        ),
        f"description = {text(said)}",
        comment(f"{proposal.base}: {proposal.base_origin}."),
        f"base = {text(proposal.base)}",
    ]
    if proposal.base == "floating":
        if proposal.soles:
            lines.append(comment("The height at which the lowest contact point is at zero."))
        lines.append(f"base_position = [0.0, 0.0, {number(proposal.base_height, 12)}]")
    if any(abs(angle) > 1e-12 for angle in proposal.rpy):
        lines.append(f"base_orientation = {vector(proposal.rpy, 12)}")
    return "\n".join(lines)


def _model(proposal: Proposal, file: str) -> str:
    lines = ["[model]", f"file = {text(file)}"]
    if proposal.located.package and proposal.model.text is None:
        lines.append(f"package = {text(proposal.located.package)}")
    return "\n".join(lines)


def _posture(proposal: Proposal) -> Iterator[str]:
    if proposal.posture:
        lines = [comment(f"From {proposal.posture_origin}."), "[posture]"]
        lines += [f"{key(name)} = {number(value)}" for name, value in proposal.posture.items()]
        yield "\n".join(lines)


def _feature(sole: Sole) -> str:
    head = [comment(f"{sole.origin[0].upper()}{sole.origin[1:]}.")]
    if sole.kind == "point":
        points = array([vector(point) for point in sole.points])
        return "\n".join(
            [
                *head,
                "[[contact_features]]",
                f"frame = {text(sole.link)}",
                'kind = "point"',
                f"points = {points}",
            ]
        )
    tables = []
    for center in sole.points:
        lines = [
            "[[contact_features]]",
            f"frame = {text(sole.link)}",
            f"kind = {text(sole.kind)}",
            f"radius = {number(sole.radius)}",
            f"center = {vector(center)}",
        ]
        if sole.axis is not None:
            lines.append(f"axis = {vector(sole.axis, 12)}")
        tables.append("\n".join(lines))
    return "\n".join(head) + "\n" + "\n\n".join(tables)


def _loop(loop: LoopSpec) -> str:
    if isinstance(loop, CouplingSpec):
        lines = [
            comment("The model file makes this joint follow another."),
            "[[loops]]",
            *([f"name = {text(loop.name)}"] if loop.name else []),
            'kind = "coupling"',
            f"joint = {text(loop.joint)}",
            f"of = {text(loop.of)}",
            f"ratio = {number(loop.ratio)}",
            f"offset = {number(loop.offset)}",
        ]
    else:
        lines = [
            comment("The model file closes this loop."),
            "[[loops]]",
            *([f"name = {text(loop.name)}"] if loop.name else []),
            f"kind = {text(loop.kind)}",
            f"a = {_frame(loop.end(0))}",
            f"b = {_frame(loop.end(1))}",
        ]
    return "\n".join([*lines, "project = true"])


def _frame(end: FrameSpec) -> str:
    inside = [f"frame = {text(end.frame)}"]
    if end.position is not None:
        inside.append(f"position = {vector(end.position, 12)}")
    if end.orientation is not None:
        inside.append(f"orientation = {vector(end.orientation, 12)}")
    return "{ " + ", ".join(inside) + " }"


def _joints(proposal: Proposal) -> Iterator[str]:
    """Yield the tables of limits and armature; one line for all joints where that says it."""
    armature = proposal.model.armature
    limited = set(proposal.limited)
    joints = proposal.model.urdf.movable
    if not armature and limited and len(limited) == len(joints):
        origin = comment("Stops at the position limits of the model file.")
        yield f'{origin}\n[joint_dynamics."*"]\nlimits = "model"'
        return
    lines = []
    for name in joints:
        inside = ['limits = "model"'] if name in limited else []
        if armature.get(name):
            inside.append(f"armature = {number(armature[name])}")
        if inside:
            lines.append(f"{key(name)} = {{ {', '.join(inside)} }}")
    if lines:
        origin = comment("Stops, and reflected inertia [kg m^2 or kg], of the model file.")
        yield "\n".join([origin, "[joint_dynamics]", *lines])


def _drive(group: DriveGroup) -> str:
    lines = ["[[actuators]]", f"joints = {array([text(name) for name in group.joints])}"]
    said = []
    if group.rotor_inertia:
        said.append("rotors and gears of the SRDF")
        lines.append(f"gear_ratio = {number(group.gear_ratio)}")
        lines.append(f"rotor_inertia = {number(group.rotor_inertia)}")
    elif group.gear_ratio != 1.0:
        said.append(
            "gears of the file's transmissions (without effect until rotor_inertia is given)"
        )
        lines.append(f"gear_ratio = {number(group.gear_ratio)}")
    if group.torque_limit == "model":
        said.append("effort limits of the model file")
        lines.append('torque_limit = "model"')
    elif group.torque_limit is not None:
        said.append("force limits of the model file")
        lines.append(f"torque_limit = {number(float(group.torque_limit))}")
    origin = "; ".join(said) or "the model file's transmissions name these joints"
    return comment(f"{origin[0].upper()}{origin[1:]}.") + "\n" + "\n".join(lines)
