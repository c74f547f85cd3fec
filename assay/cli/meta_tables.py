"""A meta-evaluation in a terminal: the sentence, then the tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .output import STYLES, Column, is_wide, make_table, one_line, open_console

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text

    from ..meta_eval.agreement import MetricAgreement
    from ..meta_eval.estimate import Estimate
    from ..meta_eval.results import Combination, Comparison, MetaEvaluation, Policy, Raters, Selection
    from ..meta_eval.score_files import JoinedScores
    from ..meta_eval.scorer_check import ScorerCheck

_SLICE_METRICS = 2  # metrics in the table of slices, the chosen ones first
_MOST_COMPARISONS = 6  # the report has all of them


def print_scorer_check(file: "Path", check: "ScorerCheck") -> None:
    """Prints whether a saved scorer still holds: the advice, agreement then and now, and the calibration."""
    from rich.text import Text

    console = open_console()
    more = f" ({check.more_ratings} more ratings)" if check.advice == "rate more" else ""
    console.print(Text(one_line(f"{file}: {check.advice}{more}: {check.reason}."), style="bold"))
    console.print(
        Text(
            f"Agreement with the ratings: {interval(check.before)} when it was fitted, {interval(check.now)} now "
            f"({check.n} answers); change {interval(check.change)}\n"
            f"Ratings inside its interval: {interval(check.coverage)}"
        )
    )
    columns = (Column("answers"), Column("mean predicted"), Column("mean rating"))
    rows = [(str(one.n), f"{one.predicted:.2f}", f"{one.rating:.2f}") for one in check.calibration]
    console.print(make_table("Calibration", columns, rows))


def print_evaluation(evaluation: "MetaEvaluation", joined: "JoinedScores") -> None:
    """Prints the sentence, then the tables behind it."""
    from rich.text import Text

    console = open_console()
    console.print(Text(one_line(evaluation.recommendation), style="bold"))
    console.print(Text(one_line(evaluation.explanation)))
    settings = evaluation.settings
    console.print(
        Text(
            f"{settings.rated} rated items of {settings.items} in {settings.groups} groups, scale "
            f"{settings.rating_min:g}-{settings.rating_max:g}; {settings.bootstrap} resamples of whole groups, "
            f"seed {settings.seed}",
            style="dim",
        )
    )
    for note in joined.notes:
        console.print(Text(one_line(note, 300), style="dim"))
    _print_metrics(console, evaluation)
    if evaluation.raters is not None:
        _print_raters(console, evaluation.raters)
    if evaluation.selection is not None:
        baselines = {each.name for each in evaluation.metrics if each.baseline}
        _print_combinations(console, evaluation.selection, baselines)
    _print_comparisons(console, evaluation.comparisons)
    _print_paper(console, evaluation)
    _print_slices(console, evaluation)
    if evaluation.policy is not None:
        _print_policy(console, evaluation.policy)
    if evaluation.mean_rating is not None:
        estimates = evaluation.mean_rating
        console.print(
            Text(
                f"\nMean rating of all {estimates.rated + estimates.unrated} answers: {interval(estimates.mean)} "
                f"(the {estimates.rated} rated ones alone: {interval(estimates.classical)})"
            )
        )


def interval(estimate: "Estimate", digits: int = 2, *, signed: bool = False) -> str:
    """Returns `0.52 [0.38, 0.63]`, or why there is no value or interval."""
    if estimate.value is None:
        return f"none: {estimate.problem}" if estimate.problem else "none"
    form = f"{'+' if signed else ''}.{digits}f"
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:{form}}" + (f" ({estimate.problem})" if estimate.problem else "")
    return f"{estimate.value:{form}} [{estimate.low:{form}}, {estimate.high:{form}}]"


def figure(value: float | None) -> str:
    """Returns a figure with two digits, or a dash.

    Example:
        >>> figure(-0.001), figure(None)
        ('0.00', '-')
    """
    return "-" if value is None else f"{round(value, 2) + 0.0:.2f}"  # + 0.0: there is no -0.00


def p_value(p: float | None) -> str:
    """Returns `0.031`, `<0.001`, or a dash."""
    return "-" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"


def p_equation(p: float) -> str:
    """Returns `p = 0.031` or `p < 0.001`."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _print_table(
    console: "Console",
    title: str,
    columns: Sequence[Column],
    rows: "Sequence[Sequence[str | Text]]",
    styles: Sequence[str] = (),
) -> None:
    console.print()
    console.print(make_table(title, columns, rows, styles))


def _print_metrics(console: "Console", evaluation: "MetaEvaluation") -> None:
    corrected = "p of all" if is_wide() else "p"
    columns = (
        Column("metric", is_text=True),
        Column("n", is_extra=True),
        Column("scored"),
        Column("Spearman [95%]"),
        Column("pairs", is_extra=True),
        Column("AUROC bad", is_extra=True),
        Column("AUROC good", is_extra=True),
        Column("p", is_extra=True),
        Column(corrected),
        Column("", is_text=True, is_whole=True),
    )
    order = sorted(evaluation.metrics, key=lambda each: -(-2 if each.spearman.value is None else each.spearman.value))
    baselines = [each.spearman.value for each in order if each.baseline and each.spearman.value is not None]
    best_baseline = max(baselines, default=None)
    rows: list[Sequence[str | Text]] = [
        (
            metric.name,
            str(metric.n),
            f"{metric.coverage:.0%}",
            interval(metric.spearman, signed=True),
            *(figure(each.value) for each in (metric.pairwise_accuracy, metric.auroc_bad, metric.auroc_good)),
            p_value(metric.p),
            p_value(metric.p_max_t),
            _remark(metric, best_baseline),
        )
        for metric in order
    ]
    styles = [STYLES["baseline"] if metric.baseline else "" for metric in order]
    _print_table(console, "Each metric against the ratings", columns, rows, styles)
    legend = f"{corrected}: corrected for the number of metrics (max-T)."
    if is_wide():
        legend = (
            "pairs: share of pairs of answers that it orders as the raters do. AUROC bad, good: how well it finds bad "
            f"and good answers. {legend}"
        )
    console.print(legend, style="dim")


def _remark(metric: "MetricAgreement", best_baseline: float | None) -> "Text":
    """Where a metric stands among the baselines; with `--wide` also that its lower values are better."""
    from rich.text import Text

    place, style = "", ""
    if metric.baseline:
        place = "baseline"
    elif metric.spearman.value is not None and best_baseline is not None:
        is_above = metric.spearman.value >= best_baseline
        place, style = ("above baseline", STYLES["better"]) if is_above else ("below baseline", STYLES["worse"])
    direction = "lower is better" if is_wide() and not metric.higher_is_better else ""
    return Text(", ".join(filter(None, (place, direction))), style=style)


def _print_raters(console: "Console", raters: "Raters") -> None:
    from rich.text import Text

    lines = [
        f"\n{raters.count} raters, {raters.items_rated_twice} items rated twice or more: Krippendorff's alpha "
        f"{interval(raters.alpha)}; each rater against the mean of the others: {interval(raters.ceiling)}"
    ]
    if raters.problem:
        lines.append(raters.problem)
    console.print(Text(one_line(lines[0])))
    for line in lines[1:]:
        console.print(Text(one_line(line), style="bold"))
    if raters.pairs:
        pairs = [
            (f"{pair.first}, {pair.second}", str(pair.n), figure(pair.kappa), figure(pair.weighted_kappa))
            for pair in raters.pairs
        ]
        columns = (Column("raters", is_text=True), Column("n"), Column("Cohen's kappa"), Column("quadratic"))
        _print_table(console, "Raters with each other", columns, pairs)
    if raters.alternatives:
        rows = [
            (
                each.metric,
                figure(each.winning_rate),
                figure(each.advantage),
                each.problem or ("yes" if each.passes else "no"),
            )
            for each in raters.alternatives
        ]
        columns = (
            Column("metric", is_text=True),
            Column("raters it may replace"),
            Column("advantage"),
            Column("could replace a rater"),
        )
        _print_table(console, "Could a metric replace a rater? (alternative-annotator test)", columns, rows)


def _print_combinations(console: "Console", selection: "Selection", baselines: set[str]) -> None:
    from rich.text import Text

    from ..meta_eval.recommendation import format_cost, name_of

    columns = (
        Column("combination", is_text=True),
        Column("metrics", is_text=True),
        Column("in sample", is_extra=True),
        Column("out of fold [95%]", is_whole=True),
        Column("optimism", is_extra=True),
        Column("", is_text=True),
    )
    rows = [_combination(each) for each in selection.combinations]
    _print_table(console, f"Combinations ({selection.combine})", columns, rows)
    console.print(
        Text(
            f"out of fold: chosen and judged on different answers, {selection.repeats} x {selection.folds} folds. The "
            f"best of all on shuffled ratings: {selection.best_by_chance:.2f}; here {selection.best_in_sample:.2f} "
            f"({p_equation(selection.p_of_selection)}).",
            style="dim",
        )
    )
    for choice in selection.choices:
        cost = choice.combination.cost
        price = "" if cost is None else f"; {format_cost(cost, selection.cost_unit)} per 1,000 answers"
        less = "" if choice.difference is None else f", {interval(choice.difference, signed=True)} less the best"
        reached = interval(choice.combination.out_of_fold, signed=True)
        console.print(Text(one_line(f"{choice.rule}: {name_of(choice.combination)} {reached}{less}{price}", 300)))
    stable = [(metric, part) for metric, part in sorted(selection.stability, key=lambda pair: -pair[1]) if part]
    if stable:
        shares = ", ".join(f"{metric} {part:.0%}" for metric, part in stable)
        console.print(Text(f"How often resampled answers choose a metric: {one_line(shares)}", style="dim"))
    for metric, reason in selection.left_out:
        if metric not in baselines:
            console.print(Text(f"{one_line(metric)} is left out: {one_line(reason)}", style="dim"))


def _kind(combination: "Combination") -> str:
    if combination.kind != "subset":
        return combination.kind
    return f"best of {combination.size}" if combination.most_cost is None else "cheap"


def _combination(combination: "Combination") -> tuple[str, ...]:
    return (
        _kind(combination),
        " + ".join(combination.metrics) if combination.kind == "subset" else f"all {len(combination.metrics)}",
        figure(combination.in_sample),
        interval(combination.out_of_fold, signed=True),
        figure(combination.optimism),
        "chosen" if combination.chosen else "",
    )


def _print_comparisons(console: "Console", comparisons: "tuple[Comparison, ...]") -> None:
    rows = [
        (
            f"{each.first} - {each.second}",
            str(each.n),
            interval(each.difference, signed=True) if not each.problem else each.problem,
            p_value(each.p_williams),
            p_value(each.p_permutation),
            {True: "yes", False: "no", None: "-"}[each.equivalent],
        )
        for each in comparisons[:_MOST_COMPARISONS]
    ]
    if rows:
        within = f"equal within {comparisons[0].margin:g}"
        columns = (
            Column("difference of Spearman", is_text=True),
            Column("n", is_extra=True),
            Column("[95%]", is_whole=True),
            Column("p (Williams)", is_extra=True),
            Column("p (permuted)"),
            Column(within, is_extra=True),
        )
        _print_table(console, "Metrics compared", columns, rows)


def _print_paper(console: "Console", evaluation: "MetaEvaluation") -> None:
    from rich.text import Text

    from ..meta_eval.report.correlation_table import by_set

    if procedure := evaluation.paper_procedure:
        metrics = " + ".join(procedure.metrics) or "nothing"
        console.print(
            Text(
                f"\nThe procedure of the AFAS paper keeps {one_line(metrics)}: rho {figure(procedure.rho)} in sample, "
                f"{interval(procedure.out_of_fold)} out of fold"
            )
        )
    tables = evaluation.paper_tables
    if tables is None:
        return
    if tables.types:
        rows = [
            (row.label, str(row.n), *map(figure, (row.f1, row.accuracy, row.precision, row.recall)))
            for row in tables.types
        ]
        columns = [Column("", is_text=True), *map(Column, ("n", "F1", "accuracy", "precision", "recall"))]
        _print_table(console, "Table III: message types", columns, rows)
    if tables.correlations:
        labels, rows_by_metric = by_set(tables.correlations)
        stars = [
            (name, *("-" if row is None else figure(row.rho) + row.stars for row in rows))
            for name, rows in rows_by_metric
        ]
        columns = [Column("metric", is_text=True), *map(Column, labels)]
        _print_table(console, "Table IV: Spearman (* p < 0.05, ** p < 0.01)", columns, stars)
    if tables.deviations:
        headings = [f"rated {level:g} (n = {n})" for level, n in zip(tables.levels, tables.counts, strict=True)]
        shares = [(row.condition, *("-" if s is None else f"{s:.0%}" for s in row.shares)) for row in tables.deviations]
        columns = [Column("", is_text=True), *map(Column, headings)]
        _print_table(console, f"Table V: {tables.deviations_of}", columns, shares)


def _print_slices(console: "Console", evaluation: "MetaEvaluation") -> None:
    if not evaluation.slices:
        return
    chosen = set(evaluation.selection.chosen.metrics) if evaluation.selection else set()
    best = sorted(evaluation.metrics, key=lambda each: -(each.spearman.value or 0))
    shown = [each.name for each in best if each.name in chosen]
    shown += [each.name for each in best if each.name not in chosen and not each.baseline][
        : max(0, _SLICE_METRICS - len(shown))
    ]
    rows = []
    for part in evaluation.slices:
        estimates = dict(part.metrics)
        cells = [interval(estimates[name], signed=True) if name in estimates else "-" for name in shown]
        rating = "-" if part.mean_rating is None else f"{part.mean_rating:.2f}"
        label = f"{part.attribute} {part.label or '(unknown)'}"
        rows.append((label, str(part.n), rating, interval(part.chosen, signed=True), *cells))
    columns = (
        Column("", is_text=True),
        Column("n"),
        Column("mean rating", is_extra=True),
        Column("chosen, out of fold"),
        *(Column(name, is_extra=number > 0) for number, name in enumerate(shown)),
    )
    _print_table(console, "By slice (Spearman)", columns, rows)


def _print_policy(console: "Console", policy: "Policy") -> None:
    from rich.text import Text

    if policy.problem:
        console.print(Text(f"\nSending answers without a person: {one_line(policy.problem)}"))
        return
    send = "none" if policy.send_at is None else f"{policy.send_at:.2f} and above"
    hold = "none" if policy.hold_below is None else f"below {policy.hold_below:.2f}"
    rows = [
        ("sent to the customer", send, str(policy.sent), f"{policy.sent_bad} bad: {interval(policy.wrong_rate)}"),
        ("left to a person", "between", str(policy.to_person), ""),
        ("held back", hold, str(policy.held), f"{policy.held_good} good: {interval(policy.right_held_rate)}"),
    ]
    columns = (Column("answers", is_text=True), Column("score"), Column("n"), Column("wrongly"))
    _print_table(console, "What could be done with a score (out of fold)", columns, rows)
    console.print(
        Text(
            f"At most {policy.bound:.0%} bad answers among those sent, with {policy.confidence:.0%} confidence; "
            f"{policy.hours_saved:.1f} hours saved per 1,000 answers at {policy.minutes:g} minutes each.",
            style="dim",
        )
    )
