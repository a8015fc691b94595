"""The checks of visualizers."""

from __future__ import annotations

import contextlib
import gc
import io
import math
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.api.viewer import Frame, SceneGraph
from footfall.testing.check import Finding, Subject, checks_of, within
from footfall.testing.declarations import declarations
from footfall_check.kit.bench import scene_graph

QUICK = 5e-3
"""Largest median time of a ``show``, [s]: a frame every 40 ms must not slow the simulation down."""
LET_GO = 1.0
"""Time after which no frame may still be referenced, [s]."""


def frame(t: float) -> Frame:
    """Return a frame with its own arrays."""
    poses = np.zeros((2, 7))
    poses[:, 6], poses[:, 2] = 1.0, t
    return Frame(t, poses, np.full((3, 3), 0.1), np.full((3, 3), t), np.array([0.0, 0.0, t]))


@contextmanager
def opened(subject: Subject, scene: SceneGraph | None = None) -> Iterator[Any]:
    """Open a fresh visualizer, quietly, and close it."""
    visualizer = subject.make()
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        visualizer.open(scene_graph() if scene is None else scene)
        try:
            yield visualizer
        finally:
            visualizer.close()


def opens_and_closes(subject: Subject) -> Finding:
    """Check that it opens, shows and closes; closing it twice, or unopened, does no harm."""
    with opened(subject) as visualizer:
        visualizer.show(frame(0.0))
    visualizer.close()
    subject.make().close()
    return Finding(True, "open, show, close, close")


def opens_again(subject: Subject) -> Finding:
    """Check that a second one opens while the first is open, and after it is closed."""
    with opened(subject) as one, opened(subject) as other:
        one.show(frame(0.0))
        other.show(frame(0.0))
    with opened(subject) as third:
        third.show(frame(0.0))
    return Finding(True, "two at a time, and one after them")


def bare_scene(subject: Subject) -> Finding:
    """Check that it shows a scene without shapes, ground, contacts and names to follow."""
    bare = replace(scene_graph(), nodes=(), grounds=(), n_contacts=0, tracks=())
    none = np.zeros((0, 3))
    with opened(subject, bare) as visualizer:
        visualizer.show(replace(frame(0.0), contact_position=none, contact_force=none))
    return Finding(True, "two links and nothing else")


def quick(subject: Subject) -> Finding:
    """Check that ``show`` returns at once when nobody is watching."""
    with opened(subject) as visualizer:
        seconds = []
        for k in range(60):
            shown = frame(0.001 * k)
            start = time.perf_counter()
            visualizer.show(shown)
            seconds.append(time.perf_counter() - start)
    return within("median of 60 calls [s]", float(np.median(seconds)), QUICK)


def inputs(subject: Subject) -> Finding:
    """Check that the arrays of a frame are not changed."""
    with opened(subject) as visualizer:
        shown = frame(0.5)
        before = _bits(shown)
        for _ in range(5):
            visualizer.show(shown)
            time.sleep(0.01)
    return Finding(_bits(shown) == before, "poses, contacts and centre of mass after five calls")


def keeps_nothing(subject: Subject) -> Finding:
    """Check that the arrays of a frame are not kept: the simulator overwrites them."""
    with opened(subject) as visualizer:
        shown = frame(0.5)
        alive = [weakref.ref(a) for a in (shown.poses, shown.contact_force, shown.com)]
        visualizer.show(shown)
        del shown
        until = time.monotonic() + LET_GO
        while any(each() is not None for each in alive) and time.monotonic() < until:
            gc.collect()
            time.sleep(0.01)
        kept = sum(each() is not None for each in alive)
    return Finding(kept == 0, f"{kept} of {len(alive)} arrays are still held")


def pace(subject: Subject) -> Finding:
    """Check that frame interval and speed are None or positive."""
    visualizer = subject.make()
    found = visualizer.frame_interval, visualizer.speed
    good = all(x is None or (math.isfinite(x) and x > 0.0) for x in found)
    return Finding(good, f"frame interval {found[0]} s, speed {found[1]}")


def _bits(shown: Frame) -> bytes:
    arrays = (shown.poses, shown.contact_position, shown.contact_force, shown.com)
    return b"".join(array.tobytes() for array in arrays)


CHECKS = checks_of(
    "visualizer",
    declarations,
    opens_and_closes,
    opens_again,
    bare_scene,
    quick,
    inputs,
    keeps_nothing,
    pace,
)
