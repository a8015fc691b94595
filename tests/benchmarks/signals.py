"""Microseconds a step of a standing iCub with signals read or recorded, and with held commands.

python -m tests.benchmarks.signals [--steps 500] [--repeats 15]
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from typing import Any

from tests.benchmarks.variants import command

import footfall
from footfall.interfaces.controller import Command, Controller, Observation

PLAIN = "none read or recorded"
RECORDED = {
    "mass matrix recorded": ["mass_matrix"],
    "M, h, J and Jdot_nu of the feet recorded": [
        *("mass_matrix", "bias_force", "foot_jacobian", "foot_jdot_nu"),
    ],
}
PACES = {"held for 10 ms": {"rate": 100.0}, "delayed by a step": {"delay": 1e-3}}


class Reading(Controller):
    """Reads what a balance controller reads, and lets another command."""

    name = "reading"

    def __init__(self, inner: Controller) -> None:
        self.inner = inner

    def setup(self, model: Any, posture: Any) -> None:
        """Prepare the other."""
        self.inner.setup(model, posture)

    def command(self, observation: Observation, command: Command) -> None:
        """Read, and pass on."""
        s = observation.signals
        _ = s.base_pose, s.nu, s.mass_matrix, s.bias_force, s.com
        _ = s.centroidal_map, s.centroidal_momentum
        for foot in s.feet.values():
            _ = foot.pose, foot.jacobian, foot.velocity, foot.jdot_nu
        self.inner.command(observation, command)


def load(overrides: dict[str, Any]) -> footfall.Simulator:
    """Load a standing iCub."""
    return footfall.load("icub/standing", overrides)


def read() -> footfall.Simulator:
    """Load one whose controller reads its signals in every step."""
    sim = load({})
    controllers = {name: Reading(inner) for name, inner in sim.participants.controllers.items()}
    sim.participants = replace(sim.participants, controllers=controllers)
    sim.connect_controllers()
    return sim


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    makers = {PLAIN: partial(load, {}), "seven, and two feet, read": read}
    for name, signals in RECORDED.items():
        makers[name] = partial(load, {"recorder.signals": signals})
    for name, keys in PACES.items():
        table = {f"bodies.icub.controller.{key}": value for key, value in keys.items()}
        makers[f"commands {name}"] = partial(load, table)
    return command(__doc__, makers, arguments)


if __name__ == "__main__":
    sys.exit(main())
