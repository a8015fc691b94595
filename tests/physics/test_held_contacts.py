"""A contact that loops hold by themselves: no impulse moves it, and what it misses is told."""

from pathlib import Path

import numpy as np
import pytest

import footfall
from footfall.model import bundled_folder

FREQUENCY, AMPLITUDE = 0.5, 0.03
"""Of the ground, [Hz], [m]: it comes up with 0.094 m/s at first."""
MOVING = """
plugin = "moving"
[world.terrain.motion]
kind = "sine"
frequency = 0.5
amplitude = [0.0, 0.0, 0.03]
"""


def welded(folder: Path, terrain: str, **overrides) -> footfall.Simulator:
    """Load a cube that is welded to the world where it touches the ground."""
    source = bundled_folder() / "cube"
    text = (source / "robot.toml").read_text().replace('file = "', f'file = "{source}/')
    weld = '\n[[loops]]\nkind = "weld"\na = "world"\nb = "cube"\n'
    (folder / "robot.toml").write_text(text + weld)
    (folder / "scene.toml").write_text(
        f"[simulation]\nduration = 0.1\n[world.terrain]\n{terrain}\n[bodies.cube]\nrobot = "
        '"robot.toml"\n'
    )
    return footfall.load(folder / "scene.toml", overrides=overrides)


@pytest.mark.parametrize("law", ["coulomb", "lcp", "gauss", "regularized", "compliant"])
def test_it_rests_without_force_and_nothing_is_missed(tmp_path, law):
    recorded = welded(tmp_path, 'plugin = "plane"\n', **{"contact.plugin": law}).run()
    assert recorded.residual_natural_map.values.max() < 1e-9
    np.testing.assert_allclose(recorded.loop_force.values[:, 2], G_FORCE, rtol=1e-6)


G_FORCE = 9.81
"""The cube's weight, [N]."""


@pytest.mark.parametrize("law", ["coulomb", "lcp"])
def test_ground_that_comes_up_through_it_is_a_residual_of_its_speed(tmp_path, law):
    """Nothing can move the cube out of the way; the run's natural map says by how much."""
    recorded = welded(tmp_path, MOVING, **{"contact.plugin": law}).run()
    time = recorded.time.values[1:]
    speed = 2.0 * np.pi * FREQUENCY * AMPLITUDE * np.cos(2.0 * np.pi * FREQUENCY * time)
    np.testing.assert_allclose(recorded.residual_natural_map.values[1:], speed, rtol=1e-3)
    assert np.abs(recorded.base_position.values - recorded.base_position.values[0]).max() < 1e-9
