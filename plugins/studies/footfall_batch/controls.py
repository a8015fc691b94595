"""Controls of a rollout: what is given, checked, and how knots are interpolated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from footfall.api.plugin import Floats, Ints, SimulationError
from footfall_stepper.api import StepperSimulator, World

CUBIC = 4
"""Number of knots that decide a cubic polynomial between two."""
WIDTH = {"zero": 1, "linear": 2, "cubic": CUBIC}
"""Number of knots that decide a control, by interpolation."""
ROUNDING = 1e-9
"""Part of a control by which a knot may lie after its time."""


UNIT = 1e-3
"""Greatest difference from 1 of the length of a given quaternion, [-]."""


class Given(NamedTuple):
    """Controls as weighted sums of knots, with feedback; arrays as in ``RunArrays``."""

    knot: Ints
    weight: Floats
    gain: Floats = np.zeros((1, 0))
    reference: Floats = np.zeros((1, 0))
    limit: Floats = np.zeros(0)


def interpolated(kind: str, count: int, samples: int, at: Floats | None) -> Given:
    """Return the weights of knots in each control.

    ``zero`` holds a knot until the next; ``linear`` connects them; ``cubic`` is Hermite's with the
    slopes of the parabola through each knot and its neighbours, which is Catmull and Rom's for even
    knots. Before the first knot and after the last their values are held.

    Args:
        kind: interpolation.
        count: number of knots.
        samples: number of controls T.
        at: shape (count,), places of the knots, in controls; None: evenly over the controls, for
            other interpolations than ``zero`` from the first to the last.

    Raises:
        SimulationError: if there is no such interpolation, or places do not rise from 0 to T.
    """
    if kind not in WIDTH:
        raise SimulationError(f"interpolation must be zero, linear or cubic, got {kind!r}")
    if count > samples:
        raise SimulationError(f"controls: {count} knots for a horizon of {samples} controls")
    if at is None:
        even = np.arange(count) * samples / count
        at = even if kind == "zero" else np.linspace(0.0, samples - 1.0, count)
    if (np.diff(at) <= 0.0).any() or at[0] < -ROUNDING or at[-1] > samples + ROUNDING:
        raise SimulationError("knots: times must rise and lie within the horizon")
    width, now = min(WIDTH[kind], count), np.arange(samples)
    k = np.clip(np.searchsorted(at, now + ROUNDING, "right") - 1, 0, count - 1)
    first = np.clip(k - (width == CUBIC), 0, count - width)
    place, units = first[:, None] + np.arange(width), np.eye(count)
    if kind == "zero" or count == 1:
        return Given(place, np.take_along_axis(units[k], place, 1))
    k = np.minimum(k, count - 2)
    length = np.diff(at)[k]
    s, h = np.clip((now - at[k]) / length, 0.0, 1.0)[:, None], length[:, None]
    weight = (1.0 - s) * units[k] + s * units[k + 1]
    if kind == "cubic":
        slope = np.gradient(units, at, axis=0, edge_order=2 if count > 2 else 1)
        a, b, rise = slope[k] * h, slope[k + 1] * h, units[k + 1] - units[k]
        weight += s * (1.0 - s) * ((1.0 - s) * (a - rise) + s * (rise - b))
    return Given(place, np.take_along_axis(weight, place, 1))


def with_feedback(
    sim: StepperSimulator, given: Given, gains: npt.ArrayLike, reference: npt.ArrayLike, n: int
) -> Given:
    """Return the controls of n runs with feedback; arguments as in ``Batch.rollout``."""
    samples, nx, wide = len(given.knot), len(sim.q) + len(sim.v), 2 * len(sim.v)
    motors = sim.driving.choose(None, sim.labels.joint)
    K = of_runs(gains, n, (samples, len(motors), wide), "gains")
    x = of_runs(reference, n, (samples + 1, nx), "reference")[:, :-1]
    every = np.zeros((len(K), samples, wide, len(sim.driving.torque)))
    every[..., motors] = K.swapaxes(2, 3)
    x = unit(sim.world, x.reshape(-1, nx), "reference")
    return given._replace(gain=every.reshape(len(K), -1), reference=x.reshape(-1, samples * nx))


def of_runs(
    values: npt.ArrayLike, n: int, shape: tuple[int, ...], name: str, of: str = "row"
) -> Floats:
    """Return arrays of each run, shape (n, ...), or of all of them, (1, ...)."""
    alike = np.asarray(values, object).ndim == len(shape)
    found = finite(values, shape if alike else (n, *shape), name, of)
    return found[None] if alike else found


def finite(values: npt.ArrayLike, shape: tuple[int, ...], name: str, of: str = "run") -> Floats:
    """Return an array of numbers of the given shape; ``of`` names its rows.

    Raises:
        SimulationError: if the values are not numbers, finite and of that shape.
    """
    try:
        array = np.ascontiguousarray(values, float)
    except (TypeError, ValueError) as error:
        raise SimulationError(f"{name}: not an array of numbers") from error
    if array.shape != shape:
        raise SimulationError(f"{name} has shape {array.shape}, expected {shape}")
    if not np.isfinite(array).all():
        bad = np.flatnonzero(~np.isfinite(array.reshape(shape[0], -1)).all(axis=1))
        raise SimulationError(f"{name}: not finite in {of} {bad[0]} ({len(bad)} of {shape[0]})")
    return array


def unit(world: World, q: Floats, name: str) -> Floats:
    """Return positions, shape (n, nq or more), with quaternions of length 1.

    Raises:
        SimulationError: if a length differs from 1 by more than ``UNIT``.
    """
    found, topology = q.copy(), world.topology
    for tree in np.flatnonzero(topology.floating):
        at = int(topology.tree_q[tree]) + 3
        length = np.linalg.norm(q[:, at : at + 4], axis=1)
        run = int(np.argmax(abs(length - 1.0)))
        if abs(length[run] - 1.0) > UNIT:
            raise SimulationError(
                f"{name}[{run}, {at}:{at + 4}] is a quaternion x y z w of length "
                f"{length[run]:.6g}, not 1"
            )
        found[:, at : at + 4] /= length[:, None]
    return found


def size(value: int | np.integer[Any], name: str) -> int:
    """Return a number of things.

    Raises:
        SimulationError: if it is not a whole number of 1 or more.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise SimulationError(f"{name} must be a whole number of 1 or more, got {value!r}")
    return int(value)
