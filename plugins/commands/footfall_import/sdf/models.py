"""Models of an SDF: bodies of a scene."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

from footfall.api.advanced import FileElement
from footfall.api.engine import Pose
from footfall.api.plugin import RobotError
from footfall_import.checks import Finding
from footfall_import.model import EARTH, Model
from footfall_import.sdf.conversion import convert_model
from footfall_import.sdf.document import models_of, read_document
from footfall_import.sdf.frames import WORLD, numbers
from footfall_import.urdf.reading import Reading, chosen, read_tree, trees_of

LOST = ("joint", "actor", "population", "road", "state")
"""Elements of a world that are not honoured."""


def read_sdf_models(top: Element, path: Path, reading: Reading, body: str | None) -> Model:
    """Return the model of an SDF with the most joints, and the others as ``others``.

    Args:
        top: the SDF's element; changed in place.
        path: the file.
        reading: how it is read.
        body: name of the only model to read.

    Raises:
        RobotError: if the file is malformed, or there is no such model; names the element.
    """
    findings = read_document(top, path)
    lost = [f"{each.subject} {each.text}" for each in findings if each.lost]
    try:
        return _read(top, path, reading, body, findings)
    except RobotError as error:
        if not lost:
            raise
        raise RobotError(f"{error} ({'; '.join(dict.fromkeys(lost))})") from error


def _read(
    top: Element, path: Path, reading: Reading, body: str | None, findings: list[Finding]
) -> Model:
    counts = Counter(node.tag for node in top.findall("world/*") if node.tag in LOST)
    for tag, n in sorted(counts.items()):
        text = f"{n} of the world, not honoured"
        findings.append(Finding("warning", f"<{tag}>", text, lost=True))
    names: list[str] = []
    found: dict[str, Model] = {}
    for node, start in models_of(top, path):
        one = convert_model(node, path, start)
        for root, tree in trees_of(one.robot).items():
            name = one.robot.get("name", "")
            names.append(f"{name}_{root}" if name in names else name)
            if body not in (None, names[-1]):
                continue
            if one.static and next(tree.iter("geometry"), None) is None:
                text = "holds no shape: left out, the scene's [world.terrain] is the ground"
                findings.append(Finding("note", f'<model> "{name}"', text))
                continue
            read = read_tree(tree, path, reading, changed=True)
            found[names[-1]] = replace(
                read,
                base=read.base or ("fixed" if root == WORLD else "floating"),
                start=read.start or one.starts.get(root, Pose.identity()),
                springs=one.springs,
                root=names[-1],
                findings=(*one.findings, *read.findings),
            )
    order = sorted(found, key=lambda name: -len(found[name].urdf.movable))
    place = FileElement(str(path), "<world>")
    x, y, z = numbers(top.find("world/gravity"), place, 3, EARTH)
    model = chosen({name: found[name] for name in order}, names, body, path)
    told = Finding("note", path.name, "an SDF, converted to a URDF")
    return replace(model, gravity=(x, y, z), findings=(*model.findings, *findings, told))
