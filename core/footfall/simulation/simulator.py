"""The simulator: a world, its laws, its state; steps and runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, Concatenate, NoReturn, ParamSpec, TypeVar

import numpy as np

from footfall.config.validate import sized
from footfall.devices.controllers import ControllerLoop
from footfall.devices.external_forces import FrameName, Pushes, find_body, push_joint, push_link
from footfall.devices.participants import Participants
from footfall.devices.recorded_signals import SignalRecord
from footfall.devices.reflected_inertia import replace_reflected_inertia
from footfall.devices.sensors import SEED, SensorLine
from footfall.devices.signals import Signals
from footfall.errors import FootfallError, SimulationError, reason
from footfall.interfaces.integrator import Continuous
from footfall.interfaces.interaction import Interaction
from footfall.interfaces.signals import BodySignals
from footfall.kernels.step.impacts import CLOSED
from footfall.kernels.step.program import AFTER, AMEND, BEFORE, COMMAND, DONE
from footfall.kernels.step.row import COLUMNS
from footfall.registry.discover import discover
from footfall.simulation.composition import Provenance, state_parts
from footfall.simulation.reach import connect, default_interaction
from footfall.simulation.report import RunReport
from footfall.simulation.restore import header_of, resume
from footfall.simulation.row import row_layout
from footfall.simulation.tuning import tunables, tune
from footfall.stepping.program import Part, StepProgram
from footfall.stepping.settings import Physics, StepSettings, cells
from footfall.stepping.time_stepping import TimeStepping
from footfall.typing import Floats
from footfall.whole_file import path_of
from footfall.world.arrays import ENERGY_ELASTIC, LEDGER_ELASTIC_AT_START
from footfall.world.state import State, note_touching, save_state
from footfall.world.world import World

if TYPE_CHECKING:
    import xarray as xr

    from footfall.interfaces.interactive_visualizer import LiveTunable
    from footfall.simulation.drawing import Drawing
    from footfall.simulation.run import Run
    from footfall.stepping.continuous_time import ContinuousTime


P = ParamSpec("P")
R = TypeVar("R")


def stepper_of(
    world: World, state: State, physics: Physics, settings: StepSettings
) -> TimeStepping | ContinuousTime:
    """Build the stepper for the family of the integrator."""
    if isinstance(physics.integrator, Continuous):
        from footfall.stepping.continuous_time import ContinuousTime

        return ContinuousTime(world, state, physics=physics, settings=settings)
    return TimeStepping(world, state, physics=physics, settings=settings)


def alone(method: Callable[Concatenate[Simulator, P], R]) -> Callable[Concatenate[Simulator, P], R]:
    """Allow only one thread at a time to call a method of a simulator; others get an error."""

    @wraps(method)
    def call(sim: Simulator, /, *args: P.args, **named: P.kwargs) -> R:
        lock = entered(sim)
        try:
            return method(sim, *args, **named)
        finally:
            lock.release()

    return call


def entered(sim: Simulator) -> RLock:
    """Acquire and return the lock of a simulator; the simulator may get another one meanwhile.

    Raises:
        SimulationError: if another thread holds it.
    """
    lock = sim.lock
    if not lock.acquire(False):
        raise SimulationError("another thread is stepping this simulator: use one per thread")
    return lock


def bad_signal(sim: Simulator, row: Floats) -> str | None:
    """Return the first quantity of the step that is not finite, in order of computation."""
    dynamics, problem = sim.world.dynamics, sim.stepper.problem
    signals = (
        ("position q", sim.layout.view(row, "q")),
        ("velocity v", sim.layout.view(row, "v")),
        ("inertia M (engine)", dynamics.M),
        ("bias force h (engine)", dynamics.h),
        ("twists S (engine)", dynamics.S),
        ("link poses (engine)", dynamics.pose),
        ("tau (controller)", sim.world.joints.tau),
        ("free velocity", dynamics.v_free),
        ("gap (terrain)", sim.world.candidates.gap),
        ("contact impulse (contact law)", problem.impulse),
        ("split impulse (contact law)", problem.correction),
        ("velocity after the step", dynamics.v_new),
    )
    return next((name for name, array in signals if not np.isfinite(array).all()), None)


class Simulator:
    """Steps a world.

    Compose one from objects, or let ``footfall.load`` assemble it from a scene file.

    Attributes:
        world: the bodies and their packed arrays.
        state: all values needed for a restore.
        stepper: makes the steps.
        provenance: the scene's name and resolved form.
        participants: controllers, visualizer and the scene's pushes.
        pushes: external pushes on bodies.
        driving: torques of the joints.
        layout: of a row of the recording.
        labels: labels along the recording's dimensions.
        lock: held by the thread that steps it.
        interaction: the hands that reach into it; None if not requested yet, see ``hands``.
    """

    def __init__(
        self,
        world: World,
        physics: Physics,
        settings: StepSettings,
        participants: Participants | None = None,
        provenance: Provenance | None = None,
    ) -> None:
        self.world, self.provenance = world, provenance or Provenance()
        self.participants, self.lock = participants or Participants(), RLock()
        self.state = State(state_parts(world, physics, self.participants))
        self.pushes = Pushes(world, self.participants.pushes)
        for index, body in enumerate(world.bodies):
            self.state["q"][world.q_slice(index)] = body.q
            self.state["v"][world.v_slice(index)] = body.v
        self.stepper = stepper_of(world, self.state, physics, settings)
        self.labels, self.layout = row_layout(
            world, physics.contact, self.participants, self.pushes, self.stepper.tables
        )
        self._at = np.array([self.layout.slice_of(c).start for c in COLUMNS], np.int64)
        self.stepper.place(self.layout)
        self._rows: Floats = np.zeros((1, self.layout.width))
        self._row: Floats = self._rows[0]
        self.interaction = self.participants.interaction
        if self.interaction is not None:
            connect(self, self.interaction)
        self._tick = cells(self.state["tick"])
        self._sensors = self._connect_sensors()
        self._signals = Signals(world, self.state, self.participants.drives, self.stepper.ahead)
        self.driving = ControllerLoop(
            world, self.state, self.participants, settings.time_step, self._signals
        )
        self.connect_controllers()
        self.observe_start()

    def _connect_sensors(self) -> SensorLine | None:
        sensors = self.participants.sensors
        if not sensors:
            return None
        self.seed_sensors(self.participants.seed)
        return SensorLine(sensors, self.world, self.state, self.layout, self.stepper.terrain)

    def connect_controllers(self) -> None:
        """Connect the controllers to the joints, also after some were replaced."""
        self.driving.connect(self.participants, self._sensors)
        self._compile()

    def _compile(self) -> None:
        """Build the program of a step, also after stages were added."""
        self._pushed = self.pushes.scheduled or self.interaction is not None
        self.stepper.compile(self._at, self._beside)

    def _beside(self, program: StepProgram) -> list[Part]:
        """Return the stages added to each step: controllers, pushes, hands, signals, sensors."""
        parts: list[Part] = [(COMMAND, "controllers", self.driving.stages(program))]
        if self._pushed or self.pushes.waiting:
            begin, end = self.pushes.stages(program, self.layout)
            parts += [(BEFORE, "pushes", begin), (AFTER, "pushes", end)]
        hands, stepper = self.interaction, self.stepper
        if hands is not None:
            parts.append((BEFORE, "hands", [program.stage(hands.begin, program.time)]))
            if isinstance(stepper, TimeStepping):
                reach = program.stage(lambda dt: stepper.pull and stepper.pull(dt), program.length)
                parts.append((AMEND, "hands", [reach]))
            stop = program.stage(hands.end, program.time, program.row)
            parts.append((AFTER, "hands", [stop]))
        if self.participants.signals:
            record = SignalRecord(self.participants.signals, self._signals, self.layout)
            for phase, write in (AMEND, record.begin), (AFTER, record.end):
                parts.append((phase, "recorded signals", [program.stage(write, program.row)]))
        if self._sensors is not None:
            parts.append((AFTER, "sensors", list(self._sensors.stages(program))))
        for certificate in self.participants.certificates:
            judged = program.stage(partial(certificate.end, self), program.row)
            parts.append((AFTER, "certificates", [judged]))
        return parts

    def signals(self, body: str) -> BodySignals:
        """Return dynamics and kinematics of a body, evaluated on request at the present state.

        Raises:
            SimulationError: if there is no such body.
        """
        return self._signals.of(body)

    def observe_start(self) -> None:
        """Use the state as the start: touching points cause no impact, sensors read it."""
        self.look()
        if self._sensors:
            self._sensors.begin(self._row)
        note_touching(self.state, self.world, CLOSED)
        if isinstance(self.stepper, TimeStepping):
            self.stepper.release_striking()
        self.state["ledger"][LEDGER_ELASTIC_AT_START] = self.world.dynamics.energy[ENERGY_ELASTIC]

    def note_elastic_change(self, change: float) -> None:
        """Count a change of elastic energy without motion, [J], as present from the start."""
        self.state["ledger"][LEDGER_ELASTIC_AT_START] += change

    def look(self) -> None:
        """Update poses, gaps, energies and ``row`` from the state, without a step."""
        self.stepper.observe(self.time, self._row, self._at)

    @property
    def time_step(self) -> float:
        """Length of a step, [s]."""
        return self.stepper.settings.time_step

    @property
    def time(self) -> float:
        """Simulated time: an integer number of steps, [s]."""
        return float(self._tick[0]) * self.stepper.settings.time_step

    @property
    def q(self) -> Floats:
        """Positions of all bodies, shape (nq,); writing to it changes the state.

        For a floating base: position in the world [m], quaternion x y z w; then the joints.
        """
        return self.state["q"]

    @property
    def v(self) -> Floats:
        """Velocities of all bodies, shape (nv,); writing to it changes the state.

        For a floating base: linear [m/s] and angular [rad/s] velocity in the axes of the base
        frame; then the joints. Signals (``signals(body).nu``) and the recorded
        ``base_velocity`` are in world axes instead.
        """
        return self.state["v"]

    @property
    def row(self) -> Floats:
        """The last row made outside a recording; see ``signal``."""
        return self._row

    def signal(self, name: str) -> Floats:
        """Return a recorded variable of the last step by name, e.g. ``contact_force``."""
        return self.layout.view(self._row, name)

    def derivatives(self, **options: Any) -> Any:
        """Return the Jacobians of the last step; arguments are those of ``footfall.derivatives``.

        Raises a ``FootfallError`` if it has none, or if the plugin is not installed.
        """
        registry = self.provenance.registry or discover()
        return registry.find("function", "derivatives").load()(self, **options)

    def watch_parts(self, watch: Callable[[str], None] | None) -> None:
        """Call a function in each part of the next steps; steps with impacts have several parts.

        The argument is ``sensed`` after the contact problem of a part is built, ``moved`` after its
        state is made, ``struck`` after the jump of an impact. None stops the calls.
        """
        if not isinstance(self.stepper, TimeStepping):
            raise SimulationError("watch_parts: time is continuous, steps have no parts")
        self.stepper.watch = watch
        self._compile()

    def step(self, tau: Floats | Mapping[str, Floats] | None = None) -> None:
        """Make one step.

        Args:
            tau: joint torques [N m or N] for this step instead of the controllers: shape
                (n_joints,) for all joints of the world in order, or by body name. None: the
                scene's controllers act.

        Raises:
            SimulationError: if tau has the wrong size, or the state is no longer finite.
        """
        if tau is None:
            self.make_steps(self._rows, 0, 1)
        else:
            self._step_with(tau)

    @alone
    def _step_with(self, tau: Floats | Mapping[str, Floats]) -> None:
        kept = self.driving.commanded()
        try:
            self.driving.set_torque(tau)
            self.make_steps(self._rows, 0, 1, commands=False)
        finally:
            self.driving.restore(kept)

    def make_steps(self, rows: Floats, first: int, count: int, *, commands: bool = True) -> None:
        """Make steps, many in one call.

        Args:
            rows: of the recording, shape (n, width of the layout), C-contiguous.
            first: row of the first step.
            count: number of steps.
            commands: whether the scene's controllers give new commands; False: the last ones stay.

        Raises:
            SimulationError: if the state is no longer finite.
        """
        lock = entered(self)
        try:
            tick = self._tick[0]
            ended = self.stepper.program.make(rows, first, count, commands=commands)
            if ended != DONE:
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
        """Push a link over the next step; call it again for the step after. Pushes add up.

        Args:
            link: ``link``, or ``body/link`` if there are several bodies.
            force: shape (3,), [N].
            moment: shape (3,), about the point, [N m].
            point: shape (3,), point of application, [m], in the link's frame.
            frame: axes of force and moment, the world's or the link's.

        Raises:
            SimulationError: if there is no such link, or the numbers are not finite.
        """
        push_link(self.pushes, self.world, link, (force, moment, point), frame)
        self._begin_pushing()

    def push_joint(self, joint: str, effort: float) -> None:
        """Drive a joint from outside over the next step; ``joint`` or ``body/joint``, [N m or N].

        Raises:
            SimulationError: if there is no such joint, or the effort is not finite.
        """
        push_joint(self.pushes, self.world, joint, effort)
        self._begin_pushing()

    def _begin_pushing(self) -> None:
        """Include pushes in the steps from now on."""
        if not self._pushed:
            self._compile()
            self._pushed = True

    @property
    def gravity(self) -> Floats:
        """Acceleration of gravity, shape (3,), world, [m/s^2]; assign it to change the next steps.

        An assignment assembles the world again, as ``footfall.with_gravity`` does. Objects taken
        from it before (``q``, ``v``, ``world``) belong to the old one. If a grip or a push for the
        next step is active, the assignment raises a SimulationError.
        """
        gravity: Floats = self.world.topology.gravity.copy()
        gravity.flags.writeable = False
        return gravity

    @gravity.setter
    @alone
    def gravity(self, acceleration: Sequence[float] | Floats) -> None:
        if self.pushes.waiting or getattr(self.interaction, "grips", False):
            raise SimulationError("gravity: a push or a grip would be lost: assign it before them")
        registry = self.provenance.registry or discover()
        changed = registry.find("function", "with_gravity").load()
        self.__dict__ = changed(self, acceleration).__dict__

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
        """Hold a point of a link by a spring and damper, until the grip is released.

        Grips are not part of the state: a restored run continues without them (``hands.grips``).

        Args:
            link: ``link``, or ``body/link`` if there are several bodies.
            point: shape (3,), [m], in the link's frame.
            springs: gains of the grip and limits of its force, ``footfall.Springs``; None: the
                default ones.

        Returns:
            The grip; for the bundled interaction with ``move``, ``release``, ``force`` and more.

        Raises:
            SimulationError: if there is no such link, it cannot move, or time is continuous.
            PluginError: if no interaction is installed.
        """
        return self.hands.grab(link, sized(point, 3, "grab: point"), springs)

    def check_step(self, ended: int, row: Floats) -> None:
        """Raise the error that ended the step, by the reason ``ended`` (``kernels.step.program``).

        Raises:
            SimulationError: always, or the error raised by a plugin.
        """
        if self.pushes.waiting:
            self.pushes.end(row)
        try:
            self.stepper.program.check(ended)
        except Exception as error:
            self._fail(error, row)
        raise SimulationError(self._first_bad_signal(row))

    def _fail(self, error: Exception, row: Floats) -> NoReturn:
        """Raise an error that says where and why a step has failed."""
        if not isinstance(error, FootfallError):
            when = f"step {self.state.tick}, t = {self.time:.6g} s"
            raise SimulationError(f"{when}: {reason(error)}") from error
        if bad_signal(self, row) is None:
            raise error
        # If a law rejects values that are not finite, the cause lies elsewhere.
        told = f" ({error})" if isinstance(error, SimulationError) else ""
        raise SimulationError(self._first_bad_signal(row) + told) from error

    def _first_bad_signal(self, row: Floats) -> str:
        name = bad_signal(self, row) or "velocity after the step"
        return (
            f"step {self.state.tick}, t = {self.time:.6g} s: {name} is not finite; "
            "the recording is readable up to this step"
        )

    def set_reflected_inertia(self, body: str, inertia: Floats) -> None:
        """Replace the reflected inertia of a body's joints from the next step on.

        The change of energy by a change of inertia counts as the integrator's in the ledger.

        Args:
            body: name.
            inertia: shape (n_joints,), or (n_joints, n_joints) symmetric, [kg m^2 or kg]; entries
                off the diagonal only for joints that the body's drives couple.

        Raises:
            SettingError: if there is no such body.
            SimulationError: if the inertia does not fit.
        """
        at = find_body(self.world, body)
        replace_reflected_inertia(self.world, at, np.asarray(inertia, float))

    def seed_sensors(self, seed: int) -> None:
        """Set the seed of the sensors' noise, from their next reading on.

        Args:
            seed: exactly representable as float64; has no effect without sensors.
        """
        if SEED in self.state:
            self.state[SEED][0] = float(seed)

    def tunables(self) -> tuple[LiveTunable, ...]:
        """Return the settings that ``tune`` takes, with their present values."""
        return tunables(self)

    def tune(self, path: str, value: float) -> None:
        """Change a setting from the next step on, e.g. ``bodies.box.friction``.

        Recordings note it; a state saved later includes it.

        Args:
            path: one of ``tunables``.
            value: in its unit; within the range of the field.

        Raises:
            SimulationError: if there is no such setting, or the value is not a finite number.
            SceneError: if the field does not allow it.
        """
        tune(self, path, value)

    def run(
        self,
        duration: float | None = None,
        output: str | Path | None = None,
        *,
        overwrite: bool = False,
    ) -> xr.Dataset:
        """Simulate and return the recording as an xarray Dataset.

        Args:
            duration: [s]; by default the scene's.
            output: directory of the recording; by default a temporary one, removed when the
                process ends.
            overwrite: whether a recording at ``output`` may be replaced.

        Raises:
            RecordingError: if the recording cannot be written.
            SimulationError: if the state is no longer finite; the recording is kept up to there.
        """
        from footfall.recording.reader import open_run
        from footfall.simulation.run import temporary_output

        path = path_of(output) if output is not None else temporary_output()
        self.record(duration, path, overwrite=overwrite)
        return open_run(path)

    @alone
    def record(
        self,
        duration: float | None = None,
        output: str | Path | None = None,
        *,
        overwrite: bool = False,
        progress: bool = False,
    ) -> RunReport:
        """Simulate, record to ``output`` (None: no recording) and return the figures of the run."""
        run = self.prepare_run(self.provenance.duration if duration is None else duration)
        try:
            return run.record(None if output is None else path_of(output), overwrite, progress)
        finally:
            if run.sim is not self:  # objects came or went: use the new world
                self.__dict__ = run.sim.__dict__

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
        from footfall.simulation.run import Run

        visualizer = self.participants.visualizer
        if isinstance(visualizer, InteractiveVisualizer) and visualizer.frame_interval is not None:
            run: Run = self.hands.live_run(self, duration, endless=endless)
            return run
        if endless:
            raise SimulationError("a live run needs a viewer with user input: add --view")
        return Run(self, duration)

    def drawing(self) -> Drawing:
        """Return the content of frames for the simulator: shapes, poses, forces of contacts."""
        from footfall.simulation.drawing import Drawing

        return Drawing(self)

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save the state to one file.

        Raises:
            SimulationError: if the file exists or cannot be written.
        """
        save_state(path_of(path), self.state, header_of(self), overwrite=overwrite)

    @alone
    def resume(self, path: str | Path) -> None:
        """Continue from a saved state.

        Raises:
            SimulationError: if its scene or version differs; names the differences.
        """
        resume(self, path_of(path))
