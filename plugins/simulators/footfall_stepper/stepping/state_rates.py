"""The time derivative of a world's state under a law of force: engine, ground, law, kernels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from footfall.interfaces.contact import ForceLaw, Need
from footfall.interfaces.plugin import bound_call
from footfall.interfaces.terrain import Terrain
from footfall.jit.compiling import bind
from footfall.jit.tables import Table, table_of
from footfall.problem.contact_problem import ContactProblem
from footfall.typing import Floats
from footfall.world.arrays import Energy
from footfall_stepper.devices.signals import Ahead
from footfall_stepper.kernels.continuous import rates as kernels
from footfall_stepper.kernels.step.stages import build_jdot_v
from footfall_stepper.kernels.tables import Evaluation
from footfall_stepper.stepping.law import continuous_places, law_state, rate_arrays
from footfall_stepper.stepping.loops import ContinuousLoops, NoLoops
from footfall_stepper.world.state import State
from footfall_stepper.world.world import World

Put = Callable[[float, bool], None]
BoundTree = tuple[Callable[[Floats, Floats], None], Floats, Floats, Put]
"""An engine's evaluation, views of q and v, and the kernel that takes over the result."""


class WorldRates:
    """The function ``rates(t, x)`` of a world, and the modes of its contacts at the last x.

    Attributes:
        start: time of the tick's start, [s]; t counts from there.
        arrays: output of the kernels of rates.
        table: their addresses.
        reference: shape (candidates,), modes to compare with those of an evaluation.
        other: whether an evaluation had other modes since this was last set to False.
        evaluations: number so far.
        chains: the treatment of closed loops.
        ahead: trees already evaluated at the present state, for signals.
    """

    def __init__(
        self, world: World, state: State, law: ForceLaw, terrain: Terrain, tick: float
    ) -> None:
        self._world, self._law, self._terrain = world, law, terrain
        self.problem = ContactProblem(world.problem)
        self.ahead: Ahead = {}
        self._tick, rate = tick, State(state.parts)
        self.arrays = rate_arrays(state, rate, self.problem, continuous_places(state))
        self.table: Table = table_of(self.arrays)
        self.start, self.other, self.evaluations = 0.0, False, 0
        self.reference = np.zeros(world.n_contacts)
        self._state = law_state(law, state)
        rates = law_state(law, rate)
        self._force = bound_call(law, "force", self.problem, self._state, rates, self.arrays.force)
        self._springs = type(law).stored_energy is not ForceLaw.stored_energy
        self._last: Floats | None = None

    @property
    def size(self) -> int:
        """Number of entries of x."""
        return len(self.arrays.place)

    def bind(self, table: Table, state: State) -> None:
        """Compile the kernels and bind the addresses of the world's arrays to them."""
        mine, x, law = self.table, np.zeros(self.size), self._law
        pairs = Need.DELASSUS in law.needs
        self._put = bind(kernels.put, table, mine, like=(x, self._tick, True))
        meet = bind(kernels.meet, table, mine, like=(float(law.margin), self._tick, True))
        self._meet = partial(meet, float(law.margin), self._tick, pairs)
        self._leave = bind(kernels.leave, table, mine, like=(x,))
        self._sample = self._terrain.bound(self._world.candidates.query, self._world.sample)
        self._differs = bind(kernels.differs, mine, like=(self.reference,))
        self._trees = [
            self._bind_tree(table, state, index)
            for index, body in enumerate(self._world.bodies)
            if body.tree
        ]
        self.chains = (
            ContinuousLoops(self._world, table, mine) if self._world.loop_names else NoLoops()
        )
        needs_bias = Need.JDOT_V in law.needs
        self._bias: Callable[[], None] | None = bind(build_jdot_v, table) if needs_bias else None

    def _bind_tree(self, table: Table, state: State, index: int) -> BoundTree:
        tree, world = self._world.bodies[index].tree, self._world
        assert tree is not None
        evaluation = table_of(Evaluation(tree.M, tree.h, tree.S, tree.pose))
        like = (self._tick, True)
        put = bind(kernels.put_tree, table, self.table, evaluation, index, like=like)
        q, v = state["q"][world.q_slice(index)], state["v"][world.v_slice(index)]
        return tree.evaluate, q, v, put

    def __call__(self, t: float, x: Floats) -> Floats:
        """Return the derivative of x, a new array."""
        self._evaluate(t, x, False)
        out = np.empty(len(x))
        self._leave(out)
        return out

    def first(self, x: Floats) -> Floats:
        """Return the derivative at the start of a tick; also evaluate all energies there."""
        self._evaluate(0.0, x, True)
        self._world.dynamics.energy[Energy.ELASTIC] = self.stored()
        out = np.empty(len(x))
        self._leave(out)
        return out

    def changes(self, t: float, x: Floats) -> bool:
        """Return whether the contacts' modes at x differ from the reference; set ``arrays.mode``.

        If x is the last evaluated one, it is not evaluated again.
        """
        if x is not self._last:
            self._evaluate(t, x, False)
        return bool(self._differs(self.reference))

    def stored(self) -> float:
        """Return the energy that the law's springs hold at the last x, [J]."""
        return self._law.stored_energy(self.problem, self._state) if self._springs else 0.0

    def _evaluate(self, t: float, x: Floats, energies: bool) -> None:
        """Compute the law's force and the contacts' modes from x."""
        tick = self._tick
        self.evaluations += 1
        self._last = None
        self._put(x, tick, energies)
        for index, (evaluate, q, v, put) in enumerate(self._trees):
            if not (self.ahead and index in self.ahead and self.ahead[index]()):
                evaluate(q, v)
            put(tick, energies)
        self.ahead.clear()
        self.chains.settle(tick)
        self._sample(self.start + t)
        self._meet()
        if self._bias is not None:
            self._bias()
        if self._force():
            self._law.go_on()
        self._law.switching(self.problem, self._state, self.arrays.switching)
        if self._differs(self.reference):
            self.other = True
        self._last = x
