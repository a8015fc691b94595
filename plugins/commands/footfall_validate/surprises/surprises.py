"""Twelve surprises for users of simulators, each with one figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from footfall import load
from footfall.api.plugin import Floats, FootfallError
from footfall_stepper.api import StepperSimulator, stepped

G = 9.81
STEPS = (1e-3, 2e-3, 5e-3, 1e-2)
"""Time steps of a sliding cube, [s]."""
SCALES = (0.1, 1.0, 10.0)
"""Sizes of a cube relative to the robot ``cube``, [-]."""
INERTIA = 1e-2 * np.array([1.0, 2.0, 2.5])
"""Principal moments of a body that turns over while it spins about the middle one, [kg m^2]."""
TILTED = np.array([0.2, 0.3, 0.0, np.sqrt(0.87)])
"""Orientation of a cube that is dropped on a corner, x y z w."""
SPIN = (0.01, 5.0, 0.01)
"""Angular velocity of that body, [rad/s]."""
E = 0.5
"""Requested restitution, [-]."""


@dataclass(frozen=True, slots=True)
class Surprise:
    """A surprise, with functions that measure it.

    Attributes:
        name: its usual name.
        figure: the measured figure; 0 is right.
        unit: unit of the figure.
        ours: function that measures it in Footfall with its defaults.
        theirs: name of the function that measures it in ``mujoco_surprises``.
    """

    name: str
    figure: str
    unit: str
    ours: Callable[[], float]
    theirs: str


def run(
    sim: StepperSimulator, duration: float, see: Callable[[StepperSimulator], float] | None = None
) -> float:
    """Make steps; return the largest value of ``see`` after a step."""
    worst = -np.inf
    for _ in range(round(duration / sim.time_step)):
        sim.step()
        if see is not None:
            worst = max(worst, see(sim))
    return worst


def cube(
    velocity: tuple[float, float] = (0.0, 0.0),
    mu: float = 0.5,
    more: Mapping[str, Any] | None = None,
) -> StepperSimulator:
    """Return the cube of 0.1 m and 1 kg on the ground."""
    given = {
        "bodies.cube.base_linear_velocity": [*velocity, 0.0],
        'pairs."cube/terrain".friction': mu,
        "simulation.duration": 100.0,
    }
    return stepped(load("cube/sliding", given | dict(more or {})))


def slope(degrees: float) -> list[float]:
    """Return gravity in the axes of a slope, [m/s^2]."""
    angle = np.radians(degrees)
    return [G * float(np.sin(angle)), 0.0, -G * float(np.cos(angle))]


def _creep() -> float:
    sim = cube(mu=1.0, more={"world.gravity": slope(20.0)})
    run(sim, 1.0)
    x = float(sim.q[0])
    run(sim, 10.0)
    return 1e3 * abs(float(sim.q[0]) - x)


def _step_dependence() -> float:
    ends = []
    for dt in STEPS:
        sim = cube((2.0, 0.0), more={"simulation.time_step": dt})
        run(sim, 1.0)
        ends.append(float(sim.q[0]))
    return 1e2 * (max(ends) - min(ends)) / (4.0 / (2.0 * 0.5 * G))


def _beyond_the_cone() -> float:
    sim = cube((3.0, 3.0))
    speed = float(np.hypot(*sim.v[:2]))
    run(sim, 0.2)
    return 1e2 * ((speed - float(np.hypot(*sim.v[:2]))) / (0.2 * 0.5 * G) - 1.0)


def _lift() -> float:
    sim = cube((5.0, 0.0))
    return 1e3 * run(sim, 0.3, lambda s: float(s.q[2]) - 0.05)


def _open_loop() -> float:
    sim = stepped(load("fourbar/swinging"))
    return 1e3 * run(sim, 10.0, lambda s: float(np.abs(s.signal("loop_gap")).max()))


def _scale() -> float:
    """Return the spread of the depths of resting cubes, relative to their sizes, [%]."""
    depths = []
    for scale in SCALES:
        size = 0.1 * scale
        sim = alone(3 * [size], scale**3, size / 2)
        run(sim, 2.0)
        depths.append((size / 2 - float(sim.q[2])) / size)
    return 1e2 * (max(depths) - min(depths))


def alone(size: list[float], mass: float, height: float, more: str = "") -> StepperSimulator:
    """Return a box above the ground, from its own scene file."""
    text = f"""
[simulation]
duration = 100.0
{more}
[world.terrain]
friction = 0.5
[bodies.box]
shape = {{ type = "box", size = {size} }}
mass = {mass}
base_position = [0.0, 0.0, {height}]
"""
    with TemporaryDirectory() as folder:
        file = Path(folder, "box.toml")
        file.write_text(text, encoding="utf-8")
        return stepped(load(file))


def _rattle() -> float:
    sim = cube()
    sim.q[2], sim.q[3:7] = 0.15, TILTED
    sim.observe_start()
    run(sim, 3.0)
    return 1e3 * run(sim, 2.0, lambda s: float(np.linalg.norm(s.v[:3])))


def _drift() -> float:
    sim = alone(box_of(INERTIA, 1.0), 1.0, 100.0, "[world]\ngravity = [0.0, 0.0, 0.0]")
    sim.v[3:6] = SPIN
    sim.observe_start()
    before = angular_momentum(sim.q[3:7], sim.v[3:6])
    run(sim, 60.0)
    change = np.linalg.norm(angular_momentum(sim.q[3:7], sim.v[3:6]) - before)
    return 1e2 * float(change / np.linalg.norm(before))


def angular_momentum(quaternion: Floats, velocity: Floats) -> Floats:
    """Return the angular momentum in world axes, from x y z w and the velocity in body axes."""
    turned: Floats = Rotation.from_quat(quaternion).apply(INERTIA * velocity)
    return turned


def box_of(inertia: Floats, mass: float) -> list[float]:
    """Return the sides of a uniform box of given principal moments, [m]."""
    total = inertia.sum() / 2.0
    return [float(np.sqrt(12.0 * (total - moment) / mass)) for moment in inertia]


def _energy() -> float:
    sim = stepped(load("rrbot/swing", {"simulation.duration": 100.0}))
    sim.stepper.world.joints.damping[:] = 0.0
    sim.step()
    first = energy(sim)
    worst = run(sim, 60.0, lambda s: abs(energy(s) - first))
    bodies = sim.world.bodies[0].model
    return 1e2 * worst / (bodies.mass * G * 0.9)


def energy(sim: StepperSimulator) -> float:
    """Return kinetic and potential energy at the start of the last step, [J]."""
    return float(sim.signal("kinetic_energy") + sim.signal("potential_energy"))


def _rebound() -> float:
    sim = stepped(
        load("ball/bounce", {"world.terrain.restitution": E, "bodies.ball.restitution": E})
    )
    down, top = False, 0.0
    for _ in range(1200):
        sim.step()
        down = down or sim.v[2] > 0.0
        top = max(top, float(sim.q[2]) - 0.1) if down else 0.0
    return 1e2 * (top / E**2 - 1.0)


def _buffer() -> float:
    heights = []
    for margin in (1e-3, 2e-2):
        sim = cube(more={"contact.margin": margin})
        run(sim, 2.0)
        heights.append(float(sim.q[2]))
    return 1e3 * abs(heights[1] - heights[0])


SILENT: tuple[dict[str, Any], ...] = (
    {"contact.tolerence": 1e-6},
    {"contact.stiffness": 1e5},
    {"bodies.cube.friction": 9.0},
    {"world.terrain.friction": 9.0, "bodies.cube.base_position": [0.0, 0.0, 50.0]},
)
"""Settings without effect: a misspelled key; a setting of another law; friction that the pair's
overrules; friction of bodies that touch nothing."""


def _silent() -> float:
    taken = 0
    for given in SILENT:
        try:
            cube(more=given)
        except FootfallError:
            continue
        taken += 1
    return float(taken)


SURPRISES = (
    Surprise("creep", "creep in 10 s on a slope of 20 deg at mu 1", "mm", _creep, "creep"),
    Surprise(
        "slip that depends on the step",
        "spread of a stopping distance for steps of 1, 2, 5, 10 ms",
        "%",
        _step_dependence,
        "step_dependence",
    ),
    Surprise(
        "friction that depends on the direction",
        "error of the deceleration along the diagonal of x and y",
        "%",
        _beyond_the_cone,
        "beyond_the_cone",
    ),
    Surprise("lift", "rise of a cube that slides at 5 m/s", "mm", _lift, "lift"),
    Surprise(
        "loops that open", "largest gap in a four-bar chain in 10 s", "mm", _open_loop, "loop"
    ),
    Surprise(
        "scale dependence",
        "spread of depth at rest / size, for cubes of 1 cm, 10 cm and 1 m",
        "%",
        _scale,
        "scale",
    ),
    Surprise(
        "rattling cubes",
        "largest speed of a cube 3 to 5 s after a drop on its corner",
        "mm/s",
        _rattle,
        "rattle",
    ),
    Surprise(
        "drift", "change of the angular momentum of a free body in 60 s", "%", _drift, "drift"
    ),
    Surprise(
        "energy from nothing",
        "change of an undamped double pendulum's energy in 60 s / m g l",
        "%",
        _energy,
        "pendulum_energy",
    ),
    Surprise(
        "wrong restitution",
        "error of a ball's rebound height at e = 0.5",
        "%",
        _rebound,
        "rebound",
    ),
    Surprise(
        "buffers that change forces",
        "change of a cube's height with a contact margin of 2 cm",
        "mm",
        _buffer,
        "buffer",
    ),
    Surprise(
        "silent parameters", "settings without effect that it accepts, of 4", "", _silent, "silent"
    ),
)
"""All surprises, in the order of the table."""
