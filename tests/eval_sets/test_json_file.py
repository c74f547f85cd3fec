"""JSON Lines and JSON files; fields that are missing, mistyped or out of bounds, with place and cure."""

import json
import math
import tracemalloc

import pytest

from assay.errors import InputError
from assay.eval_sets import Sample, load_set, read_set


def test_every_field_is_read(jsonl):
    path = jsonl(
        {
            "id": "nl-1",
            "user_input": "Hoe sla ik op?",
            "response": "Klik op Opslaan.",
            "retrieved_contexts": ["Klik op: Opslaan", "Let op"],
            "reference": "Opslaan",
            "language": "nl",
            "tables": [{"name": "net", "columns": {"date": ["2026-03-01"], "mbps": [41.2]}, "units": {"mbps": "Mbps"}}],
            "rating": 7,
            "ratings": {"an": 6, "bo": 8.5},
            "rating_min": 0,
            "rating_max": 10,
            "message_type": "instruction",
            "group": "opslaan",
            "metadata": {"defects": []},
        }
    )
    [sample] = load_set(path)
    assert isinstance(sample, Sample)
    assert sample.retrieved_contexts == ("Klik op: Opslaan", "Let op")
    assert sample.tables[0].columns["mbps"] == [41.2]
    assert sample.ratings == {"an": 6, "bo": 8.5}
    assert (sample.rating, sample.rating_min, sample.rating_max) == (7, 0, 10)
    assert (sample.group, sample.source, sample.metadata) == ("opslaan", "opslaan", {"defects": []})


def test_blank_lines_are_ignored_but_counted_as_lines(jsonl, row):
    path = jsonl("", row(id="a"), "   ", row(id="b"), "{")
    with pytest.raises(InputError, match=r"set.jsonl, line 5: is not JSON"):
        load_set(path)
    assert [sample.id for sample in load_set(path, limit=2)] == ["a", "b"]


def test_a_row_without_id_is_named_by_file_and_row(jsonl, row):
    path = jsonl(row(id=...), "", row(id="own"), row(id=...), name="week12.ndjson")
    assert [sample.id for sample in load_set(path)] == ["week12-1", "own", "week12-3"]


def test_unicode_line_separator_does_not_end_a_line(file, row):
    line = json.dumps(row(response="een\u2028twee\x85drie"), ensure_ascii=False)
    assert load_set(file("set.jsonl", line))[0].response == "een\u2028twee\x85drie"


def test_numbers_that_only_python_writes(jsonl):
    """NaN is no rating, which is said; an infinite one is an error, and does not change what the column is."""
    values = [math.nan, 3, 5]
    notes = []
    rows = [{"question": f"{n}?", "answer": "b", "score": value} for n, value in enumerate(values)]
    assert [sample.rating for sample in load_set(jsonl(*rows), notes=notes)] == [None, 3, 5]
    assert any('1 cell of score without a rating: line 1 "nan"' in note for note in notes)
    rows[0]["score"] = math.inf
    with pytest.raises(InputError, match=r"line 1, field rating \(column score\): is inf, which is no rating"):
        load_set(jsonl(*rows))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            '{"id": "b", "user_input": "q" "response": "r"}',
            r"line 2: is not JSON: Expecting ',' delimiter at character 31",
        ),
        ('{"id": "b", "user_input": "q", "res', "line 2: is not JSON: Unterminated string"),
        ('["q", "r"]', "line 2: is a list, not an object; name a file that is one JSON list .json"),
        ('"q"', "line 2: is a text, not an object"),
        ('{"user_input": "q", "response": "r", "response": "s"}', "line 2: .* key `response` stands twice"),
        ("[" * 100_000, "line 2: is nested too deeply"),
        ('{"user_input": "q", "response": "r", "n": ' + "9" * 5000 + "}", "line 2: is not usable JSON"),
        ('{"user_input": "q\0", "response": "r"}', "line 2: the line holds a NUL byte"),
    ],
)
def test_a_line_that_is_no_json_object(jsonl, row, line, says):
    path = jsonl(row(id="a"), line, row(id="c"))
    with pytest.raises(InputError, match=says):
        load_set(path)
    skipped: list[InputError] = []
    assert [sample.id for sample in load_set(path, skip_bad=skipped)] == ["a", "c"]
    assert len(skipped) == 1


def test_a_damaged_line_of_a_utf8_file_is_an_error_with_line_and_cure(file, row):
    good = json.dumps(row(id="a", response="één"), ensure_ascii=False).encode()
    bad = json.dumps(row(id="b", response="één"), ensure_ascii=False).encode("cp1252")
    path = file("set.jsonl", good + b"\n" + bad + b"\n")
    with pytest.raises(InputError, match=r"line 2: byte 0xe9 at place .* is not UTF-8: save"):
        load_set(path)
    assert [sample.id for sample in load_set(path, skip_bad=[])] == ["a"]


@pytest.mark.parametrize("content", ["", "\n \n"])
@pytest.mark.parametrize("name", ["set.jsonl", "set.csv", "set.json"])
def test_an_empty_file_is_an_error_even_when_bad_rows_are_skipped(file, name, content):
    with pytest.raises(InputError, match=f"{name}: the (file|set) is empty"):
        load_set(file(name, content), skip_bad=[])
    with pytest.raises(InputError, match=r"head.csv: the set is empty"):
        load_set(file("head.csv", "user_input,response\n"))


def test_a_set_without_one_usable_row_is_an_error(jsonl):
    with pytest.raises(InputError, match=r"none of the 2 rows can be used; the first error: .*line 1"):
        load_set(jsonl("{", "}"), skip_bad=[])


def test_json_list_object_with_samples_and_single_sample(file, row):
    rows = [row(id="a"), row(id="b")]
    assert [s.id for s in load_set(file("list.json", json.dumps(rows, indent=2)))] == ["a", "b"]
    assert [s.id for s in load_set(file("object.json", json.dumps({"samples": rows})))] == ["a", "b"]
    assert [s.id for s in load_set(file("one.json", json.dumps(row(id="one"))))] == ["one"]


def test_json_lines_named_json_are_read_as_lines(jsonl, row):
    path = jsonl(row(id="a"), row(id="b"), "{", name="set.json")
    assert [sample.id for sample in load_set(path, limit=2)] == ["a", "b"]
    with pytest.raises(InputError, match=r"line 3: is not JSON"):
        load_set(path)


def test_reading_streams_in_constant_memory(jsonl, row):
    path = jsonl(*(row(id=str(number), response="x" * 10_000) for number in range(2000)))
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_set(path)) == 2000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # the file is 20 MB; 2,000 ids and one row are well under 1
    assert peak < 1_000_000


def test_nan_outside_ratings_is_null(jsonl, row):
    tables = [{"name": "t", "columns": {"x": [1.5, math.nan]}}]
    [sample] = load_set(jsonl(row(metadata={"score": math.nan}, extra=[math.nan], tables=tables)))
    assert sample.metadata == {"score": None, "extra": [None]}
    assert sample.tables[0].columns == {"x": [1.5, None]}


def test_a_half_character_is_an_error(jsonl):
    with pytest.raises(InputError, match=r"line 1, field response: the text holds half a character"):
        load_set(jsonl('{"user_input": "q", "response": "\\ud83d"}'))


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
