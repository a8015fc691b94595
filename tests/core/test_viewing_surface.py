"""Welded surfaces: small, within their stated error, sharp at creases and smooth elsewhere."""

import numpy as np
import pytest

from footfall_meshcat.drawing.surface import weld

BOX_FACES = [
    [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
    [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
]  # fmt: skip


def box(size=(1.0, 1.0, 1.0)):
    """Twelve triangles, counter-clockwise seen from outside."""
    corners = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)], float) * size
    return corners[BOX_FACES].astype(np.float32)


def sphere(rings=24, radius=0.15):
    """Triangles of a sphere by latitude and longitude, degenerate at the poles."""
    theta, phi = np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1)
    phi[-1] = 0.0
    width = np.sin(theta)
    width[-1] = 0.0
    parts = [np.outer(width, np.cos(phi)), np.outer(width, np.sin(phi))]
    grid = radius * np.stack([*parts, np.outer(np.cos(theta), np.ones_like(phi))], axis=2)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    lower, upper = np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)
    return np.concatenate([lower.reshape(-1, 3, 3), upper.reshape(-1, 3, 3)]).astype(np.float32)


def corners(surface):
    return (surface.lower + surface.step * surface.position)[surface.index]


def volume(triangles):
    """Enclosed volume; negative if the triangles are wound the wrong way."""
    return float(
        np.einsum("ij,ij->", triangles[:, 0], np.cross(triangles[:, 1], triangles[:, 2])) / 6
    )


def test_a_box_keeps_its_edges_sharp():
    surface = weld(box())
    assert len(surface.position) == 24  # each corner once a face
    assert sorted(np.unique(np.abs(surface.normal)).tolist()) == [0, 127]


def test_a_sphere_is_smooth_and_shares_its_vertices():
    triangles = sphere()
    surface = weld(triangles)
    assert len(surface.position) == len(np.unique(triangles.reshape(-1, 3).round(6), axis=0))
    radial = surface.lower + surface.step * surface.position
    radial /= np.linalg.norm(radial, axis=1, keepdims=True)
    normal = surface.normal / np.linalg.norm(surface.normal.astype(float), axis=1, keepdims=True)
    # A ring is 7.5 degrees high: vertex normals of such facets are within a quarter of that.
    assert np.degrees(np.arccos((radial * normal).sum(1).min())) < 7.5 / 4


def test_corners_stay_within_half_a_step():
    rng = np.random.default_rng(1)
    triangles = rng.uniform(-1.0, 1.0, (500, 3, 3)).astype(np.float32)
    surface = weld(triangles, (0.3, 0.2, 0.1))
    error = np.abs(corners(surface) - triangles * np.array([0.3, 0.2, 0.1]))
    assert error.max() <= 0.5 * surface.step * (1 + 1e-6)
    assert surface.step == pytest.approx(0.6 / 65535, rel=0.01)


@pytest.mark.parametrize("scale", [(2.0, 1.0, 0.5), (-1.0, 1.0, 1.0), (-1.0, -1.0, -1.0)])
def test_scaled_and_mirrored_solids_still_face_outwards(scale):
    surface = weld(box((0.3, 0.2, 0.1)), scale)
    expected = 0.3 * 0.2 * 0.1 * abs(np.prod(scale))
    assert volume(corners(surface)) == pytest.approx(expected, rel=1e-4)
    outwards = corners(surface).mean(1) - corners(surface).mean((0, 1))
    assert (np.einsum("ij,ij->i", outwards, surface.normal[surface.index[:, 0]]) > 0).all()


def test_triangles_without_area_are_dropped():
    flat = np.zeros((1, 3, 3), np.float32)
    assert len(weld(np.concatenate([box(), flat])).index) == 12


def test_many_vertices_get_wide_indices():
    rng = np.random.default_rng(2)
    small = weld(rng.uniform(size=(1000, 3, 3)).astype(np.float32))
    large = weld(rng.uniform(size=(30000, 3, 3)).astype(np.float32))
    assert (small.index.dtype, large.index.dtype) == (np.uint16, np.uint32)
    assert large.index.max() == len(large.position) - 1
