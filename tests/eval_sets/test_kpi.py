"""The sets kpi_nl and kpi_en: made by their generator, and as it says."""

from collections import Counter
from pathlib import Path

import pytest
from kpi_facts import fact, holds
from kpi_sets import _claim, date_text, kpi_set, number_text, rating
from kpi_tables import KpiTable, kpi_tables

from assay import load_set
from assay.errors import InputError
from assay.eval_sets import write_set
from assay.eval_sets.bundled import bundled_file

TABLE = KpiTable(
    "t",
    {"day": ["2026-03-01", "2026-03-02", "2026-03-03", "2026-04-01"], "x": [1.0, 3.0, None, 8.0], "y": [2, 6, 1, 16]},
    {},
    {"x": ("2026-04-01",)},
    {"day": "day", "x": "x", "y": "y"},
)


@pytest.mark.parametrize("language", ["nl", "en"])
def test_the_bundled_files_are_what_the_generator_makes(language: str, tmp_path: Path) -> None:
    write_set(kpi_set(language), tmp_path / "made.jsonl")
    assert (tmp_path / "made.jsonl").read_bytes() == bundled_file(f"kpi_{language}").read_bytes()


@pytest.mark.parametrize("language", ["nl", "en"])
def test_what_a_set_holds(language: str) -> None:
    samples = load_set(f"kpi_{language}")
    assert len(samples) == 40
    assert Counter(sample.metadata["split"] for sample in samples) == {"development": 25, "held_out": 15}
    gold = Counter(claim["gold"] for sample in samples for claim in sample.metadata["claims"])
    assert min(gold.values()) >= 8 and set(gold) == {"supported", "contradicted", "unverifiable"}
    assert {sample.rating for sample in samples} >= {1, 2, 4, 5}
    for sample in samples:
        assert sample.response == " ".join(claim["text"] for claim in sample.metadata["claims"])
        assert sample.tables or "\n" in sample.retrieved_contexts[1]


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ("mean(x, all)", 4.0),  # 1, 3 and 8
        ("mean(x, 2026-03)", 2.0),
        ("median(x, all)", 3.0),
        ("sum(x, 2026-03-02..2026-04-01)", 11.0),
        ("missing(x, all)", 1.0),
        ("above(x, all, 2)", 2.0),
        ("when_max(x, all)", "2026-04-01"),
        ("change(x, 2026-03, 2026-04)", 6.0),
        ("pct(x, 2026-03, 2026-04)", 300.0),
        ("share(x, 2026-04, all)", pytest.approx(66.6667, abs=1e-3)),
        ("corr(x, y, all)", pytest.approx(1.0)),  # y is 2x where both are there
        ("last(x, last1)", 8.0),
        ("rank(x, 2026-03-02)", 2.0),
        ("planted(x, 2026-04-01)", True),
    ],
)
def test_facts_of_a_table(call: str, value: object) -> None:
    assert fact(call, TABLE) == value


def test_tests_and_unknown_facts() -> None:
    assert holds("mean(x, all) > 3.9", TABLE)
    assert not holds("max(x, all) < max(x, 2026-03)", TABLE)
    with pytest.raises(ValueError, match="no such fact"):
        fact("guess(x, all)", TABLE)
    with pytest.raises(ValueError, match="no rows"):
        fact("mean(x, 2027)", TABLE)


def test_a_label_that_the_figures_deny_is_refused() -> None:
    assert _claim(["s", "x reached {max(x, all):1}.", "max(x, all) == 8"], TABLE, "nl", None) == {
        "text": "x reached 8,0.",
        "gold": "supported",
    }
    with pytest.raises(InputError, match="the figures say otherwise"):
        _claim(["s", "x stayed low.", "max(x, all) < 5"], TABLE, "en", None)


def test_ratings_by_the_rubric() -> None:
    right, wrong, open_ = "supported", "contradicted", "unverifiable"
    assert [rating(gold) for gold in ([right], [right, open_], [open_], [right, wrong], [wrong, wrong, open_])] == [
        *(5, 4, 3, 2, 1)
    ]


def test_numbers_and_dates_in_words() -> None:
    assert (number_text(1234.5, 1, "nl"), number_text(1234.5, 1, "en")) == ("1.234,5", "1,234.5")
    assert (date_text("2026-03-12", "nl"), date_text("2025-08", "en")) == ("12 maart", "August 2025")
    assert (date_text("2026-03-31", "nl", 1), date_text("2025-12", "en", 1)) == ("1 april", "January 2026")


def test_tables_are_seeded_and_differ_between_languages() -> None:
    english, again, dutch = kpi_tables("en"), kpi_tables("en"), kpi_tables("nl")
    assert english == again
    assert english["cell"].columns["latency_ms"] != dutch["cell"].columns["vertraging_ms"]
