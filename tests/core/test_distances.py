"""Signed distances prove themselves: two planes with both shapes behind them, that far apart."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.cases import each
from tests.mesh_bytes import VERTICES, obj

import footfall
from footfall.errors import FootfallError

SHAPES = {
    "box": {"type": "box", "size": [0.2, 0.3, 0.1]},
    "sphere": {"type": "sphere", "radius": 0.1},
    "capsule": {"type": "capsule", "radius": 0.05, "length": 0.3},
    "cylinder": {"type": "cylinder", "radius": 0.1, "length": 0.2},
    "mesh": {"type": "mesh", "file": "tetrahedron.obj", "scale": [0.2, 0.2, 0.1]},
}
CURVED = 1e-6
"""Error of Coal's depths of curved shapes, [m]."""


def support(table, pose, n):
    """Return how far a shape reaches along unit vectors n, shape (k, 3), from its definition."""
    x, y, z = (n @ pose[:3, :3]).T
    match table["type"]:
        case "box":
            reach = np.abs(np.stack([x, y, z], 1)) @ (0.5 * np.array(table["size"]))
        case "sphere":
            reach = np.full(len(n), table["radius"])
        case "capsule":
            reach = table["radius"] + 0.5 * table["length"] * np.abs(z)
        case "cylinder":
            reach = table["radius"] * np.hypot(x, y) + 0.5 * table["length"] * np.abs(z)
        case _:
            corners = np.array(VERTICES) * table["scale"]
            reach = (np.stack([x, y, z], 1) @ corners.T).max(axis=1)
    return reach + n @ pose[:3, 3]


@each(("one", "other"), list(combinations_with_replacement(SHAPES, 2)))
def test_planes_prove_distances_at_any_size_and_depth(one, other, tmp_path, monkeypatch):
    """Apart: the gap of the planes is a lower bound, the nearest points an upper one, and equal.

    Overlapping: along the normal it is what both reach; along no other direction is it less.
    """
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tetrahedron.obj").write_bytes(obj())
    rng, a, b = np.random.default_rng(5), SHAPES[one], SHAPES[other]
    every = rng.normal(size=(500, 3))
    every /= np.linalg.norm(every, axis=1)[:, None]
    for size in 4 * [0.05, 0.3, 3.0]:
        A, B = np.eye(4), np.eye(4)
        for pose in (A, B):
            pose[:3, :3] = Rotation.random(random_state=rng).as_matrix()
            pose[:3, 3] = rng.uniform(-size, size, 3)
        found = footfall.distance(a, A, b, B)
        n, scale = found.normal[None], max(1.0, size)
        assert np.linalg.norm(n) == pytest.approx(1.0, abs=1e-9)
        assert found.point_b - found.point_a == pytest.approx(found.distance * n[0], abs=1e-12)
        between = -support(b, B, -n) - support(a, A, n)
        assert between[0] == pytest.approx(found.distance, abs=CURVED * scale)
        least = (-support(b, B, -every) - support(a, A, every)).max()
        assert least <= found.distance + CURVED
        turned = footfall.distance(b, B, a, A)
        assert turned.distance == pytest.approx(found.distance, abs=CURVED * scale)


@each(("one", "other"), list(combinations_with_replacement(SHAPES, 2)))
def test_gaps_of_nearly_parallel_shapes_are_proved_by_planes(one, other, tmp_path, monkeypatch):
    """Several points of a face, or both ends of an axis, are then almost as near."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tetrahedron.obj").write_bytes(obj())
    rng, a, b, A = np.random.default_rng(6), SHAPES[one], SHAPES[other], np.eye(4)
    proved = 0
    for _ in range(200):
        B, turn = np.eye(4), Rotation.from_euler("xyz"[rng.integers(3)], 90.0, degrees=True)
        tilt = Rotation.from_rotvec(rng.normal(size=3) * 10.0 ** rng.uniform(-6.0, -1.0))
        B[:3, :3] = (tilt * turn ** rng.integers(2)).as_matrix()
        B[:3, 3] = rng.uniform(-0.4, 0.4, 3)
        found = footfall.distance(a, A, b, B)
        if found.distance > 0.0:
            n = found.normal[None]
            between = -support(b, B, -n) - support(a, A, n)
            assert between[0] == pytest.approx(found.distance, abs=CURVED)
            proved += 1
    assert proved > 100


def test_a_world_has_the_distances_of_its_contacts_and_points():
    """A cube on the ground below a fixed one: by their definition, in each state."""
    cube = {"shape": {"type": "box", "size": [0.2, 0.2, 0.2]}, "friction": 0.5}
    low = {**cube, "base_position": [0.0, 0.0, 0.0999]}
    high = {**cube, "base_position": [0.05, 0.0, 0.7], "fixed": True}
    scene = {"world": {"terrain": {"friction": 0.5}}, "bodies": {"low": low, "high": high}}
    sim = footfall.assemble(footfall.scene_from_dict(scene))
    for _ in range(5):
        z = sim.q[2]
        assert sim.distance("low", "terrain").distance == pytest.approx(z - 0.1, abs=1e-12)
        assert sim.distance("low").names[1].startswith("terrain/")
        found = sim.distance("high", "low")
        assert found.distance == pytest.approx(0.5 - z, abs=1e-12)
        assert found.normal == pytest.approx([0.0, 0.0, -1.0], abs=1e-9)
        assert sim.distance([0.0, 0.0, 0.3]).distance == pytest.approx(0.2 - z, abs=1e-12)
        inside = sim.distance([0.0, 0.07, z], "low")
        assert inside.distance == pytest.approx(-0.03, abs=1e-12)
        assert inside.point_b == pytest.approx([0.0, 0.1, z], abs=1e-9)
        sim.step()


def test_shapes_that_touch_nothing_have_distances_too_and_asking_changes_nothing():
    """A robot whose contacts with bodies are not detected: its sole stands on the ground."""
    sim, other = (footfall.load("humanoid/standing") for _ in range(2))
    for _ in range(3):
        sim.step()
        other.step()
        assert sim.distance("l_foot", "terrain").distance == pytest.approx(0.0, abs=1e-6)
    force = sim.contact_force("l_foot").total
    assert force.tobytes() == other.contact_force("l_foot").total.tobytes()
    assert sim.derivatives().state.tobytes() == other.derivatives().state.tobytes()
    sim.q[2] += 0.25
    assert sim.distance("humanoid").distance == pytest.approx(0.25, abs=1e-6)
    box, at = SHAPES["box"], np.eye(4)
    wrong = [
        (sim.distance, ("x",), "'x': no such body or link"),
        (sim.distance, ("humanoid", "l_foot"), "a part in common"),
        (sim.distance, ([0.0, np.nan, 0.0],), "point is not finite"),
        (footfall.distance, (box, at, {**box, "size": [-1, 1, 1]}, at), r"shape_b.size\[0\]"),
        (footfall.distance, (box, 2 * at, box, at), "pose_a: .* no rotation"),
        (footfall.distance, (box, at, box, [0, 0]), "pose_b: expected"),
    ]
    for call, arguments, told in wrong:
        with pytest.raises(FootfallError, match=told):
            call(*arguments)
