"""What the parser adds: who does what. With the English pipeline that the development extra installs."""

import asyncio

import pytest

from assay.metrics.heuristic import SubjectCombination
from assay.metrics.heuristic.parsed import ParsedTexts
from assay.metrics.heuristic.pipelines import find_pipeline

pytest.importorskip("spacy")
if find_pipeline("en").nlp is None:
    pytest.skip("no English pipeline is installed", allow_module_level=True)


def test_subjects_are_paired_with_their_verbs_as_lemmas() -> None:
    parsed = ParsedTexts({}).parse(["Employees find the payslips. Managers approved a request."], "en")[0]
    assert parsed.subjects == (("find", "employee"), ("approve", "manager"))


def test_lemmas_leave_out_english_function_words() -> None:
    assert ParsedTexts({}).parse(["The settings of an employee"], "en")[0].lemmas == ("setting", "employee")


def test_who_does_what_in_the_answer_does_so_in_the_context() -> None:
    score = SubjectCombination().score(
        user_input="Who approves?",
        response="The employee approves the request. The manager pays.",
        retrieved_contexts=["A manager approves requests.", "The managers pay."],
        language="en",
    )
    # the employee approves: no; the manager pays: yes
    assert score.value == 1 / 2
    assert score.evidence == {"in_context": ["manager pay"], "not_in_context": ["employee approve"]}


def test_a_text_longer_than_a_parse_is_read_to_its_end() -> None:
    texts = ParsedTexts({}, longest=20)
    parsed = asyncio.run(texts.parse_together(["The sun shines.\nThe manager pays."], "en"))[0]
    assert parsed.subjects == (("shine", "sun"), ("pay", "manager"))
