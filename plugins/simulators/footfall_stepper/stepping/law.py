"""The law in a step: its views of the state, its answer as an impulse, its record."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.interfaces.contact import (
    ContactModel,
    ForceLaw,
    ImpactModel,
    ImpulseLaw,
    LawState,
)
from footfall.interfaces.plugin import Capability, StatePart, bound_call
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage
from footfall.jit.tables import Table, allocated, table_of
from footfall.problem.contact_problem import ContactProblem
from footfall.recording.layout import Layout, Variable
from footfall.typing import Floats, Ints
from footfall.world.arrays import Energy
from footfall_stepper.kernels.continuous.rates import grow, hold
from footfall_stepper.kernels.step.row import write_scaled
from footfall_stepper.kernels.tables import RateArrays
from footfall_stepper.stepping.program import StepProgram
from footfall_stepper.stepping.settings import StepSettings
from footfall_stepper.world.state import State, own_numbers, own_parts
from footfall_stepper.world.step_arrays import NEVER

STANDARD_GRAVITY = 9.80665
"""[m/s^2]"""
QUADRATURES = "quadratures"
"""Part of the state: work, loss in joints, and work of contact forces since the tick began, [J]."""


def law_state(law: ContactModel, state: State) -> LawState:
    """Return the views of the parts of the state owned by a law."""
    return {part.name: own_parts(state)[f"contact.{part.name}"] for part in law.state_parts}


def is_compliant(law: ContactModel) -> bool:
    """Return whether resting points penetrate the ground, so that the law itself stops impacts."""
    return law.rest_depth(1.0) > 0.0


def departure_speed(law: ContactModel, impact: ImpactModel, threshold: float) -> float:
    """Return the speed over e from which rising restituting points stay out of a problem.

    A rigid law for forces holds the acceleration of a touching point at any velocity, and would
    hold a body just thrown up by an impact, with at least e times the threshold.
    """
    throws = impact.acts and Capability.RESTITUTION in impact.capabilities
    if throws and isinstance(law, ForceLaw) and not is_compliant(law):
        return threshold
    return NEVER


def slowest_located(law: ContactModel, impact: ImpactModel, settings: StepSettings) -> float:
    """Return the approach speed from which an impact without restitution is located, [m/s].

    It is the speed gained by falling for one step. A slower point was on the ground within the
    step before, and would have come to rest in it. A law of impulses that first closes the gap, and
    stops the remaining approach in the next step, applies Coulomb's law twice in one impact.
    Compliant contact takes time: only impacts that an impact model stops are located.
    """
    stops = impact.acts or (isinstance(law, ImpulseLaw) and not is_compliant(law))
    before = settings.impact_order == "before_contact" and settings.max_impact_splits > 0
    return STANDARD_GRAVITY * settings.metre * settings.time_step if stops and before else NEVER


def unsplit(law: ContactModel, impact: ImpactModel, settings: StepSettings) -> str:
    """Return why steps are not split at all impacts, in words; empty if they are."""
    if settings.max_impact_splits == 0:
        return "simulation.max_impact_splits is 0"
    if settings.impact_order != "before_contact":
        return f'simulation.impact_order is "{settings.impact_order}"'
    stops = slowest_located(law, impact, settings) < NEVER
    return "" if stops else f'contact "{law.name}" stops nothing at once: use shorter steps'


def continuous_places(state: State, prefix: str = "") -> Ints:
    """Return the indices in the state's vector of continuous parts whose names have a prefix."""
    at, places = 0, []
    for part in state.parts:
        if part.grows:
            continue
        size = int(np.prod(part.shape))
        if part.kind == "continuous" and part.name.startswith(prefix):
            places.append(np.arange(at, at + size))
        at += size
    return np.concatenate(places).astype(np.int64) if places else np.zeros(0, np.int64)


def rate_arrays(state: State, rate: State, problem: ContactProblem, places: Ints) -> RateArrays:
    """Build the arrays of rates.

    Args:
        state: the simulation's.
        rate: rates of the same parts.
        problem: the contact problem of the forces.
        places: indices of the entries of x in the state's vector.
    """
    candidates, nv = len(state["touching"]), len(state["v"])
    return allocated(
        RateArrays,
        nv,
        place=places,
        vector=own_numbers(state)[0],
        rate=own_numbers(rate)[0],
        q=rate["q"],
        v=rate["v"],
        power=own_parts(rate)[QUADRATURES] if QUADRATURES in rate else np.zeros(3),
        force=problem.arrays.impulse.size,
        switching=(candidates, 2),
        mode=candidates,
        last=(candidates, 6),
        total=(candidates, 6),
    )


def recorded_parts(law: ContactModel) -> tuple[StatePart, ...]:
    """Return the recorded parts of a law's state: those it integrates, per contact."""
    return tuple(p for p in law.state_parts if p.per == "contact" and p.kind == "continuous")


def law_variables(law: ContactModel, contacts: int) -> tuple[Variable, ...]:
    """Return the variables of a law's state at its contacts."""
    return tuple(
        Variable(
            f"contact_{part.name}",
            ("contact", f"contact_{part.name}_component"),
            (contacts, part.width),
            part.units,
            f"{part.name} of the contact law {law.name} at the start of the step",
        )
        for part in recorded_parts(law)
    )


def record_stages(
    law: ContactModel, state: State, layout: Layout, program: StepProgram
) -> Iterator[Stage]:
    """Yield the stage that writes a law's integrated state at declared contacts to the row."""
    for part in recorded_parts(law):
        place = layout.slice_of(f"contact_{part.name}")
        values = own_parts(state)[f"contact.{part.name}"].reshape(-1)[: place.stop - place.start]
        write = bind(write_scaled, values, np.ones(len(values)), place.start, like=(np.zeros(1),))
        yield program.stage(write, program.row)


class ResolveImpulse:
    """The answer of laws that compute impulses.

    Attributes:
        written: arrays that the law must write, by name.
    """

    def __init__(self, law: ImpulseLaw, problem: ContactProblem, state: LawState) -> None:
        self._bound, arrays = bound_call(law, "solve", problem, state), problem.arrays
        self.written = {f"problem.{k}": getattr(arrays, k) for k in ("offset", "correction")}

    def stages(self, program: StepProgram, table: Table) -> list[Stage]:
        """Return the stage that finds the impulse in a world with this table."""
        return [program.stage(self._bound)]


class ResolveForce:
    """The answer of laws that compute forces: held over the step, with their state advanced.

    Attributes:
        written: arrays that the law must write, by name.
    """

    def __init__(
        self, law: ForceLaw, problem: ContactProblem, state: State, energy: Floats
    ) -> None:
        rate = State(state.parts, state.room)
        own = law_state(law, state)
        self._arrays = rate_arrays(state, rate, problem, continuous_places(state, "contact."))
        rates = law_state(law, rate)
        self._force = bound_call(law, "force", problem, own, rates, self._arrays.force)
        self.written = {"out": self._arrays.force}
        self._springs = type(law).stored_energy is not ForceLaw.stored_energy
        self._growing = _growing_parts(law, state, rate)
        elastic = energy[Energy.ELASTIC : Energy.ELASTIC + 1]
        self._store = bound_call(law, "stored_energy", problem, own, elastic, bound="bound_energy")

    def stages(self, program: StepProgram, table: Table) -> list[Stage]:
        """Return the stages that find the impulse in a world with this table."""
        hold_force = bind(hold, table, table_of(self._arrays), like=(0.0,))
        springs = [program.stage(self._store)] if self._springs else []
        held = [program.stage(hold_force, program.part)]
        grows = [bind(grow, *part, like=(0.0,)) for part in self._growing]
        grown = [program.stage(advance, program.part) for advance in grows]
        return [program.stage(self._force), *springs, *held, *grown]

    def measure(self) -> None:
        """Update the energy stored in the law's springs."""
        if self._springs:
            self._store()


def _growing_parts(law: ForceLaw, state: State, rate: State) -> list[tuple[Floats, Floats]]:
    """Return a law's per-contact integrated state if contacts come and go, and its rates."""
    grows = {part.name for part in state.parts if part.grows}
    names = [f"contact.{part.name}" for part in law.state_parts if part.kind == "continuous"]
    return [(own_parts(state)[name], own_parts(rate)[name]) for name in names if name in grows]
