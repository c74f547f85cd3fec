"""How a decision between versions is made: estimates, bounds that hold at every look, and the verdict."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from scipy import stats

from ...errors import InputError
from ...text.wording import count_of, verb_of
from ..arrays import Floats
from ..estimate import log_odds_interval
from .confidence_sequence import ConfidenceSequence
from .max_t import MaxT
from .probability_best import probabilities_of_best
from .settling import Evidence, SettlingRule, more_answers_needed, more_ratings_needed
from .style_adjustment import adjust_for_style
from .version_decision import (
    MARGIN,
    Basis,
    Decision,
    Needs,
    OtherDifference,
    Verdict,
    VersionDifference,
    VersionEstimate,
)
from .version_means import (
    FEWEST_RATED_GROUPS,
    VersionMeans,
    changed_answers,
    estimate_version_means,
    has_usable_ratings,
    shared_ratings,
    usable_ratings,
)
from .version_table import VersionTable

ERROR = 0.05
EXPECTED_DIFFERENCE = 0.05
"""As a share of the scale: the size of differences for which the confidence sequence is narrowest."""
PRIOR_SPREAD = 0.1
"""As a share of the scale: the standard deviation of versions' means that P(best) expects before it sees any."""


def decide_versions(table: VersionTable, *, margin: float = MARGIN, measure: str = "", seed: int = 0) -> Decision:
    """Decides which version the raters would rate highest, or says what is missing.

    `ship`: the interval of the difference from the version in use, which holds at every look and for all pairs of
    versions together (Bonferroni), leaves out 0 for at least one other version; of these the one with the highest mean.
    `keep`: every other version is worse by such an interval. `equivalent`: every other version lies within the margin
    by two one-sided tests at 5% (Schuirmann, 1987) that hold at every look. Otherwise `unsettled`.

    Args:
        table: The answers of the versions with scores and ratings; the rated ones must be a random part of those that
            differ.
        margin: The largest difference of means that does not matter, in points of the scale, above 0.
        measure: The name of the score, for the sentences.
        seed: Seed of the draws behind P(best) and the simultaneous intervals.

    Raises:
        InputError: Nothing is rated and nothing has a score; or the margin is not above 0.

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
    has_ratings = has_usable_ratings(table)
    if not has_ratings and np.isnan(table.scores).all():
        raise InputError("no answer is rated and none has a score: rate some of them, or score them with a metric")
    means = estimate_version_means(table)
    width = table.scale[1] - table.scale[0]
    differences = _differences(table, means, seed)
    versions = _versions(table, means, differences, width, seed)
    verdict, best = _verdict(table, differences, means, margin)
    evidence = _evidence(table, means, has_ratings)
    basis = _basis(table, has_ratings)
    decision = Decision(
        verdict,
        best,
        versions,
        differences,
        _needs(table, evidence, margin, width) if verdict == "unsettled" else Needs(),
        margin,
        basis,
        table.scale,
        measure,
        _others(table, seed),
    )
    return replace(decision, notes=tuple(_notes(table, decision)))


def _sequence(width: float) -> ConfidenceSequence:
    return ConfidenceSequence(EXPECTED_DIFFERENCE * width)


def _differences(table: VersionTable, means: VersionMeans, seed: int) -> tuple[VersionDifference, ...]:
    """Every pair of versions; all bounds hold for all of them together."""
    pairs = list(combinations(range(len(table.versions)), 2))
    contrasts = np.zeros((len(pairs), len(table.versions)))
    for row, (first, second) in enumerate(pairs):
        contrasts[row, [first, second]] = -1.0, 1.0
    covariance = contrasts @ means.covariance @ contrasts.T
    degrees = min(means.degrees(*pair) for pair in pairs)
    known = [_has_error(table, means, *pair) for pair in pairs]
    largest = MaxT.of_covariance(covariance, degrees, seed=seed) if any(known) else None
    fixed_p = iter(
        largest.p_values([_t(means, pair) for pair, has_error in zip(pairs, known, strict=True) if has_error])
        if largest
        else ()
    )
    rows = []
    for (first, second), has_error in zip(pairs, known, strict=True):
        row = _unbounded(table, means, first, second)
        if has_error and largest:
            difference, error, own_degrees = means.difference(first, second)
            sequence, width = _sequence(table.scale[1] - table.scale[0]), largest.quantile(1 - ERROR) * error
            half = sequence.half_width(error, own_degrees, error=ERROR / len(pairs))
            row = replace(
                row,
                low=difference - half,
                high=difference + half,
                p=min(1.0, len(pairs) * sequence.p_value(difference, error, own_degrees)),
                fixed_low=difference - width,
                fixed_high=difference + width,
                fixed_p=next(fixed_p),
            )
        elif (bound := _bound_of_few_changes(table, first, second, ERROR / len(pairs))) is not None:
            row = replace(row, low=-bound, high=bound, p=1.0, fixed_low=-bound, fixed_high=bound, fixed_p=1.0)
        rows.append(row)
    return tuple(rows)


def _t(means: VersionMeans, pair: tuple[int, int]) -> float:
    difference, error, _ = means.difference(*pair)
    return difference / error


def _has_error(table: VersionTable, means: VersionMeans, first: int, second: int) -> bool:
    """Whether the difference has a standard error: enough groups in which the versions differ, and not all alike."""
    _, error, degrees = means.difference(first, second)
    groups = int((means.rated_by_group[:, [first, second]].sum(axis=1) > 0).sum())
    return groups >= FEWEST_RATED_GROUPS and degrees > 0 and error > 1e-9 * (table.scale[1] - table.scale[0])


def _unbounded(table: VersionTable, means: VersionMeans, first: int, second: int) -> VersionDifference:
    questions = [set(table.question[table.version == version].tolist()) for version in (first, second)]
    changed = set(table.question[changed_answers(table, (first, second))].tolist())
    is_rated = ~np.isnan(shared_ratings(table))
    rated = [set(table.question[is_rated & (table.version == version)].tolist()) for version in (first, second)]
    both = questions[0] & questions[1]
    style = adjust_for_style(table, first, second)
    return VersionDifference(
        table.versions[first],
        table.versions[second],
        means.difference(first, second)[0],
        *(None,) * 6,
        questions=len(both),
        changed=len(both & changed),
        rated=len(both & rated[0] & rated[1]),
        adjusted=style.value if style else None,
        adjusted_low=style.low if style else None,
        adjusted_high=style.high if style else None,
        adjusted_by_ratings=style.by_ratings if style else False,
    )


def _bound_of_few_changes(table: VersionTable, first: int, second: int, error: float) -> float | None:
    """How far two versions can differ that seldom give another answer: by the whole scale, so often.

    The share of groups with another answer is at most its Clopper-Pearson bound. None where that says nothing.
    """
    rows = (table.version == first) | (table.version == second)
    changed = len(np.unique(table.group[changed_answers(table, (first, second))]))
    groups = len(np.unique(table.group[rows]))
    if not changed:
        return 0.0
    if changed >= groups or groups < FEWEST_RATED_GROUPS:
        return None
    return float(stats.beta.isf(error, changed + 1, groups - changed)) * (table.scale[1] - table.scale[0])


def _versions(
    table: VersionTable, means: VersionMeans, differences: Sequence[VersionDifference], width: float, seed: int
) -> tuple[VersionEstimate, ...]:
    count = len(table.versions)
    level = (1 - ERROR) ** (1 / count)  # Sidak (1967): all intervals hold together
    enough = len(means.replicates) >= FEWEST_RATED_GROUPS and means.degrees(*range(count)) > 0
    best: Sequence[float | None] = [None] * count
    if enough and means.covariance.any():
        best = probabilities_of_best(means, spread=PRIOR_SPREAD * width, seed=seed)
    is_rated, changed = ~np.isnan(shared_ratings(table)), {row.changed for row in differences}
    if changed == {0}:
        best = [1 / count] * count
    rows = []
    for place, name in enumerate(table.versions):
        mean, error = float(means.means[place]), float(np.sqrt(means.covariance[place, place]))
        own, low, high = table.version == place, None, None
        if enough and error > 1e-9 * width:
            degrees = means.degrees(place)
            low, high = log_odds_interval(mean, error, degrees, scale=table.scale, answers=int(own.sum()), level=level)
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
    if all(row.high is not None and row.high < 0 for row in rivals):
        return "keep", names[0]
    if all(_is_within(row, table, means, margin) for row in rivals):
        return "equivalent", highest
    return "unsettled", highest


def _is_within(row: VersionDifference, table: VersionTable, means: VersionMeans, margin: float) -> bool:
    names, width = table.versions, table.scale[1] - table.scale[0]
    if row.low is None or row.high is None:
        return False
    difference, error, degrees = means.difference(names.index(row.first), names.index(row.second))
    if not _has_error(table, means, names.index(row.first), names.index(row.second)):
        return row.high < margin  # the bound of few changes
    half = _sequence(width).half_width(error, degrees, error=2 * ERROR)
    return abs(difference) + half < margin


def _evidence(table: VersionTable, means: VersionMeans, has_ratings: bool) -> Evidence | None:
    """What the difference of the version in use and its best rival rests on."""
    rival = 1 + int(np.argmax(means.means[1:]))
    if not _has_error(table, means, 0, rival):
        return None
    difference, error, degrees = means.difference(0, rival)
    plain = estimate_version_means(table, use_scores=False).difference(0, rival)[1] if has_ratings else error
    changed = changed_answers(table, (0, rival))
    is_rated = changed & ~np.isnan(usable_ratings(table))
    counts = [int((rows & (table.version == version)).sum()) for rows in (is_rated, changed) for version in (0, rival)]
    return Evidence(difference, error, plain, degrees, min(counts[:2]), min(counts[2:]), has_ratings)


def _needs(table: VersionTable, evidence: Evidence | None, margin: float, width: float) -> Needs:
    if evidence is None:
        return Needs()
    pairs = len(table.versions) * (len(table.versions) - 1) // 2
    rule = SettlingRule(_sequence(width), ERROR / pairs, margin, 2 * ERROR)
    answers = more_answers_needed(evidence, rule)
    share = evidence.questions / (len(table.version) / len(table.versions))
    # of the questions at hand only some tell the versions apart
    return Needs(None if answers is None else int(np.ceil(answers / share)), more_ratings_needed(evidence, rule))


def _basis(table: VersionTable, has_ratings: bool) -> Basis:
    if not has_ratings:
        return "scores"
    unrated = np.isnan(usable_ratings(table)) & changed_answers(table)
    return "ratings and scores" if unrated.any() and not np.isnan(table.scores).all() else "ratings"


def _others(table: VersionTable, seed: int) -> tuple[OtherDifference, ...]:
    """The other metrics, each version beside the one in use, with bounds that hold for all rows together."""
    estimates: list[tuple[str, int, VersionMeans]] = []
    for name, scores in table.others.items():
        if not np.isnan(scores).all():
            means = estimate_version_means(replace(table, scores=scores), use_ratings=False)
            estimates += [(name, rival, means) for rival in range(1, len(table.versions))]
    if not estimates:
        return ()
    replicates: Floats = np.column_stack(
        [one.replicates[:, rival] - one.replicates[:, 0] for _, rival, one in estimates]
    )
    count = len(replicates)
    deviations = replicates - replicates.mean(axis=0)
    covariance = (count - 1) / count * deviations.T @ deviations
    degrees = min(one.degrees(0, rival) for _, rival, one in estimates)
    known = [
        count >= FEWEST_RATED_GROUPS and degrees > 0 and one.difference(0, rival)[1] > 1e-12
        for _, rival, one in estimates
    ]
    largest = MaxT.of_covariance(covariance, degrees, seed=seed) if any(known) else None
    t = [_t(one, (0, rival)) for (_, rival, one), has_error in zip(estimates, known, strict=True) if has_error]
    p_values = iter(largest.p_values(t) if largest else ())
    rows = []
    for (name, rival, one), has_error in zip(estimates, known, strict=True):
        difference, error, _ = one.difference(0, rival)
        half = largest.quantile(1 - ERROR) * error if largest and has_error else None
        ends = (None, None) if half is None else (difference - half, difference + half)
        p = next(p_values) if half is not None else None
        rows.append(OtherDifference(name, table.versions[0], table.versions[rival], difference, *ends, p))
    return tuple(rows)


def _notes(table: VersionTable, decision: Decision) -> list[str]:
    """What the estimate leaves out or assumes, each a sentence."""
    notes: list[str] = []
    measure = decision.measure or "the score"
    given, used = ~np.isnan(shared_ratings(table)), ~np.isnan(usable_ratings(table))
    if decision.basis == "scores":
        notes.append(
            f"Nothing but {measure} decides: it may like the style of one version, which only ratings of these answers "
            "can tell."
        )
    for place, name in enumerate(table.versions):
        own = table.version == place
        dropped = int((own & given & ~used).sum())
        if dropped:
            notes.append(
                f"{count_of(dropped, 'rating')} of {name} {verb_of(dropped, 'does', 'do')} not count: they are of fewer"
                f" than {FEWEST_RATED_GROUPS} groups."
            )
        if decision.basis == "ratings and scores" and not (own & used & changed_answers(table)).any():
            notes.append(f"No answer of {name} is rated that differs: its mean rests on {measure} alone.")
    missing = int(np.isnan(table.scores).sum())
    if missing and missing < len(table.scores) and decision.basis != "ratings":
        have = verb_of(missing, "has", "have")
        notes.append(f"{count_of(missing, 'answer')} {have} no {measure}: the mean stands in for it.")
    rivals = (row for row in decision.differences if row.first == decision.in_use)
    notes += [note for row in rivals if (note := _style_note(row))]
    return notes


def _style_note(row: VersionDifference) -> str:
    """A warning where the difference is another one at equal style."""
    if row.adjusted is None or row.adjusted_low is None or row.adjusted_high is None:
        return ""
    plain = row.fixed_low is not None and row.fixed_high is not None and not row.fixed_low <= 0 <= row.fixed_high
    adjusted = not row.adjusted_low <= 0 <= row.adjusted_high
    turns = row.difference * row.adjusted < 0 and (plain or adjusted)
    if not turns and plain == adjusted:
        return ""
    by = "ratings" if row.adjusted_by_ratings else "scores"
    what = "the other way round" if turns else "gone" if plain else "seen only then"
    return (
        f"At equal length and style the difference of {row.second} is {what}: {row.adjusted:+.2f} (likely "
        f"{row.adjusted_low:+.2f} to {row.adjusted_high:+.2f}, by {by}), as it stands {row.difference:+.2f}."
    )
