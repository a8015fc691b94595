"""Take the pictures of balancing: python -m docs.balance_pictures (needs Chromium)."""

from docs.pictures import STATIC, Look, take

LOOKS = (
    Look("icub/balancing", 0.5, 18.0),
    Look("icub/balancing", 6.0, 18.0),
    Look("icub/yoga", 9.5, 18.0),
    Look("icub/yoga", 13.5, 18.0),
    Look("icub/yoga", 17.5, 18.0),
)

if __name__ == "__main__":
    take(LOOKS, STATIC / "balancing.png", (300, 420), columns=5)
