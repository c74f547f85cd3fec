"""Which runs a nightly run is compared with, what its verdict says, and the site of nightly runs."""

import json
import re
from datetime import datetime, timedelta
from importlib import resources

import pytest

from assay.runs import (
    AnswerTable,
    GateResult,
    History,
    JudgedRun,
    Ledger,
    MetricSummary,
    NightlyRunRow,
    RunReport,
    SampleReport,
    Store,
    find_baseline,
    read_history,
    read_report,
    summary_markdown,
    write_site,
)
from assay.runs.suite import NightlyReport

SETS = ["set.jsonl"]


@pytest.fixture
def nightly(assay, set_file, tmp_path):
    """Runs the suite on so many samples, and returns its run."""
    set_file(6)

    def run(*, code=0, **keys):
        content = {"name": "desk", "sets": SETS, "metrics": ["token_overlap"]} | keys
        (tmp_path / "nightly.yaml").write_text(json.dumps(content), encoding="utf-8")
        done = assay("suite", "nightly.yaml", "--json", code=code)
        (report,) = done.json["runs"]
        return str(report["run"])

    return run


def read(tmp_path, run, *, judge="no judge", baseline=None, sets=SETS):
    store = Store(tmp_path / ".assay")
    rows = Ledger(store).nightly_runs("desk")[1:]
    newest = JudgedRun(judge, (), AnswerTable.read(store, store.run(run)))
    return read_history(store, rows, newest, baseline, sets=sets)


def history(tmp_path, run):
    baseline = Ledger(Store(tmp_path / ".assay")).baseline("desk", "no judge")
    found = read(tmp_path, run, baseline=baseline)
    return len(found.accepted), len(found.nights)


def test_runs_since_the_baseline_count(assay, nightly, tmp_path):
    runs = [nightly() for _ in range(3)]
    assert history(tmp_path, runs[-1]) == (0, 2)
    assert assay("suite", "accept", *runs[:2], "--json").json["runs"] == runs[:2]
    assert history(tmp_path, nightly()) == (2, 0)  # the third began before they were accepted
    assert history(tmp_path, nightly()) == (2, 1)
    assay("suite", "accept", "last")  # evidence starts anew
    assert history(tmp_path, nightly()) == (1, 0)


def test_other_metrics_and_unfinished_runs_do_not_count(assay, nightly, tmp_path):
    nightly()
    assay("suite", "accept", "last")
    nightly(metrics=["token_overlap", "answer_length"])
    store = Store(tmp_path / ".assay")
    Ledger(store).begin("desk")  # and was killed
    assert history(tmp_path, nightly()) == (1, 0)
    assert history(tmp_path, nightly()) == (1, 1)


def test_a_run_that_failed_is_read_with_the_gates_that_failed(assay, nightly, set_file, tmp_path):
    """Only to find on which runs before its failure rested: it shows no noise, and is no baseline."""
    gates = [{"gate": "regression", "metric": "token_overlap"}, {"gate": "coverage", "at_least": 0.5}]
    answers = set_file(12)
    texts = answers.read_text(encoding="utf-8")
    nightly(gates=gates)
    assay("suite", "accept", "last")
    nightly(gates=gates)
    answers.write_text(
        texts.replace('"response": "Open menu', '"response": "Sing and dance with friends at sunset'), encoding="utf-8"
    )
    nightly(gates=gates, code=5)
    answers.write_text(texts, encoding="utf-8")
    run = nightly(gates=gates)
    assert history(tmp_path, run) == (1, 2)
    baseline = Ledger(Store(tmp_path / ".assay")).baseline("desk", "no judge")
    quiet, failed = read(tmp_path, run, baseline=baseline).nights
    assert (quiet.failed, failed.failed) == (None, {"regression of token_overlap"})
    assert read(tmp_path, run, baseline=baseline).distinct_nights == [quiet.values]


def test_nights_in_a_moved_folder_count(*, assay, set_file, tmp_path, monkeypatch):
    """A suite's sets are relative to its file: in another checkout the same file is the same suite."""
    content = {"name": "desk", "sets": SETS, "metrics": ["token_overlap"], "store": str(tmp_path / ".assay")}
    answers = set_file(6).read_text(encoding="utf-8")

    def run_in(place, **keys):
        folder = tmp_path / place
        folder.mkdir(exist_ok=True)
        (folder / "set.jsonl").write_text(answers, encoding="utf-8")
        (folder / "suite.yaml").write_text(json.dumps(content | keys), encoding="utf-8")
        monkeypatch.chdir(folder)
        (report,) = assay("suite", "suite.yaml", "--json", code=0).json["runs"]
        return str(report["run"])

    run_in("first")
    run_in("first")
    moved = run_in("second")
    assert len(read(tmp_path, moved).nights) == 2
    (tmp_path / "second" / "other.jsonl").write_text(answers, encoding="utf-8")
    other = run_in("second", sets=["other.jsonl"])
    assert not read(tmp_path, other, sets=["other.jsonl"]).nights  # all others were of set.jsonl


def test_a_run_that_was_judged_otherwise_has_no_baseline(*, assay, nightly, judge_file, openai_server, tmp_path):
    """Another wording of a prompt, another parameter and another model are each another judge, and say so."""
    own = tmp_path / "own" / "support.en.md"
    own.parent.mkdir()
    bundled = resources.files("assay.prompts").joinpath("support.en.md").read_text(encoding="utf-8")
    assert openai_server.api_base

    def night(wording=bundled, **settings):
        own.write_text(wording, encoding="utf-8")
        judge_file(**settings)
        metric = "faithfulness:claims=judge"
        gates = [{"gate": "regression", "metric": metric}]
        run = nightly(judges=["local.yaml"], metrics=[metric], gates=gates, prompts="own")
        store = Store(tmp_path / ".assay")
        report = read_report(Ledger(store).nightly_runs("desk")[0])
        baseline, problem = find_baseline(store, "desk", run)
        found = read(tmp_path, run, judge="local.yaml", baseline=baseline)
        step = report.next_steps[0][0].partition(", so that no fall can be seen")[0] if report.next_steps else ""
        assert step == problem
        assert {gate.state for gate in report.gates} == {"no baseline" if problem else "undecided"}
        return run, len(found.accepted), len(found.nights), problem.partition(" (")[2].removesuffix(")")

    accepted, *_ = night()
    assay("suite", "accept", "last", code=0)
    assert night()[1:] == (1, 0, "")
    other, *counts, problem = night(f"{bundled}\nBe strict.\n")
    assert (counts, problem) == ([0, 0], "the prompt support.en differs")
    changes = assay("show", "changes", accepted, other, "--json", code=0).json["sentences"]
    assert changes[0].startswith("Not judged alike: the prompt support.en differs.")
    assert night(f"{bundled}\nBe strict.\n")[1:] == (0, 1, problem)  # that of the same wording
    warm = night(parameters={"temperature": 0.5})
    assert warm[1:] == (0, 0, "the judge's settings differ")
    assert night(model="openai/other")[1:] == (0, 0, "the judge is openai/other, not openai/test")
    assert night()[1:] == (1, 1, "")  # the night before the change; none of those that were judged otherwise


def test_runs_of_two_suites_are_not_one_baseline(assay, nightly):
    runs = [nightly(), nightly(name="other")]
    refused = assay("suite", "accept", *runs)
    assert (refused.code, "one suite and one judge" in refused.err) == (2, True)


def test_a_replayed_run_counts_once(*, assay, nightly, judge_file, openai_server, tmp_path):
    """The same replies again are no second look at the system."""
    judge_file()
    keys = {"judges": ["local.yaml"], "metrics": ["faithfulness:claims=judge"], "cassette": "replies.jsonl"}
    *nights, run = [nightly(**keys) for _ in range(4)]
    assert openai_server.requests
    store = Store(tmp_path / ".assay")
    assert read(tmp_path, run, judge="local.yaml") == History()
    with store.database.transaction():  # the last two a day later than the others
        for name in (nights[2], run):
            later = (datetime.fromisoformat(store.run(name).created) + timedelta(days=1)).isoformat()
            store.database.execute("UPDATE runs SET created = ? WHERE id = ?", (later, name))
    found = read(tmp_path, run, judge="local.yaml")
    assert (len(found.nights), found.distinct_nights) == (1, [])  # two nights, with one look at the system


NIGHTLY_RUN, BEGAN = "night-20261121-145848", "2026-11-21T14:58:48+00:00"
FIGURES = {"judge": None, "value": 1.0, "bound": 0.0, "p": None}
RECORDED = {
    "suite": "helpdesk",
    "nightly_run": NIGHTLY_RUN,
    "began": BEGAN,
    "ended": "2026-11-21T14:58:50+00:00",
    "status": "done",
    "verdict": "gate failed",
    "message": "",
    "resume": None,
    "sets": ["helpdesk"],
    "runs": [],
    "gates": [
        FIGURES | {"gate": "mean", "name": "mean rating", "metric": "rating", "state": "passed", "reason": "it is 1"},
        FIGURES | {"gate": "regression", "name": "regression bleu", "metric": "bleu", "state": "failed", "reason": ""},
    ],
    "spent": {"calls": 3, "tokens": 5, "usd": 0.1},
    "seconds": 2.0,
}


def test_a_recorded_report_is_read():
    report = read_report(NightlyRunRow(NIGHTLY_RUN, "helpdesk", BEGAN, "gate failed", RECORDED))
    assert (report.nightly_run, report.verdict, report.spent.calls) == (NIGHTLY_RUN, "gate failed", 3)
    assert [(gate.gate, gate.state) for gate in report.gates] == [("mean", "passed"), ("regression", "failed")]
    assert (report.sets, report.gates[0].metric, report.gates[0].reason) == (("helpdesk",), "rating", "it is 1")


def test_the_interval_of_a_scorer_in_an_earlier_report_is_left_out():
    """Only ratings show how far off its predictions are."""
    counts = {"n": 3, "scored": 3, "skipped": 0, "failed": 0, "mean": 4.0, "low": 3.5, "high": 4.5, "asked": True}
    metrics = [counts | {"metric": name} for name in ("scorer:team.yaml", "bleu")]
    run = {"run": "r", "judge": "no judge", "status": "done", "samples": 3, "failed_samples": 0, "first_failure": ""}
    recorded = RECORDED | {"runs": [run | {"accepted": None, "compared_with": None, "metrics": metrics}]}
    [read] = read_report(NightlyRunRow(NIGHTLY_RUN, "helpdesk", BEGAN, "gate failed", recorded)).runs
    assert [(row.name, row.low, row.high) for row in read.metrics] == [
        ("scorer:team.yaml", None, None),
        ("bleu", 3.5, 4.5),
    ]


# the contrast of each text with the page behind it, as WCAG 2 defines it
CONTRASTS = """() => {
  const luminance = color => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map(Number).map(part => part / 255)
      .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const page = luminance(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll("h1, h2, p, a, td, td span, svg text")].map(element => {
    const style = getComputedStyle(element);
    const text = luminance(element.namespaceURI.endsWith("svg") ? style.fill : style.color);
    return (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
  });
}"""


def nightly_row(number):
    answer = "You **cannot** do that.\n\n- " + "Donaudampfschiffahrtsgesellschaftskapitaen" * 3
    sample = SampleReport(
        sample="s" * 60, metric="rouge_l_precision", before=0.9, now=0.1, question="May I? " * 20, answer=answer,
        reason="2 of 10 tokens are in the context in this order",
    )  # fmt: skip
    metric = MetricSummary(
        name="rouge_l_precision", asked=True, n=60, scored=60, skipped=0, failed=0, mean=0.5, low=0.4, high=0.6,
        change=-0.1, change_low=-0.2, change_high=-0.05, change_p=0.004,
    )  # fmt: skip
    run = RunReport(
        run="20261122-050838-f793", judge="openai/gpt-4o-mini", status="done", samples=60, failed_samples=0,
        first_failure="", accepted=None, compared_with=None, metrics=(metric,), changed=(sample,),
        newly_failing=(sample,),
    )  # fmt: skip
    states = ("passed", "failed", "undecided", "no baseline")
    gates = tuple(
        GateResult(
            gate="mean",
            name="mean",
            judge=run.judge,
            metric=metric.name,
            state=state,
            value=0.5,
            bound=0.4,
            reason="why " * 40,
        )
        for state in states
    )
    report = NightlyReport(
        suite="helpdesk", nightly_run=f"nightly-2026112{number}-050837", began=f"2026-11-2{number}T05:08:37+00:00",
        status="done", verdict="gate failed", runs=(run,), gates=gates,
    )  # fmt: skip
    return NightlyRunRow(str(report.nightly_run), "helpdesk", report.began, report.verdict, report.as_json())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    write_site(folder, "helpdesk", [nightly_row(number) for number in (3, 2, 1)], {"20261122-050838-f793"})
    return folder


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("page", ["index", "nightly-20261123-050837"])
def test_a_page_fits_its_window_and_can_be_read(browser, site, page, width, scheme):
    view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    view.goto((site / f"{page}.html").as_uri())
    assert view.evaluate("document.scrollingElement.scrollWidth") <= width
    clipped = "[...document.querySelectorAll('td, th')].filter(cell => cell.scrollWidth > cell.clientWidth + 1).length"
    assert view.evaluate(clipped) == 0
    assert min(view.evaluate(CONTRASTS)) >= 4.5
    view.close()


def test_axis_and_points_of_a_trend_have_the_same_marks(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    write_site(tmp_path, "helpdesk", [nightly_row(number) for number in (3, 2, 1)], set())
    chart = (tmp_path / "index.html").read_text(encoding="utf-8").partition("<svg")[2].partition("</figure>")[0]
    texts = re.findall(r">([^<>]*\d[.,]\d[^<>]*)<", chart)
    assert sum("0,50 [0,40; 0,60]" in text for text in texts) == 3
    assert any(re.fullmatch(r"0,\d+", text) for text in texts) and not any(re.search(r"\d\.\d", text) for text in texts)


def report(verdict, *gates):
    return NightlyReport(
        suite="helpdesk",
        nightly_run="1",
        began="",
        ended="",
        status="done",
        verdict=verdict,
        gates=tuple(GateResult(name=f"{number}", judge=None, **gate) for number, gate in enumerate(gates)),
    )


def first_line(report):
    return report.give_verdict().as_json()["Suite"]


MEAN = {"gate": "mean", "metric": "bleu", "state": "passed", "value": 0.67, "bound": 0.8, "reason": ""}


def test_a_figure_beyond_its_bound_is_no_gate_that_holds():
    assert first_line(report("passed", MEAN, MEAN)) == "helpdesk: passed; all 2 gates hold"
    beyond = MEAN | {"is_within_noise": True}  # as an earlier version wrote `not settled`
    said = "helpdesk: passed; 1 of 2 gates hold, the rest decide nothing yet"
    assert first_line(report("passed", MEAN, beyond)) == said


def test_a_fall_that_is_possible_stands_in_the_headline(tmp_path):
    """It decides nothing, and is no gate that holds: the same word in every list."""
    possible = MEAN | {"gate": "regression", "value": -0.38, "state": "not settled"}
    told = report("passed", MEAN, possible).model_copy(update={"began": BEGAN})
    assert first_line(told) == "helpdesk: passed; possible, but not certain: a fall of bleu (-0.380)"
    dutch = dict(told.give_verdict().lines("nl"))["Suite"]
    assert dutch == "helpdesk: geslaagd; mogelijk, maar niet zeker: een daling van bleu (-0,380)"
    summary = summary_markdown(told)
    assert summary.startswith("### ⚠️ Assay") and "\n| ➖ | 1 |" in summary
    row = NightlyRunRow("1", "helpdesk", BEGAN, "passed", told.as_json())
    write_site(tmp_path, "helpdesk", [row], set())
    assert "1 (not settled)" in (tmp_path / "index.html").read_text(encoding="utf-8")
    two = first_line(report("passed", possible, possible))
    assert two.endswith("not certain: a fall of bleu (-0.380) and 1 more gate")
    assert first_line(report("passed", possible | {"metric": "effort", "value": 0.5})).endswith(
        "a rise of effort (+0.500)"
    )
    long = possible | {"metric": "m" * 30}
    assert first_line(report("passed", long, long)) == "helpdesk: passed; 2 figures may be worse"


def test_a_coverage_that_refusals_lower_is_named_with_them():
    refusals, lost = (MEAN | {"state": "failed", "gate": gate} for gate in ("regression", "coverage"))
    failed = (lost, refusals | {"metric": "unanswered", "value": 0.3}, lost | {"metric": "rouge"})
    said = "helpdesk: failed by refusals and empty answers, and the coverage of 2 metrics"
    assert first_line(report("gate failed", *failed)) == said
    said = "helpdesk: failed by refusals and empty answers and 3 more gates"
    assert first_line(report("gate failed", *failed, MEAN | {"state": "failed"})) == said


def test_answers_that_are_gone_are_no_fall():
    gone = MEAN | {"gate": "regression", "state": "failed", "value": None}
    said = "helpdesk: failed by bleu, of which too few answers are those of the accepted run"
    assert first_line(report("gate failed", gone)) == said
    assert first_line(report("gate failed", gone | {"value": -0.2})) == "helpdesk: failed by a fall of bleu"
    assert first_line(report("gate failed", gone | {"value": 0.2})) == "helpdesk: failed by a rise of bleu"
