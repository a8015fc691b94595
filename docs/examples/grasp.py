"""Let a humanoid take a box with both hands and lift it, by friction alone.
You see how far the box rises, and the forces that carry it."""

import footfall

sim = footfall.load("humanoid/grasp")
run = sim.run(7.0)

height = run.base_position.sel(body="box", axis="z")
print(f"the box rises by {1e3 * float(height[-1] - height[0]):.1f} mm")

for hand in ("l_hand", "r_hand"):
    force = sim.contact_force("box", f"humanoid/{hand}")  # of the last step, [N], world axes
    squeeze, lift = abs(force.normal[1]), force.friction[2]
    print(f"{hand} squeezes with {squeeze:.1f} N and carries {lift:.2f} N by friction")
print(f"the box weighs {2.0 * 9.81:.2f} N")
