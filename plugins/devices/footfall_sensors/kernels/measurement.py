"""Measurements from a row of the recording and the links' poses."""

from __future__ import annotations

from typing import NamedTuple

from footfall.api.device import link_motion, quaternion_of
from footfall.api.kernels import inner, kernel, opener
from footfall.api.plugin import Floats1, Ints1


class ImuArrays(NamedTuple):
    """Arrays of an IMU.

    Attributes:
        place: shape (3,): global link, indices of v and a in the row.
        frame: shape (12,), frame of the sensor in its link: rotation column-major, translation [m].
        axes: shape (9,), scratch.
        out: shape (10,): orientation x y z w, angular velocity, proper acceleration.
    """

    place: Ints1
    frame: Floats1
    axes: Floats1
    out: Floats1


class CopyArrays(NamedTuple):
    """Entries of the row that a sensor copies.

    Attributes:
        place: shape (n,), indices in the row.
        out: shape (n,), the copies.
    """

    place: Ints1
    out: Floats1


class FootArrays(NamedTuple):
    """A foot's wrench in the row.

    Attributes:
        place: shape (1,), index of its first entry.
        limit: shape (1,), threshold of the normal force, [N].
        out: shape (1,) for a switch, (2,) for a centre of pressure.
    """

    place: Ints1
    limit: Floats1
    out: Floats1


imu_arrays = opener(ImuArrays, 0)
copy_arrays = opener(CopyArrays, 0)
foot_arrays = opener(FootArrays, 0)


@kernel
def copy(table, row):
    """Copy entries of the row."""
    own = copy_arrays(table)
    for i in range(len(own.place)):
        own.out[i] = row[own.place[i]]


@kernel
def pressed(table, row):
    """Write 1 if the foot's normal force is above the limit, else 0."""
    own = foot_arrays(table)
    own.out[0] = 1.0 if row[own.place[0] + 2] > own.limit[0] else 0.0


@kernel
def pressure_center(table, row):
    """Write ``(-m_y / f_z, m_x / f_z)``; NaN unless the force is above the limit."""
    own, at = foot_arrays(table), foot_arrays(table).place[0]
    force = row[at + 2]
    if force > own.limit[0]:
        own.out[0], own.out[1] = -row[at + 4] / force, row[at + 3] / force
    else:
        own.out[0] = own.out[1] = float("nan")


@inner
def write_inertial(pose, own, V, A, g):
    """Write orientation, angular velocity and proper acceleration along the sensor's axes."""
    F = own.frame
    p0 = pose[0] * F[9] + pose[3] * F[10] + pose[6] * F[11] + pose[9]
    p1 = pose[1] * F[9] + pose[4] * F[10] + pose[7] * F[11] + pose[10]
    p2 = pose[2] * F[9] + pose[5] * F[10] + pose[8] * F[11] + pose[11]
    w0, w1, w2 = V[3], V[4], V[5]
    u0 = V[0] + w1 * p2 - w2 * p1
    u1 = V[1] + w2 * p0 - w0 * p2
    u2 = V[2] + w0 * p1 - w1 * p0
    a0 = A[0] + A[4] * p2 - A[5] * p1 + w1 * u2 - w2 * u1 - g[0]
    a1 = A[1] + A[5] * p0 - A[3] * p2 + w2 * u0 - w0 * u2 - g[1]
    a2 = A[2] + A[3] * p1 - A[4] * p0 + w0 * u1 - w1 * u0 - g[2]
    for c in range(3):
        x, y, z = F[3 * c], F[3 * c + 1], F[3 * c + 2]
        e0 = pose[0] * x + pose[3] * y + pose[6] * z
        e1 = pose[1] * x + pose[4] * y + pose[7] * z
        e2 = pose[2] * x + pose[5] * y + pose[8] * z
        own.axes[3 * c], own.axes[3 * c + 1], own.axes[3 * c + 2] = e0, e1, e2
        own.out[4 + c] = e0 * w0 + e1 * w1 + e2 * w2
        own.out[7 + c] = e0 * a0 + e1 * a1 + e2 * a2
    E = own.axes
    own.out[0], own.out[1], own.out[2], own.out[3] = quaternion_of(
        E[0], E[1], E[2], E[3], E[4], E[5], E[6], E[7], E[8]
    )


@kernel
def inertial(world_table, table, row):
    """Write the measurement of an IMU.

    With the twist V and the spatial acceleration A of its link at the world's origin, the proper
    acceleration is ``R' (A + alpha x p + w x (V + w x p) - g)`` at the sensor's origin p.
    """
    own = imu_arrays(table)
    V, A, pose, g = link_motion(world_table, own.place[0], row, own.place[1], own.place[2])
    write_inertial(pose, own, V, A, g)
