"""Convert an MJCF into a URDF and what stands beside it."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from footfall.formats.mjcf_document import read_document
from footfall.formats.urdf_file import read_urdf
from footfall_import.finding import Finding
from footfall_import.mjcf_sides import read_actuators, read_keyframes, read_loops, unread
from footfall_import.mjcf_tree import convert_tree
from footfall_import.model import Model


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
