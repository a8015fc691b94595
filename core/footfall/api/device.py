"""Controllers, actuators and sensors, and the signals of a body that they see."""

from __future__ import annotations

from footfall.config.fields import (
    values_by_name as values_by_name,
    names_matching as names_matching,
)
from footfall.interfaces.actuator import (
    Actuator as Actuator,
    Drive as Drive,
)
from footfall.interfaces.controller import (
    Command as Command,
    Controller as Controller,
    Observation as Observation,
)
from footfall.interfaces.sensor import (
    SensorBody as SensorBody,
    Mount as Mount,
    Sensor as Sensor,
    Signal as Signal,
)
from footfall.interfaces.signals import (
    BodySignals as BodySignals,
    FrameSignals as FrameSignals,
)
from footfall.spatial.rotation import quaternion_of as quaternion_of
from footfall.world.kernels import (
    commanded_torque as commanded_torque,
    open_drive as open_drive,
    set_torque as set_torque,
    link_motion as link_motion,
)
