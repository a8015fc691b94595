"""Write ``model.urdf``: a hand of 16 joints and 0.8 kg, out of primitive shapes.

Run ``python make_model.py`` after a change. Three fingers and a thumb opposite to them, each with a
joint that swings it aside and three that bend it; sizes, masses and torques are those of hands of
this kind for research. At zero position the palm looks up, fingers point along x, the thumb against
them; a positive angle bends towards the palm.
"""

from __future__ import annotations

from footfall_robots.primitives import Drive, Part, Solid, Vector, Z, write_model

COLORS = {
    "shell": "0.88 0.89 0.91 1",
    "motor": "0.16 0.18 0.22 1",
    "rubber": "0.95 0.55 0.12 1",
}
PALM = (0.10, 0.12, 0.03)
"""Lengths, [m]."""
BONES = (0.054, 0.038, 0.027)
"""Of a finger, from the palm on, [m]."""
TIP = 0.012
"""Radius of a finger's tip, [m]."""
ASIDE = Drive(-0.47, 0.47, effort=0.7, velocity=7.0, damping=0.02)
BENDS = Drive(-0.2, 1.7, effort=0.7, velocity=7.0, damping=0.02)


def finger(name: str, ahead: float, side: float) -> list[Part]:
    """Return a finger; ``ahead`` is +1 along x, -1 against it, ``side`` where it begins, y [m]."""
    axis: Vector = (0.0, -ahead, 0.0)
    parts = [
        Part(
            f"{name}_knuckle", "palm", (0.06 * ahead, side, 0.0),
            (Solid("cylinder", (0.013, 0.026), 0.03, color="motor"),),
            f"{name}_aside", Z, ASIDE,
        )
    ]  # fmt: skip
    at = (0.0, 0.0, 0.0)
    for number, length in enumerate(BONES, 1):
        middle = (0.5 * length * ahead, 0.0, 0.0)
        bone = Solid("cylinder", (0.009, length), 0.06 * length / BONES[0], middle, along="x")
        link = f"{name}_{number}"
        solids = (bone, Solid("cylinder", (0.0105, 0.022), 0.01, color="motor", along="y"))
        parts.append(Part(link, parts[-1].name, at, solids, f"{name}_bend{number}", axis, BENDS))
        at = (length * ahead, 0.0, 0.0)
    ball = Solid("sphere", (TIP,), 0.01, color="rubber")
    return [*parts, Part(f"{name}_tip", parts[-1].name, at, (ball,), f"{name}_tip_fixed")]


def model() -> list[Part]:
    """Return all parts, the palm first."""
    palm = Part("palm", "", (0.0, 0.0, 0.0), (Solid("box", PALM, 0.4),))
    begins = {"index": (1.0, 0.042), "middle": (1.0, 0.0), "ring": (1.0, -0.042)}
    fingers = begins | {"thumb": (-1.0, 0.0)}
    return [palm, *(part for name, at in fingers.items() for part in finger(name, *at))]


if __name__ == "__main__":
    write_model(__file__, "hand", model(), COLORS)
