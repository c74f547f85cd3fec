"""The page on which two answers are compared: blind, by keys, on narrow screens, and for conversations."""

import re

import pytest
from broken_words import BROKEN_WORDS, UNNAMED_FIELDS
from hostile_texts import HOSTILE_TEXTS
from web_process import enter, hidden_fields, page_text, press, rate

from assay.eval_sets import Sample, turn_samples

httpx = pytest.importorskip("httpx")


def answers(text, count=4):
    return [
        Sample(
            id=f"question-{number}",
            user_input=f"How {number}?",
            response=f"{text} {number}.",
            retrieved_contexts=("Press OK.",),
            language="en",
            metadata={"system": f"system-{text}"},
        )
        for number in range(count)
    ]


def chats(text, turns=1):
    messages = [{"role": "system", "content": f"You are the assistant of version-{text}."}]
    for turn in range(turns):
        messages += [
            {"role": "user", "content": f"Question {turn}?", "time": f"2031-0{len(text)}-01T10:00", "name": "carla"},
            {"role": "assistant", "content": f"Answer {len(text)} of {turn}.", "name": f"version-{text}"},
        ]
    return [Sample.model_validate({"id": "chat-1", "messages": messages, "metadata": {"model": f"version-{text}"}})]


def test_the_page_tells_no_version(pair_site):
    """Neither its source, nor its address, headers and cookies, on any page that a rater can come to."""
    site = pair_site(answers("Press"), answers("Click"))
    with enter(site, site.links["ada"]) as ada:
        pages = [ada.get("/rate"), *(rate(ada, value) for value in ("1", "2", "9", "3", "cannot-tell", "1"))]
        pages.append(ada.post("/undo", data=hidden_fields(ada.get("/rate").text)))
        pages.append(ada.get("/team"))
        for page in pages:
            for reply in (*page.history, page):
                content = f"{reply.text} {reply.headers} {reply.url}".lower()
                for word in ("version-", "system-", "question-", "set-of", "first", "second"):
                    assert word not in content.replace("first page", ""), (word, content)
        assert [rating.value is None for rating in site.ratings()] == [False, False, False]
    with enter(site, site.coordinator) as coordinator:
        assert "version-old" in coordinator.get("/team").text


def test_a_choice_counts_for_the_version_that_the_rater_saw(pair_site):
    site = pair_site(answers("Press"), answers("Click"))
    with enter(site, site.links["ada"]) as ada:
        for _ in range(4):
            page = ada.get("/rate").text
            is_new_left = page.rindex("Click") < page.rindex("Press ")
            assert rate(ada, "1" if is_new_left else "3", reason=" Shorter. ").status_code == 200
        assert "Nothing is left for you" in ada.get("/rate").text
    ratings = site.ratings()
    assert [(rating.value, rating.reason) for rating in ratings] == [(1, "Shorter.")] * 4
    assert {rating.shown_first for rating in ratings} <= {"version-old", "version-new"}


def test_a_second_click_does_not_count_twice_and_a_wrong_value_not_at_all(pair_site):
    site = pair_site(answers("Press"), answers("Click"))
    with enter(site, site.links["ada"]) as ada:
        form = hidden_fields(ada.get("/rate").text)
        for value in ("", "0", "4", "left", "-1", "1.0"):
            assert ada.post("/rate", data=form | {"value": value}).status_code == 400
        assert site.ratings() == []
        for _ in range(2):
            assert ada.post("/rate", data=form | {"value": "2"}).status_code == 200
        assert ada.post("/rate", data=form | {"value": "1", "showing": form["showing"][::-1]}).status_code == 400
        other = hidden_fields(ada.get("/rate").text)
        assert ada.post("/rate", data=other | {"value": "1", "showing": "made up"}).status_code == 400
    assert [rating.value for rating in site.ratings()] == [0]


def test_nothing_on_the_page_tells_a_hidden_repeat(pair_site):
    """Its fields are those of any other pair, no field comes twice, and no number counts the pairs."""
    site = pair_site(answers("Press", 12), answers("Click", 12), repeat_share=0.5)
    showings = []
    with enter(site, site.links["ada"]) as ada:
        while "showing" in (form := hidden_fields(page := ada.get("/rate").text)):
            assert set(form) == {"csrf", "showing"} and "pair-" not in page
            showings.append(form["showing"])
            assert ada.post("/rate", data=form | {"value": "2"}).status_code == 200
        assert ada.post("/rate", data=form | {"value": "1", "showing": showings[0]}).status_code == 200  # sent late
    ratings = site.ratings()
    assert any(rating.is_repeat for rating in ratings) and len(ratings) == len(showings) == len(set(showings))
    assert {rating.value for rating in ratings} == {0}


def test_the_coordinator_sees_choices_agreement_and_what_is_disputed(pair_site):
    site = pair_site(answers("Press", 6), answers("Click", 6))
    for rater, better in (("ada", "Click"), ("bob", "Press ")):
        with enter(site, site.links[rater]) as client:
            for _ in range(6):
                page = client.get("/rate").text
                other = "Press " if better == "Click" else "Click"
                rate(client, "1" if page.rindex(better) < page.rindex(other) else "3", reason=f"by {rater}")
    with enter(site, site.coordinator) as coordinator:
        page = coordinator.get("/team").text
        for words in (
            "12 of 12 choices",
            "version-old version-new 6 0 6 0",
            "pairs with two choices or more: 6",
            "by ada",
            "by bob",
        ):
            assert words in page_text(page), words
        form = hidden_fields(page) | {"sample": '"pair-1"', "value": "1"}
        assert coordinator.post("/team/adjudicate", data=form).status_code in (400, 403)


def test_conversations_stand_side_by_side_without_what_tells_them(pair_site):
    site = pair_site(chats("old", 2), chats("newer", 2))
    with enter(site, site.links["ada"]) as ada:
        page = ada.get("/rate").text
        assert "Answer 3 of 0." in page and "Answer 5 of 0." in page
        assert "Compare the two conversations as a whole" in page
        told = re.sub(r'value="[0-9a-f]{16,}"', "", page)  # random, and may have any digits
        assert not any(word in told for word in ("version-", "2031", "You are", "carla"))
        assert page.count('id="a-turn-0"') == page.count('id="b-turn-0"') == 1


def test_turns_of_conversations_are_compared_by_their_ends(pair_site):
    site = pair_site(*(list(turn_samples(chats(name, 2)[0])) for name in ("old", "newer")), turns="each", per_answer=1)
    with enter(site, site.links["ada"]) as ada:
        page = ada.get("/rate").text
        assert "Compare the answers at the end" in page and page.count("This answer is compared") == 2


@pytest.mark.timeout(300)
def test_no_script_of_an_answer_runs(pair_site, page):
    texts = HOSTILE_TEXTS[:12]
    old = [Sample(id=f"s{number}", user_input=f"{number} {text}", response=text) for number, text in enumerate(texts)]
    new = [sample.model_copy(update={"response": f"{sample.response} Or not."}) for sample in old]
    site = pair_site(old, new)
    page.goto(site.links["ada"])
    for _ in texts:
        assert page.evaluate("window.ranScripts || 0") == 0 and page.title() == "Compare answers · Assay"
        page.keyboard.press("1")
        press(page, "Enter")
    page.goto(site.coordinator)
    page.wait_for_timeout(300)
    assert page.evaluate("window.ranScripts || 0") == 0
    assert len(site.ratings()) == len(texts)


def test_the_keyboard_chooses_undoes_and_helps(pair_site, page):
    site = pair_site(answers("Press"), answers("Click"))
    page.goto(site.links["ada"])
    for key in ("2", "s"):
        page.keyboard.press(key)
        press(page, "Enter")
    assert [rating.value for rating in site.ratings()] == [0, None]
    press(page, "u")
    assert [rating.value for rating in site.ratings()] == [0]
    page.keyboard.press("?")
    assert page.locator("#help").inner_text().startswith("1")
    left, right = (page.locator(".sides section").nth(place).bounding_box() for place in (0, 1))
    assert left["x"] < right["x"] and left["y"] == right["y"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_nothing_overflows_and_everything_has_a_name(pair_site, open_page, width, language):
    old = [Sample(id="s", user_input="x" * 300, response="y" * 300, retrieved_contexts=("z" * 300,))]
    site = pair_site(old, [old[0].model_copy(update={"response": "| a | b |\n|---|---|\n| " + "w" * 200 + " | c |"})])
    page = open_page(width, locale=language)
    for link in (site.links["ada"], site.coordinator):
        page.goto(link)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(UNNAMED_FIELDS) == 0
    page.goto(site.links["ada"])
    assert page.evaluate(BROKEN_WORDS) == []
