"""The page of why answers are bad: its groups, links to the answers, and hostile reasons."""

import html
import re

import pytest
from hostile_texts import HOSTILE_TEXTS
from web_process import enter, page_text, write_run

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import Store
from assay.runs.ratings import QueueSettings, RatingQueue

httpx = pytest.importorskip("httpx")


def claim_scores(samples):
    """Scores with one claim each, of which every second one is not found."""
    claims = [
        {"text": f"It costs {number} euros.", "verdict": "not_found" if number % 2 else "supported"}
        for number in range(len(samples))
    ]
    return {
        sample.id: {"faithfulness": Score(0.5, "scored", "", {"claims": [claim]})}
        for sample, claim in zip(samples, claims, strict=True)
    }


@pytest.fixture(scope="module")
def site(view_site, tmp_path_factory):
    """A run with hostile reasons of its file, and one that is rated on the rating page."""
    folder = tmp_path_factory.mktemp("failures")
    store = Store(folder / ".assay")
    texts = [text[:3000] for text in HOSTILE_TEXTS if text.strip()]
    fields = {"response": "So.", "language": "en"}
    hostile = [
        Sample(id=f"{n} {text[:40]}", user_input=text, rating=1, metadata={"reason": text}, **fields)
        for n, text in enumerate(texts)
    ]
    plain = [Sample(id=f"p{n}", user_input=f"Question {n}?", **fields) for n in range(12)]
    runs = [write_run(folder / ".assay", samples, claim_scores(samples)) for samples in (hostile, plain)]
    queue = RatingQueue.create(store.database, plain, QueueSettings(raters=("ada",), per_answer=1), source="x")
    causes = ("The price is that of last year.", "It refuses to help with the login.")
    for number in range(12):
        assignment = queue.next_item("ada")
        assert assignment is not None
        reason, wrong = (causes[number % 2], ["So."]) if number < 10 else ("", [])
        queue.save("ada", assignment.sample.id, 1 if number < 10 else 5, reason=reason, wrong_sentences=wrong)
    store.close()
    with enter(view_site(folder)) as client:
        yield client, *runs


def test_reasons_of_the_rating_page_are_grouped_and_lead_to_their_answers(site):
    client, _, run = site
    frame = client.get(f"/run/{run}/failures")
    assert frame.status_code == 200 and f"/run/{run}/failures/groups" in frame.text
    page = client.get(f"/run/{run}/failures/groups")
    assert page.status_code == 200
    shown = page_text(page.text)
    assert "10 of 12 rated answers are bad" in shown
    assert "10 reasons of people, 10 sentences marked as wrong" in shown
    assert "ratings: 12 of the rating page by ada on 1 to 5" in shown
    links = {html.unescape(link) for link in re.findall(r'href="(/run/[^"]+)"', page.text)}
    assert len(links) == 10
    assert all(client.get(link).status_code == 200 for link in links)
    assert f'href="/run/{run}/failures"' in client.get(f"/run/{run}").text


def test_hostile_reasons_stay_texts_and_their_links_work(site):
    client, run, _ = site
    page = client.get(f"/run/{run}/failures/groups").text
    assert "<script" not in page.lower() and "<img" not in page.lower()
    links = [html.unescape(link) for link in re.findall(r'href="(/run/[^"]+)"', page)]
    assert links and all(client.get(link).status_code == 200 for link in links)


def test_a_metric_is_chosen_by_the_address(site):
    client, _, run = site
    shown = page_text(client.get(f"/run/{run}/failures/groups", params={"metric": "faithfulness"}).text)
    assert "6 of 12 answers with a value are bad" in shown and "with a bad verdict of faithfulness" in shown


def test_what_cannot_be_shown_is_said(site):
    client, _, run = site
    unknown = client.get(f"/run/{run}/failures/groups", params={"metric": "<b>nothing"})
    assert unknown.status_code in {400, 404, 422} and "<b>nothing" not in unknown.text
    assert "has no value of the metric" in page_text(unknown.text)
    assert client.get("/run/none/failures").status_code in {400, 404}


def test_only_who_may_look_sees_it(site):
    client, _, run = site
    assert httpx.get(f"{client.base_url}/run/{run}/failures/groups").status_code == 403
