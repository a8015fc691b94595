"""The swing of a foot: its way in the air, and where it comes down."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.api.plugin import Floats
from footfall_controllers.trot.course import shortened


def lift(progress: float) -> tuple[float, float]:
    """Return height over its maximum, and its rate: ``64 s^3 (1 - s)^3``.

    Velocity and acceleration are zero at both ends.

    Args:
        progress: s, part of the step that is made, from 0 to 1.
    """
    s = progress
    return 64.0 * (s * (1.0 - s)) ** 3, 192.0 * (s * (1.0 - s)) ** 2 * (1.0 - 2.0 * s)


def glide(progress: float) -> tuple[float, float]:
    """Return the part of the way along the ground, and its rate: ``10 s^3 - 15 s^4 + 6 s^5``.

    Of all curves that start and end at rest, the one of least jerk (Flash and Hogan 1985).

    Args:
        progress: s, part of the step that is made, from 0 to 1.
    """
    s = progress
    return s**3 * (10.0 - 15.0 * s + 6.0 * s * s), 30.0 * (s * (1.0 - s)) ** 2


@dataclass(frozen=True, slots=True)
class Placement:
    """Raibert's rule: a foot is put in the middle of where the trunk will be while it stands.

    ``x = v_desired T / 2 + k (v - v_desired)`` from its place below the trunk (Raibert 1986,
    *Legged Robots That Balance*, equation 2.4, with the desired velocity in the first term, so that
    a trunk that is too fast is not followed).

    Attributes:
        stance_time: T, [s].
        gain: k, [s].
        reach: greatest distance, [m].
    """

    stance_time: float
    gain: float
    reach: float

    def landing(self, velocity: Floats, desired: Floats) -> Floats:
        """Return where to land, from the foot's place, shape (2,), [m].

        Args:
            velocity: of the trunk, shape (2,), [m/s].
            desired: shape (2,), [m/s].
        """
        ahead = 0.5 * self.stance_time * desired + self.gain * (velocity - desired)
        return shortened(ahead, self.reach)

    def take_off(self, velocity: Floats) -> Floats:
        """Return where a foot is when its step begins, if the trunk went on steadily, [m]."""
        return shortened(-0.5 * self.stance_time * velocity, self.reach)
