"""Checks for bodies that nothing supports, and for links that sink below the ground."""

from __future__ import annotations

import warnings

import numpy as np

from footfall import Alarm, Scene
from footfall.api.plugin import Floats, RobotWarning
from footfall.api.world import TerrainSample
from footfall_stepper.api import StepperSimulator
from footfall_watch.places import in_words

GROUND = "terrain"
"""Name of the body that has the ground's shapes."""
SUNK = 0.1
"""Least depth of a link's centre of mass below the ground that is reported, [m]."""
STRETCH = 1000
"""Steps between two checks of the links."""
SLIDES = 2
"""Number of sliding joints of a planar base, the first joints of its body."""


def tell_of_falling(scene: Scene, sim: StepperSimulator, tell: bool) -> None:
    """Warn of bodies that fall through the ground because nothing of them can touch it.

    These bodies have a moving base, weight and no contact points, and their shapes touch
    neither the ground nor a supported body.
    """
    falling = unheld(sim) if tell else []
    if falling:
        one, *others = falling
        more = f" and {len(others)} more bodies" if others else ""
        verb, whose = ("have", "them") if others else ("has", "it")
        warnings.warn(
            f"{one}{more} {verb} no contact points, so no part of {whose} touches the ground: give "
            f'{whose} some (footfall import), or set [collisions] ground = "shapes"',
            RobotWarning,
            stacklevel=3,
        )


def unheld(sim: StepperSimulator) -> list[str]:
    """Return the names of the bodies that gravity moves and that nothing supports."""
    names = [body.name for body in sim.world.bodies]
    pointed = {name.split("/")[0] for name in sim.world.contact_names}
    falls = {name for k, name in enumerate(names) if name not in pointed and _falls(sim, k)}
    shaped = _shaped(sim)
    if shaped - falls:  # a body with shapes may lie on a supported one
        falls -= shaped
    return [name for name in names if name in falls]


def _shaped(sim: StepperSimulator, on_ground: bool = False) -> set[str]:
    """Return the names of bodies with shapes that touch others, or at least the ground's."""
    collider = sim.world.collider
    if collider is None:
        return set()
    names = [shape.name.split("/")[0] for shape in collider.shapes]
    if not on_ground or GROUND not in names:
        return set() if on_ground else set(names)
    ground, apart = names.index(GROUND), set(collider.detector.excluded.tolist())
    return {name for k, name in enumerate(names[:ground]) if k * len(names) + ground not in apart}


def _falls(sim: StepperSimulator, index: int) -> bool:
    """Return whether gravity moves the base of a body."""
    topology, model = sim.world.topology, sim.world.bodies[index].model
    weight = float(np.linalg.norm(topology.gravity))
    if weight == 0.0 or topology.closed[index] == 2:  # a loop holds it to the world
        return False
    if model.base == "floating":
        return True
    if model.joint_names[:SLIDES] != ("planar_x", "planar_z"):
        return False
    first = int(topology.tree_v[index])
    along = sim.world.dynamics.S[first : first + SLIDES, :3] @ topology.gravity
    return bool(np.abs(along).max() > 1e-3 * weight)


class SunkLinks:
    """Checks whether links of bodies that touch the ground only with points sink below it.

    The check uses each link's centre of mass, which is inside the link's convex hull: if it is
    below the ground, nothing of the link supports it. A link counts if it is deeper by ``SUNK``
    than at the start of the run, and than the deepest contact point of its body. Links are
    checked every ``STRETCH`` steps only.
    """

    def __init__(self, sim: StepperSimulator) -> None:
        """Begin to watch a simulator in its present state."""
        self._sim, self._steps = sim, 0
        world, topology = sim.world, sim.world.topology
        pointed = {name.split("/")[0] for name in world.contact_names}
        judged = pointed - _shaped(sim, on_ground=True)
        body = np.array([world.bodies[tree].name in judged for tree in range(len(world.bodies))])
        self._links = np.flatnonzero(body[topology.link_tree] & (topology.mass > 0.0))
        n = len(self._links)
        self._points, self._sample = np.zeros((n, 3)), TerrainSample.allocate(n)
        self._since, self._depth, self._link, self._alarms = 0.0, 0.0, -1, list[Alarm]()
        if n:
            terrain = sim.stepper.terrain
            terrain.prepare(self._sample)
            self._ask = terrain.bound(self._points, self._sample)
            self._before = np.maximum(self._depths(sim.time), 0.0)

    def see(self, rows: Floats) -> None:
        """Take the rows of new steps, shape (n, width)."""
        self._steps += len(rows)
        if self._steps >= STRETCH:
            self._steps = 0
            self._look()

    def found(self) -> dict[str, list[str] | list[Alarm]]:
        """Return the line about the deepest link, if one has sunk below the ground.

        It is an alarm if the link is the whole body: a robot may fall over, a box has corners.
        """
        if self._steps:
            self._look()
        if self._link < 0:
            return {"notes": []}
        body, _, link = self._sim.world.link_names[self._link].partition("/")
        depth = in_words(self._depth / self._sim.world.metre)
        where = f"{link} of {body} is below the ground, by up to {depth}"
        cure = 'only contact points touch it ([collisions] ground = "shapes" lets shapes touch it)'
        if sum(name.startswith(f"{body}/") for name in self._sim.world.link_names) > 1:
            return {"notes": [f"t = {self._since:.6g} s: {where}: {cure}"]}
        what = f"a body is below the ground, by up to {depth}"
        self._alarms = self._alarms or [Alarm("ground", self._since, what, f"{body}/{link}", cure)]
        return {"alarms": self._alarms}

    def _look(self) -> None:
        if not len(self._links):
            return
        with np.errstate(all="ignore"):  # a failed run may have values that are not finite
            depth = np.nan_to_num(self._depths(self._sim.time))
        trees, candidates = self._sim.world.topology.link_tree, self._sim.world.candidates
        points = np.zeros(len(self._sim.world.bodies))
        np.maximum.at(points, trees[candidates.link], -np.nan_to_num(candidates.gap))
        beyond = depth - np.maximum(self._before, points[trees[self._links]])
        deepest = int(np.argmax(np.where(beyond > SUNK, depth, -np.inf)))
        if beyond[deepest] > SUNK and depth[deepest] > self._depth:
            if self._link < 0:
                self._since = self._sim.time
            self._depth, self._link = float(depth[deepest]), int(self._links[deepest])

    def _depths(self, time: float) -> Floats:
        """Return the depths of the links' centres of mass in the ground, [m]."""
        pose, com = self._sim.world.dynamics.pose[self._links], self._sim.world.topology.com
        turn = pose[:, :9].reshape(-1, 3, 3)  # column-major: its rows are the link's axes
        self._points[:] = np.einsum("nji,nj->ni", turn, com[self._links]) + pose[:, 9:]
        self._ask(time)
        return -self._sample.gap
