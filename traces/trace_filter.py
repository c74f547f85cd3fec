"""Which traces a filter takes: those with a value in their session, their metadata, or the attributes of a span."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..eval_sets import Sample
from ..eval_sets.logs.openinference import span_attributes
from .source import TraceOrigin

_SESSION = "session"
_MOST_NAMES = 1000  # of fields, for a message


class TraceFilter:
    """The fields that traces must have, for traces of any tool.

    A name is `session`, a key of the metadata (`user`, and with dots what stands in an object: `tags.env`), or an
    attribute of a span or its resource. A list has a value where one of its items is that.

    Example:
        >>> sample = Sample(user_input="Free?", response="Yes.", metadata={"user": "ann", "tags": ["web", "new"]})
        >>> [TraceFilter(fields).takes(sample) for fields in ({"tags": "new"}, {"user": "bob"}, {})]
        [True, False, True]
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = fields
        self.unknown: set[str] = set()  # the fields that none of the traces had
        self._known: set[str] = set()
        self.names = {_SESSION}  # names of fields that traces had

    def takes(self, sample: Sample) -> bool:
        """Whether a trace has all values."""
        is_taken = True
        for name, wanted in self._fields.items():
            values = [text for value in _find(sample, name) for text in _texts(value)]
            if values:
                self._known.add(name)
            is_taken = is_taken and wanted in values
        self.unknown = self._fields.keys() - self._known
        if self.unknown and len(self.names) < _MOST_NAMES:
            self.names.update(sample.metadata)
        return is_taken


def _find(sample: Sample, name: str) -> Iterator[Any]:
    origin = TraceOrigin.of_sample(sample)
    if name == _SESSION and origin is not None and origin.session:
        yield origin.session
    spans = sample.metadata.get("spans")
    objects = [span for span in spans if isinstance(span, Mapping)] if isinstance(spans, list) else []
    places = [place for span in objects for place in (span, span_attributes(span), span.get("resource"))]
    for place in (sample.metadata, *places):
        if isinstance(place, Mapping) and (value := _inside(place, name)) is not None:
            yield value


def _inside(place: Mapping[str, Any], name: str) -> Any:
    if name in place:
        return place[name]
    first, _, rest = name.partition(".")
    inner = place.get(first)
    return _inside(inner, rest) if rest and isinstance(inner, Mapping) else None


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return [str(value).lower() if isinstance(value, bool) else str(value)]
