"""Run one scene under four contact laws.
You see how far a cube slides under each, beside the closed form."""

import footfall

SPEED, FRICTION, GRAVITY = 6.0, 0.5, 9.81  # of the scene: [m/s], [-], [m/s^2]
LAWS = {
    "coulomb": "exact friction cone",
    "lcp": "friction pyramid",
    "compliant": "springs and dampers that stick and slip",
    "regularized": "springs, and friction that creeps",
}

print(f"closed form  {SPEED**2 / (2 * FRICTION * GRAVITY):.3f} m  v^2 / (2 mu g)")
for law, meaning in LAWS.items():
    sim = footfall.load("cube/sliding", {"contact.plugin": law})  # one line of a scene file
    report = sim.record()
    depth = 1e3 * report.penetration_worst
    print(f"{law:11}  {sim.q[0]:.3f} m  {meaning}; sinks in by {depth:.2f} mm at most")
