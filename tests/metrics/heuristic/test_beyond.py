"""The heuristics beyond the paper's seven, worked out by hand."""

import pytest
from case_files import cases_beside

from assay.languages import load_language
from assay.metrics import (
    AnswerContradiction,
    ContextSynthesis,
    ErrorMismatch,
    GeneralAnswer,
    OffContext,
    ScopeCheck,
    context_synthesis,
    error_mismatch,
    find_source,
    off_context,
)
from assay.text import find_errors

CASES = cases_beside(__file__)

ERRORS = (
    "Error AB-101: the certificate has expired. Renew it at Links.\n"
    "Error AB-102: the receipt is larger than 10 MB. Upload a smaller file."
)


def test_an_answer_is_about_the_error_asked_about():
    assert find_errors("I get AB-101, ab and error 404.", load_language("en")) == ["ab-101", "404"]
    assert find_errors("Foutmelding: “Mutatie kan niet” en foutcode 12345", load_language("nl")) == [
        "12345",
        "mutatie kan niet",
    ]
    assert find_errors("In 2024 we paid 404 people.", load_language("en")) == []
    # Fig. 2 of the paper: asked about 404, answered about 403.
    assert error_mismatch(["403"], ["404"], ["403", "404"]) == 0
    assert error_mismatch(["404", "403"], ["404"], []) == 1 / 2
    assert error_mismatch(["403"], [], ["403"]) == 1
    assert error_mismatch([], ["404"], []) is None


@pytest.mark.parametrize(("answer", "value"), CASES["mixed_up"])
def test_an_error_explained_as_another_is_a_mix_up(answer, value):
    score = ErrorMismatch().score(
        user_input="What is AB-101?", response=answer, retrieved_contexts=[ERRORS], language="en"
    )
    assert score.value == value


@pytest.mark.parametrize(("answer", "language", "value"), CASES["contradictions"])
def test_only_a_plain_denial_is_a_contradiction(answer, language, value):
    assert AnswerContradiction().score(user_input="?", response=answer, language=language).value == value


def test_synthesis_is_the_share_of_the_documents_beyond_the_first():
    assert find_source({"a", "b", "c"}, [{"a"}, {"a", "b"}]) == 1
    assert find_source({"a", "b", "c"}, [{"a"}, {"b"}]) is None
    assert find_source({"a", "b"}, [{"a"}, {"b"}]) is None, "a tie tells nothing"
    assert context_synthesis([0, 1, 0], 2) == 1
    assert context_synthesis([0, 0, None], 2) == 0
    # three sentences, four contexts: at most 3; two were used: 1 of 2 beyond the first
    assert context_synthesis([0, 2, 2], 4) == 1 / 2
    score = ContextSynthesis().score(
        user_input="?", response="It works. It does.", retrieved_contexts=["It works."], language="en"
    )
    assert score.status == "skipped"


def test_off_context_is_the_share_of_the_checks_that_agree():
    assert off_context([ScopeCheck("number", "42", agrees=False), ScopeCheck("scope", "one", agrees=True)]) == 1 / 2
    assert off_context([]) is None


@pytest.mark.parametrize(("question", "answer", "value"), CASES["other_scopes"])
def test_another_number_scope_or_trade_is_off(question, answer, value):
    score = OffContext().score(
        user_input=question, response=answer, retrieved_contexts=["Reports within 28 days are joined."], language="en"
    )
    assert score.value == value


def test_a_vague_answer_is_general():
    vague = "That depends on the situation. In some cases it can be done."
    assert GeneralAnswer().score(user_input="?", response=vague, language="en").value == 0
    # a component and a number; a sentence that fits any product
    mixed = "Go to Payroll > Runs. It takes 3 days. It is a good idea."
    assert GeneralAnswer().score(user_input="?", response=mixed, language="en").value == pytest.approx(2 / 3)
    assert GeneralAnswer().score(user_input="?", response="Hello!", language="en").status == "skipped"
    marked = "Switch the list from **All leave** to **Open**. It is a good idea."  # a component by its markup alone
    assert GeneralAnswer().score(user_input="?", response=marked, language="en").value == 1 / 2
