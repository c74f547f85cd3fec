"""`assay generate sections`, `topics` and `folds` as typed, from the bundled leaflets to their folds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.generation import read_folds, read_sections


@pytest.mark.timeout(300)  # it imports scikit-learn and the encoder, minutes on a busy machine
def test_from_leaflets_to_folds(assay: Callable[..., Any], tmp_path: Path) -> None:
    done = assay("generate", "sections", "leaflets", "-o", "s.jsonl", "--json")
    assert (done.code, done.json["sections"], done.json["emulated_pages"]) == (0, 80, 12)
    done = assay("generate", "topics", "s.jsonl", "-o", "t.jsonl")
    assert done.code == 0
    assert "plain (80 sections are fewer than 300)" in done.out
    assert "document match %" in done.out
    done = assay("generate", "folds", "s.jsonl", "t.jsonl", "-o", "f.jsonl", "--sample", "20")
    assert done.code == 0
    for line in ("min dist topics", "min dist folds", "small fold ratio", "avg folds per doc", "valid sections %"):
        assert line in done.out
    assert "by topic, separated" in done.out
    documents = {section.id: section.document for section in read_sections(tmp_path / "s.jsonl")}
    folds = read_folds(tmp_path / "f.jsonl")
    parts: dict[str, set[tuple[int, str]]] = {}
    for fold in folds:
        parts.setdefault(documents[fold.section], set()).add((fold.fold, fold.split))
    assert all(len(part) == 1 for part in parts.values())
    assert 15 <= sum(fold.sampled for fold in folds) <= 25


def test_folds_as_json_have_table_2_and_the_leaks(assay: Callable[..., Any]) -> None:
    assay("generate", "sections", "leaflets", "-o", "s.jsonl")
    assay("generate", "topics", "s.jsonl", "-o", "t.jsonl", "--topics", "6")
    report = assay("generate", "folds", "s.jsonl", "t.jsonl", "--json").json
    assert sum(each["chosen"] for each in report["candidates"]) == 1
    assert list(report["leaks"]) == ["sections at random", "by topic", "by topic, separated"]
    without = assay("generate", "folds", "s.jsonl", "t.jsonl", "--json", "--no-leak-check").json
    assert without["leaks"] == {}
    assert without["folds"] == report["folds"]


def test_a_document_that_cannot_be_read_is_told_and_the_others_go_on(assay: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Kop\n\ntekst", encoding="utf-8")
    (tmp_path / "docs/b.pdf").write_bytes(b"no pdf")
    done = assay("generate", "sections", "docs", "-o", "s.jsonl")
    assert done.code == 0
    assert "left out: docs/b.pdf: cannot be read as PDF" in done.err
    (tmp_path / "docs/a.md").unlink()
    assert assay("generate", "sections", "docs").code == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("sections",), 2, "Missing argument 'DOCS...'"),
        (("sections", "nowhere"), 1, "there is no such file or folder"),
        (("sections", "leaflets", "--language", "Dutch"), 2, "write nl, en or another code of two letters"),
        (("topics", "none.jsonl"), 1, "make it with `assay generate sections"),
        (("topics", "none.jsonl", "--smallest", "5;6"), 2, "write whole numbers with commas"),
        (("folds", "none.jsonl", "none.jsonl", "--separate", "chapter"), 2, "'chapter' is not one of"),
    ],
)
def test_what_is_typed_wrong_is_told(
    assay: Callable[..., Any], words: tuple[str, ...], code: int, message: str
) -> None:
    done = assay("generate", *words)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err
