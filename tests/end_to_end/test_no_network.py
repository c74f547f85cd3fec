"""No command reaches a network of its own accord, also where litellm is loaded or a model file is missing."""

import json
from pathlib import Path

import pytest
from network_guard import GUARD

ROOT = Path(__file__).parents[2]
CASSETTE = str(ROOT / "cassettes" / "helpdesk.qwen1.5b.jsonl")
MISSING = "gguf:no-such-model.gguf"
REPLAY = ["--judge", "qwen1.5b", "--cassette", CASSETTE, "--mode", "replay"]
TABLE = "month,tickets\n2026-01,10\n2026-02,12\n2026-03,9\n"
SUITE = "name: nightly\nsets: [helpdesk_en]\nmetrics: [token_overlap]\n"
CLOSED = "model: openai/test\napi_base: http://127.0.0.1:1/v1\nattempts: 1\n"
PAGE = "# Leave\n\n## Ask for leave\n\nOpen the menu Leave and press New. Your manager sees the request at once.\n"

# Each is typed in one process, in this order: later ones use the runs and files of earlier ones.
COMMANDS = [
    (0, ["--help"]),
    (0, ["prompts", "list"]),
    (0, ["prompts", "show", "claims.nl"]),
    (0, ["prompts", "render", "support", "helpdesk_en", "en-001"]),
    (0, ["prompts", "check"]),
    (0, ["run", "helpdesk_en", "--limit", "6", "--metrics", "token_overlap,bleu"]),
    (0, ["run", "helpdesk_en", "--limit", "6", "--metrics", "faithfulness,answer_relevance", *REPLAY]),
    (0, ["run", "helpdesk_en", "--limit", "6", "--metrics", "heuristic"]),
    (0, ["sets"]),
    (1, ["run", "public:no-such-set"]),
    (0, ["show", "last"]),
    (0, ["show", "last", "en-001"]),
    (0, ["compare", "last", "last"]),
    (0, ["meta", "last"]),
    (1, ["run", "helpdesk_en", "--limit", "2", "--judge", MISSING]),
    (1, ["run", "helpdesk_en", "--limit", "2", "--judge", MISSING, "--cassette", "new.jsonl", "--mode", "record"]),
    (4, ["run", "helpdesk_en", "--limit", "1", "--judge", "closed.yaml"]),  # loads litellm: nobody listens there
    (0, ["cassettes", "show", CASSETTE]),
    (0, ["cassettes", "check", CASSETTE]),
    (0, ["numeric", "facts", "table.csv"]),
    (0, ["numeric", "check", "table.csv", "In February 2026 there were 12 tickets."]),
    (0, ["heuristic", "explain", "helpdesk_en", "en-001"]),
    (0, ["heuristic", "tree"]),
    (0, ["suite", "suite.yaml", "--check"]),
    (0, ["suite", "suite.yaml"]),
    (0, ["generate", "sections", "page.md", "-o", "sections.jsonl"]),
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
def test_no_command_reaches_a_network(warm_python, tmp_path, monkeypatch):
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "page.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "closed.yaml").write_text(CLOSED, encoding="utf-8")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-test")
    done = warm_python.run("-c", SCRIPT, json.dumps([words for _, words in COMMANDS]), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["words"] for each in ended if each["attempts"]] == []
    wrong = [each for each, (code, _) in zip(ended, COMMANDS, strict=True) if each["code"] != code]
    assert wrong == []
