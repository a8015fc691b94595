"""The dynamics engine ``new_plugin``: URDF trees, evaluated with dense matrices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError, fromstring

import numpy as np

from footfall.api.engine import (
    Engine,
    LinkFrame,
    ModelSource,
    Tree,
    TreeModel,
    rotation_about,
    rotation_from_rpy,
)
from footfall.api.plugin import Capability, Floats, PluginConfig, RobotError


class NewPlugin(Engine):
    """The dynamics: REPLACE THESE EQUATIONS, in ``NewPluginTree``, by calls of your library.

    With J_i the twist of link i per unit velocity and I_i its spatial inertia, both about the world
    origin: ``M = sum J_i' I_i J_i``, ``h = sum J_i' (I_i a_i + V_i x* I_i V_i)`` where a_i is the
    acceleration without ``dv/dt``, less gravity (Featherstone, RBDA (2008), sections 2 and 5.3).
    """

    name = "new_plugin"
    capabilities = frozenset(
        {
            Capability.URDF,
            Capability.FLOATING_BASE,
            Capability.FIXED_BASE,
            Capability.PLANAR_BASE,
        }
    )

    def __init__(self, config: PluginConfig) -> None:
        self.config = config

    def build(self, source: ModelSource) -> Tree:
        """Load one tree from a URDF in normal form.

        Raises:
            RobotError: if it is not a URDF, or not sound; names the file.
        """
        try:
            links = read_links(source)
        except (ParseError, KeyError, StopIteration, ValueError) as error:
            raise RobotError(f"{source.path}: not a URDF in normal form: {error!r}") from error
        return NewPluginTree(links, constants(links, source), source.gravity)


@dataclass(slots=True)
class Link:
    """The base, or the link of one movable joint, with the links behind fixed joints merged in.

    Attributes:
        name: name of its first link.
        parent: index of the link that carries its joint, -1 for the base.
        joint: the URDF's element, None for the base.
        rotation: shape (3, 3), its frame in the parent's at joint position 0.
        translation: shape (3,), likewise, [m].
        axis: shape (3,), unit vector along the joint's axis, in its own frame.
        mass: [kg].
        moment: shape (3,), mass times centre of mass, own frame, [kg m].
        inertia: shape (3, 3), about its own origin, [kg m^2].
        frames: rotation and translation of each named frame, in its frame.
    """

    name: str
    parent: int
    joint: Element | None
    rotation: Floats
    translation: Floats
    axis: Floats
    mass: float = 0.0
    moment: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    frames: dict[str, tuple[Floats, Floats]] = field(default_factory=dict)


def read_links(source: ModelSource) -> list[Link]:
    """Return the base and one link per movable joint: depth first, children by joint name."""
    robot = fromstring(source.xml)
    if source.format != "urdf" or robot.tag != "robot":
        raise ValueError(f"the root element must be <robot>, got <{robot.tag}>")
    elements = {each.attrib["name"]: each for each in robot.iterfind("link")}
    joints = sorted(robot.iterfind("joint"), key=lambda joint: joint.attrib["name"])
    children = {joint.find("child").attrib["link"] for joint in joints}  # type: ignore[union-attr]
    root = next(name for name in elements if name not in children)
    links = [Link(root, -1, None, np.eye(3), np.zeros(3), np.zeros(3))]

    def add(name: str, at: int, R: Floats, p: Floats) -> None:
        """Merge a URDF link at pose (R, p) in the frame of link ``at``, then its children."""
        link = links[at]
        link.frames[name] = R, p
        _add_inertia(link, elements[name], R, p)
        for joint in joints:
            if joint.find("parent").attrib["link"] != name:  # type: ignore[union-attr]
                continue
            R_j, p_j = _origin(joint)
            child = joint.find("child").attrib["link"]  # type: ignore[union-attr]
            if joint.attrib["type"] == "fixed":
                link.frames[joint.attrib["name"]] = R @ R_j, p + R @ p_j
                add(child, at, R @ R_j, p + R @ p_j)
            else:
                axis = _numbers(joint.find("axis"), "xyz", "1 0 0")
                links.append(
                    Link(child, at, joint, R @ R_j, p + R @ p_j, axis / np.linalg.norm(axis))
                )
                add(child, len(links) - 1, np.eye(3), np.zeros(3))

    add(root, 0, np.eye(3), np.zeros(3))
    return links


def _add_inertia(link: Link, element: Element, R: Floats, p: Floats) -> None:
    """Add the mass and inertia of a URDF link at pose (R, p)."""
    inertial = element.find("inertial")
    if inertial is None:
        return
    R_c, p_c = _origin(inertial)
    mass = float(inertial.find("mass").attrib["value"])  # type: ignore[union-attr]
    given = inertial.find("inertia").attrib  # type: ignore[union-attr]
    ixx, ixy, ixz, iyy, iyz, izz = (
        float(given.get(key, 0.0)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    about_com = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    turn, c = R @ R_c, p + R @ p_c
    link.mass += mass
    link.moment += mass * c
    link.inertia += turn @ about_com @ turn.T - mass * _cross(c) @ _cross(c)


def constants(links: list[Link], source: ModelSource) -> TreeModel:
    """Return the constants of the tree in the core's form."""
    floating = source.base == "floating"
    last = [5 if floating else -1]  # dof of each link
    parents = list(range(-1, 5)) if floating else []
    for link in links[1:]:
        parents.append(last[link.parent])
        last.append(len(parents) - 1)
    mass = np.array([link.mass for link in links])
    safe = np.where(mass == 0.0, 1.0, mass)
    com = np.array([link.moment for link in links]) / safe[:, None]
    inertia = [
        link.inertia + m * _cross(c) @ _cross(c)
        for link, m, c in zip(links, mass, com, strict=True)
    ]
    moving = [link.joint for link in links if link.joint is not None]
    limits = [joint.find("limit") for joint in moving]
    friction = [joint.find("dynamics") for joint in moving]
    return TreeModel(
        base=source.base,
        joint_names=tuple(joint.attrib["name"] for joint in moving),
        dof_parent=np.array(parents, np.int64),
        link_dof=np.array(last, np.int64),
        link_names=tuple(link.name for link in links),
        link_mass=mass,
        link_com=com,
        link_inertia=np.array(inertia),
        position_lower=_column(limits, "lower", -np.inf),
        position_upper=_column(limits, "upper", np.inf),
        velocity_limit=_column(limits, "velocity", np.inf),
        effort_limit=_column(limits, "effort", np.inf),
        damping=_column(friction, "damping", 0.0),
        friction=_column(friction, "friction", 0.0),
        armature=np.zeros(len(moving)),
        frames={
            name: LinkFrame(i, R, p)
            for i, link in enumerate(links)
            for name, (R, p) in link.frames.items()
        },
    )


class NewPluginTree(Tree):
    """One loaded tree; ``evaluate`` overwrites its arrays."""

    def __init__(self, links: list[Link], model: TreeModel, gravity: Floats) -> None:
        self.model, self._links, self._gravity = model, links, np.array(gravity)
        self.M, self.h = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
        self.S, self.pose = np.zeros((model.nv, 6)), np.zeros((model.n_links, 12))

    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose.

        Args:
            q: shape (nq,): base position [m], quaternion x y z w, joints [rad or m].
            v: shape (nv,): linear and angular velocity of the base along its own axes, joints.
        """
        self._place(q)
        self.M[:] = sum(J.T @ inertia @ J for J, inertia in self._bodies())
        self.evaluate_bias(q, v)

    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h alone, at the q of the last ``evaluate``."""
        model = self.model
        twist, bias = np.zeros((model.n_links, 6)), np.zeros((model.n_links, 6))
        first = model.nv - len(model.joint_names)
        twist[0] = v[:first] @ self.S[:first]
        bias[0, :3] = -self._gravity
        for i, link in enumerate(self._links[1:], 1):
            moved = v[model.link_dof[i]] * self.S[model.link_dof[i]]
            twist[i] = twist[link.parent] + moved
            bias[i] = bias[link.parent] + _motion_cross(twist[i]) @ moved
        self.h[:] = 0.0
        for i, (J, inertia) in enumerate(self._bodies()):
            momentum = inertia @ twist[i]
            self.h += J.T @ (inertia @ bias[i] - _motion_cross(twist[i]).T @ momentum)

    def _place(self, q: Floats) -> None:
        """Overwrite link poses and the twists of the dofs, about the world origin."""
        n = len(self.model.joint_names)
        R, p = np.eye(3), np.zeros(3)
        if self.model.base == "floating":
            R, p = _rotation(q[3:7]), q[:3]
            self.S[:3, :3] = self.S[3:6, 3:] = R.T
            self.S[3:6, :3] = np.cross(p, R.T)
        placed = [(R, p)]
        for i, link in enumerate(self._links[1:], 1):
            R_up, p_up = placed[link.parent]
            R, p = R_up @ link.rotation, p_up + R_up @ link.translation
            axis, s, dof = R @ link.axis, q[len(q) - n + i - 1], self.model.link_dof[i]
            assert link.joint is not None
            if link.joint.attrib["type"] == "prismatic":
                p = p + s * axis
                self.S[dof] = np.append(axis, np.zeros(3))
            else:
                R = R @ rotation_about(link.axis, s)
                self.S[dof] = np.append(np.cross(p, axis), axis)
            placed.append((R, p))
        for i, (R, p) in enumerate(placed):
            self.pose[i, :9], self.pose[i, 9:] = R.T.ravel(), p

    def _bodies(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield J, shape (6, nv), and the spatial inertia, shape (6, 6), of each link."""
        model = self.model
        for i in range(model.n_links):
            J, dof = np.zeros((6, model.nv)), int(model.link_dof[i])
            while dof >= 0:
                J[:, dof] = self.S[dof]
                dof = int(model.dof_parent[dof])
            R, p = self.pose[i, :9].reshape(3, 3).T, self.pose[i, 9:]
            m, c = model.link_mass[i], _cross(p + R @ model.link_com[i])
            inertia = R @ model.link_inertia[i] @ R.T - m * c @ c
            yield J, np.block([[m * np.eye(3), -m * c], [m * c, inertia]])


def _cross(a: Floats) -> Floats:
    """Return the matrix of ``a x``, shape (3, 3)."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _motion_cross(twist: Floats) -> Floats:
    """Return the matrix of ``twist x`` on twists, linear part first; on wrenches it is ``-X'``."""
    linear, angular = _cross(twist[:3]), _cross(twist[3:])
    return np.block([[angular, linear], [np.zeros((3, 3)), angular]])


def _rotation(quaternion: Floats) -> Floats:
    """Return the rotation matrix of a quaternion x, y, z, w."""
    x, y, z, w = quaternion
    turn = _cross(np.array([x, y, z]))
    R: Floats = np.eye(3) + 2.0 * w * turn + 2.0 * turn @ turn
    return R


def _origin(element: Element) -> tuple[Floats, Floats]:
    """Return rotation and translation of an element's ``<origin>``."""
    origin = element.find("origin")
    rpy = _numbers(origin, "rpy", "0 0 0").tolist()
    return rotation_from_rpy(rpy), _numbers(origin, "xyz", "0 0 0")


def _numbers(element: Element | None, key: str, otherwise: str) -> Floats:
    text = otherwise if element is None else element.attrib.get(key, otherwise)
    return np.array(text.split(), float)


def _column(elements: list[Element | None], key: str, otherwise: float) -> Floats:
    """Return an attribute of each element, shape (n,)."""
    return np.array(
        [otherwise if e is None else float(e.attrib.get(key, otherwise)) for e in elements]
    )
