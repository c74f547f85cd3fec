"""What cannot be done is one error with its cure, before anything is asked or written: one row per typed command."""

import shlex
from pathlib import Path

import pytest
from case_files import cases_beside

FILES = {
    "s.csv": "id,good,rating\na,1,2\nb,1.5,3\nc,2,4\n",
    "bad.csv": "id,good,rating\na,1,2\nb,high,3\nc,2,4\n",
    "empty.md": "Nothing here.",
    "today.jsonl": '{"id": "q", "user_input": "How?", "response": "Press."}\n',
    "new.jsonl": '{"id": "q", "user_input": "How?", "response": "Click."}\n',
}


@pytest.mark.parametrize(("words", "code", "says"), cases_beside(__file__))
def test_what_cannot_be_done_is_told_with_a_cure(*, assay, set_file, judge_file, openai_server, words, code, says):
    set_file(2)
    judge_file()
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    before = sorted(path for path in Path().rglob("*") if path.is_file())
    done = assay(*shlex.split(words), code=code)
    assert says in " ".join(done.err.split())
    assert "Traceback" not in done.err and "key@" not in done.err
    assert (done.out, openai_server.requests) == ("", [])
    assert sorted(path for path in Path().rglob("*") if path.is_file() and ".assay" not in path.parts) == before
