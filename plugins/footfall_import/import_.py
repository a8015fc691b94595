"""``footfall import``: make a robot folder of a URDF or an MJCF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

if TYPE_CHECKING:
    from footfall_import.proposal import Base


def import_(
    model: Annotated[
        str,
        typer.Argument(
            metavar="PATH_OR_PACKAGE",
            help="A URDF or MJCF file, a folder with one, or PACKAGE:MODEL, installed.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to write; by default the robot's name."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the robot.")] = None,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="floating|fixed", help="How the root is held, instead of what is found."
        ),
    ] = None,
    feet: Annotated[
        list[str] | None,
        typer.Option(metavar="LINK", help="What it stands on; repeat for each foot."),
    ] = None,
    posture: Annotated[
        str | None, typer.Option(help="Named posture of the SRDF or MJCF to start in.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an earlier import.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Write nothing, only report.")] = False,
) -> None:
    """Make a robot of a URDF or MJCF: look at it, check it, propose what it lacks, write a folder.

    The folder holds robot.toml and a scene, and runs with `footfall run DIR/standing`. Nothing is
    downloaded.
    """
    from footfall.registry.discover import discover
    from footfall_import.choices import Wishes
    from footfall_import.import_report import print_findings, print_proposal
    from footfall_import.locate import locate
    from footfall_import.propose import UnsoundError, propose
    from footfall_import.read_model import read_model
    from footfall_import.write import refuse_folder, write_robot

    located = locate(model)
    wishes = Wishes(checked_name(name), checked_base(base), tuple(feet or ()), posture)
    folder = output or Path(wishes.name or located.name)
    if not dry_run:
        refuse_folder(folder, overwrite=overwrite)
    try:
        proposal = propose(located, read_model(located), wishes, discover())
    except UnsoundError as error:
        print_findings(error.findings)
        raise
    print_proposal(proposal)
    if dry_run:
        print("nothing written (--dry-run)")
        return
    written = write_robot(proposal, folder, overwrite=overwrite)
    print(f"{len(written)} files written to {folder}; run it: footfall run {scene_of(folder)}")


def checked_name(name: str | None) -> str | None:
    """Return a name that a folder and a body may have.

    Raises:
        BadParameter: if it is none.
    """
    import re

    from footfall.config.fields import NAME_PATTERN

    if name is not None and not re.fullmatch(NAME_PATTERN, name):
        message = f"{name!r} must be letters, digits, _ and -, not beginning with a digit or -"
        raise typer.BadParameter(message, param_hint="--name")
    return name


def checked_base(base: str | None) -> Base | None:
    """Return how the root is held, if the user says so.

    Raises:
        RobotError: if it is none of the choices.
    """
    from footfall.errors import RobotError, nearest
    from footfall_import.proposal import Base

    choices: tuple[Base, ...] = get_args(Base)
    for choice in choices:
        if base == choice:
            return choice
    if base is None:
        return None
    allowed = " or ".join(map(repr, choices))
    raise RobotError(f"--base must be {allowed}, got {base!r}{nearest(base, choices)}")


def scene_of(folder: Path) -> str:
    """Return how ``footfall run`` is told the scene of a robot's folder."""
    from footfall.scene.find import list_scenes

    text = f"{folder}/standing"
    bundled = text in {listing.name for listing in list_scenes()}
    return f"./{text}" if bundled else text
