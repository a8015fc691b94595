"""Sweeps over contacts with torsional and rolling friction; Newton steps if sweeps are slow."""

from __future__ import annotations

from footfall.api.contact import BlockKind, ProblemReport, ProblemSize, problem_from_arrays
from footfall.api.kernels import inner, kernel, opener, routine
from footfall_coulomb.kernels.gauss_seidel import (
    CORRECTION_SWEEPS,
    begin,
    copy,
    correction_limit,
    is_due,
)
from footfall_coulomb.kernels.local.choice import HYBRID
from footfall_coulomb.kernels.moments.newton import find
from footfall_coulomb.kernels.moments.six_rows import SixRows, natural_map, relax_six_rows
from footfall_coulomb.kernels.offset import harden, write_push
from footfall_coulomb.kernels.sweep import cone_velocity, relax_cone, relax_row, row_velocity
from footfall_coulomb.workspace import Setting, SweepCount, Workspace, workspace

six_rows = opener(SixRows, len(Workspace._fields))
"""Opener of the scratch; its table holds a ``Workspace``, then the scratch."""


@inner
def sweep(problem, free, offset, r, six, local):
    """Do one Gauss-Seidel sweep; return the largest change, [m/s]."""
    change = 0.0
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if problem.kind[i] == BlockKind.CONE:
            if problem.moments[i] >= 0:
                change = max(change, relax_six_rows(problem, free, offset, r, i, six))
            else:
                u0, u1, u2, w = cone_velocity(problem, free, offset, r, i)
                moved = relax_cone(problem, r, i, u0, u1, u2, w, 1.0, HYBRID, local)
                change = max(change, moved)
        elif problem.kind[i] != BlockKind.MOMENT:
            u = row_velocity(problem, free, offset, r, i, 0)
            change = max(change, relax_row(problem, r, i, u))
    return change


@routine
def sweeps(problem, free, offset, r, tolerance, first, stop, work, six):
    """Do sweeps number ``first`` to ``stop``; return (sweeps, residual).

    They end when the natural map reaches the tolerance. The best of the iterates that are measured
    is kept. After one sweep, after ten, and then less and less often, Newton's method is tried if
    the problem is small enough (``kernels.gauss_seidel.is_due``).
    """
    n, best = problem.size[ProblemSize.ROWS], natural_map(problem, free, offset, r, six)
    copy(r, work.kept, n)
    done = first
    for k in range(first, stop):
        change, done = sweep(problem, free, offset, r, six, work.local), k + 1
        due = k == 0 or is_due(k + 1)
        if change <= tolerance or k % 10 == 9 or due or k == first or k == stop - 1:
            residual = natural_map(problem, free, offset, r, six)
            if due and residual > tolerance and n <= len(work.u):
                residual = find(problem, free, offset, r, residual, tolerance, work, six)
            if residual < best or best != best:
                best = residual
                copy(r, work.kept, n)
            if best <= tolerance:
                break
    copy(work.kept, r, n)
    return done, best


@kernel
def solve(table, space):
    """Overwrite impulse, offset, correction and report; return whether it is still unsolved."""
    problem, work, six = problem_from_arrays(table), workspace(space), six_rows(space)
    if begin(problem, work):
        free, offset = problem.free_velocity, problem.offset
        limit = work.settings[Setting.TOLERANCE]
        first, stop = work.sweeps[SweepCount.DONE], work.sweeps[SweepCount.STOP]
        r = problem.impulse
        done, residual = sweeps(problem, free, offset, r, limit, first, stop, work, six)
        problem.report[ProblemReport.ITERATIONS], problem.report[ProblemReport.RESIDUAL] = (
            done,
            residual,
        )
        if work.settings[Setting.LARGEST_COMPLIANCE] > 0.0:
            harden(problem, work)
        last = stop == work.sweeps[SweepCount.MOST]
        if (residual <= limit or last) and write_push(problem, work):
            most = min(work.sweeps[SweepCount.MOST], CORRECTION_SWEEPS)
            still, push, pushing = work.still, work.push, problem.correction
            limit = correction_limit(problem, work)
            sweeps(problem, still, push, pushing, limit, 0, most, work, six)
    return (
        problem.report[ProblemReport.FAILED] != 0.0
        or not problem.report[ProblemReport.RESIDUAL] <= work.settings[Setting.TOLERANCE]
    )
