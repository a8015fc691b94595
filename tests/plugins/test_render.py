"""Pictures and films of recordings, drawn by a browser that nobody sees."""

import io

import numpy as np
import pytest
from PIL import Image
from tests.browser import need_chromium

import footfall
from footfall.cli.main import main
from footfall.errors import PluginError, RecordingError
from footfall_meshcat.render.chromium import find_chromium
from footfall_meshcat.render.film import find_ffmpeg, times_of, write_mp4
from footfall_meshcat.render.stage import Look, staged

FALL = 0.05  # [m]


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A cube that falls in front of a camera."""
    path = tmp_path_factory.mktemp("render") / "cube.zarr"
    footfall.load("cube/drop", {"bodies.cube.base_position": [0.0, 0.0, 1.0]}).run(0.2, path)
    return path


def pixels(image):
    return np.asarray(Image.open(io.BytesIO(image)).convert("RGBA"), float)


@pytest.mark.browser
def test_a_picture_shows_the_scene_from_where_the_camera_stands(recording):
    need_chromium()
    # Level with the cube, 4 m away, and its opening angle is 36 degrees over 200 pixels.
    look = Look((300, 200), (4.0, 0.0, 1.0, 0.0, 0.0, 1.0), transparent=True)
    with staged(recording, look) as stage:
        assert stage.start == 0.0
        seen = [pixels(stage.picture(time)) for time in (0.0, 0.1)]
    middles = []
    for image in seen:
        assert image.shape == (200, 300, 4)
        rows, columns = np.nonzero(image[..., 3] > 128)
        assert columns.mean() == pytest.approx(149.5, abs=1.0)
        middles.append(rows.mean())
    metre = 100.0 / np.tan(np.deg2rad(18.0)) / 4.0  # [pixels], at that distance
    fallen = 0.5 * 9.81 * 0.1**2
    assert middles[0] == pytest.approx(99.5, abs=1.5)
    assert middles[1] - middles[0] == pytest.approx(fallen * metre, abs=1.5)


@pytest.mark.long
@pytest.mark.browser
def test_the_command_writes_pictures_and_films(recording, tmp_path, capsys):
    need_chromium()
    size = ("--size", "80x60")
    for arguments in (["--png", "0.1"], ["--gif", "--fps", "20"], ["--webp", "--fps", "20"]):
        with pytest.raises(SystemExit) as done:
            main(["render", str(recording), *arguments, *size, "-o", str(tmp_path / arguments[0])])
        assert done.value.code in (0, None), capsys.readouterr().err
    with Image.open(tmp_path / "--png") as picture:
        assert picture.size == (80, 60)
    for kind in ("gif", "webp"):
        with Image.open(tmp_path / f"--{kind}") as film:
            assert film.format == kind.upper()
            assert film.n_frames == len(times_of(0.0, 0.199, 20.0, 1.0)) == 4
            film.seek(1)
            film.load()
            assert film.info["duration"] == 50


def test_a_film_shows_equal_steps_of_time():
    assert times_of(1.0, 2.0, 4.0, 1.0) == [1.0, 1.25, 1.5, 1.75, 2.0]
    assert times_of(1.0, 2.0, 4.0, 2.0) == [1.0, 1.5, 2.0]
    assert times_of(1.0, 1.0, 30.0, 1.0) == [1.0]


def jpegs(count):
    for k in range(count):
        file = io.BytesIO()
        Image.new("RGB", (33, 21), (10 * k, 0, 0)).save(file, "JPEG")
        yield file.getvalue()


def test_a_film_as_mp4(tmp_path):
    try:
        find_ffmpeg()
    except PluginError:
        pytest.skip("ffmpeg is an extra of its own")
    write_mp4(jpegs(5), 10.0, tmp_path / "film.mp4")
    assert (tmp_path / "film.mp4").read_bytes()[4:8] == b"ftyp"
    assert [file.name for file in tmp_path.iterdir()] == ["film.mp4"]
    with pytest.raises(PluginError, match="ffmpeg"):
        write_mp4(iter([b"nothing"]), 10.0, tmp_path / "other.mp4")
    assert [file.name for file in tmp_path.iterdir()] == ["film.mp4"]


def test_what_is_missing_is_told_with_what_to_install(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(PluginError, match=r"no Chromium .*apt install chromium"):
        find_chromium(None)
    with pytest.raises(PluginError, match=r"there is no mosaic: install one"):
        find_chromium("mosaic")
    monkeypatch.setitem(__import__("sys").modules, "imageio_ffmpeg", None)
    with pytest.raises(PluginError, match=r'pip install -e "\.\[render\]"'):
        find_ffmpeg()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "one of --png TIME, --mp4, --gif and --webp"),
        (["--mp4", "--gif"], "exactly one"),
        (["--png", "0", "--size", "10x10"], "each 16 to 8192"),
        (["--png", "0", "--camera", "1,2,3"], "six numbers"),
        (["--png", "0", "--camera", "1,2,3,1,2,3"], "position and target"),
        (["--gif", "--fps", "0"], "--fps must be positive"),
        (["--gif", "--transparent"], "only a picture can be transparent"),
    ],
)
def test_wrong_usage_is_refused(recording, arguments, message, capsys):
    with pytest.raises(SystemExit) as done:
        main(["render", str(recording), *arguments])
    assert done.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_program_that_is_no_browser_is_told(recording):
    with (
        pytest.raises(PluginError, match="the browser has ended"),
        staged(recording, Look(browser="false")),
    ):
        pass


def test_an_existing_file_is_kept(recording, tmp_path, capsys):
    (tmp_path / "a.png").write_text("mine")
    with pytest.raises(SystemExit):
        main(["render", str(recording), "--png", "0", "-o", str(tmp_path / "a.png")])
    assert "exists: choose another name" in capsys.readouterr().err
    assert (tmp_path / "a.png").read_text() == "mine"


def test_a_recording_that_is_none_is_told(tmp_path):
    need_chromium()
    with pytest.raises(RecordingError), staged(tmp_path / "no.zarr", Look()):
        pass
