"""The difference of two resolved scenes: a saved state fits scenes with the same motion."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from footfall.config.toml import KeyPath, dotted
from footfall.config.validate import given
from footfall.scene.overrides import RENAMED, renamed_tables

_MISSING = object()


def difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str | None:
    """Return a text on the difference of two resolved scenes, or None if their motion is the same.

    Everything counts except:

    * duration, recorder and visualizer,
    * hands with live devices,
    * the description and the path of the file,
    * versions of packages other than Footfall and plugins.

    The order of keys counts too: bodies have this order in the world, and later joint patterns win.

    The text names the first key that differs with both values, the number of others, and changed
    defaults.
    """
    theirs = dict(_leaves(_essence(there), ()))
    mine = dict(_leaves(_essence(here), ()))
    keys = [
        key for key in {**theirs, **mine} if theirs.get(key, _MISSING) != mine.get(key, _MISSING)
    ]
    if not keys:
        moved = [key for key, other in zip(theirs, mine, strict=True) if key != other]
        return f"{_show(moved[0])} comes in another order there" if moved else None
    first, others = keys[0], len(keys) - 1
    there_, here_ = (_word(tables.get(first, _MISSING)) for tables in (theirs, mine))
    more = f" (and {others} more)" if others else ""
    changed = changed_defaults(there, here)
    defaults = "; ".join(f"{key} was {old} there and is {new} here" for key, old, new in changed)
    told = f"; defaults that have changed since: {defaults}" if defaults else ""
    return f"{_show(first)} is {there_} there and {here_} here{more}{told}"


def changed_defaults(
    there: Mapping[str, Any], here: Mapping[str, Any]
) -> list[tuple[str, str, str]]:
    """Return the defaults that differ between two resolved scenes.

    These are settings that neither scene gives, of plugins that both use. The list is empty if a
    scene does not record its given keys, as in recordings of earlier versions.

    Returns:
        Key, value there, value here, as text.
    """
    if not ("given" in there and "given" in here):
        return []
    there, here = _today(there), _today(here)
    given_ = {*there["given"], *here["given"]}
    plugins, before = here["plugins"], there["plugins"]
    chosen = [
        f"{key}."
        for key in plugins
        if plugins[key]["plugin"] != before.get(key, {}).get("plugin") and f"{key}.plugin" in given_
    ]
    if "contact." in chosen:
        chosen.append("impact.")  # its default depends on the law
    old, new = (dict(_leaves(tables["scene"], ())) for tables in (there, here))
    return [
        (dotted(path), _word(old.get(path, _MISSING)), _word(new.get(path, _MISSING)))
        for path in {**old, **new}
        if old.get(path, _MISSING) != new.get(path, _MISSING)
        and dotted(path) not in given_
        and not dotted(path).startswith(tuple(chosen))
        and (path[0] != "bodies" or dotted(path[:2]) in given_)
    ]


def _today(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return a resolved scene with its tables under their names of today."""
    tables = {key: renamed_tables(resolved[key], {})[0] for key in ("scene", "plugins")}
    heads = [key.partition(".") for key in resolved.get("given", ())]
    given_ = [f"{RENAMED.get(head, head)}{dot}{rest}" for head, dot, rest in heads]
    return {**resolved, **tables, "given": given_}


def _essence(resolved: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a resolved scene that affect the motion."""
    resolved = copy.deepcopy(_today(resolved))
    scene, plugins = resolved["scene"], resolved["plugins"]
    for key in ("description", "recorder", "visualizer"):
        scene.pop(key, None)
    scene["simulation"].pop("duration", None)
    plugins.pop("visualizer", None)
    for name in list(scene.get("hands", {})):
        if plugins.get(f"hands.{name}.device", {}).get("live"):
            del scene["hands"][name], plugins[f"hands.{name}.device"]
    if not scene.get("hands"):
        scene.pop("hands", None)
    _sort_settings(scene)
    essence = {"scene": scene, "plugins": plugins, "robots": resolved.get("robots", {})}
    return {"footfall": resolved["footfall"], **essence}


def _sort_settings(scene: dict[str, Any]) -> None:
    """Sort the numbers of tables: tuning may have added one that the file left out.

    They come last. All else keeps its order, since it may hold patterns of names.
    """
    tables = [(scene, "contact"), (scene, "impact"), (scene.get("world", {}), "terrain")]
    for group in ("bodies", "hands"):
        for name, table in scene.get(group, {}).items():
            tables += [(scene[group], name), (table, "controller")]
    # Inner tables first, since sorting replaces a table.
    for holder, key in reversed(tables):
        if isinstance(holder.get(key), dict):
            numbers = {k: v for k, v in holder[key].items() if isinstance(v, int | float)}
            rest = {k: v for k, v in holder[key].items() if k not in numbers}
            holder[key] = rest | dict(sorted(numbers.items()))


def _leaves(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from _leaves(part, (*path, key))
    else:
        yield path, value


def _show(path: KeyPath) -> str:
    return dotted(path[1:] if path[0] == "scene" else path)


def _word(value: Any) -> str:
    return "not given" if value is _MISSING else given(value)
