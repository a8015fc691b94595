"""Search for scenes by path or name; light to import, for commands that only list them."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from footfall.errors import SceneError, nearest
from footfall.model import bundled_folder
from footfall.whole_file import path_of

SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class Listing:
    """A bundled scene.

    Attributes:
        name: ``robot/scene``.
        path: path of its file.
        description: one line; empty if the file has none.
    """

    name: str
    path: Path
    description: str


def list_scenes() -> tuple[Listing, ...]:
    """Return the bundled scenes by name; their files are read but not validated."""
    return tuple(
        Listing(name, path, _description(path)) for name, path in sorted(_bundled().items())
    )


def find_scene(reference: str | Path) -> tuple[str, Path]:
    """Return name and path of a scene.

    Args:
        reference: path of a file that ends in ``.toml``; ``robot/scene`` of a bundled robot; or
            ``folder/scene`` of a robot's folder, for ``folder/scenes/scene.toml``.

    Raises:
        SceneError: if there is none; offers the nearest name, or the scenes of a robot.
    """
    text = str(path_of(reference))
    if text.endswith(SUFFIX):
        return _by_path(Path(os.path.expanduser(text)))
    robot, _, scene = text.partition("/")
    own_file = bundled_folder() / robot / "scenes" / f"{scene}{SUFFIX}"
    if robot.strip(".") and "/" not in scene and own_file.is_file():
        return text, own_file
    bundled = _bundled()
    folder = Path(os.path.expanduser(text)).parent / "scenes"
    in_folder = folder / f"{Path(text).name}{SUFFIX}"
    if in_folder.is_file():
        return f"{folder.resolve().parent.name}/{in_folder.stem}", in_folder
    if folder.is_dir():
        stems = [path.stem for path in folder.glob(f"*{SUFFIX}")]
        raise SceneError(f"no scene {text!r}{nearest(in_folder.stem, stems)}")
    if Path(text).exists():
        raise SceneError(f"{text!r} is not a scene file: its name must end in {SUFFIX}")
    if text == robot and (own := sorted(n for n in bundled if n.startswith(f"{robot}/"))):
        raise SceneError(f"no scene {text!r}: the robot's scenes are {', '.join(own)}")
    if text != robot:  # do not offer a scene of the same name of another robot
        bundled = {name: bundled[name] for name in bundled if nearest(robot, [name.split("/")[0]])}
    raise SceneError(
        f"no scene {text!r}{nearest(text, bundled)} (`footfall scenes` lists the bundled scenes)"
    )


def _by_path(path: Path) -> tuple[str, Path]:
    if not path.exists():
        beside = path.parent.glob(f"*{SUFFIX}") if path.parent.is_dir() else ()
        offer = nearest(path.name, [other.name for other in beside])
        raise SceneError(f"no scene file {str(path)!r}{offer}")
    return path.stem, path


def _bundled() -> dict[str, Path]:
    return {
        f"{path.parent.parent.name}/{path.stem}": path
        for path in bundled_folder().glob(f"*/scenes/*{SUFFIX}")
    }


def _description(path: Path) -> str:
    try:
        return str(tomllib.loads(path.read_text(encoding="utf-8")).get("description", ""))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        return f"(cannot be read: {error})"
