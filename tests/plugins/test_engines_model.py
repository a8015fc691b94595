"""The constants of a tree are what the URDF says."""

import numpy as np
import pytest
from tests.plugins.engine_models import (
    BASES,
    BRANCHED,
    BRANCHED_JOINTS,
    ENGINES,
    engine,
    icub_source,
    inertial,
    joint,
    limits,
    link,
    link_pose,
    random_state,
    source,
)

INF = float("inf")


@pytest.fixture(scope="module", params=ENGINES)
def loaded(request):
    return engine(request.param)


@pytest.fixture(scope="module")
def floating(loaded):
    return loaded.load(source("floating"))


def test_dofs_are_the_base_then_joints_depth_first_by_name(floating):
    model = floating.model
    assert model.joint_names == BRANCHED_JOINTS
    assert model.link_names == ("footprint", "slider", "wing", "upper", "lower")
    assert model.dof_parent.tolist() == [-1, 0, 1, 2, 3, 4, 5, 5, 5, 8]
    assert model.link_dof.tolist() == [5, 6, 7, 8, 9]
    assert (model.nq, model.nv) == (11, 10)


def test_limits_and_friction_are_read_in_canonical_order(floating):
    model = floating.model
    assert model.position_lower.tolist() == [-0.1, -INF, -1.0, -0.5]
    assert model.position_upper.tolist() == [0.4, INF, 2.0, 0.5]
    assert model.velocity_limit.tolist() == [5.0, 9.0, 3.0, INF]
    assert model.effort_limit.tolist() == [60.0, 10.0, 40.0, INF]
    assert model.damping.tolist() == [7.0, 0.0, 0.1, 0.0]
    assert model.friction.tolist() == [8.0, 0.0, 0.2, 0.0]
    assert model.armature.tolist() == [0.0] * 4


def test_inertia_of_welded_links_is_carried_by_one(floating):
    masses = [float(inertial(seed).split('mass value="')[1].split('"')[0]) for seed in range(1, 8)]
    pelvis, plate, upper, lower, slider, wing, cap = masses
    expected = [pelvis + plate, slider, wing + cap, upper, lower]
    np.testing.assert_allclose(floating.model.link_mass, expected, rtol=1e-14)


def test_frames_of_welded_links_move_with_their_link(floating):
    frames = floating.model.frames
    assert frames["plate_tip"].link == frames["m_tip"].link == 0
    assert frames["cap"].link == frames["weld_cap"].link == 2
    # Link and joint share the name: the frame is the link's, which the joint's is as well.
    assert frames["wing"].link == 2
    np.testing.assert_allclose(frames["cap"].translation, [0.0, 0.0, 0.5], atol=1e-15)
    names = {"footprint", "pelvis", "plate", "plate_tip", "upper", "lower", "slider", "wing", "cap"}
    joints = {"to_pelvis", "m_plate", "m_tip", "z_arm", "y_elbow", "a_rail", "weld_cap"}
    assert frames.keys() == names | joints


def test_fixed_base_stands_at_the_origin_and_weighs_nothing(loaded):
    tree = loaded.load(source("fixed"))
    q, v = random_state(tree.model, 1)
    tree.evaluate(q, v)
    R, p = link_pose(tree, 0)
    assert np.array_equal(R, np.eye(3))
    assert np.array_equal(p, np.zeros(3))
    assert tree.model.link_dof.tolist() == [-1, 0, 1, 2, 3]
    assert tree.model.dof_parent.tolist() == [-1, -1, -1, 2]
    assert tree.model.link_mass[0] == 0.0


def test_floating_base_pose_is_that_of_the_root_link(loaded, floating):
    q = np.zeros(11)
    q[:7] = [1.0, 2.0, 3.0, 0.5, -0.5, 0.5, 0.5]
    floating.evaluate(q, np.zeros(10))
    R, p = link_pose(floating, 0)
    np.testing.assert_allclose(R, [[0, -1, 0], [0, 0, -1], [1, 0, 0]], atol=1e-15)
    np.testing.assert_allclose(p, [1.0, 2.0, 3.0], atol=1e-15)


def test_a_body_without_joints_is_a_tree(loaded):
    tree = loaded.load(source("floating", f'<robot name="b">{link("body", 1)}</robot>', ()))
    tree.evaluate(np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]), np.zeros(6))
    mass = tree.model.mass
    np.testing.assert_allclose(np.diag(tree.M)[:3], mass, rtol=1e-14)
    np.testing.assert_allclose(tree.h[:3], -mass * np.array([1.5, -3.0, -8.0]), rtol=1e-14)


def test_a_planar_base_is_three_joints(loaded):
    free = limits(-1e300, 1e300, 1e300, 1e300, 0.0, 0.0)
    flat = {"xyz": "0 0 0", "rpy": "0 0 0"}
    xml = "".join(
        (
            '<robot name="planar">',
            *(link("world"), link("x"), link("z"), link("body", 1)),
            joint("planar_x", "prismatic", "world", "x", axis="1 0 0", rest=free, **flat),
            joint("planar_z", "prismatic", "x", "z", axis="0 0 1", rest=free, **flat),
            joint("planar_pitch", "revolute", "z", "body", axis="0 1 0", rest=free, **flat),
            "</robot>",
        )
    )
    joints = ("planar_x", "planar_z", "planar_pitch")
    tree = loaded.load(source("fixed", xml, joints, gravity=np.array([0.0, 0.0, -10.0])))
    tree.evaluate(np.array([0.3, 0.4, 0.0]), np.zeros(3))
    np.testing.assert_allclose(tree.h[:2], [0.0, 10.0 * tree.model.mass], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(tree.pose[3, 9:], [0.3, 0.0, 0.4], atol=1e-15)


@pytest.mark.parametrize("base", BASES)
def test_icub_loads_with_its_weight(loaded, base):
    model = loaded.load(icub_source(base)).model
    assert len(model.joint_names) == 23
    assert {"l_sole", "r_sole", "imu_frame"} <= model.frames.keys()
    if base == "floating":
        # The sum over the file's <mass> elements, all of which move.
        import icub_models

        text = icub_models.get_model_file("iCubGazeboV2_5").read_text()
        total = sum(float(part.split('"')[1]) for part in text.split("<mass value=")[1:])
        assert model.mass == pytest.approx(total, rel=1e-12)


def test_a_massless_root_keeps_its_own_frame(loaded):
    """The root is 0.1, -0.2, 0.3 m away from the pelvis, whose mass it carries."""
    tree = loaded.load(source("floating"))
    offset = tree.model.frames["pelvis"].translation
    np.testing.assert_allclose(offset, [0.1, -0.2, 0.3], atol=1e-15)
    assert "footprint" in BRANCHED
    assert tree.model.link_mass[0] > 0.0
