"""``footfall bodies``: what is in a scene."""

from footfall.api.command import SceneName
from footfall.api.plugin import Registry, hookimpl


def bodies(scene: SceneName) -> None:
    """Print the bodies of a scene and what drives them."""
    import footfall

    for name, body in footfall.load_scene(scene).bodies.items():
        print(f"{name}: {body.controller.plugin}")


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the command."""
    registry.command.add("bodies", "footfall_bodies:bodies", summary="Print the bodies of a scene.")
