"""The simulator ``mujoco``: one ``mj_step`` per step."""

from __future__ import annotations

from collections.abc import Iterator
from time import process_time
from typing import Any

import mujoco
import numpy as np

from footfall.api.contact import BlockKind, ContactProblem, LawState
from footfall.api.plugin import Floats, StatePart
from footfall_simulators.backend import SimulatorSteps
from footfall_simulators.mujoco.found import Contacts
from footfall_simulators.mujoco.model import translate
from footfall_simulators.mujoco.settings import MujocoConfig
from footfall_simulators.refusals import has_heights, refuse, rims_of, tell
from footfall_simulators.skeleton import first_of_rim, nearest_of_rim
from footfall_stepper.api import Assembly, GuestSimulator

WARM_START = "qacc_warmstart"
LIMIT, FRICTION = (
    mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT,
    mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF,
)


class MujocoSteps(SimulatorSteps):
    """The steps of a world with MuJoCo.

    Only positions, velocities and the accelerations of MuJoCo's warm start, which are part of the
    state, pass from step to step, so a run restores bit for bit. Each step takes its coefficients
    of friction from the problem.

    Attributes:
        model: MuJoCo's model.
        data: MuJoCo's data.
        translation: correspondence of MuJoCo's model and the world.
        detector: detector of contacts between shapes; None without detection.
    """

    name = "mujoco"
    state_parts = (StatePart(WARM_START, "dof"),)
    detector: Contacts | None

    def __init__(self, made: Assembly, config: MujocoConfig) -> None:
        super().__init__(made)
        self.config = config
        self.translation = translate(made, config)
        self.model, self.data = self.translation.model, mujoco.MjData(self.translation.model)
        collider = made.world.collider
        self.detector = (
            None if collider is None else Contacts(self.translation, self.data, collider)
        )
        self._force = np.zeros(6)
        pairs = self.translation.declared
        self._of_contact = [np.flatnonzero(pairs == c) for c in range(made.world.n_contacts)]

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """The simulator that makes the steps, and its settings."""
        config = self.config
        chosen = f"{config.integrator}, {config.solver}, {config.cone} cones"
        return (("simulator", f"MuJoCo {mujoco.__version__}: {chosen}"),)

    def step(self, problem: ContactProblem, state: LawState) -> None:
        """Make a step.

        Raises:
            RuntimeError: with MuJoCo's warning, e.g. that it has no memory for all contacts.
        """
        model, data, warm = self.model, self.data, state[WARM_START][:, 0]
        self._set(problem)
        data.qacc_warmstart[:] = warm
        start = process_time()
        _step(model, data)
        self.inside = process_time() - start
        warm[:] = data.qacc_warmstart
        here = self.translation
        self.q[here.q], self.v[here.v] = data.qpos, data.qvel
        self.take()
        self._answer(problem)
        problem.write_offset()
        islands = max(1, int(data.nisland))
        problem.report.write(iterations=float(data.solver_niter[:islands].max()))

    def _set(self, problem: ContactProblem) -> None:
        """Write state, forces, damping and friction."""
        model, data, here = self.model, self.data, self.translation
        data.qpos[:] = self._q[here.q]
        v, force, damping = self.given()
        data.qvel[:], data.qfrc_applied[:] = v[here.v], force[here.v]
        model.dof_damping[:] = damping[here.v]
        declared, candidates = self._world.n_contacts, self._world.candidates
        for b, c in enumerate(problem.candidate.tolist()):
            friction = _friction(problem, b)
            if 0 <= c < declared:
                model.pair_friction[self._of_contact[first_of_rim(candidates, c)]] = friction
            elif c >= declared and self.detector is not None:
                model.pair_friction[self.detector.found.arrays.tag[c - declared]] = friction

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
            force, moment = self._force.reshape(2, 3) @ contact.frame[i].reshape(3, 3)
            c = int(here.declared[pair[i]])
            on_second = contact.geom[i, 0] == here.first[pair[i]]
            if c < 0:
                c = declared + place[i]
                sign = 1.0 if on_second else -1.0
            else:
                c = nearest_of_rim(self._world.candidates, c, contact.pos[i])
                sign = -1.0 if on_second else 1.0
            if c in blocks:
                b = blocks[c]
                push = sign * problem.dt * (problem.frame[b] @ force)
                problem.impulse[3 * b : 3 * b + 3] += push
                if (m := _moments(problem, b)) >= 0:
                    problem.impulse[problem.row[m] : problem.row[m] + 3] += (
                        sign * problem.dt * _per_length(problem.frame[m], moment)
                    )

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


def _moments(problem: ContactProblem, b: int) -> int:
    """Return the block of the moments of a contact's friction, -1 if it has none."""
    return int(problem.arrays.moments[b]) if len(problem.arrays.moments) else -1


def _friction(problem: ContactProblem, b: int) -> Floats:
    """Return MuJoCo's coefficients of a contact: sliding twice [-], spin, rolling twice [m]."""
    mu, found = problem.mu[b], np.zeros(5)
    found[:2] = mu
    if (m := _moments(problem, b)) >= 0:
        roll, _, spin = mu * np.linalg.norm(problem.frame[m], axis=1)
        found[2:] = spin, roll, roll
    return found


def _per_length(frame: Floats, moment: Floats) -> Floats:
    """Return a moment in rows that are rotation times a length, [N]."""
    squares = np.einsum("ij,ij->i", frame, frame)
    found = np.zeros(3)
    np.divide(frame @ moment, squares, out=found, where=squares > 0.0)
    return found


SAME = 1e-9
"""Difference up to which two distances belong to the same limit, [rad or m]."""


def _step(model: Any, data: Any) -> None:
    """Make a step; raise MuJoCo's warnings, which it would write to its own file."""
    warned: list[str] = []
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(warned.append)
    try:
        mujoco.mj_step(model, data)
    finally:
        mujoco.set_mju_user_warning(before)
    if warned:
        raise RuntimeError(f"MuJoCo: {warned[0]}")


class Mujoco(GuestSimulator):
    """MuJoCo's ``mj_step`` computes the steps, with the same joints, contacts and drives."""

    name = "mujoco"
    Config = MujocoConfig

    config: MujocoConfig

    def guest(self, made: Assembly) -> MujocoSteps:
        """Translate a scene.

        Raises:
            SceneError: for the first key that MuJoCo's step does not support.
        """
        refuse(made, self.name)
        steps = MujocoSteps(made, self.config)
        tell(made, self.name, _told(made))
        return steps


def _told(made: Assembly) -> Iterator[str]:
    if rims := rims_of(made):
        yield f"{rims} rims become flat cylinders, which touch in up to four points"
    if has_heights(made):
        yield "the heights of the ground end at the border of their grid, and have single precision"
