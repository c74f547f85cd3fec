"""`assay judges compare` and `assay judges card`: from the bundled recordings, and with judges at a server."""

import json
import re
from pathlib import Path

import pytest
from noted_sets import write_rows
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

REPLAY = ["judges", "card", "qwen1.5b", "--on", "helpdesk_en", "--cassette", "bundled:helpdesk.{judge}"]
REPLAY += ["--mode", "replay"]


def test_a_card_is_a_page_without_script_and_network(assay):
    assert assay(*REPLAY, "--most", "10", "-o", "card.html").code == 0
    page = Path("card.html").read_text(encoding="utf-8")
    assert "<title>Assay: a judge&#39;s card</title>" in page or "<title>Assay: a judge's card</title>" in page
    assert "<script" not in page and "http" not in page.replace("http-equiv", "")


def test_a_card_from_a_server_and_from_what_was_recorded(assay, set_file, judge_file, openai_server):
    """Six answers: one call each, and six asked again; courtesies and instructions claim nothing, and ask nothing."""
    judge = judge_file("mini.yaml", price={"input": 1.0, "output": 2.0})
    words = ["judges", "card", judge, "--on", set_file(), "--json"]
    (card,) = assay(*words, "--budget-usd", "2").json["sets"]
    asked = len(openai_server.requests)
    assert asked == 12
    assert (card["set_name"], card["scored"], card["failed"]) == ("set.jsonl", 6, 0)
    assert card["flips"]["value"] == 0 and card["flips"]["n"] == 12
    assert card["cost"]["requests"] == 1000 and card["cost"]["usd"] > 0
    assert assay(*words).code == 0
    assert len(openai_server.requests) == asked


@pytest.mark.parametrize("usage", [None, (-1, 10**18)], ids=["none", "absurd"])
def test_without_a_stated_usage_the_cost_is_a_bound_and_says_so(assay, set_file, judge_file, openai_server, usage):
    """Each of the six replies counts with the most that it may have taken, live and from the recordings."""
    openai_server.script = lambda _: Answer(usage=usage)
    judge = judge_file("mini.yaml", price={"input": 1.0, "output": 2.0})
    words = ["judges", "card", judge, "--on", set_file(), "--probed", "0", "--budget-usd", "9"]
    (card,) = assay(*words, "--json").json["sets"]
    assert assay(*words, "--mode", "replay", "-o", "card.html").code == 0
    assert card["cost"]["is_at_most"] and card["cost"]["usd"] > 0
    assert ">at most " in Path("card.html").read_text(encoding="utf-8")
    assert len(openai_server.requests) == 6
    told = assay("run", set_file(), "--judge", judge, "--metrics", "faithfulness")
    assert re.search(r"at most [\d,]+ tokens; cost at most ", " ".join(told.out.split()))


def test_the_budget_ends_it_and_the_same_command_goes_on(assay, set_file, judge_file, openai_server):
    words = ["judges", "card", judge_file("mini.yaml"), "--on", set_file(), "--probed", "0", "-o", "card.html"]
    done = assay(*words, "--budget", "4calls", code=3)
    assert "all replies are kept: the same command goes on with them" in done.err
    assert "`results`" not in done.err, "nobody at a command line has the error's attributes"
    assert len(openai_server.requests) == 4 and not Path("card.html").exists()
    (card,) = assay(*words, "--budget", "4calls", "--json").json["sets"]
    assert len(openai_server.requests) == 6 and Path("card.html").exists()
    assert card["flips"]["problem"] == "not asked (--probed; answers alone)"


def test_what_is_recorded_in_part_has_a_card_of_that_part(assay, set_file, judge_file, openai_server):
    words = ["judges", "card", judge_file("mini.yaml"), "--on", set_file(), "--probed", "0", "-o", "card.html"]
    assert assay(*words, "--budget", "5calls").code == 3
    done = assay(*words, "--mode", "replay", "--probed", "2", "--json", code=0)
    assert "mini on set.jsonl failed on 1 of 6; the first: no recording in " in done.err
    (card,) = done.json["sets"]
    assert (card["scored"], card["failed"], card["judge"]["spearman"]["n"]) == (5, 1, 5)
    assert len(openai_server.requests) == 5


def test_a_set_without_ratings_is_not_paid_for(assay, set_file, judge_file, openai_server):
    """Nothing is asked about a set without any rating; of one that is rated in part the rated answers alone."""
    unrated = set_file(name="unrated.jsonl", rating=None)
    words = ["judges", "card", judge_file("mini.yaml"), "--probed", "0", "--json"]
    done = assay(*words, "--on", unrated, code=2)
    told = "unrated.jsonl: 6 answers and no rating, so that nothing can be said of a judge; rate"
    assert told in " ".join(done.err.split()) and openai_server.requests == []
    rows = [json.loads(line) for line in Path(unrated).read_text(encoding="utf-8").splitlines()]
    rows[0]["rating"] = rows[1]["rating"] = 4
    write_rows(Path(unrated), rows)
    done = assay(*words, "--on", unrated)
    assert len(openai_server.requests) == 2
    (card,) = done.json["sets"]
    assert (card["answers"], card["unrated"], card["scored"]) == (2, 4, 2)


def test_conversations(assay, judge_file, openai_server):
    """Three conversations: none is asked again or changed by a probe."""
    talk = [{"role": "user", "content": "Where is my order?"}, {"role": "assistant", "content": "It is on its way."}]
    row = {"messages": talk, "rating": 1, "rating_min": 0, "rating_max": 1, "language": "en"}
    talks = Path("talks.jsonl")
    talks.write_text("".join(json.dumps({"id": f"c{n}", **row}) + "\n" for n in range(3)), encoding="utf-8")

    def script(request: Request) -> Answer | None:
        wants = json.dumps({"requests": ["Where the order is"]})
        return Answer(text=wants) if request.schema == "Requests" else None

    openai_server.script = script
    words = ["judges", "card", judge_file("mini.yaml"), "--on", talks, "--json"]
    done = assay(*words)
    (of_talks,) = done.json["sets"]
    assert (of_talks["metric"], of_talks["answers"], of_talks["failed"]) == ("resolved", 3, 0)
    assert "conversation_turns" in [one["name"] for one in of_talks["baselines"]]
    assert of_talks["difference"]["problem"] == "token_overlap scores none of these answers"
    asked = len(openai_server.requests)
    again = assay(*words, "--mode", "replay").json["sets"]
    for one in (*again, of_talks):
        del one["cost"]["seconds"]  # recordings round them
    assert again == [of_talks]
    assert len(openai_server.requests) == asked


@pytest.fixture
def yes_sayer(openai_server: OpenAIServer) -> OpenAIServer:
    """The model `openai/yes` calls everything supported; the other judges sensibly."""

    def script(request: Request) -> Answer | None:
        if request.body["model"] != "yes" or request.schema != "ListedAnswers":
            return None
        reply = json.loads(sensible_reply(request.body)[0])
        return Answer(text=json.dumps(dict.fromkeys(reply, "Yes")))

    openai_server.script = script
    return openai_server


def test_two_judges(assay, set_file, judge_file, yes_sayer):
    """Six samples; two of them name flowers, which only the sensible judge does not find."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("sensible.yaml")]
    words += ["--judge", judge_file("yes.yaml", model="openai/yes"), "--metric", "faithfulness"]
    report = assay(*words, "--json").json
    assert [each["judge"] for each in report["judges"]] == ["sensible", "yes"]
    assert [each["samples"] for each in report["judges"]] == [6, 6]
    assert all(each["cost"]["usd"] is None and each["cost"]["tokens_in"] > 0 for each in report["judges"])
    assert report["decision"] is None, "all that yes says is 1"
    request_count = len(yes_sayer.requests)
    assert request_count == 12
    plain = assay(*words, "--report", "judges.html")
    assert "The whole report: judges.html" in plain.out
    assert "<title>Assay: judges compared</title>" in Path("judges.html").read_text(encoding="utf-8")
    assert len(yes_sayer.requests) == request_count, "the second time all is replayed"
    last = "Not settled: no agreement with ratings can be compared with that of sensible."
    assert plain.out.splitlines()[-2] == last
    for text in ("Judges by faithfulness", "sensible", "unknown"):
        assert text in plain.out


def test_a_judge_that_is_not_recorded_fails_and_says_so(assay, set_file, judge_file):
    """Only the first judge's replies are in the one cassette that both are read from."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("a.yaml"), "--cassette", "kept.jsonl", "--judge"]
    assert assay(*words, judge_file("b.yaml")).code == 0
    words += [judge_file("other.yaml", model="openai/other"), "--mode", "replay"]
    done = assay(*words, code=4)
    assert "other failed on 6 of 6 samples; 0 allowed (--max-failed). The first: no recording in kept.jsonl" in done.err
    assert assay(*words, "--max-failed", "6").code == 0


def test_a_repeat_is_asked_anew_also_where_the_settings_have_that_seed(assay, set_file, judge_file, openai_server):
    """The bundled judges have seed 1: a first repeat with seed 1 would be answered by the first reply's recording."""
    judge = judge_file("a.yaml", parameters={"seed": 1})
    (card,) = assay("judges", "card", judge, "--on", set_file(), "--json").json["sets"]
    assert card["flips"]["value"] == 0
    assert len(openai_server.requests) == 6 * 2
    assert sorted({request.body["seed"] for request in openai_server.requests}) == [1, 2]


def test_the_budget_is_of_all_judges_and_what_was_asked_is_kept(assay, set_file, judge_file, openai_server):
    """Two judges ask six questions each; eight calls end it within the second, and the next session asks four."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("a.yaml")]
    words += ["--judge", judge_file("b.yaml", model="openai/b"), "--budget", "8calls"]
    assert "all replies are kept: the same command goes on with them" in assay(*words, code=3).err
    assert len(openai_server.requests) == 8
    openai_server.forget()
    assert assay(*words).code == 0
    assert len(openai_server.requests) == 4


def test_replies_that_cannot_be_used_are_counted_live_and_in_replay(assay, set_file, judge_file, openai_server):
    """Six questions each. `stammer` says nonsense first to s1, s2 and s3, and to s5 for good: 4 of 6, and s5 fails."""

    def script(request: Request) -> Answer | None:
        named = next(number for number in range(6) if f"menu {number}." in request.user)
        asked_again = request.body["messages"][-1]["content"] != request.user
        nonsense = request.body["model"] == "stammer" and (named == 5 or (named in {1, 2, 3} and not asked_again))
        return Answer(text="Well,") if nonsense else None

    openai_server.script = script
    judges = [judge_file("plain.yaml"), judge_file("stammer.yaml", model="openai/stammer")]
    for mode in ("auto", "replay"):
        words = ["--on", set_file(), "--probed", "0", "--mode", mode, "--json"]
        cards = [assay("judges", "card", judge, *words).json["sets"][0] for judge in judges]
        assert [(card["unparsable"]["value"], card["failed"]) for card in cards] == [(0, 0), (4 / 6, 1)]
    assert len(openai_server.requests) == 6 + 6 + 4
