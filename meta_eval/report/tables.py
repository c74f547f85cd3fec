"""The tables of a meta-evaluation."""

from collections.abc import Sequence

from ...presentation.figure import Figure, figures
from ...presentation.result_table import Cell, Column, Content, ResultTable, Rows, Tone
from ..agreement import MetricAgreement
from ..results import Combination, Comparison, MetaEvaluation, PaperTables, Policy, Raters, Selection, StarRow
from ..scorer_check import ScorerCheck

_BEST = "Spearman [95%]"


def calibration_table(check: ScorerCheck) -> ResultTable:
    """What a saved scorer predicts beside what people gave."""
    columns = (Column("answers"), Column("mean predicted"), Column("mean rating"))
    rows: Rows = tuple(
        (Figure("count", one.n), Figure("mean", one.predicted), Figure("mean", one.rating)) for one in check.calibration
    )
    return ResultTable("Calibration", columns, rows)


def metric_table(evaluation: MetaEvaluation, *, is_detailed: bool) -> ResultTable:
    """Each metric against the ratings, the best first.

    Args:
        evaluation: The evaluation.
        is_detailed: Whether the columns that need more room are shown too, so that the note explains them.
    """
    corrected = "p of all" if is_detailed else "p"
    columns = (
        Column("metric", "name"),
        Column("n", detail="wide"),
        Column("scored"),
        Column(_BEST),
        Column("Kendall", detail="page"),
        Column("Pearson", detail="page"),
        Column("pairs", detail="wide"),
        Column("AUROC bad", detail="wide"),
        Column("AUROC good", detail="wide"),
        Column("p", detail="wide"),
        Column("p, groups", detail="page"),
        Column("p, B-Y", detail="page"),
        Column(corrected),
        Column("", "text", is_whole=True),
    )
    metrics = sorted(evaluation.metrics, key=lambda metric: -_rho(metric, without=-2))
    best_baseline = max((_rho(one) for one in metrics if one.baseline and one.spearman.value is not None), default=None)
    rows: Rows = tuple(
        (
            Cell(metric.name, note="" if metric.higher_is_better else "lower is better"),
            Figure("count", metric.n),
            Figure("share", metric.coverage),
            Figure.from_estimate("correlation", metric.spearman),
            *(
                Figure("correlation", one.value, one.low, one.high) for one in (metric.kendall, metric.pearson)
            ),  # what is missing has the reason that Spearman's has
            *(
                Figure("coefficient", one.value)
                for one in (metric.pairwise_accuracy, metric.auroc_bad, metric.auroc_good)
            ),
            *map(figures("p"), (metric.p, metric.p_grouped, metric.p_by, metric.p_max_t)),
            _remark(metric, best_baseline, is_detailed),
        )
        for metric in metrics
    )
    note = f"{corrected}: corrected for the number of metrics (max-T)."
    if is_detailed:
        note = (
            "pairs: share of pairs of answers that it orders as the raters do. AUROC bad, good: how well it finds bad "
            f"and good answers. {note}"
        )
    return ResultTable("Each metric against the ratings", columns, rows, _tones(metrics), note)


def _rho(metric: MetricAgreement, *, without: float = 0.0) -> float:
    return without if metric.spearman.value is None else metric.spearman.value


def _tones(metrics: Sequence[MetricAgreement]) -> tuple[Tone, ...]:
    return tuple("baseline" if metric.baseline else "" for metric in metrics)


def _remark(metric: MetricAgreement, best_baseline: float | None, is_detailed: bool) -> Cell:
    """Where a metric stands among the baselines; in detail also that its lower values are better."""
    place = ""
    tone: Tone = ""
    if metric.baseline:
        place = "baseline"
    elif metric.spearman.value is not None and best_baseline is not None:
        is_above = metric.spearman.value >= best_baseline
        place, tone = ("above baseline", "better") if is_above else ("below baseline", "worse")
    direction = "lower is better" if is_detailed and not metric.higher_is_better else ""
    return Cell(", ".join(filter(None, (place, direction))), tone)


def rater_tables(raters: Raters) -> tuple[ResultTable, ...]:
    """The raters with each other, and whether a metric could replace one of them."""
    tables = (_pair_table(raters), _alternative_table(raters))
    return tuple(table for table in tables if table.rows)


def rater_table(raters: Raters) -> ResultTable:
    """Each rater against the mean of the others."""
    columns = (Column("rater", "text"), Column("n"), Column("Spearman"))
    rows: Rows = tuple((one.rater, Figure("count", one.n), Figure("correlation", one.rho)) for one in raters.by_rater)
    return ResultTable("Each rater against the mean of the others", columns, rows)


def _pair_table(raters: Raters) -> ResultTable:
    columns = (Column("raters", "text"), Column("n"), Column("Cohen's kappa"), Column("quadratic"))
    rows: Rows = tuple(
        (
            f"{pair.first}, {pair.second}",
            Figure("count", pair.n),
            *map(figures("coefficient"), (pair.kappa, pair.weighted_kappa)),
        )
        for pair in raters.pairs
    )
    return ResultTable("Raters with each other", columns, rows)


def _alternative_table(raters: Raters) -> ResultTable:
    columns = (
        Column("metric", "name"),
        Column("raters it may replace"),
        Column("advantage"),
        Column("could replace a rater"),
    )
    rows: Rows = tuple(
        (
            one.metric,
            Figure("share", one.winning_rate),
            Figure("coefficient", one.advantage),
            one.problem or ("yes" if one.passes else "no"),
        )
        for one in raters.alternatives
    )
    return ResultTable("Could a metric replace a rater? (alternative-annotator test)", columns, rows)


def combination_table(selection: Selection) -> ResultTable:
    """The combinations by size, the fitted combiners after them."""
    columns = (
        Column("combination", "text"),
        Column("metrics", "name"),
        Column("in sample", detail="wide"),
        Column("out of fold [95%]", is_whole=True),
        Column("optimism", detail="wide"),
        Column("", "text"),
    )
    rows: Rows = tuple(
        (
            Cell(combination_name(one), note=_candidates(one)),
            " + ".join(one.metrics) if one.kind == "subset" else f"all {len(one.metrics)}",
            Figure("correlation", one.in_sample),
            Figure.from_estimate("correlation", one.out_of_fold),
            Figure("correlation", one.optimism),
            Cell("chosen", "chosen") if one.chosen else "",
        )
        for one in selection.combinations
    )
    tones: tuple[Tone, ...] = tuple("chosen" if one.chosen else "" for one in selection.combinations)
    return ResultTable(f"Combinations ({selection.combine})", columns, rows, tones)


def combination_name(combination: Combination) -> str:
    """What kind of combination it is: the best subset of a size, the cheap one, or a combiner's name."""
    if combination.kind != "subset":
        return combination.kind
    return f"best of {combination.size}" if combination.most_cost is None else "cheap"


def _candidates(combination: Combination) -> str:
    is_choice = combination.kind == "subset" and combination.most_cost is None and combination.candidates > 1
    return f"({Figure('count', combination.candidates)} tried)" if is_choice else ""


def comparison_table(comparisons: Sequence[Comparison], most: int | None = None) -> ResultTable:
    """Two measures at a time on the same answers.

    Args:
        comparisons: The comparisons; at least one.
        most: How many are shown; None for all.
    """
    columns = (
        Column("difference of Spearman", "name"),
        Column("n", detail="wide"),
        Column("[95%]", is_whole=True),
        Column("p (Williams)", detail="wide"),
        Column("p (permuted)"),
        Column(f"equal within {Figure('rating', comparisons[0].margin)}", detail="wide"),
    )
    rows: Rows = tuple(
        (
            f"{one.first} - {one.second}",
            Figure("count", one.n),
            one.problem or Figure.from_estimate("correlation", one.difference),
            *map(figures("p"), (one.p_williams, one.p_permutation)),
            {True: "yes", False: "no", None: "-"}[one.equivalent],
        )
        for one in comparisons[:most]
    )
    return ResultTable("Metrics compared", columns, rows)


def paper_tables(tables: PaperTables) -> tuple[ResultTable, ...]:
    """Tables III, IV and V of 001, as far as there is something in them."""
    return tuple(table for table in (_type_table(tables), _star_table(tables), _deviation_table(tables)) if table.rows)


def _type_table(tables: PaperTables) -> ResultTable:
    rows: Rows = tuple(
        (
            row.label,
            Figure("count", row.n),
            *map(figures("coefficient"), (row.f1, row.accuracy, row.precision, row.recall)),
        )
        for row in tables.types
    )
    columns = (Column("", "text"), *map(Column, ("n", "F1", "accuracy", "precision", "recall")))
    return ResultTable("Table III: message types", columns, rows)


def _star_table(tables: PaperTables) -> ResultTable:
    """Table IV as it is printed: one row per score, one column per set, both in the rows' order."""
    labels = tuple(dict.fromkeys(row.label for row in tables.correlations))
    by_place = {(row.metric, row.label): row for row in tables.correlations}
    rows: Rows = tuple(
        (metric, *(_star_cell(by_place.get((metric, label))) for label in labels))
        for metric in dict.fromkeys(row.metric for row in tables.correlations)
    )
    columns = (Column("metric", "name"), *map(Column, labels))
    return ResultTable("Table IV: Spearman (* p < 0.05, ** p < 0.01)", columns, rows)


def _star_cell(row: StarRow | None) -> Content:
    if row is None:
        return "-"
    return Cell(f"{Figure('correlation', row.rho)}{row.stars}", note=f"n = {row.n}")


def _deviation_table(tables: PaperTables) -> ResultTable:
    heads = (
        f"rated {Figure('rating', level)} (n = {count})"
        for level, count in zip(tables.levels, tables.counts, strict=True)
    )
    rows: Rows = tuple((row.condition, *map(figures("share"), row.shares)) for row in tables.deviations)
    return ResultTable(f"Table V: {tables.deviations_of}", (Column("", "text"), *map(Column, heads)), rows)


def procedure_table(evaluation: MetaEvaluation) -> ResultTable | None:
    """What the procedure of 001 did with each metric; None where it was not followed."""
    if evaluation.paper_procedure is None:
        return None
    columns = (
        Column("metric", "name"),
        Column("Spearman"),
        Column("p"),
        Column("kept at first by", "text"),
        Column("all without it"),
        Column("kept"),
    )
    rows: Rows = tuple(
        (
            step.metric,
            Figure("correlation", step.rho),
            Figure("p", step.p),
            step.kept_by or "dropped",
            Figure("correlation", step.ablation),
            "yes" if step.kept else "no",
        )
        for step in evaluation.paper_procedure.steps
    )
    return ResultTable("Step by step", columns, rows)


def slice_table(evaluation: MetaEvaluation, metrics: Sequence[str]) -> ResultTable:
    """The agreement by language, message type or another attribute.

    Args:
        evaluation: The evaluation.
        metrics: The metrics that have a column beside the chosen combination; the first also where there is no room.
    """
    columns = (
        Column("", "text"),
        Column("n"),
        Column("mean rating", detail="wide"),
        Column("chosen, out of fold"),
        *(Column(name, detail="wide" if number else "always") for number, name in enumerate(metrics)),
    )
    rows = []
    for part in evaluation.slices:
        estimates = dict(part.metrics)
        rows.append(
            (
                f"{part.attribute} {part.label or '(unknown)'}",
                Figure("count", part.n),
                Figure("mean", part.mean_rating),
                Figure.from_estimate("correlation", part.chosen),
                *(Figure.from_estimate("correlation", estimates[one]) if one in estimates else "-" for one in metrics),
            )
        )
    return ResultTable("By slice (Spearman)", columns, tuple(rows))


def policy_table(policy: Policy) -> ResultTable:
    """What could be done with a score: send the answer, leave it to a person, or hold it back."""
    send = "none" if policy.send_at is None else f"{Figure('mean', policy.send_at)} and above"
    hold = "none" if policy.hold_below is None else f"below {Figure('mean', policy.hold_below)}"
    wrong, right = (Figure.from_estimate("share", rate) for rate in (policy.wrong_rate, policy.right_held_rate))
    rows: Rows = (
        ("sent to the customer", send, Figure("count", policy.sent), f"{policy.sent_bad} bad: {wrong}"),
        ("left to a person", "between", Figure("count", policy.to_person), ""),
        ("held back", hold, Figure("count", policy.held), f"{policy.held_good} good: {right}"),
    )
    columns = (Column("answers", "text"), Column("score"), Column("n"), Column("wrongly"))
    return ResultTable("What could be done with a score (out of fold)", columns, rows)
