"""The compliant ground as a function: positions and velocities of points in, forces out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats
from footfall_compliant import kernels


class GroundContact(NamedTuple):
    """Forces of the ground on points, and rates of its deformation.

    Attributes:
        f: shape of p, force on each point, [N].
        ud: shape of u, rate of the ground's tangential deformation, [m/s].
        fcone: shape (np,), tangential force needed for sticking, divided by ``mu`` times the normal
            force: up to 1 the point sticks, above it slips; at most 2, and 2 without contact.
    """

    f: Floats
    ud: Floats
    fcone: Floats


def ground_contact(
    K: float,
    D: float,
    mu: float,
    p: npt.ArrayLike,
    pd: npt.ArrayLike,
    u: npt.ArrayLike | None = None,
) -> GroundContact:
    """Return forces, rates of deformation and friction demands of points on level ground.

    With the depth ``d = max(0, -z)`` a point is in contact if
    ``f_n = sqrt(d) (-K z - D zd) > 0``. It sticks, with ``f_t = -K sqrt(d) u - D sqrt(d) v_t``
    and ``ud = v_t``, while ``|f_t| <= mu f_n``; beyond, ``f_t`` is scaled to that length and
    ``ud = -(f_t + K sqrt(d) u) / (D sqrt(d))``. Without contact ``f = 0`` and ``ud = -(K/D) u``.

    The last row is along the ground's normal, zero at its surface. Three rows: space, an exact
    circular cone. Two rows: a plane. One row: the normal forces only, with ``mu = 0``.

    Args:
        K: stiffness, [N/m^1.5], positive; see ``stiffness``.
        D: damping, [N s/m^1.5], positive.
        mu: coefficient of friction, [-]; positive, or 0 for one row.
        p: shape (3, np), (2, np) or (1, np), positions, [m].
        pd: shape of p, velocities, [m/s].
        u: shape (2, np), (1, np) or (0, np), tangential deformation of the ground, [m]; optional
            for one row.

    Raises:
        ValueError: if a coefficient is not positive, a shape does not fit or a number is not
            finite.

    Source: Azad and Featherstone, Modeling the Contact Between a Rolling Sphere and a Compliant
    Ground Plane, ACRA 2010, in the form that Featherstone's Spatial_v2 (2012) computes.
    """
    p, pd = _points(p, "p"), _points(pd, "pd")
    rows, n = p.shape
    if u is None and rows == 1:
        u = np.zeros((0, n))
    if u is None:
        raise ValueError(f"u is missing: shape ({rows - 1}, {n}), one column per point")
    u = _floats(u, "u")
    _check_shapes(p, pd, u)
    _check_coefficients(K, D, mu, rows)
    f, ud, fcone = np.zeros_like(p), np.zeros_like(u), np.zeros(n)
    K, D, mu = float(K), float(D), float(mu)
    if rows == 3:
        kernels.spatial_points(K, D, mu, p, pd, u, f, ud, fcone)
    elif rows == 2:
        kernels.planar_points(K, D, mu, p, pd, u, f, ud, fcone)
    else:
        kernels.normal_points(K, D, p, pd, f, fcone)
    return GroundContact(f, ud, fcone)


def stiffness(force: float, compression: float) -> float:
    """Return the stiffness K of a point with a given compression under a given force.

    ``K = F / d^1.5``, from the law ``F = K d^1.5`` at rest. n equal points share the load: each
    carries F / n.

    Args:
        force: F, [N], positive.
        compression: d, [m], positive.

    Raises:
        ValueError: if one is not positive and finite.
    """
    _check_positive(force=force, compression=compression)
    return float(force) / float(compression) ** 1.5


def recovery_time(K: float, D: float) -> float:
    """Return the time constant ``D/K`` [s] with which free ground recovers, ``exp(-t K/D)``.

    Raises:
        ValueError: if K or D is not positive and finite.
    """
    _check_positive(K=K, D=D)
    return float(D) / float(K)


def _floats(values: npt.ArrayLike, name: str) -> Floats:
    try:
        array = np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no array of numbers") from error
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity")
    return array


def _points(values: npt.ArrayLike, name: str) -> Floats:
    array = _floats(values, name)
    if array.ndim != 2 or array.shape[0] not in (1, 2, 3):
        raise ValueError(f"{name} has shape {array.shape}, expected (3, np), (2, np) or (1, np)")
    return array


def _check_shapes(p: Floats, pd: Floats, u: Floats) -> None:
    if pd.shape != p.shape:
        raise ValueError(f"pd has shape {pd.shape}, p has {p.shape}: they must be the same")
    expected = (p.shape[0] - 1, p.shape[1])
    if u.shape != expected:
        raise ValueError(f"u has shape {u.shape}, expected {expected}")


def _check_coefficients(K: float, D: float, mu: float, rows: int) -> None:
    _check_positive(K=K, D=D)
    if rows > 1:
        _check_positive(mu=mu)
    elif mu != 0.0:
        raise ValueError(f"mu is {mu!r}: points of one row have no tangent, mu must be 0")


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not (number and np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} is {value!r}, must be a positive number")
