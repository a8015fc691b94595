"""The backend ``mujoco``: one ``mj_step`` a step."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from footfall import Assembly
from footfall.api.backend import Backend, BackendSteps
from footfall.api.contact import BlockKind, ContactProblem, LawState
from footfall.api.plugin import Floats, PluginConfig, StatePart
from footfall_mujoco.found import Contacts
from footfall_mujoco.model import translate
from footfall_mujoco.refusals import refuse, tell
from footfall_mujoco.settings import MujocoConfig

MARGIN = 1e-3
"""Gap up to which declared points enter the problem, [m]: MuJoCo's ground may be a little higher
than Footfall's where it is not a plane."""
WARM_START = "qacc_warmstart"
LIMIT, FRICTION = (
    mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT,
    mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF,
)


class MujocoSteps(BackendSteps):
    """A world as MuJoCo steps it.

    Positions and velocities go in and come out in each step, the accelerations of its warm start
    are part of the state: nothing else survives a step, and a run restores bit for bit. Torques,
    what gains ask for at the start of the step, and external forces are ``qfrc_applied``; gains
    act implicitly, as in Footfall's own step: ``D + K_d + dt K`` is the damping of a joint, which
    MuJoCo's integrators take at the end of the step. Coefficients of friction are those of the
    problem, in each step anew.

    Attributes:
        model: MuJoCo's.
        data: MuJoCo's.
        translation: where what is in MuJoCo's model is in the world.
        detector: its contacts between shapes, None where nothing looks for any.
    """

    name = "mujoco"
    state_parts = (StatePart(WARM_START, "dof"),)

    def __init__(self, made: Assembly, config: MujocoConfig) -> None:
        self.config, self._world = config, made.world
        self.translation = translate(made, config)
        self.model, self.data = self.translation.model, mujoco.MjData(self.translation.model)
        collider = made.world.collider
        self.detector = (
            None if collider is None else Contacts(self.translation, self.data, collider)
        )
        self.q, self.v = np.zeros(made.world.nq), np.zeros(made.world.nv)
        self.v_new = np.zeros(made.world.nv)
        self._dt = made.scene.simulation.part
        self._force = np.zeros(6)
        self._sort_dofs()

    def _sort_dofs(self) -> None:
        """Note which dofs are whose: linear ones of floating bases, joints and their positions."""
        topology = self._world.topology
        floats = np.flatnonzero(topology.floating)
        self._linear = topology.tree_v[floats][:, None] + np.arange(3)
        self._turn = topology.tree_q[floats][:, None] + 3 + np.arange(4)
        self._joint = np.flatnonzero(topology.dof_q >= 0)
        self._pair_of = {int(c): k for k, c in enumerate(self.translation.declared) if c >= 0}
        several = len(self._pair_of) < int((self.translation.declared >= 0).sum())
        self._of_contact: list[Any] = [
            np.flatnonzero(self.translation.declared == c) if several else self._pair_of.get(c, ())
            for c in range(self._world.n_contacts)
        ]

    @property
    def margin(self) -> float:
        """Gap up to which a declared point enters the problem, [m]."""
        return MARGIN

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """What makes the steps."""
        config = self.config
        chosen = f"{config.integrator}, {config.solver}, {config.cone} cones"
        return (("backend", f"MuJoCo {mujoco.__version__}: {chosen}"),)

    def connect(self, q: Floats, v: Floats) -> None:
        """Learn where the state is."""
        self._q, self._v = q, v
        if self.detector is not None:
            self.detector.connect(q)

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Make a step.

        Raises:
            RuntimeError: with what MuJoCo warns of, e.g. that it has no room for what touches.
        """
        model, data, warm = self.model, self.data, state[WARM_START][:, 0]
        self._set(problem)
        data.qacc_warmstart[:] = warm
        _step(model, data)
        warm[:] = data.qacc_warmstart
        self._take()
        self._answer(problem)
        problem.write_offset()
        islands = max(1, int(data.nisland))
        problem.report.write(iterations=float(data.solver_niter[:islands].max()))

    def _set(self, problem: ContactProblem) -> None:
        """Write state, forces, damping and friction."""
        model, data, here, joints = self.model, self.data, self.translation, self._world.joints
        data.qpos[:] = self._q[here.q]
        v, force = self._v.copy(), joints.tau + joints.external
        at, j = self._joint, self._world.topology.dof_q[self._joint]
        stiffness, gain = joints.stiffness[at], joints.rate_gain[at]
        force[at] -= stiffness * (self._q[j] - joints.target[at]) - gain * joints.target_rate[at]
        if len(self._linear):
            R = rotations(self._q[self._turn])
            for each in v, force:
                each[self._linear] = np.einsum("nij,nj->ni", R, each[self._linear])
        data.qvel[:], data.qfrc_applied[:] = v[here.v], force[here.v]
        damping = joints.damping + joints.rate_gain + self._dt * joints.stiffness
        model.dof_damping[:] = damping[here.v]
        declared, mu = self._world.n_contacts, problem.mu
        for b, c in enumerate(problem.candidate.tolist()):
            if 0 <= c < declared:
                model.pair_friction[self._of_contact[self._first(c)], :2] = mu[b]
            elif c >= declared and self.detector is not None:
                model.pair_friction[self.detector.found.arrays.tag[c - declared], :2] = mu[b]

    def _first(self, c: int) -> int:
        """Return the declared contact that has the geom: of points of a rim its first."""
        candidates = self._world.candidates
        if int(candidates.kind[c]) < 2:
            return c
        turns = round(float(candidates.phase[c]) * 3.0 / (2.0 * np.pi))
        return c - turns

    def _take(self) -> None:
        """Read the state at the end of the step."""
        here = self.translation
        self.q[here.q], self.v[here.v] = self.data.qpos, self.data.qvel
        self.v_new[:] = self.v
        if len(self._linear):
            for q, v in (self._q, self.v_new), (self.q, self.v):
                R = rotations(q[self._turn])
                v[self._linear] = np.einsum("nji,nj->ni", R, v[self._linear])

    def _answer(self, problem: ContactProblem) -> None:
        """Write the impulses of contacts, and of limits and friction of joints."""
        problem.impulse[:] = 0.0
        blocks = {int(c): b for b, c in enumerate(problem.candidate) if c >= 0}
        if self.data.ncon:
            self._contacts(problem, blocks)
        rows = self._world.joint_rows
        if len(rows.kind):
            self._joint_rows(problem)

    def _contacts(self, problem: ContactProblem, blocks: dict[int, int]) -> None:
        contact, here, declared = self.data.contact, self.translation, self._world.n_contacts
        pair = here.pair[contact.geom[:, 0], contact.geom[:, 1]]
        place: dict[int, int] = {}
        if self.detector is not None:
            at, keys = self.detector.keys()
            known = self.detector.found.arrays.key[: self.detector.found.n]
            place = dict(zip(at.tolist(), np.searchsorted(known, keys).tolist(), strict=True))
        for i in np.flatnonzero(contact.efc_address >= 0).tolist():
            mujoco.mj_contactForce(self.model, self.data, i, self._force)
            force = self._force[:3] @ contact.frame[i].reshape(3, 3)
            c = int(here.declared[pair[i]])
            on_second = contact.geom[i, 0] == here.first[pair[i]]
            if c < 0:
                c = declared + place[i]
                force = force if on_second else -force
            else:
                c = self._nearest(c, contact.pos[i])
                force = -force if on_second else force
            if c in blocks:
                b = blocks[c]
                problem.impulse[3 * b : 3 * b + 3] += problem.dt * (problem.frame[b] @ force)

    def _nearest(self, c: int, position: Floats) -> int:
        """Return the point of a rim that is nearest to where MuJoCo's contact is."""
        candidates = self._world.candidates
        if int(candidates.kind[c]) < 2:
            return c
        away = candidates.position[c : c + 3] - position
        return c + int(np.argmin(np.einsum("ni,ni->n", away, away)))

    def _joint_rows(self, problem: ContactProblem) -> None:
        """Write the impulse of each row of a joint: that of MuJoCo's row with its limit."""
        data, rows, n = self.data, self._world.joint_rows, self.data.nefc
        kinds, ids, force, away = (
            array[:n] for array in (data.efc_type, data.efc_id, data.efc_force, data.efc_pos)
        )
        acting: dict[tuple[int, int], list[tuple[float, float]]] = {}
        for k in np.flatnonzero((kinds == LIMIT) | (kinds == FRICTION)).tolist():
            dof = int(ids[k]) if kinds[k] == FRICTION else int(self.model.jnt_dofadr[ids[k]])
            kind = int(BlockKind.BOX if kinds[k] == FRICTION else BlockKind.UNILATERAL)
            found = acting.setdefault((int(self.translation.v[dof]), kind), [])
            found.append((float(away[k]), float(force[k])))
        sides, row = self._world.sides, problem.row
        for b in np.flatnonzero(problem.kind < BlockKind.CONE).tolist():
            j = int(sides.joint[b])
            for gap, size in acting.get((int(rows.dof[j]), int(rows.kind[j])), ()):
                if rows.kind[j] == BlockKind.BOX or abs(gap - problem.gap[b]) < SAME:
                    problem.impulse[row[b]] = problem.dt * size


SAME = 1e-9
"""Distances to a limit that are the same one's, [rad or m]."""


def _step(model: Any, data: Any) -> None:
    """Make a step; raise what MuJoCo warns of, which it would write to a file of its own."""
    warned: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(warned.append)
    try:
        mujoco.mj_step(model, data)
    finally:
        mujoco.set_mju_user_warning(before)
    if warned:
        raise RuntimeError(f"MuJoCo: {warned[0]}")


def rotations(q: Floats) -> Floats:
    """Return the rotations, shape (n, 3, 3), of quaternions x y z w, shape (n, 4)."""
    x, y, z, w = q.T
    R = np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
    turned: Floats = np.moveaxis(R, 2, 0)
    return turned


class Mujoco(Backend):
    """MuJoCo makes the steps."""

    name = "mujoco"
    Config = MujocoConfig

    def __init__(self, config: PluginConfig) -> None:
        assert isinstance(config, MujocoConfig)
        self.config = config

    def build(self, made: Assembly) -> MujocoSteps:
        """Translate a scene.

        Raises:
            SceneError: for what MuJoCo's step has no place for, by its key.
        """
        refuse(made)
        steps = MujocoSteps(made, self.config)
        tell(made)
        return steps
