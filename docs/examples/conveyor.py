"""Put two boxes on a conveyor belt, one of them slippery.
You see when each reaches the speed of the belt, compared with the closed form."""

import footfall

BELT = 1.0  # [m/s]
box = {"shape": {"type": "box", "size": [0.2, 0.2, 0.1]}, "mass": 1.0}
bodies = {
    "rubber": {**box, "friction": 0.5, "base_position": [0.0, 0.2, 0.05]},
    "ice": {**box, "friction": 0.1, "base_position": [0.0, -0.2, 0.05]},
}
motion = {"kind": "constant", "velocity": [BELT, 0.0, 0.0]}
belt = {"plugin": "moving", "friction": 0.5, "motion": motion}
scene = footfall.scene_from_dict({"world": {"terrain": belt}, "bodies": bodies})
run = footfall.assemble(scene).run(2.0)

for name, own in (("rubber", 0.5), ("ice", 0.1)):
    speed = run.base_velocity.sel(body=name, twist="vx")
    reached = float(run.time[speed > 0.999 * BELT][0])
    mu = 2.0 / (1.0 / own + 1.0 / 0.5)  # of the pair: the harmonic mean of both sides
    print(f"{name:6}  moves along after {reached:.3f} s; v / (mu g) = {BELT / (mu * 9.81):.3f} s")
