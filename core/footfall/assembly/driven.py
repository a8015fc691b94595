"""Controllers are for bodies with joints."""

from __future__ import annotations

from collections.abc import Iterable

from footfall.scene.scene import Scene
from footfall.scene.slots import CONTROLLER
from footfall.world.body import Body


def check_controllers(scene: Scene, bodies: Iterable[Body]) -> None:
    """Refuse controllers of bodies that have nothing to be driven.

    Raises:
        SceneError: for the first one.
    """
    for body in bodies:
        given = scene.bodies[body.name]
        chosen = given.controller.plugin != CONTROLLER.default or given.pace.model_fields_set
        if chosen and not body.model.joint_names:
            raise scene.error(
                f"has no effect: {body.name} has no joints", *("bodies", body.name, "controller")
            )
