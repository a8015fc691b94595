"""The schema of a scene file, but for the tables of plugins, whose schemas are their Configs."""

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
from footfall.interfaces.contact import SPARSE
from footfall.interfaces.plugin import PluginConfig
from footfall.model.devices import ActuatorSpec, SensorSpec
from footfall.model.object_schema import (
    CollisionTable,
    Color,
    Copies,
    HeightFieldShape,
    ObjectShape,
)
from footfall.scene.external_forces import PushTable

BaseKind = Literal["floating", "fixed", "planar"]
ImpactOrder = Literal["before_contact", "after_contact"]
PluginTable = dict[str, Any]
"""``plugin`` chooses; every other key is a field of that plugin's Config."""

TERRAIN = "terrain"
"""Name of the ground in ``[pairs]``, which no body may have."""


class Table(PluginConfig):
    """Base of the tables that every scene may have: frozen, strict, no unknown keys."""


class Simulation(Table):
    """How long and how finely to simulate."""

    OF_TIME_STEPPING: ClassVar = (
        "substeps",
        "max_impact_splits",
        "impact_order",
        "restitution_threshold",
        "max_correction_speed",
        "delassus",
    )
    """Settings that only time stepping has."""

    duration: Positive = 1.0
    """Simulated time, [s]; nobody asks for it where Python makes the steps."""
    time_step: Annotated[Positive, Field(le=0.1)] = 1e-3
    """Length of a step, [s]."""
    substeps: Annotated[int, Field(ge=1, le=1_000_000)] | Literal["auto"] = 1
    """Equal parts that a step is made in. Controllers, sensors and the recorder keep to whole steps
    unless they are given rates; all else is computed in each part. ``auto``: as many as the contact
    law takes to be stable at the start; 1 of a law that is stable at any step."""
    max_impact_splits: NonNegativeInt = 4
    """How often one step may be split at predicted times of impact; 0: never."""
    impact_order: ImpactOrder = "before_contact"
    """Whether impacts are resolved before the contact forces of a step or after them."""
    restitution_threshold: NonNegative = 1e-2
    """Approach speed up to which an impact is taken as inelastic, [m/s]."""
    max_correction_speed: Positive = 0.5
    """Speed at which rigid laws bring bodies out of each other and of the ground at most, [m/s]; it
    moves positions only. Less deep contacts are corrected as the law says."""
    delassus: str = SPARSE
    """How the Delassus matrix (Lambda^-1) of the contacts is computed: ``sparse``, from the factor
    of the inertia, or a method of a plugin, by name."""
    seed: Annotated[NonNegativeInt, Field(lt=2**53)] = 0
    """Of the noise of sensors; it is part of the state, and what is drawn depends on it, the sensor
    and the step alone."""

    @property
    def parts(self) -> int:
        """Parts that a step is made in, as far as that is known before it is assembled."""
        return 1 if self.substeps == "auto" else self.substeps

    @property
    def part(self) -> float:
        """Length of each, [s]."""
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
    """What surrounds the bodies."""

    gravity: Vector3 = (0.0, 0.0, -9.81)
    """Acceleration of gravity, [m/s^2], world frame."""
    terrain: PluginTable = Field(default_factory=dict)
    """The ground; by default a level plane."""


class Pair(Table):
    """Coefficients of one pair of bodies, instead of what the two sides give, or of a contact."""

    LENGTHS: ClassVar = ("torsional_friction", "rolling_friction")
    """Those of friction that is not a point's."""

    friction: NonNegative | None = None
    """Coefficient of friction, [-]."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution, [-]."""
    torsional_friction: NonNegative | None = None
    """Length of torsional friction, [m]."""
    rolling_friction: NonNegative | None = None
    """Length of rolling friction, [m]."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError(f"needs a coefficient: {', '.join(type(self).model_fields)}")
        return self


class BodyFields(Table):
    """A robot or an object: which one and where it starts."""

    robot: Text | None = None
    """A bundled robot, or the path of a robot.toml, URDF or MJCF file, relative to the scene."""
    shape: ObjectShape | None = None
    """An object instead of a robot, e.g. ``{type = "box", size = [0.1, 0.1, 0.1]}``; lengths in
    [m]. Its frame is at its centre."""
    mass: Mass | None = None
    """Mass of an object given by its shape, [kg]."""
    density: Mass | None = None
    """Density of an object given by its shape, [kg/m^3]; 1000 if neither is given."""
    center_of_mass: Vector3 | None = None
    """Of an object given by its shape, in its frame, [m]; by default that of a uniform body, whose
    inertia about its centre of mass it has in any case."""
    color: Color | None = None
    """Red, green and blue of an object given by its shape, each 0 to 1, [-]."""
    fixed: bool = False
    """Whether an object given by its shape belongs to the surroundings and never moves."""
    base: BaseKind | None = None
    """How the root is held; by default as the robot says."""
    base_position: Vector3 | None = None
    """Position of the root, [m], world frame; by default as the robot says."""
    base_orientation: Vector3 | None = None
    """Roll, pitch and yaw of the root, [rad], about the world's axes x, y, z in this order."""
    base_linear_velocity: Vector3 | None = None
    """Velocity of the root's origin, [m/s], world axes; for a floating base."""
    base_angular_velocity: Vector3 | None = None
    """Angular velocity of the root, [rad/s], world axes; for a floating base."""
    joint_positions: dict[Text, Coordinate] = Field(default_factory=dict)
    """Starting position by joint name or pattern, [rad or m]; by default the robot's posture."""
    joint_velocities: dict[Text, Coordinate] = Field(default_factory=dict)
    """Starting velocity by joint name or pattern, [rad/s or m/s]; 0 by default."""
    friction: NonNegative | None = None
    """Coefficient of friction [-] of the body's side, instead of the robot's own."""
    restitution: UnitInterval | None = None
    """Coefficient of restitution [-] of the body's side, instead of the robot's own."""
    torsional_friction: NonNegative | None = None
    """Length b of the body's side, [m]: turning about the normal is opposed by a moment of at most
    b times the normal force; 0 by default."""
    rolling_friction: NonNegative | None = None
    """Length c of the body's side, [m]: rolling is opposed by a moment of at most c times the
    normal force; 0 by default."""
    contacts: dict[Text, Pair] = Field(default_factory=dict)
    """Coefficients of the body's side of single contacts, by name or pattern (``*``, ``?``,
    ``[...]``) of a contact, a foot or a link, over those above; of several patterns the last
    counts, e.g. ``{l_sole = {friction = 0.2}}``."""
    actuators: tuple[ActuatorSpec, ...] | None = None
    """Drives of the joints, instead of the robot's own; ``[]``: none."""
    sensors: tuple[SensorSpec, ...] | None = None
    """What is measured of it, instead of the robot's own; ``[]``: nothing."""
    mass_scale: Mass = 1.0
    """Factor of the robot's masses and inertias, motors' reflected ones apart, [-]."""
    npoly: Annotated[int, Field(ge=3)] | None = None
    """Number of points on each ring of the robot, instead of the robot's own; refused for robots
    without rings."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        if (self.robot is None) == (self.shape is None):
            given = "neither" if self.robot is None else "both"
            raise ValueError(f"needs either robot or shape, got {given}")
        of_shapes = ("mass", "density", "center_of_mass", "color", "fixed")
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
        return self


_OF_ROBOTS = ("base", "joint_positions", "joint_velocities", "actuators", "mass_scale", "npoly")
_OF_MOTION = ("base_linear_velocity", "base_angular_velocity", "sensors")


def _refuse(fields: BodyFields, keys: tuple[str, ...], what: str) -> None:
    """Refuse keys that have been given and have no effect on what the body is."""
    for key in keys:
        if getattr(fields, key) != BodyFields.model_fields[key].get_default(
            call_default_factory=True
        ):
            raise ValueError(f"{key} has no effect on {what}")


class BodyTable(BodyFields):
    """The table of a robot or an object in a file."""

    copies: Copies | None = None
    """Makes a grid of so many bodies along x, y and z instead of one; they are called NAME_0,
    NAME_1, ... with x counting fastest."""
    spacing: Vector3 | None = None
    """From one copy to the next along x, y and z, [m], not 0 where there are several; the first is
    at ``base_position``."""
    controller: PluginTable = Field(default_factory=dict)
    """What drives the joints; by default nothing."""


class Pace(Table):
    """How often a controller is called, and how late its commands act. For every controller."""

    rate: Positive | None = None
    """Commands per second, [Hz], each held until the next; the time between two must be a whole
    number of steps. By default one every step."""
    delay: NonNegative = 0.0
    """Time from the state that a controller sees to the start of the step in which its command
    acts, [s], a whole number of steps. Before the first arrives nothing is asked of the joints."""


class Recorder(Table):
    """What is kept of a run."""

    interval: PositiveInt = 1
    """Steps from one recorded row to the next; 1 loses nothing."""
    signals: tuple[Text, ...] = ()
    """Signals of bodies that are recorded besides, [each has its units]: ``NAME``, ``foot_FIELD``,
    ``frame.LINK.FIELD``, of one of several bodies ``BODY/NAME``, e.g. ``["mass_matrix",
    "foot_jacobian", "frame.l_hand.pose"]``."""
    certificates: bool = False
    """Whether each step's margins are recorded: how far every contact is from another mode (open,
    stick, slip), the rank of the rows that push, and now and then the error of a step, by halving
    it. Steps take up to a millisecond longer."""


class HandTable(Table, extra="allow"):
    """A hand that reaches into the running simulation: what moves it, and how it acts.

    ``plugin`` chooses the interaction, the same for all hands of a scene; every other key is a
    field of that plugin's Config.
    """

    device: PluginTable
    """What moves it: ``plugin`` chooses, every other key is a field of that plugin's Config."""


class SceneFile(Table):
    """A whole scene file."""

    description: OneLine = ""
    """One line for listings."""
    simulation: Simulation = Simulation()
    """How long and how finely to simulate."""
    world: WorldTable = WorldTable()
    """What surrounds the bodies."""
    bodies: Annotated[dict[Name, BodyTable], Field(min_length=1)]
    """Robots and objects by name."""
    simulator: PluginTable = Field(default_factory=dict)
    """What makes the steps: ``footfall`` itself, or another simulator, under which ``contact``,
    ``impact`` and ``integrator`` are set aside."""
    engine: PluginTable = Field(default_factory=dict)
    """What computes the dynamics."""
    contact: PluginTable = Field(default_factory=dict)
    """The contact law."""
    impact: PluginTable = Field(default_factory=dict)
    """What happens when points newly touch; by default ``none`` if the contact law absorbs impacts
    itself, else ``inelastic``."""
    integrator: PluginTable = Field(default_factory=dict)
    """How positions follow velocities."""
    visualizer: PluginTable = Field(default_factory=dict)
    """What shows the run."""
    recorder: Recorder = Recorder()
    """What is kept of the run."""
    pushes: tuple[PushTable, ...] = ()
    """External wrenches on links and efforts on joints, e.g. ``[[pushes]]``."""
    hands: dict[Name, HandTable] = Field(default_factory=dict)
    """Hands that reach into the run, by name, e.g. ``[hands.right]``."""
    collisions: CollisionTable = CollisionTable()
    """Contacts between bodies."""
    pairs: dict[Text, Pair] = Field(default_factory=dict)
    """Coefficients by pair, e.g. ``[pairs."box/terrain"]`` or ``[pairs."box/table"]``."""
