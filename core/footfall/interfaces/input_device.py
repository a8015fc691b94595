"""The input-device role: reads a user's hand, returns force."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from footfall.interfaces.plugin import Plugin
from footfall.typing import Floats

HandMode = Literal["touch", "drag"]
"""Mode of a hand: push with a ball ("touch"), or drag the point that it holds ("drag")."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of a user's hand at one instant.

    Attributes:
        holds: whether the hand is closed (drag), or its tip is present (touch).
        position: shape (3,), of the device's tip, world frame, [m].
        rotation: shape (3, 3), of the device in the world; None if the device has none.
        velocity: shape (3,), of the tip, world frame, [m/s]. If None, the hand follows the
            positions, smoothly if the device is ``live``.
        force: shape (3,), the user's force on the device, world frame, [N]; None if not measured.
        link: the link to hold, ``link`` or ``body/link``; None for the nearest to the tip.
        point: shape (3,), the held point, in the link's frame, [m]; None for the point of the
            link's surface nearest to the tip.
        mode: mode of the hand; None for the scene's.
    """

    holds: bool
    position: Floats
    rotation: Floats | None = None
    velocity: Floats | None = None
    force: Floats | None = None
    link: str | None = None
    point: Floats | None = None
    mode: HandMode | None = None


class InputDevice(Plugin):
    """A device by which a user acts on a simulation.

    ``read`` and ``feel`` are called from the simulation's thread, once a step each, and must not
    block: a device that waits for others needs its own thread. The caller checks readings, so a
    device may return raw input.
    """

    live: ClassVar[bool] = True
    """Whether a user moves it during the run. If not, its motion is a function of time and
    settings: it belongs to a saved state, and a hand that holds something still holds it after a
    restore."""

    @property
    def links(self) -> tuple[str, ...]:
        """Links that it will pick, if known in advance: they must exist."""
        return ()

    def open(self) -> None:
        """Start; called once, before the first step of a run.

        Raises:
            FootfallError: if the device is not available.
        """

    @abstractmethod
    def read(self, time: float) -> Reading | None:
        """Return the hand at a simulated time [s], or None if the device is not in use."""

    def feel(self, time: float, force: Floats, moment: Floats) -> None:
        """Receive the force and moment on the user after the step that began at ``time`` [s].

        Args:
            time: simulated time, [s].
            force: shape (3,), world frame, [N]; copy it to keep it.
            moment: shape (3,), likewise, [N m].
        """

    def close(self) -> None:
        """Release everything; may be called more than once."""


class LiveDevice(InputDevice):
    """A device that receives its readings from the same process, e.g. from a viewer's page."""

    @abstractmethod
    def put(self, reading: Reading | None) -> None:
        """Set the newest reading, from any thread; None if the hand has gone away."""
