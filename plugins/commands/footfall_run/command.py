"""``footfall run`` simulates and records a scene; ``footfall export`` converts a recording."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.api.command import Changes, Duration, SceneName, Trust, default_output
from footfall.api.plugin import PluginError, RecordingError, Registry

if TYPE_CHECKING:
    from footfall import RunReport, Scene, Simulator

BROWSER = {"visualizer.open_browser": True, "visualizer.wait": True}
"""Settings of --view: the page opens, and the run starts once it is loaded."""
MOUSE = "mouse"
"""Name of the hand of a viewer's users, and of its device."""


def run(
    scene: SceneName,
    set_: Changes = None,
    duration: Duration = None,
    output: Annotated[
        Path | None,
        typer.Option(help="Recording; by default runs/SCENE-TIME.zarr.", show_default=False),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
    no_record: Annotated[bool, typer.Option("--no-record", help="Record nothing.")] = False,
    resume: Annotated[Path | None, typer.Option(help="Continue from a saved state.")] = None,
    save: Annotated[Path | None, typer.Option(help="Save the state at the end.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the run in the browser.")] = False,
    live: Annotated[
        bool,
        typer.Option("--live", help="Endless --view, until Ctrl-C. Recorded only with --output."),
    ] = False,
    speed: Annotated[
        float | None,
        typer.Option(help="Simulated seconds per second in the viewer; 0: no limit."),
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page that plays the run.")] = None,
    trust: Trust = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 if the run printed an ALARM.")
    ] = False,
) -> None:
    """Simulate a scene and record it.

    Examples:
        footfall run humanoid/standing --view
        footfall run cube/sliding --set contact.plugin=compliant --html slide.html
    """
    _check_options(duration, output, no_record, live, html)
    from footfall import assemble, compilations, discover, progress_lines, restore

    compilations.ahead = live  # a user who acts on the run must not wait for compilation
    registry = discover()
    chosen = _scene(scene, set_ or [], duration, view or live, speed, registry)
    for path in (save, html):
        if path:
            RecordingError.refuse_unwritable(path, overwrite)
    sim = restore(resume, registry, chosen, trust=trust) if resume else assemble(chosen, registry)
    _tell_of_late_pushes(chosen, sim.time)
    sim, report = _record(sim, output, overwrite, live, not (no_record or live))
    _print(report)
    if save:
        sim.save(save, overwrite=overwrite)
        print(f"state saved to {save}")
    if html and (place := report.recording):
        with progress_lines(lambda s: f"writing {html}: {s:.0f} s"):
            registry.find("exporter", "html").load()(place, html, overwrite=overwrite, trust=True)
        print(f"page written to {html}")
        _tell_of_segments(place)
    _stay(sim, report)
    if report.interrupted and not live:
        raise KeyboardInterrupt
    if strict and report.alarms:
        raise typer.Exit(1)


def export(
    recording: Annotated[
        Path,
        typer.Argument(
            metavar="RECORDING|SCENE",
            help="A recording; for some formats, e.g. mjcf, also a scene.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write.")],
    format_: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="Format; by default the ending of OUTPUT."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
    trust: Trust = False,
) -> None:
    """Write a recording or scene in another format; `footfall plugins` lists exporters.

    Examples:
        footfall export runs/drop.zarr -o drop.csv
        footfall export humanoid/standing --format mjcf -o humanoid.xml
    """
    from footfall import discover, progress_lines

    registry = discover()
    name = format_ if format_ is not None else format_of(output, registry)
    write = registry.find("exporter", name).load()
    if output.is_file() and not overwrite:  # before the long work starts
        raise RecordingError(f"{output} exists: choose another name or add --overwrite")
    try:
        with progress_lines(lambda s: f"writing {output}: {s:.0f} s"):
            write(recording, output, overwrite=overwrite, **({"trust": True} if trust else {}))
    except RecordingError as error:
        if str(error).startswith(f"{recording}: ") and is_scene(str(recording)):
            told = f"{recording} is a scene, but {name} needs a recording: use footfall run first"
            raise RecordingError(told) from error
        raise
    print(f"{name} written to {output}")


MODELS = {"xml": "mjcf"}
"""Formats by file ending, if the two differ."""


def format_of(output: Path, registry: Registry) -> str:
    """Return the format for the ending of a file's name.

    Raises:
        PluginError: if no format has this ending.
    """
    suffix = output.suffix.removeprefix(".").lower()
    if not suffix:
        known = ", ".join(registry.exporter.names()) or "none"
        told = f"{output}: its ending is not a format: change it, or give --format"
        raise PluginError(f"{told} (installed: {known})")
    return MODELS.get(suffix, suffix)


def is_scene(reference: str) -> bool:
    """Return whether a reference names a scene."""
    from footfall import SceneError, find_scene

    try:
        find_scene(reference)
    except SceneError:
        return False
    return True


def _check_options(
    duration: float | None, output: Path | None, no_record: bool, live: bool, html: Path | None
) -> None:
    """Reject options that exclude each other."""
    if no_record and (output or html):
        raise typer.BadParameter(
            "cannot be combined with --output or --html", param_hint="--no-record"
        )
    if live and duration is not None:
        raise typer.BadParameter("a live run has none: end it with Ctrl-C", param_hint="--duration")
    if live and html and not output:
        raise typer.BadParameter("a live run needs --output as well", param_hint="--html")


def _scene(
    reference: str,
    assignments: list[str],
    duration: float | None,
    view: bool,
    speed: float | None,
    registry: Registry,
) -> Scene:
    """Load the scene with the changes of the options; print dropped settings."""
    from footfall import load_scene
    from footfall.api.command import parse_assignments

    options = {"simulation.duration": duration, "visualizer.speed": speed}
    overrides: dict[str, Any] = parse_assignments(assignments, options)
    shown = overrides.get("visualizer.plugin", _viewer_of(reference)) != "none"
    if view and not shown:
        overrides = {**BROWSER, **overrides, "visualizer.plugin": "meshcat"}
    if speed is not None and not (view or shown):
        raise typer.BadParameter("needs a viewer: add --view", param_hint="--speed")
    scene = load_scene(reference, overrides, registry)
    for note in scene.notes:
        typer.echo(f"note: {note}", err=True)
    if not (view or shown):
        return scene
    mouse = mouse_of(scene, registry)
    return load_scene(reference, {**overrides, **mouse}, registry) if mouse else scene


def mouse_of(scene: Scene, registry: Registry) -> dict[str, str]:
    """Return the keys of ``[hands.mouse]`` if the scene's viewer supports a hand and has none.

    They are empty if time is continuous, since hands do not act then.
    """
    from footfall.api.advanced import InteractiveVisualizer
    from footfall.api.viewer import LiveDevice
    from footfall.api.world import Continuous

    viewer = registry.visualizer[scene.visualizer.plugin].load()
    devices = [registry.input_device[h.device.plugin].load() for h in scene.hands.values()]
    if (
        not issubclass(viewer, InteractiveVisualizer)
        or MOUSE in scene.hands
        or any(issubclass(device, LiveDevice) for device in devices)
        or issubclass(registry.integrator[scene.integrator.plugin].load(), Continuous)
    ):
        return {}
    keys = {f"hands.{MOUSE}.device.plugin": MOUSE}
    for hand in scene.hands.values():  # all hands of a scene use the same interaction
        keys[f"hands.{MOUSE}.plugin"] = hand.interaction.plugin
    return keys


def _viewer_of(reference: str) -> Any:
    """Return the viewer chosen in the scene's own file."""
    from footfall import find_scene
    from footfall.api.advanced import read_toml

    table = read_toml(find_scene(reference)[1]).data.get("visualizer")
    return table.get("plugin", "none") if isinstance(table, dict) else "none"


def _tell_of_late_pushes(scene: Scene, start: float) -> None:
    """Print the pushes of a scene that start after the end of its run."""
    end = start + scene.simulation.duration
    for number, push in enumerate(scene.pushes):
        if push.start >= end:
            what = f"pushes[{number}] ({push.joint or push.link})"
            late = f"{what} starts at {push.start:g} s, after the end of the run ({end:g} s)"
            print(f"warning: {late}", file=sys.stderr)


def _record(
    sim: Simulator, output: Path | None, overwrite: bool, live: bool, kept: bool
) -> tuple[Simulator, RunReport]:
    """Run to the end or to Ctrl-C, and close the recording in both cases.

    Without ``output``, a run that is ``kept`` is recorded at a path of its own.

    Returns:
        The simulator at the end of the run, with objects added during the run, and the report.

    Raises:
        SimulationError: if the simulation fails; with its earlier alarms and the path of the
            recording so far.
    """
    from footfall import SimulationError, SolverError, is_recording
    from footfall_stepper.api import StepperSimulator, stepped

    length = sim.provenance.duration
    steps_here = live or isinstance(sim, StepperSimulator)
    run = stepped(sim).prepare_run(length, endless=live) if steps_here else None
    own = None if output or not kept else default_output(sim.provenance.name)
    output, overwrite = output or own, overwrite or own is not None
    try:
        if run is None:
            return sim, sim.record(length, output, overwrite=overwrite, progress=True)
        report = run.record(output, overwrite, not live)
        return run.sim, report
    except KeyboardInterrupt:
        if run is None or run.report is None:
            raise
        return run.sim, run.report
    except (SimulationError, SolverError) as error:
        alarms = run.report.alarms if run is not None and run.report else ()
        before = "".join(f"; ALARM {line}" for line in alarms)
        left = f" (recording: {output})" if output and is_recording(output) else ""
        raise SimulationError(f"{error}{before}{left}") from error
    finally:
        if own is not None:
            with suppress(OSError):  # it stays if it holds a recording
                own.rmdir()


def _print(report: RunReport) -> None:
    from footfall_run.summary import summary

    rows = summary(report)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


def _tell_of_segments(recording: Path) -> None:
    """Print a note on the segments that a page does not show: all after the first."""
    from footfall import segment_paths

    parts = len(segment_paths(recording))
    if parts > 1:
        last = f" (to {parts - 1})" if parts > 2 else ""
        others = f"footfall view {recording} --html PAGE --segment 1{last}"
        typer.echo(f"note: it shows the first of {parts} segments; the others: {others}", err=True)


def _stay(sim: Simulator, report: RunReport) -> None:
    """Keep the viewer alive until Ctrl-C, then close it."""
    participants = getattr(sim, "participants", None)
    visualizer = participants.visualizer if participants else None
    if visualizer is None:
        return
    if not report.interrupted:
        visualizer.wait_until_closed()
    visualizer.close()
