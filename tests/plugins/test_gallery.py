"""The gallery's players show their recordings with the viewer as it is now."""

import pytest
from docs.gallery import SCENES, SIMULATED, write_players
from tests.browser import page_of, until
from tests.cases import first

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def players(tmp_path_factory):
    """Return the folder of all players."""
    folder = tmp_path_factory.mktemp("players")
    write_players(folder)
    return folder


SHOWN = sorted(SCENES, key=("quadruped/scanning", "hand/holding").__contains__, reverse=True)


@pytest.mark.parametrize("scene", first(*SHOWN, runs=2))
def test_a_player_of_the_gallery_plays_from_disk(scene, players, chromium):
    file = players / f"{scene.replace('/', '_')}.html"
    with page_of(chromium, file.as_uri(), (400, 300)) as page:
        until(page, "window.footfall && footfall.viewer.drawn > 0")
        assert page.text_content("#title") == scene
        until(page, "footfall.player.playing && footfall.player.time > 0")
        assert page.evaluate("footfall.player.end") == pytest.approx(SCENES[scene], abs=0.05)
        assert page.evaluate("footfall.viewer.bodies.meshes.length") > 0
        if scene == "quadruped/scanning":
            page.keyboard.press("b")
            dots = "footfall.viewer.overlays.rays.dots.geometry.drawRange.count"
            until(page, f"{dots} > 100")  # of a thousand rays
        assert all(address.startswith(("file:", "blob:", "data:")) for address in page.asked)


@pytest.mark.parametrize("scene", first(*SIMULATED, runs=1))
def test_a_page_of_the_gallery_simulates_from_disk(scene, players, chromium):
    file = players / f"{scene.replace('/', '_')}_page.html"
    with page_of(chromium, file.as_uri(), (400, 300)) as page:
        until(page, "window.footfall && footfall.machine && footfall.machine.time > 0.05")
        assert all(address.startswith(("file:", "blob:", "data:")) for address in page.asked)


def test_every_player_is_written(players):
    written = {file.stem for file in players.glob("*.html")}
    assert written >= {scene.replace("/", "_") for scene in SCENES} | {
        f"{scene.replace('/', '_')}_page" for scene in SIMULATED
    }
