"""The simulations behind the documentation's figures."""

import numpy as np

import footfall

LAWS = ("coulomb", "gauss", "gauss_discrete")
SLOPE = np.pi / 6


def stop(law):
    """Return the run of a cube that is pushed off at 6 m/s, with no impact model beside the law."""
    chosen = {"contact.plugin": law, "impact.plugin": "none"}
    return footfall.load("cube/sliding", chosen).run(1.5)


def fall(scene, duration, settings=None):
    """Return the run of a scene, as it is or with other settings."""
    return footfall.load(scene, settings or {}).run(duration)


def slope_speeds(law, azimuths):
    """Return the speeds [m/s] of a box after 1 s on slopes that face azimuths [degrees]."""
    return [_slope_speed(law, np.radians(azimuth)) for azimuth in azimuths]


def _slope_speed(law, azimuth):
    (c, s), (ct, st) = _cos_sin(azimuth), _cos_sin(SLOPE)
    normal = np.array([st * c, st * s, ct])
    R = np.array([[c * ct, -s, c * st], [s * ct, c, s * st], [-st, 0.0, ct]])
    roll, pitch = np.arctan2(R[2, 1], R[2, 2]), -np.arcsin(R[2, 0])
    sim = footfall.load(
        "box/slope",
        {
            "contact.plugin": law,
            "world.terrain.normal": normal.tolist(),
            "bodies.box.base_position": (0.03 * normal).tolist(),
            "bodies.box.base_orientation": [roll, pitch, np.arctan2(R[1, 0], R[0, 0])],
        },
    )
    sim.record(1.0)
    velocity = sim.signal("base_velocity")[0, :3]
    return float(np.linalg.norm(velocity - normal * (normal @ velocity)))


def _cos_sin(angle):
    return np.cos(angle), np.sin(angle)


def bounce_heights(restitution, splits):
    """Return the first rebound height [m] of a ball that is dropped from 1 m."""
    run = footfall.load(
        "ball/bounce",
        {
            "world.terrain.restitution": restitution,
            "simulation.max_impact_splits": splits,
        },
    ).run(1.5)
    z, vz = run.base_position.values[:, 0, 2] - 0.1, run.base_velocity.values[:, 0, 2]
    first = int(np.argmax(vz > 0.0))
    second = first + int(np.argmax(np.append(vz[first:] <= 0.0, True)))
    return float((z + np.square(vz) / (2 * 9.81))[first:second].mean())
