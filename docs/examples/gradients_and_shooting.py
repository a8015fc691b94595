"""Aim a throw by exact derivatives through a bounce.
You see Newton's method hit a target behind the bounce within a few iterations."""

import numpy as np
from scipy.spatial.transform import Rotation

import footfall

TARGET = np.array([0.6, 0.3, 0.25])  # where the ball shall be after 0.7 s, [m]
sim = footfall.load("ball/bounce", {"simulation.time_step": 0.005})
start = sim.state.copy()


def throw(velocity):
    """Return the run of 140 steps after a throw with this velocity, [m/s]."""
    sim.state.restore(start)
    sim.v[:3] = velocity
    return footfall.Rollout(sim, 140)


velocity = np.array([0.5, 0.0, 1.0])  # first guess
for iteration in range(8):
    run = throw(velocity)
    miss = run.q[-1, :3] - TARGET
    distance = np.linalg.norm(miss)
    print(f"{iteration}: thrown with {velocity.round(3)} m/s, misses by {distance:.1e} m")
    if distance < 1e-6:
        break
    # Derivatives of the last position by the first velocity, along the ball's own axes.
    axes = Rotation.from_quat(run.q[-1, 3:7]).as_matrix()
    slope = axes @ run.sensitivities(np.eye(6)[:, :3])[-1, :3]
    velocity -= np.linalg.solve(slope, miss)
