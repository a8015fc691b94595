"""Choose the sensors of a body, with their rates and errors."""

from __future__ import annotations

from dataclasses import dataclass

from footfall.config.toml_lines import KeyPath
from footfall.config.where import Where
from footfall.model.robot import Robot
from footfall.model.sensor_spec import SensorSpec
from footfall.registry.registry import Registry
from footfall.scene.parts import choose_part, tables_of
from footfall.scene.scene import Choice, Scene


@dataclass(frozen=True, slots=True)
class ChosenSensor:
    """The sensor of one ``[[sensors]]`` table.

    Attributes:
        choice: the plugin.
        spec: the table.
        where: its file, for errors found later.
        path: of the table.
    """

    choice: Choice
    spec: SensorSpec
    where: Where
    path: KeyPath


def sensors_of(
    scene: Scene, body: str, robot: Robot, registry: Registry
) -> tuple[ChosenSensor, ...]:
    """Return a body's sensors: the scene's, or else the robot's own.

    Raises:
        SceneError: if a plugin or one of its keys does not exist, or a name is taken; names file,
            line and key.
    """
    found: list[ChosenSensor] = []
    names: set[str] = set()
    given, own = scene.bodies[body].sensors, robot.spec.sensors
    for spec, where, path in tables_of(scene, body, robot, "sensors", given, own):
        if spec.name in names:
            raise where.error(f"a sensor has the name {spec.name!r} already", (*path, "name"))
        names.add(spec.name)
        fields = list(SensorSpec.model_fields)
        choice = choose_part("sensor", spec.plugin, spec.settings, fields, (where, path), registry)
        found.append(ChosenSensor(choice, spec, where, path))
    return tuple(found)
