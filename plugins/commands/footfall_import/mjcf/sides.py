"""Readers of an MJCF's loops and key frames, and a report of unread sections."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import ModelCoupling, ModelJoining
from footfall.api.engine import Pose
from footfall.api.plugin import Floats, RobotError, RobotWarning
from footfall_import.checks import Finding
from footfall_import.mjcf.actuators import Actuation
from footfall_import.mjcf.coverage import SECTIONS, losses
from footfall_import.mjcf.document import Document, read_with_includes
from footfall_import.mjcf.expansion import BALL_AXES, ball_angles
from footfall_import.mjcf.loops import read_equalities
from footfall_import.mjcf.tendons import Lengths, coupling_of
from footfall_import.mjcf.tree import WORLD, Tree, is_free
from footfall_import.mjcf.values import REFERENCES
from footfall_import.urdf.srdf import NamedPosture


def read_loops(
    document: Document, tree: Tree, lengths: Lengths
) -> tuple[ModelJoining | ModelCoupling, ...]:
    """Return the loops of ``<equality>``; unsupported ones are left out with a warning.

    A missing pose of a loop's end is computed with all joints at zero.
    """
    found: list[ModelJoining | ModelCoupling] = []
    nodes = [node for section in document.top.findall("equality") for node in section]
    bodies = (body for root in document.bodies for body in root.iter("body"))
    mocap = {body.get("name") for body in bodies if body.get("mocap") == "true"}
    for index, node in enumerate(nodes):
        ends = [(tag, node.get(key, "")) for key, tag in REFERENCES["equality"].items()]
        if tree.is_elsewhere(ends):
            continue
        if {name for _, name in ends} & mocap:
            text = "its mocap body is moved by a program: left out (use a hand of the scene)"
            tree.say(f'<equality> "{node.get("name") or f"equality{index}"}"', text)
            continue
        if node.tag == "tendon" and node.get("active", "true") == "true":
            coupling = coupling_of(node, lengths, str(document.path))
            if coupling is not None:
                found.append(_placed(coupling, index, tree))
                continue
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", RobotWarning)
            try:
                loops = list(read_equalities([node], document.path))
                found += [_placed(loop, index, tree) for loop in loops]
            except RobotError as error:
                said = str(error).removeprefix(f"{document.path}: ").partition("; to run")[0]
                subject, _, what = said.partition(": ")
                tree.say(subject, f"left out: {what}")
        for told in caught:
            subject, _, what = str(told.message).removeprefix(f"{document.path}: ").partition(": ")
            tree.say(subject, what)
    return tuple(found)


def _placed(
    loop: ModelJoining | ModelCoupling, index: int, tree: Tree
) -> ModelJoining | ModelCoupling:
    """Return a loop with a unique name and the poses of its ends."""
    name = loop.name if loop.name != "equality0" else f"equality{index}"
    if isinstance(loop, ModelCoupling):
        for joint in (loop.joint, loop.of):
            if joint not in tree.order:
                raise RobotError(f'<equality> "{name}": there is no joint "{joint}"')
        # MuJoCo couples displacements from ref (mj_instantiateEquality), which are positions here.
        return replace(loop, name=name)
    return replace(loop, name=name, poses=_ends(loop, name, tree))


def _ends(loop: ModelJoining, name: str, tree: Tree) -> tuple[Pose | None, Pose | None]:
    """Return the poses of both ends; a missing one is computed with all joints at zero."""
    for frame in loop.frames:
        if frame != WORLD and frame not in tree.places:
            raise RobotError(f'<equality> "{name}": there is no body or site "{frame}"')
    places = [tree.places.get(frame, Pose.identity()) for frame in loop.frames]
    poses = list(loop.poses)
    for i, pose in enumerate(poses):
        other = poses[1 - i]
        if pose is None and other is not None:
            if tree.floating and WORLD in loop.frames:
                continue  # the pose of a floating base is only known at the start of a run
            poses[i] = places[i].inverse() @ places[1 - i] @ other
    return poses[0], poses[1]


Positions = tuple[tuple[str, str], ...]
"""Layout of a ``qpos``: name and type of each joint (the body's name for a free joint)."""
COUNTS = {"free": 7, "ball": 4}
"""Count of position numbers by joint type; 1 for others."""


def positions_of(document: Document) -> Positions:
    """Return the layout of a ``qpos``, in MuJoCo's order: depth first."""

    def below(body: Element) -> list[tuple[str, str]]:
        if is_free(body):
            own = [(body.get("name", ""), "free")]
        else:
            joints = body.findall("joint")
            own = [(joint.get("name", ""), joint.get("type", "hinge")) for joint in joints]
        return own + [each for child in body.findall("body") for each in below(child)]

    return tuple(each for body in document.bodies for each in below(body))


def read_keyframes(
    document: Document, tree: Tree, positions: Positions, actuation: Actuation
) -> tuple[NamedPosture, ...]:
    """Return the postures of ``<keyframe>``, restricted to imported joints.

    Their controls become the targets of servos; those of motors are left out with a warning.
    """
    found = []
    actuators = sum(map(len, document.top.findall("actuator")))
    expected = sum(COUNTS.get(kind, 1) for _, kind in positions)
    for i, node in enumerate(n for section in document.top.findall("keyframe") for n in section):
        name = node.get("name") or f"key{i}"
        if "qpos" not in node.attrib:
            continue
        if _count(node, "qpos") != expected:
            text = f"qpos has {_count(node, 'qpos')} numbers, expected {expected}: left out"
            tree.say(f'key "{name}"', text)
            continue
        qpos = np.array(document.place(node).numbers(node, "qpos", count=expected, default=None))
        posture = _posture(name, f'{document.path.name}, key "{name}"', qpos, tree, positions)
        if "ctrl" in node.attrib and _count(node, "ctrl") == actuators:
            ctrl = document.place(node).numbers(node, "ctrl", count=actuators, default=None)
            posture = replace(posture, targets=actuation.targets(ctrl, tree.start))
            lost = [motor for index, motor in actuation.motors if ctrl[index]]
            lost += [
                f'joint "{joint}"'
                for i, joint, _ in actuation.laws
                if ctrl[i] and not actuation.servos[joint].stiffness
            ]
            if lost:
                text = f"ctrl of {len(lost)} motors (torque or speed) is not honoured: {lost[0]}"
                tree.say(f'key "{name}"', text)
        found.append(posture)
    return tuple(found)


def _posture(
    name: str, source: str, qpos: Floats, tree: Tree, positions: Positions
) -> NamedPosture:
    given: dict[str, float] = {}
    quaternion, at = None, 0
    for joint, kind in positions:
        values = qpos[at : at + COUNTS.get(kind, 1)]
        at += len(values)
        if kind == "free":
            w, x, y, z = (float(value) for value in values[3:])
            if joint == tree.root and values[3:].any():  # zeros mean no rotation in MuJoCo
                quaternion = x, y, z, w
        elif kind == "ball":
            angles = ball_angles(values) if values.any() else (0.0, 0.0, 0.0)
            given |= dict(zip((f"{joint}_{axis}" for axis in BALL_AXES), angles, strict=True))
        else:
            given[joint] = float(values[0])
    there = {key: value - tree.start[key] for key, value in given.items() if key in tree.start}
    return NamedPosture(name, source, there, quaternion)


def unread(document: Document, tree: Tree) -> list[Finding]:
    """Return findings about unread sections, elements and attributes."""
    counts: dict[str, Counter[str]] = {}
    for section in document.top:
        if SECTIONS.get(section.tag) == "told":
            counts.setdefault(section.tag, Counter()).update(child.tag for child in section)
    found = [
        Finding(
            "warning",
            f"<{tag}>",
            f"{inside.total()} elements: not honoured "
            f"({', '.join(f'{child} {n}' for child, n in inside.most_common())})",
            lost=True,
        )
        for tag, inside in counts.items()
    ]
    return found + list(keys_of_attached(document)) + losses(document.top)


def keys_of_attached(document: Document) -> Iterator[Finding]:
    """Yield a warning for each attached model with key frames, which MuJoCo takes over."""
    for model in document.top.findall("asset/model"):
        file = document.path.parent / model.get("file", "")
        keys = read_with_includes(file).findall("keyframe/key") if file.is_file() else []
        names = ", ".join(f'"{key.get("name", i)}"' for i, key in enumerate(keys))
        if keys:
            text = f"{len(keys)} key frames of the attached file ({names}): not honoured"
            yield Finding("warning", file.name, text, lost=True)


def _count(node: Element, key: str) -> int:
    return max(len(node.get(key, "").split()), 1)
