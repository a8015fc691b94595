"""Centres of mass as parameters: their effect on the momentum and the motion of rigid bodies."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from footfall.api.plugin import Floats
from footfall_gradients.kernels.move import FLYING
from footfall_gradients.manifold import rotation, skew
from footfall_gradients.tables import Motion, PartArrays
from footfall_stepper.api import World


class Centres:
    """The centres of mass of a world's rigid bodies without joints, by parameters.

    For a change dc of a centre c, with the acceleration a and the angular acceleration b:
    ``df = m b x dc`` and ``dn = dc x f + c x df``, with the force ``f = m (a - g + b x c)``.
    """

    def __init__(self, world: World, slopes: Mapping[str, Floats], part: PartArrays) -> None:
        """Find the bodies.

        Args:
            world: the world.
            slopes: derivatives of its numbers, see ``parameters.numbers``.
            part: arrays of a part.
        """
        topology, change = world.topology, slopes.get("com")
        self._part, self._topology = part, topology
        self._moved = [
            (tree, int(topology.tree_v[tree]), link, change[link])
            for tree, link in enumerate(topology.tree_link[:-1])
            if change is not None and change[link].any()
        ]

    def add_force(self, motion: Motion) -> None:
        """Subtract the change of ``M (x - v) + dt h`` at a part's motion from ``balance``."""
        nv = len(self._part.v)
        for _, i, link, dc in self._moved:
            R = motion.pose[link, :9].reshape(3, 3).T
            a, b = motion.acceleration[i : i + 3], motion.acceleration[i + 3 : i + 6]
            mass, c = self._topology.mass[link], self._topology.com[link]
            f = mass * (a - R.T @ motion.gravity + skew(b) @ c)
            df = mass * skew(b) @ dc
            self._part.balance[i : i + 3, 2 * nv + 1 :] -= df
            self._part.balance[i + 3 : i + 6, 2 * nv + 1 :] -= skew(c) @ df - skew(f) @ dc

    def move(self, dt: float, split: Floats) -> None:
        """Add the change of the new state at fixed x to ``dq`` and ``dv``.

        Args:
            dt: length of the part, [s].
            split: shape (nv,), velocity by split impulses, zeros without them.
        """
        a, nv = self._part, len(self._part.v)
        for tree, i, _, dc in self._moved:
            place, turn = slice(i, i + 3), slice(i + 3, i + 6)
            E, by = rotation(a.way[turn]), slice(3 * nv, -1)
            mean = a.place[turn]
            if a.flying[tree] == FLYING:
                mean = 0.5 * (a.v[turn] + a.x[turn]) + split[turn]
            a.dv[place, by] += (E.T @ skew(a.x[turn]) - skew(a.new[turn])) @ dc
            a.dq[place, by] += E.T @ (dt * skew(mean) + np.eye(3) - E) @ dc
