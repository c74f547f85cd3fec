"""How a decision between versions is made: estimates, intervals that hold at all looks together, and the verdict."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np

from ...errors import InputError
from ...text.wording import count_of, list_first, verb_of
from ..arrays import Bools, Floats
from ..comparison import RATING_MARGIN
from ..estimate import Estimate
from ..groups import FEWEST_GROUPS
from ..prediction_powered import estimate_powered, find_chosen_part, powered_mean_within, scores_as_percentiles
from ..sequence import ERROR, ConfidenceSequence, Interval, Look, next_look
from .preferences import PreferenceTable, describe_choices, estimate_net_wins
from .ratings_needed import needed_to_begin, needed_where_all_is_alike, ratings_needed
from .version_decision import Basis, Decision, Needs, Outcome, VersionDifference, VersionEstimate
from .version_difference import (
    PairDifference,
    compare_by_metrics,
    estimate_difference,
    knows_level,
    probabilities_of_best,
)
from .version_table import VersionQuestions, VersionTable, mean_by

EXPECTED_DIFFERENCE = 0.1
"""As a share of the scale: the size of differences for which the confidence sequence is narrowest."""
_NO_ERROR = 1e-9  # as a share of the scale
_MUCH = 0.05  # a difference that a reader asks about; without scores, which move a mean, a smaller one
_LESS = 0.02
_SCALE_OF_WINS = (-1.0, 1.0)
Pairs = Mapping[tuple[int, int], PairDifference]
Intervals = Mapping[tuple[int, int], Interval | None]


def decide_versions(
    table: VersionTable,
    preferences: PreferenceTable | None = None,
    *,
    margin: float = RATING_MARGIN,
    measure: str = "",
    seed: int = 0,
    looks: Sequence[Look] | Literal["any"] = (),
    said: tuple[str, str] = ("", ""),
) -> Decision:
    """Decides which version the raters would rate highest, or says what is missing.

    `ship`: the interval of the difference from the version in use leaves out 0 for at least one other version; of these
    the one with the largest difference. `equivalent`: every other version lies within the margin by two one-sided tests
    at 5% (Schuirmann, 1987). `keep`: every other version is surely worse, or some are and the others lie within the
    margin. Otherwise `unsettled`, and always so where nothing is rated.

    The intervals hold for all pairs of versions together (Sidak, 1967) and at all looks: with all answers rated at the
    first look they are those of the paired t test. Of several looks each has its part of the error (`Look`), and what
    an earlier one showed counts as long as the difference of today lies within it.

    Args:
        table: The answers of the versions with scores and ratings; the rated ones must be a random part of those that
            differ.
        preferences: Which of two versions' answers people prefer; they decide where not all versions are rated.
        margin: The largest difference of means that does not matter, in points of the scale, above 0.
        measure: The name of the score, for the sentences.
        seed: Seed of the draws behind P(best).
        looks: The earlier looks at these versions; `any` for intervals that hold however often one looks, while more
            answers come in.
        said: A digest of the ratings and one of the preferences, which tell a look at others.

    Raises:
        NothingRatedError: Nothing is rated, compared or scored.
        InputError: The margin is not above 0; or nothing is known of one of several versions.

    Example:
        >>> numbers, random = np.arange(40), np.random.default_rng(0)
        >>> ratings = np.concatenate([random.integers(1, 4, 40), random.integers(3, 6, 40)]).astype(float)
        >>> table = VersionTable(("A", "B"), np.repeat([0, 1], 40), np.tile(numbers, 2), np.tile(numbers, 2),
        ...                      scores=ratings, ratings=ratings, text=np.arange(80))
        >>> decide_versions(table).verdict
        'ship'
    """
    if not margin > 0:
        raise InputError(f"the margin is {margin:g}: it must be above 0")
    helping = replace(table, scores=scores_as_percentiles(table.scores[:, None]))
    questions, names, places = VersionQuestions.of_table(helping), table.versions, range(len(table.versions))
    width = table.scale[1] - table.scale[0]
    by_ratings: Pairs = {pair: estimate_difference(questions, *pair, width=width) for pair in combinations(places, 2)}
    basis, pairs, questions, scale, notes = _choose_basis(table, preferences, questions, by_ratings)
    width = scale[1] - scale[0]
    look: Look | None = None
    rule: Look | ConfidenceSequence = ConfidenceSequence(EXPECTED_DIFFERENCE * width)
    if basis == "scores":
        rule = Look()
    elif looks != "any":
        rule = look = _look(list(pairs.values()), looks, said[basis == "preferences"])
    most = width / 2 if basis == "preferences" else width  # a net share of wins is a difference already
    quantity = "choices" if basis == "preferences" else f"ratings on {scale[0]:g} to {scale[1]:g}"
    earlier = [
        one
        for one in looks
        if isinstance(one, Look) and look is not None and one.number < look.number and one.quantity in {"", quantity}
    ]
    last: Look | None = None  # the look that counts where this one has no error left
    if look is None or look.error:
        intervals = {pair: difference_interval(one, rule, len(pairs), width, most) for pair, one in pairs.items()}
        for (first, second), interval in intervals.items():
            value, of_pair = pairs[first, second].value, (names[first], names[second])
            known = [one for look in earlier if (one := look.intervals.get(of_pair)) is not None]
            intervals[first, second] = carried = _carry(interval, value, known)
            notes = (*_describe_carried(of_pair, interval, carried, value, known), *notes)
    else:
        last = next((one for one in reversed(earlier) if one.error), Look(number=0))
        pairs, intervals = _show_again(last, names, pairs)
    if look is not None:
        own = {(names[i], names[j]): one for (i, j), one in intervals.items() if one is not None}
        values = {(names[i], names[j]): pairs[i, j].value for i, j in pairs}
        look = replace(look, intervals=own, values=values, quantity=quantity)
    differences = tuple(_difference_row(names, pair, pairs[pair], intervals[pair], basis) for pair in pairs)
    likely = None if basis == "scores" or last else _probabilities(pairs, len(names), width, seed)
    versions = tuple(
        _version_row(table, place, mean, intervals=intervals, likely=likely, scale=scale)
        for place, mean in enumerate(_means(table, questions, pairs, intervals, basis=basis, scale=scale))
    )
    if basis == "preferences" and preferences is not None:
        versions = tuple(_count_choices(preferences, place, one) for place, one in enumerate(versions))
    verdict, best = _verdict(names, pairs, intervals, margin, is_rated=basis != "scores")
    others = tuple(one for one in compare_by_metrics(table) if one.paired.value is not None)
    decision = Decision(verdict, best, versions, differences, Needs(), margin, basis, scale, measure, others, look=look)
    if verdict == "unsettled":
        decision = replace(decision, needs=_needs(decision, pairs, rule, names.index(decision.deciding.second)))
    if look is not None and last is not None:
        notes = (_describe_no_error(look.number - 1, last.number), *notes)
    notes = (*_describe_assumptions(table, questions, decision), *notes)
    return replace(
        decision, notes=notes, warning=_describe_selection(table, measure) if basis.startswith("ratings") else ""
    )


def _choose_basis(
    table: VersionTable, preferences: PreferenceTable | None, questions: VersionQuestions, pairs: Pairs
) -> tuple[Basis, Pairs, VersionQuestions, tuple[float, float], tuple[str, ...]]:
    """What decides, with the differences by it, the answers, the scale of it, and what to say.

    Ratings decide where every version is rated. Where one is not, people's preferences do, if all versions are compared
    with the one in use; else the ratings that there are; and where no two versions are rated, nothing does: the scores
    are shown.
    """
    rivals = [one for (first, _), one in pairs.items() if first == 0]
    notes: tuple[str, ...] = ()
    if preferences is not None and len(preferences.first):
        wins = estimate_net_wins(table, preferences)
        decides = not all(one.groups >= FEWEST_GROUPS or not one.changed for one in rivals) and len(wins) == len(pairs)
        notes = (describe_choices(preferences, decides=decides),)
        if decides:
            nothing = replace(questions, ratings=np.full_like(questions.ratings, np.nan))
            return "preferences", wins, nothing, _SCALE_OF_WINS, notes
    scored = _versions_with(table, table.scores)
    rated = [pair for pair, one in pairs.items() if one.groups >= FEWEST_GROUPS or not one.changed]
    is_alike = not any(one.changed for one in pairs.values())  # then a rating is one of all versions
    is_rated = any(pairs[pair].changed for pair in rated) or (is_alike and not np.isnan(table.ratings).all())
    if not is_rated and not scored.all():  # then few ratings are better than none
        rated, is_rated = [pair for pair, one in pairs.items() if one.groups or not one.changed], True
    known = {place for pair in rated for place in pair} | set(np.flatnonzero(scored).tolist())
    unknown = [name for place, name in enumerate(table.versions) if place not in known]
    if len(unknown) == len(table.versions):
        rated_ones = np.flatnonzero(_versions_with(table, table.ratings))
        problem = "too few answers are rated" if len(rated_ones) else "no answer is rated"
        if len(rated_ones) == 1:
            problem = f"only {table.versions[rated_ones[0]]} is rated"
        raise NothingRatedError(
            f"{problem}, and no score is named: rate answers of each version, score them with a metric, or compare all "
            f"versions with {table.versions[0]}"
        )
    if unknown:
        raise InputError(
            f"nothing is known of {', '.join(unknown)}: it has no score, and no rating beside another version's; score "
            "it, rate some of its answers, or leave it out"
        )
    if is_rated:
        has_scores = not np.isnan(table.scores).all() and any(one.rated < one.changed for one in pairs.values())
        return "ratings and scores" if has_scores else "ratings", pairs, questions, table.scale, notes
    scale = table.score_scale or table.scale
    by_score, width = VersionQuestions.of_table(table).by_score_alone(), scale[1] - scale[0]
    return "scores", {pair: estimate_difference(by_score, *pair, width=width) for pair in pairs}, by_score, scale, notes


class NothingRatedError(InputError):
    """Too little is rated or scored of each of several versions to say how they differ."""


def leave_unsettled(table: VersionTable, margin: float, problem: str) -> Decision:
    """The decision where nothing says how the versions differ: not settled, with what to rate first."""
    questions, names, places = VersionQuestions.of_table(table), table.versions, range(len(table.versions))
    width = table.scale[1] - table.scale[0]
    pairs = {pair: estimate_difference(questions, *pair, width=width) for pair in combinations(places, 2)}
    nothing: Intervals = dict.fromkeys(pairs)
    shared = _means(table, questions, {}, nothing, basis="ratings", scale=table.scale)
    versions = tuple(
        _version_row(table, place, mean, intervals=nothing, likely=None, scale=table.scale)
        for place, mean in enumerate(shared)
    )
    rows = tuple(replace(_difference_row(names, pair, pairs[pair], None, "ratings"), difference=None) for pair in pairs)
    needs = needed_to_begin(pairs[0, 1], {one.name: one.rated for one in versions})
    return Decision(
        "unsettled", names[1], versions, rows, needs, margin, "ratings", table.scale, notes=(f"{problem}.",)
    )


def _versions_with(table: VersionTable, values: Floats) -> Bools:
    """Which versions have any of some values of their answers, (versions,)."""
    return np.bincount(table.version[~np.isnan(values)], minlength=len(table.versions)) > 0


def _look(pairs: Sequence[PairDifference], past: Sequence[Look], said: str) -> Look:
    """The look at this many ratings; pairs of which nothing is rated have no part in how much is known."""
    rated = [one for one in pairs if one.groups or not one.changed]
    share = sum(one.share for one in rated) / len(rated)
    known = round(sum(one.known if one.is_paired else sum(one.of_each) for one in rated), 3)  # as a store keeps it
    return next_look(past, share, known, sum(one.changed for one in rated), said)


def difference_interval(
    pair: PairDifference, rule: Look | ConfidenceSequence, comparisons: int, width: float, most: float
) -> Interval | None:
    """The interval of a difference, that of two one-sided tests, and the p-value; None where nothing says how sure."""
    if not pair.changed:
        return 0.0, 0.0, 0.0, 0.0, 1.0
    value, error = pair.value, pair.error
    allowed = rule.error if isinstance(rule, Look) else ERROR
    bounds = pair.counts.bounds(1 - (1 - allowed) ** (1 / comparisons)) if pair.counts else None
    if pair.groups < FEWEST_GROUPS or not error > _NO_ERROR * width or not math.isfinite(error):
        counts = pair.counts
        if counts and counts.unknown and pair.changed == pair.questions:  # those that are known are a random part
            counts = replace(counts, groups=counts.groups - counts.unknown, unknown=0)
            bounds = counts.bounds(1 - (1 - allowed) ** (1 / comparisons))
        inner = counts.bounds(2 * allowed) if counts else None
        if bounds is None or inner is None or counts is None:
            return None
        return (*bounds, *inner, rule.adjust(counts.p_value(), comparisons))
    (low, high), near, p = pair.interval(rule, comparisons, least_p=pair.least_p)
    is_narrower = bounds is not None and bounds[1] - bounds[0] < high - low
    if low <= 0 <= high and bounds is not None and pair.counts and not pair.counts.unknown and is_narrower:
        low, high = min(bounds[0], value), max(bounds[1], value)
        near = max(near[0], low), min(near[1], high)
    return max(low, -most), min(high, most), *near, p


def _show_again(last: Look, names: Sequence[str], pairs: Pairs) -> tuple[Pairs, dict[tuple[int, int], Interval | None]]:
    """The differences as an earlier look showed them, each with its own interval: none where that look had none."""
    shown, intervals = dict(pairs), dict[tuple[int, int], Interval | None]()
    for (i, j), pair in pairs.items():
        key = names[i], names[j]
        intervals[i, j] = last.intervals.get(key) if pair.changed else (0.0, 0.0, 0.0, 0.0, 1.0)
        if pair.changed and key in last.values:
            shown[i, j] = replace(pair, value=last.values[key])
    return shown, intervals


def _carry(interval: Interval | None, value: float, earlier: Sequence[Interval]) -> Interval | None:
    """What this look and earlier ones show together, of those whose interval holds today's difference."""
    held = [one for one in earlier if one[0] <= value <= one[1]] + ([] if interval is None else [interval])
    if not held:
        return None
    low, high, near_low, near_high, p = zip(*held, strict=True)
    return max(low), min(high), max(near_low), min(near_high), min(p)


def _describe_carried(
    names: tuple[str, str],
    interval: Interval | None,
    carried: Interval | None,
    value: float,
    earlier: Sequence[Interval],
) -> list[str]:
    """Says where the interval of a difference is that of an earlier look too, and where an earlier one is dropped."""
    of_pair, notes = f"{names[1]} less {names[0]}", list[str]()
    if carried is not None and carried != interval:
        alone = "there is none" if interval is None else f"it is {interval[0]:+.3f} to {interval[1]:+.3f}"
        notes.append(
            f"The interval of {of_pair} rests on an earlier look too, since today's difference lies within what that "
            f"one showed: by this look alone {alone}."
        )
    for low, high, *_ in earlier:
        if not low <= value <= high:
            notes.append(
                f"An earlier look at {of_pair} showed {low:+.3f} to {high:+.3f}: today's difference lies outside, and "
                "that look no longer counts."
            )
    return notes


def _difference_row(
    names: Sequence[str], pair: tuple[int, int], estimate: PairDifference, interval: Interval | None, basis: Basis
) -> VersionDifference:
    low, high, p = (None, None, None) if interval is None else (interval[0], interval[1], interval[4])
    by_score = basis == "scores" or (basis != "preferences" and not estimate.groups and estimate.changed > 0)
    return VersionDifference(
        names[pair[0]],
        names[pair[1]],
        estimate.value,
        low,
        high,
        p,
        estimate.questions,
        estimate.changed,
        0 if by_score else estimate.rated + (estimate.questions - estimate.changed),
        estimate.left_out,
        by_score,
        estimate.differing,
    )


def _version_row(
    table: VersionTable,
    place: int,
    mean: Estimate,
    *,
    intervals: Intervals,
    likely: Sequence[float] | None,
    scale: tuple[float, float],
) -> VersionEstimate:
    """What is known of a version: its mean, how probable it is the best, and its ranks."""
    own, count = table.version == place, len(table.versions)
    above = sum(_is_above(intervals, place, other) for other in range(count))
    below = sum(_is_above(intervals, other, place) for other in range(count))
    rated, p_best = int((own & ~np.isnan(table.ratings)).sum()), None if likely is None else likely[place]
    value = mean.value
    if value is not None:
        value = min(max(value, scale[0]), scale[1])  # a difference added to a mean may go beyond the scale
    return VersionEstimate(
        table.versions[place], int(own.sum()), rated, value, mean.low, mean.high, p_best, (1 + above, count - below)
    )


def _count_choices(preferences: PreferenceTable, place: int, version: VersionEstimate) -> VersionEstimate:
    """The version with how many of its choices it won: of those between it and the one in use."""
    rivals = [place] if place else range(1, len(preferences.versions))
    choices = np.concatenate([preferences.choices_of(rival) for rival in rivals])
    won = int((choices == (1 if place else -1)).sum())
    return replace(version, won=won, choices=int((~np.isnan(choices)).sum()))


def _means(
    table: VersionTable,
    questions: VersionQuestions,
    pairs: Pairs,
    intervals: Intervals,
    *,
    basis: Basis,
    scale: tuple[float, float],
) -> list[Estimate]:
    """The mean of each version over its own answers, of its ratings with the help of its scores, as `estimate` has it.

    Questions that the versions answer differently and those that all answer alike are two strata, because raters are
    asked for the former only; where fewer than five groups of one are rated both are one. A version without ratings
    gets the mean of that with most of them and the difference, without an interval. The intervals hold for all versions
    together.
    """
    places = range(len(table.versions))
    if basis == "preferences":  # a share of wins over the version in use: it is that difference
        ends = [(intervals[0, place] or (None, None))[:2] for place in places[1:]]
        return [
            Estimate(0.0),
            *(Estimate(pairs[0, place].value, *own) for place, own in zip(places[1:], ends, strict=True)),
        ]
    shared = mean_by(table.answers, table.ratings, int(table.answers.max()) + 1)[table.answers]
    ratings, scores = np.where(np.isnan(table.ratings), shared, table.ratings), table.scores
    if basis == "scores":
        ratings, scores = np.where(np.isnan(scores), np.nanmean(scores), scores), np.full_like(scores, np.nan)
    is_same = (~questions.differs)[np.searchsorted(questions.question, table.question)].astype(np.intp)
    level = (1 - ERROR) ** (1 / len(places))  # Sidak (1967)
    means: list[Estimate | None] = []
    for place in places:
        own = table.version == place
        known, group = own & ~np.isnan(ratings), table.group[own]
        strata = is_same[own]
        if any(len(np.unique(table.group[known & (is_same == kind)])) < FEWEST_GROUPS for kind in (0, 1)):
            strata = None
        mean: Estimate | None = None
        if known.any():
            percentiles = scores_as_percentiles(scores[own][:, None])
            powered = powered_mean_within(scale, ratings[own], percentiles, group, strata)
            mean = estimate_powered(powered, int(known.sum()), scale, level)
        means.append(mean if mean is None or knows_level(questions, place) else Estimate(mean.value))
    anchor = int(np.bincount(table.version[~np.isnan(ratings)], minlength=len(places)).argmax())
    middle = means[anchor]
    for place in places:
        if means[place] is None and middle is not None and pairs:
            pair, sign = (pairs[anchor, place], 1.0) if anchor < place else (pairs[place, anchor], -1.0)
            means[place] = Estimate((middle.value or 0.0) + sign * pair.value)
    return [one or Estimate(None) for one in means]


def _probabilities(pairs: Pairs, count: int, width: float, seed: int) -> list[float] | None:
    """P(best) of three versions or more; of two it would say again what the difference does.

    A version's mean, less that of all versions, is by least squares the mean of its differences from each.
    """
    if count < 3 or any(one.groups < FEWEST_GROUPS or not one.error > _NO_ERROR * width for one in pairs.values()):
        return None
    means, influence = np.zeros(count), np.zeros((count, len(pairs[0, 1].influence)))
    for (first, second), one in pairs.items():
        for place, share in ((first, -1 / count), (second, 1 / count)):
            means[place] += share * one.value
            influence[place] += share * one.influence
    degrees = min(one.degrees for one in pairs.values())
    return probabilities_of_best(means, influence, degrees, width=width, seed=seed)


def _is_above(intervals: Intervals, place: int, other: int) -> bool:
    """Whether the other version is surely better than this one."""
    if place == other:
        return False
    interval = intervals[min(place, other), max(place, other)]
    return interval is not None and (interval[0] > 0 if place < other else interval[1] < 0)


def _verdict(
    names: Sequence[str],
    pairs: Pairs,
    intervals: Intervals,
    margin: float,
    *,
    is_rated: bool,
) -> tuple[Outcome, str]:
    rivals = range(1, len(names))
    highest = names[int(np.argmax([0.0, *(pairs[0, place].value for place in rivals)]))]
    is_known = [pairs[0, place].groups > 0 or not pairs[0, place].changed for place in rivals]
    if not is_rated:
        alike = all(not pairs[0, place].changed for place in rivals)
        return ("equivalent" if alike else "unsettled"), highest
    better = [place for place, known in zip(rivals, is_known, strict=True) if known and _is_above(intervals, 0, place)]
    if better:
        return "ship", names[max(better, key=lambda place: pairs[0, place].value)]
    worse = [known and _is_above(intervals, place, 0) for place, known in zip(rivals, is_known, strict=True)]
    near = [(one := intervals[0, place]) is not None and -margin < one[2] and one[3] < margin for place in rivals]
    if all(is_worse or is_near for is_worse, is_near in zip(worse, near, strict=True)):
        return ("keep", names[0]) if any(worse) else ("equivalent", highest)
    return "unsettled", highest


def _needs(decision: Decision, pairs: Pairs, rule: Look | ConfidenceSequence, place: int) -> Needs:
    """What would settle a decision between the version in use and another."""
    pair, of_pair = pairs[0, place], (decision.versions[0], decision.versions[place])
    is_anew = isinstance(rule, Look) and not rule.error
    if is_anew and pair.groups < FEWEST_GROUPS:
        return Needs()
    if decision.basis == "scores" or pair.groups < FEWEST_GROUPS:
        return needed_to_begin(pair, {one.name: one.rated for one in of_pair})
    if not pair.error:
        return needed_where_all_is_alike(pair, decision.margin, is_anew=is_anew)
    names = of_pair[0].name, of_pair[1].name
    return ratings_needed(pair, decision.margin, rule, names=names, comparisons=len(pairs))


def _describe_no_error(before: int, shown: int) -> str:
    """Says that a look has no error left, and which look is shown in its place; 0 for none."""
    what = f"the differences are those of look {shown}" if shown else "nothing says how sure the differences are"
    return (
        f"These answers were looked at before ({count_of(before, 'look')}), with other ratings or beside other "
        f"versions; all looks together err in at most 5%, so that this one adds nothing: {what}."
    )


def _describe_assumptions(table: VersionTable, questions: VersionQuestions, decision: Decision) -> list[str]:
    """Says what an estimate leaves out or assumes, each a sentence."""
    notes: list[str] = []
    measure = decision.measure or "the score"
    rated = {version.name: version.rated for version in decision.versions}
    missing = int(np.isnan(table.scores).sum())
    if decision.basis in {"ratings and scores", "scores"} and missing:
        have = verb_of(missing, "has", "have")
        notes.append(f"{count_of(missing, 'answer')} {have} no {measure}: the mean stands in for it.")
    if decision.basis == "scores":
        if any(rated.values()):
            listed = list_first([f"{count:,} of {name}" for name, count in rated.items() if count])
            notes.append(
                f"The ratings ({listed}) do not count: it takes questions of {FEWEST_GROUPS} groups that are "
                "rated in both of two versions."
            )
        return notes
    unrated = [name for name, count in rated.items() if not count]
    if unrated and decision.basis != "preferences":
        notes.append(f"{list_first(unrated)} {verb_of(len(unrated), 'is', 'are')} not rated: nothing is decided there.")
    if decision.basis != "preferences" and not all(knows_level(questions, one) for one in range(len(rated))):
        notes.append(
            "The means have no interval: too few of the answers that are the same in all versions are rated. Their "
            "differences do not need that."
        )
    means = {version.name: version.mean or 0.0 for version in decision.versions}
    apart = [row for row in decision.differences if row.first == decision.in_use and rated[row.second]]
    most = _LESS if decision.basis == "ratings" else _MUCH
    is_of_today = decision.look is None or decision.look.error > 0
    if (
        is_of_today
        and decision.is_paired
        and any(abs((row.difference or 0.0) - (means[row.second] - means[row.first])) > most for row in apart)
    ):
        whose = "of a version's own rated answers, which may be to other questions"
        if decision.basis == "ratings and scores" and any(one.rated < one.n for one in decision.versions):
            whose = "estimated for all answers of a version, from its own ratings"
        notes.append(
            "A difference compares answers to the same questions, and the same answer counts as none; each mean is "
            f"{whose}."
        )
    return notes


def _describe_selection(table: VersionTable, measure: str) -> str:
    """Warns where the rated answers of a version score otherwise than its others, by the score that decides, else by
    the other metrics.
    """
    columns = {measure or "the score": table.scores}
    if np.isnan(table.scores).all():
        columns = {name: scores for name, scores in table.others.items() if not np.isnan(scores).all()}
    parts = {version: table.version == place for place, version in enumerate(table.versions)}
    found = find_chosen_part(columns, table.ratings, table.group, parts)
    return "" if found is None else f"But what is rated of {found[0]} may be no random part of its answers: {found[1]}."
