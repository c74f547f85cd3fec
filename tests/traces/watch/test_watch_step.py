"""One step after the other: what is pulled, drawn, judged, pushed, rated and alarmed, each once."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from api_server import Reply
from memory_traces import ADDRESS, NOON, MemoryTraces, simple_look, trace
from openai_server import Answer

from assay.errors import InputError, UsageError
from assay.runs import Store
from assay.traces import (
    StepTools,
    UnreadTrace,
    WatchSettings,
    WatchState,
    hold_watch,
    take_step,
    take_steps,
    watch_queues,
)


class Bench:
    """A watch of traces in memory, whose clock the test sets."""

    def __init__(self, folder, **settings):
        self.traces = MemoryTraces()
        self.now = NOON
        self.store = Store(folder / "store")
        self.folder = folder
        self.settings = self.make(**settings)

    def make(self, **settings):
        base = {"name": "bot", "source": ADDRESS, "metric": "rouge_l_precision", "folder": self.folder}
        return WatchSettings.model_validate(base | settings)

    @property
    def tools(self):
        return StepTools(
            open_source=lambda _: self.traces, open_sink=lambda _: self.traces, look=simple_look, clock=lambda: self.now
        )

    def step(self, after=timedelta()):
        self.now += after
        return take_step(self.settings, self.store, self.tools)

    @property
    def state(self):
        return WatchState(self.store)

    def waiting(self):
        """The messages that are not delivered yet."""
        return self.store.database.execute("SELECT event FROM watch_messages ORDER BY alarm, event DESC").fetchall()


@pytest.fixture
def bench(tmp_path):
    return lambda **settings: Bench(tmp_path, **settings)


def test_an_alarm_names_the_run_with_most_of_its_answers(bench):
    """Twelve answers are judged in a run of the first day and five in one of the second, on which the alarm fires."""
    watch = bench(budget={"judged_per_day": 200}, sample={"share": 1.0})
    watch.traces.add(12)
    assert watch.step(timedelta(seconds=1)).run == ""  # no alarm
    watch.traces.add(5, NOON + timedelta(hours=23), first=12)
    watch.settings = watch.make(budget={"judged_per_day": 200}, sample={"share": 1.0}, bounds=[{"mean": 4.9}])
    report = watch.step(timedelta(days=1))
    first, _ = watch.state._rows("SELECT run, count(*) FROM watch_items GROUP BY run ORDER BY count(*) DESC LIMIT 1")[0]
    assert len(report.fired) == 1 and report.run == first


def test_a_step_pulls_draws_judges_and_pushes(bench):
    watch = bench(budget={"judged_per_day": 20})
    watch.traces.add(50)
    watch.traces.traces.append(UnreadTrace("u1", NOON.isoformat(), "no root"))
    watch.traces.traces.append(trace("silent", NOON - timedelta(minutes=5), response=" "))  # an answer too
    report = watch.step(timedelta(seconds=1))
    counts = report.stored.counts
    assert (counts.pulled, counts.unread, counts.drawn, counts.judged, counts.waiting) == (51, 1, 10, 10, 0)
    assert counts.pushed == len(watch.traces.scores) == 10
    assert {score.name for score in watch.traces.scores.values()} == {"rouge_l_precision"}
    assert (report.stored.number, report.stored.look.answers, report.stored.look.judged) == (1, 51, 10)
    sql = "SELECT judge_chance, run, segments, content FROM watch_items WHERE judged IS NOT NULL"
    judged = watch.store.database.execute(sql).fetchall()
    segments = json.dumps({"language": "en", "model": "m1"})
    assert judged == [(10 / 51, watch.store.run("last").id, segments, None)] * 10  # their texts stand in the run alone


def test_the_empty_answer_that_ends_a_session_is_under_test_with_its_rating(bench):
    """Of 4 conversations of two traces, 2 end with an empty answer rated 1; all other answers are rated 5."""
    watch = bench(by="session")
    for number in range(8):
        is_silent = number in (1, 5)
        said = {"response": ""} if is_silent else {}
        at = NOON - timedelta(hours=3) + timedelta(seconds=number)
        session = f"s{number // 2}"
        watch.traces.traces.append(trace(f"t{number}", at, session=session, rating=1 if is_silent else 5, **said))
    counts = watch.step().stored.counts
    assert (counts.pulled, counts.unread, counts.rated) == (4, 0, 4)
    rows = watch.store.database.execute("SELECT rating FROM watch_items ORDER BY sample").fetchall()
    assert [rating for (rating,) in rows] == [1, 5, 1, 5]


def test_an_empty_answer_that_the_metric_skips_counts_at_its_worst_value(bench):
    """Three copied answers score 1 and the empty one 0: mean .75, where it stood at 1. It is pushed nowhere."""
    watch = bench(sample={"share": 1.0})
    watch.traces.add(3)
    watch.traces.traces.append(trace("silent", NOON - timedelta(minutes=50), response=" "))
    report = watch.step(timedelta(seconds=1))
    assert (report.stored.look.judged, report.stored.counts.judged, report.stored.counts.failed) == (4, 4, 0)
    assert report.stored.look.mean.value == pytest.approx(0.75)
    assert report.notes == ["1 empty answer counts as 0, the worst value of rouge_l_precision"]
    assert len(watch.traces.scores) == 3
    writes = watch.traces.writes
    watch.step(timedelta(minutes=15))
    assert watch.traces.writes == writes  # the run is not taken for one that still has to be pushed


def test_an_empty_answer_of_a_watch_that_an_earlier_version_kept_counts_at_the_next_step(bench):
    watch = bench(sample={"share": 1.0})
    watch.traces.add(3)
    watch.traces.traces.append(trace("silent", NOON - timedelta(minutes=50), response=""))
    watch.step(timedelta(seconds=1))
    watch.store.database.execute("UPDATE watch_items SET status = 'skipped', judged = NULL WHERE sample = 'silent'")
    look = watch.step(timedelta(minutes=15)).stored.look
    assert (look.judged, look.mean.value) == (4, pytest.approx(0.75))


def test_the_same_traces_are_pulled_once(bench):
    watch = bench()
    watch.traces.add(30)
    watch.step()
    again = watch.step(timedelta(minutes=15)).stored.counts
    assert (again.pulled, again.judged, again.pushed) == (0, 0, 0)
    late = trace("late", NOON - timedelta(minutes=40))  # within the overlap
    watch.traces.traces.append(late)
    assert watch.step(timedelta(minutes=5)).stored.counts.pulled == 1
    assert watch.traces.writes == len(watch.traces.scores)


def test_a_server_is_asked_since_the_newest_trace_that_was_read_less_the_overlap(bench):
    """The newest trace began at 10:02. At 12:15 one of 9:30 is there, late, as a server takes exports too."""
    watch = bench()
    watch.traces.traces += [trace("a", NOON - timedelta(minutes=118)), trace("b", NOON - timedelta(hours=2))]
    watch.step()
    watch.traces.traces.append(trace("late", NOON - timedelta(minutes=150)))
    assert watch.step(timedelta(minutes=15)).stored.counts.pulled == 1
    assert [since for since, _ in watch.traces.reads] == [NOON - timedelta(hours=24), NOON - timedelta(minutes=178)]


def test_of_a_file_whatever_is_not_known_is_pulled_once_however_late_it_comes(bench):
    """Three traces of the last week, then an export of three days that ended yesterday: 3, 3 and 0 are new."""
    watch = bench(source="otel:traces.jsonl", push=False)
    days = [trace(f"t{day}", NOON - timedelta(days=day)) for day in range(1, 8)]
    watch.traces.traces += days[4:]
    assert watch.step().stored.counts.pulled == 3
    watch.traces.traces += days[:3]
    assert [watch.step(timedelta(days=1)).stored.counts.pulled for _ in range(2)] == [3, 0]
    watch.traces.traces.append(trace("older", NOON - timedelta(days=400)))
    report = watch.step(timedelta(days=1))
    assert (report.stored.counts.pulled, report.stored.look.answers) == (1, 7)


def test_traces_of_a_file_from_before_since_are_left_out_and_a_longer_since_reads_them(bench):
    """The first step is at noon and asks two days: what began 2 days and 1 second before is out, also at step 2."""
    watch = bench(source="otel:traces.jsonl", push=False, since="2d")
    watch.traces.traces += [trace("in", NOON - timedelta(days=2)), trace("out", NOON - timedelta(days=2, seconds=1))]
    for pulled in (1, 0):
        report = watch.step(timedelta())
        assert report.stored.counts.pulled == pulled
        watch.now += timedelta(days=1)
    watch.settings = watch.make(source="otel:traces.jsonl", push=False, since="3d")
    report = watch.step()
    assert report.stored.counts.pulled == 1


def test_a_budget_is_of_a_day_and_nothing_stays_undrawn(bench):
    watch = bench(budget={"judged_per_day": 8}, since="2d")
    judged = 0
    for hour in range(12):
        watch.traces.add(40, watch.now, first=40 * hour)
        judged += watch.step(timedelta(hours=1)).stored.counts.judged
    assert 7 <= judged <= 8  # from noon to midnight; the first step may use half
    new_day = watch.step(timedelta(hours=3))
    assert new_day.stored.counts.undrawn == 0
    with watch.store.database.transaction():
        rows = watch.store.database.execute("SELECT judge_chance, status FROM watch_items").fetchall()
    assert len(rows) == 480
    assert all(0 < chance <= 1 for chance, _ in rows)
    assert sum(chance for chance, _ in rows) == pytest.approx(sum(status == "scored" for _, status in rows), abs=1.5)


def test_a_used_up_budget_leaves_answers_to_the_next_day(bench):
    watch = bench(budget={"judged_per_day": 4}, sample={"share": 0.5})
    watch.traces.add(20)
    first = watch.step()
    assert first.stored.counts.drawn == 4
    assert any("more than the budget" in note for note in first.notes)
    watch.traces.add(10, NOON, first=100)
    second = watch.step(timedelta(minutes=15))
    assert (second.stored.counts.drawn, second.stored.counts.undrawn) == (0, 10)
    assert any("is used up" in note for note in second.notes)
    third = watch.step(timedelta(hours=13))
    assert (third.stored.counts.drawn, third.stored.counts.undrawn) == (4, 0)


def watched_contents(watch):
    """The contents of the store, in order; and the keys of those that the watch refers to."""
    execute = watch.store.database.execute
    kept = sorted(content for (content,) in execute("SELECT content FROM contents").fetchall())
    return kept, [key for (key,) in execute("SELECT content FROM watch_items WHERE content IS NOT NULL").fetchall()]


def test_each_answer_stands_once_until_nothing_refers_to_it(bench):
    """4 of 20 are drawn, and stand in their run; 10 of the next hour wait for the next day, of which 4 are drawn."""
    watch = bench(budget={"judged_per_day": 4}, sample={"share": 0.5})
    watch.traces.add(20)
    run = watch.step().stored.number and watch.store.run("last").id
    judged = sorted(sample.model_dump_json() for sample in watch.store.samples(run))
    assert watched_contents(watch) == (judged, [])
    watch.traces.add(10, NOON, first=100)
    watch.step(timedelta(minutes=15))
    kept, keys = watched_contents(watch)
    assert kept == sorted([*judged, *(sample.model_dump_json() for sample in watch.traces.traces[20:])])
    assert len(set(keys)) == 10
    watch.step(timedelta(hours=13))
    assert [len(part) for part in watched_contents(watch)] == [8, 0]


def test_a_watch_whose_answers_stood_whole_in_it_goes_on(bench):
    """As version 20 of the store wrote them: 10 answers that wait for a draw; and a content that nothing refers to."""
    watch = bench(budget={"judged_per_day": 4}, sample={"share": 0.5})
    watch.traces.add(20)
    watch.step()
    watch.traces.add(10, NOON, first=100)
    watch.step(timedelta(minutes=15))
    before, execute = watched_contents(watch), watch.store.database.execute
    execute("UPDATE watch_items SET content = (SELECT content FROM contents WHERE key = watch_items.content)")
    execute("DELETE FROM contents WHERE key NOT IN (SELECT content FROM samples)")
    execute("INSERT INTO contents VALUES ('of nobody', '{}')")
    columns = ("samples_content", "rating_items_content", "rating_items_other_content", "watch_items_content")
    for index in (*columns, "contents_of_turns"):
        execute(f"DROP INDEX {index}")
    execute("PRAGMA user_version = 20")
    watch.store.close()
    watch.store = Store(watch.folder / "store")
    assert watched_contents(watch) == before
    third = watch.step(timedelta(hours=13)).stored.counts
    assert (third.drawn, third.judged, third.undrawn) == (4, 4, 0)
    assert [len(part) for part in watched_contents(watch)] == [8, 0]


def test_what_a_judge_that_is_down_cannot_judge_waits(bench, openai_server, judge_file):
    judge = judge_file(attempts=1)
    watch = bench(metric="faithfulness", judge=str(judge), budget={"judged_per_day": 10})
    watch.traces.add(20)
    openai_server.script = lambda _: Answer(status=401)
    report = watch.step()
    counts = report.stored.counts
    assert (counts.pulled, counts.drawn, counts.judged, counts.waiting) == (20, 5, 0, 5)
    assert any("wait for the next step" in problem for problem in report.problems)
    openai_server.script = lambda _: None
    better = watch.step(timedelta(seconds=10)).stored.counts
    assert (better.judged, better.waiting) == (5, 0)
    asked = len(openai_server.requests)
    assert watch.step(timedelta(seconds=10)).stored.counts.judged == 0
    assert len(openai_server.requests) == asked  # nothing is asked twice


def test_why_answers_have_no_score_is_said(bench, openai_server, judge_file):
    """A judge that answers, but with nothing that can be used: said at each of three steps, then given up."""
    watch = bench(metric="faithfulness", judge=str(judge_file(attempts=1)), budget={"judged_per_day": 10})
    watch.traces.add(20)
    openai_server.script = lambda _: Answer(text="perhaps")
    reports = [watch.step(timedelta(seconds=10)) for _ in range(4)]
    assert [len([text for text in one.problems if "5 answers got no score (" in text]) for one in reports] == [
        1,
        1,
        1,
        0,
    ]
    assert [one.stored.counts.waiting for one in reports] == [5, 5, 0, 0]


def test_raters_get_so_many_a_day_and_their_ratings_come_back(bench):
    watch = bench(budget={"judged_per_day": 40}, ratings={"raters": ["ada"], "per_day": 6, "guideline": None})
    watch.traces.add(60)
    report = watch.step()
    assert report.stored.counts.queued == 3  # half a day's
    (queue,) = watch_queues(watch.store, "bot")
    chances = watch.store.database.execute("SELECT rating_chance FROM watch_items WHERE rating_chance > 0").fetchall()
    assert chances == [(3 / 20,)] * 20
    item = queue.next_item("ada")
    queue.save("ada", item.sample.id, 2)
    second = watch.step(timedelta(hours=4))
    assert (second.stored.counts.rated, second.stored.look.rated) == (1, 1)
    assert watch.step(timedelta(minutes=1)).stored.counts.rated == 0
    assert [one.id for one in watch_queues(watch.store, "bot")] == [queue.id]


def test_annotations_of_the_tool_come_back_also_for_old_traces(bench):
    watch = bench(budget={"judged_per_day": 40}, ratings={"per_day": 6})
    watch.traces.add(10)
    watch.step()
    old = watch.traces.traces[0]
    watch.traces.traces[0] = old.model_copy(update={"ratings": {"bob": 5.0}})
    watch.traces.traces[1] = watch.traces.traces[1].model_copy(update={"ratings": {"bob": 9.0}, "rating_max": 10.0})
    assert watch.step(timedelta(hours=3)).stored.counts.rated == 0  # read again once a day
    assert watch.step(timedelta(hours=22)).stored.counts.rated == 1


def test_ratings_in_a_file_are_read_again_at_each_step(bench):
    watch = bench(source="otel:traces.jsonl", push=False, budget={"judged_per_day": 40})
    watch.traces.add(10)
    watch.step()
    watch.traces.traces[0] = watch.traces.traces[0].model_copy(update={"ratings": {"bob": 5.0}})
    assert watch.step(timedelta(minutes=15)).stored.counts.rated == 1
    assert len(watch.traces.reads) == 2  # one reading of the file at each step


@pytest.mark.parametrize(("source", "after"), [("otel:traces.jsonl", 1), ("phoenix://host/bot", 25)])
def test_without_raters_ratings_count_of_answers_that_are_not_judged(bench, source, after):
    watch = bench(source=source, push=False, sample={"share": 0.5})
    watch.traces.add(10)
    assert watch.step().stored.counts.judged == 5  # half of ten
    watch.traces.traces = [trace.model_copy(update={"ratings": {"bob": 5.0}}) for trace in watch.traces.traces]
    report = watch.step(timedelta(hours=after))
    assert (report.stored.counts.rated, report.stored.look.rated) == (10, 10)


@pytest.mark.parametrize(("metric", "rated", "mean"), [("rouge_l_precision", 2, 3.5), ("conversation_turns", 0, None)])
def test_of_a_conversation_the_rating_of_the_judged_turn_counts(bench, metric, rated, mean):
    """Last turns rated 2 and 5."""
    watch = bench(by="session", source="otel:traces.jsonl", push=False, metric=metric, sample={"share": 1})
    turns = [("a", 4.0), ("a", 2.0), ("b", 3.0), ("b", None), ("c", 3.0), ("c", 5.0)]
    traces = [
        trace(f"{session}{place}", NOON - timedelta(hours=2) + timedelta(minutes=place), session=session, rating=value)
        for place, (session, value) in enumerate(turns)
    ]
    watch.traces.traces = traces
    report = watch.step()
    assert report.stored.counts.rated == rated
    again = watch.step(timedelta(minutes=15))  # the file is read again: the same ratings of the same turns
    assert (again.stored.counts.rated, again.stored.look.rated) == (0, rated)
    sql = "SELECT avg(rating) FROM watch_items WHERE rating IS NOT NULL"
    assert watch.store.database.execute(sql).fetchall() == [(mean,)]


@pytest.mark.parametrize("source", ["otel:traces.jsonl", ADDRESS])
def test_late_ratings_of_answers_that_no_draw_kept_do_not_stop_those_of_others(bench, source):
    """Six answers of one trace and six conversations of two, some of them judged: rated late, the six of one count."""
    watch = bench(by="session", source=source, push=False, metric="conversation_turns", sample={"share": 0.5})
    began = NOON - timedelta(hours=3)
    lone = [trace(f"l{place}", began, session=f"l{place}") for place in range(6)]
    first, last = (
        [trace(f"{part}{place}", began + timedelta(minutes=minute), session=f"s{place}") for place in range(6)]
        for part, minute in (("f", 0), ("g", 1))
    )
    watch.traces.traces = [*lone, *first, *last]
    report = watch.step()
    assert (report.stored.counts.pulled, report.stored.counts.rated) == (12, 0)
    assert 0 < report.stored.counts.judged < 12
    late = {"rating": 4.0, "rating_min": 1, "rating_max": 5}
    watch.traces.traces = [*first, *(one.model_copy(update=late) for one in (*lone, *last))]
    again = watch.step(timedelta(days=1, minutes=15))
    assert (again.problems, again.stored.counts.rated) == ([], 6)
    rated = "SELECT sample FROM watch_items WHERE rating IS NOT NULL ORDER BY sample"
    assert watch.store.database.execute(rated).fetchall() == [(f"l{place}",) for place in range(6)]


def test_an_alarm_fires_once_and_clears_once(bench, webhook):
    watch = bench(bounds=[{"mean": 4}], webhook=webhook.url, budget={"judged_per_day": 40})
    watch.traces.add(20)
    first = watch.step()
    assert (first.fired, len(first.standing)) == ([1], 1)
    assert len(first.standing[0].answers) == 5
    assert first.standing[0].since == "2026-11-23"
    again = watch.step(timedelta(minutes=15))
    assert (again.fired, len(again.standing)) == ([], 1)
    watch.settings = watch.make(bounds=[{"mean": 2}], webhook=webhook.url)
    cleared = watch.step(timedelta(minutes=15))
    assert ([alarm.bound for alarm in cleared.cleared], cleared.standing) == (["mean at least 4"], [])
    watch.step(timedelta(minutes=15))
    assert [(call.body["event"], call.body["id"]) for call in webhook.calls] == [
        ("fired", "bot:1:fired"),
        ("cleared", "bot:1:cleared"),
    ]
    assert watch.waiting() == []


def test_a_message_that_cannot_be_delivered_is_tried_again(bench, webhook):
    webhook.script = lambda call: Reply(404, "no such hook") if call.number == 1 else None
    watch = bench(bounds=[{"mean": 4}], webhook=webhook.url)
    watch.traces.add(20)
    assert any("alarm 1" in problem for problem in watch.step().problems)
    assert watch.waiting() == [("fired",)]
    assert watch.step(timedelta(minutes=15)).problems == []
    assert watch.waiting() == [] and len(webhook.calls) == 2


def test_a_message_for_a_webhook_that_is_no_longer_named_is_dropped(bench):
    watch = bench(bounds=[{"mean": 4}], webhook="env:NOT_SET_AT_ALL")
    watch.traces.add(20)
    assert any("NOT_SET_AT_ALL is not set" in problem for problem in watch.step().problems)
    watch.settings = watch.make(bounds=[{"mean": 4}])
    assert watch.step(timedelta(minutes=15)).problems == []
    assert watch.waiting() == []


def test_a_step_asks_the_store_by_parts_and_not_by_answers(tmp_path, monkeypatch):
    """Ten answers and fifty, all of which are one part (50 traces, 200 answers) and all drawn: as many statements."""
    counts = []
    for number in (10, 50):
        watch = Bench(tmp_path / str(number), budget={"judged_per_day": 200}, push=False)
        watch.traces.add(number)
        kind, asked = type(watch.store.database), []
        execute = kind.execute
        with monkeypatch.context() as patched:
            patched.setattr(kind, "execute", lambda own, *sql: asked.append(sql) or execute(own, *sql))  # noqa: B023
            assert watch.step().stored.counts.judged == number
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_two_watchers_of_one_file_exclude_each_other(bench, tmp_path):
    watch = bench()
    other = Store(tmp_path / "store")
    with hold_watch(other, "bot"), pytest.raises(UsageError, match="another process is at work on it"):
        watch.step()
    assert watch.step().stored.number == 1


def test_another_measure_under_the_same_name_is_refused(bench):
    watch = bench()
    watch.traces.add(10)
    watch.step()
    watch.settings = watch.make(budget={"judged_per_day": 7}, every="1h")
    assert watch.step(timedelta(minutes=15)).stored.number == 2
    watch.settings = watch.make(metric="answer_length")
    with pytest.raises(UsageError, match="give the file another `name:`"):
        watch.step(timedelta(minutes=15))
    watch.settings = watch.make(metric="answer_length", name="bot 2")
    assert watch.step(timedelta(minutes=15)).stored.counts.pulled == 10
    assert [row.id for row in watch.state.watches()] == ["bot", "bot 2"]


def test_sessions_are_pulled_when_they_are_over(bench):
    watch = bench(by="session", metric="rouge_l_precision")
    for name, session, minutes in (("a", "s1", 100), ("b", "s1", 99), ("c", "s2", 3), ("d", "", 2)):
        watch.traces.traces.append(trace(name, NOON - timedelta(minutes=minutes), session=session))
    first = watch.step()
    assert first.stored.counts.pulled == 2
    assert any("1 conversation may go on" in note for note in first.notes)
    watch.traces.traces.append(trace("e", NOON + timedelta(minutes=1), session="s2"))
    second = watch.step(timedelta(hours=1))
    assert second.stored.counts.pulled == 1
    names = watch.store.database.execute("SELECT sample FROM watch_items ORDER BY sample").fetchall()
    assert [name for (name,) in names] == ["d", "s1", "s2"]
    watch.traces.traces.append(trace("f", NOON + timedelta(hours=3), session="s1"))
    watch.traces.traces.append(trace("g", NOON + timedelta(hours=3, seconds=9), session="s1"))
    assert watch.step(timedelta(hours=5)).stored.counts.pulled == 1
    assert watch.step(timedelta(hours=5)).stored.counts.pulled == 0
    names = watch.store.database.execute("SELECT sample FROM watch_items ORDER BY sample").fetchall()
    assert [name[:3] for (name,) in names] == ["d", "s1", "s1@", "s2"]


def test_an_outage_is_waited_out(bench):
    watch = bench()
    watch.traces.add(5)
    trouble = []
    waits = []

    def wait(seconds):
        waits.append(seconds)
        watch.now += timedelta(minutes=15)
        if len(waits) == 1:
            watch.traces.problem = "the server does not answer"
        if len(waits) == 2:
            watch.traces.problem = ""

    tools = replace(watch.tools, sleep=wait, on_trouble=trouble.append)
    steps = take_steps(watch.settings, watch.store, tools)
    numbers = [next(steps).stored.number for _ in range(2)]
    steps.close()
    assert numbers == [1, 2]
    assert "the server does not answer" in trouble[0]
    assert 800 < waits[0] <= 900
    watch.traces.problem = "no such project"
    with pytest.raises(InputError, match="no such project"):
        next(take_steps(watch.settings, watch.store, tools))
    assert watch.state.watch("bot").problem == "no such project"


def test_traces_that_come_twice_are_kept_once_and_half_a_character_stops_nothing(bench):
    watch = bench()
    page = [trace(f"t{number}", NOON - timedelta(minutes=9)) for number in range(250)]
    broken = trace("broken", NOON - timedelta(minutes=7))
    broken.metadata["note"] = "half a character: \ud800"
    watch.traces.traces = [*page, *page[:240], broken]
    assert watch.step().stored.counts.pulled == 251
    assert watch.step(timedelta(minutes=15)).stored.counts.pulled == 0
    assert set(watch.traces.scores) == {score.key for score in watch.traces.scores.values()}
