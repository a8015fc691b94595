"""Conversion of a model source to an iDynTree model with one link per movable joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import idyntree.bindings as idyn

from footfall.api.advanced import captured_output
from footfall.api.engine import ModelSource
from footfall.api.plugin import RobotError

NO_MASS = 1e-300
"""A mass too small to change a sum in double precision, [kg]."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """An iDynTree model, and data of the file that it does not keep.

    Attributes:
        model: the ``iDynTree::Model``, reduced: links joined by fixed joints are merged; its dofs
            are in canonical order, its links and joints in any order.
        root: name of the root link.
        joints: names of the movable joints, canonical order.
        child: the link moved by each joint of the file, by the joint's name.
    """

    model: Any
    root: str
    joints: tuple[str, ...]
    child: dict[str, str]


def load_model(source: ModelSource) -> Parsed:
    """Return the reduced iDynTree model of a URDF.

    Raises:
        RobotError: if the file is an MJCF or cannot be read.
    """
    if source.format != "urdf" or source.joints is None:
        raise RobotError(
            f'{source.path}: engine "idyntree" reads URDF only: '
            'choose engine "pinocchio" for MJCF, or convert the model to URDF'
        )
    robot = _parse_xml(source)
    child = {joint.get("name", ""): _child(joint) for joint in robot.findall("joint")}
    source.require_joints(child)
    root = _root(robot, child, source)
    return Parsed(_reduced(robot, source), root, tuple(source.joints), child)


def _parse_xml(source: ModelSource) -> Element:
    try:
        return ElementTree.fromstring(source.xml)
    except ElementTree.ParseError as error:
        raise RobotError(f"{source.path}: {error}") from error


def _child(joint: Element) -> str:
    node = joint.find("child")
    return "" if node is None else node.get("link", "")


def _root(robot: Element, child: dict[str, str], source: ModelSource) -> str:
    """Return the name of the root link; give it a mass, so that iDynTree does not remove it.

    iDynTree replaces a massless root link by the link welded to it, which may have another frame.
    """
    moved = set(child.values())
    roots = [link for link in robot.findall("link") if link.get("name") not in moved]
    if len(roots) != 1:
        names = ", ".join(f'"{link.get("name")}"' for link in roots) or "none"
        raise RobotError(f"{source.path}: one root link is allowed, found {names}")
    mass = roots[0].find("inertial/mass")
    if mass is None or float(mass.get("value", "0")) == 0.0:
        for old in roots[0].findall("inertial"):
            roots[0].remove(old)
        inertial = SubElement(roots[0], "inertial")
        SubElement(inertial, "mass", value=repr(NO_MASS))
        zero = dict.fromkeys(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), "0")
        SubElement(inertial, "inertia", zero)
    return roots[0].get("name", "")


def _reduced(robot: Element, source: ModelSource) -> Any:
    loader = idyn.ModelLoader()
    options = loader.parsingOptions()
    options.addSensorFramesAsAdditionalFrames = False
    loader.setParsingOptions(options)
    text = ElementTree.tostring(robot, encoding="unicode")
    with captured_output(2) as lines:
        loaded = loader.loadReducedModelFromString(text, list(source.joints or ()), "urdf")
        said = [line for line in lines() if "[ERROR]" in line or "Failed to obtain" in line]
    # iDynTree only warns about an unreadable number, and replaces it by zero.
    if said or not loaded:
        message = said[0].partition("] ")[2] if said else "iDynTree cannot load the model"
        raise RobotError(f"{source.path}: {message}")
    return loader.model().copy()
