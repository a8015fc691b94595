"""The simulator: a world, its laws, its state; steps and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial, wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from footfall.config.validate import sized
from footfall.errors import SettingError, SimulationError
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.interaction import Interaction
from footfall.interfaces.signals import BodySignals
from footfall.jit.tables import read_only
from footfall.recording.layout import Variable
from footfall.recording.variables import first_entries
from footfall.registry.discover import discover
from footfall.simulator.run_record import Provenance, RunReport
from footfall.simulator.simulator import ContactForce, Distance, FrameName, Simulator
from footfall.typing import Floats
from footfall.whole_file import path_of
from footfall_stepper.devices.contact_forces import ContactForces
from footfall_stepper.devices.controllers import ControllerLoop
from footfall_stepper.devices.external_forces import (
    Pushes,
    find_body,
    push_joint,
    push_link,
)
from footfall_stepper.devices.motions import Motions
from footfall_stepper.devices.participants import Participants
from footfall_stepper.devices.recorded_signals import SignalRecord
from footfall_stepper.devices.reflected_inertia import replace_reflected_inertia
from footfall_stepper.devices.sensors import SEED, SensorLine
from footfall_stepper.devices.signals import Signals
from footfall_stepper.kernels.step.program import Commands, Phase
from footfall_stepper.simulation.composition import state_parts
from footfall_stepper.simulation.faults import fail, told_of_numbers
from footfall_stepper.simulation.listener import BURST, Listener
from footfall_stepper.simulation.reach import connect, default_interaction
from footfall_stepper.simulation.restore import header_of, resume
from footfall_stepper.simulation.row import RowSignals, row_layout
from footfall_stepper.simulation.tuning import tunables, tune
from footfall_stepper.stepping.first_call import FirstCall
from footfall_stepper.stepping.program import Part, StepProgram
from footfall_stepper.stepping.settings import Physics, StepSettings, cells
from footfall_stepper.stepping.time_stepping import TimeStepping
from footfall_stepper.world.state import State, note_touching, own_parts, save_state
from footfall_stepper.world.step_arrays import CLOSED, Ledger
from footfall_stepper.world.world import World

if TYPE_CHECKING:
    from footfall.interfaces.interactive_visualizer import LiveTunable
    from footfall_stepper.devices.world_distances import WorldDistances
    from footfall_stepper.simulation.drawing import Drawing
    from footfall_stepper.simulation.run import Run
    from footfall_stepper.stepping.continuous_time import ContinuousTime


CONTROLLERS, GIVEN, MIXED = (
    int(kind) for kind in (Commands.CONTROLLERS, Commands.GIVEN, Commands.MIXED)
)
P = ParamSpec("P")
R = TypeVar("R")


def stepper_of(
    world: World, state: State, physics: Physics, settings: StepSettings
) -> TimeStepping | ContinuousTime:
    """Build the stepper for the family of the integrator."""
    if isinstance(physics.integrator, Continuous):
        from footfall_stepper.stepping.continuous_time import ContinuousTime

        return ContinuousTime(world, state, physics=physics, settings=settings)
    return TimeStepping(world, state, physics=physics, settings=settings)


def alone(
    method: Callable[Concatenate[StepperSimulator, P], R],
) -> Callable[Concatenate[StepperSimulator, P], R]:
    """Allow only one thread at a time to call a method of a simulator; others get an error."""

    @wraps(method)
    def call(sim: StepperSimulator, /, *args: P.args, **named: P.kwargs) -> R:
        lock = entered(sim)
        try:
            return method(sim, *args, **named)
        finally:
            lock.release()

    return call


def entered(sim: StepperSimulator) -> RLock:
    """Acquire and return the lock of a simulator; the simulator may get another one meanwhile.

    Raises:
        SimulationError: if another thread holds it.
    """
    lock = sim.lock
    if not lock.acquire(False):
        raise SimulationError("another thread is stepping this simulator: use one per thread")
    return lock


class StepperSimulator(Simulator):
    """The default simulator: a world, its laws and its state, stepped by compiled stages.

    Compose one from objects, or let ``footfall.load`` assemble it from a scene file.

    Attributes:
        world: the bodies and their packed arrays.
        state: all values needed for a restore.
        stepper: makes the steps.
        provenance: the scene's name and resolved form.
        participants: controllers, visualizer and the scene's pushes.
        pushes: external pushes on bodies.
        motions: prescribed motions of bodies.
        driving: torques of the joints.
        layout: of a row of the recording.
        labels: labels along the recording's dimensions.
        forces: sums of contact forces by pair of names.
        recorded: the variables of the last row by name.
        listener: hears alarms of single steps; ``listener.alarms`` are those since the start.
        lock: held by the thread that steps it.
        interaction: the hands that reach into it; None if not requested yet, see ``hands``.
    """

    state: State
    _pushed: bool

    def __init__(
        self,
        world: World,
        physics: Physics,
        settings: StepSettings,
        participants: Participants | None = None,
        provenance: Provenance | None = None,
    ) -> None:
        self._world, self.provenance = world, provenance or Provenance()
        self.participants, self.lock = participants or Participants(), RLock()
        self.state = State(state_parts(world, physics, self.participants))
        self.pushes = Pushes(world, self.participants.pushes)
        for index, body in enumerate(world.bodies):
            self.state["q"][world.q_slice(index)] = body.q
            self.state["v"][world.v_slice(index)] = body.v
        self.motions = Motions(self.participants.motions, world, self.state["q"], self.state["v"])
        self.stepper = stepper_of(world, self.state, physics, settings)
        self.labels, self.layout = row_layout(
            world, physics.contact, self.participants, self.pushes, self.stepper.tables
        )
        self._at = first_entries(self.layout)
        self.stepper.place(self.layout)
        self._rows: Floats = np.zeros((1, self.layout.width))
        self._row: Floats = read_only(self._rows[0])
        self.recorded = RowSignals(self.layout, self.labels, self._row, self.stepper.table_rows)
        self.interaction = self.participants.interaction
        if self.interaction is not None:
            connect(self, self.interaction)
        found = self.stepper.collisions
        carried = None if found is None else found.table
        self._distances: WorldDistances | None = None
        self.listener = Listener(self)
        self.forces = ContactForces(world, self.stepper.table, carried, settings.time_step)
        self._tick, self._unheard = cells(own_parts(self.state)["tick"]), 0
        self._sensors = self._connect_sensors()
        self._signals = Signals(world, self.state, self.participants.drives, self.stepper.ahead)
        self.driving = ControllerLoop(
            world, self.state, self.participants, settings.time_step, self._signals
        )
        self.connect_controllers()
        self.observe_start()

    def _become(self, other: StepperSimulator) -> None:
        """Take over all parts of another simulator: its world, state, stepper and devices.

        Both are the same simulation afterwards; the other one should not be used any more.
        """
        self._world, self.provenance = other._world, other.provenance
        self.participants, self.lock = other.participants, other.lock
        self.state, self.pushes, self.stepper = other.state, other.pushes, other.stepper
        self.motions = other.motions
        self.labels, self.layout, self._at = other.labels, other.layout, other._at
        self._rows, self._row, self.recorded = other._rows, other._row, other.recorded
        self._tick, self.forces, self._distances = other._tick, other.forces, None
        self.interaction, self._sensors = other.interaction, other._sensors
        self._signals, self.driving, self._pushed = other._signals, other.driving, other._pushed
        self._unheard, self.listener = 0, Listener(self)

    def _connect_sensors(self) -> SensorLine | None:
        sensors = self.participants.sensors
        if not sensors:
            return None
        self.seed_sensors(self.participants.seed)
        around = self.stepper.terrain, self.forces
        return SensorLine(sensors, self._world, self.state, self.layout, around)

    def connect_controllers(self) -> None:
        """Connect the controllers to the joints, also after some were replaced."""
        self.driving.connect(self.participants, self._sensors)
        self._compile()

    def _compile(self) -> None:
        """Build the program of a step, also after stages were added."""
        self._pushed = self.pushes.scheduled or self.interaction is not None
        self._world.pushes.acting[2] = 0
        self.stepper.compile(self._at, self._beside)

    def _beside(self, program: StepProgram) -> list[Part]:
        """Return the stages added to each step: controllers, pushes, hands, signals, sensors."""
        give, take_back = self.driving.given_stages(program)
        asked = FirstCall("a controller", {name: self.state[name] for name in ("q", "v")})
        parts: list[Part] = [
            (Phase.COMMAND, "controllers", asked.around(self.driving.stages(program))),
            *((Phase.GIVE, "tau", give), (Phase.TAKE_BACK, "tau", take_back)),
            (Phase.DRIVE, "drives", self.driving.drive_stages(program)),
        ]
        if self._pushed or self.pushes.waiting:
            begin, end = self.pushes.stages(program, self.layout)
            parts += [(Phase.BEFORE, "pushes", begin), (Phase.AFTER, "pushes", end)]
        hands, stepper = self.interaction, self.stepper
        if hands is not None:
            parts.append((Phase.BEFORE, "hands", [program.stage(hands.begin, program.time)]))
            if isinstance(stepper, TimeStepping):
                reach = program.stage(lambda dt: stepper.pull and stepper.pull(dt), program.length)
                parts.append((Phase.AMEND, "hands", [reach]))
            stop = program.stage(hands.end, program.time, program.row)
            parts.append((Phase.AFTER, "hands", [stop]))
        parts.append((Phase.BEFORE, "prescribed motions", self.motions.stages(program)))
        if self.participants.signals:
            record = SignalRecord(self.participants.signals, self._signals, self.layout)
            for phase, write in (Phase.AMEND, record.begin), (Phase.AFTER, record.end):
                parts.append((phase, "recorded signals", [program.stage(write, program.row)]))
        friction, after = self.driving.friction_stages(program, program.part)
        parts += [(Phase.AMEND, "drives", friction), (Phase.AFTER, "drives", after)]
        if self._sensors is not None:
            parts.append((Phase.AFTER, "sensors", list(self._sensors.stages(program))))
        for certificate in self.participants.certificates:
            judged = program.stage(partial(certificate.end, self), program.row)
            parts.append((Phase.AFTER, "certificates", [judged]))
        return parts

    def signals(self, body: str) -> BodySignals:
        """Return dynamics and kinematics of a body; see ``Simulator.signals``."""
        return self._signals.of(body)

    def observe_start(self) -> None:
        """Use the state as the start: touching points cause no impact, sensors read it."""
        self.look()
        if self._sensors:
            self._sensors.begin(self._rows[0])
        note_touching(self.state, self._world, CLOSED * self._world.metre)
        if isinstance(self.stepper, TimeStepping):
            self.stepper.release_striking()
        elastic = self._world.dynamics.elastic_energy
        own_parts(self.state)["ledger"][Ledger.ELASTIC_AT_START] = elastic

    def note_elastic_change(self, change: float) -> None:
        """Count a change of elastic energy without motion, [J], as present from the start."""
        own_parts(self.state)["ledger"][Ledger.ELASTIC_AT_START] += change

    def look(self) -> None:
        """Update poses, gaps, energies and ``row`` from the state, without a step."""
        try:
            self.stepper.observe(self.time, self._rows[0], self._at)
        except Exception as error:
            fail(self, error, self._rows[0])

    @property
    def time_step(self) -> float:
        """Length of a step, [s]."""
        return self.stepper.settings.time_step

    @property
    def time(self) -> float:
        """Simulated time: an integer number of steps, [s]."""
        return float(self._tick[0]) * self.stepper.settings.time_step

    @property
    def world(self) -> World:  # type: ignore[override]
        """The bodies and their packed arrays, read-only; parts of the simulator have their own."""
        return self._world.shown

    @property
    def row(self) -> Floats:
        """The last row made outside a recording, read-only; see ``signal``."""
        return self._row

    def take_row(self, row: Floats) -> None:
        """Take over the row of a recording as the last one."""
        self._rows[0] = row

    def signal(self, name: str) -> Floats:
        """Return a recorded variable of the last step; see ``Simulator.signal``."""
        return self.recorded.read(name)

    @property
    def variables(self) -> Mapping[str, Variable]:
        """Names, shapes and units of all that ``signal`` returns; see ``Simulator.variables``."""
        return self.recorded.variables

    def contact_force(self, one: str, other: str | None = None) -> ContactForce:
        """Return the contact force on a body or link; see ``Simulator.contact_force``."""
        try:
            found = self.forces.measure(one, other, self._rows[0])
        except SettingError as error:
            raise SimulationError(f"contact_force: {error.reason}") from error
        if self.stepper.program.time[0] < self.time:
            return found
        return ContactForce(np.zeros(3), np.zeros(3), np.zeros(3))  # the state was set

    def distance(self, one: str | Sequence[float] | Floats, other: str | None = None) -> Distance:
        """Return the smallest signed distance from a body, link or point; see ``Simulator``."""
        if self._distances is None:
            from footfall_stepper.devices.world_distances import WorldDistances

            given = self.stepper.terrain, self.provenance.nodes
            self._distances = WorldDistances(self._world, *given)
        arrays = *self._world.dynamics, self._world.candidates.query  # of the last step
        kept = [array.copy() for array in arrays]
        self.stepper.evaluate(self.time_step)
        try:
            return self._distances.measure(one, other)
        except SettingError as error:
            raise SimulationError(f"distance: {error.reason}") from error
        finally:
            for array, values in zip(arrays, kept, strict=True):
                array[...] = values

    def derivatives(self, **options: Any) -> Any:
        """Return the Jacobians of the last step; see ``Simulator.derivatives``."""
        return self._derivatives(self, **options)

    @cached_property
    def _derivatives(self) -> Callable[..., Any]:
        registry = self.provenance.registry or discover()
        found: Callable[..., Any] = registry.find("function", "derivatives").load()
        return found

    def watch_parts(self, watch: Callable[[str], None] | None) -> None:
        """Call a function in each part of the next steps; steps with impacts have several parts.

        The argument is ``sensed`` after the contacts of a part are found, ``moved`` after its state
        is made, ``struck`` after the jump of an impact; in midpoint schemes also ``halfway``
        between two ``sensed``, with the trees at the midpoint. None stops the calls.
        """
        if not isinstance(self.stepper, TimeStepping):
            raise SimulationError("watch_parts: time is continuous, steps have no parts")
        if not self.stepper.use_watch(watch):
            self._compile()

    def step(
        self,
        tau: Floats | Mapping[str, Floats] | None = None,
        joints: Sequence[str] | None = None,
    ) -> None:
        """Make one step; see ``Simulator.step``."""
        lock = self.lock
        if not lock.acquire(False):
            lock = entered(self)
        try:
            commands = CONTROLLERS
            if tau is not None:
                self.driving.set_torque(tau, joints, self.labels.joint)
                commands = GIVEN if joints is None else MIXED
            elif joints is not None:
                raise SimulationError("joints: give the torques of these joints, tau")
            if ended := self.stepper.program.make(self._rows, 0, 1, commands=commands):
                self.listener.tell()
                self.check_step(ended, self._rows[0])
            self._unheard = left = self._unheard - 1
            if left <= BURST:
                self._unheard = self.listener.hear()
        finally:
            lock.release()

    def make_steps(
        self, rows: Floats | None, first: int, count: int, *, commands: int = True
    ) -> None:
        """Make steps, many in one call.

        Args:
            rows: of the recording, shape (n, width of the layout), C-contiguous; None: ``row``.
            first: row of the first step.
            count: number of steps.
            commands: their source, see ``Commands``: True for the scene's controllers, False for
                the last ones.

        Raises:
            SimulationError: if the state is no longer finite.
        """
        lock, rows = entered(self), self._rows if rows is None else rows
        try:
            tick = self._tick[0]
            ended = self.stepper.program.make(rows, first, count, commands=commands)
            if ended:  # Ending.DONE is 0, and reading a member takes Python 0.1 us
                self.check_step(ended, rows[first + int(self._tick[0] - tick)])
        finally:
            lock.release()

    def push(
        self,
        link: str,
        force: Sequence[float] | Floats = (0.0, 0.0, 0.0),
        moment: Sequence[float] | Floats = (0.0, 0.0, 0.0),
        point: Sequence[float] | Floats = (0.0, 0.0, 0.0),
        frame: FrameName = "world",
    ) -> None:
        """Push a link over the next step; see ``Simulator.push``."""
        push_link(self.pushes, self._world, link, (force, moment, point), frame)
        self._begin_pushing()

    def push_joint(self, joint: str, effort: float) -> None:
        """Drive a joint from outside over the next step, [N m or N]."""
        push_joint(self.pushes, self._world, joint, effort)
        self._begin_pushing()

    def set_motion(self, body: str, function: Callable[[float], Any] | None) -> None:
        """Let a prescribed body follow a function; see ``Simulator.set_motion``."""
        self.motions.set(body, function)
        self._compile()

    def _begin_pushing(self) -> None:
        """Include pushes in the steps from now on."""
        if not self._pushed:
            self._compile()
            self._pushed = True

    @property
    def gravity(self) -> Floats:
        """Acceleration of gravity, shape (3,), world, [m/s^2]; assigned, from the next step on.

        An assignment assembles the world again, as ``footfall.with_gravity`` does. Objects taken
        from it before (``q``, ``v``, ``world``) belong to the old one. If a grip or a push for the
        next step is active, the assignment raises a SimulationError.
        """
        return read_only(self._world.topology.gravity.copy())

    @gravity.setter
    @alone
    def gravity(self, acceleration: Sequence[float] | Floats) -> None:
        if self.pushes.waiting or getattr(self.interaction, "grips", False):
            raise SimulationError("gravity: a push or a grip would be lost: assign it before them")
        registry = self.provenance.registry or discover()
        changed = registry.find("function", "with_gravity").load()
        self._become(changed(self, acceleration))

    @property
    def hands(self) -> Interaction:
        """The hands that reach into it, by the scene's interaction; e.g. ``hands["right"]``.

        Raises:
            PluginError: if the scene has none, and the default interaction is not installed.
        """
        if self.interaction is None:
            interaction = default_interaction(self.provenance.registry)
            connect(self, interaction)
            self.interaction = interaction
            self._compile()
        return self.interaction

    def grab(
        self,
        link: str,
        point: Sequence[float] | Floats = (0.0, 0.0, 0.0),
        springs: Any = None,
    ) -> Any:
        """Hold a point of a link by a spring and damper; see ``Simulator.grab``."""
        return self.hands.grab(link, sized(point, 3, "grab: point"), springs)

    def check_step(self, ended: int, row: Floats) -> None:
        """Raise the error that ended the step, by the reason ``ended`` (``kernels.step.program``).

        Raises:
            SimulationError: always, or the error raised by a plugin.
        """
        self.driving.check()
        if self.pushes.waiting:
            self.pushes.end(row)
        bad = told_of_numbers(self, row)
        try:
            self.stepper.program.check(ended)
        except Exception as error:
            fail(self, error, row)
        finally:
            self.driving.restore()
        raise SimulationError(bad)

    def set_reflected_inertia(self, body: str, inertia: Floats) -> None:
        """Replace the reflected inertia of a body's joints from the next step on."""
        at = find_body(self._world, body)
        replace_reflected_inertia(self._world, at, np.asarray(inertia, float))

    def seed_sensors(self, seed: int) -> None:
        """Let the noise of the sensors follow another seed, from their next reading on."""
        if SEED in self.state:
            own_parts(self.state)[SEED][0] = float(seed)

    def tunables(self) -> tuple[LiveTunable, ...]:
        """Return the settings that ``tune`` takes, with their present values."""
        return tunables(self)

    def tune(self, path: str, value: float) -> None:
        """Change a setting from the next step on; see ``Simulator.tune``."""
        tune(self, path, value)

    @alone
    def record(
        self,
        duration: float | None = None,
        output: str | Path | None = None,
        *,
        overwrite: bool = False,
        progress: bool = False,
        raise_on_alarm: bool = False,
    ) -> RunReport:
        """Simulate, record to ``output`` (None: no recording) and return the figures of the run."""
        run = self.prepare_run(self.provenance.duration if duration is None else duration)
        run.raise_on_alarm = raise_on_alarm
        try:
            return run.record(None if output is None else path_of(output), overwrite, progress)
        finally:
            if run.sim is not self:  # objects came or went: use the new world
                self._become(run.sim)
            for alarm in () if raise_on_alarm else run.found["alarms"]:
                alarm.sound()

    def prepare_run(self, duration: float, *, endless: bool = False) -> Run:
        """Return a run that is ready to start: a live one, for a viewer with user input.

        Args:
            duration: [s].
            endless: whether it has no end, which needs such a viewer.

        Raises:
            SimulationError: if it is endless without such a viewer; or the duration is less than
                one step.
            PluginError: if no interaction is installed.
        """
        from footfall.interfaces.interactive_visualizer import InteractiveVisualizer
        from footfall_stepper.simulation.run import LiveInteraction, Run

        visualizer = self.participants.visualizer
        if isinstance(visualizer, InteractiveVisualizer) and visualizer.frame_interval is not None:
            hands = self.hands
            if not isinstance(hands, LiveInteraction):
                raise SimulationError(f'the interaction "{hands.name}" has no live runs')
            return hands.live_run(self, duration, endless=endless)
        if endless:
            raise SimulationError("a live run needs a viewer with user input: add --view")
        return Run(self, duration)

    def drawing(self) -> Drawing:
        """Return the content of frames for the simulator: shapes, poses, forces of contacts."""
        from footfall_stepper.simulation.drawing import Drawing

        return Drawing(self)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save the state to one file; see ``Simulator.save``."""
        save_state(path_of(path), self.state, header_of(self), overwrite=overwrite)

    @alone
    def resume(self, path: str | Path) -> None:
        """Go on from a saved state; see ``Simulator.resume``."""
        resume(self, path_of(path))


def stepped(sim: Simulator) -> StepperSimulator:
    """Return a simulator as the stepper's, whose parts are open to plugins.

    Raises:
        SimulationError: if another simulator steps the scene.
    """
    if not isinstance(sim, StepperSimulator):
        raise SimulationError(
            f'{type(sim).__name__} cannot do this: it needs the simulator "footfall", or a guest '
            "of it (simulator.plugin)"
        )
    return sim
