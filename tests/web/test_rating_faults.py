"""The rating server killed, and twenty raters at once: no rating that was confirmed is lost, and none counts twice."""

import sqlite3
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from stop_points import kill_at_change
from web_process import NotStartedError, WebProcess, hidden_fields, rate

from assay.eval_sets import Sample, write_set
from assay.runs import open_database, queue_ids
from assay.runs.ratings import RatingQueue

httpx = pytest.importorskip("httpx")
pytest.importorskip("uvicorn")


def answers(count):
    return [Sample(id=f"s{number}", user_input="How?", response="Press OK.", language="en") for number in range(count)]


def rate_until_killed(link, confirmed):
    """Rates as fast as the server answers; `confirmed` gets the showing of each rating that the server confirmed."""
    address = link.split("/enter/", maxsplit=1)[0]
    try:
        with httpx.Client(headers={"origin": address}, base_url=address, timeout=None) as client:
            client.get(link, follow_redirects=True)
            while True:
                fields = hidden_fields(client.get("/rate").text)
                if "showing" not in fields:
                    return
                if client.post("/rate", data=fields | {"value": "3"}).status_code == 303:
                    confirmed.append(fields["showing"])
    except httpx.TransportError:
        return  # killed


@pytest.mark.parametrize("sources", [["set.jsonl"], ["set.jsonl", "other.jsonl", "--pairs"]])
@pytest.mark.parametrize("step", [13, pytest.param(1, marks=pytest.mark.slow)], ids=["some", "all"])
def test_kill_9_loses_no_confirmed_rating_and_doubles_none(warm_python, tmp_path, sources, step):
    """The server is killed at its first change of a file, begun again and killed at a later one, and so on: while it
    begins, and while both rate."""
    write_set(answers(200), tmp_path / "set.jsonl")
    others = (sample.model_copy(update={"response": "Press no."}) for sample in answers(200))
    write_set(others, tmp_path / "other.jsonl")
    confirmed = {"ada": [], "bob": []}
    kills = range(1, 41, step)
    for number in kills:
        try:
            server = WebProcess(
                warm_python, tmp_path, "rate", *sources, "--raters", "ada,bob", patch=kill_at_change(number)
            )
        except NotStartedError:
            continue
        threads = [
            threading.Thread(target=rate_until_killed, args=(server.links[rater], confirmed[rater]))
            for rater in confirmed
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.process.wait() == -9
    database = open_database(tmp_path / ".assay", wait=10)
    *_, name = queue_ids(database)
    queue = RatingQueue(database, name)
    ratings = queue.ratings()
    stored = Counter((one.rater, queue._showing(one.rater, one.series, one.sample, one.is_repeat)) for one in ratings)
    assert set(stored.values()) == {1}
    for rater, showings in confirmed.items():
        assert showings, "nothing was rated between start and kill"
        assert {(rater, showing) for showing in showings} <= set(stored)
    unseen = len(stored) - len({(rater, one) for rater, showings in confirmed.items() for one in showings})
    assert unseen <= 2 * len(kills)
    assert queue.counts()[0] == sum(not one.is_repeat for one in ratings)
    database.close()


@contextmanager
def entered(site, rater):
    """A rater's browser, let in by the link."""
    with httpx.Client(headers={"origin": site.address}, base_url=site.address, timeout=30) as client:
        client.get(site.links[rater], follow_redirects=True)
        yield client


@pytest.mark.timeout(300)
def test_postgresql_restarts_in_mid_rating(rating_site, postgres_server, postgres_url):
    """Each of two raters has an answer open when the server restarts; both ratings are kept, once."""
    site = rating_site(answers(6), store=postgres_url)
    with entered(site, "ada") as ada, entered(site, "bob") as bob:
        assert rate(ada, "4").status_code == rate(bob, "5").status_code == 303
        opened = hidden_fields(ada.get("/rate").text)
        postgres_server.stop()
        postgres_server.start()
        assert ada.post("/rate", data=opened | {"value": "2"}).status_code == 303
        assert ada.post("/rate", data=opened | {"value": "2"}).status_code == 303  # sent twice
        assert rate(bob, "1").status_code == 303
    given = [(rating.rater, rating.sample, rating.value) for rating in site.ratings()]
    assert given == [("ada", "s0", 4), ("bob", "s0", 5), ("ada", "s1", 2), ("bob", "s1", 1)]


def test_a_locked_sqlite_file_makes_a_rater_wait_and_loses_nothing(rating_site):
    site = rating_site(answers(2))
    other = sqlite3.connect(Path(site.store) / "runs.sqlite", isolation_level=None, check_same_thread=False)
    with entered(site, "ada") as ada:
        fields = hidden_fields(ada.get("/rate").text)
        other.execute("BEGIN IMMEDIATE")
        is_released = threading.Event()

        def end_lock():
            is_released.set()
            other.execute("ROLLBACK")

        release = threading.Timer(1.0, end_lock)
        release.start()
        assert ada.post("/rate", data=fields | {"value": "3"}).status_code == 303
        assert is_released.is_set()
        release.join()
    other.close()
    assert [rating.value for rating in site.ratings()] == [3]


def test_two_browsers_of_one_rater_and_two_raters_at_once(rating_site):
    """One answer, one rating asked for: both browsers of ada show it, and it is rated once; bob gets nothing."""
    site = rating_site(answers(1), per_answer=1)
    with entered(site, "ada") as first, entered(site, "ada") as second, entered(site, "bob") as bob:
        forms = [hidden_fields(browser.get("/rate").text) for browser in (first, second)]
        assert forms[0]["showing"] == forms[1]["showing"]
        assert "showing" not in hidden_fields(bob.get("/rate").text)
        with ThreadPoolExecutor(2) as pool:
            sent = [
                pool.submit(browser.post, "/rate", data=form | {"value": value})
                for browser, form, value in zip((first, second), forms, ("2", "5"), strict=True)
            ]
    statuses = [done.result().status_code for done in sent]
    assert statuses == [303, 303]
    assert len(site.ratings()) == 1


def test_pairs_are_compared_in_postgresql(postgres_url):
    """The store has the same tables there: a choice is kept with the version that stood left."""
    from assay.runs import ComparedVersion, PairComparison, Store, queue_choices
    from assay.runs.ratings import AnswerPair, QueueSettings, RatingQueue

    versions = tuple(ComparedVersion(name=name, source=name) for name in ("old", "new"))
    pairs = [
        AnswerPair(question=one.id, group="", first="old", second="new", ids=(one.id, one.id), answers=(one, one))
        for one in answers(3)
    ]
    settings = QueueSettings(raters=("ada",), per_answer=1, rating_min=-1, rating_max=1, repeat_share=0.0)
    store = Store(postgres_url)
    queue = RatingQueue.create(
        store.database, pairs, settings, comparison=PairComparison(versions=versions), source="old against new"
    )
    while assignment := queue.next_item("ada"):
        assert queue.save("ada", assignment.name, "left", showing=assignment.showing)
    assert all(choice.shown_first in ("old", "new") for choice in queue_choices(queue))
    assert queue.counts() == (3, 3)
    store.close()
