"""``footfall playground``: a page that simulates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from footfall.api.command import Changes, SceneName


def playground(
    scene: SceneName,
    laws: Annotated[
        str | None,
        typer.Option(
            metavar="LAW,LAW..",
            help="Contact laws of the menu; default: the scene's, coulomb and compliant.",
        ),
    ] = None,
    set_: Changes = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The page; default: SCENE.html.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace old output.")] = False,
) -> None:
    """Write a page that simulates a scene in the browser, without a server.

    The page needs Chrome 133 or Firefox 134. This command needs LLVM's linker (apt install lld).

    Examples:
        footfall playground humanoid/standing
        footfall playground cube/sliding --laws coulomb -o slide.html
    """
    from footfall import progress_lines
    from footfall.api.command import parse_assignments, write_whole
    from footfall.api.plugin import RecordingError
    from footfall_meshcat.playground.page import playground_page
    from footfall_meshcat.playground.variant import chosen_variants

    file = Path(scene).stem if scene.endswith(".toml") else scene.replace("/", "_")
    path = output or Path(f"{file}.html")
    RecordingError.refuse_unwritable(path, overwrite)
    overrides = parse_assignments(set_ or [])
    with progress_lines(lambda s: f"writing {path}: {s:.0f} s"):
        text = playground_page(chosen_variants(scene, overrides, laws and laws.split(",")))
        write_whole(path, text)
    print(f"page written to {path} ({len(text) / 1e6:.1f} MB); open it in Chrome or Firefox")
