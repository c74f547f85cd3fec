"""One sentence that a support lead can act on, and the statistics under it."""

from ..presentation.figure import Figure, format_p, format_price
from .agreement import MetricAgreement
from .combiners import SUBSET
from .results import ChosenCombination, Combination, Comparison, Policy, Raters, Selection
from .table import QUESTION_ONLY

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
    chosen = selection.chosen
    if not selection.is_beyond_chance:
        one = chosen.candidates == 1
        subject = f"{name_of(chosen)} does not follow" if one else "No measure and no combination of measures follows"
        advice = f"do not use {'it' if one else 'any of them'} in place of a person"
        return f"{subject} your team's ratings: {advice}."
    rho = chosen.out_of_fold.value or 0.0
    strength = next((name for least, name in STRENGTHS if rho >= least), "weakly")
    single = len(chosen.metrics) == 1
    verb = "follows" if single or chosen.kind != SUBSET else "together follow"
    parts = [f"{name_of(chosen)} {verb} your team {strength}"]
    parts += [clause for choice in _others(selection) if (clause := _alternative(choice, selection))]
    parts.append(_use(policy, "it" if single else "them"))
    equals = [one.second for one in comparisons if _is_baseline(one, metrics) and not _is_better(one)]
    if QUESTION_ONLY in equals:
        parts.append(
            "but nobody can tell yet whether it is better than the question alone, so it may tell hard questions from "
            "easy ones rather than good answers from bad ones"
        )
    named = [choice.combination.metrics for choice in selection.choices]
    parts += [
        f"nobody can tell yet whether it is better than {other}, which costs nothing"
        for other in equals
        if other != QUESTION_ONLY and (other,) not in named
    ]
    return "; ".join(parts) + "."


def _others(selection: Selection) -> list[ChosenCombination]:
    """The choices of the rules that are not preferred."""
    return [
        choice
        for choice in selection.choices
        if (choice.combination.kind, choice.combination.metrics) != (selection.chosen.kind, selection.chosen.metrics)
    ]


def _alternative(choice: ChosenCombination, selection: Selection) -> str:
    """What another rule would choose; empty of the best where the simpler choice agrees as well out of fold."""
    name = name_of(choice.combination)
    if choice.rule == "best":
        is_higher = (choice.combination.out_of_fold.value or 0.0) > (selection.chosen.out_of_fold.value or 0.0)
        return f"{name} agrees best, but not distinguishably better" if is_higher else ""
    if choice.rule == "cheap":
        cost, of_best = (
            format_price(combination.cost or 0.0, selection.cost_unit)
            for combination in (choice.combination, selection.choices[0].combination)
        )
        return f"{name} is the cheapest that is not distinguishably worse ({cost} per 1,000 answers, not {of_best})"
    return f"{name} is simpler and not distinguishably worse"


def _is_baseline(comparison: Comparison, metrics: tuple[MetricAgreement, ...]) -> bool:
    return any(metric.baseline and metric.name == comparison.second for metric in metrics)


def _is_better(comparison: Comparison) -> bool:
    p, difference = comparison.p_permutation, comparison.difference.value
    return p is not None and p < SIGNIFICANT and difference is not None and difference > 0


def _use(policy: Policy | None, pronoun: str) -> str:
    """What the choice is good enough for."""
    if policy is None or policy.send_at is None:
        use = f"use {pronoun} to compare versions and to pick answers to read"
        return f"not good enough to send answers unseen, so {use}"
    share, bound = Figure("share", policy.sent / policy.n if policy.n else 0.0), Figure("share", policy.bound)
    return f"good enough to send {share} of the answers unseen, with at most {bound} bad ones among them"


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
    if not selection.is_beyond_chance:
        return f"{_chance_clause(selection)}; {_rater_clause(raters)}."
    parts = [
        f"{name_of(selection.chosen)}: rho {Figure.from_estimate('rho', selection.chosen.out_of_fold)} out of fold"
    ]
    parts += [_compare_choice(choice, selection) for choice in _others(selection)]
    singles = {f"{choice.combination.metrics[0]} alone" for choice in selection.choices}
    parts += [
        _comparison_clause(comparison, _is_baseline(comparison, metrics))
        for comparison in comparisons
        if not comparison.problem and comparison.second not in singles
    ]
    parts += _higher_rows(selection)
    groups = max(metric.groups for metric in metrics)
    if groups < FEW_GROUPS:
        parts.append(f"rough, from only {groups} groups of answers")
    if lower := [metric.name for metric in metrics if not metric.higher_is_better]:
        parts.append(f"lower is better for {', '.join(lower)}")
    return "; ".join([*parts, _rater_clause(raters)]) + "."


def _compare_choice(choice: ChosenCombination, selection: Selection) -> str:
    """What another rule chooses, what it reaches out of fold, and how far that is from the best."""
    name, reached = name_of(choice.combination), Figure.from_estimate("rho", choice.combination.out_of_fold)
    if choice.rule != "best":
        which = "simplest" if choice.rule == "simple" else "cheapest"
        difference = (
            f", {Figure.from_estimate('correlation', choice.difference)} from the best" if choice.difference else ""
        )
        return f"the {which} that is not distinguishably worse: {name}, {reached}{difference}"
    row = next((row for row in selection.combinations if _is_same(row, choice.combination)), choice.combination)
    text = f"the best of {choice.combination.candidates:,} combinations on these answers is {name}"
    in_table = Figure("rho", row.out_of_fold.value or 0.0)
    text += f" ({in_table} in the table), worth {reached} once the choice is made on other answers"
    own = next((choice for choice in selection.choices if _is_same(choice.combination, selection.chosen)), None)
    if own is not None and own.difference is not None:
        text += f"; the recommendation's difference from that is {Figure.from_estimate('correlation', own.difference)}"
    return text


def _is_same(one: Combination, other: Combination) -> bool:
    return (one.kind, one.metrics) == (other.kind, other.metrics)


def _higher_rows(selection: Selection) -> list[str]:
    """Why a combination in the table stands above the choice, where one does and nothing said it yet."""
    reached, chosen = selection.chosen.out_of_fold.value, selection.chosen
    named = [choice.combination for choice in _others(selection) if choice.rule == "best"]
    named_values = [
        row.out_of_fold.value or 0.0 for row in selection.combinations for best in named if _is_same(row, best)
    ]
    bound = max([reached or 0.0, *named_values]) + 0.005
    higher = [row for row in selection.combinations if (row.out_of_fold.value or -1) >= bound]
    if reached is None or not higher:
        return []
    top = max(higher, key=lambda row: row.out_of_fold.value or -1)
    above = f"{name_of(top)} stands at {Figure('rho', top.out_of_fold.value)} in the table"
    if _is_same(top, chosen):
        return [
            f"{above}: these answers chose it among {chosen.candidates:,} combinations, and the figure here is what is "
            "left of that on other answers"
        ]
    if selection.combine != "all":
        return [f"{above}, but --combine {selection.combine} was asked for"]
    return [f"{above}, within what chance explains"]


def _chance_clause(selection: Selection) -> str:
    chosen, p = selection.chosen, format_p(selection.p_of_selection)
    out_of_fold = f"{Figure.from_estimate('rho', chosen.out_of_fold)} out of fold"
    if chosen.candidates == 1 and chosen.kind != SUBSET:
        return (
            f"{name_of(chosen)} reaches rho {Figure('rho', chosen.in_sample or 0.0)} on the answers that it was fitted "
            f"to, {out_of_fold} ({p})"
        )
    single = chosen.candidates == 1
    return (
        f"{chosen.metrics[0] if single else f'the best of {chosen.candidates:,} combinations'} reaches rho "
        f"{Figure('rho', selection.best_in_sample)} on the answers that chose it, {out_of_fold}, and "
        f"{Figure('rho', selection.best_by_chance)} on shuffled ratings ({p})"
    )


def name_of(combination: Combination) -> str:
    """Names a combination: its metrics, and the combiner where there is one."""
    metrics = combination.metrics
    joined = " + ".join(metrics) if len(metrics) <= 4 else f"{len(metrics)} metrics ({', '.join(metrics[:2])}, ...)"
    if combination.kind != SUBSET and len(metrics) > 4:
        joined = f"all {len(metrics)} metrics"
    return joined if combination.kind == SUBSET else f"{combination.kind} of {joined}"


def _comparison_clause(comparison: Comparison, is_baseline: bool) -> str:
    p, other = comparison.p_permutation, comparison.second
    if p is None or comparison.difference.value is None:
        return f"not comparable with {other}"
    if is_baseline:
        other = f"the baseline {other}, at {Figure('rho', comparison.rho_second or 0.0)}"
    if p >= SIGNIFICANT:
        return f"no better than {other} ({format_p(p)})"
    word = "better" if comparison.difference.value > 0 else "worse"
    return f"{word} than {other} ({format_p(p)})"


def _rater_clause(raters: Raters | None) -> str:
    if raters is None or raters.ceiling.value is None:
        return "with one rating per answer nobody knows how far your raters agree"
    return f"your raters agree with each other at {Figure('rho', raters.ceiling.value)}"


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
