"""One sentence that a support lead can act on."""

from .agreement import MetricAgreement
from .estimate import Estimate
from .results import Comparison, Raters, Selection

SIGNIFICANT = 0.05
FEW_GROUPS = 20  # below it, intervals from resampling groups are too narrow (Cameron, Gelbach and Miller, 2008)


def recommend(
    rated: int,
    metrics: tuple[MetricAgreement, ...],
    raters: Raters | None,
    selection: Selection | None,
    comparisons: tuple[Comparison, ...],
) -> str:
    """The sentence: what agrees best and how far, out of fold; what it is better than; what the raters reach.

    `comparisons` are those of the choice with the best single metric and with the best baseline, where there are such.
    """
    if raters is not None and not raters.validates:
        return raters.problem[0].upper() + raters.problem[1:] + "."
    if selection is None:
        return f"{_why_not(rated, metrics)}; {_of_raters(raters)}."
    chosen = selection.chosen
    agrees = chosen.out_of_fold.low is None or chosen.out_of_fold.low > 0
    if selection.p_of_selection >= SIGNIFICANT or not agrees:
        return f"{_nothing(selection)}; {_of_raters(raters)}."
    parts = [f"{name_of(selection)} agrees best: rho {told(chosen.out_of_fold)} out of fold"]
    baselines = {metric.name for metric in metrics if metric.baseline}
    parts += [_against(each, each.second in baselines) for each in comparisons if not each.problem]
    groups = max(metric.groups for metric in metrics)
    if groups < FEW_GROUPS:
        parts.append(f"rough, from {groups} groups of answers only")
    return "; ".join([*parts, _of_raters(raters)]) + "."


def _nothing(selection: Selection) -> str:
    chosen, p = selection.chosen, _p(selection.p_of_selection)
    out_of_fold = f"{told(chosen.out_of_fold)} out of fold"
    if chosen.kind != "subset":
        return (
            f"The {name_of(selection)} does not agree with the ratings beyond chance: rho "
            f"{chosen.in_sample or 0.0:.2f} on the answers that it was made from, {out_of_fold} (p = {p})"
        )
    one = chosen.candidates == 1
    return (
        f"No metric{'' if one else ' or combination'} agrees with the ratings beyond chance: "
        f"{chosen.metrics[0] if one else f'the best of {chosen.candidates:,}'} reaches rho "
        f"{selection.best_in_sample:.2f} on the answers that chose it, {out_of_fold}, and "
        f"{selection.best_by_chance:.2f} on shuffled ratings (p = {p})"
    )


def name_of(selection: Selection) -> str:
    """What the choice is called: its metrics, and the combiner where one was asked for."""
    joined = _joined(selection.chosen.metrics)
    return joined if selection.chosen.kind == "subset" else f"{selection.chosen.kind} of {joined}"


def _joined(metrics: tuple[str, ...]) -> str:
    return " + ".join(metrics) if len(metrics) <= 4 else f"{len(metrics)} metrics ({', '.join(metrics[:2])}, ...)"


def told(figure: Estimate) -> str:
    """A figure with its interval, two decimals."""
    if figure.value is None:
        return f"none ({figure.problem})"
    return f"{figure.value:.2f}" + ("" if figure.low is None else f" [{figure.low:.2f}, {figure.high:.2f}]")


def _against(comparison: Comparison, baseline: bool) -> str:
    p, other = comparison.p_permutation, comparison.second
    if p is None or comparison.difference.value is None:
        return f"not comparable with {other}"
    if baseline:
        other = f"the baseline {other}, at {comparison.rho_second or 0.0:.2f}"
    if p >= SIGNIFICANT:
        return f"no better than {other} (p = {_p(p)})"
    word = "better" if comparison.difference.value > 0 else "worse"
    return f"{word} than {other} (p = {_p(p)})"


def _of_raters(raters: Raters | None) -> str:
    if raters is None or raters.ceiling.value is None:
        return "with one rating an answer nobody knows how far your raters agree"
    return f"your raters agree with each other at {raters.ceiling.value:.2f}"


def _p(p: float) -> str:
    return f"{p:.2f}" if p >= 0.01 else f"{p:.2g}"


def _why_not(rated: int, metrics: tuple[MetricAgreement, ...]) -> str:
    if rated < 20:
        return f"Only {rated} rated answers: too few to say which metric to trust; rate at least 20"
    tested = [metric for metric in metrics if not metric.baseline]
    if not tested:
        return "There are only baselines to compare: add a metric"
    if all(metric.problem for metric in tested):
        return f"No metric can be told from chance: {tested[0].name}: {tested[0].problem}"
    return "No combination can be chosen: all ratings are equal, all groups are one, or no metric scored half of them"
