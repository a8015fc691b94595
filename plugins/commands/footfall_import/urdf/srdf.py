"""Reader of named postures and rotors of an SRDF, a companion file of a URDF."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from xml.etree.ElementTree import Element

from footfall.api.advanced import FileElement, Urdf
from footfall.api.command import read_xml
from footfall.api.plugin import RobotError

STANDING = ("standing", "half_sitting", "half_sit", "stand", "home", "default", "ready", "rest")
"""Names of suitable starting postures, the best first."""
ROOT_JOINT = "root_joint"
"""Joint whose value is the base's position [m] and quaternion x y z w, by custom."""


@dataclass(frozen=True, slots=True)
class NamedPosture:
    """A named posture of a file.

    Attributes:
        name: e.g. ``half_sitting``.
        source: names of the file and the posture, for comments and reports.
        positions: by joint, [rad or m].
        quaternion: orientation of the root, x y z w; None if not given.
        targets: positions that servos hold, by joint, [rad or m].
    """

    name: str
    source: str
    positions: Mapping[str, float]
    quaternion: tuple[float, float, float, float] | None = None
    targets: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rotor:
    """A motor's rotor: inertia on the motor's side of the gear [kg m^2] and gear ratio [-]."""

    inertia: float
    gear_ratio: float


@dataclass(frozen=True, slots=True)
class Srdf:
    """The imported data of an SRDF.

    Attributes:
        postures: in the file's order.
        rotors: by joint.
        base: ``fixed`` or ``floating`` if a virtual joint gives it.
    """

    postures: tuple[NamedPosture, ...]
    rotors: Mapping[str, Rotor]
    base: Literal["floating", "fixed"] | None


def find_srdf(urdf: Urdf) -> Path | None:
    """Return the SRDF of a URDF: beside it, or in a folder ``srdf`` beside its folder.

    A candidate has the URDF's file name or robot name, or its postures name the URDF's joints. The
    candidate with the same file name is preferred, then the one with the longest common beginning.
    """
    folder = urdf.path.resolve().parent
    listed = [*folder.glob("*.srdf"), *(folder.parent / "srdf").glob("*.srdf")]
    fitting = [path for path in sorted(listed) if _fits(path, urdf)]
    return max(fitting, key=lambda path: _likeness(path.stem, urdf.path.stem), default=None)


def read_srdf(path: Path) -> Srdf:
    """Read an SRDF.

    Raises:
        RobotError: if it is malformed; names the element.
    """
    top = read_xml(path)
    virtual = {node.get("type") for node in top.findall("virtual_joint")}
    kinds: list[Literal["floating", "fixed"]] = ["floating", "fixed"]
    said = [kind for kind in kinds if kind in virtual]
    rotors = {}
    for node in top.findall("rotor_params/joint"):
        place = FileElement(str(path), f'rotor_params of "{node.get("name")}"')
        # The key is called mass but holds the inertia; Pinocchio reads it in the same way.
        rotor = Rotor(place.number(node, "mass"), place.number(node, "gear_ratio"))
        if rotor.inertia > 0.0 and rotor.gear_ratio > 0.0:  # zero means unknown
            rotors[place.attribute(node, "name")] = rotor
    postures = tuple(_posture(node, path) for node in top.findall("group_state"))
    return Srdf(postures, rotors, said[0] if len(said) == 1 else None)


def best_posture(
    postures: Collection[NamedPosture], movable: Collection[str]
) -> NamedPosture | None:
    """Return the starting posture: the first by ``STANDING`` that names joints of the robot."""
    known = [p for p in postures if set(p.positions) & set(movable)]
    ranked = [p for name in STANDING for p in known if p.name.lower() == name]
    return next(iter([*ranked, *known]), None)


def _posture(node: Element, path: Path) -> NamedPosture:
    name = node.get("name", "")
    place = FileElement(str(path), f'group_state "{name}"')
    positions: dict[str, float] = {}
    quaternion = None
    for joint in node.findall("joint"):
        of = place.attribute(joint, "name")
        count = len(joint.get("value", "").split())
        values = place.numbers(joint, "value", count=max(count, 1), default=None)
        if count == 1:
            positions[of] = values[0]
        elif of == ROOT_JOINT and count == 7:
            quaternion = (values[3], values[4], values[5], values[6])
    return NamedPosture(name, f'{path.name}, group_state "{name}"', positions, quaternion)


def _fits(path: Path, urdf: Urdf) -> bool:
    if path.stem == urdf.path.stem:
        return True
    try:
        top = read_xml(path)
    except RobotError:
        return False
    named = {node.get("name") for node in top.findall("group_state/joint")}
    return top.get("name") == urdf.name or bool(named & set(urdf.movable))


def _likeness(name: str, wanted: str) -> tuple[bool, int, int]:
    """Return a sort key: equality of the names, length of the shared beginning, minus the rest."""
    differ = (i for i, (x, y) in enumerate(zip(name, wanted, strict=False)) if x != y)
    shared = next(differ, min(len(name), len(wanted)))
    return name == wanted, shared, shared - len(name)
