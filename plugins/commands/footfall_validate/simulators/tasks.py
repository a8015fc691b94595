"""Tasks with known answers, and functions to play them in several simulators."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from footfall import assemble, load, scene_from_dict
from footfall.api.plugin import Floats, FootfallError, RobotWarning, error_line
from footfall_stepper.api import StepperSimulator, stepped
from footfall_validate.tosses import recorded
from footfall_validate.tosses.recorded import INERTIA, MASS, MU, RATE, WIDTH, read_tosses

G = 9.81
"""Gravity, [m/s^2]."""
DT = 1e-3
"""Time step of all tasks except the tosses, [s]."""
TOSS_STEPS = 10
"""Steps between two rows of a toss."""

FAIR: dict[str, Mapping[str, Any]] = {
    "footfall": {},
    "mujoco": {"cone": "elliptic", "solref": (2.0 * DT, 1.0)},
    "drake": {"discrete_contact_approximation": "similar", "hydroelastic_modulus": 1e8},
}
"""Settings with which each simulator is as stiff as its manual advises. MuJoCo: the elliptic cone
instead of the pyramid, and a time constant of contacts of two steps. Drake: friction by the normal
force of the same step, which an impact needs, and shapes with surfaces; its points are near-rigid
by default."""
DEFAULT: dict[str, Mapping[str, Any]] = {name: {} for name in ("mujoco", "drake")}


@dataclass(frozen=True, slots=True)
class Task:
    """A task with a known answer.

    Attributes:
        name: name of the task.
        what: description.
        answer: quantity that the error is of, with its unit.
        duration: simulated time, [s].
        make: function that makes the simulator from overrides.
        error: function of the rows of q, shape (steps, nq), and of the simulator at the end.
    """

    name: str
    what: str
    answer: str
    duration: float
    make: Callable[[Mapping[str, Any]], StepperSimulator]
    error: Callable[[Floats, StepperSimulator], float]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a simulator on a task.

    Attributes:
        task: name of the task.
        simulator: name of the simulator.
        settings: ``fair`` or ``default``.
        error: error in the task's unit.
        natural_map: median and largest of the run's residuals, [m/s].
        penetration: largest penetration, [m].
        microseconds: median processor time of a step: all of it, and the share of the other
            simulator's own call.
        failure: reason why it did not finish; empty if it did.
    """

    task: str
    simulator: str
    settings: str
    error: float = float("nan")
    natural_map: tuple[float, float] = (float("nan"), float("nan"))
    penetration: float = float("nan")
    microseconds: tuple[float, float] = (float("nan"), float("nan"))
    failure: str = ""


def overrides(simulator: str, settings: str, dt: float = DT) -> dict[str, Any]:
    """Return the overrides with which a simulator makes steps of length dt."""
    chosen: dict[str, Any] = {"simulator.plugin": simulator, "visualizer.plugin": "none"}
    for key, value in (FAIR if settings == "fair" else DEFAULT)[simulator].items():
        chosen[f"simulator.{key}"] = (2.0 * dt, 1.0) if key == "solref" else value
    return chosen


@contextmanager
def untold() -> Iterator[None]:
    """Ignore the notes of a simulator; the page prints them once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        yield


def play(task: Task, simulator: str, settings: str) -> Outcome:
    """Play a task and measure error, residuals, penetration and processor time."""
    try:
        with untold():
            sim = task.make(overrides(simulator, settings))
            rows, figures = _steps(sim, round(task.duration / sim.time_step))
    except FootfallError as error:
        return Outcome(task.name, simulator, settings, failure=error_line(error))
    maps, depths, spent, inside = figures.T
    return Outcome(
        task.name,
        simulator,
        settings,
        task.error(rows, sim),
        (float(np.median(maps)), float(maps.max())),
        float(depths.max()),
        (1e6 * float(np.median(spent)), 1e6 * float(np.median(inside))),
    )


def _steps(sim: StepperSimulator, count: int) -> tuple[Floats, Floats]:
    """Make steps; return q after each, and natural map, penetration and times [s] of each."""
    rows, figures, guest = np.empty((count, len(sim.q))), np.empty((count, 4)), sim.stepper.guest
    for n in range(count):
        start = process_time()
        sim.step()
        spent = process_time() - start
        rows[n] = sim.q
        signals = sim.signal("residual_natural_map"), sim.signal("penetration")
        figures[n] = *map(float, signals), spent, guest.inside if guest else spent
    return rows, figures


def tables(
    overrides: Mapping[str, Any], bodies: Mapping[str, Any], **more: Any
) -> StepperSimulator:
    """Assemble bodies above a plane with friction 0.5."""
    chosen = {k.partition(".")[2]: v for k, v in overrides.items() if k.startswith("simulator.")}
    scene = {
        "simulation": {"time_step": DT},
        "simulator": chosen,
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": bodies,
        "visualizer": {"plugin": "none"},
        **more,
    }
    return stepped(assemble(scene_from_dict(scene)))


def _cube(**start: Any) -> dict[str, Any]:
    return {"cube": {"robot": "cube", **start}}


def _fall(rows: Floats, sim: StepperSimulator) -> float:
    """Compare a flat fall from 0.5 m, without rebound, with its closed form, [mm]."""
    time = DT * (1 + np.arange(len(rows)))
    expected = np.maximum(0.5 - 0.5 * G * time**2, 0.05)
    return 1e3 * float(np.abs(rows[:, 2] - expected).mean())


def _way(expected: float) -> Callable[[Floats, StepperSimulator], float]:
    """Return a function that compares the distance of a cube with a closed form, [mm]."""
    return lambda rows, sim: 1e3 * abs(float(rows[-1, 0]) - expected)


def _moved(rows: Floats, sim: StepperSimulator) -> float:
    """Return the largest displacement of several boxes from their start, [mm]."""
    places = rows[-1].reshape(-1, 7)[:, :3]
    put = np.column_stack([np.zeros((10, 2)), 0.05 + 0.1 * np.arange(10)])
    return 1e3 * float(np.abs(places - put).max())


def _weight(rows: Floats, sim: StepperSimulator) -> float:
    """Compare the total vertical contact force with the weight, [%]."""
    carried = float(sim.signal("contact_force").reshape(-1, 3)[:, 2].sum())
    return 1e2 * abs(carried / (sim.world.mass * G) - 1.0)


PUSH, PUSHED = 2.0 * 0.5 * G, 0.5
"""Force on the cube of 1 kg [N], twice its friction, and its duration [s]."""


def tasks() -> list[Task]:
    """Return all tasks except the tosses."""
    speed = (PUSH - 0.5 * G) * PUSHED
    slide = 0.5 * speed * PUSHED + speed**2 / (2.0 * 0.5 * G)
    stack = {
        "cube": {
            "robot": "cube",
            "base_position": (0.0, 0.0, 0.05),
            "copies": (1, 1, 10),
            "spacing": (0.0, 0.0, 0.1),
        }
    }
    push = {"link": "cube", "force": (PUSH, 0.0, 0.0), "start": 0.0, "duration": PUSHED}
    rest = {"base_position": (0.0, 0.0, 0.05)}
    return [
        Task(
            "standing",
            "the humanoid of `humanoid/standing` stands for 1 s",
            "vertical force minus weight, at the end [% of the weight]",
            1.0,
            lambda given: stepped(load("humanoid/standing", given)),
            _weight,
        ),
        Task(
            "drop",
            "a cube of 0.1 m falls flat from 0.5 m and stays down",
            "height minus exact height, mean over 0.6 s [mm]",
            0.6,
            lambda given: tables(given, _cube(base_position=(0.0, 0.0, 0.5))),
            _fall,
        ),
        Task(
            "sliding cube",
            "a cube pushed off at 2 m/s slides to a stop",
            "distance minus 0.4077 m [mm]",
            0.6,
            lambda given: tables(given, _cube(base_linear_velocity=(2.0, 0.0, 0.0), **rest)),
            _way(2.0**2 / (2.0 * 0.5 * G)),
        ),
        Task(
            "ten boxes",
            "ten cubes stand on each other for 0.5 s",
            "largest displacement of a cube [mm]",
            0.5,
            lambda given: tables(given, stack, collisions={"detect": True}),
            _moved,
        ),
        Task(
            "push",
            f"a cube is pushed with {PUSH:.2f} N for {PUSHED:g} s, then slides to a stop",
            f"distance minus {slide:.4f} m [mm]",
            1.2,
            lambda given: tables(given, _cube(**rest), pushes=[push]),
            _way(slide),
        ),
    ]


TOSSED = """\
description = "The tossed cube"
[model]
file = "model.urdf"
[contact]
friction = {mu}
[[contact_features]]
frame = "cube"
kind = "point"
points = {points}
"""
URDF = """\
<robot name="cube"><link name="cube"><inertial><mass value="{mass}"/>
<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>
"""


def play_tosses(folder: Path, count: int, simulator: str, settings: str) -> Outcome:
    """Play recorded tosses, evenly chosen, by the protocol of ``footfall validate tosses``.

    Returns:
        The mean position error, [percent of the cube's width], and the processor time of a step,
        median of the tosses.

    Raises:
        DataError: if the tosses cannot be read.
    """
    tosses, dt = read_tosses(folder), 1.0 / RATE / TOSS_STEPS
    chosen = np.unique(np.linspace(0, len(tosses) - 1, count).astype(int))
    half = 0.5 * WIDTH
    sides = (-half, half)
    with tempfile.TemporaryDirectory() as made, untold():
        points = [[x, y, z] for x in sides for y in sides for z in sides]
        robot = Path(made) / "robot.toml"
        robot.write_text(TOSSED.format(mu=MU, points=points))
        (Path(made) / "model.urdf").write_text(URDF.format(mass=MASS, i=INERTIA))
        try:
            sim = tables(
                overrides(simulator, settings, dt),
                {"cube": {"robot": str(robot), "base_position": (0.0, 0.0, 1.0)}},
                simulation={"time_step": dt},
                world={"terrain": {"plugin": "plane", "friction": MU}},
            )
        except FootfallError as error:
            return Outcome("tosses", simulator, settings, failure=error_line(error))
        errors, spent, blank = [], [], sim.state.vector.copy()
        for k in chosen:
            rows, start = tosses.rows(k), process_time()
            played = recorded.play(sim, blank, rows, tosses.ic_vel[k], TOSS_STEPS)
            errors.append(recorded.row_errors(played, rows)[0])
            spent.append((process_time() - start) / (TOSS_STEPS * (len(rows) - 1)))
    failed = int(np.isnan(errors).sum())
    return Outcome(
        "tosses",
        simulator,
        settings,
        float(np.nanmean(errors)) if failed < len(errors) else float("nan"),
        microseconds=(1e6 * float(np.median(spent)), float("nan")),
        failure=f"{failed} of {len(errors)} tosses failed" if failed else "",
    )
