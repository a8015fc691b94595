"""Let another dynamics engine compute the robot's equations of motion.
You see two engines land the same humanoid at the same place, to rounding."""

import numpy as np

import footfall

ends = {}
for engine in ("featherstone", "pinocchio"):  # with extras also "idyntree" and "mujoco"
    sim = footfall.load("humanoid/drop", {"engine.plugin": engine})
    report = sim.record(1.0)  # simulates, and keeps figures only
    ends[engine] = sim.q.copy()
    step = 1e6 * report.typical_step
    print(f"{engine:13} base at {sim.q[2]:.9f} m, {step:.0f} us a step")

apart = np.abs(ends["featherstone"] - ends["pinocchio"]).max()
print(f"largest difference of all coordinates after 1 s: {apart:.1e}")
