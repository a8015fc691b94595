"""Differentiation of a part of a step that the simulator has just made, in the world's arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, cast
from weakref import WeakKeyDictionary, proxy

import numpy as np

from footfall.api.advanced import allocated
from footfall.api.contact import BlockKind, ProblemReport, ProblemSize
from footfall.api.kernels import Table, bind, table_of
from footfall.api.plugin import Floats, Ints, SimulationError
from footfall_gradients.contact_slopes import Touching
from footfall_gradients.inertias import Inertias
from footfall_gradients.kernels.agreement import positions_agree, velocity_agrees
from footfall_gradients.kernels.answer import RANK, AnswerSize, Mode
from footfall_gradients.kernels.move import move, shape_after, write_jump
from footfall_gradients.kernels.part import (
    CHANGED,
    CUT,
    DONE,
    GAINS,
    UNBALANCED,
    PartKind,
    differentiate,
    differentiate_correction,
)
from footfall_gradients.loops import ClosedLoops
from footfall_gradients.refusals import HOLDING, CoulombSettings
from footfall_gradients.rooms import Rooms
from footfall_gradients.tables import (
    Answer,
    Contacts,
    Parameters,
    PartArrays,
    changes_of,
    contacts_of,
)
from footfall_stepper.api import PRESCRIBED, StepperSimulator, TimeStepping, World

WRONG = {
    GAINS: "gains have changed since the step was made",
    CUT: "the restitution of an impact was cut: not supported",
    CHANGED: "the state has been changed since the step was made: make another step",
}
"""Error messages by error code of a kernel."""


class Modes(NamedTuple):
    """Modes of blocks, and their margins.

    Attributes:
        mode: shape (blocks,), 0 open, 1 stick (or held), 2 slip (or sliding at its bound).
        margin: shape (blocks,), change of the velocity or of the impulse, times the block's own W,
            that would change the mode, [m/s or rad/s].
    """

    mode: Ints
    margin: Floats


def check(world: World, code: int) -> None:
    """Raise the error for a kernel's error code.

    Raises:
        SimulationError: unless the code is ``DONE``.
    """
    if code == DONE:
        return
    if code < DONE:
        raise SimulationError(f"derivatives: {WRONG[code]}")
    name = world.bodies[code - UNBALANCED].name
    raise SimulationError(
        f"derivatives: in the step {name} was moved by something that is not differentiated (a "
        "push, a hand), or the simulator has been changed since"
    )


class Workspace:
    """Arrays for differentiating the parts of a world's steps; allocated once.

    Columns of derivatives are q, v and generalized forces at the start of a part, nv each,
    parameters, on moving ground the time at the start, and the part's length.

    Attributes:
        world: world of the arrays; rooms: for further derivatives; dynamics: those of the part,
            the world's or a copy.
        part: the part, and the derivatives of its new state; answer: the law's, and its response;
            correction: that of the split impulses.
        inertias: effects of masses and inertias as parameters.
        given: derivatives of the world's numbers by parameters; more: number of these; times: of
            columns by the time at the start.
        state: shape (2 nv, columns), ``dq`` and ``dv`` of the part; found: without times.
        joints: dofs of joints in the order of their torques.
        robots: trees of robots with a floating base; middle: whether parts are solved halfway;
            new_moves: whether the new velocity moves positions.
        corrects: whether split impulses acted.
        by_velocity: shape (nv, nv), columns by v of ``balance``, halfway.
    """

    def __init__(
        self,
        sim: StepperSimulator,
        slopes: Mapping[str, Floats],
        more: int,
        *,
        alone: bool = False,
    ) -> None:
        """Allocate the arrays.

        Args:
            sim: simulator with the world.
            slopes: derivatives of the world's numbers, see ``parameters.numbers``.
            more: number of parameters.
            alone: whether to copy the changing arrays, see ``look``, and to leave out contacts.
        """
        world, stepper = sim.world, cast("TimeStepping", sim.stepper)
        self.world: World = proxy(world)  # the workspace is stored under the world
        self.room, self.touching = world.room, Touching(stepper)
        self.rooms, self.slopes, self.more = Rooms(world), slopes, more
        self.times, self.corrects = int(self.touching.moving), False
        more += self.times
        slopes = padded(slopes, self.times)
        self.touching.depend(slopes, more)
        self.dynamics, problem = world.dynamics, world.problem
        if alone:
            moving = ("M", "L", "S", "pose")
            copies = {name: getattr(world.dynamics, name).copy() for name in moving}
            self.dynamics = self.dynamics._replace(**copies)
            problem = problem._replace(size=np.zeros_like(problem.size))
        nv, blocks, rows = world.nv, len(problem.kind), len(problem.impulse)
        self.problem = problem
        self.given = parameters_of(world, slopes, more)
        self.part = part_arrays(world, more)
        self.answer, apart = (answer_arrays(nv, blocks, rows, more) for _ in range(2))
        self.correction = apart._replace(W=self.answer.W, JM=self.answer.JM)
        tree, room = self.rooms.tree, self.rooms
        moved = room.motion._replace(S=self.dynamics.S, pose=self.dynamics.pose)
        by = self.touching.more
        contacts, changes = contacts_of(blocks, by), changes_of(blocks, rows, nv, by)
        shared = (
            *(world.topology, world.joints, self.dynamics, world.sides, problem),
            *(tree, moved, room.work, room.slopes, contacts, changes, self.given, self.part),
        )
        self._contacts, self._changes = contacts, changes
        table, other = table_of(*shared, self.answer), table_of(*shared, self.correction)
        self.table = table
        self.inertias = Inertias(world, room, moved, slopes, self.part, more)
        self.middle, theta = stepper.scheme.by_middle, stepper.scheme.theta
        self._weights = (theta, 0.0) if self.middle else (theta, 1.0 - theta)
        self._holds = stepper.impact.name == HOLDING
        self.new_moves = self._weights == (1.0, 0.0)
        chord = 0.5 if self.middle and not alone else 1.5 - theta
        self.loops = None
        if world.loop_names:
            self.loops = ClosedLoops(world, room, self.part, moved, table, chord)
        self._pushed, self._views = False, dict[tuple[int, int, bool], tuple[Floats, ...]]()
        self._bind(sim, other)
        trees = range(len(world.topology.free))
        robots = world.topology.floating & (1 - (self.part.kind == 2))
        self.state = np.asarray(self.part.dq.base)
        self.found = self.state[:, : 3 * nv + self.more]
        self.robots = [tree for tree in trees if robots[tree]]
        self.joints = world.joint_dofs[world.motors]
        self._joints = np.flatnonzero(world.topology.dof_q >= 0)
        self._place = world.topology.dof_q[self._joints]
        known = np.repeat(world.topology.free == PRESCRIBED, np.diff(world.topology.tree_v))
        self._known = np.flatnonzero(np.tile(known, 3))

    def _bind(self, sim: StepperSimulator, other: Table) -> None:
        """Bind the kernels to the table, and to that with the split impulses."""
        table = self.table
        self._differentiate = bind(differentiate, table, like=(0.0, False, False))
        self._correct = bind(differentiate_correction, other, like=(0.0, 0.0, 0.0))
        self._move = bind(move, table, other, like=(0.0, 0.0, 0.0, 0.0, False))
        self._jump = bind(write_jump, table, other)
        self._confirm = bind(velocity_agrees, table, sim.v)
        self._compare = bind(positions_agree, table, sim.signal("q"), sim.q)
        self.shape_after = bind(shape_after, self.rooms.table, table, like=(0, 0, 0.0))

    def of_free(self, rows: Floats) -> Floats:
        """Return Jacobians without rows and columns of prescribed bodies: time alone moves these.

        Args:
            rows: shape (2 nv, columns).
        """
        found, known = rows.copy(), self._known
        if len(known):
            found[known[known < len(rows)]] = found[:, known] = 0.0
        return found

    def from_open(self, rows: Floats) -> Floats:
        """Return Jacobians of a whole step by the state before loops are closed."""
        if self.loops is None:
            return rows
        found, n = rows.copy(), 2 * self.world.nv
        found[:, :n] = rows[:, :n] @ self.loops.closed(n)
        return found

    def look(self, q: Floats, v: Floats) -> None:
        """Copy the present state and dynamics of the world."""
        now, own = self.world.dynamics, self.dynamics
        for name in ("M", "L", "S", "pose"):
            getattr(own, name)[:] = getattr(now, name)
        self.begin(q, v, now.v_free)

    def begin(self, q: Floats, v: Floats, x: Floats) -> None:
        """Set the state at the start of a part, and the velocity that the law has solved for."""
        a = self.part
        a.v[:], a.middle[:], a.x[:], a.q[self._joints] = v, v, x, q[self._place]
        if self.loops is not None:
            self.loops.take()

    def differentiate(self, dt: float, outside: bool = False, holds: bool = False) -> None:
        """Differentiate the solution of the law into ``answer``.

        Args:
            dt: length of the part, [s]; 0: an impact.
            outside: whether contacts with zero gap close it.
            holds: whether all contacts stick, whatever their impulse.

        Raises:
            SimulationError: if the part does not fulfil the differentiated equations.
        """
        pushes = self.world.pushes
        count, pushed, once = pushes.acting.tolist()
        if once or 1 in pushes.held.tolist():  # a hand follows what it holds
            raise SimulationError("derivatives: a push or a hand acted in this step only")
        pushed = bool(pushed and count)
        if pushed or self._pushed:
            self.part.wrenches[:], self._pushed = self._wrenches() if pushed else 0.0, pushed
        if self.touching.varies:
            self._enter_contacts()
        if self.loops is not None:
            self.loops.begin(dt)
        check(self.world, self._differentiate(dt, outside, holds))
        self.inertias.add_force(dt)
        nv, impulsive = self.world.nv, bool(self.problem.size[ProblemSize.IMPULSIVE])
        if self.loops is not None:
            rows = self._rows
            self.loops.keep(dt, rows.T @ self.problem.impulse[: len(rows)])
        self._respond(self.answer, nv + 1 + self.more + self.times + nv * impulsive)

    @property
    def _rows(self) -> Floats:
        """Jacobian of the problem's rows."""
        return self._changes.J[: int(self.problem.size[ProblemSize.ROWS])]

    def _enter_contacts(self) -> None:
        """Write how the problem's contacts change with the motion of their bodies."""
        p = self.problem
        cones = int((p.kind[: p.size[ProblemSize.BLOCKS]] == BlockKind.CONE).sum())
        low = 0.0 if p.size[ProblemSize.IMPULSIVE] else float(self.part.lowered[0])
        self._contacts.link[:cones] = self.world.sides.link[:cones]
        self._contacts.position[:cones] = p.position[:cones]
        self.touching.enter(p.candidate[:cones], self._contacts, low)
        loads = abs(p.impulse[: 3 * cones]) + abs(p.correction[: 3 * cones])
        self.touching.check(self._contacts, loads.reshape(cones, 3).sum(axis=1) > 0.0)
        declared = len(self.world.candidates.link)
        for c in p.candidate[:cones] if self.more else ():
            if c >= declared:
                found = self.touching.coefficients(int(c) - declared, self.slopes, self.more)
                self.given.friction[c, : self.more], self.given.restitution[c, : self.more] = found

    def _respond(self, z: Answer, columns: int) -> None:
        n, nv = int(z.size[AnswerSize.UNKNOWNS]), self.part.x.size
        key = n, columns, z is self.answer
        if (views := self._views.get(key)) is None:  # making them takes as long as a product
            width = nv + columns
            views = z.between[:n].T, z.right[:n, :width], z.response[:, :width], z.response[:, :nv]
            self._views[key] = views
        left, right, response, inverse = views
        np.matmul(left, right, out=response)
        np.add(inverse, self.part.inverse, out=inverse)
        np.matmul(inverse, self.part.balance, out=z.change)
        if self.loops is not None:
            self.loops.respond(z, self._rows)

    def _respond_by(
        self, by_impulse: Floats, by_new: Floats, by_old: Floats, by_gap: Floats, by_mu: Floats
    ) -> None:
        """Compute the response of a law from its ``slopes``, instead of by modes.

        Adds ``du = J dx + (dJ/dq x) dq`` and ``dx = M^-1 (balance + J' dr)``, unknown to the law.
        Impulses that are not unique get the least norm; the motion is unique.
        """
        z, a, p, nv = self.answer, self.part, self.problem, self.world.nv
        blocks, rows = int(p.size[ProblemSize.BLOCKS]), int(p.size[ProblemSize.ROWS])
        cones = int((p.kind[:blocks] == BlockKind.CONE).sum())
        points = Contacts._make(array[:cones] for array in self._contacts)
        self.place_rooms()
        old, new = self.rooms.contact_changes(points, a.v), self._changes
        JM, J = z.JM[:rows], new.J[:rows]
        kept = 0.0 * a.balance if self.loops is None else self.loops.kept
        known: Floats = by_new @ (JM @ a.balance + J @ kept)
        known[:, :nv] += by_new @ new.dJv[:rows] + by_gap @ new.gap[:blocks]
        known[:, :nv] += by_old[:, : 3 * cones] @ old.dJv
        known[:, nv : 2 * nv] += by_old @ J
        known[:, 2 * nv + 1 :] += by_mu @ self.given.friction[p.candidate[:blocks]]
        solve = by_impulse + by_new @ z.W[:rows, :rows]
        found = np.linalg.lstsq(solve, np.hstack([by_new @ JM, known]), rcond=RANK)[0]
        z.response[:, nv:], z.moved[:] = 0.0, 0.0
        z.response[:, :nv] = a.inverse - JM.T @ found[:, :nv]
        z.change[:] = a.inverse @ a.balance + kept - JM.T @ found[:, nv:]
        z.mode[:blocks], z.margin[:blocks] = Mode.UNKNOWN, np.inf

    def free_rows(self, dt: float) -> Floats:
        """Return dx of a differentiated part of length dt without contacts, (nv, columns)."""
        change, at = self.answer.change, 2 * self.world.nv
        sides = change[:, at + 1 :], change[:, at : at + 1]
        return np.hstack([change[:, :at], dt * self.part.inverse, *sides])

    def _wrenches(self) -> Floats:
        """Return the derivative by q of the generalized force of pushes."""
        pushes, pose = self.world.pushes, self.dynamics.pose
        n = int(pushes.acting[0])
        link, turning = pushes.link[:n], pushes.frame[:n].astype(np.int64)
        R = pose[link, :9].reshape(n, 3, 3).transpose(0, 2, 1)
        axes = np.where(turning[:, None, None] == 1, R, np.eye(3))
        force = np.einsum("nij,nj->ni", axes, pushes.wrench[:n, :3])
        moment = np.einsum("nij,nj->ni", axes, pushes.wrench[:n, 3:])
        point = np.einsum("nij,nj->ni", R, pushes.point[:n]) + pose[link, 9:]
        places = {"position": point, "centre": point.copy(), "impulse": force, "moment": moment}
        points = contacts_of(n, frame=np.tile(np.eye(3).ravel(), (n, 1)), follows=turning, **places)
        points.link[:, 1] = link
        self.place_rooms()
        return self.rooms.contact_changes(points, self.part.x).push

    def place_rooms(self) -> None:
        """Set the rooms to this part's configuration."""
        self.rooms.motion.S[:], self.rooms.motion.pose[:] = self.dynamics.S, self.dynamics.pose

    def step(
        self,
        law: CoulombSettings | tuple[Floats, ...],
        q: Floats,
        v: Floats,
        dt: float,
        outside: bool = False,
    ) -> None:
        """Differentiate a part of a step into ``part.dq`` and ``part.dv``.

        Args:
            law: settings of ``coulomb``, or the slopes that another law gives.
            q: positions at its start.
            v: velocities at its start.
            dt: its length, [s].
            outside: see ``differentiate``.

        Raises:
            SimulationError: if the part does not fulfil the differentiated equations.
        """
        self.begin(q, v, self.world.dynamics.v_new)
        self.advance(law, dt, outside)
        for tree in self.robots:
            if self.part.flying[tree] > 0:
                from footfall_gradients.flight import fly_robot

                fly_robot(self, tree, dt)
        self.confirm()

    def advance(
        self, law: CoulombSettings | tuple[Floats, ...], dt: float, outside: bool = False
    ) -> None:
        """Differentiate a part that has begun, but for robots in flight; see ``step``."""
        self.differentiate(dt, outside)
        if self.middle:
            self.by_velocity = self.part.balance[:, self.world.nv : 2 * self.world.nv].copy()
        gain = slop = 0.0
        if isinstance(law, tuple):
            self._respond_by(*law)
        else:
            gain, slop = law.position_gain, law.position_slop
        corrects = not isinstance(law, tuple) and bool(self.problem.report[ProblemReport.CORRECTS])
        self.corrects = corrects
        if corrects:
            self._check_pairs()
            self._correct(dt, gain, slop)
            self.inertias.add_force(0.0)
            if self.loops is not None:
                load = self._rows.T @ self.problem.correction[: len(self._rows)]
                self.loops.keep_still(self.correction.velocity, load)
            self._respond(self.correction, self.world.nv + 1 + self.more + self.times)
        self._move(dt, slop if gain > 0.0 else 0.0, *self._weights, corrects)
        if self.inertias.any:
            self.inertias.move(dt, self.correction.velocity * float(corrects))

    def fly(self, dt: float, other: Workspace, dq: Floats) -> None:
        """Write the new state of rigid bodies in flight, from a part without contacts.

        Args:
            dt: its length, [s].
            other: the part with contacts, solved at another state.
            dq: shape (nv, columns), derivative of that state's positions.
        """
        s, z, at = self.correction, other.correction, 2 * self.world.nv
        if other.corrects:
            n = at // 2
            own = z.change[:, :n] + z.response[:, n:at]
            s.velocity[:], s.change[:, :at] = z.velocity, own @ dq[:, :at]
            s.change[:, at] = z.change[:, at] + z.response[:, at] + own @ dq[:, -1]
            own_by = z.response[:, at + 1 : z.change.shape[1]]
            more = z.change[:, at + 1 :] + own_by + z.moved[:, 1:]
            s.change[:, at + 1 :] = more + own @ dq[:, 3 * n : -1]
            s.response[:], s.moved[:] = 0.0, 0.0
        self._move(dt, 0.0, 1.0, 0.0, other.corrects)
        self.inertias.move(dt, z.velocity * float(other.corrects))

    def confirm(self) -> None:
        """Reject a simulator whose velocity is not the one after the part.

        Raises:
            SimulationError: if it has been changed.
        """
        check(self.world, self._confirm())

    def _check_pairs(self) -> None:
        """Reject rigid bodies that nothing fixed pushes, whose overlap turns them as a pair.

        Raises:
            SimulationError: if there are two; names them.
        """
        loose = (self.part.kind == PartKind.BODY) & (self.part.flying > 0)
        links = self.world.sides.link[: int(self.problem.size[ProblemSize.BLOCKS])]
        for pair in self.world.topology.link_tree[links[links[:, 0] >= 0]]:
            if loose[pair].all():
                one, other = (self.world.bodies[tree].name for tree in pair)
                raise SimulationError(
                    f"derivatives: {one} and {other} overlap in flight and are moved apart: none"
                )

    def strike(self, q: Floats, v: Floats, new: Floats) -> None:
        """Differentiate an impact into ``part.dv``; arguments as in ``step``.

        Raises:
            SimulationError: if its solver failed, and as in ``step``.
        """
        if self.problem.report[ProblemReport.FAILED]:
            raise SimulationError("derivatives: the solver of an impact failed")
        self.begin(q, v, new)
        self.corrects = False
        self.differentiate(0.0, holds=self._holds)
        self._jump()

    def refuse_edited(self) -> None:
        """Reject positions that are not those after a whole step, by its displacement in ``part``.

        Raises:
            SimulationError: if they have been changed.
        """
        check(self.world, self._compare())

    @property
    def modes(self) -> Modes:
        """Modes of the problem's blocks; margins are those of split impulses too."""
        n, z = int(self.problem.size[ProblemSize.BLOCKS]), self.answer
        margin = z.margin[:n].copy()
        if self.corrects:
            np.minimum(margin, self.correction.margin[:n], out=margin)
        return Modes(z.mode[:n].copy(), margin)


def parameters_of(world: World, slopes: Mapping[str, Floats], more: int) -> Parameters:
    """Return derivatives of a world's numbers; zeros if they do not depend on parameters.

    Rows of detected contacts are zeros.
    """
    contacts, nv = world.n_candidates, world.nv
    rows = {"gravity": 3, "friction": contacts, "restitution": contacts}
    rows["bound"] = len(world.joint_rows.value)
    shapes = {name: (rows.get(name, nv), more) for name in Parameters._fields} | {"acting": (2, nv)}
    made = Parameters(**{name: np.zeros(shape) for name, shape in shapes.items()})
    for name in made._fields:
        if name in slopes:
            getattr(made, name)[: len(slopes[name])] = slopes[name]
    return made


def padded(slopes: Mapping[str, Floats], n: int) -> dict[str, Floats]:
    """Return derivatives by parameters, and n zeros for further ones."""
    same = ("acting", "commanded")  # these are values
    return {
        name: a if name in same else np.concatenate([a, np.zeros((*a.shape[:-1], n))], axis=-1)
        for name, a in slopes.items()
    }


def part_arrays(world: World, more: int) -> PartArrays:
    """Allocate the arrays of a part."""
    nv, topology, rows = world.nv, world.topology, world.joint_rows
    state = np.zeros((2 * nv, 3 * nv + 1 + more))
    loops = nv if world.loop_names else 0
    own = ("dof", "sign", "more_start", "more_dof", "more_value")
    return allocated(
        PartArrays,
        nv,
        **{name: getattr(rows, name) for name in own},
        **dict.fromkeys(("wrenches", "inverse", "dense"), (nv, nv)),
        **dict.fromkeys(("closing", "held"), loops),
        along=(loops, loops),
        kind=np.where(topology.free & (1 - (topology.closed > 0)), 2, topology.floating),
        flying=world.dynamics.airborne,
        query=world.candidates.query,
        lowered=world.candidates.lowered,
        place=world.dynamics.v_position,
        balance=(nv, 2 * nv + 1 + more),
        small=(24, 9),
        body=topology.inertia.reshape(-1, 9),
        dq=state[:nv],
        dv=state[nv:],
        nearest=1,
    )


def answer_arrays(nv: int, blocks: int, rows: int, more: int) -> Answer:
    """Allocate the arrays of an answer."""
    columns = 2 * nv + 1 + more
    return allocated(
        Answer,
        rows,
        **dict.fromkeys(("W", "WE", "solve", "tie"), (rows, rows)),
        **dict.fromkeys(("JM", "left", "between"), (rows, nv)),
        right=(rows, nv + columns),
        size=4,
        velocity=nv,
        **dict.fromkeys(("mode", "margin", "weight"), blocks),
        pivot=(2, rows),
        **dict.fromkeys(("load", "rate"), (rows, 1)),
        held=(rows, columns),
        given=(rows, 1 + more),
        moved=(nv, 1 + more),
        response=(nv, nv + columns),
        change=(nv, columns),
    )


_KNOWN: WeakKeyDictionary[World, list[Workspace]] = WeakKeyDictionary()


def workspace_of(sim: StepperSimulator, slopes: Mapping[str, Floats], more: int) -> Workspace:
    """Return a world's workspace for parameters, created at the first call."""
    world = sim.world
    for found in (kept := _KNOWN.get(world, [])):
        same = found.slopes is slopes or not (found.more or more)
        if same and found.room == world.room:
            return found
    made = Workspace(sim, slopes, more)
    _KNOWN[world] = [*kept[:1], made]
    return made
