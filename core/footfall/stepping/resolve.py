"""Find the impulse of one step, however the law states it."""

from __future__ import annotations

from abc import ABC, abstractmethod

from footfall.interfaces.contact import ForceLaw, ImpulseLaw, LawState
from footfall.jit.compiling import bind
from footfall.kernels.continuous.rates import hold
from footfall.kernels.tables import Table, table_of
from footfall.problem.contact_problem import ContactProblem
from footfall.stepping.law_arrays import continuous_places, law_state, rate_arrays
from footfall.typing import Floats
from footfall.world.state import State


class Resolve(ABC):
    """Finds the impulse of one step, however the law states it."""

    @abstractmethod
    def __call__(self, dt: float) -> None:
        """Overwrite the problem's impulse for a step of length dt."""


class ResolveImpulse(Resolve):
    """For laws that state impulses."""

    def __init__(self, law: ImpulseLaw, problem: ContactProblem, state: LawState) -> None:
        self._law, self._problem, self._state = law, problem, state

    def __call__(self, dt: float) -> None:
        """Let the law overwrite the impulse."""
        self._law.solve(self._problem, self._state)


class ResolveForce(Resolve):
    """For laws that state forces: held over the step, their own state advanced with it."""

    def __init__(
        self, law: ForceLaw, problem: ContactProblem, state: State, energy: Floats
    ) -> None:
        rate = State(state.parts, state.room)
        self._law, self._problem, self._state = law, problem, law_state(law, state)
        self._arrays = rate_arrays(state, rate, problem, continuous_places(state, "contact."))
        self._force = law.bound(problem, self._state, law_state(law, rate), self._arrays.force)
        self._springs = type(law).stored_energy is not ForceLaw.stored_energy
        self._growing = _growing_parts(law, state, rate)
        self._energy = energy

    def bind(self, table: Table) -> None:
        """Bind the kernel that holds the force, once the world's table is there."""
        self._hold = bind(hold, table, table_of(self._arrays), like=(0.0,))

    def measure(self) -> None:
        """Ask the law for the energy that its springs hold."""
        if self._springs:
            self._energy[6] = self._law.stored_energy(self._problem, self._state)

    def __call__(self, dt: float) -> None:
        """Turn the law's force into an impulse, and advance the law's own state."""
        self._force()
        self.measure()
        self._hold(float(dt))
        for values, rates in self._growing:
            values += dt * rates


def _growing_parts(law: ForceLaw, state: State, rate: State) -> list[tuple[Floats, Floats]]:
    """Return what a law integrates per contact where contacts come and go, and its rates."""
    grows = {part.name for part in state.parts if part.grows}
    names = [f"contact.{part.name}" for part in law.state_parts if part.kind == "continuous"]
    return [(state[name], rate[name]) for name in names if name in grows]
