"""Coefficients of a contact's two sides in a scene: by body, by contact, by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import combinations
from typing import Any

import numpy as np

from footfall.errors import SceneError
from footfall.model.contact_features import ContactFeature
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.scene.schema import TERRAIN, Pair
from footfall.terrain.pair_coefficients import pair_coefficient
from footfall_stepper.collision.detector import Detector
from footfall_stepper.world.body import Body, body_name
from footfall_stepper.world.collider import Collider
from footfall_stepper.world.world import World

Lengths = tuple[float, float]


def given_by(table: Any) -> dict[str, Any]:
    """Return the coefficients given in a table, by key."""
    values = {key: getattr(table, key, None) for key in Pair.model_fields}
    return {key: value for key, value in values.items() if value is not None}


def side_of(body: SceneBody, names: Iterable[str]) -> dict[str, Any]:
    """Return a scene's coefficients for a body's side of a contact with these names."""
    found = given_by(body)
    for pattern, table in body.contacts.items():
        if any(fnmatchcase(name, pattern) for name in names):
            found |= given_by(table)
    return found


def lengths_of(side: Mapping[str, float]) -> Lengths:
    """Return the lengths of torsional and rolling friction of a side, [m]; NaN if not given."""
    torsional, rolling = (side.get(key, np.nan) for key in Pair.LENGTHS)
    return torsional, rolling


def feature_names(feature: ContactFeature, links: Sequence[str]) -> list[str]:
    """Return the names that select a contact feature: its own, its foot's, its link's."""
    foot = [] if feature.foot is None else [feature.foot.name]
    return [feature.name, *foot, links[feature.link]]


def ground_lengths(scene: Scene) -> Callable[[Body, ContactFeature], Lengths] | None:
    """Return a function for the lengths of a feature with the ground, [m]; None if none are given.

    The rule is that of coefficients.
    """
    if not any(path[-1] in Pair.LENGTHS for path, _ in scene.coefficients()):
        return None

    def lengths(body: Body, feature: ContactFeature) -> Lengths:
        side = side_of(scene.bodies[body.name], feature_names(feature, body.model.link_names))
        ground, pair = (
            given_by(scene.world.terrain.config),
            given_by(scene.pair(body.name, TERRAIN)),
        )
        torsional, rolling = map(pair_coefficient, *map(lengths_of, (side, ground, pair)))
        return torsional, rolling

    return lengths


def check_friction(scene: Scene, world: World) -> None:
    """Reject contacts without a coefficient of friction.

    Raises:
        SceneError: names the body, and the other one if both have shapes.
    """
    c = world.candidates
    missing = np.isnan(c.friction) & np.isnan(world.sample.friction) & np.isnan(c.pair_friction)
    if missing.any():
        name = world.contact_names[int(np.argmax(missing))].split("/")[0]
        raise scene.error(
            f"no coefficient of friction of {name} with the ground: give world.terrain.friction, "
            f"bodies.{name}.friction or pairs",
            *("world", "terrain"),
        )
    if world.collider is not None and isinstance(world.collider.detector, Detector):
        _check_pairs(scene, world.collider.detector)
        _check_directions(scene, world.collider)


def _check_pairs(scene: Scene, detector: Detector) -> None:
    """Reject pairs of bodies that can touch without a coefficient of friction."""
    shapes = detector.shapes
    bare: dict[str, list[int]] = {}
    for k, shape in enumerate(shapes):
        if np.isnan(shape.friction):
            bare.setdefault(shape.body, []).append(k)
    moving = {s.body for s in shapes if s.link >= 0 and not scene.bodies[s.body].fixed}
    apart = set(detector.excluded.tolist())
    for one, other in combinations(bare, 2):
        pair = scene.pair(one, other)
        if (pair is not None and pair.friction is not None) or moving.isdisjoint((one, other)):
            continue
        if any(i * len(shapes) + j not in apart for i in bare[one] for j in bare[other]):
            raise _missing(scene, one, other)


def _check_directions(scene: Scene, collider: Collider) -> None:
    """Reject pairs of shapes whose two sides have friction by direction."""
    for one, other in collider.tested() if collider.directed else ():
        a, b = body_name(one.name), body_name(other.name)
        pair, both = scene.pair(a, b), {one.number, other.number} <= collider.directions.keys()
        if both and (pair is None or pair.friction is None):
            told = f"{one.name} and {other.name} both have friction by direction: give that of the"
            raise scene.error(f'{told} pair, pairs."{a}/{b}".friction', "bodies", a)


def _missing(scene: Scene, one: str, other: str) -> SceneError:
    # The ground's shapes come last.
    of_other = f"bodies.{other}.friction" if other != TERRAIN else "world.terrain.friction"
    return scene.error(
        f"no coefficient of friction of {one} with {other}: give bodies.{one}.friction, "
        f'{of_other} or pairs."{one}/{other}"',
        *("bodies", one),
    )
