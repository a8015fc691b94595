"""Write ``model.urdf``: a humanoid of 30 joints, 1.6 m and about 57 kg, out of primitive shapes.

Run ``python make_model.py`` after a change. Every link is a few solids of uniform density; its mass
properties are exactly theirs. Axes at zero position: x forwards, y to the left, z up, arms and
legs straight down. Proportions and masses are those of a slender adult (Winter, *Biomechanics and
Motor Control of Human Movement*, table 4.1), with motors' masses at the joints.
"""

from __future__ import annotations

from footfall_robots.primitives import Drive, Part, Solid, Vector, X, Y, Z, write_model

COLORS = {"shell": "0.80 0.82 0.86 1", "motor": "0.18 0.20 0.25 1"}
SHANK = THIGH = 0.37
"""Ankle to knee and knee to hip, [m]; equal, so that a squat keeps the hip above the ankle."""
ANKLE = 0.08
"""Height of the ankle above the sole, [m]."""
FOOT: Vector = (0.22, 0.10, 0.03)
"""Length, width and thickness of a foot, [m]."""
FOOT_CENTER = 0.035
"""Middle of the foot in front of the ankle, [m]."""
HAND: Vector = (0.03, 0.08, 0.14)
"""Thickness, width and length of a hand, [m]; the palm looks against x, backwards."""
FINGER, FINGER_GAP = 0.065, 0.006
"""Length of the fingers, and the space between them, [m]."""


def motor(mass: float, radius: float) -> Solid:
    """Return the round housing of a joint's motor."""
    return Solid("sphere", (radius,), mass, color="motor")


def trunk() -> list[Part]:
    """Return pelvis, chest and head."""
    return [
        Part("pelvis", "", (0, 0, 0), (Solid("box", (0.14, 0.24, 0.14), 7.0, (0, 0, 0.01)),)),
        Part(
            "torso_1", "pelvis", (0, 0, 0.11), (motor(1.0, 0.06),),
            "torso_yaw", Z, Drive(-1.0, 1.0, 120),
        ),
        Part(
            "chest", "torso_1", (0, 0, 0),
            (Solid("box", (0.16, 0.28, 0.32), 13.0, (0, 0, 0.22)),),
            "torso_pitch", Y, Drive(-0.4, 1.0, 150),
        ),
        Part(
            "neck", "chest", (0, 0, 0.40), (Solid("cylinder", (0.045, 0.08), 0.6, (0, 0, 0.03)),),
            "neck_yaw", Z, Drive(-1.2, 1.2, 20, damping=0.1),
        ),
        Part(
            "head", "neck", (0, 0, 0.06),
            (
                Solid("sphere", (0.105,), 3.0, (0.01, 0, 0.08)),
                Solid("box", (0.03, 0.11, 0.03), 0.1, (0.10, 0, 0.10), "motor"),
            ),
            "neck_pitch", Y, Drive(-0.6, 0.8, 20, damping=0.1),
        ),
    ]  # fmt: skip


def leg(side: str, s: float) -> list[Part]:
    """Return a leg; ``s`` is +1 for the left one, -1 for the right one."""
    lower_roll, upper_roll = sorted((-0.4 * s, 0.8 * s))
    return [
        Part(
            f"{side}_hip_1", "pelvis", (0, 0.09 * s, -0.06), (motor(1.0, 0.06),),
            f"{side}_hip_yaw", Z, Drive(-0.8, 0.8, 80),
        ),
        Part(
            f"{side}_hip_2", f"{side}_hip_1", (0, 0, 0), (motor(1.0, 0.06),),
            f"{side}_hip_roll", X, Drive(lower_roll, upper_roll, 150),
        ),
        Part(
            f"{side}_thigh", f"{side}_hip_2", (0, 0, 0),
            (Solid("cylinder", (0.06, THIGH - 0.06), 5.0, (0, 0, -THIGH / 2)),),
            f"{side}_hip_pitch", Y, Drive(-2.0, 0.7, 200),
        ),
        Part(
            f"{side}_shank", f"{side}_thigh", (0, 0, -THIGH),
            (
                motor(0.8, 0.055),
                Solid("cylinder", (0.045, SHANK - 0.06), 2.2, (0, 0, -SHANK / 2)),
            ),
            f"{side}_knee", Y, Drive(0.0, 2.4, 200),
        ),
        Part(
            f"{side}_ankle", f"{side}_shank", (0, 0, -SHANK), (motor(0.5, 0.045),),
            f"{side}_ankle_pitch", Y, Drive(-0.9, 0.7, 120),
        ),
        Part(
            f"{side}_foot", f"{side}_ankle", (0, 0, 0),
            (Solid("box", FOOT, 1.0, (FOOT_CENTER, 0, FOOT[2] / 2 - ANKLE), "motor"),),
            f"{side}_ankle_roll", X, Drive(-0.5, 0.5, 80),
        ),
        Part(f"{side}_sole", f"{side}_foot", (0, 0, -ANKLE), joint=f"{side}_sole_fixed"),
    ]  # fmt: skip


def arm(side: str, s: float) -> list[Part]:
    """Return an arm; ``s`` is +1 for the left one, -1 for the right one."""
    lower_roll, upper_roll = sorted((-0.2 * s, 2.8 * s))
    upper, lower = 0.27, 0.24
    return [
        Part(
            f"{side}_shoulder_1", "chest", (0, 0.20 * s, 0.33), (motor(0.5, 0.05),),
            f"{side}_shoulder_pitch", Y, Drive(-2.8, 1.2, 60, damping=0.2),
        ),
        Part(
            f"{side}_shoulder_2", f"{side}_shoulder_1", (0, 0, 0), (motor(0.5, 0.05),),
            f"{side}_shoulder_roll", X, Drive(lower_roll, upper_roll, 60, damping=0.2),
        ),
        Part(
            f"{side}_upper_arm", f"{side}_shoulder_2", (0, 0, 0),
            (Solid("cylinder", (0.04, upper - 0.06), 1.6, (0, 0, -upper / 2)),),
            f"{side}_shoulder_yaw", Z, Drive(-1.5, 1.5, 40, damping=0.2),
        ),
        Part(
            f"{side}_forearm", f"{side}_upper_arm", (0, 0, -upper),
            (
                motor(0.3, 0.042),
                Solid("cylinder", (0.034, lower - 0.06), 0.7, (0, 0, -lower / 2)),
            ),
            f"{side}_elbow", Y, Drive(-2.4, 0.0, 40, damping=0.2),
        ),
        Part(
            f"{side}_wrist_1", f"{side}_forearm", (0, 0, -lower), (motor(0.25, 0.03),),
            f"{side}_wrist_yaw", Z, Drive(-1.5, 1.5, 15, damping=0.1),
        ),
        Part(
            f"{side}_wrist_2", f"{side}_wrist_1", (0, 0, 0), (motor(0.2, 0.03),),
            f"{side}_wrist_pitch", Y, Drive(-1.2, 1.2, 15, damping=0.1),
        ),
        Part(
            f"{side}_hand", f"{side}_wrist_2", (0, 0, 0),
            (Solid("box", HAND, 0.45, (0, 0, -0.01 - HAND[2] / 2)),),
            f"{side}_wrist_roll", X, Drive(-0.6, 0.6, 15, damping=0.1), hand(),
        ),
        Part(
            f"{side}_palm", f"{side}_hand", (-HAND[0] / 2, 0, -0.01 - HAND[2] / 2),
            joint=f"{side}_palm_fixed",
        ),
    ]  # fmt: skip


def hand() -> tuple[Solid, ...]:
    """Return the shapes of a hand: palm and three fingers, which together weigh as one block."""
    thick, wide, long = HAND
    finger = (wide - 2 * FINGER_GAP) / 3
    palm = long - FINGER
    shapes = [Solid("box", (thick, wide, palm - FINGER_GAP), 0.0, (0, 0, -0.01 - palm / 2))]
    for k in (-1, 0, 1):
        at = (0.0, k * (finger + FINGER_GAP), -0.01 - palm - FINGER / 2)
        shapes.append(Solid("box", (thick, finger, FINGER), 0.0, at))
    return tuple(shapes)


def model() -> list[Part]:
    """Return all parts, the pelvis first."""
    sides = [part for side, s in (("l", 1.0), ("r", -1.0)) for part in leg(side, s) + arm(side, s)]
    return trunk() + sides


if __name__ == "__main__":
    write_model(__file__, "humanoid", model(), COLORS)
