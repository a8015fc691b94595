"""Which loops of a model file hold: those that robot.toml neither replaces nor switches off."""

from __future__ import annotations

from collections.abc import Iterator

from footfall.formats.mjcf import Mjcf
from footfall.formats.mjcf_equality import read_equalities
from footfall.formats.urdf import Urdf
from footfall.model.loop_spec import CouplingSpec
from footfall.model.model_loops import ModelCoupling, ModelLoop
from footfall.model.spec import RobotSpec


def closes(model: Urdf | Mjcf, spec: RobotSpec) -> bool:
    """Return whether a model file gives loops that are read."""
    if spec.model.loops == "ignored":
        return False
    if isinstance(model, Mjcf):
        return bool(model.equalities)
    return any(joint.mimics is not None for joint in model.joints.values())


def own_loops(model: Urdf | Mjcf, spec: RobotSpec) -> tuple[ModelLoop, ...]:
    """Return the loops of a model file that hold.

    Raises:
        RobotError: if the file gives one that cannot be honoured; names it.
    """
    if not closes(model, spec):
        return ()
    found = (
        _mimics(model) if isinstance(model, Urdf) else read_equalities(model.equalities, model.path)
    )
    names = {loop.name for loop in spec.loops}
    followers = {loop.joint for loop in spec.loops if isinstance(loop, CouplingSpec)}
    return tuple(
        loop
        for loop in found
        if loop.name not in names
        and not (isinstance(loop, ModelCoupling) and loop.joint in followers)
    )


def _mimics(urdf: Urdf) -> Iterator[ModelLoop]:
    """Yield a coupling for each joint that mimics another."""
    for joint in urdf.joints.values():
        if joint.mimics is not None and joint.type != "fixed":
            where = f'{urdf.path}: joint "{joint.name}"'
            yield ModelCoupling(
                joint.name, joint.name, joint.mimics, joint.ratio, joint.offset, where
            )
