"""Every robot file of a folder or a package: imported or not and why, its dynamics, how it stands.

python -m tests.benchmarks.survey FOLDER_OR_PACKAGE: ... [--json FILE] [--markdown FILE]

Each file is imported in a process of its own, which begins as a copy of one that has its kernels.
An MJCF without a body is a part of others, or a scene: no model.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from tests.benchmarks.other_dynamics import OtherDynamics, mujoco_dynamics, pinocchio_dynamics

import footfall
from footfall.errors import FootfallError, RobotError
from footfall.model.robot import Robot
from footfall.registry.discover import discover
from footfall_import.choices import Wishes
from footfall_import.locate import is_model, list_models, locate
from footfall_import.propose import propose
from footfall_import.read_model import read_model
from footfall_import.trial import try_scene
from footfall_import.write import write_robot
from footfall_simulators.exporters.mjcf import export_mjcf

TILTED = np.array([1.5, -3.0, -8.0])
"""Gravity along no axis, [m/s^2]."""
LONGEST = 400.0
"""A file's time, [s]."""
ROUNDS, BURST = 8, 100
"""Rounds of timing, the first of which does not count, and steps of each."""


@dataclass
class Row:
    """What became of a file.

    Attributes:
        model: reference of the model.
        state: ``imported``, ``refused``, ``crashed`` or ``no model``.
        why: of one that is not imported, one line.
        links: number of links.
        joints: number of movable joints.
        base: how it is held.
        repaired: whether it needs ``--repair-inertia``.
        points: number of contact points.
        findings: texts of warnings.
        meshes: mesh files it names.
        dM: largest difference of M to the other engine's, relative to its largest entry, [-].
        dh: the same of h.
        other: why the other engine has no M and h.
        sinks: largest move of the base from where it starts, [m].
        tilts: largest turn of the base, [rad].
        ran: ``stands``, ``holds``, or why not.
        step: median time of a step over that of ``mj_step`` on the exported scene, [-].
        seconds: that it took to import, [s].
    """

    model: str
    state: str = "crashed"
    why: str = ""
    links: int = 0
    joints: int = 0
    base: str = ""
    repaired: bool = False
    points: int = 0
    findings: list[str] = field(default_factory=list)
    meshes: int = 0
    dM: float | None = None
    dh: float | None = None
    other: str = ""
    sinks: float | None = None
    tilts: float | None = None
    ran: str = ""
    step: float | None = None
    seconds: float = 0.0


def models_of(reference: str) -> list[str]:
    """Return the references of the models of a folder, or of a package ``NAME:``."""
    if reference.endswith(":"):
        return [f"{reference}{name}" for name in list_models(reference[:-1])]
    return [str(path) for path in sorted(Path(reference).rglob("*")) if is_model(path)]


def look_at(reference: str, *, run: bool) -> Row:
    """Import a model and return what came of it."""
    row, start = Row(reference), time.perf_counter()
    located = locate(reference)
    other: OtherDynamics | None = None
    try:
        other = others_dynamics(located.path)
        if other is None:
            row.state, row.why = "no model", "no body"
            return row
    except (ValueError, RuntimeError, ElementTree.ParseError) as error:
        row.other = " ".join(str(error).split())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            proposal = proposed(located, row)
        except FootfallError as error:
            row.why = str(error).replace(str(located.path), "FILE")
            row.state = "no model" if row.why.endswith("holds no body") else "refused"
            return row
        urdf = proposal.model.urdf
        row.state, row.links, row.joints = "imported", len(urdf.links), len(urdf.movable)
        row.base = proposal.base
        row.points = sum(len(sole.points) for sole in proposal.soles)
        row.findings = [f"{f.subject}: {f.text}" for f in proposal.findings if f.level == "warning"]
        shapes = [s.shape for ln in urdf.links.values() for s in (*ln.visuals, *ln.collisions)]
        row.meshes = len({shape.mesh for shape in shapes if shape.mesh})
        row.seconds = time.perf_counter() - start
        if other is not None:
            try:
                row.dM, row.dh = differences(other, proposal)
            except (ValueError, KeyError) as error:
                row.other = f"{type(error).__name__}: {error}"
        if run:
            try:
                stand(row, proposal)
            except FootfallError as error:
                row.ran = str(error)
            except Exception as error:
                row.ran = f"crashed: {described(error)}"
    return row


def proposed(located: Any, row: Row) -> Any:
    """Return the proposal, with inertias repaired if it needs that."""
    try:
        return propose(located, read_model(located), Wishes(), discover())
    except RobotError as error:
        if "--repair-inertia" not in str(error):
            raise
        row.repaired = True
        return propose(located, read_model(located, repair=True), Wishes(), discover())


def described(error: BaseException) -> str:
    """Return an error of any kind in one line, with where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}:{last.lineno})"


def others_dynamics(path: Path) -> OtherDynamics | None:
    """Return Pinocchio's or MuJoCo's dynamics of a file, None of a file without a body."""
    return pinocchio_dynamics(path) if path.suffix == ".urdf" else mujoco_dynamics(path)


def differences(other: OtherDynamics, proposal: Any) -> tuple[float, float]:
    """Return the largest differences of M and h at three random states, relative."""
    robot = Robot.from_urdf("it", proposal.model.urdf, proposal.base)
    registry = discover()
    engine = registry.find("engine", registry.default("engine")).load()
    placed = proposal.model.start if proposal.base == "planar" else None
    tree = engine(engine.Config()).load(robot.source("it", TILTED, placement=placed))
    names, floating = tree.model.joint_names, proposal.base == "floating"
    rng, worst = np.random.default_rng(1), np.zeros(2)
    for _ in range(3):
        joints, v = rng.uniform(-1.0, 1.0, len(names)), rng.normal(size=tree.model.nv)
        quaternion = rng.normal(size=4)
        base = [*rng.normal(size=3), *(quaternion / np.linalg.norm(quaternion))]
        tree.evaluate(np.array([*base, *joints] if floating else joints), v)
        theirs = [proposal.model.planar.get(name, (name, 1.0)) for name in names]
        signs = np.array([1.0] * (len(v) - len(names)) + [sign for _, sign in theirs])
        positions = {name: sign * s for (name, sign), s in zip(theirs, joints, strict=True)}
        M, h = other(base if floating else None, positions, signs * v, TILTED)
        M, h = M * np.outer(signs, signs), h * signs
        worst[0] = max(worst[0], np.abs(tree.M - M).max(initial=0.0) / np.abs(M).max(initial=1e-9))
        worst[1] = max(worst[1], np.abs(tree.h - h).max(initial=0.0) / np.abs(h).max(initial=1e-9))
    return float(worst[0]), float(worst[1])


def stand(row: Row, proposal: Any) -> None:
    """Write the robot, run its scene for 5 s, and judge it."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "it"
        write_robot(proposal, place)
        trial = try_scene(place / "scenes" / "standing.toml", proposal.base, proposal.name)
        if not trial.problem:
            row.step = step_ratio(place / "scenes" / "standing.toml", Path(folder) / "it.xml")
    row.ran = trial.verdict.partition(":")[0] if not trial.problem else trial.verdict
    row.sinks, row.tilts = trial.moves, trial.tilts


def step_ratio(scene: Path, exported: Path) -> float | None:
    """Return processor time of a step over that of ``mj_step`` of the same scene, in turn.

    None where MuJoCo refuses what is exported.
    """
    import mujoco

    sim = footfall.load(str(scene))
    try:
        export_mjcf(scene, exported, overwrite=True)
        model = mujoco.MjModel.from_xml_path(str(exported))
    except (ValueError, FootfallError):
        return None
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)

    def theirs() -> None:
        mujoco.mj_step(model, data)

    times = np.zeros((ROUNDS, 2))
    for row in times:
        for k, step in enumerate((sim.step, theirs)):
            start = time.process_time()
            for _ in range(BURST):
                step()
            row[k] = time.process_time() - start
    ours, other = np.median(times[1:], axis=0)
    return float(ours / other)


def table(rows: Sequence[Row], folder: str) -> str:
    """Return a Markdown table of the models of a folder or a package."""
    head = "| model | joints | base | M, h differ | in 5 s it | moves [mm] | turns | step ratio |"
    lines = [head, "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        if row.state == "no model":
            continue
        model = row.model.removeprefix(folder).lstrip("/")
        if row.state != "imported":
            lines.append(f"| `{model}` | | | | {row.state}: {reason(row.why)} | | | |")
            continue
        far = "" if row.dM is None else f"{max(row.dM, row.dh or 0.0):.0e}"
        moves = "" if not row.sinks else f"{1e3 * row.sinks:.2g}"
        turns = "" if not row.tilts else f"{np.degrees(row.tilts):.1g}°"
        ratio = "" if row.step is None else f"{row.step:.2f}"
        name = f"`{model}`{' (repaired)' if row.repaired else ''}"
        cells = name, row.joints, row.base, far, reason(row.ran), moves, turns, ratio
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def page(rows: Sequence[Row], folders: Sequence[str]) -> str:
    """Return a Markdown table of each folder or package, under its name."""
    parts = []
    for folder in folders:
        own = [row for row in rows if row.model.startswith(folder)]
        counts = summary(own).split("\n", 2)
        title = Path(folder.rstrip(":")).name
        parts.append(f"## {title}\n\n{counts[0]}. {counts[1]}.\n\n{table(own, folder)}")
    return "\n".join(parts)


def in_a_process(reference: str, *, run: bool) -> Row:
    """Look at a model in a copy of this process, which may crash or hang."""

    def work(answer: Connection) -> None:
        try:
            answer.send(look_at(reference, run=run))
        except BaseException as error:
            answer.send(Row(reference, why=described(error)))

    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=work, args=(theirs,))
    process.start()
    theirs.close()
    try:
        row = ours.recv() if ours.poll(LONGEST) else Row(reference, why=f"takes over {LONGEST} s")
    except EOFError:
        row = Row(reference, why="the process died")
    process.kill()
    process.join()
    return row


def rows_of(references: Sequence[str], known: Sequence[Row], *, run: bool) -> Iterator[Row]:
    """Yield the row of each model that is not known, said on stderr as it comes."""
    there = {row.model for row in known}
    for i, reference in enumerate(references):
        if reference in there:
            continue
        row = in_a_process(reference, run=run)
        said = row.why or f"{row.ran} dM {row.dM} dh {row.dh}"
        print(f"{i + 1}/{len(references)} {reference}: {row.state} {said}", file=sys.stderr)
        yield row


def reason(why: str) -> str:
    """Return a message without what is particular to a file."""
    why = re.sub(r"\(?FILE[^:]*:? ?", "", why)
    why = re.sub(r"/\S+", "PATH", why)
    return re.sub(r"[-+]?\b\d[\d.e+-]*", "N", re.sub(r'"[^"]*"', '"..."', why))[:110]


def summary(rows: Sequence[Row]) -> str:
    """Return counts of what became of the models, and why."""
    models = [row for row in rows if row.state != "no model"]
    imported = [row for row in models if row.state == "imported"]
    compared = [row for row in imported if row.dM is not None and not row.repaired]
    exact = [row for row in compared if max(row.dM or 0.0, row.dh or 0.0) <= 1e-12]
    lines = [
        f"{len(rows)} files, {len(models)} models, {len(imported)} imported, "
        f"{sum(row.repaired for row in imported)} of them with --repair-inertia",
        f"M and h equal to 1e-12: {len(exact)} of {len(compared)} that could be compared",
    ]
    for title, texts in (
        ("not imported", [reason(row.why) for row in models if row.state != "imported"]),
        ("run", [f"{row.base}: {reason(row.ran)}" for row in imported]),
        ("not compared", [reason(row.other) for row in imported if row.dM is None]),
        ("warnings", [reason(text) for row in imported for text in set(row.findings)]),
    ):
        lines.append(f"{title}:")
        lines += [f"  {count:4d}  {text}" for text, count in Counter(texts).most_common(40)]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Look at all models and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("references", nargs="+", metavar="FOLDER_OR_PACKAGE:")
    parser.add_argument("--without", default="", help="leave out files whose name matches this")
    parser.add_argument("--only", default="", help="only models whose reference matches this")
    parser.add_argument("--no-run", action="store_true", help="import only")
    parser.add_argument("--json", type=Path, help="file for the rows; those it has are kept")
    parser.add_argument("--markdown", type=Path, help="file for tables of them")
    options = parser.parse_args(arguments)
    references = [model for given in options.references for model in models_of(given)]
    references = [
        model
        for model in references
        if re.search(options.only, model)
        and not (options.without and re.search(options.without, Path(model).name))
    ]
    if not references:
        raise RobotError("no model matches")
    if not options.no_run:
        footfall.load("quadruped/standing").run(duration=0.01)  # kernels, for all processes
    rows = []
    if options.json and options.json.exists():
        rows = [Row(**row) for row in json.loads(options.json.read_text())]
    for row in rows_of(references, rows, run=not options.no_run):
        rows.append(row)
        if options.json:
            options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))
    rows = sorted((row for row in rows if row.model in references), key=lambda row: row.model)
    if options.markdown:
        options.markdown.write_text(page(rows, options.references), encoding="utf-8")
    print(summary(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
