"""A world as a MuJoCo model: bodies, joints, geoms and pairs that may touch.

A contact point is a sphere of radius 0.1 mm that touches when its centre does
(``margin = -RADIUS``). Only the listed pairs of geoms can touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from footfall.api.plugin import Ints, error_line
from footfall_simulators.mjcf import Model, text
from footfall_simulators.mujoco.settings import MujocoConfig
from footfall_simulators.skeleton import (
    bases_and_joints,
    declared,
    grounds,
    links,
    placed_in,
    tested,
)
from footfall_stepper.api import Assembly, CandidateKind, World

RADIUS = 1e-4
"""Radius of the spheres that stand for points, and half the thickness of rims, [m]."""
FAR = 1e6
"""Unreachable second limit of a joint that has only one, [rad or m]."""
SPELLED = {"euler": "Euler", "newton": "Newton", "cg": "CG", "pgs": "PGS"}
"""MJCF's spelling of settings where it differs."""


@dataclass(frozen=True)
class Translation:
    """A MuJoCo model of a world, with the correspondence between both.

    Attributes:
        model: MuJoCo's model.
        q: shape (nq,), index in Footfall's positions of each of MuJoCo's.
        v: shape (nv,), index in Footfall's velocities of each of MuJoCo's.
        pair: shape (geoms, geoms), the model's pair of two geoms, -1 if there is none.
        declared: shape (pairs,), declared contact of a pair (the first of a rim's), -1 for shapes.
        numbers: shape (pairs, 2), numbers of the two shapes of a pair; a fixed one comes first.
        links: shape (pairs, 2), their global links.
        first: shape (pairs,), MuJoCo's first geom of each pair.
    """

    model: Any
    q: Ints
    v: Ints
    pair: Ints
    declared: Ints
    numbers: Ints
    links: Ints
    first: Ints


class _Pair(NamedTuple):
    """Two geoms that may touch: their names, declared contact, numbers and links of shapes."""

    geoms: tuple[str, str]
    declared: int
    numbers: tuple[int, int]
    links: tuple[int, int]


def translate(made: Assembly, config: MujocoConfig) -> Translation:
    """Translate a world.

    Raises:
        SceneError: if MuJoCo does not compile it; with MuJoCo's reason.
    """
    model, world = _model(made, config), made.world
    bodies = [node for k in range(len(world.bodies)) for node in _tree(model, world, k, config)]
    pairs = [*_declared(model, made, bodies), *_shapes(model, made, bodies)]
    response = {"solref": text(config.solref), "solimp": text(config.solimp)}
    for pair in pairs:
        point = pair.declared >= 0 and pair.geoms[0].endswith("/point")
        margin, condim = text([-RADIUS if point else 0.0]), "6" if world.moments else "3"
        model.add_pair(*pair.geoms, condim=condim, margin=margin, **response)
    try:
        compiled = mujoco.MjModel.from_xml_string(model.written())
    except ValueError as error:
        raise made.scene.error(
            f"MuJoCo rejects this scene: {error_line(error)}", "simulator"
        ) from error
    return _places(compiled, world, pairs)


def _model(made: Assembly, config: MujocoConfig) -> Model:
    """Return a model that has only its options."""
    scene = made.scene
    found: dict[str, Any] = {
        "timestep": scene.simulation.part,
        "gravity": text(scene.world.gravity),
    }
    words = "integrator", "solver", "cone", "jacobian"
    numbers = "iterations", "tolerance", "ls_iterations", "noslip_iterations", "impratio"
    found |= {name: SPELLED.get(word := getattr(config, name), word) for name in words}
    found |= {name: getattr(config, name) for name in numbers}
    model = Model("world", {name: str(value) for name, value in found.items()})
    SubElement(model.option, "flag", autoreset="disable")
    return model


def _tree(model: Model, world: World, index: int, config: MujocoConfig) -> Iterator[Element]:
    """Add the links of a body, and yield the element of each."""
    found = [link.with_mass() for link in links(world, index)]
    nodes: list[Element] = []
    response = {
        f"{key}{of}": text(getattr(config, f"{key}_{of}"))
        for key in ("solref", "solimp")
        for of in ("limit", "friction")
    }
    for number, link in enumerate(found):
        name = f"{index}/{number}"
        if link.joint is None:
            node = model.add_body(model.world, name, link.pose, link)
            if world.bodies[index].joint_offset:
                SubElement(node, "freejoint", name=f"{index}/base")
        else:
            inside = placed_in(found[link.parent].pose, link.pose)
            node = model.add_body(nodes[link.parent], name, inside, link)
            limited = np.isfinite(link.joint.limits).any()
            given = {
                "pos": text(link.joint.anchor),
                "armature": text([world.joints.armature[link.joint.dof]]),
                "frictionloss": text([link.joint.friction]),
                "limited": "true" if limited else "false",
            }
            joint = f"{index}/{link.joint.number}"
            model.add_joint(node, joint, link.joint, FAR, **given, **response)
        nodes.append(node)
        yield node


def _declared(model: Model, made: Assembly, bodies: list[Element]) -> Iterator[_Pair]:
    """Add geoms of the ground and of declared contacts; yield the pairs that may touch."""
    world = made.world
    if not world.n_contacts:
        return
    ground = []
    for k, solid in enumerate(grounds(made, "MuJoCo")):
        ground.append(f"ground/{k}")
        model.add_solid(model.world, ground[-1], *solid)
    for c, kind in declared(world):
        link = int(world.candidates.link[c])
        called = f"contact/{c}/{'point' if kind == CandidateKind.POINT else 'round'}"
        model.add_contact(bodies[link], called, world, c, RADIUS)
        for name in ground:
            yield _Pair((called, name), c, (0, 0), (-1, link))


def _shapes(model: Model, made: Assembly, bodies: list[Element]) -> Iterator[_Pair]:
    """Add the shapes that touch each other; yield the pairs that may touch."""
    collider = made.world.collider
    if collider is None:
        return
    for shape in collider.shapes:
        body = model.world if shape.link < 0 else bodies[shape.link]
        model.add_solid(body, f"shape/{shape.number}", shape.geometry, shape.pose)
    for a, b in tested(collider):
        names = f"shape/{a.number}", f"shape/{b.number}"
        yield _Pair(names, -1, (a.number, b.number), (a.link, b.link))


def _places(model: Any, world: World, pairs: list[_Pair]) -> Translation:
    """Find the indices of positions, velocities and pairs, by the names of joints and geoms."""
    q, v = np.zeros(world.nq, np.int64), np.zeros(world.nv, np.int64)
    for name, at, dof in bases_and_joints(world):
        found = model.joint(name)
        p, d = int(found.qposadr[0]), int(found.dofadr[0])
        if name.endswith("/base"):
            q[p : p + 7], v[d : d + 6] = at + np.array([0, 1, 2, 6, 3, 4, 5]), dof + np.arange(6)
        else:
            q[p], v[d] = at, dof
    listed = {one.geoms: k for k, one in enumerate(pairs)}
    pair, order = np.full((model.ngeom, model.ngeom), -1), np.zeros(model.npair, np.int64)
    first = np.zeros(model.npair, np.int64)
    for p, (a, b) in enumerate(zip(model.pair_geom1, model.pair_geom2, strict=True)):
        one, other = (model.geom(int(g)).name for g in (a, b))
        pair[a, b] = pair[b, a] = p
        order[p] = listed[one, other] if (one, other) in listed else listed[other, one]
        first[p] = a if (one, other) in listed else b
    return Translation(
        model,
        q,
        v,
        pair,
        np.array([pair.declared for pair in pairs], np.int64)[order],
        np.array([pair.numbers for pair in pairs], np.int64).reshape(-1, 2)[order],
        np.array([pair.links for pair in pairs], np.int64).reshape(-1, 2)[order],
        first,
    )
