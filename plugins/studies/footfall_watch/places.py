"""Place of an alarm: the contact that pushes hardest or is deepest, and its body's size."""

from __future__ import annotations

import numpy as np

from footfall.api.plugin import Floats
from footfall_stepper.api import StepperSimulator


def in_words(length: float) -> str:
    """Return a length in mm, or in m from 1 m on, to three digits."""
    return f"{length:.3g} m" if length >= 1.0 else f"{1e3 * length:.3g} mm"


def body_sizes(sim: StepperSimulator) -> list[float]:
    """Return the size of each tree, twice its mass' root mean square distance from its centre, [m].

    This is the edge of a cube, 1.55 radii of a ball. Trees linked by a loop count separately.
    """
    topology, pose = sim.world.topology, sim.world.dynamics.pose
    sizes = []
    for tree in range(len(topology.free)):
        links = np.flatnonzero((topology.link_tree == tree) & (topology.mass > 0.0))
        mass = topology.mass[links]
        if not len(links):
            sizes.append(np.inf)
            continue
        rotation = pose[links, :9].reshape(-1, 3, 3).transpose(0, 2, 1)
        com = np.einsum("nij,nj->ni", rotation, topology.com[links]) + pose[links, 9:]
        middle = mass @ com / mass.sum()
        own = 0.5 * np.trace(topology.inertia[links], axis1=1, axis2=2).sum()
        total = own + mass @ ((com - middle) ** 2).sum(axis=1)
        sizes.append(2.0 * float(np.sqrt(total / mass.sum())))
    return sizes


def hardest_contact(sim: StepperSimulator, row: Floats) -> str:
    """Return the contact with the largest impulse of a step; "" if nothing touches.

    Args:
        sim: simulator of the step.
        row: row of the recording; detected contacts are those of the last step.
    """
    world, names = sim.world, sim.world.contact_names
    with np.errstate(all="ignore"):  # a failed run may have values that are not finite
        declared = np.linalg.norm(sim.layout.view(row, "impulse").reshape(-1, 3), axis=1)
        found = np.linalg.norm(world.detected.impulse[: _count(sim)], axis=1)
    if found.max(initial=0.0) > declared[: len(names)].max(initial=0.0):
        return found_name(sim, int(np.argmax(found)))
    if declared.max(initial=0.0) > 0.0:
        return names[int(np.argmax(declared))]
    return ""


def deepest_contact(
    sim: StepperSimulator, row: Floats, sizes: list[float]
) -> tuple[str, float, float]:
    """Return the deepest contact in words, its depth [m], and the size of its smaller body [m]."""
    world, topology = sim.world, sim.world.topology
    declared = sim.layout.view(row, "gap").ravel()[: len(world.contact_names)]
    found = world.detected.gap[: _count(sim)]
    if found.min(initial=np.inf) < declared.min(initial=np.inf):
        k = int(np.argmin(found))
        links = [link for link in world.detected.link[k] if link >= 0]
        return found_name(sim, k), -float(found[k]), _smallest(topology, links, sizes)
    k = int(np.argmin(declared))
    links = [world.candidates.link[k]]
    return world.contact_names[k], -float(declared[k]), _smallest(topology, links, sizes)


def _smallest(topology: object, links: list[int], sizes: list[float]) -> float:
    trees = topology.link_tree  # type: ignore[attr-defined]
    return min((sizes[trees[link]] for link in links), default=np.inf)


def _count(sim: StepperSimulator) -> int:
    collisions = sim.stepper.collisions
    return 0 if collisions is None else int(collisions.count)


def found_name(sim: StepperSimulator, k: int) -> str:
    """Return the two shapes of a detected contact."""
    collider, collisions = sim.world.collider, sim.stepper.collisions
    assert collider is not None
    assert collisions is not None
    return " and ".join(collider.touching(int(collisions.keys[k])))
