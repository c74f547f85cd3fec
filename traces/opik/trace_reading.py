"""A trace of Opik with its spans, as the readers of exported logs take one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...eval_sets.logs.human_ratings import HumanRating, Scale, is_number, join_ratings
from ...eval_sets.logs.message_text import find_answer
from ...eval_sets.logs.trace_row import Trace

_PERSON = "ui"
_CURE = "add a feedback definition with this name in Opik"
_FIELDS_READ = {"id", "input", "output"}


def read_trace(
    values: Mapping[str, Any], spans: Sequence[Mapping[str, Any]], scales: Mapping[str, Scale | None]
) -> Trace:
    """Reads a trace."""
    answer = _find_answer(values, spans)
    output = _filled(values.get("output")) if answer is None else answer.get("output")
    calls = [span for span in spans if span.get("type") == "llm"]
    roots = [span for span in spans if not span.get("parent_span_id")]
    inputs = (value.get("input") for value in (values, *roots, *calls))
    rating = join_ratings(read_people(values.get("feedback_scores"), scales), cure=_CURE)
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
        rating=rating.fields,
        unused=rating.unused,
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


def read_people(scores: Any, scales: Mapping[str, Scale | None]) -> Iterator[HumanRating]:
    """Yields what people rated in Opik's pages, one rating per rater: Opik shows the mean of all of one name."""
    for score in scores if isinstance(scores, list) else ():
        if not isinstance(score, Mapping):
            continue
        by_author = score.get("value_by_author")
        authors = by_author if isinstance(by_author, Mapping) and by_author else {"": score}
        for author, entry in authors.items():
            if not isinstance(entry, Mapping) or (entry.get("source") or score.get("source")) != _PERSON:
                continue
            rater = entry.get("author") or author or score.get("last_updated_by") or score.get("created_by")
            name, value = str(score.get("name")), entry.get("value")
            yield HumanRating(
                name,
                str(rater or ""),
                value if is_number(value) else None,
                scale=scales.get(name),
                time=str(entry.get("last_updated_at") or ""),
                reason=str(entry.get("reason") or ""),
            )
