"""`assay suite` and `assay suite accept`, as people and cron type them; a saved scorer is gated as any metric."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml
from markdown_it import MarkdownIt
from noted_sets import write_rows
from openai_server import Answer
from tables_of_scores import made_scorer

HOSTILE = "<script>alert(1)</script> Ask @admin, see #12 and [x](http://evil.example) | `y`\u202e ]]> *now*"
OUTPUTS = {"junit": "out/junit.xml", "summary": "out/summary.md", "json": "out/report.json", "site": "out/site"}


@pytest.fixture
def suite_file(tmp_path):
    """Writes a suite of set.jsonl, measured without a judge unless one is named."""

    def write(*gates, **keys):
        content = {"name": "helpdesk", "sets": ["set.jsonl"], "metrics": ["token_overlap"], "outputs": OUTPUTS}
        path = tmp_path / "nightly.yaml"
        path.write_text(json.dumps(content | {"gates": list(gates)} | keys), encoding="utf-8")  # JSON is YAML
        return path

    return write


def worse(path, *names, answer=HOSTILE):
    """The set with another answer for some samples."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["id"] in names:
            row["response"] = answer
    write_rows(path, rows)


def accept_a_night(assay, suite):
    """Runs a suite and accepts what it found."""
    assay("suite", suite, code=0)
    assay("suite", "accept", "last", code=0)


REGRESSION = {"gate": "regression", "metric": "token_overlap"}
SHARE = {"gate": "share", "metric": "token_overlap", "reach": 0.5, "at_least": 0.9}


@pytest.mark.parametrize(("words", "at_least", "code"), [((), 0.1, 0), (["--json"], 1, 5)])
def test_a_reader_that_goes_away_changes_no_exit_code(*, suite_file, set_file, tmp_path, words, at_least, code):
    """`assay suite nightly.yaml -q | head -1`: the mean is between .1 and 1."""
    set_file(12)
    suite = suite_file({"gate": "mean", "metric": "token_overlap", "at_least": at_least, "strict": True})
    read, write = os.pipe()  # that nobody reads
    os.close(read)
    code_of_assay = "import os, sys; os.dup2(int(sys.argv.pop()), 1); from assay.cli import main; main()"
    command = [sys.executable, "-c", code_of_assay, "suite", suite, "-q", *words, str(write)]
    done = subprocess.run(command, cwd=tmp_path, pass_fds=[write], stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (code, b"")


def test_nightly_runs_until_one_fails(assay, suite_file, set_file, tmp_path):
    path = set_file(12)
    first = assay("suite", suite_file(REGRESSION, SHARE), "--json")
    assert (first.code, first.json["verdict"], first.err) == (0, "passed", "")
    assert [gate["state"] for gate in first.json["gates"]] == ["no baseline", "passed", "no baseline"]
    run = first.json["runs"][0]["run"]
    accepted = assay("suite", "accept", "last", "--json").json
    assert accepted == {"suite": "helpdesk", "judge": "no judge", "run": run, "runs": [run]}

    same = assay("suite", suite_file(REGRESSION, SHARE), "--json")
    assert (same.code, same.json["gates"][0]["state"], same.json["gates"][0]["value"]) == (0, "passed", 0.0)
    assert same.json["runs"][0]["compared_with"] == run

    worse(path, *(f"s{n}" for n in range(8)))
    bad = assay("suite", suite_file(REGRESSION, SHARE), "--json")
    assert (bad.code, bad.json["exit_code"], bad.json["verdict"]) == (5, 5, "gate failed")
    assert [gate["state"] for gate in bad.json["gates"]] == ["failed", "failed", "passed"]
    failing = bad.json["runs"][0]["newly_failing"]
    assert [(each["sample"], each["metric"]) for each in failing] == [(f"s{n}", "token_overlap") for n in range(8)]
    assert bad.json["runs"][0]["answers_changed"] == 8
    written = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))
    assert written == {name: value for name, value in bad.json.items() if name != "exit_code"}

    fourth = assay("suite", suite_file(REGRESSION), code=5)  # a failed run is not what the next is compared with
    assert "failed      regression: token_overlap is lower by" in fourth.out
    said = " ".join(fourth.out.split())
    names = said.partition("; fell most: ")[2].partition(" and 3 more")[0].split(", ")
    assert len(names) == 5 and {*names} < {f"s{n}" for n in range(8)}
    fell = f"0 of 12 refuse or have no score; a fall of token_overlap in 8, most in {', '.join(names[:3])} "
    assert fell in said  # no answer but these changed
    accepted = assay("suite", "accept", "last", code=0).err
    assert "it failed: regression of token_overlap; accepted all the same" in accepted
    assert "To see what changed: assay show changes " + run in said
    assert "If the change is meant" in said
    assert f"compared with {run}" in fourth.out
    assert len(list((tmp_path / "out/site").glob("night*-*.html"))) == 4


def test_a_night_of_refusals_names_these_first(assay, suite_file, set_file):
    """Eight of twelve answers became refusals, which share few words with the documentation too; one has none left."""
    path = set_file(12)
    accept_a_night(assay, suite_file(REGRESSION))
    worse(path, *(f"s{n}" for n in range(8)), answer="I am sorry, I cannot help you with that.")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_rows(path, [row | {"retrieved_contexts": []} if row["id"] == "s8" else row for row in rows])
    bad = assay("suite", suite_file(REGRESSION), "--json").json
    assert [gate["state"] for gate in bad["gates"]] == ["failed", "failed"]
    assert bad["verdict_lines"]["Suite"] == "helpdesk: failed by refusals and empty answers and 1 more gate"
    (unanswered,) = (gate for gate in bad["gates"] if gate["metric"] == "unanswered")
    assert "s0, s1, s2, s3, s4 and 3 more" in unanswered["reason"]
    assert unanswered["samples"] == [f"s{n}" for n in range(8)]
    said = "9 of 12 samples refuse or have no score, compared with the accepted run"
    assert bad["verdict_lines"]["Newly failing"] == said
    assert [each["sample"] for each in bad["runs"][0]["newly_failing"]] == [f"s{n}" for n in range(9)]


def test_a_set_whose_ids_were_renamed_is_compared_by_its_questions(assay, suite_file, set_file):
    """The gate pairs the samples as `show changes` does: the same answers are no fall, and worse ones are."""
    path = set_file(12)
    accept_a_night(assay, suite_file(REGRESSION))
    path.write_text(path.read_text(encoding="utf-8").replace('"id": "s', '"id": "renamed-'), encoding="utf-8")
    same = assay("suite", suite_file(REGRESSION), "--json").json
    assert (same["gates"][0]["state"], same["gates"][0]["value"]) == ("passed", 0.0)
    assert "12 paired samples" in same["gates"][0]["reason"]
    worse(path, *(f"renamed-{n}" for n in range(8)))
    bad = assay("suite", suite_file(REGRESSION), "--json", code=5).json
    assert bad["gates"][0]["state"] == "failed" and len(bad["runs"][0]["changed"]) == 8


def test_junit_says_which_gate_failed(assay, suite_file, set_file, tmp_path):
    worse(set_file(3), "s0", "s1", "s2", answer="\x07 bell and \ufffe")
    assert assay("suite", suite_file(SHARE, REGRESSION, {"gate": "coverage", "at_least": 1.0})).code == 5
    (suite,) = JUnitXml.fromfile(str(tmp_path / "out/junit.xml"))
    cases = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert cases == {
        "the nightly run finished": [],
        "share of token_overlap, reaching 0.5, at least 0.9": ["Failure"],
        "regression of token_overlap": ["Skipped"],
        "coverage of token_overlap, at least 1": [],
        "regression of unanswered": ["Skipped"],
    }
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (5, 1, 2, 0)


def test_a_figure_that_noise_brings_below_its_bound_is_not_settled_in_every_list(assay, suite_file, set_file, tmp_path):
    """One of three answers shares no word with its context: the mean is a third or more below that of the others."""
    worse(set_file(3), "s0", answer="Bananas.")
    done = assay("suite", suite_file({"gate": "mean", "metric": "token_overlap", "at_least": 0.9}), code=0)
    assert "helpdesk: passed; 0 of 2 gates hold, the rest decide nothing yet" in done.out
    assert "\nnot settled mean: " in done.out and "\npassed" not in done.out
    written = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))
    assert [gate["state"] for gate in written["gates"]] == ["not settled", "no baseline"]
    (junit,) = JUnitXml.fromfile(str(tmp_path / "out/junit.xml"))
    assert (junit.tests, junit.skipped, junit.failures) == (3, 2, 0)
    assert "| ➖ | mean of token" in (tmp_path / "out/summary.md").read_text(encoding="utf-8")
    assert "(not settled)" in (tmp_path / "out/site/index.html").read_text(encoding="utf-8")


def test_hostile_text_does_nothing(assay, suite_file, set_file, tmp_path):
    path = set_file(12, message_type=HOSTILE, user_input=HOSTILE)
    assay("suite", suite_file(SHARE, name="n <b> & @all"))
    worse(path, "s0")
    assay("suite", suite_file(SHARE, name="n <b> & @all"), code=0)
    summary = (tmp_path / "out/summary.md").read_text(encoding="utf-8")
    assert "://" not in summary  # GitHub would make a link of it
    html = MarkdownIt("commonmark").enable("table").render(summary)
    text = "".join(re.findall(r">([^<]*)", html))
    tags = {"h3", "p", "ul", "li", "strong", "code", "table", "thead", "tbody", "tr", "th", "td"}
    assert set(re.findall(r"<(\w+)", html)) <= tags
    assert "Ask @\N{WORD JOINER}admin, see #\N{WORD JOINER}12 and [x](http://evil.example) | `y`" in text
    assert not re.search(r"@\w|#\d", text)  # which GitHub would link in the rendered text
    for page in (tmp_path / "out/site").glob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "\u202e" not in text
        assert not re.search(r"(?:src|href)=[\"'](?!night[a-z]*-|index\.html)", text)  # no page needs another place
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "out/site").glob("night*-*.html")]
    assert sum("&lt;script&gt;alert(1)" in page for page in pages) == 1


def test_a_nightly_run_with_two_judges(*, assay, suite_file, set_file, judge_file, openai_server, tmp_path):
    set_file(6)
    judge_file("one.yaml", price={"input": 1.0, "output": 1.0}, served_as="one")
    judge_file("two.yaml", price={"input": 1.0, "output": 1.0}, served_as="two")
    keys = {
        "metrics": ["faithfulness:claims=judge"],
        "judges": ["two.yaml", "one.yaml"],  # as the report lists them
        "cassette": "replies.{judge}.jsonl",
    }
    good = {"gate": "mean", "metric": "faithfulness:claims=judge", "at_least": 0.9, "strict": True}
    live = assay("suite", suite_file(good, **keys), "--json")
    states = [gate["state"] for gate in live.json["gates"]]
    assert (live.code, states) == (5, ["failed", "failed", "no baseline", "no baseline"])
    assert live.json["spent"]["calls"] == len(openai_server.requests) == 24
    tokens = live.json["spent"]["tokens"]
    assert live.json["spent"]["usd"] == pytest.approx(tokens / 1e6)
    assert [run["judge"] for run in live.json["runs"]] == ["two.yaml", "one.yaml"]
    # the bundled set's flowers: 2 of 6 samples have 1 of 2 claims
    assert [run["metrics"][0]["mean"] for run in live.json["runs"]] == [pytest.approx(5 / 6)] * 2
    replayed = assay("suite", suite_file(**keys), "--json")
    nothing = {"calls": 0, "tokens": 0, "usd": 0.0}
    assert (replayed.code, replayed.json["spent"]) == (0, {**nothing, "lost": nothing})
    accepted = [assay("suite", "accept", run["run"], "--json").json["judge"] for run in replayed.json["runs"]]
    assert accepted == ["two", "one"]
    assert {path.name for path in tmp_path.glob("replies.*")} == {"replies.one.jsonl", "replies.two.jsonl"}
    judge_file("three.yaml", served_as="three")
    alone = assay("suite", suite_file(**keys | {"judges": ["three.yaml"]}), "--json", code=0).json["nightly_run"]
    listed = re.findall(r'href="(nightly-.*?)\.html"', (tmp_path / "out/site/index.html").read_text("utf-8"))
    assert listed == [alone], "the history is of the suite's own judges"


def test_commands_to_copy_name_the_store_and_quote_what_a_shell_would_split(assay, suite_file, set_file):
    set_file(3)
    typed = assay("suite", suite_file(REGRESSION), "--store", "my runs", "--json").json
    assert typed["accept"] == f"assay suite accept --store 'my runs' {typed['runs'][0]['run']}"
    own = assay("suite", suite_file(REGRESSION, store="kept"), "--json").json
    assert own["accept"] == f"assay suite accept --store kept {own['runs'][0]['run']}"
    plain = assay("suite", suite_file(REGRESSION), "--json").json
    assert plain["accept"] == f"assay suite accept {plain['runs'][0]['run']}"


def test_a_suite_has_one_history_from_whatever_folder_it_is_run(*, assay, suite_file, set_file, tmp_path, monkeypatch):
    """Accepted beside the file, then run from another folder with worse answers: it is compared, and fails."""
    path = set_file(12)
    suite_file(REGRESSION)
    accept_a_night(assay, "nightly.yaml")
    worse(path, *(f"s{n}" for n in range(12)))
    (tmp_path / "ci").mkdir()
    monkeypatch.chdir(tmp_path / "ci")
    assert assay("suite", "../nightly.yaml", "--check", "--json").json["kept"]["store"] == f"{tmp_path}/.assay"
    bad = assay("suite", "../nightly.yaml", "--json", code=5)
    assert (bad.json["gates"][0]["state"], bad.err) == ("failed", "")
    run = bad.json["runs"][0]["run"]
    assert bad.json["accept"] == f"assay suite accept --store {tmp_path}/.assay {run}"
    assert assay(*bad.json["accept"].split()[1:], "--json", code=0).json["run"] == run
    assert not (tmp_path / "ci/.assay").exists()
    typed = assay("suite", "../nightly.yaml", "--store", "other", "--json", code=0).json
    assert typed["gates"][0]["state"] == "no baseline"


def test_the_last_run_of_a_suite_is_its_own(assay, suite_file, set_file, tmp_path, monkeypatch):
    """Two suites have one store: named by its file, a suite's own two runs are accepted, from another folder too."""
    set_file(3)
    ours = [assay("suite", suite_file(REGRESSION), "--json", code=0).json["runs"][0]["run"] for _ in range(2)]
    sales = suite_file(REGRESSION, name="sales").rename(tmp_path / "sales.yaml")
    theirs = assay("suite", sales, "--json", code=0).json["runs"][0]["run"]
    (tmp_path / "ci").mkdir()
    monkeypatch.chdir(tmp_path / "ci")
    suite = suite_file(REGRESSION)
    assert assay("suite", "accept", suite, "last", "last~1", "--json", code=0).json["runs"] == ours
    assert assay("suite", "accept", suite, "--json", code=0).json["runs"] == ours[1:]  # it replaces the two
    assert f"run {theirs} is of the suite sales, not of helpdesk" in assay("suite", "accept", suite, theirs, code=2).err
    assert "no run is called 'last~2' of the suite helpdesk" in assay("suite", "accept", suite, "last~2", code=2).err


def test_the_reports_of_a_night_that_has_ended_are_written_again(assay, suite_file, set_file, tmp_path):
    """`assay suite FILE || assay suite FILE --resume`: the gate that failed fails again, and no file is another."""
    path = set_file(12)
    none = assay("suite", suite_file(), "--resume")
    assert (none.code, "no nightly run to resume" in none.err) == (2, True)
    assert not (tmp_path / "out").exists()
    assay("suite", suite_file())
    ended = assay("suite", suite_file(), "--resume")
    assert (ended.code, "had ended (passed); its reports are written again" in ended.err) == (0, True)
    worse(path, *(f"s{n}" for n in range(12)))
    assay("suite", suite_file(SHARE), code=5)
    written = {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()}
    assert "failed by the share of token_overlap" in (tmp_path / "out/summary.md").read_text("utf-8").replace("\\", "")
    (tmp_path / "out/report.json").unlink()
    ended = assay("suite", suite_file(SHARE), "--resume")
    assert (ended.code, "had ended (gate failed); its reports are written again" in ended.err) == (5, True)
    assert {file: file.read_bytes() for file in (tmp_path / "out").rglob("*") if file.is_file()} == written


def test_samples_that_are_gone_or_new_are_said_first(assay, suite_file, set_file):
    """Half of the accepted samples gone is another set; six new questions are compared with nothing."""
    path = set_file(12)
    accept_a_night(assay, suite_file(REGRESSION))
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    new = [row | {"id": f"n{n}", "user_input": f"New {n}?", "response": "Wrong."} for n, row in enumerate(rows[:6])]

    def night(*rows, code):
        write_rows(path, rows)
        return assay("suite", suite_file(REGRESSION), "--json", code=code).json

    gone = night(*rows[:6], code=5)
    assert gone["verdict_lines"]["Missing"] == "6 of 12 accepted samples are not in it"
    assert "Missing" in night(*rows[:7], code=0)["verdict_lines"]
    added = night(*rows, *new, code=0)
    assert added["verdict_lines"]["New"] == "6 samples are new and not compared"
    new[0]["response"], new[1]["response"] = "", "I am sorry, I cannot help you with that."
    said = night(*rows, *new, code=0)["verdict_lines"]["New"]
    assert said == "6 samples are new and not compared; refusals or empty: 2"
    assert {"Missing", "New"} <= {*night(*rows[:6], *new, code=5)["verdict_lines"]}


def test_newly_failing_are_those_compared_that_did_not_fail_before(assay, suite_file, set_file):
    """Of two refusals one missed `reach` before already; a thirteenth sample is new, and compared with nothing."""
    path = set_file(12)
    worse(path, "s0")
    suite = suite_file(SHARE)
    accept_a_night(assay, suite)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    write_rows(path, [*rows, rows[0] | {"id": "n", "user_input": "New?"}])
    worse(path, "s0", "s1", answer="I am sorry, I cannot help you with that.")
    bad = assay("suite", suite, "--json").json
    assert [each["sample"] for each in bad["runs"][0]["newly_failing"]] == ["s1"]
    assert bad["verdict_lines"]["Newly failing"] == "1 of 12 samples, compared with the accepted run"


def test_a_judge_whose_replies_cannot_be_used(*, assay, suite_file, set_file, judge_file, openai_server):
    """A sample that two metrics could not score is one sample; the gate says why; such a run is no baseline.

    Nothing was judged, so that the night ends as one whose judge failed, and not by the gate that this fails; resumed,
    it asks again.
    """
    set_file(4)
    judge_file()
    metrics = ["faithfulness", "weakest_claim"]
    coverage = {"gate": "coverage", "at_least": 0.9, "strict": True}
    suite = suite_file(coverage, metrics=metrics, judges=["local.yaml"])
    accept_a_night(assay, suite)
    usable, openai_server.script = openai_server.script, lambda *_: Answer(text="I am happy to help!")
    bad = assay("suite", suite, "--json", code=4).json
    assert (bad["verdict"], bad["gates"][0]["state"]) == ("samples failed", "failed")
    assert "Newly failing" not in bad["verdict_lines"] and not bad["runs"][0]["newly_failing"]
    assert bad["verdict_lines"]["Not scored"].startswith("4 samples could not be scored: the reply cannot be used")
    assert "without a value: s0, s1, s2, s3 (the first: the reply cannot be used" in bad["gates"][0]["reason"]
    assert bad["accept"] is None
    assert bad["resume"] == f"assay suite {suite} --resume"
    assert "compared with it. faithfulness: the reply cannot be used" in assay("suite", "accept", "last", code=2).err
    openai_server.script = usable
    assert assay("suite", suite, "--resume", "--json", code=0).json["verdict"] == "passed"


def test_accepting_says_how_many_samples_failed(*, assay, suite_file, set_file, judge_file, openai_server):
    """One of four samples gets a reply that cannot be used, which the suite allows."""
    set_file(4)
    judge_file()
    openai_server.script = lambda request: Answer(text="Well!") if "menu 2" in request.user else None
    suite = suite_file(metrics=["faithfulness"], judges=["local.yaml"], max_failed=1)
    run = assay("suite", suite, "--json", code=0).json["runs"][0]
    assert run["failed_samples"] == 1
    said = assay("suite", "accept", "last", code=0)
    assert f"run {run['run']}: 1 of 4 samples failed\n" in said.err
    assert f"are compared with {run['run']}." in said.out
    openai_server.script = lambda request: Answer(text="Well!") if "menu 1" in request.user else None
    night = assay("suite", suite, "--json", code=0).json
    assert night["runs"][0]["samples_compared"] == 2  # 1 was not scored now, 2 not then
    assert night["verdict_lines"].keys() == {"Suite", "Not scored"}  # the judge failed, not the answer
    assert night["verdict_lines"]["Not scored"].startswith("1 sample could not be scored: the reply cannot be used")


def test_an_accepted_run_shows_its_fall_as_accepted(assay, suite_file, set_file, tmp_path):
    """Eight of twelve answers are worse: the regression gate does not count, and the gate on the share does."""
    path = set_file(12)
    accept_a_night(assay, suite_file(REGRESSION))
    worse(path, *(f"s{n}" for n in range(8)))
    done = assay("suite", suite_file(REGRESSION), "--accept", "--json", code=0).json
    assert [gate["state"] for gate in done["gates"]] == ["accepted", "passed"]
    said = "helpdesk: passed; 1 of 2 gates hold, the rest decide nothing yet"
    assert done["verdict_lines"]["Suite"] == said
    junit = JUnitXml.fromfile(str(tmp_path / "out/junit.xml"))
    assert (junit.tests, junit.failures, junit.errors, junit.skipped) == (3, 0, 0, 1)
    written = (tmp_path / "out/summary.md").read_text(encoding="utf-8")
    page = (tmp_path / f"out/site/{done['nightly_run']}.html").read_text(encoding="utf-8")
    for text in (written, page):
        assert "not counted, since the run is accepted: token" in text.replace("\\", "")
    assert "❌" not in written

    worse(path, *(f"s{n}" for n in range(12)), answer="Bananas.")
    failed = assay("suite", suite_file(REGRESSION, SHARE), "--accept", "--json", code=5).json
    assert failed["gates"][1]["state"] == "failed"
    assert failed["verdict_lines"]["Suite"] == "helpdesk: failed by the share of token_overlap"


@pytest.fixture
def scorer_file() -> str:
    """In the current folder: 1 for no word in common with the context, 5 for all."""
    made_scorer().save("team.yaml")
    return "scorer:team.yaml"


def test_a_suite_gates_the_mean_of_a_scorer_and_gives_it_no_interval(assay, scorer_file):
    """Half of the answers have all words in the context and half none: predictions of 5 and 1, mean 3."""
    rows = [
        {
            "id": f"s{n}",
            "user_input": f"Where is page {n}?",
            "response": "open the menu" if n % 2 else "no idea whatsoever",
            "retrieved_contexts": ["open the menu now"],
        }
        for n in range(20)
    ]
    write_rows(Path("set.jsonl"), rows)
    suite = {
        "name": "helpdesk",
        "sets": ["set.jsonl"],
        "metrics": [scorer_file],
        "gates": [
            {"gate": "mean", "metric": scorer_file, "at_least": 2.9},
            {"gate": "mean", "metric": scorer_file, "at_least": 3.1, "strict": True},
        ],
    }
    Path("nightly.yaml").write_text(json.dumps(suite), encoding="utf-8")
    done = assay("suite", "nightly.yaml", "--json")
    (row,) = (row for row in done.json["runs"][0]["metrics"] if row["metric"] == scorer_file)
    assert (row["mean"], row["low"], row["high"]) == (3.0, None, None)
    assert [gate["state"] for gate in done.json["gates"]] == ["passed", "failed", "no baseline"]
