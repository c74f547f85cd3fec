"""`assay judges compare`: typed, with two judges at a server that differ."""

import json
from pathlib import Path

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request


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
    """Six samples; two of them name flowers, which only the sensible judge does not find: 10 of 12 claims alike."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("sensible.yaml")]
    words += ["--judge", judge_file("yes.yaml", model="openai/yes"), "--metric", "faithfulness"]
    report = assay(*words, "--json").json
    assert [each["judge"] for each in report["judges"]] == ["sensible", "yes"]
    assert [each["samples"] for each in report["judges"]] == [6, 6]
    assert report["claims"]["claims"] == 12
    assert report["pairs"][0]["first"] == "sensible" and report["pairs"][0]["problem"]
    assert all(each["usd"] is None and each["tokens"] > 0 for each in report["judges"])
    assert report["decision"] is None, "all that yes says is 1"
    request_count = len(yes_sayer.requests)
    assert request_count == 12
    plain = assay(*words, "--report", "judges.html")
    assert "The whole report: judges.html" in plain.out
    assert "<title>Assay: judges compared</title>" in Path("judges.html").read_text(encoding="utf-8")
    assert len(yes_sayer.requests) == request_count, "the second time all is replayed"
    last = "Not settled: no agreement with ratings can be compared with that of sensible."
    assert plain.out.splitlines()[-2] == last
    for text in ("Judges by faithfulness", "sensible", "unknown", "12 claims that all judged", "panel, majority"):
        assert text in plain.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--judge", "openai/a"], "name two judges or more"),
        (["--judge", "openai/a", "--judge", "openai/a"], "name two judges or more"),
        (["--judge", "qwen1.5b", "--judge", "nobody"], "no judge is called 'nobody'"),
        (["--judge", "a/one.yaml", "--judge", "b/one.yaml"], "a/one.yaml and b/one.yaml would both be called one"),
        (["--judge", "openai/a", "--judge", "openai/b", "--metric", "faithfulnes"], "did you mean faithfulness"),
        (["--judge", "openai/a", "--judge", "openai/b", "--metric", "token_overlap"], "token_overlap asks no judge"),
        (["--judge", "openai/a", "--judge", "openai/b", "--store", "postgresql://nobody@127.0.0.1:1/x"], "--cassette"),
    ],
)
def test_wrongly_typed(*, assay, set_file, openai_server, words, message):
    done = assay("judges", "compare", set_file(), *words)
    assert done.code == 2
    assert message in done.err
    assert openai_server.requests == []


def test_a_judge_that_is_not_recorded_fails_and_says_so(assay, set_file, judge_file):
    """Only the first judge's replies are in the one cassette that both are read from."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("a.yaml"), "--cassette", "kept.jsonl", "--judge"]
    assert assay(*words, judge_file("b.yaml")).code == 0
    words += [judge_file("other.yaml", model="openai/other"), "--mode", "replay"]
    done = assay(*words)
    assert done.code == 4
    assert "other failed on 6 of 6 samples; 0 allowed (--max-failed). The first: no recording in kept.jsonl" in done.err
    assert assay(*words, "--max-failed", "6").code == 0


def test_a_repeat_is_asked_anew_also_where_the_settings_have_that_seed(assay, set_file, judge_file, openai_server):
    """The bundled judges have seed 1: a first repeat with seed 1 would be answered by the first reply's recording."""
    judges = [judge_file(f"{name}.yaml", model=f"openai/{name}", parameters={"seed": 1}) for name in ("a", "b")]
    words = ["judges", "compare", set_file(), "--judge", judges[0], "--judge", judges[1], "--repeats", "2", "--json"]
    report = assay(*words).json
    assert [each["consistency"] for each in report["judges"]] == [1.0, 1.0]
    assert len(openai_server.requests) == 6 * 2 * 3
    assert sorted({request.body["seed"] for request in openai_server.requests}) == [1, 2, 3]


def test_the_budget_is_of_all_judges_and_what_was_asked_is_kept(assay, set_file, judge_file, openai_server):
    """Two judges ask six questions each; eight calls end it within the second, and the next session asks four."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("a.yaml")]
    words += ["--judge", judge_file("b.yaml", model="openai/b"), "--budget-calls", "8"]
    done = assay(*words)
    assert done.code == 3
    assert "all replies are kept: the same command goes on with them" in done.err
    assert len(openai_server.requests) == 8
    openai_server.forget()
    assert assay(*words).code == 0
    assert len(openai_server.requests) == 4


def test_replies_that_cannot_be_used_are_counted_live_and_in_replay(assay, set_file, judge_file, openai_server):
    """Six questions each. `stammer` says nonsense first to s1, s2 and s3, and to s5 for good: 4 of 6, 1 of 6 lost."""

    def script(request: Request) -> Answer | None:
        named = next(number for number in range(6) if f"menu {number}." in request.user)
        asked_again = request.body["messages"][-1]["content"] != request.user
        nonsense = request.body["model"] == "stammer" and (named == 5 or (named in {1, 2, 3} and not asked_again))
        return Answer(text="Well,") if nonsense else None

    openai_server.script = script
    words = ["judges", "compare", set_file(), "--judge", judge_file("plain.yaml")]
    words += ["--judge", judge_file("stammer.yaml", model="openai/stammer"), "--max-failed", "1", "--mode"]
    for mode in ("auto", "replay"):
        report = assay(*words, mode, "--json").json["judges"]
        assert [(each["unparsable"], each["lost"]) for each in report] == [(0, 0), (4 / 6, 1 / 6)], mode
    assert len(openai_server.requests) == 6 + 6 + 4
    assert "66.7% (16.7% lost)" in assay(*words, "replay", "--report", "judges.html", "--wide").out
    assert "66.7% (16.7% lost)" in Path("judges.html").read_text(encoding="utf-8")
