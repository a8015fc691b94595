"""Gait scenes: controller settings for a legged robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from footfall.api.plugin import Floats, RobotError
from footfall_import.feet import Foot
from footfall_import.stance import Stance

Gait = Literal["trot", "balance"]
LEG = 3
"""Number of joints of a trotting leg."""
FEET: dict[Gait, tuple[int, int]] = {"trot": (4, 4), "balance": (2, 4)}
"""Least and greatest number of feet of each gait."""
LEGS: dict[Gait, str] = {"trot": "four feet", "balance": "two to four feet"}
USUAL_HEIGHT, USUAL_MASS = 0.28, 15.3
"""Trunk height above the feet [m] and robot mass [kg] of the reference gains below."""
BENT = 0.96
"""Ratio of trotting to standing trunk height: legs need room to stretch."""


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg of a gait.

    Attributes:
        foot: frame of its contact features.
        place: shape (2,), foot position from the base's origin, along the base's axes, [m].
        phase: start of its step in the cycle, from 0 to 1; equal for diagonal legs.
    """

    foot: str
    place: tuple[float, float]
    phase: float


@dataclass(frozen=True, slots=True)
class Walk:
    """A gait for a robot.

    Attributes:
        kind: name of the gait.
        legs: its legs.
        settings: controller settings by key.
    """

    kind: Gait
    legs: tuple[Leg, ...]
    settings: dict[str, float]


def plan(kind: Gait, stance: Stance, feet: tuple[Foot, ...]) -> Walk:
    """Return a gait for a robot in its stance.

    The middle of the stepping positions is below the centre of mass, so that diagonals carry it.
    For a trunk height h and mass m, times of a trot scale with ``sqrt(h)``, lengths with ``h`` and
    leg gains with ``m h^2``. So similar robots of any size move alike (Froude).

    Raises:
        RobotError: if the robot's base, feet or legs do not suit the gait; names them.
    """
    least, most = FEET[kind]
    if stance.model.base != "floating" or stance.planar:
        raise RobotError(f"--gait {kind}: the base does not float")
    if not least <= len(feet) <= most:
        named = ", ".join(foot.soles[0].link for foot in feet) or "none"
        raise RobotError(
            f"--gait {kind} needs {LEGS[kind]}, the robot has {len(feet)}: {named} (set --feet)"
        )
    if kind == "balance":
        return Walk(kind, tuple(Leg(_frame(foot), (0.0, 0.0), 0.0) for foot in feet), {})
    for foot in feet:
        joints = len(stance.path(foot.link))
        if joints != LEG:
            text = f"the leg of {_frame(foot)!r} has {joints} joints, needs {LEG}"
            raise RobotError(f"--gait trot: {text}")
    places = np.array([_place(foot, stance) for foot in feet])
    middle = places.mean(axis=0)
    yaw = stance.link(0).rpy[2]
    c, s = np.cos(yaw), np.sin(yaw)
    trunk = np.array([[c, s], [-s, c]])  # world to heading axes
    ahead, left = trunk @ (places[:, :2] - middle[:2]).T
    if sorted(zip(ahead > 0.0, left > 0.0, strict=True)) != sorted(
        (x, y) for x in (False, True) for y in (False, True)
    ):
        raise RobotError(
            "--gait trot needs one foot each at front left and right, hind left and right"
        )
    over = trunk @ (stance.com()[:2] - stance.link(0).translation[:2])
    legs = tuple(
        Leg(
            _frame(foot),
            (round(float(over[0] + a), 4), round(float(over[1] + b), 4)),
            0.0 if (a > 0.0) == (b > 0.0) else 0.5,
        )
        for foot, a, b in zip(feet, ahead, left, strict=True)
    )
    height = float(stance.link(0).translation[2] - middle[2])
    settings = _trot(BENT * height, stance.model.mass)
    return Walk(kind, legs, settings | ({"heading": float(yaw)} if abs(yaw) > 1e-6 else {}))


def _trot(height: float, mass: float) -> dict[str, float]:
    """Return settings of ``trot`` for a trunk height [m] and a robot mass [kg]."""
    size = height / USUAL_HEIGHT
    time, gain = np.sqrt(size), mass / USUAL_MASS * size**2
    settings = {
        "height": height,
        "period": 0.4 * time,
        "step_height": 0.06 * size,
        "placement": 0.12 * time,
        "reach": 0.15 * size,
        "trunk_frequency": 12.0 / time,
        "velocity_gain": 4.0 / time,
        "swing_stiffness": 80.0 * gain / time**2,
        "swing_damping": 2.0 * gain / time,
        "stance_damping": 0.2 * gain / time,
        "friction": 0.5,
    }
    return {key: float(f"{value:.3g}") for key, value in settings.items()}


def _frame(foot: Foot) -> str:
    return foot.soles[0].link


def _place(foot: Foot, stance: Stance) -> Floats:
    """Return the middle of a foot's contact points, x and y from the base, shape (3,), [m]."""
    points = [stance.frame(sole.link).apply(np.asarray(sole.points)) for sole in foot.soles]
    place: Floats = np.concatenate(points).mean(axis=0)
    x, y, _ = stance.link(0).translation
    return np.array([place[0] - x, place[1] - y, place[2]])
