"""Reverse mode through a rollout: saves some states and repeats the steps between them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, ref

import numpy as np

from footfall.api.advanced import point_at, stage_of
from footfall.api.kernels import bind, table_of
from footfall.api.plugin import Floats, SimulationError, SolverError
from footfall_gradients.derivatives import (
    IMPACTS,
    Derivatives,
    along_world,
    by_parts,
    of_parts,
    of_whole_step,
)
from footfall_gradients.kernels.adjoint import keep, keep_all, pull, pull_all
from footfall_gradients.parameters import known_slopes
from footfall_gradients.part import Workspace, check, workspace_of
from footfall_gradients.parts import PartWise
from footfall_gradients.refusals import LAW, coulomb_settings, remembering, unsupported
from footfall_gradients.tables import Adjoint, Kept, Path, Stride, zeros_of
from footfall_stepper.api import State, StepperSimulator, StepProgram, World

_Parts: TypeAlias = PartWise | None


class Gradient(NamedTuple):
    """The gradient of a function of all states of a rollout.

    Attributes:
        q, v: shape (nv,), by the state at the start.
        tau: shape (T, joints), by the torques of each step.
        parameters: shape (parameters,), by the parameters.
        least_margin: smallest margin of a contact to another mode in any step, [m/s].
    """

    q: Floats
    v: Floats
    tau: Floats
    parameters: Floats
    least_margin: float


class Jacobians(NamedTuple):
    """The Jacobians of the steps of a run, in the coordinates of ``footfall.derivatives``.

    Attributes:
        state: shape (T, 2 nv, 2 nv), A: by the state before each step; control: shape
            (T, 2 nv, nu), B: by torques; parameters: shape (T, 2 nv, parameters).
        least_margin: shape (T,), smallest margin of a contact to another mode, [m/s].
        failures: reasons why steps have none, by row; their rows are NaN.
    """

    state: Floats
    control: Floats
    parameters: Floats
    least_margin: Floats
    failures: dict[int, str]


class Tape:
    """Stored steps of a stride, over which the gradient is carried back.

    Attributes:
        work: arrays of the adjoint of a step.
    """

    def __init__(self, space: Workspace) -> None:
        """Take the constant arrays from a world's workspace."""
        world, nv, more = space.world, space.world.nv, space.more
        blocks, rows = space.answer.mode.size, space.answer.impulse.size
        per = {
            **dict.fromkeys(("of_p",), (more,)),
            **dict.fromkeys(("least", "corrects", "number"), (1,)),
            "settings": (4,),
            **dict.fromkeys(("motion", "paired", "pushed", "turned", "rest", "S"), (nv, 6)),
            **dict.fromkeys(("held", "seen", "known", "impulse", "diagonal"), (rows,)),
            **dict.fromkeys(("scale", "offset", "correction", "first", "width"), (rows,)),
            **dict.fromkeys(("soft", "shared"), (rows,)),
            **dict.fromkeys(("load", "rate"), (rows, 1)),
            **dict.fromkeys(("W", "WE", "solve", "tie"), (rows, rows)),
            **dict.fromkeys(("column", "equation"), (rows, 3)),
            **dict.fromkeys(("mode", "margin", "weight", "slope", "kind"), (blocks,)),
            **dict.fromkeys(("gap", "lower", "upper", "joint", "candidate", "mu"), (blocks,)),
            **dict.fromkeys(("position", "centre"), (blocks, 3)),
            **{"M": space.dynamics.M.shape, "L": space.dynamics.L.shape},
            **{"pose": space.dynamics.pose.shape, "airborne": space.part.kind.shape},
            **{"size": (4,), "row": (blocks + 1,), "frame": (blocks, 9), "link": (blocks, 2)},
            **{"dense": (nv, nv), "pivot": (2, rows), "given": (rows, 1 + more)},
            **{"power": space.part.kind.shape, "factor": (len(space.part.kind), more)},
        }
        self._shapes = {name: (nv,) for kind in (Adjoint, Kept) for name in kind.__annotations__}
        self._shapes |= per
        shared = ("kind", "dof", "sign", "more_start", "more_dof", "more_value", "body", "small")
        self.work = zeros_of(
            Adjoint,
            self._shapes,
            query=space.part.query,
            acting=world.pushes.acting,
            v_new=space.dynamics.v_new,
            v_position=space.dynamics.v_position,
            flying=space.dynamics.airborne,
            report=space.problem.report,
            target=np.zeros(rows),
            factor=factors_of(world, space.slopes, more),
            **{name: getattr(space.part, name) for name in shared},
        )
        room = space.rooms
        self._world = world.topology, world.joints, space.dynamics, world.sides, space.problem
        self._rooms = room.tree, room.motion, room.work, space.given, self.work
        self._path = table_of(Path(*(np.zeros((1, 1)) for _ in Path._fields)))
        self._keep, self._pull = list[Callable[[], int]](), list[Callable[[], int]]()
        self._stages = list[Any]()
        self._program: Callable[[], StepProgram | None] = lambda: None  # weak, to free the world

    def begin(self, path: Path) -> None:
        """Start at the end of a path."""
        point_at(self._path, table_of(path))
        self.work.of_q[:], self.work.of_v[:] = path.of_q[-1], path.of_v[-1]
        self.work.of_p[:], self.work.least[:] = 0.0, np.inf

    def steps(self, count: int) -> tuple[list[Callable[[], int]], list[Callable[[], int]]]:
        """Return functions that store each of the last steps, and that carry back over each."""
        while len(self._keep) < count:
            kept = zeros_of(Kept, self._shapes)
            tree, motion, *rooms = self._rooms
            motion = motion._replace(S=kept.S, pose=kept.pose)
            table = table_of(*self._world, tree, motion, *rooms, kept)
            self._keep.append(bind(keep, table))
            self._pull.append(bind(pull, table, self._path))
        return self._keep, self._pull

    def whole(self, program: StepProgram, count: int) -> bool:
        """Prepare to store strides of so many steps in one call; return whether it is possible."""
        if self._program() is not program or len(self._stages) < 1 + 2 * count:
            stages = [
                stage_of(one) for pair in zip(*self.steps(count), strict=True) for one in pair
            ]
            if None in stages:  # kernels are plain Python
                return False
            once = np.ones(1, np.int64)
            self._stages = [program.stage(program.bound, once, once), *stages]
            calls = np.array([(s.function, s.frame) for s in self._stages], np.int64)
            self._count, self._program = np.zeros(2, np.int64), ref(program)
            table = table_of(Stride(calls, self._count, self.work.number))
            self._keep_all, self._pull_all = bind(keep_all, table), bind(pull_all, table)
        return True

    def keep_all(self, first: int, count: int) -> bool:
        """Repeat the steps of a stride and store them; return whether all could be stored."""
        self._count[:] = count, first
        return bool(self._keep_all())

    def pull_all(self) -> int:
        """Carry the gradient back over the stored stride; return ``DONE`` or an error code."""
        return int(self._pull_all())

    def back(self, step: Derivatives, path: Path, t: int) -> None:
        """Carry the gradient back over a step by its Jacobians."""
        work, nv = self.work, len(self.work.of_q)
        found = np.concatenate([work.of_q, work.of_v]) @ step.rows
        work.of_q[:], work.of_v[:] = found[:nv] + path.of_q[t], found[nv : 2 * nv] + path.of_v[t]
        path.tau[t, step.joints] = step.by_torques(found[None, 2 * nv : 3 * nv])[0]
        work.least[0] = min(work.least[0], step.least_margin)
        work.of_p[:] += found[3 * nv :]


def factors_of(world: World, slopes: Mapping[str, Floats], more: int) -> Floats:
    """Return the relative changes of the trees' masses by parameters, shape (trees, more)."""
    topology = world.topology
    found = np.zeros((len(topology.free), more))
    if "mass" in slopes:
        for tree, (first, end) in enumerate(itertools.pairwise(topology.tree_link)):
            mass = topology.mass[first:end].sum()
            found[tree] = slopes["mass"][first:end].sum(axis=0) / (mass if mass else 1.0)
    return found


_KNOWN: WeakKeyDictionary[Workspace, Tape] = WeakKeyDictionary()


def tape_of(space: Workspace) -> Tape:
    """Return the tape of a workspace, created at the first call."""
    if space not in _KNOWN:
        _KNOWN[space] = Tape(space)
    return _KNOWN[space]


class Rollout:
    """A run of T steps from a simulator's present state, with its vector-Jacobian products.

    It saves about sqrt(T) states and repeats the steps between two of them when needed. So memory
    grows with sqrt(T), and each step is made twice.

    Attributes:
        q: shape (T + 1, nq), positions; v: shape (T + 1, nv), velocities.
    """

    def __init__(
        self,
        sim: StepperSimulator,
        steps: int,
        tau: Floats | None = None,
        *,
        parameters: Sequence[str] = (),
    ) -> None:
        """Make the steps; the simulator is then at their end.

        Args:
            sim: simulator of a scene whose steps have derivatives.
            steps: number of steps T.
            tau: shape (T, joints), torques that replace the scene's controllers. None: these act;
                the response of their commands to the state is not differentiated.
            parameters: keys of the scene, as in ``footfall.derivatives``.

        Raises:
            SimulationError: if steps have no derivatives, or ``tau`` does not fit.
        """
        if not isinstance(sim, StepperSimulator):
            raise SimulationError(f"rollout: expected a simulator (footfall.load), got {sim!r}")
        if isinstance(parameters, str):
            raise SimulationError(f"rollout: parameters must be a list of keys, got {parameters!r}")
        if reason := unsupported(sim) or remembering(sim):
            raise SimulationError(f"rollout: {reason}")
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise SimulationError(f"rollout: steps must be a whole number from 1 on, got {steps!r}")
        if tau is not None and (np.ndim(tau) != 2 or len(tau) != steps):
            raise SimulationError(
                f"rollout: tau must have the shape ({steps}, joints), got {np.shape(tau)}"
            )
        self._sim, self._tau = sim, None if tau is None else np.array(tau, float)
        self._modes = sim.stepper.law.name == LAW
        self._keys, self._stride = tuple(parameters), max(1, int(np.sqrt(steps)))
        self.q, self.v = np.zeros((steps + 1, len(sim.q))), np.zeros((steps + 1, sim.world.nv))
        self._saved = list[State]()
        self._split = list[bool]()
        self._rows = np.zeros((self._stride, sim.row.size))
        for first in range(0, steps, self._stride):
            self._saved.append(sim.state.copy())
            rows = self._run(first, min(first + self._stride, steps))
            self.q[first : first + len(rows)] = sim.layout.view(rows, "q")
            self.v[first : first + len(rows)] = sim.layout.view(rows, "v")
            impacts = [sim.layout.view(rows, name) > 0.0 for name in IMPACTS]
            self._split += np.any(impacts, axis=0).tolist()
        self.q[steps], self.v[steps] = sim.q, sim.v

    def _run(self, first: int, last: int) -> Floats:
        """Make the steps from first to before last; return their rows."""
        rows = np.zeros((last - first, self._sim.row.size))
        if self._tau is None:
            self._sim.make_steps(rows, 0, len(rows) - 1)
        for t in range(first if self._tau is not None else last - 1, last):
            self._step(t)  # into the simulator's own row
            rows[t - first] = self._sim.row
        return rows

    def _restore(self, saved: State) -> None:
        """Restore a state; room for detected contacts that has been made since stays."""
        state = self._sim.state
        if saved.room < state.room:
            saved.reserve(state.room)
        state.restore(saved)

    def _step(self, t: int) -> None:
        if self._tau is None:
            self._sim.make_steps(None, 0, 1)
        else:
            self._sim.step(self._tau[t])

    def _make_again(self, first: int, last: int, each: Callable[[int, _Parts], None]) -> None:
        """Repeat the steps of a stride, from first to before last; the state stays at the end.

        Args:
            first: first step that is passed to ``each``.
            last: step after the last one, in the same stride.
            each: called after each step, with its ``PartWise`` if impacts have split some.
        """
        sim, begin, parts = self._sim, first // self._stride, None
        start = begin * self._stride
        self._restore(self._saved[begin])
        if by_parts(sim, any(self._split[start:last])):
            parts = PartWise(sim, known_slopes(sim, self._keys), len(self._keys))
            sim.watch_parts(parts)
        try:
            for t in range(start, last):
                if parts is not None:
                    parts.begin()
                self._step(t)
                if t >= first:
                    each(t, parts)
        finally:
            if parts is not None:
                sim.watch_parts(None)

    def _jacobian(self, parts: _Parts) -> Derivatives:
        """Return the Jacobians of the step that has just been repeated."""
        if parts is not None:
            return of_parts(parts)
        return of_whole_step(self._sim, known_slopes(self._sim, self._keys), len(self._keys))

    def jacobians(self, first: int = 0, last: int | None = None, *, axes: str = "own") -> Jacobians:
        """Return the Jacobians of the steps from first to before last, without storing them.

        Args:
            first: first step.
            last: step after the last one; None: all from ``first`` on.
            axes: as in ``footfall.derivatives``.

        Raises:
            SimulationError: if there are no such steps.
        """
        if axes not in ("own", "world"):
            raise SimulationError(f"rollout: axes must be own or world, got {axes!r}")
        steps = len(self.q) - 1
        last = steps if last is None else last
        if not 0 <= first < last <= steps:
            raise SimulationError(
                f"rollout: steps {first} to {last} are not among its 0 to {steps}"
            )
        n, begin, present = 2 * self.v.shape[1], first, self._sim.state.copy()
        shapes = (n, n), (n, len(self._space().joints)), (n, len(self._keys)), ()
        A, B, C, margin = (np.empty((last - first, *shape)) for shape in shapes)
        found = Jacobians(A, B, C, margin, {})

        def note(t: int, parts: _Parts) -> None:
            k = t - begin
            try:
                step = self._jacobian(parts)
            except (SimulationError, SolverError) as error:
                A[k] = B[k] = C[k] = margin[k] = np.nan
                found.failures[k] = str(error)
                return
            step = along_world(self._sim, step) if axes == "world" else step
            A[k], B[k], margin[k] = step.state, step.control, step.least_margin
            if self._keys:
                C[k] = step.parameters

        try:
            while first < last:
                end = min(last, (first // self._stride + 1) * self._stride)
                self._make_again(first, end, note)
                first = end
        finally:
            self._restore(present)
        return found

    def sensitivities(self, dv: Floats | None = None, dq: Floats | None = None) -> Floats:
        """Return the derivative of every state by parameters, and by directions of the start.

        For the Gauss-Newton method: forward mode, one column per direction.

        Args:
            dv: shape (nv, n), directions of the velocity at the start; None: zeros, or none.
            dq: shape (nv, n), directions of the position's tangent coordinates; None: zeros.

        Returns:
            Shape (T + 1, 2 nv, n + parameters); rows: tangent coordinates, then velocities.

        Raises:
            SimulationError: if a step has no derivative, or the shapes do not fit.
        """
        steps, nv = len(self.q) - 1, self._sim.world.nv
        given = next((np.asarray(g, float) for g in (dv, dq) if g is not None), np.zeros((nv, 0)))
        start = [np.zeros_like(given) if g is None else np.asarray(g, float) for g in (dq, dv)]
        if any(part.shape != given.shape for part in start) or given.shape[:1] != (nv,):
            raise SimulationError(f"rollout: directions must have the shape ({nv}, n)")
        directions, parameters = given.shape[1], len(self._keys)
        out = np.zeros((steps + 1, 2 * nv, directions + parameters))
        out[0, :, :directions] = np.vstack(start)
        for first in range(0, steps, self._stride):
            found = self.jacobians(first, min(first + self._stride, steps))
            for reason in found.failures.values():
                raise SimulationError(reason)
            for t, state in enumerate(found.state, first):
                out[t + 1] = state @ out[t]
                out[t + 1, :, directions:] += found.parameters[t - first]
        return out

    def vjp(self, dq: Floats, dv: Floats) -> Gradient:
        """Return the gradient by the start, torques and parameters, from that by all states.

        Args:
            dq: shape (T + 1, nv), gradient by the positions' tangent coordinates (see
                ``footfall.derivatives``); or (nv,), only by those of the last state.
            dv: shape (T + 1, nv) or (nv,), gradient by the velocities.

        Raises:
            SimulationError: if a step has no derivative, or the shapes do not fit.
        """
        steps, nv = len(self.q) - 1, self._sim.world.nv
        given = [np.asarray(g, float) for g in (dq, dv)]
        if any(g.shape not in ((nv,), (steps + 1, nv)) for g in given):
            raise SimulationError(
                f"rollout: gradients must have the shape ({nv},) or ({steps + 1}, {nv})"
            )
        q_at, v_at = (
            np.ascontiguousarray(g if g.ndim == 2 else np.vstack([np.zeros((steps, nv)), g]))
            for g in given
        )
        tape, path = tape_of(self._space()), Path(self.q, self.v, q_at, v_at, np.zeros((steps, nv)))
        tape.begin(path)
        if self._modes:
            law = coulomb_settings(self._sim)
            tape.work.settings[:3] = self._sim.time_step, law.position_gain, law.position_slop
            tape.work.settings[3] = self._sim.world.problem.deepest[0]
        present = self._sim.state.copy()
        try:
            for first in reversed(range(0, steps, self._stride)):
                self._back(tape, path, first, min(first + self._stride, steps))
        finally:
            self._restore(present)
        work, joints = tape.work, self._space().joints
        of_p, least = work.of_p.copy(), float(work.least[0])
        return Gradient(work.of_q.copy(), work.of_v.copy(), path.tau[:, joints], of_p, least)

    def _space(self) -> Workspace:
        slopes = known_slopes(self._sim, self._keys)
        return workspace_of(self._sim, slopes, len(self._keys))

    def _back(self, tape: Tape, path: Path, first: int, last: int) -> None:
        """Carry the gradient back over the steps from first to before last."""
        sim = self._sim
        space = self._space()
        adjoint = self._modes and not space.touching.curved and space.loops is None
        adjoint = adjoint and space.new_moves
        adjoint = adjoint and "uneven" not in space.slopes
        if adjoint and self._again_at_once(tape, first, last):
            check(sim.world, tape.pull_all())
            return
        jacobians, keepers, pulls = dict[int, Derivatives](), *tape.steps(last - first)

        def note(t: int, parts: _Parts) -> None:
            driven = self._tau is not None and sim.driving.drives
            if self._split[t] or not adjoint or driven or not keepers[t - first]():
                jacobians[t] = self._jacobian(parts)

        self._make_again(first, last, note)
        for t in reversed(range(first, last)):
            if t in jacobians:
                tape.back(jacobians[t], path, t)
            else:
                tape.work.number[0] = t
                check(sim.world, pulls[t - first]())

    def _again_at_once(self, tape: Tape, first: int, last: int) -> bool:
        """Repeat the steps of a stride and store them in one call; return whether that was done."""
        sim = self._sim
        if self._tau is not None or any(self._split[first:last]):
            return False
        if not tape.whole(sim.stepper.program, self._stride):
            return False
        with sim.lock:
            self._restore(self._saved[first // self._stride])
            sim.make_steps(self._rows, 0, 0)  # the steps write their rows there
            done = tape.keep_all(first, last - first)
            sim.take_row(self._rows[last - first - 1])
            sim.make_steps(None, 0, 0)
        return done
