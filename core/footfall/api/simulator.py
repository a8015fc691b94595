"""The simulator role: what makes the steps of a scene."""

from __future__ import annotations

from footfall.simulator.run_record import Provenance as Provenance
from footfall.simulator.role import SimulatorPlugin as SimulatorPlugin
from footfall.simulator.simulator import Simulator as Simulator
