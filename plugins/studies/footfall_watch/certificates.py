"""Certificates: distance of each contact from another mode, and uniqueness of forces."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np

from footfall import Scene, assemble, stored_scene
from footfall.api.advanced import Variable
from footfall.api.contact import BlockKind, ContactProblem, ImpulseLaw
from footfall.api.plugin import Floats, Ints
from footfall_stepper.api import StepperSimulator, World, stepped


class Mode(IntEnum):
    """Modes of a contact."""

    OPEN = 0
    """It carries no impulse."""
    STICK = 1
    """It does not slide."""
    SLIP = 2
    """It slides."""


EVERY = 100
"""Number of steps between two halved ones."""
DEPENDENT = 1e-9
"""Eigenvalue, relative to the largest, below which a direction counts as dependent. Each pushing
direction is scaled to move the bodies by 1, so that masses and lever arms have no effect."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Mode, margin and rank of an answer to a contact problem.

    Attributes:
        mode: shape (blocks,), a ``Mode``; -1 for rows of joints.
        margin: shape (blocks,), change of a velocity that would change the mode, [m/s]; NaN for
            rows of joints.
        rows: number of directions in which contacts push.
        rank: rank of these directions as seen by the bodies; if less than rows, forces are not
            unique, but the motion is.
        amplification: largest ratio of an answer's error to its natural map, [-].
    """

    mode: Floats
    margin: Floats
    rows: int
    rank: int
    amplification: float

    def is_certain(self, residual: float) -> bool:
        """Return whether every margin is larger than the possible error of the answer.

        ``residual``: natural map of the answer, [m/s]. A natural map e bounds an answer's error
        by ``(w + L) / l e``, with w the largest diagonal entry of W, L its largest and l its least
        nonzero eigenvalue (Facchinei and Pang 2003, theorem 2.3.3, for monotone problems; with
        sliding friction the problem is only nearly monotone).
        """
        return not bool((self.margin <= self.amplification * residual).any())


def certify(problem: ContactProblem) -> Certificate:
    """Return margins and ranks of a problem with an answer.

    The natural map projects ``x = w r - (u + mu |u_t| n)`` on the friction cone, with w the
    largest own diagonal entry of W. x lies in one of three regions: ``mu |x_t| <= -x_n`` (open),
    ``|x_t| <= mu x_n`` (stick), and between them (slip). The margin is the distance to the next
    region. Pushing directions are the three rows of a sticking point, and the one direction
    ``n - mu u_t / |u_t|`` of a slipping point. With moments of friction a contact has up to six
    rows, and one direction if it slides, spins or rolls, as it has one cone.
    """
    W = problem.delassus()
    r = problem.impulse
    u = W @ r + problem.free_velocity + problem.offset
    mode, margin = np.full(problem.n_blocks, -1.0), np.full(problem.n_blocks, np.nan)
    pushing: list[Floats] = []
    for b in range(problem.n_blocks):
        if problem.kind[b] != BlockKind.CONE:
            continue
        mu, at = float(problem.mu[b]), rows_of(problem, b)
        w = float(np.diag(W)[at].max())
        mode[b], margin[b] = judge(r[at], u[at], mu, w)
        there = np.append(np.diag(W)[at[:-1]] > 0.0, True)  # a length of 0 leaves rows of zeros
        pushing += directions(int(mode[b]), u[at[there]], mu, at[there], len(r))
    rank = 0
    if pushing:
        columns = np.array(pushing)
        moved = columns @ W @ columns.T
        scale = np.sqrt(np.maximum(np.diag(moved), np.finfo(float).tiny))
        sizes = np.linalg.eigvalsh(moved / np.outer(scale, scale))
        rank = int((sizes > DEPENDENT * sizes[-1]).sum())
    every = np.linalg.eigvalsh(W) if len(W) else np.ones(1)
    least = every[every > DEPENDENT * every[-1]].min()
    amplification = float((np.diag(W).max(initial=0.0) + every[-1]) / least)
    return Certificate(mode, margin, len(pushing), rank, amplification)


def rows_of(problem: ContactProblem, b: int) -> Ints:
    """Return the rows of a cone: tangents, moments of friction if present, then the normal."""
    first, given = int(problem.row[b]), problem.arrays.moments
    moments = int(given[b]) if len(given) else -1
    more = [] if moments < 0 else [int(problem.row[moments]) + k for k in range(3)]
    return np.array([first, first + 1, *more, first + 2], np.int64)


def judge(r: Floats, u: Floats, mu: float, w: float) -> tuple[float, float]:
    """Return the mode of a contact, and its distance to the nearest other mode, [m/s].

    r and u: impulse and target velocity, with the normal component last.
    """
    along, out = w * r[:-1] - u[:-1], w * float(r[-1]) - float(u[-1])
    out -= mu * float(np.linalg.norm(u[:-1]))
    size, scale = float(np.linalg.norm(along)), float(np.hypot(1.0, mu))
    closed, holds = (out + mu * size) / scale, (mu * out - size) / scale
    if closed <= 0.0:
        return Mode.OPEN, -closed
    return (Mode.STICK if holds >= 0.0 else Mode.SLIP), min(closed, abs(holds))


def directions(mode: int, u: Floats, mu: float, at: Ints, n: int) -> list[Floats]:
    """Return the directions among n rows in which a contact with rows ``at`` pushes."""
    if mode == Mode.OPEN:
        return []
    if mode == Mode.STICK:
        return list(np.eye(n)[at])
    one, speed = np.zeros(n), float(np.linalg.norm(u[:-1]))
    one[at[-1]] = 1.0
    if speed > 0.0:
        one[at[:-1]] = -mu * u[:-1] / speed
    return [one]


class Certificates:
    """Records certificates (see ``certify``) and, at intervals, the error of a step.

    Every ``EVERY`` steps, another simulator of the same scene makes the next step as two of half
    its length, and the positions are compared.
    """

    variables: tuple[Variable, ...]
    counted: ClassVar[tuple[str, ...]] = ("certain", "active_rows", "active_rank")

    def __init__(self, scene: Scene, world: World) -> None:
        n = len(world.contact_names)
        way = "velocity change that would change the contact's mode"
        error = "difference of positions after the step and after two of half its length"
        certain = "whether every margin is larger than the possible error of the answer"
        self.variables = (
            Variable("contact_margin", ("contact",), (n,), "m/s", way),
            Variable("least_margin", units="m/s", long_name=f"least {way}, of all contacts"),
            Variable("certain", dtype="int8", long_name=certain),
            Variable("active_rows", dtype="int64", long_name="directions in which contacts push"),
            Variable("active_rank", dtype="int64", long_name="rank of them, seen by the bodies"),
            Variable("local_error", units="m or rad", long_name=f"{error}; NaN if not measured"),
        )
        self._halved: StepperSimulator | None = None
        self._ahead: Floats | None = None

    def end(self, sim: StepperSimulator, row: Floats) -> None:
        """Write the certificate of the finished step to its row."""
        view = sim.layout.view
        view(row, "local_error")[...] = np.nan
        if self._ahead is not None:
            view(row, "local_error")[...] = np.abs(sim.q - self._ahead).max()
            self._ahead = None
        if (sim.state.tick + 1) % EVERY == EVERY - 1:  # the tick is still that of this step
            self._ahead = self._two_halves(sim)
        view(row, "contact_margin")[...] = np.nan
        if not isinstance(sim.stepper.law, ImpulseLaw):
            view(row, "least_margin")[...] = np.nan
            for name in self.counted:
                view(row, name)[...] = 0.0
            return
        problem = sim.stepper.problem
        found = certify(problem)
        cones = np.flatnonzero(found.mode >= Mode.OPEN)
        declared = cones[problem.candidate[cones] < len(sim.world.contact_names)]
        view(row, "contact_margin")[problem.candidate[declared]] = found.margin[declared]
        least = float(found.margin[cones].min()) if len(cones) else np.inf
        view(row, "least_margin")[...] = least
        residual = float(view(row, "residual_natural_map"))
        view(row, "certain")[...] = float(found.is_certain(residual))
        view(row, "active_rows")[...], view(row, "active_rank")[...] = found.rows, found.rank

    def _two_halves(self, sim: StepperSimulator) -> Floats | None:
        """Return the positions after the next step, made as two half steps."""
        halved = self._halved = self._halved or halved_of(sim)
        if halved is None:
            return None
        if halved.state.parts != sim.state.parts:  # delayed commands are due at other ticks
            return None
        halved.state.restore(sim.state)
        halved.state["tick"][0] = 2.0 * (sim.state.tick + 1)
        halved.step()
        halved.step()
        return halved.q.copy()


def halved_of(sim: StepperSimulator) -> StepperSimulator | None:
    """Return a simulator of the same scene with half the time step, None without a scene."""
    registry, resolved = sim.provenance.registry, sim.provenance.resolved
    if registry is None or "scene" not in resolved:
        return None
    tables = dict(resolved["scene"])
    tables["simulation"] = {**tables["simulation"], "time_step": 0.5 * sim.time_step, "substeps": 1}
    tables["recorder"] = {**tables.get("recorder", {}), "certificates": False}
    tables["visualizer"] = {"plugin": "none"}
    scene = stored_scene({**resolved, "scene": tables}, registry, trust=True)
    return stepped(assemble(scene, registry, tell_deep=False))


class Summary:
    """Sums up the certificates of a run in one line; empty if they were not requested."""

    def __init__(self, sim: StepperSimulator) -> None:
        self._sim, self._asked = sim, bool(sim.participants.certificates)
        self._steps = self._certain = self._redundant = 0
        self._least, self._at, self._error = np.inf, 0.0, 0.0

    def see(self, rows: Floats) -> None:
        """Take the rows of new steps, shape (n, width)."""
        if not self._asked or len(rows) == 0:
            return
        place = self._sim.layout.slice_of
        columns = [rows[:, place(name).start] for name in Certificates.counted]
        margins, errors = (rows[:, place(n).start] for n in ("least_margin", "local_error"))
        self._steps += len(rows)
        self._certain += int(columns[0].sum())
        self._redundant += int((columns[2] < columns[1]).sum())
        self._error = float(np.fmax.reduce(np.append(errors, self._error)))
        if np.isfinite(margins).any() and np.nanmin(margins) < self._least:
            k = int(np.nanargmin(margins))
            self._least, self._at = float(margins[k]), float(rows[k, place("time").start])

    def found(self) -> dict[str, list[str]]:
        """Return the line, if certificates were requested."""
        if not self._asked or not self._steps:
            return {}
        least = f"least margin {self._least:.2g} m/s at t = {self._at:.6g} s, "
        return {
            "notes": [
                f"certificates: modes certain in {self._certain} of {self._steps} steps, "
                f"{least if np.isfinite(self._least) else ''}forces not unique (motion is) in "
                f"{self._redundant}, error of a step up to {self._error:.2g} by halving"
            ]
        }
