"""The narrow phase: each pair by its closed form, or listed for Coal."""

from __future__ import annotations

from footfall.jit.compiling import inner, kernel, routine
from footfall_stepper.collision.kernels.arrays import ShapeKind, WorkCount
from footfall_stepper.collision.kernels.boxes import box_box
from footfall_stepper.collision.kernels.clip import clip
from footfall_stepper.collision.kernels.half_space import half_space_and
from footfall_stepper.collision.kernels.place import broad, found, geometries, place, work
from footfall_stepper.collision.kernels.points import CLOSEST, add_point, write_points
from footfall_stepper.collision.kernels.segments import capsule_capsule
from footfall_stepper.collision.kernels.spheres import sphere_and, turn_normals
from footfall_stepper.collision.kernels.supports import face_normal, support
from footfall_stepper.collision.kernels.sweep import sort_pairs, sweep

UNLIKE = 0.02
"""Depth by which a manifold may exceed Coal's answer, relative to the smaller shape. A larger
depth means that Coal's normal is invalid, as when a capsule's axis just touches the other shape."""


@routine
def closed_form(geo, wrk, i, j):
    """Collect the points of a pair, and return whether it has a closed form."""
    a, b = geo.kind[i], geo.kind[j]
    if a == ShapeKind.HALF_SPACE:
        half_space_and(geo, wrk, geo.pose[i], j)
    elif a == ShapeKind.BOX and b == ShapeKind.BOX:
        box_box(geo, wrk, i, j)
    elif a == ShapeKind.SPHERE and b <= ShapeKind.CYLINDER:
        sphere_and(geo, wrk, i, j)
    elif b == ShapeKind.SPHERE and a <= ShapeKind.CYLINDER:
        sphere_and(geo, wrk, j, i)
        turn_normals(wrk)
    elif a == ShapeKind.CAPSULE and b == ShapeKind.CAPSULE:
        capsule_capsule(geo, wrk, i, j)
    else:
        return False
    return True


@kernel
def place_shapes(table, poses):
    """Write poses and bounding boxes of the shapes."""
    place(table, poses)


@kernel
def find_pair(table, i, j):
    """Write the contacts of a pair of placed shapes; return 1 if it has a closed form, else 0."""
    geo, wrk, fnd = geometries(table), work(table), found(table)
    for k in range(7):
        wrk.counts[k] = 0
    if not closed_form(geo, wrk, i, j):
        return 0
    write_points(geo, wrk, fnd, i, j)
    return 1


@kernel
def detect(table, poses):
    """Find all pairs within the margin and the contacts of those with a closed form.

    Writes the counts of contacts and pairs, and the pairs without a closed form to ``slow``. The
    counts may exceed the room: then the caller makes more and calls again.

    Returns:
        The number of contacts; -1 if there are pairs without a closed form, not enough room, or
        poses that are not finite.
    """
    geo, brd, wrk, fnd = geometries(table), broad(table), work(table), found(table)
    for k in range(7):
        wrk.counts[k] = 0
    place(table, poses)
    if wrk.counts[WorkCount.NOT_FINITE] >= 0:
        return -1
    sweep(table)
    if wrk.counts[WorkCount.PAIRS] > len(brd.pair):
        return -1
    sort_pairs(table)
    for p in range(wrk.counts[WorkCount.PAIRS]):
        i, j = brd.pair[p, 0], brd.pair[p, 1]
        if not closed_form(geo, wrk, i, j):
            slow = wrk.counts[WorkCount.SLOW_PAIRS]
            wrk.slow[slow, 0], wrk.slow[slow, 1] = i, j
            wrk.counts[WorkCount.SLOW_PAIRS] += 1
        if wrk.counts[WorkCount.POINTS]:
            write_points(geo, wrk, fnd, i, j)
    if wrk.counts[WorkCount.SLOW_PAIRS] > 0 or wrk.counts[WorkCount.CONTACTS] > len(fnd.key):
        return -1
    return wrk.counts[WorkCount.CONTACTS]


@kernel
def below_field(table, i, j, plane):
    """Write the contacts of shape j below a plane, (12,), as those with the height field i."""
    geo, wrk, fnd = geometries(table), work(table), found(table)
    half_space_and(geo, wrk, plane, j)
    write_points(geo, wrk, fnd, i, j)


@inner
def extent(geo, i):
    """Return the longest side of a shape's bounding box, [m]."""
    longest = 0.0
    for k in range(3):
        longest = max(longest, geo.bounds[i, 3 + k] - geo.bounds[i, k])
    return longest


@kernel
def convex_pair(table, i, j, answer):
    """Write the contacts of two convex shapes from Coal's answer.

    If the normal is that of a face of one shape, that face is clipped against the other shape's
    support polygon; two parallel segments likewise. Otherwise, or if the clip misses the closest
    points, Coal's point is the contact.

    Args:
        table: of the detector.
        i: first shape.
        j: second shape.
        answer: shape (7,), normal from i to j, middle of the closest points, gap.
    """
    geo, wrk, fnd = geometries(table), work(table), found(table)
    nx, ny, nz = answer[0], answer[1], answer[2]
    na, flat_a, axis_a, side_a = support(geo, i, nx, ny, nz, wrk.a, wrk.id_a)
    nb, flat_b, axis_b, side_b = support(geo, j, -nx, -ny, -nz, wrk.b, wrk.id_b)
    if na > 2 and flat_a and nb > 1:
        x, y, z = face_normal(geo, i, axis_a, side_a)
        nb, _, _, _ = support(geo, j, -x, -y, -z, wrk.b, wrk.id_b)
        clip(wrk, na, nb, x, y, z)
    elif nb > 2 and flat_b and na > 1:
        x, y, z = face_normal(geo, j, axis_b, side_b)
        na, _, _, _ = support(geo, i, -x, -y, -z, wrk.a, wrk.id_a)
        clip(wrk, na, nb, -x, -y, -z)
    elif na == 2 and nb == 2 and flat_a and flat_b:
        clip(wrk, na, nb, nx, ny, nz)
    closest = wrk.margin[0]
    for k in range(wrk.counts[WorkCount.POINTS]):
        closest = min(closest, wrk.point[k, 3])
    if closest < answer[6] - UNLIKE * min(extent(geo, i), extent(geo, j)):
        wrk.counts[WorkCount.POINTS] = 0
    # The best face need not contain the farthest vertex.
    deeper = closest - 1e-3 * abs(closest) - 5e-7 * wrk.metre[0]
    if wrk.counts[WorkCount.POINTS] == 0 or answer[6] < deeper:
        add_point(wrk, answer[3], answer[4], answer[5], answer[6], nx, ny, nz, CLOSEST)
    write_points(geo, wrk, fnd, i, j)
