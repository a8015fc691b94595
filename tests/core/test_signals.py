"""Asking for signals changes nothing, and costs the engine nothing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.errors import SimulationError
from footfall.interfaces.controller import Command, Controller, Observation
from footfall_pinocchio.engine import PinocchioTree

EVERYTHING = (
    *("base_pose", "joint_positions", "nu", "mass_matrix", "motor_inertia", "bias_force", "com"),
    *("com_velocity", "centroidal_momentum", "centroidal_map", "nudot", "contact_flags"),
    *("gravity", "mass", "torque_limits"),
)
COUNTED = {"engine.plugin": "pinocchio"}
"""An engine that Python calls, so that calls can be counted."""
STEPPERS = {
    "steps, landing": ("humanoid/drop", 150, {}),
    "steps, an impact model": ("humanoid/drop", 150, {"contact.plugin": "gauss"}),
    "steps, the seed's order": (
        "humanoid/drop",
        130,
        {"contact.plugin": "gauss", "simulation.impact_order": "after_contact"},
    ),
    "steps split at impacts": ("humanoid/drop", 300, {"bodies.humanoid.restitution": 0.5}),
    "steps, explicit": (
        "humanoid/drop",
        130,
        {"contact.plugin": "gauss", "integrator.plugin": "explicit_euler"},
    ),
    "steps with loops": ("fourbar/swinging", 100, {}),
    "steps with loops and contact": ("parallel_leg/hopping", 200, {}),
    "forces held over steps": ("humanoid/drop", 150, {"contact.plugin": "compliant"}),
    "continuous time": (
        "humanoid/drop",
        60,
        {
            "contact.plugin": "compliant",
            "integrator.plugin": "rk4",
            "simulation.time_step": 1e-4,
            "bodies.humanoid.controller.plugin": "zero",
        },
    ),
    "continuous time, located events": (
        "humanoid/drop",
        105,
        {"contact.plugin": "compliant", "integrator.plugin": "dormand_prince"},
    ),
    "continuous time with loops": (
        "fourbar/swinging",
        50,
        {"contact.plugin": "compliant", "integrator.plugin": "rk4"},
    ),
    "pushes": ("humanoid/pushed", 100, {"pushes": [{"link": "torso_1", "force": [9.0, 0.0, 0.0]}]}),
}


class Reading(Controller):
    """Reads everything of its body in some of the steps, and leaves the command to another."""

    name = "reading"

    def __init__(self, inner: Controller) -> None:
        self.inner, self.seen = inner, 0

    def setup(self, model, posture):
        self.inner.setup(model, posture)

    def command(self, observation: Observation, command: Command) -> None:
        if self.seen % 3 != 1:
            read(observation.signals)
        self.seen += 1
        self.inner.command(observation, command)


def read(signals):
    """Ask for everything there is."""
    values = [getattr(signals, name) for name in EVERYTHING]
    for frame in (*signals.feet.values(), signals.frame(signals.link_names[-1])):
        values += [frame.pose, frame.jacobian, frame.velocity, frame.jdot_nu]
    values += signals.contact_wrenches.values()
    assert all(np.isfinite(np.where(np.isinf(value), 0.0, value)).all() for value in values)


def read_by_controllers(sim):
    """Let every controller read."""
    controllers = {name: Reading(c) for name, c in sim.participants.controllers.items()}
    sim.participants = replace(sim.participants, controllers=controllers)
    sim.connect_controllers()


@pytest.fixture
def evaluations(monkeypatch):
    """Count what the engine is asked for."""
    count = [0]
    plain = PinocchioTree.evaluate

    def counting(self, q, v):
        count[0] += 1
        plain(self, q, v)

    monkeypatch.setattr(PinocchioTree, "evaluate", counting)
    return count


@pytest.mark.parametrize("name", first(*STEPPERS, runs=2))
def test_reading_changes_no_bit_and_asks_no_engine_twice(name, evaluations):
    scene, steps, overrides = STEPPERS[name]
    ends, counts = [], []
    for reads in (False, True):
        sim = footfall.load(scene, overrides=COUNTED | overrides)
        if reads:
            read_by_controllers(sim)
        evaluations[0] = 0
        rows = []
        for k in range(steps):
            sim.step()
            rows.append(sim.row.tobytes())
            if reads and k % 4 == 2:
                read(sim.signals(sim.world.bodies[0].name))
        ends.append((sim.state.vector.tobytes(), rows))
        counts.append(evaluations[0])
    assert ends[0] == ends[1]
    # Continuous time normalises quaternions first: where that moves a last bit, it asks again.
    spare = steps // 10 if name.startswith("continuous") else 0
    assert counts[0] <= counts[1] <= counts[0] + spare
    assert counts[0] >= steps


def test_a_torque_from_python_uses_what_was_read_before(evaluations):
    sims = [footfall.load("humanoid/standing", COUNTED) for _ in range(2)]
    tau = np.linspace(-1.0, 1.0, len(sims[0].labels.joint))
    counts = []
    for reads, sim in zip((False, True), sims, strict=True):
        evaluations[0] = 0
        for _ in range(20):
            if reads:
                read(sim.signals("humanoid"))
            sim.step(tau)
        counts.append(evaluations[0])
    assert sims[0].state.vector.tobytes() == sims[1].state.vector.tobytes()
    assert counts == [20, 20]


def test_a_state_written_after_reading_is_evaluated_anew():
    sims = [footfall.load("humanoid/standing") for _ in range(2)]
    for reads, sim in zip((False, True), sims, strict=True):
        for _ in range(5):
            if reads:
                read(sim.signals("humanoid"))
            sim.q[2] += 0.01
            sim.v[7] += 0.5
            sim.step()
    assert sims[0].state.vector.tobytes() == sims[1].state.vector.tobytes()


def test_signals_follow_a_restored_state():
    sim = footfall.load("humanoid/drop")
    signals = sim.signals("humanoid")
    start, before = sim.state.copy(), signals.mass_matrix.copy()
    for _ in range(60):
        sim.step()
    assert not np.array_equal(signals.mass_matrix, before)
    assert signals.nudot[2] != 0.0
    sim.state.restore(start)
    np.testing.assert_array_equal(signals.mass_matrix, before)
    assert not signals.nudot.any()


def test_nothing_can_be_written():
    sim = footfall.load("humanoid/standing")
    signals = sim.signals("humanoid")
    arrays = [
        getattr(signals, name) for name in EVERYTHING if name not in ("mass", "contact_flags")
    ]
    foot = signals.feet["l_foot"] if "l_foot" in signals.feet else next(iter(signals.feet.values()))
    arrays += [foot.pose, foot.jacobian, *signals.contact_wrenches.values()]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_the_equation_of_motion_holds_between_signals_and_step():
    """In flight ``(M + motors) nudot + h = tau``: nudot is the one of the step just done."""
    sim = footfall.load("icub/motors", overrides={"bodies.icub.base_position": [0.0, 0.0, 2.0]})
    signals = sim.signals("icub")
    damping = sim.world.joints.damping.copy()
    assert signals.motor_inertia.any()
    for _ in range(5):
        M, h = signals.mass_matrix + signals.motor_inertia, signals.bias_force.copy()
        nu = signals.nu.copy()
        sim.step(np.zeros(len(signals.joint_names)))
        friction = damping * (nu + sim.time_step * signals.nudot)
        for e, (i, j) in enumerate(sim.world.joints.coupling):
            d = sim.world.joints.coupling_damping[e]
            rate = nu + sim.time_step * signals.nudot
            friction[i] += d * rate[j]
            friction[j] += d * rate[i]
        np.testing.assert_allclose(M @ signals.nudot + h + friction, 0.0, atol=1e-8)


def test_feet_carry_the_weight_in_the_signals_too():
    sim = footfall.load("humanoid/standing")
    for _ in range(1500):
        sim.step()
    signals = sim.signals("humanoid")
    force = sum(
        signals.feet[name].pose[:3, :3] @ wrench[:3]
        for name, wrench in signals.contact_wrenches.items()
    )
    np.testing.assert_allclose(force, sim.signal("contact_force").sum(0), rtol=1e-12, atol=1e-9)
    assert force[2] == pytest.approx(9.81 * signals.mass, rel=1e-3)
    assert signals.contact_flags.all()
    np.testing.assert_array_equal(
        np.ravel(list(signals.contact_wrenches.values())), np.ravel(sim.signal("foot_wrench"))
    )


def test_a_body_without_joints_has_signals_of_its_own():
    sim = footfall.load("cube/drop")
    for _ in range(30):
        sim.step()
    row = sim.row.copy()
    pose = sim.world.dynamics.pose.copy()
    signals = sim.signals("cube")
    R = signals.base_pose[:3, :3]
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(signals.nu[:3], R @ sim.v[:3], atol=1e-14)
    np.testing.assert_allclose(signals.centroidal_map @ signals.nu, signals.centroidal_momentum)
    np.testing.assert_allclose(signals.mass_matrix[:3, :3], signals.mass * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(signals.bias_force[:3], -signals.mass * signals.gravity, atol=1e-12)
    # Nothing of the step just done has changed for those who look at it.
    np.testing.assert_array_equal(sim.world.dynamics.pose, pose)
    np.testing.assert_array_equal(sim.row, row)


def test_what_does_not_exist_is_named():
    sim = footfall.load("humanoid/standing")
    with pytest.raises(SimulationError, match="did you mean 'humanoid'"):
        sim.signals("humanoids")
    with pytest.raises(SimulationError, match="no frame 'torso_0', did you mean 'torso_1'"):
        sim.signals("humanoid").frame("torso_0")
    with pytest.raises(SimulationError, match="not made by a simulator"):
        _ = Observation(0.0, np.zeros(7), np.zeros(6)).signals.nu
