"""Pages that simulate: their steps are the simulator's, and readers reach into them."""

import shutil

import numpy as np
import pytest
from tests.browser import page_of, until
from tests.robot_packages import need_package

import footfall
from footfall.api.plugin import PluginError
from footfall.cli.main import main
from footfall_llvm import wasm
from footfall_meshcat.playground.page import playground_page
from footfall_meshcat.playground.variant import PageWarning, Variant, chosen_variants, factors_of

pytestmark = pytest.mark.browser
READY = "window.footfall && footfall.machine && footfall.received > 0"
STEPS = 2000
"""Steps of a comparison: 2 s."""
LAWS = "coulomb", "compliant", "ccp", "lcp"


@pytest.fixture(autouse=True)
def need_linker():
    if not any(map(shutil.which, wasm.LINKERS)):
        pytest.skip("needs LLVM's linker for WebAssembly: apt install lld")


def opened(chromium, variants, folder, text=None):
    """Return the context of a page of variants, paused."""
    path = folder / "page.html"
    path.write_text(text or playground_page(variants), encoding="utf-8")
    return page_of(chromium, f"file://{path}")


def positions(page, steps):
    """Return positions after so many steps from the start."""
    page.evaluate("footfall.send({ type: 'pause' }); footfall.machine.reset()")
    return np.array(page.evaluate(f"(footfall.machine.run({steps}), [...footfall.machine.q])"))


@pytest.mark.parametrize(
    ("scene", "steps", "laws"),
    [
        ("cube/sliding", STEPS, LAWS[:2]),
        pytest.param("cube/sliding", STEPS, LAWS[2:], marks=pytest.mark.long),
        pytest.param("humanoid/standing", STEPS, LAWS, marks=pytest.mark.long),
        pytest.param("quadruped/trot", STEPS, LAWS, marks=pytest.mark.long),
        pytest.param("cube/stack", 200, ("coulomb", "ccp", "lcp"), marks=pytest.mark.long),
        pytest.param("ball/stairs", 200, ("coulomb", "lcp"), marks=pytest.mark.long),
    ],
)
def test_a_page_makes_the_steps_of_the_simulator(scene, steps, laws, chromium, tmp_path):
    compare(scene, {}, steps, laws, chromium, tmp_path)


@pytest.mark.long
def test_the_disc_simulates_in_a_page_with_fixed_steps(chromium, tmp_path):
    with pytest.raises(PluginError, match=r"continuous time: set integrator\.plugin=semi_impl"):
        Variant("disc/falling", {}, "compliant")
    fixed = {"integrator.plugin": "semi_implicit_euler", "simulation.time_step": 5e-4}
    laws = "coulomb", "compliant", "lcp"  # under ccp 1e-15 m at the start become 4e-5 m
    compare("disc/falling", fixed, 400, laws, chromium, tmp_path)


@pytest.mark.long
def test_an_imported_robot_simulates_in_a_page(chromium, tmp_path, monkeypatch):
    need_package("panda")  # of the same package
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        main(["import", "example-robot-data:solo12"])
    assert ended.value.code == 0
    moving = {"bodies.solo12.base_linear_velocity": [0.3, 0.1, 0.0]}
    compare("solo12/standing", moving, STEPS, ("coulomb", "ccp", "lcp"), chromium, tmp_path)


def compare(scene, overrides, steps, laws, chromium, folder):
    """Assert that steps in a page are those of the simulator."""
    variants = chosen_variants(scene, overrides, laws)
    with opened(chromium, variants, folder) as page:
        until(page, READY)
        for number, variant in enumerate(variants):
            page.evaluate(f"footfall.machine.use({number})")
            found = positions(page, steps)
            for _ in range(steps):
                variant.sim.step()
            row = page.evaluate("[...footfall.machine.numbers('row', 1)]")
            before = variant.sim.time - variant.sim.time_step  # the last step's start
            np.testing.assert_allclose(row, before, rtol=1e-12)
            np.testing.assert_allclose(found, variant.sim.q, rtol=0, atol=1e-9)


def test_readers_pull_tune_and_swap_the_law(chromium, tmp_path):
    start = {"bodies.cube.base_linear_velocity": [0.0, 0.0, 0.0]}
    variants = chosen_variants("cube/sliding", start, None)
    assert [variant.law for variant in variants] == ["coulomb", "compliant"]
    with opened(chromium, variants, tmp_path) as page:
        until(page, READY)
        assert page.asked == [f"file://{tmp_path / 'page.html'}"]
        assert page.locator("#law option").all_inner_texts() == ["coulomb", "compliant"]
        page.evaluate(
            """footfall.send({ type: "grab", serial: 1, link: "cube/cube", point: [0, 0, 0.05],
                               position: [0, 0, 0.6], mode: "drag" })"""
        )
        until(page, "footfall.machine.q[2] > 0.3")
        page.evaluate("footfall.send({ type: 'release', serial: 2 })")
        until(page, "footfall.machine.q[2] < 0.2")
        height = page.evaluate(
            """(footfall.send({ type: "pause" }), footfall.machine.use(1), footfall.machine.q[2])"""
        )
        assert 0.0 < height < 0.2  # positions stay
        page.evaluate(
            "footfall.machine.reset(); footfall.machine.v[0] = 2; footfall.machine.run(3000)"
        )
        far = page.evaluate("footfall.machine.q[0]")
        page.evaluate("footfall.send({ type: 'tune', path: 'bodies.cube.friction', value: 0.1 })")
        page.evaluate(
            "footfall.machine.reset(); footfall.machine.v[0] = 2; footfall.machine.run(3000)"
        )
        farther = page.evaluate("footfall.machine.q[0]")
    expected = [2.0**2 / (2 * mu * 9.81) for mu in (0.5, 0.1)]  # the ground gives no friction
    np.testing.assert_allclose([far, farther], expected, rtol=5e-3)


def test_signals_are_plotted_also_after_the_law_is_swapped(chromium, tmp_path):
    variants = chosen_variants("cube/sliding", {}, ("coulomb", "compliant"))
    height, force = "base_position[cube,z]", "contact_force[cube/cube/0,z]"
    with opened(chromium, variants, tmp_path) as page:
        until(page, READY)
        until(page, "footfall.signals.known !== undefined")
        page.evaluate("footfall.send({ type: 'pause' }); footfall.send({ type: 'restart' })")
        for law in (0, 1):
            for name in (height, force):
                page.evaluate(f"footfall.signals.add({name!r})")
            page.evaluate(f"footfall.machine.use({law}); footfall.send({{ type: 'step', n: 20 }})")
            until(page, "footfall.player.history.end > 0.015")
            last = f"footfall.watched.series({height!r}).values.at(-1)"
            known = page.evaluate("footfall.machine.numbers('position', 3)[2]")
            assert known == pytest.approx(0.0, abs=1e-3)  # a corner's
            assert page.evaluate(last) == pytest.approx(0.05, abs=1e-3)
            total = f"footfall.watched.series({force!r}).values.at(-1)"
            given = page.evaluate("footfall.machine.numbers('force', 3)[2]")
            assert given > 0.0
            assert page.evaluate(total) == pytest.approx(given, rel=1e-6)
        assert page.locator("#plots canvas").count() == 2  # one for each unit


def test_a_notebook_simulates_without_a_kernel(chromium, tmp_path):
    shown = footfall.playground("cube/sliding", laws=["coulomb"])
    assert "footfall playground cube/sliding" in repr(shown)
    path = tmp_path / "notebook.html"
    path.write_text(f"<p>cell</p>{shown._repr_html_()}", encoding="utf-8")
    with page_of(chromium, path.as_uri(), (900, 700)) as page:
        until(page, "window.frames[0].footfall?.machine?.q[0] > 0.01")


def test_words_that_follow_a_setting_are_found_or_refused():
    x = np.array([0.9, 0.5, 0.3, 0.7, 0.2])
    mean = factors_of(x, 2 * 0.4 * x / (0.4 + x))
    np.testing.assert_allclose(mean, (2.0, 0.0, 2.5), atol=1e-12)
    np.testing.assert_allclose(factors_of(x, 3 * x - 1), (3.0, -1.0, 0.0), atol=1e-12)
    assert factors_of(x, np.sqrt(x)) is None


def test_what_needs_python_is_refused_by_name():
    with pytest.raises(PluginError, match=r"cannot run Python.*controllers"):
        Variant("humanoid/balancing", {}, "coulomb")
    with pytest.raises(PluginError, match=r"cannot run Python.*contact law .gauss.*"):
        Variant("cube/sliding", {}, "gauss")


def test_usual_laws_that_do_not_fit_are_left_out():
    with pytest.warns(PageWarning, match='left out: .*"compliant" cannot do restitution'):
        variants = chosen_variants("ball/bounce", {}, None)
    assert [variant.law for variant in variants] == ["coulomb"]


def test_without_the_linker_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(wasm.shutil, "which", lambda name: None)
    with pytest.raises(PluginError, match=r"wasm-ld: apt install lld"):
        wasm.linker()


def test_the_command_writes_a_page_and_keeps_what_is_there(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["playground", "cube/sliding", "--laws", "coulomb", "-o", "a.html"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0
    assert "page written to a.html" in capsys.readouterr().out
    page = (tmp_path / "a.html").read_text()
    assert "connect-src data: blob:" in page
    assert len(page) < 3e6
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 1
    assert "a.html exists" in capsys.readouterr().err
    with pytest.raises(SystemExit) as ended:
        main([*command[:-1], "no/a.html"])
    assert ended.value.code == 1
    assert "there is no folder no" in capsys.readouterr().err
