"""``footfall demo``: a humanoid walks, is pushed, and goes on under another contact law."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from footfall.api.plugin import Registry
    from footfall_stepper.api import StepperSimulator

SCENE = "humanoid/walking_pushed"
PUSH = {"pushes.0.force": [25.0, 0.0, 0.0]}
"""The push from behind, [N]: half of the scene's, after which both laws keep the robot upright."""
LIVE = {"hands.mouse.device.plugin": "mouse", "collisions.ground": "shapes"}
"""The mouse's hand; with all its shapes on the ground, a robot that you pull over lies on it."""
SWAP = 10.0
"""Simulated time of the change of law, [s]."""
NEXT = """
Three things to try next:
  footfall run humanoid/standing --live                             pull the robot with the mouse
  footfall compare cube/sliding --vary contact.plugin=coulomb,gauss     laws side by side
  footfall import my_robot.urdf                                     a robot of your own"""
"""Printed at the end."""


def demo(
    html: Annotated[
        Path | None, typer.Option(help="Write a page that plays the demo; open no browser.")
    ] = None,
    law: Annotated[str, typer.Option(help="Contact law of the second part.")] = "mujoco_soft",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
) -> None:
    """Show a humanoid that walks, is pushed, and continues under another contact law.

    Opens a page in the browser. Ctrl-C ends the demo.

    Examples:
        footfall demo
        footfall demo --html demo.html --law compliant
    """
    from footfall import assemble, compilations, discover, load_scene
    from footfall.api.plugin import RecordingError
    from footfall_stepper.api import stepped

    registry = discover()
    if html:
        RecordingError.refuse_unwritable(html, overwrite)
    page = {"plugin": "meshcat", "open_browser": True, "wait": True}
    shown: dict[str, Any] = {"visualizer": page, **LIVE, **PUSH}
    load_scene(SCENE, {"contact.plugin": law}, registry)  # a name that is unknown ends it here
    scene = load_scene(SCENE, PUSH if html else shown, registry)
    compilations.ahead = html is None
    print(f"{SCENE}: walks, is pushed at 6.6 s, contact law {law} from {SWAP:g} s", flush=True)
    sim = stepped(assemble(scene, registry))
    if html is not None:
        _write(sim, law, html, overwrite, registry)
    else:
        _show(sim, law)
    print(NEXT)


def _show(sim: StepperSimulator, law: str) -> None:
    """Run in the browser until Ctrl-C, with all kernels of both laws compiled before."""
    from footfall_hands.demonstration import LiveSwap
    from footfall_hands.live_run import warm_up
    from footfall_hands.objects import with_law

    warm_up(with_law(sim, law))
    print("drag the robot with the mouse; key 0 restarts; Ctrl-C ends", flush=True)
    run = LiveSwap(sim, law, SWAP)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            run.record(None, False, False)
    finally:
        viewer = run.sim.participants.visualizer
        if viewer is not None:
            viewer.close()


def _write(
    sim: StepperSimulator, law: str, page: Path, overwrite: bool, registry: Registry
) -> None:
    """Record the demo and write its page."""
    from footfall import progress_lines
    from footfall.api.advanced import temporary_folder
    from footfall_hands.demonstration import RecordedSwap

    recording = temporary_folder() / "demo.zarr"
    RecordedSwap(sim, sim.provenance.duration, law, SWAP).record(recording, False, True)
    write = registry.find("exporter", "html").load()
    with progress_lines(lambda s: f"writing {page}: {s:.0f} s"):
        write(recording, page, overwrite=overwrite)
    print(f"page written to {page}")
