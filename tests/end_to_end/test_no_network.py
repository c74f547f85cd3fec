"""No command reaches a network of its own accord, also where litellm is loaded or a model file is missing.

The scenarios of `tests/golden` are watched in the same way: here stands what they cannot do without litellm.
"""

import json

import pytest
from network_guard import GUARD

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
