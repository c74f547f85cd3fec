"""How a queue goes: each rater's pace and self-agreement, the raters' agreement, what they disagree on or chose."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...eval_sets.preference import Preference, write_preferences
from ...meta_eval.groups import group_answers
from ...presentation.figure import Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, tabulate
from ...text.wording import in_language, with_number_marks
from .answer_pair import PairedQuestion
from .judgement import Judgement
from .rating_queue import RatingQueue

if TYPE_CHECKING:
    from ...meta_eval.raters import Raters

SAME_ANSWER = "the same answer"
"""The reason of a tie that nobody was asked about."""
_LARGE_DIFFERENCE = 2  # levels between two raters from which an answer is worth a talk


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """One rater's work in the present series."""

    name: str
    ratings: int
    cannot_tell: int
    median_seconds: float | None  # median time per answer in seconds; None before the first rating
    repeats: int
    same_on_repeat: int  # repeats with the same level both times
    # mean absolute difference of the two ratings of a repeat, in levels; None without repeats
    difference_on_repeat: float | None


@dataclass(frozen=True, slots=True)
class RaterDisagreement:
    """An answer on which two raters differ by two levels or more, or a pair of which they prefer different answers."""

    sample: str  # the item's id
    ratings: tuple[Judgement, ...]  # what the raters gave, in the order in which they rated
    difference: float  # highest less lowest level
    adjudicated: tuple[float, str] | None  # the rating that the team agreed on and why, or None


def rater_progress(queue: RatingQueue) -> list[RaterProgress]:
    """The progress of each rater, in the order in which the queue names them."""
    by_rater: dict[str, list[Judgement]] = defaultdict(list)
    for rating in queue.ratings():
        by_rater[rating.rater].append(rating)
    return [_progress(name, by_rater[name]) for name in queue.settings.raters]


def _progress(name: str, ratings: Sequence[Judgement]) -> RaterProgress:
    first = {rating.sample: rating.value for rating in ratings if not rating.is_repeat}
    differences = [
        abs(rating.value - original)
        for rating in ratings
        if rating.is_repeat and rating.value is not None and (original := first.get(rating.sample)) is not None
    ]
    return RaterProgress(
        name=name,
        ratings=len(first),
        cannot_tell=sum(value is None for value in first.values()),
        median_seconds=statistics.median(rating.seconds for rating in ratings) if ratings else None,
        repeats=len(differences),
        same_on_repeat=differences.count(0),
        difference_on_repeat=statistics.fmean(differences) if differences else None,
    )


def disagreements(queue: RatingQueue) -> list[RaterDisagreement]:
    """The items of the present series on which raters differ by 2 or more, the largest difference first.

    Of answers these are two levels; of pairs one rater chose the one answer (-1) and another the other (1).
    """
    adjudications = queue.adjudications()
    disputed = []
    for sample, ratings in queue.ratings_by_item(has_unsure=False).items():
        values = [rating.value for rating in ratings if rating.value is not None]
        difference = max(values) - min(values)
        if difference >= _LARGE_DIFFERENCE:
            disputed.append(RaterDisagreement(sample, tuple(ratings), difference, adjudications.get(sample)))
    return sorted(disputed, key=lambda one: -one.difference)


def rater_agreement(queue: RatingQueue) -> "Raters | None":
    """How far the raters of the present series agree, on answers or on which of two is better (a tie in the middle).

    None before five items have what two raters said.
    """
    import numpy as np

    from ...meta_eval.raters import agreement_of_raters
    from ...meta_eval.table import ScoreTable

    by_item = queue.ratings_by_item(has_unsure=False)
    if queue.has_pairs:
        asked = {name: queue.question(name) for name in by_item}
        groups = {name: pair.group or pair.question for name, pair in asked.items()}
    else:
        samples = list(queue.samples())
        groups = dict(zip((sample.id for sample in samples), group_answers(samples), strict=True))
    raters = queue.settings.raters
    by_rater = ({rating.rater: rating.value for rating in by_item.get(name, ())} for name in groups)
    ratings = [[of_item.get(rater) for rater in raters] for of_item in by_rater]
    table = ScoreTable(
        items=tuple(groups),
        metrics=(),
        scores=np.empty((len(groups), 0)),
        ratings=np.array(ratings, float).reshape(len(groups), len(raters)),
        raters=raters,
        rating_min=queue.settings.rating_min,
        rating_max=queue.settings.rating_max,
        groups=tuple(groups.values()),
    )
    return agreement_of_raters(table)


@dataclass(frozen=True, slots=True)
class PairChoice:
    """A choice with what was asked."""

    asked: PairedQuestion
    preference: Preference
    shown_first: str | None  # the version whose answer stood first (left); None where nobody was asked


def queue_choices(queue: RatingQueue, series: int | None = None) -> list[PairChoice]:
    """The choices of a queue, without hidden repeats and "can't tell".

    Questions to which two versions gave the same answer are ties of nobody (`rater` is empty), as many as the draw came
    across before the last pair that was compared: they then have the share that they have among all questions.
    """
    by_pair = queue.ratings_by_item(series)
    names = queue.names()
    rated = [place for place, name in enumerate(names) if name in by_pair]
    end = len(names) if len(rated) == len(names) else max(rated, default=-1)
    choices = [
        PairChoice(asked, asked.preference(0, reason=SAME_ANSWER), None)
        for place, asked in queue.comparison.same
        if place <= end
    ]
    for name in (names[place] for place in rated):
        asked = queue.question(name)
        choices += (
            PairChoice(asked, asked.preference(one.value, rater=one.rater, reason=one.reason), one.shown_first)
            for one in by_pair[name]
            if one.value is not None
        )
    return choices


def write_choices(choices: Sequence[PairChoice], target: Path) -> None:
    """Writes choices to a .jsonl or .csv file, one row per choice: the preference and what stood left."""
    if not choices:
        raise UsageError("nothing was chosen in this series yet; there are no choices to write")
    shown_first = [choice.shown_first for choice in choices]
    write_preferences([choice.preference for choice in choices], target, {"shown_first": shown_first})


@dataclass(frozen=True, slots=True)
class VersionCounts:
    """How often each of two versions was chosen."""

    first: str
    second: str
    first_better: int  # choices of the first
    ties: int
    second_better: int  # choices of the second
    same_answers: int  # ties that nobody was asked about, since both gave the same answer


def version_counts(queue: RatingQueue) -> list[VersionCounts]:
    """The choices of the present series, for each two versions in the order of the queue's."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for choice in queue_choices(queue):
        one = choice.preference
        counts[one.first, one.second][one.choice if one.rater else "same"] += 1
    names = [version.name for version in queue.comparison.versions]
    return [
        VersionCounts(*pair, *(counts[pair][kind] for kind in ("first", "tie", "second", "same")))
        for pair in combinations(names, 2)
        if pair in counts
    ]


def progress_blocks(queue: RatingQueue, language: str) -> tuple[ReportBlock, ...]:
    """How a queue goes, for the coordinator: each rater's work, what was chosen, and how far the raters agree."""
    done, total = queue.counts()
    item, said = ("Pair", "choice") if queue.has_pairs else ("Answer", "rating")
    count = f"{done} {in_language('of', language)} {total} {in_language(said if total == 1 else f'{said}s', language)}"
    fields = (
        Field("Rater", "text", lambda rater: rater.name),
        Field(f"{item}s", "count", lambda rater: rater.ratings),
        Field("Can't tell", "count", lambda rater: rater.cannot_tell),
        Field(f"Seconds per {item.lower()}", "count", lambda rater: rater.median_seconds),
        Field("Same on hidden repeats", "text", lambda rater: _describe_repeats(rater, language, queue.has_pairs)),
    )
    blocks = [ReportBlock((Paragraph(count), tabulate("Raters", rater_progress(queue), fields)), heading="Progress")]
    if queue.has_pairs:
        chosen = (
            Field("First", "text", lambda counts: counts.first),
            Field("Second", "text", lambda counts: counts.second),
            Field("First better", "count", lambda counts: counts.first_better),
            Field("About the same", "count", lambda counts: counts.ties),
            Field("Second better", "count", lambda counts: counts.second_better),
            Field("The same answer twice", "count", lambda counts: counts.same_answers),
        )
        nothing = Paragraph(in_language("None so far.", language), "quiet")
        versions = version_counts(queue)
        blocks.append(ReportBlock((tabulate("Choices", versions, chosen) if versions else nothing,), heading="Choices"))
    return (*blocks, _agreement_block(rater_agreement(queue), language, has_pairs=queue.has_pairs))


def _describe_repeats(rater: RaterProgress, language: str, has_pairs: bool) -> str:
    if not rater.repeats:
        return in_language("none yet", language)
    same = f"{rater.same_on_repeat} {in_language('of', language)} {rater.repeats}"
    if has_pairs:
        return same
    difference = with_number_marks(str(Figure("predicted", rater.difference_on_repeat)), language)
    return f"{same}; {in_language('mean difference', language)} {difference}"


def _agreement_block(raters: "Raters | None", language: str, *, has_pairs: bool) -> ReportBlock:
    heading = "Agreement"
    if raters is None:
        few = f"Shown as soon as five {'pairs have choices' if has_pairs else 'answers have ratings'} of two raters."
        return ReportBlock((Paragraph(in_language(few, language), "quiet"),), heading=heading)
    alpha = with_number_marks(str(Figure.from_estimate("rho", raters.alpha)), language)
    counted = in_language(f"{'pairs with two choices' if has_pairs else 'answers with two ratings'} or more", language)
    name = in_language("Krippendorff's alpha", language)
    parts = [Paragraph(f"{name} {alpha}; {counted}: {raters.items_rated_twice}.")]
    if not has_pairs:
        parts += [Paragraph(raters.advice.write(language))] if raters.advice else []
        parts.append(Paragraph(with_number_marks(raters.ceiling_sentence, language)))
    fields = (
        Field("Pair", "text", lambda pair: f"{pair.first}, {pair.second}"),
        Field("Pairs" if has_pairs else "Answers", "count", lambda pair: pair.n),
        Field("Weighted kappa", "coefficient", lambda pair: pair.weighted_kappa),
    )
    return ReportBlock((*parts, tabulate("Pairs of raters", raters.pairs, fields)), heading=heading)
