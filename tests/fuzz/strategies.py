"""Bad input made of good input: tables, texts, XML and bytes with something wrong."""

import copy
import re
from xml.etree import ElementTree

from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.sampled_from([0, -1, 1, 2**31, 2**63, 10**30, 10**400, -0.0, 1e-320, 1e-12, 0.5, 1e6]),
    st.sampled_from([1e15, 1e16, 1e160, 1e308, -1e308, float("inf"), float("-inf"), float("nan")]),
    st.floats(allow_nan=True),
    st.integers(-5, 5),
)
TEXTS = st.one_of(
    st.sampled_from(
        ["", " ", ".", "..", "../..", "/", "a" * 300, "a/b", "~", "-", "none", "plane"]
    ),
    st.sampled_from(
        ["a\x00b", "a\nb", "\x1b[31m", "é", "日本", "'", '"', "1", "nan", "*", "[", "a:b"]
    ),
    st.text(max_size=20),
)
VALUES = st.recursive(
    st.one_of(NUMBERS, TEXTS, st.booleans()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(TEXTS, st.sampled_from(["plugin", "type"])), inner, max_size=3),
    ),
    max_leaves=8,
)
"""Values of any kind that TOML or JSON can say."""


def places(value, path=()):
    """Return the path of every value in tables and arrays, outermost first."""
    found = [path] if path else []
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(part, (*path, key))
    return found


def holder(tables, path):
    """Return the table or array that a path's value is in."""
    for key in path[:-1]:
        tables = tables[key]
    return tables


@st.composite
def altered(draw, tables, changes=2):
    """Return a copy of tables in which values are replaced, left out, put elsewhere or added."""
    tables = copy.deepcopy(tables)
    for _ in range(draw(st.integers(1, changes))):
        paths = places(tables)
        if not paths:
            return tables
        path = draw(st.sampled_from(paths))
        inside, key = holder(tables, path), path[-1]
        match draw(st.sampled_from(["replace", "replace", "leave out", "wrap", "add", "number"])):
            case "replace":
                inside[key] = draw(VALUES)
            case "number":
                inside[key] = draw(NUMBERS)
            case "leave out":
                del inside[key]
            case "wrap":
                inside[key] = draw(st.sampled_from([[inside[key]], {"a": inside[key]}]))
            case "add" if isinstance(inside, dict):
                inside[draw(TEXTS)] = draw(VALUES)
            case "add":
                inside.append(draw(VALUES))
    return tables


WORDS = st.one_of(
    NUMBERS.map(str),
    st.sampled_from(
        ["", "true", "[", "]", "{", "}", "=", '"', "'", "#", "\\", "\x00", "\n", "nan"]
    ),
    st.sampled_from(["<", ">", "/>", "&", "&x;", "<!--", "-1 1 1", "0 0 0", "0 0 0 0", "1e308"]),
    TEXTS,
)


@st.composite
def cut(draw, text, changes=2):
    """Return a text in which words are replaced, or pieces left out, doubled or put in."""
    for _ in range(draw(st.integers(1, changes))):
        words = [match.span() for match in re.finditer(r"[\w.+-]+", text)]
        start, end = draw(st.sampled_from(words)) if words else (0, 0)
        match draw(st.sampled_from(["word", "word", "leave out", "double", "put in"])):
            case "word":
                text = text[:start] + draw(WORDS) + text[end:]
            case "leave out":
                text = text[:start] + text[draw(st.integers(start, min(start + 50, len(text)))) :]
            case "double":
                text = text[:end] + text[start:end] + text[end:]
            case "put in":
                text = text[:start] + draw(WORDS) + text[start:]
    return text


@st.composite
def altered_xml(draw, text, changes=2):
    """Return XML in which attributes and elements are replaced, left out, doubled or moved."""
    top = ElementTree.fromstring(text)
    for _ in range(draw(st.integers(1, changes))):
        elements = list(top.iter())
        node = draw(st.sampled_from(elements))
        other = draw(st.sampled_from(elements))
        keys = sorted(node.attrib)
        match draw(
            st.sampled_from(["attribute", "attribute", "number", "element", "double", "tag"])
        ):
            case "attribute" if keys:
                node.set(draw(st.sampled_from(keys)), printable(draw(WORDS)))
            case "number" if keys:
                key = draw(st.sampled_from(keys))
                count = len(node.get(key).split())
                node.set(key, " ".join(str(draw(NUMBERS)) for _ in range(count)))
            case "element" if len(node):
                node.remove(draw(st.sampled_from(list(node))))
            case "double" if node not in other.iter() or node is not other:
                node.append(copy.deepcopy(other))
            case "tag":
                node.tag = other.tag
    return ElementTree.tostring(top, encoding="unicode")


def printable(text):
    """Return a text that XML can hold."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", "?", text)


@st.composite
def damaged(draw, content, changes=3):
    """Return bytes of which some are others, left out or put in."""
    content = bytearray(content)
    for _ in range(draw(st.integers(1, changes))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        match draw(st.sampled_from(["flip", "flip", "cut", "leave out", "put in"])):
            case "flip" if content:
                content[at] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del content[at:]
            case "leave out":
                del content[at : at + draw(st.integers(1, 100))]
            case "put in":
                content[at:at] = draw(st.binary(max_size=30))
    return bytes(content)
