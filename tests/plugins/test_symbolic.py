"""``footfall.symbolic``: CasADi functions that say what the engines say."""

import numpy as np
import pytest
from tests.cases import each, first
from tests.robot_packages import need_package

import footfall
from footfall.errors import RobotError
from footfall.interfaces.engine import ModelSource
from footfall.model.robot import list_robots
from footfall.registry.discover import discover

pytest.importorskip("adam", reason='needs the extra "symbolic"')
pytest.importorskip("liecasadi", reason='needs the extra "symbolic"')

GRAVITY = (0.3, -0.2, -9.81)
HELD = ("pendulum", "rrbot", "fourbar", "parallel_leg", "panda")
CASES = [
    *((name, "fixed") for name in (*HELD, "humanoid", "icub")),
    *((name, base) for name in list_robots() if name not in HELD for base in ("floating",)),
    *((name, "planar") for name in ("planar_box", "quadruped", "humanoid")),
]


@pytest.fixture(scope="module")
def engine():
    return discover().engine["featherstone"].load()()


def near(found, expected):
    """Compare to 1e-12 of the largest entry."""
    scale = max(1.0, np.abs(expected).max(initial=0.0))
    np.testing.assert_allclose(np.array(found), expected, rtol=0.0, atol=1e-12 * scale)


@pytest.mark.parametrize(("name", "base"), first(*CASES, runs=6, names=2))
def test_inertia_bias_places_and_jacobians_are_those_of_an_engine(name, base, engine):
    need_package(name)
    robot = footfall.load_robot(name)
    model = footfall.symbolic(robot, base=base, gravity=GRAVITY)
    tree = engine.load(robot.source(name, np.array(GRAVITY), base=base))
    assert model.joint_names == tree.model.joint_names
    assert (model.nq, model.nv) == (tree.model.nq, tree.model.nv)
    links = tree.model.link_names
    chosen = sorted({0, len(links) // 2, len(links) - 1})
    functions = [(i, model.pose(links[i]), model.jacobian(links[i])) for i in chosen]
    for seed in range(3):
        q, v = state(tree.model, seed)
        tree.evaluate(q, v)
        near(model.mass_matrix(q), tree.M)
        near(np.array(model.bias_force(q, v)).ravel(), tree.h)
        for i, pose, jacobian in functions:
            R, p = tree.pose[i, :9].reshape(3, 3).T, tree.pose[i, 9:]
            near(np.array(pose(q))[:3], np.column_stack([R, p]))
            near(jacobian(q), written_out(tree, i, p))


def state(model, seed):
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-np.pi, np.pi, model.nq), rng.normal(size=model.nv)
    if model.base == "floating":
        q[3:7] = rng.normal(size=4)
        q[3:7] /= np.linalg.norm(q[3:7])
    return q, v


def written_out(tree, link, p):
    """Return the Jacobian of a link's origin, from the twists of the dofs that move it."""
    J, dof = np.zeros((6, tree.model.nv)), int(tree.model.link_dof[link])
    while dof >= 0:
        linear, angular = tree.S[dof, :3], tree.S[dof, 3:]
        J[:, dof] = *(linear + np.cross(angular, p)), *angular
        dof = int(tree.model.dof_parent[dof])
    return J


def test_functions_are_differentiated_by_casadi():
    """``d(v'M v / 2)/dt = v'(tau - g)``: the rate of M along v is that of the bias force."""
    import casadi as cs

    model = footfall.symbolic("rrbot", gravity=(0.0, 0.0, 0.0))
    q, v = cs.SX.sym("q", model.nq), cs.SX.sym("v", model.nv)
    energy = 0.5 * v.T @ model.mass_matrix(q) @ v
    power = cs.gradient(energy, q).T @ v - v.T @ model.bias_force(q, v)
    found = cs.Function("power", [q, v], [power])
    for seed in range(3):
        rng = np.random.default_rng(seed)
        assert abs(float(found(rng.normal(size=2), rng.normal(size=2)))) < 1e-13


BAD = {
    "robot": (("humanoidd",), {}, "humanoid"),
    "kind": ((3,), {}, "load_robot"),
    "base": (("humanoid",), {"base": "flying"}, "floating"),
    "gravity": (("humanoid",), {"gravity": (0.0, -9.81)}, "three finite"),
}


@each("case", BAD)
def test_what_is_no_robot_is_refused(case):
    given, named, told = BAD[case]
    with pytest.raises(RobotError, match=told):
        footfall.symbolic(*given, **named)


def test_an_unknown_link_is_refused_with_the_nearest_name():
    with pytest.raises(RobotError, match="l_hand"):
        footfall.symbolic("humanoid").pose("l_hnd")


def test_arguments_of_other_shapes_are_told_in_one_line():
    model = footfall.symbolic("humanoid")
    with pytest.raises(RobotError, match=rf"^M takes q of shape \({model.nq},\), got \(3,\)$"):
        model.mass_matrix(np.zeros(3))
    with pytest.raises(RobotError, match=r"^h takes q .*, v .*, got \(3,\), str$"):
        model.bias_force(np.zeros(3), "x")


def test_an_mjcf_is_refused():
    from footfall_symbolic.symbolic import Symbolic

    source = ModelSource("a", "mjcf", "a.xml", "<mujoco/>", "fixed", np.zeros(3), None)
    with pytest.raises(RobotError, match="reads URDFs"):
        Symbolic(source)
