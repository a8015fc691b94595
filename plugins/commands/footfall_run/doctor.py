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
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
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
COPYLEFT = re.compile(r"GPL|General Public|Share.?Alike|CC.BY|MPL|Mozilla", re.IGNORECASE)
"""Licences with more conditions than BSD, MIT and Apache licences have."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
LEVELS = {
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"},
    "x86-64-v2": {"cx16", "popcnt", "sse4_2", "ssse3"},
}
"""Flags of a processor, as Linux names them, by the level that needs them, the best first."""
PATIENCE = 60.0
"""Longest time that the imports may take, [s]."""
IMPORTS = """
import importlib, sys, warnings
warnings.simplefilter("ignore")
for name in sys.argv[1:]:
    print("?", name, flush=True)
    try:
        importlib.import_module(name)
    except BaseException as error:
        print("!", type(error).__name__ + ":", *str(error).split(), flush=True)
"""
"""Imports modules one after another; the last line tells which one ended the process."""


def doctor(json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Describe the installation on one page, to be pasted into a bug report.

    It tells versions, extras, licences, kernels and the browser, and imports what is installed to
    see whether it works. Your home folder, user name, host and package indexes are left out.
    """
    from footfall import progress_lines

    with progress_lines(lambda s: f"importing what is installed: {s:.0f} s"):
        told = {part: guarded(facts) for part, facts in PARTS.items()}
    if json:
        from json import dumps

        print(private(dumps(told, indent=2)))
        return
    print(private("\n".join(page(told))))


def guarded(facts: Callable[[], Any]) -> Any:
    """Return the facts of one part, or the error: a broken part leaves the others."""
    try:
        return facts()
    except Exception as error:
        return f"cannot be told: {type(error).__name__}: {' '.join(str(error).split())}"


def private(text: str) -> str:
    """Return a text with the home folder as ``~`` and without the user's name in paths."""
    homes, names = {os.environ.get("HOME", "")}, {os.environ.get("USER", "")}
    try:
        from pwd import getpwuid

        homes.add(getpwuid(os.getuid()).pw_dir)
        names.add(getpwuid(os.getuid()).pw_name)
    except (ImportError, KeyError):
        pass
    for home in sorted(homes - {"", "/"}, key=len, reverse=True):
        text = re.sub(rf"{re.escape(home.rstrip('/'))}(?=[/\s\"':]|$)", "~", text)
    for name in names - {""}:
        text = re.sub(rf"(?<=/){re.escape(name)}(?=[/\s\"':]|$)", "USER", text)
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
    """Return the folder of compiled kernels, its size, and the numbers of kernels."""
    from footfall import compilations

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        root = compilations.folder
    kept = [path for path in root.rglob("*") if path.is_file()]
    ready = files("footfall").joinpath("jit", "objects")
    levels = [level for level in ready.iterdir() if level.is_dir()] if ready.is_dir() else []
    objects = {o.name for level in levels for o in level.iterdir() if o.name.endswith(".o")}
    return {
        "folder": str(root),
        "megabytes": round(sum(path.stat().st_size for path in kept) / 1e6, 1),
        "compiled": sum(path.suffix == ".o" for path in kept),
        "ready-made": len(objects),
        "problem": "; ".join(str(each.message) for each in caught),
    }


def surroundings() -> Facts:
    """Return the browser's name, whether there is a display, and Footfall's variables."""
    found = [name for name in BROWSERS if shutil.which(name)]
    settings = {k: v for k, v in sorted(os.environ.items()) if k.startswith(("FOOTFALL", "NUMBA"))}
    return {
        "browser": found[0] if found else None,
        "display": bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")),
        "variables": settings,
    }


def plugins() -> Facts:
    """Return the broken plugins and the number of entries of the others."""
    from footfall import discover

    registry = discover()
    broken = {f"{b.origin.distribution} {b.origin.module}": b.reason for b in registry.broken}
    return {"entries": sum(1 for c in registry.catalogs for _ in c), "broken": broken}


def packages() -> Facts:
    """Return what Footfall requires, by extra ("" for the base), with version and licence."""
    wanted: dict[str, dict[str, Facts]] = {}
    for text in distribution("footfall").requires or ():
        extra = "".join(EXTRA.findall(text)[:1])
        name = NAME.match(text)
        if name and extra not in GROUPS and name[0] != "footfall":
            wanted.setdefault(extra, {})[name[0]] = package(name[0])
    told = imported([m for group in wanted.values() for p in group.values() for m in p["modules"]])
    for each in (each for group in wanted.values() for each in group.values()):
        each["problem"] = "; ".join(told[m] for m in each.pop("modules") if told.get(m))
    return wanted


def package(name: str) -> Facts:
    """Return version, licence and modules of a distribution; the version is None if missing."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return {"version": None, "licence": None, "modules": []}
    return {"version": found.version, "licence": licence(found), "modules": modules(found)}


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


def imported(names: list[str]) -> dict[str, str]:
    """Import modules in a process of its own; return the error of each that fails."""
    found, left = {}, list(dict.fromkeys(names))
    while left:
        command = [sys.executable, "-P", "-c", IMPORTS, *left]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            out, end = done.stdout, done.returncode
        except subprocess.TimeoutExpired as late:
            printed = late.stdout or ""
            out, end = printed.decode() if isinstance(printed, bytes) else printed, None
        tried = [line for line in out.splitlines() if line[:2] in ("? ", "! ")]
        for line, after in zip(tried, [*tried[1:], ""], strict=True):
            if line[0] == "?" and after[:1] == "!":
                found[line[2:]] = f"cannot be imported: {after[2:]}"
        if not end and end is not None:
            break
        last = next((line[2:] for line in reversed(tried) if line[0] == "?"), left[-1])
        ended = "takes too long" if end is None else f"ends Python with {end}"
        found[last] = f"import {ended}"
        left = left[left.index(last) + 1 :]
    return found


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
    for extra, group in packages.items():
        lacking = any(each["version"] is None for each in group.values())
        install = f': pip install "footfall[{extra}]"' if extra and lacking else ""
        yield f"extra {extra}{uses(extra)}{install}" if extra else "base"
        for name, each in group.items():
            mark = "(not permissive)" if COPYLEFT.search(each["licence"] or "") else ""
            words = (each["version"] or "missing", each["licence"] or "", mark, each["problem"])
            yield f"  {name:<20} {'  '.join(filter(None, words))}"


def uses(extra: str) -> str:
    """Return what an extra is for."""
    from footfall import discover

    named = [e for catalog in discover().catalogs for e in catalog if extra and e.extra == extra]
    told = [FOR[extra]] if extra in FOR else [f"{e.role} {e.name}" for e in named]
    return f" (for {', '.join(dict.fromkeys(told))})" if told else ""
