"""A run that viewers control: play, pause, restart, speed, hands, objects, settings."""

from __future__ import annotations

import math
from functools import singledispatchmethod
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

from footfall import RunReport
from footfall.api import advanced as ask
from footfall.api.plugin import FootfallError, SimulationError
from footfall_hands.live_clock import LiveClock
from footfall_hands.live_hand import ViewerHand
from footfall_hands.live_scene import GRAVITY, LiveScene
from footfall_hands.live_signals import Events, Watched
from footfall_hands.objects import from_start
from footfall_stepper.api import Run, StepperSimulator


def warm_up(sim: StepperSimulator) -> None:
    """Make two steps in a copy of the scene, the second while a link is held.

    The first call of a kernel compiles or loads it. This takes seconds to a minute, in which
    nothing moves and no hand acts. Warm up before a live run is shown, so that its user does not
    wait afterwards. ``sim`` and the devices of its hands are not changed.

    Args:
        sim: simulator that will run; nothing is done if it was not made from a scene.
    """
    if not sim.provenance.resolved:
        return
    try:
        other = from_start(sim.provenance, None, hands=False)
        other.step()
        first = other.world.bodies[0]
        other.grab(f"{first.name}/{first.model.link_names[0]}")
        other.step()
    except FootfallError:
        return  # the run itself will report the error


LISTEN = 1e-3
"""Wall time between two checks for user commands, [s]; doubled while no step is due."""
YIELD = 5e-5
"""Pause after a stretch of a late run, [s]; it gives the viewer's thread time."""
TELL = 0.2
"""Wall time between two statuses, [s]."""
SHOWS_AFTER = 2
"""Steps until a frame shows the effect of a move: its force acts in the first, and the second
begins with the resulting poses."""
MOST_STEPS = 1_000_000
"""Largest number of single steps in one command."""


class LiveRun(Run):
    """One run of a simulator that users can act on.

    Simulated time follows the clock in stretches of about a millisecond. User commands are taken
    between two stretches. An invalid command is rejected with one line in the status and changes
    nothing. Frames go out at the viewer's rate, and at once when a move of the hand has taken
    effect.

    Attributes:
        sim: current simulator; replaced when an object is added or deleted, and by a restart.
        playing: whether simulated time advances.
        endless: whether the run has no duration and ends only by Ctrl-C. An endless run that
            fails waits for a restart.
    """

    def __init__(self, sim: StepperSimulator, duration: float, *, endless: bool = False) -> None:
        super().__init__(sim, sim.time_step if endless else duration)
        if endless:
            self.steps = self.ENDLESS
        visualizer = sim.participants.visualizer
        assert isinstance(visualizer, ask.InteractiveVisualizer)
        self.endless, self.playing, self._viewer = endless, True, visualizer
        self._interval = (visualizer.frame_interval or 0.04) / (visualizer.speed or 1.0)
        self._clock = LiveClock(sim.time_step, visualizer.speed or 0.0)
        self._scene = LiveScene(sim)
        self._hands = ViewerHand(sim)
        self._watched = Watched((), sim, {})
        self._events = Events(sim)
        self._left, self._asked, self._row = self.steps, 0, sim.row
        self._problem, self._told, self._changed = "", False, True
        self._failure: SimulationError | None = None
        self._next_frame = self._next_tell = -math.inf
        self._shown_tick = -1
        self._described: object = None
        self._description: tuple[Any, Any, Any] = ((), (), ())

    def record(self, output: Path | None, overwrite: bool, progress: bool) -> RunReport:
        """Compile all kernels, then run live; see ``Run.record``."""
        warm_up(self.sim)
        return super().record(output, overwrite, progress)

    def loop(self, bar: Any) -> None:
        """Repeat until the end: take commands, make due steps, show frames, send status, sleep."""
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
        self.sim.take_row(self._row)

    def _stretch(self, begin: float) -> None:
        """Make due steps until it is time to check for commands."""
        asked = self._asked > 0
        due = min(self._asked if asked else self._clock.due(begin), self._left)
        made, until, now = 0, begin + 2.0 * LISTEN, begin
        try:
            while made < due and now < until:
                before = now
                self._row = self.make(1)
                self._events.see(self._row)
                made, now = made + 1, perf_counter()
                self.step_times.append(now - before)
        except SimulationError as error:
            self._fail(error)
        self._left -= made
        if asked:
            self._asked -= made
        else:
            self._clock.count(made, now)
        if len(self.step_times) > 200_000:
            del self.step_times[:100_000]

    def _rest(self, begin: float) -> None:
        """Sleep until something is due; in a late run briefly, to let other threads run."""
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
        """Whether requested single steps remain."""
        return self._asked > 0

    # Frames and status

    def _report_to_viewer(self, now: float) -> None:
        if self._changed or now >= self._next_tell:
            self._viewer.tell(self._status())
            self._changed, self._told, self._next_tell = False, True, now + TELL
        tick = self.sim.state.tick
        moved = self._hands.acted(tick - SHOWS_AFTER)
        # A moving hand is drawn also while the run is paused.
        unseen = tick != self._shown_tick or self._hands.unseen
        if moved or (now >= self._next_frame and unseen):
            self.show(self._row)
            self._shown_tick = tick
            self._next_frame = max(self._next_frame + self._interval, now)

    def extras(self) -> dict[str, Any]:
        """Return the frame's data of the hand and the watched signals."""
        return {
            "serial": self._hands.serial,
            "values": self._watched.values(self._row),
            "hand": self._hands.vector(),
        }

    def _status(self, ended: bool = False) -> ask.LiveStatus:
        sim, clock = self.sim, self._clock
        if self._described is not sim.provenance:
            # These change only with the scene, and take long if it has many bodies.
            self._described = sim.provenance
            self._description = (
                self._scene.bodies(sim),
                self._scene.tunables(sim),
                self._drawing.signals(),
            )
        bodies, tunables, signals = self._description
        return ask.LiveStatus(
            playing=self.playing,
            speed=clock.speed,
            rate=clock.rate if self.playing else 0.0,
            behind=clock.behind and self.playing,
            time=sim.time,
            segment=self.segment,
            bodies=bodies,
            tunables=tunables,
            signals=signals,
            watched=self._watched.names,
            hand=self._hands.status(),
            problem=self._problem or self._hands.problem,
            serial=self._hands.serial,
            ended=ended,
            events=self._events.until(sim.time),
        )

    def _end(self) -> None:
        """Show the last frame and send the final status."""
        self.playing = False
        if self.sim.state.tick != self._shown_tick:
            self.show(self._row)
        self._viewer.tell(self._status(ended=True))

    # Commands

    def _obey(self, command: ask.ViewerCommand) -> None:
        """Execute a command; an invalid one is rejected with one line and changes nothing."""
        try:
            self._do(command)
        except Exception as error:
            # No command may stop the run.
            self._problem = " ".join(str(error).split()) or repr(error)
            self._changed, self._told = True, False
            return
        if not isinstance(command, ask.HandMove | ask.HandRelease):
            self._changed = True
            if self._told:  # keep a problem that has not been sent yet
                self._problem = ""

    @singledispatchmethod
    def _do(self, command: ask.ViewerCommand) -> None:
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
        self._replace(self._scene.restarted(), "restarted", anew=True)
        self.playing = self.playing or self._failure is not None
        self._left, self._asked, self._failure = self.steps, 0, None

    @_do.register
    def _(self, command: ask.HandMove) -> None:
        self._hands.move(command.serial, command.reading, self.sim.state.tick)

    @_do.register
    def _(self, command: ask.HandRelease) -> None:
        self._hands.release(command.serial, self.sim.state.tick)

    @_do.register
    def _(self, command: ask.Tune) -> None:
        if command.path in GRAVITY:
            self._replace(*self._scene.pulled(self.sim, command.path, command.value))
        else:
            self.tune(command.path, command.value)

    @_do.register
    def _(self, command: ask.CreateObject) -> None:
        self._replace(*self._scene.created(self.sim, command))

    @_do.register
    def _(self, command: ask.DeleteObject) -> None:
        self._replace(*self._scene.deleted(self.sim, command.body))

    @_do.register
    def _(self, command: ask.WatchSignals) -> None:
        self._watched = self._watching(command.names)
        self._shown_tick = -1  # show watched signals also while paused

    def _watching(self, names: tuple[str, ...]) -> Watched:
        return Watched(names, self.sim, self.coords)

    # Another world

    def _replace(self, new: StepperSimulator, what: str, *, anew: bool = False) -> None:
        """Continue with another simulator in the recording, in the page and on the clock."""
        self.go_on(new, what, anew=anew)
        self._hands.follow(new)
        self._events.follow(new, anew=anew)
        self._row = new.row
        self._watched = self._kept(self._watched.names)
        self._viewer.replace(self.graph())
        self._shown_tick, self._next_frame = -1, -math.inf
        self._clock.start()

    def _kept(self, names: tuple[str, ...]) -> Watched:
        """Return the watch list without signals that no longer exist."""
        there = []
        for name in names:
            try:
                there.append(self._watching((name,)).names[0])
            except SimulationError:
                continue
        return self._watching(tuple(there))
