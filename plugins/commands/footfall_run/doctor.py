"""``footfall doctor``: one page on the installation, for bug reports."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from json import dumps
from pathlib import Path
from pwd import getpwuid
from typing import Annotated, Any

import typer

Facts = dict[str, Any]
FOR = {
    "icub": "the robot iCub",
    "jvrc": "the robot JVRC-1",
    "robots": "the robot Panda and others",
    "bench": "footfall bench beside MuJoCo",
    "plots": "curves of footfall compare, sweep, fit",
    "gym": "Gymnasium environments",
    "sb3": "learning by Stable-Baselines3",
    "render": "films as MP4 without ffmpeg",
    "mcap": "recordings for Foxglove",
    "fclib": "problems of FCLIB in footfall validate fc3d",
    "xacro": "footfall import --xacro",
    "coacd": "footfall import --decompose",
    "sweep": "footfall sweep on a cluster",
    "policy": "policies as ONNX",
    "pose": "footfall pose",
}
"""Uses of extras that no plugin names; those of plugins are in the registry."""
GROUPS = ("all", "test", "docs")
"""Extras that are not told: they combine others, or serve development."""
NAME = re.compile(r"[A-Za-z0-9._-]+")
EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
RESTRICTED = re.compile(
    "(?i)GPL|General Public|Share.?Alike|CC.BY|MPL|Mozilla|Propriet|/license-agree"
)
"""Licences with more conditions than BSD, MIT and Apache licences have."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LEVELS = {
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_2", "ssse3"},
}
"""Flags of a processor, as Linux names them, by the level that needs them, the best first."""
TOLD = re.compile("FOOTFALL_(CACHE_DIR|CHECKED|COMPILER|CPU|OBJECTS|TRACEBACK)")
"""Footfall's variables whose values are told; another may hold a secret."""
PATIENCE = 60.0
"""Longest time that an import may take, [s]."""


def doctor(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Describe the installation on one page, for a bug report.

    The page leaves out your home folder, user name, host and package indexes.

    Examples:
        footfall doctor
        footfall doctor --json
    """
    from footfall import progress_lines

    with progress_lines(lambda s: f"importing what is installed: {s:.0f} s"):
        told = {part: guarded(facts) for part, facts in PARTS.items()}
    print(private(dumps(told, indent=2, ensure_ascii=False) if json else "\n".join(page(told))))


def guarded(facts: Callable[[], Any]) -> Any:
    """Return the facts of one part, or the error: a broken part leaves the others."""
    try:
        return facts()
    except Exception as error:
        return f"cannot be told: {type(error).__name__}: {' '.join(str(error).split())}"


def private(text: str) -> str:
    """Return a text with the home folder as ``~`` and without the user's name in paths."""
    homes, names = {os.environ.get("HOME", "")}, {os.environ.get("USER", "")}
    with suppress(KeyError):  # a container may run a user without an entry
        homes.add(getpwuid(os.getuid()).pw_dir)
        names.add(getpwuid(os.getuid()).pw_name)
    for home in sorted(homes - {"", "/"}, key=len, reverse=True):
        text = re.sub(rf"{re.escape(home.rstrip('/'))}(?=[/\s\"':]|$)", "~", text)
    part = re.compile(rf"\b({'|'.join(map(re.escape, names - {''})) or '(?!)'})\b")
    text = re.sub(r"/[^\s\"':]+", lambda path: part.sub("USER", path[0]), text)
    return re.sub(r"(?<=://)[^/\s\"]+", "...", text)


def machine() -> Facts:
    """Return versions of Footfall, Python and the system, and the kind of processor."""
    flags, name = set(), platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        text = info.read_text(encoding="utf-8", errors="replace")
        flags = set("".join(re.findall(r"^flags\s*:(.*)$", text, re.MULTILINE)[:1]).split())
        name = "".join(re.findall(r"^model name\s*: (.*)$", text, re.MULTILINE)[:1]) or name
    level = next((level for level, needed in LEVELS.items() if needed <= flags), "")
    return {
        "footfall": distribution("footfall").version,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": ", ".join(filter(None, (name, level, f"{os.cpu_count()} cores"))),
    }


def kernels() -> Facts:
    """Return the folder of compiled kernels, its size, and the numbers of kernels.

    Those compiled may be for other processors and compilers; those of a wheel are ready-made.
    """
    from footfall import compilations

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        root = compilations.folder
    kept = [path for path in root.rglob("*") if path.is_file()]
    ready = {path.name for path in Path(str(files("footfall"))).glob("jit/objects/*/*/*.o")}
    return {
        "folder": str(root),
        "megabytes": round(sum(path.stat().st_size for path in kept) / 1e6, 1),
        "compiled": sum(path.suffix == ".o" and path.stat().st_size > 0 for path in kept),
        "ready-made": len(ready),
        "problem": "; ".join(str(each.message) for each in caught),
    }


def surroundings() -> Facts:
    """Return the browser's name, whether there is a display, and Footfall's variables."""
    found = [name for name in BROWSERS if shutil.which(name)]
    ours = {k: v for k, v in sorted(os.environ.items()) if k.startswith("FOOTFALL")}
    return {
        "browser": found[0] if found else None,
        "display": bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")),
        "variables": {k: v if TOLD.fullmatch(k) else "(not shown)" for k, v in ours.items()},
    }


def plugins() -> Facts:
    """Return the broken plugins and the number of entries of the others."""
    from footfall import discover

    registry = discover()
    broken = {f"{b.origin.distribution} {b.origin.module}": b.reason for b in registry.broken}
    return {"entries": sum(1 for c in registry.catalogs for _ in c), "broken": broken}


def packages() -> dict[str, dict[str, Facts]]:
    """Return what Footfall requires, by extra ("" for the base), with version and licence."""
    wanted = [(n, e) for n, e in requirements("footfall") if e not in GROUPS and n != "footfall"]
    names = sorted({name for name, _ in wanted})
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        told = dict(zip(names, pool.map(package, names), strict=True))
    extras = dict.fromkeys(extra for _, extra in wanted)
    return {extra: {n: told[n] for n, e in wanted if e == extra} for extra in extras}


def requirements(name: str) -> list[tuple[str, str]]:
    """Return the distributions that an installed one requires, each with its extra or ""."""
    try:
        texts = distribution(name).requires or ()
    except PackageNotFoundError:
        return []
    return [(NAME.findall(t)[0], "".join(EXTRA.findall(t)[:1])) for t in texts]


def package(name: str) -> Facts:
    """Return version, licence, fault and what it brings; the version is None if it is missing."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return {"version": None, "licence": "", "problem": "", "brings": {}}
    faults = "; ".join(filter(None, map(fault_of, modules(found))))
    texts = {"version": found.version, "licence": licence(found), "problem": faults}
    return {**texts, "brings": brought(name)}


def brought(name: str) -> dict[str, str]:
    """Return the installed distributions that one requires whose licence is not permissive."""
    told: dict[str, str] = {}
    seen, left = {name}, [name]
    while left:
        for other, extra in requirements(left.pop()):
            if other not in seen and not extra:
                seen.add(other)
                left.append(other)
                with suppress(PackageNotFoundError):
                    text = licence(distribution(other))
                    told |= {other: text} if RESTRICTED.search(text) else {}
    return told


def licence(found: Distribution) -> str:
    """Return a distribution's licence, as its metadata tells."""
    told = {key: found.metadata.get_all(key) or [] for key in ("License-Expression", "License")}
    kinds = [k for k in found.metadata.get_all("Classifier") or () if k.startswith("License ::")]
    named = [kind.split(" :: ")[-1] for kind in kinds if not kind.endswith("OSI Approved")]
    lines = [line.strip() for line in "".join(told["License"]).splitlines()]
    free = next(filter(None, lines), "not told")[:80]
    return "".join(told["License-Expression"]) or ", ".join(named) or free


def modules(found: Distribution) -> list[str]:
    """Return the names under which a distribution is imported."""
    names = set()
    for file in found.files or ():
        inside = file.parts[-3:-2] in ((), ("site-packages",)) and file.name == "__init__.py"
        alone = len(file.parts) == 1 and file.suffix in (".py", ".so")
        names |= {file.parts[-2]} if inside else {file.name.partition(".")[0]} if alone else set()
    return sorted(name for name in names if name.isidentifier() and not name.startswith("_"))


def fault_of(module: str) -> str:
    """Import a module in a process of its own; return the error, "" if there is none."""
    command = [sys.executable, "-P", "-W", "ignore", "-c", f"import {module}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"import takes more than {PATIENCE:g} s"
    if done.returncode == 0:
        return ""
    lines = done.stderr.strip().splitlines() if done.returncode == 1 else []
    return f"cannot be imported: {lines[-1] if lines else f'Python ends with {done.returncode}'}"


PARTS: dict[str, Callable[[], Any]] = {
    "machine": machine,
    "surroundings": surroundings,  # first: the kernels' folder may set a variable
    "kernels": kernels,
    "plugins": plugins,
    "packages": packages,
}


def page(told: Facts) -> Iterator[str]:
    """Yield the lines of the page."""
    for part, facts in told.items():
        if not isinstance(facts, dict):
            yield f"{part}: {facts}"
        elif part != "packages":
            yield part
            yield from (f"  {k:<20} {v}" for k, v in facts.items() if v not in (None, "", {}))
        else:
            yield from lines_of(facts)


def lines_of(packages: dict[str, dict[str, Facts]]) -> Iterator[str]:
    """Yield the lines on the base and the extras."""
    from footfall.api.plugin import FootfallError

    for extra, group in packages.items():
        lacking = any(each["version"] is None for each in group.values())
        install = f": {FootfallError.pip(extra)}" if extra and lacking else ""
        yield f"extra {extra}{uses(extra)}{install}" if extra else "base"
        for name, each in group.items():
            mark = "(not permissive)" if RESTRICTED.search(each["licence"]) else ""
            words = (each["version"] or "missing", each["licence"], mark, each["problem"])
            yield f"  {name:<20} {'  '.join(filter(None, words))}"
            yield from (f"    brings {n}  {text}" for n, text in each["brings"].items())


def uses(extra: str) -> str:
    """Return what an extra is for."""
    from footfall import discover

    named = [e for catalog in discover().catalogs for e in catalog if extra and e.extra == extra]
    told = [FOR[extra]] if extra in FOR else [f"{e.role} {e.name}" for e in named]
    return f" (for {', '.join(dict.fromkeys(told))})" if told else ""
