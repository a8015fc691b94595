"""What contacts have done in a step: impulses, status and mean forces, candidate by candidate."""

from __future__ import annotations

import math

from footfall.jit.compiling import inner
from footfall.kernels.contact.detected import RELEASE, release_detected
from footfall.spatial.rotation import tangent_basis


@inner
def add_impulses(candidates, detected, problem):
    """Add the problem's impulses to the sums of the step."""
    declared = len(candidates.link)
    for b in range(problem.size[0]):
        c = problem.candidate[b]
        if c < 0:
            continue
        for k in range(3):
            if c < declared:
                candidates.impulse[c, k] += problem.impulse[3 * b + k]
            else:
                detected.impulse[c - declared, k] += problem.impulse[3 * b + k]


@inner
def status_of(problem, b, target):
    """Return 0 if block b's contact is open, 1 if it sticks, 2 if it slips.

    It slips if its impulse is on the cone (to 1e-6) and it moves (over 1e-9 m/s).
    """
    at = 3 * b
    r_n = problem.impulse[at + 2]
    if not r_n > 0.0:
        return 0.0
    r_t = math.hypot(problem.impulse[at], problem.impulse[at + 1])
    u_t = math.hypot(target[at], target[at + 1])
    return 2.0 if r_t >= (1.0 - 1e-6) * problem.mu[b] * r_n and u_t > 1e-9 else 1.0


@inner
def collect_forces(candidates, detected, problem, state, target):
    """Book impulses by candidate: warm start, sum over the step, status, touching."""
    declared = len(candidates.link)
    add_impulses(candidates, detected, problem)
    release_detected(detected, state)
    for c in range(declared):
        candidates.status[c] = 0.0
        near = candidates.gap[c] <= (RELEASE if state.touching[c] != 0.0 else 0.0)
        state.touching[c] = 1.0 if near else 0.0
        for k in range(3):
            state.impulse[c, k] = 0.0
    for b in range(problem.size[0]):
        c = problem.candidate[b]
        if c < 0:
            continue
        status = status_of(problem, b, target)
        if c < declared:
            for k in range(3):
                state.impulse[c, k] = problem.impulse[3 * b + k]
            candidates.status[c] = status
            state.touching[c] = max(state.touching[c], min(status, 1.0))
            continue
        d = c - declared
        for k in range(3):
            state.detected_impulse[d, k] = problem.impulse[3 * b + k]
        detected.status[d] = status
        state.detected_touching[d] = max(state.detected_touching[d], min(status, 1.0))


@inner
def mean_forces(candidates, ground, frame, dt):
    """Write the mean world force of the step of each candidate from its summed impulse."""
    for c in range(len(candidates.link)):
        i0, i1, i2 = candidates.impulse[c, 0], candidates.impulse[c, 1], candidates.impulse[c, 2]
        if i0 == 0.0 and i1 == 0.0 and i2 == 0.0:
            for k in range(3):
                candidates.force[c, k] = 0.0
            continue
        tangent_basis(ground.normal, c, frame, 0)
        for k in range(3):
            candidates.force[c, k] = (
                frame[0, 0, k] * i0 + frame[0, 1, k] * i1 + frame[0, 2, k] * i2
            ) / dt
