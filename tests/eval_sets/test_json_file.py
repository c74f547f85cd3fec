"""JSON Lines and JSON files."""

import json
import math
import tracemalloc

import pytest
from call_counts import count_calls

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


def test_number_as_id_group_and_type_is_its_text(jsonl, row):
    [sample] = load_set(jsonl(row(id=17, group=3, message_type=2)))
    assert (sample.id, sample.group, sample.message_type) == ("17", "3", "2")


def test_unicode_line_separator_does_not_end_a_line(file, row):
    line = json.dumps(row(response="een\u2028twee\x85drie"), ensure_ascii=False)
    assert load_set(file("set.jsonl", line))[0].response == "een\u2028twee\x85drie"


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
    with pytest.raises(InputError, match=r"line 2: byte 0xe9 .* in Windows-1252 it is 'é'.* `iconv -f cp1252") as error:
        load_set(path)
    assert f"{path} > {path.with_name('set-utf8.jsonl')}`" in str(error.value)
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


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('[{"user_input": "q",\n "response": r}]', "set.json, line 2: is not JSON: Expecting value at character 14"),
        ("3", "set.json: holds a number; write a list"),
        ('{"samples": {"a": 1}}', "set.json: holds an object"),
        ("[3]", "set.json, row 1: is a number, not an object"),
        ('{"data": []}', "set.json, row 1, field user_input: is missing"),
    ],
)
def test_a_json_file_of_another_shape(file, content, says):
    with pytest.raises(InputError, match=says):
        load_set(file("set.json", content))


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


def test_the_work_grows_with_the_number_of_samples(jsonl, row):
    def calls(count):
        path = jsonl(*(row(id=str(number), rating=3, group="g", retrieved_contexts=["c"]) for number in range(count)))
        load_set(path)  # what is loaded once is loaded
        return count_calls(lambda: load_set(path))

    assert calls(800) < 4.1 * calls(200)


def test_nan_outside_ratings_is_null(jsonl, row):
    tables = [{"name": "t", "columns": {"x": [1.5, math.nan]}}]
    [sample] = load_set(jsonl(row(metadata={"score": math.nan}, extra=[math.nan], tables=tables)))
    assert sample.metadata == {"score": None, "extra": [None]}
    assert sample.tables[0].columns == {"x": [1.5, None]}
