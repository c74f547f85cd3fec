"""How samples are kept as JSON, so that n turns of one conversation take the room of one and not of n."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from ...eval_sets import Sample
from ...eval_sets.message import Message
from ...eval_sets.turns import is_turn

_TURN_OF, _DIGEST = "turn_of", "digest_of_messages"
_KEPT_AT, _COUNT = "messages_at", "message_count"
_STARTS = tuple(f'{{"{name}":' for name in (_TURN_OF, _KEPT_AT))


def write_content(sample: Sample, *, has_conversation: bool) -> str:
    """Writes a sample of a run. Of a turn the messages are left out, with a digest that says which they were.

    A turn whose conversation is not among the samples (a set of rated turns) keeps its messages.
    """
    if not has_conversation or not is_turn(sample):
        return sample.model_dump_json()
    digest = hashlib.sha256(sample.model_dump_json(include={"messages"}).encode()).hexdigest()[:16]
    return _write_reference(sample, {_TURN_OF: sample.metadata["conversation"], _DIGEST: digest})


def write_contents(samples: Sequence[Sample]) -> list[str]:
    """Writes the answers of a queue, which may have turns of a conversation without the conversation.

    A turn whose messages are the first of those of the longest turn of its conversation has their number only.
    """
    longest: dict[str, Sample] = {}
    for sample in filter(is_turn, samples):
        conversation = str(sample.metadata["conversation"])
        if len(longest.setdefault(conversation, sample).messages) < len(sample.messages):
            longest[conversation] = sample
    return [_write_turn(sample, longest.get(str(sample.metadata.get("conversation")))) for sample in samples]


def _write_turn(sample: Sample, keeper: Sample | None) -> str:
    count = len(sample.messages)
    if keeper is None or keeper is sample or not is_turn(sample) or keeper.messages[:count] != sample.messages:
        return sample.model_dump_json()
    return _write_reference(sample, {_KEPT_AT: keeper.id, _COUNT: count})


def _write_reference(sample: Sample, reference: dict[str, object]) -> str:
    return f"{to_json(reference).decode()[:-1]},{sample.model_dump_json(exclude={'messages'})[1:]}"


class ContentReader:
    """Reads samples that these functions wrote; turns that follow their conversation take no further look-up.

    A turn whose conversation is not kept, as in a run that was interrupted, has no messages.

    Args:
        find: Gives what is kept under an id; None where nothing is.
    """

    def __init__(self, find: Callable[[str], str | None]) -> None:
        self._find = find
        self._name = ""  # of the conversation that was read last, whose messages these are
        self._messages: tuple[Message, ...] = ()

    def read(self, content: str) -> Sample:
        """Reads a sample.

        Raises:
            ValueError: The content is damaged.
        """
        if not content.startswith(_STARTS):
            sample = Sample.model_validate_json(content)
            if sample.messages:
                self._name, self._messages = sample.id, sample.messages
            return sample
        fields = from_json(content)
        name, _, count = fields.pop(_TURN_OF, None), fields.pop(_DIGEST, ""), fields.pop(_COUNT, None)
        name = fields.pop(_KEPT_AT, name)
        turn = Sample.model_validate(fields)
        if self._name != name:
            kept = self._find(name)
            self._name, self._messages = name, () if kept is None else Sample.model_validate_json(kept).messages
        count = turn.metadata.get("turn", -1) + 1 if count is None else count
        return turn.model_copy(update={"messages": self._messages[:count]})


def run_reader(execute: Callable[..., Any], run: str) -> ContentReader:
    """Makes the reader of a run's samples in a database."""

    def find(sample: str) -> str | None:
        row = execute("SELECT content FROM samples WHERE run = ? AND id = ?", (run, sample)).fetchone()
        return None if row is None else str(row[0])

    return ContentReader(find)
