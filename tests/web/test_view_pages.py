"""The viewing pages over HTTP: what a run, an answer and a comparison show, and what a request may not do."""

import html
import json
import re

import pytest
from modules import module_of
from web_process import enter, page_text, rated_queue, write_run as write_scores

from assay.errors import InputError
from assay.eval_sets import Sample
from assay.judges import RawReply, Recording, Usage
from assay.metrics import Score
from assay.runs import Ledger, Plan, RunWriter, Store

httpx = pytest.importorskip("httpx")
CONTEXT = "Managers do not see salaries. The change takes effect at the next sign-in."
CLAIMS = [
    {"text": "Managers see salaries.", "verdict": "contradicted", "reason": "no", "quote": "do not see salaries",
     "place": {"context": 0, "start": 9, "end": 28}, "probability": 0.1, "source": "judge"},
    {"text": "It takes effect at once.", "verdict": "not_found", "reason": "", "quote": "", "place": None},
]  # fmt: skip


def write_run(store, shift=0.0, first_word="Yes", *, is_rated=True):
    run = store.begin(Plan(sets=("helpdesk.jsonl",), metrics=("faithfulness",), directions={"faithfulness": True}))
    writer, usage = RunWriter(store, run), Usage(1, 0, 10, 2, 0, 0.5)
    samples = [
        Sample(
            id=f"s/{number}", user_input=f"Who sees the salary of person{number}?",
            response=f"{first_word}. Managers see salaries. It takes effect at once.",
            retrieved_contexts=(CONTEXT,), language="en" if number % 2 else "nl", group=f"g{number // 3}",
            message_type="binary" if number < 6 else "instruction", ratings={"ada": 1 + number % 5} if is_rated else {},
        )
        for number in range(12)
    ]  # fmt: skip
    for number, sample in enumerate(writer.number_samples(samples)):
        scores = {
            "faithfulness": Score(number / 12 + shift, "scored", "1 of 2", {"claims": CLAIMS}, usage),
            "token_overlap": Score(None, "failed", "broken") if number == 3 else Score(0.5, "scored", "half"),
        }
        writer.add(sample, scores)
    writer.flush()
    store.end(run, "done")
    return run


@pytest.fixture
def site(view_site, tmp_path):
    store = Store(tmp_path / ".assay")
    first = write_run(store)
    second = write_run(store, 0.1, "No")
    ledger = Ledger(store)
    ledger.add_run(ledger.begin("desk").id, "no judge", first)
    store.close()
    return view_site(tmp_path), first, second


@pytest.fixture
def client(site):
    with enter(site[0]) as client:
        yield client


def rows(page):
    return re.findall(r'<tr>\s*<th scope="row" data-label="answer"><a [^>]+>([^<]+)', page)


def test_runs_are_listed(client, site):
    _, first, second = site
    page = client.get("/runs").text
    assert re.findall(r'"/run/([^"]+)"', page) == [second, first]
    assert "2 runs" in page
    assert "desk" in page_text(client.get("/suites").text)
    assert client.get("/suite", params={"name": "desk"}).status_code == 200


def test_a_run_is_listed_with_how_good_it_is_and_what_changed(client):
    """The ratings 1 to 5, 1 to 5, 1 and 2 have the mean 33 / 12 = 2.75, and six are below 3; every answer changed."""
    words = page_text(client.get("/runs").text)
    good = "rated 2.8 of 5; 6 of 12 answers are bad; 1 answer failed"
    assert words.count(f"helpdesk.jsonl, 12 answers {good}") == 1
    assert f"{good} 12 of 12 answers changed; faithfulness 0.10 higher" in words
    assert f"{good} the first run of this set" in words
    dutch = page_text(client.get("/runs", headers={"accept-language": "fr, nl-NL;q=0.9, en;q=0.5"}).text)
    assert "cijfer 2,8 van 5; 6 van 12 antwoorden slecht; 1 antwoord mislukt" in dutch
    assert "12 van 12 antwoorden veranderd; faithfulness 0,10 hoger" in dutch


def test_how_listed_runs_were_judged_is_read_once(client, monkeypatch):
    """It takes a reading of all of a run's answers: .7 s of 100,000, for each row of the list."""
    first = page_text(client.get("/runs").text)
    monkeypatch.setattr(Store, "judging", None)
    assert page_text(client.get("/runs").text) == first


def test_the_verdict_of_a_run_is_in_the_language_of_the_browser(client, site):
    dutch = client.get(f"/run/{site[1]}/figures", headers={"accept-language": "nl"}).text
    assert '<dl class="verdict-lines" lang="nl">' in dutch
    assert "Uw chatbot cijfer 2,8 van 5; 6 van 12 antwoorden slecht" in page_text(dutch)


def test_answers_are_searched_filtered_and_sorted(client, site):
    run = site[1]

    def found(**query):
        return rows(client.get(f"/run/{run}", params=query).text)

    assert found() == [f"s/{number}" for number in range(12)]
    assert found(q="PERSON7 salar") == ["s/7"]  # the last word may be the beginning of one
    assert found(q="sal person7") == []
    assert found(q="ontbreekt") == []
    assert found(q='" OR ) * :') == []
    assert found(language="nl") == ["s/0", "s/2", "s/4", "s/6", "s/8", "s/10"]
    assert found(metric="token_overlap", status="failed") == ["s/3"]
    assert found(sort="faithfulness", order="down", q="who")[:2] == ["s/11", "s/10"]
    assert "s/3" not in found(sort="token_overlap")  # it has no value
    assert found(sort="rating")[:3] == ["s/0", "s/5", "s/10"]
    assert found(page="999999999999", status="x", rated="maybe") == found()


def test_a_rating_is_shown_in_its_scale(client, site):
    """Ada rated s/4 with 1 + 4 % 5 = 5 of 1 to 5, and s/5 with 1: not 100% and 0% of the scale."""
    page = client.get(f"/run/{site[1]}").text
    ratings = re.findall(r'data-label="rating">([^<]*)</td>', page)
    assert ratings == [f"{1 + number % 5} of 5" for number in range(12)]
    answer = page_text(client.get(f"/run/{site[1]}/answer", params={"id": "s/3"}).text)
    assert "rated 4 of 5" in answer and "ada 4 of 5 (in the set)" in answer


def test_an_answer_shows_its_claims_ratings_and_usage(client, site):
    page = client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text
    assert re.findall(r'<span class="claim (\w+)"', page) == ["contradicted", "not_found"]
    assert 'Managers <span data-quotes="1">do not see salaries</span>. The change' in page
    shown = page_text(page)
    for text in (
        "✗ contradicted",
        "? not found",
        "P = 0.10",
        "place of the quote: context 0",
        "ada 5 of 5",
        "10 tokens in",
        "0.5000 USD",
    ):
        assert text in shown


def test_a_link_that_was_sent_shows_the_answer(client, site):
    page = client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text
    link = html.unescape(re.search(r'class="copied" readonly value="([^"]+)"', page)[1])
    with httpx.Client(headers={"origin": site[0].address}, follow_redirects=True) as colleague:
        assert colleague.get(f"{site[0].address}/runs").status_code == 403
        shown = colleague.get(link)
        assert (shown.status_code, "Who sees the salary of person4?" in shown.text) == (200, True)


def test_ratings_of_a_queue_stand_beside_their_answer(client, site):
    store = Store(site[0].folder / ".assay")
    (sample,) = (one for one in store.samples(site[1]) if one.id == "s/4")
    rated_queue(store, [sample], {"s/4": 2}, reason="Managers do not.")
    store.close()
    shown = page_text(client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text)
    assert "ada 2 " in shown and "Managers do not." in shown


SETTINGS = "Open **Settings**, then *Save*."
LONGER = f"{SETTINGS} There is nothing else that you would have to do after that."


@pytest.fixture
def compared(tmp_path, view_site):
    """Ten answers. B is longer in eight; faithfulness changes places in the two others, declined falls everywhere."""
    store = Store(tmp_path / ".assay")
    runs = []
    directions = {"faithfulness": True, "declined": False}
    for is_b in (False, True):
        run = store.begin(Plan(sets=("s",), metrics=("faithfulness", "declined"), directions=directions))
        writer = RunWriter(store, run)
        samples = [
            Sample(id=f"s{n}", user_input=f"How {n}?", response=LONGER if is_b and n < 8 else SETTINGS)
            for n in range(10)
        ]
        for n, sample in enumerate(writer.number_samples(samples)):
            values = {
                "faithfulness": 0.5 if n < 8 else 0.2 if (n == 8) is is_b else 0.8,
                "declined": 0.2 if is_b else 0.7,
                "token_overlap": 0.1 + 0.2 if is_b else 0.3,  # a difference of the computer's rounding
                "answer_length": float(len(sample.response.split())),
            }
            writer.add(sample, {name: Score(value, "scored", "") for name, value in values.items()})
        writer.flush()
        store.end(run, "done")
        runs.append(run)
    store.close()
    with enter(view_site(tmp_path)) as client:
        yield client, runs


def table_remarks(page):
    """The last cell of each row of the first table, by metric, as it is written in the page."""
    table = page[: page.index("</table>")]
    rows = re.findall(r'data-label="metric">(.*?)</th>.*?data-label="remark">(.*?)</td>', table, re.DOTALL)
    return {page_text(name).split()[0].replace("<wbr>", ""): remark.strip() for name, remark in rows}


def test_the_page_the_command_and_the_json_say_the_same_of_a_difference(compared, assay):
    """p of two changes that undo each other is 1: neither better nor worse. Declining less often is better.

    All ten values of declined fall alike: p is 2 / 2^10.
    """
    client, (first, second) = compared
    page = client.get("/compare/figures", params={"a": first, "b": second}).text.replace("<wbr>", "")
    command, report = (
        assay("show", "changes", first, second).out,
        assay("show", "changes", first, second, "--json").json,
    )
    kinds = {row["metric"]: row["kind"] for row in report["metrics"]}
    assert (kinds["faithfulness"], kinds["declined"], kinds["token_overlap"]) == ("unsettled", "better", "same")
    remarks = table_remarks(page)
    assert remarks["declined"] == '<span class="passed">lower in B</span>'
    assert re.fullmatch(r"under 0\.\d+ is missed", remarks["faithfulness"]) and remarks["token_overlap"] == ""
    flat = " ".join(command.split())
    for sentence in report["sentences"]:
        assert sentence in page_text(page) and sentence in flat
    declined = next(row for row in report["metrics"] if row["metric"] == "declined")
    assert (declined["difference"], declined["higher_is_better"]) == (pytest.approx(-0.5), False)
    assert (round(declined["low"], 2), round(declined["high"], 2)) == (-0.5, -0.19)
    assert "declined lower is better" in page_text(page) and f"{remarks['faithfulness']}" in flat
    for shown in (page_text(page), flat):
        assert "worse" not in shown and "better in B" not in shown
    # eight answers of ten are longer: 2 of 256 flips are as far (two are as long), times three rows (Holm): 0.02
    row = next(row for row in report["metrics"] if row["metric"] == "answer_length")
    assert (row["higher_is_better"], row["kind"]) == (None, "neither")
    assert table_remarks(page)["answer_length"] == "longer in B"


def test_answers_with_another_text_stand_before_those_with_another_score(compared):
    client, (first, second) = compared
    page = client.get("/compare/figures", params={"a": first, "b": second}).text
    order = re.findall(r"How (\d)\?", page)
    assert sorted(order[:8]) == list("01234567")
    assert order[8:] == ["8", "9"]  # of changes of one size the worse one first
    assert "8 answers with another text, then 2 with the same text and another score" in page_text(page)
    assert "<ins> There is nothing else" in page
    assert "<strong>Settings</strong>, then <em>Save</em>." in page
    rescored = page[page.index("How 8?") :]
    assert "The same text in A and B" in page_text(rescored) and "<ins>" not in rescored
    assert "faithfulness 0.800 → 0.200" in page_text(rescored) and "token_overlap" not in rescored.split("facts")[1]


def test_every_error_has_the_sites_face_and_a_way_back(client, site, monkeypatch):
    run = site[1]
    last = {"connection": "close"}  # the server closes it on what it does not read
    part = client.get("/compare/figures?a=x&b=y", headers={"hx-request": "true"})
    assert (part.status_code, "<html" in part.text, "no run is called" in part.text) == (404, False, True)
    replies = {
        404: [client.get("/nowhere"), client.get("/static/nothing.css"), client.get("/run/nothing")],
        405: [client.post("/runs"), client.post(f"/run/{run}")],
        400: [client.get("/runs", headers={"host": "evil.example"})],
        403: [httpx.get(f"{site[0].address}/runs"), client.post("/runs", headers={"origin": "http://evil.example"})],
        413: [client.post("/runs", data={"raters": "x" * 100_000}, headers=last)],
    }

    def fail(*_):
        raise RuntimeError("secret of the inside")

    monkeypatch.setattr(Store, "run_ids", fail)
    replies[500] = [client.get("/compare", headers=last)]
    for status, pages in replies.items():
        for page in pages:
            assert page.status_code == status
            assert '<b class="brand">Assay</b>' in page.text and "<h1>" in page.text
            assert "script-src 'self'" in page.headers["content-security-policy"]
            assert "secret of the inside" not in page.text
            # who has no session has no first page, and a refused request may come from anywhere
            assert ('<a href="/">To the first page</a>' in page.text) == (status in (404, 405, 500))
    assert "allow" in replies[405][0].headers


def test_the_prompt_as_sent_and_the_judges_words(assay, judge_file, set_file, view_site, tmp_path):
    judge_file()
    set_file(2)
    metric = "faithfulness:claims=judge"
    assert assay("run", "set.jsonl", "--judge", "local.yaml", "--metrics", metric).code == 0
    store = Store(tmp_path / ".assay")
    run = store.run("last").id
    kept = store.database.execute("SELECT line FROM replies WHERE run = ?", (run,)).fetchall()
    replies = [json.loads(line)["text"] for (line,) in kept if json.loads(line)["sample"] == "s1"]
    with enter(view_site(tmp_path)) as client:
        page = client.get(f"/run/{run}/replies", params={"id": "s1", "metric": metric}).text
        other = client.get(f"/run/{run}/replies", params={"id": "s1", "metric": "../mine.py:Metric"}).text
    assert len(replies) == 2  # claims, verdicts
    shown = html.unescape(page)
    assert all(reply in shown for reply in replies)
    assert "system, as sent" in page and "Press button 1. It is stored as file 1." in shown
    assert "not shown for a metric" in other
    store.close()


@pytest.mark.parametrize("values", [(0.3, 0.1 + 0.2), (1e20, 1e20), (0.0, 5e-324), (-1e100, 1e100)])
def test_the_figures_of_a_run_whose_values_are_hardly_different(view_site, tmp_path, values):
    """0.1 + 0.2 is 0.30000000000000004: an axis between the two has no length."""
    samples = [Sample(id=f"s{n}", user_input="q", response="a", ratings={"a": n + 1}) for n in range(2)]
    scores = {f"s{number}": {"m": Score(value, "scored", "")} for number, value in enumerate(values)}
    run = write_scores(tmp_path / ".assay", samples, scores)
    with enter(view_site(tmp_path)) as client:
        page = client.get(f"/run/{run}/figures")
    assert page.status_code == 200
    assert 'id="figures-title"' in page.text


MARKDOWN = """## Plans

Here is **what you can choose**. See the [list](https://evil.example/x).

| plan | price |
|---|--:|
| Basic | 5 euros |

1. Open `Settings`.
2. Click *Plan*."""


def test_the_claims_of_a_markdown_answer_are_marked_in_it(view_site, tmp_path):
    """A claim over bold and a link, one over the cells of a row, one that is not there; a quote in the context."""
    said = ["Here is what you can choose. See the list.", "plan: Basic; price: 5 euros", "Click Plan.", "It is blue."]
    claims = [{"text": text, "verdict": "supported", "quote": "", "reason": ""} for text in said]
    claims[2]["quote"] = "Plan** is"
    sample = Sample(id="a", user_input="q", response=MARKDOWN, retrieved_contexts=("- The **Plan** is here.",))
    scores = {"a": {"faithfulness": Score(0.5, "scored", "", {"claims": claims})}}
    run = write_scores(tmp_path / ".assay", [sample], scores)
    with enter(view_site(tmp_path)) as client:
        page = client.get(f"/run/{run}/answer", params={"id": "a"}).text

    def marked(number, inner):
        return (
            f'<span class="claim supported" tabindex="0" data-claim="{number}" aria-describedby="claim-{number}">'
            f'<span class="sign" aria-hidden="true">✓</span>{inner}</span>'
        )

    choose = 'Here is <strong>what you can choose</strong>. See the <span class="link">list</span>.'
    assert f"<p>{marked(1, choose)}</p>" in page
    assert f"<tr><td>{marked(2, 'Basic')}</td><td>{marked(2, '5 euros')}</td></tr>" in page
    assert f'<li value="2">{marked(3, "Click <em>Plan</em>.")}</li>' in page
    assert page.count("not marked in the answer") == 1
    assert '<li>The <span data-quotes="3"><strong>Plan</strong> is</span> here.</li>' in page
    assert 'href="https://evil' not in page and "As it was written" in page
    assert "[list](https://evil.example/x)" in page_text(page)  # as it was written


def test_a_store_that_cannot_be_written_to_is_shown_and_nothing_is_written(tmp_path, monkeypatch):
    """All threads read one copy of the store; links end with the process."""
    testclient = pytest.importorskip("starlette.testclient")
    from assay.web import Connections, ViewApp

    store = Store(tmp_path / "runs")
    run = write_run(store)
    store.close()
    before = {file.name: file.read_bytes() for file in (tmp_path / "runs").iterdir()}
    monkeypatch.setattr(module_of(type(store.database)), "_may_write", lambda _: False)
    opened = Store(tmp_path / "runs")
    app = ViewApp(Connections(tmp_path / "runs"))
    app.end_links()
    with testclient.TestClient(app.asgi, base_url="http://127.0.0.1") as client:
        assert "1 run" in page_text(client.get(app.link_path()).text)
        assert len(rows(client.get(f"/run/{run}").text)) == 12
        assert "faithfulness" in client.get(f"/run/{run}/figures").text
        assert "Managers see salaries." in page_text(client.get(f"/run/{run}/answer", params={"id": "s/1"}).text)
    with pytest.raises(InputError, match=r"readonly|lock"):
        opened.begin(opened.run(run).plan)
    opened.close()
    assert {file.name: file.read_bytes() for file in (tmp_path / "runs").iterdir()} == before


def test_a_changed_answer_is_found_by_its_new_words(tmp_path):
    from assay.runs import AnswerIndex, AnswerQuery

    store = Store(tmp_path)
    run = store.begin(Plan(sets=("s",), metrics=("token_overlap",)))
    index = AnswerIndex(store.database)
    for answer in ("first words", "other words"):
        writer = RunWriter(store, run)
        writer.add(Sample(id="a", user_input="q", response=answer), {"token_overlap": Score(1.0, "scored", "")})
        writer.put(Recording("k", "p@0", "a", {}, "Claims", "u", "", RawReply(model="m", text="t")))
        writer.flush()
        assert index.search(run, AnswerQuery(text=answer)).total == 1
    assert index.search(run, AnswerQuery(text="first")).total == 0
    assert index.search(run, AnswerQuery(text="other wor")).total == 1
    store.close()


def test_the_answers_of_a_search_are_counted_and_paged(view_site, tmp_path):
    samples = [Sample(id=f"a{number:03}", user_input="q", response="salary") for number in range(110)]
    scores = {one.id: {"token_overlap": Score(n / 110, "scored", "")} for n, one in enumerate(samples)}
    run = write_scores(tmp_path / ".assay", samples, scores)
    with enter(view_site(tmp_path)) as client:

        def page(**query):
            content = client.get(f"/run/{run}", params=query, headers={"hx-target": "answers"}).text
            return page_text(content), rows(content)

        for order in ({}, {"sort": "token_overlap"}):
            shown, names = page(q="sal", **order)
            assert "110 answers" in shown and "Page 1 of 3" in shown
            assert names == [f"a{number:03}" for number in range(50)]
            assert page(q="sal", page=3, **order)[1] == [f"a{number:03}" for number in range(100, 110)]
        assert page(q="sal", sort="token_overlap", order="down")[1][:2] == ["a109", "a108"]


def test_a_page_of_answers_takes_as_much_of_a_large_run_as_of_a_small_one(view_site, tmp_path, monkeypatch):
    """110 answers and 1,100, opened before: as many statements, and no more answers read than stand on the page."""
    asked, read = list[str](), list[str]()
    kind = type(Store(tmp_path / "any").database)
    reader = module_of(RunWriter).ContentReader
    execute, read_one = kind.execute, reader.read
    monkeypatch.setattr(kind, "execute", lambda own, *sql: asked.append(sql[0]) or execute(own, *sql))
    monkeypatch.setattr(reader, "read", lambda own, content: read.append(content) or read_one(own, content))
    counts = []
    for size in (110, 1100):
        samples = [Sample(id=f"a{number:04}", user_input="q", response="salary", rating=4) for number in range(size)]
        scores = {one.id: {"token_overlap": Score(n / size, "scored", "")} for n, one in enumerate(samples)}
        folder = tmp_path / str(size)
        folder.mkdir()
        run = write_scores(folder / ".assay", samples, scores)
        with enter(view_site(folder)) as client:
            for query in ({}, {"sort": "token_overlap", "order": "down"}, {"q": "sal", "page": 2}):
                client.get(f"/run/{run}", params=query)
            asked.clear(), read.clear()
            for query in ({}, {"sort": "token_overlap", "order": "down"}, {"q": "sal", "page": 2}):
                assert len(rows(client.get(f"/run/{run}", params=query).text)) == 50
        counts.append(len(asked))
        assert 50 <= len(read) <= 3 * 50
    assert counts[0] == counts[1]


def test_an_unrated_set_has_no_column_and_no_filter_of_ratings(client, site, view_site, tmp_path):
    rated = client.get(f"/run/{site[1]}").text
    assert 'data-label="rating"' in rated
    assert 'name="rated"' in rated
    store = Store(tmp_path / ".assay")
    run = write_run(store, is_rated=False)
    store.close()
    with enter(view_site(tmp_path)) as browser:
        page = browser.get(f"/run/{run}").text
    assert "Who sees the salary of person3?" in page
    assert ">rating<" not in page
    assert 'data-label="rating"' not in page
    assert 'name="rated"' not in page
