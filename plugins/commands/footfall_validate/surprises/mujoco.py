"""The twelve surprises in MuJoCo, with its defaults except for friction and the time step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np

from footfall import load, load_robot
from footfall_stepper.api import stepped
from footfall_validate.surprises.surprises import (
    INERTIA,
    SCALES,
    SPIN,
    STEPS,
    TILTED,
    E,
    G,
    angular_momentum,
    box_of,
    slope,
)

WORLD = """
<mujoco>
  <option timestep="{dt}" gravity="{gravity}"/>
  <worldbody>
    <geom type="plane" size="100 100 1" friction="{mu} 0.005 0.0001" {more}/>
    <body pos="0 0 {height}">
      <freejoint/>
      {body}
    </body>
  </worldbody>
</mujoco>
"""


def world(
    body: str,
    height: float,
    *,
    dt: float = 1e-3,
    mu: float = 0.5,
    gravity: tuple[float, ...] = (0.0, 0.0, -G),
    more: str = "",
) -> tuple[Any, Any]:
    """Return model and data of one body above the ground."""
    text = WORLD.format(
        dt=dt, gravity=" ".join(map(str, gravity)), mu=mu, body=body, height=height, more=more
    )
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def cube(
    velocity: tuple[float, float] = (0.0, 0.0), size: float = 0.1, mu: float = 0.5, **more: Any
) -> tuple[Any, Any]:
    """Return a cube on the ground, 1 kg at an edge of 0.1 m."""
    half = size / 2
    box = (
        f'<geom type="box" size="{half} {half} {half}" mass="{(size / 0.1) ** 3}" '
        f'friction="{mu} 0.005 0.0001"/>'
    )
    model, data = world(box, half, mu=mu, **more)
    data.qvel[:2] = velocity
    return model, data


def run(model: Any, data: Any, duration: float, see: Callable[[Any], float] | None = None) -> float:
    """Make steps; return the largest value of ``see`` after a step."""
    worst = -np.inf
    for _ in range(round(duration / model.opt.timestep)):
        mujoco.mj_step(model, data)
        if see is not None:
            worst = max(worst, see(data))
    return worst


def _creep() -> float:
    model, data = cube(mu=1.0, gravity=tuple(slope(20.0)))
    run(model, data, 1.0)
    x = float(data.qpos[0])
    run(model, data, 10.0)
    return 1e3 * abs(float(data.qpos[0]) - x)


def _step_dependence() -> float:
    ends = []
    for dt in STEPS:
        model, data = cube((2.0, 0.0), dt=dt)
        run(model, data, 1.0)
        ends.append(float(data.qpos[0]))
    return 1e2 * (max(ends) - min(ends)) / (4.0 / (2.0 * 0.5 * G))


def _beyond_the_cone() -> float:
    model, data = cube()
    run(model, data, 1.0)  # the cube settles into its soft contact first
    data.qvel[:2] = 3.0, 3.0
    run(model, data, 0.2)
    slowed = np.hypot(3.0, 3.0) - float(np.hypot(*data.qvel[:2]))
    return float(1e2 * (slowed / (0.2 * 0.5 * G) - 1.0))


def _lift() -> float:
    model, data = cube()
    run(model, data, 1.0)
    rest = float(data.qpos[2])
    data.qvel[0] = 5.0
    return 1e3 * run(model, data, 0.3, lambda d: float(d.qpos[2]) - rest)


def _loop() -> float:
    """Measure a loop closed by a ``connect`` of two sites; it starts closed."""
    robot = load_robot("fourbar")
    assert robot.urdf is not None
    spec = mujoco.MjSpec.from_file(str(robot.urdf.path))
    spec.option.timestep = 1e-3
    for name, length in (("coupler", 0.5), ("rocker", 0.4)):
        spec.body(f"{name}_bar").add_site(name=f"{name}_end", pos=[length, 0.0, 0.0])
    tie = spec.add_equality(type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_SITE)
    tie.name1, tie.name2 = "coupler_end", "rocker_end"
    model = spec.compile()
    data = mujoco.MjData(model)
    ours = stepped(load("fourbar/swinging"))
    for name, position in zip(ours.labels.joint, ours.q, strict=True):
        data.qpos[model.joint(name.rpartition("/")[2]).id] = position
    ends = [model.site(f"{name}_end").id for name in ("coupler", "rocker")]

    def opening(d: Any) -> float:
        one, two = (d.site_xpos[end] for end in ends)
        return float(np.linalg.norm(one - two))

    return 1e3 * run(model, data, 10.0, opening)


def _scale() -> float:
    depths = []
    for factor in SCALES:
        size = 0.1 * factor
        model, data = cube(size=size)
        run(model, data, 2.0)
        depths.append((size / 2 - float(data.qpos[2])) / size)
    return 1e2 * (max(depths) - min(depths))


def _rattle() -> float:
    model, data = cube()
    data.qpos[2], data.qpos[3:7] = 0.15, np.roll(TILTED, 1)
    run(model, data, 3.0)
    return 1e3 * run(model, data, 2.0, lambda d: float(np.linalg.norm(d.qvel[:3])))


def _drift() -> float:
    half = " ".join(str(side / 2) for side in box_of(INERTIA, 1.0))
    box = f'<geom type="box" size="{half}" mass="1"/>'
    model, data = world(box, 100.0, gravity=(0.0, 0.0, 0.0))
    data.qvel[3:6] = SPIN

    def momentum() -> Any:
        return angular_momentum(np.roll(data.qpos[3:7], -1), data.qvel[3:6])

    before = momentum()
    run(model, data, 60.0)
    return float(1e2 * np.linalg.norm(momentum() - before) / np.linalg.norm(before))


def _pendulum_energy() -> float:
    robot = load_robot("rrbot")
    assert robot.urdf is not None
    spec = mujoco.MjSpec.from_file(str(robot.urdf.path))
    spec.option.timestep = 1e-3
    for geom in spec.geoms:
        geom.contype = geom.conaffinity = 0
    model = spec.compile()
    model.dof_damping[:] = 0.0
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(model)
    data.qpos[:] = 0.1, 0.3
    mujoco.mj_step(model, data)
    first = float(data.energy.sum())
    worst = run(model, data, 60.0, lambda d: abs(float(d.energy.sum()) - first))
    return 1e2 * worst / (float(model.body_mass.sum()) * G * 0.9)


def _rebound() -> float:
    """Measure with the damping ratio of a linear spring that has that restitution."""
    ratio = -np.log(E) / np.sqrt(np.pi**2 + np.log(E) ** 2)
    ball = f'<geom type="sphere" size="0.1" mass="1" solref="0.02 {ratio}"/>'
    model, data = world(ball, 1.1, more=f'solref="0.02 {ratio}"')
    down, top = False, 0.0
    for _ in range(1200):
        mujoco.mj_step(model, data)
        down = down or data.qvel[2] > 0.0
        top = max(top, float(data.qpos[2]) - 0.1) if down else 0.0
    return float(1e2 * (top / E**2 - 1.0))


def _buffer() -> float:
    heights = []
    for margin in (0.0, 2e-2):
        model, data = cube(more=f'margin="{margin}"')
        run(model, data, 2.0)
        heights.append(float(data.qpos[2]))
    return 1e3 * abs(heights[1] - heights[0])


SILENT = (
    '<geom type="sphere" size="0.1" mass="1" frictoin="1 0 0"/>',
    '<geom type="sphere" size="0.1" mass="1" condim="3" friction="0.5 9 9"/>',
    '<geom type="sphere" size="0.1" mass="1" priority="-1" solref="0.005 1"/>',
    '<geom type="sphere" size="0.1" mass="1" contype="0" conaffinity="0" friction="9 9 9"/>',
)
"""Geoms with a setting without effect: a misspelled key; torsional and rolling friction of a
contact that has none; a contact stiffness that the other geom overrules; friction of a geom that
touches nothing."""


def _silent() -> float:
    taken = 0
    for geom in SILENT:
        try:
            world(geom, 1.0)
        except ValueError:
            continue
        taken += 1
    return float(taken)


MEASURES: Mapping[str, Callable[[], float]] = {
    "creep": _creep,
    "step_dependence": _step_dependence,
    "beyond_the_cone": _beyond_the_cone,
    "lift": _lift,
    "loop": _loop,
    "scale": _scale,
    "rattle": _rattle,
    "drift": _drift,
    "pendulum_energy": _pendulum_energy,
    "rebound": _rebound,
    "buffer": _buffer,
    "silent": _silent,
}
"""Measuring functions by the names of ``Surprise.theirs``."""
