"""The unit of work of every engine: the rows of a shard in, the same rows with their scores out."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ...arguments import check_type
from ...eval_sets import Sample
from ...eval_sets.column_account import SetColumns
from ...eval_sets.pair_ratings import LostPairs
from ...eval_sets.rows import Row, Rows
from ...eval_sets.sample_builder import SampleBuilder
from ...eval_sets.sample_columns import check_columns
from ...judges import Budget, Cassette, LiteLLMJudge, LostCalls, Mode, Usage
from ...judges.cassette import is_bundled
from ...judges.embedders import load_embedder
from ...judges.recording import Recording, format_line, parse_line
from ...metrics import Metric, Score
from ..options import RunOptions
from ..scoring_request import ScoringRequest
from ..session import Ending, Progress, score_samples
from .shard_plan import ShardPlan, content_key
from .shard_source import Origin
from .shard_table import AnswerRow, is_finished, make_result, sample_columns, score_columns

if TYPE_CHECKING:
    import pyarrow

_ROWS_AT_ONCE = 256  # become Python objects


def score_shard(rows: "pyarrow.Table", plan: ShardPlan, earlier: "pyarrow.Table | None" = None) -> "pyarrow.Table":
    """Scores the rows of a shard: a function of rows and plan, with no store.

    An engine that gives many shards to one process makes a `ShardScorer` instead, which keeps the judge's client, the
    embedder and loaded models from one shard to the next.

    Args:
        rows: The answers, with columns as a Parquet file of a set has them.
        plan: What is done with them.
        earlier: A result, whole or in part, of rows that may be among these. An answer with the same content and plan
            is not scored again, unless a metric failed on it; its replies are not asked for again.

    Returns:
        One row per answer, in their order, with the columns that `shard_table` lists.

    Raises:
        InputError: A row is no sample; the message names file, row, field and cure.
        BudgetReached: Never here; of a `ShardScorer` with a budget.
        JudgeUnavailable: The judge is gone.
        UsageError: A metric, judge or embedder cannot be made.

    Example:
        >>> import pyarrow
        >>> rows = pyarrow.table({"question": ["Where?"], "answer": ["Under Leave."], "context": ["Click Leave."]})
        >>> result = score_shard(rows, ShardPlan(metrics=("token_overlap",)))
        >>> result["id"].to_pylist(), result["token_overlap"].to_pylist()
        (['sample-1'], [0.5])
        >>> score_shard(rows, ShardPlan(metrics=("token_overlap",)), earlier=result).equals(result)
        True
    """
    with ShardScorer(plan) as scorer:
        return scorer.score(rows, earlier)


class ShardScorer:
    """Scores shards of one plan, one after another, in one process.

    Args:
        plan: What is done with each shard.
        budget: What the calls may take; unbounded if left out.

    Attributes:
        usage: What the last shard took.
        lost: Its calls whose reply was lost, with what they took at most.
        unfinished: The rows of a shard whose scoring ended with an error, as far as they were scored.

    Raises:
        InputError: The cassette cannot be read.
        UsageError: There is no such judge or embedder.
    """

    def __init__(self, plan: ShardPlan, *, budget: Budget | None = None) -> None:
        check_type("plan", plan, ShardPlan, "a ShardPlan")
        self.plan = plan
        self.usage = Usage()
        self.lost = LostCalls()
        self.unfinished: pyarrow.Table | None = None
        is_replaying = plan.cassette is not None and plan.mode == "replay"
        cassette = _open_cassette(plan)
        self._replies = ShardReplies(None if is_replaying else cassette)
        settings = plan.judge
        if settings is not None and plan.concurrency is not None:
            settings = settings.with_changes(concurrency=plan.concurrency)
        replayed = cassette if is_replaying else None
        judge = None if settings is None else LiteLLMJudge(settings, cassette=replayed, budget=budget)
        keeps_vectors: Any = cassette if is_replaying else self._replies
        self._judge = judge
        self._request = ScoringRequest(
            metrics=plan.all_metrics,
            judge=judge,
            embedder=load_embedder(plan.embedder, keeps_vectors, budget),
            prompts=plan.prompts,
            options=RunOptions(concurrency=None if judge else plan.concurrency),
        )
        self._runner = asyncio.Runner()

    def score(self, rows: "pyarrow.Table", earlier: "pyarrow.Table | None" = None) -> "pyarrow.Table":
        """Scores the rows of a shard; arguments, result and errors as of `score_shard`.

        Raises:
            BudgetReached: A bound is reached; `unfinished` has what was scored until then.
        """
        return self.score_samples(list(read_samples(rows, self.plan)), Origin.read_from(rows).place, earlier)

    def score_samples(
        self, samples: Sequence[Sample], first_place: int = 0, earlier: "pyarrow.Table | None" = None
    ) -> "pyarrow.Table":
        """Scores the samples of a shard; as `score`.

        Args:
            samples: The samples, with an id each.
            first_place: The place of the first one among all rows.
            earlier: As of `score_shard`.
        """
        record = _ShardRecord(self.plan, first_place, earlier, self._replies)
        progress = Progress()
        self.unfinished = None
        try:
            self._runner.run(score_samples(samples, record, self._request, progress=progress))
        except BaseException:
            self.unfinished = record.result()
            raise
        finally:
            self.usage, self.lost = progress.usage, progress.lost
        return record.result()

    def check(self, rows: "pyarrow.Table") -> tuple[list[Metric], list[Sample], list[str]]:
        """Makes the metrics and reads the samples of a shard without scoring them.

        Returns:
            The metrics, the samples, and notes about how the rows are read.
        """
        notes: list[str] = []

        async def load_metrics() -> list[Metric]:
            async with self._request.open_metrics() as opened:
                return list(opened.metrics)

        return self._runner.run(load_metrics()), list(read_samples(rows, self.plan, notes)), notes

    def close(self) -> None:
        """Lets a local model and the event loop go."""
        if self._judge is not None:
            self._judge.close()
        self._runner.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_samples(rows: "pyarrow.Table", plan: ShardPlan, notes: list[str] | None = None) -> Iterator[Sample]:
    """Yields the samples of a shard's rows.

    Raises:
        InputError: A row is no sample.
    """
    origin = Origin.read_from(rows)
    columns = tuple(rows.column_names)
    check_columns(columns, plan.mapping, origin.name)
    source = Rows(origin.name, origin.stem, iter(()), columns)
    lost_pairs = LostPairs(origin.name, lambda: any(sample.is_pair for _, sample in build_samples(open_builder())))

    def open_builder() -> SampleBuilder:
        return SampleBuilder(source, plan.mapping, plan.language, SetColumns(plan.rating_columns))

    def build_samples(builder: SampleBuilder) -> Iterator[tuple[str, Sample]]:
        number = origin.row
        for batch in rows.to_batches(max_chunksize=_ROWS_AT_ONCE):
            for values in batch.to_pylist():
                number += 1
                place = f"row {number}"
                yield place, builder.sample(Row(number, place, values))

    builder = open_builder()
    for place, sample in build_samples(builder):
        yield lost_pairs.read(sample, place)
    if notes is not None:
        notes += [*builder.account.notes(), *lost_pairs.notes()]


class ShardReplies:
    """The replies of the shard in work: those of an earlier attempt, those of a cassette, and new ones.

    Attributes:
        path: Where messages say that the replies are.
        mode: As of a cassette: what is missing is asked for.
    """

    def __init__(self, cassette: Cassette | None) -> None:
        self.path = Path("the replies of the shard")
        self.mode: Mode = "auto"
        self._cassette = cassette
        self._known: dict[str, bytes] = {}
        self._new: dict[str, dict[str, bytes]] = {}

    def begin(self, known: Mapping[str, bytes]) -> None:
        """Begins a shard with the replies of an earlier attempt, by key."""
        self._known, self._new = dict(known), {}

    def get(self, key: str) -> Recording | None:
        """Returns the reply with this key, or None."""
        if (line := self._known.get(key)) is not None:
            return parse_line(line)
        return None if self._cassette is None else self._cassette.get(key)

    def put(self, recording: Recording) -> None:
        """Keeps a reply with the answer that it was asked for."""
        line = format_line(recording)
        self._known[recording.key] = line
        self._new.setdefault(recording.sample, {})[recording.key] = line

    def new_replies(self) -> dict[str, dict[str, bytes]]:
        """Returns the new replies of the shard: lines by key, by the id of the answer."""
        return self._new


class _ShardRecord:
    """The record of a session that scores one shard."""

    def __init__(
        self, plan: ShardPlan, first_place: int, earlier: "pyarrow.Table | None", replies: ShardReplies
    ) -> None:
        self._plan = plan
        self._first_place = first_place
        self._earlier: dict[str, AnswerRow] = {}
        if earlier is not None:
            self._earlier = {row["key"]: row for row in earlier.to_pylist()}
        self._replies = replies
        self._rows: dict[str, AnswerRow] = {}

    @property
    def is_resumed(self) -> bool:
        return bool(self._earlier)

    @property
    def has_conversations(self) -> bool:
        return False  # every shard has the columns of the same metrics

    def begin(self, metrics: Sequence[Metric]) -> ShardReplies:
        known = (reply for row in self._earlier.values() for reply in row["replies"] or ())
        self._replies.begin({reply["key"]: reply["line"] for reply in known})
        return self._replies

    def drawn(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        for place, sample in enumerate(samples, start=self._first_place):
            key = content_key(sample, self._plan)
            columns = sample_columns(sample, key, place, sample.model_dump_json())
            self._rows[sample.id] = self._earlier.get(key, {}) | columns
            yield sample

    def finished_metrics(self, sample: Sample) -> set[str]:
        row = self._rows[sample.id]
        return {metric for metric in self._plan.all_metrics if is_finished(row, metric)}

    def keep(self, sample: Sample, scores: dict[str, Score]) -> None:
        self._rows[sample.id] |= score_columns(scores)

    def end(self, ending: Ending) -> None:
        """Gives each answer its new replies; those that were asked for no answer go to the first."""
        for sample, lines in self._replies.new_replies().items():
            row = self._rows.get(sample) or next(iter(self._rows.values()))
            row["replies"] = [*(row.get("replies") or ()), *({"key": key, "line": line} for key, line in lines.items())]

    def remove_if_empty(self) -> bool:
        return False  # a shard is no run

    def result(self) -> "pyarrow.Table":
        return make_result(list(self._rows.values()), self._plan.all_metrics)


def _open_cassette(plan: ShardPlan) -> Cassette | None:
    """The cassette to read; None where there is none yet, and all replies are new."""
    path = plan.cassette
    if path is None or plan.mode in {"off", "record"}:
        return None
    if plan.mode == "auto" and not is_bundled(path) and not Path(path).exists():
        return None
    return Cassette(path, "replay")
