"""Mass properties that no body could have are refused where they move."""

import numpy as np
import pytest
from tests.robots.sample_urdf import INERTIAL, arm, joint, link, write

from footfall.errors import RobotError
from footfall.formats.inertia import check_inertias, odd_inertias, unsound
from footfall.formats.urdf import Inertial
from footfall.formats.urdf_file import read_urdf
from footfall.model.robot import rigid_body
from footfall.spatial.pose import Pose


def with_moments(xx: float, yy: float, zz: float, xy: float = 0.0) -> str:
    entries = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="0" iyz="0"'
    return f'<inertial><mass value="2"/><inertia {entries}/></inertial>'


@pytest.mark.parametrize(
    ("inertial", "said"),
    [
        (with_moments(0, 0, 0), "has a mass of 2 kg but no inertia"),
        ('<inertial><mass value="2"/></inertial>', "has a mass of 2 kg but no inertia"),
        (with_moments(0, 1, 1), "inertia is not positive definite: principal moments 0, 1, 1"),
        (with_moments(-1, 1, 1), "not positive definite: principal moments -1, 1, 1 kg m^2"),
        (with_moments(1, 1, 1, xy=1.5), "not positive definite: principal moments -0.5, 1, 2.5"),
        (with_moments(1, 1, 2.1), "violates the triangle inequality: principal moments 1, 1, 2.1"),
    ],
)
def test_an_impossible_inertia_is_refused_on_what_moves(tmp_path, inertial, said):
    urdf = read_urdf(arm(tmp_path, child=inertial))
    point_mass = "no inertia" in said  # allowed where it is part of a sound body
    for kept in (("wrist",),) if point_mass else ((), ("wrist",)):
        with pytest.raises(RobotError) as caught:
            check_inertias(urdf, kept, root_moves=True)
        assert str(caught.value).startswith(f'{urdf.path}: link "hand": ')
        assert said in str(caught.value)
    with pytest.raises(RobotError, match='link "hand"'):
        check_inertias(urdf, ("wrist",), root_moves=False)
    # Welded to a base that stands still it may be anything.
    check_inertias(urdf, (), root_moves=False)


@pytest.mark.parametrize("moments", [(0, 0, 0), (0, 0, 1e-4), (-1e-20, 1e-20, 3e-6)])
def test_a_small_part_of_a_sound_body_may_have_impossible_moments(tmp_path, moments):
    urdf = read_urdf(arm(tmp_path, child=with_moments(*moments)))
    check_inertias(urdf, (), root_moves=True)
    body = rigid_body(urdf, {})
    assert unsound(Inertial(body.mass, body.link_com[0], body.link_inertia[0])) is None
    odd = list(odd_inertias(urdf, (), root_moves=True))
    assert [(each.link, each.allowed) for each in odd] == [("hand", True)]
    with pytest.raises(RobotError, match='link "hand"'):
        check_inertias(urdf, ("wrist",), root_moves=True)


def test_point_masses_alone_are_no_body(tmp_path):
    point = with_moments(0, 0, 0)
    path = write(tmp_path, link("a", point), link("b", point), joint("j", "a", "b", "fixed"))
    with pytest.raises(RobotError, match="no inertia"):
        check_inertias(read_urdf(path), (), root_moves=True)


def test_the_digits_of_a_file_may_miss_the_triangle_inequality_a_little():
    thin = Inertial(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.0001]))
    assert unsound(thin) is None
    assert unsound(Inertial(1.0, np.zeros(3), np.diag([1.0, 1.0, 2.001]))) is not None


def test_a_joint_that_moves_no_mass_is_refused(tmp_path):
    path = write(
        tmp_path,
        *(link("base"), link("a"), link("b", ""), link("c", "")),
        *(joint("j", "base", "a"), joint("k", "a", "b"), joint("l", "b", "c", "fixed")),
    )
    urdf = read_urdf(path)
    with pytest.raises(RobotError, match='joint "k": moves link "b", which has no mass'):
        check_inertias(urdf, ("j", "k"), root_moves=True)
    check_inertias(urdf, ("j",), root_moves=True)


def test_a_massless_link_is_fine_if_what_it_carries_has_mass(tmp_path):
    path = write(
        tmp_path,
        *(link("base"), link("cross", ""), link("hand")),
        *(joint("j", "base", "cross"), joint("k", "cross", "hand")),
    )
    check_inertias(read_urdf(path), ("j", "k"), root_moves=False)


def test_a_floating_robot_without_mass_is_refused(tmp_path):
    urdf = read_urdf(write(tmp_path, link("ghost", "")))
    with pytest.raises(RobotError, match='link "ghost": has no mass and carries none'):
        check_inertias(urdf, (), root_moves=True)
    check_inertias(urdf, (), root_moves=False)


def test_welded_bodies_have_the_inertia_of_their_points():
    """The same as of a cloud of point masses, from the definition of inertia."""
    rng = np.random.default_rng(3)
    parts, points, masses = [], [], []
    for _ in range(3):
        m, x = rng.uniform(0.1, 1.0, 20), rng.normal(size=(20, 3))
        pose = Pose.from_rpy(rng.normal(size=3), rng.normal(size=3))
        parts.append((pose, of_points(m, x)))
        points.append(pose.apply(x))
        masses.append(m)
    whole, welded = of_points(np.concatenate(masses), np.concatenate(points)), Inertial.weld(parts)
    assert welded.mass == pytest.approx(whole.mass, rel=1e-14)
    np.testing.assert_allclose(welded.com, whole.com, atol=1e-13)
    np.testing.assert_allclose(welded.inertia, whole.inertia, rtol=1e-12, atol=1e-11)


def of_points(m, x) -> Inertial:
    com = m @ x / m.sum()
    d = x - com
    inertia = np.einsum("k,kij->ij", m, [np.dot(r, r) * np.eye(3) - np.outer(r, r) for r in d])
    return Inertial(float(m.sum()), com, inertia)


def test_a_rigid_body_is_what_an_engine_makes_of_all_links_welded(tmp_path):
    pin = pytest.importorskip("pinocchio")
    turned = INERTIAL.replace('xyz="0.1 0.2 0.3"', 'xyz="0.1 0.2 0.3" rpy="0.3 0.2 0.1"')
    inside = '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><axis xyz="0 1 0"/>'
    path = write(
        tmp_path,
        *(link("base", turned), link("a"), link("tip", "")),
        joint("j", "base", "a", "continuous", inside),
        joint("k", "a", "tip", "fixed", inside),
    )
    urdf = read_urdf(path)
    body = rigid_body(urdf, {"j": 0.4})
    full = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    q = pin.neutral(full)
    q[7:9] = np.cos(0.4), np.sin(0.4)
    model = pin.buildReducedModel(full, [2], q)
    assert (body.base, body.nv, body.nq, body.n_links) == ("floating", 6, 7, 1)
    assert body.joint_names == ()
    assert body.dof_parent.tolist() == [-1, 0, 1, 2, 3, 4]
    assert body.link_dof.tolist() == [5]
    assert body.mass == 4.0
    np.testing.assert_allclose(body.link_com[0], model.inertias[1].lever, atol=1e-15)
    np.testing.assert_allclose(body.link_inertia[0], model.inertias[1].inertia, atol=1e-14)
    assert set(body.frames) == {"base", "a", "tip", "j", "k"}
    for name in ("base", "a", "tip"):
        theirs = model.frames[model.getFrameId(name)].placement
        ours = body.frames[name]
        assert ours.link == 0
        np.testing.assert_allclose(ours.rotation, theirs.rotation, atol=1e-15)
        np.testing.assert_allclose(ours.translation, theirs.translation, atol=1e-15)


def test_a_rigid_body_is_checked(tmp_path):
    with pytest.raises(RobotError, match="triangle inequality"):
        rigid_body(read_urdf(arm(tmp_path, child=with_moments(1, 1, 3))), {})
