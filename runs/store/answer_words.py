"""What an answer is found by: its words and the beginnings of its texts, in a row of their own."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...eval_sets.message import is_turn_id

LONGEST_EXCERPT = 280
"""Characters of a question or an answer in a table."""
_LONGEST_TEXT = 20_000  # characters of an answer's texts, and of each message, that can be searched
_MOST_MESSAGE_WORDS = 5000  # different ones, of one conversation
_WORD = re.compile(r"[^\W_]+")
_PUT_ANSWER = (
    "INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run, sample) DO UPDATE SET "
    "place = excluded.place, language = excluded.language, message_type = excluded.message_type, "
    "source = excluded.source, rating = excluded.rating, question = excluded.question, answer = excluded.answer, "
    "words = excluded.words"
)


def put_answers(database: Any, samples: Sequence[Sequence[Any]]) -> None:
    """Writes what answers are found by, for rows of the table `samples` that are written in the same transaction."""
    rows = []
    for run, name, place, language, rating, source, content in samples:
        fields = json.loads(content)
        excerpts = (str(fields.get(key, ""))[:LONGEST_EXCERPT] for key in ("user_input", "response"))
        kind, words = fields.get("message_type") or "", f" {' '.join(_distinct_words(name, fields))} "
        rows.append((run, name, place, language or "", kind, source, rating, *excerpts, words))
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
