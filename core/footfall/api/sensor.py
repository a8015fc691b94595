"""The sensor role: measures quantities of a body in a step."""

from __future__ import annotations

from footfall.interfaces.sensor import (
    Body as Body,
    Mount as Mount,
    Sensor as Sensor,
    Signal as Signal,
)
from footfall.world.kernels import link_motion as link_motion
from footfall.spatial.rotation import quaternion_of as quaternion_of
