"""A run of a simulator: stepped, recorded, shown, paced, reported."""

from __future__ import annotations

from abc import abstractmethod
from array import array
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from footfall.config.validate import sized
from footfall.errors import SimulationError
from footfall.interfaces.interaction import Interaction
from footfall.interfaces.visualizer import Frame, SceneGraph
from footfall.interrupts import interrupts
from footfall.jit.announcement import running_clock
from footfall.problem.arrays import Residual
from footfall.recording.reader import next_segment
from footfall.recording.variables import standard_coords
from footfall.recording.writer import RecordingWriter
from footfall.registry.discover import discover
from footfall.simulator.run_record import RunReport
from footfall.typing import Floats
from footfall_stepper.simulation.report import ProgressBar, median_residual
from footfall_stepper.simulation.tuning import tuned_attribute
from footfall_stepper.stepping.joint_form import stand_ins
from footfall_stepper.world.state import own_parts
from footfall_stepper.world.step_arrays import RunSum

if TYPE_CHECKING:
    from footfall_stepper.simulation.simulator import StepperSimulator

STRETCH, LONGEST = 100, 500
"""Steps between checks of the clock: at first, and at most."""
BRIEF = 5e-3
"""Time between checks for frames, Ctrl-C and the progress bar that is short enough, [s]."""


class Run:
    """One run of a simulator: steps, records, shows.

    A run of another kind overrides ``loop``, and ``extras`` if it shows more. It makes the steps
    with ``make``, and may continue with another simulator in the middle (``go_on``).

    Attributes:
        sim: the present simulator.
        steps: number of steps to make.
        report: the figures; None before the end.
        found: alarms (``footfall.Alarm``) and notes (lines) so far, by these names.
        segment: number of the present segment of the recording: it rises with every ``go_on``.
        step_times: wall time per step of each stretch, [s].
        raise_on_alarm: whether the first alarm ends the run, at the end of a stretch of steps.
    """

    ENDLESS: ClassVar = 1 << 62
    """Number of steps of a run without an end."""

    def __init__(self, sim: StepperSimulator, duration: float) -> None:
        """Prepare a run.

        Args:
            sim: the simulator.
            duration: simulated, [s].

        Raises:
            SimulationError: if the duration is less than one step.
        """
        self.sim = sim
        seconds = float(sized([duration], 1, "duration")[0])
        self.steps = round(seconds / sim.time_step) if seconds < 2.0**53 * sim.time_step else 0
        if self.steps < 1:
            raise SimulationError(
                f"duration {seconds:g} s is less than one time step ({sim.time_step:g} s), "
                "or more than 2^53"
            )
        self._prepare_frames()
        self._start_energy, self._start_elastic = 0.0, 0.0
        self._start_inner = (0, 0, 0)
        self._start_ledger = sim.state["ledger"].copy()
        self.step_times = array("d")  # no objects: a live run appends and drops forever
        self._began = running_clock()
        self._writer: RecordingWriter | None = None
        self.report: RunReport | None = None
        self.segment = 0
        self._watches: list[Any] = []
        self.found: dict[str, list[Any]] = {"alarms": [], "notes": []}
        self.raise_on_alarm = False
        self._root: Path | None = None

    def _prepare_frames(self) -> None:
        """Allocate the content of frames for the present simulator."""
        self._drawing = self.sim.drawing()

    def record(self, output: Path | None, overwrite: bool, progress: bool) -> RunReport:
        """Simulate to the end or an interrupt, and return the figures.

        Args:
            output: directory of the recording; None: nothing is recorded.
            overwrite: whether an existing recording may be replaced.
            progress: whether a bar is shown on a terminal.
        """
        sim = self.sim
        self._note_start()
        visualizer = sim.participants.visualizer
        if visualizer is not None and visualizer.frame_interval is not None:
            visualizer.open(self.graph())
            visualizer.wait_until_open()
        self._root = output
        self._writer = self._new_writer(output, overwrite) if output is not None else None
        self._began, wall, done = running_clock(), 0.0, False
        try:
            if sim.interaction is not None:
                sim.interaction.open()
            with ProgressBar(self.steps * sim.time_step, shown=progress) as bar:
                self.loop(bar)
            done = True
            self._heed()
        finally:
            wall = running_clock() - self._began
            if self.sim.interaction is not None:
                self.sim.interaction.close()
            ended: dict[str, Any] = {"wall_time": wall, "complete": int(done), **self._end_watch()}
            if self._writer is not None:
                self._writer.set_attributes(ended | tuned_attribute(self.sim.provenance))
                self._writer.close()
            self.report = self._report(wall, not done, output)
        return self.report

    def loop(self, bar: ProgressBar) -> None:
        """Make the steps; the recording, the viewer and the hands are open meanwhile.

        This makes them in stretches, and between them checks the clock, shows a frame and updates
        the bar.
        """
        sim, left = self.sim, self.steps
        visualizer = sim.participants.visualizer
        shown = visualizer is not None and visualizer.frame_interval is not None
        stretch = STRETCH
        if shown:
            assert visualizer is not None
            interval = visualizer.frame_interval or 0.0
            stretch = max(1, round(interval / sim.time_step))
        first_tick, start = sim.state.tick, running_clock()
        while left > 0:
            n, begin = min(stretch, left), running_clock()
            row = self.make(n)
            self._heed()
            took = running_clock() - begin
            self.step_times.append(took / n)
            left -= n
            if took < BRIEF and not shown:
                stretch = min(2 * stretch, LONGEST)
            simulated = (sim.state.tick - first_tick) * sim.time_step
            bar.update(simulated, running_clock() - start)
            if shown:
                self.show(row)
                self._pace(simulated, start)
        sim.take_row(row)

    def make(self, n: int) -> Any:
        """Make n steps, record them, and return the row of the last.

        Raises:
            SimulationError: if the state is no longer finite.
        """
        with interrupts.whole():
            return self._make(n)

    def _make(self, n: int) -> Any:
        sim, writer = self.sim, self._writer
        if writer is None:
            block = np.zeros((min(n, STRETCH), sim.row.size))
            for made in range(0, n, STRETCH):
                count = min(n - made, STRETCH)
                self._make_rows(block, 0, count)
            return block[count - 1]
        if writer.keeps_all:
            return self._make_at_once(writer, n)
        for _ in range(n):
            cursor = writer.cursor
            self._make_rows(writer.buffer, cursor, 1, writer)
            writer.advance()
        return writer.buffer[cursor]

    def _make_at_once(self, writer: RecordingWriter, n: int) -> Any:
        """Make n steps whose rows are all kept, as many per call as the buffer can hold."""
        sim = self.sim
        while n > 0:
            first, count, before = writer.cursor, min(n, writer.room), sim.state.tick
            try:
                self._make_rows(writer.buffer, first, count, writer)
            finally:
                writer.advance(sim.state.tick - before)
            n -= count
        return writer.buffer[first + count - 1]

    def _make_rows(
        self, rows: Floats, first: int, count: int, writer: RecordingWriter | None = None
    ) -> None:
        """Make steps in consecutive rows, and pass the completed ones to watches.

        Rows of their tables go to a writer that keeps these rows, or will keep the next one.
        """
        stepper, before = self.sim.stepper, self.sim.state.tick
        tables = stepper.tables if writer is not None else ()
        if writer is not None:
            stepper.keep(count if writer.keeps_row else 0)
        try:
            self.sim.make_steps(rows, first, count)
        finally:
            made = self.sim.state.tick - before
            for watch in self._watches:
                watch.see(rows[first : first + made])
            for table in tables:
                assert writer is not None
                writer.append_ragged(table.name, *stepper.kept(table, made))

    def _begin_watch(self) -> None:
        """Start the watches of the catalog ``watch`` on the present simulator."""
        registry = self.sim.provenance.registry or discover()
        self._watches = [make(self.sim) for _, make in registry.watch.loadable()]

    def _end_watch(self) -> dict[str, list[str]]:
        """Return the findings of the watches so far, as attributes of the recording."""
        for watch in self._watches:
            for key, lines in watch.found().items():
                self.found[key] += [line for line in lines if line not in self.found[key]]
        return {key: [str(line) for line in lines] for key, lines in self.found.items()}

    def _heed(self) -> None:
        """Raise the first alarm, if that is requested."""
        if self.raise_on_alarm and self._end_watch()["alarms"]:
            raise self.found["alarms"][0]

    def show(self, row: Any) -> None:
        """Show the start of the last step: its poses, and the forces over it."""
        sim, visualizer = self.sim, self.sim.participants.visualizer
        assert visualizer is not None
        drawing = self._drawing
        drawing.update(float(row[0]))
        visualizer.show(
            Frame(
                time=float(row[0]),
                poses=drawing.poses,
                contact_position=drawing.position,
                contact_force=drawing.force,
                com=sim.layout.view(row, "com"),
                between=drawing.between,
                **self.extras(),
            )
        )

    def extras(self) -> dict[str, Any]:
        """Return additional content of a frame: fields of ``Frame``."""
        return {}

    @property
    def coords(self) -> dict[str, Any]:
        """Labels along the dimensions of the recording."""
        return standard_coords(self.sim.labels)

    def graph(self) -> SceneGraph:
        """Return the scene graph of the present simulator for a visualizer."""
        return self._drawing.graph()

    def tune(self, path: str, value: float) -> None:
        """Change a setting, see ``Simulator.tune``, and note it in the recording."""
        self.sim.tune(path, value)
        if self._writer is not None:
            self._writer.set_attributes(tuned_attribute(self.sim.provenance))

    def go_on(self, new: StepperSimulator, what: str, *, anew: bool = False) -> None:
        """Continue with another simulator: in a new segment of the recording, with hands and grips.

        Args:
            new: the simulator from now on.
            what: the reason, one line for the recording, e.g. ``created box_1``.
            anew: whether the figures restart now. Otherwise they continue, and the energy of
                objects that came or went counts as if it had been present, or absent, from the
                start.
        """
        old, found = self.sim, self._end_watch()
        if not anew:
            old.look()
            before = self._energy()
            new.stepper.monitor.run[:] = old.stepper.monitor.run
            new.stepper.monitor.histogram[:] = old.stepper.monitor.histogram
        if old.interaction is not None:
            new.hands.take_over(old.interaction)
        self.sim = new
        if not anew:
            self._start_energy += self._energy() - before
        self._prepare_frames()
        self.segment += 1
        if self._writer is not None:
            assert self._root is not None
            self._writer.set_attributes({"complete": 1, "ended_by": what, **found})
            self._writer.close()
            path = next_segment(self._root, self.segment)
            self._writer = self._new_writer(path, False, segment=self.segment, began_by=what)
        new.look()
        self._begin_watch()
        if anew:
            for lines in self.found.values():
                lines.clear()
            self._note_start()
            self._began = running_clock()
            del self.step_times[:]

    def _pace(self, simulated: float, start: float) -> None:
        """Wait for the wall clock if the run is to keep real time."""
        visualizer = self.sim.participants.visualizer
        speed = visualizer.speed if visualizer is not None else None
        if speed:
            ahead = simulated / speed - (running_clock() - start)
            if ahead > 0.0:
                sleep(ahead)

    def _new_writer(self, output: Path, overwrite: bool, **more: Any) -> RecordingWriter:
        """Begin a recording of the present simulator, with more attributes."""
        sim = self.sim
        mass = sim.world.mass
        rows = -(-self.steps // sim.provenance.interval) if self.steps < self.ENDLESS else None
        return RecordingWriter(
            output,
            sim.layout,
            self.coords,
            {
                "scene": sim.provenance.name,
                "resolved_scene": dict(sim.provenance.resolved),
                "time_step": sim.time_step,
                "mass": mass,
                "weight": mass * float(np.linalg.norm(sim.world.topology.gravity)),
                "first_tick": sim.state.tick,
                **tuned_attribute(sim.provenance),
                **more,
            },
            rows=rows,
            interval=sim.provenance.interval,
            overwrite=overwrite,
        )

    def _energy(self) -> float:
        return self.sim.world.dynamics.mechanical_energy

    def _elastic(self) -> float:
        return self.sim.world.dynamics.elastic_energy

    def _note_start(self) -> None:
        """Restart the figures now."""
        self.sim.stepper.monitor.run[:] = 0.0
        self.sim.stepper.monitor.histogram[:] = 0.0
        self.sim.stepper.observe(self.sim.time)
        self._start_energy = self._energy()
        self._start_elastic = self._elastic()
        self._start_inner = self.sim.stepper.inner
        self._start_ledger = self.sim.state["ledger"].copy()
        self._begin_watch()

    def _report(self, wall: float, interrupted: bool, output: Path | None) -> RunReport:
        sim, ledger = self.sim, own_parts(self.sim.state)["ledger"]
        kept = ledger.copy()
        if not interrupted:
            sim.stepper.observe(sim.time)
        run = sim.stepper.monitor.run
        steps = int(run[RunSum.STEPS])
        change = ledger - self._start_ledger
        ledger[:] = kept  # as after a step: the next step completes it
        inner = [
            after - before
            for after, before in zip(sim.stepper.inner, self._start_inner, strict=True)
        ]
        return RunReport(
            steps=steps,
            simulated=steps * sim.time_step,
            wall=wall,
            # The smaller of two, since the first stretch may have compiled.
            typical_step=float(np.quantile(self.step_times or [0.0], 0.5, method="lower")),
            interrupted=interrupted,
            natural_map_worst=float(run[Residual.NATURAL_MAP]),
            natural_map_median=float(
                np.fmin(median_residual(sim.stepper.monitor), run[Residual.NATURAL_MAP])
            ),
            cone_worst=float(run[Residual.OUTSIDE_CONE]),
            penetration_worst=float(run[RunSum.PENETRATION]),
            iterations=float(run[RunSum.ITERATIONS]) / max(steps, 1),
            solver_failures=int(run[RunSum.FAILURES]),
            impacts=int(run[RunSum.IMPACTS]),
            splits=int(run[RunSum.SPLITS]),
            unresolved_splits=int(run[RunSum.UNRESOLVED]),
            restitution_cuts=int(run[RunSum.CUTS]),
            energy_start=self._start_energy,
            energy_end=self._energy(),
            work=float(change[0]),
            elastic=self._elastic(),
            dissipated=float(change[1]) - self._elastic() + self._start_elastic,
            integration_error=float(change[2]),
            inner_steps=inner[0],
            evaluations=inner[1],
            events=inner[2],
            recording=output,
            law=(*sim.stepper.law.figures, *stand_ins(sim.world)),
            control=sim.driving.figures,
            alarms=tuple(map(str, self.found["alarms"])),
            notes=tuple(self.found["notes"]),
        )


class LiveInteraction(Interaction):
    """Hands that also serve the users of an interactive viewer, in live runs."""

    @abstractmethod
    def live_run(self, sim: StepperSimulator, duration: float, *, endless: bool) -> Run:
        """Return the run of a simulator whose ``InteractiveVisualizer`` users act on.

        Args:
            sim: the simulator.
            duration: of the run, [s].
            endless: whether it goes on until Ctrl-C instead.
        """
