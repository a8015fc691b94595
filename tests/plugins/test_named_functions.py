"""What a scene gives to be called, and gains of its own: mistakes are told where they are."""

import pytest
from tests.cases import each

import footfall
from footfall import FootfallError

FAILING = '''"""A user's functions, each of which fails in its own line."""


def given(*arguments):
    return deeper(arguments)


def deeper(arguments):
    return [][len(arguments)]


def words(*arguments):
    return "much"
'''
LINE = 9
CUBE = {"robot": "cube", "base_position": [0.0, 0.0, 1.0]}
ARM = {"robot": "fourbar"}
PLANE = {"plugin": "plane"}
PUSH = {"body": "cube", "link": "cube", "start": 0.0, "duration": 1.0}


def scene(function, kind):
    """Return the tables of a scene that calls a function."""
    controller = {"plugin": "function", "function": function}
    heights = {"plugin": "heightmap", "function": function, "size": [1.0, 1.0], "cells": [2, 2]}
    motion = {"plugin": "moving", "motion": {"kind": "function", "function": function}}
    ground = {"heights": heights, "motion": motion}.get(kind, PLANE)
    body = {"arm": {**ARM, "controller": controller}} if kind == "controller" else {"cube": CUBE}
    pushes = [{**PUSH, "function": function}] if kind == "push" else []
    return {"world": {"terrain": ground}, "bodies": body, "pushes": pushes}


@pytest.fixture
def module(tmp_path, monkeypatch):
    """The module of the functions, found as those of a user are: in the current folder."""
    name = f"given_{tmp_path.name}".replace("-", "_")
    (tmp_path / f"{name}.py").write_text(FAILING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return name


@each("kind", ["controller", "heights", "motion", "push"])
def test_a_function_that_fails_is_told_with_its_own_line(module, kind):
    with pytest.raises(FootfallError, match=rf"IndexError: .* \({module}\.py:{LINE}\)"):
        footfall.assemble(footfall.scene_from_dict(scene(f"{module}:given", kind))).step()


def test_a_controller_that_returns_no_numbers_is_told_by_its_name(module):
    sim = footfall.assemble(footfall.scene_from_dict(scene(f"{module}:words", "controller")))
    with pytest.raises(FootfallError, match=rf"{module}:words returned 'much', expected \d+ num"):
        sim.step()


@each("gain", ["stiffness", "damping"])
@each("given", [-3000.0, {"*": 1.0, "l_knee": -1.0}], ids=["one", "by joint"])
def test_a_negative_gain_is_refused_by_its_key(gain, given):
    key = f"bodies.humanoid.controller.{gain}"
    with pytest.raises(footfall.SceneError, match=rf"^{key}.*: must be >= 0.*, got -") as error:
        footfall.load_scene("humanoid/standing", {key: given})
    assert error.value.key.startswith(key)
