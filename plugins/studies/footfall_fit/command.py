"""``footfall fit``: find parameters of a scene from measured motions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.api.command import Changes, SceneName, parse_assignments

Data = Annotated[
    list[Path], typer.Argument(help="Recordings, or tables (.csv, .npz) with time and q.")
]
Parameters = Annotated[
    list[str],
    typer.Option(
        "--param",
        metavar="KEY[=LOW:HIGH[:START]]",
        help="Scene key to fit; may be repeated. LAW:KEY is for one law only.",
    ),
]
Sizes = Annotated[
    list[str] | None,
    typer.Option(
        "--residual",
        metavar="NAME=SIZE",
        help="Quantity to compare, and size of its errors, e.g. position=0.01.",
    ),
]
Laws = Annotated[
    str | None,
    typer.Option(metavar="LAW,LAW..", help="Contact laws to fit and rank."),
]
Segment = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Cut the data into pieces of this length."),
]
Folds = Annotated[
    int | None,
    typer.Option(min=0, help="Parts of the data, each left out once; 0: none.", show_default="5"),
]
Loss = Annotated[str, typer.Option(help="linear; for outliers: soft_l1, huber or cauchy.")]
Torques = Annotated[str, typer.Option(help="Source of joint torques: data, scene or auto.")]
Gradients = Annotated[str, typer.Option(help="Kind of derivatives: exact, differences or auto.")]
Difference = Annotated[float, typer.Option(help="Step for differences, relative to a parameter.")]
Scan = Annotated[int, typer.Option(min=0, help="Number of start values to try within the bounds.")]
Output = Annotated[Path | None, typer.Option(help="Folder for fit.json and the page fit.html.")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace old output.")]


def fit(
    scene: SceneName,
    data: Data,
    param: Parameters,
    residual: Sizes = None,
    laws: Laws = None,
    set_: Changes = None,
    segment: Segment = None,
    folds: Folds = None,
    loss: Loss = "linear",
    torques: Torques = "auto",
    gradients: Gradients = "auto",
    difference: Difference = 1e-3,
    scan: Scan = 0,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Find parameters of a scene from measured motions, under one law or several.

    Each measured motion is simulated from its first row and compared row by row. The output
    names parameters that the data do not determine; they keep their values. Laws are ranked by data
    that the fit leaves out.

    Examples:
        footfall fit cube/sliding slide.csv --param world.terrain.friction
        footfall fit cube/sliding slide.csv --param bodies.cube.mass_scale --laws coulomb,lcp
    """
    from footfall import progress_lines
    from footfall.api.plugin import PluginError, SceneError
    from footfall_fit.fit import fit as find
    from footfall_fit.outcome import check_folder

    sizes = None
    if residual:
        sizes = {}
        for text in residual:
            name, _, size = text.partition("=")
            try:
                sizes[name.strip()] = float(size)
            except ValueError:
                raise SceneError(f"--residual must be NAME=SIZE, got {text!r}") from None
    if output is not None:
        check_folder(output, overwrite)
    doing = ["reading"]
    with progress_lines(lambda s: f"fit: {doing[0]}, {s:.0f} s"):
        found = find(
            scene,
            data,
            param,
            residuals=sizes,
            laws=laws.split(",") if laws else None,
            overrides=parse_assignments(set_ or [], {}),
            segment=segment,
            folds=folds,
            loss=loss,
            torques=torques,
            gradients=gradients,
            difference=difference,
            scan=scan,
            on_progress=lambda what: doing.__setitem__(0, what),
        )
    print(found)
    if output is not None:
        try:
            print(f"\nwritten to {found.write(output, overwrite=overwrite)}")
        except PluginError as error:
            print(f"\nfit.json is in {output}")
            typer.echo(f"note: no page: {error}", err=True)
