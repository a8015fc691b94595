"""Causes of alarms in words, from the declarations of the laws and the figures of the run."""

from __future__ import annotations

from contextlib import suppress
from math import ceil, inf, log2

import numpy as np

from footfall import discover
from footfall.api.contact import ImpulseLaw
from footfall.api.plugin import Capability, Floats, PluginError
from footfall_stepper.api import PRESCRIBED, StepperSimulator
from footfall_watch.deep_starts import DEEP
from footfall_watch.places import body_sizes, in_words
from footfall_watch.stable_step import longest_step, theta_of
from footfall_watch.unsteady import SHORT, Chatter

DRIVEN = 0.5
"""Work of controllers from which they are the cause, over kinetic and elastic energy, [-]."""
UNEQUAL = 1e5
"""Ratio of the masses of touching bodies from which an answer may fail by rounding, [-]."""


def cause_of(
    sim: StepperSimulator, row: Floats, chatter: Chatter, after: int, sunk: bool, excess: float
) -> str:
    """Return why the step of a row is wrong, and the cure: the first cause that the run shows.

    Args:
        sim: the simulator.
        row: row of the recording.
        chatter: what has been seen of the controllers.
        after: number of rows that it has seen after this one.
        sunk: whether bodies started inside each other or the ground.
        excess: energy from nothing over its limit; it falls with the step's square or slower.
    """
    step, stepper = sim.time_step, sim.stepper
    if step > (longest := longest_of_law(sim)):
        return f"steps of {step:g} s are too long for {called(sim)} (stable up to {longest:.2g} s)"
    if shaken := chatter.found(SHORT, after)[1] or chatter.found(after=max(0, after - SHORT))[1]:
        return shaken
    deep, deepest = lifts_out(sim, row), stepper.monitor.worst_penetration
    soft = gives_way(sim) and deepest > 0.0
    if (sunk and deep) or (deep and not unsolved(sim, row)):
        how = "start it higher" if sunk else "shorten the step"
        return f"a body {in_words(deepest / sim.world.metre)} deep is lifted out: {how}"
    if unsolved(sim, row):
        return _cause_of_residual(sim, row)
    if soft and deepest > min(body_sizes(sim), default=inf):
        return f"{called(sim)} is too soft for the weight it carries"
    if soft:
        more = 2 ** ceil(0.5 * log2(min(max(excess, 2.0), 1e4)))
        how = "" if theta_of(sim) is None else f" (simulation.substeps = {parts(sim) * more}, say)"
        how += _check_of(sim)
        return f"{called(sim)} is too stiff here for steps of {step:g} s: shorten them{how}"
    freely = not (stepper.impact.acts or stepper.impact.cuts) and stepper.law.claims.slides
    freely &= Capability.RESTITUTION in stepper.law.capabilities
    if freely and sim.layout.view(row, "impacts") > 0.0:
        cure = 'in impacts with restitution and friction: set impact.plugin = "dissipative"'
        return f"{called(sim)} alone may add energy {cure}"
    stored = sum(float(sim.layout.view(row, x)) for x in ("kinetic_energy", "elastic_energy"))
    if (work := float(sim.layout.view(row, "work"))) > DRIVEN * stored > 0.0:
        return f"the controller drives it ({work:.3g} J): check its sign, gains and delay"
    scene = sim.provenance.resolved.get("scene")
    name = f'integrator "{scene["integrator"]["plugin"]}"' if scene else "the integrator"
    name = called(sim) if stepper.guest is not None else name
    return f"{name} adds it with steps of {step:g} s; shorten them"


def fall_of(sim: StepperSimulator) -> float:
    """Return the velocity that gravity gives in a step, at least 1 mm/s, [m/s]."""
    return max(float(np.linalg.norm(sim.gravity)) * sim.time_step, 1e-3 * sim.world.metre)


def unsolved(sim: StepperSimulator, row: Floats) -> bool:
    """Return whether the answer of a row's contact problem is no answer."""
    judged = sim.stepper.guest is None and isinstance(sim.stepper.law, ImpulseLaw)
    natural = float(sim.layout.view(row, "residual_natural_map"))
    failures = float(sim.layout.view(row, "solver_failures"))
    return judged and (natural > fall_of(sim) or failures > 0.0)


def longest_of_law(sim: StepperSimulator) -> float:
    """Return the longest step that contacts which give way are stable with, [s]."""
    try:
        return longest_step(sim) if gives_way(sim) else inf
    except np.linalg.LinAlgError:  # so far away that the inertia is lost to rounding
        return inf


def called(sim: StepperSimulator) -> str:
    """Return the name of the contact law or of the other simulator."""
    guest = sim.stepper.guest
    return f'simulator "{guest.name}"' if guest else f'contact "{sim.stepper.law.name}"'


def _check_of(sim: StepperSimulator) -> str:
    """Return how to check a contact law that does not come with Footfall; "" for its own."""
    name, registry = sim.stepper.law.name, sim.provenance.registry or discover()
    with suppress(PluginError):
        if sim.stepper.guest is None and registry.contact[name].distribution != "footfall":
            return f"; if that is no cure the law errs: footfall check contact {name}"
    return ""


def _cause_of_residual(sim: StepperSimulator, row: Floats) -> str:
    """Return why an answer is wrong."""
    law, impact, name = sim.stepper.law, sim.stepper.impact, called(sim)
    topology = sim.world.topology
    masses = np.bincount(topology.link_tree, topology.mass)
    ratio = masses.max(initial=0.0) / masses[masses > 0.0].min(initial=inf)
    if ratio > UNEQUAL:
        return f"{name} fails with masses that differ by {ratio:.1g}: check the masses"
    if (topology.free == PRESCRIBED).any():
        return f"{name} cannot stop bodies that move as prescribed: they squeeze what is between"
    if impact.acts and law.absorbs_impacts:
        return f'{name} resolves impacts, impact "{impact.name}" as well: leave impact.plugin out'
    if not law.claims.slides:
        return f"{name} is a relaxation of Coulomb's law, which lifts sliding bodies"
    if law.claims.residual is None:
        return f"{name} does not promise Coulomb's law"
    cure = "shorten the step, or let it iterate longer" + _check_of(sim)
    return f"{name} failed to find an answer: {cure}"


def parts(sim: StepperSimulator) -> int:
    """Return the number of substeps in a time step of the scene."""
    scene = sim.provenance.resolved.get("scene")
    return round(scene["simulation"]["time_step"] / sim.time_step) if scene else 1


def lifts_out(sim: StepperSimulator, row: Floats) -> bool:
    """Return whether a deep body is lifted out of another, which takes energy."""
    deep = float(sim.layout.view(row, "penetration")) > DEEP * sim.world.metre
    return deep and not gives_way(sim)


def gives_way(sim: StepperSimulator) -> bool:
    """Return whether the contact law is compliant (springs and dampers)."""
    return sim.stepper.law.rest_depth(1.0) > 0.0
