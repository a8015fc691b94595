"""The settings of the compliant ground: one way to give each, refused in one line otherwise."""

import pytest
from tests.cases import each
from typer.testing import CliRunner

import footfall
from footfall.cli.main import app
from footfall_compliant.contact import CompliantConfig

SCENE = "planar_box/drop"


@pytest.mark.parametrize(
    ("settings", "stiffness", "damping"),
    [
        ({}, 1e6, 2e3),
        ({"stiffness": 2e5}, 2e5, 4e2),
        ({"damping": 700.0}, 1e6, 700.0),
        ({"recovery_time": 5e-3}, 1e6, 5e3),
        ({"force": 8.0, "compression": 4e-4}, 1e6, 2e3),
        ({"force": 8.0, "compression": 4e-4, "damping": 30.0}, 1e6, 30.0),
    ],
)
def test_stiffness_and_damping_may_be_given_in_two_ways_each(settings, stiffness, damping):
    config = CompliantConfig(**settings)
    found = config.K, config.D
    assert found == pytest.approx((stiffness, damping), rel=1e-14)
    assert config.time_constant == config.D / config.K


@each(
    ("settings", "message"),
    [
        ({"stiffness": 0.0}, "contact.stiffness: must be > 0, got 0"),
        ({"damping": -3.0}, "contact.damping: must be > 0, got -3"),
        ({"recovery_time": 0.0}, "contact.recovery_time: must be > 0"),
        ({"force": 10.0}, "force and compression go together"),
        ({"compression": 1e-3}, "force and compression go together"),
        ({"stiffness": 1e6, "force": 1.0, "compression": 1e-3}, "give stiffness, or force and"),
        ({"damping": 10.0, "recovery_time": 1e-3}, "give damping or recovery_time, not both"),
        ({"stiffnes": 1e6}, "did you mean 'stiffness'?"),
    ],
)
def test_settings_that_make_no_sense_are_one_line_with_the_key(settings, message):
    with pytest.raises(footfall.SceneError) as caught:
        footfall.load(SCENE, {f"contact.{key}": value for key, value in settings.items()})
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_restitution_is_refused_with_the_laws_that_have_it():
    with pytest.raises(footfall.SceneError, match="cannot do restitution") as caught:
        footfall.load(SCENE, {"world.terrain.restitution": 0.5})
    assert "coulomb" in str(caught.value)


def test_a_run_reports_the_time_in_which_the_ground_recovers():
    arguments = ["run", SCENE, "--no-record", "--duration", "0.01"]
    result = CliRunner().invoke(app, [*arguments, "--set", "contact.recovery_time=0.004"])
    assert result.exit_code == 0
    assert "recovers in D/K = 4 ms" in " ".join(result.output.split())


def test_the_deformation_of_the_ground_is_saved_and_restored(tmp_path):
    sim = footfall.load(SCENE)
    for _ in range(1100):
        sim.step()
    assert sim.state["contact.deformation"].any()
    sim.save(tmp_path / "state.npz")
    again = footfall.load(SCENE)
    again.resume(tmp_path / "state.npz")
    for _ in range(50):
        sim.step()
        again.step()
    assert again.state.vector.tobytes() == sim.state.vector.tobytes()
