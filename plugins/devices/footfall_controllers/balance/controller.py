"""The controller ``momentum_balance``."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from fnmatch import fnmatchcase

import numpy as np

from footfall.api.device import BodySignals, Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import (
    Capability,
    Floats,
    PluginConfig,
    SettingError,
    SolverError,
    StatePart,
    nearest,
)
from footfall.api.solver import QPSolution, QPSolver
from footfall_controllers.balance.foothold import Foothold, foothold
from footfall_controllers.balance.hands import HandSchedule, find_hands, reaction
from footfall_controllers.balance.schedule import Schedule
from footfall_controllers.balance.settings import MomentumBalanceConfig
from footfall_controllers.balance.tasks import Start, Tasks
from footfall_controllers.balance.whole_body import Contact, WholeBodyQP


class SolveCount(IntEnum):
    """Columns of the state's part ``solves``."""

    CALLS = 0
    """Problems given to the solver."""
    FAILED = 1
    """Problems that it did not solve."""
    IN_A_ROW = 2
    """Failures since the last solution."""


class MomentumBalance(Controller):
    """Balance a body on its feet along a schedule of phases.

    Each call solves a QP for the accelerations and the wrenches (forces and moments) of the feet.
    The wrenches stay within the friction cones. Pushes and Coulomb friction of joints are ignored.
    If a QP fails, the controller keeps the last torques and counts a failure.

    Sources: Orin, Goswami, Lee, Autonomous Robots 35, 2013; Nava et al., IROS 2016.
    """

    name = "momentum_balance"
    Config = MomentumBalanceConfig
    uses_solver = True
    capabilities = frozenset({Capability.FLOATING_BASE})
    state_parts = (
        StatePart("solves", "global", 3, low=0.0, whole=True),
        StatePart("torque", "joint", units="N m or N"),
    )

    def __init__(self, config: MomentumBalanceConfig, solver: QPSolver) -> None:
        self.config, self._solver = config, solver

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Resolve the joints' names.

        Raises:
            SettingError: if a pattern matches no joint, or the base does not float.
        """
        if model.base != "floating":
            raise SettingError("needs a floating base", "plugin")
        self._postures = []
        for k, phase in enumerate(self.config.phases):
            chosen = np.array(posture, float)
            for pattern, value in phase.joint_positions.items():
                hits = [i for i, n in enumerate(model.joint_names) if fnmatchcase(n, pattern)]
                if not hits:
                    reason = f"no joint matches {pattern!r}{nearest(pattern, model.joint_names)}"
                    raise SettingError(reason, "phases", k, "joint_positions")
                chosen[hits] = value
            self._postures.append(chosen)

    def start(self, signals: BodySignals) -> None:
        """Store the initial pose of the body as the reference.

        Raises:
            SettingError: if the body has no feet, lacks a named foot, or has a foot without a
                cone.
        """
        self._check_feet(signals.foot_names)
        self._holds = {foot: self._foothold(signals, foot) for foot in signals.foot_names}
        self._schedule = Schedule(
            self.config.phases, signals.foot_names, self._postures, self.config.load_time
        )
        self._frames = find_hands(self.config.phases, signals)
        self._hands = {
            name: HandSchedule(self.config.phases, name, frame.pose.copy())
            for name, frame in self._frames.items()
        }
        first = self.config.phases[0].feet
        points = self._points(signals)
        start = Start(
            height=float(signals.com[2] - np.mean([points[foot][2] for foot in first])),
            base=signals.base_pose[:3, :3].copy(),
            feet={name: foot.pose.copy() for name, foot in signals.feet.items()},
        )
        flat = {name for name, hold in self._holds.items() if hold.size == 6}
        self._tasks = Tasks(self.config, start, signals.foot_names, flat)

    def retune(self, config: PluginConfig) -> None:
        """Take new gains."""
        assert isinstance(config, MomentumBalanceConfig)
        self.config = config
        self._tasks.retune(config)

    def command(self, observation: Observation, command: Command) -> None:
        """Command the torques of the QP's answer, or the last ones if it has none.

        Raises:
            SolverError: after ``max_consecutive_failures`` in a row.
        """
        signals, wanted = observation.signals, self._schedule.at(observation.time)
        progress = self._schedule.progress(observation.time)
        hands = {name: hand.at(progress) for name, hand in self._hands.items()}
        pushes = reaction(hands, self._frames, signals) if hands else None
        known = 0.0 if pushes is None else pushes.generalized
        contacts = [Contact(signals.feet[foot], self._holds[foot]) for foot in wanted.feet]
        weight = signals.mass * float(np.linalg.norm(signals.gravity))
        loads = dict(zip(signals.foot_names, weight * wanted.load, strict=True))
        qp = WholeBodyQP(signals, contacts, [loads[foot] for foot in wanted.feet], known)
        self._tasks.write(qp, wanted, self._points(signals), hands, pushes)
        tau, solution = qp.solve(self._solver, signals.torque_limits)
        held = observation.state["torque"][:, 0]
        if solution.ok:
            held[:] = tau
        self._count(solution, observation)
        command.tau[:] = held

    def _count(self, solution: QPSolution, observation: Observation) -> None:
        """Count the call; raise an error after too many failures in a row."""
        counts = observation.state["solves"][0]
        counts[SolveCount.CALLS] += 1.0
        if solution.ok:
            counts[SolveCount.IN_A_ROW] = 0.0
            return
        counts[SolveCount.FAILED] += 1.0
        counts[SolveCount.IN_A_ROW] += 1.0
        if counts[SolveCount.IN_A_ROW] >= self.config.max_consecutive_failures:
            raise SolverError(
                f"controller momentum_balance at t = {observation.time:.6g} s: "
                f"{counts[SolveCount.IN_A_ROW]:g} QPs in a row have no solution: the last is "
                f"{solution.status.value} ({solution.message})"
            )

    def figures(self, state: Mapping[str, Floats]) -> tuple[tuple[str, str], ...]:
        """Return the number of QPs without a solution, for the summary of a run."""
        calls, failed, _ = state["solves"][0]
        return (("QPs without a solution", f"{failed:g} of {calls:g}, torques held"),)

    def _points(self, signals: BodySignals) -> dict[str, Floats]:
        """Return the centre of each foot's sole, [m], world frame."""
        return {
            name: foot.pose[:3, 3] + self._holds[name].arm(foot.pose[:3, :3])
            for name, foot in signals.feet.items()
        }

    def _check_feet(self, feet: tuple[str, ...]) -> None:
        if not feet:
            raise SettingError("needs feet: the robot has no contact_features", "plugin")
        for k, phase in enumerate(self.config.phases):
            for key in ("feet", "lift"):
                for name in getattr(phase, key):
                    if name not in feet:
                        raise SettingError(
                            f"no foot {name!r}{nearest(name, feet)} (feet: {', '.join(feet)})",
                            *("phases", k, key),
                        )

    def _foothold(self, signals: BodySignals, name: str) -> Foothold:
        c, points = self.config, signals.foot_points[name]
        rotation = signals.feet[name].pose[:3, :3]
        try:
            return foothold(
                points.positions,
                points.radii,
                rotation,
                np.array(c.ground_normal) / np.linalg.norm(c.ground_normal),
                c.friction,
                c.edge_margin,
            )
        except SettingError as error:
            raise SettingError(f"{name}: {error.reason}", *error.path) from error
