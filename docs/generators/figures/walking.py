"""Figures of the page on walking: the plan from above and over time, its correction, and a push."""

from functools import cache

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.patches import Rectangle

import footfall
from footfall_robots.humanoid.gait import Gait
from footfall_robots.humanoid.make_walking import make_pattern

SOLE = (-0.075, -0.05, 0.22, 0.10)
"""Of a sole from its ankle: nearest corner, length and width, [m]."""
SHOWN = (1.5, 6.0)
"""Part of the walk that is shown over time, [s]."""


@cache
def pattern(rounds=4):
    return make_pattern(rounds=rounds)


@cache
def walk(scene):
    return footfall.load(scene).run()


def center_of_pressure(run):
    """Return where the ground pushes in the mean, (n, 2), [m]."""
    weight = run.contact_force.values[..., 2:]
    return (weight * run.contact_position.values[..., :2]).sum(1) / weight.sum(1)


def walking_plan():
    """Feet, zero-moment points and centre of mass from above: planned."""
    figure, axes = plt.subplots(figsize=(9, 2.2))
    plan, gait = pattern(), Gait()
    places = {
        tuple(np.round(foot[:2], 6)) for feet in plan.soles[:: len(plan.soles) - 1] for foot in feet
    }
    places |= {
        (gait.swing(k)[4], gait.half_width * (1 - 2 * gait.swing(k)[0])) for k in range(gait.steps)
    }
    for x, y in places:
        corner = (x + SOLE[0], y + SOLE[1])
        axes.add_patch(Rectangle(corner, *SOLE[2:], fill=False, color="0.7"))
    axes.plot(*plan.planned.T, "k:", linewidth=1, label="zero-moment point, planned")
    axes.plot(*plan.com[:, :2].T, label="centre of mass")
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.35), ncols=2)
    return figure


def walking_points():
    """Zero-moment point and centre of mass over time: planned, and as simulated."""
    figure, rows = plt.subplots(2, 1, sharex=True, figsize=(8, 4.4))
    plan, run = pattern(), walk("humanoid/walking")
    pressed = center_of_pressure(run)
    for i, axes in enumerate(rows):
        axes.plot(run.time, pressed[:, i], color="C1", linewidth=0.6, label="pressure, simulated")
        axes.plot(
            plan.time, plan.planned[:, i], "k:", linewidth=1, label="zero-moment point, planned"
        )
        axes.plot(run.time, run.com[:, i], color="C0", label="centre of mass, simulated")
        axes.plot(
            plan.time,
            plan.com[:, i],
            "--",
            color="C2",
            linewidth=1,
            label="centre of mass, planned",
        )
        axes.set(ylabel="xy"[i] + " [m]", xlim=SHOWN)
    shown = (plan.time > SHOWN[0]) & (plan.time < SHOWN[1])
    rows[0].set_ylim(plan.com[shown, 0].min() - 0.15, plan.com[shown, 0].max() + 0.2)
    rows[1].set(xlabel="time [s]")
    rows[0].legend(loc="upper left", fontsize=8)
    return figure


def walking_correction():
    """How far the links' own angular momentum takes the zero-moment point, before and after."""
    figure, axes = plt.subplots(figsize=(8, 2.4))
    for rounds in (0, 1, 4):
        plan = pattern(rounds)
        error = 100.0 * (plan.reached - plan.planned)[:, 0]
        axes.plot(plan.time, error, label=f"corrected {rounds} times")
    axes.set(xlabel="time [s]", ylabel="error along x [cm]", xlim=SHOWN, ylim=(-4, 8))
    axes.legend(ncols=3)
    return figure


def walking_push():
    """Lean of the trunk and speed of the centre of mass after a push, and without."""
    figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(8, 3.6))
    for scene in ("humanoid/walking_pushed", "humanoid/walking"):
        run = walk(scene)
        x, y, _, _ = run.base_quaternion.values[:, 0].T
        above.plot(run.time, np.degrees(2.0 * np.arcsin(np.hypot(x, y))), label=scene)
        below.plot(run.time, np.gradient(run.com.values[:, 0], run.time.values))
    for axes in (above, below):
        axes.axvspan(6.6, 6.8, color="0.9")
    above.set(ylabel="lean [degrees]", xlim=(6.0, 9.0))
    below.set(xlabel="time [s]", ylabel="speed [m/s]")
    above.legend()
    return figure


WALKING = (walking_plan, walking_points, walking_correction, walking_push)
