"""The contact problem, the interface between dynamics and contact laws. Arrays only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import SolverError
from footfall.jit.tables import Table, read_only, table_of
from footfall.problem.arrays import BlockKind, ProblemArrays, ProblemReport, ProblemSize, allocate
from footfall.problem.soundness import symmetrised
from footfall.typing import Floats, Ints

if TYPE_CHECKING:
    from footfall.jit.stages import LateStage
    from footfall.problem.arrays import Factor

CLOSES = np.array([kind in (BlockKind.CONE, BlockKind.UNILATERAL) for kind in BlockKind])
"""For each kind of block: whether it has a gap, closed by its last row."""

OUTPUTS = ("impulse", "offset", "correction", "report")
"""Arrays of a problem that a law or an impact model may write to."""


class Report:
    """The report of a law or an impact model on its answer: a view of ``problem.report``."""

    __slots__ = ("_values",)

    def __init__(self, values: Floats) -> None:
        self._values = values

    @property
    def iterations(self) -> float:
        """Iterations that the answer took, [-]."""
        return float(self._values[ProblemReport.ITERATIONS])

    @iterations.setter
    def iterations(self, value: float) -> None:
        self._values[ProblemReport.ITERATIONS] = value

    @property
    def residual(self) -> float:
        """Residual of the law's own equations, [m/s]."""
        return float(self._values[ProblemReport.RESIDUAL])

    @residual.setter
    def residual(self, value: float) -> None:
        self._values[ProblemReport.RESIDUAL] = value

    @property
    def failed(self) -> bool:
        """Whether the answer is not a solution; it is applied, and the failure is counted."""
        return bool(self._values[ProblemReport.FAILED])

    @failed.setter
    def failed(self, value: bool) -> None:
        self._values[ProblemReport.FAILED] = value

    @property
    def corrects(self) -> bool:
        """Whether ``correction`` is not zero; for an impact: whether its restitution was cut."""
        return bool(self._values[ProblemReport.CORRECTS])

    @corrects.setter
    def corrects(self, value: bool) -> None:
        self._values[ProblemReport.CORRECTS] = value

    def write(
        self,
        iterations: float = 0.0,
        residual: float = 0.0,
        *,
        failed: bool = False,
        corrects: bool = False,
    ) -> None:
        """Overwrite the whole report; without arguments, with that of a closed-form answer."""
        self._values[:] = iterations, residual, failed, corrects


class ContactProblem:
    """A contact problem ``u = W r + free_velocity + offset`` over typed blocks.

    Kernels take ``arrays``; everything else uses the trimmed views below (no copies, valid until
    the next step).

    Attributes:
        arrays: the storage.
        factor: a factor of the Delassus matrix, if one is known.
        report: the law's report on its answer, by name.
        rest: the stage that ``arrays.rest`` calls, if there is one.
    """

    __slots__ = ("_blocks", "_rows", "_table", "arrays", "factor", "report", "rest")

    def __init__(
        self, arrays: ProblemArrays, factor: Factor | None = None, rest: LateStage | None = None
    ) -> None:
        self.arrays, self.factor, self.report = arrays, factor, Report(arrays.report)
        self.rest = rest
        self._table: Table | None = None
        # Views: Python takes longer to read a member of an enumeration than a number.
        self._blocks = arrays.size[ProblemSize.BLOCKS :]
        self._rows = arrays.size[ProblemSize.ROWS :]

    @property
    def table(self) -> Table:
        """The arrays' addresses, for kernels that open them with ``problem_from_arrays``."""
        if self._table is None:
            self._table = table_of(self.arrays)
        return self._table

    def shown(self) -> ContactProblem:
        """Return the same problem with read-only arrays but for its outputs."""
        kept = {name: getattr(self.arrays, name) for name in OUTPUTS}
        return ContactProblem(read_only(self.arrays)._replace(**kept), self.factor, self.rest)

    @classmethod
    def from_dense(
        cls,
        W: Floats,
        free_velocity: Floats,
        mu: Floats,
        *,
        velocity: Floats | None = None,
        restitution: Floats | None = None,
        gap: Floats | None = None,
        dt: float = 1e-3,
        impulsive: bool = False,
        kinds: tuple[BlockKind, ...] | None = None,
        sizes: tuple[int, ...] | None = None,
        bounds: Floats | None = None,
    ) -> ContactProblem:
        """Build a problem from a hand-written Delassus matrix, without a robot.

        Args:
            W: shape (rows, rows), Delassus matrix, symmetric positive semidefinite.
            free_velocity: shape (rows,), [m/s].
            mu: shape (blocks,), friction coefficient of each block.
            velocity: shape (rows,), J v at the start of the step; default ``free_velocity``.
            restitution: shape (blocks,); default 0.
            gap: shape (blocks,), [m]; default 0.
            dt: [s].
            impulsive: whether it is an impact (no time passes).
            kinds: one per block; default all ``CONE``. A ``MOMENT`` belongs to the block before it.
            sizes: rows of each block; default 3 for cones and 1 for others. Only an ``EQUALITY``
                may have any number of rows.
            bounds: shape (blocks, 2), bounds of boxes' impulses.
        """
        blocks = len(mu)
        kinds = kinds if kinds is not None else (BlockKind.CONE,) * blocks
        sizes = sizes if sizes is not None else tuple(_usual_rows(kind) for kind in kinds)
        for kind, size in zip(kinds, sizes, strict=True):
            if kind is not BlockKind.EQUALITY and size != _usual_rows(kind):
                raise ValueError(f"a block of kind {kind.name} has {_usual_rows(kind)} rows")
        row = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = int(row[-1])
        if W.shape != (rows, rows) or free_velocity.shape != (rows,):
            raise ValueError(f"W {W.shape} and free_velocity do not fit {rows} rows")
        moments = BlockKind.MOMENT in kinds
        arrays = allocate(blocks, rows, blocks * blocks, rows * rows, moments=moments)
        arrays.size[:] = blocks, rows, blocks * blocks, int(impulsive)
        arrays.dt[0] = dt
        arrays.kind[:] = kinds
        arrays.row[:] = row
        turning = np.flatnonzero(arrays.kind == BlockKind.MOMENT)
        arrays.moments[turning - 1], arrays.moments[turning] = turning, turning - 1
        no_contact = np.array(kinds, np.int64) == BlockKind.EQUALITY
        arrays.candidate[:] = np.where(no_contact, -1, np.arange(blocks))
        arrays.mu[:] = mu
        arrays.restitution[:] = 0.0 if restitution is None else restitution
        arrays.gap[:] = 0.0 if gap is None else gap
        arrays.frame[:] = np.eye(3)
        if bounds is not None:
            arrays.lower[:], arrays.upper[:] = bounds.T
        arrays.velocity[:] = free_velocity if velocity is None else velocity
        arrays.free_velocity[:] = free_velocity
        entry = 0
        for i in range(blocks):
            arrays.pair_start[i + 1] = (i + 1) * blocks
            for j in range(blocks):
                sub = W[row[i] : row[i + 1], row[j] : row[j + 1]]
                arrays.pair_block[i * blocks + j] = j
                arrays.pair_data[i * blocks + j] = entry
                arrays.W[entry : entry + sub.size] = sub.ravel()
                entry += sub.size
        return cls(arrays)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return int(self._blocks[0])

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self._rows[0])

    @property
    def impulsive(self) -> bool:
        """Whether this is an impact: velocities jump, no time passes."""
        return bool(self.arrays.size[ProblemSize.IMPULSIVE])

    @property
    def dt(self) -> float:
        """Length of the step, [s]."""
        return float(self.arrays.dt[0])

    @property
    def kind(self) -> Ints:
        """Shape (blocks,), a ``BlockKind`` each."""
        return self.arrays.kind[: self.n_blocks]

    @property
    def row(self) -> Ints:
        """Shape (blocks + 1,), first row of each block."""
        return self.arrays.row[: self.n_blocks + 1]

    @property
    def candidate(self) -> Ints:
        """Shape (blocks,), row of per-contact state, -1 for blocks that are not contacts."""
        return self.arrays.candidate[: self.n_blocks]

    @property
    def mu(self) -> Floats:
        """Shape (blocks,), friction coefficient of the pair."""
        return self.arrays.mu[: self.n_blocks]

    @property
    def restitution(self) -> Floats:
        """Shape (blocks,), coefficient of restitution of the pair."""
        return self.arrays.restitution[: self.n_blocks]

    @property
    def gap(self) -> Floats:
        """Shape (blocks,), signed distance, [m]."""
        return self.arrays.gap[: self.n_blocks]

    @property
    def frame(self) -> Floats:
        """Shape (blocks, 3, 3), world directions of tangent, tangent, normal as rows."""
        return self.arrays.frame[: self.n_blocks]

    @property
    def velocity(self) -> Floats:
        """Shape (rows,), J v at the start of the step, [m/s]."""
        return self.arrays.velocity[: self.n_rows]

    @property
    def free_velocity(self) -> Floats:
        """Shape (rows,), J v+ without constraint impulses, [m/s]."""
        return self.arrays.free_velocity[: self.n_rows]

    @property
    def jdot_v(self) -> Floats:
        """Shape (rows,), Jdot v, [m/s^2]; only if the law needs it."""
        return self.arrays.jdot_v[: self.n_rows]

    @property
    def impulse(self) -> Floats:
        """Shape (rows,), in: warm start; out: the law's answer, [N s]."""
        return self.arrays.impulse[: self.n_rows]

    @property
    def offset(self) -> Floats:
        """Shape (rows,), added by the law to J v+ to get the velocity it targets, [m/s]."""
        return self.arrays.offset[: self.n_rows]

    @property
    def correction(self) -> Floats:
        """Shape (rows,), split impulse that moves positions only, [N s]."""
        return self.arrays.correction[: self.n_rows]

    def is_finite(self) -> bool:
        """Return whether gaps, velocities, coefficients, warm start and W are all finite."""
        self.complete()
        arrays, n = self.arrays, self.n_blocks
        last = int(arrays.pair_start[n]) - 1
        end = 0
        if n:
            rows = np.diff(self.row)
            end = int(arrays.pair_data[last] + rows[n - 1] * rows[arrays.pair_block[last]])
        parts = (self.mu, self.restitution, self.gap, self.velocity, self.free_velocity)
        return all(bool(np.isfinite(x).all()) for x in (*parts, self.impulse, arrays.W[:end]))

    def require_finite(self, law: str) -> None:
        """Reject NaN and infinity.

        Raises:
            SolverError: if the problem holds NaN or infinity; names the law.
        """
        if not self.is_finite():
            raise SolverError(f"{law}: the contact problem is not finite")

    def write_offset(self) -> None:
        """Overwrite ``offset``: ``gap / dt`` of open points, ``e u_n-`` in an impact.

        An open point may close its gap within the step but not more. In an impact this is Moreau's
        form of Newton's hypothesis, ``0 <= r_n  perp  u_n+ + e u_n- >= 0``; a law without
        restitution gets problems with e = 0.
        """
        self.offset[:] = 0.0
        blocks, last = self._closing()
        if self.impulsive:
            self.offset[last] = self.restitution[blocks] * self.velocity[last]
        else:
            self.offset[last] = np.maximum(self.gap[blocks], 0.0) / self.dt

    def push_out(self, gain: float = 0.2, slop: float = 1e-5) -> Floats | None:
        """Return the velocities ``b`` of the problem ``w = W p + b`` of the split impulses p.

        A point deeper than the slop needs ``w_n >= gain (depth - slop) / dt``, other points
        ``w_n >= -gap / dt``. Written to ``correction``, p changes positions but not velocities, so
        removing penetration adds no energy. Handles cone, unilateral and box blocks.

        Args:
            gain: fraction of the penetration removed in a step, [-].
            slop: penetration that is kept, [m], in metres also in other units of a scene.

        Returns:
            Shape (rows,), [m/s]; None if nothing needs to be pushed out, as in an impact.
        """
        blocks, last = self._closing()
        gap, slop = self.gap[blocks], slop * self.arrays.metre[0]
        deep = gap < -slop
        if self.impulsive or not deep.any():
            return None
        push = np.zeros(self.n_rows)
        push[last] = np.where(deep, gain * (gap + slop), np.maximum(gap, 0.0)) / self.dt
        return push

    def _closing(self) -> tuple[Ints, Ints]:
        """Return the blocks that have a gap to close, and the row that closes each."""
        blocks = np.flatnonzero(CLOSES[self.kind])
        return blocks, self.row[blocks + 1] - 1

    def complete(self) -> None:
        """Write all of W, if only its diagonal blocks are written yet; raise what stopped it."""
        from footfall.problem.blocks import complete

        if self.rest is not None:
            complete(self.table)
            self.rest.check()

    def delassus(self, blocks: Ints | None = None) -> Floats:
        """Return the Delassus matrix J M^-1 J' of some blocks, or of all, as a new dense array.

        Args:
            blocks: indices in the wanted order of the rows, e.g. those of a group.

        Returns:
            Shape (rows, rows), the rows of these blocks.
        """
        from footfall.problem.blocks import write_delassus

        self.complete()
        chosen = np.arange(self.n_blocks) if blocks is None else blocks
        ends = np.cumsum(np.diff(self.row)[chosen])
        rows = int(ends[-1]) if len(ends) else 0
        place = np.full(self.n_blocks, -1, np.int64)
        place[chosen] = np.concatenate([[0], ends[:-1]]) if rows else 0
        W = np.zeros((rows, rows))
        write_delassus(self.table, place, W)
        return W

    def sound_delassus(self, blocks: Ints, law: str) -> Floats:
        """Return ``delassus`` of some blocks, made exactly symmetric.

        Raises:
            SolverError: if it is not finite, symmetric and positive semidefinite, as the matrix of
                any mechanical system is; names the law.
        """
        try:
            return symmetrised(self.delassus(blocks))
        except SolverError as error:
            raise SolverError(f"{law}: {error}") from error

    def groups(self) -> list[Ints]:
        """Return the collision groups: arrays of blocks that are linked through moving bodies.

        Each is ascending; groups are ordered by their first block.
        """
        from footfall.problem.blocks import group_labels

        label = np.zeros(self.n_blocks, np.int64)
        group_labels(self.table, label)
        order = np.argsort(label, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(label[order])) + 1) if len(order) else []

    def rows_of(self, blocks: Ints) -> Ints:
        """Return the rows of the given blocks, in order."""
        row = self.arrays.row
        parts = [np.arange(row[i], row[i + 1], dtype=np.int64) for i in blocks]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


def _usual_rows(kind: BlockKind) -> int:
    """Return the number of rows of a kind of block with a fixed number of rows."""
    return 3 if kind >= BlockKind.CONE else 1
