"""`assay generate sections`, `topics` and `folds` as typed, from the bundled leaflets to their folds."""

import pytest


def test_a_document_that_cannot_be_read_is_told_and_the_others_go_on(assay, tmp_path):
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
def test_what_is_typed_wrong_is_told(assay, words, code, message):
    done = assay("generate", *words)
    assert done.code == code
    assert message in done.err
    assert "Traceback" not in done.err
