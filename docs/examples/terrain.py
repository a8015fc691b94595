"""Make ground from your own heights, in a scene written in Python.
You see a ball roll through a bowl, and its period compared with the closed form."""

import tempfile
from pathlib import Path

import numpy as np

import footfall

BOWL, BALL = 5.0, 0.1  # radius of curvature at the bottom of the bowl, and of the ball, [m]
x, y = np.meshgrid(np.linspace(-1.0, 1.0, 401), np.linspace(-1.0, 1.0, 401))
heights = Path(tempfile.mkdtemp()) / "bowl.npy"
np.save(heights, (x**2 + y**2) / (2.0 * BOWL))

ground = {"plugin": "heightmap", "file": str(heights), "size": [2.0, 2.0], "friction": 0.8}
ball = {"robot": "ball", "base_position": [0.3, 0.0, 0.3**2 / (2.0 * BOWL) + 1.002 * BALL]}
scene = footfall.scene_from_dict({"world": {"terrain": ground}, "bodies": {"ball": ball}})
run = footfall.assemble(scene).run(12.0)

x = run.base_position.sel(body="ball", axis="x").values
down = run.time.values[1:][(x[:-1] > 0.0) & (x[1:] <= 0.0)]  # passes the bottom
# A solid ball that rolls swings as one that slides with 7/5 of its mass.
period = 2.0 * np.pi * np.sqrt(1.4 * (BOWL - BALL) / 9.81)
print(f"period {np.diff(down).mean():.3f} s; of small swings, 2 pi sqrt(7 R / 5 g): {period:.3f} s")
