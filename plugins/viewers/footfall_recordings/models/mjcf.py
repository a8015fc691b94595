"""The exporter ``mjcf``: bodies, ground, contacts, loops, gains and the initial state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import Scene
from footfall.api.device import values_by_name
from footfall.api.engine import Pose
from footfall.api.plugin import Floats, RecordingError
from footfall_recordings.models.exporter import losses, opened, spring_of, tell, write
from footfall_recordings.models.skeleton import (
    POINT,
    RIM,
    Link,
    base_pose,
    children,
    skeleton,
    upright,
)

if TYPE_CHECKING:
    from footfall_stepper.api import Body, CollisionShape, StepperSimulator


STICKS = 1e6
"""Friction coefficient to which larger ones are clamped, as in Footfall's contacts."""
GROUND = "ground"
FAR = 1e10
"""Value of a missing limit if the other limit is given, [rad or m]."""


def export_mjcf(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write the world of a scene, or of a recording's scene, as MJCF.

    The file holds masses, joints, armature, friction of joints and of contact pairs, loops, gains
    of posture controllers and the initial state. A warning lists the rest.

    Args:
        recording: a scene's file or name, or a recording.
        output: the file to write.
        overwrite: True if an existing file may be replaced.
        trust: True if functions named in a recording may be imported.

    Raises:
        SceneError: if the scene cannot be loaded.
        RecordingError: if the recording cannot be read, MuJoCo does not support a body, or the
            output cannot be written.
    """
    scene, sim = opened(recording, trust=trust)
    world = _Writer(scene, sim)
    top = world.written()
    ElementTree.indent(top)
    write(output, ElementTree.tostring(top, encoding="unicode") + "\n", overwrite=overwrite)
    tell(output, [*losses(scene, sim), *world.lost])


class _Writer:
    """An MJCF under construction.

    Attributes:
        lost: parts of the world that it does not hold.
    """

    def __init__(self, scene: Scene, sim: StepperSimulator) -> None:
        self.scene, self.sim, self.lost = scene, sim, list[str]()
        self.top = Element("mujoco", model=scene.name.replace("/", "_"))
        SubElement(self.top, "compiler", angle="radian", autolimits="true")
        gravity = _text(np.array(scene.world.gravity))
        step = repr(scene.simulation.part)
        options = {"cone": "elliptic", "integrator": "implicitfast"}
        SubElement(self.top, "option", {"timestep": step, "gravity": gravity} | options)
        self.sections = {
            tag: Element(tag) for tag in ("asset", "worldbody", "contact", "equality", "actuator")
        }
        self.q: list[float] = []
        self.v: list[float] = []
        self.control: list[float] = []
        self.several = len(sim.world.bodies) > 1
        self.nodes: list[Element] = []  # by link of the world
        self.poses: list[Pose] = []  # of these links in their nodes

    def written(self) -> Element:
        """Return the top element."""
        self._ground()
        for body in self.sim.world.bodies:
            self._body(body)
        self._features()
        self._shapes()
        for body in self.sim.world.bodies:
            self._loops(body)
            self._gains(body)
        self.top.extend(section for section in self.sections.values() if len(section))
        key = {"name": "start", "qpos": _text(np.array(self.q)), "qvel": _text(np.array(self.v))}
        if self.control:
            key["ctrl"] = _text(np.array(self.control))
        SubElement(SubElement(self.top, "keyframe"), "key", key)
        return self.top

    def _slices(self, body: Body) -> tuple[slice, slice]:
        """Return the slices of a body's positions and velocities in the world's."""
        index, topology = self.sim.world.bodies.index(body), self.sim.world.topology
        q, v = (tuple(map(int, at[index : index + 2])) for at in (topology.tree_q, topology.tree_v))
        return slice(*q), slice(*v)

    def _start(self, body: Body) -> tuple[Floats, Floats]:
        """Return a body's initial positions and velocities, with closed loops."""
        of_q, of_v = self._slices(body)
        return self.sim.q[of_q], self.sim.v[of_v]

    def _name(self, body: Body, name: str) -> str:
        return f"{body.name}/{name}" if self.several else name

    def _ground(self) -> None:
        choice = self.scene.world.terrain
        if choice.plugin != "plane":
            self.lost.append(f"the ground ({choice.plugin})")
            return
        config: Any = choice.config
        normal = np.array(config.normal) / np.linalg.norm(config.normal)
        geom = {"name": GROUND, "type": "plane", "size": "0 0 1", "quat": _quat(upright(normal))}
        geom["pos"] = _text(config.offset * normal)
        SubElement(self.sections["worldbody"], "geom", geom | _untouched())
        if getattr(config, "patches", ()):
            self.lost.append("patches of the ground")

    def _body(self, body: Body) -> None:
        """Add the tree of a body."""
        links = skeleton(body)
        carried, first = children(links), len(self.nodes)
        self.nodes += [Element("none")] * len(links)
        self.poses += [Pose.identity()] * len(links)
        q, v = self._start(body)
        base = base_pose(body, q)
        name = links[0].name if links[0].name != "world" or self.several else body.name
        given = {"name": self._name(body, name)} | _placed(base)
        node = SubElement(self.sections["worldbody"], "body", given)
        self.nodes[first] = node
        _add_inertial(node, links[0])
        if body.joint_offset:
            SubElement(node, "freejoint", name=self._name(body, f"{name}_free"))
            self.q += [*q[:3], *q[[6, 3, 4, 5]]]
            self.v += [*(base.rotation @ v[:3]), *v[3:6]]
        for child in carried[0]:
            self._link(body, links, carried, child, first, node, links[0].pose, [])

    def _link(
        self,
        body: Body,
        links: Sequence[Link],
        carried: Sequence[Sequence[int]],
        index: int,
        first: int,
        outer: Element,
        outer_pose: Pose,
        before: list[Link],
    ) -> None:
        """Add a link; the joint of a massless link is moved to its only child."""
        link, chain = links[index], [*before, links[index]]
        if link.is_massless:
            if len(carried[index]) != 1:
                raise RecordingError(
                    f"{body.name}: link {link.name!r} moves without mass, which MuJoCo rejects"
                )
            (child,) = carried[index]
            self._link(body, links, carried, child, first, outer, outer_pose, chain)
            self.nodes[first + index] = Element("massless")
            return
        inside = outer_pose.inverse() @ link.pose
        node = SubElement(outer, "body", {"name": self._name(body, link.name)} | _placed(inside))
        self.nodes[first + index] = node
        _add_inertial(node, link)
        for each in chain:
            self._joint(body, each, link.pose.inverse() @ each.pose, node)
        for child in carried[index]:
            self._link(body, links, carried, child, first, node, link.pose, [])

    def _joint(self, body: Body, link: Link, at: Pose, node: Element) -> None:
        assert link.joint is not None
        axis, joints = link.joint, self.sim.world.joints
        dof = self._slices(body)[1].start + body.joint_offset + axis.dof
        given = {"name": self._name(body, axis.name), "type": axis.kind}
        given |= {"pos": _text(at.translation), "axis": _text(at.rotation @ axis.direction)}
        friction = body.joint_friction[axis.dof] if len(body.joint_friction) else 0.0
        for key, value in (
            ("damping", joints.damping[dof]),
            ("armature", joints.armature[dof]),
            ("frictionloss", friction),
        ):
            if value:
                given[key] = repr(float(value))
        limits = body.position_limits[axis.dof] if len(body.position_limits) else [np.inf]
        if np.isfinite(limits).any():
            given["range"] = _text(np.clip(limits, -FAR, FAR))
        spring = spring_of(self.sim, body.name, axis.name)
        if spring is not None:
            given |= {"stiffness": repr(spring[0]), "springref": repr(spring[1])}
        torque = self._torque_limit(body, axis.name)
        if np.isfinite(torque):
            given["actuatorfrcrange"] = _text(np.array([-torque, torque]))
        SubElement(node, "joint", given)
        q, v = self._start(body)
        self.q.append(float(q[len(q) - len(body.model.joint_names) + axis.dof]))
        self.v.append(float(v[body.joint_offset + axis.dof]))

    def _torque_limit(self, body: Body, joint: str) -> float:
        """Return the torque limit of a joint's uncoupled drive, infinite without one."""
        for drive in self.sim.participants.drives:
            drives = drive.body == body.name and joint in drive.joints
            if drives and drive.transmission.coupling is None:
                return float(drive.limit[drive.joints.index(joint)])
        return float(np.inf)

    def _features(self) -> None:
        """Add the contact features, each with its friction coefficient with the ground."""
        first = 0
        mu_ground = self._ground_friction()
        for body in self.sim.world.bodies:
            for feature in body.features:
                name = self._name(body, f"contact {feature.name}")
                geom = {"name": name, "pos": _text(feature.position), "mass": "0", "group": "3"}
                if feature.kind == "rim":
                    sizes = np.array([feature.radius, RIM])
                    geom |= {"type": "cylinder", "size": _text(sizes)}
                    geom["quat"] = _quat(upright(feature.axis))
                else:
                    geom |= {"type": "sphere", "size": repr(float(feature.radius) or POINT)}
                SubElement(self._node(first + feature.link, body), "geom", geom | _untouched())
                pair = self.scene.pair(body.name, "terrain")
                mu = _combined(feature.friction, mu_ground)
                if pair is not None and pair.friction is not None:
                    mu = pair.friction
                if mu_ground is not None:
                    self._pair(GROUND, name, mu)
            first += body.model.n_links

    def _ground_friction(self) -> float | None:
        """Return the ground's friction coefficient; NaN if not given, None without a plane."""
        choice = self.scene.world.terrain
        if choice.plugin != "plane":
            return None
        value = getattr(choice.config, "friction", None)
        return float(np.nan) if value is None else float(value)

    def _node(self, link: int, body: Body) -> Element:
        node = self.nodes[link]
        if node.tag == "massless":
            raise RecordingError(
                f"{body.name}: a contact, shape or loop is on a link without mass: give it mass"
            )
        return node

    def _shapes(self) -> None:
        """Add the collision shapes, and each pair of shapes that is checked for contact."""
        collider = self.sim.world.collider
        if collider is None:
            return
        owners = [body for body in self.sim.world.bodies for _ in range(body.model.n_links)]
        shapes = cast("Sequence[CollisionShape]", collider.shapes)
        kept = []
        for number, shape in enumerate(shapes):
            geom = self._geometry(shape.geometry, shape.name)
            if geom is None:
                self.lost.append(f"shape {shape.name} ({type(shape.geometry).__name__})")
                continue
            outer = self.sections["worldbody"]
            if shape.link >= 0:
                outer = self._node(shape.link, owners[shape.link])
            geom |= {"name": shape.name, "mass": "0"}
            SubElement(outer, "geom", geom | _placed(shape.pose) | _untouched())
            kept.append(number)
        excluded = set(map(int, getattr(collider.detector, "excluded", ())))
        own = self.scene.collisions.self_collision
        for a, b in combinations(kept, 2):
            one, two = shapes[a], shapes[b]
            same = _body(one.name) == _body(two.name) and _body(one.name) not in own
            if one.link == two.link or same or a * len(shapes) + b in excluded:
                continue
            names = tuple(sorted((_body(one.name), _body(two.name))))
            mu = collider.pairs.get(names, (np.nan,))[0]  # type: ignore[arg-type]
            self._pair(one.name, two.name, _combined(one.friction, two.friction, mu))

    def _geometry(self, geometry: Any, name: str) -> dict[str, str] | None:
        """Return type and size of a geom, None if MJCF has no such shape."""
        match type(geometry).__name__:
            case "Box":
                return {"type": "box", "size": _text(0.5 * np.array(geometry.size))}
            case "Sphere":
                return {"type": "sphere", "size": repr(float(geometry.radius))}
            case "Cylinder" | "Capsule" as kind:
                sizes = np.array([geometry.radius, 0.5 * geometry.length])
                return {"type": kind.lower(), "size": _text(sizes)}
            case "HalfSpace":
                return {"type": "plane", "size": "0 0 1"}
            case "Convex":
                points = _text(np.ravel(geometry.vertices))
                SubElement(self.sections["asset"], "mesh", name=name, vertex=points)
                return {"type": "mesh", "mesh": name}
        return None

    def _pair(self, one: str, two: str, mu: float) -> None:
        friction = _text(np.array([mu, mu, 0.0, 0.0, 0.0]))
        pair = {"geom1": one, "geom2": two, "condim": "3", "friction": friction}
        SubElement(self.sections["contact"], "pair", pair)

    def _loops(self, body: Body) -> None:
        names = body.model.joint_names
        first = sum(
            b.model.n_links for b in self.sim.world.bodies[: self.sim.world.bodies.index(body)]
        )
        for loop in body.loops:
            name = self._name(body, loop.name)
            if loop.kind == "coupling":
                line = _text(np.array([loop.offset, loop.ratio, 0.0, 0.0, 0.0]))
                ends = {"joint1": names[loop.joint], "joint2": names[loop.of]}
                given = {key: self._name(body, end) for key, end in ends.items()}
                SubElement(self.sections["equality"], "joint", given, name=name, polycoef=line)
                continue
            sites = []
            for k, end in enumerate(loop.ends):
                site = f"{name} {'ab'[k]}"
                at = Pose(end.rotation, end.translation)
                outer = self.sections["worldbody"]
                if end.link >= 0:
                    outer = self._node(first + end.link, body)
                SubElement(outer, "site", {"name": site} | _placed(at))
                sites.append(site)
            tag = "connect" if loop.kind == "point" else "weld"
            SubElement(self.sections["equality"], tag, name=name, site1=sites[0], site2=sites[1])

    def _gains(self, body: Body) -> None:
        """Add posture gains as general actuators: ``tau = tau_0 + K (u - s) - D s_dot``."""
        choice = self.scene.bodies[body.name].controller
        if choice.plugin == "zero" or not body.model.joint_names:
            return
        if choice.plugin != "posture":
            self.lost.append(f"the controller {choice.plugin} of {body.name}")
            return
        config: Any = choice.config
        names, where = body.model.joint_names, f"controller of {body.name}"
        K, D = (
            values_by_name(given if isinstance(given, dict) else {"*": given}, names, where)
            for given in (config.stiffness, config.damping)
        )
        q = self._start(body)[0]
        start = dict(zip(names, q[len(q) - len(names) :], strict=True))
        held = start | values_by_name(config.target, names, where)
        forward = values_by_name(config.feed_forward, names, where)
        for joint in names:
            k, d, tau = (float(table.get(joint, 0.0)) for table in (K, D, forward))
            if not (k or d or tau):
                continue
            name = self._name(body, joint)
            gains = {"gainprm": repr(k), "biastype": "affine", "biasprm": f"{tau!r} {-k!r} {-d!r}"}
            SubElement(self.sections["actuator"], "general", gains, name=name, joint=name)
            self.control.append(float(held[joint]))


def _add_inertial(node: Element, link: Link) -> None:
    if link.mass == 0.0:
        return
    I = link.inertia  # noqa: E741 - the field's letter
    moments = I[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    given = {"mass": repr(link.mass), "pos": _text(link.com), "fullinertia": _text(moments)}
    SubElement(node, "inertial", given)


def _combined(one: float, other: float | None, pair: float = float("nan")) -> float:
    """Return a pair's coefficient: its own, the only side's, or both sides' harmonic mean."""
    if not np.isnan(pair):
        return float(pair)
    given = [min(float(x), STICKS) for x in (one, other) if x is not None and not np.isnan(x)]
    if len(given) < 2:
        return given[0] if given else 0.0
    total = sum(given)
    return 2.0 * given[0] * given[1] / total if total else 0.0


def _body(shape: str) -> str:
    return shape.split("/")[0]


def _untouched() -> dict[str, str]:
    """Return attributes that limit a geom's contacts to the explicit pairs."""
    return {"contype": "0", "conaffinity": "0"}


def _placed(pose: Pose) -> dict[str, str]:
    if pose.is_identity():
        return {}
    return {"pos": _text(pose.translation), "quat": _quat(pose.rotation)}


def _quat(rotation: Floats) -> str:
    x, y, z, w = Rotation.from_matrix(rotation).as_quat()
    return _text(np.array([w, x, y, z]))


def _text(values: Floats | Iterator[float]) -> str:
    return " ".join(repr(float(value)) for value in values)
