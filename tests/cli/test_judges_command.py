"""`assay judges compare`: typed, with two judges at a server that differ."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from openai_replies import sensible_reply
from openai_server import Answer, OpenAIServer, Request

Make = Callable[..., Any]


@pytest.fixture
def yes_sayer(openai_server: OpenAIServer) -> OpenAIServer:
    """The model `openai/yes` calls everything supported; the other judges sensibly."""

    def script(request: Request) -> Answer | None:
        if request.body["model"] != "yes" or request.schema != "ListedVerdicts":
            return None
        said = json.loads(sensible_reply(request.body)[0])
        quote = request.user.partition("<documentation>")[2].split(".")[0].strip()
        verdicts = [each | {"verdict": "supported", "quote": quote} for each in said["verdicts"]]
        return Answer(text=json.dumps({"verdicts": verdicts}))

    openai_server.script = script
    return openai_server


def test_two_judges(assay: Make, set_file: Make, judge_file: Make, yes_sayer: OpenAIServer) -> None:
    """Six samples; two of them name flowers, which only the sensible judge does not find: 10 of 12 claims alike."""
    words = ["judges", "compare", set_file(), "--judge", judge_file("sensible.yaml")]
    words += ["--judge", judge_file("yes.yaml", model="openai/yes")]
    found = assay(*words, "--json").json
    assert [each["judge"] for each in found["judges"]] == ["sensible", "yes"]
    assert [each["samples"] for each in found["judges"]] == [6, 6]
    assert found["claims"]["claims"] == 12
    assert found["pairs"][0]["first"] == "sensible" and found["pairs"][0]["problem"]
    assert all(each["usd"] is None and each["tokens"] > 0 for each in found["judges"])
    asked = len(yes_sayer.requests)
    assert asked == 12
    plain = assay(*words)
    assert len(yes_sayer.requests) == asked, "the second time all is replayed"
    for told in ("Judges by faithfulness", "sensible", "unknown", "12 claims that all judged", "panel, majority"):
        assert told in plain.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--judge", "openai/a"], "name two judges or more"),
        (["--judge", "openai/a", "--judge", "openai/a"], "name two judges or more"),
        (["--judge", "qwen1.5b", "--judge", "nobody"], "no judge is called 'nobody'"),
        (["--judge", "openai/a", "--judge", "openai/b", "--metric", "faithfulnes"], "did you mean faithfulness"),
    ],
)
def test_wrongly_typed(assay: Make, set_file: Make, words: list[str], told: str) -> None:
    done = assay("judges", "compare", set_file(), *words)
    assert done.code == 2
    assert told in done.err
