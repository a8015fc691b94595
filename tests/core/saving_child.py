"""Programs that save over a good state and are killed while they do.

Run as ``python -m tests.core.saving_child PATH KILLS SEED`` from the top of the repository.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from footfall_stepper.world.state import Part, State, load_state, save_state

N = 20_000


def state_of(k):
    """Return a state full of one number."""
    state = State((Part("tick", (1,)), Part("q", (N,))))
    state.assign(k)
    return state


def save_for_ever(path, k):
    """Save one state over another until killed; the first is full of k."""
    while True:
        save_state(path, state_of(k), {"resolved": {}, "number": k}, overwrite=True)
        k += 1


def killed(path, kills, seed):
    """Kill as many savers, each at a random moment; return the numbers that were found."""
    rng, found = random.Random(seed), []
    save_state(path, state_of(-0.0), {"resolved": {}, "number": 0}, overwrite=True)
    for i in range(kills):
        child = os.fork()
        if child == 0:
            save_for_ever(path, 1000 * (i + 1))
        time.sleep(rng.uniform(0.0, 0.2))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        state, header = load_state(path)
        assert (state.vector == header["number"]).all()
        found.append(header["number"])
    return found


if __name__ == "__main__":
    path, kills, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    found = killed(path, kills, seed)
    print(len(found), len(set(found)), len(list(path.parent.glob(".footfall-*.new"))))
