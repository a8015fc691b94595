"""Robots of installed packages run as they are imported: legged ones stand, arms hold."""

from importlib.metadata import PackageNotFoundError, distribution

import numpy as np
import pytest
from tests.cases import first

import footfall
from footfall.model.robot import load_robot
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.write import write_robot

EXTRAS = {
    "example-robot-data": "robots",
    "gymnasium": "gym",
    "icub-models": "icub",
    "jvrc_description": "jvrc",
}
LEGGED = {
    "icub-models:iCubGazeboV2_5": 2,
    "icub-models:iCubGenova02": 2,
    "jvrc_description:jvrc1": 2,
    "example-robot-data:talos_full_v2": 2,
    "example-robot-data:solo12": 4,
    "example-robot-data:anymal_b_simple_description/anymal": 4,
}
"""Feet by robot."""
ARMS = ("example-robot-data:panda", "example-robot-data:ur5_robot")
RESIDUAL = 1e-8
"""What the default law is asked for is 1e-9, [m/s]."""
SINK = 0.02
"""How far a standing robot's base may go down in 5 s, [m]."""


def imported(reference, folder, **wishes):
    package = reference.partition(":")[0]
    try:
        distribution(package)
    except PackageNotFoundError:
        pytest.skip(f'pip install -e ".[{EXTRAS[package]}]"')
    located = locate(reference)
    proposal = propose(located, read_model(located), Wishes(**wishes), discover())
    write_robot(proposal, folder)
    return proposal


@pytest.mark.parametrize("reference", first(*LEGGED, runs=2))
def test_a_legged_robot_stands_as_it_is_imported(reference, tmp_path):
    proposal = imported(reference, tmp_path / "it")
    assert proposal.base == "floating"
    assert len({sole.link for sole in proposal.soles}) == LEGGED[reference]
    run = footfall.load(f"{tmp_path}/it/standing").run(duration=5.0)
    position = run.base_position.values.reshape(len(run.time), 3)
    assert (position[0, 2] - position[:, 2]).max() < SINK
    assert np.abs(position[-1] - position[0]).max() < SINK
    assert np.abs(run.joint_position - run.joint_position[0]).max() < 0.02
    assert float(run.residual_natural_map.max()) <= RESIDUAL
    force = run.contact_force.sel(axis="z").sum("contact")
    assert float(force[-1]) == pytest.approx(run.attrs["weight"], rel=1e-3)


@pytest.mark.parametrize("reference", first(*ARMS))
def test_an_arm_holds_its_posture_as_it_is_imported(reference, tmp_path):
    proposal = imported(reference, tmp_path / "it")
    assert proposal.base == "fixed"
    assert not proposal.soles
    run = footfall.load(f"{tmp_path}/it/standing").run(duration=5.0)
    assert np.abs(run.joint_position - run.joint_position[0]).max() < 0.01
    assert np.abs(run.joint_velocity[-1]).max() < 1e-6


def test_an_mjcf_of_a_package_stands_with_another_engine_too(tmp_path):
    proposal = imported("gymnasium:ant", tmp_path / "it")
    assert {(sole.kind, sole.radius) for sole in proposal.soles} == {("sphere", 0.08)}
    for engine in ("pinocchio", "idyntree"):
        sim = footfall.load(f"{tmp_path}/it/standing", {"engine.plugin": engine})
        height = sim.q[2]
        for _ in range(300):
            sim.step()
        assert abs(sim.q[2] - height) < 1e-3


def test_what_is_written_names_the_package_and_not_this_machine(tmp_path):
    imported("example-robot-data:solo12", tmp_path / "it")
    files = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert files == ["it/robot.toml", "it/scenes/standing.toml"]
    text = "".join(path.read_text() for path in tmp_path.rglob("*.toml"))
    assert 'package = "example-robot-data"' in text
    assert str(tmp_path) not in text
    assert str(locate("example-robot-data:solo12").path.parent) not in text


def test_the_posture_is_that_of_the_srdf_where_it_stands(tmp_path):
    imported("example-robot-data:solo12", tmp_path / "it")
    posture = load_robot(str(tmp_path / "it")).spec.posture
    assert {name: posture[name] for name in ("FL_HAA", "FL_HFE", "FL_KFE")} == {
        "FL_HAA": 0.1,
        "FL_HFE": 0.8,
        "FL_KFE": -1.6,
    }
    assert imported("example-robot-data:solo12", tmp_path / "b", posture="straight_standing")
    assert "FL_HAA" not in load_robot(str(tmp_path / "b")).spec.posture


def test_rotors_and_gears_of_the_srdf_become_actuators(tmp_path):
    imported("example-robot-data:talos_full_v2", tmp_path / "it")
    drives = load_robot(str(tmp_path / "it")).spec.actuators
    (leg,) = [drive for drive in drives if "leg_left_4_joint" in drive.joints]
    assert (leg.gear_ratio, leg.rotor_inertia, leg.torque_limit) == (100.0, 1e-5, "model")


def test_joints_that_follow_others_get_no_drive_and_no_gains(tmp_path):
    proposal = imported("jvrc_description", tmp_path / "it")
    driven = {joint for drive in proposal.drives for joint in drive.joints}
    assert "R_UTHUMB" in driven
    assert not {"R_LTHUMB", "R_UINDEX"} & (driven | set(proposal.stiffness))
