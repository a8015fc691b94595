"""Find a coefficient of friction from a measured motion.
You see the fit find the friction that made the data, with a confidence interval."""

import numpy as np

import footfall

# The measurement: a cube that slides, 100 rows a second, with 1 mm of noise.
truth = {"bodies.cube.friction": 0.37, "recorder.interval": 10}
run = footfall.load("cube/sliding", truth).run(0.8)
noise = np.random.default_rng(1).normal(0.0, 1e-3, (run.sizes["time"], 3))
q = run.q.values.copy()
q[1:, :3] += noise[1:]  # the start is known
measured = {"time": run.time.values, "q": q, "v": run.v.values}

found = footfall.fit(
    "cube/sliding",
    [measured],
    {"bodies.cube.friction": (0.05, 1.5)},  # bounds of what is sought
    residuals={"position": 1e-3},  # an error of 1 mm counts as 1
)
one = found.parameters["bodies.cube.friction"]
low, high = one.interval
print(f"friction {one.value:.4f}, 95 % between {low:.4f} and {high:.4f}; it was 0.37")
