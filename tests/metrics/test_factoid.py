"""Facts in texts, and whether an answer states those of the reference."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.languages import language_or_fallback
from assay.metrics import Factoid
from assay.text.entities import KINDS, find_entities, states_fact


def find_facts(text: str, language: str) -> list[tuple[str, str]]:
    return [(entity.kind, entity.text) for entity in find_entities(text, language_or_fallback(language))]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Bel 088 708 52 20 of 06-12345678.", "nl", [("phone", "088 708 52 20"), ("phone", "06-12345678")]),
        ("Mail naar mri.balie@zgt.nl.", "nl", [("email", "mri.balie@zgt.nl")]),
        ("On March 3rd, 2026 or 1 May", "en", [("date", "March 3rd, 2026"), ("date", "1 May")]),
        ("We are open from 9 am to 5 pm", "en", [("hours", "from 9 am to 5 pm")]),
        ("Het kost € 12,50 of 1.250 euro", "nl", [("amount", "€ 12,50"), ("amount", "1.250 euro")]),
        ("Adres: Geerdinksweg 141, 7555 DL Hengelo", "nl", [("address", "Geerdinksweg 141, 7555 DL Hengelo")]),
        ("In 2026 2027 waren er 45 patiënten op zaal 3.", "nl", []),
        ("Neem 2 tabletten van 500 mg, 3 keer per dag.", "nl", []),
    ],
)
def test_entities_by_kind(text, language, expected):
    assert find_facts(text, language) == expected


@pytest.mark.parametrize(
    ("fact", "answer", "language", "stated"),
    [
        ("088 708 52 20", "U belt +31 88 7085220.", "nl", True),
        ("088 708 52 20", "U belt 088 708 52 21.", "nl", False),
        ("Info@ZGT.nl", "Mail info@zgt.nl!", "nl", True),
        ("3 maart 2026", "Op 03-03-2026.", "nl", True),
        ("3 maart 2026", "Op 3 maart 2025.", "nl", False),
        ("maandag t/m vrijdag 8.00-16.30", "Op werkdagen van 08:00 tot 16:30 uur.", "nl", True),
        ("maandag t/m vrijdag 8.00-16.30", "Op zaterdag van 8.00 tot 16.30 uur.", "nl", False),
        ("9 am to 5 pm", "Between 9.00 and 17.00.", "en", True),
        ("€ 12,50", "Dat kost 12,50 euro.", "nl", True),
        ("€ 12,50", "Dat kost $ 12,50.", "nl", False),
        ("1 euro", "Dat kost 21 euro.", "nl", False),
        ("Geerdinksweg 141, 7555 DL Hengelo", "Aan de Geerdinksweg 141 in Hengelo.", "nl", True),
        ("Geerdinksweg 141, 7555 DL", "Aan de Geerdinksweg 141, 7555 XX.", "nl", False),
    ],
)
def test_the_same_fact_in_other_words(sample, fact, answer, language, stated):
    given_sample = sample(response=answer, reference=f"Dat is {fact}.", language=language)
    score = asyncio.run(Factoid().assess(given_sample))
    assert score.value == float(stated)
    assert score.evidence["facts"][0]["stated"] is stated


def test_the_fact_that_the_set_names_is_the_one_and_without_facts_it_is_skipped(sample):
    fields = {"reference": "Bel 088 708 52 20 vóór 3 maart.", "language": "nl"}
    named = {"fact": {"kind": "phone", "text": "088 708 52 20"}}
    assert asyncio.run(Factoid().assess(sample(response="088 708 52 20", metadata=named, **fields))).value == 1
    assert asyncio.run(Factoid().assess(sample(response="088 708 52 20", **fields))).value == 0
    score = asyncio.run(Factoid().assess(sample(response="U mag eten.", reference="U mag gewoon eten.")))
    assert (score.status, score.value) == ("skipped", None)
    reference = "Bel 088 708 52 20 of mail info@zgt.nl."  # every fact of the reference counts
    score = asyncio.run(Factoid().assess(sample(response="088-7085220", reference=reference, language="nl")))
    assert score.value == 0 and "email info@zgt.nl" in score.reason


@given(st.text(alphabet="aA1-.,:/@€ \n+0meiuwrstovn'", max_size=200), st.sampled_from(["nl", "en", "fr", None]))
def test_entities_stand_in_the_text_and_apart(text, language):
    end = 0
    for entity in find_entities(text, language_or_fallback(language)):
        assert entity.kind in KINDS
        assert text[entity.start :].startswith(entity.text)
        assert entity.start >= end
        assert states_fact(text, entity, language_or_fallback(language))
        end = entity.start + len(entity.text)
