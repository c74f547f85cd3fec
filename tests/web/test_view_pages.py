"""The viewing pages over HTTP: what a run, an answer and a comparison show, and what a request may not do."""

import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assay.eval_sets import Sample, read_set
from assay.judges import RawReply, Usage
from assay.judges.recording import Recording
from assay.metrics import Score
from assay.runs import Plan, RunWriter, Store
from assay.runs.nightly.ledger import Ledger
from assay.runs.ratings import RatingQueue
from assay.runs.ratings.rating_queue import queue_ids

httpx = pytest.importorskip("httpx")
CONTEXT = "Managers do not see salaries. The change takes effect at the next sign-in."
CLAIMS = [
    {"text": "Managers see salaries.", "verdict": "contradicted", "reason": "no", "quote": "do not see salaries",
     "place": {"context": 0, "start": 9, "end": 28}, "probability": 0.1, "source": "judge"},
    {"text": "It takes effect at once.", "verdict": "not_found", "reason": "", "quote": "", "place": None},
]  # fmt: skip


def write_run(store: Store, shift: float = 0.0, first_word: str = "Yes", *, is_rated: bool = True) -> str:
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


@pytest.fixture(scope="module")
def site(view_site: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("view")
    store = Store(folder / ".assay")
    first = write_run(store)
    second = write_run(store, 0.1, "No")
    ledger = Ledger(store)
    ledger.add_run(ledger.begin("desk").id, "no judge", first)
    store.close()
    (folder / "mine.jsonl").write_text('{"id": "x", "user_input": "q", "response": "a"}', encoding="utf-8")
    (folder / "other.jsonl").write_text('{"key": "no sample"}\n', encoding="utf-8")
    return view_site(folder), first, second


@pytest.fixture
def client(site: Any) -> Iterator[Any]:
    address = site[0].address
    with httpx.Client(base_url=address, headers={"origin": address}, follow_redirects=True, timeout=30) as client:
        client.get(site[0].link).raise_for_status()
        yield client


def texts(page: str) -> str:
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())


def rows(page: str) -> list[str]:
    return re.findall(r'<tr><th scope="row" data-label="answer"><a [^>]+>([^<]+)', page)


def form_of(page: str, action: str) -> dict[str, str]:
    form = page[page.index(f'action="{action}"') :]
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form[: form.index("</form>")])
    return {name: html.unescape(value) for name, value in fields}


def test_runs_are_listed_with_search(client: Any, site: Any) -> None:
    _, first, second = site
    page = client.get("/runs").text
    assert re.findall(r'"/run/([^"]+)"', page) == [second, first]
    assert "2 runs" in client.get("/runs", params={"q": "HELPDESK faithfulness"}).text
    assert "0 runs" in client.get("/runs", params={"q": "helpdesk no_such_metric"}).text
    assert "0 runs" in client.get("/runs", params={"q": "100%_!"}).text  # no wildcards
    assert "desk" in texts(client.get("/suites").text)
    assert client.get("/suite", params={"name": "desk"}).status_code == 200


def test_answers_are_searched_filtered_and_sorted(client: Any, site: Any) -> None:
    run = site[1]

    def found(**query: Any) -> list[str]:
        return rows(client.get(f"/run/{run}", params=query).text)

    assert found() == [f"s/{number}" for number in range(12)]
    assert found(q="PERSON7 salar") == ["s/7"]  # the last word may be the beginning of one
    assert found(q="sal person7") == []
    assert found(q="ontbreekt") == []
    assert found(q='" OR ) * :') == []
    assert found(language="nl", type="instruction") == ["s/6", "s/8", "s/10"]
    assert found(group="g1") == ["s/3", "s/4", "s/5"]
    assert found(metric="token_overlap", status="failed") == ["s/3"]
    assert found(metric="faithfulness", min="0.5", max="0.7") == ["s/6", "s/7", "s/8"]
    assert found(sort="faithfulness", order="down", q="who")[:2] == ["s/11", "s/10"]
    assert "s/3" not in found(sort="token_overlap")  # it has no value
    assert found(sort="rating")[:3] == ["s/0", "s/5", "s/10"]
    assert found(page="999999999999", min="nan", status="x", rated="maybe") == found()


def test_the_figures_of_a_run(client: Any, site: Any) -> None:
    """The mean of 0/12 to 11/12 is 11/24 = 0.458, written 0.46; a run of eleven scores of 0.5 has the mean 0.5."""
    shown = texts(client.get(f"/run/{site[1]}/figures").text)
    assert "12 12 0.46" in shown
    assert "12 11 1 failed 0.50" in shown
    for part in ("By language en (6 answers)", "By message type binary (6 answers)", "Groups with the worst means"):
        assert part in shown


def test_an_answer_shows_its_claims_ratings_and_usage(client: Any, site: Any) -> None:
    page = client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text
    assert re.findall(r'<span class="claim (\w+)"', page) == ["contradicted", "not_found"]
    assert 'data-context="0" data-start="9" data-end="28"' in page
    shown = texts(page)
    for text in (
        "✗ contradicted",
        "? not found",
        "P = 0.10",
        "stands in context 1",
        "ada 5 of 5",
        "10 tokens in",
        "0.5000 USD",
    ):
        assert text in shown


def test_a_link_that_was_sent_shows_the_answer_and_writes_nothing(client: Any, site: Any) -> None:
    page = client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text
    link = html.unescape(re.search(r'class="copied" readonly value="([^"]+)"', page)[1])  # type: ignore[index]
    with httpx.Client(headers={"origin": site[0].address}, follow_redirects=True) as colleague:
        assert colleague.get(f"{site[0].address}/runs").status_code == 403
        shown = colleague.get(link)
        assert (shown.status_code, "Who sees the salary of person4?" in shown.text) == (200, True)
        assert "Have it rated" not in shown.text
        fields = form_of(page, f"/run/{site[1]}/rate")
        refused = colleague.post(f"{site[0].address}/run/{site[1]}/rate", data=fields | {"raters": "ada"})
        assert refused.status_code == 403


def test_an_answer_goes_to_raters_once(client: Any, site: Any) -> None:
    path = f"/run/{site[1]}/rate"
    page = client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text
    done = client.post(path, data=form_of(page, path) | {"raters": "ada, bob"})
    assert "is a new rating queue" in done.text
    database = Store(site[0].folder / ".assay").database
    (name,) = queue_ids(database)
    for sample, said in (("s/5", "added to"), ("s/5", "it was already in")):
        page = client.get(f"/run/{site[1]}/answer", params={"id": sample}).text
        assert said in client.post(path, data=form_of(page, path) | {"queue": name}).text
    queue = RatingQueue(database, name)
    assert [sample.id for sample in queue.samples()] == ["s/4", "s/5"]
    queue.next_answer("ada")
    queue.save("ada", "s/4", 2, reason="Managers do not.")
    shown = texts(client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text)
    assert "ada 2 " in shown and "Managers do not." in shown
    page = client.get(f"/run/{site[2]}/answer", params={"id": "s/4"}).text
    other = client.post(f"/run/{site[2]}/rate", data=form_of(page, f"/run/{site[2]}/rate") | {"queue": name})
    assert (other.status_code, "another answer with the id" in other.text) == (400, True)
    database.close()


def test_an_answer_goes_into_a_set_of_the_folder_and_nowhere_else(client: Any, site: Any) -> None:
    folder, path = site[0].folder, f"/run/{site[1]}/add"
    page = client.get(f"/run/{site[1]}/answer", params={"id": "s/4"}).text
    offered = dict(re.findall(r'<option value="(\w{16})">([^<]+)', page))
    assert sorted(offered.values()) == ["mine.jsonl", "picked.jsonl"]  # other.jsonl holds no samples
    before = {file.name for file in folder.iterdir()}
    fields = form_of(page, path)
    for wrong in ("../outside.jsonl", str(folder / "other.jsonl"), "mine.jsonl", ""):
        assert client.post(path, data=fields | {"set": wrong}).status_code == 400
    assert {file.name for file in folder.iterdir()} == before
    key = next(key for key, name in offered.items() if name == "mine.jsonl")
    for said in ("added to", "it was already in"):
        assert f"{said} mine.jsonl" in client.post(path, data=fields | {"set": key}).text
    assert [sample.id for sample in read_set(str(folder / "mine.jsonl"))] == ["x", "s/4"]
    assert client.post(path, data=fields | {"set": key, "csrf": "0"}).status_code == 403


def test_two_runs_side_by_side(client: Any, site: Any) -> None:
    """Every value rises by 0.1, and every answer says No for Yes."""
    _, first, second = site
    assert second in client.get("/compare", params={"a": first, "b": second}).text
    page = client.get("/compare/figures", params={"a": first, "b": second}).text
    assert "12 answers in both; 12 with another text in B." in texts(page)
    assert "+0.100" in page and "▲ higher" in page
    assert "Whether your raters like B better is not known" in page
    assert "<del>Yes</del>. Managers" in page and "<ins>No</ins>. Managers" in page


def test_what_is_not_there_is_said(client: Any, site: Any) -> None:
    for path in ("/run/nothing", "/nightly/nothing", f"/run/{site[1]}/answer?id=nothing", "/compare/figures?a=x&b=y"):
        assert client.get(path).status_code == 404
    assert client.get("/runs", headers={"host": "evil.example"}).status_code == 400
    assert httpx.get(f"{site[0].address}/runs").status_code == 403


def test_the_prompt_as_sent_and_the_judges_words(
    *, assay: Any, judge_file: Any, set_file: Any, view_site: Any, tmp_path: Path
) -> None:
    judge_file()
    set_file(2)
    metric = "faithfulness:claims=judge"
    assert assay("run", "set.jsonl", "--judge", "local.yaml", "--metrics", metric).code == 0
    store = Store(tmp_path / ".assay")
    run = store.run("last").id
    kept = store.database.execute("SELECT line FROM replies WHERE run = ?", (run,)).fetchall()
    replies = [json.loads(line)["text"] for (line,) in kept if json.loads(line)["sample"] == "s1"]
    site = view_site(tmp_path)
    with httpx.Client(base_url=site.address, follow_redirects=True, timeout=60) as client:
        client.get(site.link)
        page = client.get(f"/run/{run}/replies", params={"id": "s1", "metric": metric}).text
        other = client.get(f"/run/{run}/replies", params={"id": "s1", "metric": "../mine.py:Metric"}).text
    assert len(replies) == 2  # claims, verdicts
    shown = html.unescape(page)
    assert all(reply in shown for reply in replies)
    assert "system, as sent" in page and "Press button 1. It is stored as file 1." in shown
    assert "not shown for a metric" in other
    store.close()


def test_a_changed_answer_is_indexed_anew(tmp_path: Path) -> None:
    from assay.runs.answer_index import AnswerIndex, AnswerQuery

    store = Store(tmp_path)
    run = store.begin(Plan(sets=("s",), metrics=("token_overlap",)))
    index = AnswerIndex(store.database)
    for answer, added in (("first words", 1), ("other words", 1)):
        writer = RunWriter(store, run)
        writer.add(Sample(id="a", user_input="q", response=answer), {"token_overlap": Score(1.0, "scored", "")})
        writer.put(Recording("k", "p@0", "a", {}, "Claims", "u", "", RawReply(model="m", text="t")))
        writer.flush()
        assert index.update(run) == added
        assert index.update(run) == 0
    assert index.search(run, AnswerQuery(text="first")).total == 0
    assert index.search(run, AnswerQuery(text="other wor")).total == 1
    store.close()


def test_a_long_search_is_counted_to_a_thousand(view_site: Any, tmp_path: Path) -> None:
    """1,060 answers with the word: 21 full pages and one of 10; 1,000 are counted, or as many as lead to the page."""
    store = Store(tmp_path / ".assay")
    run = store.begin(Plan(sets=("s",), metrics=("token_overlap",), directions={"token_overlap": True}))
    writer = RunWriter(store, run)
    samples = [Sample(id=f"a{number:04}", user_input="q", response="salary") for number in range(1060)]
    for number, sample in enumerate(writer.number_samples(samples)):
        writer.add(sample, {"token_overlap": Score(number / 1060, "scored", "")})
    writer.flush()
    store.close()
    site = view_site(tmp_path)
    with httpx.Client(base_url=site.address, follow_redirects=True, timeout=60) as client:
        client.get(site.link)

        def page(**query: Any) -> tuple[str, list[str]]:
            content = client.get(f"/run/{run}", params=query, headers={"hx-target": "answers"}).text
            return texts(content), rows(content)

        assert "1,060 answers" in page()[0] and "Page 1 of 22" in page()[0]
        for order in ({}, {"sort": "token_overlap"}):
            shown, names = page(q="sal", **order)
            assert "More than 1,000 answers" in shown and "Page 1 of more than 20" in shown and "Last" not in shown
            assert names == [f"a{number:04}" for number in range(50)]
            assert page(q="sal", page=21, **order)[1] == [f"a{number:04}" for number in range(1000, 1050)]
            shown, names = page(q="sal", page=22, **order)
            assert "1,060 answers" in shown and "More than" not in shown and "Page 22 of 22" in shown
            assert names == [f"a{number:04}" for number in range(1050, 1060)]
        assert page(q="sal", sort="token_overlap", order="down")[1][:2] == ["a1059", "a1058"]


def test_an_unrated_set_has_no_column_and_no_filter_of_ratings(
    client: Any, site: Any, view_site: Callable[[Path], Any], tmp_path: Path
) -> None:
    rated = client.get(f"/run/{site[1]}").text
    assert 'data-label="rating"' in rated
    assert 'name="rated"' in rated
    store = Store(tmp_path / ".assay")
    run = write_run(store, is_rated=False)
    store.close()
    unrated_site = view_site(tmp_path)
    with httpx.Client(base_url=unrated_site.address, follow_redirects=True, timeout=30) as browser:
        browser.get(unrated_site.link).raise_for_status()
        page = browser.get(f"/run/{run}").text
    assert "Who sees the salary of person3?" in page
    assert ">rating<" not in page
    assert 'data-label="rating"' not in page
    assert 'name="rated"' not in page
