"""The coordinator's sentence follows the ratings, worked out beside the server."""

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
def test_the_sentence_follows_the_ratings(tmp_path):
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


def test_a_set_without_scores_has_no_sentence(tmp_path):
    from assay.runs import has_scores

    store = Store(tmp_path)
    sample = Sample(id="s", user_input="Q?", response="A.")
    queue = RatingQueue.create(store.database, [sample], QueueSettings(raters=("a",), per_answer=1), source="set.jsonl")
    assert has_scores(queue, store) is False
