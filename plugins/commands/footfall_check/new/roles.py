"""Facts of each role for ``footfall new``, beyond its template."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Role:
    """Description of a role, and the ways to try a plugin of it.

    Attributes:
        what: name of the role in the README and in listings.
        run: command line that uses it, with ``NAME``; empty if only a scene file can choose it.
        table: the table of a scene that chooses it, with ``NAME``, if it takes several keys.
    """

    what: str
    run: str = ""
    table: str = ""


SWING = "footfall run rrbot/swing --duration 1 --set "
ROLES = {
    "simulator": Role("simulator", "footfall run cube/drop --set simulator.plugin=NAME"),
    "engine": Role("dynamics engine", SWING + "engine.plugin=NAME"),
    "contact": Role("contact law", "footfall run cube/sliding --set contact.plugin=NAME"),
    "impact": Role(
        "impact model",
        "footfall run cube/drop --set contact.plugin=gauss --set impact.plugin=NAME",
    ),
    "solver": Role(
        "QP solver",
        "footfall run cube/drop --set contact.plugin=gauss --set contact.solver.plugin=NAME",
    ),
    "integrator": Role("integrator", SWING + "integrator.plugin=NAME"),
    "terrain": Role("terrain", "footfall run cube/drop --set world.terrain.plugin=NAME"),
    "controller": Role("controller", SWING + "bodies.rrbot.controller.plugin=NAME"),
    "actuator": Role(
        "actuator",
        table='[[bodies.rrbot.actuators]]\njoints = ["*"]\nplugin = "NAME"\n',
    ),
    "sensor": Role(
        "sensor",
        table='[[bodies.rrbot.sensors]]\nplugin = "NAME"\nname = "mine"\nrate = 100.0\n',
    ),
    "visualizer": Role("visualizer", "footfall run cube/drop --set visualizer.plugin=NAME"),
    "input_device": Role(
        "input device", table='[hands.mine]\ndevice = { plugin = "NAME" }\nmode = "touch"\n'
    ),
    "command": Role("command", "footfall NAME"),
}
"""The roles in the order of listings; each has a template of the same name."""
