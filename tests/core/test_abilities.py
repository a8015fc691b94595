"""What ``footfall plugins`` says of touching bodies is what a scene with them is told."""

import pytest
from tests.cases import each

import footfall
from footfall.registry.catalog import APART

BOX = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "mass": 1.0, "friction": 0.5}
SCENE = {
    "simulation": {"duration": 0.1},
    "world": {"terrain": {"plugin": "plane"}},
    "bodies": {
        "low": {**BOX, "base_position": [0.0, 0.0, 0.1]},
        "high": {**BOX, "base_position": [0.0, 0.0, 0.3]},
    },
}
LAWS = [name for name, _ in footfall.discover().contact.loadable()]


@each("law", LAWS)
def test_a_law_is_refused_for_touching_bodies_if_its_listing_says_so(law):
    told = footfall.discover().contact.abilities(law)
    scene = footfall.scene_from_dict(SCENE | {"contact": {"plugin": law}})
    assert (APART in told) != ("several bodies" in told)
    if APART not in told:
        footfall.assemble(scene)
        return
    with pytest.raises(
        footfall.SceneError,
        match=r"flat surfaces.* detect = false.* coulomb",
    ):
        footfall.assemble(scene)


def test_both_kinds_of_law_are_installed():
    kinds = {APART in footfall.discover().contact.abilities(law) for law in LAWS}
    assert kinds == {True, False}
