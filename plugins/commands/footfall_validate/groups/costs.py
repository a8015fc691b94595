"""The savings of collision groups: cubes on the ground as one contact problem and as many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np

from footfall import assemble, scene_from_dict
from footfall.api.contact import ContactProblem
from footfall.api.plugin import Floats
from footfall.testing.check import subject_of
from footfall_stepper.api import StepperSimulator, stepped

SIDE = 0.1
"""Edge of a cube, [m]."""
APART = 0.15
"""Distance from one cube to the next, [m]."""
SETTLE = 20
"""Steps before the measurement."""
BURSTS = 9
"""Number of bursts; the fastest counts."""
BURST_TIME = 4e-3
"""Least length of a burst, [s]."""
MOST_DENSE = 30
"""Most cubes that are also solved as one group, whose matrix is dense."""
VELOCITY = (0.1, -0.05, -0.02, 0.2, 0.3, 0.5)
"""Velocity of each cube, [m/s, rad/s]: it is pressed down, slides, turns and tips."""


@dataclass(frozen=True, slots=True)
class GroupCost:
    """Cost of k cubes.

    Attributes:
        cubes: number of cubes k.
        contacts: number of contact points.
        groups: number of collision groups.
        one_group: processor time of the law with all contacts in one dense matrix, [s]; NaN if
            not measured.
        many_groups: time of the law on the sparse problem, [s].
        step: time of a whole step with collision detection, [s].
        difference: largest difference of the two answers' velocities, [m/s]; NaN if not measured.
        entries: number of entries of the sparse Delassus matrix.
    """

    cubes: int
    contacts: int
    groups: int
    one_group: float
    many_groups: float
    step: float
    difference: float
    entries: int


def field_of_cubes(k: int) -> StepperSimulator:
    """Return a scene of k cubes that stand apart on the ground, each on four corners."""
    across = int(np.ceil(np.sqrt(k)))
    shape = {"type": "box", "size": [SIDE, SIDE, SIDE]}
    cube = {"shape": shape, "friction": 0.5, "mass": 1.0}
    places = [[APART * (i % across), APART * (i // across), 0.5 * SIDE] for i in range(k)]
    scene = {
        "simulation": {"duration": 1.0},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": {f"cube_{i}": {**cube, "base_position": place} for i, place in enumerate(places)},
    }
    return stepped(assemble(scene_from_dict(scene, name=f"{k} cubes")))


def measure_groups(k: int) -> GroupCost:
    """Measure k cubes: the law from a cold start on one step's problem, and whole steps."""
    sim = field_of_cubes(k)
    for _ in range(SETTLE):
        sim.step()
    step = _fastest(sim.step)
    # All cubes move alike, so that k cubes are k times the same work.
    sim.v[:] = np.tile(VELOCITY, k)
    sim.stepper.observe(sim.time)
    problem = sim.stepper.problem
    many, velocity = _solve(problem)
    one, difference = np.nan, np.nan
    if k <= MOST_DENSE:
        one, other = _solve(as_one_group(problem))
        difference = float(np.abs(velocity - other).max())
    entries = int(problem.arrays.pair_start[problem.n_blocks]) * 9
    return GroupCost(
        k, problem.n_blocks, len(problem.groups()), one, many, step, difference, entries
    )


def as_one_group(problem: ContactProblem) -> ContactProblem:
    """Return the same problem with one dense matrix over all its contacts."""
    return ContactProblem.from_dense(
        problem.delassus(),
        problem.free_velocity.copy(),
        problem.mu.copy(),
        velocity=problem.velocity.copy(),
        restitution=problem.restitution.copy(),
        gap=problem.gap.copy(),
        dt=problem.dt,
    )


def _solve(problem: ContactProblem) -> tuple[float, Floats]:
    """Return the time of the default law from a cold start, [s], and the resulting velocities.

    Uses sweeps alone, which do the same work in both forms of a problem; the law's acceleration
    depends on the size of a group.
    """
    law = subject_of("contact", "coulomb", config={"acceleration": "none"}).make()

    def once() -> None:
        problem.impulse[:] = 0.0
        law.solve(problem, {})

    seconds = _fastest(once)
    return seconds, problem.delassus() @ problem.impulse + problem.free_velocity


def _fastest(call: Callable[[], None]) -> float:
    """Return the time of a call, [s], as the fastest of several bursts."""
    call()
    start = process_time()
    call()
    repeats = max(1, int(BURST_TIME / max(process_time() - start, 1e-9)))
    best = np.inf
    for _ in range(BURSTS):
        start = process_time()
        for _ in range(repeats):
            call()
        best = min(best, (process_time() - start) / repeats)
    return float(best)


def slope(costs: Sequence[GroupCost], what: str, first: int = 5) -> float:
    """Return the exponent of a cost's growth from ``first`` cubes on, by least squares.

    Args:
        costs: measured costs.
        what: ``one_group``, ``many_groups`` or ``step``.
        first: smallest number of cubes to use.
    """
    points = [(c.cubes, getattr(c, what)) for c in costs if c.cubes >= first]
    x, y = np.log(np.array([(k, t) for k, t in points if np.isfinite(t)])).T
    return float(np.polyfit(x, y, 1)[0])
