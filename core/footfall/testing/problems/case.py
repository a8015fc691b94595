"""A contact problem with its mechanical system."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats, Ints

PER_BLOCK = ("mu", "restitution", "gap", "frame", "position", "bounds")
"""Fields of a case with an entry for each block."""


@dataclass(frozen=True, slots=True)
class Case:
    """A system ``v+ = v_free + M^-1 J' r`` and its contacts.

    Attributes:
        name: for messages.
        M: shape (nv, nv), inertia.
        J: shape (rows, nv), contact Jacobian in the contact frames.
        v: shape (nv,), velocity at the start of the step.
        v_free: shape (nv,), velocity at its end without contact; ignored if impulsive.
        mu: shape (blocks,).
        restitution: shape (blocks,).
        gap: shape (blocks,), [m].
        frame: shape (blocks, 3, 3), rows tangent, tangent, normal, world.
        position: shape (blocks, 3), [m], world.
        kinds: one per block.
        bounds: shape (blocks, 2), for the impulses of boxes.
        impulsive: whether it is an impact.
        dt: [s].
        sizes: rows of each block; None: 3 for cones, 1 for others.
    """

    name: str
    M: Floats
    J: Floats
    v: Floats
    v_free: Floats
    mu: Floats
    restitution: Floats
    gap: Floats
    frame: Floats
    position: Floats
    kinds: tuple[BlockKind, ...]
    bounds: Floats
    impulsive: bool = False
    dt: float = 1e-3
    sizes: tuple[int, ...] | None = None

    @property
    def start(self) -> Floats:
        """The velocity before impulses, shape (nv,)."""
        return self.v if self.impulsive else self.v_free

    @property
    def delassus(self) -> Floats:
        """J M^-1 J', shape (rows, rows), exactly symmetric."""
        W = self.J @ np.linalg.solve(self.M, self.J.T)
        return np.asarray(0.5 * (W + W.T))

    def problem(self) -> ContactProblem:
        """Build a fresh contact problem, with a cold start."""
        problem = ContactProblem.from_dense(
            self.delassus,
            self.J @ self.start,
            self.mu,
            velocity=self.J @ self.v,
            restitution=self.restitution,
            gap=self.gap,
            dt=self.dt,
            impulsive=self.impulsive,
            kinds=self.kinds,
            sizes=self.sizes,
            bounds=self.bounds,
        )
        problem.frame[:] = self.frame
        problem.arrays.position[: len(self.mu)] = self.position
        return problem

    def after(self, impulse: Floats) -> Floats:
        """Return the velocity after an impulse, shape (nv,)."""
        return np.asarray(self.start + np.linalg.solve(self.M, self.J.T @ impulse))

    def kinetic(self, v: Floats) -> float:
        """Return the kinetic energy at a velocity, [J]."""
        return float(0.5 * v @ self.M @ v)

    def as_impact(self) -> Case:
        """Return the impact of the same points at the same velocity: all of them touch."""
        gap = np.minimum(self.gap, 0.0)
        return replace(self, name=f"impact of {self.name}", impulsive=True, gap=gap)

    def turned(self, R: Floats) -> Case:
        """Return the case with the whole world turned; the contact frames see no change."""
        return replace(self, frame=self.frame @ R.T, position=self.position @ R.T)

    def spun(self, angles: Floats) -> Case:
        """Return the case with its tangent axes turned about the normals, [rad]."""
        T = spin(angles)
        blocks = T.reshape(len(angles), 3, -1, 3)[
            np.arange(len(angles)), :, np.arange(len(angles)), :
        ]
        return replace(self, J=T @ self.J, frame=blocks @ self.frame)

    def permuted(self, order: Ints) -> Case:
        """Return the contacts in another order, or some of them repeatedly (cones only)."""
        rows = (3 * np.asarray(order)[:, None] + np.arange(3)).ravel()
        given = {name: getattr(self, name)[order] for name in PER_BLOCK}
        return replace(self, J=self.J[rows], kinds=self.kinds[:1] * len(order), **given)

    def without_friction(self) -> Case:
        """Return the case with mu = 0 everywhere."""
        return replace(self, name=f"{self.name}, mu = 0", mu=np.zeros_like(self.mu))


def spin(angles: Floats) -> Floats:
    """Return the matrix that turns tangents by one angle per contact, shape (3 n, 3 n)."""
    T = np.eye(3 * len(angles))
    for i, angle in enumerate(angles):
        c, s = np.cos(angle), np.sin(angle)
        T[3 * i : 3 * i + 2, 3 * i : 3 * i + 2] = [[c, s], [-s, c]]
    return T


def beside(a: Case, b: Case) -> Case:
    """Return one case of two systems that do not touch each other."""

    def block(x: Floats, y: Floats) -> Floats:
        out = np.zeros((x.shape[0] + y.shape[0], x.shape[1] + y.shape[1]))
        out[: x.shape[0], : x.shape[1]], out[x.shape[0] :, x.shape[1] :] = x, y
        return out

    joined: dict[str, Any] = {
        name: np.concatenate([getattr(a, name), getattr(b, name)])
        for name in ("v", "v_free", *PER_BLOCK)
    }
    M, J, kinds = block(a.M, b.M), block(a.J, b.J), a.kinds + b.kinds
    return replace(a, name=f"{a.name} beside {b.name}", M=M, J=J, kinds=kinds, **joined)
