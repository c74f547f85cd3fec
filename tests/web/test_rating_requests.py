"""What the rating server answers to requests, good and bad, over HTTP."""

import contextlib
import re

import pytest
from web_process import enter, hidden_fields

from assay.eval_sets import Sample

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


def rate(client, value, **fields):
    return client.post("/rate", data=hidden_fields(client.get("/rate").text) | {"value": value} | fields)


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
        rendered = page[page.index('<div class="rendered answer-text"') : page.index("</details>")]
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
    for value in ("1", "2", "3", "cannot-tell"):
        last = rate(ada, value)
    assert "Nothing is left for you" in last.text
    assert [rating.value for rating in site.ratings()] == [1, 2, 3, None]
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
    forged = [
        f"{content}.{'A' if signature[0] != 'A' else 'B'}{signature[1:]}",
        "x" * 600,
        "%2e%2e",
    ]
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
    rate(ada, "1", reason="wrong menu")
    with enter(site, site.links["bob"]) as bob:
        rate(bob, "4")
    with enter(site, site.coordinator) as coordinator:
        page = coordinator.get("/team").text
        assert "wrong menu" in page and "2 of 8 ratings" in page
        fields = hidden_fields(page)
        assert coordinator.post("/team/adjudicate", data=fields | {"value": "2"}).status_code == 200
        assert re.search(r'<option value="2" selected>', coordinator.get("/team").text)
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
