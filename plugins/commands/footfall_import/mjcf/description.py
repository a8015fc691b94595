"""Description of an MJCF for a scene: joints, loops, shapes, visuals and engine source."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from footfall.api.advanced import (
    ModelCoupling,
    ModelDescription,
    ModelJoining,
    PlacedShape,
    Visual,
)
from footfall.api.command import read_xml
from footfall.api.engine import ModelSource, Pose
from footfall.api.plugin import Floats, RobotError
from footfall_import.mjcf.document import read_with_includes
from footfall_import.mjcf.geometry import read_excluded, read_shapes, read_visuals
from footfall_import.mjcf.loops import read_equalities
from footfall_import.mjcf.normal_form import normal_form


class Mjcf(ModelDescription):
    """A checked MJCF file.

    Args:
        path: the file.
        joints: names of its hinge and slide joints, in the file's order (depth first).
        floating: True if its root body has a free joint.
        equalities: children of its ``<equality>``.
        sections: tags of its sections with content other than body pairs excluded from contact.
    """

    def __init__(
        self,
        path: Path,
        joints: tuple[str, ...],
        floating: bool,
        equalities: Sequence[Element],
        sections: Collection[str],
    ) -> None:
        super().__init__(path, joints, floating, sections)
        self._equalities = equalities

    def source(
        self,
        name: str,
        gravity: Floats,
        base: str,
        joints: tuple[str, ...] | None,
        locked: Mapping[str, float],
        placement: Pose | None,
    ) -> ModelSource:
        """Return the source that an engine loads: the file in normal form.

        Raises:
            RobotError: if the base type or placement differs from the file's.
        """
        held = "floating" if self.floating else "fixed"
        if base != held:
            has = "a free joint" if self.floating else "no free joint"
            raise RobotError(f"{self.path}: its root has {has}, so its base cannot be {base}")
        if base == "fixed" and placement is not None and not placement.is_identity():
            raise RobotError(f"{self.path}: an MJCF with a fixed base stands where its file says")
        return ModelSource(
            name=name,
            format="mjcf",
            path=str(self.path),
            xml=ElementTree.tostring(
                normal_form(read_xml(self.path), self.path), encoding="unicode"
            ),
            base="floating" if self.floating else "fixed",
            gravity=np.array(gravity, dtype=np.float64),
            joints=joints,
            locked=locked,
        )

    @property
    def has_loops(self) -> bool:
        """True if the file has equality constraints."""
        return bool(self._equalities)

    def loops(self) -> Iterator[ModelJoining | ModelCoupling]:
        """Yield the loops of the file's active equality constraints."""
        return read_equalities(self._equalities, self.path)

    def shapes(self, without: Collection[str]) -> tuple[PlacedShape, ...]:
        """Return the collision shapes of its bodies; see ``read_shapes``."""
        return read_shapes(self.path, without)

    def visuals(self) -> Iterator[tuple[str, Visual]]:
        """Yield the visuals of its bodies; see ``read_visuals``."""
        return read_visuals(self.path)

    def excluded(self) -> tuple[tuple[str, str], ...]:
        """Return the pairs of bodies that it excludes from contacts."""
        return read_excluded(self.path)


def read_mjcf(path: Path) -> Mjcf:
    """Read an MJCF file: the names of its joints, its loops and its sections.

    Raises:
        RobotError: if the file is missing, malformed or not an MJCF.
    """
    top = read_with_includes(path)
    if top.tag != "mujoco":
        raise RobotError(f"{path}: is not an MJCF: it begins with <{top.tag}>, not <mujoco>")
    joints = []
    floating = False
    for node in (node for world in top.findall("worldbody") for node in world.iter()):
        if node.tag == "freejoint" or (node.tag == "joint" and node.get("type") == "free"):
            floating = True
        elif node.tag == "joint" and node.get("name"):
            joints.append(node.get("name", ""))
    loops = [node for section in top.findall("equality") for node in section]
    tags = frozenset(
        section.tag for section in top if any(child.tag != "exclude" for child in section)
    )
    return Mjcf(path, tuple(joints), floating, loops, tags)
