"""The normal form is the same robot: judged by Pinocchio's reading of the file itself."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.cases import each
from tests.robots.sample_urdf import INERTIA, INERTIAL, LIMIT, arm, joint, link, write

from footfall.errors import RobotError
from footfall.formats.normal_form import PLANAR_JOINTS, canonical_joints, normal_form
from footfall.formats.urdf import Urdf
from footfall.formats.urdf_file import read_urdf
from footfall.model.robot import load_robot
from footfall.spatial.pose import Pose

pin = pytest.importorskip("pinocchio")


def random_tree(folder: Path, rng: np.random.Generator, n: int = 14) -> Urdf:
    """Links joined in a random tree by joints of every type in random places."""

    def numbers(count: int) -> str:
        return " ".join(f"{value:.6f}" for value in rng.uniform(-1.0, 1.0, count))

    names = [f"j{k:02d}" for k in rng.permutation(n)]
    parts = [link("link0")]
    for i, name in enumerate(names, start=1):
        kind = str(rng.choice(["revolute", "continuous", "prismatic", "fixed"]))
        mass = f'<mass value="{rng.uniform(0.5, 2):.6f}"/>'
        inertial = (
            f'<inertial><origin xyz="{numbers(3)}" rpy="{numbers(3)}"/>{mass}{INERTIA}</inertial>'
        )
        inside = f'<origin xyz="{numbers(3)}" rpy="{numbers(3)}"/><axis xyz="{numbers(3)}"/>{LIMIT}'
        parts.append(link(f"link{i}", inertial))
        parts.append(joint(name, f"link{rng.integers(i)}", f"link{i}", kind, inside))
    return read_urdf(write(folder, *parts))


def configuration(model, positions: dict[str, float]):
    """Return Pinocchio's q: continuous joints are a point on the circle to it."""
    q = pin.neutral(model)
    for name, position in positions.items():
        joint_model = model.joints[model.getJointId(name)]
        at = slice(joint_model.idx_q, joint_model.idx_q + joint_model.nq)
        q[at] = position if joint_model.nq == 1 else [np.cos(position), np.sin(position)]
    return q


@each("floating", [True, False])
@each("trial", range(8))
def test_dynamics_are_those_of_the_file_with_joints_locked(tmp_path, floating, trial):
    rng = np.random.default_rng(trial)
    urdf = random_tree(tmp_path, rng)
    kept = {name for name in urdf.movable if rng.random() < 0.6}
    at = {name: float(rng.uniform(-1.0, 2.0)) for name in urdf.movable}
    base = (pin.JointModelFreeFlyer(),) if floating else ()
    text = normal_form(urdf, "floating" if floating else "fixed", kept, at)
    ours = pin.buildModelFromXML(text, *base)
    theirs = pin.buildModelFromUrdf(str(urdf.path), *base)
    # Velocities: the kept joints' random ones; the locked joints do not move.
    rates = {name: float(rng.normal()) if name in kept else 0.0 for name in urdf.movable}
    results = []
    for model in (ours, theirs):
        names = [name for name in list(model.names)[1:] if name in kept]
        columns = [model.joints[model.getJointId(name)].idx_v for name in names]
        rows = [*range(6 * floating), *columns]
        q = configuration(model, {name: at[name] for name in urdf.movable if name in model.names})
        v = np.zeros(model.nv)
        v[columns] = [rates[name] for name in names]
        data = model.createData()
        M = pin.crba(model, data, q, pin.Convention.WORLD)[np.ix_(rows, rows)]
        results.append((names, M.copy(), pin.nonLinearEffects(model, data, q, v)[rows]))
    (our_names, our_M, our_h), (names, M, h) = results
    assert tuple(our_names) == tuple(names) == canonical_joints(urdf, "floating", kept)
    assert list(ours.names)[1 + floating :] == our_names
    # Rounding of some 14 composed placements.
    np.testing.assert_allclose(our_M, M, atol=1e-12 * max(1.0, np.abs(M).max()))
    np.testing.assert_allclose(our_h, h, atol=1e-12 * max(1.0, np.abs(h).max()))


def test_every_link_keeps_its_frame(tmp_path):
    urdf = random_tree(tmp_path, np.random.default_rng(99))
    model = pin.buildModelFromXML(normal_form(urdf, "fixed", (), {}))
    assert {name for name in urdf.links if not model.existFrame(name)} == set()


def test_reading_the_numbers_back_gives_the_same_bits(tmp_path):
    urdf = random_tree(tmp_path, np.random.default_rng(99))
    path = tmp_path / "again.urdf"
    # Fixed joints keep rotations only up to rounding of their angles, so compare numbers that are
    # written as they are.
    path.write_text(normal_form(urdf, "floating", urdf.movable, {}))
    again = read_urdf(path)
    for name, body in urdf.links.items():
        other = again.links[name].inertial
        assert body.inertial is not None
        assert other is not None
        assert other.mass == body.inertial.mass
        assert (other.com == body.inertial.com).all()
        assert (other.inertia == body.inertial.inertia).all()
    for name in urdf.movable:
        assert (again.joints[name].origin.translation == urdf.joints[name].origin.translation).all()
        assert again.joints[name].limits == urdf.joints[name].limits


def test_a_continuous_joint_becomes_revolute_without_limits(tmp_path):
    urdf = read_urdf(arm(tmp_path, kind="continuous"))
    model = pin.buildModelFromXML(normal_form(urdf, "fixed", {"wrist"}, {}))
    assert (model.nq, model.nv) == (1, 1)
    assert model.lowerPositionLimit[0] < -1e10
    assert model.upperPositionLimit[0] > 1e10
    idyntree = pytest.importorskip("idyntree.bindings")
    loader = idyntree.ModelLoader()
    assert loader.loadReducedModelFromString(normal_form(urdf, "fixed", {"wrist"}, {}), ["wrist"])
    assert loader.model().getJoint(0).getMaxPosLimit(0) > 1e10


@pytest.mark.parametrize("kind", ["revolute", "continuous"])
def test_a_joint_is_locked_where_it_is_told(tmp_path, kind):
    urdf = read_urdf(arm(tmp_path, kind=kind))
    model = pin.buildModelFromXML(normal_form(urdf, "fixed", (), {"wrist": 0.5}))
    hand = model.frames[model.getFrameId("hand")].placement
    np.testing.assert_allclose(hand.rotation, pin.rpy.rpyToMatrix(0.0, 0.5, 0.0), atol=1e-15)


def test_what_engines_must_not_see_is_left_out(tmp_path):
    extras = '<transmission name="t"/><gazebo reference="hand"/><sensor name="s"/>'
    mimic = f'{LIMIT}<mimic joint="other"/>'
    shape = '<collision><geometry><box size="1 1 1"/></geometry></collision>'
    path = write(
        tmp_path,
        link("base"),
        link("hand", INERTIAL + shape),
        joint("wrist", "base", "hand", inside=mimic),
        extras,
    )
    text = normal_form(read_urdf(path), "fixed", {"wrist"}, {})
    for tag in ("mimic", "transmission", "gazebo", "sensor", "collision"):
        assert f"<{tag}" not in text


def test_names_with_markup_survive(tmp_path):
    path = write(tmp_path, link('a&amp;"'.replace('"', "&quot;")))
    text = normal_form(read_urdf(path), "floating", (), {})
    (tmp_path / "again.urdf").write_text(text)
    assert list(read_urdf(tmp_path / "again.urdf").links) == ['a&"']


def test_a_planar_base_moves_in_its_plane_and_pitches(tmp_path):
    urdf = read_urdf(arm(tmp_path))
    model = pin.buildModelFromXML(normal_form(urdf, "planar", {"wrist"}, {}))
    names = tuple(model.names)[1:]
    assert names == (*PLANAR_JOINTS, "wrist") == canonical_joints(urdf, "planar", {"wrist"})
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.array([0.3, 0.7, 0.2, 0.0]))
    base = data.oMf[model.getFrameId("base")]
    np.testing.assert_allclose(base.translation, [0.3, 0.0, 0.7], atol=1e-15)
    np.testing.assert_allclose(base.rotation, pin.rpy.rpyToMatrix(0.0, 0.2, 0.0), atol=1e-15)
    assert (model.upperPositionLimit[:3] > 1e10).all()


@pytest.mark.parametrize("base", ["fixed", "planar"])
def test_a_base_that_does_not_float_stands_where_it_is_placed(tmp_path, base):
    urdf = read_urdf(arm(tmp_path))
    placement = Pose.from_rpy((1.0, 2.0, 3.0), (0.1, 0.2, 0.3))
    model = pin.buildModelFromXML(normal_form(urdf, base, {"wrist"}, {}, placement))
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    root = data.oMf[model.getFrameId("base")]
    np.testing.assert_allclose(root.translation, [1.0, 2.0, 3.0], atol=1e-15)
    np.testing.assert_allclose(root.rotation, pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), atol=1e-15)


def test_a_placed_base_takes_a_free_name(tmp_path):
    path = write(tmp_path, link("world"), link("hand"), joint("world_joint", "world", "hand"))
    text = normal_form(read_urdf(path), "fixed", {"world_joint"}, {}, Pose.identity())
    (tmp_path / "placed.urdf").write_text(text)
    placed = read_urdf(tmp_path / "placed.urdf")
    assert placed.root == "world_"
    assert set(placed.joints) == {"world_joint", "world_joint_"}


def test_a_planar_base_needs_its_joint_names(tmp_path):
    path = write(tmp_path, link("a"), link("b"), joint("planar_z", "a", "b"))
    with pytest.raises(RobotError, match='joint "planar_z": the planar base needs that name'):
        normal_form(read_urdf(path), "planar", {"planar_z"}, {})


def test_icub_in_normal_form_is_icub():
    pytest.importorskip("icub_models")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        urdf = load_robot("icub").urdf
    assert urdf is not None
    text = normal_form(urdf, "floating", urdf.movable, {})
    ours = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    theirs = pin.buildModelFromUrdf(str(urdf.path), pin.JointModelFreeFlyer())
    assert list(ours.names) == list(theirs.names)
    for mine, its in zip(ours.inertias, theirs.inertias, strict=True):
        np.testing.assert_allclose(
            mine.toDynamicParameters(), its.toDynamicParameters(), atol=1e-15
        )
    for mine, its in zip(ours.frames, theirs.frames, strict=True):
        assert mine.name == its.name
        # Both go through an angle representation that rounds.
        np.testing.assert_allclose(
            mine.placement.homogeneous, its.placement.homogeneous, atol=1e-14
        )
