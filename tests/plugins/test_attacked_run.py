"""Clients without the token neither end nor change a run, nor keep its users out."""

import contextlib
import resource
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.plugins import attacked_run
from tests.plugins.attacked_run import ATTACKS, seconds_to_get_in, silent

TOP = Path(__file__).parents[2]
GROWTH = 64.0
"""Largest memory of two servers under attack, [MB]."""


@contextlib.contextmanager
def started(folder, files, seconds):
    """A run in a process of its own, with lines of its standard error."""
    words = (str(folder), str(files), str(seconds))
    with subprocess.Popen(
        [sys.executable, "-m", "tests.plugins.attacked_run", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=TOP,
    ) as run:
        try:
            yield run
        finally:
            run.kill()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What is printed by runs nobody watches, by length."""

    def of(seconds):
        with started(tmp_path_factory.mktemp("quiet"), 1024, -seconds) as run:
            return run.communicate(timeout=120)[0].split()

    return of


@pytest.fixture(autouse=True)
def many_files():
    """Let this process open files for all connections of two attacks."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(12_000, before[1]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


@pytest.mark.parametrize(
    ("files", "attack", "seconds"),
    [
        pytest.param(256, lambda address: silent(address, 300), 4.0, id="silent"),
        pytest.param(128, silent, 25.0, marks=pytest.mark.long, id="5000-silent-128"),
        pytest.param(256, silent, 25.0, marks=pytest.mark.long, id="5000-silent-256"),
        pytest.param(1024, silent, 25.0, marks=pytest.mark.long, id="5000-silent-1024"),
        *(
            pytest.param(256, one, 8.0, marks=pytest.mark.long, id=one.__name__)
            for one in ATTACKS[1:]
        ),
    ],
)
def test_an_attack_leaves_a_run_and_its_users_alone(tmp_path, undisturbed, files, attack, seconds):
    with started(tmp_path, files, seconds) as run:
        printed = (line.split()[-1] for line in run.stderr if "://" in line)
        urls = [next(printed), next(printed)]
        drain = threading.Thread(target=run.stderr.read, daemon=True)
        drain.start()
        attacks = [attack(("127.0.0.1", urlsplit(url).port)) for url in urls]
        for one in attacks:
            one.start()
        waits = []
        while run.poll() is None:
            for url, path in zip(urls, ("/scene", "/"), strict=True):
                waits.append(seconds_to_get_in(url, path, lambda: run.poll() is not None))
        told = run.stdout.read().split()
        for one in attacks:
            one.over.set()
            one.join()
        drain.join()
    quiet = undisturbed(seconds)
    assert told[:4] == quiet[:4]
    assert float(told[4]) < float(quiet[4]) + GROWTH
    got_in = [wait for wait in waits if wait is not None]
    print(
        f"{files} files: {[one.made for one in attacks]} connections, "
        f"{[one.sent for one in attacks]} pieces; {len(got_in)} users in after at most "
        f"{max(got_in):.2f} s; {float(told[4]) - float(quiet[4]):+.0f} MB"
    )
    assert len(got_in) > 2
    assert sum(one.made for one in attacks) >= attacked_run.LEAST
