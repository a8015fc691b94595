import re
import sys
from functools import partial

import numpy as np
import pytest
from tests.command_line import run_command

from footfall.errors import PluginError
from footfall.interfaces.plugin import Capability, PluginConfig
from footfall.interfaces.solver import KKTResiduals, QPSolution, QPSolver, QPStatus
from footfall.registry.discover import discover
from footfall_validate.solvers import command as validate_solvers
from footfall_validate.solvers import problems as qp_problems
from footfall_validate.solvers.page import HEADER, cells, remarks
from footfall_validate.solvers.problems import SOURCES, Collection, Source, collect
from footfall_validate.solvers.scores import Score, score_solvers
from footfall_validate.solvers.variants import Variant, variants

LANDING = Source("cube lands", "cube/drop", ("contact", "gauss_discrete"), 0.8)


@pytest.fixture(scope="module")
def landing():
    """QPs of a cube that lands."""
    return collect([LANDING], 6)


class Boaster(QPSolver):
    """Says that it has solved, and has not."""

    name = "boaster"
    Config = PluginConfig
    capabilities = frozenset({Capability.WARM_START})

    def __init__(self, config):
        pass

    def solve(self, problem, warm_start):
        x, z = np.ones(len(problem.g)), np.zeros(len(problem.l))
        return QPSolution(x, z, QPStatus.SOLVED, 1, KKTResiduals(0.0, 0.0, 0.0, 0.0))


class Crasher(Boaster):
    """Raises."""

    name = "crasher"

    def solve(self, problem, warm_start):
        raise ValueError("cannot")


def proxqp():
    (found,) = variants(discover(), ("proxqp",))
    return found


def test_what_is_kept_is_what_the_law_asked_from_the_first_contact_on(landing):
    (collection,) = landing
    assert collection.error == ""
    assert len(collection.asked) == 6 < collection.total
    first = collection.asked[0]
    assert not first.start[0].any()  # nothing touched before
    assert (np.diag(first.problem.H) > 0.0).all()
    assert first.problem.g.min() < -1.0  # the cube comes down at more than 1 m/s
    assert any(asked.start[0].any() for asked in collection.asked[1:])
    gradients = {asked.problem.g.tobytes() for asked in collection.asked}
    assert len(gradients) == 6  # the law's arrays are reused, the copies are not


def test_a_law_gets_the_answers_that_it_would_have_had(landing):
    """Keeping the problems changes nothing: each warm start is the answer to the one before.

    Once the cube rests: until then the law brings rounding back into the pyramids. Of the answers
    that move nothing otherwise it takes the least, which differs from the solver's by rounding.
    """
    (every,) = collect([LANDING], 10_000)
    solver = proxqp().make()
    pairs = [
        (one, two)
        for one, two in zip(every.asked, every.asked[1:], strict=False)
        if len(one.problem.g) == len(two.problem.g) and two.start[0].any()
    ]
    assert len(pairs) > 10
    for one, two in pairs[-10:]:
        answer = solver.solve(one.problem, one.start).x
        np.testing.assert_allclose(answer, two.start[0], rtol=0.0, atol=1e-9 * abs(answer).max())


def test_a_scene_that_cannot_be_run_is_kept_with_the_reason():
    (found,) = collect([Source("x", "cube/drop", ("contact", "gaus"), 0.1)], 3)
    assert found.asked == ()
    assert "did you mean 'gauss'" in found.error


def test_the_sources_are_shipped_scenes_that_stand_slide_and_land():
    assert len({source.title for source in SOURCES}) == len(SOURCES)
    scenes = {source.scene for source in SOURCES}
    assert {"cube/drop", "cube/sliding", "humanoid/standing", "humanoid/drop"} <= scenes
    assert {"icub/standing", "icub/drop", "disc/falling"} <= scenes
    assert {source.asks[0] for source in SOURCES} == {"contact", "impact"}


def test_every_backend_of_every_plugin_is_asked():
    found = variants(discover())
    assert {variant.plugin for variant in found} == set(discover().solver.names())
    backends = {v.backend for v in found if v.plugin == "casadi"}
    assert backends == {"qpoases", "osqp", "daqp", "piqp"}
    assert len({variant.name for variant in found}) == len(found)


def test_a_solver_that_is_not_installed_is_listed_with_what_to_install(monkeypatch, landing):
    monkeypatch.setitem(sys.modules, "quadprog", None)
    (missing,) = variants(discover(), ("quadprog",))
    (score,) = score_solvers([missing], landing)
    assert cells(score) == ["quadprog", *[""] * 6, "not installed"]
    (line,) = remarks([score])
    assert line.startswith("quadprog: ")
    assert 'pip install -e ".[quadprog]"' in line


def test_an_unknown_solver_is_refused_with_the_nearest_name():
    with pytest.raises(PluginError, match="did you mean 'proxqp'"):
        variants(discover(), ("proxq",))


def test_accuracy_is_computed_from_the_answer_and_not_believed(landing):
    found = score_solvers([Variant("boaster", cls=Boaster)], landing)
    (score,) = found
    (collection,) = landing
    ones = [np.ones(len(asked.problem.g)) for asked in collection.asked]
    worst = max(
        asked.problem.residuals(x, np.zeros(len(asked.problem.l))).scaled
        for asked, x in zip(collection.asked, ones, strict=True)
    )
    assert score.residual == worst > 1e-3
    assert sum(score.failures.values()) == len(score.solves) == 12  # cold and warm
    assert cells(score)[HEADER.index("failed")] == "12 of 12"


def test_a_solver_that_raises_fails_and_the_others_are_asked(landing):
    scores = score_solvers([Variant("crasher", cls=Crasher), proxqp()], landing)
    by_name = {score.variant.name: score for score in scores}
    assert not by_name["proxqp"].failures
    assert by_name["crasher"].residual == np.inf
    assert any("raised ValueError: cannot" in line for line in remarks(scores))
    assert cells(by_name["crasher"])[HEADER.index("worst KKT residual")] == "no answer"


def test_a_solver_without_warm_start_is_asked_cold_only(landing):
    (cold,) = (v for v in variants(discover(), ("casadi",)) if v.backend == "qpoases")
    by_name = {s.variant.name: s for s in score_solvers([cold, proxqp()], landing)}
    assert {solve.how for solve in by_name["casadi: qpoases"].solves} == {"cold"}
    assert {solve.how for solve in by_name["proxqp"].solves} == {"cold", "warm"}


def test_the_fastest_comes_first_and_what_is_not_installed_last(landing):
    missing = Variant("none", error="is not there")
    scores = score_solvers([missing, Variant("boaster", cls=Boaster), proxqp()], landing)
    assert scores[-1] == Score(missing)
    medians = [np.median(score.times("warm")) for score in scores[:-1]]
    assert medians == sorted(medians)


def test_the_page_shows_failures_and_what_was_left_out(landing, tmp_path):
    pytest.importorskip("matplotlib", reason='could not import it: pip install -e ".[plots]"')
    from footfall_validate.solvers.page import write_solver_page

    left_out = Collection(SOURCES[0], error="no such robot")
    scores = score_solvers([proxqp(), Variant("boaster", cls=Boaster)], landing)
    page = write_solver_page(tmp_path / "docs", scores, [*landing, left_out])
    text = page.read_text()
    assert "| `proxqp` |" in text
    assert "boaster fails when cube lands: solved, KKT residual" in text
    assert "no such robot" in text
    assert (tmp_path / "docs/solvers/times.svg").read_text().rstrip().endswith("</svg>")
    assert f"The {sum(len(one.asked) for one in landing)} problems" in text


@pytest.fixture
def command(capsys, monkeypatch):
    """Return a function that runs the command on one scene."""
    monkeypatch.setattr(qp_problems, "SOURCES", (LANDING,))

    return partial(run_command, capsys, "validate", "solvers")


def test_the_command_prints_a_row_each(command):
    code, out, err = command("--solver", "proxqp", "--solver", "casadi", "--problems", "2")
    assert code == 0
    assert all(re.fullmatch(r"\d of \d (scenes|problems)", line) for line in err.splitlines())
    names = {line.split("  ")[0] for line in out.splitlines()}
    backends = {f"casadi: {name}" for name in ("qpoases", "osqp", "daqp", "piqp")}
    assert {"proxqp", "2 problems of 1 scenes", *backends} <= names


def test_a_failure_is_an_exit_code_of_1(command, monkeypatch):
    monkeypatch.setattr(
        "footfall_validate.solvers.variants.variants",
        lambda registry, names: [Variant("boaster", cls=Boaster)],
    )
    code, out, _ = command("--problems", "1")
    assert code == 1
    assert "2 of 2" in out


def test_mistakes_are_one_line(command):
    code, out, err = command("--solver", "osq")
    assert (code, out) == (1, "")
    assert "did you mean 'osqp'" in err
    assert err.count("\n") == 1


def test_ctrl_c_ends_without_a_traceback(command, monkeypatch):
    def interrupt(chosen, count):
        raise KeyboardInterrupt

    monkeypatch.setattr(validate_solvers, "_measure", interrupt)
    assert command("--solver", "proxqp") == (130, "", "interrupted: nothing to print\n")
