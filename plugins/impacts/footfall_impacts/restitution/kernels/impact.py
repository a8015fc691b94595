"""The impact as one kernel. Python gathers large groups, and eliminates loops."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.api.advanced import by_type, canonical, symmetrise
from footfall.api.contact import BlockKind, ProblemReport, ProblemSize, problem_from_arrays
from footfall.api.kernels import inner, kernel, routine
from footfall_impacts.restitution.kernels.sweeps import sweep
from footfall_impacts.restitution.workspace import group_arrays, group_cones

PATIENCE, LONGER = 40, 4
"""Sweeps before the second attempt of Newton's method; factor of those before the next."""
ROUNDING = 1e-14
"""Rounding of ``W r``, relative to the sum of its terms' sizes; no residual can be smaller."""
NOTHING = -1.0
"""No start is known to be an answer: see ``canonical``."""


class Newton(NamedTuple):
    """Newton's hypothesis: each point leaves with at least e times its approach speed."""


class Poisson(NamedTuple):
    """Poisson's hypothesis: the part e of each impulse of the compression is given back."""


@inner
def feel_each_other(problem, i, p):
    """Return whether the sub-matrix of pair p of contact i is not zero."""
    at, other = problem.pair_data[p], 0.0
    columns = problem.row[problem.pair_block[p] + 1] - problem.row[problem.pair_block[p]]
    for k in range(3 * columns):
        other = max(other, abs(problem.W[at + k]))
    return not other <= 0.0


@routine
def label_contacts(problem, label):
    """Label each contact by the first contact of its group; return whether there are loops."""
    blocks, loops, changed = problem.size[ProblemSize.BLOCKS], False, True
    for i in range(blocks):
        label[i] = i if problem.kind[i] == BlockKind.CONE else -1
        loops = loops or problem.kind[i] == BlockKind.EQUALITY
    while changed:
        changed = False
        for i in range(blocks):
            if label[i] < 0:
                continue
            for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
                j = problem.pair_block[p]
                if label[j] < 0 or label[j] == label[i] or not feel_each_other(problem, i, p):
                    continue
                label[i] = label[j] = min(label[i], label[j])
                changed = True
    return loops


@inner
def gather(problem, work, cones, group):
    """Write a group to the work space; return its size, or -1 if there is no room."""
    contacts, W = 0, cones.W
    for i in range(group, problem.size[ProblemSize.BLOCKS]):
        if work.label[i] == group:
            if contacts == len(work.block):
                return -1
            work.block[contacts], work.place[i] = i, contacts
            contacts += 1
    for a in range(3 * contacts):
        for b in range(3 * contacts):
            W[a, b] = 0.0
    for c in range(contacts):
        i = work.block[c]
        cones.mu[c], work.e[c] = problem.mu[i], problem.restitution[i]
        for a in range(3):
            work.u[3 * c + a] = problem.free_velocity[problem.row[i] + a]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            if work.label[j] == group:
                for a in range(3):
                    for b in range(3):
                        W[3 * c + a, 3 * work.place[j] + b] = problem.W[at + 3 * a + b]
    return contacts


@inner
def is_sound(work, cones, contacts):
    """Return whether velocities and coefficients are valid, and W can be a Delassus matrix.

    Set the velocity of immobile rows to zero.
    """
    total, W, J, n = 0.0, cones.W, cones.J, 3 * contacts
    for i in range(n):
        total += 0.0 * work.u[i]
        for j in range(n):
            total += 0.0 * W[i, j]
    within = total == 0.0
    for c in range(contacts):
        within = within and 0.0 <= cones.mu[c] < np.inf and 0.0 <= work.e[c] <= 1.0
    if not within or not symmetrise(W, J, n):
        return False
    for i in range(n):
        if W[i, i] <= 0.0:
            work.u[i] = 0.0
    return True


@inner
def rounding_of(cones, contacts):
    """Return the smallest residual that rounding allows for r, [m/s]."""
    most = 0.0
    for i in range(3 * contacts):
        size = 0.0
        for j in range(3 * contacts):
            size += abs(cones.W[i, j]) * abs(cones.r[j])
        most = max(most, size)
    return ROUNDING * most


@routine
def solve_cones(work, cones, contacts, tolerance, most):
    """Overwrite r, the start, with the canonical answer; return sweeps, residual, and success.

    Each contact is solved once with the others held; Newton's method then looks for the answer of
    all. Where it fails sweeps go on, ever longer, before it is tried again.
    """
    done, many, least, n = 0, 1, np.inf, 3 * contacts
    while True:
        done += sweep(cones, contacts, min(many, most - done), 0.1 * tolerance)
        enough = tolerance + rounding_of(cones, contacts)
        left = canonical(cones, contacts, enough, NOTHING)
        if left < least:
            least = left
            for i in range(n):
                work.answer[i] = cones.r[i]
        enough = tolerance + rounding_of(cones, contacts)
        if least <= enough or done >= most:
            break
        many = max(PATIENCE, LONGER * many)
    for i in range(n):
        cones.r[i] = work.answer[i]
    return done, least, least <= enough


@inner
def start(work, cones, contacts):
    """Begin with the velocities before the impact, and no impulse."""
    for i in range(3 * contacts):
        cones.b[i], cones.r[i] = work.u[i], 0.0
    for c in range(contacts):
        cones.lower[c] = work.offset[c] = 0.0


@inner
def stop_without_friction(work, cones, contacts, tolerance):
    """Write the impulse that stops the points without friction: least energy, which is convex."""
    start(work, cones, contacts)
    for c in range(contacts):
        work.mu[c], cones.mu[c] = cones.mu[c], 0.0
    left = canonical(cones, contacts, tolerance, NOTHING)
    for c in range(contacts):
        cones.mu[c] = work.mu[c]
    return left


@inner
def restitute_newton(work, cones, contacts, tolerance, most):
    """Solve with e times each point's approach speed as the target."""
    for c in range(contacts):
        work.offset[c] = work.e[c] * min(work.u[3 * c + 2], 0.0)
        cones.b[3 * c + 2] += work.offset[c]
    return solve_cones(work, cones, contacts, tolerance, most)


@inner
def restitute_poisson(work, cones, contacts, tolerance, most):
    """Solve for restitution of at least the part e of the compression; add both impulses.

    If that fails, the compression is the answer.
    """
    n, W = 3 * contacts, cones.W
    for c in range(contacts):
        cones.lower[c] = work.e[c] * max(work.first[3 * c + 2], 0.0)
    for i in range(n):
        for j in range(n):
            cones.b[i] += W[i, j] * work.first[j]
        cones.r[i] = 0.0
    done, left, solved = solve_cones(work, cones, contacts, tolerance, most)
    for i in range(n):
        cones.r[i] = cones.r[i] if solved else 0.0
    for c in range(contacts):
        i = 3 * c + 2
        for a in range(3 * c, i + 1):
            cones.r[a] += work.first[a]
        if work.e[c] > 0.0 and cones.r[i] > 0.0:
            work.offset[c] = 1.0
    for c in range(contacts):
        if work.offset[c] == 1.0:
            velocity = work.u[3 * c + 2]
            for j in range(n):
                velocity += W[3 * c + 2, j] * cones.r[j]
            work.offset[c] = -velocity
    return done, left, solved


restitute = by_type({Newton: restitute_newton, Poisson: restitute_poisson})
"""Solver of the impulse with restitution, after the inelastic one.

It writes the offsets: the negative of the normal velocities that the hypothesis requires, [m/s];
for Poisson's those after the impact, and 0 without impulse.
"""


@routine
def resolve_group(way, work, cones, contacts, tolerance, most):
    """Find the impulse r of a group; return sweeps, residual, and whether it is solved."""
    fastest, comes, bounces = 0.0, False, False
    start(work, cones, contacts)
    for i in range(3 * contacts):
        fastest = max(fastest, abs(work.u[i]))
    for c in range(contacts):
        comes, bounces = comes or work.u[3 * c + 2] < 0.0, bounces or work.e[c] > 0.0
    if not comes:
        return 0, 0.0, True
    done, left, solved = solve_cones(work, cones, contacts, tolerance * fastest, most)
    if solved and bounces:
        for i in range(3 * contacts):
            work.first[i] = cones.r[i]
        more, left, solved = restitute(way, work, cones, contacts, tolerance * fastest, most)
        done += more
    elif not solved:
        left = stop_without_friction(work, cones, contacts, tolerance * fastest)
    return done, left, solved


@inner
def write_group(problem, work, cones, contacts):
    """Write impulse and offset of a group to the problem."""
    for c in range(contacts):
        row, work.label[work.block[c]] = problem.row[work.block[c]], -1
        for a in range(3):
            problem.impulse[row + a] = cones.r[3 * c + a]
        problem.offset[row + 2] = work.offset[c]


@routine
def resolve_all(way, problem, work, cones, tolerance, most):
    """Resolve an impact; return 1 if Python must do some groups: loops, large groups, bad input.

    Labels of contacts that have their answer become -1.
    """
    for i in range(problem.size[ProblemSize.ROWS]):
        problem.impulse[i] = problem.offset[i] = 0.0
    sweeps, worst, failed, more = 0, 0.0, 0.0, 0
    blocks = problem.size[ProblemSize.BLOCKS]
    if label_contacts(problem, work.label):
        blocks, more = 0, 1
    for group in range(blocks):
        if work.label[group] != group:
            continue
        contacts = gather(problem, work, cones, group)
        if contacts < 0 or not is_sound(work, cones, contacts):
            more = 1
            continue
        done, left, solved = resolve_group(way, work, cones, contacts, tolerance, most)
        write_group(problem, work, cones, contacts)
        sweeps, worst = sweeps + done, max(worst, left)
        if not solved:
            failed = 1.0
    problem.report[ProblemReport.ITERATIONS], problem.report[ProblemReport.RESIDUAL] = sweeps, worst
    problem.report[ProblemReport.FAILED], problem.report[ProblemReport.CORRECTS] = failed, 0.0
    return more


def kernels(hypothesis):
    """Return the kernels of whole problems and of the group in a work space, for a hypothesis.

    See ``resolve_all`` and ``resolve_group``.
    """

    @kernel
    def resolve(table, space, tolerance, most):
        problem, work, cones = problem_from_arrays(table), group_arrays(space), group_cones(space)
        return resolve_all(hypothesis, problem, work, cones, tolerance, most)

    @kernel
    def resolve_one(space, tolerance, most):
        work, cones = group_arrays(space), group_cones(space)
        return resolve_group(hypothesis, work, cones, len(work.e), tolerance, most)

    return resolve, resolve_one


KERNELS = {"newton": kernels(Newton()), "poisson": kernels(Poisson())}
"""Kernels by hypothesis."""
