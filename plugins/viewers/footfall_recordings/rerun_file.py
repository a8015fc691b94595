"""The exporter ``rrd``: a recording for Rerun."""

from __future__ import annotations

from pathlib import Path

import footfall
from footfall import open_run
from footfall_recordings.columns import signals
from footfall_recordings.destination import destination
from footfall_recordings.rerun_scene import log_scene, send_motion, send_scalars


def export_rrd(recording: Path, output: Path, *, overwrite: bool, trust: bool = False) -> None:
    """Write the bodies' meshes, the ground, transforms, contact forces and all signals.

    Entities:

    - ``world/BODY/LINK``: moving link with its shapes below;
    - ``world/contact_forces``: force arrows; the total weight has the length of the scene's radius;
    - ``signals/NAME/ENTRY``: scalars with names and units.

    The timeline ``time`` is the run's, in seconds. Poses have 50 frames per second.

    Raises:
        RecordingError: if the recording cannot be shown, or the file exists or cannot be written.
    """
    import rerun

    graph, motion = footfall.recorded_motion(recording, trust=trust)
    run = open_run(recording)
    with destination(output, overwrite=overwrite) as part:
        stream = rerun.RecordingStream("footfall", recording_id=Path(recording).stem)
        stream.save(str(part))
        log_scene(stream, graph)
        of_contacts = motion.contact_position, motion.contact_force
        send_motion(stream, graph, motion.time, motion.poses, *of_contacts)
        for signal in signals(run):
            values = signal.values(run, slice(None))
            for k, label in enumerate(signal.labels):
                path = ["signals", signal.name, *([label] if label else [])]
                name = f"{signal.name} {label} [{signal.units}]".replace("  ", " ")
                send_scalars(stream, path, name, run["time"].values, values[:, k])
        stream.flush()
        stream.disconnect()
