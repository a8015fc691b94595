"""Causes of alarms in words, from the declarations of the laws and the figures of the run."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator
from footfall_watch.deep_starts import DEEP
from footfall_watch.places import in_words
from footfall_watch.stable_step import longest_step, theta_of


def cause_of_energy(sim: StepperSimulator, row: Floats) -> str:
    """Return why contacts add energy."""
    law, step = called(sim), sim.time_step
    if gives_way(sim):
        try:
            longest = longest_step(sim)
        except np.linalg.LinAlgError:  # so far away that the inertia is lost to rounding
            longest = np.inf
        if step > longest:
            return f"steps of {step:g} s are too long for {law} (stable up to {longest:.2g} s)"
        how = "" if theta_of(sim) is None else f" (simulation.substeps = {2 * parts(sim)}, say)"
        return f"{law} is too stiff here for steps of {step:g} s: shorten them{how}"
    failed = sim.layout.view(row, "solver_failures") > 0.0
    if sim.stepper.law.claims.slides and not failed and bounces_freely(sim, row):
        return (
            f'{law} alone adds it to impacts with restitution: impact.plugin = "dissipative" cures'
        )
    return cause_of_residual(sim, row)


def bounces_freely(sim: StepperSimulator, row: Floats) -> bool:
    """Return whether a step had impacts with restitution whose energy nothing guards."""
    impact = sim.stepper.impact
    if impact.acts or impact.cuts or not sim.layout.view(row, "impacts") > 0.0:
        return False
    world, given = sim.world, [np.array([sim.stepper.terrain.greatest_restitution])]
    given += [world.candidates.restitution, world.candidates.pair_restitution]
    if world.collider is not None:
        found = world.collider.coefficients()
        given += [found.side[:, 1], found.value[:, 1]]
    return bool((np.concatenate(given) > 0.0).any())


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
        deepest = sim.stepper.monitor.worst_penetration
        return f"a body {in_words(deepest)} deep is lifted out: start it higher"
    scene = sim.provenance.resolved.get("scene")
    if sim.stepper.guest is not None:
        return f"{called(sim)} adds it with steps of {sim.time_step:g} s; shorten them"
    name = f'integrator "{scene["integrator"]["plugin"]}"' if scene else "the integrator"
    return f"{name} adds it with steps of {sim.time_step:g} s; shorten them"


def lifts_out(sim: StepperSimulator) -> bool:
    """Return whether a deep body is lifted out of another, which takes energy."""
    return sim.stepper.monitor.worst_penetration > DEEP and not gives_way(sim)


def gives_way(sim: StepperSimulator) -> bool:
    """Return whether the contact law is compliant (springs and dampers)."""
    return sim.stepper.law.rest_depth(1.0) > 0.0
