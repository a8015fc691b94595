"""The reader of the model of an import, with what the files beside it say; MJCF becomes URDF."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from footfall.api.errors import RobotError, RobotWarning
from footfall.api.formats import read_urdf, read_xml
from footfall_import.checks import Finding
from footfall_import.locate import Located
from footfall_import.missing_meshes import missing_meshes
from footfall_import.mjcf.document import read_document
from footfall_import.mjcf.sides import read_actuators, read_keyframes, read_loops, unread
from footfall_import.mjcf.tree import convert_tree
from footfall_import.model import Model
from footfall_import.srdf import find_srdf, read_srdf
from footfall_import.urdf_extras import read_extras


def read_mjcf_model(path: Path) -> Model:
    """Return the model of an MJCF; its URDF has MuJoCo's kinematics and mass properties.

    What the URDF cannot say (armature, force limits, loops, key frames) is beside it in the model;
    what neither can is a finding.

    Raises:
        RobotError: if the file is malformed, or its tree is one that no URDF can be.
    """
    document = read_document(path)
    tree = convert_tree(document)
    gears = read_actuators(document, tree)
    loops = read_loops(document, tree)
    postures = read_keyframes(document, tree)
    ElementTree.indent(tree.robot)
    text = ElementTree.tostring(tree.robot, encoding="unicode") + "\n"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{path.stem}.urdf"
        file.write_text(text, encoding="utf-8")
        urdf = read_urdf(file)
    what = "an MJCF, converted into a URDF: that runs with every engine and is drawn"
    return Model(
        urdf=replace(urdf, path=path),
        gears=gears,
        armature={joint: value for joint, value in tree.armature.items() if value},
        torque_limits=tree.torque_limits,
        loops=loops,
        postures=postures,
        base="floating" if tree.floating else "fixed",
        findings=(*tree.findings, *unread(document, tree), Finding("note", path.name, what)),
        text=text,
    )


def read_model(located: Located) -> Model:
    """Read a URDF with its transmissions, mimics and the SRDF beside it, or convert an MJCF.

    Raises:
        RobotError: if a file is malformed; names the element. Meshes that are missing are named
            all together.
    """
    top = read_xml(located.path)
    if top.tag == "sdf":
        raise RobotError(f"{located.path}: SDF is not read (allowed: URDF, MJCF)")
    if top.tag not in ("robot", "mujoco"):
        raise RobotError(
            f"{located.path}: is neither a URDF nor an MJCF: it begins with <{top.tag}>"
        )
    if top.tag == "mujoco":
        return read_mjcf_model(located.path)
    if any("xacro}" in str(node.tag) for node in top.iter()):
        raise RobotError(f"{located.path}: holds xacro elements: expand it first")
    findings = missing_meshes(top, located.path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        urdf = read_urdf(located.path)
    findings += [warned(str(w.message)) for w in caught if "mesh" not in str(w.message)]
    return _with_srdf(_with_extras(Model(urdf, findings=tuple(findings))))


def warned(message: str) -> Finding:
    """Return a warning of the robot's reader as a finding."""
    return Finding("warning", "model", message)


def _with_extras(model: Model) -> Model:
    extras = read_extras(model.urdf)
    return replace(
        model,
        gears=extras.gears,
        loops=extras.loops,
        findings=(*model.findings, *extras.findings),
    )


def _with_srdf(model: Model) -> Model:
    path = find_srdf(model.urdf)
    if path is None:
        return model
    srdf = read_srdf(path)
    movable = set(model.urdf.movable)
    rotors = {name: rotor for name, rotor in srdf.rotors.items() if name in movable}
    names = ", ".join(posture.name for posture in srdf.postures) or "none"
    note = Finding("note", path.name, f"read: postures {names}; rotors of {len(rotors)} joints")
    return replace(
        model,
        rotors=rotors,
        postures=srdf.postures,
        base=srdf.base,
        findings=(*model.findings, note),
    )
