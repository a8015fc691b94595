"""The exporter ``urdf``: the tree and collision shapes of a scene's only robot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall.api.engine import Pose
from footfall.api.plugin import RecordingError
from footfall_simulators.exporters.exporter import (
    SMALL,
    losses,
    opened,
    refuse_to_replace,
    spring_of,
    tell,
    upright,
    write,
)
from footfall_simulators.mjcf import text
from footfall_simulators.skeleton import Link, links, placed_in

if TYPE_CHECKING:
    from footfall_stepper.api import Body, CollisionShape, ContactFeature, StepperSimulator


UNLIMITED = repr(1e300)
"""Text for no limit: URDF has no infinity."""
ENVIRONMENT = -1
"""Link number of fixed shapes."""
TYPES = {"hinge": "revolute", "slide": "prismatic"}


def export_urdf(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write the only moving body of a scene, or of a recording's scene, as URDF.

    Welded links are merged into one link with their total mass. Joints have their limits, damping
    and friction. Shapes other than primitives become files in a folder beside the output. A warning
    lists the rest.

    Args:
        recording: a scene's file or name, or a recording.
        output: the file to write.
        overwrite: True if an existing file may be replaced.
        trust: True if functions named in a recording may be imported.

    Raises:
        SceneError: if the scene cannot be loaded.
        RecordingError: if the recording cannot be read, several bodies move, or the output cannot
            be written.
    """
    scene, sim = opened(recording, trust=trust)
    if len(sim.world.bodies) > 1:
        names = ", ".join(body.name for body in sim.world.bodies[:4])
        raise RecordingError(
            f"a URDF holds one robot, {len(sim.world.bodies)} bodies move ({names}...): "
            "use --format mjcf"
        )
    (body,) = sim.world.bodies
    robot = _Writer(body, sim, output)
    top = robot.written()
    ElementTree.indent(top)
    files = {output: ElementTree.tostring(top, encoding="unicode") + "\n"} | robot.meshes
    for file in files:
        refuse_to_replace(file, overwrite=overwrite)
    for file, content in files.items():
        write(file, content, overwrite=overwrite)
    tell(output, [*losses(scene, sim), *UNSAID, *_unsaid(body, sim), *robot.lost])


UNSAID = (
    *("initial state", "gravity", "the ground", "its controller", "contact pairs"),
    "friction coefficients of contacts",
)
"""Parts that no URDF holds."""


def _unsaid(body: Body, sim: StepperSimulator) -> Iterator[str]:
    """Yield the parts of a body that no URDF holds."""
    if sim.world.joints.armature.any():
        yield "armature"
    springs = [name for name in body.model.joint_names if spring_of(sim, body.name, name)]
    if springs:
        yield f"springs of {', '.join(springs)}"
    if any(np.isfinite(drive.limit).any() for drive in sim.participants.drives):
        yield "torque limits of drives (effort limits are the model file's)"
    for loop in body.loops:
        if loop.kind != "coupling":
            yield f"loop {loop.name}"
    for shape in _shapes(sim, ENVIRONMENT):
        yield f"fixed {shape.name}"


class _Writer:
    """A URDF under construction.

    Attributes:
        meshes: text of its mesh files, by path.
        lost: shapes that a URDF cannot hold.
    """

    def __init__(self, body: Body, sim: StepperSimulator, output: Path) -> None:
        self.body, self.sim, self.output = body, sim, output
        self.meshes: dict[Path, str] = {}
        self.lost: list[str] = []

    def written(self) -> Element:
        """Return the top element."""
        found = links(self.sim.world, 0)
        top = Element("robot", name=self.body.name)
        for index, link in enumerate(found):
            node = SubElement(top, "link", name=link.name)
            _add_inertial(node, link)
            for shape in _shapes(self.sim, index):
                self._add_collision(node, shape)
            for feature in self.body.features:
                if feature.link == index:
                    _add_feature(node, feature)
        for link in found[1:]:
            _add_joint(top, self.body, link, found[link.parent], self.sim)
        return top

    def _add_collision(self, node: Element, shape: CollisionShape) -> None:
        """Add a shape: a primitive, or a mesh with its own file."""
        geometry: Any = shape.geometry
        kind = type(geometry).__name__
        if kind == "Box":
            tag, given = "box", {"size": text(np.array(geometry.size))}
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
        """Add a mesh file; return its name in the URDF."""
        folder = f"{self.output.stem}_meshes"
        faces = geometry.faces if kind == "Convex" else geometry.triangles
        lines = [f"v {text(vertex)}" for vertex in geometry.vertices]
        lines += ["f " + " ".join(str(int(k) + 1) for k in face) for face in faces]
        name = f"{len(self.meshes)}.obj"
        self.meshes[self.output.parent / folder / name] = "\n".join(lines) + "\n"
        return f"{folder}/{name}"


def _add_feature(node: Element, feature: ContactFeature) -> None:
    """Add a contact feature: a ball for a point or sphere, a thin disc for a rim."""
    radius = {"radius": repr(float(feature.radius) or SMALL)}
    if feature.kind == "rim":
        pose = Pose(upright(feature.axis), feature.position)
        _add_geometry(node, feature.name, pose, "cylinder", radius | {"length": repr(2.0 * SMALL)})
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
    SubElement(inertial, "origin", xyz=text(link.com))
    SubElement(inertial, "mass", value=repr(link.mass))
    entries = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2)}
    entries |= {"ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
    values = {key: repr(float(link.inertia[at])) for key, at in entries.items()}
    SubElement(inertial, "inertia", values)


def _add_joint(top: Element, body: Body, link: Link, parent: Link, sim: StepperSimulator) -> None:
    assert link.joint is not None
    joint, model = link.joint, body.model
    free = joint.kind == "hinge" and not np.isfinite(joint.limits).any()
    kind = "continuous" if free else TYPES[joint.kind]
    node = SubElement(top, "joint", name=joint.name, type=kind)
    _add_origin(node, placed_in(parent.pose, link.pose))
    SubElement(node, "parent", link=parent.name)
    SubElement(node, "child", link=link.name)
    SubElement(node, "axis", xyz=text(joint.axis))
    bounds = dict(zip(("lower", "upper"), map(_limit, joint.limits), strict=True))
    most = {"velocity": model.velocity_limit, "effort": model.effort_limit}
    rates = {key: _limit(values[joint.number]) for key, values in most.items()}
    SubElement(node, "limit", bounds | rates)
    damping = float(sim.world.joints.damping[joint.dof])
    SubElement(node, "dynamics", damping=repr(damping), friction=repr(joint.friction))
    for loop in body.loops:
        if loop.kind == "coupling" and loop.joint == joint.number:
            of = {"joint": model.joint_names[loop.of]}
            line = {"multiplier": repr(loop.ratio), "offset": repr(loop.offset)}
            SubElement(node, "mimic", of | line)


def _shapes(sim: StepperSimulator, link: int) -> Iterator[CollisionShape]:
    """Yield the collision shapes of a link."""
    collider = sim.world.collider
    if collider is not None:
        shapes = cast("Sequence[CollisionShape]", collider.shapes)
        yield from (shape for shape in shapes if shape.link == link)


def _add_origin(node: Element, pose: Pose) -> None:
    SubElement(node, "origin", xyz=text(pose.translation), rpy=text(np.array(pose.rpy)))


def _limit(value: float) -> str:
    if np.isfinite(value):
        return repr(float(value))
    return UNLIMITED if value > 0.0 else f"-{UNLIMITED}"
