"""What files of teams are read as: each case of the table beside is a file, and what is read of it."""

import json
from typing import Any

import pytest
from case_files import cases_beside
from noted_sets import read

from assay.errors import InputError
from assay.eval_sets import Sample, load_set

OPTIONS = ("mapping", "scale", "header_row", "language")
ROW = {"id": "a", "user_input": "How do I save?", "response": "Click Save.", "language": "en"}


def each_case() -> list[Any]:
    """The cases; one with `each` stands for several, with each of these words in place of $."""
    cases = [(case, word) for case in cases_beside(__file__) for word in case.get("each", ["$"])]
    return [pytest.param(filled(case, word), id=f"{case['name']} {word}".strip(" $")) for case, word in cases]


def filled(value: Any, word: str) -> Any:
    if isinstance(value, dict):
        return {filled(key, word): filled(one, word) for key, one in value.items() if key != "each"}
    if isinstance(value, list):
        return [filled(one, word) for one in value]
    return value.replace("$", word) if isinstance(value, str) else value


def text_of(case: dict[str, Any]) -> str:
    """The file: its text, a row of JSON, a bad one between two others, or a column beside a question and an answer."""
    if "text" in case:
        return case["text"]
    if "lines" in case:
        return "\n".join(map(json.dumps, case["lines"]))
    if "changes" in case:
        return json.dumps(ROW | case["changes"])
    if "bad" in case:
        bad = {name: value for name, value in ROW.items() if name != case.get("without")} | {"id": "bad"} | case["bad"]
        return "\n".join(map(json.dumps, [ROW, bad, ROW | {"id": "good too"}]))
    rows = "".join(f'Q{n}?,A{n}.,"{cell}"\n' for n, cell in enumerate(case["cells"]))
    return f"question,answer,{case.get('column', 'rating')}\n{rows}"


def value_of(sample: Sample, field: str) -> Any:
    """A field of a sample, or one of each of its messages or tables."""
    whole, _, part = field.partition(".")
    value = getattr(sample, whole)
    return [getattr(one, part) for one in value] if part else value


@pytest.mark.parametrize("case", each_case())
def test_a_file_is_read_as_what_it_means(tmp_path, case):
    options = {name: case[name] for name in OPTIONS if name in case}
    path = tmp_path / case.get("file", "a.jsonl" if {"changes", "bad", "lines"} & case.keys() else "a.csv")
    if problem := case.get("error") or case.get("row_error"):
        with pytest.raises(InputError, match=problem) as raised:
            read(path, text_of(case), **options)
        assert raised.value.is_of_row or "row_error" not in case
        left = case.get("left", ["a", "good too"] if "bad" in case else None)
        if left is not None:
            errors = list[InputError]()
            assert [sample.id for sample in load_set(path, skip_bad=errors, **options)] == left
            assert len(errors) == 1
        return
    samples, notes = read(path, text_of(case), **options)
    for field, expected in case.get("read", {}).items():
        values = [value_of(sample, field) for sample in samples]
        assert [list(one) if isinstance(one, tuple) else one for one in values] == expected
    assert samples[0].metadata.items() >= case.get("has_metadata", {}).items()
    if "range" in case:
        rated = [sample for sample in samples if sample.human_rating is not None]
        assert {(sample.rating_min, sample.rating_max) for sample in rated} == {tuple(case["range"])}
    if "notes" in case:
        assert notes == case["notes"]
    assert len(notes) == case.get("note_count", len(notes))
    for said in case.get("says", ()):
        assert sum(said in note for note in notes) == 1
    for unsaid in case.get("unsaid", ()):
        assert not any(unsaid in note for note in notes)
