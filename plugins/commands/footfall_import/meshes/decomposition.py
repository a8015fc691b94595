"""Convex decomposition of non-convex collision meshes (CoACD)."""

from __future__ import annotations

import glob
import hashlib
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from scipy.spatial import ConvexHull, QhullError, cKDTree

from footfall.api.advanced import FileElement, MeshFile
from footfall.api.command import read_xml
from footfall.api.plugin import Floats, Ints, RobotError
from footfall_import.checks import Finding
from footfall_import.meshes.checks import facts_of
from footfall_import.model import Model
from footfall_import.urdf.inertia_repair import read_again, with_absolute_files

THRESHOLD = 0.05
"""Greatest concavity of a part, relative to half the longest side of the mesh (CoACD's)."""
CONVEX = 0.98
"""Ratio of a closed mesh's volume to its hull's from which it counts as convex."""
SAMPLES, DENSE = 2000, 40_000
"""Numbers of points that compare parts with their mesh: points tested, and points searched."""
NEAREST = 16
"""Number of nearest points whose triangles are searched for the nearest point of a mesh."""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """Convex parts of a mesh, with their error.

    Attributes:
        files: one file per part.
        error: greatest distance, over random points, of the mesh from the parts, and of the parts
            outside the mesh from the mesh, in the file's unit.
        excess: volume of the parts divided by the mesh's, minus 1; NaN if the mesh has holes.
        hull_excess: volume of the mesh's hull divided by the mesh's, minus 1; NaN likewise.
    """

    files: tuple[Path, ...]
    error: float
    excess: float
    hull_excess: float


def decomposed(model: Model, path: Path, known: Path, into: Path) -> Model:
    """Return the model with each non-convex collision mesh replaced by convex parts.

    Args:
        model: the model as read.
        path: the model's file.
        known: folder with parts of an earlier import, reused if they are of the same mesh.
        into: folder for new parts.

    Raises:
        RobotError: if a mesh cannot be read, or CoACD is not installed.
    """
    top = read_xml(path) if model.text is None else ElementTree.fromstring(model.text)
    with_absolute_files(top, path)
    done: dict[str, Parts | None] = {}
    found: list[Finding] = []
    for link in top.findall("link"):
        for collision in link.findall("collision"):
            mesh = collision.find("geometry/mesh")
            if mesh is None:
                continue
            file = mesh.get("filename", "")
            if file not in done:
                try:
                    done[file] = cut(Path(file), known, into)
                except RobotError as error:
                    place = FileElement(str(path), f'link "{link.get("name", "")}"')
                    raise place.error(f"collision: {error}") from error
            parts = done[file]
            if parts is not None:
                _replace(link, collision, parts.files)
                found.append(_told(link.get("name", ""), Path(file).name, parts, mesh.get("scale")))
    if not found:
        text_ = f"all {len(done)} collision meshes are convex: nothing to cut"
        found.append(Finding("note", "--decompose", text_))
    text = ElementTree.tostring(top, encoding="unicode") + "\n"
    urdf = read_again(top, path)
    others = tuple(decomposed(other, path, known, into) for other in model.others)
    findings = (*model.findings, *found)
    return replace(model, urdf=urdf, text=text, findings=findings, others=others)


def _replace(link: Element, collision: Element, files: tuple[Path, ...]) -> None:
    """Replace one collision element by one per part."""
    at = list(link).index(collision)
    link.remove(collision)
    for k, file in enumerate(files):
        part = deepcopy(collision)
        mesh = part.find("geometry/mesh")
        assert mesh is not None
        mesh.set("filename", str(file))
        link.insert(at + k, part)


def _told(link: str, name: str, parts: Parts, scale: str | None) -> Finding:
    factor = max((abs(float(part)) for part in (scale or "1").split()), default=1.0)
    distance = f"at most {1e3 * factor * parts.error:.2g} mm from it"
    said = f"{name} is replaced by {len(parts.files)} convex parts for contact, {distance}"
    if np.isfinite(parts.excess):
        hull = f"its hull: {100.0 * parts.hull_excess:+.0f} %"
        said += f", volume {100.0 * parts.excess:+.1f} % ({hull})"
    return Finding("note", f'link "{link}"', said)


def cut(path: Path, known: Path, into: Path) -> Parts | None:
    """Return the convex parts of a mesh, None if it is convex.

    File names hold a hash of the mesh, so that a later import finds the parts again.

    Raises:
        RobotError: if it cannot be read, or CoACD is not installed.
    """
    mesh = MeshFile.read(path)
    vertices, place = np.unique(mesh.vertices.astype(float), axis=0, return_inverse=True)
    triangles = place.reshape(-1)[mesh.indices]
    volume, around = volume_of(vertices[triangles]), hull_volume(vertices)
    closed = facts_of(mesh).closed
    if around == 0.0 or (closed and volume > CONVEX * around):
        return None
    digest = hashlib.sha256(vertices[triangles].tobytes() + repr(THRESHOLD).encode()).hexdigest()
    stem = f"{path.stem}_{digest[:10]}"
    files = _whole_set(sorted(known.glob(f"{glob.escape(stem)}_*of*.obj")))
    if not files:
        files = _written(_pieces(vertices, triangles), into, stem)
    hulls = [MeshFile.read(file).vertices.astype(float) for file in files]
    filled = sum(hull_volume(hull) for hull in hulls)
    inside = volume if closed and volume > 0.0 else np.nan
    error = distance_between(vertices[triangles], hulls)
    return Parts(files, error, filled / inside - 1.0, around / inside - 1.0)


def _pieces(vertices: Floats, triangles: Ints) -> list[Floats]:
    """Return the corners of the parts that CoACD finds; the seed is fixed."""
    try:
        import coacd
    except ImportError as error:
        raise RobotError(f'--decompose needs "coacd": {RobotError.pip("coacd")}') from error
    coacd.set_log_level("error")
    mesh = coacd.Mesh(vertices, triangles)
    parts = coacd.run_coacd(mesh, threshold=THRESHOLD, seed=1)
    return [np.asarray(corners, float) for corners, _ in parts]


def _whole_set(files: list[Path]) -> tuple[Path, ...]:
    """Return the files of an earlier import if none is missing, else an empty tuple."""
    count = files[0].stem.rpartition("of")[2] if files else "0"
    return tuple(files) if count == str(len(files)) else ()


def _written(parts: list[Floats], into: Path, stem: str) -> tuple[Path, ...]:
    """Write each part's hull as an OBJ."""
    files = []
    for k, corners in enumerate(parts):
        hull = ConvexHull(corners)
        used = np.unique(hull.simplices)
        number = np.zeros(len(corners), np.int64)
        number[used] = np.arange(1, len(used) + 1)
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in corners[used].tolist()]
        inside = corners[used].mean(axis=0)
        for a, b, c in hull.simplices:
            normal = np.cross(corners[b] - corners[a], corners[c] - corners[a])
            face = (a, b, c) if normal @ (corners[a] - inside) > 0.0 else (a, c, b)
            lines.append("f " + " ".join(str(number[corner]) for corner in face))
        files.append(into / f"{stem}_{k + 1:03d}of{len(parts)}.obj")
        files[-1].write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tuple(files)


def volume_of(corners: Floats) -> float:
    """Return the volume that closed triangles (n, 3, 3) enclose."""
    return float(np.linalg.det(corners).sum() / 6.0)


def hull_volume(points: Floats) -> float:
    """Return the volume of the convex hull of points (n, 3), zero if they span no volume."""
    try:
        return float(ConvexHull(points).volume)
    except (QhullError, ValueError):
        return 0.0


def distance_between(corners: Floats, hulls: list[Floats]) -> float:
    """Return the greatest distance between a mesh and its parts, at random points.

    Args:
        corners: shape (n, 3, 3), triangles of the mesh.
        hulls: corners of each part.
    """
    rng = np.random.default_rng(1)
    planes = [ConvexHull(points).equations for points in hulls]
    on_mesh, of = sampled(corners, DENSE, rng)
    looked = on_mesh[:SAMPLES]
    outside = [(looked @ p[:, :3].T + p[:, 3]).max(axis=1) for p in planes]
    short = float(np.min(outside, axis=0).max(initial=0.0))
    faces = np.concatenate([points[ConvexHull(points).simplices] for points in hulls])
    on_parts, _ = sampled(faces, SAMPLES, rng)
    beyond = on_parts[winding(corners, on_parts) < 0.5]
    _, nearest = cKDTree(on_mesh).query(beyond, k=NEAREST)
    far = [distance_to(corners[of[k]], point) for point, k in zip(beyond, nearest, strict=True)]
    return max(short, *far, 0.0)


def distance_to(corners: Floats, point: Floats) -> float:
    """Return the distance from a point to the nearest triangle of (n, 3, 3)."""
    to, edges = point - corners, np.roll(corners, -1, axis=1) - corners
    normals = np.cross(edges[:, 0], edges[:, 1])
    sides = np.einsum("ijk,ijk->ij", np.cross(edges, to), normals[:, None])
    squares = np.maximum(np.einsum("ijk,ijk->ij", edges, edges), 1e-300)
    along = np.clip(np.einsum("ijk,ijk->ij", to, edges) / squares, 0.0, 1.0)
    found = np.linalg.norm(to - along[..., None] * edges, axis=2).min(axis=1)
    heights = np.abs(np.einsum("ij,ij->i", to[:, 0], normals)) / np.linalg.norm(normals, axis=1)
    return float(np.where((sides >= 0.0).all(axis=1), heights, found).min())


def sampled(corners: Floats, count: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Return random points on triangles (n, 3, 3), uniform by area, and their triangle indices."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    chosen = rng.choice(len(corners), count, p=areas / areas.sum())
    u, v = rng.uniform(size=(2, count, 1))
    over = u + v > 1.0
    u, v = np.where(over, 1.0 - u, u), np.where(over, 1.0 - v, v)
    return a[chosen] + u * (b - a)[chosen] + v * (c - a)[chosen], chosen


def winding(corners: Floats, points: Floats) -> Floats:
    """Return the winding number of triangles (n, 3, 3) around each point, shape (points,).

    It is 1 inside: the sum of the triangles' solid angles divided by 4 pi (Van Oosterom and
    Strackee, The solid angle of a plane triangle, IEEE Trans. Biomed. Eng. 30, 1983).
    """
    found = np.zeros(len(points))
    for k, point in enumerate(points):
        a, b, c = np.moveaxis(corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
        triple = np.einsum("ij,ij->i", a, np.cross(b, c))
        ab, bc, ca = (np.einsum("ij,ij->i", p, q) for p, q in ((a, b), (b, c), (c, a)))
        angle = 2.0 * np.arctan2(triple, la * lb * lc + ab * lc + bc * la + ca * lb)
        found[k] = angle.sum() / (4.0 * np.pi)
    return found
