"""Run 256 copies of a scene at once, each with its own friction.
You see where they stop, compared with the closed form, and the steps per second."""

import time

import numpy as np

import footfall

RUNS, STEPS = 256, 2000
friction = np.linspace(0.35, 1.0, RUNS)

with footfall.Batch("cube/sliding", RUNS) as batch:
    batch.set("bodies.cube.friction", friction)
    batch.set("world.terrain.friction", friction)
    batch.step(substeps=10)  # compiles what is not yet compiled
    batch.reset()
    began = time.perf_counter()
    batch.step(substeps=STEPS)
    rate = RUNS * STEPS / (time.perf_counter() - began)
    distance = batch.q[:, 0].copy()

error = distance / (6.0**2 / (2.0 * friction * 9.81)) - 1.0  # of v^2 / (2 mu g)
print(f"from {distance.min():.2f} to {distance.max():.2f} m")
print(f"at most {100 * np.abs(error).max():.2f} % from v^2 / (2 mu g)")
print(f"{rate:,.0f} steps a second")
