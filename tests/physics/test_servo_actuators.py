"""Gear friction and DC motors against closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.physics.test_actuators import made, rod
from tests.physics.test_backlash import DRIVEN, DRIVER, carts

import footfall
from footfall.errors import FootfallError

BARE, WEIGHT = 0.0834333333333 + 0.25, 9.81 * 0.5
"""Inertia of the rod about its hinge, [kg m^2]; moment of its weight when level, [N m]."""
ROUNDING = 1e-15
"""[rad or rad/s]"""
V, K, R = 12.0, 0.8, 2.0
"""Voltage, torque constant and resistance of the motor."""
GEAR = {"joints": ["hinge"], "plugin": "servo_friction"}
MOTOR = GEAR | {"plugin": "dc_motor", "voltage": V, "torque_constant": K, "resistance": R}
AT = "bodies.rod.actuators.0."


def driven(torque, drive, steps, time_step=1e-3, **body):
    """Return a rod without weight after steps of a commanded torque, and the delivered ones."""
    simulator = rod(drive, gravity=0.0, time_step=time_step, **body)
    delivered = []
    for _ in range(steps):
        simulator.step(tau=np.array([torque]))
        delivered.append(float(simulator.signal("tau")[0]))
    return simulator, np.array(delivered)


@pytest.mark.parametrize("control", ["voltage", "current"])
def test_a_motor_at_its_voltage_turns_at_the_speed_of_its_load(control):
    """``k (V - k w) / R = F + b w``, with dry and viscous friction for the load."""
    rubbing = {"coulomb_friction": 1.1, "viscous_friction": 0.07, "control": control}
    speed = (K * V / R - 1.1) / (K**2 / R + 0.07)
    assert driven(100.0, MOTOR | rubbing, 20000)[0].v[0] == pytest.approx(speed, rel=1e-9)


def test_a_motor_runs_up_with_its_time_constant_in_first_order():
    """``w = V / k (1 - exp(-t / T))``, ``T = I R / k^2``; errors halve with the time step."""
    exact = V / K * (1.0 - math.exp(-(K**2) / (BARE * R)))
    found = [driven(100.0, MOTOR, n, 1.0 / n)[0].v[0] - exact for n in (250, 500, 1000)]
    assert np.abs(found[-1]) < 1e-3 * exact
    np.testing.assert_allclose(np.divide(found[:-1], found[1:]), 2.0, rtol=0.02)


@pytest.mark.parametrize("control", ["voltage", "current"])
def test_a_motor_gives_its_command_within_voltage_and_current(control):
    """The back-EMF is taken from the torque, unless the driver makes up for it."""
    drive = MOTOR | {"control": control, "rotor_inertia": 1e12, "current_limit": 4.5}
    for asked, speed in ((2.0, 0.0), (100.0, 0.0), (-100.0, 5.0), (1.5, 14.0), (1.5, -20.0)):
        given = driven(asked, drive, 1, joint_velocities={"hinge": speed})[1][0]
        least, most = sorted(K * (sign * V - K * speed) / R for sign in (-1.0, 1.0))
        wanted = asked - (K**2 / R * speed if control == "voltage" else 0.0)
        cut = min(max(wanted, -K * 4.5), K * 4.5)
        assert given == pytest.approx(min(max(cut, least), most), rel=1e-9)


def test_a_command_acts_after_the_delay():
    """The momentum of a torque that begins at 0.1 s, delayed by 12.3 steps of 1 ms."""
    simulator = rod(MOTOR | {"control": "current", "delay": 0.0123}, gravity=0.0)
    for step in range(200):
        simulator.step(tau=np.array([0.5 * (step >= 100)]))
    assert BARE * simulator.v[0] == pytest.approx(0.5 * (0.1 - 0.0123), rel=1e-9)


def test_a_joint_sticks_up_to_its_static_friction_exactly():
    drive = GEAR | {"coulomb_friction": 0.5, "stribeck_friction": 0.3}
    for torque, sticks in ((0.7999, True), (0.8001, False)):
        simulator, _ = driven(torque, drive, 500)
        assert (max(abs(simulator.q[0]), abs(simulator.v[0])) < ROUNDING) == sticks


def test_sliding_on_a_spring_is_steady_above_the_speed_that_stribecks_slope_gives():
    """``b + F'(u) = 0`` at the limit; beside it swings change at the rate ``-(b + F') / 2 I``."""
    more, fading, b, spring = 1.0, 0.5, 0.5, 30.0
    drive = GEAR | {"coulomb_friction": 0.2, "viscous_friction": b, "stribeck_friction": more}
    drive |= {"stribeck_speed": fading, "stribeck_exponent": 1.0}
    limit = fading * math.log(more / (fading * b))
    for u in (0.85 * limit, 1.2 * limit):
        slope = -more / fading * math.exp(-u / fading)
        simulator = rod(drive, gravity=0.0, time_step=5e-4, joint_velocities={"hinge": 1.01 * u})
        lag = (0.2 + b * u - slope * fading) / spring
        swings = []
        for step in range(16000):
            ahead = lag + u * step * 5e-4 - simulator.q[0]
            simulator.step(tau=np.array([spring * ahead]))
            swings.append(simulator.v[0] - u)
        early, late = (np.abs(part).max() for part in (swings[:2000], swings[-2000:]))
        rate = math.log(late / early) / (14000 * 5e-4)
        assert rate == pytest.approx(-(b + slope) / (2.0 * BARE), abs=0.02)


TERMS = {
    "M3": {"load_friction": 0.3},
    "M4": {"load_friction": 0.2, "stribeck_friction": 0.2, "stribeck_load_friction": 0.1},
    "M5": {"load_friction": [0.1, 0.3], "stribeck_load_friction": [0.2, 0.1]},
    "M6": {"load_friction": [0.1, 0.2], "quadratic_friction": [0.03, 0.05]},
}


def holding_range(terms, load, coulomb):
    """Return the least and the greatest torque that hold a load: ``|t - load| = F(t, -load)``."""

    def pair(name):
        return np.broadcast_to(terms.get(name, 0.0), 2)

    def spare(t):
        fixed = coulomb + terms.get("stribeck_friction", 0.0)
        both = [pair(f"{name}load_friction") for name in ("", "stribeck_")]
        squares = pair("quadratic_friction")
        square = squares[1] * load**2 if t > load else squares[0] * t**2
        return fixed + sum(abs(m * t + e * load) for m, e in both) + square - abs(t - load)

    return brentq(spare, 0.0, load), brentq(spare, load, 10.0 * load)


def tried(low, high, share):
    """Return torques a share within and beyond a range, and whether they hold."""
    ends = (low, -1.0), (high, 1.0)
    return [(x * (1.0 + side * out * share), out < 0) for x, side in ends for out in (-1, 1)]


@pytest.mark.parametrize("name", TERMS)
def test_a_loaded_gear_holds_in_a_range_of_torques(name):
    drive = GEAR | {"coulomb_friction": 0.1} | TERMS[name]
    for torque, holds in tried(*holding_range(TERMS[name], WEIGHT, 0.1), 1e-3):
        simulator = rod(drive, joint_positions={"hinge": math.pi / 2.0})
        for _ in range(20):
            simulator.step(tau=np.array([torque]))
        assert (abs(simulator.v[0]) < ROUNDING) == holds, torque


def test_a_load_behind_backlash_loads_the_gear(tmp_path):
    """A driver carries a cart that rests on one side of the play: the range of both weights."""
    text = '[[actuators]]\njoints = ["a"]\nplugin = "servo_friction"\ncoulomb_friction = 1.0\n'
    weight = 9.81 * (DRIVER + DRIVEN)
    for torque, holds in tried(*holding_range({"load_friction": 0.2}, weight, 1.0), 1e-2):
        sim = carts(tmp_path, dynamics=text + "load_friction = 0.2\n", gravity=9.81)
        sim.v[:] = 0.0
        for step in range(400):
            sim.step(tau=np.array([weight if step < 300 else torque, 0.0]))
        assert sim.q[1] - sim.q[0] == pytest.approx(-0.01, abs=1e-4)
        assert (abs(sim.v[0]) < 1e-6) == holds


WHOLE = MOTOR | TERMS["M4"] | {"coulomb_friction": 0.2, "delay": 0.01, "current_limit": 4.0}


def swinging(**body):
    gains = {"plugin": "posture", "stiffness": 20.0, "damping": 0.3, "target": {"hinge": 1.0}}
    return rod(WHOLE, controller=gains, **body)


def test_motor_and_friction_keep_the_balance_of_energy():
    run = swinging().run(1.0)
    total = run.kinetic_energy + run.potential_energy + run.dissipated_energy
    total = (total - run.work - run.integration_energy_error).values
    assert np.abs(total - total[0]).max() < 1e-12 * float(np.abs(run.potential_energy).max())
    assert (np.diff(run.dissipated_energy) >= 0.0).all()
    assert run.dissipated_energy[-1] > 0.1


def test_a_saved_state_continues_bit_for_bit():
    first, second = swinging(), swinging(joint_positions={"hinge": 0.5})
    first.run(0.3)
    second.state.restore(first.state.copy())
    assert first.run(0.2).q.values[-1] == second.run(0.2).q.values[-1]


def scene_of(folder, more=""):
    """Write a scene of the rod with all terms."""
    keys = "\n".join(f"{k} = {v!r}".replace("'", '"') for k, v in WHOLE.items())
    (folder / "scene.toml").write_text(
        f'[bodies.rod]\nrobot = "pendulum"\njoint_positions = {{ hinge = -0.6 }}\n{more}'
        f"[[bodies.rod.actuators]]\n{keys}\n"
    )
    return folder / "scene.toml"


def test_runs_of_a_batch_have_terms_of_their_own(tmp_path):
    scene, tau = scene_of(tmp_path), np.array([[2.0], [2.0]])
    values = {"load_friction": [0.1, 0.4], "torque_constant": [0.5, 0.9], "delay": [0.002, 0.02]}
    with footfall.Batch(scene, 2) as batch:
        for key, value in values.items():
            batch.set(AT + key, np.array(value))
        batch.step(tau, 300)
        for run in range(2):
            alone = footfall.load(scene, {AT + key: value[run] for key, value in values.items()})
            for _ in range(300):
                alone.step(tau=tau[run])
            assert batch.q[run, 0] == pytest.approx(alone.q[0], rel=1e-12)


def test_a_fit_finds_the_terms_that_a_motion_was_made_with(tmp_path):
    gains = "stiffness = 20.0\ndamping = 0.3\ntarget = { hinge = 1.0 }\n"
    scene = scene_of(tmp_path, f'[bodies.rod.controller]\nplugin = "posture"\n{gains}')
    true = {AT + "load_friction": 0.35, AT + "torque_constant": 0.7}
    footfall.load(scene, true).run(1.0, output=tmp_path / "run.zarr")
    bounds = {AT + "load_friction": (0.0, 0.9), AT + "torque_constant": (0.1, 5.0)}
    found = footfall.fit(scene, [tmp_path / "run.zarr"], bounds)
    for key, value in true.items():
        assert found.parameters[key].value == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize(
    ("drive", "said"),
    [
        (GEAR | {"load_friction": 0.1}, "needs a coulomb_friction > 0"),
        (WHOLE | {"coupling": [[2.0]]}, "takes no coupling"),
        (WHOLE | {"delay": 0.5}, "at most 0.126 s"),
        (MOTOR | {"resistance": 0.0}, "resistance"),
        (GEAR | {"load_friction": [0.1, 0.1, 0.1]}, "load_friction"),
    ],
)
def test_bad_keys_are_refused_in_one_line(drive, said):
    with pytest.raises(FootfallError, match=rf"\A[^\n]*{said}[^\n]*\Z"):
        rod(drive)


@pytest.mark.parametrize(
    "other", [{"contact": {"plugin": "regularized"}}, {"simulator": {"plugin": "mujoco"}}]
)
def test_parts_without_varying_friction_refuse_it(other):
    simulator = swinging()
    simulator.step()
    with pytest.raises(FootfallError, match="friction that the drive of hinge sets in each step"):
        simulator.derivatives()
    body = {"robot": "pendulum", "actuators": [WHOLE]}
    with pytest.raises(FootfallError, match=r"drive.*sets (its friction )?in each step"):
        made({"simulation": {"duration": 1.0}, "bodies": {"rod": body}} | other)
