"""Newton's cradle, the rocking block and the spinning ball, as every law answers them."""

import numpy as np
import pytest
from tests.cases import each

from footfall.cli.main import main
from footfall.interfaces.contact import ContactModel, ForceLaw
from footfall.registry.discover import discover
from footfall.testing.problems.answer import ready
from footfall_validate.exhibits.cradle import BALLS, GAP, row_of_balls
from footfall_validate.exhibits.exhibit import answerers
from footfall_validate.exhibits.rocking import MU, block, housner
from footfall_validate.exhibits.spinning import DIRECTION, spinning_ball
from footfall_validate.exhibits.strike import strike

ALL = [answerer for answerer in answerers(discover()) if answerer.subject is not None]
every = pytest.mark.parametrize("answerer", ALL, ids=lambda answerer: answerer.label)
TOLERANCE = 1e-6
"""To which laws are held that declare no residual, [m/s]."""


def takes_time(subject):
    """Whether a contact law states forces, or gives way: its impulses are not those of impacts."""
    if issubclass(subject.cls, ForceLaw):
        return True
    return issubclass(subject.cls, ContactModel) and ready(subject).rest_depth(1.0) > 0.0


@every
@each("gap", [0.0, GAP])
def test_a_cradle_keeps_its_momentum_and_gains_no_energy(answerer, gap):
    case = row_of_balls(gap, answerer.e)
    outcome = strike(answerer.subject, case)
    assert outcome.v.sum() == pytest.approx(1.0, abs=1e-9)
    assert case.kinetic(outcome.v) <= 0.5 * (1.0 + 1e-9)


@every
def test_balls_apart_pass_the_shock_on_to_the_last_or_share_their_momentum(answerer):
    """By whoever declares restitution, e = 1, and by whoever does not, e = 0."""
    if takes_time(answerer.subject):
        pytest.skip("contact takes time, with a rebound or a rest of its own")
    v = strike(answerer.subject, row_of_balls(GAP, answerer.e)).v
    expected = np.eye(BALLS)[-1] if answerer.e else np.full(BALLS, 1.0 / BALLS)
    np.testing.assert_allclose(v, expected, atol=TOLERANCE)


@every
def test_touching_balls_are_one_impact_by_newtons_hypothesis(answerer):
    """``v1 = (1 - (n - 1) e) / n`` and ``(1 + e) / n``, the others together; e is theirs."""
    if takes_time(answerer.subject):
        pytest.skip("contact takes time")
    outcome = strike(answerer.subject, row_of_balls(0.0, answerer.e))
    expected = np.full(BALLS, (1.0 + answerer.e) / BALLS)
    expected[0] = (1.0 - (BALLS - 1) * answerer.e) / BALLS
    assert outcome.impacts == 1
    np.testing.assert_allclose(outcome.v, expected, atol=TOLERANCE)


@pytest.mark.parametrize("label", ["compliant", "regularized"])
def test_springs_need_no_hypothesis_for_touching_balls(label):
    """They pass the shock on, the last ball is the fastest, and gaps hardly matter."""
    subject = next(a.subject for a in ALL if a.short == label)
    touching, apart = (strike(subject, row_of_balls(gap, 0.0)).v for gap in (0.0, GAP))
    assert (np.diff(touching) > 0.0).all()
    np.testing.assert_allclose(touching, apart, atol=0.02)


def test_a_law_of_accelerations_lets_pass_what_has_a_velocity():
    subject = next(a.subject for a in ALL if a.short == "gauss")
    outcome = strike(subject, row_of_balls(0.0, 0.0))
    assert not outcome.ended
    np.testing.assert_array_equal(outcome.v, np.eye(BALLS)[0])


@every
@each("degrees", [5.0, 20.0, 30.0])
def test_the_block_rocks_as_housner_says_or_the_law_says_why_not(answerer, degrees):
    cls = answerer.subject.cls
    ratio = strike(answerer.subject, block(degrees)).v[4]
    if getattr(cls, "bilateral", False):
        assert ratio == pytest.approx(0.0, abs=TOLERANCE)  # both corners are held
    elif issubclass(cls, ForceLaw) or "rocking_block" in answerer.subject.claims.misses:
        assert ratio <= 1.0
    else:
        assert ratio == pytest.approx(housner(degrees), abs=TOLERANCE)


@every
def test_a_spinning_ball_is_pushed_along_by_friction_within_its_declared_bound(answerer):
    case = spinning_ball(answerer.e)
    outcome = strike(answerer.subject, case)
    if not outcome.ended or getattr(answerer.subject.cls, "bilateral", False):
        pytest.skip("does not resolve it, or holds it without bound")
    along = outcome.v[:2] @ DIRECTION[:2]
    impulse = 1.0 + outcome.v[2]
    assert np.hypot(*outcome.v[:2]) > 0.0
    assert along <= 0.2 * impulse * (1.0 + answerer.subject.claims.anisotropy) + TOLERANCE
    assert case.kinetic(outcome.v) <= case.kinetic(case.v) * (1.0 + 1e-9)


def test_the_command_shows_them_and_writes_a_page_with_figures(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    arguments = ["validate", "exhibits", "--law", "coulomb", "--impact", "restitution"]
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--output", str(tmp_path)])
    assert not ended.value.code
    shown = capsys.readouterr().out
    page = (tmp_path / "exhibits.md").read_text()
    for text in (shown, page):
        assert "-0.6, 0.4, 0.4, 0.4, 0.4" in text
        assert f"{housner(30.0):.4f}" in text
        assert "hypothesis poisson" in text
        assert f"mu = {MU:g}" in text
    for name in ("cradle_touching", "cradle_gaps", "rocking"):
        assert f"exhibits/{name}.svg" in page
        assert (tmp_path / "exhibits" / f"{name}.svg").stat().st_size > 1000


def test_a_wrong_name_is_refused_with_the_nearest(capsys):
    with pytest.raises(SystemExit):
        main(["validate", "exhibits", "--law", "couloomb"])
    assert "did you mean 'coulomb'" in capsys.readouterr().err
