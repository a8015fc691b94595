"""The offset that the law adds to ``J v+``: gaps, restitution, compliance of contacts."""

from __future__ import annotations

from footfall.api.contact import BlockKind, ProblemReport, ProblemSize
from footfall.api.kernels import inner
from footfall_coulomb.kernels.sweep import pair_at
from footfall_coulomb.workspace import Setting

ROUNDING, GROWTH = 1e-12, 1.01
"""Gap up to which a point touches, [m]: rounding of a place. Over a step it would be a velocity
that no motion has, where several points of a body touch. What is above counts this many times, up
to the gap itself, at 1e-10 m: if one of the points had its whole gap at once, it would carry
nothing."""
FREE = 1e30
"""A velocity away from the ground so large that the point is never held, [m/s]."""


@inner
def compliance_of(problem, work, i):
    """Return the compliance of a block, [m/N]; 0 if rigid, in an impact, or not a contact."""
    rigid = work.settings[Setting.LARGEST_COMPLIANCE] == 0.0
    if rigid or problem.kind[i] != BlockKind.CONE or problem.size[ProblemSize.IMPULSIVE] == 1:
        return 0.0
    return work.compliance[problem.candidate[i]]


@inner
def write_offsets(problem, work):
    """Write the offsets: ``gap / dt`` for open points; in an impact ``e u_n-``.

    Moreau's form of Newton's hypothesis, ``0 <= r_n  perp  u_n+ + e u_n- >= 0``, also holds for
    separating points. It gains no energy if all points have the same e and there is no friction. A
    compliant contact below the ground's surface has the offset ``gap / (dt + damping time)``.
    """
    impulsive, dt = problem.size[ProblemSize.IMPULSIVE] == 1, problem.dt[0]
    rounding = ROUNDING * problem.metre[0]
    for i in range(problem.size[ProblemSize.BLOCKS]):
        last, gap = problem.row[i + 1] - 1, problem.gap[i]
        for a in range(problem.row[i], last + 1):
            problem.offset[a] = 0.0
        if problem.kind[i] == BlockKind.BOX:
            continue
        if impulsive:
            problem.offset[last] = problem.restitution[i] * problem.velocity[last]
        else:
            problem.offset[last] = max(min(gap, GROWTH * (gap - rounding)), 0.0) / dt
            if gap < 0.0 and compliance_of(problem, work, i) > 0.0:
                problem.offset[last] = gap / (dt + work.settings[Setting.DAMPING_TIME])


@inner
def softness(problem, work, i):
    """Return the term that compliance adds to W_nn of a contact, [1/kg].

    ``f = r_n / dt`` with ``compliance f = -(gap + dt u_n) - damping_time u_n`` gives
    ``u_n + gap / (dt + damping_time) + compliance / (dt (dt + damping_time)) r_n = 0``. Above the
    ground there is no damping: the damping time is 0.
    """
    dt = problem.dt[0]
    delay = work.settings[Setting.DAMPING_TIME] if problem.gap[i] < 0.0 else 0.0
    return compliance_of(problem, work, i) / (dt * (dt + delay))


@inner
def soften(problem, work):
    """Add the compliance of every contact to its W_nn; keep the rigid entries."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if compliance_of(problem, work, i) > 0.0:
            nn = pair_at(problem, i, i) + 8
            work.stiff[i] = problem.W[nn]
            problem.W[nn] += softness(problem, work, i)


@inner
def harden(problem, work):
    """Restore W, and add the compliant velocity to the offset: ``u = W r + free + offset``."""
    for i in range(problem.size[ProblemSize.BLOCKS]):
        if compliance_of(problem, work, i) > 0.0:
            problem.W[pair_at(problem, i, i) + 8] = work.stiff[i]
            last = problem.row[i] + 2
            problem.offset[last] += softness(problem, work, i) * problem.impulse[last]


@inner
def write_push(problem, work):
    """Write the velocities that split impulses must reach; return whether there are any.

    ``w = W p``; a point deeper than the slop gets ``w_n >= gain (depth - slop) / dt``, other
    touching points ``w_n >= 0``, with friction, so that feet do not creep. Only positions move.
    Compliant contacts rest below the ground: they are not pushed, and may move freely.
    """
    n, dt = problem.size[ProblemSize.BLOCKS], problem.dt[0]
    gain, slop = work.settings[Setting.POSITION_GAIN], work.settings[Setting.POSITION_SLOP]
    deep = False
    for i in range(n):
        for a in range(problem.row[i], problem.row[i + 1]):
            problem.correction[a] = 0.0
        if problem.kind[i] == BlockKind.CONE and problem.gap[i] < -slop:
            deep = deep or compliance_of(problem, work, i) == 0.0
    if not deep or gain == 0.0 or problem.size[ProblemSize.IMPULSIVE] == 1:
        return False
    push = work.push
    for i in range(n):
        last = problem.row[i + 1] - 1
        for a in range(problem.row[i], last + 1):
            push[a] = 0.0
        # The velocity may already bring a joint to its limit: corrections move it no further.
        push[last] = max(problem.gap[i], 0.0) / dt if problem.kind[i] == BlockKind.CONE else 0.0
        if compliance_of(problem, work, i) > 0.0:
            push[last] = FREE
        elif problem.gap[i] < -slop:
            push[last] = gain * (problem.gap[i] + slop) / dt
    problem.report[ProblemReport.CORRECTS] = 1.0
    return True
