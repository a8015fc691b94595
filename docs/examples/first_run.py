"""Load a scene, run it and read the recording.
You see a humanoid land on its feet. In the end the ground carries its weight."""

import footfall

sim = footfall.load("humanoid/drop")  # `footfall scenes` lists all that are bundled
run = sim.run(duration=2.0)  # an xarray Dataset with named dimensions and units

force = run.contact_force.sel(axis="z").sum("contact")  # [N], upwards, of all contacts
landing = float(run.time[force > 0.0][0])
print(f"touches the ground at {landing:.3f} s, after a fall of 5 cm: {(0.1 / 9.81) ** 0.5:.3f} s")
print(f"the ground pushes with {float(force[-1]):.2f} N in the end")
print(f"the robot weighs {run.attrs['weight']:.2f} N")
