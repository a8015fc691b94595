"""The controller ``trot``: a clock decides which legs support the trunk and which step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from footfall.api.device import BodySignals, Command, Controller, Observation
from footfall.api.engine import TreeModel
from footfall.api.plugin import Floats, PluginConfig, SimulationError, StatePart, nearest
from footfall_controllers.trot.course import Course, Goal, shortened, to_upright, turned
from footfall_controllers.trot.gait import Gait
from footfall_controllers.trot.ground import GroundPlane
from footfall_controllers.trot.leg import BASE, Leg, find_leg
from footfall_controllers.trot.settings import TrotConfig
from footfall_controllers.trot.stance import VirtualModel, share
from footfall_controllers.trot.swing import Placement, glide, lift

FOOTING = "footing"
"""Name of the controller's state of last standing positions, leg by leg."""
SINGULAR = 1e-4
"""Damping of the inverse of a leg's Jacobian for a nearly straight knee, [m^2]."""


@dataclass(frozen=True, slots=True)
class Foot:
    """A foot: the centre of its contacts.

    Attributes:
        position: shape (3,), [m], world frame.
        jacobian: shape (3, nv), of its velocity.
    """

    position: Floats
    jacobian: Floats


@dataclass(frozen=True, slots=True)
class Instant:
    """Data of one instant that all legs use.

    Attributes:
        signals: signals of the body.
        goal: goal of the trunk.
        velocity: shape (2,), velocity of the trunk towards its goal, [m/s].
        ground: plane through the last standing positions of the feet.
        heading: current heading of the trunk, [rad].
    """

    signals: BodySignals
    goal: Goal
    velocity: Floats
    ground: GroundPlane
    heading: float


class Trot(Controller):
    """Trot with four legs, on the spot or at a given velocity.

    Standing legs give the trunk the acceleration of virtual springs and dampers, ``tau = h + M a -
    J' f``. Stepping legs follow a curve to the landing point of Raibert's rule.
    """

    name = "trot"
    Config = TrotConfig

    def __init__(self, config: TrotConfig) -> None:
        self.config = config
        self.state_parts = (StatePart(FOOTING, "global", 3 * len(config.legs), units="m"),)
        self._gait = Gait(config.start, config.period, config.duty)
        self._placement = Placement(self._gait.stance_time, config.placement, config.reach)
        self._trunk = VirtualModel(
            config.trunk_frequency, config.trunk_damping, config.velocity_gain
        )
        self._course = Course(
            start=config.start,
            home=np.array(config.home),
            heading=config.heading,
            velocity=np.array(config.velocity),
            turn_rate=config.turn_rate,
        )

    def retune(self, config: PluginConfig) -> None:
        """Take new gains and a new step height."""
        assert isinstance(config, TrotConfig)
        self.config = config
        self._trunk = VirtualModel(
            config.trunk_frequency, config.trunk_damping, config.velocity_gain
        )

    def setup(self, model: TreeModel, posture: Floats) -> None:
        """Find the legs.

        Raises:
            SettingError: if a foot does not exist or is not at the end of three joints.
        """
        self._legs = tuple(find_leg(model, leg, k) for k, leg in enumerate(self.config.legs))

    def command(self, observation: Observation, command: Command) -> None:
        """Command torques of standing legs and gains of stepping legs."""
        body, time = observation.signals, observation.time
        for array in (command.tau, command.stiffness, command.damping, command.target):
            array[:] = 0.0
        command.target_rate[:] = 0.0
        feet = [self._foot(body, leg) for leg in self._legs]
        steps = [self._gait.swing(time, leg.phase) for leg in self._legs]
        both = zip(self._legs, feet, steps, strict=True)
        standing = [(leg, foot) for leg, foot, progress in both if progress is None]
        ground = self._footing(observation.state[FOOTING].reshape(-1, 3), feet, steps)
        now = self._look(body, time, ground)
        acceleration = self._carry(now, standing, command)
        for leg, foot, progress in zip(self._legs, feet, steps, strict=True):
            command.tau[leg.joints] += body.bias_force[leg.dofs]
            command.tau[leg.joints] += body.mass_matrix[leg.dofs, :BASE] @ acceleration
            if progress is not None:
                self._step(now, leg, foot, progress, command)

    def _foot(self, body: BodySignals, leg: Leg) -> Foot:
        """Return the centre of a foot's contact points.

        Raises:
            SimulationError: if the frame has no contact features.
        """
        if leg.foot not in body.foot_points:
            known = body.foot_names
            hint = nearest(leg.foot, known) or f" (those that have: {', '.join(known) or 'none'})"
            raise SimulationError(f"trot: the frame {leg.foot!r} has no contact features{hint}")
        points, frame = body.foot_points[leg.foot].positions, body.feet[leg.foot]
        if not points.any():
            return Foot(frame.pose[:3, 3], frame.jacobian[:3])
        x, y, z = arm = frame.pose[:3, :3] @ points.mean(axis=0)
        cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        return Foot(arm + frame.pose[:3, 3], frame.jacobian[:3] - cross @ frame.jacobian[3:])

    def _footing(self, kept: Floats, feet: list[Foot], steps: list[float | None]) -> GroundPlane:
        """Store the positions of standing feet; return the plane through all feet's positions."""
        for at, foot, progress in zip(kept, feet, steps, strict=True):
            if progress is None or not at.any():
                at[:] = foot.position
        return GroundPlane.through(kept)

    def _look(self, body: BodySignals, time: float, ground: GroundPlane) -> Instant:
        pose, goal = body.base_pose, self._course.goal(time)
        back = self.config.homing * (goal.position - pose[:2, 3])
        return Instant(
            signals=body,
            goal=goal,
            velocity=goal.velocity + shortened(back, self.config.homing_limit),
            ground=ground,
            heading=float(np.arctan2(pose[1, 0], pose[0, 0])),
        )

    def _carry(self, now: Instant, standing: list[tuple[Leg, Foot]], command: Command) -> Floats:
        """Command standing legs; return the target acceleration of the trunk, shape (6,)."""
        body, goal = now.signals, now.goal
        nu, pose = body.nu, body.base_pose
        acceleration = self._trunk.acceleration(
            lag=now.ground.height(pose[:2, 3]) + self.config.height - pose[2, 3],
            turn=to_upright(pose[:3, :3], goal.heading),
            slip=np.array([*now.velocity, 0.0]) - nu[:3],
            spin=np.array([0.0, 0.0, goal.turn_rate]) - nu[3:BASE],
        )
        wrench = body.mass_matrix[:BASE, :BASE] @ acceleration + body.bias_force[:BASE]
        arms = np.array([foot.position - pose[:3, 3] for _, foot in standing])
        forces = share(arms, wrench, self.config.friction)
        for (leg, foot), force in zip(standing, forces, strict=True):
            command.tau[leg.joints] = -foot.jacobian[:, leg.dofs].T @ force
            command.damping[leg.joints] = self.config.stance_damping
        return acceleration

    def _step(self, now: Instant, leg: Leg, foot: Foot, progress: float, command: Command) -> None:
        """Command the joints of a stepping leg to follow its foot's curve."""
        body, at = now.signals, leg.joints
        target, speed = self._curve(now, leg, progress)
        J, carried = foot.jacobian[:, leg.dofs], foot.jacobian[:, :BASE] @ body.nu[:BASE]
        inverse = J.T @ np.linalg.inv(J @ J.T + SINGULAR * np.eye(3))
        command.stiffness[at] = self.config.swing_stiffness
        command.damping[at] = self.config.swing_damping
        command.target[at] = body.joint_positions[at] + inverse @ (target - foot.position)
        command.target_rate[at] = inverse @ (speed - carried)

    def _curve(self, now: Instant, leg: Leg, progress: float) -> tuple[Floats, Floats]:
        """Return target position and velocity of a foot, shapes (3,), [m] and [m/s]."""
        body, T, H = now.signals, self._gait.swing_time, self.config.step_height
        (height, climb), (part, rate) = lift(progress), glide(progress)
        moving = body.nu[:2]
        off = self._placement.take_off(moving)
        way = self._placement.landing(moving, now.velocity) - off
        below = body.base_pose[:2, 3] + turned(now.heading, leg.place)
        target, speed = below + off + part * way, moving + rate / T * way
        z, climbing = now.ground.height(target) + H * height, now.ground.slope @ speed
        return np.array([*target, z]), np.array([*speed, climbing + H * climb / T])
