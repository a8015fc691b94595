"""Read the model that an import is of, with what its file and the files beside it say."""

from __future__ import annotations

import warnings
from dataclasses import replace

from footfall.errors import RobotError
from footfall.formats.mesh_paths import RobotWarning
from footfall.formats.urdf_file import read_urdf, read_xml
from footfall_import.finding import Finding
from footfall_import.locate import Located
from footfall_import.missing_meshes import missing_meshes
from footfall_import.model import Model
from footfall_import.read_mjcf_model import read_mjcf_model
from footfall_import.srdf import find_srdf, read_srdf
from footfall_import.urdf_extras import read_extras


def read_model(located: Located) -> Model:
    """Read a URDF with its transmissions, mimics and the SRDF beside it, or convert an MJCF.

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
    if top.tag == "mujoco":
        return read_mjcf_model(located.path)
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
