"""The viewing pages in a real Chromium: hostile texts stay text, a claim shows its quote, nothing overflows."""

import pytest
from broken_words import BROKEN_WORDS, UNNAMED_FIELDS
from hostile_texts import HOSTILE_TEXTS
from web_process import scripts_that_ran, write_run

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store


def hostile_score(text):
    long, short = text[:2000], text[:40]
    claim = {"text": long, "verdict": "supported", "reason": long, "quote": long, "numeric": [{}]}
    parts = {short: {"value": short, "contribution": "x", "reason": long}}
    evidence = {"claims": [claim, "no claim"], "features": {short: short}, "parts": parts, text[:60]: [text[:60]]}
    return Score(0.5, "scored", long, evidence)


@pytest.fixture(scope="module")
def site(view_site, tmp_path_factory):
    """Two runs of hostile answers, and an answer with a quote after an emoji, which is two units for a script."""
    folder = tmp_path_factory.mktemp("hostile")
    store = Store(folder / ".assay")
    runs = []
    for suffix in ("", " changed"):
        run = store.begin(Plan(sets=(HOSTILE_TEXTS[0],), metrics=("faithfulness",), directions={"faithfulness": True}))
        writer = RunWriter(store, run)
        samples = [
            Sample(
                id=f"{number} {text[:60]}", user_input=text, response=text + suffix, retrieved_contexts=(text,),
                language="en", message_type=text[:40], group=text[:40], ratings={text[:40]: 2},
            )
            for number, text in enumerate(HOSTILE_TEXTS)
        ]  # fmt: skip
        context = "😀 Settings: press OK.\r\nThen wait."
        plain = Sample(id="plain", user_input="How?", response="Press OK. Then go.", retrieved_contexts=(context,))
        for sample in writer.number_samples([*samples, plain]):
            score = hostile_score(sample.user_input)
            if sample.id == "plain":
                place = {"context": 0, "start": context.index("press"), "end": context.index("wait") + 4}
                claim = {
                    "text": "Press OK.",
                    "verdict": "supported",
                    "reason": "",
                    "quote": "press ...",
                    "place": place,
                }
                score = Score(1.0, "scored", "", {"claims": [claim]})
            writer.add(sample, {"faithfulness": score})
        writer.flush()
        store.end(run, "done")
        runs.append(run)
    store.close()
    return view_site(folder), runs


@pytest.fixture
def page(page, site):
    """A page that the site's link let in."""
    page.goto(site[0].link)
    return page


@pytest.mark.timeout(300)
def test_no_script_runs_in_forty_hostile_answers(page, site):
    view, (first, second) = site
    page.goto(f"{view.address}/run/{first}?q=window")
    page.wait_for_selector("section#figures")
    assert scripts_that_ran(page) == 0
    page.goto(f"{view.address}/run/{first}")
    links = page.locator("th a").evaluate_all("links => links.map(link => link.href)")
    answers = [link for link in links if "/answer?" in link]
    assert len(answers) == len(HOSTILE_TEXTS) + 1
    for link in answers:
        page.goto(link)
        assert scripts_that_ran(page) == 0
        assert page.locator("#question").inner_text() == "Question"
    page.goto(f"{view.address}/compare?a={first}&b={second}")
    page.wait_for_selector(".changed")
    page.wait_for_timeout(300)
    assert scripts_that_ran(page) == 0
    assert page.locator("img, iframe, object, embed, video, form[action^=javascript]").count() == 0


def test_pointing_at_a_claim_or_focusing_it_marks_its_quote(page, site):
    page.goto(f"{site[0].address}/run/{site[1][0]}/answer?id=plain")
    quote = "press OK. \nThen wait"
    page.locator(".answer-text .claim").hover()
    marked = page.locator("[data-quotes].pointed")
    assert marked.inner_text() == quote
    assert page.locator(".claim .sign").first.inner_text() == "✓"
    page.mouse.move(0, 0)
    page.locator("#claim-1").focus()
    assert marked.inner_text() == quote
    assert page.locator(".passage").inner_text() == "😀 Settings: press OK. \nThen wait."


def test_search_answers_while_typing_and_the_address_follows(page, site):
    page.goto(f"{site[0].address}/run/{site[1][0]}")
    page.locator("#q").fill("plain pre")
    page.wait_for_url("**q=plain%20pre**")
    assert page.locator("#answers th a").evaluate_all("links => links.map(a => a.innerText)")[-1] == "plain"
    page.reload()
    assert page.locator("#q").input_value() == "plain pre"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_and_everything_has_a_name(open_page, site, width, scheme):
    view, (first, second) = site
    page = open_page(width, color_scheme=scheme)
    page.goto(view.link)
    for path in ("/runs", f"/run/{first}", f"/run/{first}/answer?id=plain", f"/compare?a={first}&b={second}"):
        page.goto(view.address + path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate(UNNAMED_FIELDS) == 0, path


@pytest.fixture(scope="module")
def wide_run(view_site, tmp_path_factory):
    """A run with five metrics, whose answers hold a table that is wider than a phone."""
    folder = tmp_path_factory.mktemp("wide")
    heads, cells = ("| " + " | ".join(f"{word} {n}" for n in range(5)) + " |" for word in ("Group", "a_figure"))
    response = f"# A\n\n{heads}\n{'|---' * 5}|\n{cells}"
    samples = [Sample(id=f"s{n}", user_input="q", response=response, group=f"g{n // 2}") for n in range(6)]
    scores = {f"s{n}": {f"metric_number_{number}": Score(n / 6, "scored", "") for number in range(5)} for n in range(6)}
    run = write_run(folder / ".assay", samples, scores)
    return view_site(folder), run


@pytest.mark.parametrize("width", [1280, 390])
def test_filters_come_first_on_a_phone_and_a_table_that_scrolls_says_so(open_page, wide_run, width):
    site, run = wide_run
    page = open_page(width)
    page.goto(site.link)
    page.goto(f"{site.address}/run/{run}")
    page.wait_for_selector("section#figures")
    page.wait_for_load_state("networkidle")
    filters, figures = (page.locator(one).bounding_box()["y"] for one in (".run-answers .filters", "#figures"))
    assert (filters < figures) == (width == 390)
    assert page.evaluate(BROKEN_WORDS) == []
    page.goto(f"{site.address}/run/{run}/answer?id=s0")
    box = page.locator(".wide", has=page.locator("th", has_text="Group"))
    assert box.get_attribute("aria-label") and box.get_attribute("role") == "region"
    scrolls = box.evaluate("box => box.scrollWidth > box.clientWidth")
    assert scrolls == (width == 390)
    hint = box.evaluate("box => getComputedStyle(box, '::before').display")
    assert hint == ("block" if scrolls else "none")
    if scrolls:
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())
    assert page.evaluate(BROKEN_WORDS) == []


def test_a_part_that_cannot_be_loaded_says_so_in_its_place(page, site):
    page.goto(f"{site[0].address}/compare?a=nothing&b={site[1][0]}")
    page.get_by_text("no run is called").wait_for()
    assert page.get_by_text("Comparing").count() == 0
    assert page.locator("header.bar").count() == 1
