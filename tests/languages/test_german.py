"""German: a pack, prompts and a set, and no line of code (`git show --stat` of the commit that added them)."""

import pytest

from assay.eval_sets import load_set
from assay.languages import load_language
from assay.metrics import Declined
from assay.metrics.factoid import Factoid
from assay.prompts import BUNDLED
from assay.text.language_detection import detect_language
from assay.text.sentences import claiming_sentences

GERMAN = load_language("de")
JUDGED = ("claims", "listed", "single", "support", "questions", "rating", "declined", "fix")


@pytest.mark.parametrize("name", JUDGED)
def test_every_judge_metric_has_its_prompt(name):
    assert BUNDLED.load(name, "de").language == "de"


def test_the_set_is_read_as_german_also_without_its_language_column():
    samples = load_set("helpdesk_de")
    assert len(samples) == 20
    assert {sample.language for sample in samples} == {"de"}
    assert {detect_language(sample.user_input, sample.response) for sample in samples} == {"de"}


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Guten Tag! Der Link ist 30 Minuten gültig.", ["Der Link ist 30 Minuten gültig."]),
        ("Nein, das ist am Wochenende leider nicht möglich.", ["Das ist am Wochenende leider nicht möglich."]),
        ("Das weiß ich leider nicht. Wenden Sie sich an den Support.", []),
        ("Die Frist endet z. B. am 31. März. Vielen Dank für Ihre Frage.", ["Die Frist endet z. B. am 31. März."]),
    ],
)
def test_claims_are_told_from_courtesies(answer, claims):
    assert claiming_sentences(answer, GERMAN) == claims


@pytest.mark.parametrize(
    ("answer", "declined"),
    [
        ("Das weiß ich leider nicht.", 1.0),
        ("Dazu habe ich keine Informationen. Bitte wenden Sie sich an die Personalabteilung.", 1.0),
        ("Nein, Sie dürfen vorher nichts essen.", 0.0),
        ("Sie parken in der Garage. Was es kostet, weiß ich nicht.", 0.0),
    ],
)
def test_refusals_are_recognised(answer, declined):
    assert Declined().score(response=answer, language="de").value == declined


@pytest.mark.parametrize(
    ("fact", "answer", "stated"),
    [
        ("3. März 2026", "Das war am 03.03.2026.", 1.0),
        ("12,50 €", "Es kostet 12,50 Euro.", 1.0),
        ("Montag bis Freitag von 8.00 bis 16.30 Uhr", "Mo-Fr 8:00-16:30 Uhr.", 1.0),
        ("Montag bis Freitag von 8.00 bis 16.30 Uhr", "Sa-So 8:00-16:30 Uhr.", 0.0),
        ("030 901820", "Rufen Sie +49 30 901820 an.", 1.0),
    ],
)
def test_facts_in_other_words_are_the_same(fact, answer, stated):
    assert Factoid().score(response=answer, reference=fact, language="de").value == stated
