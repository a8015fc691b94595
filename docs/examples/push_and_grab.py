"""Push a robot in a loop of your own, then take it by the hand.
You see what a push and a spring at the hand do to a humanoid that stands."""

import numpy as np

import footfall

sim = footfall.load("humanoid/standing")
start = sim.signals("humanoid").com.copy()  # mass centre, [m]

for _ in range(200):  # a push acts during the next step, here 1 ms
    sim.push("chest", force=(60.0, 0.0, 0.0), point=(0.0, 0.0, 0.2))
    sim.step()
sway = sim.signals("humanoid").com - start
print(f"60 N for 0.2 s move the mass centre by {1e3 * sway[0]:.1f} mm")

for _ in range(2000):  # let it come to rest
    sim.step()

grip = sim.grab("l_hand", springs=footfall.Springs(stiffness=300.0, force_limit=40.0))
hand = grip.position.copy()
for step in range(1500):
    forwards = min(1e-4 * step, 0.1)  # 10 cm within a second, then still
    grip.move(hand + np.array([forwards, 0.0, 0.0]))
    sim.step()
moved = grip.position - hand
print(f"the hand is pulled with {grip.force[0]:.1f} N and follows by {1e3 * moved[0]:.1f} mm")
grip.release()
