"""Answer relevance: cosines that are known by construction, so that every mean can be worked out by hand."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from openai_server import OpenAIServer

from assay.errors import JudgeError, UsageError
from assay.judges.embedders import Embedder, UniversalSentenceEncoder, load_embedder
from assay.metrics import AnswerRelevance
from assay.metrics.catalogue import load_metric

Make = Callable[..., Any]
ASKED = "How do I add a bonus?"


class Angles(Embedder):
    """An embedder whose cosine with the asked question stands in the text: "cos 0.6"; the asked one itself is 1."""

    name = "angles"

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[list[str]] = []

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.batches.append(list(texts))
        cosines = [float(text.split()[1]) if text.casefold().startswith("cos") else 1.0 for text in texts]
        return np.array([[7 * cosine, 7 * (1 - cosine**2) ** 0.5] for cosine in cosines], dtype=np.float32)


@pytest.mark.parametrize(
    ("cosines", "value", "raw"),
    [
        ((0.9, 0.6, 0.3), 0.6, 0.6),
        ((1.0, 1.0, 1.0), 1.0, 1.0),
        ((-0.8, 0.2, 0.0), 0.0, -0.2),  # below 0 is clipped, and kept as it was
    ],
)
def test_the_mean_of_the_cosines(
    *, judge: Make, sample: Make, script: Make, openai_server: OpenAIServer, cosines: Any, value: float, raw: float
) -> None:
    script(
        ReverseQuestions={
            "noncommittal": False,
            "questions": [f"cos {cosine} of {n}" for n, cosine in enumerate(cosines)],
        }
    )
    embedder = Angles()
    score = asyncio.run(AnswerRelevance(judge(), embedder).assess(sample()))
    assert score.value == pytest.approx(value, abs=1e-6)
    assert score.evidence["raw"] == pytest.approx(raw, abs=1e-6)
    assert [question["cosine"] for question in score.evidence["questions"]] == pytest.approx(cosines, abs=1e-6)
    assert embedder.batches == [[ASKED, *(f"cos {cosine} of {n}" for n, cosine in enumerate(cosines))]]  # one batch
    assert len(openai_server.requests) == 1  # all questions in one call
    assert score.evidence["embedder"] == "angles"


def test_the_same_question_twice_counts_once(judge: Make, sample: Make, script: Make) -> None:
    script(ReverseQuestions={"noncommittal": False, "questions": ["cos 0.8", "COS  0.8 ", "", "cos 0.2"]})
    score = asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample()))
    assert score.value == pytest.approx((0.8 + 0.2) / 2, abs=1e-6)
    assert (len(score.evidence["questions"]), score.evidence["wanted"]) == (2, 3)


def test_more_questions_than_wanted_are_left_out(judge: Make, sample: Make, script: Make) -> None:
    script(ReverseQuestions={"noncommittal": False, "questions": ["cos 0.8", "cos 0.6", "cos 0.1"]})
    assert asyncio.run(AnswerRelevance(judge(), Angles(), questions=2).assess(sample())).value == pytest.approx(0.7)


@pytest.mark.parametrize("questions", [["cos 0.9"], []])
def test_a_noncommittal_answer_scores_0_and_embeds_nothing(
    judge: Make, sample: Make, script: Make, questions: Any
) -> None:
    script(ReverseQuestions={"noncommittal": True, "questions": questions})
    embedder = Angles()
    score = asyncio.run(AnswerRelevance(judge(), embedder).assess(sample(response="I don't know.")))
    assert (score.status, score.value, embedder.batches) == ("scored", 0.0, [])
    assert score.evidence["noncommittal"] is True


def test_no_question_at_all_is_failed_and_not_a_number(judge: Make, sample: Make, script: Make) -> None:
    script(ReverseQuestions={"noncommittal": False, "questions": [" "]})
    score = asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample()))
    assert (score.status, score.value) == ("failed", None)
    assert "the reply cannot be used: it is refused: it is not noncommittal, and holds no question" in score.reason
    assert score.usage.calls == 2, "it is asked once more with the error"


@pytest.mark.parametrize(("language", "words"), [("nl", "Schrijf 3 vragen."), ("en", "Write 3 questions.")])
def test_questions_are_asked_for_in_the_samples_language(
    judge: Make, sample: Make, openai_server: OpenAIServer, language: str, words: str
) -> None:
    asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample(language=language, response="cos 0.5 .")))
    assert openai_server.requests[0].user.endswith(words)


def test_the_default_embedder_puts_likes_near_each_other(judge: Make, sample: Make, script: Make) -> None:
    """The real encoder, once: a paraphrase lies nearer than another subject, in either language."""

    def relevance(question: str, generated: str) -> float:
        script(ReverseQuestions={"noncommittal": False, "questions": [generated]})
        score = asyncio.run(AnswerRelevance(judge()).assess(sample(user_input=question)))
        assert score.evidence["embedder"] == "use"
        assert score.value is not None
        return score.value

    assert relevance(ASKED, "Where can I enter a bonus?") > relevance(ASKED, "What is the weather in Paris?") + 0.3
    assert relevance("Hoe voeg ik een bonus toe?", "Waar voer ik een bonus in?") > 0.5


def test_an_embedder_by_api_asks_once_for_all_texts(
    judge: Make, sample: Make, script: Make, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", openai_server.api_base)
    # the server's vectors count words: "how do i add a bonus" and "how do i add a car" share 5 of 6
    script(ReverseQuestions={"noncommittal": False, "questions": ["how do i add a car"]})
    score = asyncio.run(AnswerRelevance(judge(), "litellm:openai/embed").assess(sample()))
    assert score.value == pytest.approx(5 / 6, abs=1e-4)
    embeddings = [request for request in openai_server.requests if request.path.endswith("/embeddings")]
    assert [request.body["input"] for request in embeddings] == [[ASKED, "how do i add a car"]]


def test_a_text_without_a_direction_has_no_cosine() -> None:
    """Neither NaN nor 0.0, which would pass for a measurement."""

    class Nothing(Embedder):
        name = "nothing"

        async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            return np.zeros((len(texts), 3), dtype=np.float32)

    with pytest.raises(JudgeError, match="nothing: the vectors cannot be used: vector 1 is zero"):
        asyncio.run(Nothing().cosines("a", ["b"]))


@pytest.mark.parametrize("wrong", ["questions=0", "questions=three", "embedder=use"])
def test_options_that_make_no_sense_are_refused(judge: Make, wrong: str) -> None:
    with pytest.raises(UsageError, match="answer_relevance"):
        load_metric(f"answer_relevance:{wrong}", judge(), UniversalSentenceEncoder())


@pytest.mark.parametrize("name", ["", "bert", "st:", "litellm:", "use:large"])
def test_an_unknown_embedder_is_named_with_those_there_are(name: str) -> None:
    with pytest.raises(UsageError, match="use, st:MODEL or litellm:MODEL"):
        load_embedder(name)
