"""A twin of the robot in MuJoCo: same links, points, gains, friction and time step.

The contact points are spheres of 0.1 mm around them, against a plane 0.1 mm lower. Nothing else
collides. The posture's gains are joint springs and dampers. The solver has its default settings
except for a dense Jacobian, the fastest setting found (position actuators cost 1 us more, the
integrator ``Euler`` costs the same). MuJoCo 4.0.0's Newton solver is wrong with a sparse Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco
import numpy as np

from footfall import load_robot

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


RADIUS = 1e-4
"""Radius of the spheres that stand for points, [m]."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A MuJoCo model and its data."""

    model: Any
    data: Any

    def burst(self, count: int) -> None:
        """Make so many steps, one call each, as a Python program does."""
        model, data, step = self.model, self.data, mujoco.mj_step
        for _ in range(count):
            step(model, data)

    def burst_at_once(self, count: int) -> None:
        """Make so many steps in one call."""
        mujoco.mj_step(self.model, self.data, count)


def make_twin(sim: StepperSimulator, robot: str) -> Twin:
    """Build the twin of a simulator of one robot that holds a posture.

    Its base is fixed, or floats above a level plane.
    """
    sim.step()  # the controller sends its gains
    world = sim.world
    (body,) = world.bodies
    source = load_robot(robot).source(robot, world.topology.gravity)
    spec = mujoco.MjSpec.from_string(source.xml)
    spec.option.timestep = sim.time_step
    spec.option.gravity = world.topology.gravity
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    root = spec.worldbody.first_body()
    floats = body.model.base == "floating"
    if floats:
        root.add_freejoint()
    joints = [spec.joint(name) for name in body.model.joint_names]
    for joint, dof in zip(joints, range(6 if floats else 0, world.nv), strict=True):
        _drive(joint, world.joints, dof)
    if body.features:
        add_points(spec, sim, [root, *(joint.parent for joint in joints)])
    model = spec.compile()
    twin = Twin(model, mujoco.MjData(model))
    place(twin, sim.q)
    return twin


def _drive(joint: Any, joints: Any, dof: int) -> None:
    joint.limited = joint.actfrclimited = mujoco.mjtLimited.mjLIMITED_FALSE
    joint.frictionloss = 0.0
    joint.armature = joints.armature[dof]
    joint.stiffness[0] = joints.stiffness[dof]
    joint.springref = joints.target[dof]
    joint.damping[0] = joints.damping[dof] + joints.rate_gain[dof]


def add_points(spec: Any, sim: StepperSimulator, links: list[Any]) -> None:
    """Add a plane, and a sphere for each contact point of the simulator's robot.

    Args:
        spec: specification of the MuJoCo model.
        sim: simulator of one robot.
        links: MuJoCo's bodies in the order of the robot's links.
    """
    mu = float(sim.world.ground.friction[0])
    spec.worldbody.add_geom(
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 1.0],
        pos=[0.0, 0.0, -RADIUS],
        contype=1,
        conaffinity=0,
        condim=3,
        friction=[mu, 0.0, 0.0],
    )
    for feature in sim.world.bodies[0].features:
        links[feature.link].add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[RADIUS, 0.0, 0.0],
            pos=feature.position,
            contype=0,
            conaffinity=1,
            condim=3,
            friction=[mu, 0.0, 0.0],
            mass=0.0,
        )


def place(twin: Twin, q: Any) -> None:
    """Set the twin to Footfall's positions (quaternion x y z w there, w x y z here)."""
    twin.data.qpos[:] = q
    if twin.model.nq > twin.model.nv:
        twin.data.qpos[3:7] = q[[6, 3, 4, 5]]
    mujoco.mj_forward(twin.model, twin.data)


def inertia_difference(twin: Twin, sim: StepperSimulator, q: Any) -> float:
    """Return the largest ``|dM_ij| / sqrt(M_ii M_jj)`` of the joint-space inertias at q.

    MuJoCo's base velocity is linear in world axes: ``M = T' M_mujoco T`` with T = blockdiag(R, 1).
    """
    (body,) = sim.world.bodies
    assert body.tree is not None
    body.tree.evaluate(q, np.zeros(sim.world.nv))
    ours = body.tree.M + np.diag(sim.world.joints.armature)
    data = mujoco.MjData(twin.model)
    place(Twin(twin.model, data), q)
    theirs, column = np.zeros_like(ours), np.zeros(sim.world.nv)
    for k, unit in enumerate(np.eye(sim.world.nv)):
        mujoco.mj_mulM(twin.model, data, column, unit)
        theirs[:, k] = column
    T, R = np.eye(sim.world.nv), np.zeros(9)
    if len(q) > sim.world.nv:
        mujoco.mju_quat2Mat(R, q[[6, 3, 4, 5]])
        T[:3, :3] = R.reshape(3, 3)
    scale = np.sqrt(np.diag(ours))
    return float((abs(T.T @ theirs @ T - ours) / np.outer(scale, scale)).max())


def require_same_robot(twin: Twin, sim: StepperSimulator) -> None:
    """Check that both robots have the same mass, and inertia at three random postures."""
    mass = float(twin.model.body_mass.sum())
    if abs(mass - sim.world.mass) > 1e-9 * mass:
        raise AssertionError(f"mass {mass} kg in MuJoCo, {sim.world.mass} kg in Footfall")
    rng = np.random.default_rng(0)
    for _ in range(3):
        q = sim.q + rng.uniform(-0.5, 0.5, sim.world.nq)
        if len(q) > sim.world.nv:
            q[3:7] /= np.linalg.norm(q[3:7])
        difference = inertia_difference(twin, sim, q)
        if difference > 1e-9:
            raise AssertionError(f"joint-space inertias differ by {difference:.1e}")


def require_standing(twin: Twin, sim: StepperSimulator) -> None:
    """Check that the robot stands: base within 5 mm of ours, at most one point up."""
    points = len(sim.world.contact_names)
    if points == 0:
        return
    height = float(twin.data.qpos[2])
    if abs(height - sim.q[2]) > 5e-3:
        raise AssertionError(f"base at {height:.4f} m in MuJoCo, {sim.q[2]:.4f} m in Footfall")
    # In MuJoCo the humanoid sways on its soft contacts: after 20,000 steps, one of its 8 points
    # (0.1 to 0.8 mm deep) leaves the ground now and then.
    if twin.data.ncon < points - 1 or not (sim.signal("contact_force")[:, 2] > 0.0).all():
        raise AssertionError(f"{twin.data.ncon} of {points} points touch in MuJoCo")
