"""Parts of a URDF beyond links and joints: transmissions, mimics and unread elements."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import FileElement, ModelCoupling, Urdf
from footfall.api.plugin import nearest
from footfall_import.checks import Finding
from footfall_import.model import Model
from footfall_import.urdf.coverage import OTHERS, losses


def with_extras(model: Model, top: Element) -> Model:
    """Return a model with its URDF's transmissions as gears, its mimics, and its unread parts.

    Args:
        model: the model.
        top: its URDF's top element.

    Raises:
        RobotError: if a number is malformed; names the element.
    """
    urdf = model.urdf
    gears, findings = _transmissions(top.findall("transmission"), urdf)
    counts = Counter(node.tag for node in top.iter() if node.tag in OTHERS)
    findings += [
        Finding("note", f"<{tag}>", f"{n} elements, for other programs: not read")
        for tag, n in sorted(counts.items())
    ]
    findings += losses(top)
    findings += _axes(top, urdf)
    loops = _mimics(urdf, findings)
    found = (*model.findings, *findings)
    return replace(model, gears=gears, loops=tuple(loops), findings=found)


def _transmissions(nodes: Iterable[Element], urdf: Urdf) -> tuple[dict[str, float], list[Finding]]:
    """Return the gear ratio of each joint with a transmission, and findings of unread parts."""
    gears: dict[str, float] = {}
    findings = []
    coupled: dict[str, list[str]] = {}
    for node in nodes:
        name = node.get("name", "")
        joints = [joint.get("name", "") for joint in node.findall("joint")]
        unknown = [joint for joint in joints if joint not in urdf.joints]
        kind = (node.findtext("type") or node.get("type") or "").rpartition("/")[2].strip()
        if unknown or not joints:
            named = f'no joint "{unknown[0]}"' if unknown else "no joint"
            text = f"names {named}: not read"
            findings.append(Finding("warning", f'transmission "{name}"', text, True))
        elif len(joints) > 1 or (kind and "Simple" not in kind):
            coupled.setdefault(kind or "transmission of several joints", []).append(name)
            gears |= dict.fromkeys(joints, 1.0)
        else:
            gears[joints[0]] = _ratio(node, findings)
    for kind, names in coupled.items():
        text = f"coupling not read, joints are driven independently: {names[0]}"
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        findings.append(Finding("warning", kind, f"{text}{more} (see [[actuators]])", True))
    return gears, findings


def _ratio(node: Element, findings: list[Finding]) -> float:
    """Return the gear ratio of a simple transmission."""
    text = node.findtext(".//mechanicalReduction") or "1"
    try:
        ratio = abs(float(text))
    except ValueError:
        ratio = math.nan
    if math.isfinite(ratio) and ratio > 0.0:
        return ratio
    subject = f'transmission "{node.get("name", "")}"'
    findings.append(Finding("warning", subject, f"mechanicalReduction {text!r} is not a ratio"))
    return 1.0


def _mimics(urdf: Urdf, findings: list[Finding]) -> list[ModelCoupling]:
    """Return mimic joints as couplings; warn of those that cannot follow and move freely."""
    loops: list[ModelCoupling] = []
    for joint in urdf.joints.values():
        if joint.mimics is None or joint.type == "fixed":
            continue
        of = urdf.joints.get(joint.mimics)
        if of is None or of.type == "fixed" or of is joint:
            hint = nearest(joint.mimics, urdf.movable) if of is None else ""
            text = f'mimics "{joint.mimics}", which it cannot follow{hint}: it moves freely'
            findings.append(Finding("warning", f'joint "{joint.name}"', text, True))
            continue
        where = f'{urdf.path}: joint "{joint.name}"'
        follows = (joint.name, joint.mimics, joint.ratio, joint.offset)
        loops.append(ModelCoupling(joint.name, *follows, where))
    return loops


def _axes(top: Element, urdf: Urdf) -> list[Finding]:
    """Return warnings of axes without unit length; they are normalised."""
    found = []
    for node in top.findall("joint"):
        axis = node.find("axis")
        if axis is None or node.get("type") in ("fixed", "floating"):
            continue
        place = FileElement(str(urdf.path), f'joint "{node.get("name")}"')
        length = float(np.linalg.norm(place.numbers(axis, "xyz", count=3, default=(1.0, 0, 0))))
        if abs(length - 1.0) > 1e-3:
            text = f"axis has length {length:.4g}: normalised"
            found.append(Finding("warning", place.element, text))
    return found
