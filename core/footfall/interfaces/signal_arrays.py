"""The arrays of signals of a body and of a frame, written by kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.jit.tables import allocated
from footfall.typing import Floats1, Floats2


class SignalArrays(NamedTuple):
    """The signals of one body at one instant, velocities in the mixed representation.

    Attributes:
        q: shape (nq,), view of the state; v: shape (nv,), view of the state.
        seen_q: shape (nq,), q at which the other signals were evaluated; seen_v: shape (nv,).
        S: shape (nv, 6), world-frame twists at the world origin, copied from the engine.
        pose: shape (links, 12), rotation column-major, translation, copied from the engine.
        base_pose: shape (4, 4), root to world.
        nu: shape (nv,), base linear and angular velocity along world axes, joints.
        mass_matrix: shape (nv, nv), without reflected inertia.
        motor_inertia: shape (nv, nv), reflected inertia.
        bias_force: shape (nv,), [N, N m].
        com: shape (3,), [m], world frame.
        com_velocity: shape (3,), [m/s], world axes.
        momentum: shape (6,), linear [N s] and angular about the mass centre [N m s], world axes.
        momentum_map: shape (6, nv), ``momentum = momentum_map nu``.
        twist: shape (links, 6), world-frame twist at the world origin.
        bias: shape (links, 6), spatial acceleration there for zero mixed accelerations.
        composite: shape (links, 10), mass, first moment and inertia (xx xy xz yy yz zz) about the
            body's mass centre of a link with all links that it carries.
        evaluations: shape (1,), their number.
    """

    q: Floats1
    v: Floats1
    seen_q: Floats1
    seen_v: Floats1
    S: Floats2
    pose: Floats2
    base_pose: Floats2
    nu: Floats1
    mass_matrix: Floats2
    motor_inertia: Floats2
    bias_force: Floats1
    com: Floats1
    com_velocity: Floats1
    momentum: Floats1
    momentum_map: Floats2
    twist: Floats2
    bias: Floats2
    composite: Floats2
    evaluations: Floats1


def allocate_signals(q: Floats1, v: Floats1, links: int) -> SignalArrays:
    """Allocate the signals of a body with ``links`` links, with q and v as views of its state."""
    n = len(v)
    return allocated(
        SignalArrays,
        n,
        q=q,
        v=v,
        # NaN is equal to nothing: the first comparison finds a new state.
        seen_q=np.full(len(q), np.nan),
        seen_v=np.full(n, np.nan),
        S=(n, 6),
        pose=(links, 12),
        base_pose=np.eye(4),
        mass_matrix=(n, n),
        motor_inertia=(n, n),
        com=3,
        com_velocity=3,
        momentum=6,
        momentum_map=(6, n),
        twist=(links, 6),
        bias=(links, 6),
        composite=(links, 10),
        evaluations=1,
    )


class FrameArrays(NamedTuple):
    """The signals of one frame.

    Attributes:
        place: shape (12,), the frame in its link: rotation column-major, translation [m].
        pose: shape (4, 4), frame to world.
        jacobian: shape (6, nv), ``velocity = jacobian nu``.
        velocity: shape (6,), of the frame's origin [m/s] and angular [rad/s], world axes.
        jdot_nu: shape (6,), their rates at zero mixed accelerations, [m/s^2, rad/s^2].
    """

    place: Floats1
    pose: Floats2
    jacobian: Floats2
    velocity: Floats1
    jdot_nu: Floats1


def allocate_frame(place: Floats1, nv: int) -> FrameArrays:
    """Allocate the signals of a frame at a place (12,) in its link."""
    return FrameArrays(place, np.eye(4), np.zeros((6, nv)), np.zeros(6), np.zeros(6))
