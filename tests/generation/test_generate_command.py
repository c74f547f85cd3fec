"""`assay sets generate`, as people type it: documents, questions, filter and the whole."""

import json
from pathlib import Path

import pytest
from openai_server import Answer

from assay.eval_sets import load_set
from assay.generation import Section, read_folds


def test_questions_and_filter_in_two_stages(assay, stage_files, writer_file, tmp_path):
    made = assay(
        "sets", "generate", "questions", *stage_files, "--judge", writer_file, "--n", 6, "-o", "pairs.jsonl", "--json"
    )
    assert (made.code, made.err) == (0, "")
    assert made.json["pairs"] == 16 + 2  # a pair a sentence, three at most, and 2 * round(6 * 0.2) facts
    assert made.json["usage"]["calls"] == 6 + 2
    done = assay(
        *("sets", "generate", "filter", "pairs.jsonl", stage_files[0]),
        *("--judge", writer_file, "--n", 6, "-o", "set.jsonl"),
        code=0,
    )
    assert "What each filter rejects" in done.out
    assert "not the section's best" in done.out
    assert "17 model calls" in done.out
    samples = load_set(tmp_path / "set.jsonl")
    rejected = [json.loads(line) for line in (tmp_path / "set.rejected.jsonl").read_text("utf-8").splitlines()]
    assert len(samples) == 6
    assert sum(sample.metadata["kind"] == "factoid" for sample in samples) == 1
    assert len(samples) + len(rejected) == 18
    assert all(row["rejected_by"] and row["reason"] for row in rejected)
    assert not list(tmp_path.glob("*.replies*"))  # kept only while something is left to do


def test_a_budget_ends_it_and_resume_goes_on(assay, stage_files, writer_file, openai_server, tmp_path):
    command = ["sets", "generate", "questions", *stage_files, "--judge", writer_file, "--n", 6, "-o", "pairs.jsonl"]
    assert "--resume" in assay(*command, "--budget-calls", 3, code=3).err
    assert not (tmp_path / "pairs.jsonl").exists()
    assert "pairs.jsonl.replies" in assay(*command, code=2).err
    assert len(openai_server.requests) == 3
    done = assay(*command, "--resume", "--json", code=0)
    assert len(openai_server.requests) == 8
    assert done.json["usage"]["from_cassette"] == 3


def test_calls_that_give_nothing_are_told(assay, stage_files, writer_file, openai_server):
    openai_server.script = lambda request: (
        Answer(text="nee")
        if request.schema == "GeneratedPair"
        else Answer(text=json.dumps({"pairs": [{"question": "Hoe?", "answer": "Zo."}]}))
    )
    command = ["sets", "generate", "questions", *stage_files, "--judge", writer_file, "--n", 6, "-o", "pairs.jsonl"]
    assert "2 calls gave no pair" in assay(*command, code=4).err
    assert assay(*command, "--max-failed", 2).code == 2  # the replies of the others are kept
    request_count = len(openai_server.requests)
    assert assay(*command, "--max-failed", 2, "--resume").code == 0
    assert len(openai_server.requests) == request_count + 4  # only the two that failed, each once more with the error


@pytest.fixture
def leaflets(tmp_path: Path, sections: list[Section]) -> Path:
    """The leaflets as Markdown, and a second of each, so that a fold has two documents."""
    folder = tmp_path / "leaflets"
    folder.mkdir()
    for section in sections:
        for number, copy in enumerate((section.text, f"Let op. {section.text.replace('088', '085')}")):
            path = folder / section.document.replace(".md", f"{number}.md")
            head = "" if path.exists() else f"# {section.document[:-3]}\n"
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{head}\n## {section.heading}\n\n{copy}\n")
    return folder


def test_the_whole_leaves_the_file_of_every_stage(assay, leaflets, writer_file, openai_server, tmp_path):
    command = ["sets", "generate", leaflets, "--judge", writer_file, "--n", 6, "--test-share", 0.4, "-o", "set.jsonl"]
    stopped = assay(*command, "--budget-calls", 4)
    assert (stopped.code, len(openai_server.requests)) == (3, 4), stopped.err
    assert "What each filter rejects" in assay(*command, "--resume", code=0).out
    made = {path.name for path in tmp_path.glob("set.*")}
    assert made == {"set.jsonl"} | {f"set.{s}.jsonl" for s in ("sections", "topics", "folds", "pairs", "rejected")}
    folds = {fold.section: fold for fold in read_folds(tmp_path / "set.folds.jsonl")}
    samples = load_set(tmp_path / "set.jsonl")
    assert 1 <= len(samples) <= 6
    for sample in samples:
        placed = folds[sample.metadata["section"]]
        assert (sample.metadata["fold"], sample.metadata["split"]) == (placed.fold, placed.split)
    request_count = len(openai_server.requests)
    assert "Table 4" in assay("sets", "crosseval", "set.jsonl", "--bot", writer_file, "--limit", 1, code=0).out
    assert len(openai_server.requests) > request_count


def test_one_fold_asks_for_no_topics(assay, leaflets, writer_file, tmp_path):
    done = assay(
        *("sets", "generate", leaflets, "--judge", writer_file, "--n", 2, "--folds", 1, "-o", "set.jsonl", "--json"),
        code=0,
    )
    assert done.json["sections_in_folds"] is None
    assert done.json["kept"] == {"long-form": 2, "factoid": 0}
    assert "fold" not in load_set(tmp_path / "set.jsonl")[0].metadata
    assert assay("sets", "generate", leaflets, "-o", "set.jsonl").code == 2
    result = assay("sets", "generate", tmp_path / "nowhere", "--judge", writer_file, "-o", "set.jsonl")
    assert "nowhere" in result.err
    assert "Traceback" not in result.err


@pytest.fixture
def three_pages(tmp_path: Path, sections: list[Section]) -> Path:
    """Three small help pages of two sections each."""
    folder = tmp_path / "help"
    folder.mkdir()
    for section in sections:
        with (folder / section.document).open("a", encoding="utf-8") as file:
            file.write(f"## {section.heading}\n\n{section.text}\n\n")
    return folder


def test_the_advice_for_three_help_pages_can_be_followed(assay, three_pages, writer_file, openai_server, tmp_path):
    command = ["sets", "generate", three_pages, "--judge", writer_file, "--n", 2, "-o", "set.jsonl"]
    stopped = assay(*command, code=2)
    assert stopped.err.strip() == (
        "assay: 3 documents are too few for 2 folds, which need 4: 2 in each fold, one for validation and one for the "
        "test; add 1 document or more; or use --folds 1: then no question is unanswerable, and `assay sets crosseval` "
        "cannot measure whether a bot declines what it cannot know"
    )
    assert not openai_server.requests  # nothing is paid before that is known
    assert assay(*command, "--folds", 1).code == 0
    crossed = assay("sets", "crosseval", "set.jsonl", "--bot", writer_file, code=2)
    assert "a set made with --folds 1 has none, and cannot be cross-evaluated" in crossed.err


@pytest.mark.parametrize(
    ("words", "cure"),
    [
        (["questions", "nowhere.jsonl", "-o", "p.jsonl"], "nowhere.jsonl"),
        (["questions", "SECTIONS", "-o", "p.jsonl"], "--judge"),
        (["questions", "SECTIONS", "--judge", "JUDGE", "-o", "p.csv"], ".jsonl"),
        (["questions", "SECTIONS", "--judge", "JUDGE", "-o", "no/p.jsonl"], "make it first"),
        (["questions", "SECTIONS", "--judge", "JUDGE", "-o", "p.jsonl", "--n", "0"], "--n"),
        (["questions", "SECTIONS", "--judge", "JUDGE", "-o", "p.jsonl", "--mode", "replay"], "--cassette"),
        (["questions", "FOLDS", "--judge", "JUDGE", "-o", "p.jsonl"], "assay sets generate sections"),
        (["filter", "SECTIONS", "SECTIONS", "-o", "s.jsonl"], "assay sets generate questions"),
        (["questions", "SECTIONS", "--judge", "JUDGE"], "--out"),
    ],
    ids=lambda parameter: " ".join(parameter) if isinstance(parameter, list) else None,
)
def test_what_cannot_be_done_is_told_with_a_cure(*, assay, stage_files, writer_file, words, cure):
    real = {"SECTIONS": stage_files[0], "FOLDS": stage_files[1], "JUDGE": writer_file}
    result = assay("sets", "generate", *(real.get(word, word) for word in words))
    assert result.code in {1, 2}, result
    assert cure in result.err
    assert "Traceback" not in result.err


def test_a_document_that_cannot_be_read_is_told_and_the_others_go_on(assay, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Kop\n\ntekst", encoding="utf-8")
    (tmp_path / "docs/b.pdf").write_bytes(b"no pdf")
    done = assay("sets", "generate", "sections", "docs", "-o", "s.jsonl", code=0)
    assert "left out: docs/b.pdf: cannot be read as PDF" in done.err
    (tmp_path / "docs/a.md").unlink()
    assert assay("sets", "generate", "sections", "docs").code == 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("sections",), 2, "Missing argument 'DOCS...'"),
        (("sections", "nowhere"), 1, "there is no such file or folder"),
        (("sections", "leaflets", "--language", "Dutch"), 2, "write nl, en or another code of two letters"),
        (("topics", "none.jsonl"), 1, "make it with `assay sets generate sections"),
        (("topics", "none.jsonl", "--smallest", "5;6"), 2, "write whole numbers with commas"),
        (("folds", "none.jsonl", "none.jsonl", "--separate", "chapter"), 2, "'chapter' is not one of"),
    ],
)
def test_what_is_typed_wrong_is_told(assay, words, code, message):
    done = assay("sets", "generate", *words, code=code)
    assert message in done.err
    assert "Traceback" not in done.err
