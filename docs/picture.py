"""Take the README's picture of iCub in the viewer: python -m docs.picture (needs Chromium)."""

from docs.pictures import STATIC, Look, take

if __name__ == "__main__":
    take([Look("icub/standing", 1.0, 1.0)], STATIC / "icub_standing.png", (1100, 760), columns=1)
