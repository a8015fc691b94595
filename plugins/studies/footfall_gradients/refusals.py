"""Checks that reject steps and scenes without derivatives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Protocol, cast
from weakref import WeakKeyDictionary

import numpy as np

from footfall.api.contact import ForceLaw, LawState
from footfall.api.plugin import Floats, SimulationError
from footfall_stepper.api import Commands, StepperSimulator, TimeStepping, World


class CoulombSettings(Protocol):
    """Settings of the contact law ``LAW`` that its derivative depends on."""

    tolerance: float
    position_gain: float
    position_slop: float
    compliance: float
    compliances: Mapping[str, float]


class _Coulomb(Protocol):
    config: CoulombSettings


LAW, HOLDING = "coulomb", "inelastic"
"""The contact law whose modes are known, and the impact model that stops all contacts."""

_KNOWN: WeakKeyDictionary[World, tuple[object, str]] = WeakKeyDictionary()
"""Last result of ``unsupported`` by world, with its scene."""


def refuse(sim: StepperSimulator) -> None:
    """Reject a simulator whose last step has no derivative.

    Raises:
        SimulationError: with the reason.
    """
    scene, (known, reason) = sim.provenance.resolved, _KNOWN.get(sim.world, (None, ""))
    if known is not scene:  # tuning replaces it
        reason = unsupported(sim)
        _KNOWN[sim.world] = scene, reason
    if reason := reason or not_now(sim):
        raise SimulationError(f"derivatives: {reason}")


def unsupported(sim: StepperSimulator) -> str:
    """Return why a scene has no derivatives; empty if it has."""
    stepper, world = sim.stepper, sim.world
    if not isinstance(stepper, TimeStepping):
        name = sim.provenance.resolved.get("scene", {}).get("integrator", {}).get("plugin", "")
        return f'integrator "{name}" in continuous time has none: choose "moreau_midpoint"'
    if stepper.guest is not None:
        return f'simulator "{stepper.guest.name}" gives none: choose simulator.plugin = "footfall"'
    name, own = type(stepper.law).name, type(stepper.law).slopes is not ForceLaw.slopes
    if name != LAW and not own:
        return f'contact law "{name}" gives none: choose "{LAW}", or use footfall.step_differences'
    if reason := of_impacts(stepper):
        return reason
    if rubbing := [body.rubbing for body in world.bodies if body.rubbing]:
        return f"friction that the drive of {rubbing[0]} sets in each step has none"
    if world.moments:
        return "torsional and rolling friction have none"
    if world.directed:
        return "friction by direction has none"
    if name == LAW:
        settings = coulomb_settings(sim)
        if settings.compliance or settings.compliances:
            return "compliance of contacts has none"
    return ""


def of_impacts(stepper: TimeStepping) -> str:
    """Return why a scene's impacts have no derivatives; empty if they have."""
    model, config = stepper.impact, getattr(stepper.impact, "config", None)
    newton = getattr(config, "hypothesis", "") == "newton"
    if not model.acts:
        return ""
    if model.name != HOLDING and not (model.name == "restitution" and newton):
        by = ' with hypothesis "poisson"' if model.name == "restitution" else ""
        return f'impact model "{model.name}"{by} has none: leave it out'
    if stepper.law.name != LAW:
        return f'impact models have none beside contact law "{stepper.law.name}"'
    if stepper.settings.impact_order == "after_contact":
        return 'impacts with impact_order = "after_contact" have none'
    if float(getattr(config, "damping", 0.0)):
        return f'impact model "{model.name}" with damping has none'
    return ""


def coulomb_settings(sim: StepperSimulator) -> CoulombSettings:
    """Return the settings of a simulator's contact law, if it is ``LAW``."""
    return cast("_Coulomb", sim.stepper.law).config


def drive_memory(sim: StepperSimulator) -> str:
    """Return the name of a part of the state that a drive remembers; empty if there is none."""
    return next((p.name for p in sim.state.parts if p.name.startswith("actuator.")), "")


def remembering(sim: StepperSimulator) -> str:
    """Return why a run has no derivatives although its steps have them; empty if it has."""
    if part := drive_memory(sim):
        return f"a drive remembers ({part}): not supported"
    law = sim.stepper.law
    if parts := [part.name for part in law.state_parts]:
        return f'contact law "{law.name}" has a state of its own ({parts[0]}): not supported'
    return ""


def own_slopes(
    sim: StepperSimulator, arrays: Mapping[str, Floats], split: bool
) -> CoulombSettings | tuple[Floats, ...]:
    """Return the derivative given by the last step's contact law, or the settings of ``LAW``.

    Args:
        sim: simulator that has made the step, or a part of it.
        arrays: derivatives of the world's numbers by parameters.
        split: whether impacts have split the step.

    Raises:
        SimulationError: if the law gives none, or something else contributes.
    """
    law, problem = sim.stepper.law, sim.stepper.problem
    if law.name == LAW:
        return coulomb_settings(sim)
    wrong = ""
    if split:
        wrong = "in steps split by impacts"
    elif problem.report.corrects:
        wrong = "while positions are corrected (set contact.position_gain = 0)"
    elif sim.world.joint_rows.acting.any():
        wrong = "while limits or friction of joints act, as its springs"
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
    """Return why the last step has no derivative; empty if it has."""
    if not math.isclose(float(sim.signal("time")), sim.time - sim.time_step, abs_tol=1e-12):
        return "make a step first with sim.step()"
    if sim.stepper.program.source == Commands.MIXED and sim.driving.drives:
        return "torques of some joints, through drives: not supported"
    return ""
