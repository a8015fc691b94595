"""Microseconds per step of bodies that touch each other, beside MuJoCo's on the same boxes.

Footfall's step has the recorder on, with its table of contacts, which a thread writes meanwhile.
The wall time lasts until all is written; the processor time of all threads is printed beside it.
MuJoCo has the same boxes, plane, friction and time step, and its default settings; its contacts
are soft. ``grasp`` has no twin, and its law has the tolerance of its scene.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import numpy as np

import footfall
from footfall.api.contact import ProblemSize
from footfall_bench.timed_run import measure_recorded, settle
from footfall_bench.timing import Burst, timed
from footfall_stepper.api import StepperSimulator, stepped

SIDE, FRICTION, STEP = 0.1, 0.5, 1e-3
PILED = 30
SINGLE = 300
"""Most steps of a case that are timed one by one after each burst; the twin makes as many."""


class Case(NamedTuple):
    """A timed case: simulator, steps before, steps in a burst, and boxes of the twin."""

    sim: StepperSimulator
    before: int
    steps: int
    boxes: list[dict[str, Any]]


def boxes(places: list[dict[str, Any]], tolerance: float, step: float = STEP) -> StepperSimulator:
    """Return a simulator of equal boxes on a plane; tolerance of the law, [m/s]; step, [s]."""
    shape = {"type": "box", "size": [SIDE] * 3}
    tables = {
        "simulation": {"duration": 1.0, "time_step": step},
        "contact": {"plugin": "coulomb", "tolerance": tolerance},
        "world": {"terrain": {"plugin": "plane", "friction": FRICTION}},
        "bodies": {
            f"box{k}": {"shape": shape, "mass": 1.0, "friction": FRICTION, **place}
            for k, place in enumerate(places)
        },
    }
    registry = footfall.discover()
    return stepped(footfall.assemble(footfall.scene_from_dict(tables, registry), registry))


def stack(tolerance: float) -> Case:
    """Return ten boxes that stand on each other."""
    places = [{"base_position": [0.0, 0.0, SIDE * (0.5 + k)]} for k in range(10)]
    return Case(boxes(places, tolerance), 3000, 3000, places)


def pile(tolerance: float, step: float = STEP) -> Case:
    """Return thirty boxes that fall and tumble onto each other, from the first impacts to rest."""
    rng, places = np.random.default_rng(0), []
    for k in range(PILED):
        x, y, z = 0.2 * (k % 3), 0.2 * (k // 3 % 3), 0.12 + 0.2 * (k // 9)
        place = [x + 0.02 * rng.random(), y + 0.02 * rng.random(), z]
        turn = rng.standard_normal(3).tolist()
        places.append({"base_position": place, "base_orientation": turn})
    return Case(boxes(places, tolerance, step), 100, 80, places)


def grasp(tolerance: float) -> Case:
    """Return the humanoid that holds a box with both hands: about 40 contact points."""
    return Case(stepped(footfall.load("humanoid/grasp")), 7000, 100, [])


CASES: dict[str, Callable[[float], Case]] = {"stack": stack, "pile": pile, "grasp": grasp}


def twin_model(places: list[dict[str, Any]]) -> Any:
    """Return the MuJoCo model of the same boxes."""
    import mujoco

    bodies = "".join(
        f'<body pos="{" ".join(map(str, place["base_position"]))}" '
        f'euler="{" ".join(map(str, place.get("base_orientation", [0, 0, 0])))}"><freejoint/>'
        f'<geom type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}" mass="1"/></body>'
        for place in places
    )
    # Footfall's angles are roll, pitch, yaw about fixed axes.
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><option timestep="{STEP}"/>'
        f'<default><geom friction="{FRICTION} 0 0" condim="3"/></default>'
        f'<worldbody><geom type="plane" size="0 0 1"/>{bodies}</worldbody></mujoco>'
    )


def twin(places: list[dict[str, Any]]) -> Burst:
    """Return a function that makes n steps of the same boxes in MuJoCo."""
    import mujoco

    from footfall_bench.mujoco_twin import Twin

    model = twin_model(places)
    return Twin(model, mujoco.MjData(model), None).burst


def measure(name: str, repeats: int, tolerance: float, *, beside: bool) -> str:
    """Time a case in turn with its twin and return a line of figures.

    Args:
        name: name of the case.
        repeats: number of bursts of each.
        tolerance: tolerance of the contact law, [m/s].
        beside: whether to time the twin; ``grasp`` has none.
    """
    case = CASES[name](tolerance)
    ours: list[float] = []
    theirs: list[float] = []
    points: list[int] = []
    busy: list[float] = []
    single: list[float] = []
    other = twin(case.boxes) if case.boxes and beside else None
    singles = min(case.steps, SINGLE)
    made = 1 + (case.steps + singles) * repeats
    settle(CASES[name](tolerance).sim, (case.before + made) * STEP)  # compiles what it needs
    settle(case.sim, case.before * STEP)
    if other is not None:
        other(case.before)

    def bursts(make: Burst) -> None:
        make(1)  # prepares the run
        if other is not None:
            other(1)
        for _ in range(repeats):
            start = process_time()
            ours.append(timed(make, case.steps))
            busy.append(1e6 * (process_time() - start) / case.steps)
            single.extend(timed(make, 1) for _ in range(singles))
            points.append(int(case.sim.world.problem.size[ProblemSize.BLOCKS]))
            if other is not None:
                theirs.append(timed(other, case.steps))
                other(singles)

    report = measure_recorded(case.sim, made, bursts)
    line = (
        f"{name:<7}{np.mean(points):6.0f} points{report.iterations:8.1f} sweeps"
        f"{np.median(ours):10.1f} us (mean {np.mean(ours):.1f}, {min(ours):.1f} .. {max(ours):.1f};"
        f" processor {np.median(busy):.1f} us; single steps: median {np.median(single):.1f},"
        f" 99 % up to {np.percentile(single, 99):.0f}, longest {max(single):.0f} us)"
    )
    if theirs:
        line += f"   MuJoCo {np.median(theirs):.1f} us (mean {np.mean(theirs):.1f})"
        line += f"   ratio of means {np.mean(ours) / np.mean(theirs):.2f}"
    return f"{line}   worst residual {report.natural_map_worst:.1e} m/s"
