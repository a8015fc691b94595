"""Read what a URDF says beyond links and joints: transmissions, mimics, and what nobody reads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from footfall.errors import nearest
from footfall.importing.finding import Finding
from footfall.robot.loop_spec import CouplingSpec, LoopSpec
from footfall.robot.urdf import Joint, Urdf
from footfall.robot.urdf_file import read_xml
from footfall.robot.xml_numbers import Place, numbers

LEFT_OUT = ("gazebo", "sensor", "safety_controller", "calibration")
"""Elements that describe other programs' settings."""


@dataclass(frozen=True, slots=True)
class Extras:
    """What a URDF says beyond its tree.

    Attributes:
        gears: gear ratio [-] by joint that a transmission drives.
        loops: joints that mimic others, as couplings.
        findings: what is in the file and has no effect.
    """

    gears: Mapping[str, float]
    loops: tuple[LoopSpec, ...]
    findings: tuple[Finding, ...]


def read_extras(urdf: Urdf) -> Extras:
    """Read the transmissions and mimics of a URDF, and note what is not read.

    Raises:
        RobotError: if a number is malformed; names the element.
    """
    top = read_xml(urdf.path)
    findings: list[Finding] = []
    gears: dict[str, float] = {}
    for node in top.findall("transmission"):
        _transmission(node, urdf, gears, findings)
    counts = Counter(node.tag for node in top.iter() if node.tag in LEFT_OUT)
    findings += [
        Finding("note", f"<{tag}>", f"{n} elements, for other programs: not read")
        for tag, n in sorted(counts.items())
    ]
    findings += _axes(top, urdf)
    joints = [joint for joint in urdf.joints.values() if joint.type != "fixed"]
    loops = [_mimic(joint, urdf) for joint in joints if joint.mimics is not None]
    return Extras(gears, tuple(loops), tuple(findings))


def _transmission(
    node: Element, urdf: Urdf, gears: dict[str, float], findings: list[Finding]
) -> None:
    """Note the gear ratio of a transmission with one joint."""
    subject = f'transmission "{node.get("name", "")}"'
    joints = [joint.get("name", "") for joint in node.findall("joint")]
    unknown = [name for name in joints if name not in urdf.joints]
    if unknown or not joints:
        named = f'no joint "{unknown[0]}"' if unknown else "no joint"
        findings.append(Finding("warning", subject, f"names {named}: not read"))
        return
    kind = (node.findtext("type") or node.get("type") or "").rpartition("/")[2].strip()
    if len(joints) > 1 or (kind and "Simple" not in kind):
        text = f"{kind or 'several joints'}: not read as such, its joints are driven alone"
        findings.append(Finding("warning", subject, f"{text} (see coupling of [[actuators]])"))
        gears |= dict.fromkeys(joints, 1.0)
        return
    text = node.findtext(".//mechanicalReduction") or "1"
    try:
        ratio = abs(float(text))
    except ValueError:
        ratio = math.nan
    if not (math.isfinite(ratio) and ratio > 0.0):
        findings.append(Finding("warning", subject, f"mechanicalReduction {text!r} is no ratio"))
        ratio = 1.0
    gears[joints[0]] = ratio


def _mimic(joint: Joint, urdf: Urdf) -> CouplingSpec:
    of = joint.mimics or ""
    if of not in urdf.joints or of == joint.name:
        place = Place(str(urdf.path), f'joint "{joint.name}"')
        raise place.error(f'mimics "{of}", which it cannot follow{nearest(of, urdf.joints)}')
    return CouplingSpec(
        kind="coupling", joint=joint.name, of=of, ratio=joint.ratio, offset=joint.offset
    )


def _axes(top: Element, urdf: Urdf) -> list[Finding]:
    """Warn of axes that are not of unit length, which are normalised."""
    found = []
    for node in top.findall("joint"):
        axis = node.find("axis")
        if axis is None or node.get("type") in ("fixed", "floating"):
            continue
        place = Place(str(urdf.path), f'joint "{node.get("name")}"')
        length = float(np.linalg.norm(numbers(axis, "xyz", place, count=3, default=(1.0, 0, 0))))
        if abs(length - 1.0) > 1e-3:
            text = f"axis has length {length:.4g}: taken as a direction"
            found.append(Finding("warning", place.element, text))
    return found
