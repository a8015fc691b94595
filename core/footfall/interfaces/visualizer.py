"""The visualizer role: receives a scene once, then frames of link poses."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from footfall.geometry.shapes import Color, Shape
from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats

Layer = Literal["visual", "collision"]
GREY: Color = (0.7, 0.7, 0.75, 1.0)
"""Default colour."""


@dataclass(frozen=True, slots=True)
class Node:
    """A shape attached to a link.

    Attributes:
        name: slash-separated path, unique in the scene, e.g. ``icub/l_foot/0``.
        link: row of the pose array that moves it.
        shape: the shape to draw.
        rotation: shape (3, 3), shape to link.
        translation: shape (3,), [m], link frame.
        color: red, green, blue, opacity, each 0 to 1.
        layer: ``visual`` for the body's look, or ``collision`` for its contact shape, which is
            drawn on request.
        texture: path of an image for a mesh with texture coordinates.
        covers: whether colour and texture replace the materials of a mesh file; otherwise they are
            used only for parts without a material.
    """

    name: str
    link: int
    shape: Shape
    rotation: Floats
    translation: Floats
    color: Color = GREY
    layer: Layer = "visual"
    texture: str | None = None
    covers: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """A ground plane: the points with ``normal . x = offset``.

    Attributes:
        normal: shape (3,), unit, world frame.
        offset: [m].
    """

    normal: Floats
    offset: float


@dataclass(frozen=True, slots=True)
class GroundSurface:
    """A part of the ground that is not a plane.

    Attributes:
        points: shape (n, 3), corners of the triangles, [m].
        triangles: shape (m, 3), indices of corners, counter-clockwise seen from above the ground.
        lines: shape (k, 2), indices of the ends of lines to draw on it, e.g. edges of steps.
        color: red, green, blue, each 0 to 1; None for the ground's own.
    """

    points: Floats
    triangles: npt.NDArray[np.int64]
    lines: npt.NDArray[np.int64]
    color: tuple[float, float, float] | None = None


@dataclass(frozen=True, slots=True)
class SceneGraph:
    """The static part of a scene, which a visualizer gets before the first frame.

    Attributes:
        title: name of the scene.
        nodes: the shapes.
        n_links: number of rows of the pose array.
        grounds: planes to draw, with a grid, and other surfaces.
        ground_link: row of the pose array that moves all grounds, None if they do not move.
        n_contacts: number of rows of the contact arrays (arrows that can be shown).
        weight: total weight, [N], the scale of contact arrows.
        radius: size of the scene, [m], to place the camera.
        tracks: pairs (body name, link row) that a camera can follow; the first is the default.
        links: name of each row of the pose array, ``body/link``; empty for rows of fixed objects
            and of the ground.
        inertias: shape (n, 10), for each row of links: mass [kg], centre of mass x y z [m], and xx,
            yy, zz, xy, xz, yz of the inertia about it [kg m^2]; along the link's own axes.
        joints: name ``body/joint``, row of the first link that it moves, and that link's twist in
            its own frame at unit rate: v of its origin [m/s or -], w [rad/s or -], six numbers.
        points: for the first rows of the contact arrays, which are points of bodies on the ground:
            name ``body/feature``, and friction coefficients of the body's side, of the ground's
            side at the start and of the pair [-]; NaN if not given.
        rays: name of each signal of distances along rays, then the entries of ``Signal.rays``.
    """

    title: str
    nodes: tuple[Node, ...]
    n_links: int
    grounds: tuple[Ground | GroundSurface, ...] = ()
    n_contacts: int = 0
    weight: float = 1.0
    radius: float = 1.0
    tracks: tuple[tuple[str, int], ...] = field(default_factory=tuple)
    ground_link: int | None = None
    links: tuple[str, ...] = ()
    inertias: Floats = field(default_factory=lambda: np.zeros((0, 10)))
    joints: tuple[tuple[str, int, tuple[float, ...]], ...] = ()
    points: tuple[tuple[str, float, float, float], ...] = ()
    rays: tuple[tuple[str, str, Floats, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One instant to draw.

    Attributes:
        time: simulated time, [s].
        poses: shape (n_links, 7), world position [m] and quaternion x, y, z, w of each link.
        contact_position: shape (n_contacts, 3), world, [m].
        contact_force: shape (n_contacts, 3), world, [N]; zero without contact.
        com: shape (3,), total centre of mass, [m].
        serial: serial of the newest ``HandMove`` that has acted, [-]; 0 if none.
        values: shape (n,), values of the watched signals, each in its own unit.
        hand: shape (12,), world: position of the hand [m], the held point [m], force [N] and
            moment [N m] on the held link; NaN without a hand.
        between: shape (n, 7), the contacts between bodies, which follow those at the scene's
            ``points``: unit normal, world, towards the body that the force acts on; coefficient of
            friction [-], NaN if unknown; 0 open, 1 sticks, 2 slips; indices of both bodies in
            ``tracks``, the one that the force acts on last, -1 if fixed. Zeros: no contact.
    """

    time: float
    poses: Floats
    contact_position: Floats
    contact_force: Floats
    com: Floats
    serial: int = 0
    values: Floats = field(default_factory=lambda: np.zeros(0))
    hand: Floats = field(default_factory=lambda: np.full(12, np.nan))
    between: Floats = field(default_factory=lambda: np.zeros((0, 7)))


class Visualizer(Plugin):
    """A viewer of a running simulation. ``show`` returns at once: the simulator never waits."""

    @abstractmethod
    def open(self, graph: SceneGraph) -> None:
        """Start to show a scene. Called once, before the first frame."""

    @abstractmethod
    def show(self, frame: Frame) -> None:
        """Show a frame, or drop it to keep a frame-rate limit."""

    def wait_until_open(self) -> None:
        """Block until a user can see the scene."""

    def wait_until_closed(self) -> None:
        """Block after the run until the user is done (Ctrl-C)."""

    @abstractmethod
    def close(self) -> None:
        """Release everything; may be called more than once."""

    @property
    def frame_interval(self) -> float | None:
        """Least simulated time between frames [s], or None if nothing is shown."""
        return None

    @property
    def speed(self) -> float | None:
        """Pace of the run in simulated seconds per second; None for as fast as possible."""
        return None
