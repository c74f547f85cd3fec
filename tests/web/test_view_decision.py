"""The page of two runs, with the decision between them; the page of why answers are bad."""

import html
import re
from contextlib import closing

import pytest
from hostile_texts import HOSTILE_TEXTS
from web_process import enter, page_text, write_run

from assay.eval_sets import Sample
from assay.metrics import Score
from assay.runs import Store
from assay.runs.ratings import QueueSettings, RatingQueue

pytest.importorskip("httpx")
RATINGS_A = (1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2)
RATINGS_B = (4, 3, 5, 5, 4, 4, 5, 4, 3, 5, 5, 4)
"""B less A: 3, 1, 2, 3, 3, 2, 2, 2, 2, 3, 2, 2, in the mean 27 / 12."""


def write_answers(store, ratings, metrics, word):
    samples = [
        Sample(
            id=f"s{number}", user_input=f"How {number}?", response=f"{word} {number}.",
            ratings={"ada": ratings[number]} if ratings else {},
        )
        for number in range(12)
    ]  # fmt: skip
    scores = {
        sample.id: {name: Score(value + number % 3 / 100, "scored", "") for name, value in metrics.items()}
        for number, sample in enumerate(samples)
    }
    return write_run(store, samples, scores)


@pytest.fixture(scope="module")
def runs(view_site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("decision")
    store = folder / ".assay"
    one, two = {"faithfulness": 0.4}, {"faithfulness": 0.4, "policy": 0.7}
    written = {
        "low": write_answers(store, RATINGS_A, one, "No"),
        "high": write_answers(store, RATINGS_B, one, "Yes"),
        "same": write_answers(store, RATINGS_A, one, "No"),
        "two": write_answers(store, (), two, "No"),
        "two more": write_answers(store, (), {name: value + 0.1 for name, value in two.items()}, "<b>Yes</b>"),
        "unrated": write_answers(store, (), one, "Perhaps"),
        "other": write_answers(store, (), {"policy": 0.5}, "Maybe"),
        "unrated too": write_answers(store, (), {"faithfulness": 0.5}, "Perhaps not"),
    }
    with enter(view_site(folder)) as client:
        yield client, written


def show(runs, part, first, second, **query):
    client, written = runs
    response = client.get(f"/compare{part}", params={"a": written[first], "b": written[second]} | query)
    assert response.status_code == 200
    return str(response.text)


def test_the_decision_stands_on_top_with_its_intervals(runs):
    """All is rated: the means are 2 (24 / 12) and 4.25 (51 / 12), the difference 2.25."""
    page = page_text(show(runs, "/decision", "low", "high"))
    assert (
        "Decision Ship B: your raters like it better than A Difference B is rated 2.25 higher than A, on 1 to 5" in page
    )
    assert re.search(r"A in use today 2\.00 \[1\.\d\d, 2\.\d\d\] B 4\.25 \[3\.\d\d, 4\.\d\d\]", page)
    assert re.search(r"B − A \+2\.250 \[\+\d", page)
    swapped = page_text(show(runs, "/decision", "high", "low"))
    assert "Keep A: your raters like it better than B Difference A is rated 2.25 higher than B" in swapped


def test_the_answers_that_decide_stand_first_with_their_ratings(runs):
    """Differences of 3: s0, s3, s4, s9; of 2: s2, s5 to s8, s10, s11; of 1: s1. B's own order by score is another."""
    page = show(runs, "/figures", "low", "high")
    order = re.findall(r"How (\d+)\?", page)
    assert order == ["0", "3", "4", "9", "2", "5", "6", "7", "8", "10", "11", "1"]
    assert "rating 1 → 4" in page_text(page) and "First those that decide" in page_text(page)
    by_score = show(runs, "/figures", "low", "high", metric="faithfulness")
    assert re.findall(r"How (\d+)\?", by_score) != order
    link = html.unescape(re.search(r'<a href="([^"]+)">First those that decide</a>', by_score)[1])
    assert "metric=&" in link + "&"


def test_where_several_metrics_could_decide_none_does(runs):
    page = page_text(show(runs, "/decision", "two", "two more"))
    assert "Nothing can be decided between these runs: no answer is rated" in page
    assert "<b>Yes</b>" not in show(runs, "/figures", "two", "two more")


def test_an_unsettled_page_says_how_people_choose_between_both(runs):
    """Nothing of the other run is rated, and both have the same scores."""
    page = page_text(show(runs, "/decision", "low", "unrated"))
    assert "ot settled" in page
    assert f"assay rate {runs[1]['low']} {runs[1]['unrated']} --pairs --raters NAME,NAME" in page
    assert "--pairs" not in show(runs, "/decision", "low", "high")


@pytest.mark.parametrize("metric", ["", "nothing", "'\"><script>"])
def test_without_a_decision_the_page_says_why_and_stays(runs, metric):
    """One has faithfulness, the other policy; neither is rated."""
    page = show(runs, "/decision", "unrated", "other", metric=metric)
    assert "Nothing can be decided between these runs:" in page_text(page)
    assert "<script" not in page
    assert show(runs, "", "unrated", "other", metric=metric)
    decided = page_text(show(runs, "/decision", "unrated", "unrated too", metric=metric))
    assert "Decision Not settled: B may be better than A, or worse" in decided
    assert "faithfulness is 0.10 higher for B than for A (likely 0.02 to 0.34)" in decided


def test_a_new_rating_is_counted_at_once(view_site, tmp_path):
    """The decision is kept until somebody rates."""
    from assay.runs import open_database
    from assay.runs.ratings import QueueSettings, RatingQueue

    first, second = (write_answers(tmp_path / ".assay", (), {"faithfulness": 0.4}, word) for word in ("No", "Yes"))
    with closing(Store(tmp_path / ".assay")) as store:
        samples = list(store.samples(second))
    with enter(view_site(tmp_path)) as client:
        address = f"/compare/decision?a={first}&b={second}"
        assert "Difference faithfulness is the same for B and A on average" in page_text(client.get(address).text)
        database = open_database(tmp_path / ".assay", wait=10)
        settings = QueueSettings(raters=("ada", "bob"), per_answer=1, repeat_share=0.0)
        queue = RatingQueue.create(database, samples, settings, source="B", guideline="Be fair.")
        while (assignment := queue.next_item("ada")) is not None:
            queue.save("ada", assignment.sample.id, 4)
        database.close()
        after = client.get(address).text
        assert re.findall(r'data-label="rated">(\d+)', after)[:2] == ["0", "12"]


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
