"""Steps of both simulators from the same state: first differences, and their causes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.api.plugin import Floats
from footfall_compare.twin.layers import BARELY, Pair

FORCE, ACCELERATION = 1e-3, 1e-3
"""Tolerances relative to the weight, and to the largest acceleration or gravity, [-]."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The first step with a difference, from the same state in both simulators.

    Attributes:
        what: the differing quantity.
        step: number of the step; -1: no difference found.
        where: the differing entry and its values.
    """

    what: str
    step: int
    where: str


def partings(pair: Pair, steps: int) -> list[Parting]:
    """Return the first steps with different contacts, forces and accelerations.

    MuJoCo is set to Footfall's state before each step, so a difference arises within one step. Its
    contacts count as closed up to a gap of ``BARELY``: without depth they have no force there.
    """
    found: dict[str, Parting] = {}
    pair.model.pair_margin[:] += BARELY
    kinds = "contacts", "contact forces", "accelerations"
    for step in range(steps):
        pair.put(pair.ours.q.copy(), pair.ours.v.copy())
        q = pair.ours.q.copy()
        pair.step()
        for what, where in _differences(pair):
            found.setdefault(what, Parting(what, step, where))
        if len(found) == len(kinds) or not np.isfinite(q).all():
            break
    pair.model.pair_margin[:] -= BARELY
    return [found.get(kind, Parting(kind, -1, "")) for kind in kinds]


def _differences(pair: Pair) -> Iterator[tuple[str, str]]:
    ours, theirs = pair.ours, pair.theirs
    names, dofs = ours.world.contact_names, ours.labels.velocity
    force, other = (sim.signal("contact_force").reshape(-1, 3) for sim in (ours, theirs))
    pushed, pushed_there = (abs(f).max(axis=1, initial=0.0) > 0.0 for f in (force, other))
    apart = np.flatnonzero(pushed != pushed_there)
    if len(apart):
        side = "here" if pushed[apart[0]] else "there"
        yield (
            "contacts",
            f"{names[apart[0]]} has a force only {side} ({len(apart)} of {len(names)})",
        )
    weight = ours.world.mass * float(np.linalg.norm(ours.world.topology.gravity)) or 1.0
    away = abs(force - other).max(axis=1, initial=0.0)
    if len(away) and away.max() > FORCE * weight:
        c = int(np.argmax(away))
        one, two = (f"{np.linalg.norm(f[c]):.5g} N" for f in (force, other))
        yield "contact forces", f"{names[c]}: {one} here, {two} there"
    a, b = ours.signal("a"), theirs.signal("a")
    scale = max(float(abs(a).max()), 9.81)
    k = int(np.argmax(abs(a - b)))
    if not abs(a[k] - b[k]) <= ACCELERATION * scale:
        yield "accelerations", f"{dofs[k]}: {a[k]:.5g} here, {b[k]:.5g} there"


@dataclass(frozen=True, slots=True)
class Share:
    """The remaining final difference after one exchange in MuJoCo's model.

    Attributes:
        what: the exchanged setting.
        left: remaining difference of final positions, relative to the one without exchange, [-].
    """

    what: str
    left: float


def shares(pair: Pair, steps: int, exchanges: Mapping[str, Any]) -> tuple[float, list[Share]]:
    """Compute the remaining difference for one exchange at a time.

    Args:
        pair: both simulators at the start.
        steps: number of steps.
        exchanges: functions by name that change a setting of the model; each returns a function
            that undoes the change.

    Returns:
        The largest difference of final positions, [rad or m], and the remainders.
    """
    states = [(sim, sim.state.copy()) for sim in (pair.ours, pair.theirs)]

    def restore() -> None:
        for sim, state in states:
            sim.state.restore(state)

    def end(sims: tuple[Any, ...]) -> list[Floats]:
        for _ in range(steps):
            for sim in sims:
                sim.step()
        found = [sim.q.copy() for sim in sims]
        restore()
        return found

    ours, theirs = end((pair.ours, pair.theirs))
    whole = float(abs(ours - theirs).max(initial=0.0))
    found = []
    for what, exchange in exchanges.items():
        undo = exchange()
        (other,) = end((pair.theirs,))
        undo()
        left = float(abs(ours - other).max(initial=0.0))
        found.append(Share(what, left / whole if whole > 0.0 else 0.0))
    return whole, found


def settings(pair: Pair) -> dict[str, Any]:
    """Return exchange functions for MuJoCo's friction cone and contact stiffness."""
    import mujoco

    model = pair.model

    def cone() -> Any:
        before = int(model.opt.cone)
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        return lambda: setattr(model.opt, "cone", before)

    def hard() -> Any:
        kept = model.pair_solref.copy(), model.pair_solimp.copy()
        model.pair_solref[:] = 2.0 * float(model.opt.timestep), 1.0
        model.pair_solimp[:] = 0.9999, 0.9999, 1e-3, 0.5, 2.0

        def undo() -> None:
            model.pair_solref[:], model.pair_solimp[:] = kept

        return undo

    return {"elliptic cones": cone, "contacts as hard as the step allows": hard}
