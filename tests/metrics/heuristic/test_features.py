"""The heuristic's features and parses, worked out by hand."""

import asyncio
import math
from pathlib import Path

import pytest

from assay.errors import InputError
from assay.languages import load_language
from assay.metrics import (
    Parsed,
    ParsedTexts,
    build_vocabulary,
    company_terms,
    complex_answer,
    find_pairs,
    find_pipeline,
    find_signal_words,
    nearness,
    prompt_overlap,
    subject_combination,
)
from assay.metrics.heuristic import CompanyTerms, ComplexAnswer, PromptOverlap, SubjectCombination

DUTCH = load_language("nl")


def test_hal_sums_pairs_by_nearness_whatever_their_order():
    assert nearness(1) == 1
    assert nearness(2) == pytest.approx((1 / 2 + 4 / 5 + 9 / 10) / 3)
    assert nearness(10) == pytest.approx((0 + 0 + 1 / 10) / 3)
    assert nearness(11) == 0
    # Window 2: neighbours 1, one word between them 1/2. a b a: (a, b) twice as neighbours; (a, a) is no pair.
    pairs = find_pairs(("a", "b", "a"), [], (2,))
    assert (pairs.words, pairs.total.tolist(), pairs.nearest.tolist()) == (("a", "b"), [2.0], [1.0])
    # a-b at distance 1 and again (weight 2), a-c once (1) and b-c at distance 2 once (1/2); b-c is in the context.
    assert find_pairs(["c", "a", "b", "a"], [["b", "c"]], (2,)).not_in_context(2) == ["a b", "c a"]


def hal(answer: list[str], contexts: list[list[str]]) -> float | None:
    return find_pairs(answer, contexts, (2,)).hal


def test_hal_compares_how_near_the_pairs_stand():
    # Window 2, answer a b c: ab 1, bc 1, ac 1/2; in all 2.5.
    answer = ["a", "b", "c"]
    assert hal(answer, [answer]) == 1
    # Context "a x b c": ab stands at distance 2, nearness 1/2 of the answer's 1; bc 1; ac at distance 3: 0.
    # (1 * 1/2 + 1 * 1 + 1/2 * 0) / 2.5
    assert hal(answer, [["a", "x", "b", "c"]]) == pytest.approx(1.5 / 2.5)
    # A pair counts in the context where it stands nearest.
    assert hal(answer, [["a", "x", "b", "c"], ["b", "a"]]) == pytest.approx(2 / 2.5)
    # Nearer than in the answer is no more than as near: ac is next to each other here, ab and bc are not there.
    assert hal(answer, [["c", "a"]]) == pytest.approx(0.5 / 2.5)
    assert hal(answer, [["x", "y"]]) == 0
    assert hal(answer, [[]]) == 0
    assert hal(answer, []) == 0
    assert hal(["a"], [answer]) is None
    assert hal([], [answer]) is None


def test_prompt_overlap_counts_different_words_and_sees_through_inflection_and_function_words():
    assert prompt_overlap(["tax", "rate", "adjust", "tax"], ["adjust", "rate", "rate"]) == pytest.approx(2 / 3)
    assert prompt_overlap([], ["adjust"]) is None
    score = PromptOverlap().score(
        user_input="How are the settings of employees changed?", response="Change a setting.", language="en"
    )
    # setting, employee, change are asked; employee is not taken up
    assert score.value == pytest.approx(2 / 3)
    assert score.evidence == {"shared": ["setting", "change"]}
    assert PromptOverlap().score(user_input="What is it?", response="A setting.", language="en").status == "skipped"


def test_complex_answer_counts_kinds_and_subject_combination_different_pairs():
    # reasoning twice and an example once: 2 of the 4 kinds
    signs = find_signal_words("Dat komt doordat de periode dicht is, dus niet open, zoals bijvoorbeeld mei.", DUTCH)
    assert signs["reasoning"] == ["doordat", "dus"]
    assert signs["examples"] == ["zoals", "bijvoorbeeld"]
    assert complex_answer(signs) == 2 / 4
    assert ComplexAnswer().score(user_input="?", response="Dusdanig.", language="nl").value == 0, "inside a word"
    answer = [("publish", "manager"), ("see", "employee"), ("see", "employee")]
    assert subject_combination(answer, {("see", "employee"), ("pay", "manager")}) == 1 / 2
    assert subject_combination([], {("see", "employee")}) is None


def test_company_terms():
    text = "De loonrun is definitief. Loonaangifte na de loonrun: de medewerker ziet het salaris. KP2044 loonrun"
    assert build_vocabulary([text], DUTCH) == ["loonrun", "loonaangifte"]
    assert build_vocabulary(["loonaangifte loonrun loonrun"], DUTCH, most=1) == ["loonrun"], "the most frequent"
    assert company_terms([]) == 0
    assert company_terms(["loonrun", "loonrun"]) == pytest.approx(1 / 3)
    assert company_terms(["a", "b", "c", "d"]) == 1


def test_a_vocabulary_file_takes_the_place_of_the_contexts(tmp_path):
    file = tmp_path / "terms.txt"
    file.write_text("# two terms\nloonrun\nproefberekening\n", encoding="utf-8")
    fields = {"user_input": "?", "response": "Start de loonrun met een proefberekening.", "language": "nl"}
    score = CompanyTerms(vocabulary=str(file)).score(**fields)
    assert score.value == pytest.approx(2 / 3)
    assert math.isclose(CompanyTerms().score(**fields, retrieved_contexts=["Een loonrun."]).value or 0, 1 / 3)
    with pytest.raises(InputError, match=r"absent\.txt"):
        CompanyTerms(vocabulary=f"{tmp_path}/absent.txt")


ENGLISH = load_language("en")
DUTCH_PIPELINE = Path("/work/shared/models/nl_ud_sm")  # nl_core_news_* cannot be had on the test machines


def parsed_text(text: str) -> Parsed:
    return asyncio.run(ParsedTexts().parse([text], ENGLISH))[0]


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


@pytest.mark.skipif(not DUTCH_PIPELINE.exists(), reason="no Dutch pipeline on this machine")
def test_a_dutch_pipeline_is_used_when_named(monkeypatch):
    monkeypatch.setenv("ASSAY_SPACY_NL", str(DUTCH_PIPELINE))
    score = SubjectCombination().score(
        user_input="Wie doet wat?",
        response="De medewerker vraagt verlof aan. De leidinggevende betaalt het salaris.",
        retrieved_contexts=["De medewerker vraagt verlof aan."],
        language="nl",
    )
    assert score.value == 1 / 2
    assert score.evidence == {"in_context": ["medewerker vragen"], "not_in_context": ["leidinggevende betalen"]}
