"""Gear friction and DC motors against closed forms."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.physics.test_actuators import rod
from tests.physics.test_backlash import DRIVEN, DRIVER, carts

import footfall
from footfall.errors import FootfallError

BARE, WEIGHT = 0.0834333333333 + 0.25, 9.81 * 0.5
"""Inertia of the rod about its hinge, [kg m^2]; moment of its weight when level, [N m]."""
ROUNDING = 1e-15
"""[rad or rad/s]"""
V, K, R = 12.0, 0.8, 2.0
"""Voltage, torque constant and resistance of the motor."""
MOTOR = {
    "joints": ["hinge"],
    "plugin": "dc_motor",
    "voltage": V,
    "torque_constant": K,
    "resistance": R,
}
GEAR = {"joints": ["hinge"], "plugin": "servo_friction"}


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
    simulator, _ = driven(100.0, MOTOR | rubbing, 20000)
    speed = (K * V / R - 1.1) / (K**2 / R + 0.07)
    assert simulator.v[0] == pytest.approx(speed, rel=1e-9)


def test_a_motor_runs_up_with_its_time_constant_in_first_order():
    """``w = V / k (1 - exp(-t / T))``, ``T = I R / k^2``; errors halve with the time step."""
    exact = V / K * (1.0 - math.exp(-(K**2) / (BARE * R)))
    found = [driven(100.0, MOTOR, n, 1.0 / n)[0].v[0] - exact for n in (250, 500, 1000)]
    assert np.abs(found[-1]) < 1e-3 * exact
    np.testing.assert_allclose(np.divide(found[:-1], found[1:]), 2.0, rtol=0.02)


def test_a_held_motor_gives_its_command_up_to_stall_torque_and_current_limit():
    held = MOTOR | {"rotor_inertia": 1e12}
    for asked, more, delivered in (
        (2.0, {}, 2.0),
        (100.0, {}, K * V / R),
        (-100.0, {"current_limit": 3.0}, -K * 3.0),
    ):
        assert driven(asked, held | more, 3)[1] == pytest.approx(delivered, rel=1e-9)


def test_a_regulated_motor_gives_its_command_until_the_voltage_is_reached():
    drive = MOTOR | {"control": "current", "rotor_inertia": 1e9}
    for speed in (3.0, 14.0, -20.0):
        given = driven(1.5, drive, 1, joint_velocities={"hinge": speed})[0].signal("tau")[0]
        least, most = sorted(K * (sign * V - K * speed) / R for sign in (-1.0, 1.0))
        assert given == pytest.approx(min(max(1.5, least), most), rel=1e-9)


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


@pytest.mark.parametrize("name", TERMS)
def test_a_loaded_gear_holds_in_a_range_of_torques(name):
    low, high = holding_range(TERMS[name], WEIGHT, 0.1)
    for torque, holds in (
        (0.999 * low, False),
        (1.001 * low, True),
        (0.999 * high, True),
        (1.001 * high, False),
    ):
        drive = GEAR | {"coulomb_friction": 0.1} | TERMS[name]
        simulator = rod(drive, joint_positions={"hinge": math.pi / 2.0})
        for _ in range(20):
            simulator.step(tau=np.array([torque]))
        assert (abs(simulator.v[0]) < ROUNDING) == holds, (torque, low, high)


def test_a_load_behind_backlash_loads_the_gear(tmp_path):
    """A driver carries a cart that rests on one side of the play: the range of both weights."""
    text = '[[actuators]]\njoints = ["a"]\nplugin = "servo_friction"\ncoulomb_friction = 1.0\n'
    weight = 9.81 * (DRIVER + DRIVEN)
    low, high = holding_range({"load_friction": 0.2}, weight, 1.0)
    for torque, holds in ((0.99 * low, False), (1.01 * low, True), (0.99 * high, True),
                          (1.01 * high, False)):  # fmt: skip
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


def test_runs_of_a_batch_have_terms_of_their_own(tmp_path):
    scene = tmp_path / "scene.toml"
    keys = "\n".join(f"{k} = {v!r}".replace("'", '"') for k, v in WHOLE.items())
    scene.write_text(
        '[bodies.rod]\nrobot = "pendulum"\njoint_positions = { hinge = 1.0 }\n'
        f"[[bodies.rod.actuators]]\n{keys}\n"
    )
    at = "bodies.rod.actuators.0."
    values = {"load_friction": [0.1, 0.4], "torque_constant": [0.5, 0.9], "delay": [0.002, 0.02]}
    tau = np.array([[2.0], [2.0]])
    with footfall.Batch(scene, 2) as batch:
        for key, value in values.items():
            batch.set(at + key, np.array(value))
        batch.step(tau, 300)
        for run in range(2):
            own = {at + key: value[run] for key, value in values.items()}
            alone = footfall.load(scene, own)
            for _ in range(300):
                alone.step(tau=tau[run])
            assert batch.q[run, 0] == pytest.approx(alone.q[0], rel=1e-12)


@pytest.mark.parametrize(
    ("drive", "body", "said"),
    [
        (GEAR | {"load_friction": 0.1}, {}, "needs a coulomb_friction > 0"),
        (WHOLE | {"coupling": [[2.0]]}, {}, "takes no coupling"),
        (WHOLE | {"delay": 0.5}, {}, "at most 0.126 s"),
        (MOTOR | {"resistance": 0.0}, {}, "resistance"),
        (GEAR | {"load_friction": [0.1, 0.1, 0.1]}, {}, "load_friction"),
    ],
)
def test_bad_keys_are_refused(drive, body, said):
    with pytest.raises(FootfallError, match=said) as raised:
        rod(drive, **body)
    assert "\n" not in str(raised.value)


def test_parts_that_do_not_take_varying_friction_refuse_it():
    simulator = swinging()
    simulator.step()
    with pytest.raises(FootfallError, match="friction that the drive of hinge sets in each step"):
        simulator.derivatives()


def test_a_fit_finds_the_terms_that_a_motion_was_made_with(tmp_path):
    scene = tmp_path / "scene.toml"
    keys = "\n".join(f"{k} = {v!r}".replace("'", '"') for k, v in WHOLE.items())
    scene.write_text(
        '[recorder]\ninterval = 10\n[bodies.rod]\nrobot = "pendulum"\n'
        "joint_positions = { hinge = -0.6 }\n[bodies.rod.controller]\n"
        'plugin = "posture"\nstiffness = 20.0\ndamping = 0.3\ntarget = { hinge = 1.0 }\n'
        f"[[bodies.rod.actuators]]\n{keys}\n"
    )
    at = "bodies.rod.actuators.0."
    made = {at + "load_friction": 0.35, at + "torque_constant": 0.7}
    footfall.load(scene, made).run(1.0, output=tmp_path / "run.zarr")
    bounds = {at + "load_friction": (0.0, 0.9), at + "torque_constant": (0.1, 5.0)}
    found = footfall.fit(scene, [tmp_path / "run.zarr"], bounds)
    for key, value in made.items():
        assert found.parameters[key].value == pytest.approx(value, rel=1e-3)
