"""Read the model that an import is of, with what its file and the files beside it say."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from footfall.errors import RobotError
from footfall.importing.finding import Finding
from footfall.importing.locate import Located
from footfall.importing.missing_meshes import missing_meshes
from footfall.importing.srdf import NamedPosture, Rotor, find_srdf, read_srdf
from footfall.importing.urdf_extras import read_extras
from footfall.robot.loop_spec import LoopSpec
from footfall.robot.mesh import RobotWarning
from footfall.robot.urdf import Urdf
from footfall.robot.urdf_file import read_urdf, read_xml


@dataclass(frozen=True, slots=True)
class Model:
    """A model as an import sees it: a URDF, and what stands beside the URDF's tree.

    Attributes:
        urdf: the checked tree.
        gears: gear ratio [-] of each joint that the file says is driven.
        rotors: rotor and gear by joint.
        armature: reflected inertia by joint, [kg m^2 or kg].
        torque_limits: greatest torque by joint where the URDF cannot say it, [N m or N].
        loops: what closes chains; of a URDF its mimics, which hold without being declared.
        postures: named postures.
        base: how the file says that the root is held.
        findings: what was found on the way.
        text: the URDF's text if it was converted, else None.
    """

    urdf: Urdf
    gears: Mapping[str, float] = field(default_factory=dict)
    rotors: Mapping[str, Rotor] = field(default_factory=dict)
    armature: Mapping[str, float] = field(default_factory=dict)
    torque_limits: Mapping[str, float] = field(default_factory=dict)
    loops: tuple[LoopSpec, ...] = ()
    postures: tuple[NamedPosture, ...] = ()
    base: Literal["floating", "fixed"] | None = None
    findings: tuple[Finding, ...] = ()
    text: str | None = None


def read_model(located: Located) -> Model:
    """Read a URDF, its transmissions and mimics, and the SRDF beside it.

    Raises:
        RobotError: if a file is malformed; names the element. Meshes that are missing are named
            all together.
    """
    top = read_xml(located.path)
    if top.tag == "sdf":
        raise RobotError(f"{located.path}: SDF is not read (allowed: URDF, MJCF)")
    if top.tag not in ("robot", "mujoco"):
        raise RobotError(
            f"{located.path}: is neither a URDF nor an MJCF: it begins with <{top.tag}>"
        )
    if any("xacro}" in str(node.tag) for node in top.iter()):
        raise RobotError(f"{located.path}: holds xacro elements: expand it first")
    findings = missing_meshes(top, located.path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RobotWarning)
        urdf = read_urdf(located.path)
    findings += [warned(str(w.message)) for w in caught if "mesh" not in str(w.message)]
    return _with_srdf(_with_extras(Model(urdf, findings=tuple(findings))))


def warned(message: str) -> Finding:
    """Return a warning of the robot's reader as a finding."""
    return Finding("warning", "model", message)


def _with_extras(model: Model) -> Model:
    extras = read_extras(model.urdf)
    return replace(
        model,
        gears=extras.gears,
        loops=extras.loops,
        findings=(*model.findings, *extras.findings),
    )


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
        base=srdf.base,
        findings=(*model.findings, note),
    )
