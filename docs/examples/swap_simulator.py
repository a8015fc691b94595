"""Let MuJoCo or Drake simulate the same scene. Extras: mujoco, drake.
You see a humanoid take the same push in three simulators, and how deep its feet sink."""

import footfall

runs = {}
for simulator in ("footfall", "mujoco", "drake"):
    changes = {"simulator.plugin": simulator, "simulation.substeps": 2}
    runs[simulator] = footfall.load("humanoid/pushed", changes).run(duration=2.0)

# The push of 60 N at the chest begins at 1 s and lasts 0.2 s.
for simulator, run in runs.items():
    x = run.base_position.isel(body=0).sel(axis="x")
    sway, depth = 1e3 * float(x.max() - x[0]), 1e3 * float(run.penetration.max())
    print(f"{simulator:8}  sways by {sway:4.1f} mm, feet sink by {depth:.4f} mm")
