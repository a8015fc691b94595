"""Arrays of the articulated-body methods: results of the free acceleration, and work space."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.api.advanced import allocated
from footfall.api.plugin import Floats1, Floats2, Ints1


class Articulated(NamedTuple):
    """Articulated-body quantities of all trees, world axes, at the world origin.

    Twists and wrenches have their linear part first. ``omega`` relates the force on one contacting
    link to the acceleration of another link of the same tree (Chang and Khatib 2000).

    Attributes:
        parent: shape (links,), global index of a link's parent link, -1 at a root.
        dof: shape (links,), global dof of the joint that carries the link, -1 at a root.
        inertia: shape (links, 36), articulated-body inertia.
        force_of_joint: shape (links, 6), ``U = I_A S`` of the link's joint.
        inverse_pivot: shape (links,), ``1 / (S' U + implicit terms of the joint)``.
        base: shape (trees, 36), inverse of a floating base's articulated-body inertia.
        path: shape (links,), per tree, starting at its first link: the links from the root to the
            contacting ones, parents first.
        path_size: shape (trees,).
        on_path: shape (links,), scratch: 1 for links in ``path``.
        touched: shape (links,), per tree, starting at its first link: the links with contacts.
        touched_size: shape (trees,).
        place: shape (links,), index of a link among the touched ones of its tree.
        omega_start: shape (trees,), start of the tree's blocks in ``omega``.
        omega: flat, 6 x 6 blocks of pairs of touched links.
        load: shape (links, 6), scratch: joint forces of unit forces in the link's joint.
        loaded: shape (links,), scratch: 1 for links on the path of the force.
        acceleration: shape (links, 36), scratch: up to six spatial accelerations of a link.
        force: shape (6, 6), scratch: up to six wrenches on their way to the root.
        down: shape (links,), scratch: links on the way to a body.
        point: shape (blocks, 18), matrix from a link's twist to its contact point's velocity, in
            the contact frame.
        half: shape (links, 18), scratch: a contact's rows of ``point omega``.
        held: shape (links,), scratch: the contact and side of the rows in ``half``.
    """

    parent: Ints1
    dof: Ints1
    inertia: Floats2
    force_of_joint: Floats2
    inverse_pivot: Floats1
    base: Floats2
    path: Ints1
    path_size: Ints1
    on_path: Ints1
    touched: Ints1
    touched_size: Ints1
    place: Ints1
    omega_start: Ints1
    omega: Floats1
    load: Floats2
    loaded: Ints1
    acceleration: Floats2
    force: Floats2
    down: Ints1
    point: Floats2
    half: Floats2
    held: Ints1


def allocate(topology: Any, blocks: int) -> Articulated:
    """Allocate room for the trees of a world; every link may be touched.

    Args:
        topology: topology of the world, see ``footfall.api.kernels.open_topology``.
        blocks: most blocks of the contact problem.
    """
    links, trees = len(topology.mass), len(topology.free)
    dof_link = {}
    first = topology.tree_v[topology.link_tree]
    for link in range(links):
        if topology.link_dof[link] >= 0:
            dof_link[int(first[link] + topology.link_dof[link])] = link
    parent, dof = np.full(links, -1, np.int64), np.full(links, -1, np.int64)
    for link in range(links):
        own = int(topology.link_dof[link])
        root = link == topology.tree_link[topology.link_tree[link]]
        if own < 0 or root:
            continue
        up = int(topology.dof_parent[first[link] + own])
        root_link = int(topology.tree_link[topology.link_tree[link]])
        parent[link] = dof_link[int(first[link]) + up] if up >= 0 else root_link
        dof[link] = first[link] + own
    counts = np.diff(np.asarray(topology.tree_link))
    return allocated(
        Articulated,
        links,
        parent=parent,
        dof=dof,
        inertia=(links, 36),
        force_of_joint=(links, 6),
        base=(trees, 36),
        path_size=trees,
        touched_size=trees,
        omega_start=36 * np.concatenate([[0], np.cumsum(counts**2)[:-1]]).astype(np.int64),
        omega=36 * int((counts**2).sum()),
        load=(links, 6),
        acceleration=(links, 36),
        force=(6, 6),
        point=(blocks, 18),
        half=(links, 18),
    )
