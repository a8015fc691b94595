"""Limits and friction of joints with laws that take no rows of joints: springs, and said so."""

import numpy as np
import pytest
from tests.physics.test_joint_stops import moment, pendulum

import footfall
from footfall.errors import RobotWarning, SceneError
from footfall.model import bundled_folder
from footfall_run.summary import summary

LAWS = ("gauss", "regularized")
INERTIA = 1.0 / 3.0
"""Of the pendulum's rod about its hinge, [kg m^2]."""
FREQUENCY = 200.0
CREEP = 1e-3
"""As documented, [rad/s]."""


@pytest.mark.parametrize("law", LAWS)
def test_a_limit_is_a_spring_that_takes_energy_and_gives_none(tmp_path, law):
    """From 1.5 rad to a stop at 0.3 rad, and to rest on it.

    A critically damped spring is compressed by ``v / (e w)`` and throws back ``e^-2`` of the speed;
    at rest it carries the weight.
    """
    sim = pendulum(tmp_path, "limits = [0.3, 2.0]", 1.5, **{"contact.plugin": law})
    recorded = sim.run(2.0)
    angle, rate = recorded.q.values[:, 0], recorded.v.values[:, 0]
    hit = int(np.argmax(angle < 0.3))
    depth = 0.3 - angle.min()
    assert depth == pytest.approx(abs(rate[hit]) / (np.e * FREQUENCY), rel=0.25)
    assert 0.0 < rate[hit : hit + 30].max() < 1.1 * np.exp(-2.0) * abs(rate[hit])
    energy = recorded.kinetic_energy.values + recorded.potential_energy.values
    booked = recorded.work - recorded.dissipated_energy + recorded.integration_energy_error
    np.testing.assert_allclose(energy - energy[0], booked.values, atol=1e-11)
    # The spring never gives back more than it stores.
    stored = 0.5 * INERTIA * FREQUENCY**2 * depth**2
    lost = recorded.dissipated_energy.values
    assert (np.maximum.accumulate(lost) - lost).max() < stored
    np.testing.assert_allclose(rate[-1], 0.0, atol=1e-6)
    rest = 0.3 - angle[-1]
    assert rest == pytest.approx(moment(angle[-1]) / (INERTIA * FREQUENCY**2), rel=1e-3)
    carried = recorded.joint_row_force.sel(joint_row="robot/hinge/lower").values[-1]
    assert carried == pytest.approx(moment(angle[-1]), rel=1e-3)


@pytest.mark.parametrize("law", LAWS)
def test_friction_creeps_below_its_level_as_fast_as_is_said(tmp_path, law):
    """0.4 rad takes 1.91 N m of 3 N m: the joint gives way by 1.91 / 3 of the creep speed."""
    sim = pendulum(tmp_path, "friction = 3.0", 0.4, **{"contact.plugin": law})
    recorded = sim.run(1.0)
    assert recorded.v.values[-1, 0] == pytest.approx(-CREEP * moment(0.4) / 3.0, rel=0.01)


def test_friction_takes_its_torque_times_the_angle(tmp_path):
    sim = pendulum(tmp_path, "friction = 0.5", 1.5, **{"contact.plugin": "gauss"})
    recorded = sim.run(5.0)
    way = np.abs(np.diff(recorded.q.values[:, 0])).sum()
    assert recorded.dissipated_energy.values[-1] == pytest.approx(0.5 * way, rel=5e-3)


def test_the_run_says_what_stands_for_them(tmp_path):
    dynamics = "limits = [-0.5, 2.0]\nfriction = 0.1"
    sim = pendulum(tmp_path, dynamics, 0.4, **{"contact.plugin": "gauss"})
    told = dict(summary(sim.record(0.01)))
    stiffness = INERTIA * FREQUENCY**2
    assert f"{stiffness:.3g} N m/rad" in told["joint limits"]
    assert "creeps below 0.001 rad/s" in told["joint friction"]
    assert "joint limits" not in dict(summary(pendulum(tmp_path, dynamics, 0.4).record(0.01)))


def test_friction_of_the_model_file_acts_with_every_law(tmp_path):
    text = (bundled_folder() / "pendulum" / "model.urdf").read_text()
    rubbing = text.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><dynamics friction="3"/>')
    (tmp_path / "rod.urdf").write_text(rubbing)
    start = 'base = "fixed"\njoint_positions = { hinge = 0.4 }\n'
    (tmp_path / "scene.toml").write_text(
        f'[simulation]\nduration = 1.0\n\n[bodies.rod]\nrobot = "rod.urdf"\n{start}'
    )
    held = footfall.load(tmp_path / "scene.toml").run(0.1)
    assert np.abs(held.q.values - 0.4).max() < 1e-12
    creeping = footfall.load(tmp_path / "scene.toml", overrides={"contact.plugin": "gauss"})
    assert np.abs(creeping.run(0.1).q.values - 0.4).max() < 0.1 * CREEP
    smooth = {"contact.plugin": "compliant", "integrator.plugin": "rk4"}
    with pytest.warns(RobotWarning, match='"rk4" has no place for Coulomb friction .*: hinge'):
        footfall.load(tmp_path / "scene.toml", overrides=smooth)


def test_they_are_refused_in_continuous_time_where_they_are_asked_for(tmp_path):
    smooth = {"contact.plugin": "compliant", "integrator.plugin": "rk4"}
    for dynamics, row in (("limits = [-0.5, 2.0]", "lower"), ("friction = 0.5", "friction")):
        with pytest.raises(SceneError, match=f'"rk4" does not support .*hinge/{row}.*one-step'):
            pendulum(tmp_path, dynamics, 0.4, **smooth)
