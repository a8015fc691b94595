"""The page of scores on the recorded tosses."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from footfall_validate.circumstances import circumstances, table, write_markdown
from footfall_validate.tosses.scores import PUBLISHED, Score, figures

INTRODUCTION = """\
# Real tosses

A cube of 0.1048 m, tossed 550 times onto a table and recorded at 148 rows a second (Pfrommer, Halm,
Posa, *ContactNets*, CoRL 2020), scored by the protocol of Acosta, Yang, Posa, *Validating Robotics
Simulators on Real-World Impacts*, RA-L 2022: each toss is played from the first row before contact
and compared row by row until 10 rows after rest. **Nothing is fitted**: friction 0.18 from a tilt
test, the measured mass and inertia, no restitution, every law with its default settings. The
published simulators had their contact parameters fitted to these same tosses. MuJoCo has its
default settings, a soft contact, with that friction and inertia.

```sh
footfall validate tosses --data FOLDER --law all --output docs/results
```

wrote this page; {circumstances} The data is not part of Footfall (it is published with the paper).

Mean position error in percent of the cube's width and mean rotation error in degrees; *sd* is the
standard deviation over the tosses, *se* the standard error of the mean over the recorded tosses,
some of which are in the set twice. *Failed* tosses could not be played to their end and are left
out.

"""


def write_toss_page(folder: Path, scores: Sequence[Score]) -> Path:
    """Write ``tosses.md``.

    Returns:
        Path of the page.
    """
    header = ["", "substeps", "position [%]", "sd", "se", "rotation [deg]", "sd", "se"]
    rows = [figures(score) for score in (*scores, *PUBLISHED)]
    shown = table([*header, "failed", "processor time [s]"], rows)
    errors = "".join(f"\n- `{s.who}`, {s.substeps} substeps: {s.error}" for s in scores if s.error)
    text = INTRODUCTION.format(circumstances=circumstances()) + shown + errors
    return write_markdown(folder, "tosses", text.rstrip("\n") + "\n")
