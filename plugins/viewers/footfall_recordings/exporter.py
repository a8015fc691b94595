"""The exporter ``csv``: a recording as comma-separated values."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from footfall import open_run
from footfall_recordings.columns import blocks, signals
from footfall_recordings.destination import destination


def export_csv(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write a line of names with units, then one line per recorded row, time first.

    Numbers keep all digits. Names are those of the recording, e.g. ``joint_position[knee] [rad]``.
    Contacts between bodies are left out, because their number changes.

    Raises:
        RecordingError: if the recording cannot be read, or the file exists or cannot be written.
    """
    del trust  # no scene is assembled
    run = open_run(recording)
    columns = list(signals(run))
    names = ["time [s]"]
    for one in columns:
        for label in one.labels:
            entry = f"{one.name}[{label}]" if label else one.name
            names.append(f"{entry} [{one.units}]")
    with (
        destination(output, overwrite=overwrite) as part,
        part.open("w", encoding="utf-8", newline="") as file,
    ):
        csv.writer(file, lineterminator="\n").writerow(names)
        for rows in blocks(run.sizes["time"]):
            time = run["time"][rows].values[:, None]
            values = np.hstack([time, *(one.values(run, rows) for one in columns)])
            for line in values.tolist():
                file.write(",".join(map(repr, line)))
                file.write("\n")
