"""The exporter ``mjcf``: bodies, ground, contacts, loops, gains and the initial state."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from footfall import Scene
from footfall.api.device import values_by_name
from footfall.api.engine import Pose
from footfall.api.plugin import Floats, RecordingError
from footfall.api.world import HalfSpace
from footfall_simulators.backend import rotations
from footfall_simulators.exporters.exporter import (
    SMALL,
    losses,
    opened,
    spring_of,
    tell,
    upright,
    write,
)
from footfall_simulators.mjcf import Model, placed, quaternion, text
from footfall_simulators.skeleton import Link, declared, links, placed_in
from footfall_stepper.api import Body, CandidateKind, StepperSimulator, pair_coefficient

GROUND = "ground"
FAR = 1e10
"""Value of a missing limit if the other limit is given, [rad or m]."""
LEFT_OUT = "HeightField", "TriangleMesh"
"""Shapes that are not exported."""


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
    write(output, world.written(), overwrite=overwrite)
    tell(output, [*losses(scene, sim), *world.lost])


class _Writer:
    """An MJCF under construction.

    Attributes:
        lost: parts of the world that it does not hold.
    """

    def __init__(self, scene: Scene, sim: StepperSimulator) -> None:
        self.scene, self.sim, self.lost = scene, sim, list[str]()
        options = {
            "timestep": repr(scene.simulation.part),
            "gravity": text(scene.world.gravity),
            "cone": "elliptic",
            "integrator": "implicitfast",
        }
        self.model = Model(scene.name.replace("/", "_"), options)
        self.q: list[float] = []
        self.v: list[float] = []
        self.control: list[float] = []
        self.several = len(sim.world.bodies) > 1
        self.nodes: list[Element] = []  # by link of the world
        self.owners = [body for body in sim.world.bodies for _ in body.model.link_names]

    def written(self) -> str:
        """Return the text."""
        self._ground()
        for index in range(len(self.sim.world.bodies)):
            self._body(index)
        self._contacts()
        self._shapes()
        for index, body in enumerate(self.sim.world.bodies):
            self._loops(index)
            self._gains(index, body)
        key = {"name": "start", "qpos": text(self.q), "qvel": text(self.v)}
        if self.control:
            key["ctrl"] = text(self.control)
        SubElement(self.model.sections["keyframe"], "key", key)
        return self.model.written()

    def _name(self, body: Body, name: str) -> str:
        return f"{body.name}/{name}" if self.several else name

    def _ground(self) -> None:
        choice = self.scene.world.terrain
        if choice.plugin != "plane":
            self.lost.append(f"the ground ({choice.plugin})")
            return
        config: Any = choice.config
        normal = np.array(config.normal) / np.linalg.norm(config.normal)
        pose = Pose(upright(normal), config.offset * normal)
        self.model.add_solid(self.model.world, GROUND, HalfSpace(), pose)
        if getattr(config, "patches", ()):
            self.lost.append("patches of the ground")

    def _body(self, index: int) -> None:
        """Add the tree of a body."""
        world, body = self.sim.world, self.sim.world.bodies[index]
        found = links(world, index)
        self.nodes += [MASSLESS] * len(found)
        q, v = self.sim.q[world.q_slice(index)], self.sim.v[world.v_slice(index)]
        base = base_pose(body, q)
        name = found[0].name if found[0].name != "world" or self.several else body.name
        node = self.model.add_body(self.model.world, self._name(body, name), base, found[0])
        self.nodes[-len(found)] = node
        if body.joint_offset:
            SubElement(node, "freejoint", name=self._name(body, f"{name}_free"))
            self.q += [*q[:3], *q[[6, 3, 4, 5]]]
            self.v += [*(base.rotation @ v[:3]), *v[3:6]]
        self._links(index, found, 0, node, found[0].pose, [])

    def _links(
        self,
        index: int,
        found: Sequence[Link],
        parent: int,
        outer: Element,
        outer_pose: Pose,
        before: list[Link],
    ) -> None:
        """Add the links on a link; the joint of a massless link is moved to its only child."""
        body, first = self.sim.world.bodies[index], len(self.nodes) - len(found)
        for k, link in enumerate(found):
            if link.parent != parent:
                continue
            chain = [*before, link]
            if link.is_massless:
                if sum(other.parent == k for other in found) != 1:
                    raise RecordingError(
                        f"{body.name}: link {link.name!r} moves without mass, which MuJoCo rejects"
                    )
                self._links(index, found, k, outer, outer_pose, chain)
                continue
            inside = placed_in(outer_pose, link.pose)
            node = self.model.add_body(outer, self._name(body, link.name), inside, link)
            self.nodes[first + k] = node
            for each in chain:
                self._joint(body, each, placed_in(link.pose, each.pose), node)
            self._links(index, found, k, node, link.pose, [])

    def _joint(self, body: Body, link: Link, at: Pose, node: Element) -> None:
        assert link.joint is not None
        joint, joints = link.joint, self.sim.world.joints
        given = {"pos": text(at.translation), "axis": text(at.rotation @ joint.axis)}
        for key, value in (
            ("damping", joints.damping[joint.dof]),
            ("armature", joints.armature[joint.dof]),
            ("frictionloss", joint.friction),
        ):
            if value:
                given[key] = repr(float(value))
        spring = spring_of(self.sim, body.name, joint.name)
        if spring is not None:
            given |= {"stiffness": repr(spring[0]), "springref": repr(spring[1])}
        torque = self._torque_limit(body, joint.name)
        if np.isfinite(torque):
            given["actuatorfrcrange"] = text((-torque, torque))
        self.model.add_joint(node, self._name(body, joint.name), joint, FAR, **given)
        self.q.append(float(self.sim.q[self.sim.world.topology.dof_q[joint.dof]]))
        self.v.append(float(self.sim.v[joint.dof]))

    def _torque_limit(self, body: Body, joint: str) -> float:
        """Return the torque limit of a joint's uncoupled drive, infinite without one."""
        for drive in self.sim.participants.drives:
            drives = drive.body == body.name and joint in drive.joints
            if drives and drive.transmission.coupling is None:
                return float(drive.limit[drive.joints.index(joint)])
        return float(np.inf)

    def _contacts(self) -> None:
        """Add the declared contacts, each with its friction coefficient with the ground."""
        world, mu_ground = self.sim.world, self._ground_friction()
        candidates = world.candidates
        for c, kind in declared(world):
            link = int(candidates.link[c])
            body = self.owners[link]
            feature = world.contact_names[c].partition("/")[2]
            given = {"group": "3"}
            if kind == CandidateKind.RIM:
                feature = feature.rpartition("/")[0]
                given["quat"] = quaternion(upright(candidates.axis[c]))
            name = self._name(body, f"contact {feature}")
            self.model.add_contact(self._node(link), name, world, c, SMALL, **given)
            if mu_ground is not None:
                own = float(candidates.pair_friction[c])
                mu = pair_coefficient(float(candidates.friction[c]), mu_ground, own)
                self._pair(GROUND, name, mu)

    def _ground_friction(self) -> float | None:
        """Return the ground's friction coefficient; NaN if not given, None without a plane."""
        choice = self.scene.world.terrain
        if choice.plugin != "plane":
            return None
        value = getattr(choice.config, "friction", None)
        return float(np.nan) if value is None else float(value)

    def _node(self, link: int) -> Element:
        """Return the body of a link of the world; of -1, the body of all fixed shapes."""
        node = self.nodes[link] if link >= 0 else self.model.world
        if node is MASSLESS:
            raise RecordingError(
                f"{self.owners[link].name}: a contact, shape or loop is on a link without mass: "
                "give it mass"
            )
        return node

    def _shapes(self) -> None:
        """Add the collision shapes, and each pair of shapes that is checked for contact."""
        collider = self.sim.world.collider
        if collider is None:
            return
        lost = set()
        for shape in collider.shapes:
            kind = type(shape.geometry).__name__
            if kind in LEFT_OUT:
                self.lost.append(f"shape {shape.name} ({kind})")
                lost.add(shape.number)
            else:
                node = self._node(shape.link)
                self.model.add_solid(node, shape.name, shape.geometry, shape.pose)
        for one, other in collider.tested():
            if lost.isdisjoint((one.number, other.number)):
                self._pair(one.name, other.name, collider.friction(one, other))

    def _pair(self, one: str, two: str, mu: float) -> None:
        self.model.add_pair(one, two, condim="3", friction=text((mu, mu, 0.0, 0.0, 0.0)))

    def _loops(self, index: int) -> None:
        world, body = self.sim.world, self.sim.world.bodies[index]
        names, first = body.model.joint_names, int(world.topology.tree_link[index])
        equality = self.model.sections["equality"]
        for loop in body.loops:
            name = self._name(body, loop.name)
            if loop.kind == "coupling":
                line = text((loop.offset, loop.ratio, 0.0, 0.0, 0.0))
                ends = {"joint1": names[loop.joint], "joint2": names[loop.of]}
                given = {key: self._name(body, end) for key, end in ends.items()}
                SubElement(equality, "joint", given, name=name, polycoef=line)
                continue
            sites = {}
            for k, end in enumerate(loop.ends):
                site = sites[f"site{k + 1}"] = f"{name} {'ab'[k]}"
                at = placed(Pose(end.rotation, end.translation))
                outer = self._node(first + end.link if end.link >= 0 else -1)
                SubElement(outer, "site", {"name": site} | at)
            SubElement(equality, "connect" if loop.kind == "point" else "weld", sites, name=name)

    def _gains(self, index: int, body: Body) -> None:
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
        q = self.sim.q[self.sim.world.q_slice(index)]
        start = dict(zip(names, q[len(q) - len(names) :], strict=True))
        held = start | values_by_name(config.target, names, where)
        forward = values_by_name(config.feed_forward, names, where)
        for joint in names:
            k, d, tau = (float(table.get(joint, 0.0)) for table in (K, D, forward))
            if not (k or d or tau):
                continue
            name = self._name(body, joint)
            gains = {"gainprm": repr(k), "biastype": "affine", "biasprm": f"{tau!r} {-k!r} {-d!r}"}
            SubElement(self.model.sections["actuator"], "general", gains, name=name, joint=name)
            self.control.append(float(held[joint]))


MASSLESS = Element("massless")
"""Stands for the body of a link without mass."""


def base_pose(body: Body, q: Floats) -> Pose:
    """Return the pose of a body's base in the world at positions q, shape (nq,)."""
    if not body.joint_offset:
        return Pose.identity()
    unit = q[3:7] / np.linalg.norm(q[3:7])
    return Pose(rotations(unit[None])[0], q[:3].copy())
