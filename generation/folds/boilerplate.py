"""Sections that are no text of their document: what several documents repeat, and what has a few words."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ...text.text_matching import tokens
from ...text.wording import count_of, list_first
from ..section import Section

_FEWEST_WORDS = 5  # a shorter section without a figure is a menu, or a line of a page
_FEWEST_DOCUMENTS = 3
_LEAST_REPEATED = 0.8  # of a section's runs of words
_RUN = 5  # words
_NAMED = 3
_MOST_OF_DOCUMENT = 0.5  # more of a document is its own text: it has copies


class WithoutBoilerplate(NamedTuple):
    """The sections to divide over folds, and those that would bind documents that share nothing else."""

    sections: list[Section]
    repeated: list[Section]  # those that stand nearly word for word in three documents or more
    short: list[Section]  # those of a few words

    def describe(self) -> str:
        """What is left out, for a person; empty where nothing is."""
        kinds = (
            (self.repeated, f"nearly word for word in {_FEWEST_DOCUMENTS} documents or more"),
            (self.short, f"of fewer than {_FEWEST_WORDS} words"),
        )
        parts = [
            f"{count_of(len(left_out), 'section')} {why} ({list_first(list(map(_name, left_out)), _NAMED)})"
            for left_out, why in kinds
            if left_out
        ]
        return f"left out of the folds: {'; '.join(parts)}; --folds 1 asks about them too" if parts else ""


def leave_out_boilerplate(sections: Sequence[Section]) -> WithoutBoilerplate:
    """Leaves out what does not tell documents apart, such as a contact section or the navigation of a printed page.

    Two runs of words are one in whatever section they stand, so that a section counts as repeated where a few of its
    words differ. Not where that would be most of a document: then the documents are copies.
    """
    words = {section.id: tokens(section.text) for section in sections}
    of_document: dict[str, list[Section]] = defaultdict(list)
    for section in sections:
        of_document[section.document].append(section)
    documents = Counter[int]()  # how many have a run, by its hash: of a large collection the runs are many
    for own in of_document.values():
        documents.update({hash(run) for section in own for run in _runs(words[section.id])})
    repeated = set[str]()
    for section in sections:
        runs = _runs(words[section.id])
        count = sum(documents[hash(run)] >= _FEWEST_DOCUMENTS for run in runs)
        if runs and count >= _LEAST_REPEATED * len(runs):
            repeated.add(section.id)
    totals, shared = Counter[str](), Counter[str]()
    for section in sections:
        totals[section.document] += len(words[section.id])
        shared[section.document] += len(words[section.id]) * (section.id in repeated)
    copies = {document for document, count in shared.items() if count > _MOST_OF_DOCUMENT * totals[document]}
    result = WithoutBoilerplate([], [], [])
    for section in sections:
        is_short = len(words[section.id]) < _FEWEST_WORDS and not any(map(str.isdigit, section.text))
        is_repeated = section.id in repeated and section.document not in copies
        (result.repeated if is_repeated else result.short if is_short else result.sections).append(section)
    return result


def _runs(words: Sequence[str]) -> list[tuple[str, ...]]:
    """All runs of five words; of fewer words the one of all."""
    return [tuple(words[start : start + _RUN]) for start in range(max(1, len(words) - _RUN + 1))] if words else []


def _name(section: Section) -> str:
    return f"{section.id} `{section.heading or ' '.join(section.text.split()[:_FEWEST_WORDS])}`"
