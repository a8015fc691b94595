"""From the contact problem to the arrays of the QPs, one a collision group, and back."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from footfall.kernels.compile import inner, kernel
from footfall.problem.contact_problem import ProblemArrays

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@kernel
def group_contacts(
    problem: ProblemArrays,
    answer: Floats,
    touch_distance: float,
    group: Ints,
    order: Ints,
    start: Ints,
) -> int:
    """Find the collision groups; return how many, or -1 if a gap is not a number.

    A group are the blocks that touch (gap <= touch_distance, or any in an impact) and are linked
    through moving bodies: ``order[start[k]:start[k + 1]]`` for group k; ``group`` is each block's
    own. Open blocks are in none (-1) and their answer becomes zero.
    """
    for b in range(problem.size[0]):
        if math.isnan(problem.gap[b]):
            return -1
        group[b] = -2
        if problem.gap[b] > touch_distance and problem.size[3] == 0:
            group[b] = -1
            for a in range(3):
                answer[3 * b + a] = 0.0
    groups, end = 0, 0
    for b in range(problem.size[0]):
        if group[b] == -2:
            start[groups] = end
            end = flood(problem, b, groups, group, order, end)
            groups += 1
    start[groups] = end
    return groups


@inner
def flood(
    problem: ProblemArrays, first: int, number: int, group: Ints, order: Ints, end: int
) -> int:
    """Append to ``order`` all blocks that are linked with the first one, breadth first."""
    order[end], group[first] = first, number
    next_one, end = end, end + 1
    while next_one < end:
        b = order[next_one]
        for p in range(problem.pair_start[b], problem.pair_start[b + 1]):
            j = problem.pair_block[p]
            if group[j] == -2:
                order[end], group[j] = j, number
                end += 1
        next_one += 1
    return end


@inner
def fill_hessian(problem: ProblemArrays, blocks: Ints, group: Ints, at: Ints, H: Floats) -> None:
    """Write the group's Delassus matrix, its rounding symmetrised."""
    number = group[blocks[0]]
    H[:, :] = 0.0
    for i in range(len(blocks)):
        b = blocks[i]
        for p in range(problem.pair_start[b], problem.pair_start[b + 1]):
            j, w = problem.pair_block[p], problem.pair_data[p]
            if group[j] == number:
                for r in range(3):
                    for c in range(3):
                        H[3 * i + r, 3 * at[j] + c] = problem.W[w + 3 * r + c]
    for r in range(len(H)):
        for c in range(r):
            mean = 0.5 * (H[r, c] + H[c, r])
            H[r, c] = mean
            H[c, r] = mean


@kernel
def gather(
    problem: ProblemArrays,
    weights: Floats,
    warm: Floats,
    multiplier: Floats,
    blocks: Ints,
    group: Ints,
    at: Ints,
    H: Floats,
    g: Floats,
    C: Floats,
    x: Floats,
    z: Floats,
) -> None:
    """Write the QP of one group: H, ``g = w0 free + w1 velocity + w2 Jdot v``, mu in C, x, z.

    ``at`` (all blocks) takes the places of the group's blocks in the QP.
    """
    for i in range(len(blocks)):
        at[blocks[i]] = i
    fill_hessian(problem, blocks, group, at, H)
    for i in range(len(blocks)):
        b = blocks[i]
        for a in range(3):
            row = 3 * b + a
            g[3 * i + a] = (
                weights[0] * problem.free_velocity[row]
                + weights[1] * problem.velocity[row]
                + weights[2] * problem.jdot_v[row]
            )
            x[3 * i + a] = warm[row]
        for k in range(4):
            C[5 * i + k, 3 * i + 2] = -problem.mu[b]
        for k in range(5):
            z[5 * i + k] = multiplier[problem.candidate[b], k]


@kernel
def scatter(
    problem: ProblemArrays, blocks: Ints, x: Floats, z: Floats, answer: Floats, multiplier: Floats
) -> None:
    """Write one group's answer, its rounding clipped to the pyramid, and its multipliers."""
    for i in range(len(blocks)):
        b = blocks[i]
        normal = max(x[3 * i + 2], 0.0)
        bound = problem.mu[b] * normal
        for a in range(2):
            answer[3 * b + a] = min(max(x[3 * i + a], -bound), bound)
        answer[3 * b + 2] = normal
        for k in range(5):
            multiplier[problem.candidate[b], k] = max(z[5 * i + k], 0.0)
