"""What has no derivative here, refused by its name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.api.contact import ForceLaw, LawState
from footfall.api.errors import SimulationError
from footfall.api.plugin import Floats

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


LAW, TERRAIN, INTEGRATOR = "coulomb", "plane", "semi_implicit_euler"
POINT, SPHERE, RIM = 0, 1, 2
STIRS = 1e-6
"""Change of a position that is not looked into, [m or rad]."""


def refuse(sim: StepperSimulator) -> None:
    """Refuse a simulator whose last step has no derivative here.

    Raises:
        SimulationError: says why.
    """
    if reason := unsupported(sim) or not_now(sim):
        raise SimulationError(f"derivatives: {reason}")


def unsupported(sim: StepperSimulator) -> str:
    """Return what of a scene has no derivative here; empty: nothing."""
    stepper, world = sim.stepper, sim.world
    if not hasattr(stepper, "law"):
        return "time is continuous: choose an integrator of time stepping"
    name, own = type(stepper.law).name, type(stepper.law).slopes is not ForceLaw.slopes
    if name != LAW and not own:
        return f'contact law "{name}" gives none: choose "{LAW}", or take footfall.step_differences'
    table = sim.provenance.resolved.get("scene", {}).get("integrator", {})
    if (name := table.get("plugin", INTEGRATOR)) != INTEGRATOR:
        return f'integrator "{name}" has none: choose "{INTEGRATOR}"'
    if stepper.impact.acts:
        return f'impact model "{stepper.impact.name}" has none: leave it out'
    if stepper.terrain.name != TERRAIN:
        return f'terrain "{stepper.terrain.name}" has none: choose "{TERRAIN}"'
    if world.loop_names:
        return f"closed loops ({world.loop_names[0]}) have none"
    if world.collider is not None:
        return "contacts that collision detection finds have none"
    if len(world.candidates.moment):
        return "torsional and rolling friction have none"
    if RIM in world.candidates.kind:
        return "rims (discs and wheels) have none: choose points or spheres"
    config: Any = getattr(stepper.law, "config", None)
    if name == LAW and (config.compliance or config.compliances):
        return "compliance of contacts has none"
    return ""


def remembering(sim: StepperSimulator) -> str:
    """Return why a run has none though each of its steps has; empty: it has."""
    law = sim.stepper.law
    if parts := [part.name for part in law.state_parts]:
        return f'contact law "{law.name}" has a state of its own ({parts[0]}), which is not covered'
    return ""


def own_slopes(sim: StepperSimulator, arrays: Mapping[str, Floats]) -> tuple[Floats, ...] | None:
    """Return the derivative that the contact law of the last step gives; None: it is ``LAW``.

    Raises:
        SimulationError: if it gives none there, or something else than the law has a part in it.
    """
    law, problem = sim.stepper.law, sim.stepper.problem
    if law.name == LAW:
        return None
    wrong = ""
    if sim.signal("impact_splits")[()] > 0:
        wrong = "in steps that impacts split"
    elif problem.report.corrects:
        wrong = "where positions are corrected (contact.position_gain = 0)"
    elif any(arrays[name].any() for name in ("restitution", "bound") if name in arrays):
        wrong = "by restitution, and by limits and friction of joints"
    state: LawState = {}
    if not wrong:
        kept = [part for part in law.state_parts if part.kind == "continuous"]
        state = {part.name: sim.signal(f"contact_{part.name}") for part in kept}
        if (found := law.slopes(problem, state)) is not None:
            rows, blocks = problem.n_rows, problem.n_blocks
            due = [(rows, rows)] * 3 + [(rows, blocks)] * 2
            if (shapes := [np.shape(a) for a in found]) == due:
                return tuple(found)
            wrong = f"of the right shapes: its slopes returned {shapes}, not {due}"
    raise SimulationError(f'derivatives: contact law "{law.name}" gives none{wrong and " "}{wrong}')


def not_now(sim: StepperSimulator) -> str:
    """Return why the last step has none; empty: it has."""
    if not math.isclose(float(sim.signal("time")), sim.time - sim.time_step, abs_tol=1e-12):
        return "make a step first, by sim.step()"
    fastest = max(float(abs(v).max(initial=0.0)) for v in (sim.v, sim.signal("v")))
    reach = STIRS + 2.0 * sim.time_step * fastest
    reach += float(sim.signal("penetration"))  # from which positions are corrected
    if abs(sim.q - sim.signal("q")).max(initial=0.0) > reach:
        return "positions have been changed since the step was made: make another step"
    return ""
