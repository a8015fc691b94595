"""The exporter ``urdf``: the tree of a scene's one robot, with what of it touches."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.errors import RecordingError
from footfall.api.geometry import Pose
from footfall.api.plugin import Floats
from footfall_recordings.models.exporter import (
    losses,
    opened,
    refuse_to_replace,
    spring_of,
    tell,
    write,
)
from footfall_recordings.models.skeleton import POINT, RIM, Link, skeleton, upright

if TYPE_CHECKING:
    from footfall_stepper.api import Body, StepperSimulator


UNLIMITED = repr(1e300)
"""What stands for no limit: URDF has no infinity."""
ENVIRONMENT = -1
"""Number of the link that fixed shapes are on."""
TYPES = {"hinge": "revolute", "slide": "prismatic"}


def export_urdf(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write the one body that moves in a scene, or in a recording's scene, as URDF.

    Its links are those that move against each other, with the masses of all that is welded to
    them; joints have their limits, damping and friction. Shapes that are no primitives become files
    in a folder beside it. The rest is told.

    Args:
        recording: a scene's file or name, or a recording.
        output: the file to write.
        overwrite: whether what is there may be replaced.
        trust: whether functions that a recording names may be imported.

    Raises:
        SceneError: if the scene cannot be loaded.
        RecordingError: if the recording cannot be read, several bodies move, or the output cannot
            be written.
    """
    scene, sim = opened(recording, trust=trust)
    if len(sim.world.bodies) > 1:
        names = ", ".join(body.name for body in sim.world.bodies[:4])
        raise RecordingError(
            f"a URDF is one robot, and {len(sim.world.bodies)} bodies move ({names}...): "
            "--format mjcf holds them all"
        )
    (body,) = sim.world.bodies
    robot = _Writer(body, sim, output)
    top = robot.written()
    ElementTree.indent(top)
    files = {output: ElementTree.tostring(top, encoding="unicode") + "\n"} | robot.meshes
    for file in files:
        refuse_to_replace(file, overwrite=overwrite)
    for file, text in files.items():
        write(file, text, overwrite=overwrite)
    tell(output, [*losses(scene, sim), *UNSAID, *_unsaid(body, sim), *robot.lost])


UNSAID = (
    *("where it starts", "gravity", "the ground", "its controller", "what may touch what"),
    "coefficients of friction of what touches",
)
"""What no URDF says."""


def _unsaid(body: Body, sim: StepperSimulator) -> Iterator[str]:
    """Yield what of a body no URDF says."""
    if sim.world.joints.armature.any():
        yield "inertia that motors reflect"
    springs = [name for name in body.model.joint_names if spring_of(sim, body.name, name)]
    if springs:
        yield f"springs of {', '.join(springs)}"
    if any(np.isfinite(drive.limit).any() for drive in sim.participants.drives):
        yield "torque limits of drives (effort is that of the model file)"
    for loop in body.loops:
        if loop.kind != "coupling":
            yield f"loop {loop.name}"
    for shape in _shapes(sim, ENVIRONMENT):
        yield f"fixed {shape.name}"


class _Writer:
    """A URDF in the making.

    Attributes:
        meshes: text of the mesh files beside it, by path.
        lost: shapes that it does not hold.
    """

    def __init__(self, body: Body, sim: StepperSimulator, output: Path) -> None:
        self.body, self.sim, self.output = body, sim, output
        self.meshes: dict[Path, str] = {}
        self.lost: list[str] = []

    def written(self) -> Element:
        """Return the top element."""
        links = skeleton(self.body)
        top = Element("robot", name=self.body.name)
        for index, link in enumerate(links):
            node = SubElement(top, "link", name=link.name)
            _add_inertial(node, link)
            for shape in _shapes(self.sim, index):
                self._add_collision(node, shape)
            for feature in self.body.features:
                if feature.link == index:
                    _add_feature(node, feature)
        for link in links[1:]:
            _add_joint(top, self.body, link, links[link.parent], self.sim)
        return top

    def _add_collision(self, node: Element, shape: Any) -> None:
        """Add a shape: a primitive, or a mesh with a file of its own."""
        geometry, kind = shape.geometry, type(shape.geometry).__name__
        if kind == "Box":
            tag, given = "box", {"size": _text(np.array(geometry.size))}
        elif kind == "Sphere":
            tag, given = "sphere", {"radius": repr(float(geometry.radius))}
        elif kind in ("Cylinder", "Capsule"):
            sizes = {"radius": repr(float(geometry.radius)), "length": repr(float(geometry.length))}
            tag, given = kind.lower(), sizes
        elif kind in ("Convex", "TriangleMesh"):
            tag, given = "mesh", {"filename": self._mesh(geometry, kind)}
        else:
            self.lost.append(f"shape {shape.name} ({kind})")
            return
        _add_geometry(node, shape.name, shape.pose, tag, given)

    def _mesh(self, geometry: Any, kind: str) -> str:
        """Add a mesh file; return its name as the URDF has it."""
        folder = f"{self.output.stem}_meshes"
        faces = geometry.faces if kind == "Convex" else geometry.triangles
        lines = [f"v {_text(vertex)}" for vertex in geometry.vertices]
        lines += ["f " + " ".join(str(int(k) + 1) for k in face) for face in faces]
        name = f"{len(self.meshes)}.obj"
        self.meshes[self.output.parent / folder / name] = "\n".join(lines) + "\n"
        return f"{folder}/{name}"


def _add_feature(node: Element, feature: Any) -> None:
    """Add what touches the ground: a ball for a point, a thin disc for a rim."""
    radius = {"radius": repr(float(feature.radius) or POINT)}
    if feature.kind == "rim":
        pose = Pose(upright(feature.axis), feature.position)
        _add_geometry(node, feature.name, pose, "cylinder", radius | {"length": repr(2.0 * RIM)})
    else:
        _add_geometry(node, feature.name, Pose(np.eye(3), feature.position), "sphere", radius)


def _add_geometry(node: Element, name: str, pose: Pose, tag: str, given: dict[str, str]) -> None:
    collision = SubElement(node, "collision", name=name)
    _add_origin(collision, pose)
    SubElement(SubElement(collision, "geometry"), tag, given)


def _add_inertial(node: Element, link: Link) -> None:
    if link.mass == 0.0:
        return
    inertial = SubElement(node, "inertial")
    SubElement(inertial, "origin", xyz=_text(link.com))
    SubElement(inertial, "mass", value=repr(link.mass))
    entries = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2)}
    entries |= {"ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    values = {key: repr(float(link.inertia[at])) for key, at in entries.items()}
    SubElement(inertial, "inertia", values)


def _add_joint(top: Element, body: Body, link: Link, parent: Link, sim: StepperSimulator) -> None:
    assert link.joint is not None
    axis, model = link.joint, body.model
    limits = np.array([-np.inf, np.inf])
    if len(body.position_limits):
        limits = body.position_limits[axis.dof]
    free = axis.kind == "hinge" and not np.isfinite(limits).any()
    node = SubElement(top, "joint", name=axis.name, type="continuous" if free else TYPES[axis.kind])
    _add_origin(node, parent.pose.inverse() @ link.pose)
    SubElement(node, "parent", link=parent.name)
    SubElement(node, "child", link=link.name)
    SubElement(node, "axis", xyz=_text(axis.direction))
    bounds = dict(zip(("lower", "upper"), map(_limit, limits), strict=True))
    most = {"velocity": model.velocity_limit, "effort": model.effort_limit}
    rates = {key: _limit(values[axis.dof]) for key, values in most.items()}
    SubElement(node, "limit", bounds | rates)
    friction = float(body.joint_friction[axis.dof]) if len(body.joint_friction) else 0.0
    damping = float(sim.world.joints.damping[body.joint_offset + axis.dof])
    SubElement(node, "dynamics", damping=repr(damping), friction=repr(friction))
    for loop in body.loops:
        if loop.kind == "coupling" and loop.joint == axis.dof:
            of = {"joint": model.joint_names[loop.of]}
            line = {"multiplier": repr(loop.ratio), "offset": repr(loop.offset)}
            SubElement(node, "mimic", of | line)


def _shapes(sim: StepperSimulator, link: int) -> Iterator[Any]:
    """Yield what touches others, of a link."""
    collider = sim.world.collider
    if collider is not None:
        shapes: Any = collider.shapes
        yield from (shape for shape in shapes if shape.link == link)


def _add_origin(node: Element, pose: Pose) -> None:
    SubElement(node, "origin", xyz=_text(pose.translation), rpy=_text(np.array(pose.rpy)))


def _limit(value: float) -> str:
    if np.isfinite(value):
        return repr(float(value))
    return UNLIMITED if value > 0.0 else f"-{UNLIMITED}"


def _text(values: Floats) -> str:
    return " ".join(repr(float(value)) for value in values)
