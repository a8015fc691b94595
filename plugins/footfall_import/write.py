"""Write the folder of a proposed robot: robot.toml, a scene, and the model if it is the user's."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from pathlib import Path

from footfall.errors import RobotError
from footfall.formats.mesh_paths import RobotWarning
from footfall.model.bundled import SPEC
from footfall.model.robot import load_robot
from footfall.scene.load import load_scene
from footfall_import.copy_model import copied_model
from footfall_import.proposal import Proposal
from footfall_import.robot_text import robot_text
from footfall_import.scene_text import scene_text

SCENES, SCENE = "scenes", "standing.toml"


def write_robot(proposal: Proposal, folder: Path, *, overwrite: bool = False) -> tuple[Path, ...]:
    """Write a robot's folder and return its files.

    A model of an installed package is named, not copied; a file of the user's is copied with those
    of its meshes that are in no installed package. Everything is made before anything is written.

    Args:
        proposal: the robot.
        folder: to write; made if it is not there.
        overwrite: whether files of an earlier import are replaced.

    Raises:
        RobotError: if the folder is there and is not to be overwritten, or cannot be written.
        SceneError: if what is proposed is no robot file or scene.
    """
    refuse_folder(folder, overwrite=overwrite)
    with tempfile.TemporaryDirectory() as made:
        draft = Path(made)
        file = copied_model(proposal, draft) or proposal.located.place
        (draft / SPEC).write_text(robot_text(proposal, file), encoding="utf-8")
        (draft / SCENES).mkdir()
        (draft / SCENES / SCENE).write_text(scene_text(proposal), encoding="utf-8")
        _try(draft)
        written = sorted(path.relative_to(draft) for path in draft.rglob("*") if path.is_file())
        try:
            shutil.copytree(draft, folder, dirs_exist_ok=True)
        except OSError as error:
            raise RobotError(f"{folder} cannot be written: {error.strerror or error}") from error
    return tuple(folder / path for path in written)


def _try(draft: Path) -> None:
    """Read what is about to be written."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)  # the report has them
        load_robot(str(draft))
    load_scene(draft / SCENES / SCENE)


def refuse_folder(folder: Path, *, overwrite: bool) -> None:
    """Refuse to write into something that is not an earlier import's folder.

    Raises:
        RobotError: if the folder is there and is not to be overwritten.
    """
    if folder.exists() and not folder.is_dir():
        raise RobotError(f"{folder} is a file: choose another --output")
    if not folder.exists() or not any(folder.iterdir()):
        return
    if not overwrite:
        raise RobotError(f"{folder} exists: choose another --output or add --overwrite")
    if not (folder / SPEC).is_file():
        raise RobotError(f"{folder} holds no {SPEC}, so it is no robot: choose another --output")
