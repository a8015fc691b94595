"""The broad phase: overlapping bounding boxes (sweep and prune along one axis)."""

from __future__ import annotations

from footfall.jit.compiling import inner, routine
from footfall_stepper.collision.kernels.arrays import WorkCount
from footfall_stepper.collision.kernels.place import broad, geometries, work


@inner
def widest_axis(geo, order):
    """Return the axis along which the boxes' centres vary most."""
    best, axis, n = -1.0, 0, len(order)
    for k in range(3):
        mean, square = 0.0, 0.0
        for p in range(n):
            i = order[p]
            mean += 0.5 * (geo.bounds[i, k] + geo.bounds[i, 3 + k]) / n
        for p in range(n):
            i = order[p]
            d = 0.5 * (geo.bounds[i, k] + geo.bounds[i, 3 + k]) - mean
            square += d * d
        if square > 1.01 * best:
            best, axis = square, k
    return axis


@inner
def sort_along(geo, order, axis):
    """Sort shapes by their lower bound, by insertion: the order of the last call nearly holds."""
    for p in range(1, len(order)):
        i = order[p]
        low, at = geo.bounds[i, axis], p
        while at > 0 and geo.bounds[order[at - 1], axis] > low:
            order[at] = order[at - 1]
            at -= 1
        order[at] = i


@inner
def is_excluded(excluded, code):
    """Return whether a pair's code is in the ascending list."""
    low, high = 0, len(excluded)
    while low < high:
        middle = (low + high) // 2
        if excluded[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < len(excluded) and excluded[low] == code


@inner
def may_touch(geo, excluded, i, j):
    """Return whether a pair is tested: different links and groups, not excluded."""
    if geo.link[i] == geo.link[j]:
        return False
    if geo.group[i] == geo.group[j] and geo.group[i] >= 0:
        return False
    low, high = min(i, j), max(i, j)
    return not is_excluded(excluded, low * len(geo.kind) + high)


@inner
def note_pair(geo, brd, wrk, i, j):
    """Add a pair, the environment first, else the smaller number; if full, it is only counted."""
    if geo.link[j] < 0 or (geo.link[i] >= 0 and j < i):
        i, j = j, i
    n = wrk.counts[WorkCount.PAIRS]
    if n < len(brd.unsorted):
        brd.unsorted[n, 0], brd.unsorted[n, 1] = i, j
    wrk.counts[WorkCount.PAIRS] = n + 1


@routine
def sweep(table):
    """Write the pairs of overlapping bounding boxes, and of half-spaces and boxes they reach."""
    geo, brd, wrk = geometries(table), broad(table), work(table)
    axis = widest_axis(geo, brd.order[0])
    order = brd.order[axis]
    sort_along(geo, order, axis)
    one, two = (axis + 1) % 3, (axis + 2) % 3
    boxes, n = brd.sorted, len(order)
    for p in range(n):
        for k in range(6):
            boxes[p, k] = geo.bounds[order[p], k]
    for p in range(n):
        end = boxes[p, 3 + axis]
        a0, a1, b0, b1 = boxes[p, one], boxes[p, 3 + one], boxes[p, two], boxes[p, 3 + two]
        r = p + 1
        while r < n and boxes[r, axis] <= end:
            if (
                boxes[r, one] <= a1
                and boxes[r, 3 + one] >= a0
                and boxes[r, two] <= b1
                and boxes[r, 3 + two] >= b0
                and may_touch(geo, brd.excluded, order[p], order[r])
            ):
                note_pair(geo, brd, wrk, order[p], order[r])
            r += 1
    for p in range(len(brd.planes)):
        sweep_plane(geo, brd, wrk, brd.planes[p])


@inner
def sweep_plane(geo, brd, wrk, plane):
    """Add the shapes that reach into the margin of a half-space."""
    pose, order = geo.pose[plane], brd.order[0]
    for p in range(len(order)):
        i = order[p]
        if geo.link[i] < 0:
            continue
        lowest = 0.0
        for k in range(3):
            low, high, n = geo.bounds[i, k], geo.bounds[i, 3 + k], pose[6 + k]
            lowest += n * (0.5 * (low + high) - pose[9 + k]) - 0.5 * abs(n) * (high - low)
        if lowest <= wrk.margin[0] and may_touch(geo, brd.excluded, plane, i):
            note_pair(geo, brd, wrk, plane, i)


@routine
def sort_pairs(table):
    """Sort the pairs by both numbers: two stable passes of counting sort."""
    brd, wrk = broad(table), work(table)
    n, bucket = wrk.counts[WorkCount.PAIRS], brd.bucket
    for turn in range(2):
        source = brd.unsorted if turn == 0 else brd.pair
        target = brd.pair if turn == 0 else brd.unsorted
        column = 1 - turn
        for k in range(len(bucket)):
            bucket[k] = 0
        for p in range(n):
            bucket[source[p, column] + 1] += 1
        for k in range(1, len(bucket)):
            bucket[k] += bucket[k - 1]
        for p in range(n):
            at = bucket[source[p, column]]
            bucket[source[p, column]] = at + 1
            target[at, 0], target[at, 1] = source[p, 0], source[p, 1]
    for p in range(n):
        brd.pair[p, 0], brd.pair[p, 1] = brd.unsorted[p, 0], brd.unsorted[p, 1]
