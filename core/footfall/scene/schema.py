"""The schema of a scene file. The schemas of plugins' tables are their Configs."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from footfall.config.fields import (
    Coordinate,
    Mass,
    Name,
    NonNegative,
    NonNegativeInt,
    OneLine,
    Positive,
    PositiveInt,
    Text,
    UnitInterval,
    Vector3,
)
from footfall.config.friction import Friction
from footfall.interfaces.contact import SPARSE
from footfall.interfaces.plugin import PluginConfig
from footfall.model.devices import ActuatorSpec, SensorSpec
from footfall.model.object_schema import (
    BoxShape,
    CollisionTable,
    Color,
    Copies,
    HeightFieldShape,
    ObjectShape,
)
from footfall.scene.external_forces import PushTable
from footfall.scene.motion import MotionTable, check_faces
from footfall.scene.units import Units

BaseKind = Literal["floating", "fixed", "planar"]
ImpactOrder = Literal["before_contact", "after_contact"]
PluginTable = dict[str, Any]
"""``plugin`` chooses; every other key is a field of that plugin's Config."""

TERRAIN = "terrain"
"""Name of the ground in ``[pairs]``, not allowed for bodies."""


class Table(PluginConfig):
    """Base class of the tables that every scene may have: frozen, strict, no unknown keys."""


class Simulation(Table):
    """Duration, time step and treatment of impacts."""

    OF_TIME_STEPPING: ClassVar = (
        "substeps",
        "max_impact_splits",
        "impact_order",
        "restitution_threshold",
        "max_correction_speed",
        "delassus",
    )
    """Settings for time stepping only."""

    duration: Positive = 1.0
    """Simulated time of a run, [s]; ``sim.step()`` ignores it."""
    time_step: Annotated[Positive, Field(le=0.1)] = 1e-3
    """Length of a step, [s]."""
    substeps: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["auto"] = 1
    """Number of equal parts of a step. Controllers, sensors and recorder use whole steps.
    ``auto``: as many as the contact law needs to be stable, computed for the initial state."""
    max_impact_splits: NonNegativeInt = 4
    """Largest number of splits of a step at predicted impacts; 0: none."""
    impact_order: ImpactOrder = "before_contact"
    """Resolve impacts before or after the contact forces of a step."""
    restitution_threshold: NonNegative = 1e-2
    """Impacts up to this approach speed are inelastic, [m/s]."""
    max_correction_speed: Positive = 0.5
    """Largest speed at which rigid laws remove penetration, [m/s]. Only positions change."""
    delassus: str = SPARSE
    """Method that computes ``J M^-1 J'``, the Delassus matrix of the contact problem."""
    seed: Annotated[NonNegativeInt, Field(lt=2**53)] = 0
    """Seed of the sensors' noise."""

    @property
    def parts(self) -> int:
        """Number of parts of a step; 1 for ``auto``, which is resolved at assembly."""
        return 1 if self.substeps == "auto" else self.substeps

    @property
    def part(self) -> float:
        """Length of each part, [s]."""
        return self.time_step / self.parts

    @model_validator(mode="after")
    def _lasts_a_step(self) -> Self:
        if not self.time_step <= self.duration <= 2.0**53 * self.part:
            raise ValueError(
                "duration must be at least one time step, and at most 2^53 of them: "
                f"got {self.duration:g} s in steps of {self.time_step:g} s"
            )
        return self


class WorldTable(Table):
    """Gravity and ground."""

    gravity: Vector3 = (0.0, 0.0, -9.81)
    """Acceleration of gravity, [m/s^2], world frame."""
    terrain: PluginTable = Field(default_factory=dict)
    """The ground; default: a level plane."""


class Pair(Table):
    """Coefficients of a contact, or of a pair of bodies instead of those of its two sides."""

    LENGTHS: ClassVar = ("torsional_friction", "rolling_friction")
    """Coefficients of torsional and rolling friction, which are lengths."""

    friction: Friction | None = None
    """Coefficient of friction, [-], or a table: friction by direction."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]."""
    torsional_friction: NonNegative | None = None
    """Length of torsional friction, [m]."""
    rolling_friction: NonNegative | None = None
    """Length of rolling friction, [m]."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError(f"needs a coefficient: {', '.join(Pair.model_fields)}")
        return self


class BodyPair(Pair):
    """Coefficients of a pair of bodies, or of a body and the ground."""

    axis_of: Text | None = None
    """Body whose axis is used for friction by direction; required for a pair of two bodies."""


class BodyFields(Table):
    """A robot or an object, its start and its properties."""

    robot: Text | None = None
    """A bundled robot, or the path of a robot.toml, URDF or MJCF relative to the scene."""
    shape: ObjectShape | None = None
    """Shape of an object, instead of a robot, e.g. ``{type = "box", size = [0.1, 0.1, 0.1]}``,
    [m]. The object's frame is at its centre."""
    mass: Mass | None = None
    """Mass of an object, [kg]."""
    density: Mass | None = None
    """Density of an object without ``mass``, [kg/m^3]; default: 1000."""
    center_of_mass: Vector3 | None = None
    """Centre of mass of an object, in its frame, [m]; default: that of a uniform body. The inertia
    about it is always that of a uniform body."""
    color: Color | None = None
    """Red, green and blue of an object, 0 to 1, [-]."""
    fixed: bool = False
    """If true, no contact moves the object. It rests or follows ``motion``."""
    motion: MotionTable | None = None
    """Prescribed motion of a fixed object, e.g. ``{velocity = [0.2, 0.0, 0.0]}``."""
    surface_velocity: Vector3 | dict[Text, Vector3] | None = None
    """Velocity of an object's surface, e.g. of a belt, in the body's axes, [m/s]. Only the part
    along the surface acts. A box can have one per face: ``{top = [0.5, 0.0, 0.0]}``. A robot has
    one per link name or pattern, in the link's axes."""
    base: BaseKind | None = None
    """Kind of base; default: the robot's."""
    base_position: Vector3 | None = None
    """Position of the base (root link or object), [m], world frame; default: the robot's."""
    base_orientation: Vector3 | None = None
    """Roll, pitch, yaw of the base, [rad]: about the world's x, then y, then z."""
    base_linear_velocity: Vector3 | None = None
    """Velocity of the origin of a floating base, [m/s], world axes."""
    base_angular_velocity: Vector3 | None = None
    """Angular velocity of a floating base, [rad/s], world axes."""
    joint_positions: dict[Text, Coordinate] = Field(default_factory=dict)
    """Initial positions by joint name or pattern, [rad or m]; default: the robot's posture."""
    joint_velocities: dict[Text, Coordinate] = Field(default_factory=dict)
    """Initial velocities by joint name or pattern, [rad/s or m/s]; default: 0."""
    friction: Friction | None = None
    """Coefficient of friction [-] of this body, or a table: friction by direction. Replaces the
    robot's."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution [-] of this body. Replaces the robot's."""
    torsional_friction: NonNegative | None = None
    """Length, [m]: largest friction moment about the normal, divided by the normal force."""
    rolling_friction: NonNegative | None = None
    """Length, [m]: largest moment against rolling, divided by the normal force."""
    contacts: dict[Text, Pair] = Field(default_factory=dict)
    """Coefficients of single contacts, by name or pattern (``*``, ``?``, ``[...]``) of a contact,
    foot or link, e.g. ``{l_sole = {friction = 0.2}}``. If several match, the last counts."""
    actuators: tuple[ActuatorSpec, ...] | None = None
    """Drives of the joints. Replaces the robot's; ``[]``: none."""
    sensors: tuple[SensorSpec, ...] | None = None
    """Sensors. Replaces the robot's; ``[]``: none."""
    mass_scale: Mass = 1.0
    """Factor for the robot's masses and inertias, except reflected rotor inertia, [-]."""
    npoly: Annotated[int, Field(ge=3)] | None = None
    """Number of contact points of each ``ring`` in robot.toml."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.robot is None) == (self.shape is None):
            given = "neither" if self.robot is None else "both"
            raise ValueError(f"needs either robot or shape, got {given}")
        of_shapes = ("mass", "density", "center_of_mass", "color", "fixed", "motion")
        if self.shape is None:
            _refuse(self, of_shapes, "a robot; it is for objects given by their shape")
        elif self.mass is not None and self.density is not None:
            raise ValueError("mass and density: give one of them")
        if self.shape is not None:
            _refuse(self, _OF_ROBOTS, "an object given by its shape")
        if isinstance(self.shape, HeightFieldShape) and not self.fixed:
            raise ValueError("a heightfield never moves: it needs fixed = true")
        if self.fixed:
            _refuse(self, ("mass", "density", "center_of_mass", *_OF_MOTION), "a fixed object")
        self._check_moved()
        return self

    def _check_moved(self) -> None:
        if self.shape is None:
            if isinstance(self.surface_velocity, tuple):
                raise ValueError("surface_velocity of a robot is by link: {LINK = [x, y, z]}")
        elif isinstance(self.surface_velocity, dict):
            if not isinstance(self.shape, BoxShape):
                raise ValueError("surface_velocity by face is for boxes: give one [x, y, z]")
            check_faces(self.surface_velocity)
        if self.motion is None:
            return
        if not self.fixed or isinstance(self.shape, HeightFieldShape):
            raise ValueError("motion needs fixed = true, and no heightfield")
        placed = self.base_position is not None or self.base_orientation is not None
        if placed and (self.motion.has_rows or self.motion.function is not None):
            raise ValueError("base_position and base_orientation: motion gives the poses instead")


_OF_ROBOTS = ("base", "joint_positions", "joint_velocities", "actuators", "mass_scale", "npoly")
_OF_MOTION = ("base_linear_velocity", "base_angular_velocity", "sensors")


def _refuse(fields: BodyFields, keys: tuple[str, ...], what: str) -> None:
    """Reject given keys that have no effect on this kind of body."""
    for key in keys:
        if getattr(fields, key) != BodyFields.model_fields[key].get_default(
            call_default_factory=True
        ):
            raise ValueError(f"{key} has no effect on {what}")


class BodyTable(BodyFields):
    """The table of a robot or an object in a file."""

    copies: Copies | None = None
    """Number of copies along x, y and z, named NAME_0, NAME_1, ...: first along x, then y."""
    spacing: Vector3 | None = None
    """Distances between copies along x, y, z, [m]; the first is at ``base_position``."""
    controller: PluginTable = Field(default_factory=dict)
    """Controller of the joints; default: none."""


class Pace(Table):
    """Rate and delay of a controller, for every controller plugin."""

    rate: Positive | None = None
    """Commands per second, [Hz]. Each command acts until the next. The time between commands must
    be a whole number of steps. Default: one command per step."""
    delay: NonNegative = 0.0
    """Time between the observed state and the effect of the command, [s], a whole number of steps.
    Until the first command acts, joints are free."""


class Recorder(Table):
    """Settings of the recording of a run."""

    interval: PositiveInt = 1
    """Steps between recorded rows."""
    signals: tuple[Text, ...] = ()
    """Further signals to record, e.g. ``["mass_matrix", "foot_jacobian", "frame.l_hand.pose"]``.
    If the scene has several bodies, write ``BODY/`` before each."""
    certificates: bool = False
    """Record how certain the result of each step is. A step takes 0.5 to 10 ms longer."""


class HandTable(Table, extra="allow"):
    """A virtual hand that pulls or pushes bodies during a run."""

    device: PluginTable
    """Device that moves the hand: ``plugin`` (default: ``mouse``) and the plugin's own keys."""


class SceneFile(Table):
    """A whole scene file."""

    description: OneLine = ""
    """One line for listings."""
    simulation: Simulation = Simulation()
    """Duration, time step, impacts."""
    units: Units = Units()
    """Units of all numbers; default: metres and kilograms."""
    world: WorldTable = WorldTable()
    """Gravity and ground."""
    bodies: Annotated[dict[Name, BodyTable], Field(min_length=1)]
    """Robots and objects by name."""
    simulator: PluginTable = Field(default_factory=dict)
    """Program that computes the steps. Only ``footfall`` uses ``contact``, ``impact`` and
    ``integrator``."""
    engine: PluginTable = Field(default_factory=dict)
    """Dynamics engine."""
    contact: PluginTable = Field(default_factory=dict)
    """Contact law."""
    impact: PluginTable = Field(default_factory=dict)
    """Impact model; the default depends on the law."""
    integrator: PluginTable = Field(default_factory=dict)
    """Integrator of positions and velocities."""
    visualizer: PluginTable = Field(default_factory=dict)
    """Viewer of the run."""
    recorder: Recorder = Recorder()
    """Settings of the recording."""
    pushes: tuple[PushTable, ...] = ()
    """External forces and moments on links and joints: ``[[pushes]]``."""
    hands: dict[Name, HandTable] = Field(default_factory=dict)
    """Hands that act on the run, by name, e.g. ``[hands.right]``."""
    collisions: CollisionTable = CollisionTable()
    """Contacts between bodies."""
    pairs: dict[Text, BodyPair] = Field(default_factory=dict)
    """Coefficients by pair, e.g. ``[pairs."box/terrain"]``."""
