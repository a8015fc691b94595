"""Rows of a contact problem that act on joints: position limits, backlash, Coulomb friction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from footfall.jit.tables import allocated
from footfall.problem.arrays import BlockKind
from footfall.typing import Floats1, Ints1
from footfall.world.arrays import Topology
from footfall_stepper.world.body import Body
from footfall_stepper.world.loop_arrays import starts


class JointRowUse(IntEnum):
    """Places in ``JointRows.active``."""

    FORM = 0
    """The ``JointRowForm``."""
    IN_IMPACTS = 1
    """1 if the law takes limits in impacts, else 0."""


class JointRowForm(IntEnum):
    """Ways in which limits and friction of joints act."""

    NONE = 0
    """There are none."""
    IN_PROBLEM = 1
    """The contact law takes them as rows of its problem."""
    AS_SPRINGS = 2
    """Springs replace them."""


class JointRows(NamedTuple):
    """Rows that may enter the problem after the contacts; empty without limits and friction.

    Attributes:
        kind: shape (n,), ``UNILATERAL`` for a limit or a side of a backlash, ``BOX`` for friction.
        dof: shape (n,), global velocity dof.
        link: shape (n,), global link that the joint carries.
        sign: shape (n,), for a limit 1, or -1 for an upper one; for friction the sliding speed for
            a unit speed of the joint.
        value: shape (n,), the limit [rad or m], or the friction [N m or N].
        restitution: shape (n,), of a limit, [-].
        tree_start: shape (trees + 1,), first row of each tree.
        more_start: shape (n + 1,), start of a row's further dofs.
        more_dof: flat, further dofs whose speeds a row sums, global.
        more_value: flat, their factors.
        active: shape (2,), indexed by ``JointRowUse``.
        impulse: shape (n,), sum over the step, [N m s or N s].
        stiffness: shape (n,), of a limit's spring, [N m/rad or N/m].
        damping: shape (n,), of a limit's spring, [N m s/rad or N s/m].
        creep: shape (n,), speed above which friction as a damper is whole, [rad/s or m/s].
        acting: shape (n,), 1 while a limit's spring pushes; for friction its present coefficient.
    """

    kind: Ints1
    dof: Ints1
    link: Ints1
    sign: Floats1
    value: Floats1
    restitution: Floats1
    tree_start: Ints1
    more_start: Ints1
    more_dof: Ints1
    more_value: Floats1
    active: Ints1
    impulse: Floats1
    stiffness: Floats1
    damping: Floats1
    creep: Floats1
    acting: Floats1


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a body: ``joints``, the recorded one last, each with the factor of its speed."""

    name: str
    kind: BlockKind
    joints: tuple[int, ...]
    factors: tuple[float, ...]
    value: float
    restitution: float = 0.0


def _rows(body: Body) -> Iterator[_Row]:
    """Yield a body's rows."""
    for joint, name in enumerate(body.model.joint_names):
        if len(body.position_limits):
            lower, upper = body.position_limits[joint]
            e = float(body.limit_restitution[joint]) if len(body.limit_restitution) else 0.0
            for what, sign, value in (("lower", 1.0, lower), ("upper", -1.0, upper)):
                if np.isfinite(value):
                    title = f"{name}/{what}"
                    yield _Row(title, BlockKind.UNILATERAL, (joint,), (sign,), float(value), e)
        if len(body.joint_friction) and body.joint_friction[joint] > 0.0:
            friction = float(body.joint_friction[joint])
            yield _Row(f"{name}/friction", BlockKind.BOX, (joint,), (1.0,), friction)
    for motor in body.motor_friction:
        title = f"{motor.name}/motor_friction"
        yield _Row(title, BlockKind.BOX, motor.joints, motor.ratios, motor.value)
    for play in body.backlash:
        moving = (play.of, play.joint) if play.ratio else (play.joint,)
        for what, sign in (("lower", 1.0), ("upper", -1.0)):
            title, stop = f"{play.name}/backlash_{what}", play.offset - sign * play.backlash / 2.0
            factors = (-sign * play.ratio, sign)[-len(moving) :]
            yield _Row(title, BlockKind.UNILATERAL, moving, factors, stop, play.restitution)


def joint_rows(bodies: Sequence[Body], topology: Topology) -> tuple[JointRows, tuple[str, ...]]:
    """Return the rows of all bodies, and their names, e.g. ``arm/elbow/lower``."""
    counts = [len(list(_rows(body))) for body in bodies]
    rows = [(index, body, row) for index, body in enumerate(bodies) for row in _rows(body)]
    first = [int(topology.tree_v[index]) + body.joint_offset for index, body, _ in rows]
    link = [
        int(topology.tree_link[index])
        + int(np.argmax(body.model.link_dof == body.joint_offset + max(row.joints)))
        for index, body, row in rows
    ]
    more = [(at + j, f) for at, (*_, row) in zip(first, rows, strict=True) for j, f in _more(row)]
    arrays = allocated(
        JointRows,
        len(rows),
        kind=np.array([row.kind for *_, row in rows], np.int64),
        dof=np.array([at + row.joints[-1] for at, (*_, row) in zip(first, rows, strict=True)], int),
        link=np.array(link, np.int64),
        sign=np.array([row.factors[-1] for *_, row in rows], float),
        value=np.array([row.value for *_, row in rows], float),
        restitution=np.array([row.restitution for *_, row in rows], float),
        tree_start=starts(counts),
        more_start=starts([len(row.joints) - 1 for *_, row in rows]),
        more_dof=np.array([dof for dof, _ in more], np.int64),
        more_value=np.array([factor for _, factor in more], float),
        active=2,
    )
    return arrays, tuple(f"{body.name}/{row.name}" for _, body, row in rows)


def _more(row: _Row) -> list[tuple[int, float]]:
    """Return all joints of a row but the last, and their factors."""
    return list(zip(row.joints[:-1], row.factors[:-1], strict=True))
