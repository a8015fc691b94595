"""A viewer whose users act between given numbers of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from footfall.interfaces.interactive_visualizer import (
    InteractiveVisualizer,
    LiveStatus,
    Pause,
    Play,
    SingleStep,
    ViewerCommand,
)
from footfall.interfaces.plugin import NoConfig
from footfall.interfaces.visualizer import Frame, SceneGraph
from footfall_hands.live_run import LiveRun
from footfall_stepper.simulation.simulator import StepperSimulator


class ScriptedViewer(InteractiveVisualizer):
    """Pauses the run, then asks for one command after another; keeps what it is told.

    A number in the script stands for so many single steps, which are waited for. After the last
    command the run plays on; an endless one is ended as by Ctrl-C.
    """

    name = "scripted viewer"

    def __init__(self, script: Sequence[ViewerCommand | int], speed: float | None = None) -> None:
        self.config = NoConfig()
        self.script: list[ViewerCommand | int] = [Pause(), *script]
        self._speed, self._played = speed, False
        self.run: LiveRun | None = None
        self.frames: list[Frame] = []
        self.told: list[LiveStatus] = []
        self.graphs: list[SceneGraph] = []

    def open(self, graph: SceneGraph) -> None:
        self.graphs.append(graph)

    def show(self, frame: Frame) -> None:
        self.frames.append(replace(frame, poses=frame.poses.copy()))

    def close(self) -> None:
        """Nothing is open."""

    def commands(self) -> Sequence[ViewerCommand]:
        assert self.run is not None
        if self.run.busy:
            return ()
        if self.script:
            command = self.script.pop(0)
            return [SingleStep(command) if isinstance(command, int) else command]
        if self.run.endless:
            raise KeyboardInterrupt
        played, self._played = self._played, True
        return () if played else (Play(),)

    def tell(self, status: LiveStatus) -> None:
        self.told.append(status)

    def replace(self, graph: SceneGraph) -> None:
        self.graphs.append(graph)

    @property
    def frame_interval(self) -> float | None:
        return 1e-9

    @property
    def speed(self) -> float | None:
        return self._speed

    @property
    def problems(self) -> list[str]:
        """What was told to have been refused, each once."""
        return list(dict.fromkeys(s.problem for s in self.told if s.problem))


def live(
    sim: StepperSimulator,
    script: Sequence[ViewerCommand | int],
    *,
    duration: float = 0.1,
    endless: bool = False,
    speed: float | None = None,
) -> tuple[LiveRun, ScriptedViewer]:
    """Return a run before a scripted viewer, not yet started."""
    viewer = ScriptedViewer(script, speed)
    sim.participants = replace(sim.participants, visualizer=viewer)
    viewer.run = run = LiveRun(sim, duration, endless=endless)
    return run, viewer
