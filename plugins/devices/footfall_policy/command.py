"""``footfall policy``: prepare a trained policy, and try it in several laws and simulators."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footfall.api.command import Changes, Duration, SceneName

if TYPE_CHECKING:
    from footfall_policy.trial import Row

app = typer.Typer(
    no_args_is_help=True,
    help="Prepare a trained policy, and test it in several laws and simulators.",
)

Trusted = Annotated[
    bool, typer.Option("--trusted", help="Run ONNX networks without limits of memory, time, files.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace old output.")]


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="The network, .onnx or .npz.")],
    robot: Annotated[str, typer.Option(help="A bundled robot, a robot's folder or model file.")],
    overwrite: Overwrite = False,
    trusted: Trusted = False,
) -> None:
    """Write the side file NAME.policy.toml, which connects a network to a robot.

    The file contains all known values. Fill in each "?". If the network's sizes do not fit the
    robot, the file marks the place, and the exit code is 1.

    Examples:
        footfall policy init walk.onnx --robot quadruped
        footfall policy init walk.npz --robot my_robot.urdf --overwrite
    """
    from footfall.api.command import write_whole
    from footfall.api.plugin import FootfallError
    from footfall_policy.draft import CHECK, draft
    from footfall_policy.policy_file import SUFFIX, UNKNOWN

    path = file.with_name(file.stem + SUFFIX)
    if path.exists() and not overwrite:
        raise FootfallError(f"{path} exists: add --overwrite to replace it")
    text, odd = draft(file, robot, trusted=trusted)
    with FootfallError.of_file(path):
        write_whole(path, text)
    blanks, checks = text.count(f'= "{UNKNOWN}"'), text.count(CHECK)
    print(f"{path} written: {blanks} values to fill in, {checks} to check")
    for told in odd:
        typer.echo(f"sizes disagree: {told}", err=True)
    if odd:
        raise typer.Exit(1)


Network = Annotated[Path, typer.Argument(help="A side file, or an .onnx with mjlab's metadata.")]
Laws = Annotated[str, typer.Option(metavar="LAW,LAW..", help="Laws of simulator footfall.")]
Simulators = Annotated[str, typer.Option(metavar="NAME,NAME..", help="footfall, mujoco, drake.")]
Seeds = Annotated[int, typer.Option(min=0, help="Number of additional starts, slightly changed.")]
Noise = Annotated[float, typer.Option(min=0.0, help="Largest change of a joint by --seeds, [rad].")]
Body = Annotated[str, typer.Option(help="The body to control, if the scene has several.")]
Wish = Annotated[str, typer.Option(metavar="X,Y,..", help="Velocity command; default: the file's.")]
Output = Annotated[
    Path | None, typer.Option(help="Folder for recordings and page.", show_default="runs/NAME-TIME")
]


@app.command()
def run(
    file: Network,
    scene: SceneName,
    contact: Laws = "coulomb",
    simulator: Simulators = "footfall",
    seeds: Seeds = 0,
    noise: Noise = 0.01,
    robot: Body = "",
    command: Wish = "",
    duration: Duration = None,
    set_: Changes = None,
    output: Output = None,
    trusted: Trusted = False,
) -> None:
    """Test a policy under several laws and in several simulators, from several starts.

    Prints success, distance and tracking error, with their spread over the starts. Also prints when
    the simulators first differ, and in which quantity. The page policy.html plays the runs.

    Examples:
        footfall policy run walk.policy.toml quadruped/standing
        footfall policy run walk.policy.toml quadruped/standing --simulator footfall,mujoco
    """
    from footfall.api.command import default_output, parse_assignments
    from footfall.api.plugin import FootfallError, error_line
    from footfall_policy.page import write_page
    from footfall_policy.table import text

    name = file.name.split(".")[0]
    try:
        settings: dict[str, Any] = {"trusted": trusted}
        if command:
            settings["command"] = [float(part) for part in command.split(",")]
    except ValueError as error:
        raise typer.BadParameter(f"--command: {error}") from error
    folder = output or default_output(f"policy-{name}", suffix="")
    with FootfallError.of_file(folder):
        folder.mkdir(parents=True, exist_ok=not output)
    try:
        rows = _tried(
            *(file, scene),
            contacts=contact.split(","),
            simulators=simulator.split(","),
            seeds=seeds,
            noise=noise,
            robot=robot,
            duration=duration,
            settings=settings,
            overrides=parse_assignments(set_ or [], {}),
            folder=folder,
        )
    except FootfallError:
        with suppress(OSError):  # it stays if it holds a recording
            folder.rmdir()
        raise
    print(text(rows))
    page = folder / "policy.html"
    try:
        write_page(rows, f"{name} in {scene}", page)
    except OSError as error:
        raise FootfallError(f"{page}: {error_line(error)}") from error
    print(f"page written to {page}")


def _tried(file: Path, scene: str, **options: Any) -> list[Row]:
    """Run all rows with progress on standard error."""
    from footfall import progress_lines
    from footfall_policy.trial import run_policy

    now = [""]

    def start(row: Row, number: int, total: int) -> None:
        now[0] = f"{number} of {total}: {row.title}"
        typer.echo(now[0], err=True)

    with progress_lines(lambda s: f"{now[0]}: {s:.0f} s in all", soon=10.0):
        return run_policy(file, scene, on_start=start, **options)
