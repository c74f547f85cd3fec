"""What a team agreed on of an answer is its rating in every command; how far raters agree, their own ratings say."""

from contextlib import closing
from pathlib import Path

import pytest

from assay import decide, evaluate
from assay.eval_sets import ReadOptions, Sample
from assay.runs import AnswerTable, Store, join_scores
from assay.runs.ratings import QueueSettings, RatingQueue

RATERS = ("Ada", "Bo", "Cleo")


def make_answers(name):
    """Twelve answers of one version, each of its own length: token overlap has a value of every one."""
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    return [
        Sample(id=f"q{n}", user_input=f"Is part {n} free?", response=f"Part {n} {name} {' '.join(words[: n + 1])}.")
        for n in range(12)
    ]


def rate(name, samples, levels, agreed):
    """Three raters rate all answers on the page; on some the coordinator writes down what they agreed on."""
    with closing(Store(".assay")) as store:
        queue = RatingQueue.create(store.database, samples, QueueSettings(raters=RATERS, per_answer=3), source=name)
        for rater, values in zip(RATERS, levels, strict=True):
            while (item := queue.next_item(rater)) is not None:
                queue.save(rater, item.name, values[int(item.name[1:])])
        for answer, value in agreed.items():
            queue.adjudicate(answer, value)


@pytest.fixture
def runs(assay):
    """The ids of two runs; all raters gave 3, 4, 2, and so on, and agreed that q0 and q1 of the second are bad."""
    for name, agreed in (("old", {}), ("new", {"q0": 1, "q1": 1})):
        samples = make_answers(name)
        rows = (sample.model_dump_json(exclude_defaults=True) for sample in samples)
        Path(f"{name}.jsonl").write_text("".join(f"{row}\n" for row in rows))
        assay("run", f"{name}.jsonl", "--metrics", "answer_length", "--quiet", code=0)
        rate(name, samples, [[3, 4, 2] * 4, [3, 4, 2] * 4, [3, 5, 2] * 4], agreed)
    new, old = (run["run"] for run in assay("runs", "--json").json["runs"])
    return old, new


def test_what_the_team_agreed_on_is_the_rating_in_every_command(assay, runs):
    """By hand: q0 and q1 count 1; q3, q6, q9 count 3; q4, q7, q10 count (4 + 4 + 5) / 3; the other four count 2."""
    old, new = runs
    agreed = "of which 2 are what the team agreed on"
    expected = (2 * 1 + 3 * 3 + 13 + 4 * 2) / 12
    scores = assay("show", "last", "--json", code=0).json["scores"]
    ratings = {score["sample"]: score["rating"] for score in scores}
    assert sum(ratings.values()) / 12 == pytest.approx(expected)
    estimate = assay("estimate", "last", "--json", code=0).json
    assert estimate["mean"] == pytest.approx(expected) and agreed in estimate["notes"][0]
    decision = assay("decide", f"old={old}", f"new={new}", "--json", code=0).json
    assert {version["name"]: version["mean"] for version in decision["versions"]} == pytest.approx(
        {"old": (4 * 3 + 4 * 13 / 3 + 4 * 2) / 12, "new": expected}
    )
    assert any(agreed in note for note in decision["notes"])
    meta = assay("meta", "last", "--json", code=0).json
    assert any(agreed in note for note in meta["notes"]) and "no rater gave" not in str(meta["notes"])
    run = assay("run", "new.jsonl", "--metrics", "answer_length", "--json", code=0).json
    (of_meta,) = (metric for metric in meta["metrics"] if metric["name"] == "answer_length")
    keys = ("spearman", "low", "high")
    assert [of_meta[key] for key in keys] == [run["metrics"]["answer_length"][key] for key in keys]
    said = {reading["verdict"]["Your chatbot"][:25] for reading in (run, meta)}
    assert said == {"rated 2.7 of 5 by 3 people"[:25]}


def test_how_far_raters_agree_is_of_their_own_ratings(assay, runs):
    table = joined_table(runs[1])
    assert sorted(table.raters) == sorted(RATERS) and sorted(table.ratings[1]) == [4, 4, 5]
    assert table.mean_rating[:3].tolist() == [1, 1, 2] and table.take([1, 2]).mean_rating.tolist() == [1, 2]
    named = joined_table(runs[1], ratings=("ratings.Ada", "ratings.Cleo"))
    assert named.mean_rating[:3].tolist() == [3, 4.5, 2]  # the user said whose ratings count


def joined_table(run, **options):
    with closing(Store(".assay")) as store:
        tables = [AnswerTable.read(store, store.run(run), ("evidence", "usage"))]
        return join_scores(store.database, tables, [], None, ReadOptions(**options)).table


def test_one_rater_in_two_spellings_is_one(assay):
    versions = []
    for name, rater, level in (("old", "Ada", 2), ("new", "ADA", 3)):
        samples = make_answers(name)
        rated = [sample.model_copy(update={"ratings": {rater: level, f"only {name}": 5}}) for sample in samples]
        versions.append(evaluate(rated, "answer_length", progress=False))
    decision = decide(versions, names=["old", "new"])
    assert [version.mean for version in decision.versions] == [2, 3]
    assert any(
        note.startswith("24 ratings are left out: only raters count who rated answers of every version (Ada)")
        for note in decision.notes
    )


def test_a_mean_of_raters_in_a_file_is_no_agreement():
    """Only Ada rated both versions: the mean that the file has of her and of others does not count instead."""
    versions = []
    for name, other, level in (("old", "Bo", 1), ("new", "Cleo", 5)):
        samples = make_answers(name)
        ratings = {"rating": (3 + level) / 2, "ratings": {"Ada": 3, other: level}}
        versions.append(evaluate([s.model_copy(update=ratings) for s in samples], "answer_length", progress=False))
    assert [version.mean for version in decide(versions, names=["old", "new"]).versions] == [3, 3]
