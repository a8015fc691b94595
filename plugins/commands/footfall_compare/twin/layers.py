"""The layers of two simulators, ordered so that a difference in one causes the next ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol, cast

import numpy as np

from footfall.api.plugin import Floats, Ints
from footfall_compare.twin.facts import Facts, mujoco_facts, own_facts
from footfall_compare.twin.layer import Layer, entries, layer, sets
from footfall_stepper.api import StepperSimulator, World

STATES, SPREAD, FASTEST, ABOVE = 4, 0.4, 1.0, 50.0
"""Random states: their number, largest joint offset from the start [rad or m], largest velocity
[rad/s or m/s], and height above the ground [m]."""
INTO = 1e-3
"""Depth of floating bases in the ground for the comparison of contacts, [m]."""
BARELY = 1e-6
"""Depth up to which a contact may be open in one simulator, [m]."""

DRIVEN = "damping of joints and gains", "force of drives and pushes"
"""Layers that depend on controllers."""


def compared(ours: Facts, theirs: Facts, links: Sequence[str], dofs: Sequence[str]) -> list[Layer]:
    """Compare the quantities at one state."""
    return [
        layer("mass of links", "kg", links, ours.mass, theirs.mass),
        layer("centres of mass", "m", links, ours.com, theirs.com, absolute=1e-8),
        layer("inertia of links", "kg m^2", links, ours.inertia, theirs.inertia, relative=1e-6),
        layer("axes of joints", "-", dofs, ours.axes, theirs.axes),
        layer("frames of links", "m", links, ours.pose, theirs.pose),
        layer("velocities of links", "m/s", links, ours.twist, theirs.twist),
        layer("reflected inertia", "kg m^2", dofs, ours.armature, theirs.armature),
        layer("limits of joints", "rad, m", dofs, ours.limits, theirs.limits),
        layer("friction of joints", "N m", dofs, ours.friction, theirs.friction),
        layer("damping of joints and gains", "N m s", dofs, ours.damping, theirs.damping),
        layer("inertia M", "kg m^2", dofs, ours.M, theirs.M, relative=1e-7),
        layer("bias force h", "N m", dofs, ours.h, theirs.h, relative=1e-6),
        layer("force of drives and pushes", "N m", dofs, ours.force, theirs.force, relative=1e-7),
    ]


def worst(found: Sequence[Sequence[Layer]]) -> list[Layer]:
    """Return the comparison with the largest relative difference for each layer."""
    return [max(row, key=_excess) for row in zip(*found, strict=True)]


def _excess(one: Layer) -> float:
    return one.difference / one.allowed if one.allowed > 0.0 else one.difference


class _Translation(Protocol):
    v: Ints
    pair: Ints
    declared: Ints
    numbers: Ints


class _MujocoGuest(Protocol):
    model: Any
    data: Any
    translation: _Translation


class Pair:
    """A scene in Footfall and in MuJoCo, in the same states.

    Attributes:
        ours: Footfall's simulator.
        theirs: MuJoCo's simulator.
        q: shape (nq,), initial positions.
        v: shape (nv,), initial velocities.
    """

    def __init__(self, ours: StepperSimulator, theirs: StepperSimulator) -> None:
        self.ours, self.theirs = ours, theirs
        self.q, self.v = ours.q.copy(), ours.v.copy()
        topology = ours.world.topology
        self._floats = np.flatnonzero(topology.floating)
        self._heights = topology.tree_q[self._floats] + 2
        self._bases = topology.tree_v[self._floats]
        guest = cast("_MujocoGuest", theirs.stepper.guest)
        self.model, self.data, self.translation = guest.model, guest.data, guest.translation
        self._links = [
            int(self.model.body(f"{index}/{link}").id)
            for index, body in enumerate(ours.world.bodies)
            for link in range(body.model.n_links)
        ]

    def put(self, q: Floats, v: Floats) -> None:
        """Set both to a state."""
        for sim in (self.ours, self.theirs):
            sim.q[:], sim.v[:] = q, v

    def step(self, torques: Floats | None = None) -> None:
        """Step both, with their controllers or the given torques."""
        for sim in (self.ours, self.theirs):
            sim.step(torques)

    def at(self, q: Floats, v: Floats, torques: Floats | None) -> list[Layer]:
        """Compare the quantities at the start of a step from a state."""
        self.put(q, v)
        self.step(torques)
        self.ours.q[:], self.ours.v[:] = q, v
        self.ours.look()
        ours = own_facts(self.ours, q, v)
        theirs = mujoco_facts(self.model, self.data, self._links, self.translation.v, self._bases)
        links = [name.removeprefix("/") for name in self.ours.world.link_names]
        return compared(ours, theirs, links, self.ours.labels.velocity)

    def random(self, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Return a random state high above the ground."""
        world = self.ours.world
        q = self.q + rng.uniform(-SPREAD, SPREAD, world.nq)
        for tree, z in zip(self._floats, self._heights, strict=True):
            q[z + 1 : z + 5] /= np.linalg.norm(q[z + 1 : z + 5])
            q[z] = self.q[z] + ABOVE * (1.0 + tree)
        return q, rng.uniform(-FASTEST, FASTEST, world.nv)

    def still(self) -> Floats:
        """Return zero torques."""
        return np.zeros(len(self.ours.driving.motors))

    def model_layers(self) -> list[Layer]:
        """Compare links, joints, M and h at random states, drives and gains at the start.

        Torques are zero at random states.
        """
        rng = np.random.default_rng(0)
        random = [self.at(*self.random(rng), self.still()) for _ in range(STATES)]
        lifted = self.q.copy()
        lifted[self._heights] += ABOVE * (1.0 + self._floats)
        first = self.at(lifted, self.v, None)
        farthest = worst([*random, first])
        pairs = zip(farthest, first, strict=True)
        return [at_start if at_start.name in DRIVEN else far for far, at_start in pairs]

    def setting_layers(self) -> list[Layer]:
        """Compare time step, gravity and positions at the start."""
        option, labels = self.model.opt, self.ours.labels.position
        here, there = (dict(zip(labels, sim.q, strict=True)) for sim in (self.ours, self.theirs))
        return [
            entries("time step", {"step": self.ours.time_step}, {"step": option.timestep}),
            entries("gravity", {"gravity": self.ours.gravity}, {"gravity": option.gravity}),
            entries("start posture", here, there),
        ]

    def contact_layers(self) -> list[Layer]:
        """Compare the contacts with floating bases ``INTO`` lower than at the start."""
        q = self.q.copy()
        q[self._heights] -= INTO
        self.put(q, np.zeros_like(self.v))
        self.ours.look()
        here = _touching(self.ours)  # before the step
        self.put(q, np.zeros_like(self.v))
        self.theirs.step(self.still())
        there = self._touching_there()
        deep, deep_there = (
            {n for n, (gap, _) in one.items() if gap < -BARELY} for one in (here, there)
        )
        both = sorted(deep & deep_there)
        ours, theirs = (np.array([one[n] for n in both]).reshape(-1, 2) for one in (here, there))
        return [
            sets(
                "contacts at the start",
                deep - (there.keys() - deep_there),
                deep_there - (here.keys() - deep),
            ),
            layer("gaps", "m", both, ours[:, 0], theirs[:, 0], absolute=1e-6),
            layer("friction of contacts", "-", both, ours[:, 1], theirs[:, 1], absolute=2e-5),
        ]

    def _touching_there(self) -> dict[str, tuple[float, float]]:
        """Return gap and friction of MuJoCo's contacts by name; the deepest of each pair."""
        found: dict[str, tuple[float, float]] = {}
        contact, here, world = self.data.contact, self.translation, self.ours.world
        pairs = here.pair[contact.geom[:, 0], contact.geom[:, 1]]
        for i, pair in enumerate(pairs.tolist()):
            gap = float(contact.dist[i] - contact.includemargin[i])
            c = int(here.declared[pair])
            name = world.contact_names[c] if c >= 0 else _pair(world, here.numbers[pair].tolist())
            friction = float(contact.friction[i, 0])
            if gap <= 0.0 and gap < found.get(name, (np.inf, 0.0))[0]:
                found[name] = gap, friction
        return found

    def layers(self) -> Iterator[Layer]:
        """Yield all layers in order."""
        states = [(sim, sim.state.copy()) for sim in (self.ours, self.theirs)]
        kinds = self.setting_layers, self.model_layers, self.contact_layers
        for layers_of_kind in kinds:
            try:
                yield from layers_of_kind()
            finally:
                for sim, state in states:
                    sim.state.restore(state)


def _touching(sim: StepperSimulator) -> dict[str, tuple[float, float]]:
    """Return gap and friction of closed contacts by name; the deepest of each pair."""
    problem, world = sim.stepper.problem, sim.world
    found: dict[str, tuple[float, float]] = {}
    for b, c in enumerate(problem.candidate.tolist()):
        if c < 0 or problem.gap[b] > 0.0:
            continue
        name = world.contact_names[c] if c < world.n_contacts else _detected(sim, c)
        if problem.gap[b] < found.get(name, (np.inf, 0.0))[0]:
            found[name] = float(problem.gap[b]), float(problem.mu[b])
    return found


def _detected(sim: StepperSimulator, c: int) -> str:
    collider, collisions = sim.world.collider, sim.stepper.collisions
    assert collider is not None
    assert collisions is not None
    names = collider.touching(int(collisions.keys[c - sim.world.n_contacts]))
    return " and ".join(sorted(names))


def _pair(world: World, numbers: Sequence[int]) -> str:
    assert world.collider is not None
    return " and ".join(sorted(world.collider.names[number] for number in numbers))
