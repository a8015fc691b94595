"""The place where two simulators of a policy differ, from the same state in each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from footfall import Simulator
from footfall.api.plugin import Floats
from footfall_stepper.api import own_parts, stepped

TICK = 0.02
"""Time between two looks at a run, rounded to steps, [s]."""
HORIZON = 2.0
"""Longest time that is compared, [s]."""
SAME = 1e-9
"""Largest difference of two states that are the same, [m, rad, m/s or rad/s]."""
FORCE, ACCELERATION = 0.1, 1e-2
"""Differences of the means of a tick that count, relative to the weight, and to the largest
acceleration or gravity, [-]. Forces of feet that stand differ by 0.01 to 0.05 of the weight."""
BOTH = "{0:.4g}{2} in the first row, {1:.4g}{2} in this one"
CONTROL = (
    *(f"controller.{{}}.{part}" for part in ("action", "filtered", "memory", "seen", "ticks")),
    *("hold.{}.command", "hold.{}.line"),
)
"""Parts of the state that are a policy's, with the body's name left out."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The place where a simulator differs from the first one.

    Attributes:
        time: first time at which the two runs are apart, [s]; None if they stay together.
        layer: first quantity that differs after the start: ``start`` if the starts are different
            states, a layer of ``twin``, ``contact forces``, ``accelerations`` or ``none``.
        where: its entry and both values.
        start: difference from the start on that ends, e.g. of a state that rests in one simulator
            only; empty if there is none.
    """

    time: float | None
    layer: str
    where: str
    start: str = ""


def ticks_of(sim: Simulator) -> int:
    """Return the number of steps in a tick."""
    return max(1, round(TICK / sim.time_step))


def first_difference(
    ours: Simulator, theirs: Simulator, body: str, time: float | None, until: float
) -> Parting:
    """Compare two simulators at their start tick by tick, each tick from the same state.

    One of them runs on; the other one takes its state, and that of its controllers, before each
    tick. A state in which one rests may not be one in which the other does: of both leads the one
    with fewer differences counts.

    Args:
        ours: simulator at its start.
        theirs: another one of the same scene.
        body: that moves.
        time: at which the runs are apart.
        until: end of the comparison, [s].
    """
    for name, one, other in (("q", ours.q, theirs.q), ("v", ours.v, theirs.v)):
        k = int(np.argmax(np.abs(one - other)))
        if abs(one[k] - other[k]) > SAME:
            return Parting(time, "start", f"{name}[{k}]: " + BOTH.format(one[k], other[k], ""))
    starts, found = [sim.state.copy() for sim in (ours, theirs)], []
    for lead in (1, 0):
        for sim, start in zip((ours, theirs), starts, strict=True):
            sim.state.restore(start)
        found.append(list(_differences((ours, theirs), lead, body, until)))
    rows = min(found, key=lambda rows: sum(row is not None for row in rows))
    settled = next((k for k in range(len(rows)) if not any(rows[k : k + 2])), 0)
    layer, where = next((row for row in rows[settled:] if row is not None), ("none", ""))
    told = f"{rows[0][1]}, until {settled * TICK:g} s" if settled and rows[0] else ""
    return Parting(time, layer, where, told)


def _differences(
    sims: tuple[Simulator, Simulator], lead: int, body: str, until: float
) -> Iterator[tuple[str, str] | None]:
    """Yield the first difference of each tick: forces of a foot; accelerations without forces.

    The share of each of a foot's points may be undetermined.
    """
    ahead, other = sims[lead], sims[1 - lead]
    weight = 9.81 * ahead.signals(body).mass
    of_point = [name.rpartition("/")[0] for name in ahead.world.contact_names]
    feet = list(dict.fromkeys(of_point))
    on = np.array([[float(name == foot) for name in of_point] for foot in feet])
    on = on.reshape(len(feet), len(of_point))
    for _ in range(max(1, round(min(until, HORIZON) / TICK))):
        other.q[:], other.v[:] = ahead.q, ahead.v
        for name in (part.format(body) for part in CONTROL):
            with suppress(KeyError, ValueError):  # it has none, or delays in steps of another size
                own_parts(stepped(other).state)[name][...] = ahead.state[name]
        when = f"from {ahead.time:.2f} s for {TICK:g} s"
        (force, a), (force_there, b) = (_means(sim, on) for sim in sims)
        off = np.abs(force - force_there).max(axis=1, initial=0.0)
        k, entry = int(np.argmax(off)) if feet else 0, int(np.argmax(np.abs(a - b)))
        if off.max(initial=0.0) > FORCE * weight:
            one, two = np.linalg.norm(force[k]), np.linalg.norm(force_there[k])
            yield "contact forces", f"{feet[k]} {when}: " + BOTH.format(one, two, " N")
        elif not (force.any() or force_there.any()) and abs(a - b)[entry] > ACCELERATION * max(
            float(np.abs(a).max()), 9.81
        ):
            yield "accelerations", f"v[{entry}] {when}: " + BOTH.format(a[entry], b[entry], "")
        else:
            yield None


def _means(sim: Simulator, on: Floats) -> tuple[Floats, Floats]:
    """Make a tick; return the mean force of each foot, [N], and the mean acceleration."""
    n, v, force = ticks_of(sim), sim.v.copy(), np.zeros((len(on), 3))
    for _ in range(n):
        sim.step()
        force += on @ sim.signal("contact_force").reshape(-1, 3) / n
    return force, (sim.v - v) / (n * sim.time_step)
