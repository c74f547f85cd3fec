"""The tables of a meta-evaluation."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from ...presentation.figure import Figure
from ...presentation.result_table import PLACE_TONES, Column, Field, ResultTable, Rows, TableCell, tabulate
from ...text.wording import count_of
from ..agreement import MetricAgreement
from ..comparison import Comparison, describe_more_ratings
from ..correlation import place_beside
from ..estimate import Estimate
from ..meta_evaluation import MetaEvaluation, SliceAgreement
from ..pass_fail import PassFail, Trials
from ..raters import Raters
from ..selection import Combination, Selection
from ..sending import Policy
from ..version_agreement import MetricVersions, VersionAgreement

_KNOWN = {"better": "better", "worse": "worse", "equivalent": "equal"}


def metric_table(evaluation: MetaEvaluation) -> ResultTable:
    """Each metric against the ratings, the best first."""
    metrics = sorted(evaluation.metrics, key=lambda metric: -_rho(metric, without=-2))
    best_baseline = max((_rho(one) for one in metrics if one.baseline and one.spearman.value is not None), default=None)
    fields = (
        Field(
            "metric", "name", lambda one: TableCell(one.name, note="" if one.higher_is_better else "lower is better")
        ),
        Field("n", "count", lambda metric: metric.n, "wide"),
        Field("scored", "share", lambda metric: metric.coverage),
        Field("Spearman [95%]", "correlation", lambda metric: metric.spearman),
        Field("AUROC, bad answers", "coefficient", lambda metric: metric.auroc_bad.value, "wide"),
        Field("p", "p", lambda metric: metric.p),
        Field("", "text", lambda metric: _place(metric, best_baseline), is_whole=True),
    )
    note = (
        "p: how often chance alone would make one of all these metrics agree as far. The figures are of the "
        "very answers that chose among the metrics; that of the sentence is corrected for the choice."
    )
    if turned := [one.name for one in metrics if not one.higher_is_better]:
        note += (
            f" Lower is better for {', '.join(turned)}: turned round here, so that + agrees with the raters (`assay "
            "run` and `assay show` leave the sign)."
        )
    return tabulate(
        "Each metric against the ratings",
        metrics,
        fields,
        tone=lambda one: "baseline" if one.baseline else "",
        note=note,
    )


def _rho(metric: MetricAgreement, *, without: float = 0.0) -> float:
    return without if metric.spearman.value is None else metric.spearman.value


def _place(metric: MetricAgreement, best_baseline: float | None) -> TableCell:
    """Where a metric stands among the baselines."""
    place = "baseline" if metric.baseline else place_beside(metric.spearman.value, best_baseline)
    return TableCell(place, "" if metric.baseline else PLACE_TONES.get(place, ""))


def rater_table(raters: Raters) -> ResultTable:
    """The raters with each other, where two of them rated the same answers."""
    fields = (
        Field("raters", "text", lambda pair: f"{pair.first}, {pair.second}"),
        Field("n", "count", lambda pair: pair.n),
        Field("Cohen's kappa", "coefficient", lambda pair: pair.kappa),
        Field("quadratic", "coefficient", lambda pair: pair.weighted_kappa),
    )
    return tabulate("Raters with each other", raters.pairs, fields)


def combination_table(selection: Selection) -> ResultTable:
    """The combinations by size, all metrics weighed last."""
    fields = (
        Field("combination", "text", lambda one: TableCell(_name_kind(one), note=_candidates(one))),
        Field("on all answers", "text", lambda one: " + ".join(one.metrics)),
        Field("in sample", "correlation", lambda one: one.in_sample, "wide"),
        Field("chosen anew [95%]", "correlation", selection.agreement_of, is_whole=True),
        Field("optimism", "correlation", selection.optimism_of, "wide"),
        Field("", "text", lambda one: TableCell("chosen", "chosen") if one.chosen else ""),
    )
    rows = selection.combinations
    return tabulate(
        "Combinations",
        rows,
        fields,
        tone=lambda one: "chosen" if one.chosen else "",
        note="chosen anew: out of fold, where a way chooses without the answers that it is judged on. Best of 1 may "
        "take another metric in each fold; each metric as it is stands in the first table. The figure of the chosen "
        "one is corrected for the choice, which is made inside the folds and takes the simplest of those that are "
        "hardly told apart: another may stand higher.",
    )


PASS_FAIL_FIELDS = (
    Field("passes from", "cut", lambda row: row[1].threshold),
    Field("TP", "count", lambda row: row[1].true_positive),
    Field("FP", "count", lambda row: row[1].false_positive),
    Field("FN", "count", lambda row: row[1].false_negative),
    Field("TN", "count", lambda row: row[1].true_negative),
    Field("sensitivity", "share", lambda row: row[1].sensitivity, "wide"),
    Field("specificity", "share", lambda row: row[1].specificity, "wide"),
    Field("precision", "share", lambda row: row[1].precision, "wide"),
    Field("kappa, out of fold [95%]", "correlation", lambda row: row[1].kappa),
    Field("AC2, out of fold [95%]", "correlation", lambda row: row[1].ac2, "wide"),
)
"""The columns of a table of pairs: whose agreement it is, and the agreement (`PassFail`)."""


def pass_fail_table(agreement: Mapping[str, PassFail], lower: Collection[str] = ()) -> ResultTable:
    """Each metric at its threshold beside people, at or below it for those of `lower`, of which lower is better."""

    def cut(row: tuple[str, PassFail]) -> float | str | None:
        threshold = row[1].threshold
        return f"at or below {Figure('cut', threshold)}" if row[0] in lower else threshold

    note = (
        "An answer passes unless it is rated below the middle of the scale. TP: people and the metric pass it; FP: "
        "only the metric does; FN: only people do; TN: both fail it. sensitivity: of what people pass, the metric "
        "passes; specificity: of what people fail, it fails; precision: of what it passes, people pass. kappa: "
        "agreement beyond chance, 0 where it only repeats how often people pass; AC2: the same, but high where nearly "
        "all pass on both sides. These answers chose the thresholds of graded metrics; out of fold, other answers did."
    )
    return tabulate(
        "Pass and fail, beside people",
        list(agreement.items()),
        (Field("metric", "name", lambda row: row[0]), replace(PASS_FAIL_FIELDS[0], read=cut), *PASS_FAIL_FIELDS[1:]),
        note=note,
    )


def trial_table(trials: Sequence[Trials]) -> ResultTable:
    """How often trials of one question pass, and how often several all do."""
    most = max(max(one.pass_all) for one in trials)
    fields = (
        Field("version", "name", lambda one: one.version or "all"),
        Field("by", "name", lambda one: one.by),
        Field("questions", "count", lambda one: one.questions),
        Field("trials", "count", lambda one: one.trials),
        Field("pass rate [95%]", "share", lambda one: one.pass_rate),
        *(Field(f"pass^{k} [95%]", "share", partial(_pass_all, k)) for k in sorted({2, most})),
    )
    note = "Trials are answers of one version to one question. pass^k: the chance that k trials of a question all pass."
    return tabulate("Repeated trials", trials, fields, note=note)


def _pass_all(k: int, trials: Trials) -> Estimate | None:
    return trials.pass_all.get(k)


def _name_kind(combination: Combination) -> str:
    return "all, weighed" if combination.kind == "weighed" else f"best of {combination.size}"


def _candidates(combination: Combination) -> str:
    is_choice = combination.candidates > 1
    return f"({Figure('count', combination.candidates)} tried)" if is_choice else ""


def comparison_table(comparisons: Sequence[Comparison]) -> ResultTable:
    """Two measures at a time on the same answers."""
    margin = Figure("rating", comparisons[0].margin)
    fields = (
        Field("difference of Spearman", "name", lambda one: f"{one.first} - {one.second}"),
        Field("n", "count", lambda one: one.n, "wide"),
        Field("[95%]", "correlation", lambda one: one.problem or one.difference, is_whole=True),
        Field("p", "p", lambda one: one.difference.p, "wide"),
        Field(f"known (equal: within {margin})", "text", _known),
    )
    note = "The best of several looks better than it is: `better` and `worse` count how many it was chosen from."
    return tabulate("Metrics compared", comparisons, fields, note=note)


def _known(comparison: Comparison) -> str:
    """What is known of a difference, or how many more ratings would tell."""
    standing = comparison.standing
    more = describe_more_ratings(standing.more_ratings) if standing.more_ratings else "more"
    return "" if comparison.problem else _KNOWN.get(standing.kind, f"not yet: {more} ratings")


def slice_table(evaluation: MetaEvaluation) -> ResultTable:
    """The agreement by language, message type or another attribute: the chosen metrics first, then the best."""
    chosen = set(evaluation.selection.chosen.metrics) if evaluation.selection else set()
    shown = [metric for metric in evaluation.metrics if metric.name in chosen or not metric.baseline]
    metrics = [metric.name for metric in sorted(shown, key=lambda metric: (metric.name not in chosen, -_rho(metric)))]
    fields = (
        Field("", "text", lambda part: f"{part.attribute} {part.label or '(unknown)'}"),
        Field("n", "count", lambda part: part.n),
        Field("mean rating", "mean", lambda part: part.mean_rating),
        Field("chosen, out of fold", "correlation", lambda part: part.chosen),
        *(
            Field(name, "correlation", partial(_read_slice, name), "wide" if number else "always")
            for number, name in enumerate(metrics)
        ),
    )
    return tabulate("By slice (Spearman)", evaluation.slices, fields)


def _read_slice(metric: str, part: SliceAgreement) -> Estimate | str:
    return dict(part.metrics).get(metric, "-")


def version_table(versions: VersionAgreement) -> ResultTable:
    """Each metric against the raters on which of two versions is better, the best first."""
    fields = (
        Field("metric", "name", lambda one: one.metric),
        Field("answers", "count", lambda one: one.answers, "wide"),
        Field("pairs right", "text", lambda one: one.problem or f"{one.ordered} of {one.pairs}"),
        Field("false winners", "text", _false_winners),
    )
    rows = sorted(versions.metrics, key=lambda one: (-one.ordered, len(one.contrary), one.metric))
    note = (
        f"{count_of(len(versions.versions), 'version')}: {', '.join(versions.versions)}. pairs right: ordered as the "
        "raters' means are. false winners: pairs that the metric calls at 5% against the raters' mean."
    )
    return tabulate(
        "Which version is better",
        rows,
        fields,
        tone=lambda one: "chosen" if one.metric == versions.measure else "baseline" if one.baseline else "",
        note=" ".join((note, *(f"{text[0].upper()}{text[1:]}." for text in versions.notes))),
    )


def _false_winners(one: MetricVersions) -> str:
    """How many pairs it calls against the raters, of those that it calls."""
    if not one.calls:
        return "calls none" if not one.problem else "-"
    return f"{len(one.contrary)} of {one.calls}"


def policy_table(policy: Policy) -> ResultTable:
    """What could be done with a score: send the answer, leave it to a person, or hold it back."""
    send = "none" if policy.send_at is None else f"{Figure('cut', policy.send_at)} and above"
    hold = "none" if policy.hold_below is None else f"below {Figure('cut', policy.hold_below)}"
    wrong, right = (Figure.from_estimate("share", rate) for rate in (policy.wrong_rate, policy.right_held_rate))
    unscored = f"{policy.unscored} without any score" if policy.unscored else ""
    rows: Rows = (
        ("sent to the customer", send, Figure("count", policy.sent), f"{policy.sent_bad} bad", wrong),
        ("left to a person", "between", Figure("count", policy.to_person), unscored, ""),
        ("held back", hold, Figure("count", policy.held), f"{policy.held_good} good", right),
    )
    heads = ("score", "n", "wrongly", "on answers it had not seen")
    columns = (Column("answers", "text"), *(Column(head) for head in heads))
    return ResultTable("What could be done with a score", columns, rows)
