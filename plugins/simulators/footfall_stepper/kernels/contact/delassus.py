"""The Delassus matrix ``W = J M^-1 J'``, block by block, from the blocks' rows through the factor.

It is computed tree by tree. The rows of all blocks that push a tree are stored side by side, dof
after dof, and multiplied in tiles of 4 x 4, over the dofs that both groups of four rows share.
The product is ``Z' Z``, or ``Z' Z - T' T`` with closed loops. ``PANEL`` rows at a time.
"""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.jit.four import add_times, get_four, no_four, set_four, subtract_times
from footfall.problem.arrays import BlockKind, ProblemSize
from footfall.world.arrays import PANEL

NOTHING, ALL = -1, -2
"""Used instead of the link whose span a group's rows cover: no rows yet, or any dof."""


@inner
def list_by_tree(topology, sides, n):
    """List the blocks that push each tree, each once (counting sort)."""
    trees = len(topology.free)
    start = sides.tree_start
    for t in range(trees + 1):
        start[t] = 0
    for b in range(n):
        t = topology.link_tree[sides.link[b, 1]]
        start[t + 1] += 1
        if sides.link[b, 0] >= 0 and topology.link_tree[sides.link[b, 0]] != t:
            start[topology.link_tree[sides.link[b, 0]] + 1] += 1
    for t in range(trees):
        start[t + 1] += start[t]
    for b in range(n):
        tree = topology.link_tree[sides.link[b, 1]]
        for s in range(2):
            if s == 1 or sides.link[b, 0] >= 0:
                t = topology.link_tree[sides.link[b, s]]
                if s == 0 and t == tree:
                    continue
                sides.tree_block[start[t]] = b
                sides.place[b, s] = start[t]
                start[t] += 1
    for t in range(trees, 0, -1):
        start[t] = start[t - 1]
    start[0] = 0


@inner
def first_tree(topology, sides, b):
    """Return the tree whose blocks come first among the pairs of a block."""
    link = sides.link[b, 0]
    return topology.link_tree[link if link >= 0 else sides.link[b, 1]]


@inner
def second_tree(topology, sides, b):
    """Return the other tree that a block pushes, -1 if there is none."""
    tree = topology.link_tree[sides.link[b, 1]]
    return tree if tree != first_tree(topology, sides, b) else -1


@inner
def place_in(topology, sides, b, tree):
    """Return the position of a block in a tree's list, -1 if it does not push that tree."""
    for s in range(1, -1, -1):
        link = sides.link[b, s]
        if link >= 0 and topology.link_tree[link] == tree:
            return sides.place[b, s]
    return -1


@inner
def list_pairs(topology, sides, problem, n):
    """List the pairs of blocks that share a tree: for each block its first tree, then the other."""
    pair, start, block = 0, sides.tree_start, sides.tree_block
    for i in range(n):
        problem.pair_start[i] = pair
        first, second = first_tree(topology, sides, i), second_tree(topology, sides, i)
        for p in range(start[first], start[first + 1]):
            problem.pair_block[pair], problem.pair_data[pair] = block[p], 9 * pair
            pair += 1
        if second >= 0:
            for p in range(start[second], start[second + 1]):
                if place_in(topology, sides, block[p], first) < 0:
                    problem.pair_block[pair], problem.pair_data[pair] = block[p], 9 * pair
                    pair += 1
    problem.pair_start[n] = pair
    problem.size[ProblemSize.PAIRS] = pair


@inner
def pair_with(topology, sides, problem, i, j):
    """Return the index of block i's pair with block j."""
    tree, pair = first_tree(topology, sides, i), problem.pair_start[i]
    place, begin = place_in(topology, sides, j, tree), sides.tree_start[tree]
    if place >= 0:
        return pair + place - begin
    pair += sides.tree_start[tree + 1] - begin
    while problem.pair_block[pair] != j:
        pair += 1
    return pair


@inner
def common_span(topology, link_a, link_b):
    """Return the number of dofs, from the root, that the spans of two links of a tree share."""
    return topology.shared[topology.shared_row[link_a] + link_b]


@inner
def panel_end(sides, problem, tree, begin):
    """Return the end of the blocks in a tree's list, from ``begin``, whose rows fit one panel."""
    p, rows = begin, 0
    while p < sides.tree_start[tree + 1]:
        b = sides.tree_block[p]
        rows += problem.row[b + 1] - problem.row[b]
        if rows > PANEL:
            break
        p += 1
    return p


@inner
def join_group(topology, sides, group, link):
    """Extend a group of rows to the span of a link: to the larger span, or to all dofs."""
    have = sides.group_link[group]
    if have == ALL:
        return
    if have != NOTHING:
        shared = common_span(topology, have, link)
        if shared == topology.span_start[link + 1] - topology.span_start[link]:
            return
        if shared < topology.span_start[have + 1] - topology.span_start[have]:
            sides.group_link[group] = ALL
            return
    sides.group_link[group] = link


@inner
def join_groups(topology, sides, problem, tree, begin, end, first):
    """Assign panel rows to blocks of a tree's list; return the number of groups of four rows.

    ``first``: number of the panel's first group.
    """
    rows, known = 0, 0
    for p in range(begin, end):
        b = sides.tree_block[p]
        count = problem.row[b + 1] - problem.row[b]
        sides.row[p] = rows
        while 4 * known < rows + count:
            sides.group_link[first + known] = NOTHING
            known += 1
        for s in range(2):
            link = sides.link[b, s]
            if link >= 0 and topology.link_tree[link] == tree:
                join_group(topology, sides, first + rows // 4, link)
                if rows // 4 + 1 < known:
                    join_group(topology, sides, first + rows // 4 + 1, link)
        rows += count
    return known


@inner
def fill_panel(topology, loops, sides, problem, tree, begin, end, which):
    """Store the rows of blocks ``begin`` to ``end`` of a tree's list side by side.

    Row ``k`` of the panel holds dof k of all of them; the rows after these hold the coordinates T
    along the loops. Wide rows, which have already lost the loops' part, have no T.
    """
    n, D = topology.tree_v[tree + 1] - topology.tree_v[tree], sides.panel
    base, first = which * (len(D) // 2), which * (PANEL // 4)
    rank, width = rank_of(topology, loops, tree), 4 * loops.width[0]
    size = join_groups(topology, sides, problem, tree, begin, end, first)
    for group in range(size):
        link, to = sides.group_link[first + group], base + 4 * group
        at = 0 if link == ALL else topology.span_start[link]
        for k in range(n if link == ALL else topology.span_start[link + 1] - at):
            dof = k if link == ALL else topology.span[at + k]
            set_four(D, to + dof * PANEL, no_four())
        for k in range(n, n + rank):
            set_four(D, to + k * PANEL, no_four())
    for p in range(begin, end):
        b, r = sides.tree_block[p], base + sides.row[p]
        for s in range(2):
            link, sign = sides.link[b, s], 1.0 if s == 1 else -1.0
            if link < 0 or topology.link_tree[link] != tree:
                continue
            z, t = sides.start[b, s], (2 * b + s) * width
            for k in range(topology.span_start[link], topology.span_start[link + 1]):
                to = r + topology.span[k] * PANEL
                set_four(D, to, add_times(get_four(D, to), sign, get_four(sides.Z, z)))
                z += 4
            for k in range(n, n + rank):
                to = r + k * PANEL
                set_four(D, to, add_times(get_four(D, to), sign, get_four(loops.T, t)))
                t += 4
    return size


@inner
def rank_of(topology, loops, tree):
    """Return the number of coordinates T of a tree's rows."""
    return loops.rank[tree] if topology.closed[tree] > 0 and topology.wide[tree] == 0 else 0


@inner
def add_rows(D, a, b, w0, w1, w2, w3):
    """Return the 4 x 4 numbers plus the products of four at ``a`` with four at ``b``."""
    y = get_four(D, b)
    w0, w1 = add_times(w0, D[a], y), add_times(w1, D[a + 1], y)
    return w0, w1, add_times(w2, D[a + 2], y), add_times(w3, D[a + 3], y)


@inner
def subtract_rows(D, a, b, w0, w1, w2, w3):
    """Return the 4 x 4 numbers minus the products of four at ``a`` with four at ``b``."""
    y = get_four(D, b)
    w0, w1 = subtract_times(w0, D[a], y), subtract_times(w1, D[a + 1], y)
    return w0, w1, subtract_times(w2, D[a + 2], y), subtract_times(w3, D[a + 3], y)


@inner
def set_tile(P, to, w0, w1, w2, w3):
    """Write 4 x 4 numbers to the products."""
    set_four(P, to, w0)
    set_four(P, to + PANEL, w1)
    set_four(P, to + 2 * PANEL, w2)
    set_four(P, to + 3 * PANEL, w3)


@inner
def write_tile(topology, sides, a, b, link, count, first, rank, to):
    """Write the products of four rows at ``a`` of the panels with four at ``b``, each with each.

    Over ``count`` dofs of a link's span (``ALL``: of all), minus those of the rows T from
    ``first``.
    """
    D, span = sides.panel, 0 if link == ALL else topology.span_start[link]
    w0, w1, w2, w3 = no_four(), no_four(), no_four(), no_four()
    for q in range(rank):
        k = (first + q) * PANEL
        w0, w1, w2, w3 = subtract_rows(D, k + a, k + b, w0, w1, w2, w3)
    if link == ALL:
        for k in range(count):
            w0, w1, w2, w3 = add_rows(D, a + k * PANEL, b + k * PANEL, w0, w1, w2, w3)
    else:
        for q in range(span, span + count):
            k = topology.span[q] * PANEL
            w0, w1, w2, w3 = add_rows(D, a + k, b + k, w0, w1, w2, w3)
    set_tile(sides.product, to, w0, w1, w2, w3)


@inner
def multiply_panels(topology, loops, sides, tree, which, size, width):
    """Write the products of the first panel's rows with those of the first or second panel.

    ``size`` and ``width``: numbers of groups of four rows in both. For the first panel with
    itself only tiles on and above the diagonal are written.
    """
    n, first = topology.tree_v[tree + 1] - topology.tree_v[tree], which * (PANEL // 4)
    rank, span, base = rank_of(topology, loops, tree), topology.span_start, len(sides.panel) // 2
    for i in range(size):
        link = sides.group_link[i]
        own = n if link == ALL else span[link + 1] - span[link]
        for j in range(i if which == 0 else 0, width):
            other, on, count = sides.group_link[first + j], link, own
            if link == ALL and other != ALL:
                on, count = other, span[other + 1] - span[other]
            elif other != link and other != ALL:
                count = common_span(topology, link, other)
            b, to = which * base + 4 * j, 4 * i * PANEL + 4 * j
            write_tile(topology, sides, 4 * i, b, on, count, n, rank, to)


@inner
def enter_cones(W, P, at, p, m, again):
    """Take a 3 x 3 block from the products at ``at`` to ``W[p:]``, and transposed to ``W[m:]``."""
    w0, w1, w2 = P[at], P[at + 1], P[at + 2]
    w3, w4, w5 = P[at + PANEL], P[at + PANEL + 1], P[at + PANEL + 2]
    w6, w7, w8 = P[at + 2 * PANEL], P[at + 2 * PANEL + 1], P[at + 2 * PANEL + 2]
    if p == m:  # tiles below the diagonal may not be written
        w3, w6, w7 = w1, w2, w5
    if again:
        w0, w1, w2 = w0 + W[p], w1 + W[p + 1], w2 + W[p + 2]
        w3, w4, w5 = w3 + W[p + 3], w4 + W[p + 4], w5 + W[p + 5]
        w6, w7, w8 = w6 + W[p + 6], w7 + W[p + 7], w8 + W[p + 8]
    W[p], W[p + 1], W[p + 2] = w0, w1, w2
    W[p + 3], W[p + 4], W[p + 5] = w3, w4, w5
    W[p + 6], W[p + 7], W[p + 8] = w6, w7, w8
    W[m], W[m + 1], W[m + 2] = w0, w3, w6
    W[m + 3], W[m + 4], W[m + 5] = w1, w4, w7
    W[m + 6], W[m + 7], W[m + 8] = w2, w5, w8


@inner
def enter_row(W, P, at, step, count, p, m, again):
    """Copy one to three numbers of a pair with a one-row block, ``step`` apart."""
    for k in range(count):
        w = P[at + k * step]
        if again:
            w += W[p + k]
        W[p + k] = W[m + k] = w


@inner
def enter_products(topology, sides, problem, tree, begin, end, other, until):
    """Write the products of two panels of a tree, or of one with itself, to the matrix.

    In the tree's list the blocks of one are ``begin`` to ``end``, of the other ``other`` to
    ``until``. A pair that shares an earlier tree is added to.
    """
    start, W, P = sides.tree_start[tree], problem.W, sides.product
    for p in range(begin, end):
        i = sides.tree_block[p]
        first, second = first_tree(topology, sides, i), second_tree(topology, sides, i)
        before, own = first if second == tree else second, problem.pair_start[i] - start
        for q in range(max(p, other), until):
            j, again = sides.tree_block[q], False
            pair, mirror = own + q, problem.pair_start[j] - start + p
            if first != tree:
                pair = pair_with(topology, sides, problem, i, j)
            if first_tree(topology, sides, j) != tree:
                mirror = pair_with(topology, sides, problem, j, i)
            if 0 <= before < tree:
                again = place_in(topology, sides, j, before) >= 0
            at = sides.row[p] * PANEL + sides.row[q]
            if problem.kind[i] >= BlockKind.CONE and problem.kind[j] >= BlockKind.CONE:
                enter_cones(W, P, at, 9 * pair, 9 * mirror, again)
            elif problem.kind[i] >= BlockKind.CONE:
                enter_row(W, P, at, PANEL, 3, 9 * pair, 9 * mirror, again)
            else:
                count = 3 if problem.kind[j] >= BlockKind.CONE else 1
                enter_row(W, P, at, 1, count, 9 * pair, 9 * mirror, again)


@inner
def link_blocks(topology, sides, problem):
    """List the pairs of blocks that share a tree: those with an entry in the Delassus matrix."""
    n = problem.size[ProblemSize.BLOCKS]
    list_by_tree(topology, sides, n)
    list_pairs(topology, sides, problem, n)


@inner
def write_diagonal(topology, sides, problem):
    """Write the diagonal blocks of the Delassus matrix, of trees without loops; it is pending."""
    Z, P, span = sides.Z, sides.product, topology.span_start
    problem.pending[0], problem.in_product[0] = 1, 0
    for b in range(problem.size[ProblemSize.BLOCKS]):
        w0, w1, w2, w3 = no_four(), no_four(), no_four(), no_four()
        one, other, x, y = sides.link[b, 0], sides.link[b, 1], sides.start[b, 0], sides.start[b, 1]
        for z in range(y, y + 4 * (span[other + 1] - span[other]), 4):
            w0, w1, w2, w3 = add_rows(Z, z, z, w0, w1, w2, w3)
        if one >= 0:
            for z in range(x, x + 4 * (span[one + 1] - span[one]), 4):
                w0, w1, w2, w3 = add_rows(Z, z, z, w0, w1, w2, w3)
            if topology.link_tree[one] == topology.link_tree[other]:
                for k in range(0, 4 * common_span(topology, one, other), 4):
                    w0, w1, w2, w3 = subtract_rows(Z, x + k, y + k, w0, w1, w2, w3)
                    w0, w1, w2, w3 = subtract_rows(Z, y + k, x + k, w0, w1, w2, w3)
        set_tile(P, 0, w0, w1, w2, w3)
        p = 9 * pair_with(topology, sides, problem, b, b)
        if problem.kind[b] >= BlockKind.CONE:
            enter_cones(problem.W, P, 0, p, p, False)
        else:
            problem.W[p] = P[0]


@inner
def only_tree(topology, sides, problem):
    """Return the only tree that several blocks push, whose rows fit a panel; -1 without one."""
    n, start = problem.size[ProblemSize.BLOCKS], sides.tree_start
    tree = topology.link_tree[sides.link[0, 1]] if n > 1 else -1
    several = tree < 0 or start[len(topology.free)] > n or start[tree + 1] - start[tree] < n
    return -1 if several or problem.size[ProblemSize.ROWS] > PANEL else tree


@inner
def write_panel(topology, loops, sides, problem, tree):
    """Leave W of a problem that fits one panel in ``sides.product``; it is pending."""
    n, W, P = problem.size[ProblemSize.BLOCKS], problem.W, sides.product
    problem.pending[0], problem.in_product[0] = 1, 1
    size = fill_panel(topology, loops, sides, problem, tree, 0, n, 0)
    multiply_panels(topology, loops, sides, tree, 0, size, size)
    for b in range(n):
        at, p = problem.row[b] * (PANEL + 1), 9 * (problem.pair_start[b] + b)
        if problem.kind[b] >= BlockKind.CONE:
            enter_cones(W, P, at, p, p, False)
        else:
            W[p] = P[at]


@inner
def times_panel(sides, problem, r, u):
    """Write ``W r`` plus the free velocities to u, by the product of ``write_panel``."""
    n, P = problem.size[ProblemSize.ROWS], sides.product
    for a in range(n):
        u[a] = problem.free_velocity[a]
    for a in range(n):
        row, own, s = a * PANEL, r[a], P[a * PANEL + a] * r[a]
        for b in range(a + 1, n):
            s += P[row + b] * r[b]
            u[b] += P[row + b] * own
        u[a] += s


@inner
def write_products(topology, loops, sides, problem):
    """Write the Delassus matrix of all pairs of ``link_blocks``."""
    problem.pending[0], problem.in_product[0] = 0, 0
    for tree in range(len(topology.free)):
        begin, last = sides.tree_start[tree], sides.tree_start[tree + 1]
        while begin < last:
            end, size, other, which = begin, 0, begin, 0
            while other < last:
                until = panel_end(sides, problem, tree, other)
                width = fill_panel(topology, loops, sides, problem, tree, other, until, which)
                if which == 0:
                    end, size = until, width
                multiply_panels(topology, loops, sides, tree, which, size, width)
                enter_products(topology, sides, problem, tree, begin, end, other, until)
                other, which = until, 1
            begin = end


@inner
def delassus(topology, loops, sides, problem):
    """Write the block-sparse Delassus matrix of blocks that share a tree."""
    link_blocks(topology, sides, problem)
    write_products(topology, loops, sides, problem)
