"""Take the pictures of imported robots: python -m docs.imported_pictures (needs Chromium)."""

import tempfile
from pathlib import Path

from tests.benchmarks.imported import standing

from docs.pictures import STATIC, Look, take

SIX = (
    "icub-models:iCubGenova02",
    "jvrc_description:jvrc1",
    "example-robot-data:talos_full_v2",
    "example-robot-data:solo12",
    "example-robot-data:anymal_b_simple_description/anymal",
    "example-robot-data:panda",
)
FOURTEEN = tuple(
    f"example-robot-data:{name}"
    for name in (
        *("go2", "a1", "laikago", "hyq_no_sensors"),
        *("b1-z1", "anymal-kinova", "centauro", "g1_29dof_rev_1_0", "alexander_v1.lowerBodyOnly"),
        *("tiago_dual", "baxter", "ur5_gripper", "kinova", "xarm7"),
    )
)
"""More of them: the page of all has a picture of twenty."""

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        looks = [Look(standing(model, Path(folder)), 0.4, 0.5) for model in (*SIX, *FOURTEEN)]
        take(looks[: len(SIX)], STATIC / "imported_robots.png", (380, 380), columns=3)
        take(looks, STATIC / "twenty_imported_robots.png", (300, 300), columns=5)
