"""Certificates: distance of each contact from another mode, uniqueness of forces and motions."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar

import numpy as np

from footfall import Scene, assemble, stored_scene
from footfall.api.advanced import Variable
from footfall.api.contact import BlockKind, ContactProblem, ImpulseLaw
from footfall.api.plugin import Floats, Ints
from footfall_stepper.api import StepperSimulator, World, own_parts, stepped
from footfall_watch.indeterminacy import DEPENDENT, Motions, NearAnswers, rows_of


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
EXACT = 1e-6
"""Largest natural map of an answer whose motions are compared with other exact ones, [m/s]."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Mode, margin and rank of an answer to a contact problem.

    Attributes:
        mode: shape (blocks,), a ``Mode``; -1 for rows of joints.
        margin: shape (blocks,), change of a velocity that would change the mode, [m/s]; NaN for
            rows of joints.
        rows: number of impulses that are not given, see ``indeterminacy``.
        rank: number of them that are unique.
        amplification: largest ratio of an answer's error to its natural map, [-].
        canonical_residual: distance from the canonical answer, relative; NaN if a contact sticks on
            the edge of its cone.
        motions: of links whose motion is not unique.
    """

    mode: Floats
    margin: Floats
    rows: int
    rank: int
    amplification: float
    canonical_residual: float
    motions: list[Motions]

    def is_certain(self, residual: float) -> bool:
        """Return whether every margin is larger than the possible error of the answer.

        ``residual``: natural map of the answer, [m/s]. A natural map e bounds an answer's error
        by ``(w + L) / l e``, with w the largest diagonal entry of W, L its largest and l its least
        nonzero eigenvalue (Facchinei and Pang 2003, theorem 2.3.3, for monotone problems; with
        sliding friction the problem is only nearly monotone).
        """
        return not bool((self.margin <= self.amplification * residual).any())


UNIQUE = Motions(-1, 0.0, np.nan, np.nan, np.nan, np.nan)
NOTHING = Certificate(np.zeros(0), np.zeros(0), 0, 0, 1.0, np.nan, [])


def certify(problem: ContactProblem, links: Ints | None = None) -> Certificate:
    """Return margins, ranks and ranges of motions of a problem with an answer.

    The natural map projects ``x = w r - (u + mu |u_t| n)`` on the friction cone, with w the
    largest own diagonal entry of W. x lies in one of three regions: ``mu |x_t| <= -x_n`` (open),
    ``|x_t| <= mu x_n`` (stick), and between them (slip). The margin is the distance to the next
    region. With moments of friction a contact has up to six rows, as it has one cone.

    Args:
        problem: the problem.
        links: shape (blocks, 2), the links that each block pushes; without them, no motions.
    """
    W = problem.delassus()
    r = problem.impulse
    u = W @ r + problem.free_velocity + problem.offset
    mode, margin = np.full(problem.n_blocks, -1.0), np.full(problem.n_blocks, np.nan)
    for b in range(problem.n_blocks):
        if problem.kind[b] != BlockKind.CONE:
            continue
        mu, at = float(problem.mu[b]), rows_of(problem, b)
        w = float(np.diag(W)[at].max())
        mode[b], margin[b] = judge(r[at], u[at], mu, w)
    near = [NearAnswers(problem, blocks, W, u) for blocks in problem.groups()]
    every = np.linalg.eigvalsh(W) if len(W) else np.ones(1)
    least = every[every > DEPENDENT * every[-1]].min(initial=np.inf)
    amplification = float((np.diag(W).max(initial=0.0) + every[-1]) / least)
    rows, rank = (sum(getattr(one, name) for one in near) for name in ("rows", "rank"))
    residual = float(np.max([one.residual for one in near], initial=0.0))
    motions = [] if links is None else [found for one in near for found in one.motions(links)]
    return Certificate(mode, margin, rows, rank, amplification, residual, motions)


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


class Certificates:
    """Records certificates (see ``certify``) and, at intervals, the error of a step.

    Every ``EVERY`` steps, another simulator of the same scene makes the next step as two of half
    its length, and the positions are compared.
    """

    variables: tuple[Variable, ...]
    counted: ClassVar[tuple[str, ...]] = (
        *("certain", "active_rows", "active_rank", "canonical_choice"),
        *Motions._fields,
    )

    def __init__(self, scene: Scene, world: World) -> None:
        n = len(world.contact_names)
        way = "velocity change that would change the contact's mode"
        error = "difference of positions after the step and after two of half its length"
        certain = "whether every margin is larger than the possible error of the answer"
        canonical = "distance from the answer for equal compliances that vanish, relative"
        choice = "whether the law's choice of how contacts share a load decided the motion"
        exact = "by exact answers; NaN if unique"
        self.variables = (
            Variable("contact_margin", ("contact",), (n,), "m/s", way),
            Variable("least_margin", units="m/s", long_name=f"least {way}, of all contacts"),
            Variable("certain", dtype="int8", long_name=certain),
            Variable("active_rows", dtype="int64", long_name="unknown impulses"),
            Variable("active_rank", dtype="int64", long_name="number of them that are unique"),
            Variable("canonical_residual", long_name=f"{canonical}; NaN on the edge of a cone"),
            Variable("canonical_choice", dtype="int8", long_name=choice),
            Variable(
                "undecided_link", dtype="int64", long_name="link that it decided most for, -1"
            ),
            Variable("motion_width", units="m/s", long_name="by how much, at its contacts"),
            Variable("turn_low", units="rad/s", long_name=f"its least rate of turn {exact}"),
            Variable("turn_high", units="rad/s", long_name=f"its largest rate of turn {exact}"),
            Variable("speed_low", units="m/s", long_name=f"its least speed {exact}"),
            Variable("speed_high", units="m/s", long_name=f"its largest speed {exact}"),
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
        law, problem, certain, found = sim.stepper.law, sim.stepper.problem, False, NOTHING
        view(row, "least_margin")[...] = np.nan
        if isinstance(law, ImpulseLaw):
            residual = float(view(row, "residual_natural_map"))
            inexact = residual > EXACT or law.rest_depth(1.0) > 0.0
            found = certify(problem, None if inexact else sim.world.sides.link)
            cones = np.flatnonzero(found.mode >= Mode.OPEN)
            declared = cones[problem.candidate[cones] < len(sim.world.contact_names)]
            view(row, "contact_margin")[problem.candidate[declared]] = found.margin[declared]
            view(row, "least_margin")[...] = found.margin[cones].min(initial=np.inf)
            certain = found.is_certain(residual)
        widest = max(found.motions, key=lambda one: one.motion_width, default=UNIQUE)
        values = (certain, found.rows, found.rank, len(found.motions) > 0, *widest)
        for name, value in zip(self.counted, values, strict=True):
            view(row, name)[...] = value
        view(row, "canonical_residual")[...] = found.canonical_residual

    def _two_halves(self, sim: StepperSimulator) -> Floats | None:
        """Return the positions after the next step, made as two half steps."""
        halved = self._halved = self._halved or halved_of(sim)
        if halved is None:
            return None
        if halved.state.parts != sim.state.parts:  # delayed commands are due at other ticks
            return None
        halved.state.restore(sim.state)
        own_parts(halved.state)["tick"][0] = 2.0 * (sim.state.tick + 1)
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
        self._steps = self._certain = self._redundant = self._chosen = 0
        self._least, self._at, self._error = np.inf, 0.0, 0.0
        self._width, self._range = 0.0, ""

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
        self._chosen += int(columns[3].sum())
        widest = int(np.argmax(columns[5]))
        if columns[5][widest] > self._width:
            self._width, self._range = float(columns[5][widest]), self._in_words(rows[widest])
        self._error = float(np.fmax.reduce(np.append(errors, self._error)))
        if np.isfinite(margins).any() and np.nanmin(margins) < self._least:
            k = int(np.nanargmin(margins))
            self._least, self._at = float(margins[k]), float(rows[k, place("time").start])

    def _in_words(self, row: Floats) -> str:
        """Return the range of motions of a step."""
        names = ("time", *Motions._fields)
        time, link, _, *ends = (float(self._sim.layout.view(row, name)) for name in names)
        body, _, _ = self._sim.world.link_names[int(link)].partition("/")
        return (
            f"at t = {time:.6g} s: turn rate of {body} between {ends[0]:.6g} and {ends[1]:.6g} "
            f"rad/s, speed between {ends[2]:.6g} and {ends[3]:.6g} m/s"
        )

    def found(self) -> dict[str, list[str]]:
        """Return the line, if certificates were requested, and one on motions, if not unique."""
        if not self._asked or not self._steps:
            return {}
        least = f"least margin {self._least:.2g} m/s at t = {self._at:.6g} s, "
        notes = [
            f"certificates: modes certain in {self._certain} of {self._steps} steps, "
            f"{least if np.isfinite(self._least) else ''}forces not unique in "
            f"{self._redundant}, error of a step up to {self._error:.2g} by halving"
        ]
        if self._chosen:
            notes.append(
                "motion decided by the way in which the law shares loads between contacts in "
                f"{self._chosen} of {self._steps} steps, most {self._range}"
            )
        return {"notes": notes}
