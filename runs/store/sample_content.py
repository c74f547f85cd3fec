"""How samples are kept: as JSON, n turns of one conversation in the room of one, and by which words they are found."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from ...eval_sets import Sample
from ...eval_sets.message import Message, is_turn_id
from ...eval_sets.turns import is_turn

_LONGEST_TEXT = 20_000  # characters of an answer's texts, and of each message, that can be searched
_MOST_MESSAGE_WORDS = 5000  # different ones, of one conversation
_WORD = re.compile(r"[^\W_]+")
_PUT_ANSWER = (
    "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, sample) DO UPDATE SET "
    "place = excluded.place, language = excluded.language, message_type = excluded.message_type, "
    "source = excluded.source, rating = excluded.rating, words = excluded.words"
)
_TURN_OF, _DIGEST = "turn_of", "digest_of_messages"
_KEPT_AT, _COUNT = "messages_at", "message_count"  # in queues of earlier versions
_STARTS = tuple(f'{{"{name}":' for name in (_TURN_OF, _KEPT_AT))


def write_content(sample: Sample, *, has_conversation: bool) -> str:
    """Writes a sample of a run. Of a turn the messages are left out, with a digest that says which they were.

    A turn whose conversation is not among the samples (a set of rated turns) keeps its messages.
    """
    if not has_conversation or not is_turn(sample):
        return sample.model_dump_json()
    digest = hashlib.sha256(sample.model_dump_json(include={"messages"}).encode()).hexdigest()[:16]
    reference = to_json({_TURN_OF: sample.metadata["conversation"], _DIGEST: digest}).decode()
    return f"{reference[:-1]},{sample.model_dump_json(exclude={'messages'})[1:]}"


class ContentReader:
    """Reads samples that were written so; turns that follow their conversation take no further look-up.

    A turn whose conversation is not kept, as in a run that was interrupted, has no messages.
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


def put_answers(database: Any, samples: Sequence[Sequence[Any]]) -> None:
    """Writes what answers are found by, for rows of the table `samples` that are written in the same transaction."""
    rows = []
    for run, name, place, language, rating, source, content in samples:
        fields = json.loads(content)
        kind, words = fields.get("message_type") or "", f" {' '.join(_distinct_words(name, fields))} "
        rows.append((run, name, place, language or "", kind, source, rating, "", "", words))  # texts: of 0.2
    database.executemany(_PUT_ANSWER, rows)


def _distinct_words(name: str, fields: Mapping[str, Any]) -> Iterator[str]:
    """The words by which a sample is found, each once: of a conversation those of all who speak in it."""
    messages = fields.get("messages") or ()
    if is_turn_id(name, fields.get("metadata") or {}):
        messages = ()
    texts = [name, *(str(fields.get(key) or "") for key in ("user_input", "response"))]
    texts += map(str, fields.get("retrieved_contexts") or ())
    words = dict.fromkeys(search_words("\n".join(texts)[:_LONGEST_TEXT]))
    for message in messages:
        calls = message.get("tool_calls") or ()
        parts = [str(message.get("content") or ""), *map(str, message.get("retrieved_contexts") or ())]
        parts += [f"{call['function']['name']} {call['function']['arguments']}" for call in calls]
        if message.get("role") != "system" and len(words) < _MOST_MESSAGE_WORDS:  # a policy is the same in all
            words |= dict.fromkeys(search_words("\n".join(parts)[:_LONGEST_TEXT]))
    return iter(words)


def search_words(text: str) -> list[str]:
    """The words of a text as they are searched: letters and digits in lower case, without accents.

    Example:
        >>> search_words("Één menu-item (2×): über_all")
        ['een', 'menu', 'item', '2', 'uber', 'all']
    """
    if not text.isascii():
        text = "".join(
            character for character in unicodedata.normalize("NFKD", text) if not unicodedata.combining(character)
        )
    return _WORD.findall(text.lower())
