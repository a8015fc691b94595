"""Runs for other tools: CSV tables, MCAP for Foxglove, RRD files and live view for Rerun."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.api.plugin import hookimpl

if TYPE_CHECKING:
    from collections.abc import Callable

    from footfall.api.plugin import Registry
    from footfall.api.visualizer import Visualizer


def _csv() -> Callable[..., Any]:
    from footfall_recordings.exporter import export_csv

    return export_csv


def _mcap() -> Callable[..., Any]:
    from footfall_recordings.foxglove import export_mcap

    return export_mcap


def _rrd() -> Callable[..., Any]:
    from footfall_recordings.rerun_file import export_rrd

    return export_rrd


def _rerun() -> type[Visualizer]:
    from footfall_recordings.visualizer import Rerun

    return Rerun


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the exporters ``csv``, ``mcap`` and ``rrd``, and the visualizer ``rerun``."""
    registry.exporter.add("csv", _csv, summary="all signals of a recording, a line for each step")
    registry.exporter.add(
        "mcap", _mcap, summary="bodies, transforms and signals for Foxglove", requires=("mcap",)
    )
    registry.exporter.add(
        "rrd", _rrd, summary="bodies, transforms and signals for Rerun", requires=("rerun",)
    )
    registry.visualizer.add(
        "rerun",
        _rerun,
        summary="a run in Rerun's viewer while it goes on, or in a file for it",
        requires=("rerun",),
        extra="rerun",
    )
