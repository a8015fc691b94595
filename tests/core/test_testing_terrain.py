"""Each check of terrains fails one that is broken in its way, and passes sound ones."""

import numpy as np
import pytest
from pydantic import Field
from tests.cases import each

import footfall.testing
from footfall.errors import FootfallError
from footfall.interfaces.plugin import Capability, NoConfig, PluginConfig
from footfall.interfaces.terrain import Terrain
from footfall.interfaces.visualizer import Ground
from footfall.testing.check import subject_of

CHECKS = {check.name: check for check in footfall.testing.checks("terrain")}


class BowlConfig(PluginConfig):
    """Settings of the bowl."""

    radius: float = Field(default=30.0, gt=0.0)
    """Radius of the sphere, [m]."""


class Bowl(Terrain):
    """The inside of a sphere that touches the world's origin: a ground that is curved."""

    name = "bowl"
    Config = BowlConfig
    capabilities = frozenset({Capability.TILTED_TERRAIN, Capability.CURVED_TERRAIN})

    def __init__(self, config: BowlConfig) -> None:
        self.centre = np.array([0.0, 0.0, config.radius])

    def prepare(self, sample):
        sample.friction[:], sample.restitution[:] = 0.5, 0.0

    def sample(self, time, points, sample):
        inward = self.centre - points
        distance = np.linalg.norm(inward, axis=1)
        sample.normal[:] = inward / distance[:, None]
        sample.gap[:] = self.centre[2] - distance

    def grounds(self):
        return ()


class Plane(Terrain):
    """The plane z = 0.2."""

    name = "plane"
    Config = NoConfig
    offset = 0.2

    def __init__(self, config: NoConfig) -> None:
        self.config = config

    def prepare(self, sample):
        sample.friction[:], sample.restitution[:] = 0.5, 0.0

    def sample(self, time, points, sample):
        sample.gap[:] = points[:, 2] - 0.2

    def grounds(self):
        return (Ground(np.array([0.0, 0.0, 1.0]), self.offset),)


def after(spoil, base=Bowl, **attributes):
    """Return a sound terrain with its sample spoiled by ``spoil(self, time, points, sample)``."""

    def sample(self, time, points, sample):
        base.sample(self, time, points, sample)
        spoil(self, time, points, sample)

    return type("Broken", (base,), {"sample": sample, "__doc__": "Broken.", **attributes})


@after
def flipped_normal(self, time, points, sample):
    sample.normal[:] *= -1.0


@after
def long_normal(self, time, points, sample):
    sample.normal[:] *= 1.001


@after
def negative_friction(self, time, points, sample):
    sample.friction[:] = -0.1


@after
def no_distance(self, time, points, sample):
    sample.gap[:] *= 3.0


@after
def mutates(self, time, points, sample):
    points[:, 2] = 0.0


@after
def random(self, time, points, sample):
    sample.gap[:] += 1e-12 * np.random.default_rng().normal(size=len(points))


@after
def sinks(self, time, points, sample):
    self.calls = getattr(self, "calls", 0) + 1
    sample.gap[:] += 1e-9 * self.calls


@after
def levelled(self, time, points, sample):
    sample.gap[:] -= 1e-9 * sample.gap.mean() if len(points) else 0.0


@after
def stumbles(self, time, points, sample):
    if not len(points):
        raise ValueError("no points")


@after
def nan_swallowed(self, time, points, sample):
    sample.gap[:] = np.nan_to_num(sample.gap)


@after
def stands_still(self, time, points, sample):
    sample.gap[:] -= 0.1 * time


silent = type("Broken", (Bowl,), {"__doc__": "Broken.", "capabilities": frozenset()})
absurd = type("Broken", (Bowl,), {"__doc__": ""})
drawn_elsewhere = type("Broken", (Plane,), {"offset": 0.0, "__doc__": "Broken."})
BROKEN = {
    "declarations": absurd,
    "shapes": negative_friction,
    "unit_normal": long_normal,
    "normal": flipped_normal,
    "distance": no_distance,
    "inputs": mutates,
    "deterministic": random,
    "no_hidden_state": sinks,
    "point_by_point": levelled,
    "no_points": stumbles,
    "not_finite": nan_swallowed,
    "grounds": drawn_elsewhere,
    "never_steep": no_distance,
    "capabilities": silent,
    "surface_velocity": stands_still,
    "restore": sinks,
}


def examine(name, terrain, config=None):
    return CHECKS[name].examine(subject_of("terrain", terrain, config=config))


def test_every_check_has_a_terrain_that_it_must_fail():
    assert set(BROKEN) == set(CHECKS)


@each("name", CHECKS)
def test_the_check_fails_the_terrain_that_is_broken_in_its_way(name):
    finding = examine(name, BROKEN[name])
    assert not finding.passed, finding


@pytest.mark.parametrize("terrain", [Plane, Bowl])
def test_a_sound_terrain_conforms(terrain):
    footfall.testing.assert_conforms("terrain", terrain)


def test_a_plugin_is_tried_with_the_settings_that_are_given():
    report = footfall.testing.check_plugin("terrain", Bowl, config={"radius": 5.0})
    assert report.ok, report


def test_settings_that_are_not_valid_are_refused_with_their_key():
    with pytest.raises(FootfallError, match="radius"):
        footfall.testing.check_plugin("terrain", Bowl, config={"radius": -1.0})
