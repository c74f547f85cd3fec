"""The pages in a real Chromium: hostile texts stay text, nothing overflows, and keys do everything."""

import json

import pytest
from broken_words import BROKEN_WORDS, UNNAMED_FIELDS
from conversations import conversation_scores, make_conversation
from hostile_texts import HOSTILE_TEXTS
from web_process import hidden_fields, press, scripts_that_ran, write_run

from assay.eval_sets import Sample, turn_samples
from assay.metrics import Score

httpx = pytest.importorskip("httpx")


@pytest.mark.timeout(300)
def test_no_script_runs_in_forty_hostile_answers(rating_site, page):
    """Each text is a question, an answer, a passage and an id; each rating has it as its reason."""
    samples = [
        Sample(id=f"{number} {text[:50]}", user_input=text, response=text, retrieved_contexts=(text,), language="en")
        for number, text in enumerate(HOSTILE_TEXTS)
    ]
    site = rating_site(samples, guideline=HOSTILE_TEXTS[0], raters=("ada", "<script>bob</script>"))
    with httpx.Client(headers={"origin": site.address}, base_url=site.address, timeout=None) as other:
        other.get(site.links["<script>bob</script>"], follow_redirects=True)
        for text in HOSTILE_TEXTS:
            fields = hidden_fields(other.get("/rate").text) | {"value": "5", "reason": text[:900]}
            assert other.post("/rate", data=fields).status_code == 303
    page.goto(site.links["ada"])
    for text in HOSTILE_TEXTS:
        assert scripts_that_ran(page) == 0
        assert page.title() == "Rate answers · Assay"
        page.locator("#reason").fill(text[:900])
        page.locator('input[name="value"][value="1"]').check(force=True)
        with page.expect_navigation():
            page.locator("button").first.click()
    assert page.get_by_text("Nothing is left for you").is_visible()
    assert len(site.ratings()) == 80
    page.goto(site.coordinator)
    page.wait_for_selector(".disagreement")
    page.wait_for_timeout(500)
    assert scripts_that_ran(page) == 0
    assert "<script>window.ranScripts" in page.locator("main").inner_text()


def test_the_keyboard_rates_undoes_and_helps(rating_site, page):
    samples = [Sample(id=f"s{number}", user_input="How?", response="Press OK.", language="en") for number in range(3)]
    site = rating_site(samples)
    page.goto(site.links["ada"])
    page.keyboard.press("4")
    press(page, "Enter")
    page.keyboard.press("s")
    press(page, "Enter")
    assert [rating.value for rating in site.ratings()] == [4, None]
    press(page, "u")
    assert [rating.value for rating in site.ratings()] == [4]
    assert page.locator("#help").is_hidden()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.locator("#reason").focus()
    page.keyboard.type("1 su?")  # in the field, keys are letters
    assert page.locator("#reason").input_value() == "1 su?"
    assert page.locator('input[name="value"][value="1"]').is_checked() is False


def test_pointing_at_a_sentence_marks_the_words_that_the_passage_shares(rating_site, page):
    sample = Sample(
        id="s", user_input="How?", response="Open the settings. Then wait.", retrieved_contexts=("Settings: press OK.",)
    )
    page.goto(rating_site([sample]).links["ada"])
    page.locator(".sentence").first.hover()
    assert page.locator("mark").all_inner_texts() == ["Settings"]
    page.locator(".sentence").last.hover()
    assert page.locator("mark").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_and_everything_has_a_name(rating_site, open_page, width, scheme):
    sample = Sample(id="s", user_input="x" * 300, response="y" * 300, retrieved_contexts=("z" * 300,))
    site = rating_site([sample])
    page = open_page(width, color_scheme=scheme)
    for link in (site.links["ada"], site.coordinator):
        page.goto(link)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(UNNAMED_FIELDS) == 0


@pytest.mark.parametrize(
    ("width", "height", "locale"), [(390, 844, "en-US"), (390, 664, "nl-NL"), (360, 740, "nl-NL"), (360, 740, "de-DE")]
)
def test_on_a_phone_what_is_read_first_stands_first_and_the_buttons_are_at_hand(
    rating_site, open_page, width, height, locale
):
    sample = Sample(
        id="s", user_input="How?", response="Wait. " * 300, retrieved_contexts=("Press OK.",), language="en"
    )
    page = open_page(width, height, locale=locale)
    page.goto(rating_site([sample], guideline="Read all of it.\n\n" * 30).links["ada"])
    guideline, passages = (page.locator("aside > details").nth(place) for place in (0, 1))
    assert (guideline.get_attribute("open"), passages.get_attribute("open")) == (None, "")  # what is long is folded
    tops = [page.locator(one).first.bounding_box()["y"] for one in ("aside", "#passages", "#question", "#answer")]
    assert tops == sorted(tops)
    levels, buttons = (page.locator(one).bounding_box() for one in (".levels", ".buttons"))
    assert levels["y"] + levels["height"] <= buttons["y"] + 1 and buttons["y"] + buttons["height"] <= height
    assert page.locator(".answer-text").bounding_box()["y"] < levels["y"]
    assert page.locator(".buttons button").evaluate_all("all => all.every(one => one.scrollHeight <= one.clientHeight)")
    page.evaluate("window.scrollTo({top: 1e6, behavior: 'instant'})")
    answer, reason = (page.locator(one).bounding_box() for one in (".answer-text", ".reason"))
    levels, buttons = (page.locator(one).bounding_box() for one in (".levels", ".buttons"))
    assert answer["y"] + answer["height"] <= levels["y"] and levels["y"] + levels["height"] <= reason["y"]
    assert reason["y"] + reason["height"] <= buttons["y"]


def test_a_sentence_over_several_cells_is_one(rating_site, page):
    answer = "| plan | price |\n|---|---|\n| Basic | 5 euros |"
    page.goto(rating_site([Sample(id="s", user_input="How?", response=answer, language="en")]).links["ada"])
    row = page.locator(".rendered td .sentence")
    row.first.click()
    assert row.locator("input").evaluate_all("boxes => boxes.map(box => box.checked)") == [True, True]


_FOREIGN = "img, iframe, object, embed, video, svg, math, form[action^=javascript], [onload], [onerror], [hx-on\\:load]"


def hostile_conversation(number, text):
    """A conversation with a hostile text wherever a file may have one."""
    short = text[:5000]
    call = {"id": short, "function": {"name": short, "arguments": json.dumps({short: text[:100_000]})}}
    raw = {"id": "raw", "function": {"name": short, "arguments": text[:100_000]}}
    messages = [
        {"role": "system", "content": text, "name": short, "time": short},
        {"role": "user", "content": text, "name": short, "time": short, short[:50] or "x": text[:1000]},
        {"role": "assistant", "tool_calls": [call, raw], "retrieved_contexts": [text]},
        {"role": "tool", "content": text, "tool_call_id": short, "name": short},
        {"role": "tool", "content": json.dumps([text]), "tool_call_id": "raw"},
        {"role": "assistant", "content": text + " end", "time": short, "content_parts": [{"type": short}]},
        {"role": "system", "content": text},
    ]
    return Sample.model_validate({"id": f"{number}{text[:40]}", "messages": messages, "language": "en"})


def hostile_scores(text):
    entry = {"text": text[:2000], text[:40]: text[:40], f"{text[:40]}_turn": 1, "turn": 5, "verdict": text[:200]}
    evidence = {text[:60]: [entry], "rules": [{**entry, "broken": True}], "turn": 3, "by": text[:500]}
    return {"policy_kept": Score(0.5, "scored", text[:2000], evidence)}


@pytest.fixture(scope="module")
def site(view_site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile conversations")
    chats = [hostile_conversation(number, text) for number, text in enumerate(HOSTILE_TEXTS)]
    scores = {chat.id: hostile_scores(text) for chat, text in zip(chats, HOSTILE_TEXTS, strict=True)}
    plain = make_conversation()
    scores["chat"] = conversation_scores()
    run = write_run(folder / ".assay", [*chats, plain, *turn_samples(plain)], scores)
    return view_site(folder), run


def open_all(page):
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.wait_for_timeout(20)


@pytest.mark.timeout(300)
def test_no_script_runs_in_hostile_conversations_and_each_keeps_its_turns(page, site):
    view, run = site
    page.goto(view.link)
    page.goto(f"{view.address}/run/{run}")
    links = page.locator("th a").evaluate_all("links => links.map(link => link.href)")
    answers = [link for link in links if "/answer?" in link]
    assert len(answers) == len(HOSTILE_TEXTS) + 3
    for link in answers[: len(HOSTILE_TEXTS)]:
        page.goto(link)
        open_all(page)
        assert scripts_that_ran(page) == 0
        assert page.locator("ol.thread > li").count() == 7, link
        assert page.locator("#scores").is_visible() and page.locator("#next").is_visible()
        assert page.locator("main").locator(_FOREIGN).count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280


@pytest.mark.timeout(300)
def test_no_script_runs_where_hostile_conversations_are_rated(rating_site, page):
    chats = [hostile_conversation(number, text) for number, text in enumerate(HOSTILE_TEXTS)]
    site = rating_site(chats, raters=("ada",), per_answer=1)
    page.goto(site.links["ada"])
    for number in range(len(chats)):
        open_all(page)
        assert scripts_that_ran(page) == 0
        assert page.locator("ol.thread > li").count() == 7, HOSTILE_TEXTS[number]
        assert page.locator("main").locator(_FOREIGN).count() == 0
        page.locator("body").press("3")
        press(page, "Enter")
    assert [rating.value for rating in site.ratings()] == [3] * len(chats)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows(open_page, rating_site, site, width, scheme):
    wide = make_conversation("w" * 300)
    messages = [message.model_dump() for message in wide.messages]
    messages[3]["content"] = json.dumps({"x" * 300: "y" * 3000})
    messages[4]["content"] = "z" * 3000
    rated = rating_site([wide.model_validate({"id": "w", "messages": messages})])
    view, run = site
    page = open_page(width, color_scheme=scheme)
    for start, paths in (
        (view.link, [f"/run/{run}", f"/run/{run}/answer?id=chat", f"/run/{run}/answer?id=chat%234"]),
        (rated.links["ada"], ["/rate"]),
    ):
        page.goto(start)
        for path in paths:
            page.goto((view if start is view.link else rated).address + path)
            open_all(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_a_thread_is_a_list_with_a_heading_for_each_speaker(page, site):
    view, run = site
    page.goto(view.link)
    page.goto(f"{view.address}/run/{run}/answer?id=chat")
    assert page.get_by_role("list").locator("> li[id^=turn-]").count() == 7
    names = page.locator("ol.thread").get_by_role("heading", level=3).all_inner_texts()
    assert [name.split("\n")[0].split(" turn")[0].strip() for name in names] == [
        "Customer", "Assistant", "Assistant", "Customer", "Assistant",
    ]  # fmt: skip
    folded = page.locator("ol.thread summary", has_text="Result of find_booking")
    folded.focus()
    page.keyboard.press("Enter")
    assert page.locator("pre", has_text="Krone").is_visible()


def test_keys_rate_a_conversation_and_fold_nothing_by_the_way(rating_site, page):
    chat = make_conversation()
    site = rating_site([chat, *turn_samples(chat)])
    page.goto(site.links["ada"])
    assert page.get_by_role("group", name="Rate the whole conversation").is_visible()
    page.locator("ol.thread summary").first.focus()
    page.keyboard.press("Enter")  # unfolds the policy, and sends nothing
    assert page.get_by_text("Never give a refund.", exact=True).is_visible()
    page.keyboard.press("4")
    page.locator("body").focus()
    page.locator(".sentence", has_text="It takes 3 days.").first.click()
    page.evaluate("document.activeElement.blur()")
    press(page, "Enter")
    (rating,) = site.ratings()
    assert (rating.sample, rating.value, rating.wrong_sentences) == ("chat", 4, ("It takes 3 days.",))
    assert page.get_by_text("Rate the answer in turn 4").first.is_visible()
    press(page, "u")
    assert page.get_by_role("group", name="Rate the whole conversation").is_visible() and site.ratings() == []


@pytest.mark.parametrize("language", ["en", "nl", "de"])
def test_no_label_breaks_inside_a_word_on_a_phone(rating_site, open_page, language):
    page = open_page(360, 800, locale=language)
    for sample in (make_conversation(), Sample(id="s", user_input="How?", response="Press OK.")):
        page.goto(rating_site([sample]).links["ada"])
        assert page.evaluate(BROKEN_WORDS) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
