"""Record what the gallery plays: python -m docs.gallery; each build makes the players of it."""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

import footfall
from footfall_meshcat.drawing.payload import View, scene_payload
from footfall_meshcat.page import START, library_script, page, viewer_script, viewer_style
from footfall_meshcat.playground.page import composed, playground_script
from footfall_meshcat.playground.page import contents as simulating
from footfall_meshcat.playground.variant import chosen_variants
from footfall_meshcat.recorded.html import embedded, notice
from footfall_meshcat.recorded.motion import motion_of
from footfall_meshcat.recorded.plotted import Plotted

RECORDED = Path(__file__).parent / "players"
SCENES = {
    "humanoid/walking": 8.0,
    "quadruped/scanning": 6.0,
    "hand/holding": 5.0,
    "cube/stack": 3.0,
    "disc/falling": 4.0,
    "ball/stairs": 5.0,
}
"""What is played, and for how long, [s]."""
SIMULATED = ("cube/sliding", "humanoid/standing", "quadruped/trot")
"""What the gallery simulates."""
LAWS = ("coulomb", "compliant", "ccp", "lcp")
"""Their menu of laws."""
FRAME_RATE = 30.0
"""Frames a second that players hold, [1/s]; they draw those between."""
STYLE = '<link rel="stylesheet" href="viewer.css">'
SHARED = '<script src="meshcat.js"></script>\n<script src="viewer.js"></script>'


def record(folder):
    """Run the scenes, and write what players show of each."""
    folder.mkdir(exist_ok=True)
    for scene in SIMULATED:
        name = scene.replace("/", "_")
        (folder / f"{name}_page.txt").write_text(simulating(chosen_variants(scene, {}, LAWS)))
    with tempfile.TemporaryDirectory() as runs:
        for scene, duration in SCENES.items():
            name = scene.replace("/", "_")
            run = Path(runs) / f"{name}.zarr"
            footfall.load(scene).record(duration, run)
            (folder / f"{name}.txt").write_text(contents(run))


def contents(run):
    """Return the tags that hold a recording in a page, without signals but those of rays."""
    graph, motion = motion_of(run, trust=True)
    read = readings(motion.signals, {name for name, *_ in graph.rays})
    shown = replace(motion.decimated(FRAME_RATE), signals=read)
    parts = {"scene": scene_payload(graph, View()), "motion": shown.payload()}
    return "\n".join(embedded(*part) for part in parts.items()) + "\n"


def readings(signals, names):
    """Return the signals of these names alone, to 1 cm, and a row whenever one of them is new."""
    kept = [k for k, (name, *_) in enumerate(signals.names) if name in names]
    if not kept:
        return Plotted()
    values = [np.round(signals.arrays[f"signal{k}"], 2) for k in kept]
    new = [np.diff(rows.reshape(len(rows), -1), axis=0).any(axis=1) for rows in values]
    rows = np.flatnonzero(np.concatenate([[True], np.any(new, axis=0)]))
    arrays = {f"signal{k}": one[rows] for k, one in enumerate(values)}
    arrays["signal_time"] = signals.arrays["signal_time"][rows]
    return Plotted(tuple(signals.names[k] for k in kept), arrays)


def write_players(folder):
    """Write the players' pages, and the scripts that they share."""
    folder.mkdir(parents=True, exist_ok=True)
    for scene in SCENES:
        name = scene.replace("/", "_")
        tags = [notice(), (RECORDED / f"{name}.txt").read_text(), SHARED]
        (folder / f"{name}.html").write_text(page(scene, STYLE, "\n".join(tags)), "utf-8")
    for scene in SIMULATED:
        name = f"{scene.replace('/', '_')}_page"
        scripts = (RECORDED / f"{name}.txt").read_text() + SHARED.replace("viewer.js", "live.js")
        (folder / f"{name}.html").write_text(composed(scene, STYLE, scripts), "utf-8")
    (folder / "live.js").write_text(playground_script(), "utf-8")
    (folder / "meshcat.js").write_bytes(library_script())
    (folder / "viewer.js").write_text(f"{viewer_script()}\n{START}\n", "utf-8")
    (folder / "viewer.css").write_text(viewer_style(), "utf-8")


def built(app, error):
    """Put the players beside the pages of a documentation that has been built."""
    if error is None and app.builder.format == "html":
        write_players(Path(app.outdir) / "_static" / "players")


def setup(app):
    """Have Sphinx write the players."""
    app.connect("build-finished", built)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    record(RECORDED)
