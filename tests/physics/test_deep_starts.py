"""What starts deep in the ground or in others comes out slowly, whatever it is."""

import warnings

import numpy as np
import pytest
from tests.cases import first

from footfall import assemble, scene_from_dict
from footfall_watch.deep_starts import DeepStartWarning

BOX = {"type": "box", "size": [0.2, 0.2, 0.2]}
SPEED = 0.5
"""Of the correction of one pair at most, the default, [m/s]."""
G = 9.81


def box(x, y, z, **more):
    return {"shape": BOX, "friction": 0.5, "base_position": [x, y, z], **more}


def jumbled(k):
    """Return a box at any place and turn near the origin, half of it in the ground."""
    random = np.random.default_rng(k)
    place, turn = 0.1 * random.random(3) + [0.0, 0.0, 0.05], random.random(3)
    return box(*place.tolist(), base_orientation=turn.tolist())


STARTS = {
    "two boxes": {"a": box(0, 0, 0.1), "b": box(0, 0, 0.25)},
    "half in the ground": {"a": box(0, 0, 0.0)},
    "tilted in the ground": {"a": box(0, 0, 0.0, base_orientation=[0.3, 0.2, 0.0])},
    "ten boxes": {f"b{k}": box(0.001 * k, 0, 0.15 * k) for k in range(10)},
    "four boxes at one place": {f"b{k}": box(0, 0, 0.1) for k in range(4)},
    "five boxes in a heap": {f"b{k}": jumbled(k) for k in range(5)},
}


def load(bodies, law="coulomb", **more):
    scene = {
        "simulation": {"duration": 1.0},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "contact": {"plugin": law},
        "bodies": bodies,
    }
    with pytest.warns(DeepStartWarning):
        return assemble(scene_from_dict({**scene, **more}))


def heights(sim):
    return sim.q.reshape(-1, 7)[:, 2]


@pytest.mark.parametrize("start", first(*STARTS, runs=3))
def test_bodies_come_apart_without_being_thrown(start):
    """No box rises faster than its pairs part, nor moves faster than it could fall.

    A pair parts at 0.5 m/s at most, and boxes on boxes rise with those below them. Energy comes in
    as height alone: what moves has at most what falling back from there gives.
    """
    sim = load(STARTS[start])
    n = len(STARTS[start])
    fastest, highest = 0.0, heights(sim).max()
    for _ in range(1000):
        before = heights(sim).copy()
        sim.step()
        fastest = max(fastest, (heights(sim) - before).max() / sim.time_step)
        highest = max(highest, heights(sim).max())
        assert np.abs(sim.v.reshape(-1, 6)[:, :3]).max() < np.sqrt(2.0 * G * highest) + 0.01
    assert fastest < (n * SPEED if n > 1 else SPEED) + 0.01
    for _ in range(4000):  # how a heap falls, and how long it takes, depends on roundings
        if np.abs(sim.v).max() < 1e-3:
            break
        sim.step()
    assert np.abs(sim.v).max() < 1e-3
    assert sim.world.candidates.gap.min() > -2e-5
    assert sim.world.detected.gap[: sim.stepper.collisions.count].min(initial=0.0) > -2e-5


def test_a_scene_says_how_fast():
    for speed in (0.1, 2.0):
        sim = load(
            {"a": box(0, 0, 0.0)}, simulation={"duration": 1.0, "max_correction_speed": speed}
        )
        for _ in range(20):
            sim.step()
        assert 0.9 * speed * 0.02 < heights(sim)[0] <= speed * 0.02


@pytest.mark.parametrize("law", ["lcp", "ccp", "bisection"])
def test_other_rigid_laws_bring_bodies_out_as_slowly(law):
    sim = load(STARTS["two boxes"], law)
    last = heights(sim).copy()
    for _ in range(300):
        sim.step()
        assert (heights(sim) - last).max() < SPEED * sim.time_step
        last = heights(sim).copy()
    np.testing.assert_allclose(last, [0.1, 0.3], atol=5e-5)


def test_laws_that_give_way_are_told_the_whole_depth():
    """A compliant law must push back with what its springs say: twice as deep, twice as hard."""
    forces = []
    for depth in (0.004, 0.008):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeepStartWarning)
            sim = assemble(
                scene_from_dict(
                    {
                        "simulation": {"duration": 0.1, "max_correction_speed": 1e-3},
                        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
                        "contact": {"plugin": "compliant"},
                        "bodies": {"a": box(0, 0, 0.1 - depth)},
                    }
                )
            )
        sim.step()
        forces.append(float(sim.signal("contact_force")[:, 2].sum()))
    assert forces[1] > 1.9 * forces[0] > 0.0
