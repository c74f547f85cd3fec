"""`assay sets generate`, as people type it."""

import json
import re
from pathlib import Path

import pytest
from openai_server import Answer

from assay.eval_sets import load_set
from assay.generation import Section, read_folds
from assay.prompts import prompt_names


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
    shown = assay(*command, code=0).out
    for words in ("Topics", "Folds (Table 2)", "What each filter rejects", "not the section's best", "judge calls"):
        assert words in shown
    made = {path.name for path in tmp_path.glob("set.*")}
    assert made == {"set.jsonl"} | {f"set.{s}.jsonl" for s in ("sections", "topics", "folds", "pairs", "rejected")}
    folds = {fold.section: fold for fold in read_folds(tmp_path / "set.folds.jsonl")}
    samples = load_set(tmp_path / "set.jsonl")
    assert 1 <= len(samples) <= 6
    rejected = [json.loads(line) for line in (tmp_path / "set.rejected.jsonl").read_text("utf-8").splitlines()]
    pairs = (tmp_path / "set.pairs.jsonl").read_text("utf-8").splitlines()
    assert len(samples) + len(rejected) == len(pairs)
    assert all(row["rejected_by"] and row["reason"] for row in rejected)
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


def test_a_judge_that_gives_no_pair_at_all_is_told_with_its_first_failure(
    assay, three_pages, writer_file, openai_server
):
    openai_server.script = lambda _: Answer(text="nee")
    done = assay("sets", "generate", three_pages, "--judge", writer_file, "--folds", 1, "-o", "set.jsonl", code=1)
    assert "no call gave a pair; the first, " in done.err
    assert 'It began: "nee"' in done.err


def test_pairs_without_a_score_are_told_and_counted(assay, three_pages, writer_file, openai_server, tmp_path):
    writes_pairs, unusable = openai_server.script, [""]  # what stands in the pairs whose score cannot be read

    def script(request):
        is_score = request.schema not in ("GeneratedPairs", "GeneratedPair")
        return Answer(text="nee") if is_score and unusable[0] in request.user else writes_pairs(request)

    openai_server.script = script
    command = ["sets", "generate", three_pages, "--judge", writer_file, "--n", 6, "--folds", 1]
    none = assay(*command, "-o", "none.jsonl", code=1)
    assert re.search(r"no pair passed the filters, and 17 pairs got no score; the first, \S+: ", none.err)
    rejected = map(json.loads, (tmp_path / "none.rejected.jsonl").read_text("utf-8").splitlines())
    unusable[0] = next(row for row in rejected if row["rejected_by"] == "low score")["question"]
    some = assay(*command, "-o", "set.jsonl", code=4)
    assert "1 call gave no score, 0 allowed (--max-failed); the same command asks them again. The first, " in some.err
    allowed = assay(*command, "-o", "set.jsonl", "--max-failed", 1, "--json", code=0)
    assert allowed.json["failed"] == 1 and "1 call gave no score, 1 allowed (--max-failed). " in allowed.err


def test_calls_that_give_nothing_are_told(assay, three_pages, writer_file, openai_server):
    writes_pairs = openai_server.script
    openai_server.script = lambda request: (
        Answer(text="nee") if request.schema == "GeneratedPair" else writes_pairs(request)
    )
    command = ["sets", "generate", three_pages, "--judge", writer_file, "--n", 6, "--folds", 1, "-o", "set.jsonl"]
    assert "2 calls gave no pair" in assay(*command, code=4).err
    request_count = len(openai_server.requests)
    assert assay(*command, "--max-failed", 2).code == 0
    assert len(openai_server.requests) == request_count + 4  # only the two that failed, each once more with the error


def test_a_document_that_cannot_be_read_is_told_and_the_others_go_on(assay, three_pages, writer_file):
    (three_pages / "b.pdf").write_bytes(b"no pdf")
    command = ["sets", "generate", three_pages, "--judge", writer_file, "--n", 2, "--folds", 1, "-o", "set.jsonl"]
    assert "b.pdf: cannot be read as PDF" in assay(*command, code=0).err
    for page in three_pages.glob("*.md"):
        page.unlink()
    assert "no document could be read" in assay(*command, code=1).err


def test_documents_in_a_language_without_prompts_are_left_out_before_anything_is_asked(
    assay, three_pages, writer_file, openai_server
):
    """Pairs were asked for in English, paid for, and all rejected as in another language than their section."""
    assert prompt_names()["longform"] == prompt_names()["factquestion"] == ("en", "nl")
    german = "Die Tonnen werden am Montag geleert, und wer seine Tonne nicht rechtzeitig an die Straße stellt, wartet."
    (three_pages / "tonnen.md").write_text(f"# Wann wird geleert?\n\n{german}\n", encoding="utf-8")
    command = ["sets", "generate", three_pages, "--judge", writer_file, "--n", 2, "--folds", 1, "-o", "set.jsonl"]
    left_out = "left out: tonnen.md: written in another language than en and nl"
    assert left_out in " ".join(assay(*command, code=0).err.split())
    asked = len(openai_server.requests)
    for page in three_pages.glob("*.md"):
        page.unlink() if page.name != "tonnen.md" else None
    stopped = assay(*command, code=1)
    assert "no document could be read" in stopped.err and len(openai_server.requests) == asked
