"""One sentence that a support lead can act on, and the statistics under it."""

from .agreement import MetricAgreement
from .estimate import Estimate
from .results import Comparison, Policy, Raters, Selection

SIGNIFICANT = 0.05
FEW_GROUPS = 20  # below it, intervals from resampling groups are too narrow (Cameron, Gelbach and Miller, 2008)
STRENGTHS = ((0.7, "closely"), (0.5, "well"), (0.3, "moderately"), (0.0, "weakly"))
"""From which rho on a measure is said to follow the team how: Schober, Boer and Schwarte (2018) call 0.4 to 0.69
moderate and 0.7 to 0.89 strong; the names here are a step plainer."""


def recommend(
    rated: int,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
    policy: Policy | None,
) -> str:
    """Says in one sentence for a support lead which measure follows the team, and what it may be used for.

    Args:
        rated: How many items are rated.
        metrics: The agreement of each metric.
        raters: The agreement of the raters; None with one rating per answer.
        selection: The chosen combination; None where nothing could be chosen.
        comparisons: Those of the choice with the best single metric and with the best baseline, where there are such.
        policy: What could be sent without a person; None where nothing could be chosen.

    Returns:
        The sentence, without statistics: they are in `explain`.
    """
    if raters is not None and not raters.validates:
        return "Your raters hardly agree with each other, so no measure can be checked against them."
    if selection is None:
        return f"{_problem(rated, metrics)}."
    if not is_beyond_chance(selection):
        one = selection.chosen.candidates == 1 or selection.chosen.kind != "subset"
        name = name_of_choice(selection)
        subject = f"{name} does not follow" if one else "No measure and no combination of measures follows"
        advice = f"do not use {'it' if one else 'any of them'} in place of a person"
        return f"{subject} your team's ratings: {advice}."
    rho = selection.chosen.out_of_fold.value or 0.0
    strength = next(name for least, name in STRENGTHS if rho >= least)
    single = len(selection.chosen.metrics) == 1
    verb = "follows" if single else "together follow"
    parts = [f"{name_of_choice(selection)} {verb} your team {strength}", _use(policy, "it" if single else "them")]
    baselines = {metric.name for metric in metrics if metric.baseline}
    parts += [
        f"{comparison.second}, which costs nothing, does as well"
        for comparison in comparisons
        if comparison.second in baselines and not _is_better(comparison)
    ]
    return "; ".join(parts) + "."


def _is_better(comparison: Comparison) -> bool:
    p, difference = comparison.p_permutation, comparison.difference.value
    return p is not None and p < SIGNIFICANT and difference is not None and difference > 0


def _use(policy: Policy | None, pronoun: str) -> str:
    """What the choice is good enough for."""
    if policy is None or policy.send_at is None:
        use = f"use {pronoun} to compare versions and to pick answers to read"
        return f"not good enough to send answers unseen, so {use}"
    share = policy.sent / policy.n if policy.n else 0.0
    return f"good enough to send {share:.0%} of the answers unseen, with at most {policy.bound:.0%} bad ones among them"


def explain(
    rated: int,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    *,
    comparisons: tuple[Comparison, ...],
) -> str:
    """Gives the statistics under the recommendation in one sentence.

    Args:
        rated: How many items are rated.
        metrics: The agreement of each metric.
        raters: The agreement of the raters; None with one rating per answer.
        selection: The chosen combination; None where nothing could be chosen.
        comparisons: Those of the choice with the best single metric and with the best baseline, where there are such.

    Returns:
        The sentence: how far the choice agrees out of fold, what it is better than, and what the raters reach.
    """
    if raters is not None and not raters.validates:
        return raters.problem[0].upper() + raters.problem[1:] + "."
    if selection is None:
        return f"{rated} rated answers; {_rater_clause(raters)}."
    if not is_beyond_chance(selection):
        return f"{_chance_clause(selection)}; {_rater_clause(raters)}."
    parts = [f"{name_of_choice(selection)}: rho {format_estimate(selection.chosen.out_of_fold)} out of fold"]
    baselines = {metric.name for metric in metrics if metric.baseline}
    parts += [
        _comparison_clause(comparison, comparison.second in baselines)
        for comparison in comparisons
        if not comparison.problem
    ]
    groups = max(metric.groups for metric in metrics)
    if groups < FEW_GROUPS:
        parts.append(f"rough, from only {groups} groups of answers")
    if lower := [metric.name for metric in metrics if not metric.higher_is_better]:
        parts.append(f"lower is better for {', '.join(lower)}")
    return "; ".join([*parts, _rater_clause(raters)]) + "."


def is_beyond_chance(selection: Selection) -> bool:
    """Whether the chosen combination agrees with the ratings beyond what chance gives."""
    low = selection.chosen.out_of_fold.low
    return selection.p_of_selection < SIGNIFICANT and (low is None or low > 0)


def _chance_clause(selection: Selection) -> str:
    chosen, p = selection.chosen, _format_p(selection.p_of_selection)
    out_of_fold = f"{format_estimate(chosen.out_of_fold)} out of fold"
    if chosen.kind != "subset":
        return (
            f"{name_of_choice(selection)} reaches rho {chosen.in_sample or 0.0:.2f} on the answers that it was fitted "
            f"to, {out_of_fold} (p = {p})"
        )
    single = chosen.candidates == 1
    return (
        f"{chosen.metrics[0] if single else f'the best of {chosen.candidates:,} combinations'} reaches rho "
        f"{selection.best_in_sample:.2f} on the answers that chose it, {out_of_fold}, and "
        f"{selection.best_by_chance:.2f} on shuffled ratings (p = {p})"
    )


def name_of_choice(selection: Selection) -> str:
    """Names the choice: its metrics, and the combiner where one was asked for."""
    metrics = selection.chosen.metrics
    joined = " + ".join(metrics) if len(metrics) <= 4 else f"{len(metrics)} metrics ({', '.join(metrics[:2])}, ...)"
    return joined if selection.chosen.kind == "subset" else f"{selection.chosen.kind} of {joined}"


def format_estimate(estimate: Estimate) -> str:
    """Writes a value with its interval, two decimals.

    Examples:
        >>> format_estimate(Estimate(0.4249, 0.2874, 0.5432))
        '0.42 [0.29, 0.54]'
        >>> format_estimate(Estimate(None, problem="all values are equal"))
        'none (all values are equal)'
    """
    if estimate.value is None:
        return f"none ({estimate.problem})"
    return f"{estimate.value:.2f}" + ("" if estimate.low is None else f" [{estimate.low:.2f}, {estimate.high:.2f}]")


def _comparison_clause(comparison: Comparison, is_baseline: bool) -> str:
    p, other = comparison.p_permutation, comparison.second
    if p is None or comparison.difference.value is None:
        return f"not comparable with {other}"
    if is_baseline:
        other = f"the baseline {other}, at {comparison.rho_second or 0.0:.2f}"
    if p >= SIGNIFICANT:
        return f"no better than {other} (p = {_format_p(p)})"
    word = "better" if comparison.difference.value > 0 else "worse"
    return f"{word} than {other} (p = {_format_p(p)})"


def _rater_clause(raters: Raters | None) -> str:
    if raters is None or raters.ceiling.value is None:
        return "with one rating per answer nobody knows how far your raters agree"
    return f"your raters agree with each other at {raters.ceiling.value:.2f}"


def _format_p(p: float) -> str:
    return f"{p:.2f}" if p >= 0.01 else f"{p:.2g}"


def _problem(rated: int, metrics: tuple[MetricAgreement, ...]) -> str:
    """Why nothing could be chosen, and what to do."""
    if rated < 20:
        return f"Only {rated} rated answers: too few to say which measure to trust; rate at least 20"
    tested = [metric for metric in metrics if not metric.baseline]
    if not tested:
        return "There are only baselines to compare: add a metric"
    if all(metric.problem for metric in tested):
        return f"No measure can be compared with the ratings: {tested[0].name}: {tested[0].problem}"
    return (
        "No measure can be chosen: all ratings are equal, all answers are one group, or no metric scored half of them"
    )
