"""What ragas 0.4.3 and deepeval were seen to do (STYLE), each shown not to happen here."""

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from openai_server import Answer, OpenAIServer, Request
from warm_python import WarmPython

from assay import evaluate
from assay.judges import Cassette
from assay.metrics import AnswerRelevance, Faithfulness, JudgeCompleteness, JudgeTruthfulness

Make = Callable[..., Any]


def test_judge_b_is_never_served_judge_as_answer(
    judge: Make, sample: Make, script: Make, tmp_path: Path, openai_server: OpenAIServer
) -> None:
    script(ListedAnswers=[dict.fromkeys(REQUIREMENTS, stars) for stars in ("1", "5")])
    values = []
    for model in ("openai/a", "openai/b", "openai/a"):
        with Cassette(tmp_path / "both.jsonl", "auto") as cassette:
            metric = JudgeTruthfulness(judge_with(openai_server, model, cassette))
            values.append(asyncio.run(metric.assess(sample())).value)
    assert values == [1.0, 5.0, 1.0]
    assert len(openai_server.requests) == 2  # a's second time is replayed


def judge_with(server: OpenAIServer, model: str, cassette: Cassette) -> Any:
    from assay.judges import LiteLLMJudge

    return LiteLLMJudge(model, api_base=server.api_base, structured="schema", cassette=cassette)


def test_a_lost_verdict_lowers_the_score_and_never_raises_it(judge: Make, sample: Make, script: Make) -> None:
    """Of three sentences two are supported; a reply without any verdict is a failure, and no score."""
    all_there = [("1", "Yes"), ("2", "Yes"), ("3", "No")]
    values = []
    for lost in range(4):
        script(ListedAnswers=dict(all_there[: 3 - lost]))
        values.append(asyncio.run(Faithfulness(judge(), "sentences").assess(sample())).value)
    assert values[:3] == pytest.approx([2 / 3, 2 / 3, 1 / 3])
    assert values[3] is None


@pytest.mark.parametrize("word", ["2", "-1", "partly", "SUPPORTED!", "true"])
def test_only_yes_is_support(judge: Make, sample: Make, script: Make, word: str) -> None:
    script(ListedAnswers=dict.fromkeys("123", word))
    score = asyncio.run(Faithfulness(judge(), "sentences").assess(sample()))
    assert (score.status, score.value) == ("failed", None)


def test_failed_judgements_stand_beside_the_mean(judge: Make, sample: Make, openai_server: OpenAIServer) -> None:
    """Of four samples two fail: the mean is over two, and the table says so."""

    def half_fail(request: Request) -> Answer:
        number = int(re.findall(r"menu (\d)", request.user)[0])
        rating = str(4 + number // 3)
        return Answer(text="no" if number % 2 else json.dumps(dict.fromkeys(REQUIREMENTS, rating)))

    openai_server.script = half_fail
    samples = [sample(id=f"s{n}", response=f"Go to menu {n}.") for n in range(1, 5)]
    results = evaluate(samples, [JudgeTruthfulness(judge())])
    (summary, *baselines) = results.summary()
    assert (summary.n, summary.scored, summary.failed, summary.coverage) == (4, 2, 2, 0.5)
    assert summary.mean == pytest.approx((4 + 5) / 2)
    assert {score["judge_truthfulness"].status for score in results.scores.values()} == {"scored", "failed"}
    assert all(row["judge_truthfulness"] is None for row in results.to_records() if row["id"] in {"s1", "s3"})
    assert len(baselines) == 3


REQUIREMENTS = ("truthfulness", "relatedness", "completeness")


def test_no_question_is_asked_twice(judge: Make, sample: Make, openai_server: OpenAIServer) -> None:
    """Not by two metrics, not for the same text under two ids, and the N questions of relevance are one."""
    client = judge()
    metrics = [JudgeTruthfulness(client), JudgeCompleteness(client), AnswerRelevance(client)]
    evaluate([sample(id="s1"), sample(id="s2")], metrics)
    bodies = [json.dumps(request.body, sort_keys=True) for request in openai_server.requests]
    assert len(bodies) == len(set(bodies)) == 2


def test_a_bad_key_is_told_after_one_request(judge: Make, sample: Make, openai_server: OpenAIServer) -> None:
    openai_server.script = lambda _: Answer(status=401, error_message="invalid key")
    score = asyncio.run(JudgeTruthfulness(judge()).assess(sample()))
    assert (score.status, len(openai_server.requests)) == ("failed", 1)
    assert "check the key" in score.reason


def test_every_number_can_be_worked_out_again_from_its_evidence(judge: Make, sample: Make) -> None:
    client = judge(logprobs=True)
    by_verdict = asyncio.run(Faithfulness(judge(), "judge").assess(sample()))
    verdicts = [claim["verdict"] for claim in by_verdict.evidence["claims"]]
    assert by_verdict.value == verdicts.count("supported") / len(verdicts)
    by_probability = asyncio.run(Faithfulness(client, "sentences").assess(sample()))
    assert by_probability.value == pytest.approx(sum(c["probability"] for c in by_probability.evidence["claims"]) / 3)
    relevance = asyncio.run(AnswerRelevance(client).assess(sample()))
    cosines = [question["cosine"] for question in relevance.evidence["questions"]]
    assert relevance.value == pytest.approx(max(0.0, sum(cosines) / len(cosines)))
    assert all(
        score.evidence["prompts"] and score.evidence["judge"] for score in (by_verdict, by_probability, relevance)
    )
    json.dumps([by_verdict.evidence, by_probability.evidence, relevance.evidence])


def test_i_do_not_know_is_not_faithful(judge: Make, sample: Make, script: Make) -> None:
    script(Claims={"claims": []}, ReverseQuestions={"noncommittal": True, "questions": []})
    ignorant = sample(response="I don't know.")
    assert asyncio.run(Faithfulness(judge()).assess(ignorant)).status == "skipped"
    assert asyncio.run(AnswerRelevance(judge()).assess(ignorant)).value == 0.0


def test_connections_are_used_again(judge: Make, sample: Make, openai_server: OpenAIServer) -> None:
    samples = [sample(id=f"s{n}", response=f"Go to menu {n}.") for n in range(30)]
    evaluate(samples, [Faithfulness(judge(concurrency=4), claims="judge")], concurrency=4)
    assert len(openai_server.requests) == 60
    assert openai_server.connections <= 8


def test_nothing_is_told_to_anybody_else(tmp_path: Path, openai_server: OpenAIServer, warm_python: WarmPython) -> None:
    """A whole judged sample in a process of its own: no connection but to the judge."""
    code = f"""
import socket
real, reached = socket.socket.connect, set()
def connect(self, address, *rest):
    reached.add(address[1] if isinstance(address, tuple) else address)
    return real(self, address, *rest)
socket.socket.connect = connect
import asyncio.selector_events as loops
real_sock_connect = loops.BaseSelectorEventLoop.sock_connect
async def sock_connect(self, sock, address):
    reached.add(address[1])
    return await real_sock_connect(self, sock, address)
loops.BaseSelectorEventLoop.sock_connect = sock_connect
from assay.judges import LiteLLMJudge
from assay.metrics import Faithfulness
judge = LiteLLMJudge("openai/test", api_base="{openai_server.api_base}", structured="schema")
score = Faithfulness(judge).score(user_input="q", response="It is so.", retrieved_contexts=["It is so."], language="en")
assert score.value == 1.0, score
print(reached)
"""
    done = warm_python.run("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{{{openai_server.port}}}"
    assert done.stderr == ""
