"""Microseconds of single steps of robots that walk, beside MuJoCo's on the same robot.

The scene's controller commands both robots, each at that robot's own state. Its first damping gains
are dampers of the joints, implicit in both; all else are torques for ``sim.step(tau)`` and
``mj_step``. Then both motions are repeated with the same torques, Footfall's in a recorded run.
"""

from __future__ import annotations

import tempfile
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import footfall
from footfall.api.plugin import Floats, SimulationError
from footfall_bench.timed_run import measure_recorded
from footfall_bench.timing import Burst, timed
from footfall_stepper.api import StepperSimulator, stepped

if TYPE_CHECKING:
    from footfall_bench.mujoco_twin import Twin

GAITS: dict[str, dict[str, Any]] = {
    "humanoid/walking": {},
    "quadruped/trot": {"bodies.quadruped.controller.velocity": [0.6, 0.0]},
}
"""Scenes measured by default, with their overrides."""
SOLREF = 0.01, 1.0
"""``solref`` of MuJoCo's contacts, [s, -]; with its default, 0.02 s, the humanoid falls."""
WARM = 0.1
"""Part of a walk, at its start, that is not counted, [-]."""
BURST = 500
"""Steps in a burst of the run; a burst ends when its rows are written."""
LEAST_HEIGHT = 0.7
"""Height of the base, relative to the start, below which a robot counts as fallen, [-]."""
UNSOLVED = 1e-7
"""Natural map above which steps are counted, [m/s]."""


class Pilot:
    """The controller of a scene, asked for torques at the state of another simulator."""

    def __init__(self, scene: str) -> None:
        self.scene, self.sim = scene, stepped(footfall.load(scene, GAITS.get(scene)))
        world, state, self.start = self.sim.world, self.sim.state.copy(), self.sim.q.copy()
        self.turning = world.topology.dof_q >= 0
        if len(world.bodies) != 1 or not world.topology.floating[0] or not self.turning.any():
            raise SimulationError(f"{scene}: must have one robot with joints and a floating base")
        self.sim.step()
        self.dampers = world.joints.rate_gain.copy()
        self.sim.state.restore(state)

    def torque(self, q: Floats, v: Floats) -> Floats:
        """Return the next ``tau + K (target - s) + D target_rate - (D - dampers) s_dot``, (nv,)."""
        joints = self.sim.world.joints
        self.sim.q[:], self.sim.v[:] = q, v
        self.sim.step()
        torque: Floats = joints.tau + joints.rate_gain * (joints.target_rate - v) + self.dampers * v
        torque += joints.stiffness * (joints.target - q[self.sim.world.topology.dof_q])
        return np.where(self.turning, torque, 0.0)

    def robot(self, **controller: str) -> StepperSimulator:
        """Return the robot with another controller, and with dampers for the damping gains."""
        body = self.sim.world.bodies[0].name
        sim = stepped(footfall.load(self.scene, {f"bodies.{body}.controller": controller}))
        sim.stepper.world.joints.damping[:] += self.dampers
        return sim

    def player(self, force: Floats) -> StepperSimulator:
        """Return the robot, driven by recorded torques, shape (steps, nv)."""
        time = self.sim.time_step * np.arange(len(force))
        names = ",".join(("time", *self.sim.world.bodies[0].model.joint_names))
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            table = np.column_stack([time, force[:, self.turning]])
            np.savetxt(file.name, table, "%.17g", ",", header=names, comments="")
            return self.robot(plugin="torque_table", file=file.name)

    def twin(self) -> Twin:
        """Return the robot's twin in MuJoCo."""
        from footfall_bench.mujoco_twin import make_twin, require_same_robot

        sim = self.robot(plugin="zero")
        twin = make_twin(sim)
        require_same_robot(twin, sim)
        twin.model.pair_solref[:] = SOLREF
        twin.restart(self.start)
        return twin


class Walk:
    """A walk of both robots.

    Attributes:
        ours, theirs: shape (steps,), times of ``sim.step(tau)`` and ``mj_step``, [us].
        force, their_force: shape (steps, nv), torques, [N m or N], in each simulator's order.
        iterations: shape (steps,), iterations of the law.
        natural_map: shape (steps,), worst natural-map residual of a contact, [m/s].
        left: steps in which the law left compiled code.
    """

    def __init__(self, scene: str, seconds: float, *, beside: bool) -> None:
        """Let the robots walk, a step of each in turn, and time every step."""
        self.pilot, theirs = Pilot(scene), Pilot(scene)
        self.sim, self.left = self.pilot.robot(plugin="zero"), set[int]()
        twin = self.twin = self.pilot.twin() if beside else None
        sim, steps = self.sim, max(BURST, round(seconds / self.sim.time_step))
        self.ours, self.theirs, self.iterations, self.natural_map = np.zeros((4, steps))
        self.force, self.their_force = np.zeros((2, steps, sim.world.nv))
        law, go_on, tau = sim.stepper.law, sim.stepper.law.go_on, np.zeros(self.pilot.turning.sum())

        def counted() -> None:
            self.left.add(sim.state.tick)
            go_on()

        law.go_on = counted  # type: ignore[method-assign]
        sim.connect_controllers()
        for k in range(steps):
            if twin is not None:
                self.their_force[k] = theirs.torque(*twin.state())[twin.here.v]
                self.theirs[k] = timed(partial(twin.push, self.their_force[k : k + 1]), 1)
            self.force[k] = self.pilot.torque(sim.q, sim.v)
            tau[:] = self.force[k, self.pilot.turning]
            self.ours[k] = timed(lambda count: sim.step(tau), 1)
            self.iterations[k] = sim.stepper.problem.report.iterations
            self.natural_map[k] = sim.signal("residual_natural_map").max(initial=0.0)

    def ends(self) -> dict[str, Floats]:
        """Return the positions of both robots, by simulator.

        Raises:
            SimulationError: if one of them has fallen.
        """
        found = {"Footfall": self.sim.q} | ({"MuJoCo": self.twin.state()[0]} if self.twin else {})
        for name, q in found.items():
            if q[2] < LEAST_HEIGHT * self.pilot.start[2]:
                raise SimulationError(f"{self.pilot.scene}: the robot falls in {name}")
        return found

    def in_run(self) -> Floats:
        """Repeat the walk in bursts of both in turn, Footfall's in a recorded run.

        Returns:
            Shape (2, bursts), mean time of a step of Footfall and of MuJoCo, [us].
        """
        pilot, twin, end = self.pilot, self.twin, self.sim.q.copy()
        firsts = range(0, len(self.ours), BURST)
        times = np.zeros((2, len(firsts)))
        if twin is not None:
            twin.restart(pilot.start)

        def measured(make: Burst) -> None:
            for b, first in enumerate(firsts):
                force = self.their_force[first : first + BURST]
                if twin is not None:
                    times[1, b] = timed(partial(twin.push, force), len(force))
                times[0, b] = timed(make, len(force))

        sim = pilot.player(self.force)
        measure_recorded(sim, len(self.ours), measured)
        if not np.array_equal(sim.q, end):
            raise AssertionError(f"{pilot.scene}: the run does not repeat the walk")
        return times


def measure(scene: str, seconds: float, *, beside: bool) -> str:
    """Let both robots walk, from Python and in a run, and return the figures.

    Args:
        scene: a scene with one floating robot that its controller makes walk, on a level plane.
        seconds: simulated time, [s].
        beside: whether MuJoCo is measured as well.

    Raises:
        SimulationError: if a robot falls, or the scene has another kind of robot.
    """
    walk = Walk(scene, seconds, beside=beside)
    ways = (f"{np.hypot(*(q - walk.pilot.start)[:2]):.2f} m in {n}" for n, q in walk.ends().items())
    first, run = int(WARM * len(walk.ours)), walk.in_run()
    maps, left = walk.natural_map[first:], sum(k >= first for k in walk.left)
    lines = [
        f"{scene}: {walk.sim.world.nv} velocity dofs, base moves {', '.join(ways)}",
        f"  {len(maps)} steps counted: median, mean, 99 % [us]; the same for mj_step; ratios",
        _row("sim.step(tau), single steps", walk.ours[first:], walk.theirs[first:]),
        _row(f"recorded run, {BURST} at a time", *run[:, int(WARM * run.shape[1]) :]),
        _row("iterations of the law", walk.iterations[first:], np.zeros(1)),
        f"  {left / len(maps):.2%} of steps leave compiled code; natural map at most "
        f"{maps.max():.1e} m/s, above {UNSOLVED:g} in {np.mean(maps > UNSOLVED):.2%}",
    ]
    return "\n".join(lines)


def _row(name: str, ours: Floats, theirs: Floats) -> str:
    """Return median, mean and 99th percentile of both, and their ratios if both were measured."""
    a, b = ([np.median(x), x.mean(), np.percentile(x, 99)] for x in (ours, theirs))
    parts = [a, b, np.divide(a, b)] if theirs.any() else [a]
    return f"  {name:<30}" + "  ".join("".join(f"{x:9.2f}" for x in part) for part in parts)
