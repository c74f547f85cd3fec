"""The queue of pairs: who gets which, on which side a version stands, what is counted once, and what comes out."""

from collections import Counter

import pytest

from assay.errors import UsageError
from assay.eval_sets import Sample, write_set
from assay.runs import (
    ComparedVersion,
    Store,
    disagreements,
    find_judgements,
    find_pairs,
    join_ratings,
    open_pair_queue,
    queue_choices,
    queue_ids,
    rated_ids,
    rater_agreement,
    rater_progress,
    store_preferences,
    version_counts,
)
from assay.runs.ratings import QueueSettings, RatingQueue


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path)
    yield opened
    opened.close()


def version(name, count, same=0):
    """The answers of a version, of which the last ones are those of every version."""
    return [
        Sample(
            id=f"q{number}",
            user_input=f"How {number}?",
            response="The same." if number >= count - same else f"{name} {number}",
            group=f"g{number // 2}",
        )
        for number in range(count)
    ]


def write_versions(folder, *names, count=6, same=0):
    for name in names:
        write_set(version(name, count, same), folder / f"{name}.jsonl")
    return [f"{name}={folder / name}.jsonl" for name in names]


def make_queue(store, typed, limit=None, **settings):
    fields = {"raters": ("ada", "bob"), "per_answer": 2, "repeat_share": 0.0, "rating_min": -1, "rating_max": 1}
    checked = QueueSettings.model_validate(fields | settings)
    return open_pair_queue(store, find_pairs(store, typed, None), checked, guideline=None, limit=limit)


def choose_all(queue, rater, better):
    """The rater chooses a version wherever it is, else says "about the same"; gives the side of each choice."""
    sides = []
    while (assignment := queue.next_item(rater)) is not None:
        names = (assignment.pair.first, assignment.pair.second)
        left_first = names if assignment.is_first_left else names[::-1]
        side = ("left", "right")[left_first.index(better)] if better in names else "same"
        queue.save(rater, assignment.name, side, reason="so", showing=assignment.showing)
        sides.append(side)
    return sides


def test_a_choice_is_of_a_version_whichever_side_it_stood_on(store, tmp_path):
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=40))
    assert 5 < choose_all(queue, "ada", "new").count("left") < 35  # sides are drawn
    assert queue.counts() == (40, 80)
    choices = queue_choices(queue)
    assert {(one.preference.first, one.preference.second, one.preference.choice) for one in choices} == {
        ("old", "new", "second")
    }
    assert {one.shown_first for one in choices} == {"old", "new"}
    assert choices[0].preference.group.startswith("g") and choices[0].preference.reason == "so"


def test_sides_are_of_the_rater_and_the_question(store, tmp_path):
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=30))
    sides = {rater: [queue._is_first_left(rater, name, False) for name in queue.names()] for rater in ("ada", "bob")}
    again = RatingQueue(store.database, queue.id)
    assert sides["ada"] == [again._is_first_left("ada", name, False) for name in again.names()]
    assert sides["ada"] != sides["bob"]


def test_sides_of_one_queue_tell_nothing_of_another_s(store, tmp_path):
    """With the same raters, seed and places: round 1's exported sides are no key to round 2."""
    rounds = [
        make_queue(store, write_versions(tmp_path, *names, count=60)) for names in (("old", "new"), ("new", "newer"))
    ]
    for rater in ("ada", "bob"):
        sides = [[queue._is_first_left(rater, f"pair-{n}", False) for n in range(1, 61)] for queue in rounds]
        assert 10 < sum(one is other for one, other in zip(*sides, strict=True)) < 50


def test_answers_that_are_the_same_are_ties_that_nobody_is_asked_about(store, tmp_path):
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=6, same=4))
    assert len(queue.names()) == 2 and len(queue.comparison.same) == 4
    assert queue_choices(queue) == []
    choose_all(queue, "ada", "new")
    counts = Counter((one.preference.rater, one.preference.choice) for one in queue_choices(queue))
    assert counts == {("ada", "second"): 2, ("", "tie"): 4}
    with pytest.raises(UsageError, match="there are no two different answers"):
        make_queue(store, write_versions(tmp_path, "one", "two", count=3, same=3))


def test_of_three_versions_every_question_gets_one_pair_before_any_gets_a_second(store, tmp_path):
    typed = write_versions(tmp_path, "a", "b", "c", count=8)
    queue = make_queue(store, typed, limit=8)
    pairs = [queue.pair(name) for name in queue.names()]
    assert len({pair.question for pair in pairs}) == 8
    assert {(pair.first, pair.second) for pair in pairs} == {("a", "b"), ("a", "c")}
    assert len(make_queue(store, typed, seed=1).names()) == 16
    assert (
        open_pair_queue(store, find_pairs(store, typed, None), queue.settings, guideline=None, limit=8).id == queue.id
    )
    with pytest.raises(UsageError, match="has 8 pairs of a against b against c already, and --limit 9"):
        make_queue(store, typed, limit=9)


def test_one_source_has_its_versions_in_a_field(store, tmp_path):
    samples = [
        Sample(
            id=f"{name}-{sample.id}",
            metadata={"system": name},
            **sample.model_dump(include={"user_input", "response", "group"}),
        )
        for name in ("x", "y")
        for sample in version(name, 5)
    ]
    write_set(samples, tmp_path / "all.jsonl")
    source = find_pairs(store, [str(tmp_path / "all.jsonl")], "system")
    assert [one.name for one in source.versions] == ["x", "y"]
    pairs, _ = source.draw(0, None)
    assert sorted(pair.ids for pair in pairs) == [(f"x-q{number}", f"y-q{number}") for number in range(5)]
    with pytest.raises(UsageError, match="metadata"):
        find_pairs(store, [str(tmp_path / "all.jsonl")], "model")


def test_a_hidden_repeat_exchanges_the_sides_and_a_form_sent_twice_is_kept_once(store, tmp_path):
    """The second click of a form whose pair is open again as a repeat would count for the other version."""
    queue = make_queue(
        store,
        write_versions(tmp_path, "old", "new", count=1),
        raters=("ada",),
        per_answer=1,
        repeat_share=0.5,
        seed=next(seed for seed in range(99) if repeats(seed)),
    )
    first = queue.next_item("ada")
    assert first is not None and not first.is_repeat
    assert queue.save("ada", first.name, "left", showing=first.showing)
    repeat = queue.next_item("ada")
    assert repeat is not None and repeat.is_repeat and repeat.is_first_left is not first.is_first_left
    assert repeat.showing != first.showing
    assert not queue.save("ada", first.name, "left", showing=first.showing)  # clicked twice
    assert len(queue.ratings()) == 1
    assert queue.save("ada", repeat.name, "right", showing=repeat.showing)
    (progress,) = rater_progress(queue)
    assert (progress.repeats, progress.same_on_repeat) == (1, 1)
    assert len(queue_choices(queue)) == 1


def repeats(seed):
    import random

    return random.Random(f"{seed} 1 ada pair-1").random() < 0.5


def test_undo_opens_the_pair_on_the_same_sides(store, tmp_path):
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=3))
    first = queue.next_item("ada")
    queue.save("ada", first.name, "left", showing=first.showing)
    queue.undo("ada")
    assert queue.next_item("ada") == first and queue.ratings() == []


def test_how_far_raters_of_pairs_agree(store, tmp_path):
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=20))
    choose_all(queue, "ada", "new")
    while assignment := queue.next_item("bob"):
        queue.save("bob", assignment.name, "left")
    agreement = rater_agreement(queue)
    assert agreement is not None and agreement.items_rated_twice == 20
    alike = sum(one.value == 1 for one in queue.ratings() if one.rater == "bob") / 20
    assert agreement.alpha.value is not None and agreement.alpha.value < alike
    assert len(disagreements(queue)) == round(20 * (1 - alike))
    counts = version_counts(queue)[0]
    assert (counts.first, counts.first_better + counts.ties + counts.second_better) == ("old", 40)


def test_preferences_of_a_store_follow_the_versions_that_are_asked_for(store, tmp_path):
    """Whatever they were called when they were compared, and whichever was named first."""
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=4, same=1))
    choose_all(queue, "ada", "new")
    old, new = queue.comparison.versions
    asked = [ComparedVersion(name="B", source=new.source), ComparedVersion(name="A", source=old.source)]
    preferences = store_preferences(store.database, asked)
    assert {(one.first, one.second, one.choice, one.rater) for one in preferences} == {
        ("B", "A", "first", "ada"),
        ("B", "A", "tie", ""),
    }
    assert len(preferences) == 4
    assert store_preferences(store.database, [asked[0], ComparedVersion(name="C", source="other")]) == []
    again = make_queue(store, [f"old={old.source}", f"new={new.source}"], seed=7)
    choose_all(again, "ada", "old")  # the newer choice counts
    assert {one.choice for one in store_preferences(store.database, asked) if one.rater} == {"second"}


def test_choices_are_no_ratings(store, tmp_path):
    """Also where an answer's id is that of a pair."""
    queue = make_queue(store, write_versions(tmp_path, "old", "new", count=2))
    choose_all(queue, "ada", "new")
    sample = Sample(id="pair-1", user_input="How 0?", response="old 0")
    assert queue_ids(store.database, has_pairs=False) == [] and queue_ids(store.database) == [queue.id]
    assert rated_ids(store.database, ["pair-1"]) == []
    assert find_judgements(store.database, [sample.fingerprint]) == []
    assert join_ratings(store.database, {"pair-1": sample}).samples["pair-1"].ratings == {}
    with pytest.raises(UsageError, match="has pairs to compare, not answers to rate"):
        queue.add(sample)
    assert RatingQueue(store.database, queue.id).has_pairs
