"""Reader of the trees of a URDF, or of a file that was converted to one."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from footfall.api.advanced import Urdf, read_urdf
from footfall.api.engine import Pose
from footfall.api.plugin import RobotError, RobotWarning, nearest
from footfall_import.checks import Finding, warned
from footfall_import.meshes.missing import missing_meshes
from footfall_import.mjcf.expansion import BALL_AXES
from footfall_import.mjcf.geoms_as_shapes import add_joint
from footfall_import.model import Model
from footfall_import.urdf.extras import with_extras
from footfall_import.urdf.inertia_repair import read_again, repaired, with_absolute_files
from footfall_import.urdf.masses import add_masses
from footfall_import.urdf.moving_root import take_moving_root, take_sliding_root

WORLD = "world"
"""Link that carries a robot; it need not be written out."""
BALLS = ("spherical", "ball")
"""Joint types that URDFs use for ball joints, which the format does not have."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Options of reading a model.

    Attributes:
        repair: True to replace impossible mass properties by the nearest possible ones.
        joints: True to keep slides and hinges at the root that stand for a base.
        density: of the collision shapes of bodies without mass, [kg/m^3]; None: they are refused.
    """

    repair: bool = False
    joints: bool = False
    density: float | None = None


def trees_of(top: Element) -> dict[str, Element]:
    """Return the trees of a URDF by the name of their root link, that with the most joints first.

    A file with one root, or whose links are no trees, is returned as it is.
    """
    links = {link.get("name", ""): link for link in top.findall("link")}
    parents = {_end(joint, "child"): _end(joint, "parent") for joint in top.findall("joint")}
    root_of: dict[str, str] = {}
    for name in links:
        at, steps = name, 0
        while at in parents and steps <= len(parents):
            at, steps = parents[at], steps + 1
        root_of[name] = at
    roots = dict.fromkeys(root_of.values())
    if len(roots) < 2 or not set(roots) <= set(links) - set(parents):
        return {next(iter(roots), ""): top}
    found = {}
    for root in roots:
        tree = deepcopy(top)
        for node in list(tree):
            of = node.get("name", "") if node.tag == "link" else _end(node, "parent")
            joint = node.find("joint")
            if node.tag == "transmission" and joint is not None:
                named = [j for j in top.findall("joint") if j.get("name") == joint.get("name")]
                of = _end(named[0], "parent") if named else ""
            if node.tag in ("link", "joint", "transmission") and root_of.get(of) != root:
                tree.remove(node)
        found[root] = tree
    return dict(sorted(found.items(), key=lambda each: -len(each[1].findall("joint"))))


def read_trees(
    top: Element, path: Path, reading: Reading, body: str | None, *, changed: bool
) -> Model:
    """Return the model of a URDF's tree, or of its largest with the others as ``others``.

    Args:
        top: the URDF's element; changed in place.
        path: the file; meshes are relative to it.
        reading: how it is read.
        body: root link of the only tree to read.
        changed: True if the element is not that of the file.

    Raises:
        RobotError: as ``read_tree``, or if there is no such tree.
    """
    trees = trees_of(top)
    several = len(trees) > 1
    models = {
        root: read_tree(tree, path, reading, changed=changed or several)
        for root, tree in trees.items()
        if body in (None, root)
    }
    if several:
        models = {
            root: replace(model, root=root, start=model.start or Pose.identity())
            for root, model in models.items()
        }
    return chosen(models, trees, body, path)


def chosen(
    models: Mapping[str, Model], names: Collection[str], body: str | None, path: Path
) -> Model:
    """Return the first of several models with the others as ``others``.

    Raises:
        RobotError: if none was read; suggests the nearest name.
    """
    if not models:
        hint = nearest(body or "", names) or f" (models: {', '.join(names) or 'none'})"
        raise RobotError(
            f'{path}: no model "{body}"{hint}'
            if body
            else f"{path}: holds no model that moves or has a shape"
        )
    first, *others = models.values()
    return replace(first, others=tuple(others))


def _end(joint: Element, tag: str) -> str:
    node = joint.find(tag)
    return "" if node is None else node.get("link", "")


def read_tree(top: Element, path: Path, reading: Reading, *, changed: bool) -> Model:
    """Return the model of one tree.

    Args:
        top: its element; changed in place.
        path: the file; meshes are relative to it.
        reading: how it is read.
        changed: True if the element is not that of the file.

    Raises:
        RobotError: if the file is malformed; names the element. If meshes are missing; names all.
    """
    findings = missing_meshes(top, path)
    links = {link.get("name") for link in top.findall("link")}
    if WORLD not in links and WORLD in {_end(joint, "parent") for joint in top.findall("joint")}:
        SubElement(top, "link", name=WORLD)  # as in Drake
        changed = True
    balls = list(_balls_as_hinges(top))
    findings += balls
    root = take_moving_root(top, str(path))
    if root is None and not reading.joints:
        driven = [joint.get("name", "") for joint in top.findall("transmission/joint")]
        root = take_sliding_root(top, str(path), driven)
    findings += root.findings if root else ()
    text = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        if reading.density is not None:
            findings += add_masses(top, path, reading.density)
        if reading.repair:
            urdf, text, corrected = repaired(top, path)
            findings += corrected
        elif root or balls or changed or reading.density is not None:
            with_absolute_files(top, path)
            urdf = read_again(top, path)
            text = ElementTree.tostring(top, encoding="unicode") + "\n"
        else:
            urdf = _checked(path)
    findings += [warned(str(w.message)) for w in caught if "mesh" not in str(w.message)]
    model = Model(urdf, findings=tuple(findings), text=text)
    if root:
        model = replace(model, base=root.base, start=root.start)
    return with_extras(model, top)


def _balls_as_hinges(top: Element) -> Iterator[Finding]:
    """Replace ball joints by hinges about x, y and z, and yield a note for each."""
    for joint in top.findall("joint"):
        if joint.get("type") not in BALLS:
            continue
        name, ends = joint.get("name", ""), [_end(joint, "parent")]
        for letter in "xy":
            ends.append(f"{name}_{letter}")
            SubElement(top, "link", name=ends[-1])
        ends.append(_end(joint, "child"))
        for k, (letter, axis) in enumerate(BALL_AXES.items()):
            to = (ends[k], ends[k + 1])
            made = add_joint(top, f"{name}_{letter}", "continuous", to, Pose.identity())
            SubElement(made, "axis", xyz=axis)
            made.extend(joint.findall("dynamics"))
            origin = joint.find("origin")
            if k == 0 and origin is not None:
                made.remove(made[0])
                made.append(origin)
        top.remove(joint)
        said = (
            f"replaced by hinges {name}_x, {name}_y, {name}_z: singular at {name}_y = +-90 degrees"
        )
        yield Finding("note", f'ball joint "{name}"', said)


def _checked(path: Path) -> Urdf:
    """Read a URDF; if a repair would help, the error names the option."""
    try:
        return read_urdf(path)
    except RobotError as error:
        if "has an inertia but no mass" not in str(error):
            raise
        raise RobotError(f"{error} (--repair-inertia leaves it out)") from error
