"""A recorded motion: what is drawn at each of a row of times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from footfall.errors import RecordingError
from footfall.interfaces.visualizer import Frame, SceneGraph

Floats = npt.NDArray[np.floating]


@dataclass(frozen=True, slots=True)
class Motion:
    """The frames of a recording as arrays; row k of each is the frame at ``time[k]``.

    Attributes:
        time: shape (frames,), strictly increasing, [s].
        poses: shape (frames, n_links, 7), world position [m] and quaternion x, y, z, w.
        contact_position: shape (frames, n_contacts, 3), world, [m].
        contact_force: shape (frames, n_contacts, 3), world, [N].
        com: shape (frames, 3), total centre of mass, world, [m].
    """

    time: Floats
    poses: Floats
    contact_position: Floats
    contact_force: Floats
    com: Floats

    def check(self, graph: SceneGraph) -> None:
        """Raise RecordingError unless the shapes fit the scene and the times increase."""
        frames = len(self.time)
        expected = {
            "time": (frames,),
            "poses": (frames, graph.n_links, 7),
            "contact_position": (frames, graph.n_contacts, 3),
            "contact_force": (frames, graph.n_contacts, 3),
            "com": (frames, 3),
        }
        for name, shape in expected.items():
            given = np.shape(getattr(self, name))
            if given != shape:
                raise RecordingError(f"{name} of shape {given} where the scene has {shape}")
        if not frames:
            raise RecordingError("a motion without frames cannot be shown")
        if not np.isfinite(self.time).all() or (np.diff(self.time) <= 0.0).any():
            raise RecordingError("the times of a motion must be finite and increase")

    def frame(self, k: int) -> Frame:
        """Return frame k."""
        return Frame(
            float(self.time[k]),
            np.asarray(self.poses[k], np.float64),
            np.asarray(self.contact_position[k], np.float64),
            np.asarray(self.contact_force[k], np.float64),
            np.asarray(self.com[k], np.float64),
        )

    def decimated(self, rate: float) -> Motion:
        """Return at most ``rate`` frames a second [1/s]: those that first reach each tick, and
        always the first and the last.
        """  # noqa: D205 - one sentence
        tick = np.floor((self.time - self.time[0]) * rate * (1.0 + 1e-9) + 1e-6)
        keep = np.concatenate([[True], np.diff(tick) > 0.0])
        keep[-1] = True
        rows = np.flatnonzero(keep)
        return Motion(*(np.asarray(getattr(self, name))[rows] for name in self.__slots__))
