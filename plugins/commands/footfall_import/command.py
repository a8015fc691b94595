"""``footfall import``: make a robot folder from a URDF, MJCF or SDF."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar, get_args

import typer

if TYPE_CHECKING:
    from footfall_import.checks import Finding
    from footfall_import.choices import Wishes
    from footfall_import.locate import Located
    from footfall_import.model import Model as RobotModel
    from footfall_import.proposal import Proposal
    from footfall_import.standing.gait import Walk
    from footfall_import.wheels import Roll


Choice = TypeVar("Choice", bound=str)

Model = Annotated[
    str,
    typer.Argument(
        metavar="PATH_OR_PACKAGE",
        help="A URDF, MJCF or SDF file, its folder, or PACKAGE:MODEL of an installed package.",
    ),
]
Output = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder to write (default: the file's name).")
]
Name = Annotated[str | None, typer.Option(help="Name of the robot, instead of the file's.")]
Held = Annotated[
    str | None,
    typer.Option(
        metavar="floating|planar|fixed", help="Motion of the root link (default: detected)."
    ),
]
Feet = Annotated[
    list[str] | None,
    typer.Option(metavar="LINK", help="A link that the robot stands on; repeat per foot."),
]
Posture = Annotated[str | None, typer.Option(help="Start posture, by its name in the model.")]
Root = Annotated[str | None, typer.Option(help="Import only this root body (MJCF) or model (SDF).")]
Repair = Annotated[
    bool,
    typer.Option(
        "--repair-inertia",
        help="Raise impossible inertias; replace joints that move no mass by fixed joints.",
    ),
]
Packages = Annotated[
    list[Path] | None,
    typer.Option(
        "--package-path",
        metavar="DIR",
        help="Folder in which to find package:// and model:// files; repeat per folder.",
    ),
]
Xacro = Annotated[
    bool,
    typer.Option(
        "--xacro",
        help="Expand a xacro file, which can read other files and environment variables.",
    ),
]
XacroArguments = Annotated[
    list[str] | None,
    typer.Option(
        "--xacro-arg",
        metavar="NAME:=VALUE",
        help="Expand with this argument; repeat per argument.",
    ),
]
Density = Annotated[
    float | None,
    typer.Option(
        metavar="KG_PER_M3",
        min=1e-3,
        help="Density of collision shapes, for links of a URDF or SDF without mass.",
    ),
]
Decompose = Annotated[
    bool,
    typer.Option("--decompose", help="Cut non-convex collision meshes into convex parts (CoACD)."),
]
Walking = Annotated[
    str | None,
    typer.Option(
        "--gait", metavar="trot|balance", help="Also write a scene with this gait, and run it."
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Reject a model with any unsupported part.")]
Untried = Annotated[bool, typer.Option("--untried", help="Skip the trial run of 5 s.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace old output.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only report; write nothing.")]


def import_(
    model: Model,
    output: Output = None,
    name: Name = None,
    base: Held = None,
    feet: Feet = None,
    posture: Posture = None,
    body: Root = None,
    repair_inertia: Repair = False,
    package_path: Packages = None,
    xacro: Xacro = False,
    xacro_arg: XacroArguments = None,
    density: Density = None,
    decompose: Decompose = False,
    gait: Walking = None,
    strict: Strict = False,
    untried: Untried = False,
    overwrite: Overwrite = False,
    dry_run: DryRun = False,
) -> None:
    """Make a robot from a URDF, MJCF or SDF: check it, add missing parts, write a folder.

    The folder contains robot.toml and a scene.

    Examples:
        footfall import my_robot.urdf
        footfall import my_robot.xml --feet left_foot --feet right_foot --gait balance
    """
    from footfall import progress_lines
    from footfall.api.command import read_xml
    from footfall_import.locate import locate, searched

    located = locate(model)
    read_xml(located.path, joined=True)  # tells a mistake before the rest loads for a second
    from footfall.api.advanced import unfinished_folder
    from footfall_import.meshes.decomposition import decomposed
    from footfall_import.read_model import read_model
    from footfall_import.report import print_proposal
    from footfall_import.write import MESHES, SCENE, refuse_folder, write_robot

    wishes = wishes_of(name, base, feet, posture, gait)
    folder = output or Path(wishes.name or located.name)
    if not dry_run:
        refuse_folder(folder, overwrite=overwrite)
    with unfinished_folder() as parts, searched(package_path or ()):
        with progress_lines(lambda s: f"reading {located.name}, proposing the rest: {s:.0f} s"):
            model_read = read_model(
                located,
                body=body,
                repair=repair_inertia,
                joints=wishes.base == "fixed",
                density=density,
                xacro=arguments_of(xacro_arg or ()) if xacro or xacro_arg else None,
            )
            if decompose:
                model_read = decomposed(model_read, located.path, folder / MESHES, parts)
            proposal = proposed(located, model_read, wishes)
        for each in (proposal, *proposal.companions):
            print_proposal(each)
            if strict:
                refuse_losses(each.findings)
        if dry_run:
            print("nothing written (--dry-run)")
            return
        written = write_robot(proposal.on_its_servos(), folder, overwrite=overwrite)
        scene = scene_of(folder, SCENE if untried else try_all(folder, proposal))
    print(f"{len(written)} files written to {folder}; run it: footfall run {scene}")


def wishes_of(
    name: str | None,
    base: str | None,
    feet: Sequence[str] | None,
    posture: str | None,
    gait: str | None,
) -> Wishes:
    """Check what the command line asks for; see ``Wishes``."""
    from footfall_import.choices import Wishes
    from footfall_import.proposal import Base
    from footfall_import.standing.gait import Gait

    bases: tuple[Base, ...] = get_args(Base)
    gaits: tuple[Gait, ...] = get_args(Gait)
    return Wishes(
        checked_name(name),
        checked_choice("--base", base, bases),
        tuple(feet or ()),
        posture,
        checked_choice("--gait", gait, gaits),
    )


def try_all(folder: Path, proposal: Proposal) -> str:
    """Try all written scenes and print the results; return the scene file of the robot at rest."""
    try:
        scene = tried(folder, proposal)
        if proposal.walk is not None:
            tried_gait(folder, proposal, proposal.walk)
        if proposal.roll is not None:
            tried_roll(folder, proposal.roll)
    except KeyboardInterrupt:
        print(f"interrupted: {folder} is written, but not tried to the end", file=sys.stderr)
        raise
    return scene


def proposed(located: Located, model: RobotModel, wishes: Wishes) -> Proposal:
    """Return the proposal of a robot; if its model is unsound, print the findings first.

    Raises:
        RobotError: see ``propose``.
    """
    from footfall import discover
    from footfall_import.propose import UnsoundError, propose
    from footfall_import.report import print_findings

    try:
        return propose(located, model, wishes, discover())
    except UnsoundError as error:
        print_findings(error.findings)
        raise


def refuse_losses(findings: Sequence[Finding]) -> None:
    """Reject a model with parts that are not honoured.

    Raises:
        RobotError: names the first such part and the number of further ones.
    """
    from footfall.api.plugin import RobotError

    lost = [finding for finding in findings if finding.lost]
    if lost:
        more = f" (and {len(lost) - 1} more)" if len(lost) > 1 else ""
        raise RobotError(f"--strict: {lost[0].subject}: {lost[0].text}{more}")


def checked_name(name: str | None) -> str | None:
    """Return the name if it is valid for a folder and a body.

    Raises:
        BadParameter: if the name is invalid.
    """
    import re

    if name is not None and not re.fullmatch(r"[_A-Za-z][A-Za-z0-9_-]*", name):
        message = f"{name!r} must be letters, digits, _ and -, and not begin with a digit or -"
        raise typer.BadParameter(message, param_hint="--name")
    return name


def arguments_of(given: Sequence[str]) -> dict[str, str]:
    """Return the arguments of a xacro file by name.

    Raises:
        BadParameter: if one is not ``NAME:=VALUE``.
    """
    pairs = [argument.partition(":=") for argument in given]
    for name, sign, _ in pairs:
        if not name or not sign:
            raise typer.BadParameter(f"{name!r} must be NAME:=VALUE", param_hint="--xacro-arg")
    return {name: value for name, _, value in pairs}


def checked_choice(option: str, given: str | None, choices: tuple[Choice, ...]) -> Choice | None:
    """Return the value that the user gives for an option, None if not given.

    Raises:
        RobotError: if it is not one of the choices.
    """
    from footfall.api.plugin import RobotError, nearest

    for choice in choices:
        if given == choice:
            return choice
    if given is None:
        return None
    allowed = " or ".join(map(repr, choices))
    raise RobotError(f"{option} must be {allowed}, got {given!r}{nearest(given, choices)}")


def tried(folder: Path, proposal: Proposal) -> str:
    """Run the written robot for five seconds, print the result, and return its scene file.

    If the file's servos alone do not hold the robot, it is written and tried again with torques
    that do. If the robot does not stay in place, its scene is not named ``standing``.
    """
    from footfall import progress_lines
    from footfall_import.checks import Finding
    from footfall_import.report import print_findings
    from footfall_import.trial import DURATION, advice, try_scene
    from footfall_import.write import FALLEN, SCENE, SCENES, rename_scene, write_robot

    findings: list[Finding] = []
    with progress_lines(lambda s: f"trying {folder} for {DURATION:g} simulated seconds: {s:.0f} s"):
        trial = try_scene(folder / SCENES / SCENE, proposal.base, proposal.name)
        if not trial.passed and proposal.on_its_servos() != proposal:
            text = f"added, since on the file's servos alone it {trial.verdict}"
            findings.append(Finding("note", "feed_forward", text))
            write_robot(proposal, folder, overwrite=True)
            trial = try_scene(folder / SCENES / SCENE, proposal.base, proposal.name)
    on_points = proposal.facts.margin == 0.0
    findings.append(advice(trial, has_feet=bool(proposal.soles), on_points=on_points))
    print_findings(findings)
    if trial.passed:
        (folder / SCENES / FALLEN).unlink(missing_ok=True)
        return SCENE
    rename_scene(folder, trial.verdict)
    return FALLEN


def tried_gait(folder: Path, proposal: Proposal, walk: Walk) -> None:
    """Run the scene of a gait for five seconds and print the result."""
    from footfall import progress_lines
    from footfall_import.report import print_findings
    from footfall_import.trial import DURATION, gait_finding, try_scene
    from footfall_import.write import SCENES

    scene = f"{walk.kind}.toml"
    with progress_lines(lambda s: f"trying {folder}/{walk.kind} for {DURATION:g} s: {s:.0f} s"):
        trial = try_scene(folder / SCENES / scene, proposal.base, proposal.name)
    print_findings([gait_finding(trial, walk.kind)])
    print(f"the gait: footfall run {scene_of(folder, scene)}")


def tried_roll(folder: Path, roll: Roll) -> None:
    """Run the scene of a robot on wheels and print the result."""
    from footfall import progress_lines
    from footfall_import.report import print_findings
    from footfall_import.trial import ROLLS, try_roll
    from footfall_import.write import ROLLING, SCENES

    with progress_lines(lambda s: f"rolling {folder} for {ROLLS:g} s: {s:.0f} s"):
        finding = try_roll(folder / SCENES / ROLLING, roll)
    print_findings([finding])
    print(f"on its wheels: footfall run {scene_of(folder, ROLLING)}")


def scene_of(folder: Path, scene: str) -> str:
    """Return the argument of ``footfall run`` for a scene of a robot's folder."""
    from footfall import list_scenes

    text = f"{folder}/{scene.removesuffix('.toml')}"
    bundled = text in {listing.name for listing in list_scenes()}
    return f"./{text}" if bundled else text
