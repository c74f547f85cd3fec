"""A watch that stops after any of its writes, on both databases: the next steps lose and double nothing."""

from collections import Counter
from contextlib import contextmanager
from datetime import timedelta

import pytest
from memory_traces import ADDRESS, NOON, MemoryTraces, simple_look

from assay.runs import Store
from assay.traces import StepTools, WatchSettings, WatchState, take_step, watch_queues


class Stop(BaseException):
    """The process ends here."""


@contextmanager
def stopping(store, after):
    """Stops after so many transactions; yields the number of those that there were."""
    database = store.database
    transaction, count = database.transaction, [0]

    @contextmanager
    def counted():
        with transaction():
            yield
        count[0] += 1
        if count[0] == after:
            raise Stop

    database.transaction = counted
    try:
        yield count
    finally:
        database.transaction = transaction


class Site:
    """Traces, a store and a webhook."""

    def __init__(self, store, webhook):
        self.traces = MemoryTraces()
        self.traces.add(40)
        self.webhook = webhook
        self.now = NOON
        self.store_place = store
        values = {
            "name": "bot",
            "source": ADDRESS,
            "metric": "rouge_l_precision",
            "budget": {"judged_per_day": 24},
            "ratings": {"raters": ["ada"], "per_day": 8},
            "bounds": [{"mean": 4}],
            "webhook": webhook.url,
        }
        self.settings = WatchSettings.model_validate(values)

    def step(self, store):
        tools = StepTools(lambda _: self.traces, lambda _: self.traces, simple_look, lambda: self.now)
        return take_step(self.settings, store, tools)

    def check(self, store):
        """Takes the steps that are left, and counts."""
        self.step(store)
        self.now += timedelta(minutes=1)
        last = self.step(store)
        counts = last.stored.counts
        assert (counts.waiting, counts.undrawn, counts.push_failed, last.problems) == (0, 0, 0, [])
        items = store.database.execute("SELECT sample, status, queue_state FROM watch_items").fetchall()
        assert sorted(name for name, _, _ in items) == sorted(sample.id for sample in self.traces.traces)
        scored = {name for name, status, _ in items if status == "scored"}
        assert len(scored) == 12  # half of a day's: once
        assert Counter(score.origin.id for score in self.traces.scores.values()) == Counter(scored)
        queued = {name for name, _, queue_state in items if queue_state == "queued"}
        assert {queue_state for _, _, queue_state in items} == {"left", "queued"}
        queues = watch_queues(store, "bot")
        assert len(queues) == 1
        assert {sample.id for sample in queues[0].samples()} == queued
        assert len(queued) == 4
        state = WatchState(store)
        assert len(state.alarms("bot")) == 1
        assert store.database.execute("SELECT event FROM watch_messages").fetchall() == []
        assert {call.body["id"] for call in self.webhook.calls} == {"bot:1:fired"}
        self.webhook.calls.clear()
        runs = [run for run in store.run_ids() if store.count_samples(run)]
        assert len(runs) == 1
        looks = state.looks("bot")
        assert [look.number for look in looks] == list(range(1, len(looks) + 1))


def run_all(make_store, webhook):
    """Stops after each write in turn; returns how many there were."""
    number = 0
    while True:
        number += 1
        site = Site(make_store(number), webhook)
        store = Store(site.store_place)
        is_over = False
        with stopping(store, number):
            try:
                site.step(store)
                is_over = True
            except Stop:
                pass
        store.close()
        store = Store(site.store_place)
        site.check(store)
        store.close()
        if is_over:
            return number


def test_a_step_that_stops_after_any_write_goes_on(tmp_path, webhook):
    assert run_all(lambda number: tmp_path / f"store-{number}", webhook) > 8


@pytest.mark.timeout(300)
def test_a_watch_in_postgresql(request, webhook):
    pytest.importorskip("psycopg")
    postgres_url = request.getfixturevalue("postgres_url")
    site = Site(postgres_url, webhook)
    store = Store(postgres_url)
    with stopping(store, 4), pytest.raises(Stop):
        site.step(store)
    store.close()
    store = Store(postgres_url)
    site.check(store)
    state = WatchState(store)
    assert [row.name for row in state.watches()] == ["bot"]
    assert state.watch("bot").is_running is False
    store.close()
