"""Verdicts in the language of their reader: the same texts in both packs, each line of at most 90 characters."""

import re

import pytest
from case_files import cases_beside

from assay.languages import load_language
from assay.presentation import Verdict
from assay.text import phrase

LONGEST_LINE = 90
STARTS = ("about_", "title_", "section_", "month_", "gate_")
LIST_OF_RUNS = "metric_mean"  # the first text that is of no verdict
CASES = cases_beside(__file__)
VALUES, OWN_VALUES, SHORTER = CASES["values"], CASES["own_values"], CASES["shorter"]


def write_longest(texts, name, values):
    """A text with the longest values in its places, in the longest of its forms."""
    text = texts[name]
    values = {**values, "count": "100"} if name == "people" else values
    forms = [text] if isinstance(text, str) else list(text)
    return max((form.format_map(Longest(texts, values)) for form in forms), key=len)


class Longest(dict):
    """The longest text of each place."""

    def __init__(self, texts, values):
        super().__init__()
        self.texts, self.values = texts, values

    def __missing__(self, place):
        value = self.values[place]
        if isinstance(value, str):
            return value
        inner = {**self.values, place: value}
        return max((write_longest(self.texts, name, inner) for name in value), key=len)


def lines_of(texts):
    names = list(texts)
    names = names[: names.index(LIST_OF_RUNS)]
    return [name for name in names if name not in CASES["parts"] and not name.startswith(STARTS)]


@pytest.mark.parametrize("code", ["en", "nl"])
def test_a_line_has_room_for_the_longest_values(code):
    texts = load_language(code).verdict.texts
    shortest: dict[str, str] = {}
    for name in lines_of(texts):
        base = name.removesuffix("_shortly")
        values = {**VALUES, **OWN_VALUES.get(base, {})}
        names = [name, *([SHORTER[base]] if base in SHORTER else [])]
        forms = [shortest[base]] if base in shortest else []
        shortest[base] = min([*forms, *(write_longest(texts, one, values) for one in names)], key=len)
    too_long = {name: (len(text), text) for name, text in shortest.items() if len(text) > LONGEST_LINE}
    assert not too_long


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
