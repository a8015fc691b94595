"""A squeeze between immovable things is none, unless the scene gives one."""

import pytest

import footfall


def vice(overlap, **contact):
    """Return a cube of 1 kg between two walls that each overlap half of ``overlap`` [m] with it."""
    wall = {"shape": {"type": "box", "size": [0.1, 0.2, 0.2]}, "fixed": True, "friction": 0.5}
    cube = {"shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "mass": 1.0, "friction": 0.5}
    scene = {
        "simulation": {"duration": 0.1, "time_step": 1e-3},
        "contact": {"plugin": "coulomb", **contact},
        "world": {"terrain": {"plugin": "plane", "friction": 0.5}},
        "bodies": {
            "left": {**wall, "base_position": [-0.1, 0.0, 0.5]},
            "right": {**wall, "base_position": [0.1 - overlap, 0.0, 0.5]},
            "cube": {**cube, "base_position": [-overlap / 2, 0.0, 0.5]},
        },
    }
    registry = footfall.discover()
    return footfall.assemble(footfall.scene_from_dict(scene, registry), registry)


def test_a_cube_that_walls_fit_exactly_falls_and_the_run_says_why():
    sim = vice(0.0)
    report = sim.record(0.1)
    assert sim.q[-5] == pytest.approx(0.5 - 9.81 * 0.1**2 / 2, abs=1e-3)
    assert len(report.alarms) == 1
    assert "slips between immovable things" in report.alarms[0]


def test_a_compliance_and_an_overlap_hold_it():
    """0.1 mm at 1e-5 m/N on four points of each side press 40 N: friction holds up to 40 N."""
    sim = vice(2e-4, compliance=1e-5)
    report = sim.record(0.1)
    assert sim.q[-5] == pytest.approx(0.5, abs=1e-6)
    assert report.alarms == ()
