"""Answer relevance: cosines that are known by construction, so that every mean can be worked out by hand."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.errors import UsageError
from assay.judges.embedders import Embedder, UniversalSentenceEncoder
from assay.metrics import AnswerRelevance
from assay.metrics.catalogue import load_metric

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
def test_the_mean_of_the_cosines(*, judge, sample, script, openai_server, cosines, value, raw):
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


def test_the_same_question_twice_counts_once_and_none_at_all_fails(judge, sample, script):
    script(ReverseQuestions={"noncommittal": False, "questions": ["cos 0.8", "COS  0.8 ", "", "cos 0.2"]})
    score = asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample()))
    assert score.value == pytest.approx((0.8 + 0.2) / 2, abs=1e-6)
    assert (len(score.evidence["questions"]), score.evidence["wanted"]) == (2, 3)
    script(ReverseQuestions={"noncommittal": False, "questions": ["cos 0.8", "cos 0.6", "cos 0.1"]})
    assert asyncio.run(AnswerRelevance(judge(), Angles(), questions=2).assess(sample())).value == pytest.approx(0.7)
    script(ReverseQuestions={"noncommittal": False, "questions": [" "]})
    score = asyncio.run(AnswerRelevance(judge(), Angles()).assess(sample()))
    assert (score.status, score.value) == ("failed", None)
    assert "the reply cannot be used: it is refused: it is not noncommittal, and holds no question" in score.reason
    assert score.usage.calls == 2, "it is asked once more with the error"


@pytest.mark.parametrize("questions", [["cos 0.9"], []])
def test_a_noncommittal_answer_scores_0_and_embeds_nothing(judge, sample, script, questions):
    script(ReverseQuestions={"noncommittal": True, "questions": questions})
    embedder = Angles()
    score = asyncio.run(AnswerRelevance(judge(), embedder).assess(sample(response="I don't know.")))
    assert (score.status, score.value, embedder.batches) == ("scored", 0.0, [])
    assert score.evidence["noncommittal"] is True


@pytest.mark.parametrize("wrong", ["questions=0", "questions=three", "embedder=use"])
def test_options_that_make_no_sense_are_refused(judge, wrong):
    with pytest.raises(UsageError, match="answer_relevance"):
        load_metric(f"answer_relevance:{wrong}", judge(), UniversalSentenceEncoder())
