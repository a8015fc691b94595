"""A world of many bodies costs memory and time in proportion to their number."""

import tracemalloc
from time import process_time

import numpy as np
import pytest
from tests.physics.composed import G, box, simulator, steps

from footfall import assemble, discover, scene_from_dict
from footfall.problem.arrays import Residual

SIZES = (250, 500, 1000)
STEPS = 15


def field_of_boxes(n):
    """Return n boxes half a millimetre above the ground, which do not touch each other."""
    shape, side = box(), int(np.ceil(np.sqrt(n)))
    return simulator(
        [shape.at((0.3 * (k % side), 0.3 * (k // side), 0.0505), name=f"b{k}") for k in range(n)]
    )


def memory_of(n):
    """Return the largest number of bytes taken while a world of n boxes is made and stepped."""
    tracemalloc.start()
    try:
        steps(field_of_boxes(n), 3)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def step_times():
    """Return the processor time of a step of resting boxes, the best of ten stretches, [s].

    In turn, so that neighbours on the machine slow all sizes down.
    """
    sims = [field_of_boxes(n) for n in SIZES]
    for n, sim in zip(SIZES, sims, strict=True):
        steps(sim, 15)
        assert sim.stepper.problem.n_blocks == 4 * n
    best = [np.inf] * len(SIZES)
    for _ in range(10):
        for k, sim in enumerate(sims):
            start = process_time()
            steps(sim, STEPS)
            best[k] = min(best[k], (process_time() - start) / STEPS)
    return best


def test_memory_is_linear():
    """Twice the boxes take twice the memory; a world-wide inertia would take four times."""
    steps(field_of_boxes(10), 3)  # what is loaded, and perhaps compiled, once
    small, middle, large = (memory_of(n) for n in SIZES)
    # The differences: what is there but once drops out.
    assert (large - middle) / (middle - small) == pytest.approx(2.0, abs=0.1)
    # The Delassus blocks of 8 corners alone are 4.6 kB; a row of each of the first steps, 1.1 kB,
    # is kept for alarms.
    assert large < 1000 * (30e3 + 3 * 1.2e3)


def test_time_is_linear():
    """Twice the boxes take twice the time, with 50 % for caches and neighbours on the machine."""
    small, middle, large = step_times()
    assert middle < 3.0 * small
    assert large < 3.0 * middle
    assert large < 6.0 * small


def test_a_thousand_boxes_land_and_rest():
    sim = field_of_boxes(1000)
    steps(sim, 30)
    assert np.abs(sim.v).max() < 1e-9
    force = sim.signal("contact_force").sum(axis=0)
    # To the law's tolerance, 1e-9 m/s, a box: m v / dt.
    np.testing.assert_allclose(force, (0, 0, 1000 * G), atol=1e-3)
    assert sim.stepper.monitor.run[Residual.NATURAL_MAP] <= 1e-9


def test_each_of_many_boxes_moves_as_if_it_were_alone():
    """Bodies that touch only the ground know nothing of each other, to the law's tolerance."""
    shape = box(1.0, (0.2, 0.2, 0.04))
    speeds = np.linspace(0.1, 1.0, 10)
    many = simulator(
        [shape.at((0, k, 0.02), linear=(v, 0, 0), name=f"b{k}") for k, v in enumerate(speeds)]
    )
    steps(many, 100)
    for k, v in enumerate(speeds):
        alone = simulator(shape.at((0, k, 0.02), linear=(v, 0, 0)))
        steps(alone, 100)
        np.testing.assert_allclose(many.q[7 * k : 7 * k + 7], alone.q, atol=1e-8)


def test_a_scene_of_a_hundred_cubes_is_assembled():
    bodies = {
        f"cube{k}": {"robot": "cube", "base_position": [0.3 * k, 0.0, 0.06]} for k in range(100)
    }
    table = {"simulation": {"duration": 0.1}, "bodies": bodies}
    registry = discover()
    sim = assemble(scene_from_dict(table, registry), registry)
    report = sim.record()
    assert report.natural_map_worst <= 1e-9
    np.testing.assert_allclose(sim.q[2::7], 0.05, atol=1e-7)
