"""The root ``zarr.json`` of a recording; it commits rows and identifies the recording."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from footfall.errors import RecordingError
from footfall.recording.stored_array import Checksums, check_description, committed_bytes
from footfall.whole_file import read_file

FORMAT = 2
"""Version of the recording format that this Footfall writes; it also reads older ones.

Version 1 had no checksums.
"""
ROOT = "zarr.json"
UNFINISHED_ROOT = ".zarr.json.new"


def text_of(document: Mapping[str, Any]) -> str:
    """Return a document's JSON."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def write_document(directory: str, document: Mapping[str, Any] | str) -> None:
    """Replace ``zarr.json`` at once: the path always holds the whole old file or the whole new one.

    Args:
        directory: the directory that it describes.
        document: the document or its JSON text.

    Raises:
        OSError: if it cannot be written; the old one stays.
    """
    text = document if isinstance(document, str) else text_of(document)
    unfinished = os.path.join(directory, UNFINISHED_ROOT)
    with open(unfinished, "wb") as file:
        file.write(text.encode())
    os.replace(unfinished, os.path.join(directory, ROOT))


SEAL = len('01234567"}}')
"""Length of the end of a root document: the checksum of all text before it."""


def write_root(directory: str, text: str, sums: Mapping[str, Checksums]) -> None:
    """Replace a recording's root document, with checksums of the arrays and of the document.

    Args:
        directory: directory of the recording.
        text: text of a ``root_document`` without checksums.
        sums: checksums by name of the array.

    Raises:
        OSError: if it cannot be written; the old one stays.
    """
    told = ", ".join(f'"{name}": [{s.size}, "{s.full}{s.last:08x}"]' for name, s in sums.items())
    sealed = f'{text.removesuffix("}}")}, "checksums": {{{told}}}, "checksum": "'
    write_document(directory, sealed + _seal(sealed.encode()))


def _seal(sealed: bytes) -> str:
    return f'{crc32(sealed):08x}"}}}}'


def checksums_of(content: bytes) -> dict[str, tuple[int, str]] | None:
    """Return size in bytes and checksums of the chunks for each array of a root document.

    Returns:
        None for a document of format 1, which has no checksums.

    Raises:
        ValueError: if the document's own checksum is wrong, or it describes arrays or checksums
            that no Footfall writes.
    """
    document = json.loads(content)
    attributes, arrays = document["attributes"], document["consolidated_metadata"]["metadata"]
    for name, array in arrays.items():
        check_description(name, array)
    if attributes["footfall_format"] == 1:
        return None
    if content[-SEAL:] != _seal(content[:-SEAL]).encode():
        raise ValueError(f"{ROOT} is not what was written: its checksum differs")
    found: dict[str, tuple[int, str]] = attributes["checksums"]
    for name, array in arrays.items():
        match found.get(name):
            case [int(size), str()] if size >= committed_bytes(array):
                pass
            case None if not committed_bytes(array):
                pass
            case _:
                raise ValueError(f"{ROOT} holds no checksums of all rows of {name}")
    return found


def root_document(
    attributes: Mapping[str, Any], arrays: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Return a Zarr version 3 group with the descriptions of its arrays inside it.

    Readers take the arrays' shapes from here, so that replacing this one file commits new rows of
    all arrays at once. ``write_root`` adds checksums to the attributes at its end.
    """
    return {
        "zarr_format": 3,
        "node_type": "group",
        "consolidated_metadata": {
            "kind": "inline",
            "must_understand": False,
            "metadata": arrays,
        },
        "attributes": {**attributes, "footfall_format": FORMAT},
    }


def recorded_attributes(path: Path) -> dict[str, Any] | None:
    """Return the attributes of the recording at a path, or None if it is not a recording."""
    try:
        attributes = json.loads(read_file(path / ROOT))["attributes"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if isinstance(attributes, dict) and isinstance(attributes.get("footfall_format"), int):
        return attributes
    return None


def plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of attributes (values of Python and NumPy, paths) in JSON's types.

    Raises:
        RecordingError: if a value has no JSON form (NaN and infinity have none).
    """
    return {str(key): _plain(str(key), value) for key, value in attributes.items()}


def _plain(key: str, value: Any) -> Any:
    try:
        return json.loads(json.dumps(value, default=_native, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise RecordingError(
            f"recording attribute {key!r}: {value!r} cannot be written as JSON"
        ) from error


def _native(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")
