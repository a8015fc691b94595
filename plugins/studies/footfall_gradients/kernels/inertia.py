"""The inertia of a part of a step with gains and damping, and its inverse along closed loops."""

from __future__ import annotations

from footfall.api.kernels import inner, kernel
from footfall_gradients.tables import part, part_dynamics, part_topology

SAME = 1e-9
"""Relative difference within which a matrix counts as that of the step's solution."""


@inner
def copy_inertia(topology, dynamics, joints, a, dt):
    """Write the inertia and the acting gains; return whether the factor belongs to them.

    Gains of a controller do not act in a joint whose torque was given for the step.
    """
    good = True
    for tree in range(len(topology.free)):
        first, at = topology.tree_v[tree], topology.tree_M[tree]
        n = topology.tree_v[tree + 1] - first
        for i in range(n):
            a.line[first + i] = 0.0
            for j in range(i + 1):
                m = dynamics.M[at + i * n + j]
                a.dense[first + i, first + j] = a.dense[first + j, first + i] = m
        for i in range(n):
            d = dynamics.L[at + i * n + i]
            a.line[first + i] += d
            j = topology.dof_parent[first + i]
            while j >= 0:
                s = dynamics.L[at + i * n + j]
                a.line[first + j] += s * s * d
                j = topology.dof_parent[first + j]
        for i in range(first, first + n):
            a.damping[i] = joints.damping[i] + joints.rate_gain[i]
            a.stiffness[i], added = joints.stiffness[i], a.line[i] - a.dense[i, i]
            if abs(added - dt * (a.damping[i] + dt * a.stiffness[i])) > SAME * a.line[i]:
                a.damping[i], a.stiffness[i] = joints.damping[i], 0.0
                if abs(added - dt * a.damping[i]) > SAME * a.line[i]:
                    good = False
    return good


@inner
def invert_factor(topology, dynamics, X):
    """Write the inverse of ``L' D L``, row by row."""
    for i in range(X.shape[0]):
        for j in range(X.shape[0]):
            X[i, j] = 0.0
        X[i, i] = 1.0
    for tree in range(len(topology.free)):
        first, at = topology.tree_v[tree], topology.tree_M[tree]
        n = topology.tree_v[tree + 1] - first
        for i in range(n - 1, -1, -1):
            j = topology.dof_parent[first + i]
            while j >= 0:
                s = dynamics.L[at + i * n + j]
                for c in range(first + i, first + n):
                    X[first + j, c] -= s * X[first + i, c]
                j = topology.dof_parent[first + j]
            s = 1.0 / dynamics.L[at + i * n + i]
            for c in range(first + i, first + n):
                X[first + i, c] *= s
        for i in range(n):
            j = topology.dof_parent[first + i]
            while j >= 0:
                s = dynamics.L[at + i * n + j]
                for c in range(first, first + n):
                    X[first + i, c] -= s * X[first + j, c]
                j = topology.dof_parent[first + j]


@kernel
def invert(table):
    """Write the inverse of the inertia, with gains and damping, to ``PartArrays.inverse``."""
    invert_factor(part_topology(table), part_dynamics(table), part(table).inverse)


@inner
def along_loops(a):
    """Take the motion that loops hold from the inverse, and add their impulses to ``line``."""
    nv = len(a.closing)
    for j in range(nv):
        for i in range(nv):
            a.held[i] = 0.0
            for k in range(nv):
                a.held[i] += a.along[k, i] * a.inverse[k, j]
        for i in range(nv):
            a.inverse[i, j] -= a.held[i]
    for i in range(nv):
        a.held[i] = a.closing[i]
        for k in range(nv):
            a.held[i] -= a.along[i, k] * a.line[k]
    for i in range(nv):
        a.line[i] += a.held[i]
