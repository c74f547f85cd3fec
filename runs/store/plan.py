"""What a run is going to do, enough to do it again or to go on with it; and how a session of it ended."""

import hashlib
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict

from ...errors import InputError, UsageError
from ...eval_sets.levels import Turns
from ...judges import JudgeSettings, LostCalls, Usage
from ...judges.secrets import WITHHELD
from ...judges.settings import ENTAIL
from ...metrics.specification import BASELINES, CONVERSATION_BASELINES, parse_specification
from ...regular_files import check_regular

if TYPE_CHECKING:
    from ...eval_sets import Sample
    from ...judges import LiteLLMJudge
    from ...judges.embedders import Embedder
    from ...metrics import Metric

Ending = Literal["done", "budget", "interrupted", "error"]
MetricName = Annotated[str, AfterValidator(lambda text: parse_specification(text).text)]
"""What names a metric, which becomes our name of it: scores are kept and found under that alone."""

PYTHON_DATA = "python:"
"""Before the hash of samples that a program gave, in place of the name of a set."""
WATCH_DATA = "watch:"
"""Before the id of a watch and a day, in place of the name of a set."""

EFFORT_BY_WORDS, EFFORT_BY_TURNS = "effort:count=turns+repeated", "effort:count=turns"
"""The effort that a run which names no metric measures, and what of it needs no extra."""
CONVERSATION_DEFAULTS = (EFFORT_BY_WORDS, EFFORT_BY_TURNS, "tool_calls")
"""The metrics of a conversation that a run which names no metric may have too: they ask no judge."""


class Plan(BaseModel):
    """The sets, the metrics and who judges. Two runs with the same `identity` ask the same questions."""

    model_config = ConfigDict(frozen=True)

    sets: tuple[str, ...]
    metrics: tuple[MetricName, ...]
    judge: JudgeSettings | None = None
    embedder: str = "use"
    mapping: Mapping[str, str] = {}
    language: str | None = None
    split: str | None = None  # of runs by 0.2, which read sets saved by `datasets`
    sheet: str | None = None
    header_row: int | None = None
    scale: tuple[float, float] | None = None
    limit: int | None = None
    prompts: str | None = None  # a folder with the user's own prompts
    directions: Mapping[str, bool] = {}  # by metric, whether higher is better, as the metrics declared it
    turns: Turns = "last"  # of conversations, on which metrics of an answer run
    conversation_metrics: tuple[str, ...] = ()  # those of its metrics that measure conversations, as they declared
    has_default_metrics: bool = False  # whether nobody named metrics: conversations then have their own too

    @property
    def recordable(self) -> "Plan":
        """This plan as it may be written: without what may be secret in the judge's settings."""
        return self if self.judge is None else self.model_copy(update={"judge": self.judge.recordable})

    @property
    def withholds_judge(self) -> bool:
        """Whether its judge's settings may be secret in part, so that a run cannot go on with what is kept of them."""
        return self.judge is not None and WITHHELD in self.judge.recordable.model_dump_json()

    @property
    def all_metrics(self) -> tuple[str, ...]:
        """The metrics asked for, then the baselines, which stand in every table.

        Those of a conversation are in the plan of a run that has begun, where the set has conversations.
        """
        own = [name for name in CONVERSATION_DEFAULTS if name in self.conversation_metrics]
        baselines = [name for name in CONVERSATION_BASELINES if name in self.conversation_metrics]
        return tuple(dict.fromkeys((*self.metrics, *own, *BASELINES, *baselines)))

    def with_declarations(self, metrics: "Iterable[Metric]") -> "Plan":
        """This plan with what its loaded metrics declare: their directions, and which measure conversations."""
        metrics = list(metrics)
        directions = {metric.name: metric.higher_is_better for metric in metrics}
        of_conversations = tuple(metric.name for metric in metrics if metric.measures == "conversation")
        return self.model_copy(update={"directions": directions, "conversation_metrics": of_conversations})

    @property
    def all_directions(self) -> dict[str, bool]:
        """By metric, in the order of `all_metrics`, whether higher is better.

        A plan recorded without directions takes them from the catalogue. A metric that the catalogue no longer has
        (its package was removed) counts as higher is better.
        """
        recorded = self.directions
        return {
            metric: recorded[metric] if metric in recorded else _declared_direction(metric)
            for metric in self.all_metrics
        }

    @property
    def identity(self) -> str:
        """12 hexadecimal digits over all that determines the scores, and not how fast or where they are made."""
        # what is newer counts where it is chosen, so that plans recorded before keep their identity
        exclude = {"judge", "directions", "conversation_metrics", "has_default_metrics"}
        exclude |= {name for name in ("sheet", "header_row", "scale") if getattr(self, name) is None}
        exclude |= {"turns"} if self.turns == "last" else set()
        content = self.model_dump_json(exclude=exclude) + judge_identity(self.judge)
        return hashlib.sha256(content.encode()).hexdigest()[:12]

    @property
    def reading(self) -> dict[str, Any]:
        """How its sets are read, as `read_set` takes it."""
        return {name: getattr(self, name) for name in ("mapping", "language", "limit", "sheet", "header_row", "scale")}

    def samples(self, skip_bad: list[InputError] | None = None, notes: list[str] | None = None) -> "Iterator[Sample]":
        """The samples of all sets, one by one; with `turns="each"` the turns of each conversation after it.

        Args:
            skip_bad: Errors of single rows are appended to it while reading goes on; None to raise them.
            notes: What the user should know about how the sets are read is appended to it; None to log it.

        Raises:
            InputError: A row cannot be read, or two samples have one id.
            UsageError: The samples were given in Python, and are in no file.
        """
        from ...eval_sets.conversation import with_turns

        return with_turns(self._read_sets(skip_bad, notes), self.turns)

    def _read_sets(self, skip_bad: list[InputError] | None, notes: list[str] | None) -> "Iterator[Sample]":
        from ...eval_sets import read_set

        earlier: set[int] = set()  # hashes, not ids: a set may be long
        for source in self.sets:
            if source.startswith(PYTHON_DATA):
                raise UsageError(
                    f"{source}: the samples of this run were given in Python; go on there, with "
                    "evaluate(samples, ..., store=..., resume=...)"
                )
            if source.startswith(WATCH_DATA):
                raise UsageError(
                    f"{source}: the answers of this run were drawn by `assay watch`, which goes on with it"
                )
            here: set[int] = set()
            for sample in read_set(
                source, **self.reading, skip_bad=skip_bad, notes=notes, is_one_of_several=len(self.sets) > 1
            ):
                if len(self.sets) > 1:
                    here.add(hash(sample.id))
                    if hash(sample.id) in earlier:
                        raise InputError(
                            f"{source}: the id {sample.id!r} is in another set of this run; make their ids differ"
                        )
                yield sample
            earlier |= here


def judge_identity(judge: JudgeSettings | None) -> str:
    """Returns a text over what determines a judge's replies; "" for no judge."""
    if judge is None:
        return ""
    learned = judge.aligned.fingerprint if judge.aligned else ""
    return judge.recordable.model_dump_json(include=_list_determining(judge)) + learned


class Judging(NamedTuple):
    """How a run was judged."""

    judge: JudgeSettings | None
    prompts: Mapping[str, Collection[str]]  # the hashes of those that it was asked with, by name and language

    def describe_change(self, before: "Judging") -> str:
        """Says how this was another judge than that of an earlier run, by its settings or its prompts.

        Example:
            >>> before, now = (JudgeSettings(model="openai/m", parameters={"temperature": one}) for one in (0, 0.7))
            >>> Judging(now, {"support.en": ["1"]}).describe_change(Judging(before, {"support.en": ["2"]}))
            "the judge's settings differ, the prompt support.en differs"
        """
        shared = self.prompts.keys() & before.prompts.keys()
        differing = sorted(name for name in shared if self.prompts[name] != before.prompts[name])
        noun, verb = ("prompt", "differs") if len(differing) == 1 else ("prompts", "differ")
        prompts = f"the {noun} {', '.join(differing)} {verb}" if differing else ""
        return ", ".join(filter(None, [_describe_judge_change(before.judge, self.judge), prompts]))


def _describe_judge_change(before: JudgeSettings | None, now: JudgeSettings | None) -> str:
    """Says in what the replies of two judges may differ, wherever their models lie; "" where nothing does."""
    labels = ["no judge" if judge is None else judge.label for judge in (before, now)]
    if before is None or now is None or labels[0] != labels[1]:
        return "" if labels[0] == labels[1] else f"the judge is {labels[1]}, not {labels[0]}"
    settings = [
        judge.recordable.model_dump(include=_list_determining(judge) - {"model", "served_as"})
        for judge in (before, now)
    ]
    return "" if settings[0] == settings[1] else "the judge's settings differ"


def _list_determining(judge: JudgeSettings) -> set[str]:
    """The settings that determine a judge's replies."""
    asks = {"model", "served_as", "parameters", "max_tokens", "structured", "logprobs"}
    if judge.decide != "auto":  # plans recorded before there was a choice keep their identity
        asks.add("decide")
    if judge.reason != "none":
        asks.add("reason")
    if judge.model.startswith(ENTAIL):
        asks |= {"revision", "template", "yes", "window", "overlap"}
    return asks


def _declared_direction(metric: str) -> bool:
    from ...metrics.catalogue import higher_is_better

    try:
        return higher_is_better(metric)
    except UsageError:
        return True


def absolute_source(source: str) -> str:
    """Returns a set's name for a plan: files by their full path, so that a run can be resumed from another folder."""
    path = Path(source).expanduser()
    if not path.exists():
        return source
    if not path.is_dir():
        check_regular(path, source)  # the true name of a shell's `<(...)` is none that can be opened
    return str(path.resolve())


@dataclass
class Progress:
    """What a session has done so far.

    Attributes:
        total: The number of samples; None where nobody counted them.
        judge: Who is asked by this session: gives the calls, the cost and the retries as they grow.
        embedder: What turns texts into vectors for this session.
        started: `time.monotonic()` when the session began; `ended` when it ended, None while it goes on.
        waited: Seconds before the first sample was scored, as for batches: they say nothing about the pace.
        scores: The scores that are made, by status.
        without_prompts: The number of samples by language whose judge was asked in another language, for want of
            prompts in theirs.
        other_usage: What the parts took that were scored before this one; `other_lost` likewise.
    """

    total: int | None = None
    judge: "LiteLLMJudge | None" = None
    embedder: "Embedder | None" = None
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    waited: float = 0.0
    samples: int = 0
    scores: dict[str, int] = field(default_factory=lambda: {"scored": 0, "skipped": 0, "failed": 0})
    without_prompts: Counter[str] = field(default_factory=Counter)
    other_usage: Usage = field(default_factory=Usage)
    other_lost: LostCalls = field(default_factory=LostCalls)

    @property
    def usage(self) -> Usage:
        """What the judge, and an embedder behind an API, took in this session."""
        return Usage.total([self.other_usage, *(one.usage for one in (self.judge, self.embedder) if one)])

    @property
    def lost(self) -> LostCalls:
        """The calls of this session whose reply was lost, with what they took at most; not in `usage`."""
        return sum((one.lost for one in (self.judge, self.embedder) if one), self.other_lost)

    @property
    def retries(self) -> int:
        """How many failed calls to the judge were made again."""
        return self.judge.retries if self.judge else 0

    @property
    def seconds(self) -> float:
        """How long the session has lasted."""
        return (self.ended or time.monotonic()) - self.started


@dataclass
class Outcome(Progress):
    """What a session of a stored run did, and how it ended.

    Attributes:
        ending: `done`, or `budget` when a bound was reached.
        message: Why it ended early.
        skipped_rows: The rows of the sets that could not be read and were left out.
        notes: What a reader should know of how the sets were read.
        is_resumed: Whether the run had earlier sessions.
        run_usage: What the judge took in all sessions of a resumed run, by the replies that are kept.
        run_lost: The calls of all sessions of a resumed run whose reply was lost.
    """

    run: str = ""
    ending: Ending = "done"
    message: str = ""
    skipped_rows: list[InputError] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_resumed: bool = False
    run_usage: Usage = field(default_factory=Usage)
    run_lost: LostCalls = field(default_factory=LostCalls)
