"""Films: sequences of pictures, as MP4, GIF or WebP."""

from __future__ import annotations

import io
import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from footfall.api.advanced import unfinished_folder
from footfall.api.command import write_whole
from footfall.api.plugin import PluginError
from footfall_meshcat.render.stage import Stage

QUALITY = 18
"""Constant rate factor of H.264, [-]: 0 is lossless, 51 is worst."""


def times_of(start: float, end: float, fps: float, speed: float) -> list[float]:
    """Return the simulated times of a film's pictures, [s].

    Args:
        start: simulated time of the film's start, [s].
        end: simulated time of its end, [s].
        fps: pictures per second of the film, [1/s].
        speed: simulated seconds per second of the film, [-].
    """
    count = math.floor((end - start) / speed * fps + 1e-9) + 1
    return [min(start + k * speed / fps, end) for k in range(count)]


def pictures(stage: Stage, times: list[float], kind: str, fps: float) -> Iterator[bytes]:
    """Yield image files; the camera follows as in the page."""
    for k, time in enumerate(times):
        yield stage.picture(time, kind, math.inf if k == 0 else 1.0 / fps)


def find_ffmpeg() -> str:
    """Return the path of ffmpeg: the one on the path, or that of ``imageio-ffmpeg``.

    Raises:
        PluginError: if it is not installed.
    """
    if found := shutil.which("ffmpeg"):
        return found
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError as error:
        raise PluginError(
            f"a film as MP4 needs ffmpeg: apt install ffmpeg, or {PluginError.pip('render')}; "
            "a GIF does not"
        ) from error
    path: str = get_ffmpeg_exe()
    return path


def write_mp4(images: Iterator[bytes], fps: float, path: Path) -> None:
    """Write JPEG images as an H.264 film, completely or not at all.

    Raises:
        PluginError: if ffmpeg is missing or fails.
        OSError: if the file cannot be written.
    """
    command = [find_ffmpeg(), "-loglevel", "error", "-y"]
    command += ["-f", "image2pipe", "-framerate", f"{fps:g}", "-vcodec", "mjpeg", "-i", "-"]
    even = "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=in_range=pc:out_range=tv,format=yuv420p"
    command += ["-vf", even, "-c:v", "libx264", "-crf", str(QUALITY), "-movflags", "+faststart"]
    with unfinished_folder(path.parent) as folder:
        part = folder / "film.mp4"
        with tempfile.TemporaryFile() as said:
            with subprocess.Popen(
                [*command, str(part)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=said,
            ) as process:
                assert process.stdin is not None
                try:
                    for image in images:
                        process.stdin.write(image)
                    process.stdin.close()
                except BrokenPipeError:
                    pass  # ffmpeg's own message gives the reason
                except BaseException:
                    process.kill()
                    raise
            if process.returncode:
                said.seek(0)
                reason = said.read().decode("utf-8", "replace").strip().splitlines()
                raise PluginError(f"ffmpeg: {reason[-1] if reason else 'failed'}")
        part.replace(path)


def write_animation(images: Iterator[bytes], fps: float, path: Path, kind: str) -> None:
    """Write images in an endless loop, as ``gif`` (256 colours per picture) or ``webp``."""
    from PIL import Image

    frames = []
    for image in images:
        with Image.open(io.BytesIO(image)) as opened:
            frame = opened.convert("RGB")
        frames.append(frame.quantize(256, Image.Quantize.MEDIANCUT) if kind == "gif" else frame)
    file = io.BytesIO()
    pause = round(100.0 / fps) * 10  # GIF counts in hundredths of a second
    settings = {"save_all": True, "append_images": frames[1:], "duration": max(pause, 20)}
    frames[0].save(file, kind, loop=0, **settings)
    write_whole(path, file.getvalue())
