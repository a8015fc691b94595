"""Names of bodies and of their links, as they are given from Python and in scenes."""

from __future__ import annotations

from collections.abc import Iterable

from footfall.errors import SettingError, nearest
from footfall.scene.schema import TERRAIN
from footfall_stepper.world.collider import Solid
from footfall_stepper.world.collision_arrays import ENVIRONMENT
from footfall_stepper.world.world import World

MOST = 4
"""Most names that a message offers."""


def full_name(path: str, names: Iterable[str], what: str = "link") -> str:
    """Return the name ``body/part`` that is meant by it or by its part alone.

    Raises:
        SettingError: if there is none, or several; offers those that may be meant.
    """
    known = list(names)
    if path in known:
        return path
    meant = [name for name in known if path and name.partition("/")[2] == path]
    if len(meant) == 1:
        return meant[0]
    if meant:
        some = " or ".join(map(repr, meant[:MOST])) + (" or ..." if len(meant) > MOST else "")
        raise SettingError(f"several bodies have one: give {some}")
    inside = [name for name in known if name.startswith(f"{path}/")]
    if inside:
        raise SettingError(f"is a body: give its {what}, e.g. {inside[0]!r}")
    raise SettingError(f"no such {what}{nearest(path, known)}")


def geometries_by_name(world: World, shapes: Iterable[Solid]) -> dict[str, set[int]]:
    """Return the numbers of geometries by the names of bodies, ``body/link`` and the ground.

    Declared contact points and the given shapes are geometries. A name of a link stands for
    everything fixed to it, one of another frame for what lies in it.
    """
    found: dict[str, set[int]] = {TERRAIN: {ENVIRONMENT}}
    number, of_link = ENVIRONMENT, []
    for body in world.bodies:
        frames = (*body.model.link_names, *body.model.frames)
        found |= {name: set() for name in (body.name, *(f"{body.name}/{f}" for f in frames))}
        of_link += [f"{body.name}/{link}" for link in body.model.link_names]
        for feature in body.features:
            number += 1
            foot = [] if feature.foot is None else [f"{body.name}/{feature.foot.name}"]
            link = f"{body.name}/{body.model.link_names[feature.link]}"
            for name in {body.name, link, *foot}:
                found.setdefault(name, set()).add(number)
    for shape in shapes:
        body_name, frame = shape.name.split("/")[0], shape.name.rpartition("/")[0]
        link = of_link[shape.link] if shape.link >= 0 else body_name
        for name in {body_name, frame, link}:
            found.setdefault(name, set()).add(shape.number)
    return found
