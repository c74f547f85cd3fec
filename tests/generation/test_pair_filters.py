"""Which pairs are rejected, and why."""

import asyncio
import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_server import Answer, Request

from assay.errors import InputError
from assay.generation import Section
from assay.generation.pair import Fact, Pair
from assay.generation.pair_filters import SINGLE_PAIR_FILTERS, Thresholds, rouge_l_precision
from assay.generation.pair_selection import FILTERS, select_pairs
from assay.generation.quotas import proportional_quotas
from assay.judges.embedders import load_embedder

EMBEDDER = load_embedder("use")


def pair(name: str, section: str = "mri.md#000", **fields: Any) -> Pair:
    usual = {
        "document": section.partition("#")[0],
        "language": "nl",
        "kind": "long-form",
        "question": "Mag ik voor de MRI nog gewoon eten en drinken?",
        "answer": "U mag voor de MRI gewoon eten en drinken.",
    }
    return Pair.model_validate({"id": name, "section": section} | usual | fields)


PHONE = {
    "section": "mri.md#001",
    "kind": "factoid",
    "fact": Fact(kind="phone", text="088 708 52 20"),
    "question": "Op welk nummer bel ik de afdeling Radiologie?",
    "answer": "U belt de afdeling Radiologie op 088-7085220.",
}
CASES = [
    ("empty", {"question": "?"}, "no question"),
    ("empty", {"answer": " - "}, "no answer"),
    ("empty", {"answer": "Dat staat niet in de tekst."}, "declines"),
    ("other language", {"question": "May I eat before the MRI?", "answer": "You may eat and drink as usual."}, "in en"),
    ("factoid-looking", {"section": "mri.md#001", "answer": "Bel de afdeling op 088 708 52 20."}, "088 708 52 20"),
    ("unlike its section", {"answer": "Trek uw verlofaanvraag op tijd in bij Mijn pagina."}, "below 0.4"),
    ("fact missing", PHONE | {"section": "gips.md#001"}, "section does not state"),
    ("fact missing", PHONE | {"answer": "U belt 088-7085221."}, "answer does not state"),
    ("fact missing", PHONE | {"question": "Is 088 708 52 20 van de Radiologie?"}, "gives away the phone"),
    ("fact missing", PHONE | {"fact": None}, "no fact"),
]


@pytest.mark.parametrize(("name", "fields", "reason"), CASES)
def test_each_filter_rejects_with_its_reason(*, sections, name, fields, reason):
    bad = pair("p", **fields)
    section = next(section for section in sections if section.id == bad.section)
    reasons = {each: reject(bad, section, Thresholds()) for each, reject in SINGLE_PAIR_FILTERS.items()}
    assert reason in reasons[name]
    for good in (pair("q"), pair("f", **PHONE)):
        home = next(section for section in sections if section.id == good.section)
        assert all(reject(good, home, Thresholds()) == "" for reject in SINGLE_PAIR_FILTERS.values())


def test_rouge_l_precision_counts_the_words_in_order():
    # of the five words of the answer, `u mag eten` are in the section in this order
    assert rouge_l_precision("Nee, u mag nooit eten", "U mag gewoon eten en drinken") == 3 / 5


def run_filters(pairs: list[Pair], sections: list[Section], judge: Any = None, **options: Any) -> Any:
    return asyncio.run(select_pairs(pairs, sections, EMBEDDER, judge, **options))


def test_of_two_similar_questions_one_is_rejected(sections):
    same = "Wat is het telefoonnummer van de polikliniek Radiologie?"
    alike = "Op welk telefoonnummer bereik ik de polikliniek Radiologie?"
    pairs = [
        pair("a", question=same),
        pair("b", question=alike, section="mri.md#001", answer="U maakt een nieuwe afspraak voor het onderzoek."),
        pair("c", section="gips.md#000", question="Blijft het gips lang?", answer="Het gips blijft zes weken zitten."),
    ]
    selection = run_filters(pairs, sections)
    assert [each.id for each in selection.selected] == ["a", "c"]
    assert (selection.rejected[0].rejected_by, selection.rejected[0].id) == ("duplicate", "b")
    assert "cosine 0.9" in selection.rejected[0].reason
    assert "(a)" in selection.rejected[0].reason


def test_the_best_pair_of_a_section_has_the_highest_score(sections, judge, openai_server):
    digits = {"Mag ik voor de MRI nog": "3", "Waarom laat ik mijn": "5", "Doet het onderzoek": "1"}

    def score(request: Request) -> Answer:
        digit = next(digit for start, digit in digits.items() if f"<question>\n{start}" in request.user)
        return Answer(text=json.dumps({"score": digit}))

    openai_server.script = score
    pairs = [
        pair("good"),
        pair("best", question="Waarom laat ik mijn sieraden thuis?", answer="Want metaal verstoort het beeld."),
        pair("poor", question="Doet het onderzoek pijn?", answer="Het onderzoek doet geen pijn."),
    ]
    selection = run_filters(pairs, sections, judge)
    assert [(each.id, each.score) for each in selection.selected] == [("best", 5.0)]
    rejected = {each.id: (each.rejected_by, each.score) for each in selection.rejected}
    assert rejected == {"poor": ("low score", 1.0), "good": ("not the section's best", 3.0)}


def test_every_pair_is_selected_or_rejected_once_and_the_counts_add_up(sections):
    pairs = [pair(f"p{number}", **fields) for number, (_, fields, _) in enumerate(CASES)] + [pair("q")]
    selection = run_filters(pairs, sections, n=5)
    assert sorted(each.id for each in [*selection.selected, *selection.rejected]) == sorted(each.id for each in pairs)
    assert [row.name for row in selection.counts] == [
        name for name in FILTERS if name not in {"in no fold", "low score"}
    ]
    assert sum(sum(row.rejected.values()) for row in selection.counts) == len(selection.rejected) == 10
    assert Counter(each.rejected_by for each in selection.rejected) == Counter(name for name, _, _ in CASES)
    assert all(each.reason for each in selection.rejected)


def test_selected_pairs_have_the_sections_distribution_over_topics(sections):
    """Topic 0 has four sections and topic 1 two: of three pairs, two and one; without the worst of topic 0."""
    pairs = [
        pair(
            f"p{place}",
            section=section.id,
            question=f"{section.heading}: {section.text.split('.')[1]}?",
            answer=section.text,
            topic=0 if place < 4 else 1,
            score=5.0 - place,
        )
        for place, section in enumerate(sections)
    ]
    selection = run_filters(pairs, sections, n=3, factoid_share=0)
    assert [each.id for each in selection.selected] == ["p0", "p1", "p4"]


def test_folds_are_given_to_pairs_that_were_written_by_hand(sections, folds):
    pairs = [pair("a"), pair("b", **PHONE)]
    selection = run_filters(pairs, sections, folds=[fold for fold in folds if fold.section == "mri.md#000"])
    assert [(each.id, each.fold, each.split, each.topic) for each in selection.selected] == [("a", 1, "validation", 0)]
    assert [(each.id, each.rejected_by) for each in selection.rejected] == [("b", "in no fold")]


def test_a_pair_of_an_unknown_section_is_an_error(sections):
    with pytest.raises(InputError, match="the pair p is of section nowhere"):
        run_filters([pair("p", section="nowhere")], sections)


COUNTS = st.dictionaries(st.integers(0, 6), st.integers(0, 9), max_size=6)


@given(st.integers(0, 30), COUNTS, COUNTS)
def test_proportional_quotas_add_up_within_what_is_available(wanted, shares, available):
    quotas = proportional_quotas(wanted, shares, available)
    assert sum(quotas.values()) == min(wanted, sum(available.values()))
    assert all(0 <= quotas[stratum] <= available[stratum] for stratum in available)
