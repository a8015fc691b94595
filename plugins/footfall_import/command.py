"""``footfall import``: make a robot folder of a URDF or an MJCF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from rich.table import Table
from rich.text import Text

from footfall.api.command import console
from footfall_import.checks import LEVELS, Finding, Level
from footfall_import.proposal import Proposal

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
    from footfall import discover
    from footfall_import.choices import Wishes
    from footfall_import.command import print_findings, print_proposal
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

    if name is not None and not re.fullmatch(r"[_A-Za-z][A-Za-z0-9_-]*", name):
        message = f"{name!r} must be letters, digits, _ and -, not beginning with a digit or -"
        raise typer.BadParameter(message, param_hint="--name")
    return name


def checked_base(base: str | None) -> Base | None:
    """Return how the root is held, if the user says so.

    Raises:
        RobotError: if it is none of the choices.
    """
    from footfall.api.errors import RobotError, nearest
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
    from footfall import list_scenes

    text = f"{folder}/standing"
    bundled = text in {listing.name for listing in list_scenes()}
    return f"./{text}" if bundled else text


WIDTH = 170
"""Columns of tables where there is no terminal."""
STYLES: dict[Level, str] = {"error": "bold red", "warning": "yellow", "note": "dim"}


def print_proposal(proposal: Proposal) -> None:
    """Print what was found, what touches the ground, and each finding."""
    screen = console(WIDTH)
    screen.print(_facts(proposal))
    if proposal.soles:
        screen.print(_soles(proposal))
    print_findings(proposal.findings)


def print_findings(findings: Sequence[Finding]) -> None:
    """Print findings, one line each, and how many there are of each level."""
    screen = console(WIDTH)
    table = _table("findings")
    table.add_column("level", no_wrap=True)
    table.add_column("of", overflow="fold")
    table.add_column("what", overflow="fold")
    for finding in findings:
        level = Text(finding.level, style=STYLES[finding.level])
        table.add_row(level, Text(finding.subject), Text(finding.text))
    if findings:
        screen.print(table)
    counts = Counter(finding.level for finding in findings)
    said = [f"{counts[level]} {level}{'s' * (counts[level] != 1)}" for level in LEVELS]
    screen.print(", ".join(said))


def _facts(proposal: Proposal) -> Table:
    facts, located = proposal.facts, proposal.located
    table = _table(proposal.name)
    table.show_header = False
    where = f"{located.place} ({located.package})" if located.package else str(located.path)
    table.add_row("model", Text(where))
    table.add_row("size", f"{facts.links} links, {facts.joints} joints, {facts.mass:.4g} kg")
    table.add_row("base", Text(f"{proposal.base}: {proposal.base_origin}"))
    table.add_row("posture", Text(proposal.posture_origin))
    if proposal.soles:
        points = sum(len(sole.points) for sole in proposal.soles)
        table.add_row(
            "stands",
            f"{points} contact points, base {facts.height:.4g} m above them, centre of mass "
            f"{facts.margin:.3g} m inside their edge",
        )
    if proposal.drives:
        n = sum(len(group.joints) for group in proposal.drives)
        needs = f"; {facts.busiest} needs most, {facts.load:.0%}" if facts.busiest else ""
        table.add_row("drives", f"{n} joints in {len(proposal.drives)} groups{needs}")
    return table


def _soles(proposal: Proposal) -> Table:
    table = _table("contact features")
    for name in ("frame", "kind", "points", "from"):
        table.add_column(name, overflow="fold")
    for sole in proposal.soles:
        kind = sole.kind if sole.kind == "point" else f"{sole.kind} of {sole.radius:.4g} m"
        table.add_row(Text(sole.link), kind, str(len(sole.points)), Text(sole.origin))
    return table


def _table(title: str) -> Table:
    return Table(box=None, title=title, title_justify="left", title_style="bold", padding=(0, 1))
