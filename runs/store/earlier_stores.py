"""What a migration does of a store that an earlier version wrote where SQL cannot do it."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic_core import from_json, to_json

from ...eval_sets import Sample
from .sample_content import find_words, forget_contents, keep_samples, put_contents, read_fields, read_sample

_ROWS_AT_ONCE = 1000
# how a turn was written whose messages stood at its conversation in the same run
_TURN = re.compile(r'\{"turn_of":("(?:[^"\\]|\\.)*"),"digest_of_messages":"[0-9a-f]*",')
_MESSAGES_AT, _COUNT = "messages_at", "message_count"  # of a turn in a queue, whose messages stood at another item


def refer_to_contents(database: Any) -> None:
    """Writes each content once, and its key where it stood: in runs and in rating queues.

    What is damaged is kept as it is, and named when it is read.
    """
    for is_turn in (False, True):  # turns refer to the contents of the others
        for rows in _read_samples(database, is_turn=is_turn):
            contents = [_refer(database, run, content) if is_turn else content for run, *_, content in rows]
            keys = put_contents(database, contents)
            moved = [
                (key, words or (find_words(name, content) if _read_fields(content) else ""), run, name)
                for key, (run, name, words, content) in zip(keys, rows, strict=True)
            ]
            database.executemany("UPDATE samples SET content = ?, words = ? WHERE run = ? AND id = ?", moved)
    _move_items(database)


def _read_samples(database: Any, *, is_turn: bool) -> Iterator[list[tuple[Any, ...]]]:
    """The samples of all runs, some at a time: those with their content as a whole, or turns that refer to another."""
    last, condition = ("", ""), f"content {'' if is_turn else 'NOT '}LIKE ?"
    while rows := database.execute(
        "SELECT run, id, words, content FROM samples WHERE (run, id) > (?, ?) "
        f"AND {condition} ORDER BY run, id LIMIT {_ROWS_AT_ONCE}",
        (*last, '{"turn_of":%'),
    ).fetchall():
        yield rows
        last = rows[-1][:2]


def _refer(database: Any, run: str, content: str) -> str:
    """The content of a turn as it is written today: it names the content of its conversation, not the id in its run."""
    match = _TURN.match(content)
    if match is None:
        return content
    sql = "SELECT content FROM samples WHERE run = ? AND id = ?"
    row = database.execute(sql, (run, from_json(match[1]))).fetchone()
    return f'{{"turn_of":"{row[0] if row else ""}",{content[match.end() :]}'


def _read_fields(content: str) -> dict[str, Any] | None:
    """The fields of a content; None of a damaged one."""
    try:
        fields = from_json(content)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def _move_items(database: Any) -> None:
    """Moves the answers of all rating queues, and gives each its fingerprint."""
    rows = database.execute("SELECT queue, sample, content FROM rating_items ORDER BY queue, place").fetchall()
    contents = {(queue, name): content for queue, name, content in rows}
    answers, abouts = dict[tuple[str, str], list[Sample]](), dict[tuple[str, str], str]()
    for (queue, name), content in contents.items():
        fields = _read_fields(content) or {}
        try:
            if pair := fields.pop("answers", None):
                answers[queue, name] = [read_fields(answer) for answer in pair]
                abouts[queue, name] = to_json(fields).decode()
            else:
                answers[queue, name] = [_read_turn(fields, contents.get((queue, fields.pop(_MESSAGES_AT, ""))))]
        except ValueError:
            (key,) = put_contents(database, [content])
            database.execute("UPDATE rating_items SET content = ? WHERE queue = ? AND sample = ?", (key, queue, name))
    keys = iter(keep_samples(database, [sample for each in answers.values() for sample in each]))
    moved = []
    for place, each in answers.items():
        columns = [column for sample in each for column in (next(keys), sample.fingerprint)]
        moved.append((*columns, *([] if len(each) > 1 else ["", ""]), abouts.get(place, ""), *place))
    database.executemany(
        "UPDATE rating_items SET content = ?, fingerprint = ?, other_content = ?, other_fingerprint = ?, about = ? "
        "WHERE queue = ? AND sample = ?",
        moved,
    )


def _read_turn(fields: dict[str, Any], holder: str | None) -> Sample:
    """An answer of a queue; of one whose messages stood at a longer turn those that it had."""
    count = fields.pop(_COUNT, 0)
    sample = read_fields(fields)
    if holder is None:
        return sample
    return sample.model_copy(update={"messages": read_sample(holder).messages[:count]})


def refer_watches_to_contents(database: Any) -> None:
    """Writes the key of each content where it stood in a watch, and removes contents that nothing refers to."""
    last = ("", "")
    sql = "SELECT watch, sample, content FROM watch_items WHERE (watch, sample) > (?, ?) AND content IS NOT NULL "
    while rows := database.execute(f"{sql}ORDER BY watch, sample LIMIT {_ROWS_AT_ONCE}", last).fetchall():
        keys = put_contents(database, [content for *_, content in rows])
        moved = [(key, watch, sample) for key, (watch, sample, _) in zip(keys, rows, strict=True)]
        database.executemany("UPDATE watch_items SET content = ? WHERE watch = ? AND sample = ?", moved)
        last = rows[-1][:2]
    forget_contents(database, [key for (key,) in database.execute("SELECT key FROM contents").fetchall()])


STEPS: Mapping[int, Callable[[Any], None]] = {20: refer_to_contents, 21: refer_watches_to_contents}
"""What follows the SQL of a version's file, by the version; each is handed the `Database`, whose module reads this."""
