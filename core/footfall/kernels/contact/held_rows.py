"""Rows of contacts and joints that loops hold by themselves, such as those of a bolted foot."""

from __future__ import annotations

from footfall.jit.compiling import inner

CONE = 3


@inner
def hold_rows(problem, ground, Z, begin, end, b):
    """Give block b's rows that nothing moves the velocity that they have: that of the ground alone.

    ``Z[begin:end]`` are its sides after the loops have been taken out of them. Velocities end a
    step along chords of the loops; seen from such a row that would be motion, of order dt.
    """
    first, c = problem.row[b], problem.candidate[b]
    for a in range(problem.row[b + 1] - first):
        size = 0.0
        for i in range(begin + a, end, 3):
            size += abs(Z[i])
        if size > 0.0:
            continue
        speed = 0.0
        if problem.kind[b] == CONE and c < len(ground.gap):
            for k in range(3):
                speed -= problem.frame[b, a, k] * ground.velocity[c, k]
        problem.velocity[first + a] = problem.free_velocity[first + a] = speed
