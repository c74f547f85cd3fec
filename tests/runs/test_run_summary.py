"""What changed since the run before of the same set, from made-up runs."""

from contextlib import closing

import pytest

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store, describe_change, find_run_before, summarise_run


def write_run(store, responses, value, *, sets=("set.jsonl",), metric="faithfulness", rating=None):
    run = store.begin(Plan(sets=sets, metrics=(metric,), directions={metric: True}))
    writer = RunWriter(store, run)
    samples = [
        Sample(id=f"s{number}", user_input="Q?", response=response, ratings={} if rating is None else {"ada": rating})
        for number, response in enumerate(responses)
    ]
    for sample in writer.number_samples(iter(samples)):
        writer.add(sample, {metric: Score(value, "scored", "made up")})
    writer.flush()
    store.end(run, "done")
    return run


@pytest.fixture
def store(tmp_path):
    with closing(Store(tmp_path)) as opened:
        yield opened


def change(store, before, now, *, is_same_judge=True):
    before, now = summarise_run(store, before), summarise_run(store, now)
    return "; ".join(part.write() for part in describe_change(now, before, is_same_judge=is_same_judge))


def test_the_run_before_is_the_newest_of_the_same_sets(store):
    first, other, last = (write_run(store, ["A."], 0.5, sets=(name,)) for name in ("set", "other", "set"))
    assert find_run_before(map(store.run, [other, first]), store.run(last)).id == first
    assert find_run_before([store.run(first)], store.run(other)) is None


def test_changes_of_answers_ratings_and_scores_are_told(store):
    first = write_run(store, ["A.", "B.", "C."], 0.5, rating=2)
    second = write_run(store, ["A.", "B!", "C."], 0.25, rating=4)
    assert change(store, first, second) == "1 of 3 answers changed; rated 2.00 higher; faithfulness 0.25 lower"
    assert change(store, first, first) == "the same answers"
    assert change(store, first, second, is_same_judge=False).endswith("rated 2.00 higher; another judge")


def test_another_metric_or_nobody_who_rated_says_nothing_of_either(store):
    first = write_run(store, ["A."], 0.5, metric="faithfulness")
    second = write_run(store, ["A."], 0.9, metric="relevance", rating=4)
    assert change(store, first, second) == "the same answers"
    assert [part.write() for part in summarise_run(store, first).describe()] == ["faithfulness 0.50 on average"]
