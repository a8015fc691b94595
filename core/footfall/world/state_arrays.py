"""The views of the state that the step's kernels update."""

from __future__ import annotations

import numpy as np

from footfall.world.arrays import StateArrays
from footfall.world.state import Part, State
from footfall.world.world import World

DETECTED = [
    Part("detected", (1,)),
    Part("detected_key", (0,), grows=True),
    Part("detected_impulse", (0, 3), grows=True),
    Part("detected_touching", (0,), grows=True),
]
"""Parts of worlds with collision detection: how many contacts there are, and what is known of each.

Number and keys are integers: the state holds their bits. Rows are in the order of the keys; those
of contacts that there is only room for are zero.
"""


def state_arrays(state: State) -> StateArrays:
    """Return the views; those of detected contacts move when the state gets more room."""
    detects = "detected" in state
    return StateArrays(
        state["q"],
        state["v"],
        state["impulse"],
        state["touching"],
        state["ledger"],
        state["joint_impulse"],
        state["nudot"],
        state["foot_wrench"],
        state["detected"].view(np.int64) if detects else np.zeros(1, np.int64),
        state["detected_impulse"] if detects else np.zeros((0, 3)),
        state["detected_touching"] if detects else np.zeros(0),
    )


def note_touching(state: State, world: World, touch: float) -> None:
    """Note which points and contacts are closed, with a gap of at most ``touch`` [m]."""
    state["touching"][:] = world.candidates.gap <= touch
    if "detected" in state:
        n = int(state["detected"].view(np.int64)[0])
        state["detected_touching"][:n] = world.detected.gap[:n] <= touch
