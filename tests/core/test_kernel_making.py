"""Kernels are compiled on all cores, and each by one process; whoever dies, a run goes on."""

import fcntl
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Thread

import numpy as np
import pytest
from tests.cases import first

from footfall.errors import KernelError
from footfall.jit import making, native
from footfall.jit.announcement import compilations
from footfall.jit.cache_folder import cache_root
from footfall.jit.compiling import bind, kernel
from footfall_llvm import optimiser

BEGIN = """
import sys
import numpy as np
import footfall
from footfall.api.kernels import bind, kernel
from footfall.jit import native

def held(code, make=native._making()._make):
    sys.stdin.readline()
    return make(code)

native._making()._make = held
print("ready", flush=True)
sys.stdin.readline()
"""
"""It goes on at a line, and compiles a kernel at another one, or when none can come."""
COUNT = "print(footfall.compilations.kernels)\n"
MANY = 8
KERNELS = "".join(f"@kernel\ndef times{k}(x):\n    return {k}.0 * x[0]\n\n" for k in range(MANY))
SMALL = f"""
{KERNELS}
bound = [bind(one, np.ones(1)) for one in ({", ".join(f"times{k}" for k in range(MANY))})]
assert [one() for one in bound] == list(range({MANY}))
"""
PROGRAMS = first(
    pytest.param(SMALL, id="small"),
    pytest.param("footfall.load('cube/sliding').step()\n", id="cube/sliding"),
)


@kernel
def double(x):
    return 2.0 * x[0]


@kernel
def triple(x):
    return 3.0 * x[0]


@kernel
def quadruple(x):
    return 4.0 * x[0]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder of kernels, and no kernel that this process knows."""
    native.finish()
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(compilations, "silent", False)
    known = cache_root, native.cache_folder, native._making
    for one in known:
        one.cache_clear()
    for one in (double, triple, quadruple):
        one.entries.clear()
    yield native.cache_folder()
    for one in known:
        one.cache_clear()


def results():
    x = np.full(1, 5.0)
    bound = [bind(one, x) for one in (double, triple, quadruple)]
    return [one() for one in bound]


def start(program, folder):
    """Start a program with a cache in a folder; it waits for a line."""
    file = folder / "program.py"
    file.write_text(BEGIN + program + COUNT)
    process = subprocess.Popen(
        [sys.executable, str(file)],
        env=os.environ | {"FOOTFALL_CACHE_DIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def owner_of_kernels(program, folder):
    """Start a program that has begun to compile; it goes on at a line."""
    owner = start(program, folder)
    owner.stdin.write("go\n")
    owner.stdin.flush()
    while not list(folder.glob("*/*.lock")):
        assert owner.poll() is None
        time.sleep(0.01)
    return owner


@pytest.mark.parametrize("program", PROGRAMS)
def test_two_processes_never_compile_the_same_kernel(program, tmp_path):
    owner, other = owner_of_kernels(program, tmp_path), start(program, tmp_path)
    other.stdin.write("go\n")
    other.stdin.close()
    assert any("that another process compiles" in line for line in other.stderr)
    out, said = owner.communicate()
    found = other.stdout.read(), other.stderr.read()
    assert (owner.returncode, other.wait()) == (0, 0), (said, found)
    other.stdout.close()
    other.stderr.close()
    kept = list(tmp_path.glob("*/*.o"))
    assert len(kept) >= MANY
    assert int(out) + int(found[0]) == len(kept)
    assert not list(tmp_path.glob("*/*.lock"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_killed_owner_leaves_its_kernels_to_others(program, tmp_path):
    owner = owner_of_kernels(program, tmp_path)
    owner.kill()
    owner.communicate()
    assert list(tmp_path.glob("*/*.lock"))
    heir = start(program, tmp_path)
    out, said = heir.communicate("go\n")
    assert int(out) > 5
    assert "another process" not in said
    assert not list(tmp_path.glob("*/*.lock"))


def test_an_owner_that_takes_too_long_is_not_waited_for(cache, monkeypatch, capsys):
    monkeypatch.setattr(making, "LONGEST_WAIT", 0.2)
    x = np.full(1, 5.0)
    name = native.object_name(double, (native.kind_of(x),))
    cache.mkdir()
    with open(cache / f"{name}.lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert bind(double, x)() == 10.0
    assert "waiting for 1 kernel that another process compiles" in capsys.readouterr().err


def test_a_worker_helps(cache, monkeypatch):
    here = []
    monkeypatch.setattr(making, "cores", lambda: 2)
    made = native._making()
    monkeypatch.setattr(
        made, "_make", lambda code, make=made._make: here.append(code) or make(code)
    )
    x = np.full(1, 5.0)
    bound = [bind(one, x) for one in (double, triple, quadruple)]
    while any(job.made is None for job in list(made._mine)[:2]):
        time.sleep(0.01)
    assert [one() for one in bound] == [10.0, 15.0, 20.0]
    assert len(here) <= 1


@pytest.mark.parametrize("program", ["raise SystemExit", "print('nonsense', flush=True)"])
def test_a_worker_that_fails_is_done_without(program, cache, tmp_path, monkeypatch):
    broken = tmp_path / "broken.py"
    broken.write_text(program)
    monkeypatch.setattr(making, "cores", lambda: 2)
    monkeypatch.setattr(native._making(), "_program", broken)
    assert results() == [10.0, 15.0, 20.0]


def test_without_processes_and_locks_it_is_done_here(cache, monkeypatch):
    def refuse(*_, **__):
        raise OSError("Resource temporarily unavailable")

    monkeypatch.setattr(making, "cores", lambda: 2)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(os, "open", refuse)
    assert results() == [10.0, 15.0, 20.0]


def test_a_full_disk_is_told_once(cache, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("footfall.jit.cache_folder.unfinished_folder", full)
    before = compilations.kernels, compilations.kept
    assert results() == [10.0, 15.0, 20.0]
    assert (compilations.kernels, compilations.kept) == (before[0] + 3, before[1])
    told = f"compiled kernels cannot be kept in {cache}: No space left on device\n"
    assert capsys.readouterr().err == told


def test_an_interrupted_compilation_is_taken_up_again(cache, monkeypatch):
    made = native._making()
    monkeypatch.setattr(making, "cores", lambda: 1)
    make, calls = made._make, []

    def interrupted(code):
        calls.append(code)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return make(code)

    monkeypatch.setattr(made, "_make", interrupted)
    x = np.full(1, 5.0)
    bound = [bind(one, x) for one in (double, triple, quadruple)]
    before = compilations.kernels, compilations.kept
    with pytest.raises(KeyboardInterrupt):
        bound[0]()
    assert len(list(cache.glob("*.o"))) == 1
    assert (compilations.kernels, compilations.kept) == (before[0] + 1, before[1] + 1)
    assert [one() for one in bound] == [10.0, 15.0, 20.0]
    assert (compilations.kernels, compilations.kept) == (before[0] + 3, before[1] + 3)


def test_a_copy_of_the_process_compiles_by_itself(cache, monkeypatch):
    monkeypatch.setattr(making, "cores", lambda: 2)
    x = np.full(1, 5.0)
    bound = [bind(one, x) for one in (double, triple, quadruple)]
    child = os.fork()
    if child == 0:
        os._exit(0 if [one() for one in bound] == [10.0, 15.0, 20.0] else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert [one() for one in bound] == [10.0, 15.0, 20.0]


def test_a_kernel_that_cannot_be_compiled_leaves_the_others_usable(cache, monkeypatch):
    made = native._making()
    monkeypatch.setattr(making, "cores", lambda: 1)
    make, x = made._make, np.full(1, 5.0)

    def refuse_triples(code):
        if "triple" in code.text:
            raise RuntimeError("LLVM says no\nfor two lines")
        return make(code)

    monkeypatch.setattr(made, "_make", refuse_triples)
    bound = [bind(one, x) for one in (double, triple, quadruple)]
    with pytest.raises(KernelError, match=r"triple cannot be compiled: LLVM says no$"):
        bound[0]()
    assert (bound[0](), bound[2]()) == (10.0, 20.0)
    with pytest.raises(KernelError, match="could not be compiled"):
        bound[1]()
    assert not list(cache.glob("*.lock"))


@pytest.mark.parametrize("program", [None, "", "/opt/app/viewer"])
def test_a_program_with_python_inside_is_not_started_again(program, cache, monkeypatch):
    monkeypatch.setattr(making, "cores", lambda: 2)
    monkeypatch.setattr(sys, "executable", program)
    monkeypatch.setattr(subprocess, "Popen", None)
    assert results() == [10.0, 15.0, 20.0]


def test_a_worker_that_hangs_is_not_waited_for(cache, tmp_path, monkeypatch):
    hangs = tmp_path / "hangs.py"
    hangs.write_text("import sys; sys.stdin.read()")
    monkeypatch.setattr(making, "cores", lambda: 2)
    monkeypatch.setattr(making, "LONGEST_WAIT", 0.2)
    monkeypatch.setattr(native._making(), "_program", hangs)
    assert results() == [10.0, 15.0, 20.0]
    for worker in native._making()._workers:
        worker.broken = True
        worker._process.kill()


def test_without_stderr_kernels_are_compiled_silently(cache, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert results() == [10.0, 15.0, 20.0]


def test_threads_bind_kernels_at_the_same_time(cache):
    with ThreadPoolExecutor(8) as threads:
        found = [threads.submit(results) for _ in range(8)]
        assert [one.result() for one in found] == [[10.0, 15.0, 20.0]] * 8


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_fork_waits_for_a_thread_that_compiles(cache, monkeypatch):
    monkeypatch.setattr(making, "cores", lambda: 1)
    made, compiles = native._making(), Event()

    def slow(code, make=made._make):
        compiles.set()
        time.sleep(0.3)
        return make(code)

    monkeypatch.setattr(made, "_make", slow)
    thread = Thread(target=bind(double, np.full(1, 5.0)))
    thread.start()
    compiles.wait()
    child = os.fork()
    if child == 0:
        os._exit(0 if results() == [10.0, 15.0, 20.0] else 1)
    thread.join()
    ends = time.monotonic() + 20.0
    while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < ends:
        time.sleep(0.05)
    if not ended[0]:
        os.kill(child, 9)
    assert ended == (child, 0)


@pytest.mark.parametrize(("version", "given"), [(optimiser.KNOWN, 1), (optimiser.KNOWN + 1, 0)])
def test_only_a_known_llvm_gets_an_option_for_which_others_end_the_process(
    version, given, monkeypatch
):
    found = []
    monkeypatch.setattr(optimiser.binding, "llvm_version_info", (version, 1, 0))
    monkeypatch.setattr(optimiser.binding, "set_option", lambda *option: found.append(option))
    optimiser.limit_search.__wrapped__()
    assert len(found) == given
