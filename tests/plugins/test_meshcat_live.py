"""A page without a picture reaches into a real run, over its socket."""

import asyncio
import threading

import numpy as np
import pytest
from tests.plugins.meshcat_client import heard, ready, say

from footfall import load

MOUSE = {
    "visualizer.plugin": "meshcat",
    "visualizer.wait": True,  # the run begins when the page is ready
    "hands.page.device.plugin": "mouse",
}


class Page(threading.Thread):
    """Does what a script says, in a thread of its own, once the run is there."""

    def __init__(self, viewer, script):
        super().__init__()
        self.viewer, self.script, self.error = viewer, script, None

    def run(self):
        try:
            asyncio.run(self._act())
        except BaseException as error:
            self.error = error

    async def _act(self):
        while self.viewer.url is None:
            await asyncio.sleep(0.01)
        async with ready(self.viewer) as page:
            await self.script(page)


def run_with(script, duration):
    """Return the recording of a cube's run in real time, before a page with that script."""
    sim = load("cube/drop", MOUSE)
    page = Page(sim.participants.visualizer, script)
    page.start()
    try:
        recording = sim.run(duration)
    finally:
        sim.participants.visualizer.close()
        page.join()
    if page.error:
        raise page.error
    return recording


async def until_held(page):
    while not (await heard(page, "status", seconds=120.0))["hand"]["held"]:
        pass


async def lift(page, height=0.8):
    """Take the cube, wherever it is, and hold it so high [m]."""
    serial, end = 1, [0.0, 0.0, height]
    await say(page, "grab", serial=serial, position=end, link="cube/cube", point=[0, 0, 0])
    await until_held(page)
    for serial in range(2, 32):
        await say(page, "move", serial=serial, position=[0.01 * serial, 0.0, height])
        await asyncio.sleep(0.02)


@pytest.fixture(scope="module")
def dropped():
    """The recording of a cube that is lifted by a page which is then closed."""

    async def lift_and_vanish(page):
        await heard(page, "status", seconds=120.0, playing=True)
        await lift(page)

    return run_with(lift_and_vanish, 4.0)


def test_a_page_lifts_a_cube_by_the_spring_that_is_recorded(dropped):
    held = dropped.isel(time=dropped.hand_link.values[:, 0] >= 0)
    assert held.sizes["time"] > 100
    height = held.base_position.values[:, 0, 2]
    assert height.max() > 0.6
    target, position, velocity, force = (
        held[f"hand_{name}"].values[:, 0] for name in ("target", "position", "velocity", "force")
    )
    rate = held.hand_target_velocity.values[:, 0]
    stiffness, damping = held.hand_stiffness.values, held.hand_damping.values
    free = np.isfinite(stiffness[:, 0])  # elsewhere the limit says what the force is
    assert free.sum() > 50
    spring = stiffness * (target - position - 1e-3 * velocity) + damping * (rate - velocity)
    assert np.allclose(force[free], spring[free], rtol=1e-9, atol=1e-9)


def test_a_page_that_is_closed_while_it_drags_lets_go(dropped):
    held = dropped.hand_link.values[:, 0] >= 0
    last = int(np.flatnonzero(held)[-1])
    assert last < dropped.sizes["time"] - 100
    assert not dropped.hand_force.values[last + 1 :].any()
    height = dropped.base_position.values[:, 0, 2]
    assert height[last] > 0.6
    # Nothing but gravity acts on it from then on: 50 ms later it is faster by 0.5 m/s.
    speed = np.diff(height) / 1e-3
    assert speed[last + 51] - speed[last + 1] == pytest.approx(-9.81 * 0.05, rel=1e-6)


def test_a_page_pauses_steps_and_goes_on():
    seen = []

    async def stop_and_go(page):
        await say(page, "pause")
        stopped = await heard(page, "status", seconds=120.0, playing=False)
        await say(page, "step", n=3)
        stepped = await heard(page, "status", playing=False, time=stopped["time"] + 0.003)
        seen.extend([stopped["time"], stepped["time"]])
        await say(page, "play")

    recording = run_with(stop_and_go, 2.0)
    assert seen[1] == pytest.approx(seen[0] + 0.003)
    assert recording.sizes["time"] == 2000  # as many as without a page
