"""Fixed tendons of an MJCF: drives, springs, stops and couplings over several joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import ModelCoupling
from footfall.api.plugin import Floats
from footfall_import.mjcf.document import Document, range_of
from footfall_import.mjcf.tree import Tree
from footfall_import.model import TendonDrive

Lengths = Mapping[str, Mapping[str, float]]
"""Coefficient c_i of each joint by tendon, whose length is ``sum c_i s_i``."""


def read_lengths(document: Document, tree: Tree) -> Lengths:
    """Return the fixed tendons of the tree's joints; others are reported in the tree."""
    found: dict[str, dict[str, float]] = {}
    for node in (n for section in document.top.findall("tendon") for n in section):
        name = node.get("name", "")
        joints = {
            each.get("joint", ""): document.place(each).number(each, "coef", default=None)
            for each in node.findall("joint")
        }
        if node.tag != "fixed":
            text = f"{node.tag} tendons are not supported: not honoured, with what drives them"
            tree.say(f'tendon "{name}"', text)
        elif set(joints) <= set(tree.order):
            found[name] = {joint: c for joint, c in joints.items() if c}
        elif not tree.is_elsewhere([("joint", joint) for joint in joints]):
            tree.say(f'tendon "{name}"', "spans joints that are not imported: not honoured")
    return found


def coupling_of(node: Element, lengths: Lengths, where: str) -> ModelCoupling | None:
    """Return an ``<equality>`` of tendons as a coupling, None if it is not one of two joints."""
    given = [float(part) for part in node.get("polycoef", "0 1").split()]
    offset, ratio, *higher = [*given, 0.0, 0.0][: max(len(given), 2)]
    row = dict(lengths.get(node.get("tendon1", ""), {}))
    for joint, c in lengths.get(node.get("tendon2", ""), {}).items():
        row[joint] = row.get(joint, 0.0) - ratio * c
    ends = [(joint, c) for joint, c in row.items() if c]
    if len(ends) != 2 or any(higher):
        return None
    (one, a), (two, b) = ends
    return ModelCoupling(node.get("name") or "equality0", one, two, -b / a, offset / a, where)


def read_tendons(
    document: Document, tree: Tree, lengths: Lengths, motors: Mapping[str, float]
) -> tuple[tuple[TendonDrive, ...], tuple[tuple[ModelCoupling, float], ...]]:
    """Return the drives of tendons that act, and stops: a coupling and its free play.

    Args:
        document: the file.
        tree: its tree; the springs of joints in a drive move from it to the drive.
        lengths: see ``read_lengths``.
        motors: force limit of each tendon with a motor, [N m or N].
    """
    nodes = {n.get("name", ""): n for section in document.top.findall("tendon") for n in section}
    stops = [
        stop for name in lengths if (stop := _stop(document, tree, nodes[name], lengths[name]))
    ]
    acting: list[list[str]] = []
    for name in lengths:
        if name in motors or any(_first(nodes[name], key) for key in ACTS):
            joined = [g for g in acting if any(set(lengths[name]) & set(lengths[t]) for t in g)]
            rest = [g for g in acting if g not in joined]
            acting = [*rest, [*(each for g in joined for each in g), name]]
    drives = [_drive(document, tree, [(nodes[n], lengths[n]) for n in g], motors) for g in acting]
    return tuple(drive for drive in drives if drive), tuple(stops)


ACTS = ("stiffness", "damping", "frictionloss", "armature")
"""Attributes that make a tendon act."""


def _first(node: Element, key: str) -> float:
    """Return the first number of an attribute, 0 without it."""
    return float((node.get(key, "").split() or ["0"])[0])


def _drive(
    document: Document,
    tree: Tree,
    tendons: Sequence[tuple[Element, Mapping[str, float]]],
    motors: Mapping[str, float],
) -> TendonDrive | None:
    """Return tendons with common joints as one drive.

    Its motors are the tendons, and some of the joints by themselves: those with springs first.
    """
    joints = list(dict.fromkeys(joint for _, row in tendons for joint in row))
    rows: list[Floats] = [np.array([row.get(j, 0.0) for j in joints]) for _, row in tendons]
    names = [node.get("name", "") for node, _ in tendons]
    if np.linalg.matrix_rank(np.array(rows)) < len(rows):
        tree.say(f'tendon "{names[0]}"', f"{', '.join(names)} depend on each other: not honoured")
        return None
    values = [[_first(node, key) for key in ACTS] for node, _ in tendons]
    rests = [_rest(document, tree, node, row) for node, row in tendons]
    limits = [motors.get(name, np.inf) for name in names]
    for joint in sorted(joints, key=lambda each: each not in tree.springs):
        unit = np.array([float(each == joint) for each in joints])
        if np.linalg.matrix_rank(np.array([*rows, unit])) > len(rows):
            rows.append(unit)
            K, rest = tree.springs.pop(joint, (0.0, 0.0))
            values.append([K, 0.0, 0.0, 0.0])
            rests.append(rest)
            limits.append(tree.torque_limits.get(joint, np.inf))
        elif joint in tree.springs:
            del tree.springs[joint]
            tree.say(f'joint "{joint}"', "its spring is not honoured beside those of tendons")
    K, D, F, B = np.array(values).T
    return TendonDrive(
        tuple(names), tuple(joints), np.array(rows), K, np.array(rests), D, F, B, np.array(limits)
    )


def _rest(document: Document, tree: Tree, node: Element, row: Mapping[str, float]) -> float:
    """Return the slack length of a tendon, counted from the joints' ``ref``."""
    at_zero = sum(c * tree.start[joint] for joint, c in row.items())
    place, count = document.place(node), len(node.get("springlength", "").split())
    given = place.numbers(node, "springlength", count=count or 1, default=(-1.0,))
    if given[0] >= 0.0 or any(given[1:]):
        if given[-1] != given[0]:
            text = f"slack from {given[0]:g} to {given[-1]:g}: its spring pulls to {given[0]:g}"
            tree.say(f'tendon "{node.get("name", "")}"', text)
        return given[0] - at_zero
    rest = 0.0
    for joint in (n for root in document.bodies for n in root.iter("joint")):
        if joint.get("name", "") in row:
            as_angle = document.angle if joint.get("type", "hinge") == "hinge" else float
            spring = document.place(joint).number(joint, "springref", default=0.0)
            rest += row[joint.get("name", "")] * as_angle(spring)
    return rest - at_zero


def _stop(
    document: Document, tree: Tree, node: Element, row: Mapping[str, float]
) -> tuple[ModelCoupling, float] | None:
    """Return the limits of a tendon of two joints; report others."""
    limits, name = range_of(document, node), node.get("name", "")
    if limits is None:
        return None
    if len(row) != 2:
        tree.say(f'tendon "{name}"', f"limits of {len(row)} joints: not honoured (only of 2)")
        return None
    (one, a), (two, b) = row.items()
    low, high = (each - sum(c * tree.start[j] for j, c in row.items()) for each in limits)
    middle = 0.5 * (low + high) / a
    return ModelCoupling(f"{name}_limits", one, two, -b / a, middle, ""), (high - low) / abs(a)
