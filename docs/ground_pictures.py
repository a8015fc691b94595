"""Take the pictures of grounds: python -m docs.ground_pictures (needs Chromium)."""

from docs.pictures import STATIC, Look, take

LOOKS = (
    Look("cube/conveyor", 0.6, 1.0),
    Look("cube/shaken", 0.5, 1.0),
    Look("ball/stairs", 1.6, 2.0),
    Look("ball/hills", 2.0, 2.5),
)

if __name__ == "__main__":
    take(LOOKS, STATIC / "grounds.png", (560, 380), columns=2)
