"""A twin of a scene in MuJoCo: the model of the simulator ``mujoco``, with the gains in it.

Links, joints, contacts, friction and time step are those of the simulator ``mujoco``. The gains
are springs and dampers of the joints, so that ``mj_step`` alone makes a step. The solver has its
default settings except for a dense Jacobian, the fastest setting found (the integrator ``Euler``
costs the same). MuJoCo 4.0.0's Newton solver is wrong with a sparse Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from footfall import assemble, discover, stored_scene
from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator, pair_coefficient, stepped

SETTINGS = {"plugin": "mujoco", "integrator": "implicitfast", "jacobian": "dense"}
"""The simulator of the twin."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A MuJoCo model and its data.

    Attributes:
        model: MuJoCo's model.
        data: MuJoCo's data.
        here: the simulator's correspondence of the model and the world.
    """

    model: Any
    data: Any
    here: Any

    def burst(self, count: int) -> None:
        """Make so many steps, one call each, as a Python program does."""
        model, data, step = self.model, self.data, mujoco.mj_step
        for _ in range(count):
            step(model, data)

    def burst_at_once(self, count: int) -> None:
        """Make so many steps in one call."""
        mujoco.mj_step(self.model, self.data, count)

    def push(self, forces: Floats, count: int) -> None:
        """Make so many steps, each with forces of the velocities, shape (count, nv)."""
        model, data, step = self.model, self.data, mujoco.mj_step
        for k in range(count):
            data.qfrc_applied[:] = forces[k]
            step(model, data)

    def restart(self, q: Floats) -> None:
        """Start at Footfall's positions, at rest, without gains: only dampers and forces act."""
        self.model.jnt_stiffness[:] = 0.0
        mujoco.mj_resetData(self.model, self.data)
        place(self, q)

    def state(self) -> tuple[Floats, Floats]:
        """Return positions and velocities in Footfall's order and axes; the base floats."""
        q, v, R = np.zeros(self.model.nq), np.zeros(self.model.nv), np.zeros(9)
        q[self.here.q], v[self.here.v] = self.data.qpos, self.data.qvel
        mujoco.mju_quat2Mat(R, q[[6, 3, 4, 5]])
        v[:3] = v[:3] @ R.reshape(3, 3)
        return q, v


def make_twin(sim: StepperSimulator) -> Twin:
    """Build the twin of a simulator whose robots hold a posture by gains, on points alone."""
    sim.step()  # the controller sends its gains
    registry = sim.provenance.registry or discover()
    scene = stored_scene(sim.provenance.resolved, registry, trust=True, simulator=SETTINGS)
    guest: Any = stepped(assemble(scene, registry)).stepper.guest
    model, here, joints = guest.model, guest.translation, sim.world.joints
    turning = sim.world.topology.dof_q[here.v[model.jnt_dofadr]] >= 0
    dofs, at = here.v[model.jnt_dofadr[turning]], model.jnt_qposadr[turning]
    model.jnt_stiffness[turning] = joints.stiffness[dofs]
    model.qpos_spring[at] = joints.target[dofs]
    model.dof_damping[:] = (joints.damping + joints.rate_gain)[here.v]
    sides = sim.world.candidates.friction, sim.world.ground.friction
    mu = np.array([*map(pair_coefficient, *sides, sim.world.candidates.pair_friction)])
    model.pair_friction[:, :2] = mu[here.declared, None]
    twin = Twin(model, mujoco.MjData(model), here)
    place(twin, sim.q)
    return twin


def place(twin: Twin, q: Floats) -> None:
    """Set the twin to Footfall's positions."""
    twin.data.qpos[:] = q[twin.here.q]
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
    place(Twin(twin.model, data, twin.here), q)
    theirs, column = np.zeros_like(ours), np.zeros(sim.world.nv)
    for k, unit in enumerate(np.eye(sim.world.nv)):
        mujoco.mj_mulM(twin.model, data, column, unit)
        theirs[twin.here.v, twin.here.v[k]] = column
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
