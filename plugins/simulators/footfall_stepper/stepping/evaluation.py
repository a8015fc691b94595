"""The evaluation of a world at a state: engines, rigid bodies of the core, a moving ground.

Also the method for a step's Delassus matrix: the factored inertia, or a plugin's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from footfall.errors import SettingError
from footfall.interfaces.contact import SPARSE, DelassusMethod
from footfall.interfaces.engine import Tree
from footfall.interfaces.terrain import Terrain, TerrainSample
from footfall.jit.compiling import bind
from footfall.jit.stages import Stage
from footfall.jit.tables import Table, read_only, table_of
from footfall.problem.arrays import Factor
from footfall.typing import Floats
from footfall.world.arrays import Sides, Topology
from footfall_stepper.devices.signals import Ahead
from footfall_stepper.kernels.step import stages as kernels
from footfall_stepper.kernels.tables import Evaluation
from footfall_stepper.stepping.program import StepProgram
from footfall_stepper.world.step_arrays import StateArrays
from footfall_stepper.world.world import World

BoundTree = tuple[Tree, Floats, Floats, Callable[[float], None]]
"""An engine's tree, views of q and v, and the kernel that takes over its evaluation."""
AfterSettling = Callable[[Callable[[float], None], int | None], Callable[[float], None]]
"""See ``footfall.interfaces.contact.DelassusMethod.after_settling``."""


class Trees:
    """The evaluation of every tree of a world.

    Attributes:
        bound: trees with an engine.
        ahead: trees already evaluated at the present state, for signals.
    """

    __slots__ = ("_free_bodies", "ahead", "bound")

    def __init__(
        self,
        world: World,
        arrays: StateArrays,
        table: Table,
        after_settling: AfterSettling,
        *,
        accelerations: bool,
    ) -> None:
        self.ahead: Ahead = {}
        self.bound: list[BoundTree] = []
        for index, body in enumerate(world.bodies):
            if body.tree is None:
                continue
            tree = body.tree
            evaluation = table_of(Evaluation(tree.M, tree.h, tree.S, tree.pose))
            settle = bind(kernels.settle_engine_tree, table, evaluation, index, like=(0.0,))
            q, v = arrays.q[world.q_slice(index)], arrays.v[world.v_slice(index)]
            self.bound.append((tree, q, v, after_settling(settle, index)))
        self._free_bodies: Callable[[float], None] | None = None
        if world.topology.free.any():
            free = bind(kernels.settle_free_bodies, table, accelerations, like=(0.0,))
            self._free_bodies = after_settling(free, None)

    def stages(self, program: StepProgram, *, bias: bool = False) -> list[Stage]:
        """Return the stages in which engines evaluate M, h, S and poses at the state.

        Args:
            program: the program of the stages.
            bias: after a jump of the velocity: only h changes. These stages are compiled when
                they are needed.
        """
        found: list[Stage] = []
        for index, (tree, q, v, _) in enumerate(self.bound):
            compiled = tree.compiled(q, v)
            if compiled is None:
                python = partial(tree.evaluate_bias, q, v) if bias else partial(self._ask, index)
                found.append(program.stage(python))
            elif bias:
                found.append(program.late(partial(bind, compiled.evaluate_bias, compiled.table)))
            else:
                found.append(program.stage(bind(compiled.evaluate, compiled.table)))
        return found

    def settled(self, program: StepProgram) -> list[Stage]:
        """Return the stages that take over the evaluations, and find the free velocities."""
        free = [] if self._free_bodies is None else [self._free_bodies]
        settles = [*(settle for *_, settle in self.bound), *free]
        return [program.stage(settle, program.part) for settle in settles]

    def _ask(self, index: int) -> None:
        """Evaluate a tree, unless its signals already did at this state."""
        tree, q, v, _ = self.bound[index]
        ready = self.ahead.pop(index, None)
        if ready is None or not ready():
            tree.evaluate(q, v)


class MovingGround:
    """Samples a moving ground for a step of length dt: gaps at its start, mean velocities.

    The velocity is that of mid-step, at the position to which the ground has then carried the
    mean of the link's contact features. So a sticking link follows the ground up to third order
    in dt. All features of a link are shifted alike, so a rigid ground imposes a rigid motion.
    """

    def __init__(self, terrain: Terrain, world: World) -> None:
        self._terrain, self._query, self._sample = terrain, world.candidates.query, world.sample
        self.bound = terrain.bound_over_step(self._query, world.candidates.link, self._sample)
        self._query = read_only(self._query)
        self._later = TerrainSample.allocate(world.n_contacts)
        _, self._link, self._count = np.unique(
            world.candidates.link, return_inverse=True, return_counts=True
        )

    def look(self, time: float, dt: float) -> None:
        """Overwrite the world's sample for a step from ``time`` [s]; dt = 0 for an impact."""
        terrain, query, sample = self._terrain, self._query, self._sample
        terrain.sample(time, query, sample)
        if dt > 0.0:
            half = 0.5 * dt
            terrain.sample(time + half, query + half * self._of_links(sample.velocity), self._later)
            sample.velocity[:] = self._later.velocity

    def _of_links(self, velocity: Floats) -> Floats:
        """Return for every feature the mean over its link's features."""
        sums = [np.bincount(self._link, column) for column in velocity.T]
        return (np.stack(sums, axis=1) / self._count[:, None])[self._link]


def factor_of(sides: Sides, topology: Topology) -> Factor | None:
    """Return the factor left by a world's step, in the world's own arrays.

    None if loops hold a part of ``Z Z'`` that has not been removed from Z.
    """
    if ((topology.closed > 0) & (topology.wide == 0)).any():
        return None
    spans = topology.span_start, topology.span, topology.link_tree, topology.tree_v
    return Factor(sides.link, sides.start, sides.Z, *spans, sides.product)


class SparseFactor(DelassusMethod):
    """The step's own method, from ``M = L' D L``: ``Z' Z`` with ``Z = D^-1/2 L^-T J'``."""

    name = SPARSE

    def after_settling(
        self, settle: Callable[[float], None], tree: int | None
    ) -> Callable[[float], None]:
        """Add nothing."""
        return settle

    def after_building(self, build: Callable[..., None]) -> Callable[..., None]:
        """Add nothing."""
        return build


def delassus_method(
    method: type[DelassusMethod] | Literal["sparse"], table: Table
) -> DelassusMethod:
    """Build a method for the table of a world's arrays.

    Raises:
        SettingError: if it is not a method.
    """
    cls = SparseFactor if method == SPARSE else method
    if not (isinstance(cls, type) and issubclass(cls, DelassusMethod)):
        given = f'must be "{SPARSE}" or a subclass of DelassusMethod, got {method!r}'
        raise SettingError(given, "simulation", "delassus")
    return cls(table)
