"""Microseconds of processor time a step of the humanoid with a box in its hands, beside MuJoCo's.

python -m tests.benchmarks.grasp [--bursts 15]
"""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from time import thread_time
from typing import Any

import numpy as np

import footfall

SCENE, CALL = "humanoid/grasp", 10
"""The scene, and steps from one command of its controller to the next."""
FEET = 8
"""Contact points of the feet."""
PARTS = {
    "closing": (3.0, 3.6),
    "squeezing": (3.6, 4.8),
    "lifting": (4.8, 6.8),
    "holding": (6.8, 10),
}
"""Parts of the motion, [s]."""
RADIUS = 1e-4
"""Radius of the spheres that stand for points, [m]."""
STIFFNESS, DAMPING = 3000.0, 100.0
"""Of MuJoCo's joints, about the posture in which ours hold the box, [N m/rad, N m s/rad]."""


def timed(sim: footfall.Simulator, end: float) -> tuple[Any, Any]:
    """Step up to a time [s]; return microseconds and contact points of each step."""
    first, last = sim.state.tick, round(end / sim.time_step)
    times, points = np.zeros(last - first), np.zeros(last - first)
    detected = sim.world.detected
    for k in range(last - first):
        start = thread_time()
        sim.step()
        times[k] = 1e6 * (thread_time() - start)
        points[k] = FEET + np.count_nonzero(detected.status[: sim.stepper.collisions.count])
    return times, points


def table(sim: footfall.Simulator) -> str:
    """Return a line for each part of the motion; steps with and without a command apart."""
    lines = [f"{'':<12}{'points':>7}{'step':>10}{'99 of 100':>11}{'command':>10}{'mean':>8}"]
    timed(sim, PARTS["closing"][0])
    for name, (start, end) in PARTS.items():
        times, points = timed(sim, end)
        calls = (round(start / sim.time_step) + np.arange(len(times))) % CALL == 0
        plain = times[~calls]
        command = np.median(times[calls]) - np.median(plain)
        lines.append(
            f"{name:<12}{np.median(points):>7.0f}{np.median(plain):>10.0f}"
            f"{np.quantile(plain, 0.99):>11.0f}{command:>10.0f}{times.mean():>8.0f}"
        )
    return "\n".join(lines)


def make_twin(sim: footfall.Simulator) -> Any:
    """Return MuJoCo's model and data of the robot and the box, in the posture that ours has."""
    import mujoco

    from footfall.model.robot import load_robot
    from footfall_robots.humanoid.make_model import hand

    body = sim.world.bodies[0]
    spec = mujoco.MjSpec.from_string(
        load_robot("humanoid").source("humanoid", sim.world.topology.gravity).xml
    )
    spec.option.timestep = sim.time_step
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    root = spec.worldbody.first_body()
    root.add_freejoint()
    joints = [spec.joint(name) for name in body.model.joint_names]
    for k, joint in enumerate(joints):
        joint.limited = joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
        joint.stiffness[0], joint.damping[0] = STIFFNESS, DAMPING
        joint.springref = sim.q[7 + k] + sim.world.joints.tau[6 + k] / STIFFNESS
    add_points(spec, sim, [root, *(joint.parent for joint in joints)])
    for side in "lr":
        palm = spec.joint(f"{side}_wrist_roll").parent
        for solid in hand():
            _box(mujoco, palm, np.array(solid.size) / 2, solid.at, 0.0, (0, 2))
    box = spec.worldbody.add_body(pos=sim.q[-7:-4], quat=sim.q[[-1, -4, -3, -2]])
    box.add_freejoint()
    _box(mujoco, box, [0.08, 0.15, 0.10], [0.0, 0.0, 0.0], 2.0, (2, 0))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:] = sim.q
    for at in (3, -4):
        end = at + 4 if at > 0 else None
        data.qpos[at:end] = np.roll(sim.q[at:end], 1)
    mujoco.mj_forward(model, data)
    return model, data


def add_points(spec: Any, sim: footfall.Simulator, links: list[Any]) -> None:
    """Add a plane, and a sphere for each contact point of the simulator's robot.

    Args:
        spec: specification of the MuJoCo model.
        sim: simulator of one robot.
        links: MuJoCo's bodies in the order of the robot's links.
    """
    import mujoco

    mu = float(sim.world.ground.friction[0])
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 1.0],
        pos=[0.0, 0.0, -RADIUS],
        contype=1,
        conaffinity=0,
        condim=3,
        friction=[mu, 0.0, 0.0],
    )
    for feature in sim.world.bodies[0].features:
        links[feature.link].add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[RADIUS, 0.0, 0.0],
            pos=feature.position,
            contype=0,
            conaffinity=1,
            condim=3,
            friction=[mu, 0.0, 0.0],
            mass=0.0,
        )


def _box(mujoco: Any, body: Any, half: Any, at: Any, mass: float, masks: tuple[int, int]) -> None:
    body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=half,
        pos=at,
        mass=mass,
        contype=masks[0],
        conaffinity=masks[1],
        condim=3,
        friction=[0.8, 0.0, 0.0],
    )


def beside_mujoco(sim: footfall.Simulator, bursts: int) -> str:
    """Return times of whole steps in turn with MuJoCo's; both must still hold the box."""
    import mujoco

    model, data = make_twin(sim)
    height = sim.q[-5]

    def theirs() -> None:
        mujoco.mj_step(model, data)

    for _ in range(1000):
        theirs()
    spent: dict[str, list[float]] = {"Footfall, with its controller": [], "MuJoCo": []}
    for _ in range(bursts):
        for times, step in zip(spent.values(), (sim.step, theirs), strict=True):
            start = thread_time()
            for _ in range(200):
                step()
            times.append(1e6 * (thread_time() - start) / 200)
    if abs(data.qpos[-5] - height) > 0.02:
        raise AssertionError(f"MuJoCo's box is at {data.qpos[-5]:.3f} m, not {height:.3f} m")
    lines = [f"{name:<32}{np.median(times):8.0f}" for name, times in spent.items()]
    return "\n".join([*lines, f"MuJoCo has {data.ncon} contact points"])


def main(arguments: list[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.grasp", description=__doc__)
    parser.add_argument("--bursts", type=int, default=15, help="of each, of 200 steps")
    options = parser.parse_args(arguments)
    timed(footfall.load(SCENE), PARTS["closing"][1])  # kernels are made, or read from the disk
    sim = footfall.load(SCENE)
    print(table(sim))
    if find_spec("mujoco"):
        print(beside_mujoco(sim, options.bursts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
