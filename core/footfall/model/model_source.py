"""Make what an engine loads of a model file and the choice of its joints."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from footfall.errors import RobotError
from footfall.formats.inertia import check_inertias
from footfall.formats.mjcf import Mjcf
from footfall.formats.normal_form import Base, canonical_joints, normal_form
from footfall.formats.urdf import Urdf
from footfall.interfaces.engine import ModelSource
from footfall.spatial.pose import Pose
from footfall.typing import Floats


def urdf_source(
    urdf: Urdf,
    name: str,
    gravity: Floats,
    base: Base,
    kept: tuple[str, ...],
    locked: Mapping[str, float],
    placement: Pose | None,
) -> ModelSource:
    """Return the source of a URDF in normal form; see ``normal_form``.

    Raises:
        RobotError: if something moves that has no mass or an inertia that no body can have.
    """
    check_inertias(urdf, kept, root_moves=base != "fixed")
    return ModelSource(
        name=name,
        format="urdf",
        path=str(urdf.path),
        xml=normal_form(urdf, base, kept, locked, placement),
        base="floating" if base == "floating" else "fixed",
        gravity=np.array(gravity, dtype=np.float64),
        joints=canonical_joints(urdf, base, kept),
    )


def mjcf_source(
    mjcf: Mjcf,
    name: str,
    gravity: Floats,
    base: Base,
    kept: tuple[str, ...] | None,
    locked: Mapping[str, float],
    placement: Pose | None,
) -> ModelSource:
    """Return the source of an MJCF file, which engines read themselves; ``kept`` None: all.

    Raises:
        RobotError: if it is to be held in another way than its file says.
    """
    if base != ("floating" if mjcf.floating else "fixed"):
        has = "a free joint" if mjcf.floating else "no free joint"
        raise RobotError(f"{mjcf.path}: its root has {has}, so its base cannot be {base}")
    if base == "fixed" and placement is not None and not placement.is_identity():
        raise RobotError(f"{mjcf.path}: an MJCF with a fixed base stands where its file says")
    return ModelSource(
        name=name,
        format="mjcf",
        path=str(mjcf.path),
        xml=mjcf.path.read_text(encoding="utf-8"),
        base="floating" if mjcf.floating else "fixed",
        gravity=np.array(gravity, dtype=np.float64),
        joints=kept,
        locked=locked,
    )
