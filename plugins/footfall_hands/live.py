"""A live run, which its viewers act upon: play, pause, restart, speed, hands, objects, settings."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from functools import singledispatchmethod
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from footfall.api.errors import FootfallError, SimulationError
from footfall.api.visualizer import InteractiveVisualizer, Visualizer
from footfall.assembly.objects import from_tables
from footfall.interfaces import interactive_visualizer as ask
from footfall.simulation.composition import About
from footfall.simulation.report import ProgressBar, RunReport
from footfall.simulation.run import ENDLESS, Run, scene_graph
from footfall.simulation.simulator import Simulator
from footfall.simulation.tuning import tuned_attribute
from footfall_hands.live_hand import LiveHands
from footfall_hands.live_scene import LiveScene
from footfall_hands.watched import Watched, watchable

LATE = 0.1
"""Wall time that a run may fall behind before the rest is given up, [s]."""
WINDOW = 0.5
"""Wall time over which the real-time factor is measured, [s]."""


class LiveClock:
    """Says how many steps are due, and how fast simulated time goes.

    What a run falls behind by is made up for as long as it is little; more is given up, so that a
    run that was held up does not rush afterwards.

    Attributes:
        speed: asked, simulated seconds a second; 0: as fast as possible.
        rate: measured, likewise.
        behind: whether the speed that is asked could not be kept of late.
    """

    def __init__(self, time_step: float, speed: float) -> None:
        self.speed, self.rate, self.behind = speed, 0.0, False
        self._dt = time_step
        self.start()

    def start(self, now: float | None = None) -> None:
        """Count from now on: after a pause, another speed, or another world."""
        self._since = perf_counter() if now is None else now
        self._done = 0
        self._window, self._counted, self._given_up = self._since, 0, False

    def due(self, now: float) -> int:
        """Return how many steps are due at a wall time [s]."""
        if self.speed == 0.0:
            return 1 << 30
        owed = int((now - self._since) * self.speed / self._dt + 1e-6) - self._done
        if owed * self._dt > LATE * self.speed and owed > 1:
            kept = max(1, int(LATE * self.speed / self._dt))
            self._since += (owed - kept) * self._dt / self.speed
            self._given_up, owed = True, kept
        return max(owed, 0)

    def next_due(self) -> float:
        """Return the wall time at which the next step is due, [s]."""
        if self.speed == 0.0:
            return -math.inf
        return self._since + (self._done + 1) * self._dt / self.speed

    def count(self, steps: int, now: float) -> None:
        """Note that steps have been made, at a wall time [s], and measure from time to time."""
        self._done += steps
        self._counted += steps
        if now - self._window >= WINDOW:
            self.rate = self._counted * self._dt / (now - self._window)
            self.behind = self._given_up
            self._window, self._counted, self._given_up = now, 0, False


def warm_up(sim: Simulator) -> None:
    """Make two steps of the same scene elsewhere, the second while something is held.

    Kernels are compiled, or loaded, when they are first called: seconds to a minute in which
    nothing moves and no hand is felt. Whoever is going to reach into a run should wait before it is
    shown, not after. ``sim`` stays as it is, and devices of hands are left alone.

    Args:
        sim: that is going to run; nothing is done for one that was not made from a scene.
    """
    if not sim.about.resolved:
        return
    tables: dict[str, Any] = copy.deepcopy(dict(sim.about.resolved["scene"]))
    tables.pop("hands", None)
    try:
        other = from_tables(sim, tables)
        other.step()
        other.grab(other.hands.links[0])
        other.step()
    except FootfallError:
        return  # the run itself will say what is wrong


LISTEN = 1e-3
"""Wall time between looks at what users ask, [s]; twice that while nothing is due."""
YIELD = 5e-5
"""Pause after a stretch of a run that is late, [s]: the viewer's thread gets its turn."""
TELL = 0.2
"""Wall time between two statuses, [s]."""
SHOWS_AFTER = 2
"""Steps after which a frame shows what a move has done: in the first its force acts, and the second
begins with the poses that it led to."""
MOST_STEPS = 1_000_000
"""Single steps that may be asked for at once."""


class LiveRun(Run):
    """One run of a simulator before users who reach into it.

    Simulated time keeps to the clock in stretches of about a millisecond. What users ask is taken
    between two stretches: a command that cannot be honoured is refused with one line in the status
    and changes nothing. Frames go out at the viewer's rate, and at once when a move of the hand has
    moved something.

    Attributes:
        sim: as it is now: another one after an object came or went, and after a restart.
        playing: whether simulated time goes on.
        endless: whether it ends only by Ctrl-C, not by its duration. An endless run that fails
            waits for a restart.
    """

    def __init__(self, sim: Simulator, duration: float, *, endless: bool = False) -> None:
        super().__init__(sim, sim.time_step if endless else duration)
        if endless:
            self.steps = ENDLESS
        visualizer = sim.participants.visualizer
        assert isinstance(visualizer, InteractiveVisualizer)
        self.endless, self.playing, self._viewer = endless, True, visualizer
        self._interval = (visualizer.frame_interval or 0.04) / (visualizer.speed or 1.0)
        self._clock = LiveClock(sim.time_step, visualizer.speed or 0.0)
        self._scene = LiveScene(sim)
        self._hands = LiveHands(sim)
        self._watched = Watched((), sim.layout, {})
        self._left, self._asked, self._row = self.steps, 0, sim.row
        self._problem, self._told, self._changed, self._failure = "", False, True, None
        self._next_frame = self._next_tell = -math.inf
        self._shown_tick = -1
        self._described: About | None = None
        self._description: tuple[Any, Any, Any] = ((), (), ())

    _failure: SimulationError | None

    def record(self, output: Path | None, overwrite: bool, progress: bool) -> RunReport:
        """Compile everything, then run before the users; see ``Run.record``."""
        warm_up(self.sim)
        return super().record(output, overwrite, progress)

    def _loop(self, bar: ProgressBar) -> None:
        """Take commands, make the steps that are due, show, tell, sleep; until the end."""
        self._scene.open(self._writer)
        self._clock.start()
        first = perf_counter()
        try:
            while self._left > 0:
                begin = perf_counter()
                for command in self._viewer.commands():
                    self._obey(command)
                if self.playing or self._asked:
                    self._stretch(begin)
                now = perf_counter()
                self._report_to_viewer(now)
                bar.update((self.steps - self._left) * self.sim.time_step, now - first)
                self._rest(begin)
        finally:
            self._end()
        if self._row is not self.sim.row:
            self.sim.row[:] = self._row

    def _stretch(self, begin: float) -> None:
        """Make the steps that are due, for as long as it is not time to listen again."""
        asked = self._asked > 0
        due = min(self._asked if asked else self._clock.due(begin), self._left)
        made, until, now = 0, begin + 2.0 * LISTEN, begin
        try:
            while made < due and now < until:
                before = now
                self._row = self._make(1)
                made, now = made + 1, perf_counter()
                self._stretches.append(now - before)
        except SimulationError as error:
            self._fail(error)
        self._left -= made
        if asked:
            self._asked -= made
        else:
            self._clock.count(made, now)
        if len(self._stretches) > 200_000:
            del self._stretches[:100_000]

    def _rest(self, begin: float) -> None:
        """Sleep until something is due; a late run too, for as long as another thread needs."""
        if self._asked or (self.playing and self._clock.next_due() <= perf_counter()):
            sleep(YIELD)
            return
        wake = begin + 2.0 * LISTEN
        if self.playing:
            wake = min(wake, max(begin + LISTEN, self._clock.next_due()))
        left = wake - perf_counter()
        sleep(max(left, YIELD))

    def _fail(self, error: SimulationError) -> None:
        """End the run, or let an endless one wait for a restart."""
        if not self.endless:
            self._problem = str(error)
            raise error
        self._failure, self._problem = error, f"{error}; restart to go on"
        self.playing, self._asked, self._changed = False, 0, True

    @property
    def busy(self) -> bool:
        """Whether single steps that were asked for are still to be made."""
        return self._asked > 0

    # What is shown and told

    def _report_to_viewer(self, now: float) -> None:
        if self._changed or now >= self._next_tell:
            self._viewer.tell(self._status())
            self._changed, self._told, self._next_tell = False, True, now + TELL
        tick = self.sim.state.tick
        moved = self._hands.acted(tick - SHOWS_AFTER)
        # While time stands still, a hand that moves is drawn all the same.
        unseen = tick != self._shown_tick or self._hands.unseen
        if moved or (now >= self._next_frame and unseen):
            self._show(self._row)
            self._shown_tick = tick
            self._next_frame = max(self._next_frame + self._interval, now)

    def _more(self) -> dict[str, Any]:
        return {
            "serial": self._hands.serial,
            "values": self._watched.values(self._row),
            "hand": self._hands.vector(),
        }

    def _status(self, ended: bool = False) -> ask.LiveStatus:
        sim, clock = self.sim, self._clock
        if self._described is not sim.about:
            # These change with the scene alone, and take long where it has many bodies.
            self._described = sim.about
            self._description = self._scene.bodies(sim), sim.tunables(), watchable(sim.layout)
        bodies, tunables, signals = self._description
        return ask.LiveStatus(
            playing=self.playing,
            speed=clock.speed,
            rate=clock.rate if self.playing else 0.0,
            behind=clock.behind and self.playing,
            time=sim.time,
            segment=self._scene.segment,
            bodies=bodies,
            tunables=tunables,
            signals=signals,
            watched=self._watched.names,
            hand=self._hands.status(),
            problem=self._problem or self._hands.problem,
            serial=self._hands.serial,
            ended=ended,
        )

    def _end(self) -> None:
        """Show and tell how it ended."""
        self.playing = False
        if self.sim.state.tick != self._shown_tick:
            self._show(self._row)
        self._viewer.tell(self._status(ended=True))

    # What is asked

    def _obey(self, command: ask.Command) -> None:
        """Do what is asked; what cannot be done is refused with one line and changes nothing."""
        try:
            self._do(command)
        except Exception as error:
            # Whatever users send, the run goes on.
            self._problem = " ".join(str(error).split()) or repr(error)
            self._changed, self._told = True, False
            return
        if not isinstance(command, ask.HandMove | ask.HandRelease):
            self._changed = True
            if self._told:  # one that nobody could read yet stays
                self._problem = ""

    @singledispatchmethod
    def _do(self, command: Any) -> None:
        raise SimulationError(f"no command: {type(command).__name__}")

    @_do.register
    def _(self, command: ask.Play) -> None:
        if self._failure is not None:
            raise SimulationError(f"{self._failure}; restart to go on")
        self.playing, self._asked = True, 0
        self._clock.start()

    @_do.register
    def _(self, command: ask.Pause) -> None:
        self.playing, self._asked = False, 0

    @_do.register
    def _(self, command: ask.SingleStep) -> None:
        if not (isinstance(command.n, int) and 1 <= command.n <= MOST_STEPS):
            raise SimulationError(f"step: n must be from 1 to {MOST_STEPS}, got {command.n!r}")
        if self._failure is not None:
            raise SimulationError(f"{self._failure}; restart to go on")
        self.playing = False
        self._asked += command.n

    @_do.register
    def _(self, command: ask.Speed) -> None:
        if not (math.isfinite(command.value) and command.value >= 0.0):
            raise SimulationError(f"speed must be 0 or more, got {command.value:g}")
        self._clock.speed = float(command.value)
        self._clock.start()

    @_do.register
    def _(self, command: ask.Restart) -> None:
        self._hands.let_go()
        self._replace(self._scene.restarted(self.sim), "restarted")
        self.playing = self.playing or self._failure is not None
        self._left, self._asked, self._failure = self.steps, 0, None
        self.sim.stepper.monitor.run[:] = 0.0
        self.sim.stepper.monitor.histogram[:] = 0.0
        self._note_start()
        self._began = perf_counter()
        self._stretches.clear()

    @_do.register
    def _(self, command: ask.HandMove) -> None:
        self._hands.move(command.serial, command.reading, self.sim.state.tick)

    @_do.register
    def _(self, command: ask.HandRelease) -> None:
        self._hands.release(command.serial, self.sim.state.tick)

    @_do.register
    def _(self, command: ask.Tune) -> None:
        self.sim.tune(command.path, command.value)
        if self._writer is not None:
            self._writer.set_attributes(tuned_attribute(self.sim.about))

    @_do.register
    def _(self, command: ask.CreateObject) -> None:
        self._edit(lambda sim: self._scene.created(sim, command))

    @_do.register
    def _(self, command: ask.DeleteObject) -> None:
        self._edit(lambda sim: self._scene.deleted(sim, command.body))

    @_do.register
    def _(self, command: ask.WatchSignals) -> None:
        self._watched = self._watching(command.names)

    def _watching(self, names: tuple[str, ...]) -> Watched:
        from footfall.recording.variables import standard_coords

        return Watched(names, self.sim.layout, standard_coords(self.sim.labels))

    # Another world

    def _edit(self, change: Callable[[Simulator], tuple[Simulator, str]]) -> None:
        """Go on in a world with an object more or less, as a new segment."""
        old = self.sim
        old.look()
        before = self._energy_now(old)
        new, what = change(old)
        new.stepper.monitor.run[:] = old.stepper.monitor.run
        new.stepper.monitor.histogram[:] = old.stepper.monitor.histogram
        self._start_energy += self._energy_now(new) - before
        self._replace(new, what)

    @staticmethod
    def _energy_now(sim: Simulator) -> float:
        return sim.world.dynamics.mechanical_energy

    def _replace(self, new: Simulator, what: str) -> None:
        """Go on with another simulator: in the recording, in the page, on the clock."""
        self._hands.take_over(new)
        self.sim = new
        self._prepare_frames()
        if self._writer is not None:
            self._writer = self._scene.next_writer(self._writer, self._new_writer, what)
        else:
            self._scene.segment += 1
        self._row = new.row
        new.look()
        self._watched = self._kept(self._watched.names)
        self._viewer.replace(scene_graph(new))
        self._shown_tick, self._next_frame = -1, -math.inf
        self._clock.start()

    def _kept(self, names: tuple[str, ...]) -> Watched:
        """Watch on what is still there."""
        there = []
        for name in names:
            try:
                there.append(self._watching((name,)).names[0])
            except SimulationError:
                continue
        return self._watching(tuple(there))


def run_of(sim: Simulator, duration: float, *, endless: bool = False) -> Run:
    """Return a run that listens to its viewer, where there is one that can ask for something."""
    visualizer = sim.participants.visualizer
    if visualizer is not None and listens(visualizer):
        return LiveRun(sim, duration, endless=endless)
    if endless:
        raise SimulationError("a live run needs a viewer whose users can act: add --view")
    return Run(sim, duration)


def listens(visualizer: Visualizer) -> bool:
    """Whether the viewer's users can ask for something."""
    return isinstance(visualizer, InteractiveVisualizer) and visualizer.frame_interval is not None
