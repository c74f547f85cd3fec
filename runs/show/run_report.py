"""A run as a person reads it, as figures of a page, as a line of a list, and as JSON for programs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import islice
from statistics import fmean
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from ...eval_sets import Sample
from ...metrics.specification import ALL_BASELINES
from ...presentation.figure import Figure, format_cost
from ...presentation.result_table import Field, Paragraph, ReportBlock, ResultTable, TableCell, tabulate
from ...presentation.texts import one_line
from ...presentation.verdict import Verdict, describe_answers
from ...text.wording import Phrase, count_of, phrase
from ..answers.rating_join import describe_rating
from ..answers.summary import (
    LEFT_OUT,
    MetricSummary,
    describe_missing_scores,
    first_scored,
    sample_table,
    summarise,
    summary_table,
)
from .results import Results, read_results, score_rows, usage_as_json

if TYPE_CHECKING:
    from ...judges import Usage
    from ..store.plan import Judging, Outcome
    from ..store.store import RunRow, Store

_WORST_ANSWERS = 5
_LONGEST_REASON = 44  # characters of the most frequent one, as the verdict tells it
_MOST_SAMPLES = 10_000  # that a table of samples, or the line of a run in a list, reads
_MOST_RUNS = 100  # among which the run before is looked for
_CHANGE = "change [95% interval]"  # the head of a column


def run_verdict(results: Results, summaries: Sequence[MetricSummary], metrics: Collection[str], place: str) -> Verdict:
    """What a run says first: how good the answers are for people and for the first metric, what failed, what next."""
    samples = results.samples.values()
    if samples and not any(sample.messages or sample.response.strip() for sample in samples):
        return Verdict((("chatbot", phrase("no_answers")), ("next", phrase("name_answers"))))
    rated = [*results.rated_rows.values()]
    lines: list[tuple[str, *tuple[Phrase, ...]]] = [("chatbot", describe_rated(rated))]
    metric = first_scored(summaries, metrics)
    for shown in (summary for summary in summaries if summary.name == metric):
        mean, answers = Figure("mean", shown.mean), phrase("answers", count=shown.n)
        score = phrase("score", metric=shown.name, mean=mean, scored=shown.scored, answers=answers)
        lines.append(("scores", score))
    failed = len({sample for sample, _, score in results.rows() if score.status == "failed"})  # as --max-failed counts
    # where most failed, to mend that comes before what the few others tell
    if without := {summary.name for summary in summaries if summary.failed > summary.scored}:
        reasons = Counter(
            score.reason for _, name, score in results.rows() if name in without and score.status == "failed"
        )
        reason = shorten(one_line(reasons.most_common(1)[0][0]), _LONGEST_REASON, placeholder="…")
        said = phrase("failed_all", count=failed, reason=reason), phrase("failed_answers", count=failed)
        return Verdict((*lines, ("failed", *said), ("next", phrase("try_resume", run=place))))
    if failed:
        lines.append(("failed", phrase("failed_answers", count=failed)))
    if not rated and (proposed := _propose_raters(results)):
        shortly = phrase("raters_shortly", first=proposed[0])
        return Verdict((*lines, ("next", phrase("raters", options=" ".join(proposed)), shortly)))
    lines.append(("next", phrase("try_meta" if rated else "try_rate", run=place)))
    return Verdict(tuple(lines))


def _propose_raters(results: Results) -> list[str]:
    """What to type where nobody rated, but columns that were kept in the metadata may be ratings."""
    from ...eval_sets import propose_raters  # late: a run that is rated needs none of it

    return propose_raters(one.metadata for one in results.samples.values() if one.response.strip())


def name_run(store: "Store", run: str) -> str:
    """The short name of a run in a command: `last` for the newest."""
    return "last" if store.run_ids(1) == [run] else run


def describe_rated(rated: Sequence[Sample]) -> Phrase:
    """How good people say that the answers are; of several scales only how many are rated."""
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    if len(scales) > 1:
        answers, are_rated = phrase("answers", count=len(rated)), phrase("are_rated", count=len(rated))
        return phrase("rated_on_scales", rated=answers, are_rated=are_rated, scales=len(scales))
    (lowest, highest), people = next(iter(scales), (1.0, 5.0)), {rater for sample in rated for rater in sample.ratings}
    ratings = [sample.human_rating for sample in rated if sample.human_rating is not None]
    return describe_answers(ratings, lowest=lowest, highest=highest, people=max(len(people), 1))


def run_block(
    results: Results,
    run: "RunRow",
    summaries: Sequence[MetricSummary],
    outcome: "Outcome | None" = None,
    *,
    place: str,
    is_detailed: bool = False,
) -> ReportBlock:
    """A run's table, and why scores are missing; in commands that it names `place` is the run."""
    judge = run.plan.judge.label if run.plan.judge else "no judge"
    sets = ", ".join(source.rsplit("/", 1)[-1] for source in run.plan.sets)
    verdict = run_verdict(results, summaries, run.plan.metrics, place)
    parts: list[Paragraph | ResultTable] = [*verdict.paragraphs(), Paragraph("")]
    parts.append(Paragraph(f"Run {run.id} ({run.status}): {sets}; judge: {judge}"))
    if outcome is not None:
        # the budget's words are of all sessions
        session = "In this session " if outcome.is_resumed or outcome.ending == "budget" else ""
        parts.append(Paragraph(f"{session}{session_line(outcome.usage)}; {Figure('seconds', outcome.seconds)} s"))
        if outcome.lost:
            from ...judges.budget import describe_lost

            parts.append(Paragraph(f"{describe_lost(outcome.lost)}, not in the line above", "warning"))
        if outcome.run_usage.calls or outcome.run_lost:
            parts.append(Paragraph(f"In all sessions {_all_sessions_line(outcome)}"))
        if outcome.without_prompts:
            parts.append(Paragraph(describe_missing_prompts(outcome.without_prompts)))
    parts += (Paragraph(note) for note in results.notes if outcome is None or note not in outcome.notes)
    parts.append(summary_table("", summaries, is_detailed=is_detailed))
    languages = sorted({results.samples[sample].language or "" for sample, *_ in results.rows()})
    if len(languages) > 1:
        parts.append(
            Paragraph(f"Languages: {', '.join(filter(None, languages))} (assay view: each by itself)", "quiet")
        )
    return ReportBlock((*parts, *_describe_summaries(summaries), *describe_missing_scores(results)))


def session_line(usage: "Usage") -> str:
    """What the calls of a session took, in one line."""
    tokens = count_of(usage.tokens_in + usage.tokens_out, "token")
    prices = " at recorded prices" if usage.from_cassette and usage.usd else ""
    return (
        f"{count_of(usage.calls, 'judge call')}, {usage.from_cassette:,} of them replayed; {usage.bound}{tokens}; "
        f"cost {format_cost(usage.usd, usage.bound)}{prices}"
    )


def _all_sessions_line(outcome: "Outcome") -> str:
    """What the judge of a resumed run took, with the calls whose reply was lost."""
    from ...judges.budget import describe_lost

    lost = f"; {describe_lost(outcome.run_lost)}, besides" if outcome.run_lost else ""
    embedded = "; embeddings are not counted" if outcome.embedder and outcome.embedder.usage.calls else ""
    return f"{session_line(outcome.run_usage)}{lost}{embedded}"


def describe_missing_prompts(samples: Mapping[str, int]) -> str:
    """Says in one line which samples the judge was asked about in another language than theirs.

    Example:
        >>> describe_missing_prompts({"es": 2, "tr": 1})
        'There are no prompts in es (2 samples), tr (1 sample); the judge was asked in English.'
    """
    listed = (f"{language} ({count_of(n, 'sample')})" for language, n in sorted(samples.items()))
    return f"There are no prompts in {', '.join(listed)}; the judge was asked in English."


def _describe_summaries(summaries: Sequence[MetricSummary]) -> Iterator[Paragraph]:
    """Which metrics are better when lower, and what of the answers was not judged."""
    lower = dict.fromkeys(summary.name for summary in summaries if not summary.higher_is_better)
    if lower:
        yield Paragraph(f"{', '.join(lower)}: lower is better")
    shares = {summary.name: summary.left_out for summary in summaries if summary.left_out}
    if shares:
        listed = ", ".join(f"{Figure('share', share)} ({name})" for name, share in shares.items())
        yield Paragraph(f"Sentences that were not judged (greetings, questions, refusals and the like): {listed}")


def worst_block(results: Results, run: "RunRow", summaries: Sequence[MetricSummary]) -> tuple[str, ReportBlock]:
    """The worst answers by the first metric that was asked for; those with its best score are not among them.

    Returns:
        The id of the worst, or "" where no answer has a value, and the block.
    """
    from ...eval_sets.conversation import listed_question

    metric = first_scored(summaries, run.plan.metrics)
    worst = list(results.worst(_WORST_ANSWERS, metric).samples.values()) if metric else []
    if not worst:
        return "", ReportBlock(())
    which = "worst answer" if len(worst) == 1 else count_of(len(worst), "worst answer")
    parts, rated = [Paragraph(f"The {which} by {metric}:", "strong")], results.rated_rows
    for sample in worst:
        score, rating = results.scores[sample.id][metric], describe_rating(rated.get(sample.id, sample))
        rated_as = f", rated {rating}" if rating else ""
        question = one_line(listed_question(sample), 90)
        parts.append(Paragraph(f"{Figure('value', score.value)}{rated_as}: {question}", label=sample.id, indent=2))
        parts.append(Paragraph(one_line(sample.response, 120), "quiet", indent=6))
        parts.append(Paragraph(one_line(score.reason, 240), indent=6))
    return worst[0].id, ReportBlock(tuple(parts))


def sample_block(results: Results, run: "RunRow", most: int | None) -> ReportBlock:
    """Every sample's values of the first metrics, of all where `most` is None."""
    samples = list(results.samples.values())
    if len(samples) > _MOST_SAMPLES:
        text = (
            f"{count_of(len(samples), 'sample is', 'samples are')} too many for a table; one: assay show {run.id} "
            "SAMPLE; all: assay view"
        )
        return ReportBlock((Paragraph(text),))
    metrics = [metric for metric in results.metrics if metric not in ALL_BASELINES] or list(results.metrics)
    shown = metrics if most is None else metrics[:most]
    parts: list[Paragraph | ResultTable] = [sample_table(samples, shown, results.scores)]
    if hidden := metrics[len(shown) :]:
        parts.append(Paragraph(f"Not shown, for want of room: {', '.join(hidden)} (--wide shows all)"))
    return ReportBlock(tuple(parts))


def run_as_json(store: "Store", outcome: "Outcome") -> dict[str, Any]:
    """The object of `assay run --json`.

    `usage` is what the replies of this session took, and `lost` what calls without a reply may have taken at most. Of a
    resumed run whose judge was asked, `usage_of_run` and `lost_of_run` are those of all sessions.
    """
    run = store.run(outcome.run)
    results = read_results(store, run, has_evidence=False)
    languages: dict[str, dict[str, Any]] = {}
    summaries = results.summary()
    for summary in results.summary(by_language=True):
        languages.setdefault(summary.part, {})[summary.name] = summary.as_json()
    of_run = {}
    if outcome.run_usage.calls or outcome.run_lost:
        of_run = {"usage_of_run": usage_as_json(outcome.run_usage), "lost_of_run": asdict(outcome.run_lost)}
    return of_run | {
        "run": run.id,
        "verdict": run_verdict(results, summaries, run.plan.metrics, name_run(store, run.id)).as_json(),
        "metrics": {summary.name: summary.as_json() for summary in summaries},
        "languages": languages,
        "notes": list(results.notes),
        "usage": usage_as_json(outcome.usage),
        "lost": asdict(outcome.lost),
        "seconds": round(outcome.seconds, 3),
    }


def scores_as_json(store: "Store", run: "RunRow", sample: str | None) -> dict[str, Any]:
    """The object of `assay show RUN --json`. Raises `UsageError` for a sample that the run does not have."""
    if sample is not None:
        return {"run": run.id, "scores": list(score_rows(store, run, sample))}
    results = read_results(store, run)
    summaries = results.summary(has_agreement=False)
    verdict = run_verdict(results, summaries, run.plan.metrics, name_run(store, run.id))
    return {"verdict": verdict.as_json()} | results.as_json()


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run comes to."""

    verdict: Verdict
    metrics: tuple[MetricSummary, ...]  # one row per metric, the baselines last
    languages: Mapping[str, tuple[MetricSummary, ...]]  # rows by language; empty where there is only one
    message_types: Mapping[str, tuple[MetricSummary, ...]]  # rows by message type; empty where there is only one
    agreement: tuple[MetricSummary, ...]  # how each metric follows the ratings; empty without ratings
    notes: tuple[str, ...]  # which ratings they are, as in `Results`


def compute_figures(store: "Store", run: str) -> RunFigures:
    """The figures of a run."""
    row = store.run(run)
    results = read_results(store, row, has_evidence=False)
    summaries = summarise(results, has_interval=True)
    return RunFigures(
        verdict=run_verdict(results, summaries, row.plan.metrics, name_run(store, row.id)),
        metrics=tuple(summaries),
        languages=_report_parts(results, lambda sample: sample.language),
        message_types=_report_parts(results, lambda sample: sample.message_type),
        agreement=tuple(summaries) if any(summary.correlation.n for summary in summaries) else (),
        notes=results.notes,
    )


def _report_parts(results: Results, part_of: Callable[[Sample], str | None]) -> Mapping[str, tuple[MetricSummary, ...]]:
    """One row per metric, in the plan's order, by part of the answers; empty where there is only one."""
    parts: dict[str, list[MetricSummary]] = defaultdict(list)
    for summary in summarise(results, part_of=part_of, has_agreement=False, has_interval=True):
        parts[summary.part or "not said"].append(summary)
    return {part: tuple(rows) for part, rows in parts.items()} if len(parts) > 1 else {}


def report_table(caption: str, metrics: Sequence[MetricSummary]) -> ResultTable:
    """Per metric the counts, the mean and, where one is compared, the change since an earlier run, with intervals."""
    fields: tuple[Field, ...] = (
        Field("metric", "name", lambda metric: metric.name),
        Field("n", "count", lambda metric: metric.n, "wide"),
        Field("scored", "count", lambda metric: metric.scored),
        Field("without a score", "count", _missing, "page"),
        Field("mean [95% interval]", "mean", lambda row: Figure("mean", row.mean, row.low, row.high), is_left=True),
        Field(LEFT_OUT, "share", lambda metric: metric.left_out),
        Field(_CHANGE, "change", _change, is_left=True),
        Field("p", "p", lambda metric: metric.change_p, "wide"),
    )
    if all(metric.left_out is None for metric in metrics):
        fields = tuple(field for field in fields if field.head != LEFT_OUT)
    table = tabulate(caption, metrics, fields, tone=lambda metric: "" if metric.asked else "baseline")
    return table.without_empty(_CHANGE, "p")


def _change(metric: MetricSummary) -> Figure:
    return Figure("change", metric.change, metric.change_low, metric.change_high)


def _missing(metric: MetricSummary) -> TableCell:
    counts = ((metric.skipped, "skipped"), (metric.failed, "failed"))
    text = ", ".join(f"{Figure('count', count)} {status}" for count, status in counts if count)
    return TableCell(text, "bad" if metric.failed else "")


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a list says of a run, and what the next run of its set is compared with."""

    rated: Phrase | None  # how good people say that the answers are; None where nobody rated them
    ratings: Mapping[str, float]  # by sample; empty where there are several scales
    scale: tuple[float, float] | None
    metric: str  # the first metric that has a value; "" for none
    values: Mapping[str, float]  # of this metric, by sample
    failed: int  # answers that the metric with most failures could not score
    texts: Mapping[str, str]  # by sample, its fingerprint
    judging: "Judging"

    def describe(self) -> tuple[Phrase, ...]:
        """How good the answers are: for people, else by the first metric; and how many failed."""
        parts = [self.rated] if self.rated else []
        if self.rated is None and self.values:
            parts.append(phrase("metric_mean", metric=self.metric, mean=Figure("mean", fmean(self.values.values()))))
        if self.failed:
            parts.append(phrase("failed_shortly", count=self.failed))
        return tuple(parts)


def summarise_run(store: "Store", run: str) -> RunSummary | None:
    """How good a run's answers are, in few words; None of more answers than a list should read."""
    row = store.run(run)
    if store.count_samples(run) > _MOST_SAMPLES:
        return None
    results = read_results(store, row, has_evidence=False)
    summaries = results.summary(has_agreement=False)
    metric = first_scored(summaries, row.plan.metrics)
    rated = [*results.rated_rows.values()]
    ratings = {name: sample.human_rating or 0.0 for name, sample in results.rated_rows.items()}
    scales = {(sample.rating_min, sample.rating_max) for sample in rated}
    scale = next(iter(scales)) if len(scales) == 1 else None
    return RunSummary(
        rated=describe_rated(rated) if rated else None,
        ratings=ratings if scale else {},
        scale=scale,
        metric=metric,
        values=results.values(metric),
        failed=max((summary.failed for summary in summaries), default=0),
        texts={name: sample.fingerprint for name, sample in results.samples.items()},
        judging=store.judging(row),
    )


def find_run_before(older: Iterable["RunRow"], row: "RunRow") -> "RunRow | None":
    """The newest of the older runs, given the newest first, that scored the same sets as a run."""
    return next((other for other in islice(older, _MOST_RUNS) if other.plan.sets == row.plan.sets), None)


def describe_change(now: RunSummary, before: RunSummary) -> tuple[Phrase, ...]:
    """What changed since the run before of the same set, in the samples of both: answers, ratings, the first metric."""
    shared = now.texts.keys() & before.texts.keys()
    changed = sum(now.texts[name] != before.texts[name] for name in shared)
    parts = [phrase("changed_answers", changed=changed, count=len(shared))]
    if not shared or now.texts == before.texts:
        parts = [phrase("same_answers" if shared else "other_samples")]
    if now.scale == before.scale:
        parts += _describe_difference("rating", "", now.ratings, before.ratings)
    if now.judging.describe_change(before.judging):
        parts.append(phrase("other_judge"))
    elif now.metric == before.metric:
        parts += _describe_difference("metric", now.metric, now.values, before.values)
    return tuple(parts)


def _describe_difference(what: str, metric: str, now: Mapping[str, float], before: Mapping[str, float]) -> list[Phrase]:
    """How the mean of the samples with a value in both runs changed; nothing where it did not, or there are none."""
    shared = now.keys() & before.keys()
    difference = fmean(now[name] - before[name] for name in shared) if shared else 0.0
    amount = Figure("mean", abs(difference))
    if str(amount) == "0.00":
        return []
    direction = "higher" if difference > 0 else "lower"
    return [phrase(f"{what}_{direction}", metric=metric, amount=amount)]


def describe_moment(moment: str, now: datetime) -> Phrase:
    """A moment (ISO 8601) in words, as somebody says it at another one, whose time zone counts.

    Example:
        >>> from datetime import UTC
        >>> now = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)
        >>> moments = "2026-11-29T08:05:00+00:00", "2026-11-28T23:59:00+00:00", "2026-11-25T10:00:00+00:00"
        >>> [describe_moment(moment, now).write() for moment in (*moments, "2025-10-03T10:00:00+00:00")]
        ['today at 08:05', 'yesterday at 23:59', '4 days ago', '3 October 2025']
    """
    then = datetime.fromisoformat(moment).astimezone(now.tzinfo)
    days, time = (now.date() - then.date()).days, f"{then:%H:%M}"
    if days in {0, 1}:
        return phrase("yesterday_at" if days else "today_at", time=time)
    if 1 < days < 7:
        return phrase("days_ago", count=days)
    values = {"day": str(then.day), "month": phrase(f"month_{then.month}"), "year": str(then.year)}
    return phrase("on_day" if then.year == now.year else "on_day_of_year", **values)
