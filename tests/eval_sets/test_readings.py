"""What files of teams are read as: each case of the table beside is a file, and what is read of it."""

from typing import Any

import pytest
from case_files import cases_beside
from noted_sets import read

from assay.errors import InputError

OPTIONS = ("mapping", "scale", "header_row")


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
    """The file: its text, or one column of cells beside a question and an answer."""
    if "text" in case:
        return case["text"]
    rows = "".join(f'Q{n}?,A{n}.,"{cell}"\n' for n, cell in enumerate(case["cells"]))
    return f"question,answer,{case.get('column', 'rating')}\n{rows}"


@pytest.mark.parametrize("case", each_case())
def test_a_file_is_read_as_what_it_means(tmp_path, case):
    options = {name: case[name] for name in OPTIONS if name in case}
    path = tmp_path / case.get("file", "a.csv")
    if problem := case.get("error") or case.get("row_error"):
        with pytest.raises(InputError, match=problem) as raised:
            read(path, text_of(case), **options)
        assert raised.value.is_of_row or "row_error" not in case
        return
    samples, notes = read(path, text_of(case), **options)
    for field, expected in case.get("read", {}).items():
        values = [getattr(sample, field) for sample in samples]
        assert [list(one) if isinstance(one, tuple) else one for one in values] == expected
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
