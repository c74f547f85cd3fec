"""From topics to folds: the search over ways to split, with the figures of Table 2 of the Twente paper."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from math import floor
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InputError, UsageError
from ...meta_eval.clustering import OUTLIER
from ...text.wording import count_of, list_first, verb_of
from ..quotas import covering_quotas
from ..section import Fold, Section
from ..topics import SectionTopic
from .separation import Separate, Unit, folds_per_document, remove_shared, source_units, split_sections
from .topic_splits import MOST_CLUSTERS, TopicSplit, pairwise_distances, split_topics

if TYPE_CHECKING:
    from .topic_splits import Points

SMALLEST = 0.2
FEWEST_UNITS = 2
"""The documents, or pages, of a fold: validation has one, and the test."""
_DOCUMENT: Separate = "document"
_PAGE: Separate = "page"


class FoldError(UsageError):
    """The sections cannot be divided into folds; the message says what would help."""


class Candidate(NamedTuple):
    """One way to make the folds, with its figures (Table 2)."""

    split: TopicSplit  # the fold of each topic
    small_fold: float  # the smallest fold's share of the valid sections, which are those left after separation
    folds_per_document: float  # the mean number of folds in which a document has sections, before separation
    valid: float  # the valid sections' share of the sections in topics
    enough: bool  # whether every fold is large enough for validation and test
    keep_majority: bool  # how shared documents are separated, as `remove_shared` takes it
    chosen: bool = False


class FoldPlan(NamedTuple):
    """The folds, and how they were chosen."""

    folds: list[Fold]  # the fold of each section that is in one
    candidates: list[Candidate]  # the ways that were compared (Table 2)
    nearest_topics: float
    before: dict[str, int]  # the fold of every section in a topic before separation, by the section's id
    outliers: int
    left_out: dict[str, tuple[int, int]]  # by document: its sections in no fold, of how many; where there are any
    # the topic that cuts most of the documents that are left out whole: its number and label, and how many documents
    cut_by: tuple[int, str, int] | None = None

    @property
    def chosen(self) -> Candidate:
        """The candidate that was chosen."""
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
    """Makes folds of sections by topic, as far apart as they can be, without a document or page in two of them.

    Each distance and linkage gives a candidate. Of the candidates with large enough folds, the one with the highest
    mean of single and average linkage distance is chosen. Where none has, more clusters than folds are cut and joined
    in every way. Where that does not help either, because topics cut documents apart, a document stays in the fold of
    most of its sections, and only its other sections are left out (`remove_shared`).

    Raises:
        FoldError: There are too few documents or topics, or no candidate has large enough folds; the message names the
            options that help, after trying them.
    """
    require_documents(sections, folds, separate)
    topic_of = _topics_by_section(sections, topics, folds)
    numbers, centroids = _centroids(topics)

    def search(separate: Separate, smallest: float) -> list[Candidate]:
        candidates: list[Candidate] = []
        for keep_majority in (False, True):

            def evaluate(split: TopicSplit, keep_majority: bool = keep_majority) -> Candidate:
                before = _sections_by_fold(split, topic_of, numbers)
                return _evaluate(split, before, sections, separate, smallest, keep_majority=keep_majority)

            candidates += _find_candidates(centroids, folds, evaluate)
            if any(candidate.enough for candidate in candidates):
                break
        return candidates

    candidates = search(separate, smallest)
    usable = [place for place, candidate in enumerate(candidates) if candidate.enough]
    if not usable:
        fewest = count_of(FEWEST_UNITS, separate)
        subject = list_first(_documents_of_largest_topic(sections, topic_of))
        cures = "; ".join(
            [*_find_cures(search, separate, smallest), f"add documents about other subjects than {subject}"]
        )
        raise FoldError(
            f"no way to divide {count_of(len(numbers), 'topic')} over {count_of(folds, 'fold')} leaves each fold "
            f"{smallest:.0%} of "
            f"the valid sections and {fewest}; {cures}"
        )
    best = max(usable, key=lambda place: round(candidates[place].split.score, 9))  # the first of equal scores
    candidates[best] = candidates[best]._replace(chosen=True)
    before = _sections_by_fold(candidates[best].split, topic_of, numbers)
    after = remove_shared(sections, before, separate, keep_majority=candidates[best].keep_majority)
    splits = split_sections(sections, after, separate, test_share, seed)
    fold_rows = [
        Fold(section=section.id, fold=after[section.id], split=splits[section.id], topic=topic_of[section.id])
        for section in sections
        if section.id in after
    ]
    return FoldPlan(
        mark_sampled(fold_rows, sample, test_share, seed),
        candidates,
        float(pairwise_distances(centroids, "euclidean").min()),
        before,
        len(sections) - len(topic_of),
        left_out := _count_left_out(sections, after),
        _find_cutting_topic(
            sections, topics, before, {name for name, (count, total) in left_out.items() if count == total}
        ),
    )


def require_documents(sections: Sequence[Section], folds: int, separate: Separate) -> None:
    """Checks that there can be folds at all; cheap, before anything is embedded or asked.

    Raises:
        FoldError: There are too few documents, and too few pages to separate these instead.
    """
    fewest = FEWEST_UNITS * folds
    documents, pages = (_count_units(sections, unit) for unit in (_DOCUMENT, _PAGE))
    if max(documents, pages) < fewest:  # else a message after the search knows whether pages help
        units = pages if separate == _PAGE else documents
        raise FoldError(
            f"{count_of(units, separate)} {verb_of(units, 'is', 'are')} too few for {count_of(folds, 'fold')}, "
            "which need "
            f"{fewest}: {FEWEST_UNITS} in each fold, one for validation and one for the test; add "
            f"{count_of(fewest - units, separate)} or more"
        )


def _count_units(sections: Sequence[Section], separate: Separate) -> int:
    return len({unit for section in sections for unit in source_units(section, separate)})


def _count_left_out(sections: Sequence[Section], after: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    totals = Counter(section.document for section in sections)
    left_out = Counter(section.document for section in sections if section.id not in after)
    return {document: (count, totals[document]) for document, count in left_out.items()}


def _find_cutting_topic(
    sections: Sequence[Section], topics: Sequence[SectionTopic], before: Mapping[str, int], lost: Set[str]
) -> tuple[int, str, int] | None:
    """Returns the topic that puts sections of most lost documents into another fold than most of the document."""
    document_of = {section.id: section.document for section in sections}
    folds: dict[str, Counter[int]] = defaultdict(Counter)
    for name, fold in before.items():
        folds[document_of[name]][fold] += 1
    cut: dict[tuple[int, str], set[str]] = defaultdict(set)
    for row in topics:
        document = document_of[row.section]
        if document in lost and before.get(row.section, -1) not in (-1, folds[document].most_common(1)[0][0]):
            cut[row.topic, row.label].add(document)
    if not cut:
        return None
    (number, label), documents = max(cut.items(), key=lambda item: len(item[1]))
    return number, label, len(documents)


def _documents_of_largest_topic(sections: Sequence[Section], topic_of: Mapping[str, int]) -> list[str]:
    """Returns the documents of the topic that is the main topic of most documents."""
    topics: dict[str, Counter[int]] = defaultdict(Counter)
    for section in sections:
        if section.id in topic_of:
            topics[section.document][topic_of[section.id]] += 1
    main_topics = {document: counts.most_common(1)[0][0] for document, counts in topics.items()}
    largest = Counter(main_topics.values()).most_common(1)[0][0]
    return [document for document, topic in main_topics.items() if topic == largest]


def _find_candidates(centroids: "Points", folds: int, evaluate: Callable[[TopicSplit], Candidate]) -> list[Candidate]:
    """Returns the candidates; more clusters than folds are cut only while none has large enough folds."""
    candidates = [evaluate(split) for split in split_topics(centroids, folds, folds)]
    for clusters in range(folds + 1, min(MOST_CLUSTERS, len(centroids)) + 1):
        if any(candidate.enough for candidate in candidates):
            break
        candidates += _best_of_each_setting(split_topics(centroids, folds, clusters), evaluate)
    return candidates


def _find_cures(
    search: Callable[[Separate, float], list[Candidate]], separate: Separate, smallest: float
) -> Iterator[str]:
    """Yields the options that were tried and help."""
    lower = [candidate.small_fold for candidate in search(separate, 0.0) if candidate.enough]
    if lower and (share := floor(100 * max(lower)) / 100) > 0:
        yield f"use --smallest-fold {share:g}"
    if separate == _DOCUMENT and any(candidate.enough for candidate in search(_PAGE, smallest)):
        yield "separate by page (--separate page), where pages of one document may be in two folds"


def _topics_by_section(sections: Sequence[Section], topics: Sequence[SectionTopic], folds: int) -> dict[str, int]:
    """Returns the topic of each section that has one."""
    known = {section.id for section in sections}
    if unknown := [row.section for row in topics if row.section not in known]:
        raise InputError(
            f"the topics are of other sections: {len(unknown)} of them, such as `{unknown[0]}`, are not among the "
            "sections; find the topics again"
        )
    topic_of = {row.section: row.topic for row in topics if row.topic != OUTLIER}
    if (count := len(set(topic_of.values()))) < folds:
        fewer = f"make {count_of(count, 'fold')} (--folds {count}), or " if count > 1 else ""
        raise FoldError(
            f"{count_of(count, 'topic')} {verb_of(count, 'is', 'are')} too few for {count_of(folds, 'fold')}; {fewer}"
            "add documents about other subjects"
        )
    return topic_of


def _centroids(topics: Sequence[SectionTopic]) -> "tuple[list[int], Points]":
    """Returns the topics' numbers, and their centroids, shape (topics, dimensions)."""
    import numpy as np

    numbers = sorted({row.topic for row in topics} - {OUTLIER})
    vectors = np.array([row.vector for row in topics], dtype=np.float64)
    labels = np.array([row.topic for row in topics])
    return numbers, np.stack([vectors[labels == number].mean(axis=0) for number in numbers])


def _sections_by_fold(split: TopicSplit, topic_of: Mapping[str, int], numbers: Sequence[int]) -> dict[str, int]:
    fold_of_topic = dict(zip(numbers, split.folds, strict=True))
    return {section: fold_of_topic[topic] for section, topic in topic_of.items()}


def _evaluate(
    split: TopicSplit,
    before: Mapping[str, int],
    sections: Sequence[Section],
    separate: Separate,
    smallest: float,
    *,
    keep_majority: bool,
) -> Candidate:
    after = remove_shared(sections, before, separate, keep_majority=keep_majority)
    sizes = Counter(after.values())
    small_fold = min(sizes[fold] for fold in set(split.folds)) / len(after) if after else 0.0
    units: dict[int, set[Unit]] = defaultdict(set)
    for section in sections:
        if section.id in after:
            units[after[section.id]].add(source_units(section, separate)[0])
    enough = small_fold >= smallest and all(len(units[fold]) >= FEWEST_UNITS for fold in split.folds)
    per_document, valid = folds_per_document(sections, before), len(after) / len(before)
    return Candidate(split, small_fold, per_document, valid, enough, keep_majority)


def _best_of_each_setting(splits: Iterable[TopicSplit], evaluate: Callable[[TopicSplit], Candidate]) -> list[Candidate]:
    """Returns, for each distance and linkage, the candidate of highest score whose folds are large enough."""
    best: dict[tuple[str, str], Candidate] = {}
    for split in sorted(splits, key=lambda split: -split.score):
        setting = (split.distance, split.linkage)
        if setting not in best and (candidate := evaluate(split)).enough:
            best[setting] = candidate
    return list(best.values())


def mark_sampled(folds: Sequence[Fold], size: int | None, test_share: float, seed: int) -> list[Fold]:
    """Sets `sampled` on about `size` of the folds.

    Each fold gets its share of the sample, rounded to tenths. `test_share` divides it between validation and test; in
    each part the topics are strata.
    """
    if size is None:
        return [fold.model_copy(update={"sampled": True}) for fold in folds]
    parts: dict[tuple[int, str], list[Fold]] = defaultdict(list)
    for fold in folds:
        parts[fold.fold, fold.split].append(fold)
    counts = Counter(fold.fold for fold in folds)
    shares = _round_to_tenths({number: count / len(folds) for number, count in counts.items()})
    sampled: set[str] = set()
    for (number, split), members in sorted(parts.items()):
        wanted = round(size * shares[number] * (test_share if split == "test" else 1 - test_share))
        sampled |= _draw_stratified(members, wanted, Random(f"{seed} {number} {split}"))
    return [fold.model_copy(update={"sampled": fold.section in sampled}) for fold in folds]


def _round_to_tenths(shares: Mapping[int, float]) -> dict[int, float]:
    """Rounds shares to tenths, as the paper does; none becomes zero, and their sum stays 1."""
    rounded = {fold: max(0.1, round(share, 1)) for fold, share in shares.items()}
    total = sum(rounded.values())
    return {fold: share / total for fold, share in rounded.items()}


def _draw_stratified(members: Sequence[Fold], wanted: int, draw: Random) -> set[str]:
    strata: dict[int, list[str]] = defaultdict(list)
    for member in members:
        strata[member.topic].append(member.section)
    quotas = covering_quotas(wanted, {topic: len(ids) for topic, ids in strata.items()})
    return {section for topic, ids in sorted(strata.items()) for section in draw.sample(sorted(ids), quotas[topic])}
