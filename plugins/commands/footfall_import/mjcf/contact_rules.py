"""Contact rules of an MJCF: contact bits, ``<pair>`` and ``<exclude>``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, combinations_with_replacement, product
from xml.etree.ElementTree import Element

from footfall_import.checks import Finding
from footfall_import.mjcf.document import Document
from footfall_import.mjcf.geometry import bits_of, read_geom, shape_of, touches
from footfall_import.mjcf.tree import WORLD, Tree
from footfall_import.mjcf.world import World, is_trunk
from footfall_import.model import Part, PartPair, Rules

Parts = Mapping[Part, Sequence[Element]]
"""Touching geoms of each link and object."""
FEW = 8
"""Largest number of excluded pairs of one body's links that are listed one by one in any case."""


def read_rules(document: Document, tree: Tree, world: World | None) -> Rules:
    """Return the contact rules between the bodies and objects of a scene.

    Links of one body touch each other only if the file has a ``<pair>`` or an ``<exclude>``.
    """
    parts: dict[Part, list[Element]] = {}
    for root in document.bodies:
        name = root.get("name", "")
        if root not in tree.furniture and (world is not None or name == tree.alone):
            owner = name if name in tree.others else ""
            for body in root.iter("body"):
                parts[owner, body.get("name", "")] = body.findall("geom")
    if world is not None and not tree.floating and tree.planar is None:
        nodes = document.top.findall("worldbody/geom")
        parts["", WORLD] = [node for node in nodes if is_trunk(node)]
    for name, node in world.geoms if world else ():
        parts[name, ""] = [node]
    touching: dict[Part, list[Element]] = {}
    for part, nodes in parts.items():
        found = [n for n in nodes if touches(n, document)]
        if part[1]:  # a link has no shape for some geoms
            found = [
                n
                for n in found
                if not isinstance(geom := read_geom(n, document), str) and shape_of(geom)
            ]
        if found:
            touching[part] = found
    rules = _rules(document, touching)
    _say_apart(document, tree, {p: n for p, n in touching.items() if p[0] not in rules.inside})
    return rules


def _say_apart(document: Document, tree: Tree, parts: Parts) -> None:
    """Report how many pairs of links of one body touch each other in MuJoCo, but not here."""
    carriers = _carriers(document)
    pairs = [
        (a[1], b[1])
        for a, b in combinations(parts, 2)
        if a[0] == b[0]
        and a[1] in carriers
        and b[1] in carriers
        and not _near(carriers[a[1]], carriers[b[1]])
        and _may_touch(document, parts[a], parts[b])
    ]
    if pairs:
        text = (
            f"{len(pairs)} pairs of its links may touch in MuJoCo ({' and '.join(pairs[0])}, ...)"
        )
        way = "not here: name the body in self_collision of [collisions]"
        tree.findings.append(Finding("note", "contact bits", f"{text}, {way}"))


def _rules(document: Document, parts: Parts) -> Rules:
    pairs, excludes = (
        {frozenset((node.get(f"{kind}1", ""), node.get(f"{kind}2", ""))) for node in nodes}
        for kind, nodes in (
            ("geom", document.top.findall("contact/pair")),
            ("body", document.top.findall("contact/exclude")),
        )
    )
    carriers = _carriers(document)
    owned: dict[str, list[Part]] = {}
    for part in parts:
        owned.setdefault(part[0], []).append(part)
    ignore: list[PartPair] = []
    keep: list[PartPair] = []
    own = bool(pairs or excludes)
    inside = [name for name, links in owned.items() if own and links[0][1] and len(links) > 1]
    for one, two in combinations_with_replacement(owned, 2):
        if one == two and one not in inside:
            continue
        both = combinations(owned[one], 2) if one == two else product(owned[one], owned[two])
        allowed: list[PartPair] = []
        refused: list[PartPair] = []
        for a, b in both:
            named = frozenset((a[1] or WORLD, b[1] or WORLD)) in excludes
            listed = _is_listed((a, b), parts, pairs)
            still = not any(carriers.get(part[1], ("", ""))[0] for part in (a, b))
            if still and not (a[1] or b[1]):
                continue  # two fixed objects never touch
            near = one == two and _near(carriers.get(a[1], ("", "")), carriers.get(b[1], ("", "")))
            if near and not (named or listed):
                continue  # links that a joint connects never touch
            free = not (named or still) and _may_touch(document, parts[a], parts[b])
            (allowed if listed or free else refused).append((a, b))
        few = len(refused) <= FEW and one == two
        if len(allowed) < len(refused) and not few:
            ignore.append(((one, ""), (two, "")))
            keep += allowed
        else:
            ignore += refused
            keep += [pair for pair in allowed if one == two and _is_listed(pair, parts, pairs)]
    return Rules(tuple(inside), tuple(ignore), tuple(keep))


def _is_listed(pair: PartPair, parts: Parts, pairs: set[frozenset[str]]) -> bool:
    ends = product(parts[pair[0]], parts[pair[1]])
    return any(frozenset((m.get("name", ""), n.get("name", ""))) in pairs for m, n in ends)


def _may_touch(document: Document, ones: Sequence[Element], twos: Sequence[Element]) -> bool:
    """Return whether the bits of any two geoms let them touch."""
    left, right = ({bits_of(n, document.place(n)) for n in nodes} for nodes in (ones, twos))
    return any(a[0] & b[1] or b[0] & a[1] for a, b in product(left, right))


def _near(one: tuple[str, str], two: tuple[str, str]) -> bool:
    """Return whether two bodies are of one moving link, or a joint connects their links."""
    return one[0] in two or two[0] in one


def _carriers(document: Document) -> dict[str, tuple[str, str]]:
    """Return by body the nearest body with joints that carries it, and the one before that."""
    found: dict[str, tuple[str, str]] = {}

    def below(body: Element, outer: tuple[str, str]) -> None:
        name = body.get("name", "")
        moves = body.find("joint") is not None or body.find("freejoint") is not None
        found[name] = (name, outer[0]) if moves else outer
        for child in body.findall("body"):
            below(child, found[name])

    for root in document.bodies:
        below(root, ("", ""))
    return found
