"""Robots, found by name or path, ready to be loaded by an engine.

A URDF without movable joints is one rigid body: its constants need no engine.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from footfall.config.fields import match_joints, names_matching, values_by_name
from footfall.errors import RobotError, nearest
from footfall.formats.inertia import check_inertias
from footfall.formats.normal_form import Base, motion
from footfall.formats.urdf import Inertial, PlacedShape, Urdf
from footfall.formats.urdf_file import read_urdf
from footfall.interfaces.engine import LinkFrame, ModelSource, TreeModel
from footfall.interfaces.visualizer import Node
from footfall.model import bundled_folder
from footfall.model.collision_shapes import collision_shapes
from footfall.model.contact_features import ContactFeature, place_features
from footfall.model.description import ModelDescription
from footfall.model.loops import JointCoupling, Loop, place_loops
from footfall.model.model_loops import closes, own_loops, place_model_loops
from footfall.model.source import model_path, tell_of_unread, urdf_source
from footfall.model.spec import JointDynamics, ModelFile, RingFeature, RobotSpec, read_spec
from footfall.model.visuals import visual_nodes
from footfall.registry.discover import discover
from footfall.registry.registry import Registry
from footfall.spatial.pose import Pose
from footfall.typing import Floats

SPEC = "robot.toml"
"""Name of the file that makes a folder a robot."""


def list_robots() -> tuple[str, ...]:
    """Return the names of the robots that come with Footfall, sorted."""
    return tuple(sorted(path.parent.name for path in bundled_folder().glob(f"*/{SPEC}")))


def rigid_body(urdf: Urdf, locked: Mapping[str, float]) -> TreeModel:
    """Return the links of a URDF with all joints locked as one floating body.

    Its link 0 has the root link's frame; ``frames`` holds every link and joint of the URDF.

    Args:
        urdf: the model.
        locked: positions of its joints, [rad or m], 0 if not given.

    Raises:
        RobotError: if a link's mass properties are not physical, or there is no mass.
    """
    check_inertias(urdf, (), root_moves=True)
    poses = {urdf.root: Pose.identity()}
    joint_poses = {}
    for joint in urdf.depth_first():
        moved = joint.origin @ motion(joint, locked.get(joint.name, 0.0))
        poses[joint.child] = joint_poses[joint.name] = poses[joint.parent] @ moved
    total = Inertial.weld(
        (poses[link.name], link.inertial) for link in urdf.links.values() if link.inertial
    )
    return TreeModel.rigid_body(
        urdf.root,
        total.mass,
        total.com,
        total.inertia,
        # A link wins over a joint of the same name, as in the engines.
        frames={
            name: LinkFrame(0, pose.rotation, pose.translation)
            for name, pose in (joint_poses | poses).items()
        },
    )


_MODEL_SUFFIXES = (".urdf", ".xml", ".mjcf")


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """A robot or an object, independent of any scene and engine.

    Attributes:
        name: name of the robot, e.g. ``icub``.
        file: the robot.toml, or the model file if there is none; for errors.
        spec: content of the robot.toml.
        model: the checked model file.
    """

    name: str
    file: Path
    spec: RobotSpec
    model: Urdf | ModelDescription

    @classmethod
    def from_urdf(cls, name: str, urdf: Urdf, base: Base) -> Robot:
        """Return the robot of a URDF without a robot.toml.

        Args:
            name: name of the robot.
            urdf: the checked model.
            base: kind of base.
        """
        spec = RobotSpec(model=ModelFile(file=urdf.path.name), base=base)
        return cls(name, urdf.path, spec, urdf)

    @property
    def urdf(self) -> Urdf | None:
        """The URDF, or None for a model file in another format."""
        return self.model if isinstance(self.model, Urdf) else None

    @property
    def base(self) -> Base:
        """Kind of base, unless the scene gives another."""
        if isinstance(self.model, ModelDescription):
            return self.spec.base or ("floating" if self.model.floating else "fixed")
        return self.spec.base or "floating"

    def with_npoly(self, npoly: int) -> Robot:
        """Return the same robot with ``npoly`` points on each of its rings.

        Raises:
            RobotError: if it has no ring.
        """
        features = self.spec.contact_features
        if not any(isinstance(feature, RingFeature) for feature in features):
            raise RobotError(f'robot "{self.name}" has no contact feature of the kind "ring"')
        chosen = tuple(
            feature.model_copy(update={"npoly": npoly})
            if isinstance(feature, RingFeature)
            else feature
            for feature in features
        )
        return replace(self, spec=self.spec.model_copy(update={"contact_features": chosen}))

    @property
    def movable(self) -> tuple[str, ...]:
        """Names of all movable joints of the model file, in canonical order."""
        return self.model.movable if isinstance(self.model, Urdf) else self.model.joints

    @property
    def kept(self) -> tuple[str, ...]:
        """Names of the movable joints that are kept.

        Raises:
            RobotError: if robot.toml names a joint that does not exist.
        """
        if self.spec.joints is None:
            return self.movable
        return names_matching(self.spec.joints, self.movable, f"{self.file}: joints")

    @property
    def locked(self) -> dict[str, float]:
        """Positions of the movable joints that are not kept, [rad or m]."""
        kept, positions = set(self.kept), self._positions()
        return {n: positions.get(n, 0.0) for n in self.movable if n not in kept}

    def source(
        self,
        body_name: str,
        gravity: Floats,
        base: Base | None = None,
        placement: Pose | None = None,
    ) -> ModelSource:
        """Return the source for an engine.

        Args:
            body_name: the body's name in the scene.
            gravity: shape (3,), world frame, [m/s^2].
            base: kind of base, instead of ``self.base``.
            placement: pose in the world of a fixed base, or of a planar base's plane and zero
                position; at the origin if None. Not used for a floating base.

        Raises:
            RobotError: if a moving part has no mass or an inertia that is not physical, or the
                model file does not allow the base.
        """
        base, locked = base or self.base, self.locked
        if isinstance(self.model, ModelDescription):
            tell_of_unread(self.model, self.spec)
            kept = None if self.spec.joints is None else self.kept
            return self.model.source(body_name, gravity, base, kept, locked, placement)
        return urdf_source(self.model, body_name, gravity, base, self.kept, locked, placement)

    def rigid_body(self, base: Base | None = None) -> TreeModel | None:
        """Return the constants of a free body without joints, None if it needs an engine.

        Raises:
            RobotError: if it has no mass or an inertia that is not physical.
        """
        needs_engine = self.urdf is None or self.kept or self.spec.loops
        if needs_engine or (base or self.base) != "floating":
            return None
        assert self.urdf is not None
        return rigid_body(self.urdf, self.locked)

    def visuals(self, body_name: str, tree_model: TreeModel) -> tuple[Node, ...]:
        """Return the nodes for a visualizer.

        Raises:
            RobotError: if ``visual_offsets`` names a link without visuals.
        """
        offsets = self.spec.visual_offsets
        nodes = visual_nodes(self.model, offsets, body_name, tree_model)
        drawn = {node.name.split("/", 1)[1].rpartition("/")[0] for node in nodes}
        for link in offsets.keys() - drawn:
            message = f"visual_offsets: no visuals of a link {link!r}{nearest(link, drawn)}"
            raise RobotError(f"{self.file}: {message}")
        return nodes

    def shapes(self) -> tuple[PlacedShape, ...]:
        """Return its collision shapes, from the model file and robot.toml.

        Raises:
            RobotError: if the model file cannot be read, or has a shape that cannot touch others.
        """
        return collision_shapes(self.model, self.spec)

    @property
    def srdf(self) -> Path | None:
        """The SRDF file with pairs of links that never touch each other, if robot.toml has one."""
        model = self.spec.model
        if model.srdf is None:
            return None
        return model_path(model, model.srdf, self.name, self.file.parent)

    def posture(self, tree_model: TreeModel) -> Floats:
        """Return the joint positions of the posture, shape (n_joints,), [rad or m].

        Raises:
            RobotError: if a pattern matches no joint of the model file.
        """
        positions = self._positions()
        return np.array([positions.get(name, 0.0) for name in tree_model.joint_names])

    def joint_parameters(self, tree_model: TreeModel) -> tuple[Floats, Floats, Floats]:
        """Return damping, armature and friction, each of shape (n_joints,).

        Units: [N m s/rad or N s/m], [kg m^2 or kg], [N m or N]. Values of robot.toml replace the
        model file's.

        Raises:
            RobotError: if a pattern matches no joint of the model file.
        """
        given = values_by_name(
            self.spec.joint_dynamics, self.movable, f"{self.file}: joint_dynamics"
        )
        damping, armature = tree_model.damping.copy(), tree_model.armature.copy()
        friction = tree_model.friction.copy()
        for i, name in enumerate(tree_model.joint_names):
            values = given.get(name, JointDynamics())
            damping[i] = _given(values.damping, damping[i])
            armature[i] = _given(values.armature, armature[i])
            friction[i] = _given(values.friction, friction[i])
        return damping, armature, friction

    def position_limits(self, tree_model: TreeModel) -> Floats:
        """Return the active limits, shape (n_joints, 2), infinite if not limited, [rad or m].

        Raises:
            RobotError: if a pattern matches no joint of the model file, or robot.toml asks for the
                model file's limits and it has none.
        """
        where = f"{self.file}: joint_dynamics"
        given = values_by_name(self.spec.joint_dynamics, self.movable, where)
        self._model_gives_limits(tree_model, where)
        limits = np.tile([-np.inf, np.inf], (len(tree_model.joint_names), 1))
        for i, name in enumerate(tree_model.joint_names):
            chosen = given.get(name, JointDynamics()).limits
            if chosen == "model":
                limits[i] = tree_model.position_lower[i], tree_model.position_upper[i]
            elif chosen is not None:
                limits[i] = chosen
        return limits

    def limit_restitution(self, tree_model: TreeModel) -> Floats:
        """Return the coefficients of restitution of the limits, shape (n_joints,), [-]."""
        given = values_by_name(self.spec.joint_dynamics, self.movable, f"{self.file}: limits")
        values = [given.get(name, JointDynamics()) for name in tree_model.joint_names]
        return np.array([value.restitution or 0.0 for value in values])

    def _model_gives_limits(self, tree_model: TreeModel, where: str) -> None:
        bounded = np.isfinite(tree_model.position_lower) | np.isfinite(tree_model.position_upper)
        for pattern, values in self.spec.joint_dynamics.items():
            if values.limits != "model":
                continue
            chosen = match_joints(pattern, self.movable, where)
            of = [i for i, name in enumerate(tree_model.joint_names) if name in chosen]
            if of and not bounded[of].any():
                raise RobotError(
                    f'{where}.{pattern}.limits: "model", but the model file has none for '
                    f"{', '.join(tree_model.joint_names[i] for i in of)}"
                )

    def features(self, tree_model: TreeModel) -> tuple[ContactFeature, ...]:
        """Return the contact features, placed on the tree's links.

        Raises:
            RobotError: if a frame does not exist; offers the nearest.
        """
        return place_features(self.spec, tree_model, str(self.file))

    @property
    def has_loops(self) -> bool:
        """Whether its robot.toml or its model file closes chains of joints."""
        return bool(self.spec.loops) or closes(self.model, self.spec)

    def loops(
        self, tree_model: TreeModel, poses: Floats, at_zero: Floats
    ) -> tuple[Loop | JointCoupling, ...]:
        """Return the loops that close chains of joints, placed on the tree's links.

        Args:
            tree_model: the tree.
            poses: shape (links, 12), the links' initial placements.
            at_zero: shape (links, 12), their placements while all joints are at zero.

        Raises:
            RobotError: if a frame or joint does not exist; offers the nearest.
        """
        placed = place_loops(self.spec.loops, tree_model, poses, str(self.file))
        own = own_loops(self.model, self.spec)
        return placed + place_model_loops(own, tree_model, poses, at_zero)

    def _positions(self) -> Mapping[str, float]:
        return values_by_name(self.spec.posture, self.movable, f"{self.file}: posture")


@RobotError.of_file()
def load_robot(
    reference: str, relative_to: Path | None = None, registry: Registry | None = None
) -> Robot:
    """Load a robot.

    Args:
        reference: name of a robot that comes with Footfall, or path of a robot.toml, of a folder
            that holds one, or of a URDF or MJCF file.
        relative_to: folder that paths are relative to; the working directory if None.
        registry: plugins that read formats other than URDF; by default the installed ones.

    Raises:
        RobotError: if there is no such robot (offers the nearest), a package that it needs is not
            installed, or its model file is not valid.
        PluginError: if no plugin reads its model file.
        SceneError: if its robot.toml is not valid.
    """
    bundled = list_robots()
    if reference in bundled:
        return _from_spec(bundled_folder() / reference / SPEC, reference, registry)
    path = (relative_to or Path()) / os.path.expanduser(reference)
    path = path / SPEC if path.is_dir() else path
    suffix = path.suffix.lower()
    if path.is_file() and suffix == ".toml":
        name = path.resolve().parent.name if path.name == SPEC else path.stem
        return _from_spec(path, name, registry)
    if path.is_file() and suffix in _MODEL_SUFFIXES:
        spec = RobotSpec(model=ModelFile(file=path.name))
        return _with_model(path.stem, path, spec, path, registry)
    if path.is_file():
        raise RobotError(f'robot "{reference}": {path}: must be a .toml, .urdf, .xml or .mjcf file')
    if "/" in reference or suffix in (".toml", *_MODEL_SUFFIXES):
        raise RobotError(f'robot "{reference}": {path}: no such file')
    known = f"{nearest(reference, bundled)} (robots: {', '.join(bundled)}; or a path)"
    raise RobotError(f'no robot "{reference}"{known}')


def _from_spec(file: Path, name: str, registry: Registry | None) -> Robot:
    spec = read_spec(file)
    path = model_path(spec.model, spec.model.file, name, file.parent)
    return _with_model(name, file, spec, path, registry)


def _with_model(
    name: str, file: Path, spec: RobotSpec, path: Path, registry: Registry | None
) -> Robot:
    by_suffix = "mjcf" if path.suffix.lower() in (".xml", ".mjcf") else "urdf"
    robot = Robot(name, file, spec, _read_model(path, spec.model.format or by_suffix, registry))
    # Reject joints and files that do not exist here, not at the first use.
    names_matching(spec.joints or (), robot.movable, f"{file}: joints")
    if robot.srdf is not None and not robot.srdf.is_file():
        raise RobotError(f"{file}: model.srdf: {robot.srdf}: no such file")
    values_by_name(spec.posture, robot.movable, f"{file}: posture")
    values_by_name(spec.joint_dynamics, robot.movable, f"{file}: joint_dynamics")
    return robot


def _read_model(path: Path, kind: str, registry: Registry | None) -> Urdf | ModelDescription:
    if kind == "urdf":
        return read_urdf(path)
    registry = registry if registry is not None else discover()
    found: ModelDescription = registry.find("model_format", kind).load()(path)
    return found


def _given(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
