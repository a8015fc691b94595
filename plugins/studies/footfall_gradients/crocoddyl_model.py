"""``ActionModel``: steps of a simulator as an action model of Crocoddyl."""

from __future__ import annotations

from typing import Any

import crocoddyl
import numpy as np
import pinocchio

from footfall.api.plugin import Floats, SimulationError, SolverError
from footfall_gradients.rollout import Rollout
from footfall_stepper.api import StepperSimulator, stepped

BUILT = {"3.2.1": "4.0.0"}
"""Version of Pinocchio with which a version of Crocoddyl works; with another one (tried: 4.1.0) its
costs of frames end the process, also without Footfall."""


class ActionData(crocoddyl.ActionDataAbstract):
    """Results of an action model; ``rollout`` are the steps that it has made last."""

    rollout: Rollout | None = None

    def __init__(self, model: ActionModel) -> None:
        """Allocate the arrays, which the costs share."""
        super().__init__(model)
        self.pinocchio = pinocchio.Data(model.state.pinocchio)
        self.collector = crocoddyl.DataCollectorMultibody(self.pinocchio)
        self.costs = model.costs.createData(self.collector)
        self.costs.shareMemory(self)


class ActionModel(crocoddyl.ActionModelAbstract):
    """Steps of a simulator under a held torque, for the solvers of Crocoddyl.

    The state is (q, v) of the simulator, its tangent coordinates those of ``footfall.integrate``
    along own axes. Derivatives are those of ``footfall.Rollout``, through contacts and impacts.
    Steps that fail or have no derivative give NaN: the solver takes a shorter step or gives up.

    Attributes:
        failure: reason of the last such step; empty if there was none.
    """

    def __init__(self, sim: StepperSimulator, costs: Any, steps: int = 1) -> None:
        """Check the robot and one step from the present state of the simulator.

        Args:
            sim: simulator of one robot, which all nodes of a problem may share. What its state
                holds beside q and v is at the start of each node as it is now.
            costs: ``crocoddyl.CostModelSum`` of a ``StateMultibody`` of the same robot, with the
                torques of ``sim.step(tau)``; counted once per node. In the last node of a problem
                only they count.
            steps: number of steps in a node, all with the same torque.

        Raises:
            SimulationError: if the robots differ, the step has no derivative, or costs of frames
                do not work with the installed version of Pinocchio.
        """
        self._sim, self._steps, self._start = stepped(sim), steps, sim.state.copy()
        self.costs, self.failure = costs, ""
        names = [n for n in costs.state.pinocchio.names if n not in ("universe", "root_joint")]
        due = len(sim.q), sim.world.nv, len(sim.driving.motors), list(sim.labels.joint)
        given = costs.state.nq, costs.state.nv, costs.nu, names
        if given != due:
            raise SimulationError(f"ActionModel: nq, nv, nu and joints must be {due}, got {given}")
        built, each = BUILT.get(crocoddyl.__version__), costs.costs.todict().values()
        kinds = str([type(item.cost.residual).__name__ for item in each])
        if "Frame" in kinds and built not in (None, pinocchio.__version__):
            told = "ActionModel: costs of frames end the process with Pinocchio"
            raise SimulationError(f"{told} {pinocchio.__version__}: this Crocoddyl needs {built}")
        super().__init__(costs.state, costs.nu, costs.nr)
        try:
            found = self._rollout(np.concatenate([sim.q, sim.v]), np.zeros(costs.nu)).jacobians()
        finally:
            sim.state.restore(self._start)
        for reason in found.failures.values():
            raise SimulationError(f"ActionModel: {reason}")

    def createData(self) -> ActionData:  # noqa: N802
        """Return arrays for results."""
        return ActionData(self)

    def calc(self, data: ActionData, x: Floats, *u: Floats) -> None:
        """Evaluate the costs and, given a torque u, make the steps."""
        at = self.state.pinocchio, data.pinocchio, x[: self.state.nq], x[self.state.nq :]
        pinocchio.computeAllTerms(*at)
        pinocchio.computeRNEADerivatives(*at, np.zeros(self.state.nv))  # for costs of velocities
        self.costs.calc(data.costs, x, *u)
        data.cost, data.rollout = data.costs.cost, None
        try:
            for tau in u:
                data.rollout = self._rollout(x, tau)
                data.xnext = np.concatenate([data.rollout.q[-1], data.rollout.v[-1]])
        except (SimulationError, SolverError) as error:
            self.failure, data.xnext = str(error), np.full(len(x), np.nan)
            data.Fx, data.Fu = np.full_like(data.Fx, np.nan), np.full_like(data.Fu, np.nan)

    def calcDiff(self, data: ActionData, x: Floats, *u: Floats) -> None:  # noqa: N802
        """Evaluate the derivatives at the state and torque of the last ``calc``."""
        self.costs.calcDiff(data.costs, x, *u)
        if data.rollout is not None:
            found = data.rollout.jacobians()
            self.failure = next(iter(found.failures.values()), self.failure)
            Fx, Fu = np.eye(len(found.state[0])), np.zeros_like(found.control[0])
            for A, B in zip(found.state, found.control, strict=True):
                Fx, Fu = A @ Fx, A @ Fu + B
            data.Fx, data.Fu = Fx, Fu

    def _rollout(self, x: Floats, tau: Floats) -> Rollout:
        self._sim.state.restore(self._start)
        self._sim.q[:], self._sim.v[:] = x[: self.state.nq], x[self.state.nq :]
        self._sim.observe_start()  # points that touch now do not strike
        return Rollout(self._sim, self._steps, np.tile(tau, (self._steps, 1)))
