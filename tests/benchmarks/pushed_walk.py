"""The largest push that the walking humanoid survives: python -m tests.benchmarks.pushed_walk.

A push of 0.2 s at the chest, as in ``humanoid/walking_pushed``, in four directions and at several
instants of a step. Its impulse grows by 1 N s until the robot falls: the largest that it survived,
as it did all smaller ones, is printed. ``KEY=VALUE`` arguments are settings of the scene.
"""

import sys

import numpy as np

import footfall
from footfall.scene.overrides import parse_assignments

DIRECTIONS = {
    "forwards": (1.0, 0.0),
    "backwards": (-1.0, 0.0),
    "left": (0.0, 1.0),
    "right": (0.0, -1.0),
}
DURATION = 0.2
"""Of a push, [s]."""
POINT = (0.0, 0.0, 0.2)
"""On the chest, [m]."""
PHASES = (0.0, 0.2, 0.4, 0.6)
"""Starts of pushes after the right foot lifts for its third step, [s]; it swings for 0.65 s."""
LIFT = 6.4
"""When it does, [s]."""
WATCHED = 4.0
"""How long the robot is watched from the start of the push, [s]: five steps."""
LEAST = 0.7
"""Height of the base below which the robot has fallen, [m]; it walks at 0.83 m."""
UPRIGHT = 10.0
"""Greatest angle of the trunk with the vertical at the end, [degrees]."""


def walk_until(time, settings=None):
    """Return a simulator of the walk at a time, and its state there."""
    sim = footfall.load("humanoid/walking", settings or {})
    while sim.time < time - 1e-9:
        sim.step()
    return sim, sim.state.copy()


def survives(sim, state, direction, impulse):
    """Whether the robot walks on after a push [N s] in a direction, from a state on."""
    sim.state.restore(state)
    force = (*(impulse / DURATION * np.array(DIRECTIONS[direction])), 0.0)
    for k in range(round(WATCHED / sim.time_step)):
        if k < round(DURATION / sim.time_step):
            sim.push("chest", force=force, point=POINT)
        sim.step()
        if sim.q[2] < LEAST:
            return False
    return bool(2.0 * np.degrees(np.arcsin(min(np.hypot(*sim.q[3:5]), 1.0))) < UPRIGHT)


def largest(sim, state, direction, most=60):
    """Return the largest impulse of whole N s that it survives, and all smaller ones."""
    fatal = (n for n in range(1, most + 1) if not survives(sim, state, direction, float(n)))
    return next(fatal, most + 1) - 1


def main():
    """Print a table."""
    settings = parse_assignments(sys.argv[1:])
    print(f"{'[N s]':>12}" + "".join(f"{name:>12}" for name in DIRECTIONS))
    for phase in PHASES:
        sim, state = walk_until(LIFT + phase, settings)
        found = [largest(sim, state, name) for name in DIRECTIONS]
        print(f"{phase:10.1f} s" + "".join(f"{n:12d}" for n in found), flush=True)


if __name__ == "__main__":
    main()
