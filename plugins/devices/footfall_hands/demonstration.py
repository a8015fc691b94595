"""Runs whose contact law changes at a given time: shown live, or recorded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from footfall.api.viewer import SceneGraph
from footfall_hands.live_run import LiveRun
from footfall_hands.objects import with_law
from footfall_stepper.api import Run, StepperSimulator


class LiveSwap(LiveRun):
    """An endless live run that changes its contact law once simulated time has come to ``time``.

    A restart goes back to the first law. The title of the page names the present one.

    Attributes:
        law: name of the second law.
        time: time of the change, [s].
    """

    def __init__(self, sim: StepperSimulator, law: str, time: float) -> None:
        super().__init__(sim, sim.time_step, endless=True)
        self.law, self.time = law, time

    def make(self, n: int) -> Any:
        """Change the law if it is time, then make n steps."""
        if self.sim.time >= self.time and law_of(self.sim) != self.law:
            self._replace(with_law(self.sim, self.law), f"contact law {self.law}")
            print(f"{self.sim.time:.1f} s: contact law {self.law}", flush=True)
        return super().make(n)

    def graph(self) -> SceneGraph:
        """Return the scene graph with the law in its title."""
        graph = super().graph()
        return replace(graph, title=f"{graph.title}, law {law_of(self.sim)}")


class RecordedSwap(Run):
    """A run that changes its contact law at ``time`` [s] to ``law``, as a new segment."""

    def __init__(self, sim: StepperSimulator, duration: float, law: str, time: float) -> None:
        super().__init__(sim, duration)
        self.law, self.time = law, time

    def loop(self, bar: Any) -> None:
        """Make the steps before and after the change."""
        steps = self.steps
        self.steps = round(self.time / self.sim.time_step)
        super().loop(bar)
        self.steps = steps - self.steps
        self.go_on(with_law(self.sim, self.law), f"contact law {self.law}")
        super().loop(bar)


def law_of(sim: StepperSimulator) -> str:
    """Return the name of a simulator's contact law in its scene."""
    return str(sim.provenance.resolved["scene"]["contact"]["plugin"])
