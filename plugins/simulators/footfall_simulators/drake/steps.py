"""The simulator ``drake``: one discrete update of a ``MultibodyPlant`` per step."""

from __future__ import annotations

from importlib.metadata import version
from time import process_time
from typing import Any

import numpy as np
from pydrake.geometry import RoleAssign
from pydrake.multibody.plant import CoulombFriction
from pydrake.multibody.tree import default_model_instance

from footfall.api.contact import BlockKind, ContactProblem, LawState
from footfall.api.plugin import Floats
from footfall_simulators.backend import SimulatorSteps
from footfall_simulators.drake.found import Contacts, spread
from footfall_simulators.drake.friction import SAME, mean, of_geometries
from footfall_simulators.drake.model import quiet, translate
from footfall_simulators.drake.settings import DrakeConfig
from footfall_simulators.refusals import refused
from footfall_simulators.skeleton import first_of_rim, nearest_of_rim
from footfall_stepper.api import Assembly


class DrakeSteps(SimulatorSteps):
    """The steps of a world with Drake.

    Only positions and velocities pass from step to step, so a run restores bit for bit. Each step
    takes its coefficients of friction from the problem.

    Attributes:
        translation: Drake's plant, and its correspondence to the world.
        context: context of the plant.
        detector: detector of contacts between shapes; None without detection.
    """

    name = "drake"
    TURNED = 6
    detector: Contacts | None

    def __init__(self, made: Assembly, config: DrakeConfig) -> None:
        super().__init__(made)
        self.config = config
        self.translation, self._diagram = translate(made, config)
        here = self.translation
        with quiet():
            self._root = self._diagram.CreateDefaultContext()
        self.context = here.plant.GetMyMutableContextFromRoot(self._root)
        self._of_graph = here.graph.GetMyMutableContextFromRoot(self._root)
        applied = here.plant.get_applied_generalized_force_input_port()
        self._applied = applied.FixValue(self.context, np.zeros(made.world.nv))
        self._results = here.plant.get_contact_results_output_port()
        self._contact = here.plant.get_generalized_contact_forces_output_port(
            default_model_instance()
        )
        collider = made.world.collider
        self.detector = (
            None if collider is None else Contacts(here, self.context, collider, config.surfaces)
        )
        self._mu = dict.fromkeys(here.geometry, 0.0)
        self._of_pairs: dict[tuple[int, int], float] = {}
        self._damped = np.zeros(made.world.nv)
        if collider is not None:
            self._rub_shapes(made)
        rows = made.world.joint_rows
        self._rubs = np.flatnonzero(rows.kind == BlockKind.BOX)

    def _rub_shapes(self, made: Assembly) -> None:
        """Compute friction of shapes whose harmonic means equal those of the pairs."""
        here, collider = self.translation, made.world.collider
        assert collider is not None
        shape_of = {shape.number: shape for shape in collider.shapes}
        for (a, _), touching in here.pairs.items():
            if touching.declared < 0 and a == touching.first:
                mu = collider.friction(*(shape_of[number] for number in touching.numbers))
                self._of_pairs[touching.first, touching.second] = mu
        if not self._rub_pairs():
            why = "does not support pair friction that is no harmonic mean of two shapes' own"
            raise refused(made, self.name, why, ("pairs",), ("footfall", "mujoco"))

    def _rub_pairs(self) -> bool:
        """Assign friction to shapes; return whether it can give all pairs theirs."""
        found = of_geometries(self._of_pairs) if self._of_pairs else {}
        for number, mu in (found or {}).items():
            self._assign(number, mu)
        return found is not None

    def _assign(self, number: int, mu: float) -> None:
        """Give a geometry a coefficient of friction."""
        if self._mu[number] == mu:
            return
        here, identifier = self.translation, self.translation.geometry[number]
        properties = here.graph.model_inspector().GetProximityProperties(identifier)
        properties = type(properties)(properties)
        properties.UpdateProperty("material", "coulomb_friction", CoulombFriction(mu, mu))
        given = here.plant.get_source_id(), identifier, properties, RoleAssign.kReplace
        here.graph.AssignRole(self._of_graph, *given)
        self._mu[number] = mu

    @property
    def figures(self) -> tuple[tuple[str, str], ...]:
        """The simulator that makes the steps, and its settings."""
        config = self.config
        chosen = f"{config.contact_model}, {config.discrete_contact_approximation}"
        return (("simulator", f"Drake {version('drake')}: {chosen}"),)

    def step(self, problem: ContactProblem, state: LawState) -> None:
        """Make a step.

        Raises:
            RuntimeError: with Drake's message, e.g. that its solver found no answer.
        """
        here, plant, context = self.translation, self.translation.plant, self.context
        v, force, damping = self.given()
        rubbing = self._rubbing(v)
        damping += rubbing
        self._rub(problem)
        plant.SetPositions(context, self._q[here.q])
        plant.SetVelocities(context, v[here.v])
        self._applied.GetMutableData().get_mutable_value().SetFromVector(force[here.v])
        for joint, dof in here.joints:
            if damping[dof] != self._damped[dof]:
                joint.SetDamping(context, float(damping[dof]))
        self._damped[:] = damping
        start = process_time()
        x = plant.EvalUniquePeriodicDiscreteUpdate(context).get_value()
        self.inside = process_time() - start
        self.q[here.q], self.v[here.v] = x[: len(here.q)], x[len(here.q) :]
        self._normalise()
        problem.impulse[:] = 0.0
        self._contacts(problem)
        if len(self._world.joint_rows.kind):
            self._joint_rows(problem, v, force, damping, rubbing)
        self.take()
        problem.write_offset()

    def _normalise(self) -> None:
        """Normalise quaternions; Drake's step does not."""
        if self._quaternion.size:
            quaternion = self.q[self._quaternion]
            self.q[self._quaternion] = quaternion / np.linalg.norm(quaternion, axis=1)[:, None]

    def _rubbing(self, v: Floats) -> Floats:
        """Return the damping that stands for Coulomb friction in joints, (nv,)."""
        rows, damping = self._world.joint_rows, np.zeros(len(v))
        dofs = rows.dof[self._rubs]
        slow = self.config.joint_stiction
        damping[dofs] = rows.value[self._rubs] / np.maximum(np.abs(v[dofs]), slow)
        return damping

    def _rub(self, problem: ContactProblem) -> None:
        """Take over the problem's coefficients of friction.

        Raises:
            RuntimeError: if those of shapes are not harmonic means.
        """
        here, declared, changed = self.translation, self._world.n_contacts, False
        for c, mu in zip(problem.candidate.tolist(), problem.mu.tolist(), strict=True):
            if 0 <= c < declared:
                self._assign(here.point[first_of_rim(self._world.candidates, c)], 0.5 * mu)
            elif c >= declared and self.detector is not None:
                tag = int(self.detector.found.arrays.tag[c - declared])
                touching = self.detector.points[tag].touching
                pair = touching.first, touching.second
                if abs(mean(self._mu[pair[0]], self._mu[pair[1]]) - mu) > SAME * (1.0 + mu):
                    self._of_pairs[pair], changed = mu, True
        if changed and not self._rub_pairs():
            raise RuntimeError("friction of these pairs is not the harmonic mean that Drake needs")

    def _contacts(self, problem: ContactProblem) -> None:
        """Write the impulses of contacts."""
        results = self._results.Eval(self.context)
        blocks = {int(c): b for b, c in enumerate(problem.candidate) if c >= 0}
        declared, here, place = self._world.n_contacts, self.translation, self._places()
        for k in range(results.num_point_pair_contacts()):
            info = results.point_pair_contact_info(k)
            pair = info.point_pair()
            ids = int(pair.id_A.get_value()), int(pair.id_B.get_value())
            touching = here.pairs[ids]
            force = info.contact_force() if touching.second == ids[1] else -info.contact_force()
            if touching.declared >= 0:
                candidates = self._world.candidates
                c = nearest_of_rim(candidates, touching.declared, info.contact_point())
            else:
                c = declared + place[touching, 0][0]
            _push(problem, blocks, c, force)
        for k in range(results.num_hydroelastic_contacts()):
            info = results.hydroelastic_contact_info(k)
            surface, wrench = info.contact_surface(), info.F_Ac_W()
            ids = int(surface.id_M().get_value()), int(surface.id_N().get_value())
            touching = here.pairs[ids]
            sign = 1.0 if touching.second == ids[0] else -1.0
            known = [place[touching, n] for n in range(4) if (touching, n) in place]
            assert self.detector is not None
            points = [self.detector.points[tag] for _, tag in known]
            wrench = sign * wrench.translational(), sign * wrench.rotational()
            forces = spread(points, surface.centroid(), *wrench)
            for (at, _), force in zip(known, forces, strict=True):
                _push(problem, blocks, declared + at, force)

    def _places(self) -> dict[Any, tuple[int, int]]:
        """Return the indices, by key and in Drake's order, of each found shape pair and feature."""
        if self.detector is None:
            return {}
        tags = self.detector.found.arrays.tag[: self.detector.found.n].tolist()
        points = self.detector.points
        return {(points[t].touching, points[t].feature): (at, t) for at, t in enumerate(tags)}

    def _joint_rows(
        self, problem: ContactProblem, v: Floats, force: Floats, damping: Floats, rubbing: Floats
    ) -> None:
        """Write the impulse of each row of a joint.

        Drake does not report the impulses of limits: they are the remainder of the equation of
        motion.
        """
        rows, sides, here = self._world.joint_rows, self._world.sides, self.translation
        blocks = np.flatnonzero(problem.kind < BlockKind.CONE)
        held = np.zeros(len(v))
        if (problem.kind[blocks] == BlockKind.UNILATERAL).any():
            plant, context = here.plant, self.context
            a = (self.v - v)[here.v] / self._dt
            left = plant.CalcMassMatrix(context) @ a + plant.CalcBiasTerm(context)
            left -= plant.CalcGravityGeneralizedForces(context) + self._contact.Eval(context)
            held[here.v] = left
            held += damping * self.v - force
        for b in blocks.tolist():
            j = int(sides.joint[b])
            dof = int(rows.dof[j])
            if rows.kind[j] == BlockKind.BOX:
                size = -rubbing[dof] * self.v[dof]
            else:
                size = max(0.0, float(rows.sign[j]) * held[dof])
            problem.impulse[problem.row[b]] = problem.dt * size


def _push(problem: ContactProblem, blocks: dict[int, int], c: int, force: Floats) -> None:
    """Add a force to the impulse of a contact, if it is in the problem."""
    if c in blocks:
        b = blocks[c]
        problem.impulse[3 * b : 3 * b + 3] += problem.dt * (problem.frame[b] @ force)
