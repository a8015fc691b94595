"""Take the pictures of planned motions: python -m docs.plan_pictures (needs Chromium).

They are those of the page's code; the torques are played back from files.
"""

from __future__ import annotations

import runpy
import tempfile
from contextlib import chdir
from pathlib import Path

import numpy as np
from tests.meta.markdown_blocks import ROOT, blocks, write_files

import footfall
from docs.pictures import STATIC, Look, take

PAGE = ROOT / "docs" / "how-to" / "plan-a-motion.md"
JUMP, PUSH = (0.0, 0.25, 0.44), (0.2, 1.0, 1.5, 2.9)
"""Times of the pictures, [s]."""


def scene_of(text: str, body: str, plan: footfall.Plan, folder: Path) -> Path:
    """Write a scene that plays back the torques of a plan."""
    joints = footfall.load(folder / "plain.toml").signals(body).joint_names
    times = plan.time_step * np.arange(len(plan.controls))
    rows = np.column_stack([times, plan.controls])
    file = folder / f"{body}.csv"
    np.savetxt(file, rows, "%.17g", ",", header=",".join(["time", *joints]), comments="")
    table = f'plugin = "torque_table"\nfile = "{file}"\ninterpolation = "hold"\n'
    path = folder / f"{body}_played.toml"
    path.write_text(f"{text}\n[bodies.{body}.controller]\n{table}")
    return path


def main() -> None:
    """Run the page's plans, and put pictures of the jump and of the box side by side."""
    code = [block.text for block in blocks(PAGE) if block.language == "python"]
    with tempfile.TemporaryDirectory() as name, chdir(name):
        folder = Path(name)
        write_files(PAGE, folder)
        (folder / "page.py").write_text("\n".join([code[0], *code[2:3]]))
        plans = runpy.run_path("page.py")
        standing = footfall.find_scene("quadruped/standing")[1].read_text()
        looks = []
        for text, body, plan, times in (
            (standing.partition("[bodies.quadruped.controller]")[0], "quadruped", "jump", JUMP),
            ((folder / "corner.toml").read_text(), "hand", "push", PUSH),
        ):
            (folder / "plain.toml").write_text(text)
            scene = scene_of(text, body, plans[plan], folder)
            looks += [Look(scene, at, times[-1] + 0.01) for at in times]
        take(looks, STATIC / "planned.png", (300, 300), columns=len(looks))


if __name__ == "__main__":
    main()
