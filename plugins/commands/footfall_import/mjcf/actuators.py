"""Actuators of an MJCF: torque limits of motors, gains of servos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import FileElement
from footfall_import.mjcf.document import Document
from footfall_import.mjcf.tree import Tree
from footfall_import.model import Servo

LINEAR = ("motor", "position", "velocity", "general")
"""Actuators whose force is linear in control, position and speed."""
TARGETS = ("jointinparent", "joint", "tendon", "site", "body", "cranksite")
"""Attributes that name what an actuator moves."""


@dataclass(frozen=True, slots=True)
class Law:
    """The law of an actuator: ``force = gain u + bias - stiffness l - damping l_dot``.

    Attributes:
        gain, bias, stiffness, damping: coefficients, with the length l and force of the actuator.
        ratio: damping ratio if the file gives one instead of a damping, [-].
        gear: change of l by the joint's position.
        bounds: lowest and highest control u.
    """

    gain: float
    bias: float
    stiffness: float
    damping: float
    ratio: float
    gear: float
    bounds: tuple[float, float]


@dataclass(slots=True)
class Actuation:
    """The actuators of an imported tree.

    Attributes:
        gears: gear of each driven joint.
        servos: gains by joint.
        laws: index of each servo's actuator in the file, its joint and its law.
        motors: index and name of each plain motor in the file.
        tendons: gain-less motors by tendon: largest force, infinite without a limit, [N m or N].
    """

    gears: dict[str, float]
    servos: dict[str, Servo]
    limits: dict[str, float]
    laws: list[tuple[int, str, Law]]
    motors: list[tuple[int, str]]
    tendons: dict[str, float]

    def targets(self, controls: tuple[float, ...], start: Mapping[str, float]) -> dict[str, float]:
        """Return the positions that the servos hold at given controls, [rad or m].

        Args:
            controls: one for each actuator of the file.
            start: the file's ``ref`` by joint.
        """
        torques: dict[str, float] = {}
        for index, joint, law in self.laws:
            u = float(np.clip(controls[index], *law.bounds))
            torques[joint] = torques.get(joint, 0.0) + law.gear * (law.gain * u + law.bias)
        held = {name: self.servos[name].stiffness for name in torques}
        return {name: torques[name] / K - start[name] for name, K in held.items() if K > 0.0}


def read_actuators(
    document: Document, tree: Tree, tendons: Mapping[str, Mapping[str, float]]
) -> Actuation:
    """Return the actuators of the tree's joints; store torque limits in the tree.

    Args:
        document: the file.
        tree: its tree; actuators that are left out are reported there.
        tendons: coefficients by joint of each fixed tendon.
    """
    found = Actuation({}, {}, {}, [], [], {})
    nodes = [node for section in document.top.findall("actuator") for node in section]
    for index, node in enumerate(nodes):
        moved = next((key for key in TARGETS if node.get(key)), "")
        named, subject = (
            node.get(moved, ""),
            f'actuator "{node.get("name") or node.get(moved, "")}"',
        )
        joints = tendons.get(named, {}) if moved == "tendon" else {named: 1.0}
        kind = "joint" if moved.startswith("joint") else moved
        if tree.is_elsewhere([("joint", joint) for joint in joints] or [(kind, named)]):
            continue
        if not joints or not set(joints) <= set(tree.order):
            where = f'{kind} "{named}"' if moved else "nothing known"
            tree.say(subject, f"{node.tag} on {where}, drives no joint: not honoured")
            continue
        law = _law(node, document)
        if isinstance(law, str):
            tree.say(subject, f"{law}: not honoured")
            continue
        limit = _force_limit(node, law, tree, document.place(node), subject)
        servo = law.stiffness > 0.0 or law.damping > 0.0 or law.ratio > 0.0
        if moved == "tendon" and not servo:
            found.tendons[named] = abs(law.gear) * limit if limit else float("inf")
        else:
            _drive(found, tree, joints, law, limit)
        if not servo:
            found.motors.append((index, subject))
        elif moved == "tendon":
            text = f'{node.tag} on the tendon "{named}": gains of each of its joints by itself'
            tree.say(subject, text)
        else:
            found.laws.append((index, named, law))
    for joint, most in found.limits.items():  # forces of one joint's actuators add up
        if np.isfinite(most):
            tree.torque_limits[joint] = min(most, tree.torque_limits.get(joint, np.inf))
    return found


def _drive(
    found: Actuation, tree: Tree, joints: Mapping[str, float], law: Law, limit: float
) -> None:
    """Add a law to the servos and limits of the joints that it moves.

    The joints of a tendon of length ``sum c_i q_i`` get ``K |c_i| sum |c_j|``, which is its
    stiffness for a motion of all of them together.
    """
    span = sum(abs(c) for c in joints.values())
    for joint, c in joints.items():
        found.gears[joint] = 1.0
        most = abs(c * law.gear) * limit if limit else np.inf
        found.limits[joint] = found.limits.get(joint, 0.0) + most
        share = law.gear**2 * abs(c) * span
        old = found.servos.get(joint, Servo(0.0, 0.0, 0.0))
        if law.stiffness or law.damping or law.ratio:
            found.servos[joint] = Servo(
                old.stiffness + share * law.stiffness,
                old.damping + share * law.damping,
                max(old.ratio, law.ratio),
            )


def _law(node: Element, document: Document) -> Law | str:
    """Return the law of an actuator, or the reason why it has none."""
    place, kind = document.place(node), node.tag
    if kind not in LINEAR:
        return f"{kind} actuators are not supported"
    gear = place.numbers(node, "gear", count=_count(node, "gear"), default=(1.0,))[0]
    if gear == 0.0:
        return "its gear is 0"
    bounds = (-np.inf, np.inf)
    if "ctrlrange" in node.attrib and node.get("ctrllimited", "auto") != "false":
        low, high = place.numbers(node, "ctrlrange", count=2, default=None)
        bounds = low, high
    plain = node.get("gaintype", "fixed"), node.get("dyntype", "none").removesuffix("exact")
    bias_type = node.get("biastype", "none")
    if plain not in (("fixed", "none"), ("fixed", "filter")) or bias_type not in ("none", "affine"):
        words = [
            f'{key}="{node.get(key)}"'
            for key in ("gaintype", "biastype", "dyntype")
            if key in node.attrib
        ]
        return f"general with {', '.join(words)}"
    gain = _padded(node, place, "gainprm", 1.0)[0]
    bias, by_length, by_rate = (
        _padded(node, place, "biasprm", 0.0) if bias_type == "affine" else (0.0,) * 3
    )
    if by_length > 0.0:
        return f"its biasprm pushes away from the target ({by_length:g} > 0)"
    ratio = by_rate if by_rate > 0.0 and gain == -by_length else 0.0
    if by_rate > 0.0 and not ratio:
        return f"its biasprm is a negative damping ({by_rate:g} > 0)"
    return Law(gain, bias, -by_length, max(-by_rate, 0.0), ratio, gear, bounds)


def _padded(
    node: Element, place: FileElement, key: str, default: float
) -> tuple[float, float, float]:
    given = place.numbers(node, key, count=_count(node, key), default=(default,))
    first, second, third = (*given, 0.0, 0.0)[:3]
    return first, second, third


def _force_limit(node: Element, law: Law, tree: Tree, place: FileElement, subject: str) -> float:
    """Return the force limit of an actuator, 0 if it has no limit.

    The activation of a filter stays within the range of the controls.
    """
    plain = not (law.stiffness or law.damping or law.ratio or law.bias)
    for key, gain in (("forcerange", 1.0), ("ctrlrange", law.gain if plain else 0.0)):
        limited = node.get(f"{key.removesuffix('range')}limited", "auto")
        if gain and key in node.attrib and limited != "false":
            bounds = place.numbers(node, key, count=2, default=None)
            return abs(gain) * tree.largest(subject, key, bounds)
    return 0.0


def _count(node: Element, key: str) -> int:
    return max(len(node.get(key, "").split()), 1)
