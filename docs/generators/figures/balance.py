"""Figures of the page on balancing: a shift of weight, pushes, and the cone of a foot."""

from functools import cache

import numpy as np
from matplotlib import pyplot as plt

import footfall
from footfall_controllers.balance.foothold import foothold

SCENE = "humanoid/balancing"
LEFT, RIGHT = slice(0, 4), slice(4, 8)
EDGES = (0.04, 0.14)
"""Of the left sole, along y, [m]."""


@cache
def balance(force):
    """Return the run with pushes of that size to the right, and the mass centre's y over it."""
    pushes = [
        {"link": "chest", "force": [0.0, -force, 0.0], "start": at, "duration": 0.2}
        for at in (0.5, 5.5)
    ]
    sim = footfall.load(SCENE, {"pushes": pushes if force else []})
    signals, places = sim.signals("humanoid"), []
    run = sim.run()
    for q in run.q.values[::10]:
        sim.q[:] = q
        places.append(signals.com[1])
    return run, run.time.values[::10], np.array(places)


def center_of_pressure(run):
    """Return where the ground pushes in the mean, along y, [m]."""
    weight = run.contact_force.values[..., 2]
    return (weight * run.contact_position.values[..., 1]).sum(1) / weight.sum(1)


def balance_shift():
    """Mass centre and centre of pressure, height of the foot, and loads, undisturbed."""
    run, time, com = balance(0.0)
    figure, (side, height, load) = plt.subplots(3, 1, sharex=True, figsize=(7, 5.4))
    side.axhspan(*EDGES, color="0.92", label="left sole")
    side.plot(run.time, center_of_pressure(run), linewidth=0.8, label="centre of pressure")
    side.plot(time, com, label="mass centre")
    height.plot(run.time, 100.0 * run.gap.values[:, RIGHT].min(1), label="right foot")
    height.axhline(2.0, color="k", linestyle=":")
    for foot, name in ((LEFT, "left foot"), (RIGHT, "right foot")):
        load.plot(run.time, run.contact_force.values[:, foot, 2].sum(1), label=name)
    side.set(ylabel="y [m]")
    height.set(ylabel="height [cm]")
    load.set(xlabel="time [s]", ylabel="normal force [N]")
    for axes in (side, height, load):
        axes.legend(loc="upper left")
    return figure


def balance_pushed():
    """The push on one foot: mass centre, centre of pressure, and the tilt of the trunk."""
    figure, (side, tilt) = plt.subplots(1, 2, figsize=(9, 2.8))
    side.axhspan(*EDGES, color="0.92")
    for k, force in enumerate((20.0, 40.0)):
        run, time, com = balance(force)
        shown, part = time >= 5.2, run.time.values >= 5.2
        side.plot(time[shown], com[shown], f"C{k}", label=f"{force:g} N, mass centre")
        pressure = center_of_pressure(run)[part]
        side.plot(run.time[part], pressure, f"C{k}:", label=f"{force:g} N, pressure")
        x, y, _, _ = run.base_quaternion.values[:, 0].T
        angle = 2.0 * np.arcsin(np.hypot(x, y))[part]
        tilt.plot(run.time[part], np.degrees(angle), f"C{k}", label=f"{force:g} N")
    side.set(xlabel="time [s]", ylabel="y [m]", xlim=(5.2, 7.4))
    tilt.set(xlabel="time [s]", ylabel="tilt of the trunk [degrees]", xlim=(5.2, 7.4))
    side.legend(fontsize=7)
    tilt.legend()
    return figure


def balance_cone():
    """Greatest moment about the normal over where the pressure is centred, for a sole."""
    sole = np.array([[0.145, 0.05, 0], [0.145, -0.05, 0], [-0.075, 0.05, 0], [-0.075, -0.05, 0]])
    up = np.array([0.0, 0.0, 1.0])
    rows = foothold(sole, np.zeros(4), np.eye(3), up, 0.4, 0.005).rows
    x, y = np.linspace(-0.11, 0.11, 111), np.linspace(-0.05, 0.05, 51)
    figure, axes = plt.subplots(figsize=(6, 2.6))
    X, Y = np.meshgrid(x, y)
    wrench = np.stack([0 * X, 0 * X, 0 * X + 1, Y, -X, 0 * X])
    left = np.tensordot(rows, wrench, 1)
    room = np.where(
        rows[:, 5, None, None] > 1e-9, -left / np.maximum(rows[:, 5], 1e-9)[:, None, None], np.inf
    )
    twist = np.where((left <= 1e-12).all(0), room.min(0), np.nan)
    shown = axes.contourf(X, Y, 1e3 * twist, 12)
    figure.colorbar(shown, label="[N mm] of 1 N")
    axes.set(xlabel="x of the centre of pressure [m]", ylabel="y [m]", aspect="equal")
    axes.grid(visible=False)
    return figure


BALANCE = (balance_shift, balance_pushed, balance_cone)
