"""Stored sweeps whose numbers were forged are refused in one line."""

import sqlite3
from contextlib import closing

from tests.fuzz.outcome import answered

import footfall
from footfall_sweep import task
from footfall_sweep.store import STORE, Store

FRICTION = "world.terrain.friction"
SHORT = {"duration": 0.02, "progress": False}
FORGED = {
    "number": ["-1", "99", "1e18"],
    "ending": ["'well'", "x'00'"],
    "error": ["x'00'"],
    "simulated": ["'x'", "x'00'"],
    "labels": ["99", "-1"],
    "q": ["'x'", "x'00'", "NULL"],
    "time": ["'x'"],
}


def test_forged_runs_and_plans_are_refused_in_a_line(tmp_path):
    folder, keep = tmp_path / "forged", {"output": tmp_path / "forged", "keep": "state"}
    footfall.sweep("cube/drop", {FRICTION: [0.2, 0.4]}, **keep, **SHORT)
    good = (folder / STORE).read_bytes()
    changes = [f"UPDATE runs SET {c} = {v} WHERE number = 1" for c in FORGED for v in FORGED[c]]
    changes += [f"UPDATE plan SET value = {v}" for v in ("'['", "'null'", "x'00'", "3")]
    changes += [f"UPDATE labels SET names = {v}" for v in ("'x'", "'[]'", "'[[1], [2]]'", "x'00'")]
    changes += ["UPDATE labels SET names = '[5, 6]'; UPDATE runs SET q = x'', v = x''"]
    changes += ["DROP TABLE labels", "DROP TABLE plan", "ALTER TABLE runs RENAME q TO w"]
    for change in ["", *changes]:
        (folder / STORE).write_bytes(good)
        with closing(sqlite3.connect(folder / STORE)) as base, base:
            base.executescript(change)
        identity = {"keep": "state", "versions": task.versions()}
        message = answered(lambda given=identity: Store(folder, given, 2).__exit__())
        assert (message is None) == (change in ("", "DROP TABLE plan")), change
