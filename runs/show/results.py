"""The results of an evaluation: scores by sample and metric, to look at, to save and to hand on."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json, to_json

from ...atomic_files import check_writable, replace_file
from ...errors import UsageError
from ...eval_sets import Sample
from ...installation import require_extra
from ...judges import ReplyCounts, Usage
from ...metrics import Score
from ...metrics.score import flawless
from ...metrics.specification import ALL_BASELINES
from ...name_suggestions import nearest_names
from ...presentation.figure import Figure
from ...presentation.result_table import Paragraph, ResultTable
from ...text.wording import count_of
from ...value_messages import check_path, check_type
from ..answers.rating_join import (
    find_rated_sample,
    join_run_ratings,
)
from ..answers.summary import (
    MetricSummary,
    describe_fitted,
    describe_missing_scores,
    first_scored,
    summarise,
    summary_table,
    worst_table,
)
from ..answers.table import AnswerTable
from ..store.store import RunRow, Store, check_store

if TYPE_CHECKING:
    from pandas import DataFrame

    from ...judges.embedders import Embedder
    from ..failures.failure_groups import Failures
    from .sample_audit import Audit

_SHOWN = 5  # answers in a notebook's cell
_SUFFIXES = (".json", ".jsonl", ".csv")
_TEXTS = ("user_input", "response", "retrieved_contexts", "reference", "language")
_RATING = ("rating", "rating_min", "rating_max")
# a column that comes later stands last, so that who reads them by their place finds what was there before
_COLUMNS = (
    *("sample", "metric", "value", "status", "reason", "user_input", "response"),
    *("rating", "rating_min", "rating_max", "group"),
)


@dataclass(frozen=True, repr=False)
class Results(AnswerTable):
    """Scores by sample id and metric, with the samples that they are for: an `AnswerTable` to look at and to save.

    Attributes:
        directions: For each metric, the baselines last, whether higher is better, as the metric declares it.
        samples: The samples by id, in the order in which they were given.
        scores: For each sample id the scores by metric name.
        replies: How many replies of the judge could not be used, to metrics given by name.
        run: The id of the run in the store; None where nothing is stored.
        rating_note: Whose the ratings are, where not all are the file's.
    """

    replies: ReplyCounts = field(default_factory=ReplyCounts)

    @classmethod
    def from_store(cls, store: Store, run: str) -> "Results":
        """Reads the results of a run (its id, or `last`). Raises `UsageError` where there is no such run."""
        check_store(store)
        return read_results(store, store.run(run))

    @property
    def notes(self) -> tuple[str, ...]:
        """Whose ratings they are, where not all are the file's."""
        fitted = Counter(metric for _, metric, score in self.rows() if score.is_fitted_on)
        return (
            *filter(None, [self.rating_note]),
            *(f"{metric}: {describe_fitted(count)}" for metric, count in fitted.items()),
        )

    @property
    def usage(self) -> Usage:
        """What the judge took."""
        return Usage.total([score.usage for scores in self.scores.values() for score in scores.values()])

    @property
    def first_metric(self) -> str:
        """The first metric asked for that scored an answer; "" where none did."""
        own = [metric for metric in self.metrics if metric not in ALL_BASELINES]
        return first_scored(self.summary(has_agreement=False), own or self.metrics)

    def summary(self, *, by_language: bool = False, has_agreement: bool = True) -> list[MetricSummary]:
        """The mean, coverage and (`has_agreement`) correlation with the rating, per metric, or language and metric."""
        if by_language:
            return summarise(self, part_of=lambda sample: sample.language, has_agreement=has_agreement)
        return summarise(self, has_agreement=has_agreement)

    def worst(self, n: int = 5, metric: str | None = None) -> "Results":
        """Returns the results of the worst answers, the worst first; those with the best score are not among them.

        Args:
            n: How many, at most; answers without a score are left out.
            metric: By which metric; by default the first that was asked for and scored (`first_metric`).

        Raises:
            UsageError: No metric has this name.

        Example:
            >>> from assay import evaluate
            >>> rows = [{"question": "Why?", "answer": answer, "context": "It is free."} for answer in ("Free", "Paid")]
            >>> list(evaluate(rows, "token_overlap", progress=False).worst(1).samples)
            ['sample-2']
        """
        check_type("n", n, int, "a number of answers")
        metric = metric or self.first_metric
        if not metric:
            raise UsageError("no answer has a value of a metric that was asked for; print the results to see why")
        if metric not in self.directions:
            raise UsageError(f"these results have no metric {metric!r}; they have {', '.join(self.metrics)}")
        values = self.values(metric)
        lowest, highest = min(values.values(), default=0.0), max(values.values(), default=0.0)
        best = flawless(lowest, highest, is_higher_better=self.directions[metric])
        worse = [sample for sample, value in values.items() if value != best]
        chosen = sorted(worse, key=values.__getitem__, reverse=not self.directions[metric])[: max(0, n)]
        return self.where(chosen)

    def failures(
        self, *, metric: str | None = None, groups: int | None = None, embedder: "Embedder | str" = "use"
    ) -> "Failures":
        """Returns the bad answers, grouped by why they are bad (`assay show failures`).

        Args:
            metric: By which metric answers are bad; by default by the ratings, where there are some.
            groups: The number of groups; chosen by default.
            embedder: Makes vectors of what says why: an embedder, or its name.

        Raises:
            UsageError: No answer is rated and no metric has a value, or an argument cannot be used.
        """
        from ...judges.embedders import open_embedder
        from ...metrics.metric import run_to_end
        from ..failures.failure_groups import group_failures

        return run_to_end(group_failures(self, open_embedder(embedder), metric=metric, groups=groups))

    def explain(self, sample: str) -> "Audit":
        """Returns how one sample came by its scores: claims, verdicts and quotes, to be printed.

        Raises:
            UsageError: No sample has this id.
        """
        if sample not in self.samples:
            known = nearest_names(str(sample), self.samples, at_most=3) or list(self.samples)[:3]
            raise UsageError(f"these results have no sample {sample!r}; there is {', '.join(map(repr, known))}")
        from .sample_audit import Audit

        return Audit(self.samples[sample], self.scores[sample])

    def to_pandas(self) -> "DataFrame":
        """Returns one row per sample: its texts, its rating with its scale, each metric's value, and why.

        A value that there is not is NaN; `<metric>_reason` has the reason of each score.

        Raises:
            UsageError: pandas is not installed.
        """
        with require_extra("numeric", "a DataFrame of pandas"):
            import pandas
        rows = []
        for sample_id, scores in self.scores.items():
            sample = self.samples[sample_id]
            row: dict[str, Any] = {"id": sample_id} | {name: getattr(sample, name) for name in _TEXTS}
            row["retrieved_contexts"] = list(sample.retrieved_contexts)
            row |= rating_as_json(sample) | {"group": sample.group}
            row |= {metric: score.value for metric, score in scores.items()}
            row |= {f"{metric}_reason": score.reason for metric, score in scores.items() if metric not in ALL_BASELINES}
            rows.append(row)
        frame = pandas.DataFrame(rows)
        numbers = [name for name in (*_RATING, *self.metrics) if name in frame]
        return frame.astype(dict.fromkeys(numbers, float))

    def as_json(self) -> dict[str, Any]:
        """Returns what `assay show RUN --json` prints beside the verdict, with evidence."""
        rows = {"run": self.run, "scores": list(self._score_rows())}
        plain: dict[str, Any] = from_json(to_json(rows, inf_nan_mode="null"))
        return plain

    def save(self, path: str | Path) -> None:
        """Writes the results to a file; it is whole or, after an error, as it was.

        Args:
            path: `.json` (what `as_json` returns), `.jsonl` or `.csv` (one row per score, as `assay run --out` writes
                it; no text in a CSV file is a formula).

        Raises:
            UsageError: The path has another suffix.
            InputError: The file cannot be written.
        """
        check_path("path", path)
        target = Path(path).expanduser()
        if target.suffix not in _SUFFIXES:
            raise UsageError(
                f"{path}: results are saved as {', '.join(_SUFFIXES)}; name the file so. As pages they are shown by "
                "`assay view`, for `evaluate(..., store=FOLDER)`"
            )
        write_rows(self._score_rows(), target, run=self.run)

    def _score_rows(self) -> Iterator[dict[str, Any]]:
        for sample, metric, score in self.rows():
            yield score_as_json(self.samples[sample], metric, score)

    def _table(self) -> ResultTable:
        return summary_table(count_of(len(self.samples), "sample"), self.summary(), is_detailed=True)

    def __repr__(self) -> str:
        """The figures, one line per metric, and why scores are missing."""
        lines = [f"Results of {count_of(len(self.samples), 'sample')}" + (f", run {self.run}" if self.run else "")]
        for summary in self.summary():
            mean = "no value" if summary.mean is None else f"mean {Figure('mean', summary.mean)}"
            failed = f", {summary.failed} failed" if summary.failed else ""
            left_out = f", {Figure('share', summary.left_out)} of the sentences left out" if summary.left_out else ""
            lines.append(f"  {summary.name}: {mean}, {summary.scored} of {summary.n} scored{failed}{left_out}")
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  {paragraph.label} {paragraph.text}" for paragraph in describe_missing_scores(self)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """The figures and the worst answers for a notebook, every text escaped."""
        from ...presentation.page import template_environment

        metric, tables = self.first_metric, [self._table()]
        if metric:
            worst = self.worst(_SHOWN)
            tables.append(worst_table(worst.samples.values(), metric, worst.scores))
        return (
            template_environment(__package__)
            .get_template("results_cell.html")
            .render(tables=tables, notes=[*map(Paragraph, self.notes), *describe_missing_scores(self)])
        )


def read_results(store: Store, run: RunRow, *, has_evidence: bool = True) -> Results:
    """Reads a run, all of it once; without evidence and usage it is small, and enough for all figures."""
    return Results.read(store, run, ("evidence", "usage") if has_evidence else ()).with_ratings(store.database)


def score_rows(store: Store, run: RunRow, sample: str | None = None) -> Iterator[dict[str, Any]]:
    """Every score of a run, or of one of its samples, as JSON values; one after the other, so that many fit."""
    one = None if sample is None else find_rated_sample(store, run.id, sample)
    samples = join_run_ratings(store, run.id).samples if one is None else {one.id: one}
    for name, metric, score in store.scores(run, sample):
        if name in samples:  # else it was written since the samples were read
            yield score_as_json(samples[name], metric, score)


def score_as_json(sample: Sample, metric: str, score: Score) -> dict[str, Any]:
    """One score as JSON values, with its sample's texts, rating and group."""
    texts = {"user_input": sample.user_input, "response": sample.response}
    row = {"sample": sample.id, "metric": metric} | asdict(score) | {"usage": usage_as_json(score.usage)} | texts
    return row | rating_as_json(sample) | {"group": sample.group}


def rating_as_json(sample: Sample) -> dict[str, float | None]:
    """A sample's rating with its scale, all null where it is not rated: a number alone does not say what it means.

    Example:
        >>> texts = {"user_input": "Free?", "response": "Yes."}
        >>> rating_as_json(Sample(id="1", **texts, rating=2, rating_min=-2, rating_max=2))
        {'rating': 2.0, 'rating_min': -2.0, 'rating_max': 2.0}
        >>> rating_as_json(Sample(id="2", **texts))
        {'rating': None, 'rating_min': None, 'rating_max': None}
    """
    rating = sample.human_rating
    low, high = (None, None) if rating is None else (sample.rating_min, sample.rating_max)
    return {"rating": rating, "rating_min": low, "rating_max": high}


def usage_as_json(usage: Usage) -> dict[str, Any]:
    """Returns the usage of calls as JSON values, without their seconds."""
    return {name: value for name, value in asdict(usage).items() if name != "seconds"}


def write_scores(store: Store, run: str, path: Path) -> None:
    """Writes every score of a run, one row per sample and metric; the file is whole or, after an error, as it was."""
    check_scores_file(path)
    write_rows(score_rows(store, store.run(run)), path)


def write_rows(rows: Iterable[Mapping[str, Any]], path: Path, *, run: str | None = None) -> None:
    """Writes scores as rows; the file is whole or, after an error, as it was."""
    if path.suffix == ".csv":
        from ...eval_sets.text_files import CsvWriter

        with replace_file(path) as file:
            writer = CsvWriter(file)
            writer.write_row(_COLUMNS)
            for row in rows:
                writer.write_row(row[column] for column in _COLUMNS)
    elif path.suffix == ".jsonl":
        with replace_file(path) as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    else:
        with replace_file(path, binary=True) as file:
            file.write(to_json({"run": run, "scores": list(rows)}, indent=1, inf_nan_mode="null"))


def check_scores_file(path: Path) -> None:
    """Finds out whether the scores of a run can be written to a file, before the run is paid for."""
    if path.suffix not in {".jsonl", ".csv"}:
        raise UsageError(f"{path}: scores are written as .jsonl or .csv; name the file so")
    check_writable(path)
