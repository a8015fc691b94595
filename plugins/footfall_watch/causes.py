"""Why a run went wrong, in words: what the laws declare and what the run has measured."""

from __future__ import annotations

from footfall import Simulator
from footfall.api.plugin import Floats
from footfall_watch.stable_step import longest_step, theta_of


def cause_of_energy(sim: Simulator, row: Floats) -> str:
    """Say why contacts give energy."""
    law, step = f'contact "{sim.stepper.law.name}"', sim.time_step
    if gives_way(sim):
        longest = longest_step(sim)
        if step > longest:
            return f"steps of {step:g} s are longer than {law} is stable with ({longest:.2g} s)"
        how = "" if theta_of(sim) is None else f" (simulation.substeps = {2 * parts(sim)}, say)"
        return f"{law} is too stiff here for steps of {step:g} s: shorten them{how}"
    return cause_of_residual(sim, row)


def cause_of_residual(sim: Simulator, row: Floats) -> str:
    """Say why a law's answers are none."""
    law = sim.stepper.law
    name = f'contact "{law.name}"'
    if sim.layout.view(row, "solver_failures") > 0.0:
        return f"{name} failed to find an answer"
    if not law.claims.slides:
        return f"{name} is a relaxation of Coulomb's law, which lifts what slides"
    if law.claims.residual is None:
        return f"{name} does not promise Coulomb's law"
    return f"{name} cannot solve it; look at masses, friction and the step ({sim.time_step:g} s)"


def parts(sim: Simulator) -> int:
    """Return the number of parts that a step of the scene is made in."""
    scene = sim.provenance.resolved.get("scene")
    return round(scene["simulation"]["time_step"] / sim.time_step) if scene else 1


def cause_of_depth(sim: Simulator, row: Floats) -> str:
    """Say why a body goes into what it touches."""
    if gives_way(sim):
        return f'contact "{sim.stepper.law.name}" is too soft for what it carries'
    return cause_of_residual(sim, row)


def cause_of_growth(sim: Simulator) -> str:
    """Say why energy grows where contacts and joints take it."""
    scene = sim.provenance.resolved.get("scene")
    name = f'integrator "{scene["integrator"]["plugin"]}"' if scene else "the integrator"
    return f"{name} adds it with steps of {sim.time_step:g} s; make them shorter"


def gives_way(sim: Simulator) -> bool:
    """Whether the contact law is one of springs and dampers."""
    return sim.stepper.law.rest_depth(1.0) > 0.0
