"""The main job from a cassette: no network, no litellm, the same numbers as when it was recorded.

No command reaches a network of its own accord; the bundled leaflets are made again without a model.
"""

import json
import re
from pathlib import Path

import pytest
from network_guard import GUARD

from assay.cli.demo import DEMO_METRICS

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(400)  # seconds where nothing else runs; each loads an encoder
BOTH = ("helpdesk_nl", "helpdesk_en")
KPI_SETS = ("kpi_nl", "kpi_en")
TEXT_AND_NUMBERS = ("faithfulness", "faithfulness:numeric=false")  # with computed verdicts, and by the judge alone
HELPDESK = [
    *((f"helpdesk.{judge}.jsonl", BOTH, DEMO_METRICS) for judge in ("qwen1.5b", "qwen0.5b")),
    ("helpdesk_de.qwen1.5b.jsonl", ("helpdesk_de",), DEMO_METRICS),
    ("helpdesk_nl.english.qwen1.5b.jsonl", BOTH[:1], ("heuristic:translate=judge",)),
]
KPI = [(f"kpi.{judge}.jsonl", KPI_SETS, TEXT_AND_NUMBERS) for judge in ("qwen1.5b", "qwen0.5b")]


def test_a_recorded_run_replays_to_the_same_numbers(assay, offline, judge_file, openai_server, tmp_path):
    """The demo's metrics on real answers, recorded from the local server and replayed without it."""
    judge = judge_file(logprobs=True)
    words = ["run", "helpdesk_en", "--limit", "8", "--judge", judge, "--metrics", ",".join(DEMO_METRICS)]
    words += ["--cassette", tmp_path / "replies.jsonl", "--json"]
    live = assay(*words, "--mode", "record", code=0)
    openai_server.forget()
    done = offline(*words, "--mode", "replay")
    assert (done.returncode, done.stderr) == (0, "")
    assert openai_server.requests == []
    replayed = json.loads(done.stdout)
    assert replayed["metrics"] == live.json["metrics"]
    assert replayed["usage"] == live.json["usage"] | {"from_cassette": live.json["usage"]["calls"]}
    first, second = (assay("show", run, "--json").json for run in (live.json["run"], replayed["run"]))
    for score in first["scores"] + second["scores"]:
        score.pop("usage")
    by_name = {(score["sample"], score["metric"]): score for score in first["scores"]}
    assert by_name == {(score["sample"], score["metric"]): score for score in second["scores"]}


def test_offline_really_is(offline, judge_file):
    """The check of these tests themselves: a live call cannot be made there."""
    done = offline("run", "helpdesk_en", "--limit", "1", "--judge", judge_file(), "--json")
    assert done.returncode != 0
    assert "litellm" in done.stderr


@pytest.mark.parametrize("bundled", [HELPDESK, pytest.param(KPI, marks=pytest.mark.extras)], ids=["helpdesk", "kpi"])
def test_nothing_is_missing_or_changed_in_what_is_bundled(offline_in_turn, bundled):
    commands = list[list[str]]()
    for name, sets, metrics in bundled:
        file = str(ROOT / "cassettes" / name)
        judge = re.sub(r"^(?:helpdesk_nl\.english|helpdesk_de|helpdesk|kpi)\.|\.jsonl$", "", name)
        run = ["run", *sets, "--judge", judge, "--metrics", ",".join(metrics), "--cassette", file, "--mode", "replay"]
        commands.append([*run, "--json"])
    printed = [json.loads(text) for text in offline_in_turn(commands)]
    failed = [{name: row["failed"] for name, row in run["metrics"].items() if row["failed"]} for run in printed]
    assert failed == [{}] * len(bundled)


MISSING = "gguf:no-such-model.gguf"
CLOSED = "model: openai/test\napi_base: http://127.0.0.1:1/v1\nattempts: 1\n"

# Each is typed in one process, in this order.
COMMANDS = [
    (1, ["run", "public:no-such-set"]),
    (1, ["run", "helpdesk_en", "--limit", "2", "--judge", MISSING]),
    (1, ["run", "helpdesk_en", "--limit", "2", "--judge", MISSING, "--cassette", "new.jsonl", "--mode", "record"]),
    (4, ["run", "helpdesk_en", "--limit", "1", "--judge", "closed.yaml"]),  # loads litellm: nobody listens there
    (0, ["run", "helpdesk_en", "--limit", "1", "--judge", "local.yaml"]),  # on this machine
    (0, ["run", "helpdesk_en", "--limit", "6", "--metrics", "heuristic,bleu"]),
    (0, ["meta", "last"]),
]

# The process is forked from one that has loaded all of this already, and was watched in the same way meanwhile.
SCRIPT = f"""{GUARD}
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from assay.cli import main

for number, words in enumerate(json.loads(sys.argv[1])):
    sys.argv = ["assay", *words]
    attempts.clear()
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    report = {{"words": words, "code": code, "attempts": attempts, "err": err.getvalue()[-500:]}}
    print(json.dumps(report), flush=True)
"""


@pytest.mark.timeout(400)  # seconds on a busy machine; spaCy is loaded
def test_no_command_reaches_a_network(warm_python, judge_file, tmp_path):
    judge_file("local.yaml")
    (tmp_path / "closed.yaml").write_text(CLOSED, encoding="utf-8")
    done = warm_python.run("-c", SCRIPT, json.dumps([words for _, words in COMMANDS]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["words"] for each in ended if each["attempts"]] == []
    wrong = [each for each, (code, _) in zip(ended, COMMANDS, strict=True) if each["code"] != code]
    assert wrong == []


SETS = ROOT / "eval_sets"
REPLAY = ("--judge", "qwen1.5b", "--cassette", ROOT / "cassettes/leaflets.qwen1.5b.jsonl", "--mode", "replay")


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_bundled_set_is_made_again_from_the_leaflets(offline, tmp_path):
    words = ("--n", "16", "--candidates", "1", "--domain", "Ziekenhuis De Linde")
    done = offline("sets", "generate", "leaflets", *words, *REPLAY, "-o", "leaflets.jsonl", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    for name in ("leaflets.jsonl", "leaflets.sections.jsonl", "leaflets.folds.jsonl", "leaflets.rejected.jsonl"):
        assert (tmp_path / name).read_bytes() == (SETS / name).read_bytes(), name
    usage = json.loads(done.stdout)["usage"]
    assert usage["calls"] == usage["from_cassette"] > 0
