"""Take the picture of grasping: python -m docs.grasp_pictures (needs Chromium)."""

from docs.pictures import STATIC, Look, take

TIMES = (0.0, 2.0, 4.6, 6.8)

if __name__ == "__main__":
    looks = [Look("humanoid/grasp", at, 7.0) for at in TIMES]
    take(looks, STATIC / "grasping.png", (360, 420), columns=4)
