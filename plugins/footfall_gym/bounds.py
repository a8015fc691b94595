"""What the ends of an action mean: given by the user, or by limits of the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.errors import RobotError, SettingError
from footfall.model.joint_patterns import assign
from footfall.simulation.simulator import Simulator
from footfall.typing import Floats
from footfall.world.body import Body

Given = float | Mapping[str, float] | None


def torque_bounds(sim: Simulator, given: Given) -> tuple[Floats, Floats]:
    """Return the torques that -1 and 1 mean for all joints of the world, NaN where none is known.

    What is given goes first; else the smaller of the model's effort limit and that of the drives,
    ``|T^-T| limit`` for joints whose drives are coupled by T: what all motors together can do.
    """
    bounds = [_effort(sim, body) for body in sim.world.bodies]
    high = _replaced(np.concatenate([np.zeros(0), *bounds]), given, sim.labels.joint)
    return -high, high


def target_bounds(sim: Simulator, given: Given) -> tuple[Floats, Floats]:
    """Return the offsets of the targets that -1 and 1 mean, NaN where none is known.

    What is given goes first; else the way from the starting posture to the model's limits.
    """
    low, high = [np.zeros(0)], [np.zeros(0)]
    for body in sim.world.bodies:
        start = body.q[body.model.nq - len(body.model.joint_names) :]
        for limit, out in ((body.model.position_lower, low), (body.model.position_upper, high)):
            out.append(np.where(np.isfinite(limit), limit - start, np.nan))
    names = sim.labels.joint
    below = -_replaced(-np.minimum(np.concatenate(low), 0.0), given, names)
    return below, _replaced(np.maximum(np.concatenate(high), 0.0), given, names)


def _effort(sim: Simulator, body: Body) -> Floats:
    limit = body.model.effort_limit.astype(float)
    limit[limit <= 0.0] = np.inf
    for drives in sim.company.drives:
        if drives.body == body.name:
            T, at = drives.transmission.coupling, drives.transmission.joints
            own = drives.limit
            if T is not None and np.isfinite(own).all():
                own = np.abs(np.linalg.inv(T).T) @ own
            elif T is not None:
                own = np.full(len(at), np.inf)
            limit[at] = np.minimum(limit[at], own)
    limit[np.isinf(limit)] = np.nan
    return limit


def _replaced(bounds: Floats, given: Given, names: Sequence[str]) -> Floats:
    """Return bounds with those in place that are given, one for all joints or by pattern."""
    if given is None:
        return bounds
    table = given if isinstance(given, Mapping) else {"*": given}
    try:
        chosen = assign(table, names, "bound")
    except RobotError as error:
        raise SettingError(str(error).removeprefix("bound: "), "bound") from error
    for name, value in chosen.items():
        if not (np.isfinite(value) and value > 0.0):
            raise SettingError(f"{name} got {value!r}, allowed is a number above 0", "bound")
        bounds[names.index(name)] = value
    return bounds
