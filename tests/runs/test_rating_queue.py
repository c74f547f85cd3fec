"""The rating queue: who gets which answer, what survives, what is counted once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.errors import UsageError
from assay.eval_sets import Sample, turn_samples
from assay.runs import disagreements, open_database, rated_samples, rater_agreement, rater_progress
from assay.runs.ratings import QueueSettings, RatingQueue

RATERS = ("ada", "bob", "cleo")


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def database(tmp_path):
    opened = open_database(tmp_path, wait=10)
    yield opened
    opened.close()


def samples(count):
    return [Sample(id=f"s{number}", user_input="How?", response=f"Press {number}.") for number in range(count)]


def make_queue(database, count, clock=None, **settings):
    fields = {"raters": RATERS, "per_answer": 2, "repeat_share": 0.0} | settings
    return RatingQueue.create(
        database, samples(count), QueueSettings.model_validate(fields), source="set", clock=clock or Clock()
    )


def rate_all(queue, rater, value=3):
    order = []
    while (assignment := queue.next_item(rater)) is not None:
        order.append(assignment.sample.id)
        queue.save(rater, assignment.sample.id, value)
    return order


def test_each_answer_goes_to_as_many_raters_as_asked_for(database):
    queue = make_queue(database, 3)
    assert rate_all(queue, "ada") == ["s0", "s1", "s2"]
    assert rate_all(queue, "bob") == ["s0", "s1", "s2"]
    assert rate_all(queue, "cleo") == []  # two raters per answer, and two have rated all of them
    assert queue.counts() == (6, 6)


def test_an_open_answer_counts_as_taken_until_its_lock_expires(database):
    clock = Clock()
    queue = make_queue(database, 2, clock, per_answer=1, lock_seconds=60)
    first, second = queue.next_item("ada"), queue.next_item("bob")
    assert first is not None and first.sample.id == "s0"
    assert second is not None and second.sample.id == "s1"
    assert queue.next_item("cleo") is None
    clock.now += 61
    taken_over = queue.next_item("cleo")
    assert taken_over is not None and taken_over.sample.id == "s0"


def test_the_page_loaded_again_shows_the_same_answer_and_its_time_runs_on(database):
    clock = Clock()
    queue = make_queue(database, 2, clock)
    queue.next_item("ada")
    clock.now += 20
    again = queue.next_item("ada")
    assert again is not None and again.sample.id == "s0"
    clock.now += 10
    queue.save("ada", "s0", 4)
    assert queue.ratings()[0].seconds == 30


def test_a_rating_after_its_lock_went_to_somebody_else_is_kept(database):
    clock = Clock()
    queue = make_queue(database, 1, clock, per_answer=1, lock_seconds=60)
    queue.next_item("ada")
    clock.now += 61
    queue.next_item("bob")
    assert queue.save("bob", "s0", 2)
    assert queue.save("ada", "s0", 5)  # ada worked for it: nothing is thrown away
    assert [(rating.rater, rating.value) for rating in queue.ratings()] == [("bob", 2), ("ada", 5)]


def test_the_same_rating_sent_twice_is_kept_once(database):
    queue = make_queue(database, 2)
    queue.next_item("ada")
    assert queue.save("ada", "s0", 4)
    assert not queue.save("ada", "s0", 1)
    assert [rating.value for rating in queue.ratings()] == [4]
    assert queue.counts() == (1, 4)


def test_undo_opens_the_last_rated_answer_again(database):
    queue = make_queue(database, 2)
    queue.next_item("ada")
    queue.save("ada", "s0", 4)
    queue.next_item("ada")
    reopened = queue.undo("ada")
    assert reopened is not None and reopened.name == "s0"
    assert queue.counts() == (0, 4) and queue.ratings() == []
    assert queue.save("ada", "s0", 2)
    assert [rating.value for rating in queue.ratings()] == [2]
    assert make_queue(database, 1).undo("ada") is None


def test_hidden_repeats_come_back_once_and_do_not_count_as_ratings(database):
    queue = make_queue(database, 40, per_answer=1, raters=("ada",), repeat_share=0.25, seed=1)
    order = rate_all(queue, "ada")
    repeats = [sample for sample, times in Counter(order).items() if times == 2]
    assert max(Counter(order).values()) == 2
    assert 4 <= len(repeats) <= 16  # 10 expected of 40 at 0.25; +-2.2 standard deviations of 2.7
    for sample in repeats:
        first = order.index(sample)
        assert order.index(sample, first + 1) - first > 10 or first >= 29  # the last ones have no room for more
    assert queue.counts() == (40, 40)
    assert sum(rating.is_repeat for rating in queue.ratings()) == len(repeats)


def test_a_changed_guideline_begins_a_new_series_and_keeps_the_old(database):
    queue = make_queue(database, 2)
    rate_all(queue, "ada", 4)
    assert queue.change_guideline("Count politeness too.") == 2
    assert queue.change_guideline("Count politeness too.") == 2  # the same text again changes nothing
    assert rate_all(queue, "ada", 5) == ["s0", "s1"]
    assert [rating.value for rating in queue.ratings(1)] == [4, 4]
    assert [rating.value for rating in queue.ratings()] == [5, 5]
    assert queue.guideline == "Count politeness too."


def test_a_text_that_was_there_goes_on_in_its_series(database):
    """Ada rates three, Bob one of them: it is complete, two others lack one, under this text and not under the next."""
    queue = make_queue(database, 3)
    first = queue.guideline
    rate_all(queue, "ada", 4)
    queue.save("bob", queue.next_item("bob").name, None)
    assert queue.change_guideline("Count politeness too.") == 2
    queue.save("ada", queue.next_item("ada").name, 1)
    assert queue.other_series()[0].startswith(f"4 ratings of series 1 of {queue.id} are left out")
    assert queue.change_guideline(first) == 1
    assert (queue.guideline, queue.counts()) == (first, (4, 6))
    assert queue.other_series()[0].startswith(f"1 rating of series 2 of {queue.id} is left out")
    assert rate_all(queue, "cleo", 2) == ["s1", "s2"] and queue.counts() == (6, 6)
    assert [rating.value for rating in queue.ratings()] == [4, 4, 4, None, 2, 2]
    assert queue.change_guideline("Count names.") == 3


@pytest.mark.parametrize("value", [0, 6, 2.5, float("nan")])
def test_a_value_off_the_scale_is_refused(database, value):
    queue = make_queue(database, 1)
    queue.next_item("ada")
    with pytest.raises(UsageError, match="scale 1-5"):
        queue.save("ada", "s0", value)
    assert queue.ratings() == []


def test_an_answer_that_was_never_given_out_cannot_be_rated(database):
    queue = make_queue(database, 2)
    queue.next_item("ada")
    with pytest.raises(UsageError, match="does not have the answer 's1' open"):
        queue.save("ada", "s1", 3)
    with pytest.raises(UsageError, match="no rater is called 'mallory'"):
        queue.next_item("mallory")


def test_adjudication_is_kept_beside_the_ratings(database):
    queue = make_queue(database, 1)
    queue.adjudicate("s0", 4, "we agreed")
    queue.adjudicate("s0", 2, "on second thoughts")
    assert queue.adjudications() == {"s0": (2, "on second thoughts")}
    with pytest.raises(UsageError, match="no answer 's9'"):
        queue.adjudicate("s9", 2)


def test_raters_at_once_neither_lose_nor_double_a_rating(tmp_path):
    """Eight raters, each with a connection of their own, on 30 answers with 3 ratings each: 90 ratings."""
    raters = tuple(f"rater{number}" for number in range(8))
    first = open_database(tmp_path, wait=30)
    queue = make_queue(first, 30, raters=raters, per_answer=3)

    def work(rater):
        database = open_database(tmp_path, wait=30)
        own = RatingQueue(database, queue.id)
        count = len(rate_all(own, rater))
        database.close()
        return count

    with ThreadPoolExecutor(8) as pool:
        total = sum(pool.map(work, raters))
    per_answer = Counter(rating.sample for rating in queue.ratings())
    assert total == 90 == len(queue.ratings())
    assert set(per_answer.values()) == {3}
    first.close()


def test_progress_counts_pace_and_self_agreement(database):
    """Ada takes 10, 20 and 30 s: median 20. Her only repeat moves from 4 to 2: a difference of 2 levels."""
    clock = Clock()
    queue = make_queue(database, 2, clock, raters=("ada",), per_answer=1, repeat_share=0.5, seed=0)
    order, values = [], iter([4, 4, 2])
    for seconds in (10, 20, 30):
        assignment = queue.next_item("ada")
        order.append(assignment)
        clock.now += seconds
        queue.save("ada", assignment.sample.id, next(values))
    assert [assignment.is_repeat for assignment in order] == [False, False, True]
    (progress,) = rater_progress(queue)
    assert (progress.ratings, progress.median_seconds, progress.repeats) == (2, 20, 1)
    assert (progress.same_on_repeat, progress.difference_on_repeat) == (0, 2)


def test_answers_two_levels_apart_are_to_be_adjudicated_the_widest_first(database):
    queue = make_queue(database, 3)
    for rater, values in {"ada": (1, 3, 2), "bob": (3, 4, 5)}.items():
        for sample, value in zip(("s0", "s1", "s2"), values, strict=True):
            queue.next_item(rater)
            queue.save(rater, sample, value)
    queue.adjudicate("s0", 2)
    assert [(one.sample, one.difference, one.adjudicated) for one in disagreements(queue)] == [
        ("s2", 3, None),
        ("s0", 2, (2, "")),
    ]


def test_the_rated_set_has_ratings_by_rater_reasons_and_what_was_agreed(database):
    queue = make_queue(database, 3)
    for rater, value in (("ada", 1), ("bob", 4)):
        queue.next_item(rater)
        queue.save(rater, "s0", value, reason=f"{rater} says so", wrong_sentences=["Press 0."] if value == 1 else ())
    queue.next_item("cleo")
    queue.save("cleo", "s1", None)  # can't tell: no rating
    queue.adjudicate("s0", 2, "the menu is gone")
    (sample,) = rated_samples(queue)
    assert sample.id == "s0" and sample.ratings == {"ada": 1, "bob": 4} and sample.rating == 2
    assert sample.metadata == {
        "rating_reasons": {"ada": "ada says so", "bob": "bob says so"},
        "wrong_sentences": {"ada": ["Press 0."]},
        "agreed_reason": "the menu is gone",
    }


def test_agreement_is_krippendorffs_alpha_of_the_series(database):
    """Two raters who always agree on six answers of levels 1 to 5: alpha is 1."""
    queue = make_queue(database, 6)
    assert rater_agreement(queue) is None
    for rater in ("ada", "bob"):
        for number in range(6):
            queue.next_item(rater)
            queue.save(rater, f"s{number}", 1 + number % 5)
    agreement = rater_agreement(queue)
    assert agreement is not None and agreement.alpha.value == pytest.approx(1.0)


@pytest.mark.parametrize("has_conversation", [True, False])
def test_turns_of_one_conversation_come_back_whole_and_their_messages_stand_once(database, has_conversation):
    texts = [("user" if number % 2 == 0 else "assistant", f"{number} words") for number in range(40)]
    chat = Sample(id="chat", messages=[{"role": role, "content": text} for role, text in texts])
    turns = turn_samples(chat)[::-1]
    conversations = [chat] if has_conversation else []
    queue = RatingQueue.create(database, turns, QueueSettings(raters=RATERS), source="set", conversations=conversations)
    assert list(queue.samples()) == turns
    (size,) = database.execute("SELECT sum(length(content)) FROM contents").fetchone()
    assert size < 6 * len(chat.model_dump_json())  # beside the messages each turn has its other fields
    assert not queue.add(turns[5])
    assert queue.sample("chat#3") == turn_samples(chat)[1]
    queue.next_item("ada")
    queue.save("ada", turns[0].id, 4)
    (rated,) = rated_samples(queue)
    assert rated.messages == turns[0].messages and rated.ratings == {"ada": 4}
