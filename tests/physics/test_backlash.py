"""Backlash of couplings and restitution of stops against closed forms."""

from pathlib import Path

import numpy as np
import pytest
from tests.physics.test_joint_stops import pendulum
from tests.plugins.test_gradients import errors

import footfall
from footfall.errors import RobotError, SceneError

DRIVER, DRIVEN, SPEED = 2.0, 3.0, 0.7
"""[kg], [kg], [m/s] of the driver at the start."""
BACKLASH, G, SIDES = 0.02, 9.81, ("lower", "upper")
CART = """
<joint name="{name}" type="prismatic">
  <parent link="rail"/><child link="{name}_cart"/><axis xyz="0 0 1"/>
  <limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<link name="{name}_cart"><inertial><mass value="{mass}"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
"""


def carts(folder: Path, gear: str = "", dynamics: str = "", gravity: float = 0.0, **overrides):
    """Load two carts on one rail, coupled with backlash; the first moves towards the second."""
    gear = gear if "backlash" in gear else f"backlash = {BACKLASH}\n{gear}"
    both = CART.format(name="a", mass=DRIVER) + CART.format(name="b", mass=DRIVEN)
    (folder / "model.urdf").write_text(f'<robot name="c"><link name="rail"/>{both}</robot>')
    (folder / "robot.toml").write_text(
        'base = "fixed"\n[model]\nfile = "model.urdf"\n[[loops]]\nname = "gear"\n'
        f'kind = "coupling"\njoint = "b"\nof = "a"\n{gear}\n{dynamics}'
    )
    (folder / "scene.toml").write_text(
        f"[simulation]\nduration = 1.0\n[world]\ngravity = [0.0, 0.0, {-gravity}]\n"
        f'[bodies.carts]\nrobot = "robot.toml"\njoint_velocities = {{ a = {SPEED} }}\n'
    )
    return footfall.load(folder / "scene.toml", overrides=overrides)


@pytest.mark.parametrize("ratio", [1.0, -2.5])
def test_the_driven_joint_rests_until_the_play_is_crossed_then_both_share_the_momentum(
    tmp_path, ratio
):
    """``m1 v1 = (m1 + r^2 m2) v``, after ``b / (2 |r| v1)``; the side gives the impulse m2 r v."""
    sim = carts(tmp_path, f"ratio = {ratio}")
    crossed = BACKLASH / 2.0 / abs(ratio) / SPEED
    run = sim.run(0.1)
    before = run.time.values < crossed
    assert (run.q.values[before, 1] == 0.0).all()
    assert (run.v.values[before, 0] == SPEED).all()
    shared = DRIVER * SPEED / (DRIVER + ratio**2 * DRIVEN)
    np.testing.assert_allclose(sim.v, [shared, ratio * shared], rtol=1e-9)
    assert list(run.joint_row.values) == [f"carts/gear/backlash_{side}" for side in SIDES]
    pushed, idle = run.joint_row_force.sum("time").values[:: 1 if ratio > 0.0 else -1]
    assert pushed * sim.time_step == pytest.approx(DRIVEN * ratio * shared, rel=1e-9)
    assert idle == 0.0


def test_a_reversal_loses_the_backlash(tmp_path):
    """A heavy driver reverses; the driven cart, which rubs, follows after all of the backlash."""
    rubs = "[joint_dynamics.a]\narmature = 1e9\n[joint_dynamics.b]\nfriction = 5e3\n"
    sim, reached = carts(tmp_path, dynamics=rubs), []
    for speed in (SPEED, -SPEED):
        sim.v[0] = speed
        for _ in range(100):
            sim.step()
            reached.append(sim.q.copy())
    driver, driven = np.array(reached).T
    assert np.ptp(driven[99:]) == pytest.approx(np.ptp(driver[99:]) - BACKLASH, abs=1e-8)
    back = driver.max() - driver[driven == driven.max()]
    assert BACKLASH - SPEED * sim.time_step <= back.max() <= BACKLASH + 1e-8


def test_it_has_derivatives(tmp_path):
    """Against differences, while one side presses, and when the play is crossed and bounces."""
    sim = carts(tmp_path, "ratio = -2.5", gravity=G, **{"contact.tolerance": 1e-12})
    sim.run(0.05)
    sim.q[1] -= 5e-6
    _, wrong = errors(sim, size=1e-7)
    assert max(wrong.values()) < 1e-6, wrong
    sim = carts(tmp_path, "ratio = -2.5\nrestitution = 0.5", gravity=G)
    sim.q[1] = BACKLASH / 2.0 - 2.5 * sim.q[0] - 2e-4
    _, wrong = errors(sim, size=1e-7)
    assert sim.signal("impact_splits") == 1
    assert max(wrong.values()) < 1e-6, wrong


def test_a_load_rests_on_one_side(tmp_path):
    """The driver is held by friction; the driven cart hangs half the backlash below it."""
    sim = carts(tmp_path, dynamics="[joint_dynamics.a]\nfriction = 100.0\n", gravity=G)
    sim.v[:] = 0.0
    run = sim.run(1.0)
    assert sim.q[1] - sim.q[0] == pytest.approx(-BACKLASH / 2.0, abs=1e-9)
    force = run.joint_row_force[-1].sel(joint_row=[f"carts/gear/backlash_{s}" for s in SIDES])
    np.testing.assert_allclose(force, [DRIVEN * G, 0.0], rtol=1e-9)


@pytest.mark.parametrize("e", [1.0, 0.5])
def test_sides_with_restitution_return_the_relative_speed(tmp_path, e):
    """``e v`` after each impact; momentum is kept, with e = 1 energy as well."""
    sim = carts(tmp_path, f"restitution = {e}")
    run = sim.run(1.0)
    relative = run.v.values[:, 1] - run.v.values[:, 0]
    hits = np.flatnonzero(np.diff(np.sign(relative)))
    assert len(hits) >= 5
    np.testing.assert_allclose(np.abs(relative[hits + 1]), SPEED * e ** np.arange(1, 1 + len(hits)))
    np.testing.assert_allclose(run.v.values @ [DRIVER, DRIVEN], DRIVER * SPEED, rtol=1e-12)
    play = run.q.values[:, 1] - run.q.values[:, 0]
    assert np.abs(play).max() <= BACKLASH / 2.0 + 1e-9
    if e == 1.0:
        np.testing.assert_allclose(run.kinetic_energy, run.kinetic_energy[0], rtol=1e-12)


def test_a_limit_with_restitution_returns_the_joint(tmp_path):
    """The pendulum reaches -0.5 rad with w^2 = 3 g / L (cos 0.5 - cos 1.5), leaves with e w."""
    recorded = pendulum(tmp_path, "limits = [-0.5, 2.0]\nrestitution = 0.8", 1.5).run(1.2)
    speed, rate = np.sqrt(3.0 * G * (np.cos(0.5) - np.cos(1.5))), recorded.v.values[:, 0]
    hit = int(np.argmax(np.diff(rate) > speed))
    # Within a step the weight changes the rate by 3 g sin(0.5) / 2 times the step.
    assert rate[hit] == pytest.approx(-speed, abs=0.02)
    assert rate[hit + 1] == pytest.approx(0.8 * speed, abs=0.02)
    lost = (1.0 - 0.8**2) * G / 2.0 * (np.cos(0.5) - np.cos(1.5))
    assert recorded.dissipated_energy.values[-1] == pytest.approx(lost, rel=5e-3)


REFUSED = {
    "backlash = -1.0": "loops.0..backlash: must be",
    "backlash = 0.0\nrestitution = 0.5": "restitution has no effect without backlash",
    "project = true": "project has no effect with backlash",
    "restitution = 1.5": "restitution",
    "offset = 0.011": '"gear" of carts starts 0.011 rad or m from the middle .* allows 0.01',
}


@pytest.mark.parametrize("gear", REFUSED)
def test_a_backlash_that_cannot_be_is_refused(tmp_path, gear):
    with pytest.raises((SceneError, RobotError), match=REFUSED[gear]):
        carts(tmp_path, gear)


def test_laws_simulators_and_impacts_that_cannot_refuse_it_by_name(tmp_path):
    for role, name, said in (
        ("contact", "compliant", "cannot do unilateral blocks.* couplings of carts have backlash"),
        ("impact", "inelastic", "the stop carts/gear/backlash_lower has restitution"),
        ("simulator", "mujoco", "does not support backlash, and carts has them"),
    ):
        with pytest.raises(SceneError, match=f'"{name}" .*{said}'):
            carts(tmp_path, "restitution = 0.5", **{f"{role}.plugin": name})
