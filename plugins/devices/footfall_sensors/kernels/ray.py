"""Distances along rays to spheres, boxes, capsules, cylinders, half-spaces, triangles, heights."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import NamedTuple

from footfall.api.kernels import inner, kernel, open_dynamics, opener, routine
from footfall.api.plugin import Floats1, Floats2, Ints1, Ints2


class ShapeKind(IntEnum):
    """Kinds of shapes that rays meet."""

    SPHERE = 0
    """By its radius."""
    BOX = 1
    """By its half lengths."""
    CAPSULE = 2
    """By its radius and half of its straight length."""
    CYLINDER = 3
    """By its radius and half of its length."""
    HALF_SPACE = 4
    """Below the plane z = 0 of its frame."""
    CONVEX = 5
    """By the triangles of its surface; a ray that starts inside meets none."""
    MESH = 6
    """By the triangles of its surface, from both sides."""
    HEIGHTS = 7
    """A height field."""


FIXED, WITH_GROUND = -1, -2
"""Link numbers of shapes that are fixed, and of shapes that move with the ground."""
SIDE = 8
"""Cells along a side of a block of a height field."""
PAD = 1e-7
"""Margin added to the highest and lowest heights of blocks and cells, [m]."""
LEAF = 4
"""Triangles in a leaf of a tree."""
DEEPEST = 64
"""Largest number of boxes on the stack of a tree search."""
NEVER = math.inf
"""Distance to a shape that a ray misses."""
SLACK = 1e-10
"""Relative enlargement of triangles, so that rays do not slip through edges."""
SAME = 1e-9
"""Distance up to which a front and a back count as one, as at an edge seen from outside, [m]."""


class RayArrays(NamedTuple):
    """Rays of a frame, and the shapes that they may meet.

    Attributes:
        place: shape (1,), global link of the frame.
        frame: shape (12,), frame of the rays in that link: rotation column-major, translation [m].
        ray: shape (n, 6), origin [m] and unit direction in that frame.
        range: shape (2,), largest distance of rays, and of a ray's origin from the frame's, [m].
        kind: shape (shapes,), ``ShapeKind`` of each shape.
        link: shape (shapes,), global link, ``FIXED`` or ``WITH_GROUND``.
        local: shape (shapes, 12), frame of each in its link, the world or the ground's frame.
        size: shape (shapes, 3), sphere: radius; box: half lengths; capsule and cylinder: radius
            and half of the (straight) length; height field: its highest height, [m].
        ball: shape (shapes, 4), bounding ball of each: centre in its frame, radius, [m].
        node_start: shape (shapes + 1,), first box of each shape's tree.
        node: shape (nodes, 6), lower and upper corner; the children of box i are 2 i + 1, 2 i + 2.
        triangle_start: shape (shapes + 1,), first triangle of each.
        triangle: shape (triangles, 9), a corner and the edges from it to the next and to the last,
            in the order of the leaves, [m].
        lines: shape (shapes, 2), number of a height field's grid lines across x and across y.
        line_start: shape (shapes + 1,), first line of each.
        line: shape (lines,), coordinates: x of the lines across x, then y of the others, ascending,
            [m].
        height_start: shape (shapes + 1,), first height of each.
        height: shape (heights,), heights at the crossings of lines, y fastest, [m].
        block_start: shape (shapes + 1,), first block of each; block: shape (blocks, 2), lowest and
            highest height in blocks of ``SIDE`` x ``SIDE`` cells, y fastest, [m].
        ground: shape (12,), the ground's frame in the world.
        eye: shape (24,), scratch: the rays' frame in the world, and in a shape's frame.
        at: shape (12,), scratch: a shape's frame in the world.
        wait: shape (DEEPEST,), scratch; entry: likewise.
        out: shape (n,), distances, [m].
    """

    place: Ints1
    frame: Floats1
    ray: Floats2
    range: Floats1
    kind: Ints1
    link: Ints1
    local: Floats2
    size: Floats2
    ball: Floats2
    node_start: Ints1
    node: Floats2
    triangle_start: Ints1
    triangle: Floats2
    lines: Ints2
    line_start: Ints1
    line: Floats1
    height_start: Ints1
    height: Floats1
    block_start: Ints1
    block: Floats2
    ground: Floats1
    eye: Floats1
    at: Floats1
    wait: Ints1
    entry: Floats1
    out: Floats1


ray_arrays = opener(RayArrays, 0)


@inner
def compose(pose, local, out, at):
    """Write the product of two frames; all are (12,), see ``RayArrays.frame``."""
    for c in range(4):
        x, y, z = local[3 * c], local[3 * c + 1], local[3 * c + 2]
        for k in range(3):
            value = pose[k] * x + pose[3 + k] * y + pose[6 + k] * z
            out[at + 3 * c + k] = value + pose[9 + k] if c == 3 else value


@inner
def see_from(shape, eye):
    """Write the rays' frame, ``eye[:12]`` in the world, in a shape's frame to ``eye[12:]``."""
    for c in range(4):
        x, y, z = eye[3 * c], eye[3 * c + 1], eye[3 * c + 2]
        if c == 3:
            x, y, z = x - shape[9], y - shape[10], z - shape[11]
        for k in range(3):
            value = shape[3 * k] * x + shape[3 * k + 1] * y + shape[3 * k + 2] * z
            eye[12 + 3 * c + k] = value


@inner
def interval(o, d, half):
    """Return the parameter interval in which a line is between -half and half."""
    if d == 0.0:
        return (-NEVER, NEVER) if abs(o) <= half else (NEVER, -NEVER)
    a, b = (-half - o) / d, (half - o) / d
    return (a, b) if a < b else (b, a)


@inner
def round_interval(ox, oy, oz, dx, dy, dz, radius):
    """Return the parameter interval of a line within a distance of the origin; d nonzero.

    The discriminant is evaluated at the point of the line nearest to the origin, without
    cancellation (Haines, Guenther and Akenine-Moeller, Ray Tracing Gems 2019, chapter 7).
    """
    square = dx * dx + dy * dy + dz * dz
    if square == 0.0:
        inside = ox * ox + oy * oy + oz * oz <= radius * radius
        return (-NEVER, NEVER) if inside else (NEVER, -NEVER)
    t = -(ox * dx + oy * dy + oz * dz) / square
    x, y, z = ox + t * dx, oy + t * dy, oz + t * dz
    left = radius * radius - (x * x + y * y + z * z)
    if left < 0.0:
        return NEVER, -NEVER
    half = math.sqrt(left / square)
    return t - half, t + half


@inner
def entered(a, b):
    """Return the first non-negative parameter of an interval; 0 if the ray starts in it."""
    return NEVER if a > b or b < 0.0 else max(a, 0.0)


@inner
def meet_box(ox, oy, oz, dx, dy, dz, size):
    """Return the distance to a box."""
    a0, b0 = interval(ox, dx, size[0])
    a1, b1 = interval(oy, dy, size[1])
    a2, b2 = interval(oz, dz, size[2])
    return entered(max(max(a0, a1), a2), min(min(b0, b1), b2))


@inner
def meet_cylinder(ox, oy, oz, dx, dy, dz, size):
    """Return the distance to a cylinder along z."""
    a0, b0 = round_interval(ox, oy, 0.0, dx, dy, 0.0, size[0])
    a1, b1 = interval(oz, dz, size[1])
    return entered(max(a0, a1), min(b0, b1))


@inner
def meet_capsule(ox, oy, oz, dx, dy, dz, size):
    """Return the distance to a capsule along z: to its cylinder and the balls at its ends."""
    found = meet_cylinder(ox, oy, oz, dx, dy, dz, size)
    for side in (-1.0, 1.0):
        a, b = round_interval(ox, oy, oz - side * size[1], dx, dy, dz, size[0])
        found = min(found, entered(a, b))
    return found


@inner
def meet_half_space(oz, dz):
    """Return the distance to the half-space z <= 0."""
    if oz <= 0.0:
        return 0.0
    return -oz / dz if dz < 0.0 else NEVER


@inner
def near_slab(low, high, o, turned):
    """Return the parameter interval of a ray between two planes; ``turned`` is 1 / d."""
    a, b = (low - o) * turned, (high - o) * turned
    return (a, b) if a < b else (b, a)


@inner
def meet_node(node, ox, oy, oz, tx, ty, tz, most):
    """Return the distance to a box of a tree; ``NEVER`` if it is beyond ``most``."""
    a0, b0 = near_slab(node[0], node[3], ox, tx)
    a1, b1 = near_slab(node[1], node[4], oy, ty)
    a2, b2 = near_slab(node[2], node[5], oz, tz)
    first = max(max(max(a0, a1), a2), 0.0)
    return first if first <= min(min(min(b0, b1), b2), most) else NEVER


@inner
def is_in(node, x, y, z):
    """Return whether a point is in a box of a tree."""
    across = node[0] <= x <= node[3] and node[1] <= y <= node[4]
    return across and node[2] <= z <= node[5]


@inner
def one_over(d):
    """Return 1 / d; a huge number for zero."""
    return 1.0 / d if abs(d) > 1e-300 else math.copysign(1e300, d)


@inner
def meet_triangle(T, ox, oy, oz, dx, dy, dz):
    """Return the distance to a triangle, and whether the ray meets its front.

    After Moeller and Trumbore, Fast, minimum storage ray-triangle intersection, J. Graphics Tools
    2, 1997.
    """
    e0, e1, e2, f0, f1, f2 = T[3], T[4], T[5], T[6], T[7], T[8]
    p0, p1, p2 = dy * f2 - dz * f1, dz * f0 - dx * f2, dx * f1 - dy * f0
    det = e0 * p0 + e1 * p1 + e2 * p2
    if det == 0.0:
        return NEVER, False
    x, y, z = ox - T[0], oy - T[1], oz - T[2]
    u = (x * p0 + y * p1 + z * p2) / det
    if u < -SLACK or u > 1.0 + SLACK:
        return NEVER, False
    q0, q1, q2 = y * e2 - z * e1, z * e0 - x * e2, x * e1 - y * e0
    v = (dx * q0 + dy * q1 + dz * q2) / det
    if v < -SLACK or u + v > 1.0 + SLACK:
        return NEVER, False
    t = (f0 * q0 + f1 * q1 + f2 * q2) / det
    return (t, det > 0.0) if t >= 0.0 else (NEVER, False)


@routine
def meet_triangles(own, shape, ox, oy, oz, dx, dy, dz, most):
    """Return the distance to a surface of triangles.

    It is 0 if the ray meets the first triangle from behind, unless the ray starts outside the
    bounding box of all: then the surface is open. The nearer of two boxes of the tree is searched
    first.
    """
    first, last = own.node_start[shape], own.node_start[shape + 1]
    inner_nodes, triangles = (last - first) // 2, own.triangle_start[shape]
    tx, ty, tz = one_over(dx), one_over(dy), one_over(dz)
    within = is_in(own.node[first], ox, oy, oz)
    front, back, waiting = NEVER if within else most, NEVER, 0
    if meet_node(own.node[first], ox, oy, oz, tx, ty, tz, front) < NEVER:
        own.wait[0], own.entry[0], waiting = 0, 0.0, 1
    while waiting:
        waiting -= 1
        i = own.wait[waiting]
        if own.entry[waiting] > min(front, back):
            continue
        if i >= inner_nodes:
            at = triangles + LEAF * (i - inner_nodes)
            for k in range(at, at + LEAF):
                t, facing = meet_triangle(own.triangle[k], ox, oy, oz, dx, dy, dz)
                if facing:
                    front = min(front, t)
                else:
                    back = min(back, t)
            continue
        one, two = 2 * i + 1, 2 * i + 2
        limit = min(front, back)
        a = meet_node(own.node[first + one], ox, oy, oz, tx, ty, tz, limit)
        b = meet_node(own.node[first + two], ox, oy, oz, tx, ty, tz, limit)
        if a < b:
            one, two, a, b = two, one, b, a
        if a < NEVER:
            own.wait[waiting], own.entry[waiting] = one, a
            waiting += 1
        if b < NEVER:
            own.wait[waiting], own.entry[waiting] = two, b
            waiting += 1
    return 0.0 if within and back < front - SAME else min(front, back)


@inner
def between_lines(line, first, low, high, x):
    """Return the number of the lower of the two lines around x, searched from low to high."""
    spread = (line[first + high] - line[first + low]) / (high - low)
    i = min(max(low + int((x - line[first + low]) / spread), low), high - 1)
    while i > low and line[first + i] > x:
        i -= 1
    while i < high - 1 and line[first + i + 1] <= x:
        i += 1
    return i


@inner
def until_line(line, i, o, d, turned):
    """Return the parameter at which a ray leaves the strip after line i; ``turned`` is 1 / d."""
    if d == 0.0:
        return NEVER
    return (line[i + 1 if d > 0.0 else i] - o) * turned


@inner
def meet_cell(own, at, row, i, j, ox, oy, oz, dx, dy, dz):
    """Return the distances to a cell's two triangles: the nearest front, the nearest back.

    Each is a plane over the cell, z = a + p (x - x_i) + q (y - y_j), on one side of its diagonal.
    """
    x, y, height = own.line[i], own.line[j], own.height
    wide, deep = own.line[i + 1] - x, own.line[j + 1] - y
    a, b, c, d = height[at], height[at + row], height[at + row + 1], height[at + 1]
    front, back = NEVER, NEVER
    for side in range(2):
        p = (b - a if side == 0 else c - d) / wide
        q = (c - b if side == 0 else d - a) / deep
        fall = p * dx + q * dy - dz
        if fall == 0.0:
            continue
        t = (oz - a - p * (ox - x) - q * (oy - y)) / fall
        if t < 0.0:
            continue
        u, v = (ox + t * dx - x) / wide, (oy + t * dy - y) / deep
        past = v - u if side == 0 else u - v
        if past > SLACK or min(u, v) < -SLACK or max(u, v) > 1.0 + SLACK:
            continue
        if fall > 0.0:
            front = min(front, t)
        else:
            back = min(back, t)
    return front, back


@inner
def in_heights(low, high, oz, dz, start, end):
    """Return whether a part of a ray comes between two heights."""
    one, two = oz + start * dz, oz + end * dz
    return min(one, two) <= high + PAD and max(one, two) >= low - PAD


@routine
def meet_block(own, shape, bi, bj, ox, oy, oz, dx, dy, dz, start, end):
    """Return the distances to the surface in a block of cells: the nearest front and back.

    The cells are visited in the order of the ray, from start to end.
    """
    n, m = own.lines[shape, 0], own.lines[shape, 1]
    first, second = own.line_start[shape], own.line_start[shape] + n
    i0, i1 = SIDE * bi, min(SIDE * bi + SIDE, n - 1)
    j0, j1 = SIDE * bj, min(SIDE * bj + SIDE, m - 1)
    tx, ty = one_over(dx), one_over(dy)
    i = between_lines(own.line, first, i0, i1, ox + start * dx)
    j = between_lines(own.line, second, j0, j1, oy + start * dy)
    front, back = NEVER, NEVER
    while True:
        leave_x = until_line(own.line, first + i, ox, dx, tx)
        leave_y = until_line(own.line, second + j, oy, dy, ty)
        leave = min(min(leave_x, leave_y), end)
        at = own.height_start[shape] + i * m + j
        a, b = own.height[at], own.height[at + 1]
        c, d = own.height[at + m], own.height[at + m + 1]
        low, high = min(min(a, b), min(c, d)), max(max(a, b), max(c, d))
        if in_heights(low, high, oz, dz, start, leave):
            f, g = meet_cell(own, at, m, first + i, second + j, ox, oy, oz, dx, dy, dz)
            front, back = min(front, f), min(back, g)
        if leave >= end or leave > min(front, back) + SAME:
            return front, back
        start = max(start, leave)
        if leave_x <= leave_y:
            i += 1 if dx > 0.0 else -1
        else:
            j += 1 if dy > 0.0 else -1
        if i < i0 or i >= i1 or j < j0 or j >= j1:
            return front, back


@inner
def until_block(line, first, at, most, o, d, turned):
    """Return the parameter at which a ray leaves a row of blocks; ``most`` is the last line."""
    if d == 0.0:
        return NEVER
    return (line[first + min(SIDE * (at + (1 if d > 0.0 else 0)), most)] - o) * turned


@routine
def meet_heights(own, shape, ox, oy, oz, dx, dy, dz, most):
    """Return the distance to a height field that is solid below; 0 if the ray starts in it.

    The grid is traversed from line to line (Amanatides and Woo, A fast voxel traversal algorithm
    for ray tracing, Eurographics 1987): first blocks, then the cells of blocks whose height range
    the ray enters.
    """
    line, n, m = own.line, own.lines[shape, 0], own.lines[shape, 1]
    first, second = own.line_start[shape], own.line_start[shape] + n
    tx, ty = one_over(dx), one_over(dy)
    a, b = near_slab(line[first], line[first + n - 1], ox, tx)
    c, d = near_slab(line[second], line[second + m - 1], oy, ty)
    top, start, end = own.size[shape, 0], max(max(a, c), 0.0), min(b, d)
    within = start == 0.0 and oz <= top
    if oz > top + PAD:
        start = max(start, (top + PAD - oz) / dz) if dz < 0.0 else NEVER
    if not start <= end:
        return NEVER
    front, back = NEVER if within else most, NEVER
    bi = between_lines(line, first, 0, n - 1, ox + start * dx) // SIDE
    bj = between_lines(line, second, 0, m - 1, oy + start * dy) // SIDE
    across, along = (n + SIDE - 2) // SIDE, (m + SIDE - 2) // SIDE
    while start <= end and start <= min(front, back) + SAME:
        leave_x = until_block(line, first, bi, n - 1, ox, dx, tx)
        leave_y = until_block(line, second, bj, m - 1, oy, dy, ty)
        leave = min(min(leave_x, leave_y), end)
        heights = own.block[own.block_start[shape] + bi * along + bj]
        if in_heights(heights[0], heights[1], oz, dz, start, leave):
            f, g = meet_block(own, shape, bi, bj, ox, oy, oz, dx, dy, dz, start, leave)
            front, back = min(front, f), min(back, g)
        if leave >= end:
            break
        start = max(start, leave)
        if leave_x <= leave_y:
            bi += 1 if dx > 0.0 else -1
        else:
            bj += 1 if dy > 0.0 else -1
        if bi < 0 or bi >= across or bj < 0 or bj >= along:
            break
    return 0.0 if within and back < front - SAME else min(front, back)


@inner
def may_meet(ray, x, y, z, r, most):
    """Return whether a ray can meet a ball before a distance, all in the rays' frame."""
    x, y, z = x - ray[0], y - ray[1], z - ray[2]
    along = x * ray[3] + y * ray[4] + z * ray[5]
    beside = x * x + y * y + z * z - along * along
    return -r <= along <= most + r and beside <= r * r


@inner
def within_reach(own, shape):
    """Return whether any ray can meet a shape."""
    ball, eye = own.ball[shape], own.eye
    x, y, z = ball[0] - eye[21], ball[1] - eye[22], ball[2] - eye[23]
    reach = ball[3] + own.range[0] + own.range[1]
    return x * x + y * y + z * z <= reach * reach


@inner
def seen_from(eye, x, y, z):
    """Return a point of a shape's frame in the rays' frame; ``eye[12:]`` relates both frames."""
    x, y, z = x - eye[21], y - eye[22], z - eye[23]
    return (
        eye[12] * x + eye[13] * y + eye[14] * z,
        eye[15] * x + eye[16] * y + eye[17] * z,
        eye[18] * x + eye[19] * y + eye[20] * z,
    )


@routine
def meet(own, shape):
    """Shorten the distances of all rays to a shape; the rays' frame is in ``eye[12:]``."""
    kind, size, ball, eye = own.kind[shape], own.size[shape], own.ball[shape], own.eye
    cx, cy, cz = seen_from(eye, ball[0], ball[1], ball[2])
    for i in range(len(own.out)):
        ray = own.ray[i]
        if not may_meet(ray, cx, cy, cz, ball[3], own.out[i]):
            continue
        x, y, z, u, v, w = ray[0], ray[1], ray[2], ray[3], ray[4], ray[5]
        ox = eye[12] * x + eye[15] * y + eye[18] * z + eye[21]
        oy = eye[13] * x + eye[16] * y + eye[19] * z + eye[22]
        oz = eye[14] * x + eye[17] * y + eye[20] * z + eye[23]
        dx = eye[12] * u + eye[15] * v + eye[18] * w
        dy = eye[13] * u + eye[16] * v + eye[19] * w
        dz = eye[14] * u + eye[17] * v + eye[20] * w
        if kind == ShapeKind.HALF_SPACE:
            found = meet_half_space(oz, dz)
        elif kind == ShapeKind.BOX:
            found = meet_box(ox, oy, oz, dx, dy, dz, size)
        elif kind == ShapeKind.SPHERE:
            a, b = round_interval(ox, oy, oz, dx, dy, dz, size[0])
            found = entered(a, b)
        elif kind == ShapeKind.CAPSULE:
            found = meet_capsule(ox, oy, oz, dx, dy, dz, size)
        elif kind == ShapeKind.CYLINDER:
            found = meet_cylinder(ox, oy, oz, dx, dy, dz, size)
        elif kind == ShapeKind.HEIGHTS:
            found = meet_heights(own, shape, ox, oy, oz, dx, dy, dz, own.out[i])
        else:
            found = meet_triangles(own, shape, ox, oy, oz, dx, dy, dz, own.out[i])
        own.out[i] = min(own.out[i], found)


@kernel
def cast(world_table, table, row):
    """Write the distance along each ray to the first shape, at most the range."""
    own, poses = ray_arrays(table), open_dynamics(world_table).pose
    compose(poses[own.place[0]], own.frame, own.eye, 0)
    for i in range(len(own.out)):
        own.out[i] = own.range[0]
    for shape in range(len(own.kind)):
        link, local = own.link[shape], own.local[shape]
        if link == FIXED:
            for k in range(12):
                own.at[k] = local[k]
        else:
            compose(own.ground if link == WITH_GROUND else poses[link], local, own.at, 0)
        see_from(own.at, own.eye)
        if within_reach(own, shape):
            meet(own, shape)
