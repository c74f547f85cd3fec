"""What the parser adds: who does what. With the English pipeline that the development extra installs: never skipped."""

import asyncio
from pathlib import Path

import pytest

from assay.languages import load_language
from assay.metrics.heuristic import SubjectCombination
from assay.metrics.heuristic.parse_cache import Parsed, ParsedTexts
from assay.metrics.heuristic.pipelines import find_pipeline

ENGLISH = load_language("en")
DUTCH = Path("/work/shared/models/nl_ud_sm")  # nl_core_news_* cannot be had on the test machines


def parsed_text(text: str) -> Parsed:
    return asyncio.run(ParsedTexts({}).parse([text], ENGLISH))[0]


def test_who_does_what_in_the_answer_does_so_in_the_context():
    score = SubjectCombination().score(
        user_input="Who approves?",
        response="The employee approves the request. The manager pays.",
        retrieved_contexts=["A manager approves requests.", "The managers pay."],
        language="en",
    )
    # the employee approves: no; the manager pays: yes
    assert score.value == 1 / 2
    assert score.evidence == {"in_context": ["manager pay"], "not_in_context": ["employee approve"]}


def test_of_a_long_text_the_first_40_000_characters_are_parsed():
    """The manager pays at its beginning, and the sun shines beyond the bound."""
    text = f"The manager pays. {'('.ljust(100) * 400}The sun shines."
    assert parsed_text(text).subjects == (("pay", "manager"),)
    score = SubjectCombination().score(response=text, retrieved_contexts=["The manager pays."], language="en")
    assert score.value == 1.0
    assert score.evidence["bounds"] == [
        "only the first 40,000 of 40,033 characters of the answer and of each context are parsed"
    ]


def test_the_english_pipeline_pairs_subjects_with_their_verbs_as_lemmas():
    # Without it every parser feature would be skipped, and nothing here would tell.
    pipeline = find_pipeline(ENGLISH)
    assert pipeline.nlp is not None, pipeline.lacking
    assert "parser" in pipeline.nlp.pipe_names
    parsed = parsed_text("Employees find the payslips. Managers approved a request.")
    assert parsed.subjects == (("find", "employee"), ("approve", "manager"))
    assert parsed_text("The settings of an employee").lemmas == ("setting", "employee")


@pytest.mark.skipif(not DUTCH.exists(), reason="no Dutch pipeline on this machine")
def test_a_dutch_pipeline_is_used_when_named():
    score = SubjectCombination(nlp_nl=str(DUTCH)).score(
        user_input="Wie doet wat?",
        response="De medewerker vraagt verlof aan. De leidinggevende betaalt het salaris.",
        retrieved_contexts=["De medewerker vraagt verlof aan."],
        language="nl",
    )
    assert score.value == 1 / 2
    assert score.evidence == {"in_context": ["medewerker vragen"], "not_in_context": ["leidinggevende betalen"]}
