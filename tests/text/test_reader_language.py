"""Headings and heads of tables in the language of who reads."""

import pytest

from assay.text import in_reader_language


@pytest.mark.parametrize(
    ("locale", "shown"),
    [("nl_NL.UTF-8", "Versies"), ("en_GB.UTF-8", "Versions"), ("C.UTF-8", "Versions"), ("de", "Versions")],
)
def test_a_caption_follows_the_reader(locale, shown, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    assert in_reader_language("Versions") == shown
    assert in_reader_language("a heading of nobody") == "a heading of nobody"


def test_the_tables_and_the_page_of_a_decision_are_dutch_for_a_dutch_reader(assay, set_file, tmp_path, monkeypatch):
    other = set_file(8, "other.jsonl", response="Open the menu.")
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")  # an English reader before, in the same process
    assay("decide", set_file(8), other, "--report", "decide.html")
    assert "<h2>How they differ</h2>" in (tmp_path / "decide.html").read_text(encoding="utf-8")
    monkeypatch.setenv("LC_ALL", "nl_NL.UTF-8")
    done = assay("decide", set_file(8), other, "--report", "decide.html")
    assert "gemiddelde beoordeling" in " ".join(done.out.split()) and "Verschillen" in done.out
    page = (tmp_path / "decide.html").read_text(encoding="utf-8")
    assert '<html lang="nl">' in page and "<h2>Hoe ze verschillen</h2>" in page and "<th>versie" in page
