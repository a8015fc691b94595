"""XML of model files: lenient reading; numbers and names, errors that name element and file."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from footfall.errors import RobotError, RobotWarning, nearest
from footfall.whole_file import number

LARGEST = 1e30
"""Greatest magnitude of a number, in any unit; sums of products of larger ones would overflow."""
LARGEST_FILE = 50_000_000
"""Greatest size of a model file, [bytes]."""
DEEPEST = 200
"""Greatest nesting depth of elements in a model file."""
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)  # to the end, lest many ends are sought
_FORGIVEN = (
    (re.compile(r"\A\s+<\?xml\s.*?\?>", re.DOTALL), "", "<?xml ...?> is not first"),
    (re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)"), "&amp;", "& for &amp;"),
)
_TAG, _QUOTED = re.compile(r"<[^<>]*>"), re.compile("\"[^\"]*\"|'[^']*'")
_PREFIX, _DECLARED = re.compile(r"[<\s]([A-Za-z_][\w.-]*):"), re.compile(r"xmlns:([\w.-]+)")


@dataclass(frozen=True, slots=True)
class FileElement:
    """A place in a model file.

    Attributes:
        file: path, as errors show it.
        element: e.g. ``link "l_foot"``.
    """

    file: str
    element: str

    def __str__(self) -> str:
        return f"{self.file}: {self.element}"

    def error(self, message: str) -> RobotError:
        """Return an error at this place."""
        return RobotError(f"{self}: {message}")

    def attribute(self, node: Element, key: str) -> str:
        """Return a required attribute.

        Raises:
            RobotError: if it is missing or empty.
        """
        value = node.get(key, "").strip()
        if not value:
            raise self.error(f"<{node.tag}> needs {key}=")
        return value

    def numbers(
        self, node: Element, key: str, *, count: int = 1, default: tuple[float, ...] | None
    ) -> tuple[float, ...]:
        """Return the ``count`` finite numbers of an attribute, or ``default`` if it is missing.

        Commas between numbers are accepted with a ``RobotWarning``.

        Raises:
            RobotError: if it is missing without a default, holds something else than ``count``
                numbers, or a number is not finite or too large.
        """
        text = node.get(key)
        if text is None and default is not None:
            return default
        words = self.attribute(node, key).replace(",", " ").split()
        try:
            values = tuple(map(number, words))
        except ValueError:
            values = ()
        if len(values) != count:
            wanted = "a number" if count == 1 else f"{count} numbers"
            raise self.error(f'<{node.tag}> {key}="{text}" must be {wanted}')
        if "," in str(text):
            told = f'{self}: <{node.tag}> {key}="{text}": commas are taken as spaces'
            warnings.warn(told, RobotWarning, stacklevel=2)
        if not all(math.isfinite(value) for value in values):
            raise self.error(f'<{node.tag}> {key}="{text}" must be finite')
        if max(map(abs, values)) > LARGEST:
            raise self.error(f'<{node.tag}> {key}="{text}" must not be beyond {LARGEST:g}')
        return values

    def number(self, node: Element, key: str, *, default: float | None = None) -> float:
        """Return one finite number; see ``numbers``."""
        return self.numbers(node, key, default=None if default is None else (default,))[0]

    def at_least_zero(self, node: Element, key: str) -> float:
        """Return one finite number from zero up, zero if it is missing.

        Raises:
            RobotError: if it is negative; also as ``numbers``.
        """
        value = self.number(node, key, default=0.0)
        if value < 0.0:
            raise self.error(f'<{node.tag}> {key}="{node.get(key)}" must not be negative')
        return value


def read_xml(path: Path, text: str | bytes | None = None, *, joined: bool = False) -> Element:
    """Return the top element of an XML file, or of ``text`` made of it.

    Args:
        path: the file.
        text: its content, or what replaces it.
        joined: True to check at once what ``read_urdf`` checks of the links that joints name.

    Raises:
        RobotError: if it is missing or malformed (names the line), larger than ``LARGEST_FILE`` or
            nested deeper than ``DEEPEST``.
    """
    try:
        if text is None:
            if path.exists() and not path.is_file():  # to open a pipe would wait
                raise RobotError(f"{path}: is not a file")
            with path.open("rb") as stream:
                text = stream.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise RobotError(f"{path}: is larger than {LARGEST_FILE} bytes")
        top = _parsed(text, path)
    except FileNotFoundError:
        raise RobotError(f"{path}: no such file") from None
    except OSError as error:
        raise RobotError(f"{path}: cannot be read: {error.strerror}") from error
    except ElementTree.ParseError as error:
        line, _ = error.position
        what = str(error).partition(":")[0]
        raise RobotError(f"{path}:{line}: malformed XML: {what}") from error
    except (ValueError, LookupError) as error:
        raise RobotError(f"{path}: malformed XML: {error}") from error
    level = [top]
    for _ in range(DEEPEST):
        level = [child for element in level for child in element]
    if level:
        raise RobotError(f"{path}: is nested too deeply: at most {DEEPEST} elements in each other")
    if joined and top.tag == "robot" and not any("xacro}" in str(node.tag) for node in top.iter()):
        links = [*(link.get("name", "") for link in top.findall("link")), "world"]
        carriers(top, links, path)
    return top


def _parsed(text: str | bytes, path: Path) -> Element:
    """Return the top element; warn of what lenient readers of XML (e.g. tinyxml2) forgive."""
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError:  # a second one, of the same lines, is the caller's
        forgiven, wrong = _forgiven(text.encode() if isinstance(text, str) else text)
        top = ElementTree.fromstring(forgiven)
        said = f"{path}: malformed XML, read anyway: {wrong}"
        warnings.warn(said, RobotWarning, stacklevel=3)
        return top


def _forgiven(text: bytes) -> tuple[str, str]:
    """Return the text without what XML forbids but cannot be misread, and what that is."""
    wrong = []
    try:
        data = text.decode("utf-8-sig")
    except UnicodeDecodeError:
        data = text.decode("latin-1")
        wrong.append("characters that are not UTF-8, taken as Latin-1")
    data = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), data)
    for pattern, put, said in _FORGIVEN if "<!ENTITY" not in data else ():
        if pattern.search(data):
            wrong.append(said)
            data = pattern.sub(put, data)
    tags = _QUOTED.sub("", " ".join(_TAG.findall(data)))
    free = sorted(set(_PREFIX.findall(tags)) - set(_DECLARED.findall(tags)) - {"xml", "xmlns"})
    wrong += [f"undeclared prefix {prefix}" for prefix in free]
    spaces = "".join(f' xmlns:{prefix}="{prefix}"' for prefix in free)
    data = re.sub(r"<[\w:.-]+", lambda tag: tag[0] + spaces, data, count=1)
    return data, ", ".join(wrong) or "-- within a comment"


def carriers(top: Element, links: Collection[str], path: Path) -> dict[str, str]:
    """Return the joint that carries each link which is a child; ends that are missing are left out.

    Args:
        top: the URDF's element.
        links: names of all links.
        path: the file, for errors.

    Raises:
        RobotError: if a link does not exist, or is the child of two joints.
    """
    found: dict[str, str] = {}
    for joint in top.findall("joint"):
        nodes = [joint.find(f"{end}[@link]") for end in ("parent", "child")]
        ends = ["" if node is None else node.get("link", "").strip() for node in nodes]
        for end in filter(None, ends):
            if end not in links:
                told = f'joint "{joint.get("name", "")}": no link "{end}"{nearest(end, links)}'
                raise RobotError(f"{path}: {told}")
        if ends[1] in found:
            both = f'"{found[ends[1]]}" and "{joint.get("name", "")}"'
            raise RobotError(f'{path}: link "{ends[1]}" is the child of two joints: {both}')
        found |= {ends[1]: joint.get("name", "")} if ends[1] else {}
    return found
