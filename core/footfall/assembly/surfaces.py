"""Coefficients of a contact's two sides, as a scene gives them: by body, by contact, by pair."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from footfall.model.contact_features import ContactFeature
from footfall.scene.needs import LENGTHS, given_lengths
from footfall.scene.scene import Body as SceneBody
from footfall.scene.scene import Scene
from footfall.scene.schema import TERRAIN
from footfall.world.body import Body

Lengths = tuple[float, float]
KEYS = ("friction", "restitution", *LENGTHS)


def given_by(table: Any) -> dict[str, float]:
    """Return the coefficients that a table gives, by key."""
    values = {key: getattr(table, key, None) for key in KEYS}
    return {key: value for key, value in values.items() if value is not None}


def side_of(body: SceneBody, names: Iterable[str]) -> dict[str, float]:
    """Return what a scene gives of a body's side of a contact that has these names."""
    found = given_by(body)
    for pattern, table in body.contacts.items():
        if any(fnmatchcase(name, pattern) for name in names):
            found |= given_by(table)
    return found


def lengths_of(side: Mapping[str, float]) -> Lengths:
    """Return the lengths of torsional and rolling friction of a side, [m]; NaN: none given."""
    torsional, rolling = (side.get(key, np.nan) for key in LENGTHS)
    return torsional, rolling


def feature_names(feature: ContactFeature, links: Sequence[str]) -> list[str]:
    """Return the names by which a contact feature may be meant: its own, its foot's, its link's."""
    foot = [] if feature.foot is None else [feature.foot.name]
    return [feature.name, *foot, links[feature.link]]


def ground_lengths(scene: Scene) -> Callable[[Body, ContactFeature], Lengths] | None:
    """Return what finds the lengths of a feature with the ground, [m]; None if there are none.

    As of the coefficients: one given on one side is the pair's; of two, the harmonic mean; one
    given for the pair goes before.
    """
    if not any(given_lengths(scene)):
        return None

    def lengths(body: Body, feature: ContactFeature) -> Lengths:
        own = side_of(scene.bodies[body.name], feature_names(feature, body.model.link_names))
        pair = given_by(scene.pair(body.name, TERRAIN))
        sides = own, given_by(scene.world.terrain.config)
        found = []
        for key in LENGTHS:
            values = [pair[key]] if key in pair else [side[key] for side in sides if key in side]
            none = not values or 0.0 in values
            found.append(0.0 if none else len(values) / sum(1.0 / value for value in values))
        return found[0], found[1]

    return lengths
