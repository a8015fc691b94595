"""Block Gauss-Seidel over typed blocks."""

from __future__ import annotations

import math

from footfall.api.advanced import complete_matrix
from footfall.api.contact import ProblemReport, ProblemSize, problem_from_arrays
from footfall.api.kernels import call, inner, kernel, routine
from footfall_coulomb.kernels.groups import is_one_group, mark_unsolved, put_back, slips, take_out
from footfall_coulomb.kernels.local.choice import DURIEZ, ENUMERATIVE, HYBRID, LOCAL_NEWTON
from footfall_coulomb.kernels.newton.dense import take_product
from footfall_coulomb.kernels.offset import harden, soften, write_offsets, write_push
from footfall_coulomb.kernels.sweep import (
    natural_map,
    natural_map_by_factor,
    pair_at,
    sweep,
    sweep_dense,
)
from footfall_coulomb.workspace import (
    FEW_ROWS,
    Acceleration,
    Attempt,
    Setting,
    SweepCount,
    System,
    factor,
    group_factor,
    group_labels,
    low_rank,
    workspace,
)

PATIENCE, LONGER = 10, 4
"""Sweeps before the second attempt of Newton's method; factor of the sweeps before each later
attempt."""
SETTLED = 0.01
"""Largest change by the first sweep, and largest residual after it, that count as none, relative to
the tolerance."""
CORRECTION_SWEEPS = 50
"""Most sweeps for the split impulses, which need not be exact."""
CORRECTED, COARSER = 1e-5, 1e3
"""Natural-map residual at which split impulses are good enough: at most [m/s], 10 nm in a step of
1 ms, and relative to the tolerance. Newton's method stops at a hundredth of it."""


@inner
def copy(source, target, n):
    """Copy the first n entries."""
    for a in range(n):
        target[a] = source[a]


@inner
def swap(x, y, n):
    """Exchange the first n entries."""
    for a in range(n):
        x[a], y[a] = y[a], x[a]


@inner
def accelerate(n, residual, tolerance, work):
    """Try Newton steps on the system of n rows, see ``kernels.newton``; return the residual."""
    work.attempt[Attempt.RESIDUAL], work.attempt[Attempt.TOLERANCE] = residual, tolerance
    failed = 0
    if n <= FEW_ROWS:
        failed = call(work.few_rows[0], work.few_rows[1])
    if failed == 0 and (n > FEW_ROWS or work.attempt[Attempt.RESIDUAL] > tolerance):
        failed = call(work.more[0], work.more[1])
    if failed != 0:
        work.system[Acceleration.FAILED] = 1
    return work.attempt[Attempt.RESIDUAL]


@inner
def is_due(sweeps):
    """Return whether to try Newton's method again after this number of sweeps."""
    due = PATIENCE
    while due < sweeps:
        due *= LONGER
    return due == sweeps


@routine
def gauss_seidel(problem, free, offset, r, kept, residual, tolerance, first, stop, work, low, way):
    """Look for the canonical answer, and do sweeps number ``first`` to ``stop`` if there is none.

    Return (sweeps, residual). The answer is looked for before the second sweep, and again after
    ``PATIENCE`` sweeps, and then less and less often; the better of the iterate and ``kept`` is
    kept. Sweeps end when the natural map reaches the tolerance. The residual is checked when a
    sweep changes little, and every tenth sweep. ``residual`` is that of r, infinite if r is an
    exact answer, but not known to be the canonical one. ``way`` is the solver of one contact.
    """
    lowest = -1.0
    n, relaxation = problem.size[ProblemSize.ROWS], work.settings[Setting.RELAXATION]
    newton = n <= len(low.u)
    if first == 1 and newton:
        if n > FEW_ROWS:
            swap(r, kept, n)
        residual = accelerate(n, residual, tolerance, work)
        if residual <= tolerance:
            return first, residual
        if n > FEW_ROWS:
            swap(r, kept, n)
    for k in range(first, stop):
        change = sweep(problem, free, offset, r, relaxation, way, work.local)
        if change <= tolerance or k % 10 == 9:
            residual = natural_map(problem, free, offset, r)
            if residual <= tolerance:
                return k + 1, residual
        if is_due(k + 1):
            residual = natural_map(problem, free, offset, r)
            if newton:
                residual = accelerate(n, residual, tolerance, work)
                if residual <= tolerance:
                    return k + 1, residual
            if lowest < 0.0:
                lowest = natural_map(problem, free, offset, kept)
            if residual < lowest:
                lowest = residual
                copy(r, kept, n)
    return stop, natural_map(problem, free, offset, r)


@inner
def solve_alone(part, work, way):
    """Solve a problem of one contact by one sweep; return its residual."""
    free, offset, r = part.free_velocity, part.offset, part.impulse
    sweep(part, free, offset, r, 1.0, way, work.local)
    return natural_map(part, free, offset, r)


@routine
def solve_groups(problem, free, offset, r, tolerance, first, stop, space, group_space, way):
    """Solve each collision group that misses the tolerance; return (sweeps, residual).

    The number of sweeps is the largest of all groups. If a group is too large for its storage, the
    whole problem is swept after the other groups are solved. Where the matrix is pending, only
    Newton's method is tried, by the factor.
    """
    work, low, given = workspace(space), low_rank(space), factor(space)
    part, groups, own = problem_from_arrays(group_space), group_labels(space), group_factor(space)
    most, worst, n, large = first, 0.0, problem.size[ProblemSize.BLOCKS], False
    whole, pending, enough = work.system[Acceleration.SYSTEM], problem.pending[0] == 1, tolerance
    if pending:
        enough *= SETTLED
    for i in range(n):
        if groups.label[i] != i:
            continue
        residual = groups.error[i]
        if not residual <= enough:
            if not take_out(problem, free, offset, r, work.kept, i, groups, part, given, own):
                large = True
                continue
            work.system[Acceleration.SYSTEM], done = System.GROUP, first
            if not pending:
                done, residual = gauss_seidel(
                    *(part, part.free_velocity, part.offset, part.impulse, groups.kept),
                    *(residual, tolerance, first, stop, work, low, way),
                )
            elif part.size[ProblemSize.BLOCKS] == 1:
                residual = solve_alone(part, work, way)
            elif part.size[ProblemSize.ROWS] <= len(low.u):
                residual = accelerate(part.size[ProblemSize.ROWS], residual, tolerance, work)
            work.system[Acceleration.SYSTEM] = whole
            most = max(most, done)
            if residual <= tolerance:
                copy(part.impulse, groups.kept, part.size[ProblemSize.ROWS])
            put_back(problem, r, work.kept, groups, part)
        if residual > worst or residual != residual:
            worst = residual
    if large and pending:
        return most, math.inf
    if large:
        worst = natural_map(problem, free, offset, r)
        return gauss_seidel(
            *(problem, free, offset, r, work.kept, worst, tolerance, first, stop, work, low, way)
        )
    return most, worst


@routine
def solve_all(problem, free, offset, r, tolerance, first, stop, space, group_space, way):
    """Do one sweep over the whole; then solve each collision group that needs more separately.

    Where the matrix is pending (``complete_matrix``), no sweep is done if r is an answer already
    (one is, after the residual is known, where the product has the matrix), or if Newton's method
    finds that of each group.
    """
    work, low, groups = workspace(space), low_rank(space), group_labels(space)
    if first == 0:
        n, relaxation = problem.size[ProblemSize.ROWS], work.settings[Setting.RELAXATION]
        copy(r, work.kept, n)
        first = 1
        if problem.pending[0] == 1:
            if problem.in_product[0] == 1:
                take_product(factor(space).product, work.D, n)
            residual = natural_map_by_factor(problem, free, offset, r, work, factor(space))
            resting = residual <= tolerance and not slips(problem, r)
            if resting and residual <= SETTLED * tolerance:
                if problem.in_product[0] == 1:  # what little is left must not add up
                    sweep_dense(problem, work.D, free, offset, r, relaxation, way, work.local)
                return 1, residual
            alone = is_one_group(problem)
            if stop > 1 and (n <= len(low.u) if alone else not resting):
                if alone:
                    residual = accelerate(n, math.inf, tolerance, work)
                else:
                    mark_unsolved(problem, free, offset, r, True, groups, work.velocity)
                    residual = solve_groups(
                        *(problem, free, offset, r, tolerance, 1, stop, space, group_space, way)
                    )[1]
                if residual <= tolerance:
                    return 1, residual
                swap(r, work.kept, n)
                first = 2
            if complete_matrix(problem) != 0:
                work.system[Acceleration.FAILED] = 1
                return first, math.inf
        change = sweep(problem, free, offset, r, relaxation, way, work.local)
        alone = problem.size[ProblemSize.BLOCKS] == 1  # the sweep has found its answer
        if alone or stop == 1 or (change <= SETTLED * tolerance and not slips(problem, r)):
            residual = natural_map(problem, free, offset, r)
            if stop == 1 or residual <= SETTLED * tolerance:
                return 1, residual
    residual = math.inf
    if first > 1 or not is_one_group(problem):
        if mark_unsolved(problem, free, offset, r, first == 1, groups, work.velocity) > 1:
            return solve_groups(
                *(problem, free, offset, r, tolerance, first, stop, space, group_space, way)
            )
        residual = groups.error[0]
        if residual <= tolerance:
            return first, residual
    return gauss_seidel(
        *(problem, free, offset, r, work.kept, residual, tolerance, first, stop, work, low, way)
    )


@inner
def is_finite(problem):
    """Return whether all entries of the problem are finite.

    The loop counts bad entries, because compilers vectorise a count but not a sum.
    """
    bad, n = 0, problem.size[ProblemSize.BLOCKS]
    for i in range(n):
        total = problem.gap[i] + problem.mu[i] + problem.restitution[i]
        bad += 0 if abs(total) < math.inf else 1
    for a in range(problem.size[ProblemSize.ROWS]):
        total = problem.free_velocity[a] + problem.velocity[a] + problem.impulse[a]
        bad += 0 if abs(total) < math.inf else 1
    if problem.pending[0] == 1:
        for i in range(n):
            at = pair_at(problem, i, i)
            for k in range(at, at + (problem.row[i + 1] - problem.row[i]) ** 2):
                bad += 0 if abs(problem.W[k]) < math.inf else 1
    elif n > 0:
        end = problem.pair_data[problem.pair_start[n] - 1]
        end += (problem.row[n] - problem.row[n - 1]) ** 2
        for k in range(end):
            bad += 0 if abs(problem.W[k]) < math.inf else 1
    return bad == 0


@inner
def begin(problem, work):
    """Write the offsets and a clean report; return whether there is anything to solve."""
    report = problem.report
    for k in range(len(report)):
        report[k] = 0.0
    if not is_finite(problem):
        report[ProblemReport.FAILED] = 1.0
        return False
    write_offsets(problem, work)
    if work.settings[Setting.LARGEST_COMPLIANCE] > 0.0:
        soften(problem, work)
    return problem.size[ProblemSize.BLOCKS] > 0


@inner
def conclude(problem, work, sweeps, residual):
    """Write the report; return whether to correct positions (see ``write_push``).

    If the tolerance is not reached and more calls follow (``work.sweeps``), the impulse is left as
    it is; else it becomes the best known one.
    """
    last = work.sweeps[SweepCount.STOP] == work.sweeps[SweepCount.MOST]
    solved = residual <= work.settings[Setting.TOLERANCE]
    if last and not solved:
        kept = natural_map(problem, problem.free_velocity, problem.offset, work.kept)
        if not residual <= kept:  # the residual is NaN if the sweeps have diverged
            copy(work.kept, problem.impulse, problem.size[ProblemSize.ROWS])
            residual = kept
    problem.report[ProblemReport.ITERATIONS], problem.report[ProblemReport.RESIDUAL] = (
        sweeps,
        residual,
    )
    if work.settings[Setting.LARGEST_COMPLIANCE] > 0.0:
        harden(problem, work)
    return (solved or last) and write_push(problem, work)


@inner
def correction_limit(problem, work):
    """Return the natural-map residual at which split impulses are good enough, [m/s]."""
    return min(CORRECTED * problem.metre[0], COARSER * work.settings[Setting.TOLERANCE])


def solver(way):
    """Return the kernel ``solve(table, space, group_space)`` for a way of ``kernels.local.choice``.

    The kernel overwrites impulse, offset, correction and report, and returns whether the problem is
    still unsolved. Each way has one kernel, compiled only if it is chosen.
    """

    @kernel
    def solve(table, space, group_space):
        problem, work = problem_from_arrays(table), workspace(space)
        if begin(problem, work):
            free, offset, still = problem.free_velocity, problem.offset, work.still
            limit, work.system[Acceleration.SYSTEM] = work.settings[Setting.TOLERANCE], System.WHOLE
            first, stop = work.sweeps[SweepCount.DONE], work.sweeps[SweepCount.STOP]
            r, push, pushing = problem.impulse, work.push, problem.correction
            done, residual = solve_all(
                problem, free, offset, r, limit, first, stop, space, group_space, way
            )
            if conclude(problem, work, done, residual):
                most = min(work.sweeps[SweepCount.MOST], CORRECTION_SWEEPS)
                work.system[Acceleration.SYSTEM] = System.CORRECTION
                limit = correction_limit(problem, work)
                solve_all(problem, still, push, pushing, limit, 0, most, space, group_space, way)
        solved = problem.report[ProblemReport.RESIDUAL] <= work.settings[Setting.TOLERANCE]
        solved = solved and work.system[Acceleration.FAILED] == 0
        return problem.report[ProblemReport.FAILED] != 0.0 or not solved

    return solve


hybrid, enumerative = solver(HYBRID), solver(ENUMERATIVE)
local_newton, duriez = solver(LOCAL_NEWTON), solver(DURIEZ)
