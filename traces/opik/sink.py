"""Scores on Opik's traces and threads, as feedback scores."""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from ..address import TraceAddress
from ..batch_sending import send_in_halves
from ..paging import MOST_KEPT_PAGES, Paging
from ..rest_calls import RefusedRequest
from ..server_texts import whole_text
from ..sink import WriteResult
from ..times import read_utc, write_utc
from ..trace_score import TraceScore
from .project import OpikProject

_PAGE = 500
_LARGEST = 999_999_999.0
_DECIMALS = 9  # that Opik keeps
_MARGIN = timedelta(seconds=1)  # Opik keeps nanoseconds, and an origin microseconds
_UNUSED_FIELDS = ("input", "output", "metadata", "tags", "error_info", "usage", "comments", "guardrails_validations")
_NO_VALUE = "Opik keeps numbers only, and this score has none ({})"
_RATED = (
    "people rated this {} in Opik under the name {}, and Opik would mix the score with their ratings: rename their "
    "feedback definition"
)

_Place = tuple[str, str]  # the id of a trace or thread, and a score's name


class OpikSink:
    """Writes scores to a project of Opik, as feedback scores with the source `sdk`.

    Opik keeps one score per trace, name and user of the key: a later run of a metric replaces the score of an earlier
    one, and the reason tells the run. A score of a conversation is one of the thread, any other one of the trace.

    Raises:
        UsageError: The package is not installed.
        InputError: The cloud's key is missing.
    """

    def __init__(self, address: TraceAddress) -> None:
        self._project = OpikProject(address)

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """Writes scores; see `Sink`.

        A batch of traces is one call, and one more per metric, which asks what is there; one per thread. A score
        without a value fails, as Opik keeps none; so does one whose name people rated the trace by.

        Raises:
            InputError: The server cannot be reached, refuses the key, or has no such project.
        """
        if not scores:
            return
        _ = self._project.name
        by_place: dict[tuple[bool, _Place], list[TraceScore]] = {}
        for score in scores:
            if score.value is None or not math.isfinite(score.value) or abs(score.value) > _LARGEST:
                yield WriteResult(score.key, "failed", _NO_VALUE.format(score.label or score.reason or score.value))
            else:
                by_place.setdefault((_is_of_thread(score), _place(score)), []).append(score)
        for is_thread in (False, True):
            yield from self._write([same for (kind, _), same in by_place.items() if kind == is_thread], is_thread)

    def _write(self, groups: Sequence[Sequence[TraceScore]], is_thread: bool) -> Iterator[WriteResult]:
        """Writes scores of traces, or of threads; of several in one place the last one counts."""
        if not groups:
            return
        what = "conversation" if is_thread else "trace"
        known = self._known_in_threads(groups) if is_thread else self._known_in_traces(groups)
        sent: list[Sequence[TraceScore]] = []
        for same in groups:
            if known.get(_place(same[-1])):
                problem = _RATED.format(what, same[-1].name)
                yield from (WriteResult(score.key, "failed", problem) for score in same)
            else:
                sent.append(same)
        for same, problem in send_in_halves(sent, lambda some: self._post(some, is_thread)):
            for number, score in enumerate(same):
                if problem:
                    yield WriteResult(score.key, "failed", problem)
                else:
                    is_there = number > 0 or _place(score) in known
                    yield WriteResult(score.key, "updated" if is_there else "written")

    def _post(self, groups: Sequence[Sequence[TraceScore]], is_thread: bool) -> str:
        from opik.rest_api.types.feedback_score_batch_item import FeedbackScoreBatchItem
        from opik.rest_api.types.feedback_score_batch_item_thread import FeedbackScoreBatchItemThread

        traces = self._project.api.traces
        items: list[Any] = []
        for same in groups:
            score = same[-1]
            fields: dict[str, Any] = {
                "project_name": self._project.name,
                "name": whole_text(score.name),
                "category_name": whole_text(score.label) or None,
                "value": round(float(score.value or 0), _DECIMALS),
                "reason": _reason(score),
                "source": "sdk",
            }
            if is_thread:
                items.append(FeedbackScoreBatchItemThread(thread_id=score.origin.session, **fields))
            else:
                items.append(FeedbackScoreBatchItem(id=score.origin.id, **fields))
        try:
            reply = self._project.calls.call(
                traces.score_batch_of_threads if is_thread else traces.score_batch_of_traces, scores=items
            )
        except RefusedRequest as error:
            return f"Opik refuses it ({error})"
        problem = self._project.calls.server.detail_of(reply)
        return f"Opik refuses it ({problem})" if problem else ""

    def _known_in_traces(self, groups: Sequence[Sequence[TraceScore]]) -> dict[_Place, bool]:
        """The scores that are there, and whether people gave one."""
        from opik.rest_api.types.trace_filter_public import TraceFilterPublic

        scores = [same[-1] for same in groups]
        known: dict[_Place, bool] = {}
        for name in dict.fromkeys(score.name for score in scores):
            own = {score.origin.id for score in scores if score.name == name}
            filters = [TraceFilterPublic(field="feedback_scores", key=name, operator="is_not_empty", value="")]
            times = [read_utc(score.origin.time) for score in scores if score.name == name]
            if all(times):
                begun = [time for time in times if time is not None]
                filters += [
                    TraceFilterPublic(field="start_time", operator=">=", value=write_utc(min(begun) - _MARGIN)),
                    TraceFilterPublic(field="start_time", operator="<=", value=write_utc(max(begun) + _MARGIN)),
                ]
            for trace in self._search(filters):
                if trace.get("id") in own:
                    known |= _read_known(str(trace["id"]), trace, {name})
        return known

    def _search(self, filters: Sequence[Any]) -> Iterator[dict[str, Any]]:
        paging = Paging(self._project.calls.server, "traces", most=MOST_KEPT_PAGES)
        last: str | None = None
        while True:
            try:
                page = self._project.calls.stream(
                    self._project.api.traces.search_traces,
                    project_name=self._project.name,
                    filters=filters,
                    limit=_PAGE,
                    truncate=True,
                    exclude=_UNUSED_FIELDS,
                    **({"last_retrieved_id": last} if last else {}),
                )
            except RefusedRequest as error:
                raise self._project.explain(error, "does not search") from None
            ids = self._project.read_ids(page, "traces")
            traces = [item for item in page if isinstance(item, dict) and isinstance(item.get("id"), str)]
            yield from traces
            if len(page) < _PAGE or not ids:
                return
            last = ids[-1]
            paging.follow(last, ids)

    def _known_in_threads(self, groups: Sequence[Sequence[TraceScore]]) -> dict[_Place, bool]:
        known: dict[_Place, bool] = {}
        names: dict[str, set[str]] = {}
        for same in groups:
            names.setdefault(same[-1].origin.session, set()).add(same[-1].name)
        for thread, own in names.items():
            try:
                reply = self._project.calls.call(
                    self._project.api.traces.get_trace_thread, thread_id=thread, project_name=self._project.name
                )
            except RefusedRequest:
                continue  # it is not there: the writing says so
            if isinstance(reply, dict):
                known |= _read_known(thread, reply, own)
        return known


def _is_of_thread(score: TraceScore) -> bool:
    return score.origin.unit == "session" and bool(score.origin.session)


def _place(score: TraceScore) -> _Place:
    return (score.origin.session if _is_of_thread(score) else score.origin.id), score.name


def _read_known(entity: str, values: Mapping[str, Any], names: set[str]) -> dict[_Place, bool]:
    listed = values.get("feedback_scores")
    known: dict[_Place, bool] = {}
    for score in listed if isinstance(listed, list) else ():
        if isinstance(score, Mapping) and score.get("name") in names:
            by_author = score.get("value_by_author")
            entries = [score, *(by_author.values() if isinstance(by_author, Mapping) else ())]
            is_rated = any(isinstance(entry, Mapping) and entry.get("source") == "ui" for entry in entries)
            known[entity, str(score["name"])] = is_rated
    return known


def _reason(score: TraceScore) -> str:
    """The reason, and what Opik has no field for: range, direction, evaluator, run and link."""
    better = "higher is better" if score.higher_is_better else "lower is better"
    scale = f"from {score.low:g} to {score.high:g}, " if score.low is not None and score.high is not None else ""
    evaluator = [f"judge {score.judge}"] if score.judge else []
    evaluator += [f"prompts {score.prompts}"] if score.prompts else []
    details = "; ".join([f"{scale}{better}", *evaluator, f"run {score.run}", *([score.link] if score.link else [])])
    return whole_text(f"{score.reason}\n\n({details})" if score.reason else f"({details})")
