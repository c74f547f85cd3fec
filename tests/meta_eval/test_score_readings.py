"""What files of scores and ratings are read as: each case of the table beside is some files, and their table."""

from typing import Any

import numpy as np
import pytest
from case_files import cases_beside

from assay.errors import AssayError
from assay.eval_sets import ReadOptions, read_score_files
from assay.meta_eval import join_sources


def each_case() -> list[Any]:
    """The cases; one with `each` stands for several, each with one of these files as its first."""
    cases = [(case, text) for case in cases_beside(__file__) for text in case.get("each", [case["files"][0]])]
    return [
        pytest.param(case | {"files": [text, *case["files"][1:]]}, id=f"{case['name']} {number}")
        for number, (case, text) in enumerate(cases)
    ]


def by_item(items: tuple[str, ...], values: Any) -> dict[str, float | None]:
    return {item: None if np.isnan(value) else value for item, value in zip(items, values.tolist(), strict=True)}


@pytest.mark.parametrize("case", each_case())
def test_files_are_read_as_what_they_mean(tmp_path, case):
    """The last file is that of the ratings; one that is alone has both."""
    names = case.get("names", ["s.csv", "r.csv"] if len(case["files"]) == 2 else ["s.csv", "t.csv", "r.csv"])
    paths = [tmp_path / name for name in names[: len(case["files"])]]
    for path, text in zip(paths, case["files"], strict=True):
        path.write_text(text, encoding="utf-8")
    options = {
        name: tuple(value) if isinstance(value, list) else value for name, value in case.get("options", {}).items()
    }

    def joined() -> Any:
        sources, ratings = read_score_files(paths[:-1] or paths, paths[-1], ReadOptions(**options))
        assert ratings is not None
        return join_sources(sources, ratings, ReadOptions(**options))

    if "error" in case:
        with pytest.raises(AssayError, match=case["error"]):
            joined()
        return
    made = joined()
    table = made.table
    for metric, expected in case.get("scores", {}).items():
        assert by_item(table.items, table.scores[:, table.metrics.index(metric)]) == expected
    for rater, expected in case.get("ratings", {}).items():
        assert by_item(table.items, table.ratings[:, table.raters.index(rater)]) == expected
    for field in ("metrics", "raters", "items", "versions"):
        assert list(getattr(table, field)) == case.get(field, list(getattr(table, field)))
    assert list(table.directions.values()) == case.get("directions", list(table.directions.values()))
    assert len({*table.groups}) == case.get("groups", len({*table.groups}))
    if "attributes" in case:
        assert {name: list(values) for name, values in table.attributes.items()} == case["attributes"]
    assert [table.rating_min, table.rating_max] == case.get("range", [table.rating_min, table.rating_max])
    notes = [note.replace(f"{tmp_path}/", "") for note in made.notes]
    assert notes == case.get("notes", notes)
    for said in case.get("says", ()):
        assert sum(said in note for note in notes) == 1
    for unsaid in case.get("unsaid", ()):
        assert not any(unsaid in note for note in notes)
