"""Pages in notebook cells: a live simulator, or the player of a run."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall import discover
from footfall.api.plugin import RecordingError, SimulationError
from footfall.api.viewer import Frame
from footfall_meshcat.drawing.payload import View
from footfall_meshcat.playground.page import playground_page
from footfall_meshcat.playground.variant import chosen_variants
from footfall_meshcat.recorded.html import recording_page
from footfall_meshcat.recorded.motion import FRAME_RATE, recorded_motion
from footfall_meshcat.visualizer import Meshcat, MeshcatConfig
from footfall_stepper.api import StepperSimulator


@dataclass(frozen=True, slots=True)
class Embedded:
    """A page that a notebook shows below the cell; elsewhere a line with its address.

    Attributes:
        source: attribute of the frame: an address, or the text of the page.
        line: text to print outside a notebook.
        height: height of the frame, [pixels].
    """

    source: str
    line: str
    height: int

    def _repr_html_(self) -> str:
        """Return the frame, for IPython."""
        style = f"width: 100%; height: {self.height}px; border: 0"
        return f'<iframe {self.source} style="{style}" allowfullscreen></iframe>'

    def __repr__(self) -> str:
        return self.line


def show(what: Any, *, height: int = 520, trust: bool = False) -> Embedded:
    """Return a page for a notebook: live for a simulator, a player for a recording.

    A simulator without a viewer gets the visualizer ``meshcat``, which runs in real time; the page
    shows all its runs. A player is self-contained and is saved in the notebook's file.

    Args:
        what: a simulator, a run as ``run`` and ``open_run`` return it, or the path of a recording.
        height: height of the page in the notebook, [pixels].
        trust: whether functions named in the scene of a recording may be imported.

    Raises:
        SimulationError: if the simulator's viewer has no page, or ``what`` is none of these.
        RecordingError: if the run was not opened from a recording, or cannot be shown.
    """
    if isinstance(what, StepperSimulator):
        url = _page_of(what)
        line = f"the page of the simulator is at {url}; a notebook shows it below the cell"
        return Embedded(f'src="{html.escape(url)}"', line, height)
    path = _path_of(what)
    graph, motion = recorded_motion(path, discover(), trust=trust)
    text = recording_page(graph, motion.decimated(FRAME_RATE), View())
    line = f"a player, which a notebook shows below the cell; here: footfall view {path}"
    return Embedded(f'srcdoc="{html.escape(text)}"', line, height)


def playground(
    scene: str,
    overrides: Mapping[str, Any] | None = None,
    *,
    laws: Sequence[str] | None = None,
    height: int = 520,
) -> Embedded:
    """Return a page for a notebook that simulates a scene in the browser, without a kernel.

    It is self-contained and is saved in the notebook's file, see ``footfall playground``.

    Args:
        scene: see ``footfall.load``.
        overrides: likewise.
        laws: contact laws of its menu; None: the scene's, ``coulomb`` and ``compliant``.
        height: height of the page in the notebook, [pixels].

    Raises:
        FootfallError: if the scene or a law does not fit, or LLVM's linker is missing.
    """
    text = playground_page(chosen_variants(scene, overrides or {}, laws))
    line = f"a page that simulates, which a notebook shows; here: footfall playground {scene}"
    return Embedded(f'srcdoc="{html.escape(text)}"', line, height)


def _path_of(what: Any) -> Path:
    if isinstance(what, str | Path):
        return Path(what)
    encoding = getattr(what, "encoding", None)
    if not isinstance(encoding, dict):
        raise SimulationError(
            f"show needs a simulator, a run, or the path of a recording, got {type(what).__name__}"
        )
    if "source" not in encoding:
        raise RecordingError("the run is not a whole recording: show the recording's path instead")
    return Path(encoding["source"])


def _page_of(sim: StepperSimulator) -> str:
    """Return the address of a simulator's page; open the page if needed."""
    viewer = sim.participants.visualizer
    if viewer is None or viewer.frame_interval is None:
        viewer = Meshcat(MeshcatConfig())
        sim.participants = replace(sim.participants, visualizer=viewer)
    if not isinstance(viewer, Meshcat):
        raise SimulationError(f"the visualizer {viewer.name} has no page to show")
    if viewer.url is None:
        drawing = sim.drawing()
        viewer.open(drawing.graph())
        drawing.update(sim.time)
        com = np.array(sim.row[sim.layout.slice_of("com")])
        first = Frame(sim.time, drawing.poses, drawing.position, drawing.force, com)
        viewer.show(replace(first, between=drawing.between))
    assert viewer.url is not None
    return viewer.url
