"""Fields that are missing, mistyped or out of bounds: place, field, what is wrong and the cure."""

import pytest

from assay.errors import InputError
from assay.eval_sets import Sample, load_set


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"response": ...}, r"field response: is missing; add it, or map THEIRS=response \(the columns are `id`"),
        ({"response": ..., "respons": "r"}, "field response: is missing; rename `respons`, or map respons=response"),
        ({"response": None}, 'field response: is null or NaN; write the text, or "" if there is none'),
        ({"user_input": 42}, r"field user_input: is a number \(42\), not a text; write it in quotes"),
        ({"response": "a\0b"}, "field response: the text holds a NUL byte; remove it"),
        ({"retrieved_contexts": {"a": 1}}, "field retrieved_contexts: is an object, not a list of texts"),
        ({"retrieved_contexts": ["c", None]}, "field retrieved_contexts.1: is null"),
        ({"id": ""}, "field id: is empty; give the sample a name"),
        ({"id": True}, "field id: is true or false"),
        ({"language": "Dutch"}, 'field language: "dutch" is no ISO 639-1 code; write nl, en'),
        ({"rating": 7}, "field rating: 7 is outside the scale 1-5; correct it, or give rating_min and rating_max"),
        ({"rating": True}, "field rating: is true or false, not a number"),
        ({"rating": "good"}, 'field rating: "good" is not a number; write 4 or 4,5'),
        ({"rating": "1_0"}, 'field rating: "1_0" is not a number'),
        ({"rating": float("nan")}, "field rating: is NaN, which is no rating; leave it out or write null"),
        ({"rating": "NaN"}, "field rating: is NaN, which is no rating"),
        ({"rating": float("inf")}, "field rating: is inf, which is no rating"),
        ({"ratings": {"an": float("nan")}}, "field ratings: rater an: is NaN"),
        ({"ratings": {"an": 4, "bo": 6}}, "field ratings.bo: 6 is outside the scale 1-5"),
        ({"rating_min": 5, "rating_max": 1}, r"field rating_min: 5 is not below rating_max \(1\)"),
        ({"tables": [{"name": "t", "columns": {"x": [1], "y": []}}]}, "field tables.0: the columns differ in length"),
        ({"tables": [{"name": "t", "columns": {"x": [[1]]}}]}, "field tables.0.columns.x.0: .*; a table is"),
        ({"tables": [{"name": "t", "columns": {}, "units": {"x": "m"}}]}, "field tables.0: units are given for .*x"),
        ({"tables": {"x": [1]}}, "field tables: .*; a table is"),
    ],
)
def test_a_bad_field(jsonl, row, changes, says):
    path = jsonl(row(id="good"), row(**{"id": "bad", **changes}), row(id="good too"))
    with pytest.raises(InputError, match=f"set.jsonl, line 2, {says}"):
        load_set(path)
    skipped: list[InputError] = []
    assert [sample.id for sample in load_set(path, skip_bad=skipped)] == ["good", "good too"]
    assert len(skipped) == 1


def test_a_half_character_is_an_error(jsonl):
    with pytest.raises(InputError, match=r"line 1, field response: the text holds half a character"):
        load_set(jsonl('{"user_input": "q", "response": "\\ud83d"}'))


def test_other_wrong_fields_of_the_row_are_named(jsonl, row):
    with pytest.raises(InputError, match=r"field user_input: .*\(wrong in this row too: `response`\)"):
        load_set(jsonl(row(user_input=1, response=2)))


@pytest.mark.parametrize(
    ("written", "rating"),
    [("4", 4), ("4,5", 4.5), (" 4.5 ", 4.5), ("4,", 4), ("4e0", 4), (4, 4), (None, None), ("+3", 3)],
)
def test_ratings_that_are_accepted(jsonl, row, written, rating):
    assert load_set(jsonl(row(rating=written)))[0].rating == rating


def test_null_is_no_value_in_any_optional_field(jsonl, row):
    optional = set(Sample.model_fields) - {"user_input", "response"}
    [sample] = load_set(jsonl(row(**dict.fromkeys(optional))))
    assert (sample.id, sample.language, sample.rating_min, sample.rating_max) == ("set-1", "en", 1, 5)
    assert (sample.retrieved_contexts, sample.tables, sample.ratings, sample.metadata) == ((), (), {}, {})


def test_an_id_twice_names_both_lines(jsonl, row):
    path = jsonl(row(id="a"), "", row(id="b"), row(id="a"))
    with pytest.raises(InputError, match='line 4, field id: "a" is the id of line 1 too; give each sample its own id'):
        load_set(path)
    skipped: list[InputError] = []
    assert [sample.id for sample in load_set(path, skip_bad=skipped)] == ["a", "b"]
    assert len(skipped) == 1


def test_bad_rows_count_in_the_numbers_of_rows_but_not_in_the_limit(jsonl, row):
    path = jsonl(row(id=...), "{", row(id=...), row(id=...))
    assert [sample.id for sample in load_set(path, skip_bad=[], limit=2)] == ["set-1", "set-3"]
