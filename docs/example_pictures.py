"""Take the pictures of the examples: python -m docs.example_pictures [NAME ...] (needs Chromium).

Each script is run, and its own recording or numbers are drawn.
"""

from __future__ import annotations

import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt
from PIL import Image
from tests.browser import browser, page_of

import footfall
from docs.pictures import STATIC
from footfall_meshcat.render.stage import Look, staged

EXAMPLES = Path(__file__).parent / "examples"
SIZE = (480, 320)  # of a picture, [pixels]
Names = dict[str, Any]
"""Names that a script has defined."""


def shot(recording: str | Path, at: float, *camera: float) -> Image.Image:
    """Return the viewer's picture of a recording at a time, [s]."""
    look = Look((720, 480), camera or None)
    with staged(Path(recording), look, trust=True) as stage:
        return Image.open(io.BytesIO(stage.picture(at))).convert("RGB")


def recorded(at: float, *camera: float) -> Callable[[Names], Image.Image]:
    """Draw the script's ``run`` at a time, [s], from a camera: its place and its target, [m]."""
    return lambda names: shot(names["run"].encoding["source"], at, *camera)


def plotted(draw: Callable[[Names, Any], None]) -> Callable[[Names], Image.Image]:
    """Draw a plot: ``draw`` gets the names and the axes."""

    def picture(names: Names) -> Image.Image:
        figure, axes = plt.subplots(layout="constrained")
        draw(names, axes)
        return saved(figure)

    return picture


def saved(figure: Any) -> Image.Image:
    """Return a figure as a picture."""
    figure.set_size_inches(4.8, 3.2)
    file = io.BytesIO()
    figure.savefig(file, dpi=200)
    plt.close(figure)
    return Image.open(file).convert("RGB")


def engines(names: Names, axes: Any) -> None:
    """Draw the height of the base under both engines."""
    for engine, style in (("featherstone", "-"), ("pinocchio", "--")):
        run = footfall.load("humanoid/drop", {"engine.plugin": engine}).run(0.5)
        axes.plot(run.time, run.base_position[:, 0, 2], style, lw=3, label=engine)
    axes.set(xlabel="time [s]", ylabel="height of the base [m]")
    axes.legend()


def laws(names: Names, axes: Any) -> None:
    """Draw how deep the cube is in the ground under each law."""
    for law, run in names["runs"].items():
        axes.plot(run.time, 1e3 * run.penetration, label=law)
    axes.set(xlabel="time [s]", ylabel="depth of the deepest corner [mm]")
    axes.legend()


def simulators(names: Names, axes: Any) -> None:
    """Draw how far the pushed humanoid sways in each simulator."""
    for simulator, run in names["runs"].items():
        x = run.base_position[:, 0, 0]
        axes.plot(run.time, 1e3 * (x - x[0]), label=simulator)
    axes.set(xlabel="time [s]", ylabel="sway of the pelvis [mm]")
    axes.legend()


def stopping(names: Names, axes: Any) -> None:
    """Draw the speed of the cube over Coulomb's straight line."""
    run = names["run"]
    axes.plot(run.time, run.base_velocity[:, 0, 0], lw=4, alpha=0.5, label="your law")
    axes.plot(run.time, np.maximum(6.0 - 0.5 * 9.81 * run.time, 0.0), "k--", label="$v - \\mu g t$")
    axes.set(xlabel="time [s]", ylabel="speed of the cube [m/s]")
    axes.legend()


def springs(names: Names, axes: Any) -> None:
    """Draw the law's forces at one point: they grow with depth, and creep below 1 cm/s."""
    speed = np.linspace(-0.03, 0.03, 301)
    for depth in (0.5, 1.0, 1.5):
        friction = 0.5 * 2e4 * 1e-3 * depth * speed / np.maximum(abs(speed), 0.01)
        axes.plot(1e3 * speed, -friction, label=f"{depth} mm deep")
    axes.set(xlabel="sliding speed [mm/s]", ylabel="friction [N]")
    axes.legend()


def pendulum(names: Names, axes: Any) -> None:
    """Draw the angles of both joints over the closed form."""
    axes.plot(names["t"], names["s"], lw=4, alpha=0.4)
    axes.plot(names["t"], names["closed_form"], "k--", lw=1)
    axes.set(xlabel="time [s]", ylabel="joint angles [rad]")


def distances(names: Names, axes: Any) -> None:
    """Draw where the cubes stop, over the closed form."""
    mu = names["friction"]
    axes.plot(mu[::6], names["distance"][::6], "o", label="256 runs at once")
    axes.plot(mu, 6.0**2 / (2.0 * mu * 9.81), "k-", lw=1, label="$v^2 / (2 \\mu g)$")
    axes.set(xlabel="friction", ylabel="distance [m]")
    axes.legend()


def table(names: Names, axes: Any) -> None:
    """Draw the distances of the sweep."""
    for column in names["x"].transpose("time_step", "friction"):
        step = 1e3 * float(column.time_step)
        axes.plot(column.friction, column, "o-", label=f"steps of {step:g} ms")
    axes.set(xlabel="friction of the ground", ylabel="distance [m]")
    axes.legend()


def throws(names: Names, axes: Any) -> None:
    """Draw the paths of the first guess and of the last throw."""
    for velocity, label in (([0.5, 0.0, 1.0], "first guess"), (names["velocity"], "found")):
        run = names["throw"](velocity)
        axes.plot(run.q[:, 0], run.q[:, 2], label=label)
    axes.plot(*names["TARGET"][[0, 2]], "r*", ms=14, label="target")
    axes.set(xlabel="x [m]", ylabel="z [m]", ylim=(0.0, None))
    axes.legend()


def fitted(names: Names, axes: Any) -> None:
    """Draw the measured rows and the motion with the friction that was found."""
    axes.plot(names["run"].time, names["q"][:, 0], ".", label="measured")
    run = footfall.load("cube/sliding", names["found"].values).run(0.8)
    axes.plot(run.time, run.base_position[:, 0, 0], label="fitted")
    axes.set(xlabel="time [s]", ylabel="distance [m]")
    axes.legend()


def jump(names: Names, axes: Any) -> None:
    """Draw the height of the trunk over time, as planned."""
    plan = names["plan"]
    axes.plot(plan.time_step * np.arange(len(plan.states)), plan.states[:, 2], "o-", ms=3)
    axes.set(xlabel="time [s]", ylabel="height of the trunk [m]")


def trotting(names: Names) -> Image.Image:
    """Draw the quadruped under the script's policy."""
    table = {"plugin": "policy", "file": str(names["policy"])}
    run = footfall.load("quadruped/standing", {"bodies.quadruped.controller": table}).run(1.0)
    return shot(run.encoding["source"], 0.92)


def pushed(names: Names) -> Image.Image:
    """Draw the humanoid during the same push from a scene, as the script keeps no recording."""
    return shot(footfall.load("humanoid/pushed").run(1.2).encoding["source"], 1.15)


def balanced(names: Names) -> Image.Image:
    """Draw the rod of the training near its top."""
    run = footfall.load("pendulum/swing", {"bodies.pendulum.joint_positions.hinge": 3.0}).run(0.1)
    return shot(run.encoding["source"], 0.0, 2.8, -2.8, 2.0, 0.0, 0.0, 1.25)


def card(names: Names) -> Image.Image:
    """Draw the upper part of the report's page."""
    with browser() as chromium, page_of(chromium, names["page"].as_uri(), (960, 640)) as page:
        page.wait_for_timeout(1000)
        return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def figure(names: Names) -> Image.Image:
    """Return the figure that the script draws itself."""
    return saved(plt.gcf())


PICTURES: dict[str, Callable[[Names], Image.Image]] = {
    "first_run": recorded(1.5),
    "swap_engine": plotted(engines),
    "swap_law": plotted(laws),
    "swap_simulator": plotted(simulators),
    "own_law": plotted(stopping),
    "own_law_compiled": plotted(springs),
    "terrain": recorded(1.0),
    "controller": plotted(pendulum),
    "sensors_and_plots": figure,
    "import_and_stand": recorded(1.0),
    "push_and_grab": pushed,
    "batch": plotted(distances),
    "sweep": plotted(table),
    "gymnasium_ppo": balanced,
    "policy_in_four_simulators": trotting,
    "gradients_and_shooting": plotted(throws),
    "fit_friction": plotted(fitted),
    "conveyor": recorded(0.4),
    "grasp": recorded(6.8),
    "report_card": card,
    "plan_a_motion": plotted(jump),
    "first_steps": figure,
    "contact_laws": figure,
}


def take(name: str) -> None:
    """Run an example in a folder of its own, draw its picture and write it."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        script = EXAMPLES / f"{name}.py"
        if not script.exists():
            cells = json.loads(script.with_suffix(".ipynb").read_text())["cells"]
            code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
            script = Path(folder) / script.name
            script.write_text("\n".join(code))
        image = PICTURES[name](runpy.run_path(str(script), run_name="__main__"))
    image.resize(SIZE, Image.Resampling.LANCZOS).save(
        STATIC / "examples" / f"{name}.webp", quality=80, method=6
    )


def main() -> None:
    """Take all pictures, or those that are named, each in a process of its own."""
    mpl.use("agg")
    (STATIC / "examples").mkdir(exist_ok=True)
    if len(sys.argv) == 2:
        take(sys.argv[1])
        return
    for name in sys.argv[1:] or PICTURES:
        subprocess.run([sys.executable, "-m", "docs.example_pictures", name], check=True)


if __name__ == "__main__":
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    main()
