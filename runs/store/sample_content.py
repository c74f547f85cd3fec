"""How answers are kept: each content once, n turns of a conversation in the room of one; and by which words found."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import from_json, to_json

from ...eval_sets import Sample
from ...eval_sets.conversation import is_turn
from ...eval_sets.message import Message, is_turn_id

_LONGEST_TEXT = 20_000  # characters of an answer's texts, and of each message, that can be searched
_MOST_MESSAGE_WORDS = 5000  # different ones, of one conversation
_WORD = re.compile(r"[^\W_]+")
_PUT_SAMPLE = (
    "INSERT INTO samples (run, id, place, language, rating, source, content, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (run, id) DO UPDATE SET place = excluded.place, language = excluded.language, "
    "rating = excluded.rating, source = excluded.source, content = excluded.content, words = excluded.words"
)
_TURN_OF = "turn_of"
_OTHER_ANSWER = "other_response"
_IS_TURN = f'substr(content, 1, 12) = \'{{"{_TURN_OF}":"\''
_CONVERSATION = "substr(content, 13, 32)"  # of a turn: the key of the content that has its messages
_UNUSED = """
    NOT EXISTS (SELECT 1 FROM samples WHERE samples.content = contents.key)
    AND NOT EXISTS (SELECT 1 FROM rating_items WHERE rating_items.content = contents.key)
    AND NOT EXISTS (SELECT 1 FROM rating_items WHERE rating_items.other_content = contents.key)
    AND NOT EXISTS (SELECT 1 FROM watch_items WHERE watch_items.content = contents.key)
    AND NOT EXISTS (SELECT 1 FROM contents AS turn WHERE substr(turn.content, 1, 12) = '{"turn_of":"'
        AND substr(turn.content, 13, 32) = contents.key || '')
"""  # an expression without a type, so that SQLite looks into the index
_KEYS_AT_ONCE = 500


def write_content(sample: Sample, conversation: str = "") -> str:
    """Writes a sample as JSON, in which a turn has no messages of its own where the content with this key has them."""
    if not conversation:
        return sample.model_dump_json()
    reference = to_json({_TURN_OF: conversation}).decode()
    return f"{reference[:-1]},{sample.model_dump_json(exclude={'messages'})[1:]}"


def read_sample(content: str) -> Sample:
    """Reads the JSON of a sample. Raises `ValueError` where it is damaged."""
    return read_fields(from_json(content)) if _OTHER_ANSWER in content else Sample.model_validate_json(content)


def read_fields(fields: dict[str, Any]) -> Sample:
    """Reads the fields of a sample, which in an earlier version had another answer to compare it with, or "".

    On a scale that begins below 0 its rating said which of the two is better: it is no rating of either.
    """
    other = fields.pop(_OTHER_ANSWER, "")
    if other:
        fields["metadata"] = {**fields.get("metadata", {}), _OTHER_ANSWER: other}
        if fields.get("rating_min", 1) < 0:
            fields |= {"rating": None, "ratings": {}}
    return Sample.model_validate(fields)


def content_key(content: str) -> str:
    """The key of a content: equal contents have one key, and stand in the store once."""
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def put_contents(database: Any, contents: Iterable[str]) -> list[str]:
    """Writes contents that are not there yet, in the transaction of what refers to them; returns their keys."""
    database.hold_contents()
    listed = list(contents)
    keys = list(map(content_key, listed))
    database.executemany(
        "INSERT INTO contents VALUES (?, ?) ON CONFLICT (key) DO NOTHING", dict(zip(keys, listed, strict=True)).items()
    )
    return keys


def forget_contents(database: Any, keys: Iterable[str]) -> None:
    """Removes those of some contents that nothing refers to, in the transaction that took a reference away."""
    listed = [*dict.fromkeys(keys)]
    if listed:
        database.hold_contents()
    for first in range(0, len(listed), _KEYS_AT_ONCE):
        some = listed[first : first + _KEYS_AT_ONCE]
        which = f"key IN ({', '.join('?' * len(some))})"
        sql = f"SELECT DISTINCT {_CONVERSATION} FROM contents WHERE {which} AND {_IS_TURN}"
        conversations = [key for (key,) in database.execute(sql, some).fetchall()]
        database.execute(f"DELETE FROM contents WHERE {which} AND {_UNUSED}", some)
        forget_contents(database, conversations)  # these are no turns


def keep_samples(database: Any, samples: Sequence[Sample], conversations: Iterable[Sample] = ()) -> list[str]:
    """Writes the contents of samples, and returns their keys.

    Turns refer to the content of their conversation, which may be among `conversations`, else to their longest turn.
    """
    holders: dict[str, list[Sample]] = {}
    for sample in (*conversations, *(sample for sample in samples if is_turn(sample))):
        holders.setdefault(_conversation_of(sample), []).append(sample)
    for of_one in holders.values():
        of_one.sort(key=lambda sample: -len(sample.messages))  # those of conversations stay before those of turns
    contents, whole = list[str](), dict[str, None]()
    for sample in samples:
        candidates = holders[_conversation_of(sample)] if is_turn(sample) else ()
        holder = next((one for one in candidates if one is sample or _begins_with(one, sample)), sample)
        if holder is sample:
            contents.append(write_content(sample))
        else:
            text = write_content(holder)
            whole[text] = None
            contents.append(write_content(sample, content_key(text)))
    put_contents(database, whole)
    return put_contents(database, contents)


def _conversation_of(sample: Sample) -> str:
    return str(sample.metadata["conversation"]) if is_turn(sample) else sample.id


def _begins_with(conversation: Sample, turn: Sample) -> bool:
    return turn.messages == conversation.messages[: turn.metadata["turn"] + 1]


class ContentReader:
    """Reads samples that were written so; turns that follow their conversation take no further look-up.

    A turn whose conversation is not kept, as in a run that was interrupted, has no messages.
    """

    def __init__(self, database: Any) -> None:
        self._database = database
        self._key = ""  # of the content that was read last, whose messages these are
        self._messages: tuple[Message, ...] = ()

    def read(self, content: str | None) -> Sample:
        """Reads a sample.

        Raises:
            ValueError: The content is damaged, or missing.
        """
        if content is None:
            raise ValueError("what it refers to in the table contents is missing")
        if not content.startswith(f'{{"{_TURN_OF}":'):
            return read_sample(content)
        fields = from_json(content)
        key = fields.pop(_TURN_OF)
        turn = read_fields(fields)
        if self._key != key:
            row = self._database.execute("SELECT content FROM contents WHERE key = ?", (key,)).fetchone()
            self._key, self._messages = key, () if row is None else read_sample(row[0]).messages
        return turn.model_copy(update={"messages": self._messages[: turn.metadata["turn"] + 1]})


def put_samples(database: Any, samples: Sequence[Sequence[Any]]) -> None:
    """Writes samples of runs: (run, id, place, language, rating, source, content) of each."""
    keys = put_contents(database, [content for *_, content in samples])
    rows = [(*row[:-1], key, find_words(row[1], row[-1])) for row, key in zip(samples, keys, strict=True)]
    database.executemany(_PUT_SAMPLE, rows)


def find_words(name: str, content: str) -> str:
    """The words by which a sample with this id and content is found, between spaces."""
    return f" {' '.join(_distinct_words(name, json.loads(content)))} "


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
