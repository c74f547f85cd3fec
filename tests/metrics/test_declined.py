"""Whether an answer declines: by patterns, then by a judge."""

import asyncio
from typing import Any

import pytest
from openai_server import Answer

from assay.languages import load_language
from assay.metrics import Declined
from assay.metrics.catalogue import needs_judge
from assay.metrics.declined import find_refusal

DECLINES = [
    ("nl", "Dat weet ik niet."),
    ("nl", "Helaas heb ik geen informatie over parkeren. Neem contact op met de polikliniek."),
    ("nl", "De documenten vermelden niet hoe lang de opname duurt."),
    ("nl", "Op basis van de context kan ik deze vraag niet beantwoorden. Kan ik u ergens anders mee helpen?"),
    ("en", "I don't know."),
    ("en", "The provided context does not mention parking."),
    ("en", "This question cannot be answered from the text."),
    ("en", ""),
]
ANSWERS = [
    ("nl", "U mag vanaf middernacht niet eten of drinken."),
    ("nl", "Bel de polikliniek op 088 708 52 20. Daar maakt u een afspraak."),
    ("nl", "U parkeert in de garage. Wat het kost, weet ik niet."),
    ("nl", "Neem contact op met uw huisarts als u koorts krijgt."),
    ("en", "You park in the garage. I do not know what it costs."),
]


def measured(sample: Any, metric: Declined) -> Any:
    return asyncio.run(metric.assess(sample))


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "I don't know, because it is not in my documents."),
        ("nl", "Dat weet ik niet, want het staat niet in mijn documenten."),
        ("de", "Das weiß ich nicht, denn es steht nicht in meinen Dokumenten."),
    ],
)
def test_why_a_bot_declines_is_no_answer(language, answer):
    """The cause is a sentence of its own, and no judge is asked about it."""
    assert find_refusal(answer, load_language(language)).certain


@pytest.mark.parametrize(("language", "answer"), DECLINES)
def test_refusals_are_recognised(sample, language, answer):
    scored = measured(sample(response=answer, language=language), Declined())
    assert scored.value == 1.0, scored.reason


@pytest.mark.parametrize(("language", "answer"), ANSWERS)
def test_answers_are_not_refusals(sample, language, answer):
    scored = measured(sample(response=answer, language=language), Declined())
    assert scored.value == 0.0, scored.reason


def test_the_judge_is_asked_only_where_patterns_do_not_decide(sample, judge, openai_server):
    openai_server.script = lambda _: Answer(text="Yes")
    metric = Declined(judge(decide="single"))
    certain = measured(sample(response="I don't know.", language="en"), metric)
    assert (certain.value, certain.evidence["by"], openai_server.requests) == (1.0, "patterns", [])
    evasive = measured(sample(response="What I have is about operations only.", language="en"), metric)
    assert (evasive.value, evasive.evidence["by"]) == (1.0, "judge")
    assert evasive.usage.calls == len(openai_server.requests) == 1
    assert not needs_judge("declined")
