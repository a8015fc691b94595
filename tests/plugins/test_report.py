"""``footfall report``: a law's card, from closed forms to one page; interrupted, it goes on."""

import html
import json
import os
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import footfall
import footfall_gauss
from footfall.cli.main import main
from footfall.errors import PluginError
from footfall_validate.checks import CHECKS
from footfall_validate.laws import cost
from footfall_validate.laws.cost import PILE, STANDING, WALKING, measure_costs
from footfall_validate.laws.study import Job, do, plan
from footfall_validate.report import card as cards
from footfall_validate.report import page as pages

REGISTRY = footfall.discover()
SOME = ("symmetry", "sliding_cube", "spinning_coin", "bounce")


def report(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main(["report", *map(str, words)])
    out, err = capsys.readouterr()
    return ended.value.code or 0, out, err


@pytest.fixture
def short(monkeypatch):
    """Only some closed forms, in this process, and costs in one scene."""
    every = cards.jobs_of
    monkeypatch.setattr(
        cards, "jobs_of", lambda *given: [job for job in every(*given) if job.check in SOME]
    )
    monkeypatch.setattr(cards, "SCENES", (STANDING,))


def test_a_card_has_all_figures_of_the_law_and_of_others(tmp_path, capsys, short):
    path = tmp_path / "deep" / "lcp.html"
    code, out, _ = report(capsys, "lcp", "--quick", "--jobs", 1, "-o", path)
    assert code == 0
    line, where = out.splitlines()
    assert line.startswith("lcp: of 4 closed forms ")
    assert "missed as declared" in line
    assert str(path) in where
    text, found = path.read_text(), json.loads(path.with_suffix(".json").read_text())
    assert 'src="' not in text
    assert text.count("<iframe") == 1
    player = html.unescape(text.partition('srcdoc="')[2].partition('"></iframe>')[0])
    assert player.startswith("<!doctype html>")
    assert 'id="motion"' in player
    assert len(text) < 3_000_000
    assert 'href="http' not in text
    for words in ("Report card of lcp", "The same motion, turned and mirrored", "Cost of a step"):
        assert words in text
    assert found["others"] == ["coulomb"]
    assert [f["check"] for f in found["findings"] if f["laws"]["contact"] == "lcp"] == [
        check.name for check in CHECKS if check.name in SOME
    ]
    assert {cost["law"]: cost["scene"] for cost in found["costs"]} == {
        "lcp": STANDING,
        "coulomb": STANDING,
    }
    assert {one.name for one in path.parent.iterdir()} == {"lcp.html", "lcp.json"}


def test_an_interrupted_report_goes_on_where_it_was(tmp_path, capsys, short, monkeypatch):
    path, measured = tmp_path / "ccp.html", []

    def interrupt_third(job):
        measured.append((job.check, job.laws.contact))
        if len(measured) == 3:
            raise KeyboardInterrupt
        return do(job)

    words = ("ccp", "--quick", "--jobs", 1, "-o", path)
    monkeypatch.setattr("footfall_validate.laws.study.do", interrupt_third)
    code, out, _ = report(capsys, *words)
    assert code == 130
    assert out == "interrupted: the same command goes on after 2 closed forms\n"
    kept = path.with_name("ccp.html.parts")
    kept.write_text(kept.read_text() + '{"check": "boun')  # as a killed process leaves it
    code, _, _ = report(capsys, *words)
    assert code == 0
    assert len(measured) == 3 + 6
    assert len(set(measured)) == 8
    assert not kept.exists()


def test_what_another_report_has_left_is_not_used(tmp_path):
    page, (job, *_) = tmp_path / "a.html", plan(REGISTRY, ["ccp"], checks=["free_flight"])
    found = do(job)
    cards.Kept(page, "one").keep(found)
    assert cards.Kept(page, "one").known == {(job.check, job.laws): found}
    assert cards.Kept(page, "another").known == {}


def test_an_edit_of_any_file_of_a_law_begins_anew():
    before, file = cards.identity_of(REGISTRY, ["gauss"]), Path(footfall_gauss.__file__)
    times = file.stat()
    try:
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns + 10**9))
        assert cards.identity_of(REGISTRY, ["gauss"]) != before
    finally:
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert cards.identity_of(REGISTRY, ["gauss"]) == before


def test_unknown_names_and_folders_without_data_are_one_line(tmp_path, capsys, short):
    code, _, err = report(capsys, "coulom", "-o", tmp_path / "a.html")
    assert (code, err.count("\n")) == (1, 1)
    assert "did you mean 'coulomb'?" in err
    code, _, err = report(capsys, "ccp", "--against", "coulomb,bulet", "-o", tmp_path / "a.html")
    assert (code, err.count("\n")) == (1, 1)
    assert "bulet" in err
    words = ("ccp", "--quick", "--data", tmp_path, "-o", tmp_path / "a.html")
    code, _, err = report(capsys, *words)
    assert code == 1
    assert "no folder tosses, pushes or fc3d" in err.splitlines()[-1]
    for wrong in (tmp_path, tmp_path / "card.json"):
        code, _, err = report(capsys, "ccp", "--quick", "-o", wrong)
        assert code == 2
        assert "is no page" in err


def test_others_that_are_not_installed_are_left_out_unless_they_are_named(monkeypatch):
    registry = footfall.discover()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "mujoco", None)
        assert cards.others_of(registry, "ccp", (), quick=False) == ["coulomb", "compliant"]
    monkeypatch.setattr(cards, "USUAL", ("coulomb", "nobody", "ccp"))
    assert cards.others_of(registry, "ccp", (), quick=False) == ["coulomb"]
    with pytest.raises(PluginError, match="nobody"):
        cards.others_of(registry, "ccp", ("nobody",), quick=False)


def test_costs_tell_alarms_and_laws_that_cannot_step(monkeypatch):
    alarm = footfall.Alarm("depth", 0.1, "a foot sinks", "l_foot", "a cause")

    class Sinking:
        def step(self):
            warnings.warn(alarm, stacklevel=1)

    class Broken:
        def step(self):
            raise ZeroDivisionError("of a law of somebody")

    sims = {"coulomb": Sinking(), "ccp": Broken()}
    monkeypatch.setattr(cost, "_settled", lambda law, scene: sims[law])
    costs = {one.law: one for one in measure_costs(["coulomb", "ccp"], STANDING)}
    assert costs["coulomb"].alarms == ("depth",)
    assert costs["coulomb"].error == ""
    assert "ZeroDivisionError: of a law of somebody" in costs["ccp"].error


def test_a_law_that_a_scene_refuses_has_the_reason_for_a_cost():
    (found,) = measure_costs(["gauss"], PILE)
    assert "flat surfaces" in found.error


def test_a_law_that_cannot_play_the_scene_has_the_reason_for_a_player(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("of a law of somebody")

    monkeypatch.setattr(pages, "load", broken)
    assert "No player of cube/sliding: ZeroDivisionError: of a law" in pages._player("ccp")


def test_a_failure_is_named_in_the_summary():
    wrong = do(Job("free_flight", plan(REGISTRY, ["ccp"], checks=["free_flight"])[0].laws))
    (measure, *_) = wrong.measures
    failed = replace(wrong, measures=(replace(measure, tolerance=1e-300, expected=1.0),))
    made = cards.Card("ccp", (), "", "", [failed])
    assert pages.summary(made) == "ccp: of 1 closed forms 1 FAIL (free_flight)"


@pytest.mark.long
@pytest.mark.parametrize("law", REGISTRY.contact.names())
def test_the_quick_card_of_a_bundled_law(tmp_path, capsys, law):
    path = tmp_path / f"{law}.html"
    code, out, _ = report(capsys, law, "--quick", "-o", path)
    assert code == 0
    assert " FAIL" not in out
    found = json.loads(path.with_suffix(".json").read_text())
    assert {cost["scene"] for cost in found["costs"]} == {STANDING, WALKING, PILE}
