"""The tables and sentences of a decision between versions, and of two runs metric by metric; and their JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from ...meta_eval.decision import (
    Decision,
    MetricDifference,
    VersionDifference,
    VersionEstimate,
    decision_as_json,
    describe_likely,
    give_decision_verdict,
)
from ...metrics.specification import ALL_BASELINES, UNDIRECTED
from ...presentation.figure import Figure
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, TableCell, tabulate
from ...presentation.texts import one_line
from ...presentation.verdict import MOST_LINES, Verdict
from ...text.wording import Phrase, count_of, list_first, phrase
from ..answers.table import AnswerTable
from ..show.results import score_as_json
from .compare import NOBODY_RATED, RunComparison

if TYPE_CHECKING:
    from ..store.store import Store

IN_USE = "in use today"
_OF_RATERS = ("ratings and scores", "ratings", "preferences")
_FIRST = "The first is in use today"
_VERSIONS = "The first is in use today. The likely ranges hold for all versions together"
_ESTIMATED = "The means are estimates for all answers, by ratings and scores"
_RANKS = "Ranks: those that the version may have, 1 is the best"
_BEST = "P(best): how probable it is that no other version has a higher mean"
_DIFFERENCES = "A difference is the second version less the first{}. The intervals hold for all pairs together"
_BOTH = ", on the questions that both answered"
_LEFT_OUT = "Left out: questions that only one of the two answered"
OTHER_METRICS = "Other metrics, which do not decide"
_MISSED = (NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(0.8)) / NormalDist().inv_cdf(0.975)
"""A difference of so many half widths of the interval is seen with a power of 80%; a smaller one is often missed."""
_MOST_NAMES, _LONGEST_NAME = 5, 40  # ids that a sentence lists, and characters of one
_OTHERS = (
    "What the metrics measure, not what raters like. Each row by itself: of 20 rows without any difference one has a p "
    "of .05 or less"
)
_UNSEEN = ". Missed: so small a difference would often not be seen"


def decision_block(decision: Decision) -> ReportBlock:
    """The verdict, on which look it rests, the versions, their differences, other metrics, and the notes."""
    look = look_sentence(decision)
    return ReportBlock(
        (
            *give_decision_verdict(decision).paragraphs(),
            Paragraph(""),
            *([Paragraph(look)] if look else []),
            version_table(decision),
            difference_table(decision),
            *([metric_table(decision.others, OTHER_METRICS)] if decision.others else []),
            *(Paragraph(note, label="Note:") for note in list_notes(decision)),
        )
    )


def version_table(decision: Decision) -> ResultTable:
    """What is known of each version."""
    winner, in_use = better_version(decision), decision.versions[0].name
    is_ranked = len(decision.versions) > 2  # of two, their difference says it all
    is_estimated = decision.basis == "ratings and scores" and any(one.rated < one.n for one in decision.versions)
    has_best = is_ranked and any(one.p_best is not None for one in decision.versions)
    by_choices = decision.basis == "preferences"  # of the version in use the net share of wins is 0
    values = [Field(f"mean {rating_unit(decision)} [likely range]", "mean", _mean, is_left=True)]
    if by_choices:
        values = [
            Field("choices won", "count", lambda one: one.won),
            Field("choices", "count", lambda one: one.choices),
        ]
    fields = (
        Field("version", "name", lambda one: TableCell(one.name, note=IN_USE if one.name == in_use else "")),
        *values,
        *([Field("P(best)", "share", lambda one: one.p_best)] if has_best else []),
        *([Field("ranks", "text", lambda one: _ranks(one.ranks))] if is_ranked else []),
        Field("answers", "count", lambda one: one.n),
        Field("rated", "count", lambda one: one.rated),
    )
    return tabulate(
        "Versions",
        decision.versions,
        fields,
        tone=lambda one: "chosen" if one.name == winner else "",
        note=". ".join(
            [
                _FIRST if by_choices else _VERSIONS,
                *([_ESTIMATED] if is_estimated else []),
                *([_RANKS] if is_ranked else []),
                *([_BEST] if has_best else []),
            ]
        ),
    )


def difference_table(decision: Decision) -> ResultTable:
    """How versions differ."""
    has_left_out = any(one.left_out for one in decision.differences)
    fields = (
        Field("versions", "name", lambda one: _pair_cell(one, decision)),
        Field("difference", "change", _change, is_left=True),
        Field("p", "p", lambda one: one.p),
        Field("questions", "count", lambda one: one.questions),
        *([Field("left out", "count", lambda one: one.left_out)] if has_left_out else []),
        Field("changed", "count", lambda one: one.changed, "wide"),
        Field("rated", "count", lambda one: one.rated),
    )
    notes = [_DIFFERENCES.format(_BOTH if decision.is_paired else ""), *([_LEFT_OUT] if has_left_out else [])]
    return tabulate("Differences", decision.differences, fields, note=". ".join(notes))


def metric_table(differences: Sequence[MetricDifference], caption: str) -> ResultTable:
    """What metrics say of versions, each beside the one in use: they never decide."""
    pairs = list(dict.fromkeys((one.first, one.second) for one in differences))
    is_one = len(pairs) == 1  # then its names stand in the heads
    fields = (
        Field(
            "metric",
            "name",
            lambda one: TableCell(one.metric, note="lower is better" if one.higher_is_better is False else ""),
        ),
        *([] if is_one else [Field("versions", "name", pair_name)]),
        Field("pairs", "count", lambda one: one.paired.n, "wide"),
        Field(one_line(pairs[0][0]) if is_one else "in use", "mean", lambda one: one.mean_a, "wide"),
        Field(one_line(pairs[0][1]) if is_one else "other", "mean", lambda one: one.mean_b, "wide"),
        Field("difference [95%]", "change", lambda one: one.paired, is_left=True),
        Field("p", "p", lambda one: one.paired.p),
        Field("remark", "text", _remark),
    )
    return tabulate(
        caption,
        differences,
        fields,
        tone=lambda one: "baseline" if one.metric in ALL_BASELINES else "",
        note=_OTHERS
        + (_UNSEEN if any(one.kind == "unsettled" and one.paired.half_width for one in differences) else ""),
    )


def _remark(row: MetricDifference) -> TableCell:
    """Which way the second version differs, else which difference is missed, and what only one has scored."""
    change, remarks = row.paired, list[str]()
    if row.kind in ("better", "worse", "neither"):
        less, more = UNDIRECTED.get(row.metric, ("lower", "higher"))
        remarks.append(f"{more if (change.value or 0) > 0 else less} in {one_line(row.second)}")
    elif row.kind == "unsettled" and change.half_width:
        remarks.append(f"under {change.half_width * _MISSED:.2g} is missed")
    for count, name in ((row.lost, row.first), (row.gained, row.second)):
        remarks += [f"{count} scored in {one_line(name)} only"] if count else []
    return TableCell(", ".join(remarks), row.kind if row.kind in ("better", "worse") else "")


def pair_name(difference: VersionDifference | MetricDifference) -> str:
    """Returns the two versions of a difference, as what is less what."""
    return f"{difference.second} − {difference.first}"


def better_version(decision: Decision) -> str | None:
    """Returns the version that the decision says is better; None where it says of none."""
    return decision.best if decision.verdict in ("ship", "keep") else None


def list_notes(decision: Decision) -> tuple[str, ...]:
    """What a reader should know beside the verdict."""
    return tuple(filter(None, (decision.warning, *decision.notes)))


def look_sentence(decision: Decision) -> str:
    """On which look it rests: on the first one of the runs, when everything is rated, nothing is to be said."""
    look = decision.look
    if look is None:
        if decision.has_other_raters or decision.deciding.difference is None:
            return ""
        return "It holds at any number of looks." if decision.basis in _OF_RATERS else ""
    others = [measure or "ratings alone" for measure in look.measures[:-1]]
    tried = (
        f" {list_first(others, 3)} decided before: 5% is the error of one measure, named beforehand." if others else ""
    )
    if not look.error:
        return tried.strip()  # a note says that nothing was left
    if look.number == 1 and look.share == 1:
        if decision.verdict != "unsettled" or not decision.basis.startswith("ratings"):
            return tried.strip()
        # a file that grows by rated answers spends the whole error each time: 15% false winners over ten looks
        return (
            "Everything is rated. With new answers it is a new decision, which errs in 5% of cases anew: all looks in "
            f"5% only where answers that nobody rated yet are in it from the start.{tried}"
        )
    which = "the first look at these versions" if look.number == 1 else f"look {look.number} at these versions"
    known = f"{Figure('share', look.share)} of what all ratings would say"
    return f"This is {which}, with {known}: it errs in {100 * look.error:.2g}% of cases, all looks in 5%.{tried}"


def rating_unit(decision: Decision) -> str:
    """Returns what the means are of: ratings, scores where no rating counts, or net shares of wins."""
    units = {"scores": "score", "preferences": "share of wins"}
    return units.get(decision.basis, "rating")


def _mean(version: VersionEstimate) -> Figure:
    problem = "" if version.low is not None else "no interval" if version.mean is not None else "not rated"
    return Figure("mean", version.mean, version.low, version.high, problem)


def _pair_cell(difference: VersionDifference, decision: Decision) -> TableCell:
    by_score = difference.by_score and decision.basis != "scores"
    return TableCell(pair_name(difference), note="by the score alone" if by_score else "")


def _change(one: VersionDifference) -> Figure:
    problem = "" if one.low is not None else "no interval" if one.difference is not None else "not rated"
    return Figure("change", one.difference, one.low, one.high, problem)


def _ranks(ranks: tuple[int, int]) -> str:
    best, worst = ranks
    return f"{best}" if best == worst else f"{best} to {worst}"


def comparison_block(store: "Store", comparison: RunComparison, decision: Decision | str) -> ReportBlock:
    """The raters' verdict, which runs are compared, how their samples were paired, and what metrics say."""
    return ReportBlock(
        (
            *comparison_verdict(comparison, decision).paragraphs(),
            Paragraph(""),
            Paragraph(f"A: {_run_line(store, comparison.a)}"),
            Paragraph(f"B: {_run_line(store, comparison.b)}"),
            Paragraph(_pairing(comparison)),
            *(Paragraph(sentence, "strong") for sentence in comparison_sentences(comparison, decision)),
            *(Paragraph(note, label="Note:") for note in (() if isinstance(decision, str) else list_notes(decision))),
            comparison_table(comparison),
        )
    )


def comparison_table(comparison: RunComparison) -> ResultTable:
    """What each metric says of B beside A."""
    return metric_table(comparison.differences, "What the metrics say")


def comparison_verdict(comparison: RunComparison, decision: Decision | str) -> Verdict:
    """What the ratings decide; where they do not, that nobody can tell, and what the first metric says."""
    first = _first_metric(comparison)
    outcomes = comparison.outcome_changes(first.metric)
    differ = phrase("answers_differ", changed=len(comparison.changed_answers), count=len(comparison.samples))
    if outcomes:
        lost = sum(change.is_lost for change in outcomes)
        differ = phrase("answers_lost", differ=differ, lost=lost, gained=len(outcomes) - lost)
    if not isinstance(decision, str):
        statements = give_decision_verdict(decision).statements
        if outcomes:
            if len(statements) == MOST_LINES:
                statements = tuple(line for line in statements if line[0] != "rests_on")
            statements = (*statements, ("answers", differ))
        return Verdict(statements)
    if (rejudged := comparison.rejudged) is not None:
        which = ("next", phrase("try_judges"))
        return Verdict((("decision", phrase("judged_otherwise")), *_metric_line(rejudged, has_range=True), which))
    difference = _metric_line(first)
    said = (("answers", differ), *difference)
    if decision == NOBODY_RATED:
        return Verdict((*said, ("decision", phrase("raters_none"))))
    rate = phrase("try_rate", run=comparison.b)
    return Verdict((*said, ("decision", phrase("raters_unknown")), ("settle", rate)))


def _metric_line(row: MetricDifference, *, has_range: bool = False) -> list[tuple[str, Phrase]]:
    """How far a metric differs, as its row of the table says; with its likely range where that is asked for."""
    change = row.paired
    if change.value is None:
        return []
    is_higher, amount = change.value >= 0, Figure("mean", abs(change.value))
    better, other = ("B", "A") if is_higher else ("A", "B")
    likely = phrase("nothing")
    if has_range and change.low is not None and change.high is not None:
        low, high = (change.low, change.high) if is_higher else (-change.high, -change.low)
        likely = describe_likely(low, high, "mean")
    name = "scores_alike" if str(amount) == "0.00" else "scores_higher"
    text = phrase(name, measure=row.metric, amount=amount, better=better, other=other, likely=likely)
    return [("difference", text)]


def _first_metric(comparison: RunComparison) -> MetricDifference:
    """That of the first metric which is no baseline, where there is one."""
    return next((one for one in comparison.differences if one.metric not in ALL_BASELINES), comparison.differences[0])


def comparison_sentences(comparison: RunComparison, decision: Decision | str | None) -> list[str]:
    """How B was judged otherwise, which answers are scored in one run only, and why the raters decide nothing."""
    sentences = []
    is_same = comparison.rejudged is not None
    if judging := comparison.other_judging:
        comes = "comes" if is_same else "may come"
        sentences.append(f"Not judged alike: {judging}. A difference of the scores {comes} from that.")
    names: dict[tuple[str, str], list[str]] = {}
    for change in comparison.outcome_changes(_first_metric(comparison).metric):
        names.setdefault((change.before, change.after), []).append(one_line(change.sample, _LONGEST_NAME))
    for (before, after), samples in names.items():
        listed = list_first(samples, _MOST_NAMES)
        sentences.append(f"{before.capitalize()} in A and {after} in B: {count_of(len(samples), 'answer')} ({listed}).")
    if isinstance(decision, str) and not is_same:
        sentences.append(f"Whether your raters like B better is not known: {decision.rstrip('.')}.")
    return sentences


def _run_line(store: "Store", run: str) -> str:
    row = store.run(run)
    return f"run {row.id} ({row.status}), judge: {row.plan.judge.label if row.plan.judge else 'no judge'}"


def _pairing(comparison: RunComparison) -> str:
    changed = len(comparison.changed_answers)
    line = f"{count_of(len(comparison.samples), 'sample')} in both, {changed} of them with another answer"
    for count, what in [
        (len(comparison.only_a), "only in A"),
        (len(comparison.only_b), "only in B"),
    ]:
        line += f"; {count} {what}" if count else ""
    return line


def comparison_as_json(
    store: "Store", comparison: RunComparison, decision: Decision | str, metric: str, count: int
) -> dict[str, Any]:
    """The object of `assay show changes --json`."""

    def score_in(table: AnswerTable, name: str) -> dict[str, Any]:
        score = next(score for _, scored, score in store.scores(table.run or "", name) if scored == metric)
        return score_as_json(table.samples[name], metric, score)

    most_changed = comparison.most_changed(metric, count)
    outcomes = {change.sample: change for change in comparison.outcome_changes(metric)}
    rated = (table.with_ratings(store.database) for table in (comparison.table_a, comparison.table_b))
    table_a, table_b = rated if most_changed else (comparison.table_a, comparison.table_b)
    changed = [
        {
            "sample": sample,
            "metric": metric,
            "difference": difference,
            "before": outcomes[sample].before if sample in outcomes else "scored",
            "after": outcomes[sample].after if sample in outcomes else "scored",
            "answer_changed": sample in comparison.changed_answers,
            "a": score_in(table_a, comparison.ids[sample]),
            "b": score_in(table_b, sample),
        }
        for sample, difference in most_changed
    ]
    return {
        "a": comparison.a,
        "b": comparison.b,
        "samples": len(comparison.samples),
        "answers_changed": len(comparison.changed_answers),
        "only_a": comparison.only_a,
        "only_b": comparison.only_b,
        "verdict_lines": comparison_verdict(comparison, decision).as_json(),
        "sentences": comparison_sentences(comparison, decision),
        "raters": None if isinstance(decision, str) else decision_as_json(decision),
        "metrics": [row.as_json() for row in comparison.differences],
        "outcomes": [asdict(change) for change in outcomes.values()],
        "changed": changed,
    }
