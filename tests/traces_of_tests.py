"""A tool of traces in memory, and OTLP documents, for tests of pulls and pushes."""

import json
from datetime import UTC, datetime, timedelta

from memory_traces import MemoryTraces

from assay.eval_sets import Sample
from assay.traces import TraceFilter, TraceOrigin, TraceScore

BEGIN = datetime(2026, 1, 15, 10, tzinfo=UTC)


def trace(name, minute, session="", **fields):
    """A trace that began a number of minutes after ten."""
    time = (BEGIN + timedelta(minutes=minute)).isoformat()
    origin = TraceOrigin("tool://localhost/support", name, f"span-{name}", session, time)
    metadata = fields.pop("metadata", {}) | {"trace": origin.as_json()}
    texts = {"user_input": f"Question {name}?", "response": f"Answer {name}.", "language": "en"}
    return Sample(id=name, metadata=metadata, **(texts | fields))


def trace_score(**fields):
    """A score of a claim of two; `key` and `origin` are needed."""
    texts = {"label": "", "reason": "1 of 2 claims supported"}
    values = {"name": "faithfulness", "value": 0.5, "low": 0.0, "high": 1.0, "higher_is_better": True, **texts}
    values |= {"judge": "qwen1.5b", "prompts": "abc", "run": "r", "sample": "s", "at": "2026-01-15T12:00:00+00:00"}
    return TraceScore(**(values | fields))


def takes(samples, fields):
    """The ids of the samples that a filter takes."""
    trace_filter = TraceFilter(fields)
    return [sample.id for sample in samples if trace_filter.takes(sample)]


class MemoryTool(MemoryTraces):
    """A source and a sink; `traces` is what it has, `scores` what was written to it."""

    def __init__(self, *traces):
        super().__init__(list(traces))

    @property
    def read_since(self):
        return [since for since, _ in self.reads]


def attributes(values):
    """Attributes as OTLP JSON has them."""

    def typed(value):
        if isinstance(value, bool):
            return {"boolValue": value}
        if isinstance(value, int):
            return {"intValue": str(value)}
        if isinstance(value, float):
            return {"doubleValue": value}
        if isinstance(value, list):
            return {"arrayValue": {"values": [typed(item) for item in value]}}
        if isinstance(value, dict):
            return {"kvlistValue": {"values": [{"key": key, "value": typed(held)} for key, held in value.items()]}}
        return {"stringValue": str(value)}

    return [{"key": key, "value": typed(value)} for key, value in values.items()]


def span(number, name, values, parent=None, **fields):
    """A span of OTLP JSON; spans 1-9 are of trace 0, 10-19 of trace 1, and so on."""
    began = int((BEGIN + timedelta(minutes=number // 10, milliseconds=number)).timestamp() * 1e9)
    own = {
        "traceId": f"{number // 10 + 0xABC0:032x}",
        "spanId": f"{number + 0xA0:016x}",
        "name": name,
        "startTimeUnixNano": str(began),
        "endTimeUnixNano": str(began + 1_000_000),
        "attributes": attributes(values),
    }
    return own | ({} if parent is None else {"parentSpanId": f"{parent + 0xA0:016x}"}) | fields


def messages(role, *parts):
    """A message of the conventions for generative AI."""
    return {"role": role, "parts": list(parts)}


def text(content):
    """A part with text."""
    return {"type": "text", "content": content}


def chat_spans(number, question, answer, session="", **values):
    """An agent's span around a retrieval and a call of a model."""
    asked, answered = [messages("user", text(question))], [messages("assistant", text(answer))]
    documents = [{"id": "1", "content": f"Document of {question}"}]
    return [
        span(
            number,
            "invoke_agent",
            {"gen_ai.operation.name": "invoke_agent"} | ({"gen_ai.conversation.id": session} if session else {}),
        ),
        span(
            number + 1,
            "retrieval",
            {"gen_ai.operation.name": "retrieval", "gen_ai.retrieval.documents": json.dumps(documents)},
            number,
        ),
        span(
            number + 2,
            "chat m",
            {
                "gen_ai.operation.name": "chat",
                "gen_ai.request.model": "m-1",
                "gen_ai.input.messages": json.dumps(asked),
                "gen_ai.output.messages": json.dumps(answered),
            }
            | values,
            number,
        ),
    ]


def document(*spans):
    """A document of OTLP JSON, as the collector writes one per line."""
    resource = {"attributes": attributes({"service.name": "helpdesk"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "s"}, "spans": list(spans)}]}]}


def write_documents(path, *documents):
    """Writes documents, one per line."""
    path.write_text("".join(json.dumps(one) + "\n" for one in documents), encoding="utf-8")
    return path
