"""The tasks of balancing: targets of momentum, feet, base and joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from footfall.api.device import FrameSignals
from footfall.api.engine import rotation_from_rpy
from footfall.api.plugin import Floats
from footfall_controllers.balance.hands import HandWanted, Reaction
from footfall_controllers.balance.rotations import rotation_vector
from footfall_controllers.balance.schedule import Wanted
from footfall_controllers.balance.settings import MomentumBalanceConfig
from footfall_controllers.balance.whole_body import WholeBodyQP


@dataclass(frozen=True, slots=True)
class Start:
    """Initial pose of the body.

    Attributes:
        height: height of the mass centre over the first supporting feet, [m].
        base: shape (3, 3), orientation of the base.
        feet: pose (4, 4) of each foot, by name, [m].
    """

    height: float
    base: Floats
    feet: Mapping[str, Floats]


class Tasks:
    """Writer of an instant's tasks into the QP.

    Target accelerations are ``a + K (p - p_now) + D (v - v_now)`` with p, v, a of the schedule.

    Args:
        config: gains and weights.
        start: initial pose of the body.
        flat: names of the feet with an orientation: those with more than one point.
    """

    def __init__(
        self, config: MomentumBalanceConfig, start: Start, feet: tuple[str, ...], flat: set[str]
    ) -> None:
        self._config, self._start, self._feet, self._flat = config, start, feet, flat

    def retune(self, config: MomentumBalanceConfig) -> None:
        """Take new gains."""
        self._config = config

    def write(
        self,
        qp: WholeBodyQP,
        wanted: Wanted,
        points: Mapping[str, Floats],
        hands: Mapping[str, HandWanted],
        held: Reaction | None,
    ) -> None:
        """Write all tasks.

        Args:
            qp: QP of the instant.
            wanted: targets of the schedule.
            points: centres of the feet's soles, (3,) each, [m], world frame.
            hands: targets of hands.
            held: reaction of held objects; None without hands.
        """
        self._momentum(qp, wanted, points, held)
        for k, foot in enumerate(self._feet):
            if foot not in wanted.feet:
                self._foot(qp, foot, wanted.lift[:, k], wanted.feet)
        for name, hand in hands.items():
            self._hand(qp, qp.signals.frame(name), hand)
        self._base(qp, wanted.lean)
        self._posture(qp, wanted.joints)
        mass, weight = qp.signals.mass, self._config.wrench_weight
        qp.want_directly(slice(qp.nv, qp.size), 0.0, weight / mass**2)

    def _momentum(
        self, qp: WholeBodyQP, wanted: Wanted, points: Mapping[str, Floats], held: Reaction | None
    ) -> None:
        """Write the rates of linear and angular momentum, sums of wrenches (Orin et al., eq. 4).

        With forces on the hands, the target of the mass centre is shifted so that the centre of
        pressure stays the same: ``m g (c - u) x e_z = moment of the hands' forces about u``.
        """
        c, s, mass = self._config, qp.signals, qp.signals.mass
        com, momentum = s.com, s.centroidal_momentum
        under = np.array([points[foot] for foot in self._feet])
        target = wanted.com + wanted.share @ under
        target[:, 2] = wanted.com[:, 2]
        target[0, 2] += self._start.height + np.mean([points[foot][2] for foot in wanted.feet])
        if held is not None:
            x, y, _ = held.moment(target[0] - [0.0, 0.0, self._start.height])
            target[0, :2] += np.array([-y, x]) / (mass * np.linalg.norm(s.gravity))
        acceleration = (
            target[2]
            + c.com_stiffness * (target[0] - com)
            + c.com_damping * (target[1] - s.com_velocity)
        )
        inertia = float(np.trace(s.centroidal_map[3:, 3:6])) / 3.0
        A = np.hstack([contact.momentum_rate(com) for contact in qp.contacts])
        A[:3] /= mass
        A[3:] /= inertia
        rates = np.concatenate([acceleration - s.gravity, -c.spin_damping * momentum[3:] / inertia])
        if held is not None:
            rates[:3] -= held.force / mass
            rates[3:] -= held.moment(com) / inertia
        weights = np.repeat([c.com_weight, c.spin_weight], 3)
        qp.want(slice(qp.nv, qp.size), A, rates, weights)

    def _foot(self, qp: WholeBodyQP, name: str, lift: Floats, carry: tuple[str, ...]) -> None:
        """Write a foot in the air: its position relative to supporting feet, and level if flat."""
        c, feet, start = self._config, qp.signals.feet, self._start.feet
        foot, first = feet[name], start[name]
        moved = np.mean([feet[k].pose[:3, 3] - start[k][:3, 3] for k in carry], axis=0)
        error = first[:3, 3] + moved + lift[0] - foot.pose[:3, 3]
        rate, bias = foot.velocity, foot.jdot_nu
        n = 6 if name in self._flat else 3
        wanted = np.zeros(6)
        wanted[:3] = lift[2] + c.foot_stiffness * error + c.foot_damping * (lift[1] - rate[:3])
        turned = rotation_vector(first[:3, :3] @ foot.pose[:3, :3].T)
        wanted[3:] = c.foot_stiffness * turned - c.foot_damping * rate[3:]
        weights = np.repeat([c.foot_weight, c.foot_turn_weight], 3)
        qp.want(slice(0, qp.nv), foot.jacobian[:n], (wanted - bias)[:n], weights[:n])

    def _hand(self, qp: WholeBodyQP, frame: FrameSignals, hand: HandWanted) -> None:
        """Write the position and orientation of a hand."""
        c, rate, turn = self._config, frame.velocity, hand.turn
        error = hand.place[0] - frame.pose[:3, 3]
        turned = rotation_vector(hand.rotation @ frame.pose[:3, :3].T)
        wanted = np.concatenate(
            [
                hand.place[2] + c.hand_damping * (hand.place[1] - rate[:3]),
                turn[1] + c.hand_damping * (turn[0] - rate[3:]),
            ]
        )
        wanted += c.hand_stiffness * np.concatenate([error, turned])
        weights = np.repeat([c.hand_weight, c.hand_turn_weight], 3)
        qp.want(slice(0, qp.nv), frame.jacobian, wanted - frame.jdot_nu, weights)

    def _base(self, qp: WholeBodyQP, lean: Floats) -> None:
        """Write the base's orientation; rates of roll, pitch, yaw stand for angular velocity."""
        c, s = self._config, qp.signals
        target = rotation_from_rpy(lean[0].tolist()) @ self._start.base
        turned = rotation_vector(target @ s.base_pose[:3, :3].T)
        wanted = lean[2] + c.base_stiffness * turned + c.base_damping * (lean[1] - s.nu[3:6])
        qp.want_directly(slice(3, 6), wanted, c.base_weight)

    def _posture(self, qp: WholeBodyQP, joints: Floats) -> None:
        c, s = self._config, qp.signals
        wanted = (
            joints[2]
            + c.posture_stiffness * (joints[0] - s.joint_positions)
            + c.posture_damping * (joints[1] - s.nu[6:])
        )
        qp.want_directly(slice(6, qp.nv), wanted, c.posture_weight)
