"""The declared contact points of a body's feet."""

from __future__ import annotations

import numpy as np

from footfall.interfaces.signals import FootPoints
from footfall.world.body import Body


def foot_points(body: Body) -> dict[str, FootPoints]:
    """Return points and spheres of each foot by name, in the foot's frame; rims are left out."""
    features = [f for f in body.features if f.foot is not None]
    found: dict[str, FootPoints] = {}
    for name, foot in {f.foot.name: f.foot for f in features if f.foot}.items():
        own = [f for f in features if f.foot and f.foot.name == name and f.kind != "rim"]
        places = np.array([f.position for f in own], float).reshape(-1, 3)
        positions, radii = foot.pose.inverse().apply(places), np.array([f.radius for f in own])
        positions.flags.writeable = radii.flags.writeable = False
        found[name] = FootPoints(positions, radii)
    return found
