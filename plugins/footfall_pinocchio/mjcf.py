"""Bring an MJCF to a form that Pinocchio reads as MuJoCo does.

Pinocchio's reader leaves out, without a word, second root bodies, limits that are switched off,
visual shapes that count for the inertia, and more. What can be rewritten is; the rest is refused if
it would give another tree, and warned about if it is a force that acts on the tree.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from footfall.errors import RobotError
from footfall.robot.mesh import RobotWarning
from footfall.roles.engine import ModelSource
from footfall_pinocchio.mjcf_bodies import is_free, name_everything, single_tree, split_joints
from footfall_pinocchio.mjcf_defaults import write_out_defaults

READ = frozenset({"body", "inertial", "joint", "freejoint", "geom", "site"})
"""Elements of a body that say what moves and how heavy it is."""
DECORATION = frozenset({"camera", "light", "plugin"})
FORCES = ("equality", "tendon", "deformable")
"""Sections that act on the tree and are not read."""
COMPILER_REFUSED = ("settotalmass", "boundmass", "boundinertia", "inertiagrouprange")


def readable_mjcf(source: ModelSource) -> str:
    """Return the text of an MJCF with explicit attributes, one root and one joint a body.

    Raises:
        RobotError: if the file is malformed or holds what would be another tree to Pinocchio.
    """
    top = _with_includes(_parse(source.xml, source.path), Path(source.path).parent)
    write_out_defaults(top, source.path)
    compiler = _compiler(top, source.path)
    model = Element("mujoco", model=top.get("model", source.name))
    worldbody = Element("worldbody")
    for section in top.findall("worldbody"):
        worldbody.extend(section)
    name_everything(worldbody)
    for body in worldbody.findall("body"):
        _check_body(body, compiler, source.path, is_root=True)
    single_tree(worldbody, source.base, source.path)
    split_joints(worldbody)
    _warn_of_forces(top, source.path)
    model.extend([compiler, _meshes(top), worldbody])
    return ElementTree.tostring(model, encoding="unicode")


def _parse(text: str, path: str) -> Element:
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise RobotError(f"{path}: {error}") from error


def _with_includes(node: Element, folder: Path) -> Element:
    """Replace each ``<include>`` by the contents of its file, relative to the main file."""
    for i, child in reversed(list(enumerate(node))):
        if child.tag == "include":
            path = folder / child.get("file", "")
            try:
                text = path.read_text(encoding="utf-8")
            except OSError as error:
                raise RobotError(f"{path}: included, but {error.strerror}") from error
            node[i : i + 1] = list(_with_includes(_parse(text, str(path)), folder))
        else:
            _with_includes(child, folder)
    return node


def _compiler(top: Element, path: str) -> Element:
    """Merge the compiler's settings; mesh folders become absolute."""
    merged = Element("compiler")
    for node in top.findall("compiler"):
        merged.attrib.update(node.attrib)
    for key in COMPILER_REFUSED:
        if key in merged.attrib:
            raise RobotError(f"{path}: compiler: {key} is not supported: write the masses out")
    if merged.get("balanceinertia") == "true" or merged.get("coordinate") == "global":
        raise RobotError(f"{path}: compiler: balanceinertia and global coordinates not supported")
    folder = merged.attrib.pop("meshdir", merged.attrib.pop("assetdir", ""))
    merged.set("meshdir", str(Path(path).resolve().parent / folder))
    return merged


def _meshes(top: Element) -> Element:
    assets = Element("asset")
    for section in top.findall("asset"):
        assets.extend(section.findall("mesh"))
    return assets


def _check_body(body: Element, compiler: Element, path: str, *, is_root: bool) -> None:
    where = f"{path}: body {body.get('name')!r}"
    for child in list(body):
        if child.tag in DECORATION:
            body.remove(child)
        elif child.tag not in READ:
            raise RobotError(f"{where}: <{child.tag}> is not supported: write it out")
    if not is_root and is_free(body):
        raise RobotError(f"{where}: a free joint is allowed on the root body only")
    if float(body.get("gravcomp", "0")):
        _warn(f"{where}: gravcomp is not honoured")
    for joint in body.findall("joint"):
        _check_joint(joint, compiler, path)
    _prepare_geoms(body, compiler)
    for child in body.findall("body"):
        _check_body(child, compiler, path, is_root=False)


def _check_joint(joint: Element, compiler: Element, path: str) -> None:
    where = f"{path}: joint {joint.get('name')!r}"
    if joint.get("type", "hinge") == "ball":
        raise RobotError(f"{where}: ball joints are not supported: write three hinge joints")
    for key in ("ref", "damping", "armature", "frictionloss"):
        first, *others = (float(part) for part in joint.get(key, "0").split())
        if any(others) or (key == "ref" and first):
            raise RobotError(f"{where}: {key}={joint.get(key)!r} is not supported")
    if any(float(part) for part in joint.get("stiffness", "0").split()):
        _warn(f"{where}: its spring (stiffness) is not honoured")
    automatic = compiler.get("autolimits", "true") == "true"
    limited = joint.attrib.pop("limited", "auto")
    if limited == "false" or (limited == "auto" and not automatic):
        joint.attrib.pop("range", None)
    if joint.get("type") == "slide" and "range" in joint.attrib:
        _undo_degrees(joint, compiler)


def _undo_degrees(slide: Element, compiler: Element) -> None:
    """Write a slide's range [m] so that Pinocchio, which takes it for an angle, gets it right."""
    if compiler.get("angle", "degree") != "radian":
        bounds = (math.degrees(float(bound)) for bound in slide.get("range", "").split())
        slide.set("range", " ".join(map(repr, bounds)))


def _prepare_geoms(body: Element, compiler: Element) -> None:
    """Drop shapes that do not count for the inertia, and let all others count."""
    from_geom = compiler.get("inertiafromgeom", "auto")
    given = body.find("inertial") is not None and from_geom != "true"
    for geom in body.findall("geom"):
        if given:
            body.remove(geom)
        for key in ("contype", "conaffinity", "group", "material"):
            geom.attrib.pop(key, None)


def _warn_of_forces(top: Element, path: str) -> None:
    for tag in FORCES:
        if any(len(section) for section in top.findall(tag)):
            _warn(f"{path}: <{tag}> is not honoured")


def _warn(message: str) -> None:
    warnings.warn(message, RobotWarning, stacklevel=2)
