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


class PartNames:
    """The geometries of bodies, of links (``body/link``) and of the ground, by these names.

    A name of a link stands for everything fixed to it, one of another frame for what lies in it.

    Attributes:
        every: numbers of all geometries: declared contact points and the given shapes.
    """

    def __init__(self, world: World, shapes: Iterable[Solid]) -> None:
        self._numbers: dict[str, set[int]] = {TERRAIN: {ENVIRONMENT}}
        first, links = ENVIRONMENT + 1, list[str]()
        for body in world.bodies:
            names = [f"{body.name}/{link}" for link in body.model.link_names]
            frames = [f"{body.name}/{frame}" for frame in body.model.frames]
            self._numbers |= {name: set() for name in (body.name, *names, *frames)}
            links += names
            for number, feature in enumerate(body.features, first):
                foot = [] if feature.foot is None else [f"{body.name}/{feature.foot.name}"]
                self._add(number, body.name, names[feature.link], *foot)
            first += len(body.features)
        for shape in shapes:
            link = [links[shape.link]] if shape.link >= 0 else []
            self._add(shape.number, shape.name.split("/")[0], shape.name.rpartition("/")[0], *link)
        self.every = frozenset[int]().union(*self._numbers.values())

    def _add(self, number: int, *names: str) -> None:
        for name in names:
            self._numbers.setdefault(name, set()).add(number)

    def find(self, path: str) -> set[int]:
        """Return the numbers of the geometries of a body or link.

        Raises:
            SettingError: if the name means nothing, or several things.
        """
        try:
            return self._numbers[full_name(path, self._numbers, "body or link")]
        except SettingError as error:
            raise SettingError(f"{path!r}: {error.reason}") from error
