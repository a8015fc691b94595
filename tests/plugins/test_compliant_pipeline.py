"""Points, forces and accelerations agree with Featherstone's recorded pipeline to 1e-10."""

import numpy as np
import pytest
from tests.physics.composed import rotation_matrix
from tests.plugins.compliant_reference import reference, rows

from footfall.interfaces.engine import ModelSource
from footfall_compliant.law import ground_contact
from footfall_compliant.pipeline import (
    forward_dynamics,
    in_vertical_plane,
    spatial_forces,
    sum_by_body,
)
from footfall_compliant.points import link_twists, planar_point_motion, point_motion
from footfall_pinocchio.engine import Pinocchio

DOWN = np.array([0.0, 0.0, -9.81])
CLOSE = 1e-10
LINK = """<link name="{name}"><inertial><origin xyz="{com}"/><mass value="{mass!r}"/>
<inertia ixx="{I[0]!r}" iyy="{I[1]!r}" izz="{I[2]!r}" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
HOLLOW = '<link name="{name}"/>'
JOINT = """<joint name="{name}" type="{kind}"><origin xyz="{at}"/><parent link="{parent}"/>
<child link="{child}"/><axis xyz="{axis}"/>
<limit lower="-1e9" upper="1e9" velocity="1e9" effort="1e9"/></joint>"""


def tree(base, joints, *parts):
    """Load a tree of links and joints with Pinocchio."""
    text = f'<robot name="r">{"".join(parts)}</robot>'
    return Pinocchio().load(ModelSource("r", "urdf", "r.urdf", text, base, DOWN, joints))


def close(actual, expected):
    """Agree to 1e-10 of the largest number of the array."""
    expected = rows(expected)
    actual = np.reshape(actual, expected.shape)
    np.testing.assert_allclose(actual, expected, 0.0, CLOSE * max(1.0, np.abs(expected).max()))


def state_of(xfb):
    """Return q (7,) and v (6,) of a floating base from Featherstone's 13 numbers."""
    w, x, y, z = xfb[:4]
    position, omega, v_O = np.array(xfb[4:7]), np.array(xfb[7:10]), np.array(xfb[10:])
    R = rotation_matrix([x, y, z, w])
    linear = v_O + np.cross(omega, position)
    return np.concatenate([position, [x, y, z, w]]), np.concatenate([R.T @ linear, R.T @ omega])


def rate_of(xfb, S, acceleration):
    """Return the rate of Featherstone's 13 numbers for a base acceleration."""
    w, xyz = xfb[0], np.array(xfb[1:4])
    position, omega, v_O = np.array(xfb[4:7]), np.array(xfb[7:10]), np.array(xfb[10:])
    quaternion = 0.5 * np.append(-omega @ xyz, w * omega + np.cross(omega, xyz))
    spatial = S[:6].T @ acceleration[:6]
    return np.concatenate([quaternion, v_O + np.cross(omega, position), spatial[3:], spatial[:3]])


def on_the_ground(case, p, pd):
    """Check motion and ground forces of a case; return the forces."""
    close(np.vstack([p, pd]), case["posvel"])
    answer = ground_contact(case["K"], case["D"], case["mu"], p, pd, case["u"])
    for name in ("f", "ud", "fcone"):
        close(getattr(answer, name), case[name])
    return answer.f


def through_a_floating_tree(case, model, body, points, joint=()):
    """Check a case of a floating base, up to the accelerations, which are returned with S."""
    q, v = state_of(case["xfb"])
    q = np.append(q, [case[name] for name in joint[:1]])
    v = np.append(v, [case[name] for name in joint[1:]])
    model.evaluate(q, v)
    p, pd = point_motion(model.pose, link_twists(model.model, model.S, v), body, points)
    wrenches = spatial_forces(p, on_the_ground(case, p, pd))
    total = sum_by_body(wrenches, body, model.model.n_links)
    tau = np.append(np.zeros(6), [case["tau"]] if joint else [])
    return forward_dynamics(model, q, v, tau, total), wrenches


@pytest.mark.reference
def test_the_disc():
    data = reference("gc_pipeline_cases.json")["disc"]
    link = LINK.format(name="d", com="0 0 0", mass=data["mass"], I=data["inertia_com_diag"])
    model, points = tree("floating", (), link), np.array(data["points"])
    for case in data["cases"]:
        a, wrenches = through_a_floating_tree(case, model, np.zeros(32, int), points)
        close(wrenches.sum(axis=1), case["fsp_sum"])
        close(rate_of(case["xfb"], model.S, a), case["xd"])


@pytest.mark.reference
def test_two_bodies():
    data = reference("gc_pipeline_cases.json")["scissor"]
    inertia = (1.01 / 12, 1.04 / 12, 0.05 / 12)
    model = tree(
        "floating",
        ("hinge",),
        LINK.format(name="a", com="0 -0.05 0", mass=1.0, I=inertia),
        LINK.format(name="b", com="0 0.05 0", mass=1.0, I=inertia),
        JOINT.format(
            name="hinge", kind="revolute", at="0 0 0", parent="a", child="b", axis="0 1 0"
        ),
    )
    points = np.hstack([data["points_body1"], data["points_body2"]])
    body = np.repeat([0, 1], 4)
    for case in data["cases"]:
        a, _ = through_a_floating_tree(case, model, body, points, ("q", "qd"))
        close(rate_of(case["xfb"], model.S, a), case["xd"])
        close(a[6], case["qdd"])


def planar_chain():
    """Return two unit links on a planar base; angles from x to z, about -y."""
    link = {"com": "0.5 0 0", "mass": 1.0, "I": (1e-3, 1.0 / 12.0, 1.0 / 12.0)}
    names = ("px", "py", "r", "elbow")
    axes = ("1 0 0", "0 0 1", "0 -1 0", "0 -1 0")
    links = [HOLLOW.format(name=name) for name in ("w", "cx", "cy")]
    links += [LINK.format(name=name, **link) for name in ("a", "b")]
    chain = ("w", "cx", "cy", "a", "b")
    joints = [
        JOINT.format(
            name=name,
            kind="prismatic" if k < 2 else "revolute",
            at="1 0 0" if k == 3 else "0 0 0",
            parent=chain[k],
            child=chain[k + 1],
            axis=axes[k],
        )
        for k, name in enumerate(names)
    ]
    return tree("fixed", names, *links, *joints)


@pytest.mark.reference
def test_the_planar_chain():
    data = reference("gc_pipeline_cases.json")["planar"]
    model = planar_chain()
    body, points = np.array([0, 1, 1]), np.array([[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    for case in data["cases"]:
        q, v = np.array(case["q"]), np.array(case["qd"])
        first, second = q[2], q[2] + q[3]
        end = q[:2] + np.array([np.cos(first), np.sin(first)])
        pose = np.array([[*q[:2], first], [*end, second]])
        w1, w2 = v[2], v[2] + v[3]
        tip = v[:2] + w1 * np.array([-np.sin(first), np.cos(first)])
        # The velocity at the origin: that of the body's own origin less omega x o.
        twist = np.array([
            [w1, v[0] + w1 * q[1], v[1] - w1 * q[0]],
            [w2, tip[0] + w2 * end[1], tip[1] - w2 * end[0]],
        ])  # fmt: skip
        p, pd = planar_point_motion(pose, twist, body, points)
        planar = sum_by_body(spatial_forces(p, on_the_ground(case, p, pd)), body, 2)
        wrenches = np.zeros((model.model.n_links, 6))
        wrenches[-2:] = in_vertical_plane(planar)
        close(forward_dynamics(model, q, v, case["tau"], wrenches), case["qdd"])


def test_points_may_be_on_any_body_in_any_order():
    rng = np.random.default_rng(1)
    R = [rotation_matrix(q / np.linalg.norm(q)) for q in rng.normal(size=(3, 4))]
    pose = np.array([np.append(r.T.ravel(), rng.normal(size=3)) for r in R])
    twist, points = rng.normal(size=(3, 6)), rng.normal(size=(3, 5))
    body = np.array([2, 0, 1, 2, 0])
    p, pd = point_motion(pose, twist, body, points)
    order = np.array([3, 1, 4, 0, 2])
    again = point_motion(pose, twist, body[order], points[:, order])
    np.testing.assert_array_equal(p[:, order], again[0])
    np.testing.assert_array_equal(pd[:, order], again[1])
    forces = spatial_forces(p, pd)
    total = sum_by_body(forces, body, 4)
    np.testing.assert_allclose(total.sum(axis=0), forces.sum(axis=1), atol=1e-14)
    assert not total[3].any()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: point_motion(np.zeros((2, 12)), np.zeros((2, 6)), [2], [[0]] * 3), "0 to 1"),
        (lambda: point_motion(np.zeros((2, 12)), np.zeros((2, 6)), [0, 1], [[0]] * 3), "one per"),
        (lambda: planar_point_motion(np.zeros((1, 3)), np.zeros((1, 3)), [0], [[0]] * 3), "2, np"),
        (lambda: spatial_forces(np.zeros((3, 2)), np.zeros((2, 2))), "twice"),
        (lambda: sum_by_body(np.zeros((6, 2)), [0], 1), "one body per column"),
        (lambda: sum_by_body(np.zeros((6, 1)), [-1], 1), "0 to 0"),
    ],
)
def test_input_that_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
