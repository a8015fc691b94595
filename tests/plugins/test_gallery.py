"""The gallery's players show their recordings with the viewer as it is now."""

import pytest
from docs.gallery import SCENES, write_players
from tests.browser import browser, page_of, until

pytestmark = pytest.mark.browser


def test_every_player_of_the_gallery_plays_from_disk(tmp_path):
    write_players(tmp_path)
    with browser() as chromium:
        for scene, duration in SCENES.items():
            file = tmp_path / f"{scene.replace('/', '_')}.html"
            with page_of(chromium, file.as_uri(), (400, 300)) as page:
                until(page, "window.footfall && footfall.viewer.drawn > 0")
                assert page.text_content("#title") == scene
                until(page, "footfall.player.playing && footfall.player.time > 0")
                assert page.evaluate("footfall.player.end") == pytest.approx(duration, abs=0.05)
                assert page.evaluate("footfall.viewer.bodies.meshes.length") > 0
                if scene == "quadruped/scanning":
                    page.keyboard.press("b")
                    dots = "footfall.viewer.overlays.rays.dots.geometry.drawRange.count"
                    until(page, f"{dots} > 100")  # of a thousand rays
                assert all(
                    address.startswith(("file:", "blob:", "data:")) for address in page.asked
                )
