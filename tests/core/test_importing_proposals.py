"""What an import proposes follows from the robot's geometry, masses and files."""

import numpy as np
import pytest
from tests.core.walker_urdf import BOX, inertial, revolute, walker

from footfall.api.advanced import ModelCoupling, ModelJoining
from footfall.formats.urdf_file import read_urdf
from footfall.model.robot import Robot
from footfall.model.spec import ModelFile, RobotSpec
from footfall.registry.discover import discover
from footfall.spatial.pose import Pose, rotation_from_rpy
from footfall_import.choices import Wishes
from footfall_import.feet import find_feet, shapes_of
from footfall_import.locate import locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.sole import Ball, Solid, soles
from footfall_import.stance import Stance
from footfall_import.standing.gains import (
    FASTEST,
    SLOWEST,
    USUAL,
    YIELD,
    Joints,
    Motions,
    propose_gains,
)
from footfall_import.standing.holding import (
    FRICTION,
    contact_jacobian,
    ground_forces,
    holding_torques,
)
from footfall_import.standing.posture import closable, gaps, judge, search


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


def test_contact_points_of_a_body_of_many_boxes_are_the_corners_of_its_hull(tmp_path):
    places = [(x, y, z) for x in range(20) for y in range(20) for z in range(8)]
    boxes = "".join(
        f'<collision><origin xyz="{x / 10} {y / 10} {z / 10}"/><geometry>'
        '<box size="0.1 0.1 0.1"/></geometry></collision>'
        for x, y, z in places
    )
    body = f'<robot name="walker"><link name="a">{inertial(1)}{boxes}</link></robot>'
    proposal = proposed(tmp_path, body)
    corners = np.round(np.concatenate([sole.points for sole in proposal.soles]), 9)
    wanted = {(x, y, z) for x in (-0.05, 1.95) for y in (-0.05, 1.95) for z in (-0.05, 0.75)}
    assert (len(corners), set(map(tuple, corners.tolist()))) == (8, wanted)
    assert proposal.base_height == pytest.approx(0.05, abs=1e-12)


SOLE = '<visual><origin xyz="0.03 0 {}"/><geometry><box size="0.2 0.1 0.04"/></geometry></visual>'


@pytest.mark.parametrize(
    ("height", "said"),
    [(-0.0405, "drawn 10.5 mm below"), (-0.022, "drawn 8.0 mm above"), (-0.0315, "")],
)
def test_feet_drawn_elsewhere_than_their_contact_points_are_told(tmp_path, height, said):
    """The foot's collision shape, and so its contact points, end 0.05 m below the ankle."""
    text = walker()
    for side in "lr":
        foot = f'<link name="{side}_foot">'
        text = text.replace(foot, foot + SOLE.format(height))
    told = [f for f in proposed(tmp_path, text).findings if "contact points" in f.text]
    expected = [("warning", "l_foot, r_foot", f"{said} the contact points")] if said else []
    assert [(f.level, f.subject, f.text.partition(":")[0]) for f in told] == expected


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


def ball(x, y, z, radius=0.014):
    return Solid("foot", "sphere", np.zeros((0, 3)), (Ball(np.array([x, y, z]), radius),))


def aslant(x0, x1, z0, z1):
    """A capsule of a foot whose one end hangs above the ground."""
    ends = (Ball(np.array([x, 0.0, z]), 0.014) for x, z in ((x0, z0), (x1, z1)))
    return Solid("foot", "capsule", np.zeros((0, 3)), tuple(ends))


def test_ends_of_capsules_that_hang_above_the_ground_are_no_contact_points():
    """Of three capsules of a foot two rise to where they meet, by 11 mm."""
    across = [Ball(np.array([0.14, y, -0.056]), 0.014) for y in (-0.03, 0.03)]
    foot = [
        aslant(-0.035, 0.02, -0.056, -0.045),
        aslant(0.02, 0.115, -0.045, -0.056),
        Solid("foot", "capsule", np.zeros((0, 3)), tuple(across)),
    ]
    (sole,) = soles(foot, Pose.identity())
    places = {tuple(np.round(point, 9)) for point in sole.points}
    assert places == {
        *((-0.035, 0.0, -0.056), (0.115, 0.0, -0.056)),
        *((0.14, -0.03, -0.056), (0.14, 0.03, -0.056)),
    }
    np.testing.assert_allclose(sole.normal, [0.0, 0.0, -1.0], atol=1e-12)


def test_balls_of_two_sizes_have_the_plane_that_touches_all_for_a_sole():
    """Four balls on a plane that is pitched by 0.1 rad, those of the toe smaller."""
    turn = rotation_from_rpy((0.0, 0.1, 0.0))
    sizes = {(-0.1, -0.04): 0.02, (-0.1, 0.04): 0.02, (0.1, -0.04): 0.01, (0.1, 0.04): 0.01}
    foot = [ball(*turn @ [x, y, r], r) for (x, y), r in sizes.items()]
    found = soles(foot, Pose.identity())
    assert [(len(sole.points), sole.radius) for sole in found] == [(2, 0.02), (2, 0.01)]
    for sole in found:
        np.testing.assert_allclose(sole.normal, turn @ [0.0, 0.0, -1.0], atol=1e-9)


def test_three_balls_touch_and_two_have_no_plane():
    corners = [(0.0, -0.03, 0.0), (0.0, 0.03, 0.0), (0.1, 0.0, 0.0)]
    (three,) = soles([ball(*at) for at in corners], Pose.identity())
    assert len(three.points) == 3
    np.testing.assert_allclose(np.abs(three.normal), [0.0, 0.0, 1.0], atol=1e-12)
    (two,) = soles([ball(*at) for at in corners[:2]], Pose.identity())
    assert len(two.points) == 2
    assert two.normal is None


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


def arms(text):
    """The walker with its legs hung at shoulders that a mast of the trunk carries, 1 m up."""
    return text.replace("0 0.1 0", "0 0.1 1.0").replace("0 -0.1 0", "0 -0.1 1.0")


def test_hands_are_no_feet(tmp_path):
    """They hang below the base, but from shoulders that are farther above it."""
    low = arms(walker()).replace('"0 0 -0.4"', '"0 0 -0.6"')
    proposal = proposed(tmp_path, low)
    assert (proposal.base, proposal.soles) == ("fixed", ())
    assert proposed(tmp_path, low, feet=("l_foot", "r_foot")).base == "floating"


def test_two_links_of_one_chain_are_one_foot(tmp_path):
    """The shank reaches down as far as the foot that it carries: still an arm."""
    text = walker()
    arm = text[: text.index('<link name="r_thigh">')] + "</robot>"
    shank = '<collision><origin xyz="0.1 0 -0.43"/><geometry><box size="0.1 0.1 0.04"/></geometry>'
    at = arm.index("</link>", arm.index('<link name="l_shank">'))
    assert proposed(tmp_path, arm[:at] + shank + "</collision>" + arm[at:]).base == "fixed"


def test_a_base_that_is_known_to_float_stands_on_its_caster_too(tmp_path):
    """Two wheels and a ball below the trunk."""
    caster = '<collision><origin xyz="-0.3 0 -0.83"/><geometry><sphere radius="0.02"/></geometry>'
    text = walker().replace("</link>", f"{caster}</collision></link>", 1)
    assert proposed(tmp_path, text).base == "fixed"
    proposal = proposed(tmp_path, text, base="floating")
    assert {sole.link for sole in proposal.soles} == {"trunk", "l_foot", "r_foot"}
    (ball,) = [sole for sole in proposal.soles if sole.link == "trunk"]
    assert (ball.kind, ball.radius) == ("sphere", 0.02)


def test_wheels_above_the_base_frame_are_feet(tmp_path):
    """The frame of the base is on the ground, as of many wheeled robots; hands have more joints."""
    wheel = '<collision><geometry><cylinder radius="0.1" length="0.05"/></geometry></collision>'
    wheels = "".join(
        f'<link name="{name}">{inertial(1)}{wheel}</link>'
        + revolute(f"{name}_j", "trunk", name, at)
        for name, at in {"a": "0.2 0.2 0.1", "b": "0.2 -0.2 0.1", "c": "-0.2 0 0.1"}.items()
    )
    body = '<collision><origin xyz="0 0 0.3"/><geometry><box size="0.3 0.3 0.3"/></geometry>'
    trunk = f'<link name="trunk">{inertial(20)}{body}</collision></link>'
    proposal = proposed(tmp_path, f'<robot name="w">{trunk}{wheels}</robot>', base="floating")
    assert {sole.link for sole in proposal.soles} == {"a", "b", "c"}


def toes(side):
    """Return toes that reach 6 mm below the sole, whatever their joint does."""
    ball = '<collision><origin xyz="0.02 0 0"/><geometry><sphere radius="0.02"/></geometry>'
    link = f'<link name="{side}_toes">{inertial(0.1)}{ball}</collision></link>'
    at = "0.15 0 -0.036"
    return link + revolute(f"{side}_toe", f"{side}_foot", f"{side}_toes", at, -0.01, 0.01)


def test_toes_that_no_posture_has_level_with_the_feet_are_left_out(tmp_path):
    proposal = proposed(tmp_path, walker(extra=toes("l") + toes("r")))
    assert {sole.link for sole in proposal.soles} == {"l_foot", "r_foot"}
    (said,) = [each for each in proposal.findings if each.subject == "l_toes, r_toes"]
    assert "not used as feet, 6" in said.text
    assert "mm in the ground" in said.text


def test_a_posture_closes_the_loops_with_the_feet_level(tmp_path):
    """One knee follows the other, 0.3 rad behind; the feet would not be level so."""
    mimic = '<mimic joint="l_knee" offset="0.3"/>'
    text = walker()
    at = text.index("</joint>", text.index('name="r_knee"'))
    proposal = proposed(tmp_path, text[:at] + mimic + text[at:])
    posture = proposal.posture
    assert posture["r_knee"] - posture["l_knee"] == pytest.approx(0.3, abs=1e-6)
    assert "loops closed" in proposal.posture_origin
    assert not [finding for finding in proposal.findings if finding.subject == "posture"]


def test_a_point_that_joins_both_feet_is_closed(tmp_path):
    stance, feet = standing(tmp_path, (0.2, 0.0, 0.0, 0.0, 0.0, 0.0))
    ends = tuple(Pose(np.eye(3), np.array([0.0, y, 0.0])) for y in (-0.1, 0.1))
    rod = ModelJoining("rod", "point", ("l_foot", "r_foot"), ends, "here")
    sideways = ModelJoining("outer", "weld", ("l_foot", "world"), (ends[0], None), "here")
    loops = closable(stance, (rod, sideways))
    assert loops == [rod]
    open_by = stance.frame("l_foot").translation - stance.frame("r_foot").translation
    np.testing.assert_allclose(gaps(stance, loops)[[0, 2]], open_by[[0, 2]], atol=1e-12)
    assert np.abs(gaps(stance, loops)).max() > 0.1
    search(stance, feet, stance.joints.copy(), loops)
    assert np.abs(gaps(stance, loops)).max() < 1e-6
    assert judge(stance, feet).tilt < 1e-3


def test_links_below_the_ground_are_told(tmp_path):
    """A biped that is told to stand on its trunk: the soles, 0.44 m below, touch nothing."""
    proposal = proposed(tmp_path, walker(), feet=("trunk",))
    text = " / ".join(f.text for f in proposal.findings if f.level == "warning")
    assert "below the ground under the feet" in text
    standing = proposed(tmp_path, walker())
    assert not [f for f in standing.findings if "below the ground" in f.text]


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


def standing(folder, angles=(0.0,) * 6):
    """The walker on its feet: its stance and feet."""
    path = folder / "walker.urdf"
    path.write_text(walker())
    stance = stance_of(path, np.zeros(6))
    feet = find_feet(shapes_of(read_urdf(path), stance), stance)
    stance.place(np.array(angles))
    return stance, feet


# mass [kg], height above the ankle [m], radius of gyration [m] of what both ankles carry
CARRIED = [(20, 0.8, 0.2), *[(2, 0.8, 0.1), (2, 0.4, 0.1)] * 2]


def test_a_robot_sways_over_its_ankles_as_an_inverted_pendulum(tmp_path):
    """``I x'' = (m g z - 2 K) x`` where all other joints are stiff."""
    stance, feet = standing(tmp_path)
    K = np.array([1e9, 1e9, 700.0, 1e9, 1e9, 700.0])
    rate, bends = Motions(stance, feet, Joints((), np.zeros(6), {})).slowest(K)
    inertia = sum(m * (z**2 + radius**2) for m, z, radius in CARRIED)
    weight = 9.81 * sum(m * z for m, z, _ in CARRIED)
    assert rate == pytest.approx((1400.0 - weight) / inertia, rel=1e-4)
    np.testing.assert_allclose(bends, [0, 0, 1, 0, 0, 1], atol=1e-4)


def test_soft_joints_are_stiffened_until_the_robot_sways_fast_enough(tmp_path):
    stance, feet = standing(tmp_path)
    names = stance.model.joint_names
    joints = Joints((), np.zeros(6), dict.fromkeys(names, 1.0))
    K, _ = propose_gains(stance, feet, joints)
    rate, _ = Motions(stance, feet, joints).slowest(K)
    assert SLOWEST**2 <= rate < 2.0 * SLOWEST**2


def test_an_effort_limit_gives_the_stiffness_between_the_frequencies(tmp_path):
    """The shoulder carries 1 kg at 1 m and 0.1 kg m^2: its inertia is 1.1 kg m^2."""
    (tmp_path / "arm.urdf").write_text(
        f'<robot name="arm"><link name="trunk"/><link name="hand">{HAND}</link>'
        f"{revolute('shoulder', 'trunk', 'hand', '0 0 0')}</robot>"
    )
    located = locate(str(tmp_path / "arm.urdf"))
    proposal = propose(located, read_model(located), Wishes(base="fixed"), discover())
    stance = Stance(stance_of_arm(proposal))
    for effort, K in (
        (None, 1.1 * USUAL**2),
        (50.0, 50.0 / YIELD),
        (1e-3, 1.1 * SLOWEST**2),
        (1e6, 1.1 * FASTEST**2),
    ):
        efforts = {} if effort is None else {"shoulder": effort}
        found, D = propose_gains(stance, (), Joints((), np.zeros(1), efforts))
        assert found[0] == pytest.approx(K, rel=0.05)  # two digits are kept
        assert D[0] == pytest.approx(2.0 * np.sqrt(found[0] * 1.1), rel=0.05)
    assert proposal.feed_forward == pytest.approx({"shoulder": -9.81})


def stance_of_arm(proposal):
    robot = Robot.from_urdf("arm", proposal.model.urdf, "fixed")
    engine = discover().find("engine", "pinocchio").load()
    return engine(engine.Config()).load(robot.source("arm", np.array([0, 0, -9.81])))


def test_holding_torques_balance_gravity(tmp_path):
    """Virtual work: torques of the joints and forces of the ground leave no acceleration."""
    stance, feet = standing(tmp_path, (-0.3, 0.6, -0.3) * 2)
    torques = holding_torques(stance, feet)
    J = contact_jacobian(stance, feet)
    rest = stance.tree.h - np.concatenate([np.zeros(6), torques])
    forces = np.linalg.lstsq(J.T, rest, rcond=None)[0]
    np.testing.assert_allclose(J.T @ forces, rest, atol=1e-9)
    assert judge(stance, feet).tilt < 1e-12


@pytest.mark.parametrize("lean", [0.0, 0.06, -0.06])
def test_forces_of_the_ground_press_and_stay_in_the_cone(tmp_path, lean):
    """Also where the mass is near the front or the back of the feet."""
    stance, feet = standing(tmp_path, (0.0, 0.0, lean) * 2)
    stance.displace(np.array([0, 0, 0, 0, -lean, 0, *np.zeros(6)]))  # the feet stay level
    f = ground_forces(stance, feet).reshape(-1, 3)
    h = stance.tree.h[:6]
    J = contact_jacobian(stance, feet)[:, :6]
    np.testing.assert_allclose(J.T @ f.ravel(), h, atol=1e-3)
    assert f[:, 2].min() > -1e-3
    assert (np.abs(f[:, :2]).sum(axis=1) <= FRICTION * f[:, 2] + 1e-3).all()
    assert f[:, 2].sum() == pytest.approx(30 * 9.81, rel=1e-9)


def test_the_torque_of_a_joint_that_follows_acts_on_the_one_that_leads(tmp_path):
    stance, feet = standing(tmp_path, (-0.3, 0.6, -0.3) * 2)
    alone = holding_torques(stance, feet)
    loop = ModelCoupling("twin", "r_knee", "l_knee", -0.5, 0.0, "here")
    torques = holding_torques(stance, feet, (loop,))
    left, right = (stance.model.joint_names.index(f"{side}_knee") for side in "lr")
    assert torques[right] == 0.0
    assert torques[left] == pytest.approx(alone[left] - 0.5 * alone[right])


def test_round_soles_are_made_level(tmp_path):
    """A capsule along x for a foot, whose ankle cannot be straight: the knees make up for it."""
    lying = '<origin rpy="0 1.5707963267948966 0"/><geometry><capsule radius="0.02" length="0.2"/>'
    text = walker(lying + "</geometry>", lower=0.4, upper=2.0).replace(
        '<origin xyz="0.03 0 -0.03"/>', ""
    )
    posture = posture_of(proposed(tmp_path, text))
    for side in "lr":
        pitch = sum(posture[f"{side}_{joint}"] for joint in ("hip", "knee", "ankle"))
        assert pitch == pytest.approx(0.0, abs=2e-3)


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


def follower(ratio, lower, upper):
    """A finger that follows another one of 0 to 0.5 rad."""
    mimic = f'<mimic joint="finger" multiplier="{ratio}"/>'
    return (
        f'<link name="one">{inertial(0.1)}</link><link name="other">{inertial(0.1)}</link>'
        + revolute("finger", "trunk", "one", "0 0 0.3", lower=0, upper=0.5)
        + revolute("second", "trunk", "other", "0 0.1 0.3", lower=lower, upper=upper, extra=mimic)
    )


@pytest.mark.parametrize(
    ("ratio", "lower", "upper", "start"),
    [(2.0, 0.2, 1.0, 0.104), (-1.0, -0.5, -0.3, 0.302), (1.0, 0.0, 0.5, 0.005)],
)
def test_a_joint_that_leads_starts_where_its_follower_is_inside_its_limits(
    tmp_path, ratio, lower, upper, start
):
    """1 % of what is left of the range inside it."""
    proposal = proposed(tmp_path, walker(extra=follower(ratio, lower, upper)))
    assert proposal.posture["finger"] == pytest.approx(start)
    assert lower < proposal.posture["second"] < upper
    assert {"finger", "second"} <= set(proposal.limited)


def test_limits_that_leave_no_room_to_follow_are_not_taken_and_told(tmp_path):
    proposal = proposed(tmp_path, walker(extra=follower(-1.0, 0.0, 0.5)))
    assert "finger" in proposal.limited
    assert "second" not in proposal.limited
    assert proposal.posture["second"] == -proposal.posture["finger"]
    (told,) = [finding for finding in proposal.findings if finding.subject == 'joint "second"']
    assert (told.level, told.lost) == ("warning", True)
    assert told.text == (
        "position limits 0 to 0.5 leave no range to follow finger times -1: not used"
    )
