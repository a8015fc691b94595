"""Rows of a contact problem that act on one joint each: position limits and Coulomb friction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from footfall.problem.blocks import BlockKind
from footfall.world.arrays import Floats1, Ints1, Topology
from footfall.world.body import Body


class JointRows(NamedTuple):
    """What may enter the problem after the contacts; empty where no joint has limits or friction.

    Attributes:
        kind: shape (n,), ``UNILATERAL`` for a limit, ``BOX`` for friction.
        dof: shape (n,), global velocity dof.
        link: shape (n,), global link that the joint carries.
        sign: shape (n,), 1, or -1 for an upper limit.
        value: shape (n,), the limit [rad or m], or the friction [N m or N].
        active: shape (1,), 1 if the contact law takes such rows.
        impulse: shape (n,), sum over the step, [N m s or N s].
    """

    kind: Ints1
    dof: Ints1
    link: Ints1
    sign: Floats1
    value: Floats1
    active: Ints1
    impulse: Floats1


def _rows(body: Body) -> Iterator[tuple[str, int, BlockKind, float, float]]:
    """Yield name, joint, kind, sign and value of a body's rows."""
    for joint, name in enumerate(body.model.joint_names):
        if len(body.position_limits):
            lower, upper = body.position_limits[joint]
            for what, sign, value in (("lower", 1.0, lower), ("upper", -1.0, upper)):
                if np.isfinite(value):
                    yield f"{name}/{what}", joint, BlockKind.UNILATERAL, sign, float(value)
        if len(body.joint_friction) and body.joint_friction[joint] > 0.0:
            yield f"{name}/friction", joint, BlockKind.BOX, 1.0, float(body.joint_friction[joint])


def joint_rows(bodies: Sequence[Body], topology: Topology) -> tuple[JointRows, tuple[str, ...]]:
    """Return the rows of all bodies, and their names, e.g. ``arm/elbow/lower``."""
    rows = [(index, body, row) for index, body in enumerate(bodies) for row in _rows(body)]
    dof = [body.joint_offset + row[1] for _, body, row in rows]
    link = [
        int(topology.tree_link[index]) + int(np.argmax(body.model.link_dof == local))
        for (index, body, _), local in zip(rows, dof, strict=True)
    ]
    first = [int(topology.tree_v[index]) for index, _, _ in rows]
    arrays = JointRows(
        kind=np.array([row[2] for *_, row in rows], np.int64),
        dof=np.array(first, np.int64) + np.array(dof, np.int64),
        link=np.array(link, np.int64),
        sign=np.array([row[3] for *_, row in rows], float),
        value=np.array([row[4] for *_, row in rows], float),
        active=np.zeros(1, np.int64),
        impulse=np.zeros(len(rows)),
    )
    return arrays, tuple(f"{body.name}/{row[0]}" for _, body, row in rows)
