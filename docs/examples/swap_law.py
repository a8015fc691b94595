"""Run one scene under four contact laws.
You see how far a cube slides, compared with the closed form, and how deep it sinks."""

import footfall

LAWS = {
    "coulomb": "exact friction cone",
    "lcp": "friction pyramid",
    "compliant": "springs and dampers that stick and slip",
    "regularized": "springs, and friction that creeps",
}
runs = {}
for law in LAWS:
    runs[law] = footfall.load("cube/sliding", {"contact.plugin": law}).run()

print(f"closed form  v^2 / (2 mu g) = {6.0**2 / (2.0 * 0.5 * 9.81):.3f} m")
for law, meaning in LAWS.items():
    distance = float(runs[law].base_position.sel(body="cube", axis="x")[-1])
    depth = 1e3 * float(runs[law].penetration.max())
    print(f"{law:11}  {meaning}: sinks in by {depth:.2f} mm, slides {distance:.3f} m")
