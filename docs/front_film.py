"""Draw the film of the README: python -m docs.front_film (needs Chromium).

A humanoid walks; half-way another contact law takes over its state, as in ``footfall demo``.
"""

import io
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

import footfall
from docs.pictures import STATIC
from footfall_hands.demonstration import RecordedSwap
from footfall_meshcat.render.film import pictures, times_of, write_animation
from footfall_meshcat.render.stage import Look, staged
from footfall_stepper.simulation.simulator import stepped

LAWS = ("coulomb", "mujoco_soft")
START, SWAP, END = 4.5, 7.0, 9.5  # [s]
FPS = 12.5
SIZE = (640, 400)


def captioned(image, time):
    """Return a picture with the line of the scene file that holds at its time."""
    with Image.open(io.BytesIO(image)) as opened:
        drawn = opened.convert("RGB")
    swapped = time >= SWAP
    picture = Image.new("RGB", (SIZE[0], SIZE[1] + 44))
    picture.paste(drawn)
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(20)
    draw.rectangle((0, SIZE[1], *picture.size), fill=(124, 45, 18) if swapped else (30, 41, 59))
    text = f'[contact]  plugin = "{LAWS[swapped]}"'
    draw.text((20, SIZE[1] + 10), text, font=font, fill="white")
    file = io.BytesIO()
    picture.save(file, "png")
    return file.getvalue()


def take_film():
    """Record the walk with both laws and write its film."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "walk.zarr")
        sim = stepped(footfall.load("humanoid/walking"))
        RecordedSwap(sim, END, LAWS[1], SWAP).record(path, False, False)
        times = times_of(START, END, FPS, 1.0)
        with staged(path, Look(SIZE), trust=True) as stage:
            images = pictures(stage, times, "png", FPS)
            shown = (captioned(image, time) for image, time in zip(images, times, strict=True))
            write_animation(shown, FPS, STATIC / "walking_swap.webp", "webp")


if __name__ == "__main__":
    take_film()
