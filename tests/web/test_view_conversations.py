"""The viewing pages of conversations: the thread, the scores of its turns, and where a claim's quote stands."""

import html
import json
import re

import pytest
from conversations import MESSAGES, conversation_scores, make_conversation
from web_process import enter, page_text, rated_queue, write_run

from assay.eval_sets import Sample, turn_samples
from assay.metrics import Score
from assay.presentation import template_environment
from assay.runs import Store
from assay.web import view_answer

httpx = pytest.importorskip("httpx")
PLAIN = Sample(id="plain", user_input="How?", response="So.")


def turn_scores():
    document = {"kind": "tool result", "turn": 3}
    claim = {"text": "You get 120 euros back.", "verdict": "supported", "quote": "120", "document": document}
    documentation = [{"kind": "customer", "turn": 1}]
    return {"faithfulness": Score(0.25, "scored", "", {"claims": [claim], "documentation": documentation})}


@pytest.fixture(scope="module")
def site(view_site, tmp_path_factory):
    """Two runs of a conversation, its turns and an answer; the second has another answer in turn 4."""
    folder = tmp_path_factory.mktemp("conversations")
    runs = []
    for is_changed in (False, True):
        messages = [dict(message) for message in MESSAGES]
        if is_changed:
            messages[4]["content"] = "You get nothing back. It takes 3 days."
        chat = make_conversation(messages=messages)
        scores = {chat.id: conversation_scores()} | {turn.id: turn_scores() for turn in turn_samples(chat)}
        runs.append(write_run(folder / ".assay", [chat, *turn_samples(chat), PLAIN], scores))
    return view_site(folder), *runs


@pytest.fixture
def client(site):
    with enter(site[0]) as client:
        yield client


def turn_of(page, turn):
    """What stands at a turn of the thread, as text."""
    start = page.index(f'<li id="turn-{turn}"')
    return page_text(page[start : page.index("\n</li>", start)])


def show(client, run, sample, **query):
    reply = client.get(f"/run/{run}/answer", params={"id": sample} | query)
    assert reply.status_code == 200
    return str(reply.text)


def test_the_thread_says_who_speaks_in_which_turn_and_when(client, site):
    page = show(client, site[1], "chat")
    assert re.findall(r'<li id="turn-(\d+)" class="message-of (\w+)', page) == [
        ("0", "policy"), ("1", "customer"), ("2", "assistant"), ("3", "tool"), ("4", "assistant"), ("5", "customer"),
        ("6", "assistant"),
    ]  # fmt: skip
    assert '<ol class="thread" role="list" start="0">' in page
    assert turn_of(page, 1).startswith("Customer turn 1 2026-11-02 10:00 I want my money back.")
    assert "conversation, 2 turns" in page_text(page)
    assert 'id="question"' not in page
    assert re.findall(r'id="turn-(\d+)"[^>]*aria-current="true"', page) == ["6"]
    assert "the answer under test" in turn_of(page, 6)
    assert "rated 2 of 5" in turn_of(page, 6)
    assert "rated" not in turn_of(page, 4)


def test_a_page_that_is_not_there_says_which_is_the_last(client, site):
    page = client.get(f"/run/{site[1]}", params={"page": 999}).text
    assert "There is no page 999: the last one is page 1" in page_text(page)
    assert "Leave something out" not in page


def test_policy_tools_and_contexts_are_folded_with_json_in_lines(client, site):
    page = show(client, site[1], "chat")
    folded = re.findall(r'<details class="folded"><summary>(.*?)</summary>(.*?)</details>', page, re.DOTALL)
    contents = {page_text(title): html.unescape(content) for title, content in folded}
    assert list(contents) == [
        "Policy turn 0",
        "Assistant calls find_booking",
        "Result of find_booking turn 3",
        "Documentation",
    ]
    assert '{\n  "name": "Jäger",\n  "nights": 2\n}' in contents["Assistant calls find_booking"]
    assert '{\n  "price": 120,\n  "hotel": "Krone"\n}' in contents["Result of find_booking turn 3"]
    assert "Name the <strong>price</strong>" in contents["Policy turn 0"]
    assert "A refund takes 5 days." in contents["Documentation"]


def test_a_turn_and_its_conversation_lead_to_each_other(client, site):
    page = show(client, site[1], "chat")
    link = html.unescape(re.search(r'<a href="([^"]+)">scores of this turn</a> faithfulness 0.250', page)[1])
    of_turn = client.get(link).text
    assert re.findall(r'id="turn-(\d+)"[^>]*aria-current', of_turn) == ["4"]
    assert 'id="turn-5"' not in of_turn  # what came after it was not known
    back = html.unescape(re.search(r'The answer in turn 4 of the conversation <a href="([^"]+)">chat</a>', of_turn)[1])
    assert client.get(back).status_code == 200 and back.endswith("#turn-4")
    assert 'place of the quote: <a href="#turn-3">tool result, turn 3</a>' in of_turn


def test_a_turn_without_its_conversation_says_so(view_site, tmp_path):
    run = write_run(tmp_path / ".assay", turn_samples(make_conversation()))
    with enter(view_site(tmp_path)) as client:
        page = page_text(show(client, run, "chat#6"))
        assert "The answer in turn 6 of the conversation chat, which this run does not have as a whole" in page


def test_lists_say_how_long_a_conversation_is(client, site):
    rows = re.findall(r"<tr>\s*<th scope.*?</tr>", client.get(f"/run/{site[1]}").text, re.DOTALL)
    marks = {page_text(row).split()[0]: "conversation, 2 turns" in page_text(row) for row in rows}
    assert marks == {"chat": True, "chat#4": False, "chat#6": False, "plain": False}


def test_a_comparison_shows_the_turns_that_differ(client, site):
    """Both last answers are the same; the message in turn 4 is another."""
    _, first, second = site
    page = client.get("/compare/figures", params={"a": first, "b": second}).text
    shown = page_text(page)
    assert "4 answers in both; 3 with another text in B." in shown  # the conversation, and the turns from that on
    assert "[conversation, 2 turns] I want my money back." in shown
    assert "Of each conversation what the chatbot said." in shown
    assert "<del>" in page and "nothing" in page


def test_the_rating_of_a_turn_stands_on_the_page_of_its_conversation(client, site):
    store = Store(site[0].folder / ".assay")
    turn = turn_samples(make_conversation())[0]
    rated_queue(store, [turn], {"chat#4": 2})
    store.close()
    assert "of chat#4" in page_text(show(client, site[1], "chat"))


def test_a_tool_result_of_five_megabytes_is_cut_and_says_so(view_site, tmp_path):
    result = json.dumps([{"row": row, "text": "x" * 60} for row in range(60_000)])
    messages = [dict(message) for message in MESSAGES]
    messages[3]["content"] = result
    messages[2]["tool_calls"] = [
        {"id": "c1", "function": {"name": "n" * 10_000, "arguments": json.dumps({"q": "y" * 5_000_000})}}
    ]
    run = write_run(tmp_path / ".assay", [make_conversation(messages=messages)])
    with enter(view_site(tmp_path)) as client:
        page = show(client, run, "chat")
        assert len(page) < 60_000
        assert f"Characters not shown: {len(result) - 5000:,}" in turn_of(page, 3)
        assert "Characters not shown: 4,995,009" in turn_of(page, 2)
        assert "It takes 5 days." in turn_of(page, 6)


def test_a_result_is_that_of_the_last_call_before_it_with_its_id(view_site, tmp_path):
    """Agents that count their calls anew in each turn use one id twice."""
    messages = [{"role": "user", "content": "Free?"}]
    for name in ("first_tool", "second_tool"):
        call = {"id": "call_0", "function": {"name": name, "arguments": "{}"}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": "call_0", "content": "3"})
    run = write_run(
        tmp_path / ".assay", [Sample(id="c", messages=[*messages, {"role": "assistant", "content": "Yes."}])]
    )
    with enter(view_site(tmp_path)) as client:
        page = show(client, run, "c")
        assert "Result of first_tool" in turn_of(page, 2) and "Result of second_tool" in turn_of(page, 4)


CLAIM = {"text": "It is free.", "verdict": "supported", "quote": "lamps are free", "place": None}
SAMPLE = Sample(id="s", user_input="Is it free?", response="It is free.", retrieved_contexts=("All lamps are free.",))


def quote_of(claim):
    """Where the page marks the quote: the context, the first and the last+1 character."""
    answer = view_answer(SAMPLE, [("faithfulness", Score(1.0, "scored", "", {"claims": [claim]}))])
    return answer["metrics"][0]["claims"][0].quote


def test_only_a_quote_without_a_named_document_is_searched_in_the_contexts():
    """Before `lamps are free` stand the four characters of `All `; the quote has fourteen."""
    assert quote_of(CLAIM) == (0, 4, 18)
    assert quote_of(CLAIM | {"document": {"kind": "customer", "turn": 3}}) is None
    assert quote_of(CLAIM | {"document": "handbook.pdf"}) == (0, 4, 18)  # of a metric of one's own


@pytest.mark.parametrize("place", [(1, 0, 5), (-1, 0, 5), (0, 0, 20), (0, 5, 5), (0, -3, 5)])
def test_a_place_that_the_contexts_do_not_have_marks_nothing(place):
    """There is one context, of 19 characters."""
    context, start, end = place
    assert quote_of(CLAIM | {"place": {"context": context, "start": start, "end": end}}) is None


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"document": {"kind": "tool result", "turn": 5}}, "tool result, turn 5"),
        ({"document": {"kind": "table", "turn": None}}, "table"),
        (
            {"place": {"context": 0, "start": 4, "end": 18}, "document": {"kind": "context", "turn": 6}},
            "context 0, 4-18",
        ),
        ({}, "not in the context"),
        ({"document": {"kind": "<b>x</b>", "turn": 5}}, "<b>x</b>, turn 5"),
        ({"document": {"kind": "customer", "turn": True}}, "the customer"),
        ({"document": {"kind": " ", "turn": 1}}, "not in the context"),
        ({"document": {"kind": 1}, "place": {"context": "0"}}, "not in the context"),
    ],
)
def test_a_page_that_is_a_file_says_the_place_in_words(more, words):
    macros = template_environment().get_template("evidence.html").module
    page = str(macros.evidence_of("claims", [CLAIM | more]))
    assert "<b>" not in page
    text = " ".join(html.unescape(re.sub("<[^>]+>", " ", page)).split())
    assert text.endswith(f"place of the quote: {words}")


def test_a_turn_is_linked_where_the_thread_has_it():
    macros = template_environment().get_template("evidence.html").module
    urls = {3: "#turn-3"}

    def page(turn):
        claim = CLAIM | {"document": {"kind": "tool result", "turn": turn}}
        return str(macros.evidence_of("claims", [claim], lambda turn: urls.get(turn, "")))

    assert '<a href="#turn-3">tool result, turn 3</a>' in page(3)
    assert "<a" not in page(99) + page(True) + page("3") + page(None)
