"""Replay a recording in the browser."""

from __future__ import annotations

from pathlib import Path

from footfall.assembly.assemble import make
from footfall.config.where import Where
from footfall.interfaces.visualizer import Visualizer
from footfall.registry.registry import Registry
from footfall.scene.choose import Chooser
from footfall.scene.slots import VISUALIZER
from footfall_meshcat.recorded_motion import recorded_motion
from footfall_meshcat.replay import replay

SETTINGS = {"plugin": "meshcat", "open_browser": True, "wait": True}
"""The viewer of replays."""


def replay_recording(recording: Path, registry: Registry, *, speed: float, loop: bool) -> None:
    """Play a recording in the viewer, which stays open after it until Ctrl-C.

    Raises:
        RecordingError: if it cannot be shown, or the speed is not positive.
    """
    graph, motion = recorded_motion(recording, registry)
    choice = Chooser(registry, Where(None, {})).choose(VISUALIZER, SETTINGS)
    visualizer: Visualizer = make(choice, registry)
    visualizer.open(graph)
    try:
        visualizer.show(motion.frame(0))
        visualizer.wait_until_open()
        replay(
            graph,
            motion.time,
            motion.poses,
            motion.contact_position,
            motion.contact_force,
            motion.com,
            visualizer,
            speed=speed,
            loop=loop,
        )
        if not loop:
            visualizer.wait_until_closed()
    finally:
        visualizer.close()
