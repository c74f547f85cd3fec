"""How a rating queue keeps its answers: the turns of one conversation keep its messages once, at the longest turn."""

from collections.abc import Callable, Sequence

from pydantic_core import from_json, to_json

from ...eval_sets import Sample
from ...eval_sets.message import Message
from ...eval_sets.turns import is_turn

_KEPT_AT, _COUNT = "messages_at", "message_count"
_START = f'{{"{_KEPT_AT}":'


def write_contents(samples: Sequence[Sample]) -> list[str]:
    """Writes the answers of a queue as JSON, so that n turns of a conversation take the room of one.

    A turn whose messages are the first of those of the longest turn of its conversation has their number only.
    """
    longest: dict[str, Sample] = {}
    for sample in filter(is_turn, samples):
        conversation = str(sample.metadata["conversation"])
        if len(longest.setdefault(conversation, sample).messages) < len(sample.messages):
            longest[conversation] = sample
    return [_write(sample, longest.get(str(sample.metadata.get("conversation")))) for sample in samples]


def _write(sample: Sample, keeper: Sample | None) -> str:
    count = len(sample.messages)
    if keeper is None or keeper is sample or not is_turn(sample) or keeper.messages[:count] != sample.messages:
        return sample.model_dump_json()
    reference = to_json({_KEPT_AT: keeper.id, _COUNT: count}).decode()
    return f"{reference[:-1]},{sample.model_dump_json(exclude={'messages'})[1:]}"


class QueueContentReader:
    """Reads what `write_contents` wrote."""

    def __init__(self, find: Callable[[str], str]) -> None:
        self._find = find
        self._messages: dict[str, tuple[Message, ...]] = {}

    def read(self, content: str) -> Sample:
        """Reads an answer, with all its messages.

        Raises:
            ValueError: The content is damaged.
        """
        if not content.startswith(_START):
            return Sample.model_validate_json(content)
        fields = from_json(content)
        keeper, count = fields.pop(_KEPT_AT), fields.pop(_COUNT)
        if keeper not in self._messages:
            self._messages[keeper] = Sample.model_validate_json(self._find(keeper)).messages
        return Sample.model_validate(fields).model_copy(update={"messages": self._messages[keeper][:count]})
