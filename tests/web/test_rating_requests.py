"""What the rating server answers to requests, good and bad, and what its coordinator reads of the ratings."""

import contextlib
import time
from contextlib import closing

import pytest
from web_process import enter, hidden_fields, rate, rated_queue
from web_server import serving

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store
from assay.runs.ratings import QueueSettings, RatingQueue

httpx = pytest.importorskip("httpx")


def samples(count):
    return [
        Sample(id=f"s{number}", user_input="How?", response=f"Open menu {number}. Press OK.", language="en")
        for number in range(count)
    ]


@pytest.fixture
def site(rating_site):
    return rating_site(samples(4))


@pytest.fixture
def ada(site):
    """Ada's browser, let in by her link."""
    with enter(site, site.links["ada"]) as client:
        yield client


def test_a_rating_is_saved_with_its_reason_and_the_marked_sentence(site, ada):
    rate(ada, "2", reason=" The menu is wrong. ", wrong="0")
    (rating,) = site.ratings()
    assert (rating.rater, rating.sample, rating.value) == ("ada", "s0", 2)
    assert rating.reason == "The menu is wrong." and rating.wrong_sentences == ("Open menu 0.",)


def test_sentences_of_a_markdown_answer_are_marked_in_it(rating_site):
    """Each sentence has one box in the answer: over bold and a link too, and twice the same sentence two."""
    answer = "**Yes.** Open [the *menu*](https://evil.example).\n\n- Press **OK**.\n- Yes."
    sample = Sample(id="s", user_input="How?", response=answer, language="en")
    site = rating_site([sample], guideline="# Be *fair*\n\n- always")
    with enter(site, site.links["ada"]) as client:
        page = client.get("/rate").text

        def box(number, inner):
            opening = f'<label class="sentence"><input type="checkbox" name="wrong" value="{number}"><span>'
            return f"{opening}{inner}</span></label>"

        menu = 'Open <span class="link">the <em>menu</em></span>.'
        rendered = page[page.index('<div class="rendered answer-text"') :].partition("</details>")[0]
        assert f"<p>{box(0, '<strong>Yes.</strong>')} {box(1, menu)}</p>".replace("<strong>Yes.</strong>", "Yes.") in (
            rendered.replace("<strong>", "").replace("</strong>", "")
        )
        assert f"<li>{box(3, 'Yes.')}</li>" in rendered
        assert 'href="https://evil' not in page
        assert '<p class="heading h1">Be <em>fair</em></p><ul><li>always</li></ul>' in page
        assert "As it was written" in page
        rate(client, "2", wrong=["2", "3"])
    (rating,) = site.ratings()
    assert rating.wrong_sentences == ("Press OK.", "Yes.")


def test_cannot_tell_undo_and_the_end(site, ada):
    for value in ("1", "2", "3"):
        rate(ada, value)
    last = rate(ada, "cannot-tell", reason="no context", wrong="0")
    assert "Nothing is left for you" in last.text
    assert [rating.value for rating in site.ratings()] == [1, 2, 3, None]
    unknown = site.ratings()[3]
    assert (unknown.reason, unknown.wrong_sentences) == ("no context", ("Open menu 3.",))
    reopened = ada.post("/undo", data=hidden_fields(last.text))
    assert "showing" in hidden_fields(reopened.text)
    assert [rating.value for rating in site.ratings()] == [1, 2, 3]


def test_the_page_speaks_the_browsers_language(ada):
    for language, title in (("nl-BE,nl;q=0.9", "Antwoorden beoordelen"), ("de", "Antworten bewerten"), ("fr", "Rate")):
        assert title in ada.get("/rate", headers={"accept-language": language}).text


def test_a_rater_sees_neither_the_coordinators_page_nor_another_raters_ratings(site, ada):
    rate(ada, "1", reason="secret of ada")
    assert ada.get("/team").status_code == 403
    with enter(site, site.links["bob"]) as bob:
        assert "secret of ada" not in bob.get("/rate").text


@pytest.mark.parametrize("value", ["", "6", "0", "3.5", "nan", "1e0", "٣", "-1"])
def test_a_value_off_the_scale_is_refused(site, ada, value):
    assert rate(ada, value).status_code == 400
    assert site.ratings() == []


def test_writing_needs_the_sessions_token(site, ada):
    fields = hidden_fields(ada.get("/rate").text) | {"value": "3"}
    with enter(site, site.links["bob"]) as bob:
        of_bob = hidden_fields(bob.get("/rate").text)["csrf"]
    for token in ("", "0" * 64, of_bob):
        assert ada.post("/rate", data=fields | {"csrf": token}).status_code == 403
    assert site.ratings() == []


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://127.0.0.1:1"])
def test_writing_from_another_page_is_refused(site, ada, origin):
    fields = hidden_fields(ada.get("/rate").text) | {"value": "3"}
    assert ada.post("/rate", data=fields, headers={"origin": origin}).status_code == 403
    del ada.headers["origin"]
    assert ada.post("/rate", data=fields).status_code == 403
    assert site.ratings() == []


def test_another_host_name_is_refused(ada):
    assert ada.get("/rate", headers={"host": "evil.example"}).status_code == 400


def test_without_a_session_nothing_is_shown(site):
    for path in ("/", "/rate", "/team", "/team/progress", "/team/sentence"):
        reply = httpx.get(site.address + path)
        assert reply.status_code == 403 and "menu" not in reply.text


def test_a_link_that_we_did_not_sign_is_refused(site):
    token = site.links["ada"].rpartition("/")[2]
    content, _, signature = token.rpartition(".")  # the last character of base64 has bits that say nothing
    forged = [f"{content}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}", "x" * 600, "%2e%2e"]
    assert [httpx.get(f"{site.address}/enter/{text}").status_code for text in forged] == [403] * 3
    assert httpx.get(site.links["ada"]).status_code == 303


def test_large_bodies_are_refused_whether_or_not_they_say_their_length(site, ada):
    fields = hidden_fields(ada.get("/rate").text) | {"value": "3"}
    assert ada.post("/rate", data=fields | {"reason": "x" * 2_000_000}).status_code == 413

    def chunks():
        yield b"value=3&csrf=" + fields["csrf"].encode() + b"&sample=%22s0%22&reason="
        for _ in range(100):
            yield b"x" * 10_000

    headers = {"content-type": "application/x-www-form-urlencoded"}
    with contextlib.suppress(httpx.TransportError):  # the server may close the connection on it
        assert ada.post("/rate", content=chunks(), headers=headers).status_code >= 400
    assert site.ratings() == []


def test_no_path_reaches_the_file_system(site):
    for path in ("/static/../rating_app.py", "/static/%2e%2e/sessions.py", "/static//etc/passwd", "/static/..%2f"):
        reply = httpx.get(site.address + path)
        assert reply.status_code in {403, 404} and "import" not in reply.text and "root:" not in reply.text


def test_every_reply_has_the_security_headers(site, ada):
    for reply in (ada.get("/rate"), ada.get("/static/rate.js"), ada.get("/nothing"), httpx.get(f"{site.address}/rate")):
        assert "script-src 'self'" in reply.headers["content-security-policy"]
        assert "unsafe" not in reply.headers["content-security-policy"]
        assert reply.headers["x-content-type-options"] == "nosniff"


def test_the_coordinator_sees_disagreements_and_adjudicates(site, ada):
    rate(ada, "1", reason="wrong menu", wrong="0")
    with enter(site, site.links["bob"]) as bob:
        rate(bob, "4")
    with enter(site, site.coordinator) as coordinator:
        page = coordinator.get("/team").text
        assert "wrong menu<br>✗ Open menu 0." in page and "2 of 8 ratings" in page
        fields = hidden_fields(page)
        agreed = fields | {"value": "2", "reason": "it's gone"}
        assert coordinator.post("/team/adjudicate", data=agreed).status_code == 200
        page = coordinator.get("/team").text
        assert '<option value="2" selected>' in page and 'value="it&#39;s gone"' in page
        assert "Settled: the agreed rating 2 counts" in page
        assert coordinator.post("/team/adjudicate", data=fields | {"value": "9"}).status_code == 400


def test_the_coordinators_page_is_in_the_language_of_the_browser(site):
    with enter(site, site.coordinator) as coordinator:
        page = coordinator.get("/team", headers={"accept-language": "nl"}).text
        assert "Team van beoordelaars" in page and "Voortgang" in page and "Overeenstemming" in page
        assert "Progress" not in page and "Rating team" not in page and "Can't tell" not in page
        assert "Progress" in coordinator.get("/team").text


@pytest.mark.parametrize("unit", ["A__b is so. ", "a__b\n", "> It is__so. Yes.\n", "It `is`  so, [a](b). "])
def test_an_answer_of_a_thousand_odd_sentences_is_no_wait(unit):
    """Sentences that the splitter writes without marks are looked for; no text makes the page wait for that."""
    from assay.web import render_answer

    answer = render_answer((unit * 10_000)[:100_000], "en")
    boxes = str(answer.text.html).count('name="wrong"') + len(answer.apart)
    assert boxes == len(answer.sentences)


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
        assert "Beoordelingen: 30 van de beoordelingspagina door ada op 1 tot 5." in dutch
        assert "before the newest ones" not in text
        queue.adjudicate("s35", 5)  # nobody rated it: with the agreed rating it is the 31st
        text = client.get("/team/sentence").text  # a newer verdict takes seconds
        assert "30 answers are rated" in text and "Of the ratings before the newest ones" in text
        while "31 answers are rated" not in text:
            time.sleep(0.2)
            text = client.get("/team/sentence").text
        assert "before the newest ones" not in text


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
    queue = rated_queue(store, [Sample(id="s", user_input="Q?", response="A.")], {"s": 4})
    app = RatingApp(Connections(tmp_path), queue.id)
    with serving(app.asgi) as address, httpx.Client(base_url=address, follow_redirects=True) as client:
        told = f"1 rating of series 1 of {queue.id} is left out, since the guideline was another then"
        assert told not in client.get(app.coordinator_path()).text
        queue.change_guideline("Be strict.")
        assert told in client.get("/team").text


def test_a_set_without_scores_has_no_sentence(tmp_path):
    from assay.web import has_scores, predict_queue_stability

    store = Store(tmp_path)
    queue = rated_queue(store, [Sample(id="s", user_input="Q?", response="A.")], {})
    assert has_scores(queue, store) is False
    assert predict_queue_stability(store, queue) is None
