"""Signals of bodies against Pinocchio's own functions, at random states."""

import numpy as np
import pytest
from tests.cases import each

import footfall
from footfall.model.robot import load_robot

pin = pytest.importorskip("pinocchio")
ABSOLUTE, RELATIVE = 1e-10, 1e-11
CASES = [
    ("icub/standing", "pinocchio"),
    ("icub/standing", "idyntree"),
    ("humanoid/standing", "pinocchio"),
    ("humanoid/standing", "idyntree"),
    ("pendulum/swing", "pinocchio"),
    ("fourbar/swinging", "idyntree"),
    ("planar_box/drop", "pinocchio"),
]
AT_ORIGIN = ("pendulum/swing", "fourbar/swinging", "planar_box/drop")
"""Scenes whose bases are held: where, is part of the engine's model."""


class Reference:
    """Pinocchio on the same normal form, without the engine: positions as ours, v in the base."""

    def __init__(self, sim, name, robot):
        from footfall_pinocchio.parse import load_model

        body = sim.world.bodies[0]
        gravity = np.array(sim.world.topology.gravity)
        base = load_robot(robot).base
        source = load_robot(robot).source(name, gravity, base, None)
        self.model = load_model(source)
        self.data = self.model.createData()
        self.base = 6 if body.model.base == "floating" else 0

    def to_mixed(self, q):
        """Return T with nu = T v."""
        T = np.eye(self.model.nv)
        if self.base:
            R = pin.Quaternion(q[3:7].copy()).matrix()
            T[:3, :3] = T[3:6, 3:6] = R
        return T

    def still(self, v):
        """Return the body-frame acceleration at which the mixed one is zero."""
        a = np.zeros(self.model.nv)
        if self.base:
            a[:3] = -np.cross(v[3:6], v[:3])
        return a


def random_state(sim, seed):
    """Put a simulator with one body into a state of order one."""
    rng = np.random.default_rng(seed)
    n = len(sim.world.bodies[0].model.joint_names)
    sim.q[:] = rng.normal(size=len(sim.q))
    sim.q[len(sim.q) - n :] = rng.uniform(-1.0, 1.0, n)
    if len(sim.q) > n:
        sim.q[3:7] /= np.linalg.norm(sim.q[3:7])
    sim.v[:] = rng.normal(size=len(sim.v))
    return sim.q.copy(), sim.v.copy()


@pytest.fixture(params=CASES, ids="-".join, scope="module")
def case(request):
    scene, engine = request.param
    robot = scene.split("/")[0]
    for needed, module in (("icub", "icub_models"), ("idyntree", "idyntree")):
        if needed in request.param or robot == needed:
            pytest.importorskip(module)
    overrides = {"engine.plugin": engine}
    if scene in AT_ORIGIN:
        overrides[f"bodies.{robot}.base_position"] = [0.0, 0.0, 0.0]
    sim = footfall.load(scene, overrides=overrides)
    name = sim.world.bodies[0].name
    return sim, sim.signals(name), Reference(sim, name, robot)


@pytest.fixture
def floating(case):
    if not case[2].base:
        case = (footfall.load("humanoid/standing"),)
        case = (*case, case[0].signals("humanoid"), Reference(case[0], "humanoid", "humanoid"))
    return case


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=RELATIVE, atol=ABSOLUTE)


@each("seed", range(3))
def test_inertia_and_bias_are_those_of_mixed_velocities(case, seed):
    sim, signals, ref = case
    q, v = random_state(sim, seed)
    T = ref.to_mixed(q)
    M = np.array(pin.crba(ref.model, ref.data, q))
    armature = np.diag(np.array(ref.model.armature))
    M = np.triu(M) + np.triu(M, 1).T - armature
    close(signals.mass_matrix, T @ M @ T.T)
    close(signals.nu, T @ v)
    # h + M a at the acceleration that is zero in the mixed representation.
    h = np.array(pin.nonLinearEffects(ref.model, ref.data, q, v))
    close(signals.bias_force, T @ (h + M @ ref.still(v)))
    close(signals.joint_positions, q[len(q) - len(signals.joint_names) :])


@each("seed", range(3))
def test_mass_centre_and_momentum_of_a_floating_base(floating, seed):
    sim, signals, ref = floating
    q, v = random_state(sim, seed)
    T = ref.to_mixed(q)
    close(signals.com, pin.centerOfMass(ref.model, ref.data, q, v))
    close(signals.com_velocity, ref.data.vcom[0])
    A = np.array(pin.computeCentroidalMap(ref.model, ref.data, q))
    close(signals.centroidal_map, A @ T.T)
    close(signals.centroidal_momentum, A @ v)


@each("seed", range(3))
def test_momentum_is_the_sum_over_the_links(case, seed):
    """Also on a fixed base, whose own mass Pinocchio leaves out of the mass centre."""
    sim, signals, ref = case
    q, v = random_state(sim, seed)
    model, T = sim.world.bodies[0].model, ref.to_mixed(q)
    pin.forwardKinematics(ref.model, ref.data, q, v)
    first = ref.model.njoints - model.n_links
    X = [ref.data.oMi[first + k] for k in range(model.n_links)]
    V = [ref.data.v[first + k] for k in range(model.n_links)]
    m, local = model.link_mass, model.link_com
    c = np.array([x.act(p) for x, p in zip(X, local, strict=True)])
    com = m @ c / m.sum()
    R, w = [x.rotation for x in X], [t.angular for t in V]
    v_c = [r @ (t.linear + np.cross(a, p)) for r, t, a, p in zip(R, V, w, local, strict=True)]
    p = m[:, None] * np.array(v_c)
    L = [r @ (i @ a) for r, i, a in zip(R, model.link_inertia, w, strict=True)]
    expected = np.concatenate([p.sum(0), np.sum(L, 0) + np.cross(c - com, p).sum(0)])
    close(signals.com, com)
    close(signals.com_velocity, p.sum(0) / m.sum())
    close(signals.centroidal_momentum, expected)
    close(signals.centroidal_map @ (T @ v), expected)


@each("seed", range(3))
def test_frames_move_as_their_jacobians_say(case, seed):
    sim, signals, ref = case
    q, v = random_state(sim, seed)
    T, world = ref.to_mixed(q), pin.LOCAL_WORLD_ALIGNED
    pin.forwardKinematics(ref.model, ref.data, q, v, ref.still(v))
    there = [frame.name for frame in ref.model.frames]
    known = [n for n in sim.world.bodies[0].model.frames if there.count(n) == 1]
    assert known
    for name in {*known[::3], *(n for n in signals.foot_names if n in there)}:
        k = ref.model.getFrameId(name)
        frame = signals.frame(name)
        close(frame.pose, pin.updateFramePlacement(ref.model, ref.data, k).homogeneous)
        J = np.array(pin.computeFrameJacobian(ref.model, ref.data, q, k, world)).reshape(6, -1)
        close(frame.jacobian, J @ T.T)
        close(frame.velocity, pin.getFrameVelocity(ref.model, ref.data, k, world).vector)
        a = pin.getFrameClassicalAcceleration(ref.model, ref.data, k, world).vector
        close(frame.jdot_nu, a)
        pin.forwardKinematics(ref.model, ref.data, q, v, ref.still(v))
