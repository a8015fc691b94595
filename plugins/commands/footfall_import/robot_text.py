"""The text of a proposed robot.toml and scene; a comment names the source of each value."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from textwrap import TextWrapper

import numpy as np

from footfall.api.advanced import ModelCoupling, ModelJoining
from footfall.api.command import Key
from footfall.api.engine import Pose
from footfall_import.locate import free_name
from footfall_import.model import EARTH, TendonDrive
from footfall_import.proposal import DriveGroup, Proposal
from footfall_import.sole import Sole
from footfall_import.standing.gains import FASTEST, SLIDE, SLOWEST, USUAL, YIELD
from footfall_import.standing.gait import Walk
from footfall_import.wheels import Roll

UNLIMITED = 1e15
"""Torque limit of a motor without one, beside motors with limits, [N m or N]."""
WIDTH = 100
_COMMENT = TextWrapper(WIDTH, "# ", "# ", break_long_words=False, break_on_hyphens=False)
SHOWS = {"trot": "trots on the spot", "balance": "balances on its feet by a whole-body QP"}
"""Descriptions of the scenes of gaits."""


def key(name: str) -> str:
    """Return a TOML key."""
    return str(Key((name,)))


def text(value: str) -> str:
    """Return a TOML string."""
    return json.dumps(value, ensure_ascii=False)


def number(value: float, digits: int = 9) -> str:
    """Return a TOML float, rounded to a number of significant digits."""
    rounded = float(f"{value:.{digits}g}")
    return repr(0.0 if rounded == 0.0 else rounded)


def vector(values: Iterable[float], digits: int = 6) -> str:
    """Return a TOML array of floats, rounded to a number of decimals."""
    return "[" + ", ".join(repr(round(float(v), digits) + 0.0) for v in values) + "]"


def array(items: Sequence[str]) -> str:
    """Return a TOML array, on several lines if it is long."""
    line = "[" + ", ".join(items) + "]"
    if len(line) <= WIDTH - 20:
        return line
    return "[\n" + "".join(f"    {item},\n" for item in items) + "]"


def comment(words: str) -> str:
    """Return a comment, wrapped to ``WIDTH`` columns."""
    return _COMMENT.fill(" ".join(words.split()))


def robot_text(proposal: Proposal, file: str) -> str:
    """Return the text of robot.toml.

    Args:
        proposal: the robot.
        file: the model file, relative to robot.toml or to the package.
    """
    parts = [_head(proposal), _model(proposal, file), *_posture(proposal)]
    parts += [_feature(sole) for sole in proposal.soles]
    if proposal.model.converted:  # otherwise the loops are read from the model file
        parts += [_loop(loop) for loop in proposal.model.loops]
    parts += list(_joints(proposal))
    parts += [_loop(stop, play) for stop, play in proposal.model.stops]
    parts += [_drive(group) for group in proposal.drives]
    parts += [_tendons(drive) for drive in proposal.model.tendons]
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
            "Proposed by footfall import. Comments name the source of each value; edit any value "
            "that you know better."
        ),
        f"description = {text(said)}",
        comment(f"{proposal.base}: {proposal.base_origin}."),
        f"base = {text(proposal.base)}",
    ]
    if proposal.base != "fixed":
        if proposal.soles:
            lines.append(comment("At this height the lowest contact point is at zero."))
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
    said = comment(f"{sole.origin[0].upper()}{sole.origin[1:]}.")
    head = f"[[contact_features]]\nframe = {text(sole.link)}\nkind = {text(sole.kind)}\n"
    if sole.kind == "point":
        return f"{said}\n{head}points = {array([vector(point) for point in sole.points])}"
    axis = f"\naxis = {vector(sole.axis, 12)}" if sole.axis is not None else ""
    head += f"radius = {number(sole.radius)}\n"
    tables = [f"{head}center = {vector(center)}{axis}" for center in sole.points]
    return f"{said}\n" + "\n\n".join(tables)


def _loop(loop: ModelJoining | ModelCoupling, play: float = 0.0) -> str:
    if isinstance(loop, ModelCoupling):
        said = "limits a tendon of two joints" if play else "makes this joint follow another"
        lines = [
            comment(f"The model file {said}."),
            "[[loops]]",
            f"name = {text(free_name(loop.name, ()))}",
            'kind = "coupling"',
            f"joint = {text(loop.joint)}",
            f"of = {text(loop.of)}",
            f"ratio = {number(loop.ratio)}",
            f"offset = {number(loop.offset)}",
        ]
        lines += [f"backlash = {number(play)}"] if play else []
    else:
        lines = [
            comment("The model file closes this loop."),
            "[[loops]]",
            f"name = {text(free_name(loop.name, ()))}",
            f"kind = {text(loop.kind)}",
            f"a = {_frame(loop.frames[0], loop.poses[0])}",
            f"b = {_frame(loop.frames[1], loop.poses[1])}",
        ]
    return "\n".join(lines if play else [*lines, "project = true"])


def _frame(frame: str, pose: Pose | None) -> str:
    inside = [f"frame = {text(frame)}"]
    if pose is not None and not pose.is_identity():
        inside.append(f"position = {vector(pose.translation, 12)}")
        inside.append(f"orientation = {vector(pose.rpy, 12)}")
    return "{ " + ", ".join(inside) + " }"


def _joints(proposal: Proposal) -> Iterator[str]:
    """Yield the tables of limits and armature; one entry for all joints if that is enough."""
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
        said.append("gears of the file's transmissions (no effect without rotor_inertia)")
        lines.append(f"gear_ratio = {number(group.gear_ratio)}")
    if group.torque_limit == "model":
        said.append("effort limits of the model file")
        lines.append('torque_limit = "model"')
    elif group.torque_limit is not None:
        said.append("force limits of the model file")
        lines.append(f"torque_limit = {number(float(group.torque_limit))}")
    if group.spring:
        said.append("springs of the joints of the model file")
        stiffness, rest = (number(value, 12) for value in group.spring)
        lines += ['plugin = "parallel_elastic"', f"stiffness = {stiffness}", f"rest = {rest}"]
    origin = "; ".join(said) or "the model file's transmissions name these joints"
    return comment(f"{origin[0].upper()}{origin[1:]}.") + "\n" + "\n".join(lines)


def _tendons(drive: TendonDrive) -> str:
    """Return the table of a drive over several joints."""
    names = ", ".join(drive.tendons)
    said = f"Tendons of the model file: {names}. The other motors are joints by themselves."
    rows = [vector(row, 12) for row in np.linalg.inv(drive.rows)]
    lines = [comment(said), "[[actuators]]", f"joints = {array([text(j) for j in drive.joints])}"]
    lines.append(f"coupling = {array(rows)}")
    if drive.stiffness.any():
        lines += ['plugin = "tendon_elastic"', f"stiffness = {vector(drive.stiffness, 9)}"]
        lines.append(f"rest = {vector(drive.rest, 12)}")
    given = (("viscous_friction", drive.damping), ("coulomb_friction", drive.friction))
    for name, values in (*given, ("rotor_inertia", drive.inertia)):
        lines += [f"{name} = {vector(values, 12)}"] if values.any() else []
    if np.isfinite(drive.limit).any():
        lines.append(f"torque_limit = {vector(np.minimum(drive.limit, UNLIMITED), 9)}")
    return "\n".join(lines)


def scene_text(proposal: Proposal, scenery: Iterable[str] = ()) -> str:
    """Return the text of ``scenes/standing.toml``; ``scenery`` is that of its fixed objects."""
    does = "stands, held by position gains" if proposal.stiffness else "lies on the ground"
    body = f"bodies.{key(proposal.name)}"
    parts = _on_the_ground(proposal, f"{proposal.name} {does}", body)
    if proposal.stiffness:
        parts += [f'[{body}.controller]\nplugin = "posture"', *_gains(body, proposal)]
    parts += [_companion(proposal, companion) for companion in proposal.companions]
    return "\n\n".join([*parts, *scenery]) + "\n"


def gait_text(proposal: Proposal, walk: Walk) -> str:
    """Return the text of the scene of a gait."""
    body = f"bodies.{key(proposal.name)}"
    parts = _on_the_ground(proposal, f"{proposal.name}: {SHOWS[walk.kind]}", body)
    if walk.kind == "balance":
        feet = ", ".join(text(leg.foot) for leg in walk.legs)
        parts.append(f'[{body}.controller]\nplugin = "momentum_balance"\nrate = 250.0')
        parts.append(f"[[{body}.controller.phases]]\nstart = 0.0\nfeet = [{feet}]")
        return "\n\n".join(parts) + "\n"
    said = comment("Scaled by height and mass from a robot of 15 kg; see the how-to on trotting.")
    settings = [f"{name} = {number(value)}" for name, value in walk.settings.items()]
    controller = [said, f"[{body}.controller]", 'plugin = "trot"', *settings]
    parts.append("\n".join([*controller, "velocity = [0.0, 0.0]"]))
    for leg in walk.legs:
        lines = [f"foot = {text(leg.foot)}", f"phase = {leg.phase}", f"place = {vector(leg.place)}"]
        parts.append("\n".join([f"[[{body}.controller.legs]]", *lines]))
    return "\n\n".join(parts) + "\n"


def roll_text(proposal: Proposal, roll: Roll) -> str:
    """Return the text of the scene in which a robot rolls on its wheels, which nothing drives."""
    body = f"bodies.{key(proposal.name)}"
    parts = _on_the_ground(proposal, f"{proposal.name} rolls on its wheels", body)
    parts[-1] += f"\nbase_linear_velocity = {vector(roll.velocity, 9)}"
    parts.append(_table(f"{body}.joint_velocities", roll.rates))
    smooth = "\n".join(f"{key(link)} = {{ friction = 0.0 }}" for link in roll.casters)
    if smooth:
        parts.append(f"{comment('As if they swivelled.')}\n[{body}.contacts]\n{smooth}")
    held = {name: K for name, K in proposal.stiffness.items() if name not in roll.rates}
    if held:
        damping = {name: proposal.damping[name] for name in held}
        torques = {n: tau for n, tau in proposal.feed_forward.items() if n in held}
        other = replace(proposal, stiffness=held, damping=damping, feed_forward=torques)
        parts += [f'[{body}.controller]\nplugin = "posture"', *_gains(body, other)]
    return "\n\n".join(parts) + "\n"


def _on_the_ground(proposal: Proposal, description: str, body: str) -> list[str]:
    """Return the tables of a scene with the robot on level ground."""
    relief = proposal.model.relief
    ground = ["[world.terrain]", 'plugin = "plane"', "friction = 0.6"]
    if relief is not None:
        x, y, z = relief.pose.translation
        ground = [
            "[world.terrain]",
            'plugin = "heightmap"',
            f"friction = {number(relief.friction)}",
        ]
        ground += [f"file = {text(f'../{relief.file}')}", f"size = {vector(relief.shape.size[:2])}"]
        ground += [f"center = {vector((x, y))}", f"base = {number(z)}"]
    robot = [f"[{body}]", 'robot = "../robot.toml"']
    if proposal.model.rules.inside:
        robot.append("friction = 0.6")
    if proposal.model.ground and relief is None:
        ground.append(f"offset = {number(proposal.model.ground)}")
    if proposal.in_file_frame and proposal.base != "fixed":
        robot.append(f"base_position = {vector(proposal.place, 12)}")
    return [
        f"description = {text(description)}",
        "[simulation]\nduration = 5.0\ntime_step = 1e-3",
        *_gravity(proposal),
        "\n".join(ground),
        "\n".join(robot),
    ]


def _companion(proposal: Proposal, companion: Proposal) -> str:
    """Return the tables of another body of the same file, with its gains if it has joints."""
    body = f"bodies.{key(companion.name)}"
    said = comment("Position of the model file; on the ground if it would be below it.")
    lines = [f"[{body}]", said, f"robot = {text(f'../{companion.name}/robot.toml')}"]
    lines.append(f"base_position = {vector(proposal.beside(companion), 9)}")
    lines.append("friction = 0.6")
    parts = ["\n".join(lines)]
    if companion.stiffness:
        parts += [f'[{body}.controller]\nplugin = "posture"', *_gains(body, companion)]
    return "\n\n".join(parts)


def _gravity(proposal: Proposal) -> Iterator[str]:
    if proposal.model.gravity != EARTH:
        said = comment("From the model file, [m/s^2].")
        yield f"[world]\n{said}\ngravity = {vector(proposal.model.gravity)}"


def _gains(body: str, proposal: Proposal) -> list[str]:
    slowest, usual, fastest = (f"{rate / (2.0 * np.pi):g}" for rate in (SLOWEST, USUAL, FASTEST))
    rule = (
        f"[N m/rad]: a joint reaches its effort limit at {YIELD:g} rad ({SLIDE:g} m) deflection. "
        f"With the inertia that it carries (between base and feet: its share of the robot) it "
        f"swings at {slowest} to {fastest} Hz, without effort limit at {usual} Hz. Gains are "
        f"raised if the robot on its feet would sway more slowly than {slowest} Hz."
    )
    damped = "[N m s/rad]: critical damping, 2 sqrt(stiffness * inertia)."
    servos = [name for name in proposal.stiffness if name in proposal.model.servos]
    if servos:
        rest = "" if len(servos) == len(proposal.stiffness) else f" The others, {rule}"
        rule = f"[N m/rad]: gains of the model file's actuators: {', '.join(servos)}.{rest}"
        damped = "[N m s/rad]: of the file's actuators; of the others critical damping."
    tables = [
        comment(rule) + "\n" + _table(f"{body}.controller.stiffness", proposal.stiffness),
        comment(damped) + "\n" + _table(f"{body}.controller.damping", proposal.damping),
    ]
    if proposal.targets:
        said = comment("[rad or m]: of the model file's key frame (ctrl).")
        tables.append(f"{said}\n" + _table(f"{body}.controller.target", proposal.targets))
    if proposal.feed_forward:
        said = "[N m]: holds the posture against gravity, so that the joints do not sag."
        table = _table(f"{body}.controller.feed_forward", proposal.feed_forward)
        tables.append(comment(said) + "\n" + table)
    return tables


def _table(name: str, values: Mapping[str, float]) -> str:
    lines = [f"{key(joint)} = {number(value)}" for joint, value in values.items()]
    return "\n".join([f"[{name}]", *lines])
