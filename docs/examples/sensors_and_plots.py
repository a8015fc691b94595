"""Measure with noise and delay, and plot it over the truth. Extra: plots.
You see the chest's gyroscope and the load of each foot while a humanoid is pushed."""

import matplotlib.pyplot as plt

import footfall

gyroscope = {
    "plugin": "imu",
    "name": "imu",
    "frame": "chest",
    "rate": 100.0,  # [Hz]
    "delay": 0.02,  # [s]
    "noise": {"angular_velocity": 0.01},  # standard deviation, [rad/s]
}
run = footfall.load("humanoid/pushed", {"bodies.humanoid.sensors": [gyroscope]}).run(3.0)

load = run.foot_wrench.sel(wrench="fz")  # [N], exact
print(f"both feet carry {float(load.sum('foot').mean()):.1f} N in the mean")
print(f"the robot weighs {run.attrs['weight']:.1f} N")

figure, (upper, lower) = plt.subplots(2, sharex=True, layout="constrained")
run.base_velocity.isel(body=0).sel(twist="wy").plot(ax=upper, label="pelvis, exact")
run.sensor_imu_angular_velocity[:, 1].plot(ax=upper, label="chest, measured")
load.plot(ax=lower, hue="foot")
upper.set(title="", xlabel="", ylabel="pitch rate [rad/s]")
upper.legend()
lower.set(title="", ylabel="load of a foot [N]")
plt.show()
