"""Stores that an earlier version wrote: their runs and rating queues are read as they were."""

import json
import sqlite3
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.eval_sets import Sample, turn_samples
from assay.metrics import Score
from assay.runs import (
    AnswerIndex,
    AnswerQuery,
    Plan,
    RunWriter,
    Store,
    find_judgements,
    join_ratings,
    queue_choices,
    queue_ids,
)
from assay.runs.ratings import RatingQueue

DUMP = Path(__file__).with_name("store_of_6da67d2f.sql")
"""As commit 6da67d2f wrote it: a queue of answers, one of turns whose messages are kept once, and one of pairs."""


WATCHED = """
INSERT INTO watch_items VALUES ('bot', 'a', 't', 's', '2026-11-01', 0.5, '{}', 'judged', 1, '2026-11-01', 'r', 1, 0.75,
    1, 0.1, 2, '{"ada": 4}', 4, '{}');
INSERT INTO watch_looks VALUES ('bot', 1, '2026-11-02', '{"day": 1}', '{"pulled": 1}', '[{"kind": "judge"}]');
INSERT INTO watch_deliveries VALUES ('bot', 1, 'fired', 'a', '{"id": "bot:1:fired"}', 'waiting', 1, NULL, '');
INSERT INTO watch_deliveries VALUES ('bot', 1, 'cleared', 'a', '{}', 'sent', 1, '2026-11-02', '');
INSERT INTO watch_unread VALUES ('bot', 't2', '2026-11-01', 'no answer');
INSERT INTO watch_drift VALUES ('bot', 'judge', '2026-11-02', '{}');
"""
"""What a watch had written, with the tables and columns that nothing reads any more."""


@pytest.fixture
def store(tmp_path):
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
        connection.executescript(WATCHED)
    connection.close()
    opened = Store(tmp_path)
    yield opened
    opened.close()


def chat(name, *texts):
    roles = ("user", "assistant") * len(texts)
    messages = [{"role": role, "content": text} for role, text in zip(roles, texts, strict=False)]
    return Sample.model_validate({"id": name, "messages": messages})


def answer(name, number, text=None):
    return Sample(id=name, user_input=f"Free {number}?", response=text or f"Yes, {number}.")


def test_ratings_are_of_the_same_answer_whatever_its_id(store):
    samples = {one.id: one for one in (answer("q0", 0), answer("other", 0), answer("q1", 1), answer("q2", 2, "No."))}
    joined = join_ratings(store.database, samples)
    rated = joined.samples["q0"]
    assert (rated.ratings, rated.rating) == ({"ada": 4.0, "bob": 2.0}, 3.0)
    assert rated.metadata == {"rating_reasons": {"ada": "clear"}, "wrong_sentences": {"ada": ["Yes, 0."]}}
    assert joined.samples["other"].ratings == {}  # q0 is among these: what was said of it is of it alone
    assert joined.note == "ratings: 1 of the rating page by ada, bob on 1 to 5, of which 1 is what the team agreed on"
    alone = join_ratings(store.database, {"other": answer("other", 0)}).samples["other"]
    assert (alone.ratings, alone.rating) == ({"ada": 4.0, "bob": 2.0}, 3.0)
    judgements = find_judgements(store.database, [answer("x", 1).fingerprint])
    assert {(one.rater, one.value) for one in judgements} == {("ada", None)}


def test_turns_whose_messages_were_kept_once_are_found(store):
    turns = {turn.id: turn for turn in turn_samples(chat("chat", "Free?", "Yes.", "Until when?", "May."))}
    joined = join_ratings(store.database, turns).samples
    assert {name: one.ratings for name, one in joined.items()} == {"chat#1": {"ada": 5.0}, "chat#3": {"ada": 1.0}}
    same = chat("chat", "Free?", "Yes.", "Until when?", "May.")  # what was said of its last turn is not said of it
    assert join_ratings(store.database, {"chat": same}).samples["chat"].ratings == {}
    whole = chat("chat", "Free?", "Yes.", "Until when?", "June.")
    assert join_ratings(store.database, {"chat": whole}).samples["chat"].ratings == {}


def test_choices_stay_and_a_rater_goes_on(store):
    pairs, turns, answers = (RatingQueue(store.database, name) for name in queue_ids(store.database))
    assert [queue.has_pairs for queue in (pairs, turns, answers)] == [True, False, False]
    assert [(one.preference.rater, one.preference.reason) for one in queue_choices(pairs)] == [("ada", "so")]
    rows = store.database.execute(
        "SELECT fingerprint, other_fingerprint FROM rating_items WHERE queue = ?", (pairs.id,)
    )
    expected = [tuple(one.fingerprint for one in pairs.pair(name).answers) for name in pairs.names()]
    assert sorted(rows.fetchall()) == sorted(expected)
    open_item = answers.next_item("bob")
    assert open_item is not None and answers.save("bob", open_item.name, 5)
    assert join_ratings(store.database, {"q": answer("q", 1)}).samples["q"].ratings == {"bob": 5.0}


def test_what_a_watch_wrote_stays_without_the_tables_that_nothing_reads(store):
    execute = store.database.execute
    assert execute("SELECT * FROM watch_looks").fetchall() == [("bot", 1, "2026-11-02", '{"day": 1}', '{"pulled": 1}')]
    messages = execute("SELECT * FROM watch_messages").fetchall()
    assert messages == [("bot", 1, "fired", '{"id": "bot:1:fired"}')]
    item = execute("SELECT judged, rating_chance, queue_state, ratings, rating FROM watch_items").fetchall()
    assert item == [(0.75, 0.1, "drawn", '{"ada": 4}', 4.0)]
    names = {name for (name,) in execute("SELECT name FROM sqlite_master").fetchall()}
    assert not names & {"watch_unread", "watch_drift", "watch_items_look", "watch_deliveries"}
    assert {"watch_items_status", "watch_items_time"} <= names


def as_version_19_wrote(folder, samples):
    """A store with a run whose turns named their conversation by its id in the run, and a digest of its messages."""
    opened = Store(folder)
    run = opened.begin(Plan(sets=("chats.jsonl",), metrics=("answer_length",), turns="each"))
    opened.end(run, "done")
    execute = opened.database.execute
    for place, sample in enumerate(samples):
        content = sample.model_dump_json()
        if "turn" in sample.metadata:
            reference = {"turn_of": sample.metadata["conversation"], "digest_of_messages": "0123456789abcdef"}
            rest = sample.model_dump_json(exclude={"messages"})
            content = f"{json.dumps(reference, separators=(',', ':'))[:-1]},{rest[1:]}"
        row = run, sample.id, place, content
        execute("INSERT INTO samples (run, id, place, source, content) VALUES (?, ?, ?, '', ?)", row)
    for statement in (
        "DROP INDEX samples_content",
        "DROP INDEX rating_items_content",
        "DROP INDEX rating_items_other_content",
        "DROP INDEX watch_items_content",
        "DROP TABLE contents",
        "ALTER TABLE watch_messages RENAME TO watch_deliveries",
        "ALTER TABLE watch_deliveries ADD COLUMN state TEXT NOT NULL DEFAULT 'waiting'",
        "ALTER TABLE rating_items DROP COLUMN other_content",
        "ALTER TABLE rating_items DROP COLUMN about",
        "ALTER TABLE rating_queues ADD COLUMN kind TEXT NOT NULL DEFAULT 'answers'",
        "CREATE TABLE answers (run TEXT, sample TEXT, words TEXT, PRIMARY KEY (run, sample))",
        "DROP INDEX samples_place",
        "ALTER TABLE samples DROP COLUMN words",
        "ALTER TABLE nightly_runs ADD COLUMN spent TEXT",
        "PRAGMA user_version = 19",
    ):
        execute(statement)
    opened.close()
    return run


CHATS = [chat('cäfé "7"', "Free?", "Yes.", "Until when?", "May."), chat("b", "Ok?", "No.")]
SAMPLES = [sample for one in CHATS for sample in (one, *turn_samples(one))]


def test_a_run_is_read_as_it_was_and_each_content_stands_once(tmp_path):
    run = as_version_19_wrote(tmp_path, SAMPLES)
    opened = Store(tmp_path)
    assert list(opened.samples(run)) == SAMPLES
    assert AnswerIndex(opened.database).search(run, AnswerQuery(text="when")).total == 2
    writer = RunWriter(opened, run)
    assert all(writer.finished_metrics(sample) == set() for sample in SAMPLES)  # nothing is scored, nothing damaged
    (before,) = opened.database.execute("SELECT count(*) FROM contents").fetchone()
    for sample in writer.number_samples(SAMPLES):
        writer.add(sample, {"answer_length": Score(1.0, "scored", "")})
    writer.flush()
    assert all(writer.finished_metrics(sample) == {"answer_length"} for sample in SAMPLES)
    (after,) = opened.database.execute("SELECT count(*) FROM contents").fetchone()
    assert before == after == len(SAMPLES)
    opened.close()


@pytest.mark.parametrize(
    ("other", "low", "expected"),
    [("", 1, (4, {})), ("No.", 1, (4, {"other_response": "No."})), ("No.", -5, (None, {"other_response": "No."}))],
)
def test_a_sample_that_had_another_answer_to_compare_it_with_is_read(tmp_path, other, low, expected):
    """Every sample had the field; on a scale that began below 0 its rating said which of the two is better."""
    rated = answer("q0", 0).model_copy(update={"rating": 4, "rating_min": low})
    run = as_version_19_wrote(tmp_path, [rated])
    with sqlite3.connect(tmp_path / "runs.sqlite") as connection:
        ((content,),) = connection.execute("SELECT content FROM samples").fetchall()
        earlier = json.dumps(json.loads(content) | {"other_response": other})
        connection.execute("UPDATE samples SET content = ?", (earlier,))
    connection.close()
    opened = Store(tmp_path)
    (sample,) = opened.samples(run)
    assert (sample.human_rating, sample.metadata) == expected
    opened.close()


def test_a_migration_that_ends_in_the_middle_leaves_the_old_store(tmp_path):
    as_version_19_wrote(tmp_path, SAMPLES)
    file = tmp_path / "runs.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER full BEFORE UPDATE ON samples BEGIN SELECT RAISE(ABORT, 'full'); END")
        before = list(connection.iterdump())
    connection.close()
    with pytest.raises(UsageError, match="cannot be opened: full"):
        Store(tmp_path)
    with sqlite3.connect(file) as connection:
        assert list(connection.iterdump()) == before
        connection.execute("DROP TRIGGER full")
    connection.close()
    Store(tmp_path).close()
