"""The dynamics-engine role: mass matrix, bias force and kinematics of one tree."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from footfall.errors import RobotError, nearest
from footfall.interfaces.plugin import Capability, Plugin
from footfall.jit.tables import Table, read_only
from footfall.typing import Floats, Ints

BaseKind = Literal["floating", "fixed"]


@dataclass(frozen=True, slots=True)
class LinkFrame:
    """A frame fixed to a link: rotation and origin in the link's own frame.

    Attributes:
        link: index of the link (0 is the base; joints' links follow).
        rotation: shape (3, 3), frame to link.
        translation: shape (3,), [m], in the link frame.
    """

    link: int
    rotation: Floats
    translation: Floats


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The model of one tree for an engine, checked and brought to normal form by core.

    In the normal form of a URDF, joints that are not kept are ``fixed`` at their locked position,
    ``continuous`` joints are ``revolute`` with infinite limits, and a planar base is a fixed base
    followed by three one-dof joints. Every remaining movable joint has one position and one
    velocity.

    The normal form of an MJCF has bodies, ``<inertial>`` with ``fullinertia``, joints and sites,
    all with names, placed by ``pos`` and a unit ``quat``. Hinges and slides have a unit ``axis``,
    and a ``range`` [rad or m] only if they are limited. A floating base has a ``<freejoint>``.

    Attributes:
        name: the body's name in the scene.
        format: ``"urdf"`` or ``"mjcf"``.
        path: the model file; meshes are relative to it.
        xml: the model's text in normal form.
        base: ``"floating"`` or ``"fixed"``.
        gravity: shape (3,), [m/s^2], world frame.
        joints: names of the movable joints that are kept, in the canonical order (depth first from
            the root, children by joint name), or None if the engine's own order is the canonical
            one (MJCF).
        locked: positions [rad or m] of joints that are not kept (MJCF only; a URDF's are already
            applied).
    """

    name: str
    format: Literal["urdf", "mjcf"]
    path: str
    xml: str
    base: BaseKind
    gravity: Floats
    joints: tuple[str, ...] | None
    locked: Mapping[str, float] = field(default_factory=dict)

    def require_joints(self, known: Collection[str]) -> None:
        """Check that all joints that are kept or locked are among an engine's.

        Raises:
            RobotError: if one is not; offers the nearest name.
        """
        for name in (*(self.joints or ()), *self.locked):
            if name not in known:
                raise RobotError(f'{self.path}: no joint "{name}"{nearest(name, known)}')

    def require_base(self, roots: Sequence[Element]) -> None:
        """Check that the root bodies of an MJCF in normal form fit the base.

        Raises:
            RobotError: unless a floating robot is one root with a free joint, a fixed one has none.
        """
        names = ", ".join(f'"{body.get("name")}"' for body in roots) or "none"
        floats = [body.find("freejoint") is not None for body in roots]
        if self.base == "fixed" and any(floats):
            raise RobotError(
                f"{self.path}: a root body has a free joint (<freejoint>), which a fixed base "
                "cannot have: edit the model or choose a floating base"
            )
        if self.base == "floating" and floats != [True]:
            raise RobotError(
                f"{self.path}: a floating robot is one root body with a free joint, found {names}: "
                "edit the model, choose a fixed base, or put other bodies into the scene"
            )


@dataclass(frozen=True, slots=True)
class TreeModel:
    """The constants of one tree, the same for every engine.

    Links are the base (index 0) and one link per movable joint, in canonical order; links joined by
    fixed joints are merged. Positions are ``[base x y z, quaternion x y z w, joints]``, velocities
    ``[base linear, base angular (both in the base frame), joints]``; a fixed base has only joints.

    Attributes:
        base: ``"floating"`` or ``"fixed"``.
        joint_names: names of the n_joints movable joints, canonical order.
        dof_parent: shape (nv,), the next dof towards the root for each dof, -1 at the root.
        link_dof: shape (n_links,), the last dof that moves the link, -1 for a fixed base.
        link_names: names of the n_links links.
        link_mass: shape (n_links,), [kg].
        link_com: shape (n_links, 3), [m], link frame.
        link_inertia: shape (n_links, 3, 3), [kg m^2], about the centre of mass, link axes.
        position_lower: shape (n_joints,), [rad or m], -inf without a limit.
        position_upper: shape (n_joints,), [rad or m].
        velocity_limit: shape (n_joints,), [rad/s or m/s].
        effort_limit: shape (n_joints,), [N m or N].
        damping: shape (n_joints,), viscous coefficient, [N m s/rad or N s/m].
        friction: shape (n_joints,), Coulomb friction, [N m or N].
        armature: shape (n_joints,), reflected inertia given in the model file (MJCF), not part of
            ``M``, [kg m^2 or kg].
        frames: named frames (links, fixed joints) by name.
    """

    base: BaseKind
    joint_names: tuple[str, ...]
    dof_parent: Ints
    link_dof: Ints
    link_names: tuple[str, ...]
    link_mass: Floats
    link_com: Floats
    link_inertia: Floats
    position_lower: Floats
    position_upper: Floats
    velocity_limit: Floats
    effort_limit: Floats
    damping: Floats
    friction: Floats
    armature: Floats
    frames: Mapping[str, LinkFrame]

    def __post_init__(self) -> None:
        for name in ("dof_parent", "link_dof"):  # kernels use them as indices
            object.__setattr__(self, name, read_only(getattr(self, name)))

    @classmethod
    def rigid_body(
        cls,
        name: str,
        mass: float,
        com: Floats,
        inertia: Floats,
        frames: Mapping[str, LinkFrame] | None = None,
    ) -> TreeModel:
        """Return a free body without joints.

        Args:
            name: name of its link.
            mass: [kg].
            com: shape (3,), [m], link frame.
            inertia: shape (3, 3), about the centre of mass, link axes, [kg m^2].
            frames: named frames of the link.
        """
        none = np.zeros(0)
        return cls(
            base="floating",
            joint_names=(),
            dof_parent=np.arange(-1, 5, dtype=np.int64),
            link_dof=np.array([5], np.int64),
            link_names=(name,),
            link_mass=np.array([mass], float),
            link_com=np.array(com, float).reshape(1, 3),
            link_inertia=np.array(inertia, float).reshape(1, 3, 3),
            position_lower=none,
            position_upper=none,
            velocity_limit=none,
            effort_limit=none,
            damping=none,
            friction=none,
            armature=none,
            frames=frames or {},
        )

    @property
    def nv(self) -> int:
        """Number of velocity dofs."""
        return len(self.dof_parent)

    @property
    def nq(self) -> int:
        """Number of position coordinates."""
        return self.nv + (1 if self.base == "floating" else 0)

    @property
    def n_links(self) -> int:
        """Number of links, the base included."""
        return len(self.link_names)

    @property
    def mass(self) -> float:
        """Total mass, [kg]."""
        return float(self.link_mass.sum())


class CompiledTree(NamedTuple):
    """A tree's evaluation as kernels, for programs that compile the whole step.

    A kernel is marked ``footfall.api.kernels.kernel``. Its one argument is the table, which holds
    q, v and the arrays to overwrite. It allocates and raises nothing, and returns 0, or another
    number if it cannot evaluate.

    Attributes:
        evaluate: kernel that does the same as ``Tree.evaluate``.
        evaluate_bias: kernel that does the same as ``Tree.evaluate_bias``.
        table: table built by the tree (``footfall.api.kernels.table_of``).
    """

    evaluate: Callable[[Table], int]
    evaluate_bias: Callable[[Table], int]
    table: Table


class Tree(Plugin):
    """One loaded tree; ``evaluate`` overwrites the arrays below, which never move in memory.

    Attributes:
        model: the tree's constants.
        M: shape (nv, nv), C order, joint-space inertia without armature, symmetric to
            rounding [SI].
        h: shape (nv,), bias force (Coriolis, centrifugal, gravity), [N, N m].
        S: shape (nv, 6), C order; row i is the world-frame twist that a unit velocity of dof i
            gives to everything it moves: linear velocity of the point at the world origin, then
            angular velocity.
        pose: shape (n_links, 12), C order; a link's world rotation, *column-major* (9), and its
            origin (3), [m].
    """

    name = "tree"
    model: TreeModel
    M: Floats
    h: Floats
    S: Floats
    pose: Floats

    @abstractmethod
    def evaluate(self, q: Floats, v: Floats) -> None:
        """Overwrite M, h, S and pose for the configuration q (nq,) and velocity v (nv,)."""

    @abstractmethod
    def evaluate_bias(self, q: Floats, v: Floats) -> None:
        """Overwrite h alone for another velocity at the same q (used after an impact)."""

    def compiled(self, q: Floats, v: Floats) -> CompiledTree | None:
        """Return the evaluation as kernels that read q and v in place, or None.

        The kernels give the same bits as ``evaluate`` and ``evaluate_bias``. The default is None:
        the engine has no kernels, and Python calls these methods.

        Args:
            q: shape (nq,), C-contiguous; it never moves, its values may change from call to call.
            v: shape (nv,), likewise.
        """
        return None


class Engine(Plugin):
    """A dynamics engine: loads trees. It is independent of contact laws."""

    BASES: ClassVar = frozenset(
        {Capability.FLOATING_BASE, Capability.FIXED_BASE, Capability.PLANAR_BASE}
    )
    """Capabilities of an engine for all kinds of bases."""

    def load(self, source: ModelSource) -> Tree:
        """Build one tree, and reject one whose masses or inertias are not physical.

        Raises:
            RobotError: names the first invalid link or joint; also as ``build``.
        """
        tree = self.build(source)
        for name in ("M", "h", "S", "pose"):  # views, which cannot be resized
            setattr(tree, name, getattr(tree, name).view())
        tree.model = read_only(tree.model)
        require_sound(tree, source.path)
        return tree

    @abstractmethod
    def build(self, source: ModelSource) -> Tree:
        """Build one tree; ``load`` checks its inertias afterwards.

        Raises:
            RobotError: if the engine cannot represent the model; names the element.
        """


HEAVIEST = 1e12
"""Greatest mass of a link, [kg]; the least is its inverse. Doubles cannot solve beyond."""
SINGULAR = 1e-12
"""Smallest pivot of the joint-space inertia, relative to its own diagonal entry."""
ROUNDING = 1e-4
"""Relative tolerance of the triangle inequality: files hold only a few digits."""


def require_sound(tree: Tree, file: str) -> None:
    """Check that a loaded tree is finite and that its joint-space inertia is positive definite.

    Links without mass are allowed if the links that they carry give inertia about every dof. M is
    tested in a generic configuration: if it is singular there, it is singular everywhere.

    Args:
        tree: the tree; its arrays are overwritten.
        file: the model file, for messages.

    Raises:
        RobotError: names the first invalid link or joint.
    """
    model = tree.model
    for i, link in enumerate(model.link_names):
        reason = _unsound_link(model, i)
        if reason:
            raise RobotError(f'{file}: link "{link}": {reason}')
    tree.evaluate(_generic_configuration(model), np.zeros(model.nv))
    dof = _singular_dof(tree.M)
    if dof is not None:
        raise RobotError(
            f"{file}: the inertia moved by {_dof_name(model, dof)} is zero or negative: give mass "
            "and inertia to the links that it moves"
        )


def _unsound_link(model: TreeModel, i: int) -> str:
    mass, inertia = float(model.link_mass[i]), model.link_inertia[i]
    if not np.isfinite([mass, *model.link_com[i], *inertia.flat]).all():
        return "a mass, centre of mass or inertia is not finite"
    if mass != 0.0 and not 1.0 / HEAVIEST <= mass <= HEAVIEST:
        return f"mass {mass:g} kg, must be 0, or from {1.0 / HEAVIEST:g} to {HEAVIEST:g} kg"
    moments = np.linalg.eigvalsh(inertia)
    shown = ", ".join(f"{moment:.4g}" for moment in moments)
    if moments[0] < -SINGULAR * np.abs(moments).max():
        return f"inertia is not positive: principal moments {shown} kg m^2"
    if moments[2] > (moments[0] + moments[1]) * (1.0 + ROUNDING):
        return f"inertia violates the triangle inequality: principal moments {shown} kg m^2"
    return ""


def _generic_configuration(model: TreeModel) -> Floats:
    """Return a configuration without special symmetry: joint i at 0.3 sin(i) from its middle."""
    n = len(model.joint_names)
    lower, upper = model.position_lower, model.position_upper
    bounded = np.isfinite(lower) & np.isfinite(upper)
    middle = np.where(
        bounded, 0.5 * (np.where(bounded, lower, 0.0) + np.where(bounded, upper, 0.0)), 0.0
    )
    base = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0] if model.base == "floating" else []
    return np.concatenate([base, middle + 0.3 * np.sin(1.0 + np.arange(n))])


def _singular_dof(M: Floats) -> int | None:
    """Return the first dof whose relative pivot of ``M = L' D L`` is not above ``SINGULAR``."""
    A = M.copy()
    pivots = np.ones(len(A))
    for k in range(len(A) - 1, -1, -1):
        diagonal = M[k, k]
        pivots[k] = A[k, k] / diagonal if diagonal > 0.0 else 0.0
        if not pivots[k] > SINGULAR:
            return k
        A[:k, :k] -= np.outer(A[k, :k], A[k, :k]) / A[k, k]
    return None


def _dof_name(model: TreeModel, dof: int) -> str:
    n_base = model.nv - len(model.joint_names)
    return "the base" if dof < n_base else f'joint "{model.joint_names[dof - n_base]}"'
