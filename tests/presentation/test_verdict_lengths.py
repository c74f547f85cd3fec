"""Verdicts in the language of their reader: the same texts in both packs, each line of at most 90 characters."""

import re

import pytest

from assay.languages import load_language
from assay.presentation import Verdict
from assay.text import phrase

LONGEST_LINE = 90
NAME = "n" * 24  # as long as versions, measures, judges and sets are shown
# texts that stand within others, or in no verdict
PARTS = {
    *("decimal_mark", "answers", "rated_answers", "likely", "nothing", "scale_of", "scale_from", "people", "are_bad"),
    *("are_rated", "closely", "well", "moderately", "weakly", "together", "together_with_more", "a_score", "unsure"),
    *("likely_less", "likely_range", "likely_between", "of_ratings", "of_ratings_of_one", "of_answers", "of_choices"),
    *("of_new_groups", "of_rest", "of_rest_of_one", "of_rest_of_choices", "of_new_run", "of_new_choices"),
    *(
        "or_more",
        "part_scored",
        "and_more_gates",
        "accepted_run",
        "run_before",
        "no_answer_yet",
        "too_few_ratings",
        "and_also",
        "together_shortly",
        "together_with_more_shortly",
        "metrics_together",
        "part_scored_shortly",
        "stands_in",
        "unscored_word",
        "unscored_shortly",
        "partly",
    ),
    *("file", "scored_run", "named_raters", "written_on", "version_of"),
    *("agreement_unknown", "agreement_low"),
}
STARTS = ("about_", "title_", "section_", "month_", "gate_")
LIST_OF_RUNS = "metric_mean"  # the first text that is of no verdict
# what stands in a place at its longest: a text, or the names of the texts that may stand there
VALUES: dict[str, str | tuple[str, ...]] = {
    **dict.fromkeys(("better", "other", "in_use", "version", "measure", "judge", "set"), NAME),
    **dict.fromkeys(("count", "rated", "scored", "failed", "newly", "samples", "judged", "used"), "100,000"),
    **dict.fromkeys(("answered", "worked"), "10,000"),
    **dict.fromkeys(("bad", "all_bad", "sent_bad", "share"), "100%"),
    **dict.fromkeys(("amount", "lower", "higher", "mean", "usd"), "9.99"),
    **dict.fromkeys(("low", "high", "agreement", "least"), "-0.99"),
    **dict.fromkeys(("held", "below", "scales"), "100"),
    "within": "0.15",
    **{"lowest": "1", "highest": "10", "margin": "0.1", "look": "365", "date": "2026-11-29", "first": "n" * 18},
    **{"suite": "n" * 30, "metric": "n" * 30, "run": "20261129-221056-56a9", "baseline": "rouge_l_precision"},
    **{"second": "n" * 18, "options": "--map rating=rating", "bound": "faithfulness at least 0.80"},
    **{"rate": "assay rate SET", "score": "assay run FILE"},  # a longer command gives way to these
    **{"missing": "100,000", "left_out": "10,000", "accepted": "9.99"},
    **dict.fromkeys(("changed", "lost", "gained"), "10,000"),
    "differ": ("answers_differ",),
    "part": ("part_scored", "nothing"),
    "answers": ("answers",),
    "likely": ("likely", "nothing"),
    "bad_likely": ("likely",),
    "scale": ("scale_of", "scale_from"),
    "people": ("people",),
    "are_bad": ("are_bad",),
    "are_rated": ("are_rated",),
    "how": ("closely", "well", "moderately", "weakly"),
    "trust": ("trust",),
    "shortly": ("trust_shortly",),
    "fewest": ("metrics_together",),
    "on": ("part_scored_shortly",),
    "shorter": ("together_shortly", "together_with_more_shortly"),
    "unscored_word": ("unscored_word", "partly"),
    "unscored_shortly": ("unscored_shortly", "partly"),
    "basis": ("on_ratings",),
    "why": ("no_answer_yet", "too_few_ratings"),
    "before": ("accepted_run", "run_before"),
    "ask": ("rate_at_least_shortly", "rate_to_show_shortly", "rate_to_compare_shortly"),
    "unrated": "10,000",
    **{"reason": "n" * 44, "metrics": "n" * 30, "command": "assay run --resume 20261129-221056-56a9"},
    "gate": ("gate_mean", "gate_share", "gate_regression", "gate_coverage", "gate_unanswered"),
}
DIFFERENCE = {"likely": ("likely_less", "likely_range", "likely_between", "unsure"), "low": "9.99", "high": "9.99"}
SHARES = {"low": "98%", "high": "99%"}
SETTLES = {
    "amount": ("of_ratings", "of_ratings_of_one", "of_answers", "of_choices"),
    "likely": ("likely", "or_more"),
    **{"count": "10,000", "low": "1,000", "high": "10,000"},
}
SETTLES_ALL = SETTLES | {
    "amount": ("of_rest", "of_rest_of_one", "of_rest_of_choices", "of_new_run", "of_new_choices"),
    "unrated": "10,000",
}
OWN_VALUES: dict[str, dict[str, str | tuple[str, ...]]] = {
    "few_differ": {"count": "5"},
    "settle_groups": {"count": "4", "known": "4", "fewest": "5"},
    "in_doubt": {"decision": ("ship_shortly", "keep_shortly", "alike_shortly")},
    **dict.fromkeys(("rated_higher", "wins_higher", "scores_higher", "rated_alike", "wins_alike"), DIFFERENCE),
    **{"scores_alike": DIFFERENCE, "settle": SETTLES, "settle_equal": SETTLES, "settle_rest": SETTLES_ALL},
    "of_new_groups": SETTLES_ALL,
    "rated_on_scales": {"rated": ("answers",)},
    "none_yet": {"rated": ("rated_answers",)},
    "too_few": {"rated": ("rated_answers",), "count": "10"},
    "rated": SHARES | {"bad": "10,000", "count": "10,000"},
    "watched": SHARES,
    **dict.fromkeys(
        ("crosseval_answered", "crosseval_made_up", "crosseval_made_up_by_patterns"), SHARES | {"count": "10,000"}
    ),
    "trust": {"unscored": "9,999", "count": "10,000", "total": "10,000", "agreement": "0.99", "high": "0.99"},
    **{
        name: {"unscored": "9,999", "count": "10,000", "total": "10,000", "agreement": "0.99", "high": "0.99"}
        for name in ("trust_part", "trust_overlap", "trust_overlap_part")
    },
    # an agreement that is claimed lies above 0; 99 metrics are chosen of at most
    **{
        name: {
            "unscored": "9,999",
            "total": "10,000",
            "count": "99",
            **dict.fromkeys(("agreement", "low", "high"), "0.99"),
        }
        for name in ("trust_baseline", "trust_baseline_part")
    },
    **{
        name: dict.fromkeys(("count", "judged", "rated", "used"), "10,000")
        for name in ("on_watched", "on_watched_part")
    },
}


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
    return [name for name in names if name not in PARTS and not name.startswith(STARTS)]


# texts that stand where these have no room
SHORTER = {
    "trust": "trust_part_shortly",
    "trust_baseline": "trust_baseline_part_shortly",
    "trust_overlap": "trust_overlap_part",
    "on_ratings_and_scores": "on_ratings",
    "rated_higher": "scores_higher_shortly",
    "failed_all": "failed_answers",
    "settle_rest": "of_rest_of_one",
    **dict.fromkeys(("of_others", "rest_and_others"), "rate_others"),
}


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
