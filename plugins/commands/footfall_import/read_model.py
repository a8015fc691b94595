"""Reader of the model of an import and the files beside it; an MJCF is converted to a URDF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree

from footfall.api.advanced import ModelCoupling, ModelJoining, Urdf
from footfall.api.command import read_xml
from footfall.api.plugin import RobotError
from footfall_import.checks import Finding
from footfall_import.locate import XACRO, Located
from footfall_import.mjcf.actuators import read_actuators
from footfall_import.mjcf.contact_rules import read_rules
from footfall_import.mjcf.document import Document, read_document
from footfall_import.mjcf.expansion import Hinges, ball_joints_as_hinges
from footfall_import.mjcf.looks import told_of_looks
from footfall_import.mjcf.sides import (
    positions_of,
    read_keyframes,
    read_loops,
    unread,
)
from footfall_import.mjcf.tendons import read_lengths, read_tendons
from footfall_import.mjcf.tree import Tree, convert_tree, say_weights
from footfall_import.mjcf.world import ground_below, read_world
from footfall_import.model import Model, Rules
from footfall_import.sdf.models import read_sdf_models
from footfall_import.urdf.inertia_repair import read_again, repaired
from footfall_import.urdf.moving_root import loose_slides, take_sliding_root
from footfall_import.urdf.reading import Reading, read_trees
from footfall_import.urdf.srdf import find_srdf, read_srdf
from footfall_import.urdf.xacro_file import expanded, is_xacro


def read_mjcf_model(
    path: Path,
    *,
    body: str | None = None,
    repair: bool = False,
    beside: bool = False,
    joints: bool = False,
) -> Model:
    """Return the model of an MJCF; its URDF has MuJoCo's kinematics and mass properties.

    Armature, force limits, loops and key frames, which a URDF cannot hold, are separate attributes
    of the model. Anything that the model cannot hold is a finding.

    Args:
        path: the file.
        body: the only root body to read; None: the one with the most joints, and the other moving
            ones as ``others``.
        repair: True to replace impossible mass properties by the nearest possible ones.
        joints: True to keep slides and hinges at the root that stand for a base.
        beside: True if another model of the same file holds the findings about the whole file.

    Raises:
        RobotError: if the file is malformed, or its tree cannot be a URDF.
    """
    document = read_document(path)
    positions = positions_of(document)
    hinges = ball_joints_as_hinges(document)
    tree = convert_tree(document, body)
    say_weights(tree)
    _say_hinges(tree, hinges)
    lengths = read_lengths(document, tree)
    actuation = read_actuators(document, tree, lengths)
    tendons, stops = read_tendons(document, tree, lengths, actuation.tendons)
    loops = read_loops(document, tree, lengths)
    postures = read_keyframes(document, tree, positions, actuation)
    used = {*actuation.gears, *actuation.servos, *tree.springs}
    used.update(*lengths.values(), *(map(str, _coupled(loop)) for loop in loops))
    root = None if joints else take_sliding_root(tree.robot, str(path), used)
    if root is not None:
        tree.findings += root.findings
        postures = root.turned(postures)
    loose = [] if root else loose_slides(tree.robot, used)
    trunk = not tree.floating and tree.planar is None and root is None
    alone = beside or body is not None
    world = None if alone else read_world(document, tree.furniture, trunk=trunk)
    urdf, text = _as_urdf(tree, path, repair=repair)
    held = used.union(loose) if actuation.gears else set(urdf.movable)
    _say_undriven(tree, loose, [joint for joint in urdf.movable if joint not in held])
    parts = partial(read_mjcf_model, path, repair=repair, beside=True, joints=joints)
    return Model(
        urdf=urdf,
        gears=actuation.gears,
        servos=actuation.servos,
        armature={
            joint: tree.armature[joint] for joint in urdf.movable if tree.armature.get(joint)
        },
        torque_limits=tree.torque_limits,
        springs=tree.springs,
        loops=loops,
        tendons=tendons,
        stops=stops,
        postures=postures,
        base=root.base if root else _base_of(tree),
        start=root.start if root else tree.start_pose,
        gravity=document.gravity,
        root=body or "",
        others=tuple(parts(body=name) for name in tree.others),
        objects=world.objects if world else (),
        ground=ground_below(world, tree.start_pose) if world else 0.0,
        relief=world.relief if world else None,
        rules=Rules() if beside else read_rules(document, tree, world),
        planar=tree.planar.joints if tree.planar else {},
        findings=(
            *tree.findings,
            *(world.findings if world else ()),
            *(() if beside else _of_file(document, tree, path)),
        ),
        text=text,
        converted=True,
    )


def _as_urdf(tree: Tree, path: Path, *, repair: bool) -> tuple[Urdf, str]:
    """Return a tree as a URDF that has been read, and its text; add what was repaired."""
    ElementTree.indent(tree.robot)
    if not repair:
        text = ElementTree.tostring(tree.robot, encoding="unicode") + "\n"
        return read_again(tree.robot, path), text
    urdf, text, corrected = repaired(tree.robot, path)
    tree.findings += corrected
    return urdf, text


def _of_file(document: Document, tree: Tree, path: Path) -> tuple[Finding, ...]:
    """Return the findings about a whole file."""
    what = "an MJCF, converted to a URDF, which every engine and visualizer can use"
    looks = told_of_looks(document.looks, document.bodies)
    return (*unread(document, tree), *looks, Finding("note", path.name, what))


def _base_of(tree: Tree) -> Literal["floating", "planar", "fixed"]:
    return "floating" if tree.floating else "planar" if tree.planar else "fixed"


def _say_hinges(tree: Tree, hinges: Mapping[str, Hinges]) -> None:
    """Report the ball joints of the tree that hinges replace."""
    for ball, hinge in hinges.items():
        x, y, z = hinge.names
        if x in tree.order:
            said = f"replaced by hinges {x}, {y}, {z}: singular at {y} = +-90 degrees"
            if hinge.about:
                said += f"; {', '.join(hinge.about)} about each of them"
            tree.findings.append(Finding("note", f'ball joint "{ball}"', said))
            if hinge.lost:
                tree.say(f'ball joint "{ball}"', f"{', '.join(hinge.lost)}: not honoured")


def _say_undriven(tree: Tree, slides: Sequence[str], idle: Sequence[str]) -> None:
    """Warn of joints that move freely in MuJoCo and that gains of the scene hold.

    Args:
        tree: the file's tree.
        slides: joints between the world and the first body with mass.
        idle: joints without an actuator, a spring or a coupling, where others have one.
    """
    if slides:
        said = "nothing in the file drives them, so that it falls in MuJoCo; gains hold them here"
        said += " (a <freejoint/> makes a floating base)"
        tree.findings.append(Finding("warning", "base", f"{', '.join(slides)}: {said}"))
    if idle:
        named = ", ".join(idle[:5]) + (f" and {len(idle) - 5} more" if len(idle) > 5 else "")
        said = "nothing in the file drives them; gains of the scene hold them here"
        tree.findings.append(Finding("warning", f"{len(idle)} joints", f"{named}: {said}"))


def _coupled(loop: ModelJoining | ModelCoupling) -> tuple[str, ...]:
    return (loop.joint, loop.of) if isinstance(loop, ModelCoupling) else ()


def read_model(
    located: Located,
    *,
    body: str | None = None,
    repair: bool = False,
    joints: bool = False,
    density: float | None = None,
    xacro: Mapping[str, str] | None = None,
) -> Model:
    """Read a URDF with its transmissions, mimics and the SRDF beside it, or convert an MJCF or SDF.

    Args:
        located: the file.
        body: root body, or model of an SDF, to read; None: that with the most joints, and the
            others as ``others``.
        repair: True to replace impossible mass properties by the nearest possible ones.
        joints: True to keep slides and hinges at the root that stand for a base.
        density: of the collision shapes of a URDF's bodies without mass, [kg/m^3]; None: refused.
        xacro: arguments with which a xacro file is expanded; None: it is refused.

    Raises:
        RobotError: if a file is malformed; names the element. If meshes are missing; names all.
    """
    top, path = read_xml(located.path), located.path
    if top.tag == "mujocoinclude":
        raise RobotError(f"{path}: is part of an MJCF: import the file that includes it")
    if top.tag not in ("robot", "mujoco", "sdf"):
        raise RobotError(f"{path}: is no URDF, MJCF or SDF: it begins with <{top.tag}>")
    if top.tag == "mujoco":
        if density is not None:
            raise RobotError(f"{path}: --density is for a URDF or SDF: an MJCF's geoms have theirs")
        return read_mjcf_model(path, body=body, repair=repair, joints=joints)
    reading = Reading(repair, joints, density)
    if top.tag == "sdf":
        return read_sdf_models(top, path, reading, body)
    changed = is_xacro(top) or (xacro is not None and path.suffix == XACRO)
    if changed:
        if xacro is None:
            raise RobotError(
                f"{path}: is a xacro file, which evaluates expressions and reads files and "
                "the environment: add --xacro if you know where it is from"
            )
        top = read_xml(path, expanded(path, xacro))
    return _with_srdf(read_trees(top, path, reading, body, changed=changed))


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
