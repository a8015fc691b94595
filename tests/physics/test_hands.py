"""Hands drag by an implicit spring and damper, and touch with a ball."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.physics.hand_scenes import DT, at, light_box, teach

import footfall
from footfall import assemble
from footfall.scene.load import scene_from_dict

OFF = (0.03, -0.04, 0.05)


def formula(run, hand=0):
    """Return the spring-damper's force of every row, from recorded positions and velocities."""
    get = {name: run[f"hand_{name}"].values[:, hand] for name in NAMES}
    dt = float(run.attrs["time_step"])
    away = get["target"] - get["position"] - dt * get["velocity"]
    fast = get["target_velocity"] - get["velocity"]
    return get["stiffness"][:, None] * away + get["damping"][:, None] * fast


NAMES = ("target", "target_velocity", "position", "velocity", "stiffness", "damping")


def test_the_recorded_force_is_that_of_the_spring_damper():
    sim = light_box({"stiffness": 300.0, "damping_ratio": 0.7, "force_limit": 1e3}, mass=2.0)
    sway = 2.0 * np.pi

    def say(t):
        where = [0.2 * np.sin(sway * t), 0.1 * t, 1.0 + 0.1 * (1.0 - np.cos(sway * t))]
        return at(where, point=OFF, rotation=Rotation.from_rotvec([0, 0, t]).as_matrix())

    teach(sim, say)
    run = sim.run(1.0)
    np.testing.assert_allclose(run.hand_force.values[:, 0], formula(run), rtol=1e-9, atol=1e-9)
    mass = run.hand_mass.values[0, 0]
    expected = 2.0 * 0.7 * np.sqrt(mass * 300.0)
    np.testing.assert_allclose(run.hand_damping.values, expected, rtol=1e-12)
    assert np.abs(run.hand_force.values).max() > 1.0
    assert (run.hand_link.values == 0).all()
    assert run.hand_link.attrs["flag_meanings"].split() == ["fixed", "none", "box/object"]
    assert list(run.hand_link.attrs["flag_values"]) == [-2, -1, 0]


def test_force_and_recorded_motion_obey_newton_at_the_centre():
    sim = light_box({"stiffness": 300.0}, mass=2.0)
    teach(sim, lambda t: at([0.3 * np.sin(5.0 * t), 0.0, 1.0]))
    run = sim.run(0.5)
    force, v = run.hand_force.values[:, 0, 0], run.base_velocity.values[:, 0, 0]
    np.testing.assert_allclose(np.diff(v) / DT * 2.0, force[:-1], atol=1e-9)
    # What the formula takes for the velocity at the end of a step is the one of the next row.
    np.testing.assert_allclose(run.hand_velocity.values[:-1, 0, 0], v[1:], atol=1e-12)
    np.testing.assert_allclose(
        run.hand_position.values[:, 0], run.base_position.values[:, 0], atol=1e-12
    )


def test_effective_mass_is_that_of_the_operational_space():
    sim = light_box({"stiffness": 300.0}, mass=2.0)
    teach(sim, lambda t: at([0.0, 0.0, 1.0], point=OFF))
    sim.step()
    r, inertia = np.array(OFF), 2.0 * 0.1**2 / 6.0
    skew = np.cross(np.eye(3), r)
    mobility = np.eye(3) / 2.0 + skew @ skew.T / inertia
    assert sim.hands["right"].status.mass == pytest.approx(3.0 / np.trace(mobility), rel=1e-9)


@pytest.mark.parametrize("step", [1e-3, 5e-3, 2e-2])
def test_a_link_of_50_g_on_a_stiff_spring_stays_stable(step):
    sim = light_box({"stiffness": 5000.0, "force_limit": 1e6}, step=step)
    teach(sim, lambda t: at([0.2 if t < 1.0 else 0.0, 0.1, 1.1], point=OFF))
    fastest, spin = 0.0, []
    for _ in range(round(4.0 / step)):
        sim.step()
        fastest = max(fastest, float(np.abs(sim.v[:3]).max()))
        spin.append(float(np.linalg.norm(sim.v[3:])))
    assert fastest < 50.0  # 5000 N/m over 0.25 m on 50 g could give 79 m/s, undamped
    # It goes on turning about the point, which nothing damps, and pulls on the spring by that.
    np.testing.assert_allclose(sim.hands["right"].status.position, [0.0, 0.1, 1.1], atol=5e-3)
    later = spin[round(1.2 / step) :]
    assert max(later) <= later[0]


def test_defaults_suit_the_body_and_the_force_is_limited():
    sim = light_box({}, mass=2.0)
    teach(sim, lambda t: at([0.9, 0.0, 1.0]))
    run = sim.run(0.05)
    weight = 2.0 * 9.81
    np.testing.assert_allclose(
        np.linalg.norm(run.hand_force.values[:, 0], axis=1), 2.0 * weight, rtol=1e-9
    )
    assert np.isnan(run.hand_stiffness.values).all()
    teach(light := light_box({}, mass=2.0, gravity=(0.0, 0.0, -9.81)), lambda t: at([0, 0, 1.0]))
    for _ in range(4000):
        light.step()
    np.testing.assert_allclose(light.q[:3], [0.0, 0.0, 0.9], atol=1e-6)


def test_a_hand_turns_what_it_holds_as_it_turns():
    sim = light_box({"stiffness": 300.0, "rotational_stiffness": 2.0})
    start = Rotation.from_rotvec([0.4, 0.0, 0.0])
    turn = Rotation.from_rotvec([0.0, 0.5, 1.0])

    def say(t):
        return at([0.0, 0.0, 1.0], rotation=(start if t < 0.01 else turn * start).as_matrix())

    teach(sim, say)
    for _ in range(3000):
        sim.step()
    turned = Rotation.from_matrix(sim.world.dynamics.pose[0, :9].reshape(3, 3).T)
    # The box was level when the hand closed, and keeps its place in the hand.
    assert (turned * turn.inv()).magnitude() < 1e-6


def test_the_device_feels_the_opposite_up_to_its_limit():
    sim = light_box({"stiffness": 300.0, "feedback_scale": 0.5, "feedback_limit": 1.0})
    device = teach(sim, lambda t: at([0.1 * t, 0.0, 1.0]) if t < 0.5 else None)
    run = sim.run(1.0)
    force = run.hand_force.values[:, 0]
    felt = np.array([each for _, each, _ in device.felt])
    size = np.linalg.norm(0.5 * force, axis=1, keepdims=True)
    expected = -0.5 * force * np.minimum(1.0, 1.0 / np.maximum(size, 1e-12))
    np.testing.assert_allclose(felt, expected[: len(felt)], atol=1e-12)
    assert not felt[-1].any()  # told once that there is nothing any more
    assert len(felt) == 501
    assert device.opened == 0


def test_a_hand_holds_what_is_nearest_where_its_surface_is_nearest():
    sim = light_box({"stiffness": 300.0, "reach": 0.03})
    teach(sim, lambda t: at([0.085, 0.02, 1.01], link=None, point=None))
    sim.step()
    np.testing.assert_allclose(sim.hands["right"].status.position, [0.05, 0.02, 1.01], atol=1e-6)
    assert sim.hands["right"].status.held == "box/object"


def test_a_hand_out_of_reach_holds_nothing_until_it_closes_again():
    sim = light_box({"stiffness": 300.0, "reach": 0.02})
    where = [0.1, 0.0, 1.0]
    closed = True
    teach(sim, lambda t: at(where, link=None, point=None) if closed else None)
    sim.step()
    assert "reach" in sim.hands["right"].status.problem
    where[0] = 0.06
    sim.step()
    assert sim.hands["right"].status.held is None
    closed = False
    sim.step()
    closed = True
    sim.step()
    assert sim.hands["right"].status.held == "box/object"


def test_a_ball_pushes_as_its_spring_and_damper_say():
    hand = {"mode": "touch", "stiffness": 200.0, "tip_radius": 0.02, "tip_friction": 0.0}
    sim = light_box(hand)
    teach(sim, lambda t: at([-0.08 + 0.1 * t, 0.01, 1.0], link=None, point=None))
    run = sim.run(0.4)
    touched = run.hand_link.values[:, 0] == 0
    assert touched.any()
    assert not touched.all()
    force, spring = run.hand_force.values[:, 0], formula(run)
    size = np.linalg.norm(force, axis=1)
    pushed = size > 1e-9
    assert pushed.sum() > 10
    along = (spring * force).sum(axis=1)[pushed] / size[pushed]
    np.testing.assert_allclose(size[pushed], along, rtol=1e-9)
    assert (force[pushed, 0] > 0.0).all()
    assert (force[~touched] == 0.0).all()
    # It goes before the ball, no slower.
    assert run.base_velocity.values[-1, 0, 0] >= 0.1 - 1e-3


def test_a_measured_force_acts_scaled_where_the_ball_touches():
    sim = light_box({"mode": "touch", "force_scale": 3.0, "force_limit": 10.0}, mass=1.0)
    pressed = np.array([1.0, 0.5, 0.0])
    touching = at([-0.055, 0.0, 1.0], link=None, point=None, force=pressed)
    teach(sim, lambda t: touching)
    sim.step()
    # Velocities are along the axes of the box at the end of the step, which it has turned in.
    np.testing.assert_allclose(sim.v[:3], 3.0 * pressed * DT, rtol=1e-3)
    # The face is at x = -0.05: the force along y turns the box about z.
    inertia = 1.0 * 0.1**2 / 6.0
    assert sim.v[5] == pytest.approx(-0.05 * 1.5 * DT / inertia, rel=1e-6)
    assert sim.hands["right"].status.held == "box/object"


def test_a_stiff_ball_on_a_light_box_throws_nothing():
    sim = light_box({"mode": "touch", "stiffness": 1e6, "force_limit": 1e9})
    teach(sim, lambda t: at([-0.058, 0.0, 1.0], link=None, point=None))
    fastest = 0.0
    for _ in range(300):
        sim.step()
        fastest = max(fastest, abs(float(sim.v[0])))
    assert fastest < 0.002 / DT  # it was in the box by 2 mm
    assert sim.q[0] > 0.0


def test_the_force_of_a_ball_is_limited_however_deep_it_is():
    sim = light_box({"mode": "touch", "force_limit": 0.2})
    teach(sim, lambda t: at([-0.045, 0.0, 1.0], link=None, point=None))
    row = sim.run(0.001).isel(time=0)
    np.testing.assert_allclose(row.hand_force.values[0], [0.2, 0.0, 0.0], atol=1e-9)
    assert np.isnan(row.hand_stiffness.values[0])


def test_a_ball_meets_links_that_have_no_collision_shapes():
    hand = {"device.plugin": "mouse", "mode": "touch", "stiffness": 2e3}
    sim = footfall.load("humanoid/standing", {f"hands.right.{k}": v for k, v in hand.items()})
    assert sim.world.collider is None
    chest = sim.hands.links.index("humanoid/chest")
    middle = sim.world.dynamics.pose[chest, 9:].copy()
    device = teach(sim, lambda t: at([middle[0] - 0.3 + 0.3 * t, 0.0, middle[2] + 0.1], link=None))
    force = []
    for _ in range(900):
        sim.step()
        force.append(sim.hands["right"].status.force[0])
    assert max(force) > 10.0
    assert min(f[0] for _, f, _ in device.felt) < -10.0


def test_a_ball_on_a_fixed_table_is_felt_and_moves_nothing():
    sim = light_box({"mode": "touch", "stiffness": 500.0}, mass=1.0)
    table = {"shape": {"type": "box", "size": (1.0, 1.0, 0.4)}, "fixed": True, "friction": 0.5}
    tables = dict(sim.provenance.resolved["scene"])
    tables["bodies"] = {**tables["bodies"], "table": {**table, "base_position": (2.0, 0.0, 0.3)}}
    sim = assemble(scene_from_dict(tables))
    device = teach(sim, lambda t: at([2.2, 0.1, 0.505], link=None, point=None))
    run = sim.run(0.05)
    status = run.isel(time=-1)
    np.testing.assert_allclose(device.felt[-1][1], [0.0, 0.0, 500.0 * 0.005], atol=1e-9)
    np.testing.assert_allclose(status.hand_position.values[0], [2.2, 0.1, 0.5], atol=1e-9)
    assert status.hand_link.values[0] == -2
    np.testing.assert_allclose(status.base_position.values[0], [0.0, 0.0, 1.0], atol=1e-12)
    # Closing above it, a hand that drags finds nothing to hold.
    teach(sim, lambda t: at([2.2, 0.1, 0.505], link=None, point=None, mode="drag"))
    sim.step()
    assert "reach" in sim.hands["right"].status.problem


def test_work_of_a_hand_is_in_the_ledger():
    sim = light_box({"stiffness": 300.0}, gravity=(0.0, 0.0, -9.81), mass=1.0)
    teach(sim, lambda t: at([0.0, 0.0, 1.0 + 0.3 * t]))
    run = sim.run(1.0)
    held = run.kinetic_energy + run.potential_energy + run.dissipated_energy
    account = held - run.work - run.integration_energy_error
    np.testing.assert_allclose(account.values, account.values[0], rtol=1e-9)
    assert float(run.work[-1]) > 1.0


def test_an_idle_hand_changes_nothing():
    plain = footfall.load("humanoid/pushed")
    handy = footfall.load("humanoid/pushed", {"hands.right.device.plugin": "mouse"})
    for _ in range(300):
        plain.step()
        handy.step()
    np.testing.assert_array_equal(plain.q, handy.q)
    assert handy.stepper.pull is None


def test_two_hands_pull_at_one_body():
    sim = light_box({"stiffness": 300.0}, mass=1.0)
    both = {"left": (-0.05, 0.0, 0.0), "right": (0.05, 0.0, 0.0)}
    hands = {
        name: {
            "stiffness": 300.0,
            "device": {
                "plugin": "scripted",
                "link": "object",
                "point": point,
                "waypoints": [{"time": t, "position": (2.0 * point[0], 0.0, 1.0)} for t in (0, 1)],
            },
        }
        for name, point in both.items()
    }
    run = assemble(scene_from_dict({**sim.provenance.resolved["scene"], "hands": hands})).run(1.0)
    last = run.hand_force.values[-1]
    np.testing.assert_allclose(last[0], -last[1], atol=1e-3)
    # Each knows the velocity without the one that acts after it: see the page on hands.
    assert 0.98 * 300.0 * 0.05 < last[1][0] < 300.0 * 0.05
    for k in range(2):
        np.testing.assert_allclose(run.hand_force.values[:, k], formula(run, k), atol=1e-9)
    assert list(run.hand.values) == ["left", "right"]
