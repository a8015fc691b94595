"""Import a robot's URDF and stand it up. Extra: robots.
You see the findings of the import, and how little the robot moves in five seconds."""

import os
import subprocess
import tempfile

import footfall

os.chdir(tempfile.mkdtemp())  # the import writes a folder here
# A file of yours will do as well: footfall import my_robot.urdf
subprocess.run(["footfall", "import", "example-robot-data:solo12"], check=True)

run = footfall.load("solo12/scenes/standing.toml").run()
base = run.base_position.isel(body=0)
moved = 1e3 * float(abs(base - base[0]).max())
print(f"stands on {run.sizes['contact']} feet with {run.attrs['mass']:.1f} kg")
print(f"the base moves by {moved:.3f} mm at most")
