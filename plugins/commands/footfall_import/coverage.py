"""Fate of each element and attribute of a model file: fates, tables and losses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element

from footfall.api.plugin import nearest
from footfall_import.checks import Finding, Level

Fate = Literal["honoured", "told", "scene", "ignored", "refused"]
FATES: dict[Fate, str] = {
    "honoured": "used",
    "told": "not used; the import names it, and with `--strict` it rejects the file",
    "scene": "not used; the import names it. Set it in the scene file instead",
    "ignored": "not used, and not named; it serves only viewers, editors and other programs",
    "refused": "the import rejects the file, unless the attribute has its default value",
}


@dataclass(frozen=True, slots=True)
class Coverage:
    """Fates of all elements and attributes of a model file format.

    Attributes:
        elements: attributes by element and fate; ``*`` stands for all others. Unlisted ones have
            the fate ``told``.
        sections: elements with one fate for all of their content.
        said_elsewhere: elements and attributes that the import reports by name when it reads them.
    """

    elements: Mapping[str, Mapping[Fate, str]]
    sections: Mapping[str, Fate]
    said_elsewhere: Collection[tuple[str, str]] = ()

    def fate(self, element: str, attribute: str) -> Fate:
        """Return the fate of an attribute."""
        section = element.partition("/")[0]
        if section in self.sections:
            return self.sections[section]
        rest: Fate = "told"
        for known, attributes in self.elements.get(element, {}).items():
            if attribute in attributes.split():
                return known
            rest = known if "*" in attributes.split() else rest
        return rest

    def _hint(self, element: str, attribute: str) -> str:
        """Return a hint with the nearest known attribute, empty if the attribute is known."""
        fates = self.elements.get(element, {}).values()
        known = [name for attributes in fates for name in attributes.split()]
        return "" if attribute in known or "*" in known else nearest(attribute, known)

    def _element_hint(self, element: str) -> str:
        """Return a hint with the nearest known element or section, empty if it is known."""
        section, _, tag = element.partition("/")
        if element in self.elements or section in self.sections:
            return ""
        known = {each.partition("/")[0] for each in self.elements} | {*self.sections}
        beside = [
            each.partition("/")[2] for each in self.elements if each.startswith(f"{section}/")
        ]
        return nearest(tag, beside) if beside else nearest(section, known)

    def losses(self, elements: Iterable[tuple[str, Element]]) -> list[Finding]:
        """Return one finding per element with attributes of the fates ``told`` or ``scene``.

        Args:
            elements: elements of a file, with their keys in the table.
        """
        told: dict[tuple[str, Fate], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for element, node in elements:
            if not node.attrib and element not in self.elements:
                told[element, "told"]["the element"].append("")
            for attribute in node.attrib:
                found = self.fate(element, attribute)
                said = {(element, attribute), (element, "*")} & set(self.said_elsewhere)
                if found in ("told", "scene") and not said:
                    told[element, found][attribute].append(node.get(attribute, ""))
        return [self._finding(element, found, values) for (element, found), values in told.items()]

    def _finding(self, element: str, found: Fate, values: Mapping[str, Sequence[str]]) -> Finding:
        """Return a finding with the unread attributes: their value, or their number of uses."""
        said = ", ".join(
            f'{name}="{given[0]}"' if len(given) == 1 and given[0] else f"{name} ({len(given)})"
            for name, given in sorted(values.items())
        )
        if found != "told":
            return Finding("note", f"<{element}>", f"{said}: not read, set by the scene")
        hints = [hint for name in sorted(values) if (hint := self._hint(element, name))]
        hints += [hint for hint in (self._element_hint(element),) if hint]
        level: Level = "warning" if hints else "note"
        return Finding(level, f"<{element}>", f"{said}: not honoured{''.join(hints)}", lost=True)

    def table(self) -> str:
        """Return the table of all elements and attributes, in Markdown."""
        rows = ["| element | honoured | not honoured |", "|---|---|---|"]
        for element, fates in self.elements.items():
            honoured, others = fates.get("honoured", ""), [f for f in FATES if f in fates]
            cells = [f"{f}: {_cell(fates[f], not honoured)}" for f in others if f != "honoured"]
            rows.append(f"| `{element}` | {_cell(honoured)} | {'; '.join(cells)} |")
        for known in dict.fromkeys(self.sections.values()):
            names = " ".join(name for name, fate in self.sections.items() if fate == known)
            cell = "all |" if known == "honoured" else f"| {known}: all"
            rows.append(f"| `{names}` and below | {cell} |")
        return "\n".join(rows)


def _cell(attributes: str, alone: bool = False) -> str:
    if attributes == "*":
        return "all" if alone else "all others"
    return f"`{' '.join(attributes.split())}`" if attributes.split() else ""
