"""The coordinator's sentence and stop rule follow the ratings, worked out beside the server."""

import time
from contextlib import closing

import pytest
from web_server import serving

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store
from assay.runs.ratings import QueueSettings, RatingQueue

httpx = pytest.importorskip("httpx")


def rated_run(folder, count, rated):
    """A run whose metric is the rating that ada gives, but for every fifth answer."""
    store = Store(folder)
    run = store.begin(Plan(sets=("s",), metrics=("faithfulness",), directions={"faithfulness": True}))
    writer = RunWriter(store, run)
    samples = [Sample(id=f"s{number}", user_input=f"Q{number}?", response="Yes " * number) for number in range(count)]
    for number, sample in enumerate(writer.number_samples(samples)):
        writer.add(sample, {"faithfulness": Score((number + (number % 5 == 0)) % 5 / 4, "scored", "")})
    writer.flush()
    settings = QueueSettings(raters=("ada",), per_answer=1, repeat_share=0)
    queue = RatingQueue.create(store.database, samples, settings, source=run)
    for number in range(rated):
        queue.next_item("ada")
        queue.save("ada", f"s{number}", 1 + number % 5)
    return queue


@pytest.mark.timeout(200)
def test_the_sentence_and_the_rule_follow_the_ratings(tmp_path):
    from assay.web import Connections, MeaningOfRatings, RatingApp

    queue = rated_run(tmp_path, count=40, rated=30)
    meaning = MeaningOfRatings(tmp_path, queue.id)
    app = RatingApp(Connections(tmp_path), queue.id, meaning=meaning)
    with (
        closing(meaning),
        serving(app.asgi) as address,
        httpx.Client(base_url=address, follow_redirects=True, timeout=30) as client,
    ):
        assert "/team/sentence" in client.get(app.coordinator_path()).text
        text = "Being worked out"
        while "Being worked out" in text:  # by a process of its own, which asking all the time would keep from it
            time.sleep(0.2)
            text = client.get("/team/sentence").text
        assert "faithfulness" in text
        assert "20 more ratings" in text and "30 answers are rated" in text
        assert "Ratings: 30 of the rating page by ada on 1 to 5" in text
        dutch = client.get("/team/sentence", headers={"accept-language": "nl"}).text
        assert "Met 20 beoordelingen meer" in dutch and "30 antwoorden zijn beoordeeld" in dutch
        queue.adjudicate("s35", 5)  # nobody rated it: with the agreed rating it is the 31st
        while "31 answers are rated" not in text:
            time.sleep(0.2)
            text = client.get("/team/sentence").text


def test_the_state_is_another_after_each_change_of_what_ratings_say(tmp_path):
    """An agreed rating, a later one in its place, the last rating given anew, and a rating of another queue."""
    queue = rated_run(tmp_path, count=4, rated=3)
    states = [queue.state()]
    queue.adjudicate("s0", 5)
    states.append(queue.state())
    queue.adjudicate("s0", 4)
    states.append(queue.state())
    queue.undo("ada")
    queue.save("ada", "s2", 5)  # as many ratings as before, of the same numbers
    states.append(queue.state())
    other = RatingQueue.create(
        Store(tmp_path).database, list(queue.samples()), queue.settings.model_copy(), source=queue.source
    )
    other.next_item("ada")
    other.save("ada", "s0", 1)
    states.append(queue.state())
    assert all(states.count(state) == 1 for state in states)
    assert queue.state() == states[-1]  # nothing has changed


def test_assay_ratings_says_whether_to_stop(assay, tmp_path):
    queue = rated_run(tmp_path / ".assay", count=40, rated=30)
    shown = assay("rate", "export", "last")
    assert (shown.code, "With 20 more ratings" in shown.out) == (0, True)
    rule = assay("rate", "export", "last", "--json").json["stop_rule"]
    assert (rule["metric"], rule["rated"], rule["more"], rule["tolerance"]) == ("faithfulness", 30, 20, 0.05)
    assert rule["may_stop"] is (rule["stable"] >= 0.9)
    queue.change_guideline("Be strict.")  # a new series has no ratings
    assert assay("rate", "export", "last", "--json").json["stop_rule"] is None


def test_the_coordinator_is_told_of_the_ratings_under_the_text_before(tmp_path):
    """Where no metric is compared the page tells it itself; the meaning of a run's ratings has the error of `meta`."""
    from assay.web import Connections, RatingApp

    store = Store(tmp_path)
    settings = QueueSettings(raters=("ada",), per_answer=1)
    queue = RatingQueue.create(store.database, [Sample(id="s", user_input="Q?", response="A.")], settings, source="set")
    queue.next_item("ada")
    queue.save("ada", "s", 4)
    app = RatingApp(Connections(tmp_path), queue.id)
    with serving(app.asgi) as address, httpx.Client(base_url=address, follow_redirects=True) as client:
        told = f"1 rating of series 1 of {queue.id} is left out, since the guideline was another then"
        assert told not in client.get(app.coordinator_path()).text
        queue.change_guideline("Be strict.")
        assert told in client.get("/team").text


def test_a_set_without_scores_has_no_sentence(tmp_path):
    from assay.runs import has_scores, predict_queue_stability

    store = Store(tmp_path)
    sample = Sample(id="s", user_input="Q?", response="A.")
    queue = RatingQueue.create(store.database, [sample], QueueSettings(raters=("a",), per_answer=1), source="set.jsonl")
    assert has_scores(queue, store) is False
    assert predict_queue_stability(store, queue) is None
