"""A trace of Opik with its spans, as the readers of exported logs take one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...eval_sets.logs.human_ratings import trace_rating
from ...eval_sets.logs.message_text import find_answer
from ...eval_sets.logs.trace_row import Trace

_PERSON = "ui"
_FIELDS_READ = {"id", "input", "output"}


def read_trace(values: Mapping[str, Any], spans: Sequence[Mapping[str, Any]], configs: Mapping[str, Any]) -> Trace:
    """Reads a trace.

    Args:
        values: The trace, with the names of the API.
        spans: Its spans, in the order of their times.
        configs: The scales of feedback by name, in the form of `trace_rating`.
    """
    answer = _find_answer(values, spans)
    output = _filled(values.get("output")) if answer is None else answer.get("output")
    calls = [span for span in spans if span.get("type") == "llm"]
    roots = [span for span in spans if not span.get("parent_span_id")]
    inputs = (value.get("input") for value in (values, *roots, *calls))
    scores = values.get("feedback_scores")
    return Trace(
        1,
        str(values.get("id")),
        id=values.get("id"),
        input=next((value for value in inputs if _filled(value) is not None), None),
        output=output,
        retrieved=[span.get("output") for span in spans if _retrieves(span)],
        session=values.get("thread_id") or None,
        time=values.get("start_time"),
        tools=[
            {**{key: span.get(key) for key in ("id", "name", "output")}, "arguments": span.get("input")}
            for span in spans
            if span.get("type") == "tool" and not _retrieves(span)
        ],
        models=[(span.get("input"), span.get("output")) for span in calls],
        rest=_find_model(values, calls, output)
        | {key: value for key, value in values.items() if key not in _FIELDS_READ and value not in (None, [], {})}
        | ({"spans": list(spans)} if spans else {}),
        rating=trace_rating(list(_people_scores(scores, configs))),
        span=str(answer.get("id") or "") if answer is not None and answer.get("parent_span_id") else "",
    )


def _find_answer(values: Mapping[str, Any], spans: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The span that holds the answer: the root, else the last call of a model; None where the trace holds it."""
    if _filled(values.get("output")) is not None:
        return None
    roots = [span for span in spans if not span.get("parent_span_id")]
    calls = [span for span in reversed(spans) if span.get("type") == "llm"]
    return next((span for span in (*roots, *calls) if _filled(span.get("output")) is not None), None)


def _filled(value: Any) -> Any:
    return None if value in (None, "", {}, []) else value


def _retrieves(span: Mapping[str, Any]) -> bool:
    return (
        span.get("type") in ("general", "tool", "retriever")
        and "retriev" in f"{span.get('type')} {span.get('name')}".lower()
    )


def _find_model(values: Mapping[str, Any], calls: Sequence[Mapping[str, Any]], output: Any) -> dict[str, str]:
    """The model of the call that made the answer, else of the last one, and the prompt that it or the trace names."""
    answer = find_answer(output)
    made = [call for call in calls if answer is not None and find_answer(call.get("output")) == answer]
    latest = [*reversed(made), *reversed(calls)]
    fields = {"model": next((call["model"] for call in latest if call.get("model")), None)}
    prompt = next((prompt for value in (*latest, values) for prompt in _prompts(value)), {})
    version = prompt.get("version")
    version = version if isinstance(version, Mapping) else {}
    fields |= {"prompt_name": prompt.get("name"), "prompt_version": version.get("version_number")}
    if fields["prompt_version"] is None:
        fields["prompt_version"] = version.get("commit")
    return {name: str(value) for name, value in fields.items() if value is not None}


def _prompts(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    metadata = value.get("metadata")
    listed = metadata.get("opik_prompts") if isinstance(metadata, Mapping) else None
    return [prompt for prompt in listed if isinstance(prompt, Mapping)] if isinstance(listed, list) else []


def _people_scores(scores: Any, configs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What people rated in Opik's pages, one score per rater: Opik shows the mean of all that have one name."""
    for score in scores if isinstance(scores, list) else ():
        if not isinstance(score, Mapping):
            continue
        by_author = score.get("value_by_author")
        authors = by_author if isinstance(by_author, Mapping) and by_author else {"": score}
        for author, entry in authors.items():
            if not isinstance(entry, Mapping) or (entry.get("source") or score.get("source")) != _PERSON:
                continue
            name = entry.get("author") or author or score.get("last_updated_by") or score.get("created_by")
            yield {
                "name": score.get("name"),
                "value": entry.get("value"),
                "source": "HUMAN",
                "authorUserId": name,
                "updatedAt": entry.get("last_updated_at"),
                "config": configs.get(str(score.get("name"))),
            }
