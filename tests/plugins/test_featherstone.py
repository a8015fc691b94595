"""The engine in kernels: what it promises beyond what every engine does."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.plugins.engine_models import BASES, engine, random_state, source

from footfall.jit.compiling import bind

WITHOUT_LIBRARY = """
import json, sys
from footfall.interfaces.engine import ModelSource
from footfall_featherstone.engine import Featherstone
xml = sys.stdin.read()
tree = Featherstone().load(ModelSource("a", "urdf", "a.urdf", xml, "floating", [0, 0, -9.8], ()))
print(json.dumps([tree.model.mass, *sorted(sys.modules)]))
"""
BODY = (
    '<robot name="a"><link name="a"><inertial><mass value="2.5"/>'
    '<inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>'
)


@pytest.fixture(scope="module", params=BASES)
def tree(request):
    return engine("featherstone").load(source(request.param))


def arrays(tree):
    return [array.copy() for array in (tree.M, tree.h, tree.S, tree.pose)]


def test_kernels_give_the_bits_of_the_engine_for_arrays_of_the_caller(tree):
    q, v = random_state(tree.model, 1)
    tree.evaluate(q, v)
    expected = arrays(tree)
    mine = np.zeros(tree.model.nq + 3), np.zeros(tree.model.nv + 3)
    compiled = tree.compiled(mine[0][2:-1], mine[1][2:-1])
    evaluate, bias = (bind(kernel, compiled.table) for kernel in compiled[:2])
    for array in (tree.M, tree.h, tree.S, tree.pose):
        array[array != 0.0] = np.nan
    tree.pose[0] = expected[3][0]  # that of a fixed base is written once
    mine[0][2:-1], mine[1][2:-1] = q, v
    assert evaluate() == 0
    for found, wanted in zip(arrays(tree), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    mine[1][2:-1] *= -3.0
    assert bias() == 0
    found = tree.h.copy()
    tree.evaluate(q, -3.0 * v)
    np.testing.assert_array_equal(found, tree.h)


def test_kernels_of_one_tree_can_be_asked_for_twice(tree):
    """Each table has its own q and v; M, h, S and pose are the tree's."""
    states = [random_state(tree.model, seed) for seed in (1, 2)]
    tables = [tree.compiled(*state) for state in states]
    for (q, v), compiled in zip(states, tables, strict=True):
        bind(compiled.evaluate, compiled.table)()
        found = arrays(tree)
        tree.evaluate(q, v)
        for one, other in zip(found, arrays(tree), strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["pinocchio", "idyntree"])
def test_an_engine_of_another_language_has_no_kernels(name):
    tree = engine(name).load(source("fixed"))
    assert tree.compiled(*random_state(tree.model, 1)) is None


def test_what_is_no_array_of_doubles_in_c_order_is_refused(tree):
    q, v = random_state(tree.model, 1)
    with pytest.raises(TypeError, match="q"):
        tree.compiled(np.repeat(q, 2)[::2], v)
    with pytest.raises(TypeError, match="v"):
        tree.compiled(q, v.astype(np.float32))
    with pytest.raises(ValueError, match="shape"):
        tree.compiled(q[:-1], v)


@pytest.mark.parametrize("far", [1e3, 1e6])
def test_inertia_and_bias_are_the_same_wherever_a_robot_is(far):
    """To the last bit: nothing is taken about the world's origin but S and the places."""
    tree = engine("featherstone").load(source("floating"))
    q, v = random_state(tree.model, 2)
    tree.evaluate(q, v)
    M, h = tree.M.copy(), tree.h.copy()
    q[:3] += [far, -2.0 * far, 0.5 * far]
    tree.evaluate(q, v)
    np.testing.assert_array_equal(tree.M, M)
    np.testing.assert_array_equal(tree.h, h)


def test_inertia_is_symmetric_to_the_last_bit(tree):
    for seed in range(5):
        tree.evaluate(*random_state(tree.model, seed))
        np.testing.assert_array_equal(tree.M, tree.M.T)


def test_no_library_of_dynamics_is_imported():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LIBRARY],
        input=BODY,
        capture_output=True,
        text=True,
        check=True,
    )
    mass, *modules = json.loads(done.stdout)
    assert mass == 2.5
    assert not {name.split(".")[0] for name in modules} & {"pinocchio", "idyntree", "mujoco"}


CHECKED = """
import json, sys
import numpy as np
from footfall.interfaces.engine import ModelSource
from footfall_featherstone.engine import Featherstone
xml, base, gravity, joints, q, v = json.load(sys.stdin)
source = ModelSource("robot", "urdf", "robot.urdf", xml, base, np.array(gravity), tuple(joints))
tree = Featherstone().load(source)
tree.evaluate(np.array(q), np.array(v))
first = tree.h.tolist()
tree.evaluate_bias(np.array(q), 2.0 * np.array(v))
assert "llvmlite" not in sys.modules
print(json.dumps([a.tolist() for a in (tree.M, tree.S, tree.pose)] + [first, tree.h.tolist()]))
"""


@pytest.mark.parametrize("base", BASES)
def test_kernels_run_as_plain_python_with_indices_checked(base):
    given, tree = source(base), engine("featherstone").load(source(base))
    q, v = random_state(tree.model, 4)
    text = json.dumps(
        [given.xml, base, given.gravity.tolist(), given.joints, q.tolist(), v.tolist()]
    )
    done = subprocess.run(
        [sys.executable, "-c", CHECKED],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "FOOTFALL_CHECKED": "1"},
    )
    tree.evaluate(q, v)
    expected = [tree.M, tree.S, tree.pose, tree.h.copy()]
    tree.evaluate_bias(q, 2.0 * v)
    for found, wanted in zip(json.loads(done.stdout), [*expected, tree.h], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-13 * np.abs(wanted).max())
