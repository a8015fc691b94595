"""Figures of the page on the trot: feet, attitude, and what a push does."""

import numpy as np
from matplotlib import pyplot as plt

import footfall

FEET = ("fl_foot", "fr_foot", "rl_foot", "rr_foot")


def trot_steps():
    """Heights of the feet, and the trunk's roll and pitch, on the spot."""
    run = footfall.load("quadruped/trot").run(3.0)
    figure, (feet, trunk) = plt.subplots(2, 1, sharex=True, figsize=(6, 3.8))
    for k, (name, style) in enumerate(zip(FEET, ("C0-", "C1-", "C1--", "C0--"), strict=True)):
        feet.plot(run.time, 100.0 * run.gap.values[:, k], style, label=name)
    roll, pitch = attitude(run)
    trunk.plot(run.time, roll, label="roll")
    trunk.plot(run.time, pitch, label="pitch")
    feet.set(ylabel="height of the foot [cm]")
    trunk.set(xlabel="time [s]", ylabel="[degrees]")
    feet.legend(ncols=4, loc="upper center", bbox_to_anchor=(0.5, 1.25))
    trunk.legend()
    return figure


def trot_pushed():
    """Where the trunk is, and its roll, after pushes from the side; and where the feet land."""
    figure, (away, roll, ground) = plt.subplots(1, 3, figsize=(9, 3.0))
    for force, style in ((40.0, "C0"), (80.0, "C1"), (120.0, "C2")):
        push = {"link": "trunk", "force": [0.0, force, 0.0], "start": 2.03, "duration": 0.2}
        run = footfall.load("quadruped/trot", {"pushes": [push]}).run(6.0)
        away.plot(run.time, run.base_position.values[:, 0, 1], style, label=f"{force:.0f} N")
        roll.plot(run.time, attitude(run)[0], style)
        if force == 80.0:
            footprints(ground, run)
    away.set(xlabel="time [s]", ylabel="trunk, to the left [m]")
    roll.set(xlabel="time [s]", ylabel="roll [degrees]")
    ground.set(xlabel="forwards [m]", ylabel="to the left [m]", aspect="equal")
    away.legend()
    return figure


def footprints(axes, run):
    """Plot where each foot touches down, from light to dark, and the way of the trunk."""
    touch = run.in_contact.values.astype(bool)
    down = touch[1:] & ~touch[:-1]
    trunk = run.base_position.values[:, 0, :2]
    axes.plot(trunk[:, 0], trunk[:, 1], "k", linewidth=0.8)
    for k, style in enumerate(("C0o", "C1o", "C1s", "C0s")):
        where = run.contact_position.values[1:][down[:, k], k]
        axes.plot(where[:, 0], where[:, 1], style, markersize=3, alpha=0.6)


def attitude(run):
    """Return roll and pitch, [degrees]."""
    x, y, z, w = run.base_quaternion.values[:, 0].T
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return np.degrees(roll), np.degrees(np.arcsin(2.0 * (w * y - z * x)))


TROT = (trot_steps, trot_pushed)
