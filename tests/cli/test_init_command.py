"""`assay init` as people type it: what it says of a file, and the suite that it writes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

Make = Callable[..., Any]
ROWS = (
    "question,answer,context,stars\nHow?,So.,So it is.,4\nWhy?,Thus.,Thus it is.,2\nWho?,Me.,Nobody.,1\nWhen?,Now.,,5\n"
)


def test_a_suite_is_written_with_the_mapping_and_three_samples_are_shown(assay: Make) -> None:
    Path("answers.csv").write_text(ROWS, encoding="utf-8")
    done = assay("init", "answers.csv", "--judge", "openai/gpt-4o-mini")
    assert done.code == 0
    assert yaml.safe_load(Path("suite.yaml").read_text(encoding="utf-8")) == {
        "name": "answers",
        "sets": ["answers.csv"],
        "map": {"question": "user_input", "answer": "response", "context": "retrieved_contexts"},
        "metrics": ["weakest_claim", "faithfulness"],
        "judges": ["openai/gpt-4o-mini"],
        "cassette": {"file": "answers.replies.jsonl", "mode": "auto"},
    }
    assert "answers.csv: 4 samples, 3 with contexts, 0 with a reference, 4 rated" in done.out
    assert "stars as rating from 1 to 5" in done.out
    assert done.out.count("  question  ") == 3
    assert "answers-1 (en, rated 4 of 5)" in done.out
    assert "Next: assay suite suite.yaml" in done.out


def test_the_suite_runs_as_it_is(assay: Make) -> None:
    Path("answers.csv").write_text(ROWS, encoding="utf-8")
    assert assay("init", "answers.csv").code == 0
    done = assay("suite", "suite.yaml")
    assert done.code == 0


def test_without_a_terminal_nothing_is_asked_and_the_error_names_the_option(assay: Make) -> None:
    Path("vragen.csv").write_text("klant,bot\nHoe?,Zo.\n", encoding="utf-8")
    done = assay("init", "vragen.csv")
    assert done.code == 1
    assert "map THEIRS=user_input" in done.err
    done = assay("init", "vragen.csv", "--map", "klant=user_input", "--map", "bot=response")
    assert done.code == 0
    suite = yaml.safe_load(Path("suite.yaml").read_text(encoding="utf-8"))
    assert suite["map"] == {"klant": "user_input", "bot": "response"}
    assert suite["metrics"] == ["answer_length"]


def test_a_suite_that_is_there_is_kept(assay: Make) -> None:
    Path("answers.csv").write_text(ROWS, encoding="utf-8")
    Path("suite.yaml").write_text("name: mine\n", encoding="utf-8")
    done = assay("init", "answers.csv")
    assert done.code == 2
    assert "--force" in done.err
    assert Path("suite.yaml").read_text(encoding="utf-8") == "name: mine\n"
    assert assay("init", "answers.csv", "--force").code == 0


def test_the_file_must_be_named(assay: Make) -> None:
    done = assay("init")
    assert (done.code, "assay init FILE" in done.err) == (2, True)
