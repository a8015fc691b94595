"""Hands: their motion, the forces they exert and the loads they carry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.api.device import BodySignals, FrameSignals
from footfall.api.engine import rotation_from_rpy
from footfall.api.plugin import Floats, SettingError, SimulationError
from footfall_controllers.balance.phase import Phase
from footfall_controllers.balance.rotations import rotation_of, rotation_vector
from footfall_controllers.balance.schedule import Progress


@dataclass(frozen=True, slots=True)
class HandWanted:
    """Targets of a hand at an instant.

    Attributes:
        place: shape (3, 3), position of its frame: value, rate, acceleration in rows, [m], world.
        rotation: shape (3, 3), orientation of its frame.
        turn: shape (2, 3), angular velocity and acceleration, world axes, [rad/s, rad/s^2].
        press: shape (3,), force that it exerts, [N], its own axes.
        press_at: shape (3,), point of that force, [m], its own frame.
        load: mass that it carries, [kg].
        load_at: shape (3,), centre of that mass, [m], its own axes.
    """

    place: Floats
    rotation: Floats
    turn: Floats
    press: Floats
    press_at: Floats
    load: float
    load_at: Floats


class HandSchedule:
    """Targets of one hand as a function of time alone.

    Positions, forces and loads follow the schedule's polynomial from phase to phase. Orientations
    follow it about one axis fixed in the world.
    """

    def __init__(self, phases: Sequence[Phase], hand: str, start: Floats) -> None:
        """Collect the targets of all phases for a hand with the initial pose ``start`` (4, 4)."""
        self._rows, self._rotations = [], []
        for phase in phases:
            goal = phase.hands.get(hand)
            place, rotation = start[:3, 3], start[:3, :3]
            forces = np.zeros(10)
            if goal is not None:
                place = place if goal.at is None else np.array(goal.at)
                rotation = rotation if goal.rpy is None else rotation_from_rpy(goal.rpy)
                forces[:] = *goal.press, *goal.press_at, goal.load, *goal.load_at
            self._rows.append(np.concatenate([place, forces]))
            self._rotations.append(np.array(rotation))

    def at(self, progress: Progress) -> HandWanted:
        """Return the targets at an instant of the schedule."""
        k, (s, rate, acceleration) = progress.phase, progress.smooth
        before, after = self._rows[max(k - 1, 0)], self._rows[k]
        first = self._rotations[max(k - 1, 0)]
        turn = rotation_vector(self._rotations[k] @ first.T)
        row, change = before + s * (after - before), after - before
        place = np.array([row[:3], rate * change[:3], acceleration * change[:3]])
        return HandWanted(
            place,
            rotation_of(s * turn) @ first,
            np.array([rate * turn, acceleration * turn]),
            row[3:6],
            row[6:9],
            float(row[9]),
            row[10:],
        )


@dataclass(frozen=True, slots=True)
class Reaction:
    """Reaction of held objects: known forces on the robot.

    Attributes:
        generalized: shape (nv,), ``sum of J' f``.
        force: shape (3,), sum of forces, [N], world axes.
        torque: shape (3,), sum of their moments about the world's origin, [N m], world axes.
    """

    generalized: Floats
    force: Floats
    torque: Floats

    def moment(self, about: Floats) -> Floats:
        """Return the sum of moments about a point (3,), [N m], world axes."""
        return self.torque - np.cross(about, self.force)


def reaction(
    wanted: Mapping[str, HandWanted], frames: Mapping[str, FrameSignals], signals: BodySignals
) -> Reaction:
    """Return the reactions to the target forces of hands.

    A hand presses with ``R press`` at ``press_at`` and carries ``load (a - g)`` at ``load_at``,
    with a the target acceleration of its position.

    Args:
        wanted: targets of each hand.
        frames: frame of each hand.
        signals: signals of the body.
    """
    generalized, force, torque = np.zeros(len(signals.nu)), np.zeros(3), np.zeros(3)
    for name, hand in wanted.items():
        pose, jacobian = frames[name].pose, frames[name].jacobian
        R, weight = pose[:3, :3], hand.load * (signals.gravity - hand.place[2])
        press = R @ hand.press
        push = weight - press
        turn = np.cross(R @ hand.load_at, weight) - np.cross(R @ hand.press_at, press)
        generalized += jacobian[:3].T @ push + jacobian[3:].T @ turn
        force += push
        torque += turn + np.cross(pose[:3, 3], push)
    return Reaction(generalized, force, torque)


def find_hands(phases: Sequence[Phase], signals: BodySignals) -> dict[str, FrameSignals]:
    """Return the frames of all hands named in phases.

    Raises:
        SettingError: if the body has no such frame.
    """
    found: dict[str, FrameSignals] = {}
    for k, phase in enumerate(phases):
        for name in phase.hands:
            try:
                found[name] = signals.frame(name)
            except SimulationError as error:
                raise SettingError(str(error), "phases", k, "hands") from error
    return found
