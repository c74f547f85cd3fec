"""Rows of several systems that have the id of their question."""

from pathlib import Path

import pytest

from assay.errors import InputError
from assay.eval_sets import load_set, read_samples

HEADER = "id,system,question,answer,context\n"


def read(folder: Path, text: str, **options: dict[str, str]) -> tuple[list[str], list[str], list[str]]:
    file = folder / "export.csv"
    file.write_text(text, encoding="utf-8")
    notes: list[str] = []
    samples = load_set(file, notes=notes, mapping=options.get("mapping"))
    return [sample.id for sample in samples], [sample.source for sample in samples], notes


def test_rows_of_one_id_are_told_apart_by_their_system(tmp_path):
    rows = "q1,old,A?,a,c\nq1,new,A?,b,c\nq2,new,B?,b,c\n"
    ids, sources, notes = read(tmp_path, HEADER + rows)
    assert ids == ["q1@old", "q1@new", "q2@new"] and sources == ["q1", "q1", "q2"]
    assert sum("ids are read as ID@SYSTEM, and grouped by ID" in note for note in notes) == 1
    ids, _, _ = read(tmp_path, ("nr,model,question,answer,context\n" + rows), mapping={"nr": "id"})
    assert ids == ["q1@old", "q1@new", "q2@new"]


def test_a_group_of_its_own_stays_and_metadata_name_the_system_too():
    rows = [
        {"id": "q1", "question": "A?", "answer": name, "context": "c", "group": "g", "metadata": {"version": name}}
        for name in ("old", "new")
    ]
    assert [(one.id, one.source) for one in read_samples(rows)] == [("q1@old", "g"), ("q1@new", "g")]


def test_unique_ids_stay_as_they_are(tmp_path):
    ids, sources, notes = read(tmp_path, HEADER + "q1,old,A?,a,c\nq2,new,A?,b,c\n")
    assert ids == sources == ["q1", "q2"] and not any("ID@" in note for note in notes)


@pytest.mark.parametrize("rows", ["q1,old,A?,a,c\nq1,old,A?,b,c\n", "q1,old,A?,a,c\nq1,,A?,b,c\n"])
def test_rows_that_no_column_tells_apart_are_refused_with_the_cure(rows, tmp_path):
    with pytest.raises(InputError, match=r'"q1" is the id of line 2 too; .* a column `system` that names them'):
        read(tmp_path, HEADER + rows)
