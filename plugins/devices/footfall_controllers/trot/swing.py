"""The swing of a foot: its path in the air, and its landing point."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.api.plugin import Floats
from footfall_controllers.trot.course import shortened


def lift(progress: float) -> tuple[float, float]:
    """Return the height relative to its maximum, ``64 s^3 (1 - s)^3``, and its rate.

    Velocity and acceleration are zero at both ends.

    Args:
        progress: s, part of the step that is made, from 0 to 1.
    """
    s = progress
    return 64.0 * (s * (1.0 - s)) ** 3, 192.0 * (s * (1.0 - s)) ** 2 * (1.0 - 2.0 * s)


def glide(progress: float) -> tuple[float, float]:
    """Return the progress along the ground, ``10 s^3 - 15 s^4 + 6 s^5``, and its rate.

    It is the minimum-jerk curve from rest to rest (Flash and Hogan 1985).

    Args:
        progress: s, part of the step that is made, from 0 to 1.
    """
    s = progress
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2


@dataclass(frozen=True, slots=True)
class Placement:
    """Raibert's rule: a foot lands at the midpoint of the trunk's path during the next stance.

    ``x = v_desired T / 2 + k (v - v_desired)`` from its place below the trunk (Raibert 1986,
    *Legged Robots That Balance*, equation 2.4, with the desired velocity in the first term, so that
    the foot does not follow an excess speed of the trunk).

    Attributes:
        stance_time: T, [s].
        gain: k, [s].
        reach: largest distance, [m].
    """

    stance_time: float
    gain: float
    reach: float

    def landing(self, velocity: Floats, desired: Floats) -> Floats:
        """Return the landing point, from the foot's place, shape (2,), [m].

        Args:
            velocity: velocity of the trunk, shape (2,), [m/s].
            desired: desired velocity, shape (2,), [m/s].
        """
        ahead = 0.5 * self.stance_time * desired + self.gain * (velocity - desired)
        return shortened(ahead, self.reach)

    def take_off(self, velocity: Floats) -> Floats:
        """Return a foot's position at the start of its step, if the trunk moved steadily, [m]."""
        return shortened(-0.5 * self.stance_time * velocity, self.reach)
