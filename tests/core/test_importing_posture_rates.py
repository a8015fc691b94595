"""Derivatives of the posture search are those of its terms, by central differences."""

import numpy as np
import pytest
from tests.core.test_importing_wheels import WIDE, cart
from tests.core.walker_urdf import walker

from footfall import discover
from footfall.api.advanced import ModelCoupling, ModelJoining
from footfall.api.engine import Pose
from footfall_import.choices import Wishes
from footfall_import.locate import locate
from footfall_import.propose import _Draft
from footfall_import.read_model import read_model
from footfall_import.standing import posture, posture_rates

BALL = '<geometry><sphere radius="0.05"/></geometry>'
BALLS = f'{BALL}</collision><collision><origin xyz="-0.1 0.02 -0.03"/>{BALL}'
STEP = 1e-6


def draft(folder, text):
    path = folder / "it.urdf"
    path.write_text(text)
    located = locate(str(path))
    found = _Draft(located, read_model(located), Wishes(), discover())
    rng = np.random.default_rng(0)
    found.stance.place(found.stance.joints + 0.1 * rng.standard_normal(len(found.stance.joints)))
    return found.stance, found.feet


def slopes(stance, term):
    """Return the derivatives of a term by the joints, shape (n, joints)."""
    at, columns = stance.joints.copy(), []
    for step in STEP * np.eye(len(at)):
        ends = []
        for sign in (1.0, -1.0):
            stance.place(at + sign * step)
            ends.append(np.ravel(term()))
        columns.append((ends[0] - ends[1]) / (2.0 * STEP))
    stance.place(at)
    return np.array(columns).T


@pytest.mark.parametrize("text", [walker(), walker(BALLS), cart(WIDE)])
def test_rates_of_heights_tilts_and_the_centre_of_mass(tmp_path, text):
    stance, feet = draft(tmp_path, text)
    same = {"atol": 1e-7, "rtol": 1e-6}
    np.testing.assert_allclose(stance.com_jacobian(), slopes(stance, stance.com), **same)
    rates = [posture_rates.height_rate(stance, foot) for foot in feet]
    theirs = slopes(stance, lambda: [foot.lowest(stance) for foot in feet])
    np.testing.assert_allclose(rates, theirs, **same)
    rates = [rate for foot in feet for rate in posture_rates.tilt_rates(stance, foot)]
    theirs = slopes(stance, lambda: posture._tilts(stance, feet))
    np.testing.assert_allclose(np.concatenate(rates), theirs, **same)


def test_rates_of_gaps(tmp_path):
    stance, _ = draft(tmp_path, walker())
    poses = Pose.from_rpy((0.1, 0.2, 0.3), (0.1, 0.2, 0.3)), Pose.from_rpy((0, 0, 0.1), (0, 0, 0))
    loops = [
        ModelCoupling("c", "l_hip", "r_knee", 2.0, 0.5, "here"),
        ModelJoining("p", "point", ("l_foot", "r_shank"), poses, "here"),
        ModelJoining("w", "weld", ("l_foot", "l_thigh"), poses, "here"),
    ]
    rates = np.concatenate(list(posture_rates.gap_rates(stance, loops)))
    theirs = slopes(stance, lambda: posture.gaps(stance, loops))
    np.testing.assert_allclose(rates[:7], theirs[:7], atol=1e-7)
    # Of a weld's turn phi, terms of phi^2 are left out.
    phi = np.linalg.norm(posture.gaps(stance, loops)[-3:])
    assert np.abs(rates[7:] - theirs[7:]).max() < phi**2 / 6.0
