"""Causes of alarms in words, from the declarations of the laws and the figures of the run."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Capability, Floats
from footfall_stepper.api import StepperSimulator
from footfall_watch.deep_starts import DEEP
from footfall_watch.places import in_words
from footfall_watch.stable_step import longest_step, theta_of


def cause_of_energy(sim: StepperSimulator, row: Floats) -> str:
    """Return why contacts add energy."""
    law, step, stepper = called(sim), sim.time_step, sim.stepper
    if gives_way(sim):
        try:
            longest = longest_step(sim)
        except np.linalg.LinAlgError:  # so far away that the inertia is lost to rounding
            longest = np.inf
        if step > longest:
            return f"steps of {step:g} s are too long for {law} (stable up to {longest:.2g} s)"
        how = "" if theta_of(sim) is None else f" (simulation.substeps = {2 * parts(sim)}, say)"
        return f"{law} is too stiff here for steps of {step:g} s: shorten them{how}"
    impact, can = stepper.impact, stepper.law.capabilities
    freely = not (impact.acts or impact.cuts) and Capability.RESTITUTION in can
    impacts, failures = (sim.layout.view(row, name) for name in ("impacts", "solver_failures"))
    if freely and stepper.law.claims.slides and impacts > 0.0 and failures == 0.0:
        cure = 'set impact.plugin = "dissipative"'
        return f"{law} alone may add energy in impacts with restitution and friction: {cure}"
    return cause_of_residual(sim, row)


def called(sim: StepperSimulator) -> str:
    """Return the name of the contact law or of the other simulator."""
    guest = sim.stepper.guest
    return f'simulator "{guest.name}"' if guest else f'contact "{sim.stepper.law.name}"'


def cause_of_residual(sim: StepperSimulator, row: Floats) -> str:
    """Return why a law's answers are wrong."""
    law = sim.stepper.law
    name = called(sim)
    if sim.layout.view(row, "solver_failures") > 0.0:
        return f"{name} failed to find an answer"
    impact = sim.stepper.impact
    if impact.acts and law.absorbs_impacts and not sim.stepper.guest:
        return f'{name} resolves impacts, impact "{impact.name}" as well: leave impact.plugin out'
    if not law.claims.slides:
        return f"{name} is a relaxation of Coulomb's law, which lifts sliding bodies"
    if law.claims.residual is None:
        return f"{name} does not promise Coulomb's law"
    return f"{name} cannot solve it; check masses, friction and the step ({sim.time_step:g} s)"


def parts(sim: StepperSimulator) -> int:
    """Return the number of substeps in a time step of the scene."""
    scene = sim.provenance.resolved.get("scene")
    return round(scene["simulation"]["time_step"] / sim.time_step) if scene else 1


def cause_of_depth(sim: StepperSimulator, row: Floats) -> str:
    """Return why a body penetrates another one or the ground."""
    if gives_way(sim):
        return f"{called(sim)} is too soft for the weight it carries"
    return cause_of_residual(sim, row)


def cause_of_growth(sim: StepperSimulator) -> str:
    """Return why energy grows although contacts and joints dissipate it."""
    if lifts_out(sim):
        deepest = sim.stepper.monitor.worst_penetration / sim.world.metre
        return f"a body {in_words(deepest)} deep is lifted out: start it higher"
    scene = sim.provenance.resolved.get("scene")
    if sim.stepper.guest is not None:
        return f"{called(sim)} adds it with steps of {sim.time_step:g} s; shorten them"
    name = f'integrator "{scene["integrator"]["plugin"]}"' if scene else "the integrator"
    return f"{name} adds it with steps of {sim.time_step:g} s; shorten them"


def lifts_out(sim: StepperSimulator) -> bool:
    """Return whether a deep body is lifted out of another, which takes energy."""
    deep = sim.stepper.monitor.worst_penetration > DEEP * sim.world.metre
    return deep and not gives_way(sim)


def gives_way(sim: StepperSimulator) -> bool:
    """Return whether the contact law is compliant (springs and dampers)."""
    return sim.stepper.law.rest_depth(1.0) > 0.0
