"""A model or scene with names for its links and dofs, and the comparison of two by these names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from footfall.api.plugin import Ints
from footfall_compare.twin.facts import Facts
from footfall_compare.twin.layer import Layer, entries, sets
from footfall_compare.twin.layers import FASTEST, SPREAD, STATES, compared, worst

BASE = dict.fromkeys(("vx", "vy", "vz", "wx", "wy", "wz"), "floating base")
"""Velocities of a floating base by name, with its name among the joints."""
BEFORE = (
    *("time step", "gravity", "solver", "start posture", "contact geometry"),
    *("friction of contacts", "softness of contacts", "limits of torque"),
    *("limits of actuators", "gains", "actuators"),
)
"""Tables compared before the facts, which do not depend on each other."""
DRIVEN = "force of drives and pushes"
AFTER = ("other settings",)


@dataclass(frozen=True, slots=True)
class Side:
    """One of two compared models.

    Attributes:
        dofs: shape (nv,), names of the velocities; those of a floating base are ``BASE``.
        dof_parent: shape (nv,), the next dof towards the root, -1 at the root.
        links: names of the links that move.
        link_dof: shape (links,), the last dof that moves each link.
        start: positions at the start by name.
        at: returns the facts at positions and velocities, both by name.
        tables: values by entry, by layer, for what the model can say beside the facts.
    """

    dofs: tuple[str, ...]
    dof_parent: Ints
    links: tuple[str, ...]
    link_dof: Ints
    start: Mapping[str, float]
    at: Callable[[Mapping[str, float], Mapping[str, float]], Facts]
    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def joints(self) -> dict[str, None]:
        """Names of the joints in order, floating bases among them."""
        parts = (dof.rpartition("/") for dof in self.dofs)
        return dict.fromkeys(a + b + BASE.get(dof, dof) for a, b, dof in parts)

    @property
    def ends(self) -> dict[str, int]:
        """Links by the name of their last dof."""
        return {self.dofs[dof]: link for link, dof in enumerate(self.link_dof.tolist())}

    def parent(self, link: int, among: Mapping[str, int]) -> int:
        """Return the nearest link towards the root of those named by their dof, -1 if none."""
        dof = int(self.dof_parent[self.link_dof[link]])
        while dof >= 0 and self.dofs[dof] not in among:
            dof = int(self.dof_parent[dof])
        return among[self.dofs[dof]] if dof >= 0 else -1


def compare(ours: Side, theirs: Side) -> list[Layer]:
    """Compare two models layer by layer: joints and links with the same names, and tables of both.

    Links are the same if their last joints have the same name. Frames are relative to the parent.
    """
    found = _joints(ours, theirs) + _tables(ours, theirs, BEFORE)
    dofs = [dof for dof in ours.dofs if dof in theirs.dofs]
    if dofs:
        facts = (each for each in worst(list(_facts(ours, theirs, dofs))) if each.name != DRIVEN)
        found += [replace(each, name=each.name.removesuffix(" and gains")) for each in facts]
    return found + _tables(ours, theirs, AFTER)


def left_out(ours: Side, theirs: Side) -> str:
    """Return the tables that are not compared, as a list in words."""
    missing = (ours.tables.keys() | theirs.tables.keys()) - set(_common(ours, theirs))
    return ", ".join(name for name in (*BEFORE, *AFTER) if name in missing)


def _common(ours: Side, theirs: Side) -> list[str]:
    """Return the tables of both; those of a scene and of a file may have no entry in common."""
    a, b = ours.tables, theirs.tables
    names = a.keys() & b.keys()
    return [n for n in names if a[n].keys() & b[n].keys() or not (a[n] or b[n])]


def _joints(ours: Side, theirs: Side) -> list[Layer]:
    found = sets("joints", ours.joints, theirs.joints)
    sizes = f"nq {len(ours.start)} here, {len(theirs.start)} there; "
    here = [name for name in ours.joints if name in theirs.joints]
    there = [name for name in theirs.joints if name in ours.joints]
    return [
        replace(found, where=sizes + found.where),
        entries("order of joints", dict(enumerate(here)), dict(enumerate(there))),
    ]


def _tables(ours: Side, theirs: Side, names: tuple[str, ...]) -> list[Layer]:
    """Compare tables; only the entries of both where joints differ."""
    a, b, common = ours.tables, theirs.tables, _common(ours, theirs)
    differ = ours.joints.keys() != theirs.joints.keys()
    return [entries(name, a[name], b[name], shared=differ) for name in names if name in common]


def _facts(ours: Side, theirs: Side, dofs: list[str]) -> Iterator[list[Layer]]:
    rng, ends = np.random.default_rng(0), [dof for dof in ours.ends if dof in theirs.ends]
    places = {name for name in ours.start if name in theirs.start}
    for _ in range(STATES):
        q = {n: ours.start[n] + rng.uniform(-SPREAD, SPREAD) for n in ours.start if n in places}
        v = {name: rng.uniform(-FASTEST, FASTEST) for name in dofs}
        here, there = (_named(side, side.at(q, v), dofs, ends) for side in (ours, theirs))
        yield compared(here, there, [ours.links[ours.ends[dof]] for dof in ends], dofs)


def _named(side: Side, facts: Facts, dofs: list[str], ends: list[str]) -> Facts:
    """Return the facts of named dofs and links, poses relative to the parents."""
    at = {dof: k for k, dof in enumerate(side.dofs)}
    links, among = [side.ends[dof] for dof in ends], {dof: side.ends[dof] for dof in ends}
    parents = [side.parent(link, among) for link in links]
    found = facts.of(np.array(links, np.int64), np.array([at[dof] for dof in dofs]))
    for row, parent in enumerate(parents):
        if parent >= 0:
            R, p = facts.pose[parent, :9].reshape(3, 3), facts.pose[parent, 9:]
            found.pose[row, :9] = (R.T @ found.pose[row, :9].reshape(3, 3)).ravel()
            found.pose[row, 9:] = R.T @ (found.pose[row, 9:] - p)
    return found
