"""The heuristics beyond the paper's seven, worked out by hand."""

import pytest

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


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("AB-101 means that the certificate has expired. Renew it.", 1.0),
        ("AB-101 means that the receipt is too large. Upload a smaller file.", 0.0),
        ("Please look at the settings.", None),
    ],
)
def test_an_error_explained_as_another_is_a_mix_up(answer, value):
    score = ErrorMismatch().score(
        user_input="What is AB-101?", response=answer, retrieved_contexts=[ERRORS], language="en"
    )
    assert score.value == value


@pytest.mark.parametrize(
    ("answer", "language", "value"),
    [
        ("The manager can approve leave requests. The manager cannot approve leave requests.", "en", 0.0),
        ("Yes, that works. No, that is not possible.", "en", 0.0),
        ("The manager can approve requests. Employees cannot see salaries.", "en", 1.0),
        ("It is open. If you did not choose a pay group, choose a pay group.", "en", 1.0),
        ("The run was not closed in 2023. The run was closed in 2024.", "en", 1.0),
        ("Can the manager approve leave requests? The manager cannot approve leave requests.", "en", 1.0),
    ],
)
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


@pytest.mark.parametrize(
    ("question", "answer", "value"),
    [
        ("How long?", "It takes 42 days.", 0.0),
        ("How long?", "It takes twenty-eight days.", None),
        ("I want to raise only her salary.", "Select all employees.", 0.0),
        ("I want to raise only her salary.", "Select one employee.", 1.0),
        # singular or plural, where the question says for how many and the answer does not
        ("How do I raise all salaries?", "Open the salary and raise it.", 0.0),
        ("How do I raise all salaries?", "Open the salaries and raise them.", 1.0),
        ("How do I raise one salary?", "Open the salaries and raise them.", 0.0),
        ("How do I raise all salaries?", "Raise it for everyone: open the salary.", None),
        ("We are a school. When is it paid?", "A company pays in May.", 0.0),
        ("We are a school. When is it paid?", "A school pays in May.", 1.0),
    ],
)
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
