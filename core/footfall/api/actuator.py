"""The actuator role: from what is commanded of joints to what their drives deliver."""

from __future__ import annotations

from footfall.interfaces.actuator import Actuator as Actuator, Drive as Drive
from footfall.world.kernels import demanded as demanded, drive as drive, give as give
