"""Effects of parameters on the gradient that ``kernels.adjoint`` finds."""

from __future__ import annotations

from footfall.api.kernels import inner
from footfall_gradients.kernels.move import Matrix
from footfall_gradients.kernels.part import PartKind, gains_act, half_turning


@inner
def add_masses(topology, a, p, dt):
    """Add the effect of masses to the gradient by parameters."""
    for tree in range(len(a.power)):
        power = a.power[tree]
        if a.kind[tree] == PartKind.BODY and dt > 0.0:
            i, link, v = topology.tree_v[tree] + 3, topology.tree_link[tree], a.v
            h = half_turning(a.body, link, v[i], v[i + 1], v[i + 2], a.small, Matrix.HALF_TURNING)
            for c in range(3):
                power += dt * h[c] * a.multiplier[i + c]
        for k in range(len(a.of_p)):
            a.of_p[k] -= a.factor[tree, k] * power


@inner
def add_parameters(topology, p, given, a, w, t, q, dt):
    """Add the effect of gains, reflected inertia and gravity to the gradient by parameters."""
    for k in range(len(a.of_p)):
        s = 0.0
        for i in range(len(a.x)):
            x, place = a.x[i], topology.dof_q[i]
            d = given.damping[i, k] * dt * x + given.armature[i, k] * (x - a.v[i])
            if place >= 0 and gains_act(a, p, given, i):
                d += given.stiffness[i, k] * dt * (q[place] + dt * x - p.target[i])
                d += given.rate_gain[i, k] * dt * (x - p.target_rate[i])
            d -= given.target[i, k] * dt * a.stiffness[i]
            d -= given.target_rate[i, k] * dt * (a.damping[i] - p.damping[i])
            s += a.multiplier[i] * d
        for i in range(len(a.x)):
            if t.parent[i] < 0 and i == t.last[i]:
                for c in range(3):
                    s -= dt * w.down[i, c] * given.gravity[c, k]
        a.of_p[k] -= s
