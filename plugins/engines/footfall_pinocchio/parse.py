"""Conversion of a model source to a ``pinocchio.Model`` of one-dof joints."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from footfall.api.advanced import captured_output
from footfall.api.engine import ModelSource
from footfall.api.plugin import RobotError
from footfall_pinocchio.mjcf import readable_mjcf


def load_model(source: ModelSource) -> Any:
    """Return the ``pinocchio.Model`` of a source, with its gravity.

    Raises:
        RobotError: if the file cannot be read or a joint has more than one dof.
    """
    model = _parse_urdf(source) if source.format == "urdf" else _parse_mjcf(source)
    _require_base(model, source)
    _require_one_dof(model, source)
    _require_order(model, source)
    model.gravity.linear = np.asarray(source.gravity, dtype=np.float64)
    return model


def is_floating(model: Any) -> bool:
    """Return whether the first joint is a free-flyer."""
    return bool(model.njoints > 1 and model.joints[1].shortname() == "JointModelFreeFlyer")


def _parse_urdf(source: ModelSource) -> Any:
    roots = (pin.JointModelFreeFlyer(),) if source.base == "floating" else ()
    with captured_output(2) as lines:
        try:
            model = pin.buildModelFromXML(source.xml, *roots)
        except Exception as error:
            raise RobotError(f"{source.path}: {_urdfdom_errors(lines()) or error}") from error
        # The parser skips an unreadable inertia and only prints a message.
        errors = _urdfdom_errors(lines())
    if errors:
        raise RobotError(f"{source.path}: {errors}")
    return model


def _parse_mjcf(source: ModelSource) -> Any:
    text = readable_mjcf(source)
    with tempfile.TemporaryDirectory() as folder, captured_output(2):
        path = Path(folder) / "model.xml"
        path.write_text(text, encoding="utf-8")
        try:
            model = pin.buildModelFromMJCF(str(path))
        except Exception as error:
            raise RobotError(f"{source.path}: {_one_line(error)}") from error
    return model if source.joints is None else _reduced(model, source, set(source.joints))


def _reduced(model: Any, source: ModelSource, keep: set[str]) -> Any:
    """Lock the joints that are not kept, at their given positions (default 0)."""
    names = list(model.names)[2 if is_floating(model) else 1 :]
    source.require_joints(names)
    q = pin.neutral(model)
    lock = [model.getJointId(name) for name in names if name not in keep]
    for j in lock:
        if model.joints[j].nq == 1:
            q[model.idx_qs[j]] = source.locked.get(model.names[j], 0.0)
    return pin.buildReducedModel(model, lock, q)


def _require_base(model: Any, source: ModelSource) -> None:
    if is_floating(model) == (source.base == "floating"):
        return
    has, lacks = ("a", "no") if is_floating(model) else ("no", "a")
    raise RobotError(
        f"{source.path}: the root body has {has} freejoint, but a {source.base} base needs "
        f"{lacks} freejoint: edit the model or choose the other base"
    )


def _require_one_dof(model: Any, source: ModelSource) -> None:
    first = 2 if is_floating(model) else 1
    for j in range(first, model.njoints):
        if model.joints[j].nq != 1 or model.joints[j].nv != 1:
            raise RobotError(
                f'{source.path}: joint "{model.names[j]}": has {model.joints[j].nv} degrees of '
                f"freedom and {model.joints[j].nq} position coordinates, only one is allowed: "
                "write it as a chain of revolute and prismatic joints"
            )


def _require_order(model: Any, source: ModelSource) -> None:
    if source.format == "mjcf" or source.joints is None:
        return  # the file's own order is the canonical one
    order = tuple(model.names)[2 if is_floating(model) else 1 :]
    if order != tuple(source.joints):
        raise RobotError(
            f"{source.path}: the joints in depth-first order are {', '.join(order) or 'none'}; "
            f"the source names {', '.join(source.joints) or 'none'}"
        )


def _urdfdom_errors(lines: list[str]) -> str:
    return "; ".join(line.removeprefix("Error:").strip() for line in lines if "Error:" in line)


def _one_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
