"""``footfall render``: pictures and films of a recording."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Annotated

import typer

from footfall.api.command import Trust, write_whole
from footfall.api.plugin import RecordingError
from footfall_meshcat.render.film import find_ffmpeg, pictures, times_of, write_animation, write_mp4
from footfall_meshcat.render.stage import Look, Stage, staged

LARGEST = 8192
"""Largest number of pixels along a side of a picture."""


def render(
    recording: Annotated[Path, typer.Argument(help="A recording made by footfall run.")],
    png: Annotated[float | None, typer.Option(help="A picture at this time [s].")] = None,
    mp4: Annotated[
        bool, typer.Option("--mp4", help="A film as MP4; needs ffmpeg or the pip extra render.")
    ] = False,
    gif: Annotated[bool, typer.Option("--gif", help="A film as GIF.")] = False,
    webp: Annotated[bool, typer.Option("--webp", help="A film as WebP, smaller than GIF.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="File; default: beside the recording.")
    ] = None,
    size: Annotated[str, typer.Option(help="Width and height in pixels.")] = "1280x720",
    fps: Annotated[float, typer.Option(help="Pictures per second of a film.")] = 30.0,
    speed: Annotated[float, typer.Option(help="Simulated seconds per second of a film.")] = 1.0,
    start: Annotated[float | None, typer.Option(help="Start time of a film [s].")] = None,
    end: Annotated[float | None, typer.Option(help="End time of a film [s].")] = None,
    camera: Annotated[
        str | None, typer.Option(help="Position of the camera and its target, x,y,z,x,y,z [m].")
    ] = None,
    transparent: Annotated[
        bool, typer.Option("--transparent", help="PNG without background and ground.")
    ] = False,
    browser: Annotated[str | None, typer.Option(help="Name or path of Chromium or Chrome.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
    trust: Trust = False,
) -> None:
    """Draw a picture or film of a recording in a hidden browser.

    Examples:
        footfall render runs/drop.zarr --png 0.5
        footfall render runs/drop.zarr --gif --speed 0.5 --size 640x400
    """
    kind = _kind(png, mp4=mp4, gif=gif, webp=webp)
    if transparent and kind != "png":
        raise typer.BadParameter("only a picture can be transparent: --png")
    for name, value in (("--fps", fps), ("--speed", speed)):
        if not (math.isfinite(value) and value > 0.0):
            raise typer.BadParameter(f"{name} must be positive, not {value}")
    look = Look(_size(size), _camera(camera), transparent, browser)
    path = output or recording.with_suffix(f".{kind}")
    RecordingError.refuse_unwritable(path, overwrite)
    if kind == "mp4":
        find_ffmpeg()  # an error comes before drawing starts
    with staged(recording, look, trust=trust) as stage, RecordingError.of_file(path):
        if png is not None:
            write_whole(path, stage.picture(_inside(stage, "--png", png)))
        else:
            first = stage.start if start is None else _inside(stage, "--start", start)
            last = stage.end if end is None else _inside(stage, "--end", end)
            _film(stage, kind, times_of(first, max(first, last), fps, speed), fps, path)
    print(f"written to {path}")


def _film(stage: Stage, kind: str, times: list[float], fps: float, path: Path) -> None:
    from footfall import progress_lines

    with progress_lines(lambda s: f"drawing {len(times)} pictures: {s:.0f} s"):
        images = pictures(stage, times, "jpeg" if kind == "mp4" else "png", fps)
        if kind == "mp4":
            write_mp4(images, fps, path)
        else:
            write_animation(images, fps, path, kind)


def _kind(png: float | None, **films: bool) -> str:
    chosen = [name for name, wanted in {"png": png is not None, **films}.items() if wanted]
    if len(chosen) != 1:
        raise typer.BadParameter("give exactly one of --png TIME, --mp4, --gif and --webp")
    return chosen[0]


def _size(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text)
    width, height = (int(match[1]), int(match[2])) if match else (0, 0)
    if not (16 <= width <= LARGEST and 16 <= height <= LARGEST):
        raise typer.BadParameter(
            f"--size {text}: give width and height like 1280x720, each 16 to {LARGEST}"
        )
    return width, height


def _camera(text: str | None) -> tuple[float, ...] | None:
    if text is None:
        return None
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) != 6 or not all(math.isfinite(number) for number in numbers):
        raise typer.BadParameter(
            f"--camera {text}: give six numbers, position and target, like 3,-2,1,0,0,0.5"
        )
    if numbers[:3] == numbers[3:]:
        raise typer.BadParameter("--camera: position and target must differ")
    return numbers


def _inside(stage: Stage, option: str, time: float) -> float:
    if not stage.start <= time <= stage.end:
        raise typer.BadParameter(
            f"{option} {time:g}: the recording covers {stage.start:g} to {stage.end:g} s"
        )
    return time
