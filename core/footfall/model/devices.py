"""The schemas of ``[[actuators]]`` (motors and gears) and ``[[sensors]]``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, Field, model_validator

from footfall.config.fields import OPEN_SCHEMA, NonNegative, Positive, Text
from footfall.typing import Floats, Ints1

Row = tuple[float, ...]
OneOrEach = Positive | Annotated[tuple[Positive, ...], Field(min_length=1)]
NoneOrEach = NonNegative | Annotated[tuple[NonNegative, ...], Field(min_length=1)]
Deviation = NonNegative | Annotated[tuple[NonNegative, ...], Field(min_length=1)]
Offset = float | Annotated[tuple[float, ...], Field(min_length=1)]
PER_MOTOR = (
    "gear_ratio",
    "rotor_inertia",
    "viscous_friction",
    "coulomb_friction",
    "torque_limit",
    "speed_limit",
)
"""Keys with one value for all motors, or one for each."""


class ActuatorSpec(BaseModel):
    """A group of joints and their drives. Further keys are those of the chosen actuator.

    A number applies to all motors. Keys with "or numbers" also take an array with one number for
    each of ``joints``, which must then be names, not patterns.
    """

    model_config = OPEN_SCHEMA

    joints: Annotated[tuple[Text, ...], Field(min_length=1)]
    """Joints, by name or pattern. With a coupling: names in the order of its rows."""
    plugin: Text = "reflected"
    """The actuator."""
    gear_ratio: OneOrEach = 1.0
    """Turns of the motor per turn behind the gear, [-]."""
    rotor_inertia: NoneOrEach = 0.0
    """Inertia of the rotor, [kg m^2]. Behind the gear it is ``gear_ratio^2`` times as large."""
    viscous_friction: NoneOrEach = 0.0
    """Viscous friction behind the gear, [N m s/rad or N s/m]."""
    coulomb_friction: NoneOrEach = 0.0
    """Coulomb friction behind the gear, [N m or N], added to that of the joint."""
    torque_limit: OneOrEach | Literal["model"] | None = None
    """Largest torque behind the gear, [N m or N]. ``model``: use the model file's."""
    speed_limit: OneOrEach | Literal["model"] | None = None
    """No-load speed behind the gear, [rad/s or m/s]. ``model``: use the model file's. The largest
    driving torque falls linearly, from ``torque_limit`` at rest to zero at this speed. The largest
    braking torque is ``torque_limit``."""
    coupling: Annotated[tuple[Row, ...], Field(min_length=1)] | None = None
    """Rows of the matrix T [-]: ``joint speeds = T (speeds behind the gears)``. Default: each motor
    moves one joint."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.speed_limit is not None and self.torque_limit is None:
            raise ValueError("speed_limit needs torque_limit: torque falls from one to the other")
        n = len(self.joints)
        for key in PER_MOTOR:
            value = getattr(self, key)
            if isinstance(value, tuple) and len(value) != n:
                raise ValueError(f"{key} must be one number or {n}, one per joint")
        if self.coupling is None:
            return self
        if len(self.coupling) != n or any(len(row) != n for row in self.coupling):
            raise ValueError(f"coupling must have {n} rows of {n} numbers, one per joint")
        for key in ("torque_limit", "speed_limit"):
            if getattr(self, key) == "model":
                raise ValueError(f"{key} of coupled motors must be a number, not the model's")
        return self

    @property
    def ordered(self) -> bool:
        """Whether joints must be named one by one, because a key has a value for each."""
        return self.coupling is not None or any(
            isinstance(getattr(self, key), tuple) for key in PER_MOTOR
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of the chosen actuator, without those common to all."""
        return dict(self.model_extra or {})


class SensorSpec(BaseModel):
    """A sensor. Further keys are those of the chosen plugin.

    ``bias``, ``noise`` and ``quantization`` are tables by signal. Give one number for all
    components of a signal, or one for each. Errors of an orientation are rotations about the
    sensor's own axes, [rad].
    """

    model_config = OPEN_SCHEMA

    plugin: Text
    """The sensor."""
    name: Text
    """Name in recordings and for controllers: letters, digits, underscores; unique in the robot."""
    rate: Positive | None = None
    """Samples per second, [Hz]; their interval is a whole number of steps. Default: every step."""
    delay: NonNegative = 0.0
    """Delay of readings, [s], in addition to the one step that every reading takes."""
    bias: dict[Text, Offset] = {}
    """Constant error, [the signal's units]."""
    noise: dict[Text, Deviation] = {}
    """Standard deviation of white noise, [the signal's units]."""
    quantization: dict[Text, Deviation] = {}
    """Resolution, [the signal's units]."""

    @model_validator(mode="after")
    def _names_variables(self) -> Self:
        if not self.name.isidentifier():
            raise ValueError("name must be of letters, digits and underscores, a letter first")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """The keys of the chosen sensor, without those common to all."""
        return dict(self.model_extra or {})


@dataclass(frozen=True, slots=True)
class Coupling:
    """An off-diagonal entry of the joints' reflected inertia and of their viscous friction.

    Attributes:
        row: joint of the body, the one further from the root.
        column: joint of the body, one of its ancestors.
        inertia: [kg m^2 or kg].
        damping: [N m s/rad or N s/m].
    """

    row: int
    column: int
    inertia: float
    damping: float


@dataclass(frozen=True, slots=True)
class MotorFriction:
    """Coulomb friction of a motor whose speed behind the gear is a sum of joint speeds.

    Attributes:
        name: of the joint that corresponds to the motor in its group.
        joints: of the body, ascending.
        ratios: speed behind the gear for a unit speed of each joint.
        value: [N m or N].
    """

    name: str
    joints: tuple[int, ...]
    ratios: tuple[float, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Transmission:
    """The path from motors to joints: gears, then a coupling, ``s_dot = T w``, w behind the gears.

    Attributes:
        joints: shape (n,), joints of the body, in the order of the coupling's rows.
        inertia: shape (n,), of each rotor behind its gear, ``ratio^2 I``, [kg m^2 or kg].
        damping: shape (n,), viscous friction behind the gear, [N m s/rad or N s/m].
        friction: shape (n,), Coulomb friction behind the gear, [N m or N].
        coupling: shape (n, n), T; None: each motor moves one joint.
    """

    joints: Ints1
    inertia: Floats
    damping: Floats
    friction: Floats
    coupling: Floats | None

    def reflected(self, behind_gear: Floats) -> Floats:
        """Return ``T^-T diag(x) T^-1``, a quantity behind the gears as seen by the joints, (n, n).

        Source: Guedelha et al., the reflected inertia of motors, with the coupling matrix T.
        """
        if self.coupling is None:
            return np.diag(behind_gear)
        inverse = np.linalg.inv(self.coupling)
        matrix: Floats = inverse.T @ np.diag(behind_gear) @ inverse
        return 0.5 * (matrix + matrix.T)
