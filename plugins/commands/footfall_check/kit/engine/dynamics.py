"""Checks of an engine's dynamics: comparison with the reference, and energy identities."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from footfall.api.engine import Tree
from footfall.api.plugin import Floats
from footfall.testing.check import Finding, Subject, within, worst
from footfall.testing.linkage import GRAVITY
from footfall.testing.reference import reference
from footfall_check.kit.engine.models import evaluated, load, models, random_state

ROUNDING = 1e-10
STEP = 1e-5
"""Time step of the finite difference of the power identity, [s]: error about 1e-9 (STEP^2)."""


def kinematics(subject: Subject) -> Finding:
    """Check that link poses and the twists S of the dofs are those of the model."""
    return worst(
        _near(f"{title}: {field}", getattr(tree, field), getattr(expected, field))
        for title, tree, expected, _ in evaluated(subject)
        for field in ("pose", "S")
    )


def inertia(subject: Subject) -> Finding:
    """Check that M is the joint-space inertia of the model, without armature."""
    return worst(
        _near(f"{title}: M", tree.M, expected.M) for title, tree, expected, _ in evaluated(subject)
    )


def bias(subject: Subject) -> Finding:
    """Check that h is the Coriolis, centrifugal and gravity force, also for a tilted gravity."""
    return worst(
        _near(f"{title}: h", tree.h, expected.h) for title, tree, expected, _ in evaluated(subject)
    )


def bias_alone(subject: Subject) -> Finding:
    """Check that ``evaluate_bias`` gives the h of another velocity, and changes nothing else."""
    findings = []
    for model in models(subject):
        tree = load(subject, model)
        q, v = random_state(model, 20)
        tree.evaluate(q, v)
        others = [array.tobytes() for array in (tree.M, tree.S, tree.pose)]
        tree.evaluate_bias(q, -0.5 * v)
        if [array.tobytes() for array in (tree.M, tree.S, tree.pose)] != others:
            return Finding(False, f"{model[0]}: M, S or pose changed")
        expected = reference(model[1], model[2], q, -0.5 * v, GRAVITY)
        findings.append(_near(f"{model[0]}: h", tree.h, expected.h))
    return worst(findings)


def kinetic_energy(subject: Subject) -> Finding:
    """Check that 1/2 v'Mv is the kinetic energy of the links, from S, poses and the constants."""
    return worst(_energy(title, tree, v) for title, tree, _, v in evaluated(subject))


def _energy(title: str, tree: Tree, v: Floats) -> Finding:
    model, total = tree.model, 0.0
    for i in range(model.n_links):
        R, p = tree.pose[i, :9].reshape(3, 3).T, tree.pose[i, 9:]
        twist, dof = np.zeros(6), int(model.link_dof[i])
        while dof >= 0:
            twist += v[dof] * tree.S[dof]
            dof = int(model.dof_parent[dof])
        omega = R.T @ twist[3:]
        speed = twist[:3] + np.cross(twist[3:], p + R @ model.link_com[i])
        total += 0.5 * model.link_mass[i] * speed @ speed
        total += 0.5 * omega @ model.link_inertia[i] @ omega
    given = float(0.5 * v @ tree.M @ v)
    return within(f"{title}: difference, relative", abs(given - total) / total, ROUNDING)


def power(subject: Subject) -> Finding:
    """Check that ``v'h = d/dt (1/2 v'Mv + potential)`` at constant v: the power of h."""
    return worst(
        _power(subject, index, seed) for index in range(len(models(subject))) for seed in range(2)
    )


def _power(subject: Subject, index: int, seed: int) -> Finding:
    model = models(subject)[index]
    tree = load(subject, model)
    q, v = random_state(model, seed)
    energies = []
    for t in (-STEP, STEP):
        tree.evaluate(_moved(q, v, t, model[2] == "floating"), v)
        energies.append(0.5 * float(v @ tree.M @ v) + _potential(tree))
    tree.evaluate(q, v)
    rate = (energies[1] - energies[0]) / (2.0 * STEP)
    given = float(v @ tree.h)
    error = abs(given - rate) / max(1.0, abs(rate))
    return within(f"{model[0]}, state {seed}: difference, relative", error, 1e-6)


def _potential(tree: Tree) -> float:
    model = tree.model
    com = [
        tree.pose[i, :9].reshape(3, 3).T @ model.link_com[i] + tree.pose[i, 9:]
        for i in range(model.n_links)
    ]
    return float(-model.link_mass @ (np.array(com) @ GRAVITY))


def _moved(q: Floats, v: Floats, t: float, floating: bool) -> Floats:
    """Return the configuration after a short time t at a constant joint and body velocity."""
    if not floating:
        return q + t * v
    R = Rotation.from_quat(q[3:7])
    half = Rotation.from_rotvec(0.5 * t * v[3:6])
    moved = q.copy()
    moved[:3] += (R * half).apply(t * v[:3])
    moved[3:7] = (R * Rotation.from_rotvec(t * v[3:6])).as_quat()
    moved[7:] += t * v[6:]
    return moved


def _near(title: str, given: Floats, expected: Floats) -> Finding:
    error = float(np.abs(given - expected).max()) / max(1.0, float(np.abs(expected).max()))
    return within(f"{title}: largest error, relative", error, ROUNDING)
