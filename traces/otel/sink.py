"""Scores as OpenTelemetry events `gen_ai.evaluation.result`, linked to the trace and span that they are about."""

import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ...errors import InputError, UsageError
from ...eval_sets.logs.openinference import EVALUATION
from ...installation import require_extra
from ..address import TraceAddress
from ..sink import TraceScore, WriteResult

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk._logs.export import LogRecordExporter

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_HTTP = "http/protobuf"
_LOGGER_OF_EXPORTERS = "opentelemetry.exporter.otlp"
_TRACE_ID = re.compile("(?:tr)?([0-9a-f]{32})")  # MLflow's begin so
_SPAN_ID = re.compile("[0-9a-f]{16}")
_PURPOSE = "otel: writing scores"


class OtelSink:
    """Sends scores as log records to a collector, by OTLP.

    An event that was sent cannot be replaced: a score that has changed is sent again under the same `assay.score.key`.
    """

    @staticmethod
    def check(address: TraceAddress) -> None:
        """Raises a UsageError where neither the address nor the environment names a collector."""
        if not address.host and not any(os.environ.get(name) for name in _ENDPOINTS):
            raise UsageError(
                f"{address}: names no collector for scores; name one (otel://HOST:4318), or set {_ENDPOINTS[1]} to "
                "where one is"
            )

    def __init__(self, address: TraceAddress, exporter: "LogRecordExporter | None" = None) -> None:
        self._address = address
        self._exporter = _open_exporter(address) if exporter is None else exporter

    def write(self, scores: Sequence[TraceScore]) -> Iterator[WriteResult]:
        """As `Sink.write`; each score is `written`, as nothing is known of what is there."""
        from opentelemetry.sdk._logs.export import LogRecordExportResult

        with _watched_log() as reasons:
            result = self._exporter.export([_log_record(score) for score in scores])
        if result is not LogRecordExportResult.SUCCESS:
            reason = reasons[-1] if reasons else "the collector did not take them"
            raise InputError(
                f"{self._address}: the scores cannot be sent: {reason}; see that the collector is there and takes logs"
            )
        yield from (WriteResult(score.key, "written") for score in scores)


def _open_exporter(address: TraceAddress) -> "LogRecordExporter":
    OtelSink.check(address)
    endpoint: str | None = None
    if address.host:
        scheme = "https" if address.host.endswith(":443") else "http"
        endpoint = f"{scheme}://{address.host}"
    protocol = next((os.environ[name] for name in _PROTOCOLS if os.environ.get(name)), _HTTP).strip().lower()
    if protocol != _HTTP:
        raise UsageError(f"{_PROTOCOLS[1]}={protocol}: scores are sent by {_HTTP}; set it to that")
    with require_extra("otel", _PURPOSE):
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter

    return OTLPLogExporter(endpoint=None if endpoint is None else f"{endpoint}/v1/logs")


@contextmanager
def _watched_log() -> Iterator[list[str]]:
    """What an exporter logs, which is all that it says of why it failed; nothing of it is printed."""
    reasons: list[str] = []

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            reasons.append(record.getMessage())

    logger, handler = logging.getLogger(_LOGGER_OF_EXPORTERS), Collector()
    propagated = logger.propagate
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield reasons
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated


def _log_record(score: TraceScore) -> "ReadableLogRecord":
    from opentelemetry._logs import LogRecord, SeverityNumber
    from opentelemetry.sdk._logs import ReadableLogRecord
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope

    record = LogRecord(
        timestamp=int(datetime.fromisoformat(score.at).timestamp() * 1e9),
        context=_context(score),
        severity_number=SeverityNumber.INFO,
        attributes=event_attributes(score),
        event_name=EVALUATION,
    )
    return ReadableLogRecord(record, Resource.create(), InstrumentationScope("assay"))


def event_attributes(score: TraceScore) -> dict[str, Any]:
    """Returns the attributes of a score's event: those of the conventions, then our own, without empty ones."""
    bounds = [score.low, score.high]
    attributes: dict[str, Any] = {
        "gen_ai.evaluation.name": score.name,
        "gen_ai.evaluation.score.value": score.value,
        "gen_ai.evaluation.score.label": score.label,
        "gen_ai.evaluation.explanation": score.reason,
        "gen_ai.evaluation.score.range": None if None in bounds else bounds,
        "gen_ai.evaluation.evaluator.type": "llm_judge" if score.judge else "deterministic",
        "gen_ai.evaluation.evaluator.name": score.judge or "assay",
        "gen_ai.conversation.id": score.origin.session,
        "assay.score.key": score.key,
        "assay.score.higher_is_better": score.higher_is_better,
        "assay.score.unit": score.origin.unit,
        "assay.prompts": score.prompts,
        "assay.run": score.run,
        "assay.sample": score.sample,
        "assay.trace": score.origin.id,
    }
    return {name: value for name, value in attributes.items() if value not in (None, "")}


def _context(score: TraceScore) -> "Context | None":
    """The span that a score is about; None where its trace has an id that OpenTelemetry's cannot be."""
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    trace = _TRACE_ID.fullmatch(score.origin.id.lower().replace("-", ""))
    if trace is None:
        return None
    span = _SPAN_ID.fullmatch(score.origin.span.lower())
    about = SpanContext(
        trace_id=int(trace[1], 16),
        span_id=int(span[0], 16) if span and score.origin.unit == "trace" else 0,
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )
    return set_span_in_context(NonRecordingSpan(about))
