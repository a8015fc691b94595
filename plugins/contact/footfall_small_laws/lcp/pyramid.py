"""Contacts with friction pyramids, written as a linear complementarity problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.plugin import Floats


@dataclass(frozen=True, slots=True)
class PyramidLCP:
    """Problem ``w = M z + q``, ``0 <= w perp z >= 0``, ``z = (r_n, beta, lambda)`` per contact.

    With friction directions d_j across the edges of a regular polygon, ``r_t = sum_j beta_j d_j``
    and b the velocity without impulses, per contact::

        w = u_n                      perp  r_n        touching points do not sink in
        w_j = d_j . u_t + lambda     perp  beta_j     friction against the slip
        w = mu' r_n - sum_j beta_j   perp  lambda     within the pyramid; lambda is the slip speed

    The polygon circumscribes the circle, faces across the tangent axes: ``mu' = mu / cos(pi / n)``.
    Stewart and Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
    collisions and Coulomb friction", Int. J. Numerical Methods in Engineering 39, 1996; Anitescu
    and Potra, "Formulating dynamic multi-rigid-body contact problems with friction as solvable
    linear complementarity problems", Nonlinear Dynamics 14, 1997: Lemke's method solves it.

    Attributes:
        M: shape (n, n); contacts are scaled so that the largest diagonal entry of each W_ii is 1.
        q: shape (n,).
        scale: shape (contacts,), factor from scaled impulses to impulses.
        directions: shape (sides, 2).
    """

    M: Floats
    q: Floats
    scale: Floats
    directions: Floats

    @classmethod
    def write(cls, W: Floats, b: Floats, mu: Floats, sides: int) -> PyramidLCP:
        """Write the problem of some contacts: W (3 m, 3 m), b (3 m,) [m/s], mu (m,)."""
        m, size = len(mu), sides + 2
        angles = 2.0 * np.pi * (np.arange(sides) + 0.5) / sides
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        top = W.diagonal().reshape(m, 3).max(axis=1)
        scale = np.divide(1.0, np.sqrt(top), out=np.zeros(m), where=top > 0.0)
        spread = _spread(directions, scale)
        M = spread @ W @ spread.T
        for i in range(m):
            first, last = i * size, (i + 1) * size - 1
            M[first + 1 : last, last] = 1.0
            M[last, first + 1 : last] = -1.0
            M[last, first] = mu[i] / np.cos(np.pi / sides)
        return cls(M, spread @ b, scale, directions)

    def impulses(self, z: Floats) -> Floats:
        """Return the impulses of a solution, shape (3 m,), [N s], projected into the pyramids."""
        parts = z.reshape(len(self.scale), -1)
        normal, beta = parts[:, 0], parts[:, 1:-1]
        bound = self.M.reshape(*parts.shape, *parts.shape)
        mu = np.array([bound[i, -1, i, 0] for i in range(len(parts))])
        total = beta.sum(axis=1)
        fits = np.divide(mu * normal, total, out=np.ones(len(parts)), where=total > mu * normal)
        tangent = (beta * fits[:, None]) @ self.directions
        impulse = np.empty((len(parts), 3))
        impulse[:, :2], impulse[:, 2] = tangent, normal
        impulse *= self.scale[:, None]
        return impulse.ravel()

    def residual(self, z: Floats) -> float:
        """Return ``max |min(z, w)|`` as a contact velocity, [m/s]."""
        away = np.abs(np.minimum(z, self.M @ z + self.q)).reshape(len(self.scale), -1)
        per_contact = away.max(axis=1)[self.scale > 0.0] / self.scale[self.scale > 0.0]
        return float(per_contact.max(initial=0.0))


def _spread(directions: Floats, scale: Floats) -> Floats:
    """Return the matrix from contact velocities to ``(u_n, D' u_t, 0)``, scaled."""
    sides = len(directions)
    one = np.zeros((sides + 2, 3))
    one[0, 2] = 1.0
    one[1:-1, :2] = directions
    return np.asarray(np.kron(np.diag(scale), one), np.float64)
