"""How a decision between versions is made: estimates, bounds that hold at every look, and the verdict."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy import stats

from ...errors import InputError
from ...text.wording import list_first
from ..arrays import Bools, Floats
from ..estimate import log_odds_interval
from ..groups import effective_degrees
from .confidence_sequence import ConfidenceSequence
from .decision_notes import describe_assumptions
from .discordant_groups import bound_by_counts, bound_mean_by_counts
from .max_t import MaxT
from .net_wins import describe_net_wins, estimate_net_wins
from .other_metrics import compare_other_metrics
from .preference_table import PreferenceTable
from .probability_best import probabilities_of_best
from .settling import EstimatedDifference, SettlingRule, more_answers_needed, more_ratings_needed
from .version_decision import (
    MARGIN,
    Basis,
    Decision,
    Needs,
    Verdict,
    VersionDifference,
    VersionEstimate,
)
from .version_means import (
    FEWEST_RATED_GROUPS,
    VersionMeans,
    changed_answers,
    estimate_version_means,
    knows_level,
    rated_versions,
    shared_ratings,
    usable_ratings,
)
from .version_table import VersionTable

ERROR = 0.05
EXPECTED_DIFFERENCE = 0.1
"""As a share of the scale: the size of differences for which the confidence sequence is narrowest."""
OF_OTHER_PAIRS = 0.2
"""The share of the errors that goes to pairs without the version in use, which decide nothing but ranks."""
_NO_ERROR = 1e-9  # as a share of the scale


def decide_versions(
    table: VersionTable,
    preferences: PreferenceTable | None = None,
    *,
    margin: float = MARGIN,
    measure: str = "",
    seed: int = 0,
) -> Decision:
    """Decides which version the raters would rate highest, or says what is missing.

    `ship`: the interval of the difference from the version in use, which holds at every look and for all pairs of
    versions together (Bonferroni; a fifth of the errors goes to pairs without the version in use), leaves out 0 for at
    least one other version; of these the one with the highest mean. `equivalent`: every other version lies within the
    margin by two one-sided tests at 5% (Schuirmann, 1987) that hold at every look; never by a score that no rating
    corrects. `keep`: every other version is surely worse, or some are and the others lie within the margin. Otherwise
    `unsettled`.

    Args:
        table: The answers of the versions with scores and ratings; the rated ones must be a random part of those that
            differ.
        preferences: Which of two versions' answers people prefer; they decide where not all versions are rated.
        margin: The largest difference of means that does not matter, in points of the scale, above 0.
        measure: The name of the score, for the sentences.
        seed: Seed of the draws behind P(best) and the simultaneous intervals.

    Raises:
        InputError: Nothing is rated, compared or scored; or the margin is not above 0.

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
    answers = table
    table, means, is_rated, preference_notes = _estimate(table, preferences)
    shared = shared_ratings(answers)
    differences = _differences(table, means, is_rated, shared, seed)
    verdict, best = _verdict(table, differences, means, margin)
    decision = Decision(
        verdict,
        best,
        _versions(table, means, differences, shared, seed),
        differences,
        _needs(table, means, is_rated, margin) if verdict == "unsettled" else Needs(),
        margin,
        "ratings",
        table.scale,
        measure,
        compare_other_metrics(answers, error=ERROR, seed=seed),
    )
    decision = replace(decision, basis=_basis(table, decision))
    return replace(decision, notes=(*describe_assumptions(answers, decision, is_rated), *preference_notes))


def _estimate(
    table: VersionTable, preferences: PreferenceTable | None
) -> tuple[VersionTable, VersionMeans, Bools, tuple[str, ...]]:
    """The means of the versions by what decides; the table on the scale that they are on; who is rated; what to say.

    Ratings of all versions decide. Where a version has none, people's preferences do, if all versions are compared with
    the one in use; else the ratings and scores that there are.
    """
    notes: tuple[str, ...] = ()
    is_rated = rated_versions(table)
    nothing = np.full(len(table.text), np.nan)
    if preferences is not None and len(preferences.first):
        wins = estimate_net_wins(table, preferences)
        decides = not is_rated.all() and not np.isnan(wins.means).any()
        notes = tuple(describe_net_wins(preferences, wins, decides=decides))
        if decides:
            by_wins = replace(table, scale=(-1.0, 1.0), scores=nothing, ratings=nothing)
            return by_wins, wins, np.ones_like(is_rated), notes
    if is_rated.sum() < 2:  # ratings of one version say nothing of a difference: the scores decide
        table = replace(table, ratings=nothing, scale=table.score_scale or table.scale)
        is_rated = rated_versions(table)
    scored = np.bincount(table.version[~np.isnan(table.scores)], minlength=len(table.versions)) > 0
    unknown = np.flatnonzero(~(is_rated | scored))
    if len(unknown) == len(table.versions):
        raise InputError(
            "no answer is rated and none has a score: rate some of them, score them with a metric, or compare all "
            f"versions with {table.versions[0]}"
        )
    if len(unknown) and changed_answers(table).any():
        names = list_first([table.versions[place] for place in unknown])
        raise InputError(
            f"nothing is known of {names}: it has no score, and no ratings of {FEWEST_RATED_GROUPS} groups or more; "
            "score it, rate some of its answers, or leave it out"
        )
    return table, estimate_version_means(table), is_rated, notes


def _sequence(width: float) -> ConfidenceSequence:
    return ConfidenceSequence(EXPECTED_DIFFERENCE * width)


def _differences(
    table: VersionTable, means: VersionMeans, is_rated: Bools, ratings: Floats, seed: int
) -> tuple[VersionDifference, ...]:
    """Every pair of versions; all bounds hold for all of them together."""
    pairs, points = list(combinations(range(len(table.versions)), 2)), table.scale[1] - table.scale[0]
    most = points / 2 if _rests_on_preferences(table) else points  # a net share of wins is a difference already
    contrasts = np.zeros((len(pairs), len(table.versions)))
    for place, (first, second) in enumerate(pairs):
        contrasts[place, [first, second]] = -1.0, 1.0
    known = [_has_error(table, means, *pair) for pair in pairs]
    joint = means.degrees(*range(len(table.versions)))
    largest = MaxT.of_covariance(contrasts @ means.covariance @ contrasts.T, joint, seed=seed) if any(known) else None
    rows = []
    for (first, second), has_error in zip(pairs, known, strict=True):
        row = replace(
            _unbounded(table, means, ratings, first, second), by_score=not (is_rated[first] and is_rated[second])
        )
        allowed = _allowed_error(first, len(table.versions))
        if has_error and largest:
            difference, error, degrees = means.difference(first, second)
            # where few groups differ, bounds by their counts may be narrower: half of the errors is theirs
            is_few = degrees < means.degrees(first, second)
            counts = [
                bound_by_counts(table, first, second, part / 2) if is_few else None
                for part in (allowed, ERROR / len(pairs))
            ]
            own = allowed / 2 if counts[0] else allowed
            sequence = _sequence(points)
            half = sequence.half_width(error, degrees, error=own)
            width = largest.quantile(1 - ERROR, degrees) * error
            low, high = _narrower(difference, half, most, counts[0])
            fixed_low, fixed_high = _narrower(difference, width, most, counts[1])
            row = replace(
                row,
                low=low,
                high=high,
                p=min(1.0, ERROR / own * sequence.p_value(difference, error, degrees)),
                fixed_low=fixed_low,
                fixed_high=fixed_high,
                fixed_p=largest.p_value(difference / error, degrees),
            )
        elif (bound := _bound_without_spread(table, means, row, allowed)) is not None:
            low, high, p = bound
            row = replace(row, low=low, high=high, p=p, fixed_low=low, fixed_high=high, fixed_p=p)
        rows.append(row)
    return tuple(rows)


def _narrower(difference: float, half: float, most: float, counts: tuple[float, float] | None) -> tuple[float, float]:
    """The interval difference +- half, or the bounds by counts where it holds 0 too and is wider."""
    low, high = max(difference - half, -most), min(difference + half, most)
    if counts is not None and low <= 0 <= high and counts[1] - counts[0] < high - low:
        return max(counts[0], -most), min(counts[1], most)
    return low, high


def _allowed_error(first: int, versions: int) -> float:
    """The share of errors of one pair: those with the version in use share most of 5%, the other pairs the rest."""
    others = (versions - 1) * (versions - 2) / 2
    if first == 0:
        return ERROR * (1 - OF_OTHER_PAIRS if others else 1.0) / (versions - 1)
    return ERROR * OF_OTHER_PAIRS / others


def _has_error(table: VersionTable, means: VersionMeans, first: int, second: int) -> bool:
    """Whether the difference has a standard error: enough groups of either version, and not all of them alike."""
    difference, error, degrees = means.difference(first, second)
    groups = (means.rated_by_group[:, [first, second]] > 0).sum(axis=0)
    is_known = np.isfinite([difference, error, degrees]).all() and degrees > 0
    return bool(
        groups.min() >= FEWEST_RATED_GROUPS and is_known and error > _NO_ERROR * (table.scale[1] - table.scale[0])
    )


def _unbounded(table: VersionTable, means: VersionMeans, ratings: Floats, first: int, second: int) -> VersionDifference:
    questions = [set(table.question[table.version == version].tolist()) for version in (first, second)]
    changed = set(table.question[changed_answers(table, (first, second))].tolist())
    is_rated = ~np.isnan(ratings)
    rated = [set(table.question[is_rated & (table.version == version)].tolist()) for version in (first, second)]
    both = questions[0] & questions[1]
    return VersionDifference(
        table.versions[first],
        table.versions[second],
        means.difference(first, second)[0],
        *(None,) * 6,
        questions=len(both),
        changed=len(both & changed),
        rated=len(both & rated[0] & rated[1]),
    )


def _bound_without_spread(
    table: VersionTable, means: VersionMeans, row: VersionDifference, error: float
) -> tuple[float, float, float] | None:
    """The interval and p-value of a difference that is the same in all groups; None where that says nothing.

    Where G groups all show the difference d, at most the share b = 1 - error^(1 / G) of all groups shows another one
    (Clopper and Pearson, 1934), of at most the width w of the scale: d (1 - b) +- b w.
    """
    first, second = table.versions.index(row.first), table.versions.index(row.second)
    width = table.scale[1] - table.scale[0]
    groups = int((means.rated_by_group[:, [first, second]] > 0).all(axis=1).sum())
    is_constant = means.difference(first, second)[1] <= _NO_ERROR * width
    if groups >= FEWEST_RATED_GROUPS and row.changed and is_constant:
        other, size = 1 - error ** (1 / groups), abs(row.difference)
        centre, half = row.difference * (1 - other), other * width
        return centre - half, centre + half, min(1.0, (width / (size + width)) ** groups * ERROR / error)
    bound = _bound_of_few_changes(table, first, second, error)
    return None if bound is None else (-bound, bound, 1.0)


def _bound_of_few_changes(table: VersionTable, first: int, second: int, error: float) -> float | None:
    """How far two versions can differ that seldom give another answer: by the whole scale, so often.

    The share of groups with another answer is at most its Clopper-Pearson bound. None where that says nothing.
    """
    changed = len(np.unique(table.group[changed_answers(table, (first, second))]))
    groups = len(np.unique(table.group[(table.version == first) | (table.version == second)]))
    if not changed:
        return 0.0
    if changed >= groups or groups < FEWEST_RATED_GROUPS:
        return None
    return float(stats.beta.isf(error, changed + 1, groups - changed)) * (table.scale[1] - table.scale[0])


def _versions(
    table: VersionTable, means: VersionMeans, differences: Sequence[VersionDifference], ratings: Floats, seed: int
) -> tuple[VersionEstimate, ...]:
    count, width = len(table.versions), table.scale[1] - table.scale[0]
    level = (1 - ERROR) ** (1 / count)  # Sidak (1967): all intervals hold together
    enough = len(means.replicates) >= FEWEST_RATED_GROUPS and means.degrees(*range(count)) > 0
    best: Sequence[float | None] = [None] * count
    pairs, alike = list(combinations(range(count), 2)), [row.low == row.high == 0 for row in differences]
    if all(alike):
        best = [1 / count] * count
    elif all(
        same or (_has_error(table, means, *pair) and not row.by_score)  # what the score likes, no error says
        for pair, same, row in zip(pairs, alike, differences, strict=True)
    ):
        best = probabilities_of_best(means, width=width, seed=seed)
    is_rated, is_level_known = ~np.isnan(ratings), knows_level(table)
    rows = []
    for place, name in enumerate(table.versions):
        own, low, high = table.version == place, None, None
        mean, error, degrees = means.mean(place)
        mean = min(max(mean, table.scale[0]), table.scale[1])  # a regression may go beyond the scale
        if enough and is_level_known:
            if error > _NO_ERROR * width and degrees > 0:
                answers = int(own.sum())
                low, high = log_odds_interval(mean, error, degrees, scale=table.scale, answers=answers, level=level)
            is_few = low is None or high is None or degrees < means.degrees(place)
            if is_few and not np.isnan(table.ratings).all():
                bounds = bound_mean_by_counts(ratings[own], table.group[own], table.scale, 1 - level)
                if bounds is not None and (low is None or high is None or bounds[1] - bounds[0] < high - low):
                    low, high = min(bounds[0], mean), max(bounds[1], mean)
        above = sum(_is_above(row, name, better=True) for row in differences)
        below = sum(_is_above(row, name, better=False) for row in differences)
        ranks = (1 + above, count - below)
        rows.append(
            VersionEstimate(name, int(own.sum()), int((own & is_rated).sum()), mean, low, high, best[place], ranks)
        )
    return tuple(rows)


def _is_above(row: VersionDifference, name: str, *, better: bool) -> bool:
    """Whether the other version of a pair is surely better (or worse) than the one of this name."""
    if row.low is None or row.high is None or name not in (row.first, row.second):
        return False
    higher, lower = row.low > 0, row.high < 0
    return higher if (name == row.first) is better else lower


def _verdict(
    table: VersionTable, differences: Sequence[VersionDifference], means: VersionMeans, margin: float
) -> tuple[Verdict, str]:
    names = table.versions
    rivals = [row for row in differences if row.first == names[0]]
    order = dict(zip(names, means.means.tolist(), strict=True))
    highest = max(names, key=order.__getitem__)
    better = [row.second for row in rivals if row.low is not None and row.low > 0]
    if better:
        return "ship", max(better, key=order.__getitem__)
    worse = [row.high is not None and row.high < 0 for row in rivals]
    if all(lower or _is_within(row, table, means, margin) for row, lower in zip(rivals, worse, strict=True)):
        return ("keep", names[0]) if any(worse) else ("equivalent", highest)
    return "unsettled", highest


def _is_within(row: VersionDifference, table: VersionTable, means: VersionMeans, margin: float) -> bool:
    """Whether a difference is surely below the margin; by the score alone only where few answers differ at all."""
    places = table.versions.index(row.first), table.versions.index(row.second)
    bound = _bound_of_few_changes(table, *places, ERROR)
    if bound is not None and bound < margin:
        return True
    if row.by_score or row.low is None or row.high is None:
        return False
    if -margin < row.low and row.high < margin:
        return True
    if not _has_error(table, means, *places):
        return max(-row.low, row.high) < margin
    difference, error, degrees = means.difference(*places)
    half = _sequence(table.scale[1] - table.scale[0]).half_width(error, degrees, error=2 * ERROR)
    return abs(difference) + half < margin


def _needs(table: VersionTable, means: VersionMeans, is_rated: Bools, margin: float) -> Needs:
    """What would settle the difference of the version in use and its best rival."""
    rival = 1 + int(np.argmax(means.means[1:]))
    if not _has_error(table, means, 0, rival):
        return Needs()
    has_ratings = bool(is_rated[0] and is_rated[rival])
    difference, error, degrees = means.difference(0, rival)
    plain = estimate_version_means(table, use_scores=False).difference(0, rival)[1] if has_ratings else error
    changed = changed_answers(table, (0, rival))
    counted = changed & ~np.isnan(usable_ratings(table))
    counts = [int((rows & (table.version == version)).sum()) for rows in (counted, changed) for version in (0, rival)]
    evidence = EstimatedDifference(
        difference,
        error,
        plain,
        degrees,
        effective_degrees(np.bincount(table.group[changed]).astype(float)),
        min(counts[:2]),
        min(counts[2:]),
        has_ratings,
    )
    allowed = _allowed_error(0, len(table.versions))
    width = table.scale[1] - table.scale[0]
    rule = SettlingRule(_sequence(width), allowed, margin if has_ratings else 0.0, 2 * ERROR, width)
    answers, ratings = more_answers_needed(evidence, rule), more_ratings_needed(evidence, rule)
    share = evidence.questions / (len(table.version) / len(table.versions))
    # of the questions at hand only some tell the versions apart
    return Needs(None if answers is None or not share else int(np.ceil(answers / share)), ratings)


def _rests_on_preferences(table: VersionTable) -> bool:
    return bool(np.isnan(table.scores).all() and np.isnan(table.ratings).all())


def _basis(table: VersionTable, decision: Decision) -> Basis:
    """What the difference that the sentence is about rests on."""
    if _rests_on_preferences(table):
        return "preferences"
    row = decision.deciding
    places = table.versions.index(row.first), table.versions.index(row.second)
    if not rated_versions(table).any() or (row.by_score and changed_answers(table, places).any()):
        return "scores"
    unrated = np.isnan(usable_ratings(table)) & changed_answers(table)
    return "ratings and scores" if unrated.any() and not np.isnan(table.scores).all() else "ratings"
