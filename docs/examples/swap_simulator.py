"""Let MuJoCo or Drake make the steps of the same scene. Extras: mujoco, drake.
You see a humanoid take the same push in three simulators, and how deep its feet sink."""

import footfall

for simulator in ("footfall", "mujoco", "drake"):
    changes = {"simulator.plugin": simulator, "simulation.substeps": 2}
    run = footfall.load("humanoid/pushed", changes).run(duration=2.0)
    # The push of 60 N at the chest begins at 1 s and lasts 0.2 s.
    sway = run.base_position.sel(axis="x").isel(body=0) - run.base_position[0, 0, 0]
    depth = 1e3 * float(run.penetration.max())
    print(f"{simulator:8}  sways by {1e3 * float(sway.max()):5.1f} mm, feet sink by {depth:.4f} mm")
