"""A run started from the command line for somebody to reach into, and a mouse that does."""

import re
import subprocess
import sys
from contextlib import contextmanager

from tests.browser import until
from tests.plugins.answering_run import place_of
from tests.programs import interrupt


@contextmanager
def live(scene, recording=None, *settings):
    """Run a scene from the command line until the context ends; yield the page's address."""
    command = [sys.executable, "-m", "footfall.cli.main", "run", scene, "--live"]
    chosen = ("visualizer.open_browser=false", "visualizer.wait=false", *settings)
    command += [part for setting in chosen for part in ("--set", setting)]
    command += ["--output", str(recording)] if recording else []
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            said = []
            while not (found := re.search(r"http://\S+", said[-1] if said else "")):
                said.append(process.stderr.readline())
                assert said[-1], said
            yield found[0]
            assert process.poll() is None  # whatever users did, it goes on
        finally:
            interrupt(process)


def take(page, point):
    """Press the mouse on a point of the world; return where that is in the window."""
    x, y = place_of(page, point)
    page.mouse.move(x, y)
    page.mouse.down()
    until(page, "footfall.hand.held && footfall.drawing.hand")
    return x, y
