"""Replays: a recorded motion in real time, in any visualizer or in the browser."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np

from footfall.api.errors import RecordingError
from footfall.api.plugin import Registry
from footfall.api.visualizer import SceneGraph, Visualizer
from footfall_meshcat.motion import Drawn, Motion, recorded_motion

_REFRESH = 1.0 / 60.0  # [s], longest wait between looks at the clock


def replay(
    graph: SceneGraph,
    times: Drawn,
    poses: Drawn,
    contact_positions: Drawn,
    contact_forces: Drawn,
    coms: Drawn,
    visualizer: Visualizer,
    *,
    speed: float = 1.0,
    loop: bool = False,
) -> None:
    """Show the motion in a visualizer that is open, until its end or Ctrl-C.

    Whatever frame is due at the wall clock is shown; frames in between are skipped, the last one
    never is.

    Args:
        graph: what is shown.
        times: shape (frames,), [s].
        poses: shape (frames, n_links, 7), world position [m] and quaternion x, y, z, w.
        contact_positions: shape (frames, n_contacts, 3), world, [m].
        contact_forces: shape (frames, n_contacts, 3), world, [N].
        coms: shape (frames, 3), total centre of mass, world, [m].
        visualizer: already opened with ``graph``.
        speed: simulated seconds a second, positive.
        loop: whether to begin again at the end.

    Raises:
        RecordingError: if the arrays do not fit the scene, or the speed is not positive.
    """
    if not (np.isfinite(speed) and speed > 0.0):
        raise RecordingError(f"the speed of a replay must be positive, not {speed}")
    motion = Motion(times, poses, contact_positions, contact_forces, coms)
    motion.check(graph)
    try:
        play_once(motion, visualizer, speed)
        while loop:
            time.sleep(_REFRESH)
            play_once(motion, visualizer, speed)
    except KeyboardInterrupt:
        return


def play_once(motion: Motion, visualizer: Visualizer, speed: float) -> None:
    """Show the motion from beginning to end at ``speed`` simulated seconds a second."""
    start, shown, last = time.perf_counter(), -1, len(motion.time) - 1
    while shown < last:
        now = motion.time[0] + speed * (time.perf_counter() - start)
        row = int(np.searchsorted(motion.time, now, side="right")) - 1
        if row > shown:
            visualizer.show(motion.frame(row))
            shown = row
        left = float(motion.time[last] - now) / speed
        time.sleep(min(max(left, 0.0), _REFRESH))


SETTINGS = {"open_browser": True, "wait": True}
"""Of the viewer of replays."""


def replay_recording(
    recording: Path, registry: Registry, *, speed: float, loop: bool, trust: bool = False
) -> None:
    """Play a recording in the viewer, which stays open after it until Ctrl-C.

    Raises:
        RecordingError: if it cannot be shown, or the speed is not positive.
    """
    graph, motion = recorded_motion(recording, registry, trust=trust)
    viewer: Any = registry.find("visualizer", "meshcat").load()
    visualizer: Visualizer = viewer(viewer.Config(**SETTINGS))
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
