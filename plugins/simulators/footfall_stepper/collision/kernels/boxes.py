"""Two boxes: separating axes, then the manifold of the faces that meet."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import WorkCount
from footfall_stepper.collision.kernels.box_edges import box_edges, edge_contact
from footfall_stepper.collision.kernels.clip import clip
from footfall_stepper.collision.kernels.supports import ALIGNED, support

TIE = 1e-10
"""Advantage needed over axes tried before, [m]: faces of a come first."""
PARALLEL = 1e-10
"""Square of the sine of the angle below which edges count as parallel and give no axis."""


@routine
def relative(geo, wrk, i, j):
    """Write the axes of box j in the frame of box i, their absolute values and its centre."""
    a, b, m = geo.pose[i], geo.pose[j], wrk.matrix
    dx, dy, dz = b[9] - a[9], b[10] - a[10], b[11] - a[11]
    for k in range(3):
        for c in range(3):
            m[k, c] = (
                a[3 * k] * b[3 * c] + a[3 * k + 1] * b[3 * c + 1] + a[3 * k + 2] * b[3 * c + 2]
            )
            m[3 + k, c] = abs(m[k, c])
        m[6, k] = a[3 * k] * dx + a[3 * k + 1] * dy + a[3 * k + 2] * dz
    for c in range(3):
        m[7, c] = m[6, 0] * m[0, c] + m[6, 1] * m[1, c] + m[6, 2] * m[2, c]


@routine
def best_face_axis(wrk, ha, hb):
    """Return the largest separation along a face's normal and its axis (0-2 of a, 3-5 of b)."""
    m, best, axis = wrk.matrix, -math.inf, 0
    for k in range(3):
        s = abs(m[6, k]) - ha[k] - (hb[0] * m[3 + k, 0] + hb[1] * m[3 + k, 1] + hb[2] * m[3 + k, 2])
        if s > best + TIE * wrk.metre[0]:
            best, axis = s, k
    for k in range(3):
        s = abs(m[7, k]) - hb[k] - (ha[0] * m[3, k] + ha[1] * m[4, k] + ha[2] * m[5, k])
        if s > best + TIE * wrk.metre[0]:
            best, axis = s, 3 + k
    return best, axis


@routine
def best_edge_axis(wrk, ha, hb):
    """Return the largest separation along a common normal of edges, and its index (3 p + q)."""
    m, best, axis = wrk.matrix, -math.inf, -1
    for p in range(3):
        p1, p2 = (p + 1) % 3, (p + 2) % 3
        for q in range(3):
            q1, q2 = (q + 1) % 3, (q + 2) % 3
            square = 1.0 - m[p, q] * m[p, q]
            if square < PARALLEL:
                continue
            # The axis e_p x (axis q of b) has components -m[p2, q] and m[p1, q] along p1 and p2.
            s = abs(m[6, p2] * m[p1, q] - m[6, p1] * m[p2, q])
            s -= ha[p1] * m[3 + p2, q] + ha[p2] * m[3 + p1, q]
            s -= hb[q1] * m[3 + p, q2] + hb[q2] * m[3 + p, q1]
            s /= math.sqrt(square)
            if s > best + TIE * wrk.metre[0]:
                best, axis = s, 3 * p + q
    return best, axis


@routine
def face_of_edges(wrk, axis):
    """Return the face axis close to a common normal of edges, -1 if there is none."""
    m, p, q = wrk.matrix, axis // 3, axis % 3
    p1, p2 = (p + 1) % 3, (p + 2) % 3
    size = math.sqrt(1.0 - m[p, q] * m[p, q])
    x1, x2 = -m[p2, q] / size, m[p1, q] / size
    if abs(x1) > ALIGNED:
        return p1
    if abs(x2) > ALIGNED:
        return p2
    for k in range(3):
        if abs(x1 * m[p1, k] + x2 * m[p2, k]) > ALIGNED:
            return 3 + k
    return -1


@inner
def along(geo, wrk, i, j, axis):
    """Return the world direction of a face axis, from box i towards box j."""
    pose, k = (geo.pose[i], axis) if axis < 3 else (geo.pose[j], axis - 3)
    side = 1.0 if wrk.matrix[6 if axis < 3 else 7, k] >= 0.0 else -1.0
    return side * pose[3 * k], side * pose[3 * k + 1], side * pose[3 * k + 2]


@routine
def box_box(geo, wrk, i, j):
    """Collect the contacts of two boxes.

    The axis of least penetration among 3 + 3 face normals and 9 common normals of edges (Gottschalk
    et al., OBBTree, SIGGRAPH 1996). A common normal within 0.57 degrees of a face's counts as that
    face, so that boxes that lie flat on each other have a manifold. For separate boxes the axis
    gives the distance only if faces or edges meet; otherwise all vertices and edges are compared.
    """
    ha, hb, margin = geo.size[i], geo.size[j], wrk.margin[0]
    relative(geo, wrk, i, j)
    separation, axis = best_face_axis(wrk, ha, hb)
    if separation > margin:
        return
    edge_separation, edges = best_edge_axis(wrk, ha, hb)
    if edge_separation > margin:
        return
    if edges >= 0 and edge_separation > separation + TIE * wrk.metre[0]:
        separation = edge_separation
        axis = face_of_edges(wrk, edges)
        if axis < 0:
            if edge_contact(geo, wrk, i, j, edges, separation):
                return
            box_edges(geo, wrk, i, j)
            return
    nx, ny, nz = along(geo, wrk, i, j, axis)
    na, _, _, _ = support(geo, i, nx, ny, nz, wrk.a, wrk.id_a)
    nb, _, _, _ = support(geo, j, -nx, -ny, -nz, wrk.b, wrk.id_b)
    clip(wrk, na, nb, nx, ny, nz)
    closest = math.inf
    for k in range(wrk.counts[WorkCount.POINTS]):
        closest = min(closest, wrk.point[k, 3])
    if closest <= separation + 1e-4 * abs(separation) + 1e-9 * wrk.metre[0]:
        return
    wrk.counts[WorkCount.POINTS] = 0
    box_edges(geo, wrk, i, j)
