"""Trials of a policy: the same network in several laws and simulators, from several starts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import footfall
from footfall import Simulator
from footfall.api.plugin import Floats, FootfallError, SceneError, error_line
from footfall_policy.judge import Judge, Upright, judge_of
from footfall_policy.parting import TICK, Parting, first_difference, ticks_of
from footfall_policy.policy_file import PolicyTable, read_policy
from footfall_policy.terms import PLANAR

APART = 0.05
"""Difference of a base's position or of a joint from which two runs have parted, [m or rad]."""
LONGEST = 1e6
"""Greatest duration [s] and noise."""
SPEED = 10.0
"""Largest change of a velocity at the start per change of a joint, [1/s]."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run.

    Attributes:
        seed: of the start; 0: the scene's own start.
        fall: time of the fall, or of the first joint out of range, [s]; None for a success.
        distance: from start to end in the plane, [m]; NaN for a fixed base.
        end: shape (3,), last position of the base, [m]; NaN for a fixed base.
        error: root mean square of the difference of the base's velocity, averaged over 1 s and
            along its heading, from the command, [m/s]; NaN without a command or before 1 s. For a
            fixed base that of the joints, see ``InRange``.
    """

    seed: int
    fall: float | None
    distance: float
    end: Floats
    error: float


@dataclass(frozen=True, slots=True)
class Row:
    """All runs in one law and simulator.

    Attributes:
        simulator: name.
        contact: the law, or ``own`` if the simulator has its own.
        samples: the first is the scene's own start.
        reason: why there are no samples, in one line.
        recording: path of the recording of the first; None if it is not recorded.
        motion: shape (ticks, nq), positions of the first.
        tick: time from one row of them to the next, [s].
        judge: of the runs.
        parting: from the first row; None for the first.
    """

    simulator: str
    contact: str
    samples: Sequence[Sample] = ()
    reason: str = ""
    recording: Path | None = None
    motion: Floats | None = None
    tick: float = TICK
    judge: type[Judge] = Upright
    parting: Parting | None = None

    @property
    def title(self) -> str:
        """Name for tables."""
        return f"{self.simulator}, {self.contact}"


@dataclass(frozen=True, slots=True)
class Plan:
    """Settings common to all rows.

    Attributes:
        scene: name or path.
        body: the body that the policy moves.
        policy: the side file; command: the command in place of its own.
        overrides: changes of the scene, with the controller.
        parts: whether steps of soft laws are made in parts, since the scene gives none.
        duration: [s].
        seeds: number of further starts.
        noise: largest change of a joint at those starts, [rad or m].
        folder: of recordings; None: nothing is recorded.
    """

    scene: str
    body: str
    policy: PolicyTable
    command: Sequence[float]
    overrides: Mapping[str, Any]
    parts: bool
    duration: float
    seeds: int
    noise: float
    folder: Path | None


def run_policy(
    file: str | Path,
    scene: str | Path,
    *,
    contacts: Sequence[str] = ("coulomb",),
    simulators: Sequence[str] = ("footfall",),
    seeds: int = 0,
    noise: float = 0.01,
    robot: str = "",
    duration: float | None = None,
    settings: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
    folder: Path | None = None,
    on_start: Callable[[Row, int, int], None] = lambda row, number, total: None,
) -> list[Row]:
    """Try a policy in several laws and simulators.

    Laws are those of the simulator ``footfall``; others have their own. A step of a law with a
    stiffness is made in stable parts unless the scene gives ``simulation.substeps``.

    Args:
        file: as ``file`` of the controller ``policy``.
        scene: as for ``footfall.load``.
        contacts: contact laws.
        simulators: names.
        seeds: number of starts with changed joints and velocities, beside the scene's own.
        noise: largest change of a joint, [rad or m]; velocities change by up to ten times as much
            per second.
        robot: body that the policy moves; needed if the scene has several.
        duration: [s]; by default the scene's.
        settings: further settings of the controller.
        overrides: as for ``footfall.load``.
        folder: existing folder for a recording of each row; None: nothing is recorded.
        on_start: called before each row with its number and the number of rows.

    Raises:
        FootfallError: if the scene has several robots, or nothing runs; a row that cannot run has
            its reason.
    """
    path = os.path.realpath(os.path.expanduser(file))
    for name, value in (("duration", duration), ("noise", noise)):
        if value is not None and not 0.0 <= value <= LONGEST:
            raise FootfallError(f"{name}: must be from 0 to {LONGEST:g}, got {value}")
    titles = [Row(s, c) for s in simulators for c in (contacts if s == "footfall" else ("own",))]
    names = [row.title for row in titles]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise FootfallError(f"{twice} is given twice")
    given = {**(overrides or {}), "visualizer.plugin": "none"}
    loaded = footfall.load_scene(scene, given)
    body = _body(loaded, robot)
    own = {"plugin": "policy", "file": path, **(settings or {})}
    policy, _ = read_policy(Path(path))
    plan = Plan(
        scene=str(scene),
        body=body,
        policy=policy,
        command=own.get("command") or policy.command,
        overrides={**given, f"bodies.{body}.controller": own},
        parts=loaded.simulation.substeps == 1,
        duration=loaded.simulation.duration if duration is None else duration,
        seeds=seeds,
        noise=noise,
        folder=folder,
    )
    rows: list[Row] = []
    for number, row in enumerate(titles, start=1):
        on_start(row, number, len(titles))
        rows.append(_tried(row, plan, rows))
    if all(row.reason for row in rows):
        raise FootfallError(f"{rows[0].title}: {rows[0].reason}")
    return rows


def _body(scene: footfall.Scene, robot: str) -> str:
    moving = [name for name, body in scene.bodies.items() if not body.fixed]
    ruled = [name for name in moving if scene.bodies[name].controller.plugin == "policy"]
    for names in ([robot],) if robot else (ruled, moving):
        if len(names) == 1 and names[0] in moving:
            return names[0]
    known = ", ".join(moving)
    if robot:
        raise SceneError(f"no robot {robot!r} in the scene (robots: {known or 'none'})")
    raise SceneError(f"the scene has several robots, {known}: choose one (--robot NAME)")


def _of(row: Row, plan: Plan) -> dict[str, Any]:
    """Return the overrides of a row."""
    law: dict[str, Any] = {} if row.contact == "own" else {"contact.plugin": row.contact}
    if law and plan.parts:
        law["simulation.substeps"] = "auto"
    return {**plan.overrides, **law, "simulator.plugin": row.simulator}


def _tried(row: Row, plan: Plan, before: Sequence[Row]) -> Row:
    first = next((each for each in before if each.motion is not None), None)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            sim = footfall.load(plan.scene, _of(row, plan))
        start, recording = sim.state.copy(), None
        judge = judge_of(sim, plan.body, plan.policy)
        samples, motion = [], np.zeros((0, len(sim.q)))
        for seed in range(plan.seeds + 1):
            sim.state.restore(start)
            _disturb(sim, plan, seed)
            sample, q = _walked(sim, plan, seed, judge)
            samples.append(sample)
            motion = motion if seed else q
        if plan.folder is not None:
            sim.state.restore(start)
            recording = plan.folder / f"{row.simulator}-{row.contact}.zarr"
            sim.record(plan.duration, recording)
        tick = ticks_of(sim) * sim.time_step
        row = replace(row, judge=type(judge))
        done = replace(row, samples=samples, motion=motion, tick=tick, recording=recording)
        return replace(done, parting=_parted(first, done, plan)) if first else done
    except FootfallError as error:
        return replace(row, reason=str(error))
    except Exception as error:  # of another simulator
        return replace(row, reason=error_line(error))


def _disturb(sim: Simulator, plan: Plan, seed: int) -> None:
    """Change joints and velocities of the start; the same in every simulator."""
    if not seed:
        return
    rng, index = np.random.default_rng(seed), sim.world.index(plan.body)
    n = sum(name not in PLANAR for name in sim.signals(plan.body).joint_names)
    q = sim.q[sim.world.q_slice(index)]
    q[len(q) - n :] += rng.uniform(-plan.noise, plan.noise, n)
    v = sim.v[sim.world.v_slice(index)]
    v += rng.uniform(-SPEED * plan.noise, SPEED * plan.noise, len(v))


def _walked(sim: Simulator, plan: Plan, seed: int, judge: Judge) -> tuple[Sample, Floats]:
    """Run once; return figures, and positions at every tick."""
    every = ticks_of(sim)
    fall, q, seen = None, [sim.q.copy()], [judge.seen()]
    for k in range(round(plan.duration / sim.time_step)):
        sim.step()
        if (k + 1) % every:
            continue
        q.append(sim.q.copy())
        seen.append(judge.seen())
        if judge.failed():
            fall = sim.time
            break
    rows = np.array(seen)
    error = judge.error(rows, plan.command, every * sim.time_step)
    distance = float(np.linalg.norm(rows[-1, :2] - rows[0, :2]))
    return Sample(seed, fall, distance, rows[-1, :3], error), np.array(q)


def _parted(first: Row, row: Row, plan: Plan) -> Parting:
    """Find when two motions part, and the first layer that differs."""
    assert first.motion is not None
    assert row.motion is not None
    n = min(len(first.motion), len(row.motion))
    away = np.abs(first.motion[:n] - row.motion[:n]).max(axis=1)
    apart = np.flatnonzero(away > APART)
    time = row.tick * float(apart[0]) if len(apart) else None
    if row.simulator == "mujoco" and first.simulator == "footfall":
        over = {k: v for k, v in _of(first, plan).items() if k != "simulator.plugin"}
        layer = footfall.twin(plan.scene, "mujoco", steps=1, overrides=over).first
        if layer is not None:
            return Parting(time, layer.name, layer.where)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        ours, theirs = (footfall.load(plan.scene, _of(each, plan)) for each in (first, row))
    return first_difference(ours, theirs, plan.body, time, plan.duration)
