"""Derivatives of the terms of the posture search by the joints' positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.advanced import ModelCoupling, ModelJoining
from footfall.api.plugin import Floats
from footfall_import.feet import Foot
from footfall_import.sole import Sole
from footfall_import.stance import Stance


def point_rates(stance: Stance, foot: Foot) -> tuple[Floats, Floats]:
    """Return the contact points of a foot, shape (n, 3), [m], and their rates (n, 3, joints).

    The contact point of a sphere moves as its centre does. That of a rim moves vertically as its
    material point; along the ground this neglects how far a tilt moves it around the rim.
    """
    points, rates = zip(*(_of_sole(stance, foot, sole) for sole in foot.soles), strict=True)
    return np.concatenate(points), np.concatenate(rates)


def _of_sole(stance: Stance, foot: Foot, sole: Sole) -> tuple[Floats, Floats]:
    pose = stance.frame(sole.link)
    points = sole.touching(pose)
    moved = pose.apply(sole.points) if sole.axis is None else points
    return points, np.array([stance.jacobian(foot.link, point) for point in moved])


def height_rate(stance: Stance, foot: Foot) -> Floats:
    """Return the rate of a foot's lowest point's height, shape (joints,)."""
    points, rates = point_rates(stance, foot)
    rate: Floats = rates[int(points[:, 2].argmin()), 2]
    return rate


def tilt_rates(stance: Stance, foot: Foot) -> Iterator[Floats]:
    """Yield the rate of each sole's slope, shape (2, joints).

    The gradient of the plane through points is ``g = P z`` with ``P = A^+``, and ``dg = P (dz -
    dA g) + P P' dA' (z - A g) + (1 - P A) dA' P' g`` (Golub, Pereyra, The differentiation of
    pseudo-inverses, SIAM J. Numer. Anal. 1973, eq. 4.12).
    """
    for sole in foot.soles:
        if sole.normal is not None:
            normal = stance.frame(sole.link).rotation @ sole.normal
            yield np.cross(stance.turning(foot.link).T, normal).T[:2]
        elif len(sole.points) > 1:
            points, rates = _of_sole(stance, foot, sole)
            off, rates = points - points.mean(axis=0), rates - rates.mean(axis=0)
            A, dA, z = off[:, :2], rates[:, :2], off[:, 2]
            P = np.linalg.pinv(A, rcond=1e-2)
            g = P @ z
            yield (
                P @ (rates[:, 2] - np.einsum("kij,i->kj", dA, g))
                + P @ P.T @ np.einsum("kij,k->ij", dA, z - A @ g)
                + (np.eye(2) - P @ A) @ np.einsum("kij,k->ij", dA, P.T @ g)
            )


def gap_rates(stance: Stance, loops: Sequence[ModelJoining | ModelCoupling]) -> Iterator[Floats]:
    """Yield the rates of the loops' gaps, shape (n, joints) each."""
    names = stance.model.joint_names
    for loop in loops:
        if isinstance(loop, ModelCoupling):
            row = np.zeros((1, len(names)))
            row[0, names.index(loop.joint)] = 1.0
            row[0, names.index(loop.of)] -= loop.ratio
            yield row
            continue
        ends = zip(loop.frames, loop.poses, strict=True)
        one, other = (stance.frame(name) @ pose for name, pose in ends if pose is not None)
        links = [stance.model.frames[name].link for name in loop.frames]
        yield stance.jacobian(links[0], one.translation) - stance.jacobian(
            links[1], other.translation
        )
        if loop.kind == "weld":
            turn = other.rotation.T @ (stance.turning(links[1]) - stance.turning(links[0]))
            gap = Rotation.from_matrix(one.rotation.T @ other.rotation).as_rotvec()
            yield turn + 0.5 * np.cross(gap, turn.T).T  # to second order in the gap
