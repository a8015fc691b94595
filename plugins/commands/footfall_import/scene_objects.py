"""Fixed objects of a proposed scene: their tables, and the files that their shapes need."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from footfall_import.model import FixedObject, Part
from footfall_import.proposal import Proposal
from footfall_import.robot_text import array, comment, key, number, text, vector


def objects_text(objects: tuple[FixedObject, ...]) -> Iterator[str]:
    """Yield the table of each object of a scene in ``scenes/``."""
    for k, each in enumerate(objects):
        lines = [] if k else [comment("Fixed geoms of the model file's world, at its places.")]
        lines += [f"[bodies.{key(each.name)}]", f"shape = {{ {_shape(each)} }}", "fixed = true"]
        lines.append(f"base_position = {vector(each.pose.translation, 12)}")
        if not np.allclose(each.pose.rotation, np.eye(3), rtol=0.0, atol=1e-12):
            lines.append(f"base_orientation = {vector(each.pose.rpy, 12)}")
        lines.append(f"friction = {number(each.friction)}")
        if each.color is not None:
            lines.append(f"color = {vector(np.clip(each.color, 0.0, 1.0))}")
        yield "\n".join(lines)


def rules_text(proposal: Proposal) -> Iterator[str]:
    """Yield the table of contacts between the bodies and objects, if it has any content."""
    rules = proposal.model.rules
    lines = ["detect = true"] if proposal.companions or proposal.model.objects else []
    if rules.inside:
        inside = [text(proposal.names[name]) for name in rules.inside]
        lines.append(f"self_collision = {array(inside)}")
    for word, pairs in (("ignore", rules.ignore), ("keep", rules.keep)):
        said = [", ".join(text(_part(proposal, part)) for part in pair) for pair in pairs]
        lines += [f"{word} = {array([f'[{pair}]' for pair in said])}"] if said else []
    if lines:
        yield "\n".join(["[collisions]", *lines])


def _part(proposal: Proposal, part: Part) -> str:
    owner, link = part
    return f"{proposal.names[owner]}/{link}" if link else proposal.names[owner]


def write_objects(objects: tuple[FixedObject, ...], folder: Path) -> None:
    """Write the files of meshes and height fields into the robot's folder."""
    for each in objects:
        if each.heights is None and each.shape.mesh is None:
            continue
        path = folder / each.file
        path.parent.mkdir(exist_ok=True)
        if each.heights is not None:
            np.save(path, each.heights)
        elif each.shape.mesh is not None:
            shutil.copyfile(each.shape.mesh, path)


def _shape(each: FixedObject) -> str:
    kind, size = each.shape.kind, each.shape.size
    file = f"file = {text(f'../{each.file}')}"
    match kind:
        case "box":
            inside = f"size = {vector(size, 12)}"
        case "sphere":
            inside = f"radius = {number(size[0], 12)}"
        case "mesh":
            inside = f"{file}, scale = {vector(size, 12)}"
        case "heightfield":
            inside = f"{file}, size = {vector(size[:2], 12)}"
        case _:
            inside = f"radius = {number(size[0], 12)}, length = {number(size[1], 12)}"
    return f"type = {text(kind)}, {inside}"
