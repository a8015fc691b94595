"""Runs for other tools: CSV, MCAP for Foxglove, RRD and live for Rerun."""

from __future__ import annotations

from footfall.api.plugin import Registry, hookimpl


@hookimpl
def footfall_register(registry: Registry) -> None:
    """Add the exporters, and the visualizer ``rerun``."""
    registry.exporter.add(
        "csv",
        "footfall_recordings.exporter:export_csv",
        summary="all signals of a recording, one line per step",
    )
    registry.exporter.add(
        "mcap",
        "footfall_recordings.foxglove:export_mcap",
        summary="bodies, transforms and signals for Foxglove",
        requires=("mcap",),
    )
    registry.exporter.add(
        "rrd",
        "footfall_recordings.rerun_file:export_rrd",
        summary="bodies, transforms and signals for Rerun",
        requires=("rerun",),
    )
    registry.visualizer.add(
        "rerun",
        "footfall_recordings.visualizer:Rerun",
        summary="a run in Rerun's viewer while it goes on, or in a file for it",
        requires=("rerun",),
        extra="rerun",
    )
