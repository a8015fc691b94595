"""External wrenches on links as generalized forces: ``tau = J' f``."""

from __future__ import annotations

from footfall.jit.compiling import inner
from footfall.spatial.rotation import placed, turned


@inner
def along_world(dynamics, pushes, i, k):
    """Return three components of wrench i, from its k-th on, along the world's axes."""
    f0, f1, f2 = pushes.wrench[i, k], pushes.wrench[i, k + 1], pushes.wrench[i, k + 2]
    if pushes.frame[i] == 0:
        return f0, f1, f2
    return turned(dynamics.pose, pushes.link[i], f0, f1, f2)


@inner
def apply_pushes(topology, joints, dynamics, pushes, tree):
    """Write the generalized external force of a tree whose poses and twists S are up to date.

    ``external_k = effort_k + sum over wrenches of S_k . (f, m + x x f)`` with x the world position
    of the point that is pushed. Without pushes it is left as it is.
    """
    if pushes.acting[1] == 0:
        return
    first = topology.tree_v[tree]
    for k in range(first, topology.tree_v[tree + 1]):
        joints.external[k] = pushes.effort[k]
    R, S = dynamics.pose, dynamics.S
    for i in range(pushes.acting[0]):
        link = pushes.link[i]
        if topology.link_tree[link] != tree:
            continue
        a, b, c = pushes.point[i, 0], pushes.point[i, 1], pushes.point[i, 2]
        x, y, z = placed(R, link, a, b, c)
        f0, f1, f2 = along_world(dynamics, pushes, i, 0)
        m0, m1, m2 = along_world(dynamics, pushes, i, 3)
        m0, m1, m2 = m0 + y * f2 - z * f1, m1 + z * f0 - x * f2, m2 + x * f1 - y * f0
        for p in range(topology.chain_start[link], topology.chain_start[link + 1]):
            k = first + topology.chain[p]
            joints.external[k] += S[k, 0] * f0 + S[k, 1] * f1 + S[k, 2] * f2
            joints.external[k] += S[k, 3] * m0 + S[k, 4] * m1 + S[k, 5] * m2
