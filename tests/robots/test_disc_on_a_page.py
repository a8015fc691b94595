"""The page of the rolling disc: its camera rolls along."""

import pytest
from tests.browser import browser, page_of, until

from footfall.cli.main import main

AWAY = """(() => {
    const { camera, bodies } = footfall.viewer, disc = bodies.links.get(0).position;
    return Math.hypot(camera.target.x - disc.x, camera.target.y - disc.y);
})()"""
"""Distance between what the camera looks at and the disc's centre, along the ground, [m]."""


@pytest.mark.long
@pytest.mark.browser
def test_the_camera_follows_the_disc(tmp_path):
    page_file, run = tmp_path / "disc.html", tmp_path / "disc.zarr"
    command = ["run", "disc/rolling", "--duration", "0.5", "--output", str(run)]
    with pytest.raises(SystemExit) as done:
        main([*command, "--html", str(page_file)])
    assert done.value.code in (0, None)
    with browser() as chromium, page_of(chromium, page_file.as_uri(), (400, 300)) as page:
        until(page, "window.footfall && footfall.viewer.drawn > 0")
        page.evaluate("footfall.player.play(false); footfall.player.seek(0.49)")
        until(page, "footfall.viewer.bodies.links.get(0).position.x > 0.15")
        until(page, f"{AWAY} < 1e-3")
