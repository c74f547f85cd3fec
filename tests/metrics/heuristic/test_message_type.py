"""Message types: the paper's examples and order, the positional rules habit by habit, messages held out."""

import json
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from assay.languages import MessageType, load_language
from assay.metrics.heuristic import classify

DUTCH = load_language("nl")
ENGLISH = load_language("en")

TYPES = {"error", "general", "reasoning", "instruction", "binary", "action", "unspecified"}
WORDS = ["how", "can", "you", "tell me", "why", "i want", "hoe", "kunt u", "vertellen", "of", "waar", "error", *".?,:"]
# Section IV-C.1, and the same in Dutch.
PAPER_EXAMPLES: list[tuple[str, str, MessageType]] = [
    ("en", "I get the error: mutation cannot be executed", "error"),
    ("en", "Would it be possible to adjust tax rates manually?", "binary"),
    ("en", "How would I adjust tax rates manually?", "instruction"),
    ("en", "I have adjusted tax settings, why don't I see a payslip anymore?", "reasoning"),
    ("en", "write an email to notify customers of the new tax rates.", "action"),
    ("en", "Good morning", "unspecified"),
    ("en", "What are the tax rates in the Netherlands?", "general"),
    ("en", "I got error 404, what does it mean?", "error"),
    ("nl", "Ik krijg de fout: mutatie kan niet worden uitgevoerd", "error"),
    ("nl", "Zou het mogelijk zijn om belastingtarieven handmatig aan te passen?", "binary"),
    ("nl", "Hoe zou ik belastingtarieven handmatig aanpassen?", "instruction"),
    ("nl", "Ik heb de belastinginstellingen aangepast, waarom zie ik geen loonstrook meer?", "reasoning"),
    ("nl", "schrijf een e-mail om klanten te informeren over de nieuwe belastingtarieven.", "action"),
    ("nl", "Goedemorgen", "unspecified"),
    ("nl", "Wat zijn de belastingtarieven in Nederland?", "general"),
]


@pytest.mark.parametrize(("language", "message", "kind"), PAPER_EXAMPLES)
def test_the_examples_of_the_paper(language, message, kind):
    assert classify(message, load_language(language)).type == kind


@pytest.mark.parametrize(("language", "message", "kind"), PAPER_EXAMPLES)
def test_the_papers_lists_type_the_papers_examples_but_for_what_has_no_question_mark(language, message, kind):
    """Its order makes small talk `reasoning` (no question mark); everything else in the examples comes out right."""
    assert classify(message, load_language(language), "paper").type == ("reasoning" if kind == "unspecified" else kind)


@pytest.mark.parametrize(
    ("message", "kind", "pattern"),
    [
        ("WHY do I get an ERROR?", "error", "error"),  # error stands before reasoning, and case does not count
        ("Why is there no explanation?", "general", " explanation"),  # general before reasoning
        ("How come I can do this?", "reasoning", "how come"),  # reasoning before instruction and binary
        ("How can I do this?", "instruction", "how "),  # instruction before binary
        ("Can I do this?", "binary", "can "),
        ("Can I do this", "reasoning", ""),  # no question mark, and no list before reasoning matched
        ("Summer?", "unspecified", ""),
    ],
)
def test_the_first_list_decides(message, kind, pattern):
    match = classify(message, ENGLISH, rules="paper")
    assert (match.type, match.pattern) == (kind, pattern)


@pytest.mark.parametrize(
    ("language", "message", "kind"),
    [
        # a polite frame asks nothing itself: what it holds does
        ("nl", "Kunt u mij vertellen hoe ik een toeslag toevoeg?", "instruction"),
        ("nl", "Kunt u mij vertellen waarom dat zo is?", "reasoning"),
        ("nl", "Kunt u mijn adres wijzigen?", "action"),
        ("en", "Could you please tell me how I add an allowance?", "instruction"),
        ("en", "Could you please tell me why that is?", "reasoning"),
        ("en", "Could you change my address?", "action"),
        # how long, how much: a fact, no guide
        ("nl", "Hoe lang duurt dat?", "general"),
        ("en", "How much is that?", "general"),
        # the sentence that asks decides, not the one that tells
        ("nl", "Ik kan nu niets wijzigen. Hoe pas ik mijn naam aan? Het is een typefout.", "instruction"),
        # no question mark, no capitals, no commas
        ("nl", "hoi kan ik ook met een bon betalen", "binary"),
        ("en", "hi can i also pay with a voucher", "binary"),
        # the wish to do something asks how
        ("nl", "Ik wil mijn abonnement stopzetten.", "instruction"),
        ("en", "I want to stop my subscription.", "instruction"),
        # what is quoted is not asked
        ("nl", 'Vertaal naar het Engels: "Hoe kan ik dit wijzigen?"', "action"),
        ("en", "Please translate this: 'How can I change this?'", "action"),
        # pasted errors, also without the word
        ("nl", "Opslaan lukt niet:\nSystem.NullReferenceException: Object reference not set", "error"),
        ("nl", "Het systeem zegt 'geen verbinding met de server'", "error"),
        # what speaks of errors or quotes something, and reports none
        ("nl", "Hoe zet ik foutmeldingen uit?", "instruction"),
        ("nl", "Krijg ik een melding als mijn pakket komt?", "binary"),
        ("nl", "Op de site staat: 'gratis verzending vanaf 20 euro'. Geldt dat ook voor retouren?", "binary"),
        ("en", "How do I turn off error messages?", "instruction"),
        # a condition first, then the question
        ("nl", "Als ik de medewerker verwijder, blijft zijn dossier dan bestaan?", "binary"),
        ("nl", "Als ik de medewerker verwijder, wat gebeurt er dan met zijn dossier?", "reasoning"),
        ("en", "If I delete the employee, will the file be kept?", "binary"),
        ("en", "If I delete the employee, what happens to the file?", "reasoning"),
        # a statement with a question mark asks whether it is so
        ("nl", "U levert ook in België, toch?", "binary"),
        # something unexpected, reported without a question, asks why
        ("nl", "De cijfers kloppen niet.", "reasoning"),
    ],
)
def test_positions(language, message, kind):
    match = classify(message, load_language(language))
    assert match.type == kind, match.reason


def test_it_says_what_matched_whatever_the_quotes_and_blanks():
    match = classify("Goedemorgen, kunt u mij vertellen waarom dat zo is?", DUTCH)
    assert (match.type, match.matched) == ("reasoning", "waarom")
    assert "waarom" in match.pattern
    assert match.reason == "'waarom' after a polite frame"
    assert classify("I  don’t understand\twhy", ENGLISH) == classify("I don't understand why", ENGLISH)


@pytest.mark.parametrize("language", ["nl", "en"])
@pytest.mark.parametrize("message", ["", "   \n", "???", "...", "👍", "'", '"?"'])
def test_a_message_without_words_is_unspecified(language, message):
    match = classify(message, load_language(language))
    assert (match.type, match.pattern, match.matched) == ("unspecified", "", "")


def test_only_allowed_patterns_decide():
    """Cross-validation takes away the patterns that no other message bears out."""
    for rules in ("paper", "positional"):
        match = classify("Why is that?", ENGLISH, rules)
        assert match.type == "reasoning"
        assert classify("Why is that?", ENGLISH, rules, frozenset([match.pattern])) == match
        assert classify("Why is that?", ENGLISH, rules, frozenset()).type == "unspecified"


@given(st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join), st.sampled_from(["nl", "en"]))
def test_any_text_has_a_type_and_what_matched_stands_in_it(message, language):
    match = classify(message, load_language(language))
    assert match.type in TYPES
    assert match.matched in message
    assert bool(match.matched) == bool(match.pattern)
    assert match.reason


def labelled(language: str) -> list[dict[str, str]]:
    file = Path(__file__).parent / f"messages_{language}.jsonl"
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("language", ["nl", "en"])
def test_on_messages_that_no_rule_was_written_from(language):
    """Issue 3: above 0.85 of all types, and 0.93 of whether it is binary or instruction; and better than the lists."""
    rows = [row for row in labelled(language) if row["part"] == "held_out"]
    scored = {"binary", "instruction"}
    label_pairs = [(row["type"], classify(row["message"], load_language(language)).type) for row in rows]
    right = sum(label == typed for label, typed in label_pairs) / len(rows)
    assert right > 0.85
    assert sum((label in scored) == (typed in scored) for label, typed in label_pairs) / len(rows) > 0.93
    assert right > sum(
        row["type"] == classify(row["message"], load_language(language), "paper").type for row in rows
    ) / len(rows)
