"""Take the pictures of the walk: python -m docs.walking_pictures (needs Chromium)."""

from docs.pictures import STATIC, Look, take

LOOKS = (
    Look("humanoid/walking", 6.72, 8.0),
    Look("humanoid/walking", 7.1, 8.0),
    Look("humanoid/walking_pushed", 6.72, 8.0),
    Look("humanoid/walking_pushed", 7.0, 8.0),
)

if __name__ == "__main__":
    take(LOOKS, STATIC / "walking.png", (420, 420), columns=4)
