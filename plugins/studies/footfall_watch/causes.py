"""Why a run went wrong, in words: what the laws declare and what the run has measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.api.plugin import Floats
from footfall_watch.deep_starts import DEEP
from footfall_watch.places import in_words
from footfall_watch.stable_step import longest_step, theta_of

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


def cause_of_energy(sim: StepperSimulator, row: Floats) -> str:
    """Say why contacts give energy."""
    law, step = called(sim), sim.time_step
    if gives_way(sim):
        try:
            longest = longest_step(sim)
        except np.linalg.LinAlgError:  # so far away that no inertia is left
            longest = np.inf
        if step > longest:
            return f"steps of {step:g} s are longer than {law} is stable with ({longest:.2g} s)"
        how = "" if theta_of(sim) is None else f" (simulation.substeps = {2 * parts(sim)}, say)"
        return f"{law} is too stiff here for steps of {step:g} s: shorten them{how}"
    return cause_of_residual(sim, row)


def called(sim: StepperSimulator) -> str:
    """Return what resolves contacts: a law, or another simulator."""
    guest = sim.stepper.guest
    return f'simulator "{guest.name}"' if guest else f'contact "{sim.stepper.law.name}"'


def cause_of_residual(sim: StepperSimulator, row: Floats) -> str:
    """Say why a law's answers are none."""
    law = sim.stepper.law
    name = called(sim)
    if sim.layout.view(row, "solver_failures") > 0.0:
        return f"{name} failed to find an answer"
    impact = sim.stepper.impact
    if impact.acts and law.absorbs_impacts and not sim.stepper.guest:
        return f'{name} resolves impacts, impact "{impact.name}" as well: leave impact.plugin out'
    if not law.claims.slides:
        return f"{name} is a relaxation of Coulomb's law, which lifts what slides"
    if law.claims.residual is None:
        return f"{name} does not promise Coulomb's law"
    return f"{name} cannot solve it; look at masses, friction and the step ({sim.time_step:g} s)"


def parts(sim: StepperSimulator) -> int:
    """Return the number of parts that a step of the scene is made in."""
    scene = sim.provenance.resolved.get("scene")
    return round(scene["simulation"]["time_step"] / sim.time_step) if scene else 1


def cause_of_depth(sim: StepperSimulator, row: Floats) -> str:
    """Say why a body goes into what it touches."""
    if gives_way(sim):
        return f"{called(sim)} is too soft for what it carries"
    return cause_of_residual(sim, row)


def cause_of_growth(sim: StepperSimulator) -> str:
    """Say why energy grows where contacts and joints take it."""
    if lifts_out(sim):
        deepest = sim.stepper.monitor.worst_penetration
        return f"what was {in_words(deepest)} deep is lifted out: start it higher"
    scene = sim.provenance.resolved.get("scene")
    if sim.stepper.guest is not None:
        return f"{called(sim)} adds it with steps of {sim.time_step:g} s; make them shorter"
    name = f'integrator "{scene["integrator"]["plugin"]}"' if scene else "the integrator"
    return f"{name} adds it with steps of {sim.time_step:g} s; make them shorter"


def lifts_out(sim: StepperSimulator) -> bool:
    """Whether what is deep in something else is lifted out of it, which takes energy."""
    return sim.stepper.monitor.worst_penetration > DEEP and not gives_way(sim)


def gives_way(sim: StepperSimulator) -> bool:
    """Whether the contact law is one of springs and dampers."""
    return sim.stepper.law.rest_depth(1.0) > 0.0
