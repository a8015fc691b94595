"""MuJoCo's contacts between shapes, in the form of Footfall's detectors."""

from __future__ import annotations

import mujoco
import numpy as np

from footfall.api.plugin import Floats, Ints1
from footfall_simulators.mujoco.model import Translation
from footfall_stepper.api import Collider, FoundContacts


class Contacts:
    """A detector that uses MuJoCo: kinematics and collision at the state's positions.

    Attributes:
        found: contacts of the last call; tagged with the listed pair of the MuJoCo model.
        shapes: shapes that can touch.
    """

    def __init__(self, translation: Translation, data: mujoco.MjData, collider: Collider) -> None:
        self._here, self._data, self._key = translation, data, collider.key
        self.shapes, self.found = collider.shapes, FoundContacts()
        self.groups, self.excluded = collider.detector.groups, collider.detector.excluded
        self._q: Floats = np.zeros(translation.model.nq)

    def connect(self, q: Floats) -> None:
        """Store the array of positions, shape (nq,)."""
        self._q = q

    def bound(self, poses: Floats) -> None:
        """Offer no kernel."""

    def detect(self, poses: Floats) -> FoundContacts:
        """Find the contacts at the positions in the state, to which the poses belong."""
        model, data = self._here.model, self._data
        data.qpos[:] = self._q[self._here.q]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        self._take()
        return self.found

    def _take(self) -> None:
        here, contact = self._here, self._data.contact
        at, keys = self.keys()
        pair = self.pairs()[at]
        normal = contact.frame[at, :3].copy()
        normal[contact.geom[at, 0] != here.first[pair]] *= -1.0
        self.found.take(
            key=keys,
            geometry_a=here.numbers[pair, 0],
            geometry_b=here.numbers[pair, 1],
            link_a=here.links[pair, 0],
            link_b=here.links[pair, 1],
            position=contact.pos[at],
            normal=normal,
            gap=contact.dist[at],
            tag=pair,
        )

    def pairs(self) -> Ints1:
        """Return the listed pair of each of MuJoCo's contacts."""
        geom = self._data.contact.geom
        found: Ints1 = self._here.pair[geom[:, 0], geom[:, 1]]
        return found

    def keys(self) -> tuple[Ints1, Ints1]:
        """Return the indices of MuJoCo's contacts between shapes, and their keys.

        The feature of a key is the index of the contact among those of its pair.
        """
        pairs = self.pairs()
        at = np.flatnonzero(self._here.declared[pairs] < 0)
        seen: dict[int, int] = {}
        keys = np.zeros(len(at), np.int64)
        for k, pair in enumerate(pairs[at].tolist()):
            feature = seen[pair] = seen.get(pair, -1) + 1
            a, b = self._here.numbers[pair].tolist()
            keys[k] = self._key(a, b, feature)
        return at, keys
