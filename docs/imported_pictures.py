"""Take the picture of imported robots: python -m docs.imported_pictures (needs Chromium)."""

import tempfile
from pathlib import Path

from tests.benchmarks.imported import standing

from docs.pictures import STATIC, Look, take

MODELS = (
    "icub-models:iCubGenova02",
    "jvrc_description:jvrc1",
    "example-robot-data:talos_full_v2",
    "example-robot-data:solo12",
    "example-robot-data:anymal_b_simple_description/anymal",
    "example-robot-data:panda",
)

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        looks = [Look(standing(model, Path(folder)), 0.4, 0.5) for model in MODELS]
        take(looks, STATIC / "imported_robots.png", (380, 380), columns=3)
