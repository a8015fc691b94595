"""A run that its viewer's users act upon: play, pause, restart, speed, hands, objects, settings."""

from __future__ import annotations

import math
from functools import singledispatchmethod
from pathlib import Path
from time import perf_counter, sleep
from typing import TYPE_CHECKING, Any

from footfall.api import visualizer as ask
from footfall.api.errors import FootfallError, SimulationError
from footfall_hands.events import Events
from footfall_hands.live_clock import LiveClock
from footfall_hands.live_hand import ViewerHand
from footfall_hands.live_scene import GRAVITY, LiveScene
from footfall_hands.reassembly import from_start
from footfall_hands.watched import Watched, watchable
from footfall_stepper.api import Run

if TYPE_CHECKING:
    from footfall_stepper.api import StepperSimulator


def warm_up(sim: StepperSimulator) -> None:
    """Make two steps of the same scene elsewhere, the second while something is held.

    Kernels are compiled, or loaded, when they are first called: seconds to a minute in which
    nothing moves and no hand is felt. Whoever is going to reach into a run should wait before it is
    shown, not after. ``sim`` stays as it is, and devices of hands are left alone.

    Args:
        sim: that is going to run; nothing is done for one that was not made from a scene.
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

    def record(self, output: Path | None, overwrite: bool, progress: bool) -> Any:
        """Compile everything, then run before the users; see ``Run.record``."""
        warm_up(self.sim)
        return super().record(output, overwrite, progress)

    def loop(self, bar: Any) -> None:
        """Take commands, make the steps that are due, show, tell, sleep; until the end."""
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
            self.show(self._row)
            self._shown_tick = tick
            self._next_frame = max(self._next_frame + self._interval, now)

    def extras(self) -> dict[str, Any]:
        """Return what frames show of the hand and of watched signals."""
        return {
            "serial": self._hands.serial,
            "values": self._watched.values(self._row),
            "hand": self._hands.vector(),
        }

    def _status(self, ended: bool = False) -> ask.LiveStatus:
        sim, clock = self.sim, self._clock
        if self._described is not sim.provenance:
            # These change with the scene alone, and take long where it has many bodies.
            self._described = sim.provenance
            self._description = (
                self._scene.bodies(sim),
                self._scene.tunables(sim),
                watchable(sim, self.coords),
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
        """Show and tell how it ended."""
        self.playing = False
        if self.sim.state.tick != self._shown_tick:
            self.show(self._row)
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
        self._shown_tick = -1  # while time stands still, what is watched is shown all the same

    def _watching(self, names: tuple[str, ...]) -> Watched:
        return Watched(names, self.sim, self.coords)

    # Another world

    def _replace(self, new: StepperSimulator, what: str, *, anew: bool = False) -> None:
        """Go on with another simulator: in the recording, in the page, on the clock."""
        self.go_on(new, what, anew=anew)
        self._hands.follow(new)
        self._events.follow(new, anew=anew)
        self._row = new.row
        self._watched = self._kept(self._watched.names)
        self._viewer.replace(self.graph())
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
