"""Friction problems of files: three forms give one problem, and laws are judged by closed forms."""

import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csc_array

from footfall import discover
from footfall.cli.main import main
from footfall_validate.fc3d.problems import FILES, Problem, read, read_problems
from footfall_validate.fc3d.profiles import ACCURACIES, contenders, measure, profile
from footfall_validate.results import DataError

DATA = Path(__file__).parents[2].parent / "shared" / "reference" / "fc3d"
NORMAL_FIRST = np.array([1.0, -0.5, 0.0])
"""Impulse of the point that slides, [N s]."""


def slides(**changes):
    """Return a point of 1 kg that slides; its rows: normal, tangent, tangent."""
    entries = {"row": np.arange(3), "col": np.arange(3), "value": np.ones(3)}
    return entries | {"q": np.array([-1.0, 2.0, 0.0]), "mu": np.array([0.5])} | changes


def two_contacts():
    """Return a full W of two contacts, q and mu."""
    rng = np.random.default_rng(3)
    J = rng.standard_normal((6, 6))
    return J @ J.T + np.eye(6), rng.standard_normal(6), np.array([0.3, 0.7])


def words(*parts):
    """Return numbers as text, a line a part."""
    return "\n".join("\t".join(f"{x!r}" for x in np.ravel(part).tolist()) for part in parts) + "\n"


def dense(W, q, mu):
    """Return Siconos' text of a dense matrix, columns one after another."""
    n = len(q)
    return words([3], [n // 3], [0], [n], [n], [n, n], W.T, q, mu)


def by_blocks(W, q, mu):
    """Return Siconos' text of a matrix by blocks: ends of blocks, starts of rows, columns."""
    blocks = [(2 * i + j, W[3 * i : 3 * i + 3, 3 * j : 3 * j + 3]) for i in (0, 1) for j in (0, 1)]
    head = ([3], [2], [1], [6], [6], [4], [2], [2], [3, 6], [3, 6], [3], [4], [0, 2, 4])
    return words(*head, [0, 1, 0, 1], *(part for k, b in blocks for part in ([k], b.T)), q, mu)


def write_fclib(path, W, q, mu, **more):
    """Write a local problem as FCLIB does, W by compressed columns."""
    h5py = pytest.importorskip("h5py", reason='needs h5py: pip install -e ".[fclib]"')
    columns = csc_array(W)
    with h5py.File(path, "w") as file:
        values = {"x": columns.data, "i": columns.indices, "p": columns.indptr}
        values |= {"m": [len(q)], "n": [len(q)], "nz": [-1], "nzmax": [columns.nnz]}
        for name, value in values.items():
            file[f"fclib_local/W/{name}"] = value
        for name, value in {"q": q, "mu": mu}.items():
            file.create_dataset(f"fclib_local/vectors/{name}", data=value, **more)
    return h5py


def test_errors_of_a_point_that_slides_are_those_of_its_closed_form(tmp_path):
    np.savez(tmp_path / "slides.npz", **slides())
    problem = read(tmp_path / "slides.npz")
    assert problem.errors(np.array([-0.5, 0.0, 1.0])) == pytest.approx((0.0, 0.0), abs=1e-15)
    # Without an impulse (2, 0, -1) + (0, 0, 1) is left, 2 mu / sqrt(1 + mu^2) of it along the cone.
    assert problem.errors(np.zeros(3)) == pytest.approx((0.4, 0.8**0.5))
    apart = problem._replace(q=np.array([0.0, 0.0, 1.0]), mu=np.zeros(1))
    assert apart.errors(np.zeros(3)) == (0.0, 0.0)


def assert_the_same(problem):
    W, q, mu = two_contacts()
    order, found = [1, 2, 0, 4, 5, 3], problem.W
    assert found == pytest.approx(W[np.ix_(order, order)], abs=1e-12)
    assert problem.q.tolist() == q[order].tolist()
    assert problem.mu.tolist() == mu.tolist()


@pytest.mark.parametrize("form", [dense, by_blocks])
def test_text_of_siconos_is_read(tmp_path, form):
    (tmp_path / "problem.dat").write_text(form(*two_contacts()))
    assert_the_same(read(tmp_path / "problem.dat"))


def test_columns_of_an_asymmetric_text_are_not_rows(tmp_path):
    """Rounding may be asymmetric; the symmetric part is taken, and too much is refused."""
    W, q, mu = two_contacts()
    W[0, 1] += 1e-4
    (tmp_path / "problem.dat").write_text(dense(W, q, mu))
    assert read(tmp_path / "problem.dat").W[2, 0] == pytest.approx(W[1, 0] + 5e-5, abs=1e-12)


def test_hdf5_of_fclib_is_read(tmp_path):
    write_fclib(tmp_path / "problem.hdf5", *two_contacts())
    assert_the_same(read(tmp_path / "problem.hdf5"))


def test_filters_links_and_global_problems_of_hdf5_are_refused(tmp_path):
    path = tmp_path / "problem.h5"
    h5py = write_fclib(path, *two_contacts(), compression="gzip")
    with pytest.raises(DataError, match="has filters or lies in another file"):
        read(path)
    with h5py.File(tmp_path / "global.h5", "w") as file:
        file["fclib_global/M/n"] = [1]
    with pytest.raises(DataError, match="condense global problems"):
        read(tmp_path / "global.h5")
    write_fclib(path, *two_contacts())
    with h5py.File(path, "a") as file:
        del file["fclib_local/vectors/q"]
        file["fclib_local/vectors/q"] = h5py.ExternalLink("other.h5", "/q")
    with pytest.raises(DataError, match="no 'fclib_local/vectors/q'"):
        read(path)


def test_hdf5_without_its_extra_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    (tmp_path / "problem.h5").write_bytes(b"")
    with pytest.raises(DataError, match=r'pip install -e "\.\[fclib\]"'):
        read(tmp_path / "problem.h5")


def test_a_pipe_is_no_problem(tmp_path):
    os.mkfifo(tmp_path / "b.dat")
    with pytest.raises(DataError, match="is no file"):
        read_problems(tmp_path)


INDEFINITE = slides(value=np.array([1.0, 1.0, -0.1]))
ASYMMETRIC = slides(row=np.array([0, 1, 2, 0]), col=np.array([0, 1, 2, 1]), value=[1, 1, 1, 0.2])
OTHER_ORDER = slides(q=np.array([2.0, 0.0, -1.0]), r=np.array([-0.5, 0.0, 1.0]))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (INDEFINITE, "no Delassus matrix: it is indefinite"),
        (ASYMMETRIC, "no Delassus matrix: asymmetric by 0.2"),
        (OTHER_ORDER, "rows are tangent, tangent, normal; reorder them"),
        (slides(mu=np.array([np.nan])), "mu is not a number >= 0"),
        (slides(mu=np.array([np.inf])), "mu is not a number >= 0"),
        (slides(mu=np.array([[0.5]])), "do not fit mu (1, 1)"),
        (slides(q=np.array([1j, 0.0, 0.0])), "complex"),
        (slides(value=np.array([0.0, 0.0, 0.0])), "no positive diagonal entry"),
        (slides(q=np.zeros(4)), "do not fit mu (1,)"),
        ({"q": np.zeros(3)}, "no 'row'"),
    ],
)
def test_what_is_no_friction_problem_is_refused_in_a_line(tmp_path, content, said):
    np.savez(tmp_path / "bad.npz", **content)
    with pytest.raises(DataError) as told:
        read_problems(tmp_path)
    assert "bad.npz: not a friction problem: " in str(told.value)
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_half_files_and_other_text_are_refused(tmp_path):
    text = by_blocks(*two_contacts())
    file = tmp_path / "half.dat"
    for content, said in (
        (text[: len(text) // 2], "could not convert|ends early"),
        (text.rstrip("\n").rpartition("\t")[0], "ends early"),
        ("2\n" + text[2:], "2 contacts of 2 rows"),
        ("nothing of the kind", "invalid literal"),
    ):
        file.write_text(content)
        with pytest.raises(DataError, match=said):
            read(file)
    whole = tmp_path / "half.npz"
    np.savez(whole, **slides())
    whole.write_bytes(whole.read_bytes()[:200])
    with pytest.raises(DataError, match="not a friction problem"):
        read(whole)


@pytest.mark.parametrize("r", [NORMAL_FIRST, np.ones(3)])
def test_a_solution_in_the_right_order_and_a_coarse_one_are_taken(tmp_path, r):
    np.savez(tmp_path / "slides.npz", **slides(r=r))
    assert read(tmp_path / "slides.npz").mu.tolist() == [0.5]


def test_a_profile_is_the_share_within_a_factor_of_the_best():
    """Of two problems A solves the first in 1 s and B in 3 s; B alone solves the second."""
    inf = np.inf
    times = {
        "A": np.array([[1.0, inf], [inf, inf], [inf, inf]]),
        "B": np.array([[3.0, 5.0], [3.0, inf], [inf, inf]]),
    }
    factors = np.array([1.0, 2.0, 3.0])
    assert profile(times, "A", factors).tolist() == [[0.5] * 3, [0.0] * 3, [0.0] * 3]
    assert profile(times, "B", factors).tolist() == [[0.5, 0.5, 1.0], [0.5] * 3, [0.0] * 3]


def test_a_law_that_takes_too_long_gets_no_larger_problem():
    small = Problem("small", np.eye(3), np.array([0.0, 0.0, -1.0]), np.array([0.5]))
    large = Problem("large", np.eye(6), np.array([0.0, 0.0, -1.0] * 2), np.array([0.5] * 2))
    laws, _ = contenders(discover(), ["coulomb"], 60.0)
    done = []
    times = measure(laws, [large, small], 0.0, lambda: done.append(1))["coulomb"]
    assert np.isinf(times).all()
    assert len(done) == 2
    times = measure(laws, [large, small], 60.0, lambda: None)["coulomb"]
    assert np.isfinite(times).all()


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(["validate", "fc3d", *map(str, arguments)])
    out, err = capsys.readouterr()
    return left.value.code, out, err


def test_the_command_judges_laws_and_writes_a_page(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    np.savez(tmp_path / "slides.npz", **slides())
    laws = ["--law", "coulomb", "--law", "pinocchio_constraints", "--law", "ccp", "--law", "gauss"]
    code, out, _ = run(capsys, tmp_path, *laws, "--limit", 60, "--output", tmp_path / "docs")
    assert code == 0
    solved = dict(re.findall(r"^(\w+(?: \w+)?) +1e-08 .* (\d) of 1", out, re.MULTILINE))
    # ccp lifts what slides: its answer is not that of Coulomb's law.
    assert solved["coulomb"] == "1"
    assert solved["pinocchio_constraints admm"] == "1"
    assert solved["ccp"] == "0"
    assert "gauss: not tested: each returns forces, needs a QP solver, or stores a state" in out
    page = (tmp_path / "docs/fc3d.md").read_text()
    assert "- gauss: not tested" in page
    (row,) = re.findall(r"^\| coulomb \|(.*)\|$", page, re.MULTILINE)
    assert [cell.split()[0] for cell in row.split("|")] == ["1"] * len(ACCURACIES)
    assert "of the 1 problems" in page
    assert (tmp_path / "docs/fc3d/profiles.svg").exists()


def test_a_folder_without_problems_is_told(tmp_path, capsys):
    code, _, err = run(capsys, tmp_path)
    assert code != 0
    assert f"has no problems: no file *{FILES[0]}, " in err


@pytest.mark.reference
@pytest.mark.skipif(not DATA.exists(), reason="Siconos' problems are not beside the project")
def test_coulomb_solves_small_problems_of_siconos_and_fclib():
    """Of up to 60 contacts: all to 1e-8 in score and in m/s, each within the time limit."""
    files = [path for path in sorted(DATA.glob("*.npz")) if path.stat().st_size < 40_000]
    problems = [one for one in map(read, files) if len(one.mu) <= 60]
    assert len(problems) >= 15
    times = measure(contenders(discover(), ["coulomb"], 60.0)[0], problems, 60.0, lambda: None)
    assert np.isfinite(times["coulomb"][:2]).all()
