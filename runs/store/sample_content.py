"""How a store keeps a sample: as JSON; a turn of a conversation without its messages, which the conversation has."""

import hashlib
from typing import TYPE_CHECKING

from pydantic_core import from_json, to_json

from ...eval_sets import Sample
from ...eval_sets.turns import is_turn

if TYPE_CHECKING:
    from .database import Database

_TURN_OF, _DIGEST = "turn_of", "digest_of_messages"
_START = f'{{"{_TURN_OF}":'


def write_content(sample: Sample, *, has_conversation: bool) -> str:
    """Writes a sample as JSON. Of a turn the messages are left out, with a digest that says which they were.

    A conversation with n turns so takes the room of one and not of n. A turn whose conversation is not among the
    samples (a set of rated turns) keeps its messages.
    """
    if not has_conversation or not is_turn(sample):
        return sample.model_dump_json()
    digest = hashlib.sha256(sample.model_dump_json(include={"messages"}).encode()).hexdigest()[:16]
    kept = to_json({_TURN_OF: sample.metadata["conversation"], _DIGEST: digest}).decode()
    return f"{kept[:-1]},{sample.model_dump_json(exclude={'messages'})[1:]}"


class ContentReader:
    """Reads samples of a run that `write_content` wrote; turns that follow their conversation take no further look-up.

    A turn whose conversation is not kept, as in a run that was interrupted, has no messages.
    """

    def __init__(self, tables: "Database", run: str) -> None:
        self._tables = tables
        self._run = run
        self._conversation: Sample | None = None

    def read(self, content: str) -> Sample:
        """Reads a sample.

        Raises:
            ValueError: The content is damaged.
        """
        if not content.startswith(_START):
            sample = Sample.model_validate_json(content)
            if sample.messages:
                self._conversation = sample
            return sample
        fields = from_json(content)
        conversation, _ = fields.pop(_TURN_OF), fields.pop(_DIGEST, "")
        turn = Sample.model_validate(fields)
        if self._conversation is None or self._conversation.id != conversation:
            self._conversation = self._find(conversation)
        if self._conversation is None:
            return turn
        return turn.model_copy(update={"messages": self._conversation.messages[: turn.metadata.get("turn", -1) + 1]})

    def _find(self, sample: str) -> Sample | None:
        sql = "SELECT content FROM samples WHERE run = ? AND id = ?"
        row = self._tables.execute(sql, (self._run, sample)).fetchone()
        return None if row is None else Sample.model_validate_json(row[0])
