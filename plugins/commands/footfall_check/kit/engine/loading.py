"""Checks of loading: the model that an engine reads from a file, and the files it must reject."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.api.engine import ModelSource, TreeModel
from footfall.api.plugin import RobotError
from footfall.testing.check import Finding, Subject, within, worst
from footfall.testing.linkage import DAMPING, FRICTION, LIMIT, Linkage, source_of
from footfall_check.kit.engine.models import Model, load, models


def constants(subject: Subject) -> Finding:
    """Check that names, order, topology, moving mass and limits are those of the model."""
    return worst(_constants(load(subject, model).model, model) for model in models(subject))


def _constants(given: TreeModel, model: Model) -> Finding:
    title, linkage, base = model
    moving = [member for member in linkage if member.moves]
    expected = {
        "base": base,
        "joint_names": tuple(member.joint for member in moving),
        "dof_parent": _dof_parent(linkage, base == "floating"),
        "position_upper": [LIMIT] * len(moving),
        "position_lower": [-LIMIT] * len(moving),
        "damping": [DAMPING] * len(moving),
        "friction": [FRICTION] * len(moving),
        "armature": [0.0] * len(moving),
    }
    for name, value in expected.items():
        found = getattr(given, name)
        same = found == value if isinstance(value, str | tuple) else np.array_equal(found, value)
        if not same:
            return Finding(False, f"{title}: {name} is {found}, expected {value}")
    frames = {member.link for member in linkage} - set(given.frames)
    if frames:
        return Finding(False, f"{title}: missing frames: {', '.join(sorted(frames))}")
    # The mass of links fixed to the world has no effect on any motion, so it is not compared.
    mass = sum(member.mass for member in linkage[0 if base == "floating" else 1 :])
    found = float(given.link_mass[given.link_dof >= 0].sum())
    return within(f"{title}: error of the moving mass [kg]", abs(found - mass), 1e-12 * mass)


def _dof_parent(linkage: Linkage, floating: bool) -> list[int]:
    """Return the parent dof (next towards the root) of each dof."""
    parents = list(range(-1, 5)) if floating else []
    last = [len(parents) - 1]
    for member in linkage[1:]:
        before = last[member.parent]
        if member.moves:
            parents.append(before)
            before = len(parents) - 1
        last.append(before)
    return parents


def malformed(subject: Subject) -> Finding:
    """Check that a file that is not a model raises a RobotError that names it."""
    _, linkage, base = models(subject)[0]
    source = source_of(linkage, base)
    texts = ("<robot", "<robot name='empty'></robot>", source.xml.replace("<robot ", "<rabbit "))
    return worst(_refused(subject, replace(source, xml=text), text[:20]) for text in texts)


def unsound(subject: Subject) -> Finding:
    """Check that a physically impossible inertia raises a RobotError."""
    _, linkage, base = models(subject)[0]
    last = linkage[-1]
    wrong = {
        "negative mass": replace(last, mass=-1.0),
        "negative inertia": replace(last, inertia=-last.inertia),
        "inertia beyond the triangle inequality": replace(last, inertia=np.diag([0.01, 0.01, 0.5])),
    }
    return worst(
        _refused(subject, source_of((*linkage[:-1], member), base), what)
        for what, member in wrong.items()
    )


def _refused(subject: Subject, source: ModelSource, what: str) -> Finding:
    try:
        subject.make().load(source)
    except RobotError as error:
        if source.path not in str(error):
            return Finding(False, f"{what}: the error does not name the file: {error}")
        return Finding(True, f"{what}: {error}")
    return Finding(False, f"{what}: loaded")
