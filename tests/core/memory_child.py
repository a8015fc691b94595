"""Runs scenes, then one kernel that writes past an array, for ``.ci/variants memory``."""

import sys

import numpy as np

import footfall
from footfall.api.kernels import kernel


@kernel
def fill(x, count):
    for i in range(count):
        x[i] = 1.0


for scene in sys.argv[1:]:
    sim = footfall.load(scene)
    sim.run(20.0 * sim.time_step)
    sim.record(20.0 * sim.time_step)
    print(scene, sim.time, flush=True)
beyond = np.zeros(1000)
fill(beyond, len(beyond) + 1)
