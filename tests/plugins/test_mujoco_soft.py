"""The law ``mujoco_soft`` answers what MuJoCo's solver answers, and follows its steps."""

import numpy as np
import pytest
from tests.cases import each, first

import footfall
from footfall.errors import SceneError, SimulationError
from footfall.problem.arrays import BlockKind
from footfall.problem.contact_problem import ContactProblem
from footfall_mujoco_soft.contact import MuJoCoSoft, MuJoCoSoftConfig
from footfall_mujoco_soft.impedance import rest_depth

mujoco = pytest.importorskip("mujoco", reason='needs the extra "mujoco"')

ROBOT = """
<mujoco>
  <option timestep="0.002" cone="{cone}" impratio="{impratio}" jacobian="dense"
    tolerance="1e-15" ls_tolerance="1e-6" iterations="500" ls_iterations="500">
    <flag frictionloss="disable" limit="disable"/>
  </option>
  <default>
    <joint damping="0.5"/>
    <geom friction="{mu} 0.01 0.002" condim="{condim}" solref="{solref}"
      solimp="{solimp}"/>
  </default>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body pos="0 0 0.14"><freejoint/>
      <geom type="box" size="0.2 0.1 0.05" mass="3"/>
      <body pos="0.2 0 0"><joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.1 0.05 -0.11" size="0.03" mass="0.5"/>
        <body pos="0.1 0.05 -0.11"><joint axis="1 0 1"/>
          <geom type="sphere" size="0.035" mass="0.2"/>
        </body>
      </body>
      <body pos="-0.2 0 0"><joint axis="0 1 1"/>
        <geom type="capsule" fromto="0 0 0 -0.1 0.05 -0.11" size="0.03" mass="0.7"/>
      </body>
    </body>
    <body pos="0.05 0.02 0.235"><freejoint/><geom type="sphere" size="0.05" mass="1"/></body>
    <body pos="0.3 0.4 0.049"><freejoint/><geom type="box" size="0.1 0.1 0.05" mass="2"/></body>
  </worldbody>
</mujoco>
"""
USUAL = {
    "cone": "elliptic",
    "impratio": 1.0,
    "mu": 0.6,
    "condim": 3,
    "solref": (0.02, 1.0),
    "solimp": (0.9, 0.95, 0.001, 0.5, 2.0),
}
SETTINGS = {
    "defaults": {},
    "ratio": {"impratio": 5.0},
    "sigmoid": {"solimp": (0.7, 0.98, 0.01, 0.3, 3.0), "solref": (0.03, 0.4)},
    "stiffness": {"solref": (-900.0, -40.0)},
    "too_fast": {"solref": (0.001, 1.0)},
    "slippery": {"mu": 0.05},
    "pyramid": {"cone": "pyramidal"},
    "pyramid_ratio": {"cone": "pyramidal", "impratio": 3.0, "mu": 1.3},
}


def model_of(settings):
    words = {k: " ".join(map(str, v)) if isinstance(v, tuple) else v for k, v in settings.items()}
    return mujoco.MjModel.from_xml_string(ROBOT.format(**words))


def law_of(settings, weights):
    given = {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}
    return MuJoCoSoft(
        MuJoCoSoftConfig(**{k: given[k] for k in CONFIGURED}, inverse_weights=weights)
    )


MANY = 6
"""Contacts in a problem that is compared."""
CONFIGURED = ("cone", "impratio", "solref", "solimp")


def fallen(settings, seed):
    """Return a model and data in the midst of touching, after a random push."""
    model = model_of(settings)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    data.qvel[:] = 0.3 * rng.normal(size=model.nv)
    data.qfrc_applied[:] = 0.2 * rng.normal(size=model.nv)
    for _ in range(500):
        mujoco.mj_step(model, data)
        if data.ncon >= MANY:
            break
    mujoco.mj_forward(model, data)
    return model, data


def problem_of(model, data):
    """Return the contact problem of MuJoCo's own matrices, and the contacts' inverse weights.

    Points stand where MuJoCo has them; rows are tangent, tangent, normal, and three of moments.
    """
    rows, mu, gap, weights = [], [], [], []
    for i in range(data.ncon):
        contact, point = data.contact[i], np.zeros((2, 2, 3, model.nv))
        bodies = model.geom_bodyid[contact.geom]
        for side in range(2):
            mujoco.mj_jac(model, data, *point[side], contact.pos, bodies[side])
        R = contact.frame.reshape(3, 3)
        rows.append((R @ (point[1, 0] - point[0, 0]))[[1, 2, 0]])
        mu.append(contact.friction[0])
        gap.append(contact.dist)
        weights.append(model.body_invweight0[bodies, 0].sum())
    J, M = np.vstack(rows), np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    free = J @ (data.qvel + model.opt.timestep * data.qacc_smooth)
    problem = ContactProblem.from_dense(
        *(J @ np.linalg.solve(M, J.T), free, np.array(mu)),
        velocity=J @ data.qvel,
        gap=np.array(gap),
        dt=model.opt.timestep,
    )
    return problem, weights


def problem_with_moments(model, data):
    """Return the same problem with torsional and rolling friction, rows scaled to the cone's mu."""
    rows, mu, gap, weights = [], [], [], []
    for i in range(data.ncon):
        contact, point = data.contact[i], np.zeros((2, 2, 3, model.nv))
        bodies = model.geom_bodyid[contact.geom]
        for side in range(2):
            mujoco.mj_jac(model, data, *point[side], contact.pos, bodies[side])
        R, (slides, _, spins, rolls, _) = contact.frame.reshape(3, 3), contact.friction
        lengths = np.array([rolls, rolls, spins])[:, None] / slides
        rows.append((R @ (point[1, 0] - point[0, 0]))[[1, 2, 0]])
        rows.append(lengths * (R @ (point[1, 1] - point[0, 1]))[[1, 2, 0]])
        mu += [slides, slides]
        gap += [contact.dist, 0.0]
        weights += [model.body_invweight0[bodies, 0].sum(), 1.0]
    J, M = np.vstack(rows), np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    problem = ContactProblem.from_dense(
        J @ np.linalg.solve(M, J.T),
        J @ (data.qvel + model.opt.timestep * data.qacc_smooth),
        np.array(mu),
        velocity=J @ data.qvel,
        gap=np.array(gap),
        dt=model.opt.timestep,
        kinds=(BlockKind.CONE, BlockKind.MOMENT) * data.ncon,
    )
    return problem, weights


def test_inverse_weights_are_of_a_simulator():
    with pytest.raises(SimulationError, match="needs a simulator"):
        footfall.inverse_weights("humanoid/standing")


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@each("seed", range(4))
def test_torsional_and_rolling_friction_is_that_of_mujocos_cones(cone, seed):
    settings = USUAL | {"condim": 6, "impratio": 2.0, "cone": cone}
    model, data = fallen(settings, seed)
    problem, weights = problem_with_moments(model, data)
    law = law_of(settings, {f"body/{i}": weight for i, weight in enumerate(weights)})
    law.name_contacts([f"body/{i}" for i in range(2 * data.ncon)])
    law.solve(problem, {})
    assert data.ncon >= MANY
    assert not problem.report.failed
    found = problem.impulse.reshape(-1, 2, 3)[:, 0]
    theirs = forces_of(model, data) * problem.dt
    np.testing.assert_allclose(found, theirs, rtol=0.0, atol=1e-7 * np.abs(theirs).max())


def forces_of(model, data):
    """Return MuJoCo's contact forces as rows tangent, tangent, normal, shape (contacts, 3), [N]."""
    force = np.zeros((data.ncon, 6))
    for i in range(data.ncon):
        mujoco.mj_contactForce(model, data, i, force[i])
    return force[:, [1, 2, 0]]


@each("seed", range(4))
@pytest.mark.parametrize("case", SETTINGS)
def test_forces_are_those_of_mujocos_solver(case, seed):
    settings = USUAL | SETTINGS[case]
    model, data = fallen(settings, seed)
    problem, weights = problem_of(model, data)
    assert data.ncon >= MANY
    law = law_of(settings, {f"body/{i}": weight for i, weight in enumerate(weights)})
    law.name_contacts([f"body/{i}" for i in range(data.ncon)])
    law.solve(problem, {})
    assert not problem.report.failed
    theirs = forces_of(model, data) * problem.dt
    np.testing.assert_allclose(
        problem.impulse.reshape(-1, 3), theirs, rtol=0.0, atol=1e-7 * np.abs(theirs).max()
    )


RADIUS = 1e-9
"""Of the spheres that stand for points in MuJoCo, [m]."""


class Twin:
    """MuJoCo's model of a simulator's robot: the same links, armature, points and friction.

    Limits, dry friction and damping are left out. A step is ``mj_step`` with Euler's integrator,
    in parts, so that contacts can be put where the simulator has them: at the point, not halfway
    between the surfaces.
    """

    def __init__(self, sim, robot, mu, cone):
        (body,) = sim.world.bodies
        source = footfall.load_robot(robot).source(robot, sim.world.topology.gravity)
        spec = mujoco.MjSpec.from_string(source.xml)
        option = spec.option
        option.timestep, option.gravity = sim.time_step, sim.world.topology.gravity
        option.integrator = mujoco.mjtIntegrator.mjINT_EULER
        option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
        option.cone = getattr(mujoco.mjtCone, f"mjCONE_{cone.upper()}")
        option.tolerance, option.iterations, option.ls_iterations = 1e-15, 200, 200
        root = spec.worldbody.first_body()
        self.floats = body.model.base == "floating"
        if self.floats:
            root.add_freejoint()
        for link in spec.bodies[1:]:
            if link.mass == 0.0:  # which MuJoCo refuses
                link.explicitinertial, link.mass, link.inertia = True, 1e-12, [1e-14] * 3
                link.ipos, link.fullinertia[:] = [0.0, 0.0, 0.0], np.nan
        joints = [spec.joint(name) for name in body.model.joint_names]
        for joint, armature in zip(joints, sim.world.joints.armature[-len(joints) :], strict=False):
            joint.limited = joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
            joint.armature, joint.frictionloss, joint.damping[0] = armature, 0.0, 0.0
        links = [root, *(joint.parent for joint in joints)]
        touches = {"condim": 3, "friction": [mu, 0.0, 0.0]}
        ground = {"size": [0.0, 0.0, 1.0], "pos": [0.0, 0.0, -RADIUS], "contype": 1}
        plane = mujoco.mjtGeom.mjGEOM_PLANE
        spec.worldbody.add_geom(type=plane, conaffinity=0, **ground, **touches)
        for feature in body.features:
            shape = {"size": [RADIUS, 0.0, 0.0], "pos": feature.position, "contype": 0}
            links[feature.link].add_geom(conaffinity=1, mass=0.0, **shape, **touches)
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.weights = self.model.body_invweight0[self.model.geom_bodyid[1:], 0]
        self.data.qpos[:], self.data.qvel[:] = sim.q, sim.v
        if self.floats:
            self.data.qpos[3:7] = sim.q[[6, 3, 4, 5]]
            self.data.qvel[:3] = self.turn() @ sim.v[:3]

    def turn(self):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, self.data.qpos[3:7])
        return R.reshape(3, 3)

    def step(self, tau):
        model, data = self.model, self.data
        data.qfrc_applied[model.nv - len(tau) :] = tau
        for stage in ("kinematics", "comPos", "makeM", "factorM", "collision"):
            getattr(mujoco, f"mj_{stage}")(model, data)
        for contact in data.contact:
            contact.pos[2] += 0.5 * contact.dist + RADIUS
        for stage in ("makeConstraint", "projectConstraint", "transmission", "fwdVelocity"):
            getattr(mujoco, f"mj_{stage}")(model, data)
        for stage in ("fwdActuation", "fwdAcceleration", "fwdConstraint", "Euler"):
            getattr(mujoco, f"mj_{stage}")(model, data)

    def state(self):
        """Return q and v as Footfall has them."""
        q, v = self.data.qpos.copy(), self.data.qvel.copy()
        if self.floats:
            q[3:7], v[:3] = q[[4, 5, 6, 3]], self.turn().T @ v[:3]
        return q, v


def farthest(scene, mu, overrides, torque=None, cone="elliptic", steps=200):
    """Run Footfall and MuJoCo from the same state; return the largest differences of q and v."""
    law = {"plugin": "mujoco_soft", "tolerance": 1e-13, "cone": cone}
    given = {f"contact.{key}": value for key, value in law.items()} | overrides
    weights = footfall.inverse_weights(footfall.load(scene, given))
    sim = footfall.load(scene, given | {"contact.inverse_weights": weights})
    sim.stepper.world.joints.damping[:] = 0.0
    twin = Twin(sim, scene.split("/")[0], mu, cone)
    np.testing.assert_allclose(list(weights.values()), twin.weights, rtol=1e-9)
    away, touched = np.zeros(2), 0
    none = np.zeros(sim.world.nv - (6 if twin.floats else 0))
    for k in range(steps):
        tau = None if torque is None else torque(k)
        twin.step(none if tau is None else tau)
        sim.step(tau)
        touched += twin.data.ncon > 0
        q, v = twin.state()
        away = np.maximum(away, [np.abs(q - sim.q).max(), np.abs(v - sim.v).max()])
    assert touched > steps // 4
    return away


CUBE = {"bodies.cube.base_position": [0.0, 0.0, 0.0499]}


@pytest.mark.parametrize("cone", first("elliptic", "pyramidal"))
@each("velocity", [(0.03, 0.0, 0.0), (0.3, 0.1, -1.0)])
def test_a_cube_that_slides_or_lands_follows_mujoco(cone, velocity):
    """It is on the ground all the while: Footfall's flights are of second order, MuJoCo's not."""
    given = CUBE | {"bodies.cube.base_linear_velocity": list(velocity)}
    assert (farthest("cube/sliding", 0.5, given, cone=cone) < [1e-9, 1e-6]).all()


BOX = "bodies.planar_box."
DROPS = {
    "falls_and_tumbles": ({"planar_z": 0.1, "planar_pitch": 0.3}, {"planar_x": 2.0}),
    "lands": ({"planar_z": 0.08, "planar_pitch": 0.1}, {"planar_x": 1.0, "planar_z": -1.0}),
    "slides_and_tips": ({"planar_z": 0.0499}, {"planar_x": 2.0}),
}


@pytest.mark.parametrize("case", DROPS)
def test_a_box_on_slides_that_drops_follows_mujoco(case):
    """Its base is held by joints, which fly in both as the integrator says."""
    positions, velocities = DROPS[case]
    given = {
        "simulation.time_step": 1e-3,
        BOX + "base_position": [0.0, 0.0, 0.0],
        BOX + "joint_positions": positions,
        BOX + "joint_velocities": velocities,
    }
    assert (farthest("planar_box/drop", 0.3, given) < [1e-8, 1e-6]).all()


@each("robot, mu, most", [("icub", 0.6, (1e-6, 1e-6)), ("humanoid", 0.6, (1e-6, 1e-5))])
def test_a_robot_under_given_torques_follows_mujoco(robot, mu, most):
    """All of its joints driven, on eight points, without damping, which MuJoCo adds otherwise."""
    scene = f"{robot}/standing"
    standing = footfall.load(scene)
    for _ in range(300):
        standing.step()
    held = standing.signal("tau")[6:].copy()
    given = {
        f"bodies.{robot}.controller": {"plugin": "zero"},
        f"bodies.{robot}.base_position": [0.0, 0.0, float(standing.q[2]) - 1e-3],
    }

    def torque(k):
        return held + 0.1 * np.sin(0.02 * k + np.arange(len(held)))

    assert (farthest(scene, mu, given, torque) < most).all()


def test_the_closed_form_of_the_depth_at_rest_is_what_a_cube_sinks_to():
    """On four points whose inverse weight is that of the cube, 1/kg: A f = g / 4."""
    given = CUBE | {"contact.plugin": "mujoco_soft", "contact.inverse_weight": 1.0}
    given |= {"bodies.cube.base_linear_velocity": [0.0, 0.0, 0.0]}
    sim = footfall.load("cube/sliding", given)
    for _ in range(1000):
        sim.step()
    law = MuJoCoSoft(MuJoCoSoftConfig(inverse_weight=1.0))
    depth = law.rest_depth(9.81 / 4.0)
    assert depth == pytest.approx(rest_depth(9.81 / 4.0, law._solref, law._solimp))
    assert 0.05 - sim.q[2] == pytest.approx(depth, rel=1e-6)


BAD = {
    "solref": ([0.02, -1.0], "time constant"),
    "solimp": ([0.9, 1.5, 0.001, 0.5, 2.0], "between 0 and 1"),
    "impratio": (0.0, "must be > 0"),
    "inverse_weights": ({"cube/cube/9": 1.0}, "no contact is named"),
    "cone": ("square", "elliptic"),
}


@pytest.mark.parametrize("key", BAD)
def test_settings_that_make_no_sense_are_refused_by_their_key(key):
    value, told = BAD[key]
    given = {"contact.plugin": "mujoco_soft", f"contact.{key}": value}
    with pytest.raises(SceneError, match=told):
        footfall.load("cube/sliding", given)
