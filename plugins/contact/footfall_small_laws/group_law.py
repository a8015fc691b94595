"""A law that solves one collision group after another, each as a dense problem, in one kernel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

from footfall.api.advanced import point_at
from footfall.api.contact import ContactProblem, ImpulseLaw, LawState
from footfall.api.kernels import Table, bind, table_of
from footfall.api.plugin import SolverError
from footfall_small_laws.kernels import DenseGroups, Progress

FIRST_CONTACTS = 8
"""Contacts of a group for which there is room at first; more room is made when it is needed."""


class GroupLaw(ImpulseLaw):
    """A law that is one kernel of dense problems.

    Handles gaps that close, rebounds, removal of penetration by split impulses, one collision group
    after another, and the report.

    Attributes:
        kernel: called with the problem's table, and that of ``DenseGroups`` and the law's own
            arrays. It solves ``first_group`` and each ``next_group``; true if one is -1.
        config: settings; ``margin`` and ``tolerance`` are among them.
    """

    kernel: ClassVar[Callable[..., Any]]
    config: Any

    _problem: ContactProblem | None = None
    _groups: DenseGroups
    _table: Table
    _solve: Callable[[], Any]

    @abstractmethod
    def own_arrays(self, groups: DenseGroups) -> tuple[Any, ...]:
        """Return named tuples of the arrays that the kernel needs beside those of the groups."""

    @property
    def margin(self) -> float:
        """Gap up to which a point enters the problem, [m]."""
        return float(self.config.margin)

    def bound(self, problem: ContactProblem, state: LawState) -> Callable[[], object]:
        """Bind the kernel to a problem's arrays."""
        self._problem = problem
        self._table = self._room(min(FIRST_CONTACTS, problem.arrays.kind.size))
        self._solve = bind(type(self).kernel, problem.table, self._table)
        return self._solve

    def _room(self, contacts: int) -> Table:
        """Allocate room for groups of up to this number of contacts."""
        assert self._problem is not None
        self._groups = DenseGroups.allocate(self._problem, contacts, self.config.tolerance)
        return table_of(self._groups, *self.own_arrays(self._groups))

    def solve(self, problem: ContactProblem, state: LawState) -> None:
        """Overwrite the impulses, [N s]; split impulses remove penetration.

        Raises:
            SolverError: if the problem is not finite, or W cannot be a Delassus matrix.
        """
        if problem is not self._problem:
            self.bound(problem, state)
        if self._solve():
            self.go_on()

    def go_on(self) -> None:
        """Make room for a larger group and solve again, or raise the reason.

        Raises:
            SolverError: if the problem is not finite, W cannot be a Delassus matrix, or an answer
                is not finite.
        """
        problem = self._problem
        assert problem is not None
        need = int(self._groups.progress[Progress.NEED])
        if need > 0:
            most = max(need, min(2 * len(self._groups.mu), problem.arrays.kind.size))
            point_at(self._table, self._room(most))
            if not self._solve():
                return
        problem.require_finite(self.name)
        for blocks in problem.groups():
            problem.sound_delassus(blocks, self.name)
        raise SolverError(f"{self.name}: the impulses grow without bound")
