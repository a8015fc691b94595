"""The ground, the integrators, and the simulators that step a scene."""

from __future__ import annotations

from footfall.geometry.shapes import HalfSpace as HalfSpace
from footfall.interfaces.integrator import (
    Continuous as Continuous,
    Integrator as Integrator,
    OneStep as OneStep,
)
from footfall.interfaces.terrain import (
    Terrain as Terrain,
    TerrainSample as TerrainSample,
    TerrainSolid as TerrainSolid,
)
from footfall.simulator.role import SimulatorPlugin as SimulatorPlugin
from footfall.simulator.simulator import Simulator as Simulator
from footfall.terrain.coefficients import (
    Coefficients as Coefficients,
    CoefficientsConfig as CoefficientsConfig,
)
