"""Take the picture of robots that step and stand: python -m docs.robot_pictures (Chromium)."""

from docs.pictures import STATIC, Look, take

LOOKS = (Look("quadruped/trot", 1.38, 1.5), Look("jvrc/standing", 1.0, 1.5))

if __name__ == "__main__":
    take(LOOKS, STATIC / "robots.png", (560, 420), columns=2)
