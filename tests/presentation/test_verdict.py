"""Verdicts in the language of their reader: both packs have the same texts with the same values, in few words."""

import re

import pytest

from assay.languages import load_language
from assay.presentation import Verdict
from assay.text import phrase

LABEL, PLACE = "about_", re.compile(r"\{(\w+)\}")


def forms(text):
    return [text] if isinstance(text, str) else list(text)


@pytest.fixture(scope="module")
def packs():
    return {code: load_language(code).verdict.texts for code in ("en", "nl")}


def test_dutch_has_every_text_of_english_with_its_values(packs):
    places = {
        code: {name: [set(PLACE.findall(form)) for form in forms(text)] for name, text in texts.items()}
        for code, texts in packs.items()
    }
    assert places["nl"] == places["en"]


@pytest.mark.parametrize("code", ["en", "nl"])
def test_what_a_line_is_about_has_room(packs, code):
    labels = {name: text for name, text in packs[code].items() if name.startswith(LABEL)}
    assert max(map(len, labels.values())) <= 16
    assert len(set(labels.values())) == len(labels)


def test_a_verdict_speaks_the_language_of_the_environment(monkeypatch):
    verdict = Verdict((("newly", phrase("newly_failing", newly=1, count=1200, before=phrase("accepted_run"))),))
    monkeypatch.setenv("LC_ALL", "")
    monkeypatch.setenv("LC_MESSAGES", "")
    said = {}
    for language in ("nl_BE.UTF-8", "C.UTF-8", "de_DE.UTF-8", ""):
        monkeypatch.setenv("LANG", language)
        said[language] = str(verdict)
    english = "Newly failing     1 of 1,200 samples, compared with the accepted run"
    dutch = "Nieuw mislukt     1 van 1.200 antwoorden, vergeleken met de geaccepteerde run"
    assert said == {"nl_BE.UTF-8": dutch, "C.UTF-8": english, "de_DE.UTF-8": english, "": english}
    assert verdict.as_json() == {"Newly failing": "1 of 1,200 samples, compared with the accepted run"}


def test_the_first_text_that_has_room_stands_and_a_long_one_is_wrapped_never_cut():
    long, short = phrase("reversed", metric="m" * 90), phrase("reversed_shortly")
    assert Verdict((("trust", long, short),)).lines("en") == [("Trust", "a metric goes against the ratings")]
    verdict = Verdict((("trust", phrase("reversed", metric="word " * 20)),))
    ((_, whole),) = verdict.lines("en")
    assert whole == f"{'word ' * 20} goes against the ratings".replace("  ", " ")
    assert not verdict.paragraphs()[0].is_whole


def test_a_verdict_has_at_most_four_lines():
    with pytest.raises(ValueError, match="at most 4 lines"):
        Verdict((("trust", phrase("none")),) * 5)
