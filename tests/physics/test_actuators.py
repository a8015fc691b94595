"""Drives against closed forms: reflected inertia, limits, transfer function, series spring."""

import math

import numpy as np
import pytest
from scipy.special import ellipk

import footfall
from footfall import assemble
from footfall.scene.load import scene_from_dict
from footfall_stepper.world.state import own_parts

INERTIA, MASS, ARM, G = 0.0834333333333 + 0.25, 1.0, 0.5, 9.81
"""Of the rod about its hinge, and its weight's arm."""


def made(scene):
    """Return a simulator of a scene given as tables."""
    return assemble(scene_from_dict(scene))


def arm(time_step=1e-3, gravity=-9.81, **body):
    """Return two links on a stand: joint1 carries joint2."""
    return made(
        {
            "simulation": {"duration": 1.0, "time_step": time_step},
            "world": {"gravity": [0.0, 0.0, gravity]},
            "bodies": {"arm": {"robot": "rrbot", **body}},
        }
    )


def rod(*drives, time_step=1e-3, gravity=-9.81, **body):
    """Return a rod on a hinge with drives."""
    return made(
        {
            "simulation": {"duration": 5.0, "time_step": time_step},
            "world": {"gravity": [0.0, 0.0, gravity]},
            "bodies": {"rod": {"robot": "pendulum", "actuators": list(drives), **body}},
        }
    )


def held(torque, drive, steps, time_step=1e-3):
    """Return what acts in a hinge without gravity that is commanded a torque from rest."""
    simulator = rod(drive, gravity=0.0, time_step=time_step)
    found = []
    for _ in range(steps):
        simulator.step(tau=np.array([torque]))
        found.append(float(simulator.signal("tau")[0]))
    return simulator, np.array(found)


def test_a_pendulum_swings_at_the_period_of_its_inertia_and_the_rotors():
    ratio, rotor, amplitude = 50.0, 1e-4, math.radians(70.0)
    simulator = rod(
        {"joints": ["hinge"], "gear_ratio": ratio, "rotor_inertia": rotor},
        joint_positions={"hinge": amplitude},
        time_step=1e-4,
    )
    total = INERTIA + ratio**2 * rotor
    period = 4.0 * math.sqrt(total / (MASS * G * ARM)) * ellipk(math.sin(amplitude / 2.0) ** 2)
    angles = []
    for _ in range(int(1.2 * period / 1e-4)):
        simulator.step()
        angles.append(simulator.q[0])
    angles = np.array(angles)
    down = [k for k in range(1, len(angles)) if angles[k - 1] > 0.0 >= angles[k]]
    up = [k for k in range(1, len(angles)) if angles[k - 1] < 0.0 <= angles[k]]

    def crossing(k):
        return 1e-4 * (k + angles[k - 1] / (angles[k - 1] - angles[k]))

    # Semi-implicit Euler errs by first order in the phase, half a step in a crossing, and the half
    # period between two crossings only by second order.
    assert 2.0 * (crossing(up[0]) - crossing(down[0])) == pytest.approx(period, rel=1e-6)


def test_coupled_rotors_are_reflected_by_the_inverse_of_their_coupling():
    T = [[-1.0, 0.0], [-1.0, -0.6]]
    drive = {
        "joints": ["joint1", "joint2"],
        "gear_ratio": [100.0, 150.0],
        "rotor_inertia": [8e-6, 14e-6],
        "viscous_friction": [0.2, 0.6],
        "coupling": T,
    }
    plain, driven = arm(), arm(actuators=[drive])
    for simulator in (plain, driven):
        simulator.step()
    more = (driven.world.dynamics.M - plain.world.dynamics.M).reshape(2, 2)
    inverse = np.linalg.inv(np.array(T) @ np.diag([1 / 100.0, 1 / 150.0]))
    np.testing.assert_allclose(more, inverse.T @ np.diag([8e-6, 14e-6]) @ inverse, atol=1e-12)


def test_friction_between_coupled_joints_takes_the_energy_that_is_booked():
    drive = {
        "joints": ["joint1", "joint2"],
        "rotor_inertia": 0.1,
        "viscous_friction": 0.4,
        "coupling": [[1.0, 0.3], [-0.5, 1.0]],
    }
    run = arm(joint_velocities={"*": 2.0}, actuators=[drive]).run(1.0)
    total = run.kinetic_energy + run.potential_energy + run.dissipated_energy
    total = (total - run.work - run.integration_energy_error).values
    assert np.abs(total - total[0]).max() < 1e-12 * float(np.abs(run.kinetic_energy).max())
    inverse = np.linalg.inv(np.array(drive["coupling"]))
    v = run.v.values
    both = 0.7 * np.eye(2) + inverse.T @ (0.4 * np.eye(2)) @ inverse  # 0.7 of the joints themselves
    power = np.einsum("ti,ij,tj->t", v, both, v)
    loss = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * 1e-3)])
    # The friction acts at the end of each step: first order in 1e-3 s.
    assert float(run.dissipated_energy[-1]) == pytest.approx(loss[-1], rel=5e-3)


def test_a_torque_follows_its_command_as_the_transfer_function_says():
    w, zeta, command, dt = 60.0, 0.5, 2.0, 1e-3
    drive = {
        "joints": ["hinge"],
        "plugin": "second_order",
        "natural_frequency": w,
        "damping_ratio": zeta,
        "rotor_inertia": 1e9,
    }
    simulator, means = held(command, drive, 200, dt)
    assert abs(simulator.q[0]) < 1e-9  # the rotor holds the joint

    def response(t):
        damped = w * math.sqrt(1.0 - zeta**2)
        swing = np.cos(damped * t) + zeta * w / damped * np.sin(damped * t)
        return command * (1.0 - np.exp(-zeta * w * t) * swing)

    torque = simulator.state["actuator.rod.hinge.torque"][0, 0]
    assert torque == pytest.approx(response(200 * dt), abs=1e-9)
    inner = (np.arange(200)[:, None] + (np.arange(200) + 0.5) / 200.0) * dt
    np.testing.assert_allclose(means, response(inner).mean(axis=1), atol=1e-5)


def test_rotor_and_joint_swing_on_their_spring_about_the_common_centre():
    B, K, dt = 0.2, 40.0, 1e-4
    drive = {
        "joints": ["hinge"],
        "plugin": "series_elastic",
        "stiffness": K,
        "rotor_inertia": B,
    }
    simulator = rod(drive, gravity=0.0, time_step=dt, joint_velocities={"hinge": 1.0})
    own_parts(simulator.state)["actuator.rod.hinge.rotor"][0, 1] = 0.0
    period = 2.0 * math.pi / math.sqrt(K * (1.0 / B + 1.0 / INERTIA))
    mean = INERTIA / (INERTIA + B)
    speeds = []
    for _ in range(int(3.0 * period / dt)):
        simulator.step()
        speeds.append(simulator.v[0] - mean)
    speeds = np.array(speeds)
    falls = [k for k in range(1, len(speeds)) if speeds[k - 1] > 0.0 >= speeds[k]]
    # Implicit Euler: the period errs by second order, the amplitude decays by w^2 dt / 2.
    assert (falls[2] - falls[0]) * dt / 2.0 == pytest.approx(period, rel=2e-3)
    w = 2.0 * math.pi / period
    first, last = speeds[: len(speeds) // 3].max(), speeds[-len(speeds) // 3 :].max()
    decay = math.exp(-0.5 * w**2 * dt * 2.0 * period)
    assert last / first == pytest.approx(decay, rel=0.05)


@pytest.mark.parametrize("stiffness", [1e2, 1e6, 1e9])
def test_a_series_spring_of_any_stiffness_is_stable(stiffness):
    drive = {
        "joints": ["hinge"],
        "plugin": "series_elastic",
        "stiffness": stiffness,
        "rotor_inertia": 1e-3,
    }
    simulator = rod(drive, joint_positions={"hinge": 1.0})
    top = 0.0
    for _ in range(2000):
        simulator.step()
        top = max(top, abs(simulator.q[0]))
    assert top <= 1.0 + 1e-5  # a rod without drives comes back to 1 + 1.5e-6 with this step


def test_a_joint_swings_on_the_spring_beside_its_motor():
    K, rest, dt = 40.0, 0.3, 1e-4
    drive = {"joints": ["hinge"], "plugin": "parallel_elastic", "stiffness": K, "rest": rest}
    drive |= {"rotor_inertia": 0.2, "torque_limit": 1e-3}  # which cuts no spring
    simulator = rod(drive, gravity=0.0, time_step=dt, joint_positions={"hinge": rest + 0.2})
    w = math.sqrt(K / (INERTIA + 0.2))
    period, angles = 2.0 * math.pi / w, []
    for _ in range(int(1.6 * period / dt)):
        simulator.step()
        angles.append(simulator.q[0] - rest)
    falls = [k for k in range(1, len(angles)) if angles[k - 1] > 0.0 >= angles[k]]
    # Implicit Euler: the period errs by second order, the amplitude decays by w^2 dt / 2.
    assert (falls[1] - falls[0]) * dt == pytest.approx(period, rel=1e-3)
    lowest = min(angles[: falls[1]])
    assert lowest == pytest.approx(-0.2 * math.exp(-0.5 * w**2 * dt * 0.5 * period), rel=1e-3)


def test_a_spring_pulls_beside_the_gains_of_a_controller():
    K, rest, gain, target, torque = 30.0, -0.4, 50.0, 0.5, 2.0
    controller = {"plugin": "posture", "stiffness": gain, "damping": 20.0}
    controller |= {"target": {"hinge": target}, "feed_forward": {"hinge": torque}}
    drive = {"joints": ["hinge"], "plugin": "parallel_elastic", "stiffness": K, "rest": rest}
    simulator = rod(drive, gravity=0.0, controller=controller)
    for _ in range(5000):
        simulator.step()
    balance = (torque + gain * target + K * rest) / (gain + K)
    assert float(simulator.q[0]) == pytest.approx(balance, rel=1e-9)


@pytest.mark.parametrize("stiffness", [1e2, 1e6, 1e9])
def test_a_spring_of_any_stiffness_beside_a_motor_is_stable(stiffness):
    drive = {"joints": ["hinge"], "plugin": "parallel_elastic", "stiffness": stiffness}
    simulator = rod(drive, gravity=0.0, joint_positions={"hinge": 1.0})
    top = 0.0
    for _ in range(2000):
        simulator.step()
        top = max(top, abs(simulator.q[0]))
    assert top <= 1.0


TENDON = {"joints": ["joint1", "joint2"], "coupling": [[1.0, 1.0], [0.0, 1.0]]}
"""Of length ``joint1 - joint2``, the first motor, and joint2."""


@pytest.mark.parametrize("stiffness", [50.0, 1e9])
def test_a_tendon_pulls_two_joints_to_its_length(stiffness):
    """At any stiffness, with friction of the motors."""
    springs = {"plugin": "tendon_elastic", "stiffness": [stiffness, 0.0], "rest": [0.3, 0.0]}
    simulator = arm(gravity=0.0, actuators=[TENDON | springs | {"viscous_friction": 3.0}])
    for _ in range(15000):
        simulator.step()
    assert float(simulator.q[0] - simulator.q[1]) == pytest.approx(0.3, abs=1e-4)
    assert np.abs(simulator.v).max() < 1e-3


def test_a_tendon_swings_at_the_frequency_of_its_spring():
    """``d^2/dt^2 l = -K c' M^-1 c l`` for small motions about rest; first order in the step."""
    K, dt, c = 400.0, 2e-5, np.array([1.0, -1.0])
    springs = {"plugin": "tendon_elastic", "stiffness": [K, 0.0], "rest": [0.0, 0.0]}
    start = {"joint1": 0.001, "joint2": 0.0}
    simulator = arm(dt, gravity=0.0, actuators=[TENDON | springs], joint_positions=start)
    tree = simulator.world.bodies[0].tree
    tree.evaluate(simulator.q, simulator.v)
    w, lengths = math.sqrt(K * c @ np.linalg.solve(tree.M, c)), []
    for _ in range(int(1.1 * 2.0 * math.pi / w / dt)):
        simulator.step()
        lengths.append(float(c @ simulator.q))
    low = int(np.argmin(lengths))
    assert (low + 1) * dt == pytest.approx(math.pi / w, rel=5e-3)


def test_a_torque_is_cut_at_its_limit_and_along_the_line_to_the_speed_without_load():
    drive = {"joints": ["hinge"], "torque_limit": 3.0, "speed_limit": 4.0}
    simulator = rod(drive, gravity=0.0, time_step=1e-3)
    torques, speeds = [], []
    for _ in range(3000):
        speeds.append(float(simulator.v[0]))
        simulator.step(tau=np.array([100.0]))
        torques.append(float(simulator.signal("tau")[0]))
    line = 3.0 * (1.0 - np.array(speeds) / 4.0)
    np.testing.assert_allclose(torques, line, atol=1e-12)
    # dw/dt = (3/I) (1 - w/4), stepped explicitly.
    decay = (1.0 - 1e-3 * 3.0 / (4.0 * INERTIA)) ** 3000
    assert float(simulator.v[0]) == pytest.approx(4.0 * (1.0 - decay), rel=1e-9)
    simulator.step(tau=np.array([-100.0]))
    assert float(simulator.signal("tau")[0]) == -3.0  # a brake is not cut by speed


def test_stiff_gains_cannot_push_harder_than_the_motor():
    drive = {"joints": ["hinge"], "torque_limit": 2.0}
    controller = {"plugin": "posture", "stiffness": 1e4, "damping": 10.0, "target": {"hinge": 1.0}}
    simulator = rod(drive, controller=controller)
    most = 0.0
    for _ in range(1000):
        simulator.step()
        most = max(most, abs(float(simulator.signal("tau")[0])))
    assert most == 2.0  # 4.9 N m would lift the rod, so it hangs below the target
    assert float(simulator.q[0]) < 0.9


def test_motors_that_share_joints_are_cut_by_their_own_torques():
    T = np.array([[1.0, 0.3], [-0.5, 1.0]])
    drive = {"joints": ["joint1", "joint2"], "torque_limit": [1.0, 2.0], "coupling": T.tolist()}
    simulator = arm(gravity=0.0, actuators=[drive])
    asked = np.array([3.0, 0.5])
    simulator.step(tau=asked)
    expected = np.linalg.inv(T).T @ np.clip(T.T @ asked, [-1.0, -2.0], [1.0, 2.0])
    np.testing.assert_allclose(simulator.signal("tau"), expected, rtol=1e-12)


DRIVES = {
    "second_order": {"plugin": "second_order", "natural_frequency": 40.0, "torque_limit": 4.0},
    "series_elastic": {"plugin": "series_elastic", "stiffness": 200.0, "rotor_inertia": 0.01},
    "parallel_elastic": {"plugin": "parallel_elastic", "stiffness": 200.0, "rest": 0.2},
}


@pytest.mark.parametrize("kind", DRIVES)
def test_a_restored_run_goes_on_bit_for_bit(kind, tmp_path):
    controller = {"plugin": "posture", "stiffness": 20.0, "damping": 2.0, "target": {"hinge": 1.0}}

    def make():
        return rod({"joints": ["hinge"], **DRIVES[kind]}, controller=controller)

    whole, half, rest = make(), make(), make()
    for _ in range(400):
        whole.step()
    for _ in range(200):
        half.step()
    half.save(tmp_path / "half.state")
    rest.resume(tmp_path / "half.state")
    for _ in range(200):
        rest.step()
    assert rest.state.vector.tobytes() == whole.state.vector.tobytes()


def test_the_rotors_of_icub_make_its_inertia_well_conditioned():
    pytest.importorskip("icub_models")
    conditions = {}
    for scene in ("icub/standing", "icub/motors"):
        simulator = footfall.load(scene)
        simulator.q[7:] = 0.0
        simulator.q[3:7] = 0.0, 0.0, 0.0, 1.0
        simulator.step()
        n = simulator.world.nv
        conditions[scene] = np.linalg.cond(simulator.world.dynamics.M.reshape(n, n))
    assert conditions["icub/standing"] == pytest.approx(6.7e3, rel=0.01)
    assert conditions["icub/motors"] < 450.0


def test_reflected_inertia_can_be_given_anew_between_steps():
    drive = {
        "joints": ["joint1", "joint2"],
        "rotor_inertia": 0.1,
        "coupling": [[1.0, 0.3], [-0.5, 1.0]],
    }
    simulator = arm(actuators=[drive])
    simulator.step()
    given = np.array([[0.5, 0.2], [0.2, 0.4]])
    simulator.set_reflected_inertia("arm", given)
    simulator.q[:], simulator.v[:] = 0.0, 0.0
    simulator.step()
    bare = arm()
    bare.q[:], bare.v[:] = 0.0, 0.0
    bare.step()
    more = simulator.world.dynamics.M - bare.world.dynamics.M
    np.testing.assert_allclose(more.reshape(2, 2), given, atol=1e-12)


@pytest.mark.parametrize(
    ("inertia", "says"),
    [
        ([0.1], "shape"),
        ([0.1, np.nan], "not finite"),
        ([0.1, -0.1], "negative"),
        ([[0.1, 0.2], [0.0, 0.1]], "not symmetric"),
        ([[0.5, 0.2], [0.2, 0.4]], "couples joint1 and joint2"),
    ],
)
def test_a_reflected_inertia_that_does_not_fit_is_refused(inertia, says):
    with pytest.raises(footfall.errors.SimulationError, match=says):
        arm().set_reflected_inertia("arm", np.array(inertia))
