"""Bouncing: the time at which it ends."""

from __future__ import annotations

from collections.abc import Iterator

from footfall_stepper.api import StepperSimulator
from footfall_validate.checks.impacts.bounce import FALL, HEIGHT, SHAPES
from footfall_validate.claims import restitution
from footfall_validate.lab import G, Lab, world_velocity
from footfall_validate.laws.check import Check, Measure

AFTER = 0.8
"""Time simulated after the end, [s]; springs need it to come to rest."""


def run(lab: Lab) -> Iterator[Measure]:
    """Compare with the time of all bounces of a drop from h, ``sqrt(2 h / g) (1 + e) / (1 - e)``.

    Bouncing ends with the last step that has an impact or in which nothing touches. An impact at w
    would be followed by flights of ``2 e w / (g (1 - e))`` in all. Flights are lost if the impact
    is below the threshold of restitution, or if the step cannot resolve the flight's end: w is at
    most the threshold plus ``g dt / 2``. The release and the end add two steps. The height at the
    end may differ from the law's own depth by the fall in a step that the threshold leaves unsplit.
    After 0.8 s the body is still, to the accuracy of the law.
    """
    for shape in SHAPES:
        for e in (0.25, 0.5, 0.75):
            yield from _bouncing(lab, shape, e)


def _bouncing(lab: Lab, shape: str, e: float) -> Iterator[Measure]:
    body, low = SHAPES[shape]
    end = FALL * (1.0 + e) / (1.0 - e)
    sim = lab.simulator(body.at((0, 0, HEIGHT + low)), e=e)
    last = last_flight(sim, end + AFTER)
    dt, threshold = sim.time_step, sim.stepper.settings.restitution_threshold
    lost = 2.0 * e * (threshold + 0.5 * G * dt) / (G * (1.0 - e))
    of = f"{shape}, e = {e:g}"
    yield Measure(f"end of the bounces of {of}", "s", last, end, lost + 2.0 * dt)
    points = 4 if shape == "four points" else len(body.features)
    rest, unseen = low - lab.rest_depth(G / points), (threshold + 0.5 * G * dt) * dt
    yield Measure(f"height in the end of {of}", "m", float(sim.q[2]), rest, unseen)
    speed = float(abs(world_velocity(sim)[2]))
    yield Measure(f"speed in the end of {of}", "m/s", speed, 0.0, lab.accuracy + 1e-6)


def last_flight(sim: StepperSimulator, until: float) -> float:
    """Return the end of the last step [s] with an impact or in which nothing touches.

    Args:
        sim: simulator at its start.
        until: time at which to stop, [s].
    """
    last = 0.0
    while sim.time < until:
        sim.step()
        if sim.signal("impacts") > 0.0 or not sim.signal("impulse").any():
            last = sim.time
    return last


CHECK = Check("bounce_end", "End of bouncing", run, needs=(restitution,), about="impact")
