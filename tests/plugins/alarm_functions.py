"""Controllers of an arm that are broken, each in one way; the last two are sound."""

import numpy as np

from footfall import Command

TARGET = 0.5
noise = np.random.default_rng(0)


def damped(time, q, v):
    """Return torques of a damping far too large for the step."""
    return 20.0 * (TARGET - q) - 20.0 * v


def stiff(time, q, v):
    """Return torques of a stiffness far too large for the step."""
    return 5000.0 * (TARGET - q) - 50.0 * v


def medium(time, q, v):
    """Return torques that are right every millisecond, and not ten times more rarely."""
    return 200.0 * (TARGET - q) - 4.0 * v


def noisy(time, q, v):
    """Return torques of speeds with 2 rad/s of noise."""
    return 20.0 * (TARGET - q) - (v + noise.normal(0.0, 2.0, 2))


def reversed_sign(time, q, v):
    """Return torques that push away from the target."""
    return -20.0 * (TARGET - q) + v


def soft(time, q, v):
    """Return torques of soft gains."""
    return 20.0 * (TARGET - q) - v


def implicit(time, q, v):
    """Return the gains of ``stiff``, for the step to take implicitly."""
    return Command(q=TARGET, kp=5000.0, kd=50.0)
