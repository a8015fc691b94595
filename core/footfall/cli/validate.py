"""``footfall validate``: laws against closed forms and real tosses."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from footfall.validation.finding import Finding
    from footfall.validation.study import Job

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT."""

validate = typer.Typer(
    help="Measure laws against closed forms and real data.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Jobs = Annotated[
    int | None, typer.Option(min=1, help="Processes; by default one a core.", show_default=False)
]


@validate.command()
def laws(
    law: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Contact law; may be repeated; default: every one."),
    ] = None,
    impact: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Impact model; default: those that fit."),
    ] = None,
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Check, e.g. sliding_cube; default: every one."),
    ] = None,
    solver: Annotated[
        str | None, typer.Option(help="QP solver of laws that are made with one.")
    ] = None,
    jobs: Jobs = None,
    output: Annotated[
        Path | None, typer.Option(help="Folder for a page with the figures, validation.md.")
    ] = None,
) -> None:
    """Compare contact laws and impact models with closed forms.

    A check that the laws claim and miss is a failure, and the exit code is 1. What they do not
    claim is measured as well and shown with the reason.
    """
    from footfall.cli.validation_tables import print_findings
    from footfall.registry.discover import discover
    from footfall.validation.study import plan

    if output:
        from footfall.validation.figures import require_matplotlib

        require_matplotlib()
    registry = discover()
    if solver:
        registry.find("solver", solver).load()
    found = _conduct(plan(registry, law or (), impact or (), check or (), solver), jobs)
    print_findings(found)
    if output:
        from footfall.validation.cost import measure_costs
        from footfall.validation.page import write_page

        costs = measure_costs(list(dict.fromkeys(finding.laws.contact for finding in found)))
        print(f"page written to {write_page(output, found, costs)}")
    if any(finding.outcome == "FAILS" for finding in found):
        raise typer.Exit(1)


def _conduct(jobs: list[Job], workers: int | None) -> list[Finding]:
    """Run the checks under a progress bar."""
    from footfall.cli.counted import counted
    from footfall.validation.study import conduct

    try:
        with counted(len(jobs), "checks") as done:
            return conduct(jobs, workers=workers, on_done=lambda _: done())
    except KeyboardInterrupt:
        print("interrupted: no table", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
