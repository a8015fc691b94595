"""The impact as one kernel, if sweeps or Newton steps solve it; Python does the rest.

Equations and their order are those of ``impact.py``: answers of sweeps are equal to the last bit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.api.advanced import by_type, symmetrise
from footfall.api.contact import BlockKind, ProblemReport, ProblemSize, problem_from_arrays
from footfall.api.kernels import call, inner, kernel, routine
from footfall_impacts.restitution.kernels.sweeps import residual, sweep_contacts
from footfall_impacts.restitution.workspace import GroupTask, group_arrays

PATIENCE = 40
"""Sweeps between attempts of Newton's method."""
ROUNDING = 1e-14
"""Rounding of ``W r``, relative to the sum of its terms' sizes; no residual can be smaller."""
UNSOLVED = -1


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
def gather(problem, work, group):
    """Write a group to the work space; return its size, or ``UNSOLVED`` if there is no room."""
    contacts = 0
    for i in range(group, problem.size[ProblemSize.BLOCKS]):
        if work.label[i] == group:
            if contacts == len(work.block):
                return UNSOLVED
            work.block[contacts], work.place[i] = i, contacts
            contacts += 1
    for a in range(len(work.W)):
        for b in range(len(work.W)):
            work.W[a, b] = 0.0
    for c in range(contacts):
        i = work.block[c]
        work.mu[c], work.e[c], work.lower[c] = problem.mu[i], problem.restitution[i], 0.0
        for a in range(3):
            work.u[3 * c + a] = problem.free_velocity[problem.row[i] + a]
        for p in range(problem.pair_start[i], problem.pair_start[i + 1]):
            j, at = problem.pair_block[p], problem.pair_data[p]
            if work.label[j] == group:
                for a in range(3):
                    for b in range(3):
                        work.W[3 * c + a, 3 * work.place[j] + b] = problem.W[at + 3 * a + b]
    return contacts


@inner
def is_sound(work, contacts):
    """Return whether velocities and coefficients are valid, and W can be a Delassus matrix.

    Set the velocity of immobile rows to zero.
    """
    total = 0.0
    for i in range(3 * contacts):
        total += 0.0 * work.u[i]
        for j in range(3 * contacts):
            total += 0.0 * work.W[i, j]
    within = total == 0.0
    for c in range(contacts):
        within = within and 0.0 <= work.mu[c] < np.inf and 0.0 <= work.e[c] <= 1.0
    if not within or not symmetrise(work.W, work.factor):
        return False
    for i in range(3 * contacts):
        if work.W[i, i] <= 0.0:
            work.u[i] = 0.0
    return True


@inner
def rounding_of(work, r, contacts):
    """Return the smallest residual that rounding allows for r, [m/s]."""
    most = 0.0
    for i in range(3 * contacts):
        size = 0.0
        for j in range(3 * contacts):
            size += abs(work.W[i, j]) * abs(r[j])
        most = max(most, size)
    return ROUNDING * most


@routine
def solve_cones(work, contacts, tolerance, most):
    """Solve for r from its present value; return sweeps (or ``UNSOLVED``) and residual.

    Same as ``Cones.solve`` in ``cones.py`` up to its first sweeps and the Newton steps after them.
    """
    arrays = work.W, work.b, work.mu, work.lower
    left = residual(*arrays, work.r, contacts)
    if left <= tolerance + rounding_of(work, work.r, contacts):
        return 0, left
    many = min(PATIENCE, most)
    done = sweep_contacts(*arrays, work.r, contacts, many, 0.1 * tolerance)
    left = residual(*arrays, work.r, contacts)
    if left > tolerance:
        work.task[GroupTask.CONTACTS], work.task[GroupTask.TOLERANCE] = contacts, tolerance
        if call(work.newton[0], work.newton[1]) != 0:
            return UNSOLVED, left
        left = work.task[GroupTask.RESIDUAL]
    return (done if left <= tolerance else UNSOLVED), left


@inner
def restitute_newton(work, contacts, tolerance, most):
    """Solve with e times each point's approach speed as the target."""
    for c in range(contacts):
        work.b[3 * c + 2] += work.e[c] * min(work.u[3 * c + 2], 0.0)
    return solve_cones(work, contacts, tolerance, most)


@inner
def restitute_poisson(work, contacts, tolerance, most):
    """Solve for restitution of at least the part e of the compression; add both impulses."""
    for c in range(contacts):
        work.lower[c] = work.e[c] * max(work.first[3 * c + 2], 0.0)
    for i in range(3 * contacts):
        for j in range(3 * contacts):
            work.b[i] += work.W[i, j] * work.first[j]
        work.r[i] = 0.0
    done, left = solve_cones(work, contacts, tolerance, most)
    for i in range(3 * contacts):
        work.r[i] += work.first[i]
    return done, left


restitute = by_type({Newton: restitute_newton, Poisson: restitute_poisson})
"""Solver of the impulse with restitution, after the inelastic one; returns sweeps and residual."""


@inner
def both_newton(done, left, first, before):
    """Return sweeps and residual of the whole answer: for Newton, those of the second solve."""
    return done, left


@inner
def both_poisson(done, left, first, before):
    """Return sweeps and residual of the whole answer: for Poisson, of both solves."""
    return done + first, max(left, before)


both = by_type({Newton: both_newton, Poisson: both_poisson})


@inner
def offset_newton(work, c, contacts):
    """Return the negative of the normal velocity that the hypothesis requires, [m/s]."""
    return work.e[c] * min(work.u[3 * c + 2], 0.0)


@inner
def offset_poisson(work, c, contacts):
    """Return the negative of the normal velocity after the impact; 0 without impulse, [m/s]."""
    if work.r[3 * c + 2] <= 0.0:
        return 0.0
    velocity = work.u[3 * c + 2]
    for j in range(3 * contacts):
        velocity += work.W[3 * c + 2, j] * work.r[j]
    return -velocity


offset = by_type({Newton: offset_newton, Poisson: offset_poisson})


@routine
def resolve_group(way, work, contacts, tolerance, most):
    """Find the impulse r of a group; return sweeps (``UNSOLVED`` if it fails) and residual."""
    fastest, comes, bounces = 0.0, False, False
    for i in range(3 * contacts):
        work.r[i] = 0.0
        work.b[i], fastest = work.u[i], max(fastest, abs(work.u[i]))
    for c in range(contacts):
        comes, bounces = comes or work.u[3 * c + 2] < 0.0, bounces or work.e[c] > 0.0
    if not comes:
        return 0, 0.0
    done, left = solve_cones(work, contacts, tolerance * fastest, most)
    if done < 0:
        return done, left
    for i in range(3 * contacts):
        work.first[i] = work.r[i]
    if bounces:
        more, residual = restitute(way, work, contacts, tolerance * fastest, most)
        if more < 0:
            return more, residual
        done, left = both(way, more, residual, done, left)
    return done, left


@inner
def write_group(way, problem, work, contacts):
    """Write impulse and offset of a group to the problem."""
    for c in range(contacts):
        row, work.label[work.block[c]] = problem.row[work.block[c]], -1
        for a in range(3):
            problem.impulse[row + a] = work.r[3 * c + a]
        if work.e[c] > 0.0:
            problem.offset[row + 2] = offset(way, work, c, contacts)


@routine
def resolve_all(way, problem, work, tolerance, most):
    """Resolve an impact; return 1 if Python must do some groups: loops, large groups, no answer.

    Labels of contacts that have their answer become -1.
    """
    for i in range(problem.size[ProblemSize.ROWS]):
        problem.impulse[i] = problem.offset[i] = 0.0
    if label_contacts(problem, work.label):
        return 1
    sweeps, worst, more = 0, 0.0, 0
    for group in range(problem.size[ProblemSize.BLOCKS]):
        if work.label[group] != group:
            continue
        contacts = gather(problem, work, group)
        done, left = UNSOLVED, 0.0
        if contacts >= 0 and is_sound(work, contacts):
            done, left = resolve_group(way, work, contacts, tolerance, most)
        if done < 0:
            more = 1
            continue
        write_group(way, problem, work, contacts)
        sweeps, worst = sweeps + done, max(worst, left)
    problem.report[ProblemReport.ITERATIONS], problem.report[ProblemReport.RESIDUAL] = sweeps, worst
    problem.report[ProblemReport.FAILED] = problem.report[ProblemReport.CORRECTS] = 0.0
    return more


@kernel
def resolve_newton(table, space, tolerance, most):
    """Resolve an impact with Newton's hypothesis; see ``resolve_all``."""
    return resolve_all(Newton(), problem_from_arrays(table), group_arrays(space), tolerance, most)


@kernel
def resolve_poisson(table, space, tolerance, most):
    """Resolve an impact with Poisson's hypothesis; see ``resolve_all``."""
    return resolve_all(Poisson(), problem_from_arrays(table), group_arrays(space), tolerance, most)


KERNELS = {"newton": resolve_newton, "poisson": resolve_poisson}
