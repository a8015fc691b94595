"""The schema of ``[[sensors]]``: what is measured, how often, and with which errors."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import BaseModel, Field, model_validator

from footfall.config.fields import OPEN_SCHEMA, NonNegative, Positive, Text

Deviation = NonNegative | Annotated[tuple[NonNegative, ...], Field(min_length=1)]
Offset = float | Annotated[tuple[float, ...], Field(min_length=1)]


class SensorSpec(BaseModel):
    """A sensor. Further keys are those of the chosen plugin.

    Errors are given by signal, one number for all components or one for each. For an orientation
    they are small rotations about the sensor's own axes, [rad].
    """

    model_config = OPEN_SCHEMA

    plugin: Text
    """What is measured: ``imu``, ``encoder``, ``joint_torque``, ``force_torque``,
    ``contact_switch``, ``center_of_pressure``, ``base_state`` or another's."""
    name: Text
    """Name in recordings and for controllers, of letters, digits and underscores; unique in the
    robot."""
    rate: Positive | None = None
    """Samples per second, [Hz]; a sample is taken every whole number of steps. By default every
    step."""
    delay: NonNegative = 0.0
    """Time from a sample to its arrival, [s], beyond the one step that every measurement takes."""
    bias: dict[Text, Offset] = {}
    """What is added, by signal, [the signal's units]."""
    noise: dict[Text, Deviation] = {}
    """Standard deviation of white noise, by signal, [the signal's units]."""
    quantization: dict[Text, Deviation] = {}
    """Smallest difference between two readings, by signal, [the signal's units]."""

    @model_validator(mode="after")
    def _names_variables(self) -> Self:
        if not self.name.isidentifier():
            raise ValueError("name must be of letters, digits and underscores, a letter first")
        return self

    @property
    def settings(self) -> dict[str, Any]:
        """The keys that are not common to all sensors: those of the chosen one."""
        return dict(self.model_extra or {})
