"""Write ``model.urdf``: a quadruped of 12 joints and 15.3 kg, out of primitive shapes.

Run ``python make_model.py`` after a change. Every link is a few solids of uniform density; its mass
properties are exactly theirs. Axes at zero position: x forwards, y to the left, z up, legs straight
down. The motors of hip and knee sit at the hips, which keeps the legs light.
"""

from __future__ import annotations

from footfall_robots.primitives import Drive, Part, Solid, X, Y, write_model

COLORS = {
    "shell": "0.88 0.89 0.91 1",
    "motor": "0.16 0.18 0.22 1",
    "accent": "0.95 0.55 0.12 1",
    "light": "0.35 0.80 0.95 1",
}
THIGH = SHANK = 0.20
"""Hip to knee, and knee to the middle of the foot, [m]; equal, so that a squat is straight."""
FOOT = 0.022
"""Radius of a foot, [m]."""
HIP = (0.20, 0.055)
"""Where the axes of the hips' roll are, forwards and sideways of the middle of the trunk, [m]."""
ASIDE = 0.075
"""From a hip's roll axis to the plane in which its leg bends, [m]."""
ROLL = Drive(-0.8, 0.8, effort=30, velocity=25, damping=0.05)
PITCH = Drive(-1.0, 2.4, effort=30, velocity=25, damping=0.05)
KNEE = Drive(-2.6, -0.2, effort=45, velocity=18, damping=0.05)


def trunk() -> Part:
    """Return the trunk: hull, battery, bulkheads between the hips, head with a visor."""
    eyes = [Solid("sphere", (0.012,), 0.01, (0.335, y, 0.03), "light") for y in (0.03, -0.03)]
    stripes = [
        Solid("box", (0.22, 0.006, 0.03), 0.05, (0, y, 0.01), "accent") for y in (0.08, -0.08)
    ]
    ends = [Solid("box", (0.07, 0.14, 0.085), 0.6, (x, 0, 0), "motor") for x in (0.20, -0.20)]
    return Part(
        "trunk", "", (0, 0, 0),
        (
            Solid("box", (0.32, 0.16, 0.11), 4.2),
            Solid("box", (0.24, 0.11, 0.03), 1.0, (-0.02, 0, 0.065), "motor"),
            Solid("box", (0.09, 0.13, 0.08), 0.5, (0.285, 0, 0.03)),
            Solid("box", (0.012, 0.11, 0.045), 0.05, (0.33, 0, 0.03), "motor"),
            *eyes, *stripes, *ends,
        ),
    )  # fmt: skip


def leg(name: str, forwards: float, side: float) -> list[Part]:
    """Return a leg; ``forwards`` and ``side`` are +1 or -1 for the front and for the left."""
    return [
        Part(
            f"{name}_hip", "trunk", (forwards * HIP[0], side * HIP[1], 0),
            (Solid("cylinder", (0.044, 0.09), 0.6, (0, 0.01 * side, 0), "shell", "x"),),
            f"{name}_hip_roll", X, ROLL,
        ),
        Part(
            f"{name}_thigh", f"{name}_hip", (0, side * ASIDE, 0),
            (
                Solid("cylinder", (0.046, 0.045), 0.5, (0, 0, 0), "motor", "y"),
                Solid("cylinder", (0.038, 0.03), 0.4, (0, 0.035 * side, 0), "accent", "y"),
                Solid("box", (0.05, 0.03, THIGH - 0.05), 0.3, (0, 0, -THIGH / 2)),
                Solid("cylinder", (0.027, 0.036), 0.08, (0, 0, -THIGH), "motor", "y"),
            ),
            f"{name}_hip_pitch", Y, PITCH,
        ),
        Part(
            f"{name}_shank", f"{name}_thigh", (0, 0, -THIGH),
            (
                Solid("cylinder", (0.014, SHANK - 0.04), 0.12, (0, 0, -SHANK / 2), "shell"),
                Solid("sphere", (FOOT,), 0.06, (0, 0, -SHANK), "motor"),
            ),
            f"{name}_knee", Y, KNEE,
        ),
        Part(f"{name}_foot", f"{name}_shank", (0, 0, -SHANK), joint=f"{name}_foot_fixed"),
    ]  # fmt: skip


def model() -> list[Part]:
    """Return all parts, the trunk first."""
    corners = {"fl": (1, 1), "fr": (1, -1), "rl": (-1, 1), "rr": (-1, -1)}
    return [trunk(), *(part for name, at in corners.items() for part in leg(name, *at))]


if __name__ == "__main__":
    write_model(__file__, "quadruped", model(), COLORS)
