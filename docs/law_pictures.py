"""Draw one scene under four laws: python -m docs.law_pictures (needs the extra plots)."""

import matplotlib.pyplot as plt

import footfall
from docs.pictures import STATIC

LAWS = ("coulomb", "compliant", "mujoco_soft", "gauss")


def take_picture():
    """Plot a cube's sliding speed and the gap below it, for each law."""
    figure, (speed, gap) = plt.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
    for law, style in zip(LAWS, ("-", "--", "-.", ":"), strict=True):
        run = footfall.load("cube/sliding", {"contact.plugin": law}).run(1.5)
        label = f'"{law}"'
        base = run.base_position.isel(body=0)
        x, z = (base.sel(axis=axis).values for axis in "xz")
        time = run["time"].values
        rate = (x[1:] - x[:-1]) / (time[1] - time[0])
        speed.plot(time[1:], rate, style, label=label, linewidth=2.0)
        gap.plot(time, 1e3 * (z - 0.05), style, label=label, linewidth=2.0)
    speed.set(title="A cube pushed off at 6 m/s", xlabel="time [s]", ylabel="speed [m/s]")
    gap.set(title="The same cube", xlabel="time [s]", ylabel="height above the ground [mm]")
    speed.legend(title="contact.plugin")
    for axes in (speed, gap):
        axes.grid(alpha=0.3)
    figure.savefig(STATIC / "four_laws.png", dpi=110)


if __name__ == "__main__":
    take_picture()
