"""Keys of contacts follow their shapes from one collider to another."""

from types import SimpleNamespace

import numpy as np

from footfall_stepper.world.collider import Collider
from footfall_stepper.world.collision_arrays import ENVIRONMENT, contact_key


def collider(*names):
    """Return a collider of shapes ``body/link/shape``, numbered from 1 in this order."""
    shapes = [SimpleNamespace(name=name, number=k) for k, name in enumerate(names, 1)]
    return Collider(detector=None, shapes=shapes)


def test_shapes_are_followed_by_their_place_in_their_body():
    before = collider("box/box/a", "gone/gone/a", "robot/foot/a", "robot/foot/b")
    after = collider("new/new/a", "box/box/a", "robot/foot/a", "robot/foot/b")
    keys = np.array(
        [
            contact_key(ENVIRONMENT, 4, 7),
            contact_key(1, 2, 0),
            contact_key(1, 4, 5),
            contact_key(3, 4, 1),
        ]
    )
    found, rows = before.renumbered(keys, after)
    expected = [contact_key(ENVIRONMENT, 4, 7), contact_key(2, 4, 5), contact_key(3, 4, 1)]
    assert found.tolist() == expected
    assert rows.tolist() == [0, 2, 3]
    assert after.touching(int(found[1])) == ("box/box/a", "robot/foot/b")


def test_without_contacts_nothing_is_renumbered():
    found, rows = collider("a/a/a").renumbered(np.zeros(0, np.int64), collider("b/b/b"))
    assert found.dtype == rows.dtype == np.int64
    assert found.size == rows.size == 0
