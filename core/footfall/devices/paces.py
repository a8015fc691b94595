"""The paces of a scene's controllers, in steps."""

from __future__ import annotations

from footfall.devices.pacing import Ticks
from footfall.devices.ticks import period_of, whole_ticks
from footfall.errors import SettingError
from footfall.scene.scene import Scene
from footfall.world.world import World


def paces_of(scene: Scene, world: World) -> dict[str, Ticks]:
    """Return the paces of controllers that are not called every step, by body name.

    Raises:
        SceneError: if a time is no whole number of steps, or the body has no joints; names the key.
    """
    paces: dict[str, Ticks] = {}
    step = scene.simulation.time_step
    for name, body in scene.bodies.items():
        if body.fixed:
            continue
        table, path = body.pace, ("bodies", name, "controller")
        try:
            period = 1 if table.rate is None else period_of(table.rate, step)
            delay = whole_ticks(table.delay, step, "delay")
        except SettingError as error:
            raise scene.error(error.reason, *path, *error.path) from error
        if not world.bodies[world.index(name)].model.joint_names:
            for key in table.model_fields_set:
                raise scene.error(f"has no effect: {name} has no joints", *path, key)
        if Ticks(period, delay).holds:
            paces[name] = Ticks(period, delay)
    return paces
