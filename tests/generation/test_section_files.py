"""Sections, topics and folds as files, and the errors of bad ones."""

from typing import Any

import pytest

from assay.errors import InputError
from assay.generation import Fold, Section, read_folds, read_sections, write_folds, write_sections
from assay.generation.topics import SectionTopic, read_topics, write_topics


def section(**changes: Any) -> Section:
    fields = {
        "id": "maag.pdf#002",
        "document": "maag.pdf",
        "heading": "Voorbereiding",
        "above": ("Maagonderzoek",),
        "text": "Uw maag moet leeg zijn.\n\n- Eet niets",
        "page": 1,
        "last_page": 2,
        "position": 1,
        "language": "nl",
        "tokens": 9,
        "emulated_page": 1,
    }
    return Section(**(fields | changes))


def test_sections_survive_writing_and_reading(tmp_path):
    written = [section(), section(id="maag.md#001", page=None, last_page=None, above=(), position=0)]
    assert write_sections(written, tmp_path / "s.jsonl") == 2
    assert read_sections(tmp_path / "s.jsonl") == written


def test_topics_and_folds_survive_writing_and_reading(tmp_path):
    topics = [
        SectionTopic(section="a#001", topic=-1, vector=(0.5, -1.25)),
        SectionTopic(section="b", topic=3, vector=(0,)),
    ]
    folds = [Fold(section="a#001", fold=2, split="test", topic=0, sampled=True)]
    write_topics(topics, tmp_path / "t.jsonl")
    write_folds(folds, tmp_path / "f.jsonl")
    assert read_topics(tmp_path / "t.jsonl") == topics
    assert read_folds(tmp_path / "f.jsonl") == folds


def test_the_title_has_the_headings_above():
    assert section().title == "Maagonderzoek › Voorbereiding"
    assert section().full_text.startswith("Maagonderzoek › Voorbereiding\n\nUw maag")
    assert section(heading="", above=()).full_text.startswith("Uw maag")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("not json", "line 2: is not JSON"),
        ('{"id": "x"}', "line 2, field document: is missing"),
        ("FIRST", "line 2: `maag.pdf#002` occurs twice in the file"),
        ('{"section": "x", "topic": 1}', "line 2, field id"),
    ],
)
def test_the_error_of_a_bad_line_names_its_place(tmp_path, line, message):
    path = tmp_path / "s.jsonl"
    write_sections([section()], path)
    first = path.read_text(encoding="utf-8").strip()
    path.write_text(f"{first}\n{first if line == 'FIRST' else line}\n", encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_sections(path)
    assert message in str(error.value)


@pytest.mark.parametrize("read", [read_sections, read_topics, read_folds])
def test_errors_of_missing_and_empty_files_name_the_command(tmp_path, read):
    with pytest.raises(InputError, match=r"no such file; make it with `assay generate"):
        read(tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").touch()
    with pytest.raises(InputError, match=r"is empty; make it with `assay generate"):
        read(tmp_path / "empty.jsonl")
