"""From topics to folds: search, separation, validation and test, sample; with the figures of Table 2."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError, UsageError
from ..section import Fold, Section
from ..topics.section_topic import OUTLIER, SectionTopic
from .sampling import sampled
from .separation import Separate, Unit, folds_per_document, separated, units
from .separation import split as validation_and_test
from .topic_splits import MOST_CLUSTERS, Split, pairwise, splits

if TYPE_CHECKING:
    from .topic_splits import Points

SMALLEST = 0.2


class Candidate(NamedTuple):
    """One row of Table 2. `small_fold` is the smaller fold's share of the valid sections, those left after separation.

    `valid` is their share of the sections in topics. `enough`: every fold is large enough for validation and test.
    """

    split: Split
    small_fold: float
    folds_per_document: float
    valid: float
    enough: bool
    chosen: bool = False


class FoldPlan(NamedTuple):
    """The folds, the candidates that were compared (Table 2), and what was left out.

    `nearest_topics` is the smallest distance between two topics. `before` maps all sections in topics to their fold,
    before separation; `folds` holds those that stayed. `outliers` counts sections in no topic.
    """

    folds: list[Fold]
    candidates: list[Candidate]
    nearest_topics: float
    before: dict[str, int]
    outliers: int

    @property
    def chosen(self) -> Candidate:
        """The candidate that was taken."""
        return next(candidate for candidate in self.candidates if candidate.chosen)


def make_folds(
    sections: Sequence[Section],
    topics: Sequence[SectionTopic],
    *,
    folds: int = 2,
    separate: Separate = "document",
    test_share: float = 0.2,
    sample: int | None = None,
    smallest: float = SMALLEST,
    seed: int = 0,
) -> FoldPlan:
    """Folds of sections by topic, as far apart as they can be, without documents (or pages) in two of them.

    Each setting of distance and linkage gives a candidate. Of those whose smaller fold keeps at least the share
    `smallest` of the valid sections, and two documents or pages in each fold, the one with the highest mean of single
    and average linkage is taken. Where none does, more clusters than folds are cut and joined in every way. `sample` is
    the number of sections to make questions of. Raises `InputError` where topics and sections do not belong together,
    `UsageError` where no folds can be made.
    """
    topic_of = _checked(sections, topics, folds)
    names, centroids = _centroids(topics)

    def candidate(split: Split) -> Candidate:
        return _candidate(split, _sections_of(split, topic_of, names), sections, separate, smallest)

    candidates = [candidate(split) for split in splits(centroids, folds, folds)]
    for clusters in range(folds + 1, min(MOST_CLUSTERS, len(names)) + 1):
        if any(found.enough for found in candidates):
            break
        candidates += _best(splits(centroids, folds, clusters), candidate)
    fit = [place for place, candidate in enumerate(candidates) if candidate.enough]
    if not fit:
        raise UsageError(
            f"no {folds} folds keep {smallest:.0%} of the valid sections and two {separate}s each, out of "
            f"{len(names)} topics; give --smallest-fold a lower share, "
            + ("separate by page, " if separate == "document" else "")
            + "or give more documents"
        )
    best = max(fit, key=lambda place: round(candidates[place].split.score, 9))  # of equals the first
    candidates[best] = candidates[best]._replace(chosen=True)
    before = _sections_of(candidates[best].split, topic_of, names)
    kept = separated(sections, before, separate)
    parts = validation_and_test(sections, kept, separate, test_share, seed)
    rows = [
        Fold(section=section.id, fold=kept[section.id], split=parts[section.id], topic=topic_of[section.id])
        for section in sections
        if section.id in kept
    ]
    return FoldPlan(
        sampled(rows, sample, test_share, seed),
        candidates,
        float(pairwise(centroids, "euclidean").min()),
        before,
        len(sections) - len(topic_of),
    )


def _checked(sections: Sequence[Section], topics: Sequence[SectionTopic], folds: int) -> dict[str, int]:
    """The topic of each section that has one."""
    known = {section.id for section in sections}
    if strange := [row.section for row in topics if row.section not in known]:
        raise InputError(
            f"the topics are of other sections: `{strange[0]}` is not among the sections ({len(strange)} such); make "
            "them again from this file with `assay generate topics`"
        )
    topic_of = {row.section: row.topic for row in topics if row.topic != OUTLIER}
    if len(set(topic_of.values())) < folds:
        raise UsageError(f"{len(set(topic_of.values()))} topics make no {folds} folds; give more documents")
    return topic_of


def _centroids(topics: Sequence[SectionTopic]) -> "tuple[list[int], Points]":
    """The topics' numbers, and their centroids (topics, dimensions)."""
    import numpy as np

    names = sorted({row.topic for row in topics} - {OUTLIER})
    vectors = np.array([row.vector for row in topics], dtype=np.float64)
    of = np.array([row.topic for row in topics])
    return names, np.stack([vectors[of == name].mean(axis=0) for name in names])


def _sections_of(split: Split, topic_of: Mapping[str, int], names: Sequence[int]) -> dict[str, int]:
    fold_of_topic = dict(zip(names, split.folds, strict=True))
    return {section: fold_of_topic[topic] for section, topic in topic_of.items()}


def _candidate(
    split: Split, before: Mapping[str, int], sections: Sequence[Section], separate: Separate, smallest: float
) -> Candidate:
    kept = separated(sections, before, separate)
    sizes = Counter(kept.values())
    small = min(sizes[fold] for fold in set(split.folds)) / len(kept) if kept else 0.0
    places: dict[int, set[Unit]] = defaultdict(set)
    for section in sections:
        if section.id in kept:
            places[kept[section.id]].add(units(section, separate)[0])
    enough = small >= smallest and all(len(places[fold]) >= 2 for fold in split.folds)
    return Candidate(split, small, folds_per_document(sections, before), len(kept) / len(before), enough)


def _best(found: Iterable[Split], candidate: Callable[[Split], Candidate]) -> list[Candidate]:
    """Of the many ways to join clusters, the first of each setting, by score, whose folds are large enough."""
    best: dict[tuple[str, str], Candidate] = {}
    for split in sorted(found, key=lambda split: -split.score):
        setting = (split.distance, split.linkage)
        if setting not in best and (tried := candidate(split)).enough:
            best[setting] = tried
    return list(best.values())
