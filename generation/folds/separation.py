"""What may not stand in two folds: sections whose document, or page, does. And validation apart from test."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Literal

from ..section import Section, Split

Separate = Literal["document", "page"]
Unit = tuple[str, int]


def units(section: Section, separate: Separate) -> tuple[Unit, ...]:
    """What a section stands on: its document, or its pages; the emulated page where the document has no pages."""
    if separate == "document":
        return ((section.document, 0),)
    if section.page is None:
        return ((section.document, section.emulated_page),)
    return tuple((section.document, page) for page in range(section.page, (section.last_page or section.page) + 1))


def folds_of_units(sections: Sequence[Section], folds: Mapping[str, int], separate: Separate) -> dict[Unit, set[int]]:
    """The folds in which each document or page has sections; `folds` maps section ids, of those in a topic."""
    found: dict[Unit, set[int]] = defaultdict(set)
    for section in sections:
        if section.id in folds:
            for unit in units(section, separate):
                found[unit].add(folds[section.id])
    return found


def folds_per_document(sections: Sequence[Section], folds: Mapping[str, int]) -> float:
    """The mean number of folds in which a document has sections (Table 2)."""
    return fmean(len(found) for found in folds_of_units(sections, folds, "document").values())


def separated(sections: Sequence[Section], folds: Mapping[str, int], separate: Separate) -> dict[str, int]:
    """The folds without the sections of documents, or pages, that stand in more than one of them."""
    found = folds_of_units(sections, folds, separate)
    return {
        section.id: folds[section.id]
        for section in sections
        if section.id in folds and all(len(found[unit]) == 1 for unit in units(section, separate))
    }


def split(
    sections: Sequence[Section], folds: Mapping[str, int], separate: Separate, test_share: float, seed: int
) -> dict[str, Split]:
    """Validation or test for each section in a fold: whole documents, or pages, drawn at random within each fold.

    A fold's test part comes as near to `test_share` of its sections as the draw allows; a fold of two documents or
    pages and more has both parts.
    """
    members: dict[int, dict[Unit, list[str]]] = defaultdict(lambda: defaultdict(list))
    for section in sections:
        if section.id in folds:
            members[folds[section.id]][units(section, separate)[0]].append(section.id)
    parts: dict[str, Split] = {}
    for fold, of_unit in sorted(members.items()):
        drawn = sorted(of_unit)
        Random(f"{seed} {fold}").shuffle(drawn)
        test = _drawn(drawn, {unit: len(ids) for unit, ids in of_unit.items()}, test_share)
        for unit, ids in of_unit.items():
            parts |= dict.fromkeys(ids, "test" if unit in test else "validation")
    return parts


def _drawn(order: Sequence[Unit], sizes: Mapping[Unit, int], share: float) -> set[Unit]:
    if share <= 0 or len(order) < 2:
        return set()
    goal, filled, taken = share * sum(sizes.values()), 0, set[Unit]()
    for unit in order:
        nearer = abs(filled + sizes[unit] - goal) < abs(filled - goal)
        if nearer and len(taken) < len(order) - 1:
            taken.add(unit)
            filled += sizes[unit]
    return taken or {min(order, key=lambda unit: sizes[unit])}
