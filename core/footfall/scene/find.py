"""Find scene files: by path, or by name among those of the bundled robots and of robot folders."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from footfall.errors import SceneError, nearest
from footfall.model.bundled import bundled_folder

SUFFIX = ".toml"


@dataclass(frozen=True, slots=True)
class Listing:
    """A bundled scene.

    Attributes:
        name: ``robot/scene``.
        path: of its file.
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
        SceneError: if there is none; offers the nearest name.
    """
    text = str(reference)
    if text.endswith(SUFFIX):
        return _by_path(Path(text).expanduser())
    bundled = _bundled()
    if text in bundled:
        return text, bundled[text]
    folder = Path(text).expanduser().parent / "scenes"
    in_folder = folder / f"{Path(text).name}{SUFFIX}"
    if in_folder.is_file():
        return f"{folder.resolve().parent.name}/{in_folder.stem}", in_folder
    if folder.is_dir():
        raise SceneError(f"no scene {text!r}{nearest(in_folder.stem, _stems(folder))}")
    if Path(text).exists():
        raise SceneError(f"{text!r} is not a scene file: its name must end in {SUFFIX}")
    raise SceneError(
        f"no scene {text!r}{nearest(text, bundled)} (`footfall scenes` lists those that there are)"
    )


def _by_path(path: Path) -> tuple[str, Path]:
    if not path.exists():
        beside = path.parent.glob(f"*{SUFFIX}") if path.parent.is_dir() else ()
        offer = nearest(path.name, [other.name for other in beside])
        raise SceneError(f"no scene file {str(path)!r}{offer}")
    return path.stem, path


def _stems(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob(f"*{SUFFIX}")]


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
