"""Rating conversations: what the rater is asked for, what is shown of it, and under which id the rating is kept."""

import re

import pytest
from conversations import conversation_scores, make_conversation
from web_process import enter, rate, rated_queue, write_run

from assay.eval_sets import Sample, read_set, turn_samples, write_set
from assay.runs import (
    AnswerTable,
    Store,
    find_source,
    join_ratings,
    join_run_ratings,
    open_queue,
    rated_samples,
    select_rated,
)
from assay.runs.ratings import QueueSettings

httpx = pytest.importorskip("httpx")
PLAIN = Sample(id="plain", user_input="How?", response="So.")


@pytest.mark.parametrize(
    ("language", "whole", "turn"),
    [
        ("en", "Rate the whole conversation", "Rate the answer in turn 4"),
        ("nl", "Beoordeel het hele gesprek", "Beoordeel het antwoord in beurt 4"),
        ("de", "Bewerten Sie das ganze Gespräch", "Bewerten Sie die Antwort in Beitrag 4"),
    ],
)
def test_the_rater_is_told_what_is_rated(rating_site, language, whole, turn):
    chat = make_conversation()
    site = rating_site([chat, turn_samples(chat)[0]])
    with enter(site, site.links["ada"]) as client:
        client.headers["accept-language"] = language
        page = client.get("/rate").text
        assert page.count(whole) == 2 and 'aria-current="true"' not in page  # above the thread, and beside the levels
        page = rate(client, "3").text
        assert page.count(turn) == 2
        assert re.findall(r'id="turn-(\d)"[^>]*aria-current="true"', page) == ["4"]
        assert 'id="turn-5"' not in page


def test_a_rater_sees_no_rating_and_no_score(rating_site):
    """The conversation is rated 5 of 5 in its file, its last message 2, and a run has its scores."""
    chat = make_conversation(rating=5, ratings={"cleo": 5}, metadata={"customer_goal": "hidden goal"})
    site = rating_site([chat])
    write_run(site.store / "other", [chat], {chat.id: conversation_scores()})
    with enter(site, site.links["ada"]) as client:
        page = client.get("/rate").text
    for hidden in ("cleo", "hidden goal", "rated 5", "rated 2", "policy_", "metric"):
        assert hidden not in page, hidden


def test_sentences_of_every_answer_are_marked_and_of_a_turn_only_its_own(rating_site):
    chat = make_conversation()
    site = rating_site([chat, turn_samples(chat)[1]])
    with enter(site, site.links["ada"]) as client:
        page = client.get("/rate").text
        boxes = sorted(set(re.findall(r'name="wrong" value="([^"]+)"', page)))
        assert boxes == ["4-0", "4-1", "6-0", "6-1"]
        page = rate(client, "2", wrong=["4-1", "6-0", "1-0", "x", "99-0"]).text
        assert sorted(set(re.findall(r'name="wrong" value="([^"]+)"', page))) == ["6-0", "6-1"]
        rate(client, "1", wrong=["6-0"])
    first, second = site.ratings()
    assert (first.sample, first.value, first.wrong_sentences) == ("chat", 2, ("It takes 3 days.", "It takes 5 days."))
    assert (second.sample, second.value, second.wrong_sentences) == ("chat#6", 1, ("It takes 5 days.",))


def test_contexts_of_a_rated_turn_stand_beside_it_and_others_at_their_turns(rating_site):
    chat = make_conversation()
    site = rating_site([chat, turn_samples(chat)[0]])
    with enter(site, site.links["ada"]) as client:
        page = client.get("/rate").text
        assert 'class="rendered passage"' not in page and "The documentation stands beside the turns" in page
        assert "A refund takes 5 days." in page
        assert 'class="rendered passage"' in rate(client, "3").text


def test_the_coordinator_sees_the_conversation_that_raters_disagree_on(rating_site):
    site = rating_site([make_conversation()])
    for rater, value in (("ada", "1"), ("bob", "5")):
        with enter(site, site.links[rater]) as client:
            rate(client, value)
    with enter(site, site.coordinator) as client:
        page = client.get("/team").text
    assert "The whole conversation was rated: 7 messages" in page
    assert "I want my money back." in page and "Result of find_booking" in page


def test_what_of_conversations_is_rated_is_chosen(tmp_path):
    chat = make_conversation()
    file = tmp_path / "set.jsonl"
    write_set([chat, PLAIN], file)
    store = Store(tmp_path / ".assay")
    ids = {turns: [*find_source(store, str(file), turns).samples] for turns in ("none", "each")}
    assert ids == {"none": ["chat", "plain"], "each": ["chat#4", "chat#6", "plain"]}
    run = write_run(tmp_path / ".assay", [chat, *turn_samples(chat), PLAIN])
    ids = {turns: [*find_source(store, run, turns).samples] for turns in ("none", "each")}
    assert ids == {"none": ["chat", "plain"], "each": ["chat#4", "chat#6", "plain"]}
    alone = turn_samples(chat)
    assert select_rated(alone, "none") == select_rated(alone, "each") == alone
    settings = QueueSettings(raters=("ada",), per_answer=1)
    queues = [
        open_queue(store, find_source(store, run, turns), settings.model_copy(update={"turns": turns}), guideline=None)
        for turns in ("none", "each", "none")
    ]
    assert queues[0].id == queues[2].id != queues[1].id
    store.close()


def test_the_rating_of_a_turn_is_that_of_the_runs_turn_and_survives_a_file(tmp_path):
    """Rated are turn 4 with 2 and the conversation with 5: each has its own rating in the run, and turn 6 has none."""
    chat = make_conversation(rating=None)
    turns = turn_samples(chat)
    run = write_run(tmp_path / ".assay", [chat, *turns])
    store = Store(tmp_path / ".assay")
    queue = rated_queue(store, [chat, turns[0]], {"chat": 5, "chat#4": 2})
    joined = join_run_ratings(store, run).samples
    assert {name: dict(sample.ratings) for name, sample in joined.items()} == {
        "chat": {"ada": 5}, "chat#4": {"ada": 2}, "chat#6": {"file": 2},
    }  # fmt: skip
    file = tmp_path / "rated.jsonl"
    write_set(rated_samples(queue), file)
    assert [(sample.id, sample.ratings["ada"], sample.turn) for sample in read_set(str(file))] == [
        ("chat", 5, 6), ("chat#4", 2, 4),
    ]  # fmt: skip
    store.close()


def test_a_rating_is_of_an_answer_only_after_the_same_messages(tmp_path):
    """The last question and answer are the same; what the customer was told before is not."""
    chat = make_conversation()
    messages = [*chat.messages]
    messages[4] = messages[4].model_copy(update={"content": "Something else."})
    other = chat.model_copy(update={"messages": tuple(messages)})
    assert (chat.user_input, chat.response) == (other.user_input, other.response)
    run = write_run(tmp_path / ".assay", [other])
    store = Store(tmp_path / ".assay")
    rated_queue(store, [chat], {"chat": 5})
    assert join_run_ratings(store, run).samples["chat"].human_rating is None
    store.close()


ROLES = {"system": "Be short.", "user": "Free?", "assistant": "Yes."}
SINGLE = Sample(id="one", messages=[{"role": role, "content": content} for role, content in ROLES.items()])


def test_a_single_answer_with_messages_is_rated_as_an_answer(rating_site):
    site = rating_site([SINGLE])
    with enter(site, site.links["ada"]) as client:
        page = client.get("/rate").text
    assert "Rate the answer in turn 2" in page and "Rate the whole conversation" not in page


@pytest.mark.parametrize("is_turn_rated", [True, False])
def test_the_rating_of_a_single_answer_is_that_of_its_turn_and_the_other_way_round(tmp_path, *, is_turn_rated):
    turns = turn_samples(SINGLE)
    run = write_run(tmp_path / ".assay", [SINGLE, *turns])
    store = Store(tmp_path / ".assay")
    rated = turns[0] if is_turn_rated else SINGLE
    rated_queue(store, [rated], {rated.id: 2}, reason="Too short.")
    for level in ("conversation", "turn"):
        items = AnswerTable.read(store, store.run(run)).at_level(level).samples
        (joined,) = join_ratings(store.database, items).samples.values()
        assert (joined.ratings, joined.metadata["rating_reasons"]) == ({"ada": 2}, {"ada": "Too short."})
        assert joined.id == ("one" if level == "conversation" else "one#2")
    store.close()
