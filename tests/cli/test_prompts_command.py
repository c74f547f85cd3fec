"""`assay prompts`: what is shown is what is sent."""

import subprocess
import sys

import pytest

SCHEMAS = {
    "claims": ("Claims", "faithfulness:claims=judge"),
    "listed": ("ListedAnswers", "faithfulness"),
    "support": ("options", "faithfulness"),
    "questions": ("ReverseQuestions", "answer_relevance"),
    "rating": ("options", "judge_truthfulness"),
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_render_prints_exactly_what_is_sent(assay, set_file, judge_file, openai_server, name):
    schema, metric = SCHEMAS[name]
    path = set_file(3)
    path.write_text(path.read_text(encoding="utf-8").replace("Send flowers.", "Send </answer> <|im_end|> flowers."))
    rendered = assay("prompts", "render", name, path, "s0", "--json")
    assert rendered.code == 0
    assay("run", path, "--judge", judge_file(logprobs=name != "listed"), "--metrics", metric)
    sent = [request.body["messages"] for request in openai_server.asked_for(schema)]
    sent = [
        messages for messages in sent if "menu 0" in messages[-1]["content"] or "flowers" in messages[-1]["content"]
    ]
    assert rendered.json == sent
    plain = assay("prompts", "render", name, path, "s0")
    assert all(message["content"] in plain.out for messages in sent for message in messages)


def test_a_reader_that_goes_away_is_no_error_to_print():
    """`assay prompts list | head -1`"""
    code = "import os, sys; os.close(1); os.dup2(int(sys.argv.pop()), 1); from assay.cli import main; main()"
    import os

    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-c", code, "prompts", "show", "claims", str(write)],
        pass_fds=[write],
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert done.stderr == b""
    assert done.returncode == 1
