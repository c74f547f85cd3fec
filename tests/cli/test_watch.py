"""`assay watch` as it is typed, on traces in an OTLP file."""

import json
import re
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from case_files import cases_beside

from assay.runs import Store
from assay.traces import hold_watch, load_watch

CASES = cases_beside(__file__)

WATCH = """\
source: otel:traces.jsonl
since: 30d
metric: rouge_l_precision
push: false
sample: {share: 0.5}
bounds: [{bad_share: 0.2}]
"""


def attribute(key: str, value: str | float) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": value}}


def write_traces(file: Path, *, days: int = 20, bad_from: int = 12, is_silent: bool = False) -> None:
    """Ten traces a day, each rated; from one day on all are bad, or where the bot is silent without an answer."""

    def span(number: int, name: str, values: dict[str, Any], **fields: Any) -> dict[str, Any]:
        began = int((time.time() - (days - number / 10) * 86_400 - 60) * 1e9)
        times = {"startTimeUnixNano": str(began), "endTimeUnixNano": str(began + 1)}
        names = {"traceId": f"{number + 1:032x}", "spanId": name[0] * 16, "name": name}
        return names | times | {"attributes": [attribute(*pair) for pair in values.items()]} | fields

    with file.open("w") as lines:
        for number in range(days * 10):
            is_bad = number // 10 >= bad_from
            context = f"Press button {number} in the menu."
            event = {
                "gen_ai.evaluation.name": "rating",
                "gen_ai.evaluation.score.value": 1.0 if is_bad else 5.0 - number % 2,
                "gen_ai.evaluation.evaluator.type": "human",
                "gen_ai.evaluation.evaluator.name": "ada",
            }
            values = {"input.value": "How?\x1b[31m", "output.value": "Send <b>flowers</b>." if is_bad else context}
            if is_bad and is_silent:
                del values["output.value"]
            ratings = {"name": "gen_ai.evaluation.result", "attributes": [attribute(*pair) for pair in event.items()]}
            documents = {"openinference.span.kind": "RETRIEVER", "retrieval.documents.0.document.content": context}
            spans = [
                span(number, "a chat", values, events=[ratings]),
                span(number, "b search", documents, parentSpanId="a" * 16),
            ]
            lines.write(json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"spans": spans}]}]}) + "\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_traces(tmp_path / "traces.jsonl")
    (tmp_path / "watch.yaml").write_text(WATCH)
    return tmp_path


def test_every_standing_alarm_is_named(assay, folder):
    """The mean is 3.1 and 40% are bad; days 12 to 19 have only ones."""
    (folder / "watch.yaml").write_text(WATCH.replace("[{bad_share: 0.2}]", "[{bad_share: 0.2}, {mean: 4}]"))
    done = assay("watch", "watch.yaml", "--once", code=5)
    assert re.search(r"\nAlarms +2 stand.*; not kept: (?=.*bad share at most 20%)(?=.*mean at least 4)", done.out)


def test_one_step_says_what_changed_and_ends_with_5(assay, folder):
    done = assay("watch", "watch.yaml", "--once", code=5)
    # 120 answers are rated 4 or 5, 80 are rated 1, judged or not: (120 * 4.5 + 80) / 200 = 3.1, and 80 / 200 are bad
    assert re.match(r"Your chatbot +rated 3\.10 of 5 in production \(.*; 40\.0% of answers are bad", done.out)
    assert re.search(r"\nAlarms +1 stands since [\d-]+; not kept: bad share at most 20%\nRests on +200", done.out)
    began = re.search(r'"startTimeUnixNano": "(\d+)', (folder / "traces.jsonl").read_text())
    first_day = datetime.fromtimestamp(int(began[1]) / 1e9, UTC).date()  # of the first answer, not of this look
    assert f"200 answers since {first_day}: " in done.out
    assert "ALARM (bad share at most 20%)" in done.out
    assert "100 judged, 200 rated (look 1)" in done.out
    assert "200 pulled, 100 drawn, 100 judged" in done.out
    assert "\x1b" not in done.out
    assert "assay show failures " in done.out
    again = assay("watch", "watch.yaml", "--once", code=5)
    assert "ALARM" not in again.out
    assert "alarm stands (bad share at most 20%)" in again.out


def test_a_bot_that_falls_silent_fires_the_alarm_and_its_ratings_count(assay, folder):
    write_traces(folder / "traces.jsonl", is_silent=True)
    done = assay("watch", "watch.yaml", "--once", code=5)
    # 120 answers are rated 4 or 5, and 80 empty ones 1: (120 * 4.5 + 80) / 200 = 3.1, and 80 / 200 are bad
    assert re.match(r"Your chatbot +rated 3\.10 of 5 in production \(.*; 40\.0% of answers are bad", done.out)
    assert "ALARM (bad share at most 20%)" in done.out
    assert "200 pulled" in done.out and "that cannot be read" not in done.out


def test_a_standing_alarm_is_said_as_it_is_today(assay, folder):
    assay("watch", "watch.yaml", "--once", code=5)
    store = Store(folder / ".assay")
    store.database.execute("UPDATE watch_alarms SET sentence = 'That of the day on which it fired.'")
    store.close()
    for option in ("--once", "--status"):
        shown = assay("watch", "watch.yaml", option, code=5).out
        assert "alarm stands (bad share at most 20%): The share of bad answers is above 20% since " in shown
        assert "on which it fired" not in shown


def test_a_status_of_a_watch_that_runs(assay, folder):
    assay("watch", "watch.yaml", "--once")
    with hold_watch(Store(folder / ".assay"), "watch"):
        assert "a process is at work on it" in assay("watch", "watch.yaml", "--status").out
        second = assay("watch", "watch.yaml", "--once")
    assert second.code == 2
    assert "another process is at work on it" in second.err


def test_a_draft_can_be_checked(assay, tmp_path):
    draft = assay("watch", "--draft", "phoenix://localhost:6006/a b", code=0)
    (tmp_path / "drafted.yaml").write_text(draft.out)
    assert "2 bounds, no webhook: no errors" in assay("watch", "drafted.yaml", "--check", code=0).out


def test_a_draft_as_json_is_the_same_watch(assay, tmp_path):
    address = "phoenix://localhost:6006/bot"
    for name, options in (("yaml", ()), ("json", ("--json",))):
        (tmp_path / f"{name}.yaml").write_text(assay("watch", "--draft", address, *options, code=0).out)
    drafts = [load_watch(str(tmp_path / f"{name}.yaml")).as_json() for name in ("yaml", "json")]
    assert [draft | {"name": ""} for draft in drafts] == [drafts[0] | {"name": ""}] * 2
    assert json.loads((tmp_path / "json.yaml").read_text())["source"] == address


@pytest.mark.parametrize(("text", "problem"), CASES["mistakes"])
def test_a_mistake_is_named_with_its_line(assay, tmp_path, text, problem):
    (tmp_path / "watch.yaml").write_text(text)
    done = assay("watch", "watch.yaml", "--check", code=1)
    assert problem in done.err
    assert "me:key" not in done.err


def test_a_source_that_is_not_there_is_said(assay, tmp_path):
    (tmp_path / "watch.yaml").write_text("source: otel:nowhere.jsonl\nmetric: token_overlap\npush: false\n")
    done = assay("watch", "watch.yaml", "--once")
    assert done.code in {1, 2}
    assert "nowhere.jsonl" in done.err
    assert "its last step failed" in assay("watch", "watch.yaml", "--status").err


def test_a_file_that_cannot_be_read_is_named_and_stops_no_other(assay, folder):
    """200 good traces beside a copy saved as UTF-16 and a document cut short: the step ends with 1 until both go."""
    traces = folder / "traces"
    traces.mkdir()
    content = (folder / "traces.jsonl").rename(traces / "a.jsonl").read_text()
    (traces / "b.jsonl").write_bytes(content.encode("utf-16"))
    (traces / "c.json").write_text(content[:500])
    (folder / "watch.yaml").write_text(WATCH.replace("otel:traces.jsonl", "otel:traces").replace("0.2", "0.9"))
    named = (
        f"2 files could not be read: {traces}/b.jsonl line 1 is no text in UTF-8; save it so, with `format: json` and "
        f"without `compression`; {traces}/c.json is not JSON"
    )
    step = assay("watch", "watch.yaml", "--once", code=1)
    assert "200 pulled" in step.out and "that cannot be read" not in step.out and named in step.err
    assert f"what failed at the last step: {named}" in assay("watch", "watch.yaml", "--status", code=0).err
    assert named in assay("watch", "watch.yaml", "--status", "--json").json["problem"]
    (traces / "b.jsonl").unlink()
    (traces / "c.json").unlink()
    assert "could not" not in assay("watch", "watch.yaml", "--once", code=0).err
    assert "failed" not in assay("watch", "watch.yaml", "--status", code=0).err


def test_what_is_secret_is_not_kept(assay, folder):
    hook = "https://hooks.example.invalid/services/T0/B0/verysecret"
    (folder / "watch.yaml").write_text(WATCH + f"webhook: '{hook}'\n")
    done = assay("watch", "watch.yaml", "--once")
    assert "verysecret" not in done.out + done.err
    for file in (folder / ".assay").iterdir():
        assert b"verysecret" not in file.read_bytes()
