"""Reader of the model of an import and the files beside it; an MJCF is converted to a URDF."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from footfall.api.advanced import Urdf, read_urdf, read_xml
from footfall.api.plugin import RobotError, RobotWarning
from footfall_import.checks import Finding
from footfall_import.locate import Located
from footfall_import.meshes.missing import missing_meshes
from footfall_import.mjcf.actuators import read_actuators
from footfall_import.mjcf.contact_rules import read_rules
from footfall_import.mjcf.document import read_document
from footfall_import.mjcf.expansion import ball_joints_as_hinges
from footfall_import.mjcf.looks import told_of_looks
from footfall_import.mjcf.sides import (
    positions_of,
    read_keyframes,
    read_loops,
    unread,
)
from footfall_import.mjcf.tendons import read_lengths, read_tendons
from footfall_import.mjcf.tree import convert_tree, say_weights
from footfall_import.mjcf.world import ground_below, read_world
from footfall_import.model import Model, Rules
from footfall_import.urdf.extras import with_extras
from footfall_import.urdf.inertia_repair import read_again, repaired, with_absolute_files
from footfall_import.urdf.moving_root import take_moving_root
from footfall_import.urdf.srdf import find_srdf, read_srdf


def read_mjcf_model(
    path: Path, *, body: str | None = None, repair: bool = False, beside: bool = False
) -> Model:
    """Return the model of an MJCF; its URDF has MuJoCo's kinematics and mass properties.

    Armature, force limits, loops and key frames, which a URDF cannot hold, are separate attributes
    of the model. Anything that the model cannot hold is a finding.

    Args:
        path: the file.
        body: the only root body to read; None: the one with the most joints, and the other moving
            ones as ``others``.
        repair: True to replace impossible mass properties by the nearest possible ones.
        beside: True if another model of the same file holds the findings about the whole file.

    Raises:
        RobotError: if the file is malformed, or its tree cannot be a URDF.
    """
    document = read_document(path)
    positions = positions_of(document)
    hinges = ball_joints_as_hinges(document)
    tree = convert_tree(document, body)
    say_weights(tree)
    for ball, hinge in hinges.items():
        x, y, z = hinge.names
        if x in tree.order:
            said = f"replaced by hinges {x}, {y}, {z}: singular at {y} = +-90 degrees"
            if hinge.about:
                said += f"; {', '.join(hinge.about)} about each of them"
            tree.findings.append(Finding("note", f'ball joint "{ball}"', said))
            if hinge.lost:
                tree.say(f'ball joint "{ball}"', f"{', '.join(hinge.lost)}: not honoured")
    lengths = read_lengths(document, tree)
    actuation = read_actuators(document, tree, lengths)
    tendons, stops = read_tendons(document, tree, lengths, actuation.tendons)
    loops = read_loops(document, tree, lengths)
    postures = read_keyframes(document, tree, positions, actuation)
    alone = beside or body is not None
    trunk = not tree.floating and tree.planar is None
    world = None if alone else read_world(document, tree.furniture, trunk=trunk)
    ElementTree.indent(tree.robot)
    text = ElementTree.tostring(tree.robot, encoding="unicode") + "\n"
    if repair:
        urdf, text, corrected = repaired(tree.robot, path)
        tree.findings += corrected
    else:
        urdf = read_again(tree.robot, path)
    what = "an MJCF, converted to a URDF, which every engine and visualizer can use"
    of_file = (
        *unread(document, tree),
        *told_of_looks(document.looks, document.bodies),
        Finding("note", path.name, what),
    )
    return Model(
        urdf=urdf,
        gears=actuation.gears,
        servos=actuation.servos,
        armature={
            joint: value
            for joint, value in tree.armature.items()
            if value and joint in urdf.movable
        },
        torque_limits=tree.torque_limits,
        springs=tree.springs,
        loops=loops,
        tendons=tendons,
        stops=stops,
        postures=postures,
        base="floating" if tree.floating else "planar" if tree.planar else "fixed",
        start=tree.start_pose,
        gravity=document.gravity,
        root=body or "",
        others=tuple(
            read_mjcf_model(path, body=name, repair=repair, beside=True) for name in tree.others
        ),
        objects=world.objects if world else (),
        ground=ground_below(world, tree.start_pose) if world else 0.0,
        relief=world.relief if world else None,
        rules=Rules() if beside else read_rules(document, tree, world),
        planar=tree.planar.joints if tree.planar else {},
        findings=(
            *tree.findings,
            *(world.findings if world else ()),
            *(() if beside else of_file),
        ),
        text=text,
        converted=True,
    )


def read_model(located: Located, *, body: str | None = None, repair: bool = False) -> Model:
    """Read a URDF with its transmissions, mimics and the SRDF beside it, or convert an MJCF.

    Args:
        located: the file.
        body: root body of an MJCF to read, None for the one with the most joints.
        repair: True to replace impossible mass properties by the nearest possible ones.

    Raises:
        RobotError: if a file is malformed; names the element. If meshes are missing; names all.
    """
    top = read_xml(located.path)
    if top.tag == "sdf":
        raise RobotError(f"{located.path}: SDF is not read (allowed: URDF, MJCF)")
    if top.tag == "mujocoinclude":
        raise RobotError(f"{located.path}: is part of an MJCF: import the file that includes it")
    if top.tag not in ("robot", "mujoco"):
        raise RobotError(
            f"{located.path}: is neither a URDF nor an MJCF: it begins with <{top.tag}>"
        )
    if top.tag == "mujoco":
        return read_mjcf_model(located.path, body=body, repair=repair)
    if body is not None:
        raise RobotError(f"{located.path}: --body is for an MJCF only, this is a URDF")
    if any("xacro}" in str(node.tag) for node in top.iter()):
        raise RobotError(f"{located.path}: holds xacro elements: expand it first")
    findings = missing_meshes(top, located.path)
    root = take_moving_root(top, str(located.path))
    findings += root.findings if root else ()
    text = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        if repair:
            urdf, text, corrected = repaired(top, located.path)
            findings += corrected
        elif root:
            with_absolute_files(top, located.path)
            urdf = read_again(top, located.path)
            text = ElementTree.tostring(top, encoding="unicode") + "\n"
        else:
            urdf = _checked(located.path)
    findings += [warned(str(w.message)) for w in caught if "mesh" not in str(w.message)]
    model = Model(urdf, findings=tuple(findings), text=text)
    if root:
        model = replace(model, base=root.base, start=root.start)
    return _with_srdf(with_extras(model))


def _checked(path: Path) -> Urdf:
    """Read a URDF; if a repair would help, the error names the option."""
    try:
        return read_urdf(path)
    except RobotError as error:
        if "has an inertia but no mass" not in str(error):
            raise
        raise RobotError(f"{error} (--repair-inertia leaves it out)") from error


def warned(message: str) -> Finding:
    """Return a warning from the robot's reader as a finding."""
    return Finding("warning", "model", message)


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
        base=model.base or srdf.base,
        findings=(*model.findings, note),
    )
