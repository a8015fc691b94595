"""Scene graphs for tests of viewers."""

import numpy as np

from footfall.geometry.shapes import Shape
from footfall.interfaces.visualizer import Frame, Ground, Node, SceneGraph
from footfall_meshcat.drawing.payload import View
from footfall_meshcat.recorded.html import write_page
from footfall_meshcat.recorded.motion import Motion

UP = np.array([0.0, 0.0, 1.0])


def node(name, link, shape, color=(0.2, 0.45, 0.8, 1.0), translation=(0.0, 0.0, 0.0)):
    return Node(name, link, shape, np.eye(3), np.array(translation, float), color)


def primitives(title="cube/drop", ground=Ground(UP, 0.0)):  # noqa: B008 - frozen
    """A box, a sphere, a cylinder and a capsule, one link each, with four contacts of the box."""
    nodes = (
        node("cube/base/0", 0, Shape("box", (0.2, 0.2, 0.2))),
        node("ball/base/0", 1, Shape("sphere", (0.1,)), (0.85, 0.4, 0.1, 1.0)),
        node("rod/base/0", 2, Shape("cylinder", (0.05, 0.4)), (0.3, 0.65, 0.35, 1.0)),
        node("pill/base/0", 3, Shape("capsule", (0.07, 0.3)), (0.6, 0.3, 0.7, 0.5)),
    )
    tracks = (("cube", 0), ("ball", 1))
    return SceneGraph(title, nodes, 4, (ground,), 4, 10.0, 0.5, tracks)


def frame(time=0.0, shift=(0.0, 0.0, 0.0)):
    """The primitives standing beside one another; the box, its contacts and the CoM shifted."""
    poses = np.zeros((4, 7))
    poses[:, 6] = 1.0
    poses[:, :3] = [[0.0, 0.0, 0.1], [0.0, 0.5, 0.1], [-0.5, 0.0, 0.2], [0.4, 0.4, 0.22]]
    poses[0, :3] += shift
    corners = 0.1 * np.array([[1, 1, 0], [1, -1, 0], [-1, 1, 0], [-1, -1, 0]], float)
    force = np.tile([0.0, 0.5, 2.5], (4, 1))
    return Frame(time, poses, corners + shift, force, poses[0, :3].copy())


def motion(frames=200, dt=0.01, speed=1.0):
    """Arrays of a motion of the box along x at so many m/s: times, poses, contacts, forces, CoM."""
    rows = [frame(k * dt, (k * dt * speed, 0.0, 0.0)) for k in range(frames)]
    fields = ("poses", "contact_position", "contact_force", "com")
    arrays = [np.array([getattr(row, field) for row in rows]) for field in fields]
    return [np.array([row.time for row in rows]), *arrays]


def write_html(path, graph, *arrays, overwrite=False):
    """Write the page of a motion, given as its arrays."""
    write_page(path, graph, Motion(*arrays), View(), overwrite=overwrite)
