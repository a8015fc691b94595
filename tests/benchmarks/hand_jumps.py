"""How smooth the force of a hand is whose device gives positions seldom, as a slow page does.

python -m tests.benchmarks.hand_jumps

A hand holds a cube of 1 kg at rest in the air, then moves it along by 0.3 m within a second, and
says so so many times a second. Beside it is the force of a hand that says in every step where it is
and how fast it moves. The delay is that of the hand behind what the device says, at half its way.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

import numpy as np

import footfall
from footfall.interfaces.input_device import InputDevice, Reading
from footfall.interfaces.plugin import NoConfig

RATES = (5.0, 10.0, 30.0, 60.0)
WAY, BEGIN, LASTS, END = 0.3, 0.5, 1.0, 2.0
"""How far the hand goes [m], from when and how long [s], and when a run ends [s]."""
HEIGHT = 0.5


class Moved(InputDevice):
    """Says where the hand is so many times a second, or in every step and how fast."""

    name = "moved"

    def __init__(self, rate: float | None) -> None:
        self.config, self._rate = NoConfig(), rate

    def read(self, time: float) -> Reading:
        """Return what was said last."""
        rate = self._rate
        at = time if rate is None else np.floor(time * rate + 1e-9) / rate
        place, speed = way(at)
        where = np.array([place, 0.0, HEIGHT])
        velocity = np.array([speed, 0.0, 0.0]) if rate is None else None
        return Reading(True, where, velocity=velocity, link="cube", point=np.zeros(3))


def way(time: float) -> tuple[float, float]:
    """Return place [m] and speed [m/s] of a smooth movement from rest to rest."""
    part = min(max((time - BEGIN) / LASTS, 0.0), 1.0)
    place = WAY * (part - np.sin(2.0 * np.pi * part) / (2.0 * np.pi))
    return place, WAY * (1.0 - np.cos(2.0 * np.pi * part)) / LASTS


class Felt(NamedTuple):
    """What was felt along the way: largest force and largest change in a step [N], delay [s]."""

    most: float
    jump: float
    delay: float


def measure(rate: float | None, **hand: Any) -> Felt:
    """Move the hand, and return what it feels."""
    settings = {"device.plugin": "mouse", "stiffness": 500.0, "force_limit": 1e4, **hand}
    changes: dict[str, Any] = {f"hands.right.{key}": value for key, value in settings.items()}
    changes |= {"world.gravity": [0.0, 0.0, 0.0], "simulation.duration": END}
    changes |= {"bodies.cube.base_position": [0.0, 0.0, HEIGHT]}
    changes |= {"bodies.cube.base_linear_velocity": [0.0, 0.0, 0.0]}
    sim = footfall.load("cube/sliding", changes)
    sim.hands["right"].device = Moved(rate)
    run = sim.run(END)
    force = run.hand_force.values[:, 0, 0]
    target, time = run.hand_target.values[:, 0, 0], run.time.values
    half = time[np.argmax(target >= 0.5 * WAY)] - (BEGIN + 0.5 * LASTS)
    return Felt(float(np.abs(force).max()), float(np.abs(np.diff(force)).max()), float(half))


def main() -> int:
    """Print a line for each rate."""
    smooth = measure(None)
    print(f"every step: force up to {smooth.most:.2f} N, changes by {smooth.jump:.3f} N in a step")
    for rate in RATES:
        for name, hand in {"followed": {}, "as it comes": {"follow_time": 0.0}}.items():
            felt = measure(rate, **hand)
            print(
                f"{rate:3.0f} Hz {name:<12} force up to {felt.most:6.2f} N, "
                f"changes by {felt.jump:7.3f} N in a step, {1e3 * felt.delay:4.0f} ms behind"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
