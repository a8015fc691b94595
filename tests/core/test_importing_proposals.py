"""What an import proposes follows from the robot's geometry, masses and files."""

import numpy as np
import pytest
from tests.core.walker_urdf import BOX, revolute, walker

from footfall.formats.urdf_file import read_urdf
from footfall.model.robot import Robot
from footfall.model.spec import ModelFile, RobotSpec
from footfall.registry.discover import discover
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall_import.choices import Wishes
from footfall_import.gains import FREQUENCY, SAG
from footfall_import.locate import locate
from footfall_import.posture import judge
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.sole import Ball, Solid, soles
from footfall_import.stance import Stance


def proposed(folder, text, **wishes):
    path = folder / "walker.urdf"
    path.write_text(text)
    located = locate(str(path))
    return propose(located, read_model(located), Wishes(**wishes), discover())


def posture_of(proposal):
    return {name: proposal.posture.get(name, 0.0) for name in proposal.stiffness}


# Soles


def test_the_sole_of_a_box_is_its_lower_corners(tmp_path):
    proposal = proposed(tmp_path, walker())
    assert [sole.link for sole in proposal.soles] == ["l_foot", "r_foot"]
    for sole in proposal.soles:
        corners = {tuple(np.round(point, 12)) for point in sole.points}
        assert corners == {(x, y, -0.05) for x in (-0.07, 0.13) for y in (-0.05, 0.05)}
    assert proposal.base_height == pytest.approx(0.85, abs=1e-12)


def test_a_ball_for_a_foot_is_a_sphere(tmp_path):
    proposal = proposed(tmp_path, walker('<geometry><sphere radius="0.05"/></geometry>'))
    assert [(sole.kind, sole.radius) for sole in proposal.soles] == [("sphere", 0.05)] * 2
    np.testing.assert_allclose(proposal.soles[0].points, [[0.03, 0.0, -0.03]])
    assert "line" in " ".join(finding.text for finding in proposal.findings)


@pytest.mark.parametrize(("roll", "ends"), [(np.pi / 2, 2), (0.2, 1)])
def test_a_capsule_touches_with_both_ends_if_it_lies(roll, ends):
    balls = (Ball(np.array([0, 0, 0.1]), 0.02), Ball(np.array([0, 0, -0.1]), 0.02))
    capsule = Solid("foot", "capsule", np.zeros((0, 3)), balls)
    (sole,) = soles([capsule], Pose(rotation_from_rpy((roll, 0, 0)), np.zeros(3)))
    assert (sole.kind, len(sole.points)) == ("sphere", ends)


def rounded_sole(bump):
    """An oval sole, 0.2 m by 0.1 m, uneven by ``bump`` [m], with a narrower top."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    oval = np.column_stack([0.1 * np.cos(angle), 0.05 * np.sin(angle)])
    below = np.column_stack([oval, bump * np.sin(5 * angle)])
    return np.concatenate([below, np.column_stack([0.5 * oval, np.full(40, 0.05)])])


@pytest.mark.parametrize("tilt", [0.0, 0.4])
def test_an_uneven_sole_becomes_few_corners_on_one_plane(tilt):
    pose = Pose(rotation_from_rpy((0, tilt, 0)), np.zeros(3))
    solid = Solid("foot", "mesh", rounded_sole(1e-3), ())
    (sole,) = soles([solid], pose)
    assert sole.kind == "point"
    assert 4 <= len(sole.points) <= 8
    assert np.ptp(sole.points @ sole.normal) < 1e-15
    assert sole.normal @ [0, 0, -1] > 0.999
    x, y = sole.points[:, 0], sole.points[:, 1]
    kept = 0.5 * abs(x @ np.roll(y, -1) - y @ np.roll(x, -1))
    assert kept > 0.8 * np.pi * 0.1 * 0.05


def test_a_round_foot_becomes_a_sphere_that_touches_where_it_does():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(400, 3))
    directions[0] = [0, 0, -1]
    points = 0.02 * directions / np.linalg.norm(directions, axis=1)[:, None]
    (sole,) = soles([Solid("foot", "mesh", points, ())], Pose.identity())
    assert sole.kind == "sphere"
    assert sole.lowest(Pose.identity()) == pytest.approx(-0.02, abs=1e-12)


# Base, posture


def test_one_chain_is_an_arm(tmp_path):
    text = walker()
    arm = text[: text.index('<link name="r_thigh">')] + "</robot>"
    proposal = proposed(tmp_path, arm)
    assert (proposal.base, proposal.soles) == ("fixed", ())
    assert proposed(tmp_path, arm, base="floating", feet=("l_foot",)).base == "floating"


def test_a_body_without_joints_is_an_object_with_its_corners(tmp_path):
    start, end = '<robot name="box">', "</robot>"
    text = walker()
    trunk = text[text.index("<link") : text.index("</link>") + len("</link>")]
    proposal = proposed(tmp_path, start + trunk + end)
    assert sum(len(sole.points) for sole in proposal.soles) == 8
    assert proposal.base_height == pytest.approx(0.02)
    assert not proposal.stiffness


def test_knees_that_cannot_be_straight_are_bent_and_the_feet_stay_level(tmp_path):
    proposal = proposed(tmp_path, walker(lower=0.4, upper=2.0))
    posture = posture_of(proposal)
    for side in "lr":
        assert posture[f"{side}_knee"] >= 0.4
        pitch = sum(posture[f"{side}_{joint}"] for joint in ("hip", "knee", "ankle"))
        assert pitch == pytest.approx(0.0, abs=2e-3)
    assert proposal.facts.margin > 0.01
    assert not [finding for finding in proposal.findings if finding.subject == "posture"]


SRDF = """<robot name="walker"><group_state name="crouch" group="all">
<joint name="root_joint" value="0 0 0.7 0 0 1 0"/>{joints}</group_state>
<rotor_params><joint name="l_knee" mass="2e-5" gear_ratio="50"/>
<joint name="r_knee" mass="0" gear_ratio="0"/></rotor_params></robot>"""


def test_the_posture_of_an_srdf_is_kept_where_it_stands(tmp_path):
    angles = {"hip": -0.4, "knee": 0.8, "ankle": -0.4}
    joints = "".join(
        f'<joint name="{side}_{name}" value="{value}"/>'
        for side in "lr"
        for name, value in angles.items()
    )
    (tmp_path / "walker.srdf").write_text(SRDF.format(joints=joints))
    proposal = proposed(tmp_path, walker())
    assert posture_of(proposal) == {f"{s}_{n}": v for s in "lr" for n, v in angles.items()}
    assert "crouch" in proposal.posture_origin
    assert proposal.rpy == pytest.approx((0.0, 0.0, np.pi))
    assert proposal.base_height == pytest.approx(0.8 * np.cos(0.4) + 0.05, abs=1e-12)
    (knee,) = [drive for drive in proposal.drives if drive.rotor_inertia]
    assert (knee.joints, knee.rotor_inertia, knee.gear_ratio) == (("l_knee",), 2e-5, 50.0)


# Gains and torques


def stance_of(path, joints):
    urdf = read_urdf(path)
    robot = Robot("walker", path, RobotSpec(model=ModelFile(file=path.name)), urdf)
    engine = discover().find("engine", "pinocchio").load()
    stance = Stance(engine(engine.Config()).load(robot.source("walker", np.array([0, 0, -9.81]))))
    stance.place(joints)
    return stance


def test_gains_are_those_of_the_rule_for_what_a_leg_carries(tmp_path):
    """At the ankle of a straight leg: all but the foot, from the definition of inertia."""
    proposal = proposed(tmp_path, walker())
    # mass [kg], height above the ankle [m] and radius of gyration [m] of what the ankle carries
    trunk, thigh, shank, foot = (20, 0.8, 0.2), (2, 0.8, 0.1), (2, 0.4, 0.1), (1, 0.0, 0.1)
    carried = [trunk, thigh, thigh, shank, shank, foot]
    mass = sum(m for m, _, _ in carried)
    inertia = sum(m * (z**2 + radius**2) for m, z, radius in carried)
    z = sum(m * z for m, z, _ in carried) / mass
    K = max(mass * 9.81 * z / SAG, inertia * FREQUENCY**2)
    assert proposal.stiffness["l_ankle"] == pytest.approx(K, rel=0.05)  # two digits are kept
    assert proposal.damping["l_ankle"] == pytest.approx(2 * np.sqrt(K * inertia), rel=0.05)
    assert proposal.stiffness["r_ankle"] == proposal.stiffness["l_ankle"]


def test_holding_torques_balance_gravity(tmp_path):
    """Virtual work: torques of the joints and forces of the ground leave no acceleration."""
    from footfall_import.feet import find_feet, shapes_of
    from footfall_import.gains import _jacobian, holding_torques

    path = tmp_path / "walker.urdf"
    path.write_text(walker())
    stance = stance_of(path, np.zeros(6))
    feet = find_feet(shapes_of(read_urdf(path), stance), stance)
    stance.place(np.array([-0.3, 0.6, -0.3, -0.3, 0.6, -0.3])[[0, 1, 2, 3, 4, 5]])
    torques = holding_torques(stance, feet)
    J = np.concatenate([_jacobian(stance, foot) for foot in feet])
    rest = stance.tree.h - np.concatenate([np.zeros(6), torques])
    forces = np.linalg.lstsq(J.T, rest, rcond=None)[0]
    np.testing.assert_allclose(J.T @ forces, rest, atol=1e-9)
    assert judge(stance, feet).tilt < 1e-12


def test_a_torque_limit_that_does_not_hold_is_left_out(tmp_path):
    text = walker(extra='<link name="hand">' + HAND + "</link>" + REACH)
    proposal = proposed(tmp_path, text)
    limits = {name: drive.torque_limit for drive in proposal.drives for name in drive.joints}
    assert limits["l_knee"] == "model"
    assert "shoulder" not in limits
    (weak,) = [finding for finding in proposal.findings if finding.subject == 'joint "shoulder"']
    assert weak.level == "warning"
    assert "9.81 needed" in weak.text


HAND = (
    '<inertial><origin xyz="1 0 0"/><mass value="1"/>'
    '<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>'
)
REACH = revolute("shoulder", "trunk", "hand", "0 0 0.3", effort=5)


def test_limits_of_all_joints_are_taken_where_they_leave_room(tmp_path):
    text = walker().replace('lower="-1.5" upper="1.5"', 'lower="0.5" upper="0.5"', 1)
    proposal = proposed(tmp_path, text)
    assert "l_hip" not in proposal.limited
    assert set(proposal.limited) == {f"{s}_{n}" for s in "lr" for n in ("hip", "knee", "ankle")} - {
        "l_hip"
    }
    assert BOX in text
