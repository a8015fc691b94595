"""The actuator role: turns commands of joints into the torques that their drives deliver."""

from __future__ import annotations

from footfall.interfaces.actuator import Actuator as Actuator, Drive as Drive
from footfall.world.kernels import demanded as demanded, drive as drive, give as give
