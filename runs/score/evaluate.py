"""Evaluating from Python: any samples, any judge, in memory or kept in a store."""

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from ...errors import AssayError, EvaluationEnded, UsageError
from ...eval_sets import Sample, read_samples
from ...eval_sets.conversation import with_turns
from ...eval_sets.levels import TURNS, Turns
from ...judges import Budget, JudgeLike, Mode, ReplyCounts
from ...judges.budget import ACCEPTED_BUDGET
from ...judges.embedders import Embedder
from ...metrics import Metric
from ...metrics.catalogue import default_metrics
from ...metrics.metric import check_metric, run_to_end
from ...name_suggestions import quote_names
from ...prompts import BUNDLED, Prompts
from ...text.wording import verb_of
from ...value_messages import check_path, check_type, wrong_type
from ..show.results import Results
from ..store.plan import PYTHON_DATA, Plan, Progress, absolute_source
from ..store.store import Store
from .progress_display import live_progress
from .scoring_request import RunOptions, ScoringRequest
from .session import OnProgress, Record, StoredRun, find_run_to_resume, score_samples

if TYPE_CHECKING:
    from datasets import Dataset
    from narwhals.typing import IntoDataFrame

_ARGUMENTS_OF_RAGAS = {"dataset": "samples", "llm": "judge", "embeddings": "embedder", "column_map": "mapping"}
P = ParamSpec("P")
T = TypeVar("T")

SampleData: TypeAlias = "str | Path | IntoDataFrame | Dataset | Iterable[Sample | Mapping[str, Any]]"
"""What can be evaluated: a path, the name of a set, a DataFrame, a dataset of `datasets` or Ragas, dicts, samples."""


def with_signature_of(function: Callable[P, Any]) -> Callable[[Callable[..., T]], Callable[P, T]]:
    """Gives a function the parameters of another, for type checkers, editors and `help`: they are written once."""

    def give(other: Callable[..., T]) -> Callable[P, T]:
        other.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
        other.__annotations__ = function.__annotations__
        return other

    return give


async def aevaluate(
    samples: SampleData,
    metrics: Sequence[Metric | str] | Metric | str | None = None,
    *,
    judge: JudgeLike | None = None,
    model: str | None = None,
    embedder: Embedder | str = "use",
    prompts: Prompts | str | Path = BUNDLED,
    mapping: Mapping[str, str] | None = None,
    language: str | None = None,
    scale: tuple[float, float] | None = None,
    turns: Turns = "last",
    cassette: str | Path | None = None,
    mode: Mode = "auto",
    store: str | Path | None = None,
    resume: str | None = None,
    budget: Budget | None = None,
    concurrency: int | None = None,
    progress: bool | OnProgress = True,
) -> Results:
    """Scores samples inside async code: `evaluate`, which describes the arguments, to be awaited."""
    check_type("budget", budget, (Budget, type(None)), ACCEPTED_BUDGET)
    for name, path in (("prompts", prompts), ("cassette", cassette), ("store", store)):
        if path is not None and not isinstance(path, Prompts):
            check_path(name, path)
    check_type("mapping", mapping, (Mapping, type(None)), 'a dict, theirs to ours: {"passage": "retrieved_contexts"}')
    check_type("resume", resume, (str, type(None)), 'the id of a run, or "last"')
    check_type("model", model, (str, type(None)), "the name of a model")
    check_type("concurrency", concurrency, (int, type(None)), "a number of calls")
    if turns not in TURNS:
        raise wrong_type("turns", turns, ", ".join(map(repr, TURNS)))
    if not isinstance(progress, bool) and not callable(progress):
        raise wrong_type("progress", progress, "True, False, or a function that is called with a Progress")
    own_prompts = prompts if isinstance(prompts, Prompts) else Prompts.from_folder(prompts)
    request = ScoringRequest(
        metrics=_check_metrics(default_metrics(has_judge=judge is not None) if metrics is None else metrics),
        judge=judge,
        model=model,
        embedder=embedder,
        prompts=own_prompts,
        options=RunOptions(
            cassette=None if cassette is None else Path(cassette),
            mode=mode,
            budget=budget or Budget(),
            concurrency=concurrency,
        ),
        turns=turns,
    )
    if resume is not None and store is None:
        raise UsageError(f'resume={resume!r} needs the store that keeps the run: store=".assay"')
    reading: dict[str, Any] = {"mapping": mapping, "language": language, "scale": scale}
    samples = list(samples) if isinstance(samples, Iterator) else samples
    read = list(read_samples(samples, **reading))
    rows = list(with_turns(read, turns))
    if store is None:
        memory = Record(turns, has_default_metrics=metrics is None)
        session = await _score(rows, memory, request, progress, lambda: _results_of(memory, ReplyCounts()))
        return _results_of(memory, session.judge.replies if session.judge else ReplyCounts())
    plan = _plan(samples, read, request, prompts, reading)
    plan = plan.model_copy(update={"has_default_metrics": metrics is None})
    kept = Store(store)
    try:
        record = StoredRun(plan, kept, find_run_to_resume(kept, resume, plan).id if resume else None)
        await _score(rows, record, request, progress, lambda: Results.from_store(kept, record.run))
        return Results.from_store(kept, record.run)
    finally:
        kept.close()


@with_signature_of(aevaluate)
def evaluate(*args: Any, **kwargs: Any) -> Results:
    """Scores samples, in a script, in a notebook and beside a running event loop; `aevaluate` is for async code.

    Args:
        samples: A path or the name of a set, as on the command line; a DataFrame of pandas or polars; a dataset of
            `datasets` or Ragas; or a list of dicts or `Sample`s. Usual names of columns are recognised, which one line
            on the log says. An id may be left out.
        metrics: Names of metrics, or metrics as they are. The baselines are always added. By default those that agreed
            best with people; without a judge, those that ask nobody.
        judge: Who answers the questions of the metrics given by name: a judge, a litellm model string
            (`openai/gpt-4o-mini`), a settings file, `gguf:PATH`, a bundled name, a client of the package `openai`, or a
            function, sync or async, that takes a text and returns the reply.
        model: The model that a client asks. For a function its name in cassettes and reports.
        embedder: For the metrics given by name: an embedder, or `use`, `st:MODEL` or `litellm:MODEL`.
        prompts: For the metrics given by name: the folder of your own prompts, or prompts as they are.
        mapping: Renames columns, theirs to ours: `{"vraag": "user_input"}`.
        language: The language (ISO 639-1) of the samples that name none; by default it is detected.
        scale: The lowest and the highest rating; by default as the data say, else the usual scale that holds all.
        turns: On which turns of a conversation metrics of an answer run: its `last` one, `each` (one more sample per
            turn, `ID#TURN`), or `none`. Metrics of a conversation run once per conversation.
        cassette: The file of recorded replies, or `bundled:NAME`.
        mode: How the cassette is used: `replay`, `record`, `auto` or `off`.
        store: The folder or URL where the run is kept, as with `assay run --store`; None to keep it in memory.
        resume: The run in the store to go on with: its id, or `last` for the newest with the same samples, metrics and
            judge.
        budget: Bounds on live calls: `Budget(usd=1)`, `Budget(tokens=...)`, `Budget(calls=...)`.
        concurrency: Calls at once; None for as many as the judge's settings say.
        progress: Whether progress is shown on standard error, or a function that is called with a `Progress` after each
            sample.

    Returns:
        The scores, in the samples' order.

    Raises:
        UsageError: For an unknown name, a missing judge, or a metric that can score none of the samples.
        InputError: The samples, prompts, settings or recordings cannot be read.
        BudgetReached: At a bound of the budget. The `results` of this error and the next are what was scored until
            then; with a `store` the same call goes on with it (`resume="last"`).
        JudgeUnavailable: The judge is gone.

    Example:
        >>> from assay import evaluate
        >>> rows = [{"question": "Where?", "answer": "Under Leave.", "context": "Click Leave."}]
        >>> results = evaluate(rows, "token_overlap")
        >>> results.metrics
        ('token_overlap', 'rouge_l_precision', 'answer_length')
        >>> results.scores["sample-1"]["token_overlap"].value
        0.5
    """
    if theirs := [name for name in _ARGUMENTS_OF_RAGAS if name in kwargs]:
        there, here = quote_names(theirs), quote_names([_ARGUMENTS_OF_RAGAS[name] for name in theirs])
        raise UsageError(f"evaluate: {there} of Ragas {verb_of(len(theirs), 'is', 'are')} {here} here")
    try:
        return run_to_end(aevaluate(*args, **kwargs))
    except AssayError as error:  # it says what to do; where in this package it was noticed tells the user nothing
        raise error.with_traceback(None) from None


async def _score(
    rows: Sequence[Sample],
    record: Record,
    request: ScoringRequest,
    show: bool | OnProgress,
    results: Callable[[], Results],
) -> Progress:
    """Scores the samples into the record; the error that ends it early gets the results until then."""
    progress = Progress(total=record.count(rows))
    display: AbstractContextManager[OnProgress]
    display = live_progress(quiet=not show) if isinstance(show, bool) else nullcontext(show)
    try:
        with display as on_progress:
            await score_samples(rows, record, request, progress=progress, on_progress=on_progress)
    except EvaluationEnded as error:
        try:
            until_then = results() if record.run or record.directions else None
        except UsageError:  # a run in which nothing was asked is not kept
            until_then = None
        if until_then is None:
            raise
        if record.run:
            more = type(error)(f'{error}; what was scored is kept: go on with the same call and resume="{record.run}"')
        else:
            more = type(error)(f"{error}; what was scored is in this error's `results`")
        more.results = until_then
        raise more from error
    return progress


def _results_of(record: Record, replies: ReplyCounts) -> Results:
    scores = {sample: record.scores[sample] for sample in record.samples}
    return Results(record.directions, record.samples, scores, replies=replies)


def _plan(
    samples: SampleData,
    rows: Sequence[Sample],
    request: ScoringRequest,
    prompts: Prompts | str | Path,
    reading: Mapping[str, Any],
) -> Plan:
    """The plan of a stored run; samples of the program's own are recorded by their content."""
    if isinstance(prompts, Prompts) and prompts.own:
        raise UsageError('prompts: a stored run records the folder of its prompts; name it (prompts="my_prompts")')
    if isinstance(samples, str | Path):
        source = absolute_source(str(samples))
    else:
        content = hashlib.sha256("\n".join(sample.model_dump_json() for sample in rows).encode()).hexdigest()[:12]
        source = f"{PYTHON_DATA}{content}"
    return Plan(
        sets=(source,),
        metrics=tuple(metric if isinstance(metric, str) else metric.name for metric in request.metrics),
        judge=request.judge_settings,
        embedder=request.embedder if isinstance(request.embedder, str) else request.embedder.name,
        mapping=reading["mapping"] or {},
        language=reading["language"],
        scale=reading["scale"],
        turns=request.turns,
        prompts=None if isinstance(prompts, Prompts) else str(Path(prompts).resolve()),
    )


def _check_metrics(metrics: Sequence[Metric | str] | Metric | str) -> list[Metric | str]:
    """The metrics as a list. Raises `UsageError` for what is none, and where two have one name."""
    if isinstance(metrics, str):
        return [name.strip() for name in metrics.split(",") if name.strip()]
    chosen: list[Metric | str] = (
        [metrics] if isinstance(metrics, Metric) or not isinstance(metrics, Iterable) else [*metrics]
    )
    names: set[str] = set()
    for metric in chosen:
        if not isinstance(metric, str):
            check_metric("metrics", metric)
        name = metric if isinstance(metric, str) else metric.name
        if name in names:
            raise UsageError(f"two metrics are called {name!r}; leave one out, or rename it: metric.name = ...")

        names.add(name)
    return chosen
