"""Settings that no problem of a scene feels are refused there."""

import pytest

from footfall.errors import SceneError
from footfall.scene.load import scene_from_dict

SCENE = {
    "simulation": {"duration": 1.0},
    "world": {"terrain": {"friction": 0.5}},
    "bodies": {"cube": {"robot": "cube"}},
}


@pytest.mark.parametrize(
    ("table", "plugin", "key", "value"),
    [
        ("contact", "gauss_discrete", "loops", "damped"),
        ("contact", "gauss", "loop_damping", 1e-2),
        ("impact", "inelastic", "damping", 1e-3),
        ("impact", "frictional", "damping", 1e-3),
        ("impact", "restitution", "damping", 1e-3),
    ],
)
def test_a_key_for_equality_rows_is_refused(table, plugin, key, value):
    with pytest.raises(SceneError, match=rf"{table}\.{key}: has no effect in a scene"):
        scene_from_dict({**SCENE, table: {"plugin": plugin, key: value}})


def test_its_default_may_be_written_down():
    scene = scene_from_dict({**SCENE, "contact": {"plugin": "gauss", "loops": "rank_safe"}})
    assert scene.contact.plugin == "gauss"
