"""Sections whose document, or page, is in two folds are removed; validation and test share no document either."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean
from typing import Literal

from ..section import Section, Split

Separate = Literal["document", "page"]
"""What may not be in two folds."""

Unit = tuple[str, int]
"""A document (its name and 0), or a page (the document's name and the page's number)."""


def source_units(section: Section, separate: Separate) -> tuple[Unit, ...]:
    """Returns what a section stands on.

    Returns:
        Its document, or its pages; the emulated page where the document has no pages.
    """
    if separate == "document":
        return ((section.document, 0),)
    if section.page is None:
        return ((section.document, section.emulated_page),)
    return tuple((section.document, page) for page in range(section.page, (section.last_page or section.page) + 1))


def folds_per_document(sections: Sequence[Section], folds: Mapping[str, int]) -> float:
    """Computes the mean number of folds in which a document has sections (Twente paper, Table 2)."""
    return fmean(len(numbers) for numbers in _folds_of_units(sections, folds, "document").values())


def remove_shared(
    sections: Sequence[Section], folds: Mapping[str, int], separate: Separate, *, keep_majority: bool = False
) -> dict[str, int]:
    """Removes the sections of documents, or pages, that are in more than one fold.

    With `keep_majority` a document, or page, stays in the fold of more than half of its sections, and only its other
    sections are removed. Either way none is in two folds, and no topic is.
    """
    folds_of = _folds_of_units(sections, folds, separate)

    def belongs(unit: Unit, fold: int) -> bool:
        counts = folds_of[unit]
        return counts[fold] > counts.total() / 2 if keep_majority else len(counts) == 1

    return {
        section.id: fold
        for section in sections
        if (fold := folds.get(section.id)) is not None
        and all(belongs(unit, fold) for unit in source_units(section, separate))
    }


def split_sections(
    sections: Sequence[Section], folds: Mapping[str, int], separate: Separate, test_share: float, seed: int
) -> dict[str, Split]:
    """Puts each section in a fold into validation or test.

    Whole documents, or pages, are drawn at random within each fold. The test split comes as near to `test_share` of the
    fold's sections as the draw allows; a fold of two or more documents or pages has both splits.
    """
    members: dict[int, dict[Unit, list[str]]] = defaultdict(lambda: defaultdict(list))
    for section in sections:
        if section.id in folds:
            members[folds[section.id]][source_units(section, separate)[0]].append(section.id)
    splits: dict[str, Split] = {}
    for fold, ids_by_unit in sorted(members.items()):
        order = sorted(ids_by_unit)
        Random(f"{seed} {fold}").shuffle(order)
        test = _fill_test(order, {unit: len(ids) for unit, ids in ids_by_unit.items()}, test_share)
        for unit, ids in ids_by_unit.items():
            splits |= dict.fromkeys(ids, "test" if unit in test else "validation")
    return splits


def _folds_of_units(
    sections: Sequence[Section], folds: Mapping[str, int], separate: Separate
) -> dict[Unit, Counter[int]]:
    """Returns how many sections each document or page has in each fold."""
    folds_of: dict[Unit, Counter[int]] = defaultdict(Counter)
    for section in sections:
        if section.id in folds:
            for unit in source_units(section, separate):
                folds_of[unit][folds[section.id]] += 1
    return folds_of


def _fill_test(order: Sequence[Unit], sizes: Mapping[Unit, int], share: float) -> set[Unit]:
    """Returns the units for the test: in the given order, each that brings the test nearer to its share."""
    if share <= 0 or len(order) < 2:
        return set()
    goal, filled, test = share * sum(sizes.values()), 0, set[Unit]()
    for unit in order:
        is_nearer = abs(filled + sizes[unit] - goal) < abs(filled - goal)
        if is_nearer and len(test) < len(order) - 1:
            test.add(unit)
            filled += sizes[unit]
    return test or {min(order, key=lambda unit: sizes[unit])}
