"""Pictures of scenes in the viewer, side by side: python -m docs.pictures [NAME ...].

It needs Chromium.
"""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

import footfall
from footfall_meshcat.render.stage import Look as Window
from footfall_meshcat.render.stage import staged

STATIC = Path(__file__).parent / "_static"


class Look(NamedTuple):
    """A scene, a name or a file; when it is looked at, [s]; how long it is simulated, [s]."""

    scene: str | Path
    at: float
    duration: float


def take(looks: Sequence[Look], picture: Path, size: tuple[int, int], columns: int) -> None:
    """Run scenes, draw each, and put the pictures side by side in 256 colours.

    Args:
        looks: what is looked at, row by row.
        picture: the PNG that is written.
        size: of one picture, [pixels]; it is drawn half as large again.
        columns: pictures in a row.
    """
    rows = -(-len(looks) // columns)
    whole = Image.new("RGB", (columns * size[0], rows * size[1]))
    window = Window((size[0] * 3 // 2, size[1] * 3 // 2))
    runs: dict[tuple[str | Path, float], Path] = {}
    with tempfile.TemporaryDirectory() as folder:
        for k, look in enumerate(looks):
            run = runs.setdefault((look.scene, look.duration), Path(folder) / f"{k}.zarr")
            if not run.exists():
                footfall.load(look.scene).record(look.duration, run)
            with staged(run, window, trust=True) as stage:
                image = Image.open(io.BytesIO(stage.picture(look.at))).convert("RGB")
            image = image.resize(size, Image.Resampling.LANCZOS)
            whole.paste(image, (k % columns * size[0], k // columns * size[1]))
    whole.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=2).save(picture, optimize=True)


SETS = {
    "balancing": (
        [
            Look("icub/balancing", 0.5, 18.0),
            Look("icub/balancing", 6.0, 18.0),
            Look("icub/yoga", 9.5, 18.0),
            Look("icub/yoga", 13.5, 18.0),
            Look("icub/yoga", 17.5, 18.0),
        ],
        (300, 420),
        5,
    ),
    "grasping": ([Look("humanoid/grasp", at, 7.0) for at in (0.0, 2.0, 4.6, 6.8)], (360, 420), 4),
    "grounds": (
        [
            Look("cube/conveyor", 0.6, 1.0),
            Look("cube/shaken", 0.5, 1.0),
            Look("ball/stairs", 1.6, 2.0),
            Look("ball/hills", 2.0, 2.5),
        ],
        (560, 380),
        2,
    ),
    "robots": ([Look("quadruped/trot", 1.38, 1.5), Look("jvrc/standing", 1.0, 1.5)], (560, 420), 2),
    "walking": (
        [
            Look("humanoid/walking", 6.72, 8.0),
            Look("humanoid/walking", 7.1, 8.0),
            Look("humanoid/walking_pushed", 6.72, 8.0),
            Look("humanoid/walking_pushed", 7.0, 8.0),
        ],
        (420, 420),
        4,
    ),
}
"""Pictures of bundled scenes: what is looked at, size of one [pixels], pictures in a row."""

if __name__ == "__main__":
    for name in sys.argv[1:] or SETS:
        looks, size, columns = SETS[name]
        take(looks, STATIC / f"{name}.png", size, columns)
