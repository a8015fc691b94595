"""The simulator: a scene that can be stepped, run, saved and looked at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from footfall.interfaces.engine import TreeModel
from footfall.interfaces.interaction import Interaction
from footfall.interfaces.interactive_visualizer import LiveTunable
from footfall.interfaces.signals import BodySignals
from footfall.recording.layout import Variable
from footfall.simulator.run_record import Provenance, RunReport
from footfall.typing import Floats, Floats1
from footfall.whole_file import path_of, temporary_folder
from footfall.world.arrays import Candidates, Dynamics, Joints, Topology

if TYPE_CHECKING:
    import xarray as xr

FrameName = Literal["world", "link"]
"""Axes along which a force on a link is given."""


class ContactForce(NamedTuple):
    """Contact force between two parts of a world: mean over a step, world axes.

    Attributes:
        total: shape (3,), [N].
        normal: shape (3,), the part along the contacts' normals, [N].
        friction: shape (3,), the part across them, [N]; ``total = normal + friction``.
    """

    total: Floats
    normal: Floats
    friction: Floats


class Distance(NamedTuple):
    """Signed distance of two shapes: ``point_b = point_a + distance normal``.

    Attributes:
        distance: [m], negative where they overlap.
        normal: shape (3,), unit, from the first shape to the second, world.
        point_a: shape (3,), nearest point of the first surface, world, [m].
        point_b: shape (3,), of the second.
        names: of both shapes, ``body/link/shape``.
    """

    distance: float
    normal: Floats
    point_a: Floats
    point_b: Floats
    names: tuple[str, str]


class BodyView(Protocol):
    """A body of a world: its name and the constants of its tree."""

    @property
    def name(self) -> str:
        """Name, unique in the world."""

    @property
    def model(self) -> TreeModel:
        """Constants of the body's tree."""


class WorldView(Protocol):
    """The bodies of a simulator and their packed arrays, to be read."""

    @property
    def bodies(self) -> Sequence[BodyView]:
        """Bodies, in the order of the packed arrays."""

    @property
    def topology(self) -> Topology:
        """Sizes, parents and inertial constants of all trees."""

    @property
    def joints(self) -> Joints:
        """Torques and gains that act in the joints."""

    @property
    def dynamics(self) -> Dynamics:
        """Inertias, poses and twists of the last evaluation."""

    @property
    def candidates(self) -> Candidates:
        """Points, spheres and rims that can touch the ground."""

    @property
    def mass(self) -> float:
        """Mass of all bodies together, [kg]."""

    @property
    def nq(self) -> int:
        """Number of positions."""

    @property
    def nv(self) -> int:
        """Number of velocities."""

    @property
    def contact_names(self) -> Sequence[str]:
        """Names of the candidates."""

    def index(self, name: str) -> int:
        """Return the place of a body among the bodies."""

    def q_slice(self, index: int) -> slice:
        """Return the place of a body's positions in ``q``."""

    def v_slice(self, index: int) -> slice:
        """Return the place of a body's velocities in ``v``."""


class StateView(Protocol):
    """The state of a simulator: everything that survives a restore."""

    @property
    def tick(self) -> int:
        """Number of steps done."""

    @property
    def vector(self) -> Floats:
        """All parts of fixed size, one after another."""

    def __getitem__(self, name: str) -> Floats:
        """Return a part: ``q``, ``v``, ``touching`` (1 for a contact point that touches)."""

    def copy(self) -> Any:
        """Return an independent copy."""

    def restore(self, other: Any) -> None:
        """Take over the values of a state with the same parts."""


class Simulator(ABC):
    """A simulator of one scene. ``footfall.load`` makes one.

    Attributes:
        provenance: the scene's name and resolved form, and the plugins it was made of.
        world: the bodies and their packed arrays, read-only.
        state: everything that survives a restore, read-only but for ``q`` and ``v``.
    """

    provenance: Provenance
    world: WorldView
    state: StateView

    @property
    @abstractmethod
    def time_step(self) -> float:
        """Length of a step, [s]."""

    @property
    @abstractmethod
    def time(self) -> float:
        """Simulated time: an integer number of steps, [s]."""

    @property
    def q(self) -> Floats:
        """Positions of all bodies, shape (nq,); writing to it changes the state.

        For a floating base: the position in the world [m], the quaternion x y z w, then the joints.
        """
        return self.state["q"]

    @property
    def v(self) -> Floats:
        """Velocities of all bodies, shape (nv,); writing to it changes the state.

        For a floating base: the linear [m/s] and angular [rad/s] velocity along the axes of the
        base frame, then the joints. Signals (``signals(body).nu``) and the recorded
        ``base_velocity`` are along the world's axes instead.
        """
        return self.state["v"]

    @property
    @abstractmethod
    def gravity(self) -> Floats:
        """Acceleration of gravity, shape (3,), world, [m/s^2]."""

    @gravity.setter
    @abstractmethod
    def gravity(self, acceleration: Sequence[float] | Floats) -> None: ...

    @property
    @abstractmethod
    def hands(self) -> Interaction:
        """The hands that reach into it, by the scene's interaction; e.g. ``hands["right"]``.

        Raises:
            PluginError: if the scene has none, and the default interaction is not installed.
        """

    @abstractmethod
    def step(
        self,
        tau: Floats1 | Mapping[str, Floats1] | None = None,
        joints: Sequence[str] | None = None,
    ) -> None:
        """Make one step.

        Args:
            tau: joint torques [N m or N] for this step instead of the controllers: shape
                (n_joints,) for all joints of the world in order, as ``signal("joint_torque")`` but
                without those of planar bases, which no motor moves; or by body name, where bodies
                not named get none. An array of float64 is copied without conversion. None: the
                scene's controllers act.
            joints: names or patterns of the joints that ``tau`` moves, in the world's order; the
                scene's controllers keep the others. None: all.

        Raises:
            SimulationError: if tau has the wrong size or is not finite, or no joint matches, and
                nothing changes; or the state is no longer finite.
        """

    @abstractmethod
    def signal(self, name: str) -> Floats:
        """Return a variable of the recording by name, as of the last step.

        ``variables`` lists names, shapes, units and meanings. E.g. ``contact_force`` has the shape
        (contacts, 3), ``tau`` (nv,), with zeros at floating bases, and ``joint_torque``
        (n_joints,), as ``step`` takes it. Columns of the table ``collisions``, e.g.
        ``collisions_force``, have one row per detected contact.

        Mostly a read-only view that the next step overwrites: copy what you keep.

        Raises:
            RecordingError: if there is no such variable.
        """

    @property
    @abstractmethod
    def variables(self) -> Mapping[str, Variable]:
        """Shape, dimensions, units and meaning of all that ``signal`` returns, by name.

        A column of a table has one row per contact or event in addition.
        """

    @abstractmethod
    def contact_force(self, one: str, other: str | None = None) -> ContactForce:
        """Return the contact force on one body or link from another, mean over the last step.

        It acts on ``one``, along the world's axes; with the names exchanged it has the other sign.
        Declared contact points and detected contacts count, with all impacts of the step. Zero if
        nothing touches, and before the first step. Moments of friction are not in it.

        Args:
            one: a body, ``body/link``, or ``link`` if only one body has it; fixed bodies as well,
                and ``terrain``, the ground. A link stands for all that is fixed to it.
            other: the same; None: all that is not part of ``one``.

        Raises:
            SimulationError: if a name means nothing or several things, or both name the same part.
        """

    @abstractmethod
    def distance(self, one: str | Sequence[float] | Floats, other: str | None = None) -> Distance:
        """Return the smallest signed distance of a body, link or point from another body or link.

        It is that of the collision shapes, also where contacts between bodies are not detected, at
        the present state. Where shapes overlap it is minus the depth of their deepest contact.

        Args:
            one: a name as in ``contact_force``; or a point, shape (3,), [m], world.
            other: a name; None: all other bodies and the ground.

        Raises:
            SimulationError: if a name means nothing or several things, has no shapes, or both name
                the same part; or if the ground is asked for and has no shapes (it moves, or has
                patches).
        """

    @abstractmethod
    def signals(self, body: str) -> BodySignals:
        """Return dynamics and kinematics of a body, of the state as it is when they are read.

        Raises:
            SimulationError: if there is no such body.
        """

    @abstractmethod
    def derivatives(self, **options: Any) -> Any:
        """Return the Jacobians of the last step; arguments are those of ``footfall.derivatives``.

        Raises:
            FootfallError: if it has none, with the reason, or the plugin is not installed.
        """

    @abstractmethod
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

    @abstractmethod
    def push_joint(self, joint: str, effort: float) -> None:
        """Drive a joint from outside over the next step; ``joint`` or ``body/joint``, [N m or N].

        Raises:
            SimulationError: if there is no such joint, or the effort is not finite.
        """

    @abstractmethod
    def set_motion(self, body: str, function: Callable[[float], Any] | None) -> None:
        """Let a body with a ``motion`` in the scene follow a function from the next step on.

        The function is not part of the state: a restored run follows the present one.

        Args:
            body: name.
            function: called as ``function(time)`` [s]; returns x, y, z [m] and roll, pitch, yaw
                [rad] in the world. None: the body rests where it is.

        Raises:
            SimulationError: if the body has no ``motion``; in a step, if the function fails or does
                not return six finite numbers.
        """

    @abstractmethod
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

    @abstractmethod
    def seed_sensors(self, seed: int) -> None:
        """Set the seed of the sensors' noise, from their next reading on.

        Args:
            seed: exactly representable as float64; has no effect without sensors.
        """

    @abstractmethod
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

    @abstractmethod
    def tunables(self) -> tuple[LiveTunable, ...]:
        """Return the settings that ``tune`` takes, with their present values."""

    @abstractmethod
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

    def run(
        self,
        duration: float | None = None,
        output: str | Path | None = None,
        *,
        overwrite: bool = False,
        raise_on_alarm: bool = False,
    ) -> xr.Dataset:
        """Simulate and return the recording as an xarray Dataset.

        Args:
            duration: [s]; by default the scene's.
            output: directory of the recording; by default a temporary one, removed when the
                process ends.
            overwrite: whether a recording at ``output`` may be replaced.
            raise_on_alarm: whether the first ``footfall.Alarm`` ends the run as an error; otherwise
                alarms are warnings, and in ``attrs["alarms"]``.

        Raises:
            Alarm: on request; the recording is kept up to there.
            RecordingError: if the recording cannot be written.
            SimulationError: if the state is no longer finite; the recording is kept up to there.
        """
        from footfall.recording.reader import open_run

        path = path_of(output) if output is not None else temporary_folder() / "run.zarr"
        self.record(duration, path, overwrite=overwrite, raise_on_alarm=raise_on_alarm)
        return open_run(path)

    @abstractmethod
    def record(
        self,
        duration: float | None = None,
        output: str | Path | None = None,
        *,
        overwrite: bool = False,
        progress: bool = False,
        raise_on_alarm: bool = False,
    ) -> RunReport:
        """Simulate, record to ``output`` (None: no recording) and return the figures of the run.

        ``raise_on_alarm`` is that of ``run``.
        """

    @abstractmethod
    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Save the state to one file.

        Raises:
            SimulationError: if the file exists or cannot be written.
        """

    @abstractmethod
    def resume(self, path: str | Path) -> None:
        """Continue from a saved state.

        Raises:
            SimulationError: if its scene or version differs; names the differences.
        """
