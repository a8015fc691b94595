"""The arrays of a tree, opened by its kernels from one table."""

from __future__ import annotations

from typing import Any, NamedTuple

from footfall.api.kernels import opener
from footfall.api.plugin import Floats1, Floats2, Ints1


class Constants(NamedTuple):
    """Constants of a tree.

    Joint i moves link i + 1; parents come before their children. A rotation is nine numbers, column
    by column, as in a row of ``pose``; a symmetric matrix is six: xx, xy, xz, yy, yz, zz.

    Attributes:
        parent: shape (joints,), link that carries the joint, 0 is the base.
        slides: shape (joints,), 1 for a prismatic joint, 0 for a revolute one.
        still: shape (joints, 9), constant part of the rotation from moved link to carrying link,
            which is ``still + sine sin q + cosine cos q``.
        sine: shape (joints, 9), zero for a prismatic joint.
        cosine: shape (joints, 9), zero for a prismatic joint.
        offset: shape (joints, 3), origin of the moved link at q = 0, carrying link, [m].
        axis: shape (joints, 3), unit, carrying link.
        mass: shape (links,), [kg].
        carried_mass: shape (links,), mass of the link and all links that it carries, [kg].
        com: shape (links, 3), centre of mass, link frame, [m].
        inertia: shape (links, 6), about the centre of mass, link axes, [kg m^2].
        gravity: shape (3,), world axes, [m/s^2].
    """

    parent: Ints1
    slides: Ints1
    still: Floats2
    sine: Floats2
    cosine: Floats2
    offset: Floats2
    axis: Floats2
    mass: Floats1
    carried_mass: Floats1
    com: Floats2
    inertia: Floats2
    gravity: Floats1


class State(NamedTuple):
    """State of the tree.

    Attributes:
        q: shape (nq,), positions, [m, -, rad].
        v: shape (nv,), velocities, for a floating base in its own frame, [m/s, rad/s].
    """

    q: Floats1
    v: Floats1


class Evaluation(NamedTuple):
    """Results, see ``footfall.api.engine.Tree``."""

    M: Floats2
    h: Floats1
    S: Floats2
    pose: Floats2


class Placed(NamedTuple):
    """Quantities of links and joints that depend on the configuration, world axes.

    Positions are relative to the origin of a floating base, so that M and h lose no digits far from
    the world's origin. A link's composite is the link and all links that it carries.

    Attributes:
        origin: shape (links, 3), origin of the link, [m].
        offset: shape (joints, 3), from the carrying link's origin to the moved link's, [m].
        twist: shape (joints, 6), twist of a unit velocity: linear at the base's origin, angular.
        lever: shape (links, 3), from the link's origin to its centre of mass, [m].
        inertia: shape (links, 6), about the centre of mass, [kg m^2].
        moment: shape (links, 3), mass times centre of mass of the link's composite, [kg m].
        carried: shape (links, 6), inertia of the composite about the base's origin, [kg m^2].
    """

    origin: Floats2
    offset: Floats2
    twist: Floats2
    lever: Floats2
    inertia: Floats2
    moment: Floats2
    carried: Floats2


class Moving(NamedTuple):
    """Quantities of links that depend on the velocity, world axes.

    For dv/dt = 0, a link's point at x from its origin has the acceleration ``rate + gradient x``.

    Attributes:
        spin: shape (links, 3), angular velocity, [rad/s].
        turn: shape (links, 3), angular acceleration, [rad/s^2].
        rate: shape (links, 3), acceleration of the link's origin minus gravity, [m/s^2].
        gradient: shape (links, 9), row by row, [1/s^2].
        force: shape (links, 3), force on the link and all links that it carries, [N].
        torque: shape (links, 3), torque on them about the base's origin, [N m].
    """

    spin: Floats2
    turn: Floats2
    rate: Floats2
    gradient: Floats2
    force: Floats2
    torque: Floats2


KINDS = (Constants, State, Evaluation, Placed, Moving)
"""Kinds of arrays, in the order of a tree's table."""


def _opener(kind: type) -> Any:
    before = KINDS[: KINDS.index(kind)]
    return opener(kind, sum(len(other.__annotations__) for other in before))


constants = _opener(Constants)
state = _opener(State)
evaluation = _opener(Evaluation)
placed = _opener(Placed)
moving = _opener(Moving)
