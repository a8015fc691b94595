"""Conversion of SDF models into URDFs with the same kinematics and mass properties."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.advanced import FileElement, Inertial
from footfall.api.engine import Pose
from footfall.api.plugin import Floats
from footfall_import.checks import Finding, Level
from footfall_import.mjcf.document import unit
from footfall_import.mjcf.geoms_as_shapes import add_inertial, add_joint, add_origin, text
from footfall_import.sdf.document import FILE
from footfall_import.sdf.frames import MODEL, WORLD, Frames, numbers, read_pose, words

TYPES = {
    "revolute": ("revolute",),
    "continuous": ("continuous",),
    "prismatic": ("prismatic",),
    "fixed": ("fixed",),
    "ball": ("spherical",),
    "universal": ("revolute", "revolute"),
    "revolute2": ("revolute", "revolute"),
}
"""URDF joints in series that stand for a joint of an SDF."""
SIZES = {"box": "size", "sphere": "radius", "cylinder": "radius length", "capsule": "radius length"}
LOST = ("surface", "gripper", "self_collide", "enable_wind", "gearbox_ratio")
OTHERS = ("plugin", "sensor", "light", "battery", "audio_source", "projector")
"""Elements for other programs."""


@dataclass(slots=True)
class Converted:
    """A model as a URDF.

    Attributes:
        robot: the URDF's element.
        static: True if the world carries it without a joint.
        starts: pose in the world of each root link that moves.
        springs: stiffness and rest position by joint, [N m/rad or N/m], [rad or m].
        findings: parts that are left out.
    """

    robot: Element
    static: bool
    starts: dict[str, Pose] = field(default_factory=dict)
    springs: dict[str, tuple[float, float]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def convert_model(model: Element, path: Path, start: Pose) -> Converted:
    """Return an SDF's model as a URDF; a link's frame is that of the joint that moves it.

    Args:
        model: its element.
        path: the file.
        start: pose of the model in the world.

    Raises:
        RobotError: if a name, a number or a mesh is missing or malformed, or a joint's type is not
            supported.
    """
    return _Conversion(model, path, start).converted()


class _Conversion:
    """A model under conversion, with the frames of its URDF's links in the model's frame."""

    def __init__(self, model: Element, path: Path, start: Pose) -> None:
        name = model.get("name", path.stem)
        static = words(model, "static") in ("true", "1")
        self.frames = Frames(model, str(path))
        self.found = Converted(Element("robot", name=name), static)
        self.at = {WORLD: start.inverse()}
        self.ends: dict[str, tuple[str, str]] = {}
        for full, (node, scope) in self.frames.parts.items():
            if node.tag == "joint":
                self.ends[full] = self._end(full, scope, "parent"), self._end(full, scope, "child")
        self._tell(model)

    def _end(self, joint: str, scope: str, tag: str) -> str:
        given = words(self.frames.parts[joint][0], tag)
        if not given:
            raise self.frames.place(joint).error(f"needs a <{tag}>")
        return WORLD if given == WORLD and tag == "parent" else self.frames.link(scope + given)

    def converted(self) -> Converted:
        """Return the URDF."""
        links = [name for name, (node, _) in self.frames.parts.items() if node.tag == "link"]
        for name in links:
            self.at[name] = self.frames.pose(name)
        for joint, (_, child) in self.ends.items():
            if self.frames.parts[joint][0].get("type") != "fixed":
                self.at[child] = self.frames.pose(joint)
        carried = {child for _, child in self.ends.values()}
        roots = [name for name in links if name not in carried]
        if self.found.static or WORLD in {parent for parent, _ in self.ends.values()}:
            SubElement(self.found.robot, "link", name=WORLD)
        for name in links:
            self._add_link(name)
        for joint in self.ends:
            self._add_joint(joint)
        for name in roots if self.found.static else ():
            pose = self.at[WORLD].inverse() @ self.at[name]
            add_joint(self.found.robot, f"{name}_static", "fixed", (WORLD, name), pose)
        if not self.found.static:
            world = self.at[WORLD].inverse()
            self.found.starts = {name: world @ self.at[name] for name in roots}
        return self.found

    def _add_link(self, name: str) -> None:
        node, place = self.frames.parts[name][0], self.frames.place(name)
        link = SubElement(self.found.robot, "link", name=name)
        here = self.at[name].inverse() @ self.frames.pose(name)
        if not (self.found.static and words(node, "inertial/mass") in ("0", "0.0")):
            add_inertial(link, self._inertial(node, place, here))
        for tag in ("visual", "collision"):
            for shape in node.findall(tag):
                given = shape.find("pose")
                base = here
                if given is not None and given.get("relative_to"):
                    scope = self.frames.parts[name][1]
                    on = self.frames.pose(scope + given.get("relative_to", ""))
                    base = self.at[name].inverse() @ on
                self._add_shape(link, shape, base @ read_pose(given, place), place)

    def _inertial(self, link: Element, place: FileElement, here: Pose) -> Inertial:
        """Return the mass properties of a link; SDF's defaults are 1 kg and 1 kg m^2."""
        node = link.find("inertial")
        inertia = None if node is None else node.find("inertia")
        if inertia is None:
            said = "inertia of 1 kg m^2" + (" and mass of 1 kg" if node is None else "")
            self.found.findings.append(Finding("note", place.element, f"{said} by SDF's default"))
        if node is not None and node.get("auto") in ("true", "1"):
            raise place.error('<inertial auto="true"> is not read: write mass and inertia out')
        given = Element("inertial") if node is None else node
        (mass,) = numbers(given.find("mass"), place, 1, (1.0,))
        keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        moments = Element("inertia") if inertia is None else inertia
        xx, yy, zz = (numbers(moments.find(key), place, 1, (1.0,))[0] for key in keys[:3])
        xy, xz, yz = (numbers(moments.find(key), place, 1, (0.0,))[0] for key in keys[3:])
        at = given.find("pose")
        if at is not None and at.get("relative_to"):
            said = "relative_to of an inertial pose is not honoured (nor by libsdformat)"
            self.found.findings.append(Finding("warning", place.element, said, lost=True))
        pose = here @ read_pose(at, place)
        R = pose.rotation
        about = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        return Inertial(mass, pose.translation, 0.5 * (about + about.T))

    def _add_shape(self, link: Element, shape: Element, pose: Pose, place: FileElement) -> None:
        geometry = shape.find("geometry")
        for node in () if geometry is None else geometry:
            subject = f"{place.element}, {shape.tag} <{node.tag}>"
            if node.tag not in (*SIZES, "mesh"):
                lost = node.tag not in ("plane", "empty")
                text_ = "left out" + ("" if lost else ": the ground is the scene's [world.terrain]")
                level: Level = "warning" if lost else "note"
                self.found.findings.append(Finding(level, subject, text_, lost=lost))
                continue
            made = Element(node.tag)
            if node.tag == "mesh":
                uri = node.find("uri")
                file = None if uri is None else uri.get(FILE)
                if file is None:
                    said = f"{words(node, 'uri')} was not found in the model's folder or a package"
                    if shape.tag == "collision":
                        raise place.error(f"collision mesh {said} (see --package-path)")
                    told = Finding("warning", subject, f"{said}: left out", lost=True)
                    self.found.findings.append(told)
                    continue
                scale = numbers(node.find("scale"), place, 3, (1.0, 1.0, 1.0))
                made = Element("mesh", filename=file, scale=text(np.array(scale)))
            for key in SIZES.get(node.tag, "").split():
                count = 3 if key == "size" else 1
                made.set(key, text(np.array(numbers(node.find(key), place, count, (1.0,) * count))))
            part = SubElement(link, shape.tag)
            add_origin(part, pose)
            SubElement(part, "geometry").append(made)
            if shape.tag == "visual" and words(shape, "material/diffuse"):
                rgba = words(shape, "material/diffuse").split()
                material = SubElement(part, "material", name="")
                SubElement(material, "color", rgba=" ".join([*rgba, "1"][:4]))

    def _add_joint(self, name: str) -> None:
        node, scope = self.frames.parts[name]
        place, kind = self.frames.place(name), node.get("type", "")
        if kind not in TYPES:
            raise place.error(f"type {kind!r} is not supported (allowed: {', '.join(TYPES)})")
        parent, child = self.ends[name]
        pose = self.at[parent].inverse() @ self.at[child]
        kinds = TYPES[kind]
        for k, each in enumerate(kinds):
            last = k == len(kinds) - 1
            to = child if last else f"{name}/{k}"
            if not last:
                SubElement(self.found.robot, "link", name=to)
            label = name if len(kinds) == 1 else f"{name}_{k}"
            made = add_joint(self.found.robot, label, each, (parent, to), pose)
            axis = node.find("axis" if k == 0 else "axis2")
            if each not in ("fixed", "spherical"):
                self._add_axis(made, axis, name, scope)
            parent, pose = to, Pose.identity()

    def _add_axis(self, made: Element, axis: Element | None, joint: str, scope: str) -> None:
        place = self.frames.place(joint)
        xyz = None if axis is None else axis.find("xyz")
        along: Floats = unit(numbers(xyz, place, 3, (0.0, 0.0, 1.0)), place)
        frame = joint if xyz is None else xyz.get("expressed_in", "")
        if words(axis, "use_parent_model_frame") in ("true", "1"):
            frame = MODEL
        on = self.frames.pose(scope + frame if frame and frame != joint else joint)
        local = self.at[self.ends[joint][1]].rotation.T @ on.rotation @ along
        SubElement(made, "axis", xyz=text(local))
        bounds = {"lower": words(axis, "limit/lower", "-1e16")}
        bounds["upper"] = words(axis, "limit/upper", "1e16")
        for key in ("effort", "velocity"):
            given = words(axis, f"limit/{key}", "-1")
            bounds |= {} if given.startswith("-") else {key: given}
        SubElement(made, "limit", bounds)
        rubs = {key: words(axis, f"dynamics/{key}", "0") for key in ("damping", "friction")}
        SubElement(made, "dynamics", rubs)
        stiffness, rest = (
            numbers(None if axis is None else axis.find(f"dynamics/{key}"), place, 1, (0.0,))[0]
            for key in ("spring_stiffness", "spring_reference")
        )
        if stiffness:
            self.found.springs[made.get("name", "")] = stiffness, rest
        leader = None if axis is None else axis.find("mimic")
        if leader is not None:
            factor, offset, reference = (
                numbers(leader.find(key), place, 1, (default,))[0]
                for key, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
            )
            ratio = {"multiplier": repr(factor), "offset": repr(offset - factor * reference)}
            SubElement(made, "mimic", {"joint": scope + leader.get("joint", ""), **ratio})

    def _tell(self, model: Element) -> None:
        counts = Counter(node.tag for node in model.iter() if node.tag in (*LOST, *OTHERS))
        for tag, n in sorted(counts.items()):
            lost = tag in LOST
            said = "not honoured" if lost else "for other programs: not read"
            self.found.findings.append(Finding("note", f"<{tag}>", f"{n} elements, {said}", lost))
