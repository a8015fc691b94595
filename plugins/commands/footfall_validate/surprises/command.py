"""The command ``footfall validate surprises``: surprises of simulators, in figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from footfall_validate.options import counted

HEADER = ("surprise", "figure", "Footfall", "MuJoCo")
INTRODUCTION = """\
# Twelve surprises

The surprises that users of simulators report most often, by one figure each; 0 is right.
Written by

```sh
footfall validate surprises --output docs/results
```

which you can repeat (extra `bench`); {circumstances} MuJoCo {mujoco}.

Both have their defaults except for friction, the rebound and the time step, 1 ms unless stated
otherwise: Footfall with `coulomb` and `semi_implicit_euler`, MuJoCo with its pyramid of friction
and `Euler`. MuJoCo's contacts are soft by design, and settings reduce some of these figures
(`cone="elliptic"`, `impratio`, `noslip_iterations`, `solref`, `gap`).

"""
REMARKS = """
Three figures depend on the scheme and not on the contact, and are alike: a stopping distance is
late by v dt / 2 in any simulator; an undamped pendulum's energy is that of a first-order
integrator; and both bring a cube to rest. The rebound is that of MuJoCo's default time constant, 20
ms, with the damping ratio of a linear spring with that restitution, which `solref` takes; other
time constants give other rebounds (5 ms 142 %, 50 ms 20 %). Both simulators get the same four
settings without effect: a misspelled key (both reject it), a setting of another kind of contact
(Footfall rejects it; MuJoCo accepts torsional friction of a contact without), a friction that
another one overrules, and friction of bodies that touch nothing (both accept them).
"""


def surprises(
    output: Annotated[
        Path | None, typer.Option(help="Folder for a page with the table, surprises.md.")
    ] = None,
) -> None:
    """Measure twelve surprises for users of simulators, in Footfall and in MuJoCo.

    MuJoCo comes with the extra bench; without it its column is empty.
    """
    rows = measure()
    widths = [max(len(row[k]) for row in (HEADER, *rows)) for k in range(len(HEADER))]
    for row in (HEADER, *rows):
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        print("  ".join((*left, *right)))
    if output:
        print(f"page written to {write_page(output, rows)}")


def measure() -> list[tuple[str, str, str, str]]:
    """Return the rows of the table."""
    from footfall_validate.surprises.surprises import SURPRISES

    try:
        from footfall_validate.surprises import mujoco as theirs
    except ImportError:
        theirs = None  # type: ignore[assignment]
        print('MuJoCo is left out: pip install "footfall[bench]"')
    rows = []
    with counted(len(SURPRISES), "surprises") as done:
        for surprise in SURPRISES:
            unit = f" {surprise.unit}" if surprise.unit else ""
            other = "-"
            if theirs is not None:
                other = f"{theirs.MEASURES[surprise.theirs]():.2g}{unit}"
            rows.append((surprise.name, surprise.figure, f"{surprise.ours():.2g}{unit}", other))
            done()
    return rows


def write_page(folder: Path, rows: Sequence[Sequence[str]]) -> Path:
    """Write ``surprises.md``."""
    from importlib.metadata import PackageNotFoundError, version

    from footfall_validate.circumstances import circumstances, table, write_markdown

    try:
        mujoco = version("mujoco")
    except PackageNotFoundError:
        mujoco = "was not installed"
    about = INTRODUCTION.format(circumstances=circumstances(), mujoco=mujoco)
    return write_markdown(folder, "surprises", about + table(HEADER, rows) + REMARKS)
